"""Several references for a prediction: the one that the prediction is most like counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf

from ..errors import TreeFormatError
from ..records import NamedTuple
from ..sources.rows import ListRows
from ..trees.objects import is_node
from ..trees.texts import as_text, restored
from ..trees.tree import SegmentTree
from .base import EMPTY, VALID, BaseMetric
from .results import Result
from .runner import add_pieces, score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class MultiScore(NamedTuple):
    """What `score_multi` found.

    Attributes:
        result: The result against the references that counted.
        references: Those references, one a row.
        used: Which of its row's references each of them is, from 0.
        n_multi: Rows with more than one reference.
    """

    result: Any
    references: Sequence[Any]
    used: list[int]
    n_multi: int

    @property
    def signature(self) -> str:
        """Every option and the version, and whether references were chosen."""
        signature: str = self.result.signature
        return f"{signature}|references:best" if self.n_multi else signature

    def per_sentence(self) -> Iterator[dict[str, Any]]:
        """`Result.per_sentence`, with the reference that counted if there were more."""
        for row in self.result.per_sentence():
            yield {**row, "reference": self.used[row["index"]]} if self.n_multi else row

    def as_dict(self, *, per_sentence: bool = False) -> dict[str, Any]:
        """`Result.as_dict`, with what was chosen if there was a choice."""
        figures: dict[str, Any] = {**self.result.as_dict(), "signature": self.signature}
        if self.n_multi:
            figures |= {"n_multi_reference": self.n_multi, "references_used": self.used}
        if per_sentence:
            figures["sentences"] = list(self.per_sentence())
        return figures


def score_multi(metric: BaseMetric, predictions: Sequence[Any], references: Sequence[Any]) -> MultiScore:
    """Scores each prediction against the best of its references.

    The best has the best headline figure in its row; of equals, it is the first. Unless `on_error` is
    `raise`, references that cannot be compared are passed over.

    >>> from structiou_metric import StructIoU
    >>> found = score_multi(StructIoU(), ["(S (A a))"], [["(T (A a))", "(S (A a))"]])
    >>> found.result.sentence, found.used
    (1.0, [1])

    Args:
        metric: The metric with its options.
        predictions: Trees.
        references: As many rows, each a tree or several; see `alternatives`.
    """
    several = [alternatives(row) for row in references]
    if len(predictions) != len(references) or not any(several):
        return MultiScore(score(metric, predictions, references), references, [0] * len(references), 0)
    trees = [
        [row] if own is None else own or [_NoReference()]
        for row, own in zip(references, several, strict=True)
    ]
    pairs = [(row, at) for row, own in enumerate(trees) for at in range(len(own))]

    def name_of(pair: int) -> str:
        row, at = pairs[pair]
        return f"references[{row}][{at}]" if several[row] else f"references[{row}]"

    preds = ListRows(
        [predictions[row] for row, _ in pairs], "predictions", names=lambda i: f"predictions[{pairs[i][0]}]"
    )
    refs = ListRows([trees[row][at] for row, at in pairs], "references", names=name_of)
    found: Result = metric.RESULT(metric)
    add_pieces(found, [(0, preds, refs)], paired=True)
    used = _find_best(found, pairs)
    chosen = [own[at] for own, at in zip(trees, used, strict=True)]
    places = [place for place, pair in enumerate(found.rows) if used[pairs[pair][0]] == pairs[pair][1]]
    result = found.picked(
        places,
        [pairs[found.rows[place]][0] for place in places],
        lambda: score(metric, predictions, chosen, by_label=True).labels or {},
    )
    result.rerun = lambda other: score(other, predictions, chosen)
    return MultiScore(result, chosen, used, sum(len(own) > 1 for own in trees))


def _find_best(found: Result, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Which reference of each row is best, by what was found for all `pairs` of a row and a reference."""
    headline = found.metric.headline
    sign = 1.0 if found.metric.MEASURES[headline].higher_is_better else -1.0
    best: dict[int, tuple[float, int]] = {}
    for pair, value, state in zip(found.rows, found.values(headline), found.status, strict=True):
        row, at = pairs[pair]
        merit = sign * value if value is not None and state in (VALID, EMPTY) else -inf
        if row not in best or merit > best[row][0]:
            best[row] = merit, at
    return [at for _, at in best.values()]


def alternatives(row: Any) -> list[Any] | None:
    """The trees of a row that has a list of them; None if it is a tree itself.

    A list of spans is one tree. JSON text of a list of texts is a list of trees. The empty list is
    returned as such: a tree without spans, or no tree at all where other rows have lists of trees.

    >>> alternatives(["(S a)", "(T a)"]), alternatives([("S", 0, 1)]), alternatives('["(S a)"]')
    (['(S a)', '(T a)'], None, ['(S a)'])
    """
    if isinstance(row, str):
        return _parse_texts(row) if row.lstrip()[:1] == "[" else None
    if not isinstance(row, (list, tuple)) or is_node(row):
        return None
    if isinstance(row, tuple) and len(row) == 2 and isinstance(row[0], str) and not isinstance(row[1], str):
        return None  # brackets and times
    return list(row) if all(map(_is_tree, row)) else None


def reference_text(row: Any, *, source: str = "") -> str:
    """A tree or several as one text, which `alternatives` and `as_tree` take like the row itself."""
    trees = None if isinstance(row, str) else alternatives(row)
    return documents_text(trees, source=source) if trees else as_text(row, source=source)


def documents_text(trees: Any, *, source: str = "") -> str:
    """A list of trees as one text; what is no list is taken as one tree."""
    if not isinstance(trees, (list, tuple)):
        return as_text(trees, source=source)
    import json

    return json.dumps([as_text(tree, source=f"{source}[{i}]") for i, tree in enumerate(trees)])


def restored_documents(texts: Iterable[str], name: str) -> list[list[str | None]]:
    """The lists of trees in texts that `documents_text` made; `name` is the argument that they came by."""
    documents = []
    for row, text in enumerate(texts):
        trees = alternatives(text)
        if trees is None:
            raise ValueError(f"{name}[{row}] is one tree; with documents=True every row is a list of trees")
        documents.append(restored(trees))
    return documents


def _parse_texts(text: str) -> list[Any] | None:
    if text.lstrip()[1:].lstrip()[:1] not in ('"', "]"):
        return None
    import json

    try:
        trees = json.loads(text)
    except ValueError:
        return None  # reading it as a tree will say what is wrong
    return trees if all(isinstance(tree, str) for tree in trees) else None


def _is_tree(item: Any) -> bool:
    """Whether an item of a list is a tree rather than a span."""
    if item is None or isinstance(item, (str, SegmentTree)) or is_node(item):
        return True
    if isinstance(item, Mapping):
        is_tree = any(name in item for name in ("children", "parents", "brackets"))
        return is_tree or isinstance(item.get("label"), list)
    return isinstance(item, (list, tuple)) and not (len(item) == 3 and isinstance(item[0], str))


class _NoReference:
    """Stands where a list of references is empty; reading it as a tree is the error."""

    def label(self) -> str:
        raise TreeFormatError("an empty list of references; give at least one tree, '()' if it is empty")

"""Several references for a prediction: the one that the prediction is most like counts."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence

from ..errors import TreeFormatError
from ..sources.rows import ListRows
from ..trees.texts import as_text
from ..trees.tree import SegmentTree
from .struct_iou.metric import StructIoU
from .struct_iou.result import CorpusScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class MultiScore(namedtuple("MultiScore", ("result", "references", "used", "n_multi"))):
    """What `score_multi` found.

    Attributes:
        result: The score against the references that counted.
        references: Those references, one a row.
        used: Which of its row's references each of them is, from 0.
        n_multi: Rows with more than one reference.
    """

    __slots__ = ()
    result: CorpusScore
    references: Sequence[Any]
    used: list[int]
    n_multi: int

    @property
    def signature(self) -> str:
        """Every option and the version, and whether references were chosen."""
        return self.result.signature + ("|references:best" if self.n_multi else "")

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dict for each scored pair, with the reference that counted if there were more."""
        for row in self.result.rows():
            yield {**row, "reference": self.used[row["index"]]} if self.n_multi else row

    def alignments(self, metric: StructIoU, predictions: Sequence[Any]) -> Iterator[dict[str, Any]]:
        """One dict for each scored pair, with the aligned nodes; a zeroed pair has none.

        Args:
            metric: The metric that scored them.
            predictions: The trees that it scored.
        """
        sentences = self.result.sentences
        for i, tally in enumerate(sentences):
            row = sentences.row(i)
            found: dict[str, Any] = {"struct_iou": 0.0, "precision": 0.0, "recall": 0.0, "pairs": []}
            if not tally.failed:
                found = metric.align(predictions[row], self.references[row]).as_dict()
            yield {"index": row, **found}


def score_multi(metric: StructIoU, predictions: Sequence[Any], references: Sequence[Any]) -> MultiScore:
    """Scores each prediction against the best of its references.

    The best has the highest STRUCT-IoU, also where the corpus level is the headline; of equals, it
    is the first. Unless `on_error` is `raise`, references that cannot be compared are passed over.

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
        result = metric.corpus_score(predictions, references)
        return MultiScore(result, references, [0] * len(references), 0)
    multi = {row: trees for row, trees in enumerate(several) if trees and len(trees) > 1}
    best = _find_best(metric, predictions, multi) if multi else {}
    used = [best.get(row, 0) for row in range(len(references))]
    chosen: list[Any] = []
    names = []
    for row, (reference, trees) in enumerate(zip(references, several, strict=True)):
        if trees:
            reference = trees[used[row]]
        elif trees is not None:
            reference = _NoReference()
        chosen.append(reference)
        names.append(f"references[{row}][{used[row]}]" if trees else f"references[{row}]")
    result = metric.score_rows(ListRows(predictions, "predictions"), _NamedRows(chosen, "references", names))
    return MultiScore(result, chosen, used, len(multi))


def alternatives(row: Any) -> list[Any] | None:
    """The trees of a row that has a list of them; None if it is a tree itself.

    A list of spans is one tree. JSON text of a list of texts is a list of trees. The empty list is
    returned as such: a tree without spans, or no tree at all where other rows have lists of trees.

    >>> alternatives(["(S a)", "(T a)"]), alternatives([("S", 0, 1)]), alternatives('["(S a)"]')
    (['(S a)', '(T a)'], None, ['(S a)'])
    """
    if isinstance(row, str):
        return _parse_texts(row) if row.lstrip()[:1] == "[" else None
    if not isinstance(row, (list, tuple)) or callable(getattr(row, "label", None)):
        return None
    if isinstance(row, tuple) and len(row) == 2 and isinstance(row[0], str) and not isinstance(row[1], str):
        return None  # brackets and times
    return list(row) if all(map(_is_tree, row)) else None


def reference_text(row: Any, *, source: str = "") -> str:
    """A tree or several as one text, which `alternatives` and `as_tree` take like the row itself.

    Args:
        row: As `alternatives` takes it.
        source: Named in errors.
    """
    trees = None if isinstance(row, str) else alternatives(row)
    if not trees:
        return as_text(row, source=source)
    import json

    return json.dumps([as_text(tree, source=f"{source}[{i}]") for i, tree in enumerate(trees)])


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
    if item is None or isinstance(item, (str, SegmentTree)) or callable(getattr(item, "label", None)):
        return True
    if isinstance(item, Mapping):
        is_tree = any(name in item for name in ("children", "parents", "brackets"))
        return is_tree or isinstance(item.get("label"), list)
    return isinstance(item, (list, tuple)) and not (len(item) == 3 and isinstance(item[0], str))


def _find_best(
    metric: StructIoU, predictions: Sequence[Any], multi: Mapping[int, Sequence[Any]]
) -> dict[int, int]:
    """Which reference is best, by row."""
    places = [(row, at) for row, trees in multi.items() for at in range(len(trees))]
    options = metric.options._asdict()
    if options["on_error"] == "skip":
        options["on_error"] = "zero"  # which keeps a tally for every reference
    scored = StructIoU(**options).score_rows(
        _NamedRows(
            [predictions[row] for row, _ in places],
            "predictions",
            [f"predictions[{row}]" for row, _ in places],
        ),
        _NamedRows(
            [multi[row][at] for row, at in places],
            "references",
            [f"references[{row}][{at}]" for row, at in places],
        ),
    )
    best: dict[int, tuple[float, int]] = {}
    for (row, at), tally in zip(places, scored.sentences, strict=True):
        score = -1.0 if tally.failed else tally.score
        if row not in best or score > best[row][0]:
            best[row] = score, at
    return {row: at for row, (_, at) in best.items()}


class _NamedRows(ListRows):
    """Trees in a list, each with a name of its own."""

    def __init__(self, values: Sequence[Any], title: str, names: Sequence[str]) -> None:
        super().__init__(values, title)
        self._names = names

    def name(self, row: int) -> str:
        return self._names[row]


class _NoReference:
    """Stands where a list of references is empty; reading it as a tree is the error."""

    def label(self) -> str:
        raise TreeFormatError("an empty list of references; give at least one tree, '()' if it is empty")

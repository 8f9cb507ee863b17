"""Which predicted tree is compared with which reference tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from structiou_metric.errors import TreeFormatError, TreeMismatchError
from structiou_metric.sources.rows import Problems
from structiou_metric.wording import count

from .rows import DocRows, Side, token_lengths
from .store import brief

if TYPE_CHECKING:
    from spacy.training import Example

_NONE = -1  # for an empty tree


class _Row(NamedTuple):
    """A pair: numbers of the document, of the tree in it (None for all), and of the trees of both sides."""

    doc: int
    tree: int | None
    prediction: int
    reference: int


class Pairing:
    """Pairs of trees, with what is wrong with those that cannot be compared.

    Args:
        name: What errors call the scorer.
        examples: The predicted and reference Docs.
        predicted_key: The span group with the trees of predicted Docs.
        reference_key: That of reference Docs.
        unit: That of the metric.

    Attributes:
        n_docs: How many documents there are.
        n_unannotated: How many of them have no reference tree.
    """

    def __init__(
        self, name: str, examples: Sequence[Example], predicted_key: str, reference_key: str, unit: str
    ) -> None:
        self._name = name
        self._predicted_key = predicted_key
        self._pred = Side([example.predicted for example in examples], predicted_key, unit)
        self._ref = Side([example.reference for example in examples], reference_key, unit)
        self._rows: list[_Row] = []
        self._pred_problems: Problems = {}
        self._ref_problems: Problems = {}
        self.n_docs = len(examples)
        self.n_unannotated = 0

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self) -> tuple[DocRows, DocRows]:
        """Predictions and references for the metric."""
        return (
            DocRows(
                self._pred,
                [row.prediction for row in self._rows],
                self._pred_problems,
                lambda row: f"{self._where(row)}: the prediction",
            ),
            DocRows(
                self._ref,
                [row.reference for row in self._rows],
                self._ref_problems,
                lambda _: "the reference",
            ),
        )

    def pair_trees(self) -> None:
        """Compares every reference tree with the predicted tree in the same place."""
        for d, refs in self._annotated():
            problem = self._problem_of(d)
            matches = [problem] * len(refs) if problem is not None else self._matches(d, refs)
            for i, (ref, match) in enumerate(zip(refs, matches, strict=True)):
                self._add(d, i, match, ref)

    def pair_docs(self) -> None:
        """Compares all trees of a Doc at once."""
        for d, _ in self._annotated():
            self._add(d, None, self._problem_of(d) or self._pred.join(d), self._ref.join(d))

    def _annotated(self) -> Iterable[tuple[int, Sequence[int]]]:
        """The documents that have reference trees, with these."""
        for d in range(self.n_docs):
            trees = self._ref.of_doc[d]
            if d in self._ref.problems:
                self._rows.append(_Row(d, None, _NONE, _NONE))
                row = len(self._rows) - 1
                self._ref_problems[row] = self._located(row, "the reference", self._ref.problems[d])
            elif trees:
                yield d, trees
            else:
                self.n_unannotated += 1

    def _add(self, d: int, tree: int | None, match: int | ValueError, ref: int) -> None:
        pred = match if isinstance(match, int) else _NONE
        self._rows.append(_Row(d, tree, pred, ref))
        if isinstance(match, ValueError):
            row = len(self._rows) - 1
            self._pred_problems[row] = self._located(row, "the prediction", match)

    def _problem_of(self, d: int) -> ValueError | None:
        """Why a document has no predicted trees to compare."""
        if self._pred.of_doc[d] is None:
            key = self._predicted_key
            return TreeMismatchError(
                f"has no doc.spans[{key!r}]; put a parser that sets trees before this component, or say by "
                "predicted_key where they are"
            )
        return self._pred.problems.get(d)

    def _matches(self, d: int, refs: Sequence[int]) -> Sequence[int | ValueError]:
        """The predicted tree for each reference tree, or why there is none."""
        preds = self._pred.of_doc[d]
        if not preds:
            return [_NONE] * len(refs)
        if len(preds) == len(refs) and self._pred.complete[d] and self._ref.complete[d]:
            pairs = zip(preds, refs, strict=True)
            if len(refs) == 1 or all(self._pred.extent(p) == self._ref.extent(r) for p, r in pairs):
                return preds
        before_pred = token_lengths(self._pred.docs[d], "char")
        before_ref = token_lengths(self._ref.docs[d], "char")
        if before_pred[-1] != before_ref[-1]:
            if len(preds) == len(refs):
                return preds
            problem = TreeMismatchError(
                f"has {count(len(preds), 'tree')} and the reference {len(refs)}, which cannot be matched by "
                f"their places: the texts have {before_pred[-1]} and {before_ref[-1]} characters; set an "
                "empty tree where a parse fails, or give both sides the same text"
            )
            return [problem] * len(refs)
        places = [self._pred.place(pred, before_pred) for pred in preds]
        return [_match(self._ref.place(ref, before_ref), preds, places) for ref in refs]

    def _where(self, row: int) -> str:
        d, tree, *_ = self._rows[row]
        document = f"{self._name}: document {d} ({brief(self._ref.docs[d])})"
        return document if tree is None else f"{document}, tree {tree}"

    def _located(self, row: int, side: str, error: ValueError) -> ValueError:
        where = f"{self._where(row)}: {side}"
        if isinstance(error, TreeFormatError):
            return TreeFormatError(error.message, source=f"{where}: {error.source}")
        return TreeMismatchError(f"{where} {error}")


def _match(
    wanted: tuple[int, int], preds: Sequence[int], places: Sequence[tuple[int, int]]
) -> int | ValueError:
    """The predicted tree with the wanted place in characters."""
    start, end = wanted
    for pred, (other_start, other_end) in zip(preds, places, strict=True):
        if (other_start, other_end) == wanted or (start == end and start == other_start):
            return pred
        if start < other_end and other_start < end:
            return TreeMismatchError(
                f"has a tree over characters {other_start}–{other_end}, the reference over {start}–{end}; "
                "give both sides the same sentences, or compare whole documents (per 'doc')"
            )
    return _NONE

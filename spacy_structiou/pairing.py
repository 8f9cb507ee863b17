"""Which predicted tree is compared with which reference tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from structiou_metric.errors import TreeFormatError, TreeMismatchError
from structiou_metric.wording import count

from .rows import NOTHING, DocRows, Found, JoinedRows, Located, Side, token_lengths
from .store import brief

if TYPE_CHECKING:
    from spacy.training import Example


class Pairing:
    """Pairs of trees, with what is wrong with those that cannot be compared.

    Args:
        name: What errors call the scorer.
        examples: The predicted and reference Docs.
        predicted_key: The span group with the trees of predicted Docs.
        reference_key: The span group with the trees of reference Docs.
        unit: The unit of the metric.
        per: What is compared: with `sentence`, every reference tree with the predicted tree in the same
            place; with `doc`, all trees of a Doc at once.

    Attributes:
        predictions: The rows of predicted trees for the metric.
        references: As many rows of reference trees.
        n_unannotated: How many documents have no reference tree.
    """

    def __init__(
        self,
        name: str,
        examples: Sequence[Example],
        predicted_key: str,
        reference_key: str,
        unit: str,
        per: str,
    ) -> None:
        self._name = name
        self._predicted_key = predicted_key
        self._pred = Side([example.predicted for example in examples], predicted_key, unit)
        self._ref = Side([example.reference for example in examples], reference_key, unit)
        self._rows: list[tuple[int, int | None]] = []  # the document, and the tree in it or None for all
        rows = JoinedRows if per == "doc" else DocRows
        self.predictions = rows(lambda row: f"{self._where(*self._rows[row])}: the prediction")
        self.references = rows(lambda _: "the reference")
        self.n_unannotated = 0
        for d, refs in enumerate(self._ref.trees):
            if d in self._ref.problems:
                self._add(d, None, NOTHING, self._ref.problems[d])
            elif not refs:
                self.n_unannotated += 1
            elif per == "doc":
                self._add(d, None, self._problem_of(d) or self._pred.join(d), self._ref.join(d))
            else:
                for i, (match, ref) in enumerate(zip(self._matches(d, refs), refs, strict=True)):
                    self._add(d, i, match, ref)

    def _add(self, d: int, tree: int | None, pred: Found, ref: Found) -> None:
        self._rows.append((d, tree))
        self.predictions.found.append(self._located(pred, d, tree, "the prediction"))
        self.references.found.append(self._located(ref, d, tree, "the reference"))

    def _located(self, found: Found, d: int, tree: int | None, side: str) -> Found:
        """A tree, or what is wrong with it and where that is."""
        if not isinstance(found, ValueError):
            return found
        where = f"{self._where(d, tree)}: {side}"
        if isinstance(found, TreeFormatError):
            return TreeFormatError(found.message, source=f"{where}: {found.source}")
        return TreeMismatchError(f"{where} {found}")

    def _where(self, d: int, tree: int | None) -> str:
        document = f"{self._name}: document {d} ({brief(self._ref.docs[d])})"
        return document if tree is None else f"{document}, tree {tree}"

    def _problem_of(self, d: int) -> ValueError | None:
        """Why a document has no predicted trees to compare."""
        if self._pred.trees[d] is None:
            return TreeMismatchError(
                f"has no doc.spans[{self._predicted_key!r}]; put a parser that sets trees before this "
                "component, or say by predicted_key where they are"
            )
        return self._pred.problems.get(d)

    def _matches(self, d: int, refs: Sequence[Located]) -> Sequence[Found]:
        """The predicted tree for each reference tree, or why there is none."""
        preds = self._pred.trees[d]
        problem = self._problem_of(d)
        if problem is not None or not preds:
            return [problem or NOTHING] * len(refs)
        if len(preds) == len(refs) and self._pred.complete[d] and self._ref.complete[d]:
            pairs = zip(preds, refs, strict=True)
            if len(refs) == 1 or all(pred.length() == ref.length() for pred, ref in pairs):
                return preds
        before_pred = token_lengths(self._pred.docs[d])
        before_ref = token_lengths(self._ref.docs[d])
        if before_pred[-1] != before_ref[-1]:
            if len(preds) == len(refs):
                return preds
            problem = TreeMismatchError(
                f"has {count(len(preds), 'tree')} and the reference {len(refs)}, which cannot be matched by "
                f"their places: the texts have {before_pred[-1]} and {before_ref[-1]} characters; set an "
                "empty tree where a parse fails, or give both sides the same text"
            )
            return [problem] * len(refs)
        placed = [(pred, before_pred[pred.start], before_pred[pred.end]) for pred in preds]
        return [_match(placed, before_ref[ref.start], before_ref[ref.end]) for ref in refs]


def _match(preds: Sequence[tuple[Located, int, int]], start: int, end: int) -> Found:
    """The predicted tree with the wanted place in characters."""
    for tree, other_start, other_end in preds:
        if (other_start, other_end) == (start, end) or (start == end and start == other_start):
            return tree
        if start < other_end and other_start < end:
            return TreeMismatchError(
                f"has a tree over characters {other_start}–{other_end}, the reference over {start}–{end}; "
                "give both sides the same sentences, or compare whole documents (per 'doc')"
            )
    return NOTHING

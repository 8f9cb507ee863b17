"""Rules of ParsEval for labels: which are deleted, and which are the same."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ..._core.sentence import DELETED, NO_LENGTH, QUOTE, UNWANTED, LabelRules
from ..brackets import equal_labels
from .parameters import Parameters

_CUTS = {"evalb": "-=", "spmrl": "-=#"}  # where a label ends


class LabelTable:
    """The rules for each label, made when the label first occurs.

    Labels are named by numbers. The first ones are those of `EQ_LABEL`, which may be the same as others.

    Args:
        parameters: The labels that are deleted and taken for the same.
        variant: The variant, `evalb` or `spmrl`.
        counts_wrappers: Whether an outermost bracket without a label that wraps one tree is a bracket.
    """

    def __init__(
        self,
        parameters: Parameters,
        variant: str,
        *,
        counts_wrappers: bool,
    ) -> None:
        self._counts_wrappers = counts_wrappers
        self._parameters = parameters
        self._spmrl = variant == "spmrl"
        self._cuts = _CUTS[variant]
        self._same = equal_labels(parameters.equal_labels)
        self._ids: dict[str | None, int] = {label: i for i, label in enumerate(self._same)}
        self.equals = [sorted(self._ids[label] for label in labels) for labels in self._same.values()]
        # EVALB_SPMRL cuts these, too, so that `-NONE-` deletes every label of which nothing is left.
        self._deleted = [self.cut(d) if self._spmrl else d for d in parameters.delete_labels]
        self._marks = bytearray()
        self._names = array("i")
        self._tag_names = array("i")
        self._weights = array("i")
        self._rules: LabelRules | None = None

    def __len__(self) -> int:
        return len(self._ids)

    def learn(self, labels: Sequence[str]) -> LabelRules:
        """Return the rules for all labels, some of which may be new."""
        if self._rules is None or len(labels) > len(self._marks):
            for label in labels[len(self._marks) :]:
                self._add(label)
            # Copies, because an array cannot grow while the rules look at it.
            wrapper = -1 if self._counts_wrappers or "" not in labels else labels.index("")
            self._rules = LabelRules(
                bytes(self._marks), self._names[:], self._tag_names[:], self._weights[:], wrapper
            )
        return self._rules

    def _add(self, label: str) -> None:
        base = self.cut(label)
        same = self._same.get(base, {base})
        n_deleting = sum(deleted in same for deleted in self._deleted)
        self._marks.append(self._mark(label))
        self._names.append(-1 if n_deleting else self._id(base if self._parameters.labeled else None))
        self._tag_names.append(self._id(self.tag(label)))
        self._weights.append(1 + len(self._deleted) - n_deleting)

    def _id(self, name: str | None) -> int:
        return self._ids.setdefault(name, len(self._ids))

    def cut(self, label: str) -> str:
        """Return a label up to the first character that ends it, even if nothing is left."""
        return label[: next((i for i, character in enumerate(label) if character in self._cuts), None)]

    def tag(self, label: str) -> str:
        """Return the label of a tag as it is compared."""
        return self.cut(label) if self._spmrl else label

    def same_tags(self, a: str, b: str) -> bool:
        """Return whether two tags count as the same."""
        return self.tag(b) in self._same.get(self.tag(a), {self.tag(a)})

    def _mark(self, label: str) -> int:
        mark = 0
        if label in self._parameters.delete_labels:
            mark |= UNWANTED if self._spmrl else DELETED | UNWANTED
        if label in self._parameters.delete_labels_for_length:
            mark |= NO_LENGTH
        if label in self._parameters.quote_labels:
            mark |= QUOTE
        return mark

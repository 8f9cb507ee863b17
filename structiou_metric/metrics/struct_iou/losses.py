"""The losses of STRUCT-IoU: the causes, the loss of a node, and the loss of a corpus by each cause.

`docs/why.md` defines the causes; `_core.causes` finds them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ..sums import exact_sum

if TYPE_CHECKING:
    from ...trees.tree import Node

    Confusions = dict[tuple[str, str], float]

__all__ = ["CAUSES", "LossSums", "Losses", "NodeLoss"]

# The meaning of each cause; the first has number 1 in `_core.causes`.
CAUSES: Mapping[str, str] = {
    "attachment": "crosses the other side, or differs from a node of its label by phrases attached elsewhere",
    "label": "same span, another label",
    "tag": "same word, another tag",
    "unary": "one more node over a span that the other side has",
    "missing": "a node of the reference that the prediction has no counterpart for",
    "extra": "a node of the prediction that the reference has no counterpart for",
    "blocked": "same label and span on the other side, but other aligned nodes forbid the pair",
    "boundary": "aligned, but the words at its edges differ",
    "timing": "right in structure, but not in seconds",
    "failed": "one side has no nodes, or the pair could not be compared",
}

_NAMES = list(CAUSES)


class NodeLoss(NamedTuple):
    """The loss at a node, and its cause.

    >>> from structiou_metric import align
    >>> [one, two] = align("(S (A a) (B b))", "(S (A a) (C b))").losses()
    >>> one.side, one.node.label, one.cause, one.loss, one.other.label
    ('prediction', 'B', 'tag', 1.0, 'C')

    Attributes:
        side: The side whose node it is, `prediction` or `reference`.
        node: The node.
        cause: The cause, a key of `CAUSES`.
        loss: The loss: 1 - IoU for an aligned node, 1 for any other.
        other: The node of the other side that the cause is about, if there is one: the partner, the
            confused node, the one crossed, the one that differs by a moved phrase.
    """

    side: str
    node: Node
    cause: str
    loss: float
    other: Node | None

    def as_dict(self) -> dict[str, Any]:
        """Return the loss as plain values for JSON."""
        nodes = {"node": self.node, "other": self.other}
        return {
            "side": self.side,
            "cause": self.cause,
            "loss": self.loss,
            **{
                name: None if node is None else {"label": node.label, "start": node.start, "end": node.end}
                for name, node in nodes.items()
            },
        }


class LossSums:
    """The sums of losses by cause and by confusion, over any number of rows.

    >>> from structiou_metric import StructIoU
    >>> losses = StructIoU().corpus_score(["(S (A a) (B b))"], ["(S (A a) (C b))"]).losses
    >>> losses.total, losses.tags
    (2.0, {('B', 'C'): 2.0})

    Args:
        sums: The exact sums: `losses` by cause, `confusions` by cause and both labels.
    """

    def __init__(self, sums: dict[str, dict[tuple[str, ...], Any]]) -> None:
        self._sums = sums

    def exact_sums(self) -> dict[str, dict[tuple[str, ...], Any]]:
        """Return the sums that all the others are made of."""
        return self._sums

    @property
    def by_cause(self) -> dict[str, float]:
        """Return the sum over all rows by cause, in the order of `CAUSES`."""
        return {cause: float(self.exact_sums()["losses"][cause,]) for cause in CAUSES}

    @property
    def total(self) -> float:
        """Return all that is lost: nodes of both sides less twice the sum of IoUs."""
        return float(sum(self.exact_sums()["losses"].values(), Fraction()))

    @property
    def labels(self) -> Confusions:
        """Return the losses by the cause `label`, for each label of prediction and reference; most first."""
        return self._confusions("label")

    @property
    def tags(self) -> Confusions:
        """Return the losses by the cause `tag`, for each tag of prediction and reference; most first."""
        return self._confusions("tag")

    def _confusions(self, cause: str) -> Confusions:
        items = self.exact_sums()["confusions"].items()
        sums = {(predicted, wanted): float(lost) for (own, predicted, wanted), lost in items if own == cause}
        return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))

    def as_dict(self) -> dict[str, Any]:
        """Return the losses as plain values for JSON: the sums by cause, and the confusions."""
        return {
            "total": self.total,
            "by_cause": self.by_cause,
            **{
                name: [
                    {"prediction": predicted, "reference": wanted, "loss": loss}
                    for (predicted, wanted), loss in getattr(self, name).items()
                ]
                for name in ("labels", "tags")
            },
        }

    def __repr__(self) -> str:
        by_cause = ", ".join(f"{cause} {value:.4g}" for cause, value in self.by_cause.items() if value)
        return f"<{type(self).__name__} {by_cause or 'none'}>"

    def _repr_html_(self) -> str:
        """Return the losses by cause and the confusions for a notebook."""
        from ...report.notebook import losses_html

        return losses_html(self)


class Losses(LossSums):
    """The losses of some rows by each cause; zeros where a row does not count.

    >>> from structiou_metric import StructIoU
    >>> predictions, references = ["(S (A a))", "(S (B a))"], ["(S (A a))", "(S (C a))"]
    >>> losses = StructIoU().corpus_score(predictions, references).losses
    >>> losses.columns["tag"].tolist(), losses.by_cause["tag"]
    ([0.0, 2.0], 2.0)

    Attributes:
        columns: A number for each row, by the cause.
    """

    def __init__(self) -> None:
        self.columns: dict[str, array[float]] = {cause: array("d") for cause in CAUSES}
        # Confusions: row, cause, both labels, loss.
        self._confused: list[tuple[int, int, str, str, float]] = []
        super().__init__({})

    def __len__(self) -> int:
        return len(self.columns["failed"])

    def add(
        self,
        columns: Mapping[str, Sequence[float]],
        confused: Iterable[tuple[int, int, str, str, float]],
    ) -> None:
        """Append rows with their confusions: row from 0, cause, both labels, loss."""
        n_before = len(self)
        self._sums = {}
        for cause, column in self.columns.items():
            column.extend(columns[cause])
        self._confused += [
            (n_before + row, cause, predicted, wanted, loss)
            for row, cause, predicted, wanted, loss in confused
        ]

    def append(self, part: Losses) -> None:
        """Append the rows of another object of this kind."""
        self.add(part.columns, part._confused)

    def picked(self, places: Sequence[int]) -> Losses:
        """Return the losses of the rows at some places alone, in their order."""
        found = Losses()
        by_row: dict[int, list[tuple[int, str, str, float]]] = {}
        for row, cause, predicted, wanted, loss in self._confused:
            by_row.setdefault(row, []).append((cause, predicted, wanted, loss))
        found.add(
            {cause: array("d", map(column.__getitem__, places)) for cause, column in self.columns.items()},
            ((i, *more) for i, place in enumerate(places) for more in by_row.get(place, ())),
        )
        return found

    def exact_sums(self) -> dict[str, dict[tuple[str, ...], Any]]:
        """Return the sums over all rows."""
        if not self._sums:
            found: dict[tuple[str, ...], list[float]] = {}
            for _, cause, predicted, wanted, loss in self._confused:
                found.setdefault((_NAMES[cause - 1], predicted, wanted), []).append(loss)
            self._sums = {
                "losses": {(cause,): exact_sum(column) for cause, column in self.columns.items()},
                "confusions": {key: exact_sum(losses) for key, losses in found.items()},
            }
        return self._sums

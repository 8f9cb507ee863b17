"""Moves of a whole corpus: how often each class of error occurs, and how much STRUCT-IoU it explains."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from ...metrics.metric import Metric
from ...metrics.struct_iou.metric import StructIoU
from ...sources.documents import as_documents
from ...sources.rows import as_rows
from ...trees.labels import base_label
from ...wording import count
from .moves import Analysis, Move, MoveCounter
from .styles import AUTO, CLASSES, STYLES, Style, find_style

if TYPE_CHECKING:
    from ...metrics.struct_iou.result import CorpusScore
    from ...sources.rows import Rows

# The class of losses of rows that are not analysed.
NOT_ANALYSED = "not analysed"


class ClassTotal(NamedTuple):
    """The total of a class of errors.

    >>> from structiou_metric import StructIoU
    >>> report = explain_corpus(StructIoU(), ["(S (A a))"], ["(S (B a))"])
    >>> report.classes["tag"].events, report.classes["tag"].rows, report.classes["tag"].gain
    (1, 1, 0.5)

    Attributes:
        events: How often an error of the class occurs.
        rows: How many rows have such an error.
        gain: How much higher STRUCT-IoU, as the mean over rows, would be without them.
        mass: How much they add to the loss, summed up over rows.
        corpus_gain: The mass over all nodes: how much higher STRUCT-IoU at corpus level would be.
    """

    events: int
    rows: int
    gain: float
    mass: float
    corpus_gain: float


class SiteTotal(NamedTuple):
    """The total of constituents that hang on nodes with one label, and should hang on nodes with another.

    Attributes:
        events: How often this occurs.
        mass: How much it adds to the loss, summed up over rows.
    """

    events: int
    mass: float


class MoveReport:
    """The moves of a corpus.

    The gains of all classes, with that of rows that were not analysed, sum up to 1 less the score: `gain` to
    that of the mean over rows, `corpus_gain` to that at corpus level.

    >>> from structiou_metric import StructIoU
    >>> report = explain_corpus(StructIoU(), ["(S (A a))", "(S (A a))"], ["(S (B a))", "(S (A a))"])
    >>> report.describe(0), report.moves(1)
    (['relabel A “a” as B (+0.500)'], ())

    Attributes:
        result: The result of STRUCT-IoU.
        style: The name of the table that moves were named by.
        analyses: The analysis of each row, by its number; rows whose trees are the same are not there.
    """

    def __init__(self, result: CorpusScore, style: str, analyses: Mapping[int, Analysis]) -> None:
        self.result = result
        self.style = style
        self.analyses = dict(sorted(analyses.items()))
        self._columns: dict[str, dict[str, array[float]]] | None = None

    def moves(self, row: int) -> tuple[Move, ...]:
        """Return the moves of a row in their order; none if the trees are equal or were not analysed."""
        return self.analyses.get(self._checked(row), Analysis()).moves

    def describe(self, row: int) -> list[str]:
        """Return a line for each move of a row, or why there are none."""
        found = self.analyses.get(self._checked(row))
        if found is None:
            return ["both trees are the same"]
        if found.reason:
            return [f"{NOT_ANALYSED}: {found.reason}"]
        return [move.describe() for move in found.moves]

    @property
    def not_analysed(self) -> list[tuple[int, str]]:
        """Return the row and the reason of each row that was not searched for moves."""
        return [(row, found.reason) for row, found in self.analyses.items() if found.reason]

    @property
    def columns(self) -> Mapping[str, Mapping[str, Sequence[float]]]:
        """Return the columns `events`, `gain` and `mass` with a number for each row of the result, by class.

        Rows can be resampled from them, as from the columns of a result: the sum of `gain` over
        rows that count, by their number, is that class's share of 1 less the mean score.
        """
        if self._columns is None:
            self._columns = self._make_columns()
        return self._columns

    @property
    def classes(self) -> dict[str, ClassTotal]:
        """Return the total of each class that occurs, the one with the greatest gain first."""
        n_rows = self.result.n_counted
        found = {}
        for name, columns in self.columns.items():
            mass = fsum(columns["mass"])
            found[name] = ClassTotal(
                int(sum(columns["events"])),
                sum(map(bool, columns["events"])),
                fsum(columns["gain"]) / n_rows,
                mass,
                self.result.loss_share(mass),
            )
        return dict(sorted(found.items(), key=lambda entry: (-entry[1].gain, entry[0])))

    @property
    def sites(self) -> dict[tuple[str, str, str], SiteTotal]:
        """Return the wrong attachments by class and the labels of the wrong and right parent, most first.

        It has every move of siblings to another node. A label is empty where nothing is above them. With
        `labels="base"`, labels are without function tags.

        >>> low = "(S (VP (VBD saw) (NP (NP (NN man)) (PP (IN with) (NP (NN hat))))))"
        >>> high = "(S (VP (VBD saw) (NP (NN man)) (PP (IN with) (NP (NN hat)))))"
        >>> from structiou_metric import StructIoU
        >>> explain_corpus(StructIoU(), [low], [high]).sites
        {('PP attachment', 'NP', 'VP'): SiteTotal(events=1, mass=1.0)}
        """
        masses: dict[tuple[str, str, str], list[float]] = {}
        short = base_label if self.result.metric.options.labels == "base" else str
        for found in self.analyses.values():
            for move in found.moves:
                if move.attaches:
                    key = move.error, short(move.source), short(move.target)
                    masses.setdefault(key, []).append(move.mass)
        totals = {key: SiteTotal(len(own), fsum(own)) for key, own in masses.items()}
        return dict(sorted(totals.items(), key=lambda entry: (-entry[1].mass, entry[0])))

    def as_dict(self, *, per_row: bool = False) -> dict[str, Any]:
        """Return the report as values that JSON can hold; with `per_row`, the moves of each row, too."""
        report: dict[str, Any] = {
            "signature": self.result.signature,
            "style": self.style,
            "n_rows": self.result.n_counted,
            "struct_iou_sentence": self.result.sentence,
            "struct_iou_corpus": self.result.corpus,
            "classes": {name: total._asdict() for name, total in self.classes.items()},
            "sites": [
                {"class": error, "from": source, "to": target, **total._asdict()}
                for (error, source, target), total in self.sites.items()
            ],
            "not_analysed": [{"row": row, "reason": reason} for row, reason in self.not_analysed],
        }
        if per_row:
            report["rows"] = [
                {"row": row, "moves": [move.as_dict() for move in found.moves]}
                for row, found in self.analyses.items()
                if not found.reason
            ]
        return report

    def __repr__(self) -> str:
        events = sum(total.events for total in self.classes.values())
        return f"<MoveReport {count(events, 'event')} in {count(len(self.result), 'row')}, {self.style}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the total of each class of error."""
        from ...report.notebook import moves_html

        return moves_html(self)

    def _checked(self, row: int) -> int:
        if not 0 <= row < len(self.result):
            raise IndexError(f"there is no row {row}; there are {len(self.result)}, from 0")
        return row

    def _make_columns(self) -> dict[str, dict[str, array[float]]]:
        n_rows = len(self.result)
        scores = self.result.values("struct_iou_sentence")
        matched, n_pred, n_ref = (self.result.columns[name] for name in ("matched", "n_pred", "n_ref"))
        columns: dict[str, dict[str, array[float]]] = {}

        def add(name: str, row: int, gain: float, mass: float) -> None:
            own = columns.get(name)
            if own is None:
                own = {key: array("d", bytes(8 * n_rows)) for key in ("events", "gain", "mass")}
                columns[name] = own
            own["events"][row] += 1
            own["gain"][row] += gain
            own["mass"][row] += mass

        for row, found in self.analyses.items():
            score = scores[row]
            if score is None:
                continue  # skipped: it is part of no figure
            if found.reason:
                add(NOT_ANALYSED, row, 1.0 - score, n_pred[row] + n_ref[row] - 2.0 * matched[row])
            for move in found.moves:
                add(move.error, row, move.gain, move.mass)
        return {name: columns[name] for name in (*CLASSES, NOT_ANALYSED) if name in columns}


def explain_corpus(
    metric: StructIoU,
    predictions: Iterable[Any] | Rows,
    references: Iterable[Any] | Rows,
    *,
    style: str | Style = AUTO,
    documents: bool = False,
    workers: int | str = 1,
    progress: bool = False,
) -> MoveReport:
    """Find the moves that turn each prediction into its reference.

    >>> low = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NN hat))))))"
    >>> high = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (NN hat)))))"
    >>> report = explain_corpus(StructIoU(), [low, high], [high, high])
    >>> report.describe(0)
    ['move PP “with hat” from NP to VP (+0.040)']
    >>> report.classes["PP attachment"].events
    1

    Args:
        metric: STRUCT-IoU with its options.
        predictions: Trees, as `Metric.corpus_score` takes them.
        references: The reference trees, one for each prediction.
        style: A `Style` to name moves by, or a key of `STYLES`; `auto` is the one that knows most labels.
        documents: Whether every row of either side is a list of trees on one axis, as in
            `Metric.corpus_score`.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
    """
    if not isinstance(metric, StructIoU):
        title = metric.title if isinstance(metric, Metric) else repr(metric)
        raise TypeError(f"moves are of STRUCT-IoU, not of {title}; give a StructIoU(…)")
    take = as_documents if documents else as_rows
    sides = take(predictions, "predictions"), take(references, "references")
    labels = metric.corpus_score(*sides, by_label=True, workers=workers).by_label
    if not isinstance(style, Style):
        style = STYLES[find_style(style, labels)]
    analyses: dict[int, Analysis] = {}
    search = _MoveSearch(metric, style, analyses)
    result = search.corpus_score(*sides, workers=workers, progress=progress)
    return MoveReport(result, style.name, analyses)


def find_moves(
    prediction: Any, reference: Any, metric: StructIoU | None = None, *, style: str | Style = AUTO
) -> list[Move]:
    """Return the moves that turn one predicted tree into its reference, in order.

    >>> moves = find_moves("(S (NP (NN time)) (VP (VBZ flies)))", "(S (NP (NN time)) (VP (NNS flies)))")
    >>> [move.describe() for move in moves]
    ['relabel VBZ “flies” as NNS (+0.200)']

    Args:
        prediction: The predicted tree, in any shape that `shapes.as_tree` takes.
        reference: The reference tree, in any shape that `shapes.as_tree` takes.
        metric: STRUCT-IoU with its options; by default `StructIoU()`.
        style: A `Style` to name moves by, or a key of `STYLES`, as in `explain_corpus`.

    Raises:
        ValueError: If the pair cannot be compared, or not searched for moves; the message gives the reason.
    """
    metric = (metric or StructIoU()).with_options(on_error="raise")
    report = explain_corpus(metric, [prediction], [reference], style=style)
    for _, reason in report.not_analysed:
        raise ValueError(f"the pair was not searched for moves: {reason}")
    return list(report.moves(0))


class _MoveSearch(StructIoU):
    """STRUCT-IoU whose counters search for moves, too."""

    def __init__(self, metric: StructIoU, style: Style, analyses: dict[int, Analysis]) -> None:
        super().__init__(**metric.options.as_dict())
        self._style = style
        self._analyses = analyses

    def counter(self) -> MoveCounter:
        """Return a new counter for each thread, which stores the analyses by row, in any order."""
        return MoveCounter(self.options, self._style, self._analyses.__setitem__)

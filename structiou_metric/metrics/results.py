"""What a metric found: columns with a number for each row, and the figures that are made of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Self

from .._core.row_checks import SHIFTED
from .base import COUNTED, EMPTY, ERROR, SKIPPED, STATUSES, ZEROED, BaseMetric, Counts
from .batch import Edge, RowMarks
from .sums import (
    Figures,
    RowSums,
    Sums,
    add_labels,
    count_rows,
    find_figure,
    number_of,
    tally_labels,
)
from .warnings import RowWarning, WarningCounts, is_more_like, refuse_warnings

if TYPE_CHECKING:
    from .base import Labels
    from .model_cards import EvalResults
    from .tally import CorpusTally

__all__ = ["Result"]


class Result:
    """What a metric found: columns with a number for each row, and the figures that are made of them.

    >>> from structiou_metric.metrics import load_metric
    >>> predictions, references = ["(S (A a) (B b))", "()"], ["(S (A a) (C b))", "(S (A a))"]
    >>> result = load_metric("struct_iou").corpus_score(predictions, references)
    >>> result.figures["struct_iou_corpus"]
    0.5
    >>> result.columns["matched"].tolist(), result.n_empty, result.by_label["A"].score
    ([2.0, 0.0], 1, 0.6666666666666666)

    Attributes:
        metric: The metric with its options.
        columns: A number for each row, by the name of the column; zeros where a row does not count, so that
            sums are those of the rows that do.
        status: A number of `base.STATUSES` for each row.
        problems: The row and the message of every row that is not plainly valid.
        reading: What the signature adds about how the trees were read; see `rows.sign_reading`.
        labels: Sums by label, if they were counted on the way; see `by_label`.
        labels_by_group: The sums by label of the rows of each group, if they were counted on the way.
        rerun: A function that tells what another metric finds for the same rows, where they can be read
            again.
        used: The number, from 0, of the reference that counts, for rows with several references.
    """

    n_errors: int = number_of(ERROR, "Rows that cannot be compared and are part of no figure.")
    n_skipped: int = number_of(SKIPPED, "Rows that were left out.")
    n_zeroed: int = number_of(ZEROED, "Rows that cannot be compared and count as 0.")
    n_empty: int = number_of(
        EMPTY, "Failed parses that count: predictions without a node where the reference has one."
    )
    _skipped_noun = "sentence"
    _hides_skipped = True

    def __init__(self, metric: BaseMetric) -> None:
        self.metric = metric
        self.columns: dict[str, array[Any]] = {}
        self.status = bytearray()
        self.problems: list[tuple[int, str]] = []
        self._rows: array[int] | None = None  # the input's number of each, where it is not its place
        self._warning_bits = array("H")  # what is suspicious about each row
        self._tally: CorpusTally | None = None  # where there are sums and no rows
        self._edges: list[Edge | None] = [None, None]  # of the first and the last row; see `RowMarks`
        self.reading = ""
        self.labels: Labels | None = None
        self.labels_by_group: dict[str, Labels] = {}
        self.rerun: Callable[[BaseMetric], Any] | None = None
        self.used: dict[int, int] = {}
        self._recount: Callable[[], Labels] | None = None
        self._sums: Sums | None = None
        self._figures: Figures | None = None
        self._by_label: dict[str, Any] | None = None

    # ---- filled by the runner ------------------------------------------------------------------

    def add(self, first: int, counts: Counts) -> None:
        """Appends what a batch came to; batches come in order."""
        n_before, n_rows = len(self.status), len(counts.status)
        for name, column in counts.columns.items():
            if name in self.columns:
                self.columns[name].extend(column)
            else:
                self.columns[name] = array(column.typecode, column)
        self.status += counts.status
        if self._rows is None and (counts.rows is not None or first != n_before):
            self._rows = array("q", range(n_before))
        if self._rows is not None:
            self._rows.extend(range(first, first + n_rows) if counts.rows is None else counts.rows)
        self.problems += [(row, message) for row, message, _ in counts.told()]
        self._add_warnings(counts.warnings or RowMarks(array("H", bytes(2 * n_rows))), n_before)
        if counts.labels is not None:
            self.labels = {} if self.labels is None else self.labels
            add_labels(self.labels, counts.labels)
            for key, labels in counts.labels_by_group.items():
                add_labels(self.labels_by_group.setdefault(key, {}), labels)
        self._sums = self._figures = None

    def _add_warnings(self, marks: RowMarks, at: int) -> None:
        """Appends what is suspicious; the rows right before place `at` and behind it are neighbours."""
        self._warning_bits += marks.bits
        last, first = self._edges[1], marks.first
        if last and first and self.rows[at] == self.rows[at - 1] + 1:
            if is_more_like(last, first):
                self._warning_bits[at - 1] |= SHIFTED
            if is_more_like(first, last):
                self._warning_bits[at] |= SHIFTED
        if marks.bits:
            self._edges = [self._edges[0] if at else marks.first, marks.last]

    def ends(self) -> Any:
        """The first row and the last: number, words, and whether it is shifted; see `CorpusTally`."""
        rows, bits, edges = self.rows, self._warning_bits, self._edges
        return tuple((rows[i], edges[i], bool(bits[i] & SHIFTED)) for i in (0, -1))

    def finish(self, recount: Callable[[], Labels] | None) -> None:
        """Is called when all batches are there; `recount` sums up by label where that was not done."""
        self._recount = recount
        if not len(self):
            raise ValueError("there are no trees to score")

    def recounted(self, again: Self) -> None:
        """Is called with the result that was counted with labels, where these were asked for later."""

    # ---- rows ----------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.sums)

    @property
    def rows(self) -> Sequence[int]:
        """The number that each place of the columns has in the input."""
        return range(len(self)) if self._rows is None else self._rows

    def counts(self, i: int) -> bool:
        """Whether the figures count the row at place `i`."""
        return self.status[i] in COUNTED

    @property
    def n_counted(self) -> int:
        """The number of rows that the figures count."""
        return count_rows(self.sums)

    @property
    def noun(self) -> str:
        """What a row is called, a sentence or a document."""
        return "document" if "n_sentences_ref" in self.sums else "sentence"

    @property
    def n_sentences_pred(self) -> int:
        """The number of the predictions' sentences in documents that count; 0 where rows are none."""
        return self._total_sentences("n_sentences_pred")

    @property
    def n_sentences_ref(self) -> int:
        """The number of the references' sentences in documents that count; 0 where rows are none."""
        return self._total_sentences("n_sentences_ref")

    def _total_sentences(self, name: str) -> int:
        return int(self.sums.total(name)) if name in self.sums else 0

    @property
    def n_multi_reference(self) -> int:
        """The number of rows with several references."""
        return len(self.used) if self._tally is None else self._tally.n_chosen

    @property
    def n_problems(self) -> int:
        """The number of rows that are not plainly valid, of which `problems` may have the first alone."""
        return len(self.problems) if self._tally is None else self._tally.n_problems

    @property
    def warnings(self) -> list[RowWarning]:
        """What is suspicious though it can be computed, a warning for each kind; figures do not heed it."""
        return self.warning_counts().tell(self.metric)

    def warning_counts(self) -> WarningCounts:
        """How many rows are suspicious in which way."""
        return (
            WarningCounts.of(self._warning_bits, self.rows) if self._tally is None else self._tally.warnings
        )

    def warning_bits(self) -> array[int]:
        """What is suspicious about each row, as `RowMarks` has it."""
        return self._warning_bits[:]

    def refuse_warnings(self) -> None:
        """Raises a `StrictError` if there is anything suspicious."""
        refuse_warnings(self.warnings)

    def describe_left_out(self) -> str:
        """What is left out, such as `2 errors left out among 80 sentences, the first in row 7`."""
        from ..wording import count

        parts = [count(self.n_errors, "error")] if self.n_errors else []
        if self.n_skipped:
            parts.append(f"{count(self.n_skipped, self._skipped_noun)} left out")
        first = f", the first in row {self.problems[0][0] + 1}" if self.problems else ""
        return f"{' and '.join(parts) or 'none left out'} among {count(len(self), self.noun)}{first}"

    # ---- figures -------------------------------------------------------------------------------

    @property
    def signature(self) -> str:
        """Every option and the version, what reading changed, and whether references were chosen."""
        chosen = "|references:best" if self.n_multi_reference else ""
        return f"{self.metric.signature}{self.reading}{chosen}"

    @property
    def sums(self) -> Sums:
        """What the columns add up to, and how many rows have which status; figures are made of these."""
        if self._sums is None:
            self._sums = RowSums(self.metric, self.columns, self.status)
        return self._sums

    @property
    def figures(self) -> Figures:
        """Every figure of the metric by its key, and the headline by the name of the metric, too."""
        if self._figures is None:
            self._figures = Figures(self.metric, self.sums)
        return self._figures

    def figure(self, key: str) -> float:
        """One of the figures; who wants no other does without all of them."""
        return find_figure(self.metric, self.sums, key)

    @property
    def score(self) -> float:
        """The headline figure."""
        return self.figure(self.metric.headline)

    def figures_over(self, places: Sequence[int]) -> Figures:
        """Every figure over some rows, by their places in the columns."""
        return Figures(self.metric, self.sums_over(places))

    def sums_over(self, places: Sequence[int]) -> Sums:
        """What the columns add up to over some rows."""
        return RowSums(self.metric, *self.cut(places))

    def cut(self, places: Sequence[int]) -> tuple[dict[str, array[Any]], bytearray]:
        """The columns and the status of some rows."""
        pick = itemgetter(*places) if len(places) > 1 else lambda column: [column[place] for place in places]
        columns = {name: array(column.typecode, pick(column)) for name, column in self.columns.items()}
        return columns, bytearray(pick(self.status))

    def values(self, key: str) -> list[float | None]:
        """A figure for each row by itself; None where the row does not count."""
        return self.metric.MEASURES[key].values(self.columns, self.status)

    @property
    def by_label(self) -> dict[str, Any]:
        """What was summed up by label, the most frequent in the reference first.

        Compares the trees again on first use if labels were not counted on the way. Where several
        alignments are best, the shares of single labels are those of the one found.
        """
        if self.metric.LABEL is None:
            raise ValueError(f"{self.metric.title} does not count by label")
        if self._by_label is None:
            self._by_label = tally_labels(self.metric.LABEL, self.label_sums())
        return self._by_label

    def label_sums(self) -> Labels:
        """The exact sums that `by_label` is made of."""
        if self.labels is None:
            if self._recount is None:
                raise ValueError(
                    "labels were not counted, and the trees cannot be read again; count them on the way, "
                    "with by_label=True"
                )
            self.labels = self._recount()
        return self.labels

    # ---- plain values --------------------------------------------------------------------------

    def as_dict(self, *, by_label: bool = False, per_sentence: bool = False) -> dict[str, Any]:
        """Return the figures, counts and signature as plain values for JSON and logs."""
        figures = self.figures
        found: dict[str, Any] = {self.metric.name: self.score}
        found |= {measure.short: figures[key] for key, measure in self.metric.MEASURES.items()}
        counts = self.tell_counts()
        if documents := self.tell_documents():
            del counts["n_sentences"]
        found |= documents | counts
        found["signature"] = self.signature
        if self.n_multi_reference:
            found["n_multi_reference"] = self.n_multi_reference
        if self.used:
            found["references_used"] = [self.used.get(row, 0) for row in self.rows]
        found["warnings"] = [warning.as_dict() for warning in self.warnings]
        if self.problems:
            found["problems"] = [{"index": row, "message": message} for row, message in self.problems]
        if self.by_group:
            found["by_group"] = {key: dict(tally.figures) for key, tally in sorted(self.by_group.items())}
        if by_label:
            found["by_label"] = {
                label: {self.metric.name: tally.score, **_plain_label(tally)}
                for label, tally in self.by_label.items()
            }
        if per_sentence:
            found["sentences"] = list(self.per_sentence())
        return found

    def to_eval_results(
        self,
        dataset: str,
        task: str = "default",
        *,
        measure: str | None = None,
        revision: str | None = None,
        config: str | None = None,
        split: str | None = None,
        dataset_name: str = "",
        date: Any = None,
        notes: str = "",
        source_url: str | None = None,
        source_name: str | None = None,
        source_user: str | None = None,
        source_org: str | None = None,
    ) -> EvalResults:
        """What the page of a model on the Hugging Face Hub shows; the signature is in the notes.

        >>> from structiou_metric import StructIoU
        >>> result = StructIoU().corpus_score(["(S (A a))"], ["(S (A a))"])
        >>> entry = result.to_eval_results("owner/treebank", "test", notes="greedy").entries[0]
        >>> entry["dataset"], entry["value"]
        ({'id': 'owner/treebank', 'task_id': 'test'}, 1.0)

        Args:
            dataset: The benchmark's name on the Hub, `owner/name`.
            task: Which of the dataset's tasks, as its `eval.yaml` names it.
            measure: The figure, a key of the metric's `MEASURES`; by default its headline.
            revision: The commit of the dataset.
            config: The configuration of the dataset, for `load_dataset`; it is shown in a `model-index`.
            split: The split of the dataset, which is shown there, too.
            dataset_name: The dataset's name for people, which is shown there, too.
            date: When this was found: a date, a time, or a text of one; by default that of the commit.
            notes: What else is to be told, before the figure's name and the signature.
            source_url: Where the evaluation can be looked at; the next three are about this source.
            source_name: What the source is called.
            source_user: Who made the source, a user of the Hub.
            source_org: Which organisation of the Hub made the source.
        """
        from .model_cards import Benchmark, EvalResults

        return EvalResults(
            self,
            Benchmark(dataset, task, revision, config, split, dataset_name),
            measure=measure,
            date=date,
            notes=notes,
            source={"url": source_url, "name": source_name, "user": source_user, "org": source_org},
        )

    def tell_counts(self) -> dict[str, int]:
        """How many rows there are of each kind."""
        names = ("n_errors", "n_zeroed", "n_skipped", "n_empty")
        return {"n_sentences": self.n_counted, **{name: getattr(self, name) for name in names}}

    def tell_documents(self) -> dict[str, int]:
        """How many documents there are, and sentences of each side in them; nothing of other rows."""
        if self.noun == "sentence":
            return {}
        names = ("n_sentences_pred", "n_sentences_ref")
        return {"n_documents": self.n_counted, **{name: getattr(self, name) for name in names}}

    def tell_texts(self) -> dict[str, int]:
        """What is counted of the two texts, by title, where a metric brings these together first."""
        return {}

    def per_sentence(self) -> Iterator[dict[str, Any]]:
        """Yield a dict for each row that was not skipped: its number, status, figures and columns."""
        measures = {m.row: m for m in self.metric.MEASURES.values() if m.row}
        values = [measure.values(self.columns, self.status) for measure in measures.values()]
        for i, (row, state) in enumerate(zip(self.rows, self.status, strict=True)):
            if not self._shows(state):
                continue
            yield {
                "index": row,
                "status": STATUSES[state],
                **{name: column[i] for name, column in zip(measures, values, strict=True)},
                **{name: column[i] for name, column in self.columns.items()},
                **({"reference": self.used.get(row, 0)} if self.used else {}),
            }

    def _shows(self, state: int) -> bool:
        """Whether a row of that status is among those of `per_sentence`."""
        return state != SKIPPED or not self._hides_skipped

    def __repr__(self) -> str:
        from ..wording import count

        return (
            f"<{type(self).__name__} {self.metric.headline} {self.score:.4f}, "
            f"{count(self.n_counted, self.noun)}, {self.signature}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the figures, what was counted, and the signature."""
        from ..report.notebook import result_html

        return result_html(self)

    # ---- tallies -------------------------------------------------------------------------------

    def tally(self) -> CorpusTally:
        """The exact sums of the result, to be merged with those of other rows."""
        from .tally import CorpusTally

        return CorpusTally.of(self) if self._tally is None else self._tally

    @property
    def by_group(self) -> dict[str, CorpusTally]:
        """The tallies of the groups that rows were told apart by, by key; see `structiou_metric.scale`."""
        return {} if self._tally is None else self._tally.groups

    def sections(self) -> dict[str, Sequence[int]]:
        """The places of rows whose figures are told apart, too, by the name of the section."""
        return {}

    def section_sums(self, name: str) -> Sums:
        """What the columns add up to over the rows of a section."""
        return self.sums_over(self.sections()[name]) if self._tally is None else self._tally.sections[name]

    def more_sums(self) -> dict[str, dict[tuple[str, ...], Any]]:
        """What else was counted and adds up, by name and key."""
        return {}

    @classmethod
    def of_tally(cls, tally: CorpusTally) -> Self:
        """The result that a tally amounts to; it knows nothing of single rows."""
        found = cls(tally.metric)
        from .tally import NoRows

        nothing: Any = NoRows()
        found.columns = found.status = found._rows = nothing
        found._sums = found._tally = tally
        found.problems = list(tally.problems)
        found.labels = tally.labels
        found.reading = tally.reading
        return found

    def need_rows(self) -> None:
        """Raises a ValueError where there are sums alone."""
        len(self.status)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the way back to the trees; labels and losses must have been counted to be kept."""
        forgotten = dict.fromkeys(("rerun", "_recount", "_figures", "_by_label"))
        return {**vars(self), **forgotten, "_sums": self._tally}

    # ---- parts ---------------------------------------------------------------------------------

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """Return the result over all rows of several, in order; rows are numbered on."""
        parts = list(parts)
        if not parts:
            raise ValueError("there are no results to join")
        whole = cls(parts[0].metric)
        for part in parts:
            whole.append(part, shift=max(whole.rows, default=-1) + 1)

        def recount() -> Labels:
            labels: Labels = {}
            for part in parts:
                add_labels(labels, part.label_sums())
            return labels

        whole.finish(recount)
        return whole

    def append(self, part: Result, *, shift: int) -> None:
        """Add the rows of another result of the same metric, with numbers that much greater."""
        readings = {result.reading for result in (self, part) if result.reading}
        if part.metric.signature != self.metric.signature or len(readings) > 1:
            raise ValueError(
                f"results of different settings cannot be joined: {self.signature} and {part.signature}"
            )
        self.reading = self.reading or part.reading
        self.used |= {row + shift: at for row, at in part.used.items()}
        n_before, labels = len(self), self.labels
        errors = {row for row, state in zip(part.rows, part.status, strict=True) if state == ERROR}
        remarks = [(row + shift, message, row in errors) for row, message in part.problems]
        rows = [row + shift for row in part.rows]
        marks = RowMarks(part._warning_bits, *part._edges)
        self.add(shift, Counts(part.columns, part.status, {}, remarks, part.labels, rows, warnings=marks))
        if part.labels is None or (n_before and labels is None):
            self.labels = None  # not counted for all rows

    def picked(
        self, places: Sequence[int], rows: Sequence[int], recount: Callable[[], Labels] | None = None
    ) -> Self:
        """Return the result over the rows at some places, with new numbers; `recount` is that of `finish`."""
        part = self.cut_out(places, rows)
        part.finish(recount)
        rerun = self.rerun
        if rerun is not None:
            part.rerun = lambda metric: rerun(metric).picked(places, rows)
        return part

    def cut_out(self, places: Sequence[int], rows: Sequence[int]) -> Self:
        """Return some rows with new numbers, to be appended to a result; there may be none that counts."""
        part = type(self)(self.metric)
        part.reading = self.reading
        numbers = {self.rows[place]: row for place, row in zip(places, rows, strict=True)}
        errors = {self.rows[place] for place in places if self.status[place] == ERROR}
        remarks = [(numbers[row], text, row in errors) for row, text in self.problems if row in numbers]
        marks = RowMarks(array("H", map(self._warning_bits.__getitem__, places)))
        columns, status = self.cut(places)
        part.add(0, Counts(columns, status, {}, remarks, rows=rows, warnings=marks))
        part.used = {numbers[row]: at for row, at in self.used.items() if row in numbers}
        return part


def _plain_label(tally: Any) -> dict[str, float]:
    """Return what a label's tally has, under the names that sentences use."""
    names = getattr(tally, "TOLD", ("precision", "recall", "n_pred", "n_ref"))
    return {name: getattr(tally, name) for name in names}

"""The result of a metric: columns with a number for each row, and figures computed from their sums."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Self

from .._core.row_checks import SHIFTED
from ..wording import count
from .base import EMPTY, ERROR, SKIPPED, STATUSES, ZEROED, Counts, Edge, RowMarks
from .model_cards import Benchmark, EvalResults
from .sums import Sums, add_labels
from .tally import CorpusTally
from .warnings import RowWarning, WarningCounts, is_more_like

if TYPE_CHECKING:
    from .base import Labels
    from .metric import Metric

__all__ = ["Result"]


def figure(key: str, meaning: str) -> Any:
    """Return a property of results that is their figure with that key."""
    return property(lambda result: result.figures[key], doc=meaning)


def _number_of(state: int, meaning: str) -> Any:
    """Return a property of results that is how many rows have that status."""
    return property(lambda result: result._sums.states[state], doc=meaning)


class Result:
    """The result of a metric: columns with a number for each row, and figures computed from their sums.

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
        used: The number, from 0, of the reference that counts, for rows with several references.
    """

    n_errors: int = _number_of(ERROR, "Rows that cannot be compared and are part of no figure.")
    n_skipped: int = _number_of(SKIPPED, "Rows that were skipped.")
    n_zeroed: int = _number_of(ZEROED, "Rows that cannot be compared and are scored as zero.")
    n_empty: int = _number_of(
        EMPTY, "Failed parses that count: predictions without a node where the reference has one."
    )
    _skipped_noun = "sentence"
    _hides_skipped = True
    _needs_a_counted_row = False  # a result without any is an error

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.columns: dict[str, array[Any]] = {}
        self.status = bytearray()
        self.problems: list[tuple[int, str]] = []
        self.used: dict[int, int] = {}
        self._reading = ""  # the end of the signature about how trees were read; see `rows.sign_reading`
        self._labels: Labels | None = None  # sums by label, if they were counted
        self._labels_by_group: dict[str | None, Labels] = {}
        # Finds the same for another metric, perhaps with labels, where the rows can be read again.
        self._rerun: Callable[[Metric, bool], Any] | None = None
        self._row_numbers: array[int] | None = None  # in the input, where these are not the places here
        self._warning_bits = array("H")  # the bits of each row's warnings
        self._edges: list[Edge | None] = [None, None]  # of the first and the last row; see `RowMarks`
        self._tally: CorpusTally | None = None  # where there are sums and no rows
        self._known_sums: Sums | None = None

    # ---- filled by the runner ------------------------------------------------------------------

    def _add(self, first: int, counts: Counts) -> None:
        """Append the counts of a batch; batches come in order."""
        n_before, n_rows = len(self.status), len(counts.status)
        for name, column in counts.columns.items():
            if name in self.columns:
                self.columns[name].extend(column)
            else:
                self.columns[name] = array(column.typecode, column)
        self.status += counts.status
        if self._row_numbers is None and (counts.rows is not None or first != n_before):
            self._row_numbers = array("q", range(n_before))
        if self._row_numbers is not None:
            self._row_numbers.extend(range(first, first + n_rows) if counts.rows is None else counts.rows)
        if counts.problems or counts.remarks:
            self.problems += [(row, message) for row, message, _ in counts.messages()]
        marks = counts.warnings or RowMarks(array("H", bytes(2 * n_rows)))
        self._warning_bits += marks.bits
        last, edge = self._edges[1], marks.first
        if last and edge and self.rows[n_before] == self.rows[n_before - 1] + 1:
            if is_more_like(last, edge):
                self._warning_bits[n_before - 1] |= SHIFTED
            if is_more_like(edge, last):
                self._warning_bits[n_before] |= SHIFTED
        if marks.bits:
            self._edges = [self._edges[0] if n_before else marks.first, marks.last]
        if counts.labels is not None:
            self._labels = {} if self._labels is None else self._labels
            add_labels(self._labels, counts.labels)
            for key, labels in counts.labels_by_group.items():
                own = self._labels_by_group.setdefault(key, labels)
                if own is not labels:
                    add_labels(own, labels)
        self._known_sums = None

    def _finish(self) -> Self:
        """Refuse a result without a row, as is done once all batches are there."""
        if not len(self):
            raise ValueError("there are no trees to score")
        if self._needs_a_counted_row and not self.n_counted:
            first = f"; the first: {self.problems[0][1]}" if self.problems else ""
            raise ValueError(f"all {len(self)} pairs were skipped{first}")
        return self

    # ---- rows ----------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.status) if self._tally is None else self._tally.n_places

    @property
    def rows(self) -> Sequence[int]:
        """Return the number that each place of the columns has in the input."""
        return range(len(self.status)) if self._row_numbers is None else self._row_numbers

    @property
    def n_counted(self) -> int:
        """Return the number of rows that the figures count."""
        return self._sums.n_counted

    @property
    def noun(self) -> str:
        """Return the noun for a row, sentence or document."""
        return "document" if "n_sentences_ref" in self._sums.totals else "sentence"

    @property
    def warnings(self) -> list[RowWarning]:
        """Return a warning for each kind of suspicious rows; warnings change no figure."""
        return self._warning_counts().messages(self.metric)

    def _warning_counts(self) -> WarningCounts:
        """Return how many rows are suspicious in which way."""
        if self._tally is not None:
            return self._tally.warnings
        return WarningCounts.of(self._warning_bits, self.rows)

    def _ends(self) -> Any:
        """Return number, words and whether it is shifted of the first and of the last row."""
        rows, bits, edges = self.rows, self._warning_bits, self._edges
        return tuple((rows[i], edges[i], bool(bits[i] & SHIFTED)) for i in (0, -1))

    # ---- figures -------------------------------------------------------------------------------

    @property
    def signature(self) -> str:
        """Return every option, the version, changes made in reading, and whether references were chosen."""
        chosen = "|references:best" if self._n_chosen else ""
        return f"{self.metric.signature}{self._reading}{chosen}"

    @property
    def _n_chosen(self) -> int:
        """Return the number of rows with several references."""
        return len(self.used) if self._tally is None else self._tally.n_chosen

    @property
    def _sums(self) -> Sums:
        """Return the sums of the columns, and how many rows have which status; figures are made of these."""
        if self._known_sums is None:
            self._known_sums = Sums(self.metric, self.columns, self.status)
        return self._known_sums

    @property
    def figures(self) -> Mapping[str, float]:
        """Return every figure of the metric by its key, and the headline by the name of the metric, too."""
        return self._sums.figures

    @property
    def score(self) -> float:
        """Return the headline figure."""
        return self.figures[self.metric.name]

    def _cut(self, places: Sequence[int]) -> tuple[dict[str, array[Any]], bytearray]:
        """Return the columns and the status of some rows."""
        pick = itemgetter(*places) if len(places) > 1 else lambda column: [column[place] for place in places]
        columns = {name: array(column.typecode, pick(column)) for name, column in self.columns.items()}
        return columns, bytearray(pick(self.status))

    def values(self, key: str) -> list[float | None]:
        """Return a figure for each row by itself; None where the row does not count."""
        return self.metric.MEASURES[key].values(self.columns, self.status)

    @property
    def by_label(self) -> dict[str, Any]:
        """Return the sums by label, the most frequent in the reference first.

        Compares the trees again on first use if labels were not counted on the way. Where several
        alignments are best, the shares of single labels are those of the one found.
        """
        kind = self.metric.LABEL
        if kind is None:
            raise ValueError(f"{self.metric.title} does not count by label")
        if self._labels is None:
            again = self._rerun and self._rerun(self.metric, True)
            if not again or again._labels is None:
                raise ValueError(
                    "labels were not counted, and the trees cannot be read again; count them on the way, "
                    "with by_label=True"
                )
            self._take_labels(again)
        tallies = {label: kind.of_sums(*sums) for label, sums in (self._labels or {}).items()}
        return dict(sorted(tallies.items(), key=lambda item: (-item[1].n_ref, -item[1].n_pred, item[0])))

    def _take_labels(self, again: Self) -> None:
        """Take over the counts by label, and those made with them, from a second run."""
        self._labels = again._labels

    # ---- plain values --------------------------------------------------------------------------

    def as_dict(self, *, by_label: bool = False, per_sentence: bool = False) -> dict[str, Any]:
        """Return the figures, counts and signature as plain values for JSON and logs."""
        figures, measures = self.figures, self.metric.MEASURES
        found: dict[str, Any] = {self.metric.name: figures[self.metric.name]}
        found |= {measure.short: figures[key] for key, measure in measures.items()}
        counts = self._counts()
        if self.noun == "document":
            del counts["n_sentences"]
            found["n_documents"] = self.n_counted
            found |= {name: self._sums.total(name) for name in ("n_sentences_pred", "n_sentences_ref")}
        found |= counts
        found["signature"] = self.signature
        if self._n_chosen:
            found["n_multi_reference"] = self._n_chosen
        if self.used:
            found["references_used"] = [self.used.get(row, 0) for row in self.rows]
        found["warnings"] = [warning.as_dict() for warning in self.warnings]
        if self.problems:
            found["problems"] = [{"index": row, "message": message} for row, message in self.problems]
        if self.by_group:
            found["by_group"] = [{"group": key, **tally.figures} for key, tally in self.by_group.items()]
        if by_label:
            found["by_label"] = {
                label: {self.metric.name: tally.score, **_plain_label(tally)}
                for label, tally in self.by_label.items()
            }
        if per_sentence:
            found["sentences"] = list(self.per_sentence())
        return found

    def _counts(self) -> dict[str, Any]:
        """Return how many rows there are of each kind."""
        states = self._sums.states
        return {
            "n_sentences": self.n_counted,
            "n_errors": states[ERROR],
            "n_zeroed": states[ZEROED],
            "n_skipped": states[SKIPPED],
            "n_empty": states[EMPTY],
        }

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
        """Return the entry of a model's page on the Hugging Face Hub; the signature is in the notes.

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
            notes: A text before the figure's name and the signature.
            source_url: Where the evaluation can be looked at; the next three are about this source.
            source_name: The name of the source.
            source_user: Who made the source, a user of the Hub.
            source_org: Which organisation of the Hub made the source.
        """
        return EvalResults(
            self,
            Benchmark(dataset, task, revision, config, split, dataset_name),
            measure=measure,
            date=date,
            notes=notes,
            source={"url": source_url, "name": source_name, "user": source_user, "org": source_org},
        )

    def per_sentence(self) -> Iterator[dict[str, Any]]:
        """Yield a dict for each row that was not skipped: its number, status, figures and columns."""
        measures = {m.row: m for m in self.metric.MEASURES.values() if m.row}
        values = [measure.values(self.columns, self.status) for measure in measures.values()]
        for i, (row, state) in enumerate(zip(self.rows, self.status, strict=True)):
            if self._shows(state):
                yield {
                    "index": row,
                    "status": STATUSES[state],
                    **{name: column[i] for name, column in zip(measures, values, strict=True)},
                    **{name: column[i] for name, column in self.columns.items()},
                    **({"reference": self.used.get(row, 0)} if self.used else {}),
                }

    def _shows(self, state: int) -> bool:
        """Return whether a row of that status is among those of `per_sentence`."""
        return state != SKIPPED or not self._hides_skipped

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.metric.headline} {self.score:.4f}, "
            f"{count(self.n_counted, self.noun)}, {self.signature}>"
        )

    def _repr_html_(self) -> str:
        """Return the figures, the counts and the signature for a notebook."""
        from ..report.notebook import result_html

        return result_html(self)

    # ---- tallies -------------------------------------------------------------------------------

    def tally(self) -> CorpusTally:
        """Return the exact sums of the result, to be merged with those of other rows."""
        return CorpusTally.of(self) if self._tally is None else self._tally

    @property
    def by_group(self) -> Mapping[str | None, CorpusTally]:
        """Return the tallies of the groups of rows, by key; see `structiou_metric.scale`."""
        return {} if self._tally is None else self._tally.groups

    def _sections(self) -> dict[str, Sequence[int]]:
        """Return the places of rows whose figures are also shown alone, by the name of the section."""
        return {}

    def _section_sums(self, name: str) -> Sums:
        """Return the sums of the columns over the rows of a section."""
        if self._tally is not None:
            return self._tally.sections[name]
        return Sums(self.metric, *self._cut(self._sections()[name]))

    def _more_sums(self) -> dict[str, dict[tuple[str, ...], Any]]:
        """Return further sums, by name and key."""
        return {}

    @classmethod
    def _of_tally(cls, tally: CorpusTally) -> Self:
        """Return the result that a tally amounts to; it knows nothing of single rows."""
        found = cls(tally.metric)
        no_rows: Any = NoRows()
        found.columns = found.status = found._row_numbers = no_rows
        found._known_sums = found._tally = tally
        found.problems = list(tally.problems)
        found._labels = tally.labels
        found._reading = tally.reading
        return found._finish()

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the way back to the trees; labels and losses must have been counted to be kept."""
        return {**vars(self), "_rerun": None, "_known_sums": self._tally}

    # ---- parts ---------------------------------------------------------------------------------

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """Return the result over all rows of several, in order; rows are numbered on."""
        parts = list(parts)
        if not parts:
            raise ValueError("there are no results to join")
        whole = cls(parts[0].metric)
        for part in parts:
            whole._append(part, shift=max(whole.rows, default=-1) + 1)
        reruns = [part._rerun for part in parts]
        if None not in reruns:
            whole._rerun = lambda metric, by_label: cls.joined(run(metric, by_label) for run in reruns if run)
        return whole._finish()

    def _append(self, part: Result, *, shift: int) -> None:
        """Add the rows of another result of the same metric, with numbers that much greater."""
        readings = {result._reading for result in (self, part) if result._reading}
        if part.metric.signature != self.metric.signature or len(readings) > 1:
            raise ValueError(
                f"results of different settings cannot be joined: {self.signature} and {part.signature}"
            )
        self._reading = self._reading or part._reading
        self.used |= {row + shift: at for row, at in part.used.items()}
        n_before, labels = len(self), self._labels
        errors = {row for row, state in zip(part.rows, part.status, strict=True) if state == ERROR}
        remarks = [(row + shift, message, row in errors) for row, message in part.problems]
        rows = [row + shift for row in part.rows]
        marks = RowMarks(part._warning_bits, *part._edges)
        self._add(shift, Counts(part.columns, part.status, {}, remarks, part._labels, rows, warnings=marks))
        if part._labels is None or (n_before and labels is None):
            self._labels = None  # not counted for all rows

    def picked(self, places: Sequence[int], rows: Sequence[int]) -> Self:
        """Return the result over the rows at some places, with new numbers."""
        part = self._cut_out(places, rows)
        rerun = self._rerun
        if rerun is not None:
            part._rerun = lambda metric, by_label: rerun(metric, by_label).picked(places, rows)
        return part._finish()

    def _cut_out(self, places: Sequence[int], rows: Sequence[int]) -> Self:
        """Return some rows with new numbers, to be appended to a result; there may be none that counts."""
        part = type(self)(self.metric)
        part._reading = self._reading
        numbers = {self.rows[place]: row for place, row in zip(places, rows, strict=True)}
        errors = {self.rows[place] for place in places if self.status[place] == ERROR}
        remarks = [(numbers[row], text, row in errors) for row, text in self.problems if row in numbers]
        marks = RowMarks(array("H", map(self._warning_bits.__getitem__, places)))
        columns, status = self._cut(places)
        part._add(0, Counts(columns, status, {}, remarks, rows=rows, warnings=marks))
        part.used = {numbers[row]: at for row, at in self.used.items() if row in numbers}
        return part


class NoRows:
    """In place of the rows of a result that is made of sums."""

    def _refuse(self, *_: Any) -> Any:
        raise ValueError(
            "this result has the sums of its rows, not the rows; score them by corpus_score to have both"
        )

    __len__ = __iter__ = __getitem__ = __contains__ = items = count = _refuse


def result_of(metric: Metric, counts: Counts, reading: str = "") -> Any:
    """Return the result of a metric for rows that were counted; `reading` is added to its signature."""
    result = metric.RESULT(metric)
    result._add(0, counts)
    result._reading = reading
    return result


def plain_rows(result: Result) -> dict[str, Any]:
    """Return the rows of a result as plain values for JSON; `result_of_rows` makes an equal result."""
    return {
        "columns": {name: [column.typecode, column.tolist()] for name, column in result.columns.items()},
        "status": list(result.status),
        "problems": result.problems,
        "warnings": result._warning_bits.tolist(),
        "reading": result._reading,
    }


def result_of_rows(metric: Metric, rows: Mapping[str, Any]) -> Any:
    """Return the result of a metric with rows that `plain_rows` wrote."""
    counts = Counts(
        {name: array(code, column) for name, (code, column) in rows["columns"].items()},
        bytearray(rows["status"]),
        {},
        remarks=[(row, text, False) for row, text in rows["problems"]],
        warnings=RowMarks(array("H", rows["warnings"])),
    )
    return result_of(metric, counts, rows["reading"])._finish()


def figures_over(result: Result, places: Sequence[int]) -> Mapping[str, float]:
    """Return every figure of a result over some of its rows, by their places in the columns."""
    return Sums(result.metric, *result._cut(places)).figures


def describe_left_out(result: Result) -> str:
    """Return which rows were left out, such as `2 errors left out among 80 sentences, the first in row 7`."""
    parts = [count(result.n_errors, "error")] if result.n_errors else []
    if result.n_skipped:
        parts.append(f"{count(result.n_skipped, result._skipped_noun)} left out")
    first = f", the first in row {result.problems[0][0] + 1}" if result.problems else ""
    return f"{' and '.join(parts) or 'none left out'} among {count(len(result), result.noun)}{first}"


def _plain_label(tally: Any) -> dict[str, float]:
    """Return the values of a label's tally, under the names that sentences use."""
    names = getattr(tally, "SHOWN", ("precision", "recall", "n_pred", "n_ref"))
    return {name: getattr(tally, name) for name in names}

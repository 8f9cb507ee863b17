"""`CorpusTally`: exact sums over any number of rows, in little memory, to be merged with others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from operator import add
from typing import TYPE_CHECKING, Any

from .._core.row_checks import SHIFTED
from ..optional import need
from .base import STATUSES, Edge
from .coverage import Coverage
from .sums import Sums, add_labels, add_sums, exact_sum, float_parts, unread_places
from .warnings import WarningCounts, is_more_like

if TYPE_CHECKING:
    from .base import Labels, Measure
    from .metric import Metric

    End = tuple[int, Edge | None, bool]  # a row, the sketches of its words, whether it is shifted

__all__ = ["CorpusTally", "merge_tallies"]

SCHEMA = "structiou.tally.v1"
ARROW_FIELDS = {"signature": "string", "tally": "string"}  # columns of tallies for Arrow, and their types
MOST_PROBLEMS = 100  # that are kept with their messages


class CorpusTally(Sums):
    """Exact sums over rows, which do not depend on how the rows were grouped or in which order they came.

    The sums of columns are in the attributes of `Sums`.

    >>> from structiou_metric import StructIoU
    >>> metric = StructIoU()
    >>> one = metric.corpus_score(["(S (A a) (B b))"], ["(S (A a) (C b))"]).tally()
    >>> two = metric.corpus_score(["(S (A a))"], ["(S (A a))"]).tally()
    >>> sum([one, two.moved(1)]).result().figures["struct_iou_corpus"]
    0.8

    Attributes:
        reading: The end of the signature about how the trees were read.
        labels: Exact sums by label, if they were counted for all rows.
        more: Further sums of the metric, by name and key, if they were counted for all rows.
        sections: The tallies of some rows, such as short sentences, by the name of the
            section.
        groups: The tallies of the rows of each group, such as a document, a system or a language, by its key;
            None is the key of rows whose group is null.
        problems: The row and the message of the first rows that are not plainly valid, in the order of rows.
        n_problems: How many such rows there are.
        n_chosen: How many rows have several references.
        warnings: How many rows are suspicious in which way.
        covers: The rows and files that were counted, if that is known.
    """

    def __init__(
        self, metric: Metric, columns: Mapping[str, Any] | None = None, status: Sequence[int] = b""
    ) -> None:
        super().__init__(metric, columns, status)
        self.reading = ""
        self.labels: Labels | None = None
        self.more: dict[str, dict[tuple[str, ...], Any]] = {}
        self.sections: dict[str, Sums] = {}
        self.groups = Groups(metric)
        self.problems: list[tuple[int, str]] = []
        self.n_problems = self.n_chosen = 0
        self.warnings = WarningCounts()
        self.covers = Coverage()
        self._ends: tuple[End, End] | None = None  # the first row and the last

    @classmethod
    def of(cls, result: Any, groups: Sequence[Any] | None = None) -> CorpusTally:
        """Return the sums over the rows of a `Result`.

        Args:
            result: The result of any metric.
            groups: A key for each of the result's places, if each group gets a tally; keys become
                texts.
        """

        def cut(places: Mapping[str, Sequence[int]]) -> Iterator[tuple[str, Any]]:
            return ((name, (result.metric, *result._cut(own))) for name, own in places.items())

        tally = cls(result.metric, result.columns, result.status)
        tally.reading = result._reading
        if not len(result):
            return tally
        tally.labels = None if result._labels is None else dict(result._labels)
        tally.more = result._more_sums()
        tally.sections = {name: Sums(*part) for name, part in cut(result._sections())}
        if groups is not None:
            tally.groups.count(result, groups)
        tally.n_problems = len(result.problems)
        tally.problems = sorted(result.problems)[:MOST_PROBLEMS]
        tally.n_chosen = len(result.used)
        tally.warnings = result._warning_counts()
        tally._ends = result._ends()
        return tally

    def result(self) -> Any:
        """Return the result of the metric, with everything that does not need single rows."""
        return self.metric.RESULT._of_tally(self)

    # ---- merging --------------------------------------------------------------------------------

    def __add__(self, other: CorpusTally) -> CorpusTally:
        """Return the sums over the rows of both; rows keep their numbers, see `moved`."""
        if not isinstance(other, CorpusTally):
            return NotImplemented
        if other is self:
            raise ValueError("a tally cannot be merged with itself: its rows would be counted twice")
        both = CorpusTally(self.metric)
        both += self
        both += other
        return both

    def __iadd__(self, other: CorpusTally) -> CorpusTally:
        """Add the rows of another tally to this one, which takes no longer for the rows that are here."""
        if other is self:
            raise ValueError("a tally cannot be merged with itself: its rows would be counted twice")
        readings = {tally.reading for tally in (self, other) if tally.reading}
        if other.metric.signature != self.metric.signature or len(readings) > 1:
            raise ValueError(
                f"tallies of different settings cannot be merged: {self.metric.signature}{self.reading} and "
                f"{other.metric.signature}{other.reading}"
            )
        self.reading = self.reading or other.reading
        self.covers.add(other.covers)
        self._take(other)
        return self

    def __radd__(self, other: Any) -> CorpusTally:
        """Let `sum` add up tallies, as it begins with 0."""
        return self if other == 0 else NotImplemented

    def _take(self, part: CorpusTally) -> None:
        """Add all sums, in any order; the part stays as it is."""
        if not len(part):
            return
        if not len(self):
            self.labels = None if part.labels is None else {}
            self.more = {name: {} for name in part.more}
        # Sums that one side lacks are not those of all rows.
        if self.labels is None or part.labels is None:
            self.labels = None
        else:
            add_labels(self.labels, part.labels)
        self.more = {name: sums for name, sums in self.more.items() if name in part.more}
        for name, sums in self.more.items():
            add_sums(sums, part.more[name].items())
        self._meet(part)
        self.add(part)
        for name, section in part.sections.items():
            self.sections.setdefault(name, Sums(self.metric)).add(section)
        self.groups.add(part.groups)
        self.problems = sorted(self.problems + part.problems)[:MOST_PROBLEMS]
        self.n_problems += part.n_problems
        self.n_chosen += part.n_chosen
        self.warnings = self.warnings + part.warnings

    def _meet(self, other: CorpusTally) -> None:
        """Look for shifted rows where the rows of one tally go on in the other."""
        if self._ends is None or other._ends is None:
            self._ends = self._ends or other._ends
            return
        first, second = sorted((self._ends, other._ends), key=lambda ends: ends[0][0])
        last, after = first[1], second[0]
        if after[0] == last[0] + 1 and last[1] and after[1]:
            shifted = is_more_like(last[1], after[1]), is_more_like(after[1], last[1])
            for end, found in zip((last, after), shifted, strict=True):
                if found and not end[2]:
                    self.warnings.add(SHIFTED, end[0])
            first, second = (
                _marked(first, last[0], shifted[0]),
                _marked(second, after[0], shifted[1]),
            )
        self._ends = min(first[0], second[0], key=_row_of), max(first[1], second[1], key=_row_of)

    def moved(self, by: int) -> CorpusTally:
        """Return the same rows, with numbers that much greater."""
        tally = CorpusTally(self.metric)
        tally.reading = self.reading
        tally._take(self)
        tally.covers.add(self.covers)
        tally.problems = [(row + by, message) for row, message in self.problems]
        tally.warnings = self.warnings.moved(by)
        if self._ends is not None:
            (first, *start), (last, *end) = self._ends
            tally._ends = (first + by, *start), (last + by, *end)  # type: ignore[assignment]
        return tally

    @property
    def next_row(self) -> int:
        """Return the number after that of the last row."""
        return self._ends[1][0] + 1 if self._ends else 0

    # ---- plain values ---------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the tally as plain values for JSON, from which `from_dict` makes an equal one."""
        found: dict[str, Any] = {
            "schema": SCHEMA,
            **describe(self.metric),
            "reading": self.reading,
            "figures": self.figures,
            **_sums_to_dict(self),
            "labels": _labels_to_dict(self.labels),
            "more": {
                name: [[*key, _parts(value)] for key, value in sorted(sums.items())]
                for name, sums in self.more.items()
            },
            "sections": {name: _sums_to_dict(section) for name, section in self.sections.items()},
            "groups": self.groups.to_dict(),
            "n_chosen": self.n_chosen,
            "n_problems": self.n_problems,
            "problems": [{"index": row, "message": message} for row, message in self.problems],
            "warnings": {
                "n_rows": self.warnings.n_rows,
                "found": [
                    [bit, n_rows, first] for bit, (n_rows, first) in sorted(self.warnings.found.items())
                ],
            },
            "ends": self._ends,
            "covers": self.covers.to_dict(),
        }
        return found

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], metric: Metric | None = None) -> CorpusTally:
        """Return the tally for which `to_dict` returned these values.

        Args:
            values: The values, as they come from JSON.
            metric: The metric whose sums these are; needed where options are files or objects.
        """
        if values.get("schema") != SCHEMA:
            raise ValueError(f"this is no tally: its schema is {values.get('schema')!r}, not {SCHEMA!r}")
        tally = cls(metric_of(values) if metric is None else metric)
        if tally.metric.signature != values["signature"]:
            raise ValueError(
                f"the tally is of {values['signature']}, not of {tally.metric.signature}; give from_dict "
                "the metric with the options that it was made with"
            )
        tally.reading = values["reading"]
        _set_sums(tally, values)
        tally.labels = _labels_from_dict(values["labels"])
        for name, items in values["more"].items():
            tally.more[name] = {tuple(key): _whole(value) for *key, value in items}
        for name, section in values["sections"].items():
            tally.sections[name] = Sums(tally.metric)
            _set_sums(tally.sections[name], section)
        tally.groups = Groups.from_dict(values["groups"], tally.metric)
        tally.n_chosen, tally.n_problems = values["n_chosen"], values["n_problems"]
        tally.problems = [(problem["index"], problem["message"]) for problem in values["problems"]]
        found = {bit: (n_rows, list(first)) for bit, n_rows, first in values["warnings"]["found"]}
        tally.warnings = WarningCounts(values["warnings"]["n_rows"], found)
        tally.covers = Coverage.from_dict(values["covers"])
        if values["ends"]:
            tally._ends = tuple(  # type: ignore[assignment]
                (row, tuple(edge) if edge else None, shifted) for row, edge, shifted in values["ends"]
            )
        return tally

    def to_arrow(self) -> Any:
        """Return a `pyarrow.RecordBatch` with one row, for engines whose tasks hand such batches in."""
        pyarrow = need("pyarrow", "arrow", "a tally for Arrow")

        columns = {"signature": [self.metric.signature + self.reading], "tally": [json.dumps(self.to_dict())]}
        return pyarrow.RecordBatch.from_pydict(columns, pyarrow.schema(ARROW_FIELDS.items()))

    @classmethod
    def from_arrow(cls, batch: Any, metric: Metric | None = None) -> CorpusTally:
        """Return the sum of all rows of `to_arrow` in a batch or table; `metric` is that of `from_dict`."""
        return merge_tallies(
            cls.from_dict(json.loads(text), metric) for text in batch.column("tally").to_pylist()
        )

    def __eq__(self, other: object) -> bool:
        """Return whether all sums are the same, for rows of any files."""
        if not isinstance(other, CorpusTally):
            return False
        return {**self.to_dict(), "covers": None} == {**other.to_dict(), "covers": None}

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        headline = self.metric.headline
        figure = f" {headline} {self.figures[headline]:.4f}," if self.n_counted else ""
        return f"<CorpusTally{figure} {self.n_places:,} rows, {self.metric.signature}>"


def merge_tallies(tallies: Iterable[CorpusTally]) -> CorpusTally:
    """Return the sum of all tallies; raise a ValueError if there is none.

    >>> from structiou_metric import StructIoU
    >>> one = StructIoU().corpus_score(["(S (A a))"], ["(S (A a))"]).tally()
    >>> merge_tallies([one, one.moved(1)]).n_places
    2

    Args:
        tallies: Tallies of the same metric, with rows numbered as they should be; see `CorpusTally.moved`.
    """
    whole: CorpusTally | None = None
    for tally in tallies:
        if whole is None:
            whole = CorpusTally(tally.metric)
        whole += tally
    if whole is None:
        raise ValueError("there are no tallies to merge")
    return whole


# ---- groups ---------------------------------------------------------------------------------


class Groups(Mapping["str | None", CorpusTally]):
    """The exact sums over the rows of each group, by the key of the group; a null has a group of its own.

    There may be as many groups as rows. A group is therefore kept as a list of integers, to which a row is
    added in little time, and becomes a `CorpusTally` when it is asked for.

    Attributes:
        labels: The sums by label of each group, if they were counted for all rows.
    """

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._is_float: dict[str, bool] = {}  # whether a column has floats, by its name
        # The number of rows with each status, and of unread ones; the sums of the columns; then the sum and
        # the number of values of each mean. Sums of floats are in units of the smallest float.
        self._sums: dict[str | None, list[int]] = {}
        self.labels: dict[str | None, Labels] | None = None

    def __len__(self) -> int:
        return len(self._sums)

    def __iter__(self) -> Iterator[str | None]:
        return iter(sorted(self._sums, key=lambda key: (key is not None, key or "")))

    def __getitem__(self, key: str | None) -> CorpusTally:
        tally = CorpusTally(self._metric)
        sums = iter(self._sums[key])
        tally.states = list(islice(sums, len(STATUSES)))
        tally.n_places = sum(tally.states)
        tally.n_unread = next(sums)
        tally.totals = {
            name: _from_units(next(sums)) if is_float else next(sums)
            for name, is_float in self._is_float.items()
        }
        tally.means = {name: (_from_units(next(sums)), next(sums)) for name in _means(self._metric)}
        tally.labels = None if self.labels is None else self.labels[key]
        return tally

    def count(self, result: Any, keys: Sequence[Any]) -> None:
        """Add the rows of a result, each to the group of its key; nothing may have been added before."""
        columns, status = result.columns, result.status
        unread = set(unread_places(self._metric, columns, status))
        self._is_float = {name: column.typecode in "df" for name, column in columns.items()}
        numbers: list[Iterable[int]] = [[place in unread for place in range(len(status))]]
        for name, is_float in self._is_float.items():
            numbers.append(map(_to_units, columns[name]) if is_float else columns[name])
        for measure in _means(self._metric).values():
            values = measure.values(columns, status)
            numbers.append([0 if value is None else _to_units(value) for value in values])
            numbers.append([value is not None for value in values])
        n_numbers = len(STATUSES) + len(numbers)
        for key, state, *row in zip(map(group_name, keys), status, *numbers, strict=True):
            sums = self._sums.get(key)
            if sums is None:
                sums = self._sums[key] = [0] * n_numbers
            sums[state] += 1
            for i, number in enumerate(row, len(STATUSES)):
                sums[i] += number
        if result._labels is not None:
            self.labels = {key: dict(result._labels_by_group[key]) for key in self._sums}

    def add(self, other: Groups) -> None:
        """Add the rows of other groups, which stay as they are."""
        if not other:
            return
        if not self:
            self._is_float = other._is_float
            self.labels = None if other.labels is None else {}
        for key, more in other._sums.items():
            sums = self._sums.get(key)
            self._sums[key] = list(more) if sums is None else list(map(add, sums, more))
        if self.labels is None or other.labels is None:
            self.labels = None
        else:
            for key, labels in other.labels.items():
                own = self.labels.get(key)
                if own is None:
                    self.labels[key] = dict(labels)
                else:
                    add_labels(own, labels)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, from which `from_dict` makes equal groups."""
        floats = self._floats()
        return {
            "columns": self._is_float,
            "groups": [
                {
                    "key": key,
                    "sums": [
                        float_parts(_from_units(value)) if is_float else value
                        for value, is_float in zip(self._sums[key], floats, strict=True)
                    ],
                    "labels": None if self.labels is None else _labels_to_dict(self.labels[key]),
                }
                for key in self
            ],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], metric: Metric) -> Groups:
        """Return the groups from which `to_dict` made these values."""
        found = cls(metric)
        found._is_float = dict(values["columns"])
        floats = found._floats()
        for group in values["groups"]:
            found._sums[group["key"]] = [
                sum(map(_to_units, value)) if is_float else value
                for value, is_float in zip(group["sums"], floats, strict=True)
            ]
            if group["labels"] is not None:
                found.labels = found.labels or {}
                found.labels[group["key"]] = _labels_from_dict(group["labels"]) or {}
        return found

    def _floats(self) -> list[bool]:
        """Return which of the numbers of a group are sums of floats."""
        return (
            [False] * (len(STATUSES) + 1)
            + [*self._is_float.values()]
            + [True, False] * len(_means(self._metric))
        )


def group_name(key: Any) -> str | None:
    """Return the key of a group for a value of a column: its text, or None for a null."""
    return None if key is None else str(key)


_SMALLEST = 1074  # The smallest float is 2 ** -1074, so every float is an integer in units of it.


def _to_units(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return numerator << (_SMALLEST + 1 - denominator.bit_length())


def _from_units(units: int) -> Fraction:
    return Fraction(units, 1 << _SMALLEST)


def _means(metric: Metric) -> dict[str, Measure]:
    """Return the measures that are means over rows, by key."""
    return {key: measure for key, measure in metric.MEASURES.items() if measure.mean}


# ---- plain values ---------------------------------------------------------------------------


def _row_of(end: End) -> int:
    return end[0]


def _marked(ends: tuple[End, End], row: int, shifted: bool) -> tuple[End, End]:
    """Both ends; the one with this number is known to be shifted."""
    marked = ((own, edge, known or (shifted and own == row)) for own, edge, known in ends)
    return tuple(marked)  # type: ignore[return-value]


def _parts(value: Any) -> Any:
    """Return an exact sum as the floats that it is made of."""
    return float_parts(value) if isinstance(value, Fraction) else value


def _whole(value: Any) -> Any:
    return exact_sum(value) if isinstance(value, list) else value


def _sums_to_dict(sums: Sums) -> dict[str, Any]:
    return {
        "n_places": sums.n_places,
        "states": dict(zip(STATUSES, sums.states, strict=True)),
        "n_unread": sums.n_unread,
        "totals": {name: _parts(value) for name, value in sums.totals.items()},
        "means": {key: [_parts(value), n_values] for key, (value, n_values) in sums.means.items()},
    }


def _set_sums(sums: Sums, values: Mapping[str, Any]) -> None:
    sums.n_places = values["n_places"]
    sums.states = [values["states"][state] for state in STATUSES]
    sums.n_unread = values["n_unread"]
    sums.totals = {name: _whole(value) for name, value in values["totals"].items()}
    sums.means = {key: (_whole(value), n_values) for key, (value, n_values) in values["means"].items()}


def _labels_to_dict(labels: Labels | None) -> dict[str, list[Any]] | None:
    if labels is None:
        return None
    return {label: list(sums) for label, sums in labels.items()}


def _labels_from_dict(labels: Mapping[str, Any] | None) -> Labels | None:
    if labels is None:
        return None
    return {label: tuple(sums) for label, sums in labels.items()}


# ---- a metric as plain values ---------------------------------------------------------------


def describe(metric: Metric) -> dict[str, Any]:
    """Return the name, the options and the signature of a metric, from which `metric_of` makes it again.

    >>> from structiou_metric import StructIoU
    >>> describe(StructIoU(labels="base"))["options"]["labels"]
    'base'
    """
    return {
        "metric": metric.name,
        "options": {name: _plain(value) for name, value in metric.options.as_dict().items()},
        "signature": metric.signature,
    }


def _plain(value: Any) -> Any:
    """Return the value of an option for JSON; for an object without fields, its text."""
    if hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, (tuple, frozenset)):
        return [_plain(part) for part in (value if isinstance(value, tuple) else sorted(value))]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def metric_of(values: Mapping[str, Any]) -> Metric:
    """Return the metric that `describe` described; raise a ValueError if an option is an unknown object."""
    from . import metric_class

    found = metric_class(values["metric"])
    try:
        usual = found().options.as_dict()
        options = {name: _restored(value, usual.get(name)) for name, value in values["options"].items()}
        return found(**options)
    except (TypeError, ValueError, OSError) as error:
        raise ValueError(
            f"the metric {values['metric']} cannot be made anew ({error}); give from_dict the metric itself"
        ) from None


def _restored(value: Any, usual: Any) -> Any:
    """Return the option whose plain value this is; objects are made like the usual value."""
    if usual is not None and value == str(usual):
        return usual
    if isinstance(value, dict) and hasattr(usual, "_asdict"):
        return type(usual)(**{name: _restored(part, getattr(usual, name)) for name, part in value.items()})
    if isinstance(value, list):
        parts = (_restored(part, None) for part in value)
        return frozenset(parts) if isinstance(usual, frozenset) else tuple(parts)
    return value

"""The sentences that systems are compared on, the same for all of them, and groups by length and label."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from .._core.select import Selector
from ..metrics import load_metric
from ..metrics.base import COUNTED, ERROR, Batch, Counter, Counts, Measure, Option
from ..metrics.metric import Metric
from ..metrics.results import describe_left_out, figures_over
from ..metrics.selection import DROP, DropRules
from ..optional import need
from ..stats.columns import compared_measures
from .comparison import MASS, LabelRow, LengthGroup, counts_nodes

if TYPE_CHECKING:
    from ..metrics.results import Result


LENGTHS = (10, 20, 40)  # The most words of a sentence in each group; one more group is open.


def as_metrics(metrics: Iterable[Metric | str]) -> list[Metric]:
    """The metrics as they are; names stand for default options with the `on_error` of the first metric."""
    if isinstance(metrics, str | Metric):
        metrics = [metrics]
    found: list[Metric] = []
    for metric in metrics:
        if isinstance(metric, str):
            metric = load_metric(metric, **({"on_error": found[0].options.on_error} if found else {}))
        if any(metric.name == other.name for other in found):
            raise ValueError(f"the metric {metric.name} is given twice; compare by one at a time")
        found.append(metric)
    if not found:
        raise ValueError("there are no metrics to compare by")
    return found


class Compared:
    """What a metric found for each system, and the sentences that count for all of them.

    Attributes:
        results: What the metric found for each system, over the same sentences; None where it has no meaning.
        there: The results that there are, by the number of the system.
        rows: The numbers of the sentences in the input.
    """

    def __init__(self, metric: Metric, results: Sequence[Result | None]) -> None:
        self.metric = metric
        self.results = results
        self.there = {i: result for i, result in enumerate(results) if result is not None}
        self.rows: Sequence[int] = ()
        if self.there:
            left_out = {
                row
                for result in self.there.values()
                for row, state in zip(result.rows, result.status, strict=True)
                if state not in COUNTED
            }
            numbers = next(iter(self.there.values())).rows
            self.rows = [row for row in dict.fromkeys(numbers) if row not in left_out]

    def figures(self, rows: Sequence[int] | None = None) -> list[Mapping[str, float] | None]:
        """Every figure of each system, over all of the sentences or some."""
        rows = self.rows if rows is None else rows
        return [
            None if result is None or not rows else figures_over(result, places_of(result, rows))
            for result in self.results
        ]

    def values(self, key: str) -> list[list[float | None]]:
        """A figure for each sentence by itself, by the number of the system."""
        found: list[list[float | None]] = []
        for result in self.results:
            values = {} if result is None else _values(result, key)
            found.append([values.get(row) for row in self.rows])
        return found


def _values(result: Result, key: str) -> dict[int, float | None]:
    """A figure for each sentence; where one stands in several places, over these together."""
    values = dict(zip(result.rows, result.values(key), strict=True))
    if len(values) < len(result):
        places: dict[int, list[int]] = {}
        for place, row in enumerate(result.rows):
            places.setdefault(row, []).append(place)
        for row, several in places.items():
            if len(several) > 1 and values[row] is not None:
                values[row] = figures_over(result, several)[key]
    return values


def places_of(result: Result, rows: Sequence[int]) -> Sequence[int]:
    """Where the sentences stand in the result's columns."""
    if isinstance(result.rows, range):
        return rows
    wanted = set(rows)
    return [i for i, row in enumerate(result.rows) if row in wanted]


def _joined_rows(results: Sequence[Result | None]) -> list[Result | None]:
    """The results over the same rows, where a metric that pairs rows itself has cut them otherwise.

    A row goes by the number of the sentence that it begins with; one that does not begin a row of all systems
    is joined to the last one before it that does.
    """
    there = [set(result.rows) for result in results if result is not None]
    common = sorted(set.intersection(*there)) if there else []
    if all(len(rows) == len(common) for rows in there):
        return list(results)
    return [
        result
        and result.picked(
            range(len(result)), [common[max(bisect_right(common, row) - 1, 0)] for row in result.rows]
        )
        for result in results
    ]


def take_common(
    names: Sequence[str], metric: Metric, results: Sequence[Any], unit: str, notes: list[str]
) -> Compared:
    """What of the systems can be compared by a metric; `notes` gets what is left out."""
    kept: list[Result | None] = []
    headline = metric.MEASURES[metric.headline].title
    for name, result in zip(names, results, strict=True):
        why = metric.refuses(result, unit)
        kept.append(None if why else result)
        if why:
            notes.append(f"{metric.title} of {name}: — ({why}).")
        elif result.n_counted < len(result):
            notes.append(
                f"{metric.title} of {name}: {describe_left_out(result)}; "
                f"{headline} {result.score:.4f} over its own valid ones."
            )
    compared = Compared(metric, _joined_rows(kept))
    if not compared.there:
        return compared
    first = next(iter(compared.there.values()))
    noun, n_rows, n_common = first.noun, len(set(first.rows)), len(compared.rows)
    if not n_common:
        notes.append(f"{metric.title}: — (no {noun} is valid for all systems).")
    elif n_common < n_rows:
        notes.append(
            f"{metric.title} compares the systems on {n_common:,} of {n_rows:,} {noun}s, "
            "those that are valid for all of them."
        )
    if any(result is not old for result, old in zip(compared.results, kept, strict=True)):
        notes.append(
            f"{metric.title} joins sentences that it has aligned otherwise for some system, so that all are "
            "compared on the same stretches of the reference."
        )
    zeroed = ", ".join(
        f"{names[i]} {result.n_zeroed}" for i, result in compared.there.items() if result.n_zeroed
    )
    if zeroed:
        notes.append(f"{noun.title()}s that {metric.title} cannot compare count as 0: {zeroed}.")
    return compared


# ---- by length and by label ------------------------------------------------------------------------


class WordCount(Metric):
    """Counts the words of each reference, to be run beside metrics: its column `n_words` makes groups.

    Words of leaves whose labels are in `drop` do not count, as in `StructIoU`.

    >>> references = ["(S (NP (-NONE- *)) (VP (VB go)))", "(S"]
    >>> result = WordCount().corpus_score(["()", "()"], references)
    >>> list(result.columns["n_words"]), result.n_errors
    ([1, 0], 1)
    """

    name = "word_count"
    title = "words"
    OPTIONS: ClassVar[Mapping[str, Option]] = {"drop": DROP}
    MEASURES: ClassVar[Mapping[str, Measure]] = {}

    @classmethod
    def beside(cls, metrics: Iterable[Metric]) -> WordCount:
        """A counter of the words that metrics look at, as the first one with the option `drop` drops some."""
        return cls(**next(({"drop": m.options.drop} for m in metrics if "drop" in m.OPTIONS), {}))

    def counter(self) -> _WordCounter:
        """A new counter; every thread has one of its own."""
        return _WordCounter(self.options.drop)


class _WordCounter(Counter):
    def __init__(self, drop: Collection[str]) -> None:
        self._rules = DropRules(drop)
        self._selector = Selector()

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """The words of each reference; unreadable ones are errors, but no problems that end a run."""
        n_words = self._selector.count_words(batch.references, self._rules.learn(batch.labels))
        status = bytearray(len(batch))
        for t, _, _ in batch.references.errors():
            status[t] = ERROR
        return Counts({"n_words": n_words}, status, {})


def check_bounds(bounds: Sequence[int]) -> None:
    """Refuses lengths that do not rise."""
    if list(bounds) != sorted(set(bounds)) or min(bounds, default=1) < 1:
        raise ValueError(f"lengths must be whole numbers from 1 on that rise, not {list(bounds)}")


def group_by_length(
    n_words: Sequence[int], bounds: Sequence[int], compared: Sequence[Compared]
) -> list[LengthGroup]:
    """Figures by the length of the reference; groups without a sentence are left out.

    The bounds are the most words of each group but the last; `n_words` is that of each sentence of the input.
    """
    check_bounds(bounds)
    edges = [0, *bounds]
    ends = [(0, 0), *((lo + 1, hi) for lo, hi in pairwise(edges)), (edges[-1] + 1, None)]
    places = [bisect_left(edges, number) for number in n_words]
    groups = []
    for place, (shortest, longest) in enumerate(ends):
        n_sentences: dict[str, int] = {}
        figures: dict[str, list[float | None]] = {}
        for part in compared:
            rows = [row for row in part.rows if places[row] == place]
            n_sentences[part.metric.name] = len(rows)
            found = part.figures(rows)
            for key in compared_measures(part.metric.MEASURES):
                figures[key] = [None if values is None else values[key] for values in found]
        if any(n_sentences.values()):
            groups.append(LengthGroup(shortest, longest, n_sentences, figures))
    return groups


def lost_nodes(metric: Metric, tables: Iterable[Mapping[str, Any]], scores: Any, n_words: Any) -> Any:
    """What each system lost on each sentence; see `SentenceRow`.

    Args:
        metric: The main metric.
        tables: The columns of the sentences, by system.
        scores: A number for each sentence, of which more is better, by system.
        n_words: The number of words of each sentence.
    """
    np = need("numpy", "compare", "a comparison of systems")
    if not counts_nodes(metric):
        return (scores.max(axis=0) - scores) * np.maximum(n_words, 1)
    sums = [[table[name] for name in MASS] for table in tables]
    return np.array([n_pred + n_ref - 2.0 * matched for matched, n_pred, n_ref in sums])


def compare_labels(compared: Compared) -> list[LabelRow]:
    """The labels, those first that set the systems apart the most; none if the metric does not count them."""
    if compared.metric.LABEL is None:
        return []
    counts = [result.by_label for result in compared.there.values()]
    labels = dict.fromkeys(label for found in counts for label in found)
    rows = [LabelRow(label, [found.get(label) for found in counts]) for label in labels]
    return sorted(rows, key=lambda row: (-row.weight, -row.n_ref, row.label))

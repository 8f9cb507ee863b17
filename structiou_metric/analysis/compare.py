"""`compare`: several systems on the same sentences, with how sure each difference is.

By each metric, all systems are compared on the same sentences: those that count for every system that the
metric is defined for. Sentences left out are counted, and the figures of a system over all of its own
sentences are given next to them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar

from .._core.select import Selector
from ..metrics import load_metric
from ..metrics.base import COUNTED, EMPTY, ERROR, ZEROED, Batch, Counter, Counts, Measure, Option, ratio
from ..metrics.metric import Metric
from ..metrics.results import Result, describe_left_out, figures_over, result_of
from ..metrics.runner import score_systems
from ..metrics.selection import DROP, DropRules
from ..metrics.struct_iou.losses import CAUSES
from ..metrics.struct_iou.metric import StructIoU
from ..metrics.warnings import FIRST_ROWS, RowWarning, gather_warnings, refuse_warnings
from ..optional import need
from ..sources.documents import as_documents, check_ids
from ..sources.rows import as_rows, sign_reading
from ..stats.columns import (
    check_count,
    check_level,
    compared_measures,
    join_clusters,
    sample_columns,
    statistic,
)
from ..stats.intervals import Bootstrap, Interval
from ..stats.significance import Randomization, group_letters, holm
from ..wording import count
from .comparison import (
    MASS,
    CauseComparison,
    Comparison,
    Difference,
    LabelRow,
    LengthGroup,
    Resampling,
    SentenceRow,
    SystemPair,
    SystemScores,
    counts_nodes,
)

if TYPE_CHECKING:
    from ..sources.rows import Rows

__all__ = ["compare"]

METRICS = ("struct_iou", "parseval")  # the main one first
LENGTHS = (10, 20, 40)  # The most words of a sentence in each group; one more group is open.

_FEW = 20  # sentences or clusters; with fewer the intervals may be too narrow
_MOST_LOST = 0.1  # share of the sentences of all other systems that one may lack without a warning
_COUNTS = ("n_errors", "n_zeroed", "n_skipped", "n_empty")
_EQUAL = 1e-12  # scores this close are the same, for sums are rounded


def compare(
    systems: Mapping[str, Iterable[Any] | Rows],
    references: Iterable[Any] | Rows,
    *,
    documents: bool = False,
    metrics: Iterable[Metric | str] = METRICS,
    baseline: str | None = None,
    lengths: Sequence[int] = LENGTHS,
    level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 1,
    clusters: Iterable[Hashable] | None = None,
    why: bool = False,
    workers: int | str = 1,
    progress: bool = False,
    strict: bool = False,
) -> Comparison:
    """Compare systems by their predictions for the same sentences.

    >>> references = ["(S (NP (PRP we)) (VP (VBP run)))", "(INTJ (UH yes))"]
    >>> systems = {"old": ["(S (NP (PRP we)) (NP (NN run)))", "()"], "new": references}
    >>> found = compare(systems, references, metrics=["struct_iou"], n_resamples=100)
    >>> [(system.name, system.figures["struct_iou_sentence"].value) for system in found.systems]
    [('old', 0.3), ('new', 1.0)]
    >>> found.pairs[0].differences["struct_iou_sentence"].p_randomization  # 2 of 4 possible swaps
    0.5

    Args:
        systems: The predictions of each system by its name: trees, in any shape that `corpus_score` takes,
            or rows of trees such as a `files.TreeFile`.
        references: The reference trees, one for each prediction of a system.
        documents: Whether every row of all sides is a list of trees on one axis, as in `corpus_score`;
            below, a sentence then means a document.
        metrics: Metrics with their options, or names in `metrics.METRICS`, which mean default options
            with the `on_error` of the first metric. The first that has a meaning for the trees is the main
            one, by which labels and sentences are ordered.
        baseline: The system that all others are tested against; by default all pairs are tested.
        lengths: The most words of each group of sentences by length; one more group is open.
        level: The share of such intervals that should hold the true value; differences are significant below
            1 minus that.
        n_resamples: How many samples are drawn for intervals and tests.
        seed: The seed of the samples; the same seed gives the same results.
        clusters: The document of each sentence, or anything else that makes sentences alike: any value
            that can be a key. Documents are then resampled as a whole, for intervals and tests.
        why: Whether to compare by the causes of losses, too, if STRUCT-IoU is among the metrics.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
        strict: Whether a warning about a system, which is otherwise in `notes`, raises a `StrictError`.
    """
    need("numpy", "compare", "a comparison of systems")  # this and all checks before the work starts
    if not isinstance(systems, Mapping) or isinstance(references, Mapping):
        raise TypeError(
            "write compare({name: predictions, …}, references): a dict of systems, then a list of trees, "
            f"not a {type(systems).__name__} and a {type(references).__name__}"
        )
    check_count(n_resamples)
    check_level(level)
    check_bounds(lengths)
    asked = [
        metric.explaining() if why and isinstance(metric, StructIoU) else metric
        for metric in as_metrics(metrics)
    ]
    take = as_documents if documents else as_rows
    refs = take(references, "references")
    names = list(systems)
    rows = [take(trees, name) for name, trees in systems.items()]
    for predictions in rows:
        check_ids(predictions, refs)
    if not rows:
        raise ValueError("there are no systems to compare")
    if baseline is not None and baseline not in names:
        raise ValueError(f"there is no system {baseline!r}; choose the baseline from {', '.join(names)}")
    base = None if baseline is None else names.index(baseline)
    named = None if clusters is None else _check_clusters(clusters, len(refs))
    unit = next((metric.unit for metric in asked if metric.unit), "word")
    refused = {metric: metric.undefined(unit) for metric in asked}
    notes = [f"{metric.title}: — ({reason})." for metric, reason in refused.items() if reason]
    defined = [metric for metric in asked if not refused[metric]]
    if not defined:
        raise ValueError(f"there is no metric to compare by. {' '.join(notes)}")
    if documents:
        n_sentences = sum(map(refs.n_sentences, range(len(refs)))) if hasattr(refs, "n_sentences") else 0
        notes.append(
            f"Compared are documents, {len(refs)} of them with {count(n_sentences, 'sentence')} in the "
            "reference."
        )
    word_count = WordCount.beside(defined)
    found = score_systems(
        [*defined, word_count], rows, refs, by_label=True, workers=workers, progress=progress
    )
    compared = [
        take_common(names, metric, [results[m] for results in found], unit, notes)
        for m, metric in enumerate(defined)
    ]
    warnings = {name: gather_warnings(results[:-1]) for name, results in zip(names, found, strict=True)}
    for part in compared:
        for i, warning in warn_of_few_common(part).items():
            warnings[names[i]].append(warning)
    for name, own_warnings in warnings.items():
        if strict:
            refuse_warnings(own_warnings, f"{name}: ")
        notes += [f"{name}: {warning.message}." for warning in own_warnings]
    main = compared[0]
    if len(main.there) < len(names) or not main.rows:
        raise ValueError(
            "the first metric must compare all systems; leave one out, or name another metric first. "
            + " ".join(notes)
        )
    compared += [Compared(metric, [None] * len(names)) for metric in asked if refused[metric]]
    own = [None if named is None else [named[row] for row in part.rows] for part in compared]
    n_clusters = {
        part.metric.name: len(set(found)) for part, found in zip(compared, own, strict=True) if found
    }
    if n_clusters.get(main.metric.name, len(main.rows)) < _FEW:
        n_units = n_clusters.get(main.metric.name)
        noun = "document" if documents else "sentence"
        number = count(len(main.rows), noun) if n_units is None else count(n_units, "cluster")
        notes.append(f"With {number} intervals may be too narrow; the tests are exact however few there are.")
    resampling = Resampling(level, n_resamples, seed)
    if base is None:
        tested = [(second, first) for first, second in combinations(range(len(names)), 2)]
    else:
        tested = [(i, base) for i in range(len(names)) if i != base]
    if tested and len(tested) / (n_resamples + 1) >= resampling.alpha:  # that is the least p
        enough = int(len(tested) / resampling.alpha + 1e-9)
        notes.append(
            f"With {count(n_resamples, 'resample')} no difference can be significant, for p is multiplied by "
            f"the number of pairs, {len(tested)}. Take more, at least {enough}."
        )
    figures: list[dict[str, Interval]] = [{} for _ in names]
    differences: dict[tuple[int, int], dict[str, Difference]] = {pair: {} for pair in tested}
    causes = None
    for part, found_clusters in zip(compared, own, strict=True):
        _test(part, found_clusters, resampling, figures, differences, progress)
        if why and isinstance(part.metric, StructIoU) and len(part.there) == len(names):
            causes = _compare_causes(part, found_clusters, resampling, tested, progress)
    marks = _marks(compared, figures, differences, base)
    n_words = found[0][-1].columns["n_words"]
    by_sentence = _Sentences(compared, n_words)
    sentences, failures = by_sentence.rows()
    return Comparison(
        systems=[
            SystemScores(name, figures[i], marks[i], *_own(compared, i)) for i, name in enumerate(names)
        ],
        pairs=[
            SystemPair(*pair, by_measure, *by_sentence.deltas(*pair))
            for pair, by_measure in differences.items()
        ],
        baseline=base,
        lengths=group_by_length(n_words, lengths, compared),
        labels=_compare_labels(main),
        sentences=sentences,
        failed=failures,
        n_rows=len(refs),
        n_sentences={part.metric.name: len(part.rows) for part in compared},
        n_clusters=n_clusters,
        resampling=resampling,
        signatures={
            part.metric.name: part.metric.signature + sign_reading(refs, *rows)
            for part in compared
            if part.there
        },
        notes=notes,
        warnings=warnings,
        metrics=[part.metric for part in compared],
        unit=unit,
        drop=word_count.options.drop,
        trees=(refs, rows),
        causes=causes,
    )


def as_metrics(metrics: Iterable[Metric | str]) -> list[Metric]:
    """Return the metrics; names mean default options with the `on_error` of the first metric."""
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


def _check_clusters(clusters: Iterable[Hashable], n_rows: int) -> list[Hashable]:
    """Return the clusters as a list; raise an error unless there is one for each sentence."""
    if isinstance(clusters, str) or not isinstance(clusters, Iterable):
        raise TypeError(f"clusters must be a list with a value for each sentence, not {clusters!r}")
    found = list(clusters)
    if len(found) != n_rows:
        raise ValueError(f"{count(len(found), 'cluster')} for {count(n_rows, 'sentence')}; name one for each")
    set(found)  # raises an error for values that cannot be keys
    for row, cluster in enumerate(found):
        if cluster is None or cluster != cluster:  # missing values of a table may be NaN
            raise ValueError(f"row {row + 1} is in no cluster; name one for each sentence")
    return found


# ---- the sentences that systems are compared on -----------------------------------------------------


class Compared:
    """The results of a metric for each system, and the sentences that count for all systems.

    Attributes:
        results: The result of each system, over the same sentences; None if the metric is not defined for it.
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
        """Return every figure of each system, over all of the sentences or some."""
        rows = self.rows if rows is None else rows
        wanted = set(rows)
        figures: list[Mapping[str, float] | None] = []
        for result in self.results:
            if result is None or not rows:
                figures.append(None)
                continue
            in_order = isinstance(result.rows, range)
            places = rows if in_order else [i for i, row in enumerate(result.rows) if row in wanted]
            figures.append(figures_over(result, places))
        return figures

    def values(self, key: str) -> list[list[float | None]]:
        """Return a figure for each sentence by itself, by the number of the system."""
        found: list[list[float | None]] = []
        for result in self.results:
            values = {} if result is None else dict(zip(result.rows, result.values(key), strict=True))
            if result is not None and len(values) < len(result):  # some sentences are in several places
                places: dict[int, list[int]] = {}
                for place, row in enumerate(result.rows):
                    places.setdefault(row, []).append(place)
                for row, several in places.items():
                    if len(several) > 1 and values[row] is not None:
                        values[row] = figures_over(result, several)[key]
            found.append([values.get(row) for row in self.rows])
        return found


def _joined_rows(results: Sequence[Result | None]) -> list[Result | None]:
    """Return the results over the same rows, where a metric that pairs rows itself has cut them otherwise.

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
    """Return a metric's results on the sentences common to all systems, and add skipped ones to `notes`."""
    defined: list[Result | None] = []
    headline = metric.MEASURES[metric.headline].title
    for name, result in zip(names, results, strict=True):
        why = metric.refuses(result, unit)
        defined.append(None if why else result)
        if why:
            notes.append(f"{metric.title} of {name}: — ({why}).")
        elif result.n_counted < len(result):
            notes.append(
                f"{metric.title} of {name}: {describe_left_out(result)}; "
                f"{headline} {result.score:.4f} over its own valid ones."
            )
    compared = Compared(metric, _joined_rows(defined))
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
    if any(result is not old for result, old in zip(compared.results, defined, strict=True)):
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


def warn_of_few_common(compared: Compared) -> dict[int, RowWarning]:
    """Return a warning for each system without which clearly more sentences would be compared."""
    left_out = {
        i: {row for row, state in zip(result.rows, result.status, strict=True) if state not in COUNTED}
        for i, result in compared.there.items()
    }
    found: dict[int, RowWarning] = {}
    if len(left_out) < 2 or not any(left_out.values()):
        return found
    for i, own in left_out.items():
        alone = own.difference(*(rows for j, rows in left_out.items() if j != i))
        n_without = len(compared.rows) + len(alone)
        if len(alone) > _MOST_LOST * n_without:
            noun, title = compared.there[i].noun, compared.metric.title
            message = (
                f"{title} compares all systems on {count(len(compared.rows), noun)}, and without this one on "
                f"{n_without:,}; leave it out (--skip-system), or count what it lacks as 0 (on_error 'zero')"
            )
            found[i] = RowWarning("uncommon", len(alone), sorted(alone)[:FIRST_ROWS], message)
    return found


# ---- figures and tests -----------------------------------------------------------------------------


def _test(
    part: Compared,
    clusters: Sequence[Hashable] | None,
    resampling: Resampling,
    figures: Sequence[dict[str, Interval]],
    differences: Mapping[tuple[int, int], dict[str, Difference]],
    progress: bool,
) -> None:
    """Add the results of a metric to the figures of each system and to the differences of the pairs."""
    if not part.rows:
        return
    how = {"n_resamples": resampling.n_resamples, "seed": resampling.seed}
    tables = {
        i: join_clusters(sample_columns(result, part.rows), clusters) for i, result in part.there.items()
    }
    place = {i: k for k, i in enumerate(tables)}
    bootstrap = Bootstrap(list(tables.values()), progress=progress, **how)
    exact = {i: values for i, values in enumerate(part.figures()) if values is not None}
    pairs = [pair for pair in differences if exact.keys() >= set(pair)]
    swaps = [Randomization(tables[a], tables[b], **how) for a, b in pairs]
    for key, measure in compared_measures(part.metric.MEASURES).items():
        value_of = statistic(key, measure)
        for i, values in exact.items():
            interval = bootstrap.interval(place[i], value_of, level=resampling.level)
            figures[i][key] = replace(interval, value=values[key])
        tests = [swapped.test(value_of) for swapped in swaps]
        corrected = holm(test.p_value for test in tests)
        for (a, b), test, p_holm in zip(pairs, tests, corrected, strict=True):
            interval = bootstrap.difference(place[a], place[b], value_of, level=resampling.level)
            differences[a, b][key] = Difference(
                replace(interval, value=exact[a][key] - exact[b][key]),
                test.p_value,
                test.exact,
                p_holm,
                p_holm < resampling.alpha,
            )


def _marks(
    compared: Sequence[Compared],
    figures: Sequence[Mapping[str, Interval]],
    differences: Mapping[tuple[int, int], Mapping[str, Difference]],
    baseline: int | None,
) -> list[dict[str, str]]:
    """Return letters by system and measure, or a star where the system differs from the baseline."""
    marks: list[dict[str, str]] = [{} for _ in figures]
    measures = [item for part in compared for item in compared_measures(part.metric.MEASURES).items()]
    for key, measure in measures:
        there = [i for i, found in enumerate(figures) if key in found]
        there.sort(key=lambda i: figures[i][key].value, reverse=measure.higher_is_better)
        different = [pair for pair, found in differences.items() if key in found and found[key].significant]
        if baseline is not None:
            stars = {first for first, _ in different}  # the second is the baseline
            letters = ["*" if i in stars else "" for i in there]
        elif len(there) > 1:
            rank = {i: k for k, i in enumerate(there)}
            letters = group_letters(len(there), [(rank[a], rank[b]) for a, b in different])
        else:
            letters = [""] * len(there)
        for i, text in zip(there, letters, strict=True):
            marks[i][key] = text
    return marks


def _own(compared: Sequence[Compared], i: int) -> tuple[dict[str, dict[str, int]], dict[str, float]]:
    """Return the number of a system's rows with each problem, by metric, and its figures on its own rows."""
    found = [(part, part.there[i]) for part in compared if i in part.there]
    counts = {part.metric.name: {name: getattr(result, name) for name in _COUNTS} for part, result in found}
    own = {
        key: result.figures[key]
        for part, result in found
        if result.n_counted != len(part.rows)
        for key in compared_measures(part.metric.MEASURES)
    }
    return counts, own


# ---- by cause --------------------------------------------------------------------------------------


class _LossShares(Metric):
    """The nodes that each cause loses, per node of the reference; columns are made from those of STRUCT-IoU.

    The nodes of the prediction are not in the denominator: a system that predicts one node more would seem to
    lose less by every cause, and differ from a system that loses the same in every row.
    """

    name = "loss"
    title = "lost"
    OPTIONS = StructIoU.OPTIONS
    MEASURES = {  # noqa: RUF012
        cause: Measure(
            cause,
            lambda lost, n_ref: ratio(lost, n_ref, 0.0),
            (cause, "n_ref"),
            short=cause,
            highest=None,
            higher_is_better=False,
        )
        for cause in CAUSES
    }
    RESULT = Result


def _compare_causes(
    part: Compared,
    clusters: Sequence[Hashable] | None,
    resampling: Resampling,
    tested: Sequence[tuple[int, int]],
    progress: bool,
) -> CauseComparison:
    """Compare the losses of systems by cause; p-values are corrected over all pairs and causes together."""
    # Of several references, each system may be compared with another one: all get the same denominator.
    columns = [result.columns["n_ref"] for result in part.there.values()]
    n_ref = array("d", map(fmean, zip(*columns, strict=True)))
    shares = []
    for result in part.there.values():
        lost: Any = result
        counts = Counts({**lost.losses.columns, "n_ref": n_ref}, result.status, {}, rows=result.rows)
        shares.append(result_of(_LossShares(), counts))
    figures: list[dict[str, Interval]] = [{} for _ in shares]
    differences: dict[tuple[int, int], dict[str, Difference]] = {pair: {} for pair in tested}
    _test(Compared(_LossShares(), shares), clusters, resampling, figures, differences, progress)
    found = CauseComparison(figures, differences)
    keys = [(pair, cause) for pair in differences for cause in found.causes]
    corrected = holm(differences[pair][cause].p_randomization for pair, cause in keys)
    for (pair, cause), p_holm in zip(keys, corrected, strict=True):
        old = differences[pair][cause]
        differences[pair][cause] = replace(old, p_holm=p_holm, significant=p_holm < resampling.alpha)
    return found


# ---- by length and by label ------------------------------------------------------------------------


class WordCount(Metric):
    """Counts the words of each reference next to other metrics; its column `n_words` forms groups by length.

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
        """Return a counter of the words that count, by the option `drop` of the first metric that has it."""
        return cls(**next(({"drop": m.options.drop} for m in metrics if "drop" in m.OPTIONS), {}))

    def counter(self) -> _WordCounter:
        """Return a new counter; every thread has one of its own."""
        return _WordCounter(self.options.drop)


class _WordCounter(Counter):
    def __init__(self, drop: Collection[str]) -> None:
        self._rules = DropRules(drop)
        self._selector = Selector()

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """Return the words of each reference; unreadable ones are errors, but no problems that end a run."""
        n_words = self._selector.count_words(batch.references, self._rules.learn(batch.labels))
        status = bytearray(len(batch))
        for t, _, _ in batch.references.errors():
            status[t] = ERROR
        return Counts({"n_words": n_words}, status, {})


def check_bounds(bounds: Sequence[int]) -> None:
    """Raise an error if lengths do not rise."""
    if list(bounds) != sorted(set(bounds)) or min(bounds, default=1) < 1:
        raise ValueError(f"lengths must be whole numbers from 1 on that rise, not {list(bounds)}")


def group_by_length(
    n_words: Sequence[int], bounds: Sequence[int], compared: Sequence[Compared]
) -> list[LengthGroup]:
    """Return figures by the length of the reference, without groups that have no sentence.

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


def _compare_labels(compared: Compared) -> list[LabelRow]:
    """Return the labels, those with the greatest differences first; none if the metric counts no labels."""
    if compared.metric.LABEL is None:
        return []
    counts = [result.by_label for result in compared.there.values()]
    labels = dict.fromkeys(label for found in counts for label in found)
    rows = [LabelRow(label, [found.get(label) for found in counts]) for label in labels]
    return sorted(rows, key=lambda row: (-row.weight, -row.n_ref, row.label))


# ---- by sentence -----------------------------------------------------------------------------------


class _Sentences:
    """The sentences that the main metric compares, with the score and the losses of each system on them."""

    def __init__(self, compared: Sequence[Compared], n_words: Sequence[int]) -> None:
        np = need("numpy", "compare", "a comparison of systems")
        main, *self._others = compared
        metric = main.metric
        self._rows = np.asarray(main.rows)
        self._n_words = np.asarray(n_words)[self._rows]
        self._scores = np.array(main.values(metric.headline), dtype=float)
        self._better = self._scores if metric.MEASURES[metric.headline].higher_is_better else -self._scores
        without = [
            {row for row, state in zip(found.rows, found.status, strict=True) if state in (EMPTY, ZEROED)}
            for found in main.there.values()
        ]
        self._failed = np.array([[row in rows for row in main.rows] for rows in without])
        if counts_nodes(metric):
            tables = (sample_columns(result, main.rows) for result in main.there.values())
            sums = ([table[name] for name in MASS] for table in tables)
            self._lost = np.array([n_pred + n_ref - 2.0 * matched for matched, n_pred, n_ref in sums])
        else:
            self._lost = (self._better.max(axis=0) - self._better) * np.maximum(self._n_words, 1)

    def deltas(self, a: int, b: int) -> tuple[list[float], list[int]]:
        """Return how much better system `a` is on each sentence, and where either failed."""
        deltas = self._better[a] - self._better[b]
        deltas[abs(deltas) < _EQUAL] = 0.0
        return deltas.tolist(), (self._failed[a] | self._failed[b]).nonzero()[0].tolist()

    def rows(self) -> tuple[list[SentenceRow], list[SentenceRow]]:
        """Return the sentences on which systems differ, and those that some could not parse."""
        np = need("numpy", "compare", "a comparison of systems")
        scores, lost = self._scores, self._lost
        others = {}
        for part in self._others:
            values = zip(*part.values(part.metric.headline), strict=True)
            others[part.metric.headline] = dict(zip(part.rows, values, strict=True))
        # Rounded, for sums of the same nodes in another order are not equal to the last bit.
        order = np.lexsort((self._rows, -np.round(lost.max(axis=0) - lost.min(axis=0), 9)))
        differ = (scores.max(axis=0) - scores.min(axis=0) >= _EQUAL).tolist()
        columns = (
            column.tolist() for column in (self._rows, self._n_words, scores.T, lost.T, self._failed.T)
        )
        rows = [
            SentenceRow(
                row,
                number,
                tuple(own),
                tuple(masses),
                tuple(i for i, fails in enumerate(failed) if fails),
                {key: found.get(row, (None,) * len(own)) for key, found in others.items()},
            )
            for row, number, own, masses, failed in zip(*columns, strict=True)
        ]
        ordered = [(rows[place], differ[place]) for place in order.tolist()]
        return (
            [row for row, differs in ordered if differs and not row.failed],
            [row for row, _ in ordered if row.failed],
        )

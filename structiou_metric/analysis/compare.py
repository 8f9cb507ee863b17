"""`compare`: several systems on the same sentences, with how sure each difference is.

By each metric, all systems are compared on the same sentences: those that count for every system that the
metric is defined for. What is left out is counted, and the figures of a system over all of its own sentences
are given beside.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, repeat
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..metrics.base import EMPTY, ZEROED, Counts, Measure, ratio
from ..metrics.metric import Metric
from ..metrics.results import Result, result_of
from ..metrics.runner import score_systems
from ..metrics.struct_iou.losses import CAUSES
from ..metrics.struct_iou.metric import StructIoU
from ..metrics.warnings import gather_warnings, refuse_warnings
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
from .common_rows import (
    LENGTHS,
    Compared,
    WordCount,
    as_metrics,
    check_bounds,
    compare_labels,
    group_by_length,
    lost_nodes,
    take_common,
)
from .comparison import (
    CauseComparison,
    Comparison,
    Difference,
    Resampling,
    SentenceRow,
    SystemPair,
    SystemScores,
)

if TYPE_CHECKING:
    from ..metrics.struct_iou.result import CorpusScore
    from ..sources.rows import Rows

__all__ = ["compare"]

METRICS = ("struct_iou", "parseval")  # the main one first

_FEW = 20  # sentences or clusters; with fewer the intervals may be too narrow
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
    """Compares systems by their predictions for the same sentences.

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
        references: As many trees as predictions of each system.
        documents: Whether every row of all sides is a list of trees on one axis, as in `corpus_score`; what
            is said of sentences below is then said of documents.
        metrics: Metrics with their options, or names in `metrics.METRICS`, which stand for default options
            with the `on_error` of the first metric. The first that has a meaning for the trees is the main
            one, by which labels and sentences are told apart.
        baseline: The system that all others are tested against; by default all pairs are tested.
        lengths: The most words of each group of sentences by length; one more group is open.
        level: The share of such intervals that should hold the true value; differences are significant below
            1 minus that.
        n_resamples: How many samples are drawn for intervals and tests.
        seed: The seed of the samples; the same seed gives the same results.
        clusters: The document that each sentence is from, or whatever else makes sentences alike: any value
            that can be a key. Documents are then resampled as a whole, for intervals and tests.
        why: Whether to compare by the causes of losses, too, if STRUCT-IoU is among the metrics.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
        strict: Whether anything suspicious about a system, which `notes` tells otherwise, is a `StrictError`.
    """
    np = need("numpy", "compare", "a comparison of systems")  # this and all checks before the work starts
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
        told = sum(map(refs.n_sentences, range(len(refs)))) if hasattr(refs, "n_sentences") else 0
        notes.append(
            f"Compared are documents, {len(refs)} of them with {count(told, 'sentence')} in the reference."
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
    for name, told in warnings.items():
        if strict:
            refuse_warnings(told, f"{name}: ")
        notes += [f"{name}: {warning.message}." for warning in told]
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
    scores = np.array(main.values(main.metric.headline), dtype=float)
    if not main.metric.MEASURES[main.metric.headline].higher_is_better:
        scores = -scores
    failed = np.array([_failed(result, main.rows) for result in main.results])
    tables = [{i: sample_columns(result, part.rows) for i, result in part.there.items()} for part in compared]
    joined = [
        {i: join_clusters(table, found) for i, table in part.items()}
        for part, found in zip(tables, own, strict=True)
    ]
    figures, differences = _test(compared, joined, resampling, base, progress)
    pairs = []
    for (a, b), by_measure in differences.items():
        deltas = scores[a] - scores[b]
        deltas[abs(deltas) < _EQUAL] = 0.0
        without_parse = np.flatnonzero(failed[a] | failed[b]).tolist()
        pairs.append(SystemPair(a, b, by_measure, deltas.tolist(), without_parse))
    if pairs and len(pairs) / (n_resamples + 1) >= resampling.alpha:  # that is the least p
        enough = int(len(pairs) / resampling.alpha + 1e-9)
        notes.append(
            f"With {count(n_resamples, 'resample')} no difference can be significant, for p is multiplied by "
            f"the number of pairs, {len(pairs)}. Take more, at least {enough}."
        )
    causes = None
    if why:
        for part, found_clusters in zip(compared, own, strict=True):
            if isinstance(part.metric, StructIoU) and len(part.there) == len(names):
                causes = _compare_causes(part, found_clusters, resampling, base, progress)
    marks = _marks(compared, figures, pairs, base)
    n_words = found[0][-1].columns["n_words"]
    lengths_there = np.asarray(n_words)[np.asarray(main.rows)]
    lost = lost_nodes(main.metric, tables[0].values(), scores, lengths_there)
    sentences, failures = _sentences(lengths_there, lost, failed, compared)
    return Comparison(
        systems=[
            SystemScores(name, figures[i], marks[i], *_own(compared, i)) for i, name in enumerate(names)
        ],
        pairs=pairs,
        baseline=base,
        lengths=group_by_length(n_words, lengths, compared),
        labels=compare_labels(main),
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


def _lost_per_node(lost: Any, n_ref: Any) -> Any:
    """Return the nodes lost on both sides, per node of the reference."""
    return ratio(lost, n_ref, 0.0)


_CAUSE_MEASURES = {
    cause: Measure(cause, _lost_per_node, (cause, "n_ref"), short=cause, highest=None, higher_is_better=False)
    for cause in CAUSES
}


class _LossShares(Metric):
    """The nodes that each cause loses, per node of the reference; columns are made from those of STRUCT-IoU.

    The nodes of the prediction are not in the denominator: a system that predicts one node more would seem to
    lose less by every cause, and differ from a system that loses the same in every row.
    """

    name = "loss"
    title = "lost"
    OPTIONS = StructIoU.OPTIONS
    MEASURES = _CAUSE_MEASURES
    RESULT = Result


def _loss_shares(part: Compared) -> Compared:
    """The same rows of the same systems, with what each cause takes."""
    # Of several references, each system may be compared with another one: all get the same denominator.
    columns = [result.columns["n_ref"] for result in part.there.values()]
    n_ref = array("d", map(fmean, zip(*columns, strict=True)))
    shares = [None if result is None else _as_shares(result, n_ref) for result in part.results]
    return Compared(_LossShares(), shares)


def _as_shares(result: CorpusScore | Any, n_ref: array[float]) -> Result:
    columns = {**result.losses.columns, "n_ref": n_ref}
    shares: Result = result_of(_LossShares(), Counts(columns, result.status, {}, rows=result.rows))
    return shares


def _compare_causes(
    part: Compared,
    clusters: Sequence[Hashable] | None,
    resampling: Resampling,
    baseline: int | None,
    progress: bool,
) -> CauseComparison:
    """What systems lose by which cause, with tests of all pairs and causes that are corrected together."""
    shares = _loss_shares(part)
    tables = {
        i: join_clusters(sample_columns(result, part.rows), clusters) for i, result in shares.there.items()
    }
    figures, differences = _test([shares], [tables], resampling, baseline, progress)
    found = CauseComparison(figures, differences)
    keys = [(pair, cause) for pair in differences for cause in found.causes]
    corrected = holm(differences[pair][cause].p_randomization for pair, cause in keys)
    for (pair, cause), p_holm in zip(keys, corrected, strict=True):
        old = differences[pair][cause]
        differences[pair][cause] = replace(old, p_holm=p_holm, significant=p_holm < resampling.alpha)
    return found


# ---- figures and tests -----------------------------------------------------------------------------


def _test(
    compared: Sequence[Compared],
    tables: Sequence[Mapping[int, Any]],
    resampling: Resampling,
    baseline: int | None,
    progress: bool,
) -> tuple[list[dict[str, Interval]], dict[tuple[int, int], dict[str, Difference]]]:
    """The figures of each system, and the differences of pairs, from what is resampled by metric."""
    n_systems = len(compared[0].results)
    figures: list[dict[str, Interval]] = [{} for _ in range(n_systems)]
    if baseline is None:
        numbers = [(second, first) for first, second in combinations(range(n_systems), 2)]
    else:
        numbers = [(i, baseline) for i in range(n_systems) if i != baseline]
    differences: dict[tuple[int, int], dict[str, Difference]] = {pair: {} for pair in numbers}
    samples = _draw(tables, resampling, progress)
    for m, part in enumerate(compared):
        if not part.rows:
            continue
        bootstrap, place = samples[m]
        exact = {i: values for i, values in enumerate(part.figures()) if values is not None}
        pairs = [pair for pair in numbers if exact.keys() >= set(pair)]
        swaps = [
            Randomization(
                tables[m][a], tables[m][b], n_resamples=resampling.n_resamples, seed=resampling.seed
            )
            for a, b in pairs
        ]
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
    return figures, differences


def _draw(
    tables: Sequence[Mapping[int, Any]], resampling: Resampling, progress: bool
) -> dict[int, tuple[Bootstrap, dict[int, int]]]:
    """The samples of each metric and the systems' places in them; sides with as many sentences share them."""
    found: dict[int, tuple[Bootstrap, dict[int, int]]] = {}
    n_rows = [len(next(iter(next(iter(own.values())).values()))) if own else 0 for own in tables]
    for size in dict.fromkeys(filter(None, n_rows)):
        there = [(m, i) for m, own in enumerate(tables) if n_rows[m] == size for i in own]
        bootstrap = Bootstrap(
            [tables[m][i] for m, i in there],
            n_resamples=resampling.n_resamples,
            seed=resampling.seed,
            progress=progress,
        )
        for place, (m, i) in enumerate(there):
            found.setdefault(m, (bootstrap, {}))[1][i] = place
    return found


def _marks(
    compared: Sequence[Compared],
    figures: Sequence[Mapping[str, Interval]],
    pairs: Sequence[SystemPair],
    baseline: int | None,
) -> list[dict[str, str]]:
    """Letters by system and measure, or a star where the system differs from the baseline."""
    marks: list[dict[str, str]] = [{} for _ in figures]
    measures = [item for part in compared for item in compared_measures(part.metric.MEASURES).items()]
    for key, measure in measures:
        there = [i for i, found in enumerate(figures) if key in found]
        different = [
            (pair.first, pair.second)
            for pair in pairs
            if key in pair.differences and pair.differences[key].significant
        ]
        there.sort(key=lambda i: figures[i][key].value, reverse=measure.higher_is_better)
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
    """How many rows of a system are not plainly valid, by metric; and its figures over rows of its own."""
    found = [(part, part.there[i]) for part in compared if i in part.there]
    counts = {part.metric.name: {name: getattr(result, name) for name in _COUNTS} for part, result in found}
    own = {
        key: result.figures[key]
        for part, result in found
        if result.n_counted != len(part.rows)
        for key in compared_measures(part.metric.MEASURES)
    }
    return counts, own


def _failed(result: Any, rows: Sequence[int]) -> list[bool]:
    """Whether a system has no parse of a sentence that could be compared."""
    failed = {row for row, state in zip(result.rows, result.status, strict=True) if state in (EMPTY, ZEROED)}
    return [row in failed for row in rows]


def _sentences(
    n_words: Any, lost: Any, failed: Any, compared: Sequence[Compared]
) -> tuple[list[SentenceRow], list[SentenceRow]]:
    """The sentences on which the systems differ, and those that some could not parse; see `Comparison`."""
    np = need("numpy", "compare", "a comparison of systems")
    main, *others = compared
    rows = np.asarray(main.rows)
    scores = np.array(main.values(main.metric.headline), dtype=float)
    nothing = (None,) * len(scores)
    by_key = {}
    for part in others:
        values = zip(*part.values(part.metric.headline), strict=True)
        by_key[part.metric.headline] = dict(zip(part.rows, values, strict=True))
    any_failed = failed.any(axis=0)
    differ = scores.max(axis=0) - scores.min(axis=0) >= _EQUAL
    # Rounded, for sums of the same nodes in another order are not equal to the last bit.
    order = np.lexsort((rows, -np.round(lost.max(axis=0) - lost.min(axis=0), 9)))

    def take(places: Any) -> list[SentenceRow]:
        columns = (rows[places], n_words[places], scores[:, places].T, lost[:, places].T)
        marked = failed[:, places].T
        without = [tuple(np.flatnonzero(flags).tolist()) for flags in marked] if marked.any() else repeat(())
        return [
            SentenceRow(
                row,
                number,
                tuple(values),
                tuple(masses),
                systems,
                {key: found.get(row, nothing) for key, found in by_key.items()},
            )
            for (row, number, values, masses), systems in zip(
                zip(*(column.tolist() for column in columns), strict=True), without, strict=False
            )
        ]

    return take(order[(differ & ~any_failed)[order]]), take(order[any_failed[order]])


def _check_clusters(clusters: Iterable[Hashable], n_rows: int) -> list[Hashable]:
    """The clusters as a list; refuses what does not name one for each sentence."""
    if isinstance(clusters, str) or not isinstance(clusters, Iterable):
        raise TypeError(f"clusters must be a list with a value for each sentence, not {clusters!r}")
    found = list(clusters)
    if len(found) != n_rows:
        raise ValueError(f"{count(len(found), 'cluster')} for {count(n_rows, 'sentence')}; name one for each")
    set(found)  # what cannot be a key is refused here, too
    for row, cluster in enumerate(found):
        if cluster is None or cluster != cluster:  # what is missing in a table may be NaN
            raise ValueError(f"row {row + 1} is in no cluster; name one for each sentence")
    return found

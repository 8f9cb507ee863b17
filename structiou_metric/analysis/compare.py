"""`compare`: several systems on the same sentences, with how sure each difference is.

All systems are compared on the same sentences. STRUCT-IoU leaves out those that any system skips
(`on_error="skip"`), ParsEval those that are errors or left out for any system; both are counted, and
the figures of a system over all of its own sentences are given beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..metrics.parseval.parameters import as_parameters
from ..metrics.struct_iou.metric import StructIoU
from ..optional import need
from ..sources.rows import as_rows, check_as_many
from ..wording import count
from .common_rows import common_parseval, common_tallies, no_parseval
from .comparison import MEASURES, Comparison, Difference, Resampling, SystemPair, SystemScores
from .corrections import group_letters, holm
from .groups import LENGTHS, Compared, SentenceRow, check_bounds, compare_labels, count_words, group_by_length
from .resampling import Bootstrap, Interval, PairedTest, Randomization, check_count, check_level

if TYPE_CHECKING:
    from ..metrics.parseval.metric import ParsevalScore
    from ..metrics.struct_iou.result import CorpusScore
    from ..sources.rows import Rows

_FEW = 30  # sentences; with fewer a bootstrap is not to be trusted
_EQUAL = 1e-12  # scores this close are the same, for sums are rounded


def compare(
    references: Iterable[Any] | Rows,
    systems: Mapping[str, Iterable[Any] | Rows],
    *,
    metric: StructIoU | None = None,
    baseline: str | None = None,
    parseval: bool = True,
    parameters: Any = None,
    lengths: Sequence[int] = LENGTHS,
    level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 1,
    workers: int = 1,
    progress: bool = False,
) -> Comparison:
    """Compares systems by their predictions for the same sentences.

    >>> references = ["(S (NP (PRP we)) (VP (VBP run)))", "(INTJ (UH yes))"]
    >>> systems = {"old": ["(S (NP (PRP we)) (NP (NN run)))", "()"], "new": references}
    >>> found = compare(references, systems, parseval=False, n_resamples=100)
    >>> [(system.name, system.figures["struct_iou_sentence"].value) for system in found.systems]
    [('old', 0.3), ('new', 1.0)]
    >>> found.pairs[0].differences["struct_iou_sentence"].p_randomization  # 2 of 4 possible swaps
    0.5

    Args:
        references: Trees, in any shape that `StructIoU.corpus_score` takes; or rows of trees such as a
            `files.TreeFile`.
        systems: The predictions of each system by its name, as many as references.
        metric: STRUCT-IoU with its options; by default with none set.
        baseline: The system that all others are tested against; by default all pairs are tested.
        parseval: Whether to compute ParsEval, too.
        parameters: Of ParsEval, as `parseval` takes them.
        lengths: The most words of each group of sentences by length; one more group is open.
        level: Of the intervals; differences are significant below 1 minus that.
        n_resamples: Samples for intervals and tests.
        seed: Of the samples; the same seed gives the same results.
        workers: Threads.
        progress: Whether a terminal shows a progress bar when this takes long.
    """
    need("numpy", "compare", "a comparison of systems")  # this and all checks before the work starts
    check_count(n_resamples)
    check_level(level)
    check_bounds(lengths)
    parameters = None if parameters is None else as_parameters(parameters)
    refs = as_rows(references, "references")
    names = list(systems)
    rows = [as_rows(trees, name) for name, trees in systems.items()]
    _check_systems(rows, refs)
    base = None if baseline is None else _find(baseline, names)
    metric = metric or StructIoU()
    scores = [
        metric.score_rows(predictions, refs, workers=workers, progress=progress) for predictions in rows
    ]
    struct, notes = common_tallies(names, scores, len(refs))
    other = no_parseval(len(names))
    found: dict[int, ParsevalScore] = {}
    if parseval:
        other, found = common_parseval(names, refs, rows, metric, parameters, notes)
    if len(struct.rows) < _FEW:
        notes.append(
            f"With {count(len(struct.rows), 'sentence')} the bootstrap is too sure of itself: its intervals "
            "are too narrow and its p-values too small. Trust the randomisation."
        )
    resampling = Resampling(level, n_resamples, seed)
    compared = {"struct_iou": struct, "parseval": other}
    figures, pairs = _test(compared, resampling, base, progress)
    if pairs and len(pairs) / (n_resamples + 1) >= resampling.alpha:  # that is the least p
        enough = int(len(pairs) / resampling.alpha + 1e-9)
        notes.append(
            f"With {count(n_resamples, 'resample')} no difference can be significant, for p is multiplied by "
            f"the number of pairs, {len(pairs)}. Take more, at least {enough}."
        )
    marks = _marks(figures, pairs, base)
    n_words = [length or 0 for length in count_words(refs, metric.options)]  # 0 of unreadable ones
    left_out = set(range(len(refs))).difference(struct.rows)
    signatures = {"struct_iou": metric.signature}
    if found:
        signatures["parseval"] = next(iter(found.values())).signature
    return Comparison(
        systems=[
            SystemScores(
                name,
                figures[i],
                marks[i],
                _counts(scores[i], found.get(i)),
                _own_figures(scores[i], found.get(i), struct, other),
            )
            for i, name in enumerate(names)
        ],
        pairs=pairs,
        baseline=base,
        lengths=group_by_length(n_words, lengths, struct, other),
        labels=compare_labels(refs, rows, metric.options, left_out),
        sentences=_sentences(n_words, struct, other),
        n_rows=len(refs),
        n_sentences=len(struct.rows),
        n_parseval=len(other.rows),
        resampling=resampling,
        signatures=signatures,
        notes=notes,
        metric=metric,
        trees=(refs, rows),
    )


def _check_systems(systems: Sequence[Rows], references: Rows) -> None:
    if not systems:
        raise ValueError("there are no systems to compare")
    for predictions in systems:
        check_as_many(predictions, references)


def _find(baseline: str, names: Sequence[str]) -> int:
    if baseline not in names:
        raise ValueError(f"there is no system {baseline!r}; choose the baseline from {', '.join(names)}")
    return names.index(baseline)


# ---- figures and tests -----------------------------------------------------------------------------


def _test(
    compared: Mapping[str, Compared], resampling: Resampling, baseline: int | None, progress: bool
) -> tuple[list[dict[str, Interval]], list[SystemPair]]:
    """Figures of each system, and the pairs of systems."""
    n_systems = len(compared["struct_iou"].columns)
    figures: list[dict[str, Interval]] = [{} for _ in range(n_systems)]
    if baseline is None:
        numbers = [(second, first) for first, second in combinations(range(n_systems), 2)]
    else:
        numbers = [(i, baseline) for i in range(n_systems) if i != baseline]
    differences: dict[tuple[int, int], dict[str, Difference]] = {pair: {} for pair in numbers}
    for name, part in compared.items():
        there = {i: columns for i, columns in enumerate(part.columns) if columns is not None}
        if not there:
            continue
        measures = {key: measure for key, measure in MEASURES.items() if measure.metric == name}
        place = {i: k for k, i in enumerate(there)}
        bootstrap = Bootstrap(
            list(there.values()), n_resamples=resampling.n_resamples, seed=resampling.seed, progress=progress
        )
        for key, measure in measures.items():
            for i, k in place.items():
                figures[i][key] = bootstrap.interval(k, measure.statistic, level=resampling.level)
        pairs = [pair for pair in numbers if there.keys() >= set(pair)]
        tests: dict[str, list[PairedTest]] = {key: [] for key in measures}
        for a, b in pairs:
            swaps = Randomization(
                there[a], there[b], n_resamples=resampling.n_resamples, seed=resampling.seed
            )
            for key, measure in measures.items():
                tests[key].append(swaps.test(measure.statistic))
        for key, measure in measures.items():
            corrected = holm(test.p_value for test in tests[key])
            for (a, b), test, p_holm in zip(pairs, tests[key], corrected, strict=True):
                differences[a, b][key] = Difference(
                    bootstrap.difference(place[a], place[b], measure.statistic, level=resampling.level),
                    bootstrap.test(place[a], place[b], measure.statistic).p_value,
                    test.p_value,
                    test.exact,
                    p_holm,
                    p_holm < resampling.alpha,
                )
    return figures, [
        SystemPair(a, b, found, _deltas(compared["struct_iou"], a, b))
        for (a, b), found in differences.items()
    ]


def _deltas(struct: Compared, a: int, b: int) -> list[float]:
    scores = [columns["score"] for columns in struct.columns if columns]  # every system has them
    deltas: list[float] = (scores[a] - scores[b]).tolist()
    return [0.0 if abs(delta) < _EQUAL else delta for delta in deltas]


def _marks(
    figures: Sequence[Mapping[str, Interval]], pairs: Sequence[SystemPair], baseline: int | None
) -> list[dict[str, str]]:
    """By system and measure, letters, or a star where it differs from the baseline."""
    marks: list[dict[str, str]] = [{} for _ in figures]
    for key in MEASURES:
        there = [i for i, found in enumerate(figures) if key in found]
        different = [
            (pair.first, pair.second)
            for pair in pairs
            if key in pair.differences and pair.differences[key].significant
        ]
        if baseline is not None:
            stars = {first for first, _ in different}  # the second is the baseline
            letters = {i: "*" if i in stars else "" for i in there}
        elif len(there) > 1:
            there.sort(key=lambda i: -figures[i][key].value)
            rank = {i: k for k, i in enumerate(there)}
            groups = group_letters(len(there), [(rank[a], rank[b]) for a, b in different])
            letters = dict(zip(there, groups, strict=True))
        else:
            letters = dict.fromkeys(there, "")
        for i, text in letters.items():
            marks[i][key] = text
    return marks


def _counts(score: CorpusScore, parseval: ParsevalScore | None) -> dict[str, int]:
    counts = {"n_empty": score.n_empty, "n_zeroed": score.n_zeroed, "n_skipped": score.n_skipped}
    if parseval is not None:
        counts |= {"n_parseval_errors": parseval.n_errors, "n_parseval_skipped": parseval.n_skipped}
    return counts


def _own_figures(
    score: CorpusScore, parseval: ParsevalScore | None, struct: Compared, other: Compared
) -> dict[str, float]:
    """Figures over the rows of the system's own, where these are not those of the comparison."""
    own = {}
    if len(score.sentences) != len(struct.rows):
        for key in ("sentence", "corpus", "precision", "recall"):
            own[f"struct_iou_{key}"] = getattr(score, key)
    if parseval is not None and parseval.n_valid != len(other.rows):
        for key in ("f1", "precision", "recall"):
            own[f"parseval_{key}"] = getattr(parseval, key)
    return own


def _sentences(n_words: Sequence[int], struct: Compared, other: Compared) -> list[SentenceRow]:
    """The sentences on which the systems differ, the most different first."""
    scores = zip(*(columns["score"].tolist() for columns in struct.columns if columns), strict=True)
    nothing = (None,) * len(struct.columns)
    parseval = dict(zip(other.rows, other.by_sentence("bracket_f1"), strict=True))
    found = [
        SentenceRow(row, n_words[row], values, parseval.get(row, nothing))
        for row, values in zip(struct.rows, scores, strict=True)
        if max(values) - min(values) >= _EQUAL
    ]
    return sorted(found, key=lambda sentence: (-sentence.spread, sentence.row))

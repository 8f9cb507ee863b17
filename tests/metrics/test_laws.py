"""Laws that every metric of `METRICS` keeps."""

from __future__ import annotations

import pickle
from fractions import Fraction
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.corpus import make_corpus
from structiou_metric import COMPILED
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.metrics.base import COUNTED
from structiou_metric.metrics.results import figures_over
from structiou_metric.metrics.runner import score_all
from structiou_metric.sources.files import TreeFile
from structiou_metric.stats.columns import sample_columns, statistic
from support.examples import examples
from support.paths import DATA
from support.strategies import tree_pairs
from support.twin import source_twin

PAIRS = st.lists(
    st.one_of(
        tree_pairs(6, allow_multiword_leaves=False).map(lambda pair: (pair[0].brackets, pair[1].brackets)),
        st.sampled_from([("()", "(S (A w0))"), ("()", "()"), ("(A w0)", "(A w0)")]),
    ),
    min_size=1,
    max_size=6,
)

every_metric = pytest.mark.parametrize("name", METRICS)


def score(name, pairs, **options):
    metric = load_metric(name, on_error="zero", **options)
    return metric.corpus_score([pair[0] for pair in pairs], [pair[1] for pair in pairs])


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    return source_twin(tmp_path_factory.mktemp("twin"))


@pytest.fixture(scope="module")
def english():
    return tuple(TreeFile.read(DATA / f"english.{side}") for side in ("prediction.txt", "reference.mrg"))


@every_metric
def test_identity_is_the_best_score(name, english):
    result = load_metric(name).corpus_score(english[1], english[1])
    for key, measure in result.metric.MEASURES.items():
        best = measure.highest if measure.higher_is_better else measure.lowest
        assert result.figures[key] == best, key


@every_metric
@given(PAIRS)
@examples(50)
def test_figures_stay_in_their_range(name, pairs):
    result = score(name, pairs)
    for key, measure in result.metric.MEASURES.items():
        for value in (result.figures[key], *(v for v in result.values(key) if v is not None)):
            assert (
                measure.lowest
                <= value
                <= (float("inf") if measure.highest is None else measure.highest + 1e-12)
            )


@every_metric
@given(PAIRS, st.randoms(use_true_random=False))
@examples(50)
def test_order_of_rows_changes_no_figure(name, pairs, rng):
    shuffled = list(pairs)
    rng.shuffle(shuffled)
    assert score(name, shuffled).figures == score(name, pairs).figures


@given(PAIRS, st.sampled_from([1, 2]))
@examples(50)
def test_metrics_find_together_what_each_finds_alone(pairs, workers):
    sides = list(zip(*pairs, strict=True))
    metrics = [load_metric(name, on_error="zero") for name in METRICS]
    for metric, found in zip(metrics, score_all(metrics, *sides, workers=workers), strict=True):
        alone = score(metric.name, pairs)
        assert found.metric == metric
        assert (found.columns, found.status) == (alone.columns, alone.status)
        assert found.as_dict(by_label=metric.LABEL is not None) == alone.as_dict(
            by_label=metric.LABEL is not None
        )


@every_metric
@given(PAIRS, st.integers(0, 6))
@examples(50)
def test_parts_make_the_whole(name, pairs, cut):
    whole = score(name, pairs)
    parts = [score(name, part) for part in (pairs[:cut], pairs[cut:]) if part]
    joined = type(whole).joined(parts)
    assert joined.figures == whole.figures
    assert joined.columns == whole.columns
    assert joined.status == whole.status
    assert list(joined.rows) == list(whole.rows)
    assert [row for row, _ in joined.problems] == [row for row, _ in whole.problems]


@every_metric
def test_workers_change_nothing(name, english):
    metric = load_metric(name)
    alone, together = (metric.corpus_score(*english, workers=workers) for workers in (1, 3))
    assert together.columns == alone.columns
    assert together.figures == alone.figures
    assert together.problems == alone.problems


@every_metric
def test_counting_labels_changes_no_figure(name, english):
    metric = load_metric(name)
    if metric.LABEL is None:
        with pytest.raises(ValueError, match="does not count by label"):
            _ = metric.corpus_score(*english).by_label
        return
    plain, counted = (metric.corpus_score(*english, by_label=labels) for labels in (False, True))
    assert counted.columns == plain.columns
    assert counted.figures == plain.figures
    assert counted.by_label == plain.by_label


@every_metric
def test_empty_parse_is_never_better_than_a_parse(name):
    reference = "(S (NP (A a)) (VP (B b) (NP (C c))))"
    result = load_metric(name).corpus_score(["()", reference], [reference, reference])
    for key, measure in result.metric.MEASURES.items():
        empty, full = result.values(key)
        if measure.compared and empty is not None:
            assert (empty < full) is measure.higher_is_better


@every_metric
@pytest.mark.parametrize("on_error", ["zero", "skip"])
def test_unreadable_rows_are_counted_and_told(name, on_error):
    trees = ["(S (NP (A a)) (B b))", "(S (A a)", "(S (NP (A a)) (B b))"]
    good = [trees[0]] * 3
    metric = load_metric(name, on_error=on_error)
    result = metric.corpus_score(trees, good)
    assert [row for row, _ in result.problems] == [1]
    assert len(result) == 3
    assert result.n_zeroed + result.n_errors + result.n_skipped == 1
    assert (result.status[1] in COUNTED) is (result.n_zeroed == 1)
    with pytest.raises(ValueError, match=r"predictions\[1\]"):
        load_metric(name).corpus_score(trees, good)


GOOD, BROKEN = "(S (NP (A a)) (VP (B b) (C c)))", "(S (A a)"
counts_zeroed = pytest.mark.parametrize("name", [name for name in METRICS if name != "parseval"])


def check_zeroed(result, share):
    """Whether figures from 0 to 1 are a share of those of perfect rows; other doors make the same of them."""
    numpy = pytest.importorskip("numpy")
    measures = result.metric.MEASURES
    columns = sample_columns(result)
    sums = {name: numpy.array([column.sum()] * 2) for name, column in columns.items()}
    for key, measure in measures.items():
        if measure.higher_is_better:
            assert result.figures[key] == share, key
            assert result.tally().result().figures[key] == share, key
            assert figures_over(result, range(len(result)))[key] == share, key
            if measure.compared:
                assert statistic(key, measure)(sums).tolist() == [share] * 2, key


@counts_zeroed
@pytest.mark.parametrize(
    "rows, share",
    [
        pytest.param([BROKEN], 0.0, id="nothing readable"),
        pytest.param([BROKEN] * 3, 0.0, id="nothing readable in three rows"),
        pytest.param([GOOD, BROKEN], 0.5, id="one of two rows"),
        pytest.param([GOOD, BROKEN, GOOD, GOOD], 0.75, id="one of four rows"),
    ],
)
def test_rows_broken_on_both_sides_count_as_rows_of_average_size(name, rows, share):
    result = load_metric(name, on_error="zero").corpus_score(rows, rows)
    assert result.n_zeroed == rows.count(BROKEN)
    check_zeroed(result, share)
    parts = [load_metric(name, on_error="zero").corpus_score([row], [row]).tally() for row in rows]
    merged = sum(tally.moved(row) for row, tally in enumerate(parts)).result()
    assert merged.figures == result.figures


def test_parseval_counts_broken_rows_where_it_counts_errors():
    metric = load_metric("parseval", on_error="zero", count_empty=True, count_errors=True)
    for rows, share in (([BROKEN], 0.0), ([GOOD, BROKEN], 0.5)):
        check_zeroed(metric.corpus_score(rows, rows), share)


@counts_zeroed
def test_rows_broken_on_one_side_count_the_nodes_of_the_other(name):
    """A broken prediction costs recall what its reference has, and precision nothing."""
    result = load_metric(name, on_error="zero").corpus_score([GOOD, BROKEN], [GOOD, GOOD])
    for key, measure in result.metric.MEASURES.items():
        if measure.mean or "only" in key:  # no tree is discontinuous
            continue
        if "precision" in key:
            assert result.figures[key] == 1.0, key
        elif "recall" in key:
            assert result.figures[key] == 0.5, key


@counts_zeroed
def test_skipped_rows_alone_are_no_figure_of_1(name):
    metric = load_metric(name, on_error="skip")
    if name == "struct_iou":
        with pytest.raises(ValueError, match="all 1 pairs were skipped"):
            metric.corpus_score([BROKEN], [BROKEN])
        return
    result = metric.corpus_score([BROKEN], [BROKEN])
    assert {result.figures[key] for key, m in metric.MEASURES.items() if m.higher_is_better} == {0.0}


@every_metric
@given(PAIRS)
@examples(50)
def test_means_are_rounded_once(name, pairs):
    result = score(name, pairs)
    for key, measure in result.metric.MEASURES.items():
        values = [value for value in result.values(key) if value is not None]
        if measure.mean and values:
            assert result.figures[key] == float(sum(map(Fraction, values)) / len(values)), key
            assert result.tally().result().figures[key] == result.figures[key]


@every_metric
def test_metric_pickles_and_tells_its_options(name, english):
    metric = load_metric(name)
    again = pickle.loads(pickle.dumps(metric))
    assert again == metric
    assert again.signature == metric.signature
    assert again.corpus_score(*english).figures == metric.corpus_score(*english).figures
    assert metric.signature.endswith(load_metric(name).signature.rpartition("|")[2])


@every_metric
def test_every_option_is_told_apart(name):
    metric = load_metric(name)
    for option, told in metric.OPTIONS.items():
        assert told.help, option
        for choice in told.choices[1:]:
            other = load_metric(name, **{option: choice})
            assert other != metric
            assert getattr(other.options, option) == choice
        if told.choices:
            assert told.default == told.choices[0], option
            with pytest.raises(ValueError, match=f"unknown {option} 'nonsense'; choose from "):
                load_metric(name, **{option: "nonsense"})
    with pytest.raises(TypeError, match="unknown option 'nonsense'"):
        load_metric(name, nonsense=1)


@every_metric
def test_measures_are_functions_of_sums(name, english):
    """What resampling does with numpy's arrays of sums is what a score does with numbers."""
    numpy = pytest.importorskip("numpy")
    result = load_metric(name).corpus_score(*english)
    for key, measure in result.metric.MEASURES.items():
        if measure.mean:
            continue
        sums = [numpy.array([sum(result.columns[column])] * 2, dtype=float) for column in measure.columns]
        for value in measure.formula(*sums):
            assert isclose(value, result.figures[key], rel_tol=1e-12), key


@pytest.mark.skipif(not COMPILED, reason="the twin is the package itself")
@every_metric
def test_uncompiled_gives_the_same(name, twin):
    metric = load_metric(name, on_error="zero")
    there = twin.metrics.load_metric(name, on_error="zero")
    corpus = make_corpus(25)
    pairs = [*zip(corpus.predictions, corpus.references, strict=True), ("()", "(S (A w0))"), ("(S", "()")]
    sides = list(zip(*pairs, strict=True))
    ours, theirs = metric.corpus_score(*sides), there.corpus_score(*sides)
    assert ours.as_dict(per_sentence=True) == theirs.as_dict(per_sentence=True)


def test_unknown_metric_names_the_choices():
    with pytest.raises(ValueError, match="unknown metric 'bleu'; choose from struct_iou, parseval"):
        load_metric("bleu")

"""Tallies and accumulators: what rows add up to, whatever the grouping, the order and the place."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from multiprocessing import get_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import StructIoU, read_trees
from structiou_metric._core.flat import MASS_SCALE
from structiou_metric.errors import TreeMismatchError
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.metrics.accumulator import Accumulator
from structiou_metric.metrics.results import figures_over
from structiou_metric.metrics.tally import MOST_PROBLEMS, CorpusTally, merge_tallies
from structiou_metric.metrics.tallying import Piece, tally_pieces
from structiou_metric.sources.rows import ListRows
from support.examples import examples
from support.paths import DATA
from support.strategies import tree_pairs

PAIRS = st.lists(
    st.one_of(
        tree_pairs(6, allow_multiword_leaves=False).map(lambda pair: (pair[0].brackets, pair[1].brackets)),
        st.sampled_from(
            [
                ("()", "(S (A w0))"),
                ("()", "()"),
                ("(A w0)", "(A w0)"),
                ("(A w0", "(A w0)"),
                ("(A a)", "(A b)"),
            ]
        ),
    ),
    min_size=1,
    max_size=8,
)
every_metric = pytest.mark.parametrize("name", METRICS)


def accumulated(metric, pairs, **more):
    gathered = Accumulator(metric, **more)
    gathered.update([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    return gathered


def counts_labels(metric):
    return metric.LABEL is not None


def figures_of(result):
    """All that a result tells of all rows, but for the places of single ones."""
    found = result.as_dict(by_label=counts_labels(result.metric))
    found.pop("evalb_stops_at", None)
    found.pop("warnings")
    found.pop("problems", None)
    return {**found, **result.figures}


@every_metric
@given(PAIRS, st.data())
@examples(40)
def test_splits_orders_and_merges_change_no_bit(name, pairs, data):
    metric = load_metric(name, on_error="zero")
    labels = counts_labels(metric)
    whole = metric.corpus_score([p for p, _ in pairs], [r for _, r in pairs], by_label=labels)
    if name == "aligned_parseval":  # it pairs sentences of whole texts by itself
        shuffled, cuts = pairs, []
    else:
        shuffled = data.draw(st.permutations(pairs))
        cuts = data.draw(st.lists(st.integers(0, len(pairs)), max_size=4).map(sorted))
    edges = [0, *cuts, len(pairs)]
    parts = [accumulated(metric, shuffled[lo:hi], by_label=labels) for lo, hi in pairwise(edges)]
    while len(parts) > 1:  # merged in any order, some of them after a journey
        other = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        if data.draw(st.booleans()):
            other = pickle.loads(pickle.dumps(other))
        elif data.draw(st.booleans()):
            state = json.loads(json.dumps(other.state_dict()))
            other = Accumulator(metric, by_label=labels)
            other.load_state_dict(state)
        parts[data.draw(st.integers(0, len(parts) - 1))].merge(other)
    found = parts[0].compute()
    assert figures_of(found) == figures_of(whole)
    assert len(found) == len(whole)
    assert len(parts[0]) == len(whole)


@given(PAIRS)
@examples(60)
def test_sums_are_those_of_fractions(pairs):
    metric = StructIoU(on_error="zero")
    result = metric.corpus_score([p for p, _ in pairs], [r for _, r in pairs], by_label=True)
    tally = result.tally()
    matched = sum(map(Fraction, result.columns["matched"]), Fraction(0))
    assert tally.totals["matched"] == matched
    scores = [value for value in result.values("struct_iou_sentence") if value is not None]
    total, n_rows = tally.means["struct_iou_sentence"]
    assert total == sum(map(Fraction, scores), Fraction(0))
    assert n_rows == len(scores)
    by_label = Fraction(sum(sums[0] for sums in tally.labels.values()), 1 << MASS_SCALE)
    assert float(by_label) == pytest.approx(float(matched), abs=1e-12)


def test_masses_by_label_are_the_sums_of_single_rows():
    predictions, references = english()
    metric = StructIoU(labels="base")
    wanted: dict[str, Fraction] = {}
    for prediction, reference in zip(predictions, references, strict=True):
        for pred, _, iou in metric.align(prediction, reference).pairs:
            label = pred.label.split("-")[0] or pred.label
            wanted[label] = wanted.get(label, Fraction(0)) + Fraction(iou)
    found = metric.corpus_score(predictions, references, by_label=True).by_label
    for label, tally in found.items():
        assert tally.matched_pred == float(wanted.get(label, Fraction(0))), label


def english():
    return (
        [tree.to_brackets() for tree in read_trees(DATA / "english.prediction.txt")],
        [tree.to_brackets() for tree in read_trees(DATA / "english.reference.mrg")],
    )


def test_sections_confusions_and_losses_survive():
    predictions, references = english()
    short = load_metric("parseval").options.parameters._replace(cutoff=15)
    metrics = (load_metric("parseval", parameters=short), load_metric("aligned_parseval", parameters=short))
    for metric in (*metrics, StructIoU().explaining()):
        labels = counts_labels(metric)
        whole = metric.corpus_score(predictions, references, by_label=labels)
        gathered = Accumulator(metric, by_label=labels)
        for lo in range(0, len(predictions), 7):
            gathered.update(predictions[lo : lo + 7], references[lo : lo + 7])
        found = pickle.loads(pickle.dumps(gathered)).compute()
        assert figures_of(found) == figures_of(whole)
        if metric.name == "parseval":
            assert found.short == whole.short != whole.total
            assert (found.confusions, found.tag_confusions) == (whole.confusions, whole.tag_confusions)
            assert whole.confusions
        if metric.name == "struct_iou":
            assert found.losses.as_dict() == whole.losses.as_dict()


def score_part(part):
    return accumulated(StructIoU(unit="char"), part, by_label=True)


def test_processes_and_threads():
    pairs = list(zip(*english(), strict=True))
    whole = score_part(pairs).compute()
    parts = [pairs[lo : lo + 11] for lo in range(0, len(pairs), 11)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        far = Accumulator(StructIoU(unit="char"), by_label=True)
        for part in pool.map(score_part, parts[::-1]):
            far.merge(part)
    near = Accumulator(StructIoU(unit="char"), by_label=True)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda part: near.update(*map(list, zip(*part, strict=True))), parts))
        list(pool.map(near.merge, [score_part(part) for part in parts]))
    assert figures_of(far.compute()) == figures_of(whole)
    assert len(near) == 2 * len(pairs)
    assert near.compute().corpus == whole.corpus
    twice = sum([score_part(pairs).tally, score_part(pairs).tally])
    assert near.tally.labels == twice.labels


def test_state_is_plain_and_goes_on():
    gathered = accumulated(
        StructIoU(on_error="zero"), [("(S (A a) (B b))", "(S (A a) (C b))"), ("(A a", "(A a)")]
    )
    state = json.loads(json.dumps(gathered.state_dict()))
    assert state["schema"] == "structiou.tally.v1"
    assert state["figures"]["struct_iou_sentence"] == pytest.approx((4 / 6 + 0) / 2)
    assert state["states"] == {"valid": 1, "error": 0, "skipped": 0, "empty": 0, "zeroed": 1}
    tally = CorpusTally.from_dict(state)
    assert tally == gathered.tally == gathered.compute().tally()
    assert tally.metric == gathered.metric
    other = Accumulator(StructIoU())
    with pytest.raises(
        ValueError, match=r"the tally is of structiou.*on_error:zero.*give from_dict the metric"
    ):
        other.load_state_dict(state)
    with pytest.raises(ValueError, match="this is no tally: its schema is None"):
        CorpusTally.from_dict({})
    gathered.reset()
    with pytest.raises(ValueError, match="no trees to score"):
        gathered.compute()


@every_metric
def test_tallies_of_every_metric_through_json(name):
    predictions, references = english()
    metric = load_metric(name)
    result = metric.corpus_score(predictions, references, by_label=counts_labels(metric))
    state = json.loads(json.dumps(result.tally().to_dict()))
    assert CorpusTally.from_dict(state) == result.tally()
    assert figures_of(CorpusTally.from_dict(state, metric).result()) == figures_of(result)


def test_other_settings_do_not_merge():
    one = StructIoU().corpus_score(["(S (A a))"], ["(S (A a))"]).tally()
    other = StructIoU(labels="ignore").corpus_score(["(S (A a))"], ["(S (A a))"]).tally()
    with pytest.raises(ValueError, match=r"tallies of different settings cannot be merged: .*exact.*ignore"):
        one + other
    with pytest.raises(TypeError):
        one + 1
    with pytest.raises(ValueError, match="there are no tallies to merge"):
        merge_tallies([])
    assert merge_tallies([one]) == one


def test_problems_are_counted_and_the_first_are_kept():
    gathered = Accumulator(StructIoU(on_error="skip"))
    n_bad = MOST_PROBLEMS + 20
    gathered.update(["(A a)"], ["(A a)"])
    for _ in range(n_bad // 10):
        gathered.update(["(A a"] * 10, ["(A a)"] * 10)
    assert gathered.tally.n_problems == n_bad
    result = gathered.compute()
    assert [row for row, _ in result.problems] == list(range(1, MOST_PROBLEMS + 1))
    assert result.problems[7][1].startswith("predictions[8]:1:1: ")
    assert (result.n_skipped, result.n_counted) == (n_bad, 1)


def test_a_failed_batch_adds_nothing():
    gathered = accumulated(StructIoU(), [("(A a)", "(A a)")])
    with pytest.raises(ValueError, match=r"^predictions\[2\]"):
        gathered.update(["(A a)", "(A a"], ["(A a)", "(A a)"])
    with pytest.raises(TreeMismatchError):
        gathered.update(["(A a)"], [])
    assert len(gathered) == 1
    assert gathered.compute().sentence == 1.0


def test_problems_are_numbered_on_when_accumulators_merge():
    good, bad = ("(A a)", "(A a)"), ("(A a", "(A a)")
    metric = StructIoU(on_error="zero")
    gathered = accumulated(metric, [good, bad])
    gathered.merge(accumulated(metric, [bad, good, bad]))
    assert [row for row, _ in gathered.compute().problems] == [1, 2, 4]


def test_labels_that_were_not_counted_everywhere_are_refused():
    metric = StructIoU()
    gathered = accumulated(metric, [("(A a)", "(A a)")], by_label=True)
    gathered.merge(accumulated(metric, [("(B b)", "(B b)")]))
    with pytest.raises(ValueError, match="labels were not counted"):
        gathered.compute().by_label  # noqa: B018
    empty = Accumulator(metric)
    empty.merge(accumulated(metric, [("(B b)", "(B b)")], by_label=True))
    assert list(empty.compute().by_label) == ["B"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda result: result.columns["matched"],
        lambda result: list(result.rows),
        lambda result: result.values("struct_iou_sentence"),
        lambda result: list(result.per_sentence()),
        lambda result: figures_over(result, [0]),
        lambda result: result.sentences[0],
        lambda result: result.picked([0], [0]),
        lambda result: type(result).joined([result, result]),
    ],
)
def test_single_rows_are_refused(ask):
    result = accumulated(StructIoU(), [("(A a)", "(A a)")]).compute()
    with pytest.raises(ValueError, match="has the sums of its rows, not the rows"):
        ask(result)


def test_evalb_stops_over_all_batches():
    metric = load_metric("parseval", compat=True)
    gathered = Accumulator(metric)
    for _ in range(metric.options.parameters.max_error + 1):
        gathered.update(["(S (A a) (B b))"], ["(S (A a))"])
    assert gathered.compute().n_errors == metric.options.parameters.max_error + 1
    gathered.update(["(S (A a) (B b))"], ["(S (A a))"])
    with pytest.raises(TreeMismatchError, match="EVALB stops at number 12"):
        gathered.compute()


def test_groups_of_aligned_parseval_need_rows():
    result = accumulated(load_metric("aligned_parseval"), [("(S (A a))", "(S (A a))")]).compute()
    with pytest.raises(ValueError, match="not the rows"):
        result.sentence_groups  # noqa: B018


@every_metric
def test_results_can_be_pickled(name):
    predictions, references = english()
    metric = load_metric(name)
    result = metric.corpus_score(predictions, references, by_label=counts_labels(metric))
    again = pickle.loads(pickle.dumps(result))
    assert figures_of(again) == figures_of(result)
    assert again.columns == result.columns
    assert again.warnings == result.warnings


def test_a_pickled_result_has_no_way_back_to_the_trees():
    result = StructIoU().corpus_score(*english())
    again = pickle.loads(pickle.dumps(result))
    with pytest.raises(ValueError, match="count losses on the way"):
        again.losses  # noqa: B018
    with pytest.raises(ValueError, match="count them on the way, with by_label=True"):
        again.by_label  # noqa: B018
    assert result.by_label


def test_several_references_are_chosen_from_in_batches_too():
    predictions = ["(S (A a) (B b))", "(S (A a))", "(T (A a))"]
    references = [["(S (A a) (C b))", "(S (A a) (B b))"], "(S (A a))", ["(S (A a))", "(U (A a))"]]
    whole = StructIoU().corpus_score(predictions, references, by_label=True)
    gathered = Accumulator(StructIoU(), by_label=True)
    for prediction, reference in zip(predictions, references, strict=True):
        gathered.update([prediction], [reference])
    found = gathered.compute()
    assert found.sentence == whole.sentence == (1.0 + 1.0 + 0.5) / 3
    assert found.by_label == whole.by_label
    assert found.as_dict()["n_multi_reference"] == 2
    assert found.signature == whole.signature
    assert found.signature.endswith("|references:best")
    assert "references_used" not in found.as_dict()
    again = CorpusTally.from_dict(json.loads(json.dumps(gathered.state_dict())))
    assert again.result().signature == whole.signature


@pytest.mark.parametrize("name", [name for name in METRICS if counts_labels(load_metric(name))])
@pytest.mark.parametrize("on_error", ["zero", "skip"])
@given(PAIRS, st.data())
@examples(40)
def test_labels_of_groups_are_those_of_their_rows_alone(name, on_error, pairs, data):
    if on_error not in load_metric(name).OPTIONS["on_error"].choices:
        pytest.skip(f"{name} knows no on_error {on_error}")
    metric = load_metric(name, on_error=on_error)
    keys = data.draw(st.lists(st.sampled_from(["en", "", None]), min_size=len(pairs), max_size=len(pairs)))
    cuts = data.draw(st.lists(st.integers(0, len(pairs)), max_size=3).map(sorted))
    pieces = []
    for lo, hi in pairwise([0, *cuts, len(pairs)]):
        sides = (ListRows([pair[side] for pair in pairs[lo:hi]], "rows", first=lo) for side in (0, 1))
        pieces.append(Piece(lo, *sides, keys[lo:hi]))
    parts = [tally_pieces(metric, [piece], by_label=True) for piece in data.draw(st.permutations(pieces))]
    merged = pickle.loads(pickle.dumps(merge_tallies(parts)))
    assert merged == tally_pieces(metric, pieces, by_label=True, workers=2)
    assert CorpusTally.from_dict(json.loads(json.dumps(merged.to_dict()))) == merged
    assert set(merged.groups) == set(keys)
    for key, group in merged.groups.items():
        own = [pair for pair, other in zip(pairs, keys, strict=True) if other == key]
        try:
            alone = metric.corpus_score([p for p, _ in own], [r for _, r in own], by_label=True)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error).partition(";")[0]):
                group.result()
            continue
        assert group.labels == alone.tally().labels
        assert group.result().by_label == alone.by_label


def test_groups_of_rows_with_several_references_have_labels():
    metric = StructIoU()
    predictions = ListRows(["(S (A a) (B b))", "(S (A a) (B b))"], "predictions")
    references = ListRows([["(T (C a) (C b))", "(S (A a) (C b))"], "(S (B a) (B b))"], "references")
    tally = tally_pieces(metric, [Piece(0, predictions, references, ["x", "y"])], by_label=True)
    # Of the first row the second reference counts: S and A are matched, B and C are not.
    found = {label: (sums.n_ref, sums.score) for label, sums in tally.groups["x"].result().by_label.items()}
    assert found == {"S": (1, 1.0), "A": (1, 1.0), "C": (1, 0.0), "B": (0, 0.0)}
    assert set(tally.groups["y"].result().by_label) == {"S", "A", "B"}
    assert tally.labels is not None
    assert tally_pieces(metric, [Piece(0, predictions, references, ["x", "y"])]).groups["x"].labels is None


def test_a_tally_is_not_merged_with_itself():
    tally = StructIoU().corpus_score(["(S (A a))"], ["(S (A a))"]).tally()
    with pytest.raises(ValueError, match="a tally cannot be merged with itself"):
        tally += tally
    with pytest.raises(ValueError, match="a tally cannot be merged with itself"):
        tally + tally

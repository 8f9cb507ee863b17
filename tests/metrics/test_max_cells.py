"""`max_cells`: the greatest cost of a pair, in every way to score it."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import StructIoU, TreeMismatchError
from structiou_metric.metrics.tally import CorpusTally
from support.cli import runner, succeeded
from support.examples import examples
from support.extras import need
from support.random_trees import mutate, random_tree


def comb(n, to_the_right, label=lambda k: "S"):
    """Return a tree of `n` nodes below each other, with a word to the left or right of each."""
    tree = "(A a)"
    for k in range(n):
        tree = f"({label(k)} (A a) {tree})" if to_the_right else f"({label(k)} {tree} (A a))"
    return tree


# Left against right is the most costly shape; 300 levels take 9e4 cells times about 900, halved.
RIGHT, LEFT = comb(300, True), comb(300, False)
PREDICTIONS = [RIGHT, "(S (A a))", RIGHT, "(S (A"]
REFERENCES = [LEFT, "(S (A a))", RIGHT, LEFT]
BOUND = 1e6


def test_a_costly_pair_is_refused():
    result = StructIoU(max_cells=BOUND, on_error="zero").corpus_score(PREDICTIONS, REFERENCES, by_label=True)
    assert [row for row, _ in result.problems] == [0, 3]
    assert result.problems[0][1] == (
        "predictions[0] and references[0]: comparing these trees of 601 and 601 nodes takes more than 1e+06 "
        "cells of tables, the limit that is set (max_cells)"
    )
    assert result.values("struct_iou_sentence") == [0.0, 1.0, 1.0, 0.0]  # equal trees cost nothing
    # The sums by label have no node of a pair that was given up.
    assert result.by_label["A"].matched_pred == 1 + 301
    assert "|max_cells:1000000.0|" in result.signature
    with pytest.raises(TreeMismatchError, match=r"more than 1e\+06 cells"):
        StructIoU(max_cells=BOUND).corpus_score(PREDICTIONS, REFERENCES)
    with pytest.raises(TreeMismatchError, match=r"^prediction and reference: .* more than 1e\+06 cells"):
        StructIoU(max_cells=BOUND).align(RIGHT, LEFT)
    skipping = StructIoU(max_cells=BOUND, on_error="skip").corpus_score(PREDICTIONS, REFERENCES)
    assert (skipping.n_skipped, skipping.score) == (2, 1.0)
    assert skipping.tally().result().signature == skipping.signature


def test_the_losses_of_a_refused_pair_are_those_of_a_failed_one():
    metric = StructIoU(max_cells=BOUND, on_error="zero")
    refused = metric.corpus_score([RIGHT], [LEFT]).losses
    assert {cause: lost for cause, lost in refused.by_cause.items() if lost} == {"failed": 1202.0}
    skipping = StructIoU(max_cells=BOUND, on_error="skip")
    for both in (metric, skipping):
        found = both.corpus_score([RIGHT, "(S (A a))"], [LEFT, "(S (B a))"]).losses
        assert list(found.tags) == list(metric.corpus_score(["(S (A a))"], ["(S (B a))"]).losses.tags)


def test_the_signature_names_the_bound_only_if_it_refused_a_pair():
    without = StructIoU().corpus_score([RIGHT], [LEFT])
    bounded = StructIoU(max_cells=1e12).corpus_score([RIGHT], [LEFT])
    assert without.signature == bounded.signature
    assert "max_cells" not in bounded.signature
    assert without.score == bounded.score


@pytest.mark.parametrize("value", [0, -1, "many", float("nan")])
def test_a_bound_is_a_number_above_zero(value):
    with pytest.raises(ValueError, match="max_cells must be"):
        StructIoU(max_cells=value)


@given(seed=st.integers(0, 10**6), terminals=st.sampled_from(StructIoU.OPTIONS["terminals"].choices))
@examples(60)
def test_a_bound_changes_no_figure_of_other_pairs(seed, terminals):
    """A pair that is refused under a bound is also refused under every smaller one."""
    rng = Random(seed)
    references = [random_tree(rng, rng.randint(1, 40), 3) for _ in range(6)]
    predictions = [mutate(rng, tree, rng.randint(0, 20)) for tree in references]
    options = {"terminals": terminals, "on_error": "zero"}
    want = StructIoU(**options).corpus_score(predictions, references)
    refused_before = set(range(6))
    for max_cells in (1, 100, 1_000, 10_000, 1e9):
        found = StructIoU(**options, max_cells=max_cells).corpus_score(predictions, references)
        refused = {row for row, _ in found.problems}
        assert refused <= refused_before
        for row in range(6):
            value = 0.0 if row in refused else want.values("struct_iou_sentence")[row]
            assert found.values("struct_iou_sentence")[row] == value
        refused_before = refused
    assert not refused_before


@pytest.mark.parametrize(
    "prediction, reference",
    [
        pytest.param(comb(2000, True, "S{}".format), comb(2000, False, "S{}".format), id="labels occur once"),
        pytest.param(comb(2000, True, "S{}".format), comb(2000, False, "T{}".format), id="labels differ"),
        pytest.param(random_tree(Random(1), 8000, 20), random_tree(Random(2), 8000, 20), id="random trees"),
    ],
)
def test_large_pairs_that_take_little_are_not_refused(prediction, reference):
    """By their sizes alone these may fill 1e10 cells and more; they take a fraction of a second."""
    metric = StructIoU(max_cells=5e8)
    assert (
        metric.corpus_score([prediction], [reference]).score
        == StructIoU().corpus_score([prediction], [reference]).score
    )


@pytest.mark.parametrize("bound", [None, BOUND])
def test_every_way_gives_the_same_figures(bound, tmp_path, capsys):
    need("pyarrow")
    from pyarrow import RecordBatch, array, parquet, table

    from structiou_metric.scale import score_arrow, spark, tally_arrow, tally_parquet

    metric = StructIoU(on_error="zero", max_cells=bound)
    want = metric.corpus_score(PREDICTIONS, REFERENCES)
    assert (want.score == 0.5) is (bound is not None)
    assert ("max_cells" in want.signature) is (bound is not None)
    path = tmp_path / "pairs.parquet"
    columns = {"prediction": PREDICTIONS, "reference": REFERENCES}
    parquet.write_table(table(columns), path, row_group_size=1)
    flags = ["--on-error", "zero", *([] if bound is None else ["--max-cells", str(bound)])]
    printed = succeeded(runner(capsys)("score", path, *flags, "--json"))
    batches = iter([RecordBatch.from_pydict(columns)])
    tallies = [
        tally_parquet(path, metric=metric),
        tally_arrow(array(PREDICTIONS), array(REFERENCES), metric),
        CorpusTally.from_dict(json.loads(json.dumps(want.tally().to_dict()))),
    ]
    results = [tally.result() for tally in tallies]
    results.append(spark.merge(next(spark.score_partitions(metric=metric)(batches)).to_pylist()))
    for result in results:
        assert (dict(result.figures), result.signature) == (dict(want.figures), want.signature)
    told = json.loads(printed)
    assert (told["struct_iou"], told["signature"]) == (want.score, want.signature)
    rows = score_arrow(array(PREDICTIONS), array(REFERENCES), metric)
    assert rows.column("score").to_pylist() == want.values("struct_iou_sentence")


def test_tallies_of_different_bounds_are_not_merged():
    one, two = (StructIoU(max_cells=bound).corpus_score(["(A a)"], ["(A a)"]).tally() for bound in (1e6, 1e7))
    with pytest.raises(ValueError, match="tallies of different settings cannot be merged"):
        one + two.moved(1)

"""Trees that are read once give what they give when they are read each time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, read_trees
from structiou_metric.errors import TreeFormatError
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.sources.prepared import PreparedTrees
from support.examples import examples
from support.paths import DATA
from support.strategies import tree_pairs

TREES = st.one_of(
    tree_pairs(6, allow_multiword_leaves=False).map(lambda pair: (pair[0].brackets, pair[1].brackets)),
    st.sampled_from([("()", "(S (A w0))"), ("(A w0", "(A w0)"), ("(A a)", None), ("(TOP (A é))", "(A é)")]),
)


@pytest.mark.parametrize("name", METRICS)
@given(pairs=st.lists(TREES, min_size=1, max_size=8))
@examples(15)
def test_every_metric_takes_them(name, pairs):
    metric = load_metric(name, on_error="zero")
    predictions, references = map(list, zip(*pairs, strict=True))
    labels = metric.LABEL is not None
    want = metric.corpus_score(predictions, references, by_label=labels)
    sides = PreparedTrees(predictions, "predictions"), PreparedTrees(references, "references")
    for _ in range(2):
        found = metric.corpus_score(*sides, by_label=labels)
        assert found.as_dict(by_label=labels, per_sentence=True) == want.as_dict(
            by_label=labels, per_sentence=True
        )


@given(
    st.lists(TREES.map(lambda pair: pair[0]), min_size=1, max_size=6).flatmap(
        lambda trees: st.tuples(
            st.just(trees), st.lists(st.integers(0, len(trees) - 1), min_size=1, max_size=12)
        )
    ),
    st.sampled_from(["word", "char"]),
)
@examples(60)
def test_trees_are_picked_in_any_order(drawn, unit):
    trees, places = drawn
    prepared = PreparedTrees(trees)
    metric = StructIoU(unit=unit, on_error="zero")
    again = [trees[place] for place in places]
    want = metric.corpus_score(again, list(reversed(again)))
    found = metric.corpus_score(prepared.picked(places), prepared.picked(places[::-1]))
    assert found.columns == want.columns
    assert found.status == want.status


@pytest.mark.parametrize("title, shown", [((), "trees"), (("gold trees",), "gold trees")])
def test_errors_call_prepared_trees_by_their_title(title, shown):
    prepared = PreparedTrees(["(A a)", "(A a"], *title)
    with pytest.raises(TreeFormatError, match=rf"^{shown}\[1\]:1:1: "):
        StructIoU().corpus_score(prepared, ["(A a)", "(A a)"])


SUSPICIOUS = [
    ("(S (NP-SBJ (A a)) (B b))", "(S (NP (A a)) (B b))"),
    ("(S (A x) (B b))", "(S (A a) (B b))"),
    ("(S (A ab) (B c))", "(S (A a) (B bc))"),
    ("(S (A a<0.5,1.0>) (B b<1.0,2.0>))", "(S (A a<3.5,4.0>) (B b<4.0,5.0>))"),
    ("(S (-NONE- *t*) (A a))", "(S (A a))"),
    ("()", "(S (A a))"),
    ("(A a)", "(A a)"),
]


@pytest.mark.parametrize("unit", ["word", "time"])
@given(places=st.lists(st.integers(0, len(SUSPICIOUS) - 1), min_size=1, max_size=6))
@examples(60)
def test_they_have_the_same_warnings(unit, places):
    metric = StructIoU(unit=unit, on_error="zero")
    sides = [[pair[side] for pair in SUSPICIOUS] for side in (0, 1)]
    want = metric.corpus_score(*([side[place] for place in places] for side in sides))
    found = metric.corpus_score(*(PreparedTrees(side).picked(places) for side in sides))
    assert found.warnings == want.warnings
    assert found._warning_bits == want._warning_bits


@pytest.mark.parametrize("options", [{"texts": "aligned"}, {"texts": "aligned", "unit": "char"}, {}])
def test_no_run_changes_them(options):
    texts = [
        [tree.to_brackets() for tree in read_trees(DATA / name)]
        for name in ("english.prediction.txt", "english.reference.mrg")
    ]
    if options:
        texts[0][0] = f"(X (Y new) {texts[0][0]})"
    sides = [PreparedTrees(side) for side in texts]
    metrics = [
        StructIoU(labels="base", on_error="zero", **options).explaining(),
        StructIoU(labels="base", on_error="zero"),
    ]
    for metric in [*metrics, *metrics]:
        want, found = metric.corpus_score(*texts, by_label=True), metric.corpus_score(*sides, by_label=True)
        assert found.columns == want.columns
        assert found.by_label == want.by_label
        if metric.explains:
            assert found.losses.as_dict() == want.losses.as_dict()


def test_threads_share_them():
    sides = [
        PreparedTrees(read_trees(DATA / name)) for name in ("english.prediction.txt", "english.reference.mrg")
    ]
    places = [row * 7 % len(sides[0]) for row in range(6000)]
    metric = StructIoU(labels="base")
    want, found = (
        metric.corpus_score(*(side.picked(places) for side in sides), by_label=True, workers=workers)
        for workers in (1, 4)
    )
    assert found.columns == want.columns
    assert found.by_label == want.by_label


def test_all_shapes_and_units_are_read():
    timed = "(S (A a<0.0,0.5>) (B b<0.5,2.0>))"
    tree = SegmentTree.from_brackets(timed)
    prepared = PreparedTrees([timed, tree, tree.to_dict()])
    assert StructIoU(unit="time").corpus_score(prepared, [timed] * 3).sentence == 1.0
    assert StructIoU(unit="char").corpus_score(prepared, [timed] * 3).sentence == 1.0
    assert prepared.tree(1, None) == tree


def test_errors_name_the_tree():
    prepared = PreparedTrees(["(A a)", "(A a"], names=lambda row: f"tree {row + 1}")
    with pytest.raises(TreeFormatError, match=r"tree 2:1:1: this '\(' is never closed"):
        StructIoU().corpus_score(prepared, ["(A a)"] * 2)
    with pytest.raises(TreeFormatError, match=r"tree 2:1:1"):
        StructIoU().corpus_score(prepared.picked([0, 0, 1]), ["(A a)"] * 3)


def test_long_trees_make_small_batches():
    long = "(S " + " ".join(f"(A w{i})" for i in range(400)) + ")"
    prepared = PreparedTrees(["(A a)", long])
    assert prepared.longest(0, 1) == 5
    assert prepared.picked([0, 1, 0]).longest(1, 2) == len(long)
    assert StructIoU().corpus_score(prepared.picked([0, 1] * 9), prepared.picked([0, 1] * 9)).corpus == 1.0

"""Crossing branches made continuous, against a literal reading of each rule."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from structiou_metric import SegmentTree, TreeFormatError
from structiou_metric.trees.discontinuous import DiscontinuousError, DiscontinuousTree, build, settle
from support.examples import examples
from support.growth import growth
from support.treebank_cases import Node, brackets, cases, is_continuous, runs


def built(case):
    """The tree of a case by the package."""
    nodes = case.root.nodes()
    numbers = {id(node): i for i, node in enumerate(nodes)}
    parents, homes = [-1] * len(nodes), [-1] * len(case.words)
    for node in nodes:
        for item in node.below:
            if isinstance(item, int):
                homes[item] = numbers[id(node)]
            else:
                parents[numbers[id(item)]] = numbers[id(node)]
    return build([node.label for node in nodes], parents, case.words, homes)


def spans(tree):
    return Counter((label, int(start), int(end)) for label, start, end in tree.spans())


@given(cases())
@examples(200)
def test_build_tells_continuous_trees_from_others(case):
    tree = built(case)
    assert isinstance(tree, SegmentTree) == is_continuous(case.root)
    if isinstance(tree, DiscontinuousTree):
        assert list(tree.sentence) == case.words
        crossing = Counter(tree.labels[i] for i in tree.crossing())
        assert crossing == Counter(n.label for n in case.root.nodes() if len(runs(n.places())) > 1)
        with pytest.raises(DiscontinuousError, match=r"^this tree is discontinuous: its '"):
            settle(tree, "error")
    else:
        assert spans(tree) == Counter(
            (label, *runs(places)[0]) for label, places in brackets(case.root).elements()
        )


@given(cases())
@examples(200)
def test_split_has_a_node_for_each_run(case):
    tree = built(case)
    if isinstance(tree, DiscontinuousTree):
        split = settle(tree, "split")
        want = Counter(
            (label, *run) for label, places in brackets(case.root).elements() for run in runs(places)
        )
        assert (list(split.words), spans(split)) == (case.words, want)


@given(cases())
@examples(200)
def test_span_reaches_from_first_to_last_word_or_is_refused(case):
    tree = built(case)
    if isinstance(tree, DiscontinuousTree):
        want = [(label, min(places), max(places) + 1) for label, places in brackets(case.root).elements()]
        overlap = any(a[1] < b[1] < a[2] < b[2] for a in want for b in want)
        if overlap:
            with pytest.raises(DiscontinuousError, match="would overlap, and neither hold the other"):
                settle(tree, "span")
        else:
            assert spans(settle(tree, "span")) == Counter(want)


@given(cases())
@examples(200)
def test_raise_moves_the_smaller_runs_up(case):
    tree = built(case)
    if isinstance(tree, DiscontinuousTree):
        raised = settle(tree, "raise")
        assert list(raised.words) == case.words
        assert Counter(raised.labels) == Counter(tree.labels)
        assert spans(raised) == Counter((label, *runs(places)[0]) for label, places in _raised(case.root))


def _raised(root):
    """Again and again, a lowest node with gaps keeps its longest run; its other children go up."""
    root = _copy(root)
    while True:
        above = {id(item): node for node in root.nodes() for item in node.below if isinstance(item, Node)}
        gaps = [node for node in root.nodes() if len(runs(node.places())) > 1]
        if not gaps:
            return list(brackets(root).elements())
        node = next(node for node in gaps if not any(one in gaps for one in node.nodes()[1:]))
        low, high = max(runs(node.places()), key=lambda run: (run[1] - run[0], -run[0]))
        kept = [item for item in node.below if low <= _first(item) < high]
        above[id(node)].below += [item for item in node.below if item not in kept]
        node.below[:] = kept


def _first(item):
    return item if isinstance(item, int) else min(item.places())


def _copy(node):
    return Node(node.label, [item if isinstance(item, int) else _copy(item) for item in node.below])


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((["A", "B"], [-1, -1], ["a", "b"], [0, 1]), "there are several roots"),
        ((["A", "B"], [1, 0], ["a"], [0]), "the node 'A' is above itself"),
        ((["A", "B"], [-1, 0], ["a"], [0]), "the node 'B' has no words"),
    ],
)
def test_build_refuses_what_is_no_tree(arguments, message):
    with pytest.raises(TreeFormatError, match=message):
        build(*arguments)


def comb(n):
    """A chain of n nodes, the lower half with the words at even places, the upper half with the others."""
    places = [*range(1, n, 2), *range(0, n, 2)]  # from the top down
    homes = [0] * n
    for node, place in enumerate(places):
        homes[place] = node
    return build(["N"] * n, [-1, *range(n - 1)], ["w"] * n, homes)


def test_raising_many_words_far_takes_linear_time():
    """Words that go up one node at a time would take 256 times as long for 16 times the nodes."""
    assert growth(lambda n: settle(comb(n), "raise"), 4_000, 16) < 100


@pytest.mark.slow
def test_very_deep_trees_are_settled():
    assert len(settle(comb(100_000), "raise")) == 100_000


def test_split_is_bounded():
    with pytest.raises(DiscontinuousError, match="split, this tree would have more than 1000000 nodes"):
        settle(comb(4_000), "split")

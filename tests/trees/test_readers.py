"""Readers of objects, nested dicts, spans and columns: what they read, compiled and uncompiled."""

from __future__ import annotations

import importlib
from collections import UserDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, TreeFormatError
from support.strategies import tree_cases, tree_pairs
from support.twin import source_twin

UNITS = st.sampled_from(["word", "char", "time", None])


class Branch(list):
    """A node as nltk has them."""

    def __init__(self, label, children=()):
        super().__init__(children)
        self._label = label

    def label(self):
        return self._label


@pytest.fixture(scope="module", autouse=True)
def source(tmp_path_factory):
    """Loads the uncompiled source of the package."""
    global twin
    twin = importlib.import_module(f"{source_twin(tmp_path_factory.mktemp('twin')).__name__}.trees.tree")


def outcome(read, *args, **options):
    """The parts of the tree, or the words of the error."""
    try:
        tree = read(*args, **options)
    except (ValueError, TypeError) as error:
        return type(error).__name__, str(error)
    return tree.values()


def check(read, *args, **options):
    """Compares with the uncompiled source; returns the tree, or None."""
    found = outcome(read, *args, **options)
    assert found == outcome(getattr(twin.SegmentTree, read.__name__), *args, **options)
    return None if isinstance(found[1], str) else SegmentTree(*found)


def branches(tree):
    """The tree in objects, with a word under a tag as a pair where the label begins with `N`."""
    if isinstance(tree, str):
        return tree
    if list(map(type, tree[1:])) == [str] and tree[0].startswith("N"):
        return tree[1], tree[0]
    return Branch(tree[0], map(branches, tree[1:]))


LABELS = st.sampled_from(["S", "NP", "VP", "X", ""])
TREES = st.recursive(
    st.sampled_from(["a", "b"]),
    lambda trees: st.tuples(LABELS, st.lists(trees, max_size=4)).map(lambda node: (node[0], *node[1])),
    max_leaves=12,
)


@given(TREES.filter(lambda tree: not isinstance(tree, str)), UNITS.filter(bool))
def test_objects(tree, unit):
    root = Branch(tree[0], map(branches, tree[1:]))
    check(SegmentTree.from_nltk, root, unit)


@pytest.mark.parametrize("leaf", [3, None, ("a",), ("a", 1), ("a", "b", "c"), b"a", ["a"]])
def test_objects_with_other_leaves(leaf):
    root = Branch("S", [Branch(4, ["a"]), Branch("B", [leaf])])
    found = check(SegmentTree.from_nltk, root)
    if isinstance(leaf, tuple):
        assert found is None
        with pytest.raises(TreeFormatError, match=r"^a leaf is .*; give a word, or a pair of a word and"):
            SegmentTree.from_nltk(root)
    else:
        assert (found.labels, found.words) == (("4", "B", "S"), ("a", str(leaf)))


# Whole numbers and others, most of them in order; and what is no plain number.
NUMBERS = st.one_of(st.integers(-1, 5), st.sampled_from([0.0, 1.0, 1.5, 2.0, 3.0]))
ODD = st.sampled_from([None, True, "1", float("nan"), float("inf"), 2**53 + 1, 10**400, -0.0, UserDict()])
WORDS = st.sampled_from(["a", "b", "", None])


@st.composite
def dicts(draw, odd=False):
    """A nested dict, mostly with times that go on from word to word."""
    clock = [0.0]
    timed = draw(st.booleans())

    def stated(lo, hi):
        if odd and draw(st.integers(0, 5)) == 0:
            lo = draw(st.one_of(NUMBERS, ODD))
        return {"start": lo, "end": hi}

    def leaf():
        found = {"word": draw(WORDS)}
        if timed:
            begin = clock[0] + draw(st.sampled_from([0, 0.5]))
            clock[0] = begin + draw(st.sampled_from([0, 1]))
            found |= stated(begin, clock[0])
        return found

    def node(depth):
        kind = draw(st.integers(0, 5 if depth else 1))
        if kind == 0:
            return leaf()
        if kind == 1:
            return {"label": draw(LABELS), **leaf()}
        if kind == 2 and not timed:
            return draw(st.sampled_from(["a", "", 4] if odd else ["a", ""]))
        return inner(depth)

    def inner(depth):
        begin = clock[0]
        children = [node(depth - 1) for _ in range(draw(st.integers(0, 3)))]
        found = {"label": draw(st.one_of(LABELS, ODD) if odd else LABELS), "children": children}
        if draw(st.booleans()):
            found |= stated(begin, clock[0])
        if odd and draw(st.booleans()):
            found |= draw(
                st.sampled_from([{"children": None}, {"children": ()}, {"word": "w"}, {"start": None}])
            )
        return found

    return inner(3)


@given(st.one_of(dicts(), dicts(odd=True)), UNITS)
def test_nested_dicts(tree, unit):
    check(SegmentTree.from_dict, tree, unit)


@st.composite
def nested_spans(draw):
    """Spans `(label, start, end, word)` that lie in one another, some of no length, and the parent of each.

    One number may be changed, so that they often do not nest after all.
    """
    scale = draw(st.sampled_from([1, 1, 0.5]))
    worded = draw(st.booleans())
    found, parents = [], []

    def add(start, end, parent):
        node = len(found)
        cuts = sorted(draw(st.lists(st.integers(start, end), max_size=4)))
        if len(found) > 12 or len(cuts) < 2:
            cuts = []
        word = draw(st.sampled_from(["a", "b", ""])) if worded and not cuts else None
        label = draw(st.one_of(LABELS, st.none()) if word is not None and node else LABELS)
        found.append((label, start * scale, end * scale, word))
        parents.append(parent)
        for lo, hi in zip(cuts[::2], cuts[1::2], strict=False):
            add(lo, hi, node)

    add(0, draw(st.integers(0, 6)), -1)
    if draw(st.booleans()):
        at, field = draw(st.integers(0, len(found) - 1)), draw(st.integers(0, 4))
        changed = [*found[at], parents[at]]
        changed[field] = draw(st.one_of(NUMBERS, ODD, st.none()))
        *span, parents[at] = changed
        found[at] = tuple(span)
    return found, parents


def as_dict(span):
    return dict(zip(("label", "start", "end", "word"), span, strict=True))


@given(nested_spans(), UNITS, st.permutations(range(20)), st.booleans())
def test_spans(nested, unit, order, shuffled):
    found, _ = nested
    if shuffled:
        found = [found[i] for i in order if i < len(found)]
    check(SegmentTree.from_spans, list(map(as_dict, found)), unit)
    check(SegmentTree.from_spans, [span[:3] for span in found], unit)


@given(nested_spans(), UNITS)
def test_columns(nested, unit):
    found, parents = nested
    labels, starts, ends, words = map(list, zip(*found, strict=True))
    check(SegmentTree.from_columns, labels, starts, ends, parents, unit, words=words)
    check(SegmentTree.from_columns, labels, starts, ends, parents, unit)


@given(st.one_of(tree_cases(6), tree_cases(6, timed=True)), UNITS, st.randoms(use_true_random=False))
def test_what_trees_are_written_as(case, unit, random):
    """Spans and columns that nest, as they are written and in another order, with and without words."""
    tree = SegmentTree.from_brackets(case.brackets, "word")
    if case.times:
        tree = tree.with_times(case.times)
    for counted in ("word", "time") if tree.times else ("word",):
        written = tree.to_spans(counted)
        nodes = [(span["label"], span["start"], span["end"]) for span in written if span["label"] is not None]
        columns = tree.to_columns(counted)
        for _ in range(2):
            check(SegmentTree.from_spans, written, unit)
            check(SegmentTree.from_spans, nodes, unit)
            random.shuffle(written)
            random.shuffle(nodes)
        check(SegmentTree.from_columns, **columns, unit=unit)
        if None not in columns["labels"]:
            check(SegmentTree.from_columns, **{**columns, "words": None}, unit=unit)
    assert (
        SegmentTree.from_dict(tree.to_dict()).nodes == tree.with_unit("time" if tree.times else "word").nodes
    )
    check(SegmentTree.from_dict, tree.to_dict(), unit)


def as_branch(node):
    """A nested dict in objects."""
    if "label" not in node:
        return node["word"]
    children = map(as_branch, node["children"]) if "children" in node else [node["word"]]
    return Branch(node["label"], children)


@given(st.lists(tree_pairs(6), min_size=1, max_size=3), st.sampled_from(["word", "char"]))
def test_scores_are_those_of_brackets(pairs, unit):
    metric = StructIoU(unit=unit)
    texts = [[case.brackets for case in side] for side in zip(*pairs, strict=True)]
    want = metric.corpus_score(*texts).as_dict(per_sentence=True)
    for write in (
        lambda tree: as_branch(tree.to_dict()),
        SegmentTree.to_dict,
        SegmentTree.to_spans,
        SegmentTree.to_columns,
    ):
        sides = [[write(SegmentTree.from_brackets(text)) for text in side] for side in texts]
        assert metric.corpus_score(*sides).as_dict(per_sentence=True) == want

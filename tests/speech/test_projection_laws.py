"""Laws of projection over edited transcripts: nothing lost, order kept, spans nested, counts that add up."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree
from structiou_metric.speech.projection.project import project, project_all
from structiou_metric.speech.projection.report import KINDS, Report
from structiou_metric.speech.projection.spelling import leaf_sounds, sounds, spelling, spoken_words
from support.examples import examples

Nested = tuple[str, list[Any]]  # a label, and nodes or leaves

_WORDS = [
    "we",
    "ca",
    "n't",
    "'s",
    "the",
    "in",
    "sitting",
    "New-York",
    "uh",
    "th-",
    "a",
    "b",
    "café",
    "בַּיִת",
    "7",
]
_SILENT = [".", ",", "-LRB-", "--", "*T*-1", "''"]
_STEP = 0.125  # exact in binary


class Case(NamedTuple):
    """Trees, and words with times."""

    trees: list[Nested]
    words: list[tuple[str, float, float]]


def brackets(node: Nested | str) -> str:
    if isinstance(node, str):
        return node
    return f"({node[0]} {' '.join(map(brackets, node[1]))})"


def leaves_of(node: Nested | str) -> list[str]:
    return [node] if isinstance(node, str) else [leaf for child in node[1] for leaf in leaves_of(child)]


def without_silent(node: Nested | str) -> Nested | str | None:
    """What is left of a tree, by the plain rule; None if nothing is."""
    if isinstance(node, str):
        return node if sounds(node) else None
    kept = [child for child in map(without_silent, node[1]) if child is not None]
    return (node[0], kept) if kept else None


@st.composite
def _trees(draw: st.DrawFn, max_leaves: int) -> Nested:
    texts = draw(
        st.lists(st.sampled_from(_WORDS) | st.sampled_from(_SILENT), min_size=1, max_size=max_leaves)
    )
    row: list[Any] = [("X", [text]) if draw(st.booleans()) else text for text in texts]
    while len(row) > 1 or isinstance(row[0], str):
        size = draw(st.integers(1, min(3, len(row))))
        at = draw(st.integers(0, len(row) - size))
        row[at : at + size] = [(draw(st.sampled_from("AB")), row[at : at + size])]
        if len(row) == 1 and not isinstance(row[0], str):
            break
    return row[0]


@st.composite
def _timed(draw: st.DrawFn, texts: list[str]) -> list[tuple[str, float, float]]:
    """The texts with times, after some of them a silence, and some without length."""
    words, clock = [], 0.0
    for text in texts:
        start = clock + _STEP * draw(st.sampled_from([0, 0, 1, 8]))
        clock = start + _STEP * draw(st.sampled_from([1, 2, 3, 4, 0]))
        words.append((text, start, clock))
    return words


@st.composite
def cases(draw: st.DrawFn, max_leaves: int = 8, max_trees: int = 2) -> Case:
    """Trees and a transcript that someone may have written of them."""
    trees = draw(st.lists(_trees(max_leaves), min_size=1, max_size=max_trees))
    texts: list[str] = []
    join = False
    for leaf in (leaf for tree in trees for leaf in leaves_of(tree)):
        edit = draw(st.sampled_from(["keep"] * 6 + ["drop", "insert", "replace", "join", "split", "shout"]))
        pieces = [leaf]
        if edit == "drop":
            pieces = []
        elif edit == "insert":
            pieces = [leaf, draw(st.sampled_from(["uh", "well", "…", "[noise]"]))]
        elif edit == "replace":
            pieces = [draw(st.sampled_from(_WORDS))]
        elif edit == "split" and len(leaf) > 1:
            pieces = [leaf[:1], leaf[1:]]
        elif edit == "shout":
            pieces = [leaf.upper()]
        if join and texts and pieces:
            texts[-1] += pieces.pop(0)
        texts += pieces
        join = edit == "join"
    if not any(map(sounds, texts)):
        texts.append("we")
    return Case(trees, draw(_timed(texts)))


def _project(case: Case, **options: Any) -> list[Any]:
    return project_all(
        [brackets(tree) for tree in case.trees], case.words, min_match=0.0, min_tree_match=0.0, **options
    )


OPTIONS = st.fixed_dictionaries(
    {"silent": st.sampled_from(["remove", "zero"]), "gaps": st.sampled_from(["keep", "close"])}
)


@examples(60)
@given(cases(), OPTIONS)
def test_nothing_is_lost_and_counts_add_up(case, options):
    projected = _project(case, **options)
    assert len(projected) == len(case.trees)
    for tree, item in zip(case.trees, projected, strict=True):
        leaves = leaves_of(tree)
        assert [leaf.text for leaf in item.leaves] == leaves
        kept = [leaf for leaf in leaves if sounds(leaf) or options["silent"] == "zero"]
        assert list(item.tree.words) == kept
        counts = Counter(leaf.kind for leaf in item.leaves)
        assert {kind: getattr(item.report, kind) for kind in KINDS if counts[kind]} == counts
        assert item.report.n_leaves == len(leaves)
        assert item.report.leaf_characters == sum(len(sounds(leaf)) for leaf in leaves)
        assert len(item.unused) == item.report.unused
    total = Report.total(item.report for item in projected)
    assert total.n_words == len(case.words)
    assert total.unsounding == sum(not sounds(text) for text, _, _ in case.words)
    assert total.word_characters == sum(len(sounds(text)) for text, _, _ in case.words)
    assert 0 <= total.matched_characters <= min(total.leaf_characters, total.word_characters)
    assert 0.0 <= total.match <= 1.0
    unused = [tuple(word[:3]) for item in projected for word in item.unused]
    assert Counter(unused) <= Counter(case.words)


@examples(60)
@given(cases(), OPTIONS)
def test_order_is_kept_and_spans_are_nested(case, options):
    projected = _project(case, **options)
    times = [pair for item in projected for pair in item.tree.times or ()]
    if options["silent"] == "remove":
        bounds = [bound for pair in times for bound in pair]
        assert bounds == sorted(bounds)
        assert not bounds or (case.words[0][1] <= bounds[0] and bounds[-1] <= case.words[-1][2])
    for item in projected:
        bounds = [bound for pair in item.tree.times or () for bound in pair]
        assert bounds == sorted(bounds)
        inner = [(leaf.start, leaf.end) for leaf in item.leaves if leaf.start is not None]
        assert inner == list(item.tree.times or ())
        if options["gaps"] == "close":
            sounding = [(leaf.start, leaf.end) for leaf in item.leaves if leaf.kind != "silent"]
            assert all(before[1] == behind[0] for before, behind in pairwise(sounding))
        nodes = item.tree.nodes
        for node in nodes:
            below = nodes[node.number - item.tree.sizes[node.number] + 1 : node.number]
            assert all(node.start <= child.start <= child.end <= node.end for child in below)


@examples(40)
@given(cases())
def test_trees_keep_their_shape(case):
    for tree, item in zip(case.trees, _project(case), strict=True):
        left = without_silent(tree)
        assert item.tree.to_brackets(times=False) == ("()" if left is None else brackets(left))
    for tree, item in zip(case.trees, _project(case, silent="zero"), strict=True):
        assert item.tree.to_brackets(times=False) == brackets(tree)


@examples(40)
@given(cases())
def test_exact_leaves_have_the_times_of_a_word(case):
    words = {(spelling(text), start, end) for text, start, end in case.words}
    for item in _project(case):
        for leaf in item.leaves:
            if leaf.kind == "exact":
                assert (spelling(leaf.text), leaf.start, leaf.end) in words
            if leaf.kind == "changed":
                assert (leaf.start, leaf.end) in {word[1:] for word in words}
            if leaf.kind in ("interpolated", "unplaced", "silent"):
                assert leaf.heard == ""


@examples(40)
@given(st.data())
def test_identical_transcript_gives_exactly_its_times(data):
    trees = data.draw(st.lists(_trees(8), min_size=1, max_size=2))
    texts = [leaf for tree in trees for leaf in leaves_of(tree) if sounds(leaf)]
    words = data.draw(_timed(texts))
    projected = project_all([brackets(tree) for tree in trees], words)
    rest = words
    for tree, item in zip(trees, projected, strict=True):
        left = without_silent(tree)
        own, rest = rest[: len(item.tree.words)], rest[len(item.tree.words) :]
        assert item.report.exact == len(own)
        assert item.report.match == 1.0
        if left is not None:
            want = SegmentTree.from_brackets(brackets(left)).with_times([word[1:] for word in own])
            assert item.tree == want
    assert not rest


@examples(40)
@given(st.data())
def test_words_for_an_aligner_come_back(data):
    trees = [brackets(tree) for tree in data.draw(st.lists(_trees(8), min_size=1, max_size=2))]
    words = data.draw(_timed(spoken_words(trees)))
    if words:
        total = Report.total(item.report for item in project_all(trees, words))
        assert total.match == 1.0
        assert total.used == len(words)
        assert total.interpolated == total.unplaced == total.unused == 0


@examples(25)
@given(cases(max_trees=1))
def test_project_is_project_all_of_one(case):
    tree = brackets(case.trees[0])
    assert project(tree, case.words, min_match=0.0, min_tree_match=0.0) == _project(case)[0]


@examples(25)
@given(cases(), st.integers(1, 50))
def test_later_words_give_later_trees(case, shift):
    """All times a few seconds later, exactly, since none of them needs rounding there."""
    seconds = 4.0 * shift
    later = [(text, start + seconds, end + seconds) for text, start, end in case.words]
    for before, behind in zip(_project(case), _project(Case(case.trees, later)), strict=True):
        assert before.report == behind.report
        for a, b in zip(before.leaves, behind.leaves, strict=True):
            assert a[:2] == b[:2]
            if a.start is not None and a.end is not None:
                assert abs(a.start + seconds - b.start) < 1e-9
                assert abs(a.end + seconds - b.end) < 1e-9


def test_strategies_make_silent_leaves_and_words():
    assert [leaf_sounds(SegmentTree.from_brackets(f"(X {text})")) for text in _SILENT] == [[""]] * len(
        _SILENT
    )
    assert all(map(sounds, _WORDS))

"""Trees from the labelled spans of many documents, beside trees that are read one by one."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree
from structiou_metric._core.constituents import Constituents
from structiou_metric._core.flat import FlatTrees
from structiou_metric._core.scan import Scanner
from structiou_metric.sources.rows import fill
from support.random_trees import SHAPES, random_tree

_Span = tuple[int, int, int]  # start, end, label


class _Document:
    """Tokens, of which some are no words, and spans over them."""

    def __init__(self, is_word: Sequence[bool], spans: Sequence[_Span]) -> None:
        self.is_word = is_word
        self.spans = spans


def _read(documents: Sequence[_Document]) -> Constituents:
    spans = [span for document in documents for span in document.spans]
    return Constituents(
        array("q", accumulate((len(document.spans) for document in documents), initial=0)),
        array("i", [start for start, _, _ in spans]),
        array("i", [end for _, end, _ in spans]),
        array("Q", [label for _, _, label in spans]),
        array("q", accumulate((len(document.is_word) for document in documents), initial=0)),
        array("q", accumulate((word for document in documents for word in document.is_word), initial=0)),
    )


def _is_odd(document: _Document) -> bool:
    """Whether any two spans stand as none of a tree in pre-order do, or one has no token."""
    spans, n_tokens = document.spans, len(document.is_word)
    return any(not 0 <= start < end <= n_tokens for start, end, _ in spans) or any(
        not (end <= other_start or (start <= other_start and other_end <= end))
        for i, (start, end, _) in enumerate(spans)
        for other_start, other_end, _ in spans[i + 1 :]
    )


def _random_document(rng: Random) -> tuple[_Document, list[SegmentTree]]:
    """A document, and its trees as they are without tokens that are no words; labels are L0, L1, …"""
    is_word: list[bool] = []
    spans: list[_Span] = []
    trees: list[SegmentTree] = []
    for _ in range(rng.randint(0, 3)):
        is_word += [rng.random() < 0.5 for _ in range(rng.randint(0, 2))]
        tree = SegmentTree.from_brackets(random_tree(rng, rng.randint(1, 7), 3, rng.choice(SHAPES)))
        own = [rng.random() < 0.8 for _ in tree.words]
        spans += [
            (len(is_word) + tree.firsts[i], len(is_word) + tree.lasts[i], int(tree.labels[i][1:]))
            for i in tree.preorder()
        ]
        is_word += own
        before = list(accumulate(own, initial=0))
        firsts, lasts = (array("i", [before[at] for at in places]) for places in (tree.firsts, tree.lasts))
        words = tuple(word for word, is_one in zip(tree.words, own, strict=True) if is_one)
        trees.append(SegmentTree(tree.labels, tree.sizes, firsts, lasts, words, None, "word"))
    return _Document(is_word, spans), trees


@given(st.randoms(use_true_random=False))
def test_trees_are_those_the_spans_came_from(rng):
    made = [_random_document(rng) for _ in range(rng.randint(0, 4))]
    found = _read([document for document, _ in made])
    wanted = [(d, tree) for d, (_, trees) in enumerate(made) for tree in trees]
    assert found.n_trees == len(wanted)
    assert not any(found.odd)
    for t, ((d, tree), (document, start, end, word_lo, word_hi)) in enumerate(
        zip(wanted, found.places(), strict=True)
    ):
        labels, sizes, firsts, lasts = found.nodes(t)
        assert [f"L{found.keys[label]}" for label in labels] == list(tree.labels)
        assert (sizes, firsts, lasts) == (tree.sizes, tree.firsts, tree.lasts)
        assert (document, word_hi - word_lo) == (d, len(tree.words))
        assert sum(made[d][0].is_word[start:end]) == len(tree.words)
        assert found.word_range(t) == (word_lo, word_hi)
        assert found.count_nodes(t) == len(tree)


@given(st.randoms(use_true_random=False))
def test_copies_are_what_trees_are_filled_into(rng):
    made = [_random_document(rng) for _ in range(rng.randint(0, 3))]
    trees = [tree for _, own in made for tree in own]
    found = _read([document for document, _ in made])
    numbers: list[int] = [rng.randrange(-2, len(trees)) for _ in range(rng.randint(0, 6))]
    n_words = sum(sum(document.is_word) for document, _ in made)
    words: list[str] = [""] * n_words
    for tree, (_, _, _, lo, hi) in zip(trees, found.places(), strict=True):
        words[lo:hi] = tree.words

    empty = SegmentTree.from_brackets("")
    wanted: list[SegmentTree | None] = [None if t == -2 else empty if t == -1 else trees[t] for t in numbers]
    scanner, filled, copied = Scanner(), FlatTrees(), FlatTrees()
    fill(wanted, "word", scanner, filled)
    ids = array("i", [scanner.intern(f"L{key}") for key in found.keys])
    places = array("d", range(n_words + 1))
    timed = bytes(rng.randrange(2) for _ in made)
    found.copy(numbers, ids, places, words, timed, copied)
    assert copied.n_trees == filled.n_trees == len(numbers)
    assert copied.errors() == filled.errors()
    for t, number in enumerate(numbers):
        assert copied.nodes(t) == filled.nodes(t)
        assert copied.words(t)[:2] == filled.words(t)[:2]
        assert [copied.word(t, i) for i in range(len(filled.words(t)[0]))] == list(
            wanted[t].words if wanted[t] else ()
        )
        assert copied.is_timed(t) == (number >= 0 and bool(timed[found.places()[number][0]]))


@given(
    st.lists(
        st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 5), st.integers(0, 2)), max_size=5), max_size=4
    )
)
def test_documents_whose_spans_are_no_trees_are_told_and_leave_the_others_alone(spans):
    documents = [_Document([True] * 4, own) for own in spans]
    found = _read(documents)
    assert [bool(odd) for odd in found.odd] == [_is_odd(document) for document in documents]
    n_nodes = [0] * len(documents)
    for t, (d, *_) in enumerate(found.places()):
        n_nodes[d] += found.count_nodes(t)
    assert n_nodes == [0 if _is_odd(document) else len(document.spans) for document in documents]


def test_labels_are_numbered_whatever_their_lowest_bits():
    labels = [7 + 1024 * k for k in range(5)] * 2 + [2**64 - 1, 0]
    found = _read([_Document([True] * 12, [(i, i + 1, label) for i, label in enumerate(labels)])])
    assert found.keys == [*labels[:5], 2**64 - 1, 0]
    assert [found.keys[found.nodes(t)[0][0]] for t in range(12)] == labels
    assert found.key_documents == [0] * 7

"""The bracket reader, through the doors that users come in by."""

from __future__ import annotations

import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, TreeFormatError, read_trees, struct_iou
from support.bracket_oracle import slow_read
from support.examples import examples
from support.oracle import read
from support.paths import DATA
from support.strategies import TreeCase, tree_cases


def listing(tree):
    """`(label, words)` of every node, outer nodes first."""
    return [(tree.labels[i], list(tree.words[tree.firsts[i] : tree.lasts[i]])) for i in tree.preorder()]


# ------------------------------------------------------------------------------ what trees look like


@pytest.mark.parametrize(
    "text, want",
    [
        pytest.param("(A a)", [("A", ["a"])], id="one node"),
        pytest.param("(S (A a) (B b))", [("S", ["a", "b"]), ("A", ["a"]), ("B", ["b"])], id="one line"),
        pytest.param("(S(A a)(B b))", [("S", ["a", "b"]), ("A", ["a"]), ("B", ["b"])], id="no spaces"),
        pytest.param(
            "( S\t( A\va )\f(\n B \r b ) ) ",
            [("S", ["a", "b"]), ("A", ["a"]), ("B", ["b"])],
            id="white space everywhere",
        ),
        pytest.param(
            "\n( (S\r\n    (A a) \r\n    (B b) ))\r\n\r\n",
            [("", ["a", "b"]), ("S", ["a", "b"]), ("A", ["a"]), ("B", ["b"])],
            id="Penn layout, Windows line ends",
        ),
        pytest.param("((A a))", [("", ["a"]), ("A", ["a"])], id="empty outer bracket"),
        pytest.param("(() (A a))", [("", ["a"]), ("", []), ("A", ["a"])], id="empty label inside"),
        pytest.param("(TOP (A a))", [("TOP", ["a"]), ("A", ["a"])], id="TOP is read like any label"),
        pytest.param("(-NONE- *T*-1)", [("-NONE-", ["*T*-1"])], id="trace"),
        pytest.param("(NP-SBJ=2 a)", [("NP-SBJ=2", ["a"])], id="function tag and index"),
        pytest.param("(-LRB- -LRB-)", [("-LRB-", ["-LRB-"])], id="escaped bracket stays as written"),
        pytest.param("(, ,)", [(",", [","])], id="punctuation"),
        pytest.param("(,)", [(",", [])], id="one token is a label"),
        pytest.param("(A a b c)", [("A", ["a", "b", "c"])], id="several words under one label"),
        pytest.param(
            "(S a (B b) c (D d) e)",
            [("S", ["a", "b", "c", "d", "e"]), ("B", ["b"]), ("D", ["d"])],
            id="words beside brackets",
        ),
        pytest.param("(S (A )(B b) (C))", [("S", ["b"]), ("A", []), ("B", ["b"]), ("C", [])], id="no words"),
        pytest.param("()", [("", [])], id="empty bracket"),
        pytest.param("(TOP )", [("TOP", [])], id="failed parse"),
        pytest.param("", [], id="empty text"),
        pytest.param(" \t\r\n", [], id="blank text"),
        pytest.param("\ufeff(A a)", [("A", ["a"])], id="byte-order mark"),
        pytest.param("\ufeff", [], id="nothing but a byte-order mark"),
        pytest.param("(A a\0b \0)", [("A", ["a\0b", "\0"])], id="NUL is a character"),
        pytest.param("(A\0 a)", [("A\0", ["a"])], id="NUL in a label"),
        pytest.param(
            "(A\xa0 a\xa0b\u2003c \u3000 \u2028 \x85 \x1c)",
            [("A\xa0", ["a\xa0b\u2003c", "\u3000", "\u2028", "\x85", "\x1c"])],
            id="other white space belongs to words",
        ),
        pytest.param("(A \ud800 \udfff\ud800)", [("A", ["\ud800", "\udfff\ud800"])], id="lone surrogates"),
        pytest.param("(A\udc80 a)", [("A\udc80", ["a"])], id="lone surrogate in a label"),
        pytest.param("(שם שָׁלוֹם)", [("שם", ["שָׁלוֹם"])], id="Hebrew"),
        pytest.param("(A \u200f\u202b\u2069)", [("A", ["\u200f\u202b\u2069"])], id="direction marks"),
        pytest.param("(A \U0001f469\u200d\U0001f467)", [("A", ["\U0001f469\u200d\U0001f467"])], id="emoji"),
        pytest.param("(A \ufeff)", [("A", ["\ufeff"])], id="byte-order mark elsewhere is a character"),
    ],
)
def test_from_brackets_nodes_and_words(text, want):
    tree = SegmentTree.from_brackets(text)
    assert listing(tree) == want
    assert tree.times is None
    assert tree.unit == "word"


def test_from_brackets_words_count_one_each():
    tree = SegmentTree.from_brackets("(S a (X ) (B b c) (Y ))")
    # A node without words stands at the start of the word behind it, or at the end of the text.
    assert tree.spans() == [("S", 0.0, 3.0), ("X", 1.0, 1.0), ("B", 1.0, 3.0), ("Y", 3.0, 3.0)]


def test_from_brackets_refuses_other_types():
    with pytest.raises(TypeError, match="bracket text must be a str, not bytes"):
        SegmentTree.from_brackets(b"(A a)")


def test_read_trees_penn_file_as_oracle_reads_it():
    chunks = (DATA / "english.reference.mrg").read_text(encoding="utf-8").strip().split("\n\n")
    trees = read_trees(DATA / "english.reference.mrg")
    assert len(trees) == len(chunks) == 80
    for tree, chunk in zip(trees, chunks, strict=True):
        assert tree.spans() == [(node.label, node.start, node.end) for node in read(chunk)]


def test_read_trees_several_on_a_line(tmp_path):
    path = tmp_path / "some.mrg"
    path.write_text("(A a)(B b) (C\n c) (D d)\n", encoding="utf-8")
    assert [str(tree) for tree in read_trees(path)] == ["(A a)", "(B b)", "(C c)", "(D d)"]


# -------------------------------------------------------------------------- against a slow reader


fuzz = st.text(alphabet="(()) \tAB\nא\r\0\ufeff", max_size=40)


@examples(600)
@given(st.one_of(fuzz, tree_cases(6).flatmap(lambda case: st.permutations(case.brackets)).map("".join)))
@example("(A a)\n\n (B b)")
@example("(A a)\n)")
@example("\ufeff(A\n a))")
def test_from_brackets_agrees_with_slow_reader(text):
    want, where = slow_read(text)
    if isinstance(want, list):
        tree = SegmentTree.from_brackets(text)
        assert list(zip(tree.labels, tree.firsts, tree.lasts, strict=True)) == want
        assert list(tree.words) == where
        return
    with pytest.raises(TreeFormatError, match=want) as caught:
        SegmentTree.from_brackets(text)
    assert caught.value.line == text.count("\n", 0, where) + 1
    assert caught.value.column == where - text.rfind("\n", 0, where)


@examples(200)
@given(tree_cases(9, timed=True))
def test_from_brackets_spans_as_oracle_reads_them(case: TreeCase):
    plain = [(node.label, node.start, node.end) for node in read(case.brackets)]
    timed = [(node.label, node.start, node.end) for node in read(*case)]
    tree = SegmentTree.from_brackets(case.brackets)
    assert tree.spans() == plain
    assert tree.with_times(case.times).spans() == timed


# ------------------------------------------------------------------------------------ printing back


@examples(200)
@given(tree_cases(9, timed=True))
def test_to_brackets_round_trip(case: TreeCase):
    tree = SegmentTree.from_brackets(case.brackets)
    assert tree.to_brackets() == case.brackets
    assert SegmentTree.from_brackets(str(tree)) == tree
    timed = tree.with_times(case.times)
    assert SegmentTree.from_brackets(timed.to_brackets()) == timed
    assert SegmentTree.from_brackets(timed.to_brackets(times=False)) == tree


def _token(**options):
    """Any text that brackets can hold and that does not look timed, surrogates and NUL among it."""
    return st.text(st.characters(exclude_characters="()<"), max_size=5, **options).filter(
        lambda text: not any(c.isspace() for c in text)
    )


@st.composite
def _odd_trees(draw):
    """Trees with odd labels and words, words beside brackets, nodes without words."""
    row = draw(st.lists(_token(min_size=1), max_size=4))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(row)))
        to = draw(st.integers(at, len(row)))
        starts_with_bracket = at == to or row[at].startswith("(")
        label = draw(_token(min_size=0 if starts_with_bracket else 1))
        row[at:to] = ["(" + " ".join([label, *row[at:to]]) + ")"]
    label = draw(_token(min_size=0 if not row or row[0].startswith("(") else 1))
    return "(" + " ".join([label, *row]) + ")"


@examples(200)
@given(_odd_trees())
def test_to_brackets_round_trip_odd_labels_and_words(text):
    tree = SegmentTree.from_brackets(text)
    nodes, words = slow_read(text)
    assert list(zip(tree.labels, tree.firsts, tree.lasts, strict=True)) == nodes
    assert list(tree.words) == words
    assert SegmentTree.from_brackets(tree.to_brackets()) == tree


@pytest.mark.parametrize("space", ["\xa0", "\u3000", "\u2028", "\x85", "\x1f"])
def test_to_brackets_round_trip_white_space_inside_words(space):
    tree = SegmentTree.from_brackets(f"(A a{space}b)")
    assert SegmentTree.from_brackets(tree.to_brackets()) == tree


# --------------------------------------------------------------------------------------------- times


@pytest.mark.parametrize(
    "text, words, times",
    [
        pytest.param(
            "(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))",
            ("Your", "turn"),
            ((2.56, 2.72), (2.72, 3.01)),
            id="as in DESIGN",
        ),
        pytest.param(
            "(NP (PRP <2.51,2.70>) (NN <2.70,3.10>))", ("", ""), ((2.51, 2.7), (2.7, 3.1)), id="no text"
        ),
        pytest.param("(A a<0,0>)", ("a",), ((0.0, 0.0),), id="no length"),
        pytest.param("(A a<-3,-1.5>)", ("a",), ((-3.0, -1.5),), id="before zero"),
        pytest.param("(A a<+1,+2>)", ("a",), ((1.0, 2.0),), id="plus signs"),
        pytest.param("(A a<.5,1.>)", ("a",), ((0.5, 1.0),), id="bare points"),
        pytest.param("(A a<1e-3,2.5E+2>)", ("a",), ((0.001, 250.0),), id="exponents"),
        pytest.param(
            "(A a<0.1000000000000000055511151231257827,12345678901234567890.5>)",
            ("a",),
            ((0.1, 12345678901234567890.5),),
            id="many digits",
        ),
        pytest.param("(A a<000000000000000000001,2>)", ("a",), ((1.0, 2.0),), id="many zeros"),
        pytest.param("(A a<4.9e-324,8.98e307>)", ("a",), ((5e-324, 8.98e307),)),
        pytest.param("(A a<1,2><3,4>)", ("a<1,2>",), ((3.0, 4.0),), id="the last pair"),
        pytest.param("(A x<y<0,1>)", ("x<y",), ((0.0, 1.0),), id="mark inside a word"),
        pytest.param("(A ><0,1>)", (">",), ((0.0, 1.0),), id="word is a mark"),
        pytest.param("(A א<0,1> ב<1,2>)", ("א", "ב"), ((0.0, 1.0), (1.0, 2.0)), id="Hebrew"),
        pytest.param("(S a<0,1> (B b<1,2>) c<5,6>)", ("a", "b", "c"), ((0.0, 1.0), (1.0, 2.0), (5.0, 6.0))),
        pytest.param("(A a<0,1>\r\n)", ("a",), ((0.0, 1.0),), id="Windows line end"),
    ],
)
def test_from_brackets_timed(text, words, times):
    tree = SegmentTree.from_brackets(text)
    assert tree.words == words
    assert tree.times == times
    assert tree.unit == "time"
    assert SegmentTree.from_brackets(text, "word").spans()[0][1:] == (0.0, len(words))


@pytest.mark.parametrize(
    "word",
    [
        "a<b,c>",
        "a<1>",
        "a<,>",
        "a<1,>",
        "a<,2>",
        "a<1,2,3>",
        "a<1,2",
        "a1,2>",
        "a<1,2>b",
        "a<1_0,2_0>",
        "a<0x1,0x2>",
        "a<-,->",
        "a<--1,2>",
        "a<1-,2>",
        "a<.,.>",
        "a<1.2.3,4>",
        "a<1e,2>",
        "a<1;2>",
        "<>",
        "<",
        ">",
        "a<\0,1>",
    ],
)
def test_from_brackets_words_that_merely_look_timed(word):
    tree = SegmentTree.from_brackets(f"(A {word})")
    assert tree.words == (word,)
    assert tree.times is None


@pytest.mark.parametrize("text", ["(S (A a<0,1>) (B b))", "(S (A a) (B b<0,1>))"])
def test_from_brackets_one_timed_word_among_plain_ones_is_plain(text):
    tree = SegmentTree.from_brackets(text)
    assert tree.times is None
    assert any(word.endswith("<0,1>") for word in tree.words)
    assert tree.spans()[0] == ("S", 0.0, 2.0)


def bits(value):
    """Tells -0.0 from 0.0."""
    return struct.pack("d", value)


def assert_reads_as_float(first, second):
    low, high = sorted((first, second), key=float)
    ((start, end),) = SegmentTree.from_brackets(f"(A a<{low},{high}>)").times
    assert bits(start) == bits(float(low))
    assert bits(end) == bits(float(high))


finite = st.floats(-8.9e307, 8.9e307)


@examples(500)
@given(st.one_of(finite, st.floats(-1e5, 1e5)), st.one_of(finite, st.floats(0, 1e4)))
def test_from_brackets_times_are_floats_by_repr(first, second):
    assert_reads_as_float(repr(first), repr(second))


decimals = st.from_regex(
    r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,2})?", fullmatch=True
)
plain_decimals = st.from_regex(r"-?[0-9]{1,9}\.[0-9]{1,9}", fullmatch=True)


@examples(500)
@given(st.one_of(decimals, plain_decimals), st.one_of(decimals, plain_decimals))
@example("999999999999999", "9999999999999999")  # 15 digits and 16
@example(".000000000000001", "0.0000000000000001")
@example("123456789012345", "-0")
@example("9007199254740993", "9007199254740992.9999999999999999")  # between two doubles
def test_from_brackets_times_are_floats_by_decimals(first, second):
    assert_reads_as_float(first, second)


# ------------------------------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    "first, second",
    [
        pytest.param("A", "B", id="short"),
        pytest.param("A", "\0A", id="leading NUL"),
        pytest.param("XAAAAAAAA", "YAAAAAAAA", id="differ before the last eight bytes"),
        pytest.param("AAAAAAAA", "XAAAAAAAA", id="one is the end of the other"),
        pytest.param("AAAAAAAAX", "AAAAAAAAY", id="differ in the last byte"),
        pytest.param("ABCDEFGHABCDEFGH", "ABCDEFGH", id="repeated"),
        pytest.param("é", "e\u0301", id="not normalised"),
        pytest.param("\ud800", "\ud801", id="surrogates"),
        pytest.param("A" * 10**6, "B" + "A" * (10**6 - 1), id="a megabyte, first byte differs"),
    ],
)
def test_struct_iou_tells_labels_apart(first, second):
    assert struct_iou(f"({first} w)", f"({first} w)") == 1.0
    assert struct_iou(f"({first} w)", f"({second} w)") == 0.0


# ------------------------------------------------------------------------------- what counts as node

TREE = "(S (A a) (B b))"


@pytest.mark.parametrize(
    "prediction, options, want",
    [
        pytest.param("(TOP (S (A a) (B b)))", {}, 1.0, id="TOP"),
        pytest.param("(ROOT (S (A a) (B b)))", {}, 1.0, id="ROOT"),
        pytest.param("(S1 (S (A a) (B b)))", {}, 1.0, id="S1"),
        pytest.param("(VROOT (S (A a) (B b)))", {}, 1.0, id="VROOT"),
        pytest.param("( (S (A a) (B b)))", {}, 1.0, id="empty outer bracket"),
        pytest.param("(TOP ( (S (A a) (B b))))", {}, 1.0, id="two wrappers"),
        pytest.param("( (S (A a) (B b)))", {"drop": ()}, 6 / 7, id="kept: 3 of 4 and 3 nodes match"),
        pytest.param("(TOP (A a) (B b))", {}, 4 / 6, id="TOP over two children is a node"),
        pytest.param("(S (TOP (A a)) (B b))", {}, 6 / 7, id="TOP inside is a node"),
        pytest.param("(S (A a) (NP (-NONE- *)) (B b))", {}, 1.0, id="trace goes with what it empties"),
        pytest.param("(S (A a (-NONE- *)) (B b))", {}, 1.0, id="trace beside a word"),
        pytest.param("(TOP (S (A a) (B b)) (X (-NONE- *)))", {}, 1.0, id="wrapper after its trace went"),
        pytest.param("(S (A a) (B b) (X ))", {}, 1.0, id="node without words"),
        pytest.param("(S (A-SBJ a) (B=1 b))", {}, 2 / 6, id="function tags count"),
        pytest.param("(S (A-SBJ-1 a) (B=1 b))", {"labels": "base"}, 1.0, id="function tags cut"),
        pytest.param("(S-TPC (A a) (-B- b))", {"labels": "base"}, 4 / 6, id="leading hyphen is not cut"),
        pytest.param("(X (Y a) (Z b))", {"labels": "ignore"}, 1.0, id="labels ignored"),
        pytest.param("(S a b)", {}, 2 / 4, id="words without preterminals"),
        pytest.param("(S a (B b))", {}, 4 / 5, id="word beside a bracket"),
        pytest.param("\ufeff(S (A a)\r\n (B b))\r\n", {}, 1.0, id="byte-order mark and Windows line ends"),
    ],
)
def test_struct_iou_what_counts_as_a_node(prediction, options, want):
    assert struct_iou(prediction, TREE, **options) == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("label", ["-LRB-", "-RRB-", "-NONE-"])
def test_struct_iou_base_labels_keep_bracket_escapes(label):
    prediction = f"(S ({label} x) (A a))"
    same = struct_iou(prediction, prediction, labels="base", drop=())
    other = struct_iou(prediction, "(S (-XXX- x) (A a))", labels="base", drop=())
    assert (same, other) == (1.0, pytest.approx(4 / 6))


def test_corpus_score_counts_nodes_without_words():
    result = StructIoU().corpus_score(["(S (A a) (X (Y )) (Z ))"], ["(S (A a))"])
    assert result.score == 1.0
    assert result.as_dict()["n_lengthless"] == 3


# ------------------------------------------------------------------------------------------- errors

CLOSE = "this '(' is never closed; add the missing ')', and write brackets inside words as -LRB- and -RRB-"
EXTRA = "this ')' closes nothing; remove it, or write brackets inside words as -LRB- and -RRB-"
OUTSIDE = "text outside of any bracket; a tree is written (LABEL word) or (LABEL (LABEL word) …)"
SECOND = "a second tree begins here; give one tree per row"
FINITE = "this word's time is not a finite number; write seconds such as word<2.56,2.72>"
REVERSED = "this word ends before it starts; write word<start,end> with start <= end"
OVERLAP = "this word starts before the word on its left ends; words must not overlap"
NO_TIME = "this word has no time; with seconds as unit every word is written word<start,end>"


@pytest.mark.parametrize(
    "text, want",
    [
        pytest.param("(", f"1:1: {CLOSE}\n  (\n  ^", id="lone open"),
        pytest.param(
            "(S (A a) (B b", f"1:10: {CLOSE}\n  (S (A a) (B b\n           ^", id="innermost unclosed"
        ),
        pytest.param("(S (A a)", f"1:1: {CLOSE}\n  (S (A a)\n  ^", id="outermost unclosed"),
        pytest.param("(S\n (A\n  (B b)", f"2:2: {CLOSE}\n   (A\n   ^", id="unclosed on another line"),
        pytest.param(")", f"1:1: {EXTRA}\n  )\n  ^", id="lone close"),
        pytest.param("(S (A a)))", f"1:10: {EXTRA}\n  (S (A a)))\n           ^", id="one close too many"),
        pytest.param("(S\n (A a)))\n", f"2:8: {EXTRA}\n   (A a)))\n         ^", id="on the second line"),
        pytest.param("word", f"1:1: {OUTSIDE}\n  word\n  ^", id="no bracket at all"),
        pytest.param("(A a) b", f"1:7: {OUTSIDE}\n  (A a) b\n        ^", id="text behind"),
        pytest.param("x (A a)", f"1:1: {OUTSIDE}\n  x (A a)\n  ^", id="text before"),
        pytest.param("(A a) (B b)", f"1:7: {SECOND}\n  (A a) (B b)\n        ^", id="two trees"),
        pytest.param("(A a)\r\n(B b)\r\n", f"2:1: {SECOND}\n  (B b)\n  ^", id="two trees, Windows lines"),
        pytest.param("(A a<0,inf>)", f"1:4: {FINITE}\n  (A a<0,inf>)\n     ^", id="infinite"),
        pytest.param(
            "(A a<-Infinity,0>)", f"1:4: {FINITE}\n  (A a<-Infinity,0>)\n     ^", id="long infinity"
        ),
        pytest.param("(A a<nan,1>)", f"1:4: {FINITE}\n  (A a<nan,1>)\n     ^", id="NaN"),
        pytest.param("(A a<0,1e999>)", f"1:4: {FINITE}\n  (A a<0,1e999>)\n     ^", id="too large"),
        pytest.param("(A a<2,1>)", f"1:4: {REVERSED}\n  (A a<2,1>)\n     ^", id="reversed"),
        pytest.param(
            "(S (A a<0,2>) (B b<1,3>))",
            f"1:18: {OVERLAP}\n  (S (A a<0,2>) (B b<1,3>))\n                   ^",
            id="overlap",
        ),
        pytest.param(
            "(S (A a<5,6>)\n\t(B b<0,1>))", f"2:5: {OVERLAP}\n   (B b<0,1>))\n      ^", id="out of order"
        ),
        pytest.param("(A אב))", f"1:7: {EXTRA}\n  (A אב))\n        ^", id="columns count characters"),
        pytest.param(
            "(A \U0001f600 e\u0301))",
            f"1:9: {EXTRA}\n  (A \U0001f600 e\u0301))\n          ^",
            id="beyond 16 bits",
        ),
        pytest.param(
            "(A\t\0a))", f"1:7: {EXTRA}\n  (A  a))\n        ^", id="what cannot be printed is blank"
        ),
        pytest.param(
            "(A \ud800))",
            f"1:6: {EXTRA}\n  (A  ))\n       ^",
            id="surrogate",
        ),
        pytest.param(
            "(S " + "a" * 29 + ") " + "b" * 40,
            # 34 characters before, of which 32 are shown; 32 of 40 behind.
            f"1:35: {OUTSIDE}\n  …" + " " + "a" * 29 + ") " + "b" * 32 + "…\n  " + " " * 33 + "^",
            id="window is cut on both sides",
        ),
        pytest.param(
            "(A " + "a" * 27 + ") " + "b" * 32,
            f"1:33: {OUTSIDE}\n  (A " + "a" * 27 + ") " + "b" * 32 + "\n  " + " " * 32 + "^",
            id="window just fits",
        ),
        pytest.param(
            "(A " + "a" * 10**6 + "))",
            f"1:{10**6 + 5}: {EXTRA}\n  …" + "a" * 31 + "))\n  " + " " * 33 + "^",
            id="a megabyte before",
        ),
    ],
)
def test_from_brackets_errors(text, want):
    with pytest.raises(TreeFormatError) as caught:
        SegmentTree.from_brackets(text)
    assert str(caught.value) == want
    where, _, _ = want.partition(": ")
    assert f"{caught.value.line}:{caught.value.column}" == where


def test_from_brackets_errors_name_the_source():
    with pytest.raises(TreeFormatError, match=r"^dev\.mrg:1:6: this '\)' closes nothing") as caught:
        SegmentTree.from_brackets("(A a))", source="dev.mrg")
    assert caught.value.source == "dev.mrg"


@pytest.mark.parametrize(
    "text, want",
    [
        pytest.param(
            "(S (A a<0,1>) (B b))", f"1:18: {NO_TIME}\n  (S (A a<0,1>) (B b))\n                   ^"
        ),
        pytest.param("(A a)", f"1:4: {NO_TIME}\n  (A a)\n     ^"),
        pytest.param("(A a<b,c>)", f"1:4: {NO_TIME}\n  (A a<b,c>)\n     ^"),
    ],
)
def test_struct_iou_in_seconds_needs_times(text, want):
    with pytest.raises(TreeFormatError) as caught:
        struct_iou(text, "(A a<0,1>)", unit="time")
    assert str(caught.value) == f"prediction:{want}"


def test_from_brackets_in_seconds_points_at_the_word_without_time():
    with pytest.raises(TreeFormatError) as caught:
        SegmentTree.from_brackets("(S (A a<0,1>) (B b))", "time", source="dev.txt")
    assert (caught.value.source, caught.value.line, caught.value.column) == ("dev.txt", 1, 18)


def test_corpus_score_window_ends_with_the_row():
    with pytest.raises(TreeFormatError) as caught:
        StructIoU().corpus_score(["(A a", "(B b)"], ["(A a)", "(B b)"])
    assert caught.value.window == "  (A a\n  ^"

"""Times of words on the leaves of text trees; expected times are worked out by hand."""

from __future__ import annotations

from itertools import product

import pytest

from structiou_metric import SegmentTree, TreeFormatError, TreeMismatchError
from structiou_metric.speech.projection import edits, placing
from structiou_metric.speech.projection.project import project, project_all
from structiou_metric.speech.projection.report import KINDS, Report
from structiou_metric.speech.words import TimedWord, Transcript


def flat(leaves):
    """A tree with a node for each leaf."""
    return f"(S {' '.join(f'(X {leaf})' for leaf in leaves.split())})"


def said(text):
    """Words from `word start end, …`."""
    return [(word, float(start), float(end)) for word, start, end in map(str.split, text.split(","))]


def placed(projected):
    """`leaf start end, …` of a projection, in the way of `said`."""
    pairs = zip(projected.tree.words, projected.tree.times or (), strict=True)
    return ", ".join(f"{word} {start:g} {end:g}" for word, (start, end) in pairs)


def kinds(projected):
    counts = projected.report._asdict()
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


# ---- leaves and words ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "leaves, words, want, want_kinds",
    [
        pytest.param(
            "The dog barked",
            "the 0.5 1, DOG 1 2, barked. 3 4",
            "The 0.5 1, dog 1 2, barked 3 4",
            {"exact": 3},
            id="case and punctuation make no difference",
        ),
        pytest.param(
            "ca n't stop",
            "can't 1 2, stop 2 3",
            "ca 1 1.5, n't 1.5 2, stop 2 3",
            {"split": 2, "exact": 1},
            id="a word split by characters: two of four",
        ),
        pytest.param(
            "gon na go",
            "gonna 0 5, go 5 6",
            "gon 0 3, na 3 5, go 5 6",
            {"split": 2, "exact": 1},
            id="a word split by characters: three of five",
        ),
        pytest.param(
            "to New-York now",
            "to 0 1, new 1 2, york 4 6, now 6 7",
            "to 0 1, New-York 1 6, now 6 7",
            {"exact": 2, "joined": 1},
            id="two words joined, silence included",
        ),
        pytest.param(
            "to New-York now",
            "to 0 1, new 1 2, uh 2 3, york 4 6, now 6 7",
            "to 0 1, New-York 1 6, now 6 7",
            {"exact": 2, "joined": 1},
            id="a filler inside a leaf",
        ),
        pytest.param(
            "a bc de",
            "ab 0 2, cde 2 5",
            "a 0 1, bc 1 3, de 3 5",
            {"split": 3},
            id="cut elsewhere on either side",
        ),
        pytest.param(
            "she was doing it",
            "she 0 1, was 1 2, doin 2 3, it 3 4",
            "she 0 1, was 1 2, doing 2 3, it 3 4",
            {"exact": 3, "changed": 1},
            id="a spelling: the whole word all the same",
        ),
        pytest.param(
            "we saw cats again",
            "we 0 1, saw 1 2, dogs 2 3, again 3 4",
            "we 0 1, saw 1 2, cats 2 3, again 3 4",
            {"exact": 3, "changed": 1},
            id="another word in its place",
        ),
        pytest.param(
            "I think so",
            "well 0 1, I 1 2, uh 2 3, think 3 4, so 4 5, yes 5 6",
            "I 1 2, think 3 4, so 4 5",
            {"exact": 3},
            id="words too many are left out",
        ),
        pytest.param(
            "in 1990 we left",
            "In 0 1, 1990, 1 3, we 3 4, left. 4 5".replace("1990,", "1990"),
            "in 0 1, 1990 1 3, we 3 4, left 4 5",
            {"exact": 4},
            id="digits",
        ),
        pytest.param(
            "the bathrobe hung",
            "the 0 1, bath 1 2, rob 2 3, hung 3 4",
            "the 0 1, bathrobe 1 3, hung 3 4",
            {"exact": 2, "joined": 1},
            id="joined and misheard",
        ),
        pytest.param(
            "a x'y b",
            "a 0 1, xoooy 1 6, b 6 7",
            "a 0 1, x'y 1 6, b 6 7",
            {"exact": 2, "changed": 1},
            id="one leaf has all of its word",
        ),
        pytest.param(
            "all xx yy gone",
            "all 0 1, xxzzyy 1 7, gone 7 8",
            "all 0 1, xx 1 4, yy 4 7, gone 7 8",
            {"exact": 2, "split": 2},
            id="characters of no leaf are halved",
        ),
        pytest.param(
            "בַּבַּיִת הגדול",
            "בבית 0 1, הגדול 1 2",
            "בַּבַּיִת 0 1, הגדול 1 2",
            {"changed": 1, "exact": 1},
            id="Hebrew with and without niqqud",
        ),
        pytest.param(
            "ב ה בית הגדול",
            "בבית 0 4, הגדול 4 5",
            "ב 0 1, ה 1 1, בית 1 4, הגדול 4 5",
            {"split": 2, "unplaced": 1, "exact": 1},
            id="Hebrew: an article that is not written",
        ),
        pytest.param(
            "café déjà vu",
            "cafe\u0301 0 1, DÉJÀ 1 2, vu 2 3",
            "café 0 1, déjà 1 2, vu 2 3",
            {"exact": 3},
            id="accents composed or not",
        ),
    ],
)
def test_project_places_leaves(leaves, words, want, want_kinds):
    projected = project(flat(leaves), said(words))
    assert placed(projected) == want
    assert kinds(projected) == want_kinds
    assert projected.report.n_leaves == len(leaves.split())
    assert projected.report.n_words == len(said(words))


@pytest.mark.parametrize(
    "leaves, words, want, want_kinds",
    [
        pytest.param(
            "In 1990 he",
            "in 0 1, nineteen 1 2, ninety 2 3, he 3 4",
            "In 0 1, 1990 1 3, he 3 4",
            {"exact": 2, "joined": 1},
            id="digits in the tree",
        ),
        pytest.param(  # "forty" has 5 of 8 characters
            "forty two dogs",
            "42 0 2, dogs 2 3",
            "forty 0 1.25, two 1.25 2, dogs 2 3",
            {"exact": 1, "split": 2},
            id="digits in the transcript",
        ),
        pytest.param(
            "1,200 dogs on the 21st",
            "1200 0 1, dogs 1 2, on 2 3, the 3 4, twenty 4 5, first 5 6",
            "1,200 0 1, dogs 1 2, on 2 3, the 3 4, 21st 4 6",
            {"exact": 4, "joined": 1},
            id="commas and endings",
        ),
        pytest.param("2 dogs", "two 0 1, dogs 1 2", "2 0 1, dogs 1 2", {"changed": 1, "exact": 1}, id="one"),
        pytest.param(
            "1.5 litres",
            "15 0 1, litres 1 2",
            "1.5 0 1, litres 1 2",
            {"changed": 1, "exact": 1},
            id="a point",
        ),
    ],
)
def test_project_reads_numbers(leaves, words, want, want_kinds):
    projected = project(flat(leaves), said(words), min_match=0.3)
    assert placed(projected) == want
    assert kinds(projected) == want_kinds
    assert projected.report.unused == 0


@pytest.mark.parametrize(
    "leaves, words, want, want_kinds",
    [
        # The pace is 4 seconds for 8 characters: "or" would take a second.
        pytest.param(
            "here or there",
            "here 0 2, there 2.5 4.5",
            "here 0 2, or 2 2.5, there 2.5 4.5",
            {"exact": 2, "interpolated": 1},
            id="all of the room",
        ),
        pytest.param(
            "aaaa or bbbb",
            "aaaa 0 2, bbbb 6 8",
            "aaaa 0 2, or 3.5 4.5, bbbb 6 8",
            {"exact": 2, "interpolated": 1},
            id="in the middle of more room than it needs",
        ),
        pytest.param(
            "aaaa o rrr bbbb",
            "aaaa 0 2, bbbb 3 5",
            "aaaa 0 2, o 2 2.25, rrr 2.25 3, bbbb 3 5",
            {"exact": 2, "interpolated": 2},
            id="two share by characters",
        ),
        pytest.param(
            "aaaa or bbbb",
            "aaaa 0 2, bbbb 2 4",
            "aaaa 0 2, or 2 2, bbbb 2 4",
            {"exact": 2, "unplaced": 1},
            id="no room",
        ),
        pytest.param(
            "or aaaa bbbb or",
            "aaaa 5 7, bbbb 7 9",
            "or 5 5, aaaa 5 7, bbbb 7 9, or 9 9",
            {"exact": 2, "unplaced": 2},
            id="at the ends nobody knows",
        ),
    ],
)
def test_project_interpolates_what_is_missing(leaves, words, want, want_kinds):
    projected = project(flat(leaves), said(words))
    assert placed(projected) == want
    assert kinds(projected) == want_kinds


def test_project_pairs_unknown_words_by_how_long_they_take():
    """At a pace of half a second a character, "or" takes a second and "however" three and a half."""
    words = said("aaaa 0 2, <unk> 2 2.2, <unk> 2.2 3.2, bbbb 3.2 5.2")
    assert placed(project(flat("aaaa or bbbb"), words)) == "aaaa 0 2, or 2.2 3.2, bbbb 3.2 5.2"
    words = said("aaaa 0 2, <unk> 2 5.5, <unk> 5.5 5.6, bbbb 5.6 7.6")
    assert placed(project(flat("aaaa however bbbb"), words)) == "aaaa 0 2, however 2 5.5, bbbb 5.6 7.6"


def test_project_all_keeps_missing_leaves_in_their_trees():
    """At a pace of half a second a character, what is missing stands by the rest of its tree."""
    words = said("aaaa 0 2, bbbb 12 14")
    first, second = project_all([flat("aaaa or"), flat("if bbbb")], words)
    assert (placed(first), placed(second)) == ("aaaa 0 2, or 2 3", "if 11 12, bbbb 12 14")
    first, second, third = project_all([flat("aaaa"), flat("or"), flat("bbbb")], words, min_tree_match=0.0)
    assert (placed(first), placed(second), placed(third)) == ("aaaa 0 2", "or 11 12", "bbbb 12 14")


# ---- leaves without sound -----------------------------------------------------------------------

QUOTED = "(TOP (S (`` ``) (NP (PRP We)) (VP (VBP go) (NP (-NONE- *T*-1))) (, ,) (X (: --) (. .))))"


def test_project_removes_silent_leaves_with_what_they_empty():
    projected = project(QUOTED, said("we 0 1, go 2 3"))
    assert str(projected.tree) == "(TOP (S (NP (PRP We<0.0,1.0>)) (VP (VBP go<2.0,3.0>))))"
    assert kinds(projected) == {"exact": 2, "silent": 5}
    assert [leaf.text for leaf in projected.leaves if leaf.start is None] == ["``", "*T*-1", ",", "--", "."]


def test_project_gives_silent_leaves_zero_length():
    projected = project(QUOTED, said("we 0.5 1, go 2 3"), silent="zero")
    assert placed(projected) == "`` 0.5 0.5, We 0.5 1, go 2 3, *T*-1 3 3, , 3 3, -- 3 3, . 3 3"
    assert projected.tree.labels == SegmentTree.from_brackets(QUOTED).labels
    assert kinds(projected) == {"exact": 2, "silent": 5}


def test_project_all_failed_and_silent_trees():
    trees = ["(S (X a))", "()", "(TOP )", "(S (. .))", "(X b)"]
    words = said("a 0 1, b 2 3")
    projected = project_all(trees, words)
    assert [str(item.tree) for item in projected] == [
        "(S (X a<0.0,1.0>))",
        "()",
        "(TOP)",
        "()",
        "(X b<2.0,3.0>)",
    ]
    assert {item.tree.unit for item in projected} == {"time"}
    total = Report.total(item.report for item in projected)
    assert (total.n_trees, total.n_failed, total.n_emptied) == (5, 2, 1)
    zero = project_all(trees, words, silent="zero")
    assert str(zero[3].tree) == "(S (. .<1.0,1.0>))"
    assert Report.total(item.report for item in zero).n_emptied == 0


def test_project_failed_parse_uses_no_words():
    projected = project("()", said("a 0 1"))
    assert (str(projected.tree), projected.report.n_failed, projected.report.unused) == ("()", 1, 1)
    assert projected.report.match == 1.0
    assert project("(S (. .))", []).report.n_emptied == 1
    assert project_all([], said("a 0 1")) == []


# ---- silences -----------------------------------------------------------------------------------


def test_project_closes_gaps_within_a_tree():
    trees = [flat("a b"), flat("c d")]
    words = said("a 0.5 1, b 2 3, c 5 6, d 6 7")
    assert [placed(item) for item in project_all(trees, words)] == ["a 0.5 1, b 2 3", "c 5 6, d 6 7"]
    closed = project_all(trees, words, gaps="close")
    assert [placed(item) for item in closed] == ["a 0.5 1.5, b 1.5 3", "c 5 6, d 6 7"]


def test_project_closed_gaps_and_silent_leaves():
    projected = project(flat("a , b ."), said("a 0 1, b 2 3"), gaps="close", silent="zero")
    assert placed(projected) == "a 0 1.5, , 1.5 1.5, b 1.5 3, . 3 3"


# ---- what is told -------------------------------------------------------------------------------


def test_project_tells_of_every_leaf_and_unused_word():
    projected = project(
        flat("We ca n't , New-York"), said("so 0 1, We 1 2, can't 2 4, uh 4 5, … 5 5, new 5 6, york 6 7")
    )
    assert [tuple(leaf) for leaf in projected.leaves] == [
        ("We", "exact", 1.0, 2.0, "We"),
        ("ca", "split", 2.0, 3.0, "can't"),
        ("n't", "split", 3.0, 4.0, "can't"),
        (",", "silent", None, None, ""),
        ("New-York", "joined", 5.0, 7.0, "new york"),
    ]
    assert [word.text for word in projected.unused] == ["so", "uh"]
    counts = projected.report
    assert (counts.used, counts.unused, counts.unsounding) == (4, 2, 1)
    assert (counts.leaf_characters, counts.word_characters, counts.matched_characters) == (13, 17, 13)
    assert counts.match == pytest.approx(26 / 30)
    assert counts.as_dict()["n_leaves"] == 5
    assert "26" not in counts.describe()
    assert "       2  part of a word there\n" in counts.describe()
    assert counts.describe().endswith("86.7% of the characters match\n")


def test_project_counts_words_with_estimated_times():
    words = Transcript(
        [TimedWord("a", 0.0, 1.0, True), TimedWord("b", 1.0, 2.0), TimedWord("uh", 2.0, 3.0, True)]
    )
    assert project(flat("a b"), words).report.estimated == 1


def test_project_all_words_go_with_their_trees():
    trees = [flat("one two"), "()", flat("three four")]
    words = said("so 0 1, one 1 2, two 2 3, uh 3 4, three 4 5, four 5 6, yes 6 7")
    projected = project_all(trees, words)
    assert [[word.text for word in item.unused] for item in projected] == [["so", "uh"], [], ["yes"]]
    assert [item.report.n_words for item in projected] == [4, 0, 3]


def test_project_all_a_word_over_two_trees():
    first, second = project_all(
        [flat("I am go"), flat("ing home")], said("I 0 1, am 1 2, going 2 7, home 7 8")
    )
    assert (placed(first), placed(second)) == ("I 0 1, am 1 2, go 2 4", "ing 4 7, home 7 8")
    assert (first.report.used, second.report.used) == (3, 1)


# ---- shapes -------------------------------------------------------------------------------------


def test_project_takes_trees_of_any_shape():
    words = said("a 0 1, b 1 2")
    want = "(S (X a<0.0,1.0>) (X b<1.0,2.0>))"
    nested = {"label": "S", "children": [{"label": "X", "word": "a"}, {"label": "X", "word": "b"}]}
    timed = "(S (X a<7,8>) (X b<8,9>))"
    for tree in (flat("a b"), nested, SegmentTree.from_brackets(flat("a b")), timed):
        assert str(project(tree, words).tree) == want
    assert str(project(flat("a b"), Transcript([TimedWord(*word) for word in words])).tree) == want
    assert str(project(flat("a b"), iter(map(list, words))).tree) == want


def test_project_keeps_deep_and_odd_trees():
    deep = 5000
    tree = f"{'(A ' * deep}(X a) b (. .){')' * deep}"
    projected = project(tree, said("a 0 1, b 1 2"))
    assert projected.tree.depth == deep + 1
    assert placed(projected) == "a 0 1, b 1 2"
    assert str(project("(S (E ) (X a) (E (. .)))", said("a 0 1")).tree) == "(S (E) (X a<0.0,1.0>))"


# ---- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, message",
    [
        pytest.param(
            [("a", 0, 1), ("b", 3, 2)],
            r"words: word 1: the time \(3, 2\) ends before .* \('b'\)",
            id="reversed",
        ),
        pytest.param(
            [("a", 0, 2), ("b", 1, 3)], r"word 1: .* starts before word 0 ends .* \('b'\)", id="overlap"
        ),
        pytest.param([("a", 5, 6), ("b", 0, 1)], r"word 1: .* must be in order .* \('b'\)", id="order"),
        pytest.param([("a", float("nan"), 1)], r"word 0: .* is not finite.* \('a'\)", id="NaN"),
        pytest.param([("a", 0, float("inf"))], r"word 0: .* is not finite.* \('a'\)", id="infinite"),
        pytest.param([("a", 0, None)], r"word 0: .* is not a pair of numbers", id="no number"),
        pytest.param([("a", 0)], r"word 0: \('a', 0\) is not \(text, start, end\)", id="no end"),
        pytest.param([(0, 1, "a")], r"is not \(text, start, end\)", id="other order"),
        pytest.param(["abc"], r"word 0: 'abc' is not \(text, start, end\)", id="texts"),
        pytest.param([7], r"word 0: 7 is not \(text, start, end\)", id="numbers"),
    ],
)
def test_project_refuses_bad_times(words, message):
    with pytest.raises(TreeFormatError, match=message):
        project(flat("a b"), words)


def test_project_names_the_transcript_in_errors():
    with pytest.raises(TreeFormatError, match=r"talk\.ctm \(A\): word 0"):
        project(flat("a"), Transcript([TimedWord("a", 2.0, 1.0)], "talk.ctm (A)"))


@pytest.mark.parametrize("words", ["a b", b"a b", None, 7], ids=repr)
def test_project_refuses_what_is_no_list_of_words(words):
    with pytest.raises(TypeError, match="words must be a Transcript or"):
        project(flat("a b"), words)


@pytest.mark.parametrize("words", [[], [("...", 0, 1)]], ids=["none", "without sound"])
def test_project_refuses_no_words(words):
    with pytest.raises(TreeMismatchError, match="there are no words with sound for 2 words of 1 tree"):
        project(flat("a b ."), Transcript([TimedWord(*word) for word in words], "talk.ctm"))


def test_project_takes_times_with_what_adding_floats_leaves():
    """0.2 + 0.1 is more than 0.3."""
    projected = project(flat("a b c"), [("a", 0.2, 0.2 + 0.1), ("b", 0.3, 0.3), ("c", 0.3, 0.5)])
    assert projected.tree.times == ((0.2, 0.2 + 0.1), (0.2 + 0.1, 0.2 + 0.1), (0.2 + 0.1, 0.5))


def test_project_refuses_trees_without_texts():
    with pytest.raises(TreeFormatError, match="tree 2: the leaves of this tree have no text"):
        project_all([flat("a"), "(S (X <0,1>) (Y <1,2>))"], said("a 0 1"))


def test_project_refuses_trees_that_cannot_be_read():
    with pytest.raises(TreeFormatError, match=r"tree 2:1:4: this '\(' is never closed"):
        project_all([flat("a"), "(S (X"], said("a 0 1"))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"silent": "keep"}, "unknown silent 'keep'; choose from remove, zero"),
        ({"gaps": "cut"}, "unknown gaps 'cut'; choose from keep, close"),
        ({"min_match": 1.5}, "min_match must be from 0 to 1, not 1.5"),
        ({"min_match": float("nan")}, "min_match must be from 0 to 1, not nan"),
    ],
)
def test_project_refuses_unknown_options(options, message):
    with pytest.raises(ValueError, match=message):
        project(flat("a"), said("a 0 1"), **options)


def test_project_another_recording_is_refused_with_the_place():
    trees = [flat("the committee will vote on the budget tomorrow"), flat("nobody knows what comes next")]
    words = said("ladies 0 1, and 1 2, gentlemen 2 3, please 3 4, fasten 4 5, your 5 6, seat 6 7, belts 7 8")
    with pytest.raises(TreeMismatchError) as error:
        project_all(trees, Transcript([TimedWord(*word) for word in words], "plane.ctm"))
    lines = str(error.value).splitlines()
    assert lines[0].startswith("plane.ctm: only ")
    assert lines[0].endswith(
        "of the characters of leaves and words match, less than min_match=0.5, and most do not here:"
    )
    assert lines[1].startswith("  tree 1 to tree 2: the committee will vote")
    assert lines[2] == "  0.00 to 8.00 s: ladies and gentlemen please fasten your seat belts"
    assert "another recording" in lines[3]
    loose = project_all(trees, words, min_match=0.0, min_tree_match=0.0)  # as asked for
    assert Report.total(item.report for item in loose).match < 0.5


def test_project_a_part_of_the_recording_is_refused_with_the_place():
    """The words stop after the first of three trees: 120 of 360 characters, 2 · 120 of 480 in all."""
    pairs = ["".join(pair) for pair in product("abcd", "abcdefghij")]
    trees = [flat(" ".join(f"{letter}{pair}" for pair in pairs)) for letter in "abc"]
    words = [(f"a{pair}", n, n + 1) for n, pair in enumerate(pairs)]
    with pytest.raises(TreeMismatchError, match="only 50% of the characters") as error:
        project_all(trees, words, min_match=0.6, name=lambda row: f"talk.mrg:{row + 1}")
    assert "\n  talk.mrg:2 to talk.mrg:3: baa bab" in str(error.value)
    assert "\n  in between: (nothing)" in str(error.value)
    words += [("zzzzzzz", n, n + 1) for n in range(40, 60)]  # now 240 of 620
    with pytest.raises(TreeMismatchError, match="only 39% of the characters") as error:
        project_all(trees, words)
    assert "talk.mrg" not in str(error.value)
    assert "  tree 2 to tree 3: baa bab" in str(error.value)
    assert "  40.00 to 60.00 s: zzzzzzz zzzzzzz" in str(error.value)


def test_project_too_long_to_be_aligned_is_refused_with_the_place(monkeypatch):
    monkeypatch.setattr(edits, "_MAX_LARGE", 10_000)
    with pytest.raises(TreeMismatchError, match="words: leaves and words have too little in common") as error:
        project(flat("ab " * 100), [("yz", n, n + 1) for n in range(100)], min_match=0.0)
    assert "  tree 1: ab ab ab" in str(error.value)


def test_project_errors_show_no_control_characters():
    words = said("ab\x1b[31mcd 0 1, ef\u202e 1 2")
    with pytest.raises(TreeMismatchError) as error:
        project(flat("xxxxx yyyyy"), words)
    assert "\x1b" not in str(error.value)
    assert "\u202e" not in str(error.value)


def test_module_says_how_times_are_shared():
    assert "in proportion to its characters" in placing.__doc__

"""What of a leaf sounds, and the words that a forced aligner is given."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree
from structiou_metric.speech.projection.spelling import leaf_sounds, sounds, spelling, spoken_words
from support.examples import examples


@pytest.mark.parametrize(
    "text, want",
    [
        pytest.param("Dog", "dog", id="case"),
        pytest.param("STRASSE", "strasse", id="upper case of sharp s"),
        pytest.param("Straße", "strasse", id="sharp s"),
        pytest.param("n't", "nt", id="apostrophe"),
        pytest.param("n’t", "nt", id="curly apostrophe"),
        pytest.param("n\u02bct", "nt", id="apostrophe that counts as a letter"),
        pytest.param("New-York", "newyork", id="hyphen"),
        pytest.param("th-", "th", id="fragment"),
        pytest.param("and\\/or", "andor", id="escaped slash"),
        pytest.param("1,200", "onethousandtwohundred", id="number"),
        pytest.param("1990s", "nineteenninetys", id="decade"),
        pytest.param("MP3", "mpthree", id="digit in a word"),
        pytest.param("café", "cafe", id="accent"),
        pytest.param("cafe\u0301", "cafe", id="accent as a mark"),
        pytest.param("İzmir", "izmir", id="dotted capital i"),
        pytest.param("ﬁre", "fire", id="ligature"),
        pytest.param("בַּיִת", "בית", id="niqqud"),
        pytest.param("צ\u05f3ק", "צק", id="geresh"),
        pytest.param("ไทย", "ไทย", id="letters without case"),
        pytest.param("AT&T", "atandt", id="and"),
        pytest.param("%", "percent", id="percent"),
        pytest.param("$", "dollars", id="dollars"),
    ],
)
def test_sounds_of_words(text, want):
    assert sounds(text) == want


@pytest.mark.parametrize(
    "text",
    [
        *[".", ",", "``", "''", "--", "…", "(", "¿", "\\*", "'", "’", "\u05c3", "\u200f", "\ud800", ""],
        *["-LRB-", "-rrb-", "-LCB-", "-RSB-", "*", "*-1", "*T*-1", "*?*", "*ICH*-2"],
    ],
    ids=ascii,
)
def test_sounds_of_nothing(text):
    assert sounds(text) == spelling(text) == ""
    assert spoken_words([text]) == []


@given(st.text(max_size=8))
def test_sounds_do_not_depend_on_form(text):
    assert sounds(unicodedata.normalize("NFD", text)) == sounds(unicodedata.normalize("NFC", text))
    assert spelling(unicodedata.normalize("NFD", text)) == spelling(unicodedata.normalize("NFC", text))
    assert "".join(unicodedata.normalize("NFKD", sounds(text)).split()) == sounds(text)
    assert bool(sounds(text)) or not any(map(str.isalnum, spelling(text)))


@given(st.text(max_size=8), st.text(max_size=8))
def test_spelling_alike_sounds_alike(a, b):
    for one, other in ((a, b), (a, a.swapcase()), (a, f"{a}.")):
        if spelling(one) == spelling(other) and not re.search(r"\d", spelling(one)):  # 1.5 and 15 do not
            assert sounds(one) == sounds(other)


@pytest.mark.parametrize(
    "brackets, want",
    [
        pytest.param("(S (NP (-NONE- 0)) (VP (VB go)))", ["", "go"], id="trace that looks like a number"),
        pytest.param("(INTJ (UH Okay) (. .) (-DFL- E_S))", ["okay", "", ""], id="Switchboard's marks"),
        pytest.param("(X (CODE (SYM SpeakerA1) (. .)))", ["", ""], id="Switchboard's speakers"),
        pytest.param("(NP (CD 0) (NN *U*))", ["zero", ""], id="a trace's text under another label"),
        pytest.param("()", [], id="failed parse"),
    ],
)
def test_leaf_sounds_know_labels(brackets, want):
    assert leaf_sounds(SegmentTree.from_brackets(brackets)) == want


@pytest.mark.parametrize(
    "leaves, want",
    [
        pytest.param("I ca n't", ["i", "can't"], id="not"),
        pytest.param("I ca n’t", ["i", "can't"], id="not with a curly apostrophe"),
        pytest.param("John 's dogs ' bowls", ["john's", "dogs", "bowls"], id="possessives"),
        pytest.param("we 'll 've", ["we'll've"], id="two clitics"),
        pytest.param("'s he", ["'s", "he"], id="a clitic at the start"),
        pytest.param("gon na wan na got ta gim me", ["gonna", "wanna", "gotta", "gimme"], id="halves"),
        pytest.param("'T is good", ["'tis", "good"], id="half at the front"),
        pytest.param("get 'em", ["get", "'em"], id="a word of its own"),
        pytest.param("uh-huh th- re-read", ["uh", "huh", "th", "re", "read"], id="hyphens"),
        pytest.param("Mr. U.S. a.m. J. etc.", ["mr", "u.s.", "a.m.", "j.", "etc"], id="points"),
        pytest.param("5.5 % , 1,200", ["5.5", "percent", "1200"], id="numbers"),
        pytest.param("O'Clock rock-'n'-roll", ["o'clock", "rock", "'n'", "roll"], id="apostrophes inside"),
        pytest.param("Café בַּיִת", ["café", "בַּיִת"], id="marks stay"),
    ],
)
def test_spoken_words_of_leaves(leaves, want):
    assert spoken_words(leaves.split()) == want


def test_spoken_words_of_trees():
    trees = ["(S (NP (PRP It)) (VP (BES 's)) (. .))", "(S (VP (BES 's)) (NP (-NONE- *)))"]
    assert spoken_words(trees[0]) == ["it's"]
    assert spoken_words(SegmentTree.from_brackets(trees[0])) == ["it's"]
    assert spoken_words(trees) == ["it's", "'s"]  # nothing is joined over the end of a tree
    assert spoken_words("()") == spoken_words([]) == []


def test_spoken_words_of_trees_like_nltk_s():
    class Tree(list):
        def label(self):
            return "X"

    tree = Tree(["I", Tree(["do"]), Tree(["n't"])])
    assert spoken_words(tree) == spoken_words([tree]) == ["i", "don't"]


_LEAVES = st.one_of(
    st.sampled_from(["ca", "n't", "'s", "gon", "na", "-LRB-", ".", "U.S.", "5.5", "A&B", "th-", "בַּיִת", "'"]),
    st.text("abÉ'-.&1", min_size=1, max_size=5),
)


@examples(100)
@given(st.lists(_LEAVES, max_size=8))
def test_spoken_words_sound_like_their_leaves(leaves):
    words = spoken_words(leaves)
    assert "".join(map(sounds, words)) == "".join(map(sounds, leaves))
    assert all(words)
    assert all(word == word.casefold() and not set(word) & set(" -&") for word in words)

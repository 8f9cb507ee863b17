"""Trees out of answers that have more in them; nothing is repaired, and what is skipped is told."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, TreeFormatError, trees
from structiou_metric.trees import extract
from support.strategies import tree_cases

TREE = "(S (NP (PRP we)) (VP (VBP run)))"


@pytest.mark.parametrize(
    "before, after",
    [
        pytest.param("", "", id="nothing else"),
        pytest.param("Sure! Here is the parse:\n\n```\n", "\n```\nHope this helps :)", id="fence"),
        pytest.param("Sorry :( The tree is:(as asked) ", " :(", id="faces"),
        pytest.param("1) In brackets (see (a) and (b)) (I think): ", " (done)", id="remarks"),
        pytest.param("First (VP (V run) (V<1) walk) then ", "", id="a bracket without a word"),
        pytest.param("", f" or else {TREE}", id="two trees"),
        pytest.param("()\n(TOP )\n", "", id="empty trees"),
    ],
)
def test_first_tree(before, after):
    found = extract(f"{before}{TREE}{after}")
    assert found == (TREE, before, after)
    assert bool(found.skipped) is bool(before.strip() or after.strip())


def test_skipped_is_told_in_a_line():
    assert (
        extract(f"Well:\n{TREE}\n" + "and so on " * 20).skipped
        == "'Well:' … " + repr("and so on " * 20)[:59] + "…"
    )


@pytest.mark.parametrize(
    "text, message",
    [
        pytest.param("I cannot parse this.", "there is no tree in this text: it has no balanced", id="none"),
        pytest.param("", "there is no tree in this text: it has no balanced brackets", id="empty"),
        pytest.param("()", "there is no tree in this text: '()' has a bracket without a word", id="failed"),
        pytest.param(
            "yes (I think)", "there is no tree in this text: '(I think)' has no brackets in", id="remark"
        ),
        pytest.param(
            "a\nb (S (NP (D a) (N b)) (VP", "2:3: this '(' is never closed, so that the", id="cut off"
        ),
        pytest.param("( S (NP (D a)) (VP (V b))", "1:1: this '(' is never closed", id="cut off after space"),
        pytest.param("(a) (b) (c) (d) (e)", "there is no tree in this text: '(a)' has a bracket", id="many"),
    ],
)
def test_no_tree(text, message):
    with pytest.raises(TreeFormatError) as caught:
        extract(text)
    assert str(caught.value).startswith(message)
    with pytest.raises(TreeFormatError, match=r"^answers\[3\]:"):
        extract(text, source="answers[3]")


def test_spaces_in_brackets_do_not_hide_a_tree():
    """The part of it that has none would be another tree."""
    text = "( S ( NP (D a)) ( VP (V b)))"
    assert extract(f"So: {text}").text == text
    assert extract(f"Look:( {TREE})").text == f"( {TREE})"
    with pytest.raises(TreeFormatError, match="is never closed"):
        extract(f":( {TREE}")  # a face, or the outermost bracket


def test_words_tell_which():
    text = f"(UH yes) {TREE} (S (NP (PRP we)) (VP (VBP -LRB-)))"
    assert extract(text, words=["yes"]).text == "(UH yes)"
    assert extract(text, words=["we", "("]).before == f"(UH yes) {TREE} "
    with pytest.raises(TreeFormatError, match=r"has other words; .* has other words; "):
        extract(text, words=["we"])


def test_no_other_reader_does_this():
    with pytest.raises(TreeFormatError):
        SegmentTree.from_brackets(f"Sure: {TREE}")


def test_the_package_has_it():
    assert trees.extract is extract
    with pytest.raises(AttributeError, match="has no attribute 'extracts'"):
        trees.extracts  # noqa: B018


@pytest.mark.parametrize("depth", [100_000])
def test_deep_trees(depth):
    text = "(A " * depth + "w" + ")" * depth
    assert extract(f"Deep: {text}!").text == text
    with pytest.raises(TreeFormatError, match="is never closed"):
        extract(f"Deep: {text[:-1]}!")


prose = st.text(st.sampled_from("ab: \n.,;'-1`"), max_size=12)
remarks = st.sampled_from(["", "(see below)", "(a)", "1) ", "I (we) :( "])
nested = tree_cases(6).map(lambda case: "".join(case.brackets)).filter(lambda text: text.count("(") > 1)


@given(prose, remarks, prose, nested, prose)
@example("", "I (we) :( ", "", "(A (A w0))", "")
def test_a_tree_is_found_in_any_prose(first, remark, second, tree, after):
    before = f"{first}{remark}{second} "
    assume(")" not in after)
    if before.rstrip().endswith(":("):  # a face, or the root of a tree that was cut off: nothing is guessed
        with pytest.raises(TreeFormatError, match="is never closed"):
            extract(f"{before}{tree}{after}")
        return
    assert extract(f"{before}{tree}{after}") == (tree, before, after)


@given(prose, nested, st.data())
def test_a_tree_that_is_cut_off_is_none(before, tree, data):
    cut = data.draw(st.integers(1, len(tree) - 1))
    with pytest.raises(TreeFormatError):
        extract(f"{before} {tree[:cut]}")


@given(st.text(st.sampled_from("() aS\n:<1,2>"), max_size=40))
def test_whatever_is_found_is_a_tree_of_the_text(text):
    try:
        found = extract(text)
    except TreeFormatError:
        return
    assert found.before + found.text + found.after == text
    tree = SegmentTree.from_brackets(found.text)
    assert tree.words
    assert found.text.count("(") == found.text.count(")")

"""DESIGN §6: bad input is named, counted or survived; it never crashes, hangs or passes in silence."""

from __future__ import annotations

import os
import re
from inspect import getsource

import pytest

from structiou_metric import (
    COMPILED,
    SegmentTree,
    StructIoU,
    TreeFormatError,
    TreeMismatchError,
    align,
    struct_iou,
)
from structiou_metric.errors import TreeSizeError
from structiou_metric.metrics import load_metric
from structiou_metric.sources.files import TreeFile
from support.process import run_python

DEEP = 100_000
GOOD = "(S (A a) (B b))"


def chain(labels, depth=DEEP):
    """A chain of one-child nodes, labels by turns from the root down."""
    opens = "".join(f"({label} " for label in labels)
    return opens * (depth // len(labels)) + "w" + ")" * depth


def right_comb(label, depth=DEEP, top=None):
    return f"({top or label} w " + f"({label} w " * (depth - 1) + ")" * depth


def left_comb(label, depth=DEEP, top=None):
    return f"({top or label} " + f"({label} " * (depth - 1) + "w) " * depth


# ---------------------------------------------------------------------------------------- deep trees


@pytest.mark.parametrize(
    "prediction, reference, want",
    [
        pytest.param(chain("A"), chain("A"), 1.0, id="chain, identical"),
        pytest.param(chain("A"), chain("B"), 0.0, id="chain, other labels"),
        pytest.param(chain("AB"), chain("AB"), 1.0, id="chain of two labels, identical"),
        pytest.param(chain("A"), "(A w)", 2 / (DEEP + 1), id="chain against one node"),
        # All of the shorter chain's nodes match: 2 * 50,000 of 150,000.
        pytest.param(chain("A"), chain("A", DEEP // 2), 2 / 3, id="chain, half as deep"),
        pytest.param(right_comb("A"), right_comb("A"), 1.0, id="right comb, identical"),
        pytest.param(left_comb("A"), left_comb("A"), 1.0, id="left comb, identical"),
        pytest.param(left_comb("A"), right_comb("B"), 0.0, id="combs without a common label"),
    ],
)
def test_struct_iou_deep_trees(prediction, reference, want):
    assert struct_iou(prediction, reference) == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize(
    "text, message",
    [
        pytest.param(
            "(A " * DEEP + "w" + ")" * (DEEP - 1), r":1:1: this '\(' is never closed", id="one open"
        ),
        pytest.param("(A " * DEEP + "w" + ")" * (DEEP + 1), rf":1:{4 * DEEP + 2}: this '\)' closes nothing"),
        pytest.param("w" + ")" * DEEP, ":1:1: text outside of any bracket", id="no open"),
        pytest.param(")" * DEEP, r":1:1: this '\)' closes nothing", id="nothing but closes"),
    ],
)
def test_struct_iou_deep_trees_that_do_not_balance(text, message):
    with pytest.raises(TreeFormatError, match=f"^prediction{message}"):
        struct_iou(text, GOOD)


def test_struct_iou_nothing_but_open_brackets():
    done = run_python(
        "from structiou_metric import StructIoU\n"
        f"rows = ['(' * {DEEP}, '(A a)']\n"
        "print(StructIoU(on_error='skip').corpus_score(rows, ['(A a)'] * 2).problems[0][1].splitlines()[0])\n"
    )
    assert (done.returncode, done.stdout[:25]) == (0, f"predictions[0]:1:{DEEP}: "), done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="takes minutes")
@pytest.mark.skipif("STRUCTIOU_EXPECT_SANITIZED" in os.environ, reason="its checks reserve more addresses")
@pytest.mark.parametrize(
    "first, second",
    [
        pytest.param("chain('AB')", "chain('BA')", id="chains of two labels in opposite order"),
        pytest.param("right_comb('A')", "right_comb('A', top='B')", id="right combs, other roots"),
        pytest.param("left_comb('A')", "left_comb('A', top='B')", id="left combs, other roots"),
        pytest.param("left_comb('A')", "right_comb('A')", id="opposite combs"),
    ],
)
def test_struct_iou_hopeless_pairs_end_soon(first, second):
    """Billions of pairs may align. A score is fine, and so is a message that says why there is none.

    In a process of its own: it must not be the system that ends it for taking all memory.
    """
    trees = "\n".join(map(getsource, (chain, right_comb, left_comb)))
    done = run_python(
        f"from structiou_metric import struct_iou\nDEEP = {DEEP}\n{trees}\n"
        "try:\n"
        f"    print(0.0 <= struct_iou({first}, {second}) <= 1.0)\n"
        "except MemoryError as error:\n"
        "    print('are too large to be compared' in str(error))\n",
        memory=2 * 2**30,
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def small_machine(monkeypatch):
    """Have the aligner think that there are 2 GiB of memory."""
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 2**19, "SC_PAGE_SIZE": 2**12}.__getitem__)


HUGE = chain("XY"), chain("YX")  # a table of all their pairs has 10 ** 10 cells
TOO_LARGE = (
    r"predictions\[1\] and references\[1\] are too large to be compared: that takes a table of at least "
    r"1\.\d GiB, more than half of this machine's 2\.0 GiB of memory; cut them into sentences"
)


@pytest.mark.skipif(not COMPILED, reason="takes minutes")
@pytest.mark.parametrize("on_error", ["zero", "skip"])
@pytest.mark.parametrize("how", [{}, {"by_label": True}, {"workers": 2}])
@pytest.mark.parametrize("explains", [False, True])
def test_pairs_that_are_too_large_are_problems_of_their_rows(monkeypatch, on_error, how, explains):
    small_machine(monkeypatch)
    metric = StructIoU(on_error=on_error)
    metric = metric.explaining() if explains else metric
    rows = [GOOD, HUGE[0], "(S (A a))"], [GOOD, HUGE[1], "(S (B a))"]
    result = metric.corpus_score(*rows, **how)
    [(row, message)] = result.problems
    assert (row, re.fullmatch(TOO_LARGE, message) is not None) == (1, True), message
    assert result.columns["matched"].tolist() == [result.columns["n_ref"][0], 0.0, 1.0]
    assert list(result.status) == [0, {"zero": 4, "skip": 2}[on_error], 0]
    without = metric.corpus_score(*(side[::2] for side in rows))
    assert result.by_label["B"] == without.by_label["B"]
    if explains:
        failed = {"zero": 2.0 * DEEP, "skip": 0.0}[on_error]
        assert result.losses.by_cause == {**without.losses.by_cause, "failed": failed}


@pytest.mark.skipif(not COMPILED, reason="takes minutes")
def test_a_pair_that_is_too_large_is_one_error(monkeypatch):
    small_machine(monkeypatch)
    for compare in (struct_iou, align):
        with pytest.raises(TreeSizeError, match=r"^prediction and reference are too large to be compared: "):
            compare(*HUGE)
    with pytest.raises(TreeSizeError, match=TOO_LARGE):
        StructIoU().corpus_score([GOOD, HUGE[0]], [GOOD, HUGE[1]])


@pytest.mark.skipif(not COMPILED, reason="takes minutes")
def test_tree_edit_pairs_that_are_too_large_are_problems_of_their_rows(monkeypatch):
    small_machine(monkeypatch)
    combs = left_comb("A"), right_comb("B")
    metric = load_metric("tree_edit", rename=0.5, on_error="zero")
    result = metric.corpus_score([GOOD, combs[0], GOOD], [GOOD, combs[1], GOOD])
    [(row, message)] = result.problems
    assert (row, re.fullmatch(TOO_LARGE, message) is not None) == (1, True), message
    assert result.columns["distance"].tolist() == [0.0, 2.0 * result.columns["n_ref"][1], 0.0]


# ---------------------------------------------------------------------------------------- long labels


def test_struct_iou_megabyte_labels():
    label = "L" * 2**20
    tree = f"({label} ({label}X a) ({label} b))"
    assert struct_iou(tree, tree) == 1.0
    # Roots and second leaves match: 2 * 2 / 6.
    assert struct_iou(tree, f"({label} ({label}Y a) ({label} b))") == pytest.approx(4 / 6)
    assert struct_iou(f"({label}-1 a)", f"({label}=2 a)", labels="base") == 1.0


def test_struct_iou_megabyte_words():
    word = "w" * 2**20
    assert struct_iou(f"(S (A {word}) (B b))", f"(S (A {word}) (B b))", unit="char") == 1.0
    message = "prediction has 1,048,576 characters and reference has 1 character"
    with pytest.raises(TreeMismatchError, match=message):
        struct_iou(f"(A {word})", "(A a)", unit="char")


def test_struct_iou_error_in_a_megabyte_line_shows_a_window():
    with pytest.raises(TreeFormatError) as caught:
        struct_iou(f"(A {'a' * 2**20}))", GOOD)
    assert len(str(caught.value)) < 300


# ---------------------------------------------------------------------------------------------- times

TIMED = "(S (A a<0,1>) (B b<1,2>))"


@pytest.mark.parametrize(
    "bad, message",
    [
        pytest.param("(A a<nan,1>)", ":1:4: this word's time is not a finite number", id="NaN"),
        pytest.param("(A a<0,inf>)", ":1:4: this word's time is not a finite number", id="infinite"),
        pytest.param("(A a<0,9e307>)", ":1:4: this word's time is not a finite number", id="too large"),
        pytest.param("(A a<0,1e999>)", ":1:4: this word's time is not a finite number", id="too large"),
        pytest.param("(A a<2,1>)", ":1:4: this word ends before it starts", id="reversed"),
        pytest.param(
            "(A a<0,2> b<1,3>)", ":1:11: this word starts before the word on its left ends", id="overlap"
        ),
        pytest.param("(A a)", ":1:4: this word has no time", id="missing"),
        pytest.param(
            ("(A a)", [[0, float("nan")]]), r": word 0: the time \[0, nan\] is not finite", id="pair, NaN"
        ),
        pytest.param(
            ("(A a)", [[2, 1]]), r": word 0: the time \[2, 1\] ends before it starts", id="pair, reversed"
        ),
        pytest.param(
            ("(A a b)", [[0, 2], [1, 3]]), ": word 1: .* starts before word 0 ends", id="pair, overlap"
        ),
        pytest.param(
            {"label": "A", "start": 0, "end": float("inf")}, ": word 0: .* is not finite", id="dict"
        ),
        pytest.param([("A", 0, float("nan"))], ": span 0: nan is no finite number", id="spans"),
        pytest.param(
            [("S", 0.0, 9.0), ("A", 0, 2), ("B", 1, 3)], ": 'B' 1–3 crosses 'A' 0–2", id="crossing spans"
        ),
    ],
)
def test_corpus_score_bad_times(bad, message):
    metric = StructIoU(unit="time")
    with pytest.raises(TreeFormatError, match=rf"^predictions\[1\]{message}"):
        metric.corpus_score([TIMED, bad], [TIMED, TIMED])
    with pytest.raises(TreeFormatError, match=rf"^references\[0\]{message}"):
        metric.corpus_score([TIMED, TIMED], [bad, TIMED])
    result = StructIoU(unit="time", on_error="skip").corpus_score([TIMED, bad], [TIMED, TIMED])
    assert (result.score, result.n_skipped) == (1.0, 1)


def test_struct_iou_words_without_length():
    result = StructIoU(unit="time").corpus_score(["(S (A a<0,1>) (X x<1,1>) (B b<1,2>))"], [TIMED])
    assert result.score == 1.0
    assert result.as_dict()["n_lengthless"] == 1


def test_struct_iou_times_far_from_zero():
    far = "(S (A a<1e15,1000000000000001>) (B b<1000000000000001,1000000000000002>))"
    assert struct_iou(far, far, unit="time") == 1.0
    assert struct_iou(far, TIMED, unit="time") == 0.0


# ----------------------------------------------------------------------------------- texts and rows


@pytest.mark.parametrize(
    "bad, message",
    [
        pytest.param("(A a", r":1:1: this '\(' is never closed", id="unclosed"),
        pytest.param("(A a))", r":1:6: this '\)' closes nothing", id="too many closes"),
        pytest.param("(A a) (B b)", ":1:7: a second tree begins here; give one tree per row", id="two trees"),
        pytest.param("a", ":1:1: text outside of any bracket", id="no bracket"),
        pytest.param("\ud800", ":1:1: text outside of any bracket", id="surrogate outside"),
        pytest.param("\u05d0", ":1:1: text outside of any bracket", id="Hebrew outside"),
        pytest.param("\0", ":1:1: text outside of any bracket", id="NUL outside"),
        pytest.param("{", ": this is neither a bracketed tree nor JSON", id="broken JSON"),
        pytest.param(None, r": the tree is None; give '\(\)' for a failed parse", id="None"),
        pytest.param(5, ": an? int is no tree; give bracket text", id="int"),
        pytest.param(2.5, ": a float is no tree", id="float"),
        pytest.param(b"(A a)", ": a bytes is no tree", id="bytes"),
        pytest.param(object(), ": an? object is no tree", id="object"),
        pytest.param({}, ": a node without 'label'", id="empty dict"),
        pytest.param([5], ": span 0 is no ", id="list of numbers"),
    ],
)
def test_corpus_score_bad_rows(bad, message):
    predictions, references = [GOOD, bad, GOOD], [GOOD] * 3
    with pytest.raises(TreeFormatError, match=rf"^predictions\[1\]{message}"):
        StructIoU().corpus_score(predictions, references)
    with pytest.raises(TreeFormatError, match=rf"^references\[1\]{message}"):
        StructIoU().corpus_score(references, predictions)
    with pytest.raises(TreeFormatError, match=f"^prediction{message}"):
        struct_iou(bad, GOOD)
    with pytest.raises(TreeFormatError, match=f"^reference{message}"):
        struct_iou(GOOD, bad)


def test_only_references_may_be_lists_of_trees():
    with pytest.raises(TreeFormatError, match=r"^predictions\[1\]: this is a list of trees; give one"):
        StructIoU().corpus_score([GOOD, [GOOD]], [GOOD] * 2)
    assert StructIoU().corpus_score([GOOD] * 2, [GOOD, [GOOD]]).sentence == 1.0


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\ufeff" + GOOD, id="byte-order mark"),
        pytest.param("(S\r\n(A a)\r\n(B b))\r\n", id="Windows line ends"),
        pytest.param("(S (A \u05e9\u05b8\u05dc) (B \u200f\u05dd\u200e))", id="right-to-left text and marks"),
        pytest.param("(S (A \u202e) (B \u2067\u2069))", id="direction controls alone"),
        pytest.param("(S (A \ud800) (B \udfff))", id="lone surrogates"),
        pytest.param("(S (A \0) (B \x1b[31m))", id="control characters"),
    ],
)
def test_struct_iou_odd_text_is_text(text):
    assert struct_iou(text, GOOD) == 1.0
    assert struct_iou(SegmentTree.from_brackets(text), GOOD) == 1.0


@pytest.mark.parametrize("empty", ["", " \n", "()", "(TOP )", "(S (A ) (B ))", "\ufeff", "(S (-NONE- *))"])
def test_struct_iou_empty_trees(empty):
    assert struct_iou(empty, "()") == 1.0
    assert struct_iou(empty, GOOD) == 0.0
    assert struct_iou(GOOD, empty) == 0.0
    result = StructIoU().corpus_score([empty, GOOD], [GOOD, GOOD])
    # The failed parse's reference still counts: 3 of 3 predicted nodes match 3 of 6.
    assert (result.sentence, result.corpus) == (0.5, pytest.approx(6 / 9))
    assert (result.precision, result.recall, result.n_empty) == (1.0, 0.5, 1)


@pytest.mark.parametrize(
    "predictions, references, message",
    [
        pytest.param(
            [GOOD],
            [GOOD] * 2,
            r"^predictions: 1 tree, references: 2 trees; give the same number of both: predictions "
            r"ends before references\[1\], and all rows up to there have the same words$",
            id="too few predictions",
        ),
        pytest.param([GOOD], [], "^predictions: 1 tree, references: 0 trees;", id="no references"),
        pytest.param(iter([GOOD] * 3), [GOOD], "^predictions: 3 trees, references: 1 tree;", id="iterator"),
    ],
)
@pytest.mark.parametrize("on_error", ["raise", "zero", "skip"])
def test_corpus_score_unequal_lengths(predictions, references, message, on_error):
    if not isinstance(predictions, list):
        predictions = [GOOD] * 3
    with pytest.raises(TreeMismatchError, match=message):
        StructIoU(on_error=on_error).corpus_score(iter(predictions), references)


def test_corpus_score_of_nothing():
    with pytest.raises(ValueError, match=r"^predictions and references hold no trees to score$"):
        StructIoU().corpus_score([], [])


@pytest.mark.parametrize(
    "trees, message",
    [
        pytest.param(
            GOOD, r"^predictions must be a list of trees, not one str; write predictions=\[…\]$", id="text"
        ),
        pytest.param(
            None,
            "predictions",
            id="None",
        ),
        pytest.param(
            5,
            "predictions",
            id="int",
        ),
        pytest.param(
            SegmentTree.from_brackets(GOOD),
            "predictions",
            id="one tree",
        ),
        pytest.param(
            {"label": "A", "word": "a"},
            "predictions",
            id="one dict",
        ),
        pytest.param(
            b"(A a)",
            "predictions",
            id="bytes",
        ),
    ],
)
def test_corpus_score_wants_lists(trees, message):
    with pytest.raises(TypeError, match=message):
        StructIoU().corpus_score(trees, [GOOD])


def test_corpus_score_refuses_one_nltk_tree():
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree.fromstring(GOOD)
    with pytest.raises(TypeError, match="predictions must be a list of trees"):
        StructIoU().corpus_score(tree, tree)


@pytest.mark.parametrize(
    "prediction, reference, unit, message",
    [
        pytest.param(
            "(A ab)",
            "(A a b)",
            "word",
            "prediction has 1 word and reference has 2 words; the same characters",
        ),
        pytest.param("()", "(A a b)", "word", None, id="a failed parse has no words to count"),
        pytest.param(
            "(A ab)", "(A a b c)", "char", "prediction has 2 characters and reference has 3 characters"
        ),
        pytest.param("(A ab)", "(A a b)", "char", None, id="other words, same characters"),
        pytest.param("(A a<0,1>)", "(A a<0,1> b<1,2>)", "time", None, id="seconds need not agree"),
    ],
)
def test_struct_iou_texts_of_other_length(prediction, reference, unit, message):
    if message is None:
        assert 0.0 <= struct_iou(prediction, reference, unit=unit) <= 1.0
        return
    with pytest.raises(TreeMismatchError, match=message):
        struct_iou(prediction, reference, unit=unit)


# --------------------------------------------------------------------------------------- zero and skip

ROWS = [GOOD, "(A a", GOOD, None, "(A a b c)", "()"]
CAUSES = [
    (1, "predictions[1]:1:1: this '(' is never closed"),
    (3, "predictions[3]: the tree is None"),
    (4, "predictions[4] has 3 words and references[4] has 2 words"),
]


def test_corpus_score_zeroes_and_counts():
    result = StructIoU(on_error="zero").corpus_score(ROWS, [GOOD] * 6)
    assert [tally.score for tally in result.sentences] == [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert [tally.failed for tally in result.sentences] == [False, True, False, True, True, False]
    assert (result.n_zeroed, result.n_skipped, result.n_empty) == (3, 0, 1)
    assert result.sentence == pytest.approx(2 / 6)
    # 6 matched; predicted 3 + 3 + 1 readable nodes; 18 in the references.
    assert result.precision == pytest.approx(6 / 7)
    assert result.recall == pytest.approx(6 / 18)
    assert result.corpus == pytest.approx(12 / 25)
    for (row, message), (want_row, want) in zip(result.problems, CAUSES, strict=True):
        assert row == want_row
        assert message.startswith(want)
    listed = result.as_dict()["problems"]
    assert [problem["index"] for problem in listed] == [1, 3, 4]


def test_corpus_score_skips_and_counts():
    result = StructIoU(on_error="skip").corpus_score(ROWS, [GOOD] * 6)
    assert [tally.score for tally in result.sentences] == [1.0, 1.0, 0.0]
    assert [row["index"] for row in result.per_sentence()] == [0, 2, 5]
    assert (result.n_zeroed, result.n_skipped, result.n_empty) == (0, 3, 1)
    assert result.sentence == pytest.approx(2 / 3)
    assert result.recall == pytest.approx(6 / 9)
    assert [row for row, _ in result.problems] == [1, 3, 4]
    assert result.by_label["A"].n_ref == 3


@pytest.mark.parametrize("on_error", ["zero", "skip"])
def test_corpus_score_problems_keep_their_rows_over_many_batches(on_error):
    predictions = [GOOD] * 1000
    bad = [0, 255, 511, 512, 777, 999]
    for row in bad:
        predictions[row] = "(A a"
    for workers in (1, 3):
        result = StructIoU(on_error=on_error).corpus_score(predictions, [GOOD] * 1000, workers=workers)
        assert [row for row, _ in result.problems] == bad
        assert all(message.startswith(f"predictions[{row}]:1:1: ") for row, message in result.problems)
        assert len(result.sentences) == (1000 if on_error == "zero" else 994)
        assert result.sentence == pytest.approx(0.994 if on_error == "zero" else 1.0)


def test_corpus_score_all_skipped():
    message = r"^all 2 pairs were skipped; the first: predictions\[0\]:1:1: this '\(' is never closed"
    with pytest.raises(ValueError, match=message):
        StructIoU(on_error="skip").corpus_score(["(", "(A a b c)"], [GOOD] * 2)


def test_corpus_score_all_zeroed():
    result = StructIoU(on_error="zero").corpus_score(["(A a", "(A a"], ["(B b", GOOD])
    assert (result.sentence, result.corpus, result.n_zeroed) == (0.0, 0.0, 2)


@pytest.mark.parametrize("on_error", ["zero", "skip"])
def test_corpus_score_of_files_zero_and_skip(on_error):
    prediction = TreeFile(b"(A a)\n(A (a)\n(A a)\n(A a)\n", "p")
    reference = TreeFile(b"(A a)\n(A a)\n(A a)\n(A a b)\n", "r")
    result = StructIoU(on_error=on_error).corpus_score(prediction, reference)
    assert [row for row, _ in result.problems] == [1, 3]
    assert result.problems[0][1].startswith("p:2:1: this '(' is never closed")
    assert result.problems[1][1].startswith("p:4 has 1 word and r:4 has 2 words")
    assert len(result.sentences) == (4 if on_error == "zero" else 2)


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(("(A a)", [[0, 10**400]]), id="time too large"),
        pytest.param(("(A a)", None), id="no times"),
        pytest.param({"brackets": None, "times": [[0, 1]]}, id="no brackets"),
        pytest.param({"labels": None, "starts": [0], "ends": [1], "parents": [-1]}, id="no labels"),
        pytest.param({"label": "S", "children": 5}, id="children no list"),
        pytest.param(
            {"labels": ["S", "T"], "starts": [0, 0], "ends": [1, 1], "parents": [-1, None]}, id="parent"
        ),
        pytest.param('{"label": "A", "start": 0, "end": 1' + "0" * 400 + "}", id="number in JSON too large"),
    ],
)
def test_corpus_score_skips_rows_of_any_bad_shape(bad):
    result = StructIoU(unit="time", on_error="skip").corpus_score([TIMED, bad], [TIMED, TIMED])
    assert [row for row, _ in result.problems] == [1]

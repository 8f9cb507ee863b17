"""Drawings of aligned trees for the terminal."""

from __future__ import annotations

import re
from textwrap import dedent
from unicodedata import category, east_asian_width

import pytest

from structiou_metric import align
from structiou_metric.drawing.outline import draw_alignment
from structiou_metric.metrics.struct_iou.alignment import Alignment, Side
from structiou_metric.trees.labels import base_label
from structiou_metric.trees.tree import Node, SegmentTree
from support.growth import growth
from support.paths import DATA

FSI, PDI = "\u2068", "\u2069"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def side_of(tree, *, exclude_terminals):
    """What of a tree counts, like in the metric: not TOP, and not traces with what they empty."""
    dropped = {
        word
        for i, label in enumerate(tree.labels)
        if tree.sizes[i] == 1 and label == "-NONE-"
        for word in range(tree.firsts[i], tree.lasts[i])
    }
    starts, ends = tree.word_positions()
    place = 0.0
    spans, before = [], [0]
    for word, (start, end) in enumerate(zip(starts, ends, strict=True)):
        before.append(before[-1] + (word not in dropped))
        if word not in dropped:
            spans.append((start, end) if tree.unit == "time" else (place, place + end - start))
            place += end - start
    nodes = {}
    for i, label in enumerate(tree.labels):
        first, last = before[tree.firsts[i]], before[tree.lasts[i]]
        is_wrapper = i == len(tree) - 1 and label in ("TOP", "")
        if first < last and not is_wrapper and not (exclude_terminals and tree.sizes[i] == 1):
            span = spans[first][0], spans[last - 1][1]
            nodes[i] = Node(i, label, *span, tree.firsts[i], tree.lasts[i], tree.sizes[i] == 1)
    return Side(nodes, frozenset(dropped))


def aligned(reference, prediction, *, others=(), unit=None, exclude_terminals=False):
    """Pair nodes with the same span and label; and `others`: number by number in postorder, with an IoU."""
    ref, pred = (
        tree if isinstance(tree, SegmentTree) else SegmentTree.from_brackets(tree, unit)
        for tree in (reference, prediction)
    )
    pred_side = side_of(pred, exclude_terminals=exclude_terminals)
    ref_side = side_of(ref, exclude_terminals=exclude_terminals)
    places: dict[object, list[int]] = {}
    for j, node in ref_side.nodes.items():
        places.setdefault((base_label(node.label), node.start, node.end), []).append(j)
    pairs = [(i, j, iou) for j, i, iou in others]
    taken = {i for i, _, _ in pairs}, {j for _, j, _ in pairs}
    for i, node in pred_side.nodes.items():
        same = places.get((base_label(node.label), node.start, node.end), [])
        if same and i not in taken[0] and same[0] not in taken[1]:
            pairs.append((i, same.pop(0), 1.0))
    return Alignment(pred, ref, pred_side, ref_side, pairs)


def columns(line):
    """Columns of a line in a terminal, counted in another way than by the module."""
    line = ESCAPE.sub("", line)
    return sum(0 if category(c) in ("Mn", "Cf") else 1 + (east_asian_width(c) in ("W", "F")) for c in line)


def halves(drawing):
    """The lines of either tree when one follows the other; up to 22 columns that is always so."""
    prediction, reference, _ = drawing.split("\n\n")
    return prediction.splitlines()[1:], reference.splitlines()[1:]


def trees_of(drawing):
    """A drawing without the scores below it."""
    return drawing[: drawing.rindex("\n\n")]


def drawn(text):
    """A drawing written in a test, without its indentation."""
    return dedent(text).strip("\n")


# ----------------------------------------------------------------------------------- whole drawings

SHORT_NP = "(TOP (S (NP (DT the) (JJ old)) (NN dog) (VP (VBD barked) (ADVP (RB again)))))"
LONG_NP = "(S (NP (DT the) (JJ old) (NN dog)) (VP (VBZ barked) (ADVP (RB again))))"
NP_PAIR = [(2, 3, 2 / 3)]


def test_draw_side_by_side():
    drawing = draw_alignment(aligned(SHORT_NP, LONG_NP, others=NP_PAIR))
    assert drawing == drawn(
        """
        reference                 prediction
        1 S                       1 S
        2 ├── NP  0–2  0.67       2 ├── NP  0–3  0.67
        3 │   ├── DT the          3 │   ├── DT the
        4 │   └── JJ old          4 │   ├── JJ old
        5 ├── NN dog              5 │   └── NN dog
        6 └── VP                  6 └── VP
        ·     ├── VBD barked      ·     ├── VBZ barked
        7     └── ADVP            7     └── ADVP
        8         └── RB again    8         └── RB again

        score 0.8519  precision 0.8519  recall 0.8519
        """
    )


def test_draw_one_after_the_other_with_traces_and_bare_words():
    reference = "(TOP (S (VP go (PRT (RP up)) now) (. .)))"
    prediction = "( (S (NP-SBJ (-NONE- *) ) (VP go (RP up) (NP (NN now))) (. .)))"
    drawing = draw_alignment(aligned(reference, prediction), width=40)
    assert drawing == drawn(
        """
        reference
        1 S
        2 ├── VP
          │   ├── go
        · │   ├── PRT
        3 │   │   └── RP up
          │   └── now
        4 └── . .

        prediction
        1 S
          ├── (NP-SBJ (-NONE- *))
        2 ├── VP
          │   ├── go
        3 │   ├── RP up
        · │   └── NP
        · │       └── NN now
        4 └── . .

        score 0.7273
        precision 0.6667
        recall 0.8000
        """
    )


def test_draw_keeps_pairs_on_one_line_and_the_outline_whole():
    prediction = "(S (A (B b) (C c)) (D (E (F f) (G g))) (H h))"
    reference = "(S (A (X (B b)) (C c)) (F f) (G g) (H h))"
    drawing = draw_alignment(aligned(prediction, reference))
    assert trees_of(drawing) == drawn(
        """
        reference            prediction
        1 S                  1 S
        2 ├── A              2 ├── A
          │   │              · │   ├── X
        3 │   ├── B b        3 │   │   └── B b
        4 │   └── C c        4 │   └── C c
        · ├── D                │
        · │   └── E            │
        5 │       ├── F f    5 ├── F f
        6 │       └── G g    6 ├── G g
        7 └── H h            7 └── H h
        """
    )


# ---------------------------------------------------------------------------------------- the nodes


def test_draw_times_of_words_without_text():
    prediction = "(VP (VBP <2.55,2.56>) (NP (PRP <2.56,2.72>) (NN <2.72,3.013>)))"
    reference = "(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))"
    one = aligned(prediction, reference, others=[(1, 0, 1.0), (2, 1, 0.99), (3, 2, 0.993)])
    assert trees_of(draw_alignment(one)) == drawn(
        """
        reference                         prediction
        · VP  2.55–3.013
        · ├── VBP  2.55–2.56
        1 └── NP  2.56–3.013  0.99        1 NP  2.56–3.01  0.99
        2     ├── PRP  2.56–2.72          2 ├── PRP Your  2.56–2.72
        3     └── NN  2.72–3.013  0.99    3 └── NN turn  2.72–3.01  0.99
        """
    )


@pytest.mark.parametrize(
    "text, lines",
    [
        pytest.param(
            "(NP (X ice<0.1,0.2> cream<0.3,0.5>) bar<0.5,0.6>)",
            ["· NP  0.10–0.60", "· ├── X ice cream  0.10–0.50", "  └── bar  0.50–0.60"],
            id="text",
        ),
        pytest.param(
            "(NP (X <0.1,0.2> <0.3,0.5>) <0.5,0.6>)",
            ["· NP  0.10–0.60", "· ├── X  0.10–0.20 0.30–0.50", "  └── 0.50–0.60"],
            id="no text",
        ),
        pytest.param(
            "(X ice<0.1,0.2> <0.3,0.5> cream<1,2>)",
            ["· X ice 0.30–0.50 cream  0.10–2.00"],
            id="some text",
        ),
    ],
)
def test_draw_timed_words(text, lines):
    assert halves(draw_alignment(aligned("()", text), width=40)) == (["  (empty: no parse)"], lines)


def test_draw_words_without_text_by_number():
    tree = SegmentTree.from_spans([("S", 0, 3), ("A", 0, 1), ("B", 1, 3)])
    lines = halves(draw_alignment(aligned(tree, tree), width=20))[0]
    assert lines == ["1 S", "2 ├── A  0–1", "3 └── B  1–2 2–3"]


def test_draw_leaf_of_many_words_shows_its_span():
    one = aligned("(S (NP ice cream) (NN bar))", "(S (NP ice cream bar))", others=[(0, 0, 2 / 3)])
    prediction, reference = halves(draw_alignment(one, width=30))
    assert prediction == ["1 S", "2 ├── NP ice cream  0–2  0.67", "· └── NN bar"]
    assert reference == ["1 S", "2 └── NP ice cream…  0–3  0.67"]


def test_draw_spans_count_the_scored_text_only():
    prediction = "(S (X a b) (Y c) (Z d))"
    reference = "(S (N (-NONE- *)) (X a b) (Y (-NONE- *) c (Z d)))"
    one = aligned(prediction, reference, others=[(1, 5, 0.5)])
    lines = draw_alignment(one).splitlines()
    assert lines[4:6] == ["3 ├── Y c  0.50    3 └── Y  2–4  0.50", "  │                      ├── (-NONE- *)"]


def test_draw_says_that_spans_are_columns_of_aligned_texts():
    one = align("(S (A we) (B run far))", "(S (A we) (C often) (B run))", texts="aligned")
    lines = draw_alignment(one).splitlines()
    assert any("B run far  2–4  0.50" in line for line in lines)
    assert lines[-1] == "spans count columns"


@pytest.mark.parametrize(
    "iou, shown", [(0.999, "0.99"), (0.5, "0.50"), (0.006, "0.01"), (0.001, "<0.01"), (1.0, "b")]
)
def test_draw_iou_is_never_rounded_to_0_or_1(iou, shown):
    one = aligned("(S (A a) (B b))", "(S (A a) (B b))", others=[(1, 1, iou)])
    assert draw_alignment(one).splitlines()[3].endswith(shown)


def test_draw_preterminals_that_do_not_count_keep_their_words():
    tree = "(TOP (S (NP (DT the) (NN dog) (-NONE- *)) (VP (VB runs))))"
    lines = halves(draw_alignment(aligned(tree, tree, exclude_terminals=True), width=30))[0]
    assert lines == [
        "1 S",
        "2 ├── NP",
        "  │   ├── (DT) the",
        "  │   ├── (NN) dog",
        "  │   └── (-NONE- *)",
        "3 └── VP",
        "      └── (VB) runs",
    ]


def test_draw_shows_a_dropped_root_that_is_more_than_a_wrapper():
    tree = "(TOP (S (A a)) (-NONE- *))"
    lines = halves(draw_alignment(aligned(tree, tree), width=22))[0]
    assert lines == ["  (TOP)", "1 ├── S", "2 │   └── A a", "  └── (-NONE- *)"]


@pytest.mark.parametrize("text", ["", "()", "(TOP )", "(TOP (S ))"])
def test_draw_empty_trees(text):
    drawing = draw_alignment(aligned(text, text))
    assert drawing == drawn(
        """
        reference              prediction
          (empty: no parse)      (empty: no parse)

        score 1.0000  precision 1.0000  recall 1.0000
        """
    )


def test_draw_nodes_without_words_and_labels():
    one = aligned("(S (NP ) ( (A a)) (VP ))", "(S (A a))")
    lines = halves(draw_alignment(one, width=22))[0]
    assert lines == ["1 S", "  ├── (NP)", "· ├── ∅", "2 │   └── A a", "  └── (VP)"]


# ----------------------------------------------------------------------------------------- the text


def test_draw_hebrew_words_are_isolated():
    tree = "(S (NP (NN שָׁלוֹם) (X עולם טוב)) (yyDOT .))"
    lines = draw_alignment(aligned(tree, tree)).splitlines()
    assert lines[3] == f"3 │   ├── NN {FSI}שָׁלוֹם{PDI}       3 │   ├── NN {FSI}שָׁלוֹם{PDI}"
    assert lines[4] == f"4 │   └── X {FSI}עולם טוב{PDI}    4 │   └── X {FSI}עולם טוב{PDI}"
    assert [columns(line[: line.rindex(str(k))]) for k, line in enumerate(lines[1:6], 1)] == [24] * 5


def test_draw_cuts_hebrew_inside_its_isolate():
    tree = f"(S (NN {'שָׁ' * 30}))"
    line = halves(draw_alignment(aligned(tree, tree), width=24))[0][1]
    assert line == f"2 └── NN {FSI}{'שָׁ' * 14}…{PDI}"
    assert columns(line) == 24


@pytest.mark.parametrize(
    "word, shown",
    [
        pytest.param("日本語" * 9, "日本語日本語日…", id="wide"),
        pytest.param("e\u0301" * 30, "e\u0301" * 15 + "…", id="combining mark"),
        pytest.param("x" * 30, "x" * 15 + "…", id="narrow"),
        pytest.param("x" * 16, "x" * 16, id="just fits"),
        pytest.param("日" * 8, "日" * 8, id="wide just fits"),
    ],
)
def test_draw_cuts_long_words(word, shown):
    tree = f"(S (N {word}))"
    assert halves(draw_alignment(aligned(tree, tree), width=24))[0][1] == f"2 └── N {shown}"


@pytest.mark.parametrize(
    "word, shown",
    [
        pytest.param("a\x1b[31mb", "a␛[31mb", id="escape code"),
        pytest.param("a\nb\tc\rd", "a␊b␉c␍d", id="line ends"),
        pytest.param("a\x7f\x85\u2028b", "a\ufffd\ufffd\ufffdb", id="other controls"),
        pytest.param("a\u202eb\u2067c", "a\ufffdb\ufffdc", id="overrides of the direction"),
        pytest.param("a\u200eb\u200fc", "abc", id="direction marks"),
        pytest.param("a\ud800b", "a\ufffdb", id="surrogate"),
        pytest.param(" ", "␣", id="space"),
        pytest.param("א\u2069ב", f"{FSI}א\ufffdב{PDI}", id="end of an isolate"),
    ],
)
def test_draw_neutralises_control_characters(word, shown):
    tree = SegmentTree.from_dict({"label": "S", "children": [{"label": word, "word": word}]})
    drawing = draw_alignment(aligned(tree, tree), width=22)
    assert halves(drawing)[0] == ["1 S", f"2 └── {shown} {shown}"]
    drawing.encode("utf-8")


# ------------------------------------------------------------------------------- colours and numbers


def test_draw_colors_are_those_of_the_pairs():
    one = aligned(SHORT_NP, LONG_NP, others=NP_PAIR)
    colored = draw_alignment(one, color=True)
    assert ESCAPE.sub("", colored) == draw_alignment(one)
    lines = colored.splitlines()
    assert lines[2].startswith("\x1b[38;5;166m2\x1b[0m ├── \x1b[38;5;166mNP  0–2  0.67\x1b[0m  ")
    assert lines[2].endswith("\x1b[38;5;166m2\x1b[0m ├── \x1b[38;5;166mNP  0–3  0.67\x1b[0m")
    assert lines[7].endswith("\x1b[38;5;244m·\x1b[0m     ├── \x1b[38;5;244mVBZ barked\x1b[0m")


def test_draw_dropped_nodes_are_faint():
    tree = "(S (NP (-NONE- *)) (VB go))"
    assert "├── \x1b[2m(NP (-NONE- *))\x1b[0m" in draw_alignment(aligned(tree, tree), color=True)


def number_of(line):
    match = re.match(r" *(\d+) ", line)
    return int(match[1]) if match else 0


def english():
    predictions = (DATA / "english.prediction.txt").read_text("utf-8").splitlines()
    references = re.split(r"\n\s*\n", (DATA / "english.reference.mrg").read_text("utf-8").strip())
    return list(zip(predictions, references, strict=True))


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("width", [20, 33, 100, 250])
def test_draw_english_sentences_in_any_width(width, color):
    for prediction, reference in english():
        drawing = draw_alignment(aligned(prediction, reference), width=width, color=color)
        assert ("\x1b" in drawing) == color
        assert max(map(columns, drawing.splitlines())) <= width


def test_draw_english_numbers_are_all_there():
    for prediction, reference in english():
        one = aligned(prediction, reference)
        wanted = list(range(1, len(one.pairs) + 1))
        for lines in halves(draw_alignment(one, width=22)):
            assert [number for number in map(number_of, lines) if number] == wanted
        title, *wide, _, _ = draw_alignment(one, width=250).splitlines()
        column = title.index("reference")
        both = [(number_of(line), number_of(line[column:])) for line in wide]
        assert [numbers for numbers in both if any(numbers)] == [(k, k) for k in wanted]


def test_draw_numbers_of_both_sides_are_pairs():
    prediction, reference = english()[72]
    one = aligned(reference, prediction)
    wanted = {(r.label, p.label) for p, r, _ in one.pairs}
    left, right = (
        {m[1]: m[2] for line in lines if (m := re.match(r" *(\d+) [│├└─ ]*(\S+)", line))}
        for lines in halves(draw_alignment(one))
    )
    assert left.keys() == right.keys()
    assert {(left[number], right[number]) for number in left} == wanted


def test_draw_crossing_pairs_does_not_lose_rows():
    one = aligned("(S (A a) (B a))", "(S (B a) (A a))", others=[(0, 1, 0.5), (1, 0, 0.5)])
    assert draw_alignment(one).splitlines()[1:-2] == [
        "1 S                1 S",
        "2 ├── A a  0.50      │",
        "3 └── B a  0.50    3 ├── B a  0.50",
        "                   2 └── A a  0.50",
    ]


# ----------------------------------------------------------------------------------- size and width


@pytest.mark.parametrize("width", [-5, 0, 19, 20])
def test_draw_uses_20_columns_at_least(width):
    assert draw_alignment(aligned(SHORT_NP, LONG_NP), width=width) == draw_alignment(
        aligned(SHORT_NP, LONG_NP), width=20
    )


def test_draw_caps_the_indentation():
    tree = "(A (B (C (D (E (F f) g) (H h)))))"
    drawing = draw_alignment(aligned(tree, tree), width=30)
    assert halves(drawing)[0] == [
        "1 A",
        "2 └── B",
        "3     └── C",
        "4         └── D",
        "5             …(depth 5) E",
        "6             …(depth 6) F f",
        "              …(depth 6) g",
        "7             …(depth 5) H h",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape, n",
    [("chain", 100_000), ("right", 50_000), ("left", 50_000), ("dropped", 100_000), ("flat", 50_000)],
)
def test_draw_large_trees(shape, n):
    text = {
        "chain": "(X " * n + "word" + ")" * n,
        "right": "(X w " * n + "word" + ")" * n,
        "left": "(X " * n + "word" + " w)" * n,
        "dropped": "(S (A a) " + "(X " * n + "(-NONE- *)" + ")" * n + ")",
        "flat": "(S " + "(X w) " * n + ")",
    }[shape]
    tree = SegmentTree.from_brackets(text)
    one = aligned(tree, tree)
    lines = draw_alignment(one, width=80).splitlines()
    assert max(map(len, lines)) <= 80
    if shape == "chain":
        assert lines[n].endswith(f"…(depth {n}) X word")


@pytest.mark.parametrize("inside", ["(X w) ", "(X (X w)) "])
def test_draw_takes_linear_time(inside):
    def draw(n):
        tree = SegmentTree.from_brackets(f"(S {inside * n})")
        draw_alignment(aligned(tree, tree), width=80)

    assert growth(draw, 2_000) < 10

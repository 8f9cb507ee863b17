"""Pictures of aligned trees: what they hold, not their bytes."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from random import Random
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structiou_metric import StructIoU, align
from structiou_metric.drawing.svg import COLORS, LABEL_SIZE, MAX_NODES, SMALL_SIZE, WORD_SIZE, draw_svg
from structiou_metric.drawing.svg_text import text_width
from structiou_metric.metrics.struct_iou.alignment import Alignment, Side
from structiou_metric.trees.tree import SegmentTree
from support.bundled import pair_of
from support.examples import examples
from support.random_trees import SHAPES, mutate, random_tree, timed
from support.strategies import TreeCase, tree_cases, tree_pairs

NS = "{http://www.w3.org/2000/svg}"
GREY = "#808080"
ROUNDING = 0.11  # coordinates have one digit


class Box(NamedTuple):
    """A node in the picture."""

    tree: str
    node: int
    pair: int
    left: float
    right: float
    top: float
    color: str
    dashes: str | None
    fills: list[tuple[float, float]]
    texts: list[str]
    title: str


class Drawing:
    """What stands in a picture."""

    def __init__(self, picture):
        self.text = picture
        self.root = ElementTree.fromstring(picture)
        self.width, self.height = (float(self.root.get(name)) for name in ("width", "height"))
        self.boxes = [_box(group) for group in self.root.iter(f"{NS}g") if group.get("data-tree")]
        self.rows = {
            row.get("data-words"): [(_written(text), float(text.get("x"))) for text in row]
            for row in self.root.iter(f"{NS}g")
            if row.get("data-words")
        }
        self.titles = ["".join(title.itertext()) for title in self.root.iter(f"{NS}title")]

    def of(self, tree):
        return {box.node: box for box in self.boxes if box.tree == tree}

    def written(self):
        """All text but tooltips."""
        return [_written(text) for text in self.root.iter(f"{NS}text")]

    def numbers(self):
        """The numbers along the axis and where they stand."""
        found = []
        for group in self.root.iter(f"{NS}g"):
            if group.get("font-size") == f"{SMALL_SIZE:.0f}" and not group.get("data-words"):
                found += [(_written(text), float(text.get("x"))) for text in group]
        return found


def _written(text):
    spans = text.findall(f"{NS}tspan")
    if spans:
        return " ".join("".join(span.itertext()) for span in spans)
    return (text.text or "") + "".join(child.tail or "" for child in text)


def _box(group):
    *parts, outline = group.findall(f"{NS}rect")
    left = float(outline.get("x"))
    filled = [
        (float(r.get("x")), float(r.get("x")) + float(r.get("width")))
        for r in (*parts, outline)
        if r.get("fill") != "none"
    ]
    return Box(
        group.get("data-tree"),
        int(group.get("data-node")),
        int(group.get("data-pair", 0)),
        left,
        left + float(outline.get("width")),
        float(outline.get("y")),
        outline.get("stroke"),
        outline.get("stroke-dasharray"),
        filled,
        ["".join(span.itertext()) for span in group.find(f"{NS}text")],
        group.find(f"{NS}title").text,
    )


def drawn(alignment, **options):
    return Drawing(draw_svg(alignment, **options))


def sides(alignment):
    return {
        "reference": (alignment.reference, alignment.reference_side.nodes),
        "prediction": (alignment.prediction, alignment.prediction_side.nodes),
    }


def check(alignment, **options):
    """Everything that holds of any picture without nodes that do not count; returns it."""
    picture = drawn(alignment, **options)
    mirrored = options.get("direction") == "rtl"
    for tree, (_, counted) in sides(alignment).items():
        boxes = picture.of(tree)
        assert sorted(box.node for box in picture.boxes if box.tree == tree) == sorted(counted)
        check_places(boxes, counted, mirrored)
        check_rows(boxes.values())
        for i, box in boxes.items():
            assert box.left >= 0
            assert box.right <= picture.width
            assert 0 <= box.top <= picture.height
            assert box.texts[1 if box.pair else 0] == counted[i].label
    check_pairs(picture, alignment)
    for row in picture.rows.values():
        check_words(row)
    return picture


def check_places(boxes, counted, mirrored):
    """The order on the axis is the order in the picture; equal places are equal there."""
    for start, first, second in [("start", "left", "right"), ("end", "right", "left")]:
        if mirrored:
            first = second
        places = sorted((getattr(node, start), getattr(boxes[i], first)) for i, node in counted.items())
        for (one, x), (other, next_x) in pairwise(places):
            step = (x - next_x) if mirrored else (next_x - x)
            assert step >= -ROUNDING if one < other else abs(step) <= ROUNDING


def check_rows(boxes):
    """No bar, and with it no text, touches another; every text fits into its bar by the rule of widths."""
    rows = {}
    for box in boxes:
        rows.setdefault(box.top, []).append(box)
        sizes = [SMALL_SIZE if box.pair else LABEL_SIZE, LABEL_SIZE if box.pair else SMALL_SIZE, SMALL_SIZE]
        widths = [text_width(text, size) for text, size in zip(box.texts, sizes, strict=False)]
        assert sum(widths) + 3 * (len(widths) - 1) <= box.right - box.left
    for row in rows.values():
        row.sort(key=lambda box: box.left)
        for one, other in pairwise(row):
            assert one.right < other.left


def check_pairs(picture, alignment):
    reference, prediction = picture.of("reference"), picture.of("prediction")
    pairs = {(p.number, r.number): iou for p, r, iou in alignment.pairs}
    numbers = sorted(box.pair for box in reference.values() if box.pair)
    assert numbers == list(range(1, len(pairs) + 1))
    by_number = {box.pair: box for box in prediction.values() if box.pair}
    assert sorted(by_number) == numbers
    for box in picture.boxes:
        assert (box.color == GREY) == (box.dashes is not None) == (not box.pair) == (not box.fills)
    for box in reference.values():
        if not box.pair:
            continue
        partner = by_number[box.pair]
        iou = pairs.pop((partner.node, box.node))
        assert box.color == partner.color
        assert box.color in COLORS
        for one in (box, partner):
            assert (len(one.texts) == 3) == (iou < 1)
            (filled,) = one.fills
            common = max(box.left, partner.left), min(box.right, partner.right)
            assert filled == pytest.approx(common)
    assert not pairs


def check_words(row):
    boxes = sorted(
        (x - text_width(text, WORD_SIZE) / 2, x + text_width(text, WORD_SIZE) / 2) for text, x in row
    )
    for (_, end), (start, _) in pairwise(boxes):
        assert end < start


# --------------------------------------------------------------------------------------- any trees


@examples(40)
@given(tree_pairs(7), st.sampled_from(["word", "char"]), st.sampled_from(["auto", "rtl"]))
def test_svg_of_any_untimed_pair(pair, unit, direction):
    prediction, reference = (case.brackets for case in pair)
    check(StructIoU(unit=unit).align(prediction, reference), direction=direction)


@examples(40)
@given(tree_cases(7), tree_cases(7), st.sampled_from(["word", "char"]), st.sampled_from(["auto", "rtl"]))
def test_svg_of_texts_that_differ(prediction, reference, unit, direction):
    """Words of both sides stand on one axis, whose columns a word of one side may have alone."""
    other = re.sub(r"w(\d)", lambda word: f"w{int(word[1]) // 2 * 2}", reference.brackets)  # w0 w0 w2 w2 …
    one = StructIoU(unit=unit, texts="aligned").align(prediction.brackets, other)
    check(one, direction=direction)


def test_svg_has_gaps_where_a_side_has_no_word():
    one = align("(S (A we) (B run))", "(S (A we) (C often) (B run))", texts="aligned")
    picture = check(one)
    (we, run), (also_we, often, also_run) = picture.rows["prediction"], picture.rows["reference"]
    assert (we, run) == (also_we, also_run)
    assert we[1] < often[1] < run[1]
    assert "prediction B, columns 2–3: run" in picture.text
    assert "axis in columns" in picture.text


# What they have in common is about 1 px wide in the picture; twice as much was filled once.
NARROW_OVERLAP = (
    TreeCase("(A (A w0 w1 w2) (A w3 w4 w5))", [*pairwise((0.5, 1.5, 3.0, 4.5, 5.5, 6.0, 6.5))]),
    TreeCase("(A (A (A w0) (A w1 w2)) (A w3))", [*pairwise((0.5, 1.0, 1.5, 2.5)), (3.0, 4.625)]),
)


@examples(40)
@example(NARROW_OVERLAP, "ltr")
@example(NARROW_OVERLAP, "rtl")
@given(tree_pairs(7, timed=True), st.sampled_from(["ltr", "rtl"]))
def test_svg_of_any_timed_pair(pair, direction):
    trees = [(case.brackets, case.times) for case in pair]
    check(StructIoU(unit="time").align(*trees), direction=direction)


@pytest.mark.parametrize("shape", SHAPES)
def test_svg_of_every_shape(shape):
    rng = Random(shape)
    reference = random_tree(rng, 30, 4, shape)
    check(align(mutate(rng, reference, 12), reference))
    prediction, reference = timed(rng, mutate(rng, reference, 12), 0.5), timed(rng, reference, 0.5)
    check(StructIoU(unit="time").align(prediction, reference))


@pytest.mark.parametrize(
    "name, unit", [("english", "word"), ("english", "char"), ("hebrew", "char"), ("speech", "time")]
)
def test_svg_of_the_bundled_trees(name, unit):
    for row in range(6):
        check(pair_of(name, row, unit=unit), direction="rtl" if name == "hebrew" else "auto")


def test_svg_is_always_the_same():
    assert draw_svg(pair_of("speech", 2, unit="time")) == draw_svg(pair_of("speech", 2, unit="time"))


def test_svg_needs_nothing_and_names_nothing():
    picture = drawn(pair_of("english", 40, labels="base"), theme="light", description="signature")
    tags = {element.tag.removeprefix(NS) for element in picture.root.iter()}
    assert tags == {"svg", "desc", "rect", "g", "path", "title", "text", "tspan"}
    names = {name for element in picture.root.iter() for name in element.attrib}
    assert not names & {"id", "class", "href", "onload", "onclick"}
    assert picture.text.count("http") == 1  # the name space
    assert picture.text.count("url(") == 0


# ------------------------------------------------------------------------------------------- nodes

TELESCOPE = (
    "(S (NP (DT The) (NN girl)) (VP (VP (VBD saw) (NP (DT a) (NN cat)))"
    " (PP (P with) (NP (DT a) (NN telescope)))))",
    "(S (NP (DT The) (NN girl)) (VP (VBD saw) (NP (NP (DT a) (NN cat))"
    " (PP (P with) (NP (DT a) (NN telescope))))))",
)


def test_svg_bars_stand_over_their_words():
    picture = drawn(align(*TELESCOPE))
    words = dict(reversed(picture.rows["reference"]))  # the first `a` wins
    lost = next(box for box in picture.boxes if box.tree == "reference" and not box.pair)
    assert (lost.texts, lost.dashes) == (["NP"], "4 3")
    assert lost.title == "reference NP, words 3–8: a cat with a telescope\nnot aligned"
    assert lost.left < words["a"] < words["telescope"] < lost.right
    assert words["saw"] < lost.left


def test_svg_trees_mirror_each_other_around_the_words():
    picture = drawn(align("(S (A a) (B (C b) (D c)))", "(S (A a) (B (C b) (D c)))"))
    for tree, sign in (("reference", -1), ("prediction", 1)):
        a, c, d, b, s = (picture.of(tree)[i].top * sign for i in range(5))
        assert a == c == d < b < s
    assert max(b.top for b in picture.of("reference").values()) < min(
        b.top for b in picture.of("prediction").values()
    )


def test_svg_iou_and_shared_part():
    one = align("(S (NP (DT the) (NN dog)) (VP (V ran)))", "(S (NP (DT the)) (VP (N dog) (V ran)))")
    picture = drawn(one)
    boxes = {(box.tree, box.texts[1]): box for box in picture.boxes if box.pair}
    reference, prediction = boxes["reference", "NP"], boxes["prediction", "NP"]
    assert reference.texts == prediction.texts == [str(reference.pair), "NP", "0.50"]
    assert prediction.fills[0][1] == pytest.approx(reference.right, abs=ROUNDING)
    assert prediction.right > reference.right + 10
    assert prediction.title == (
        f"prediction NP, words 0–2: the dog\npair {reference.pair}, IoU 0.5000\nreference NP, words 0–1"
    )
    assert boxes["reference", "S"].texts == ["1", "S"]


def test_svg_dropped_roots_and_traces_are_not_drawn():
    reference = "( (S (NP-SBJ (-NONE- *)) (VP (VB go) (NP (-NONE- t))) (. .)))"
    picture = check(align("(TOP (S (VP (VB go)) (. .)))", reference))
    assert [text for text, _ in picture.rows["reference"]] == ["go", "."]
    left_out = [title for title in picture.titles if title.startswith("left out")]
    assert left_out == [
        "left out, without length: (NP-SBJ (-NONE- *))",
        "left out, without length: (NP (-NONE- t))",
    ]


def test_svg_nodes_that_do_not_count_are_dotted():
    one = StructIoU(terminals="exclude").align("(S (A (X a) (Y b)))", "(S (A (X a) (Z b)))")
    boxes = [box for box in drawn(one).boxes if not box.pair]
    assert [(box.texts, box.dashes) for box in boxes] == [
        ([label], "1 3") for label in ("(X)", "(Z)", "(X)", "(Y)")
    ]
    assert boxes[0].title == "reference (X), words 0–1: a\ndoes not count"
    assert [box.pair for box in drawn(one).boxes if box.pair] == [1, 2, 1, 2]


def test_svg_dropped_root_that_is_more_than_a_wrapper():
    tree = "(TOP (S (A a)) (-NONE- *))"
    picture = drawn(align(tree, tree))
    assert [box.texts[-1] for box in picture.boxes] == ["(TOP)", "S", "A"] * 2


def test_svg_dropped_words_take_no_time():
    one = StructIoU(unit="time").align(
        "(S (A a<0,1>) (B b<2,3>))", "(S (A a<0,1>) (-NONE- t<1,2>) (B b<2,3>))"
    )
    picture = check(one)
    assert [text for text, _ in picture.rows["reference"]] == ["a", "b"]
    assert picture.titles.count("left out, without length: (-NONE- t)") == 1


def test_svg_words_without_length():
    one = StructIoU(unit="char").align("(S (A a) (B b))", "(S (A a) (X \u200e) (B b) \u200e)")
    picture = check(one)
    assert [title for title in picture.titles if "left out" in title] == [
        "left out, without length: (X )",
        "left out, without length: ",
    ]


def test_svg_words_right_under_phrases_hang_on_lines():
    picture = drawn(align("(VP go (PRT (RP up)) now)", "(VP go (PRT (RP up)) now)"))
    for path in list(picture.root.iter(f"{NS}path"))[:2]:
        xs = [float(x) for x in re.findall(r"M([\d.]+) ", path.get("d"))]
        assert sorted(xs)[0] == pytest.approx(picture.rows["reference"][0][1], abs=ROUNDING)
        assert len(xs) == 4  # PRT on VP, RP on PRT, and two words


@pytest.mark.parametrize(
    "prediction, reference, texts",
    [
        pytest.param("()", "(S (A a))", ["(empty: no parse)"], id="failed parse"),
        pytest.param("(TOP )", "", ["(empty: no parse)"] * 2, id="both"),
        pytest.param(
            "(A (-NONE- *) (B (-NONE- *)))",
            "(A (-NONE- *))",
            ["(-NONE- *)", "(A (-NONE- *) (B (-NONE- *)))"],
            id="traces only",
        ),
    ],
)
def test_svg_empty_trees(prediction, reference, texts):
    one = align(prediction, reference)
    picture = check(one)
    assert [text for text in picture.written() if text.startswith("(")] == texts
    assert not [title for title in picture.titles if "left out" in title]


def test_svg_one_node():
    picture = check(align("(INTJ yes)", "(INTJ yes)"))
    assert [box.texts for box in picture.boxes] == [["1", "INTJ"]] * 2


def test_svg_crossing_pairs_of_another_aligner():
    tree = SegmentTree.from_brackets("(S (A a) (A b))")
    side = Side({node.number: node for node in tree.nodes}, frozenset())
    picture = drawn(Alignment(tree, tree, side, side, [(0, 1, 0.5), (1, 0, 0.5)]))
    assert [box.pair for box in picture.boxes] == [0, 1, 2, 0, 2, 1]


# ------------------------------------------------------------------------------------------ colours


def test_svg_colors_differ_from_those_above_and_beside():
    for row in (40, 56, 65, 72):
        picture = drawn(pair_of("english", row, labels="base"))
        for tree in ("reference", "prediction"):
            boxes = [box for box in picture.of(tree).values() if box.pair]
            for one, other in combinations(sorted(boxes, key=lambda box: (box.top, box.left)), 2):
                beside = one.top == other.top and other.left - one.right < 4
                if beside:
                    assert one.color != other.color
            for box in boxes:
                above = [b for b in boxes if encloses(b, box, tree)]
                if above:
                    nearest = min(above, key=lambda b: abs(b.top - box.top))
                    assert nearest.color != box.color


def encloses(one, other, tree):
    """Whether the first is above the other: over the same place, and farther away from the words."""
    farther = one.top < other.top if tree == "reference" else one.top > other.top
    return farther and one.left <= other.left + ROUNDING and other.right <= one.right + ROUNDING


def test_svg_colors_are_seen_on_white_and_on_black():
    def luminance(color):
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for color in (*COLORS, GREY):
        for ground in (1.0, luminance("#16181d")):
            low, high = sorted((luminance(color), ground))
            assert (high + 0.05) / (low + 0.05) > 2.3


@pytest.mark.parametrize("theme, ground", [("auto", None), ("light", "#ffffff"), ("dark", "#16181d")])
def test_svg_themes(theme, ground):
    root = drawn(align(*TELESCOPE), theme=theme).root
    first = root.find(f"{NS}rect")
    assert (first.get("fill") if first is not None else None) == ground
    assert (";color:#" in root.get("style")) == (ground is not None)
    assert root.find(f"{NS}g").get("fill") == "currentColor"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"theme": "pink"}, "unknown theme 'pink'; choose from auto, light, dark"),
        ({"direction": "up"}, "unknown direction 'up'; choose from auto, ltr, rtl"),
    ],
)
def test_svg_refuses_unknown_choices(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        draw_svg(align("(A a)", "(A a)"), **options)


# --------------------------------------------------------------------------------- words and numbers


def test_svg_equal_words_stand_once():
    assert list(drawn(align(*TELESCOPE)).rows) == ["reference"]
    other = drawn(align("(S (A a) (B b))", "(S (A a) (B c))"))
    assert {tree: [text for text, _ in row] for tree, row in other.rows.items()} == {
        "reference": ["a", "c"],
        "prediction": ["a", "b"],
    }


def test_svg_hebrew_runs_from_right_to_left():
    picture = drawn(pair_of("hebrew", 8, unit="char"))
    for tree, row in picture.rows.items():
        xs = [x for _, x in row]
        assert xs == sorted(xs, reverse=True), tree
    assert [text for text, _ in picture.rows["reference"]][:3] == ["ה", "מורה", "סיפרה"]
    numbers = [(int(text), x) for text, x in picture.numbers()]
    assert numbers[0] == (0, max(x for _, x in numbers))
    assert [x for _, x in numbers] == sorted((x for _, x in numbers), reverse=True)
    assert picture.root.find(f".//{NS}text[@data-word='1']").get("style") == "direction:rtl"


@pytest.mark.parametrize(
    "words, mirrored",
    [
        pytest.param(["a", "b", "שלום"], False, id="a word in an English sentence"),
        pytest.param(["שלום", "עולם", "OK"], True, id="a word in a Hebrew sentence"),
        pytest.param(["12", "مرحبا", "."], True, id="Arabic, digits and points"),
        pytest.param(["1", "2", "."], False, id="no letters"),
    ],
)
def test_svg_direction_is_that_of_most_words(words, mirrored):
    tree = f"(S {' '.join(f'(X {word})' for word in words)})"
    xs = [x for _, x in drawn(align(tree, tree)).rows["reference"]]
    assert xs == sorted(xs, reverse=mirrored)
    for direction, expected in (("ltr", False), ("rtl", True)):
        xs = [x for _, x in drawn(align(tree, tree), direction=direction).rows["reference"]]
        assert xs == sorted(xs, reverse=expected)


def test_svg_mirrored_is_the_mirror_image():
    one = align("(S (A a) (B (C a) (D b)))", "(S (A a) (B (C a) (D b)))")
    plain, mirrored = drawn(one, direction="ltr"), drawn(one, direction="rtl")
    for box, other in zip(plain.boxes, mirrored.boxes, strict=True):
        assert box.left == pytest.approx(plain.width - other.right, abs=2 * ROUNDING)


def test_svg_ticks_stand_at_their_seconds():
    one = StructIoU(unit="time").align(
        "(S (A a<0.5,1.0>) (B b<1.0,1.5>) (C c<1.5,3.0>))", "(S (A a<0.5,1.0>) (B b<1.0,1.5>) (C c<1.5,3.0>))"
    )
    picture = check(one)
    _, a, b, c = picture.of("reference").values()
    middle = c.left + (c.right - c.left) / 3  # of 1.5 to 3 seconds
    assert picture.numbers() == [
        ("1", pytest.approx((a.right + b.left) / 2, abs=ROUNDING)),
        ("2", pytest.approx(middle, abs=1)),
        ("3", pytest.approx(c.right, abs=2)),
    ]


def test_svg_axis_is_cut_short_in_long_silences_and_wide_for_short_words():
    one = StructIoU(unit="time").align(
        "(S (A a<0,0.3>) (BBBBBB b<900,900.001>) (C c<901,901.4>))",
        "(S (A a<0,0.3>) (BBBBBB b<900,900.001>) (C c<901,901.4>))",
    )
    picture = check(one)
    assert picture.width < 800
    assert "⋯ 899.7 ⋯" in picture.written()


def test_svg_axis_in_characters_counts_those_of_both_trees():
    one = StructIoU(unit="char").align("(S (A ab) (A cdefghi))", "(S (A abcd) (A efghi))")
    assert [text for text, _ in drawn(one).numbers()] == ["0", "2", "4", "9"]


@pytest.mark.parametrize(
    "times",
    [
        pytest.param([(-8e307, -1e307), (1e-320, 2e-320), (1e307, 8e307)], id="all there is"),
        pytest.param([(0.0, 5e-324), (5e-324, 1e-323), (1e-323, 1.5e-323)], id="tiny"),
        pytest.param([(1e16, 1e16 + 2), (1e16 + 2, 1e16 + 4), (1e16 + 4, 1e16 + 6)], id="late"),
        pytest.param([(0.0, 1.0), (1.0, 1.0), (1.0, 2.0)], id="a word of no duration"),
        pytest.param([(0.1, 0.2), (0.2, 0.3 - 1e-12), (0.3, 0.4)], id="rounding errors"),
    ],
)
def test_svg_extreme_times(times):
    trees = [("(S (A a) (B b) (C c))", times), ("(S (A a) (D (B b) (C c)))", times)]
    picture = drawn(StructIoU(unit="time").align(*trees))
    assert picture.width < 2000
    assert len(picture.boxes) >= 5
    assert "nan" not in picture.text
    assert "inf" not in picture.text


# -------------------------------------------------------------------------------------------- texts


@pytest.mark.parametrize(
    "word, expected",
    [
        pytest.param("<script>f('1')</a>", "<script>f('1')</a>", id="markup"),
        pytest.param("a&amp;\"b'", "a&amp;\"b'", id="entities and quotes"),
        pytest.param("]]>", "]]>", id="end of a CDATA section"),
        pytest.param("a\x00\x1b\n\tb", "a␀␛␊␉b", id="controls"),
        pytest.param("a\u202eb\u2067c\u200fd", "a\ufffdb\ufffdcd", id="overrides and marks of the direction"),
        pytest.param("a\ud800b", "a\ufffdb", id="surrogate"),
        pytest.param("a\ufffeb\uffffc", "a\ufffdb\ufffdc", id="no characters of XML"),
        pytest.param("日本語 👩\u200d👧", "日本語 👩\u200d👧", id="wide"),
        pytest.param("e\u0301", "e\u0301", id="combining mark"),
        pytest.param(" ", "␣", id="space"),
    ],
)
def test_svg_escapes_and_neutralises(word, expected):
    tree = SegmentTree.from_dict({"label": word, "children": [{"label": word, "word": word}]})
    picture = drawn(align(tree, tree), description=word)
    picture.text.encode("utf-8")
    assert [box.texts for box in picture.boxes] == [["1", expected], ["2", expected]] * 2
    assert [text for text, _ in picture.rows["reference"]] == [expected]
    assert picture.boxes[0].title.startswith(f"reference {expected}, words 0–1: {expected}\npair 1,")
    assert picture.root.find(f"{NS}desc").text == expected
    assert "<script" not in picture.text


@examples(40)
@given(st.lists(st.text(st.characters(), min_size=1, max_size=6), min_size=1, max_size=4))
def test_svg_of_any_text_is_xml(texts):
    tree = SegmentTree.from_dict(
        {"label": texts[0], "children": [{"label": text, "word": text} for text in texts]}
    )
    picture = drawn(StructIoU(drop=()).align(tree, tree), theme="dark")
    picture.text.encode("utf-8")
    check_rows(picture.of("reference").values())


def test_svg_hebrew_labels_are_isolated():
    picture = drawn(align("(שם (NN a))", "(שם (NN a))"))
    assert picture.boxes[0].texts == ["1", "\u2068שם\u2069"]


def test_svg_long_texts_are_cut_and_told_in_full():
    label, word = "L" * 300, "w" * 300
    picture = drawn(align(f"(S ({label} {word}))", f"(S ({label} {word}))"))
    assert picture.boxes[1].texts[1] == "L" * 15 + "…"
    assert [text for text, _ in picture.rows["reference"]] == ["w" * 11 + "…"]
    assert label in picture.boxes[1].title
    assert word in picture.titles
    assert picture.width < 400


def test_svg_of_megabytes_stays_small():
    texts = ["L" * 200_000, "\u0301" * 200_000, "w" * 200_000]
    tree = SegmentTree.from_dict({"label": texts[0], "children": [{"label": texts[1], "word": texts[2]}]})
    picture = drawn(align(tree, tree))
    assert len(picture.text) < 40_000
    assert "… (200000 characters), words 0–1" in picture.boxes[0].title


# ------------------------------------------------------------------------------- sizes and notebooks


def test_svg_of_deep_trees():
    tree = f"{'(A ' * 1500}x{')' * 1500}"
    picture = drawn(align(tree, tree))
    assert len(picture.boxes) == 3000
    assert picture.width < 400


def test_svg_of_many_traces():
    tree = f"(S (A a) {'(-NONE- *) ' * 3000})"
    picture = drawn(align(tree, tree))
    assert len(picture.text) < 5000
    assert sum(title.endswith("and 2990 more") for title in picture.titles) == 2


def test_svg_captions():
    one = align("(S (A a) (B b))", "(S (A a) (C b))")
    assert drawn(one).written()[0] == "reference"
    assert "reference</tspan> · recall 0.6667 · STRUCT-IoU 0.6667<" in draw_svg(one)
    assert "prediction</tspan> · precision 0.6667<" in draw_svg(one)
    assert "0.6667" not in draw_svg(one, caption=False).split("\n", 1)[1]
    assert drawn(one).root.get("aria-label") == (
        "STRUCT-IoU 0.6667: 2 aligned pairs, 3 nodes in the reference, 3 in the prediction"
    )


def test_alignment_in_a_notebook():
    one = align(*TELESCOPE)
    html = one._repr_html_()
    assert html.startswith('<div style="overflow-x:auto;max-width:100%" tabindex="0" ')
    assert html.endswith(f' dir="ltr">{draw_svg(one)}</div>')
    ElementTree.fromstring(html)


def test_alignment_in_a_notebook_scrolls_from_where_the_text_starts():
    assert 'dir="rtl"' in pair_of("hebrew", 0, unit="char")._repr_html_()


def test_alignment_in_a_notebook_is_bounded():
    tree = f"(S {' '.join(['(A a)'] * (MAX_NODES // 2))})"
    html = align(tree, tree)._repr_html_()
    assert html == (
        "<pre>score 1.0000  precision 1.0000  recall 1.0000\n"
        "not drawn: 2,002 nodes, more than 2,000; "
        "see structiou_metric.drawing.svg.draw_svg and structiou align --svg</pre>"
    )

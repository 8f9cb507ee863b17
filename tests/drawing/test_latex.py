"""Trees for LaTeX: what is read back from the source is what was aligned, and TeX takes it."""

from __future__ import annotations

import re
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, align
from structiou_metric.drawing.classes import Classes
from structiou_metric.drawing.folding import fold
from structiou_metric.drawing.latex import Tex, draw_latex, requirements, tex
from structiou_metric.terminal import printable
from support.bundled import joined_pair, pair_of
from support.examples import examples
from support.latex import Shown, check_braces, compile_latex, forests, read_text
from support.strategies import tree_pairs

WIDE = 10_000.0  # centimetres: no tree is cut
COLORS = [f"structiou{i}" for i in range(7)]


def read_trees(source):
    """The trees of both sides, with what was cut off put back to its place."""
    check_braces(source)
    heads = [source.index(rf"\textbf{{{side}}}") for side in ("reference", "prediction")]
    sides = source[heads[0] : heads[1]], source[heads[1] :]
    return [_put_together(dict(forests(side))) for side in sides]


def _put_together(pieces):
    root = pieces[""]
    waiting = [root]
    while waiting:
        node = waiting.pop()
        while node.children and (letter := _letter(node.children[-1])):
            piece = pieces.pop(letter)
            assert (piece.source, piece.style) == (node.source, node.style)
            node.children[-1:] = piece.children
        waiting += node.children
    assert list(pieces) == [""], "a piece that no letter leads to"
    return root


def _letter(node):
    found = re.fullmatch(r"\$\\rightarrow\$\\,\\textbf\{(\w+)\}", node.source)
    return found[1] if found else ""


def flat(root):
    """The nodes in preorder, and the words, as texts."""
    nodes, words = [], []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        leaf = node.style in ("structiou word", "structiou roof")
        (words if leaf else nodes).append(node)
        waiting += reversed(node.children)
    return nodes, words


def parts_of(node):
    """Number, label and IoU of a node."""
    found = re.fullmatch(r"(?:\{\\tiny (\d+)\}\\,)?(.*?)(?:\\,\{\\tiny ([\d.]+)\})?", node.source)
    return int(found[1] or 0), read_text(found[2]), found[3] or ""


def check(alignment, **options):
    """What holds of the source of any alignment without nodes that do not count."""
    trees = read_trees(draw_latex(alignment, only_differing=False, **options))
    looks = []
    for root, (tree, side) in zip(
        trees,
        [(alignment.reference, alignment.reference_side), (alignment.prediction, alignment.prediction_side)],
        strict=True,
    ):
        nodes, words = flat(root)
        order = [node for node in tree.preorder() if node in side.nodes]
        assert [parts_of(node)[1] for node in nodes] == [tree.labels[node] for node in order]
        assert [read_text(word.source.split(r"\\")[0]) for word in words] == list(tree.words)
        looks.append(
            {number: (*parts_of(node), node.style) for number, node in zip(order, nodes, strict=True)}
        )
    reference, prediction = looks
    for one, other, iou in alignment.pairs:
        number, _, shown, style = reference[other.number]
        assert prediction[one.number][0] == number > 0
        assert prediction[one.number][2] == shown
        assert bool(shown) == (iou < 1.0)
        assert prediction[one.number][3] == style
        assert style.removeprefix("structiou pair=") in COLORS
    for look, k in ((prediction, 0), (reference, 1)):
        aligned = {pair[k].number for pair in alignment.pairs}
        alone = [look[node] for node in look if node not in aligned]
        assert all(number == 0 and style == "structiou alone" for number, _, _, style in alone)


@examples(60)
@given(tree_pairs(8, allow_multiword_leaves=False), st.sampled_from([WIDE, 16.0, 1.0]))
def test_latex_holds_both_trees_however_they_are_cut(pair, width):
    prediction, reference = (case.brackets for case in pair)
    check(align(prediction, reference), width=width)


@examples(20)
@given(tree_pairs(6, timed=True, allow_multiword_leaves=False))
def test_latex_of_timed_trees(pair):
    check(StructIoU(unit="time").align(*((case.brackets, case.times) for case in pair)), width=4.0)


def test_latex_tells_times_below_words():
    source = draw_latex(
        StructIoU(unit="time").align("(S (A a<0.5,1>) (B b<1,2>))", "(S (A a<0.5,1>) (B b<1,2>))")
    )
    [word, _] = flat(read_trees(source)[0])[1]
    assert word.source == r"a\\{\tiny 0.50--1.00}"


def test_latex_of_right_to_left_text_starts_at_the_right():
    assert "grow'=south" in draw_latex(pair_of("hebrew", 8, unit="char"))
    assert "grow=south" in draw_latex(pair_of("english", 8))


def test_latex_of_a_failed_parse():
    source = draw_latex(align("()", "(S (A a))"))
    assert "(empty: no parse)" in source
    assert len(list(forests(source))) == 1
    check_braces(source)


def test_latex_marks_what_does_not_count():
    one = StructIoU(terminals="exclude").align("(S (A (X a) (Y b)))", "(S (A (X a) (Z b)))")
    nodes, _ = flat(read_trees(draw_latex(one))[0])
    assert [(parts_of(node)[1], node.style) for node in nodes[2:]] == [
        ("(X)", "structiou apart"),
        ("(Z)", "structiou apart"),
    ]


def test_latex_carries_the_description_in_one_comment():
    source = draw_latex(align("(A a)", "(A a)"), description="one\ntwo")
    assert "% one␊two\n" in source


def test_latex_by_classes():
    one = align("(S (A a) (B b))", "(S (A a) (C b))")
    named = {0: "fine", 1: "label_1"}  # the first is aligned, the second is not
    source = draw_latex(one, classes=Classes(named, named))
    for root in read_trees(source):
        nodes, _ = flat(root)
        assert [node.style for node in nodes] == [
            "structiou agreed",
            "structiou class=structiou0",
            "structiou class=structiou1, densely dashed",
        ]
        assert nodes[2].source.endswith(r"\,{\tiny label\_1}")
    assert r"\fcolorbox{structiou1}{structiou1!25}{label\_1}" in source


def test_latex_of_deep_and_of_broad_trees():
    deep = f"{'(A ' * 900}x{')' * 900}"
    check(align(deep, deep))
    broad = f"(S {' '.join(f'(W{i} w{i})' for i in range(400))})"
    check(align(broad, broad))


def test_latex_refuses_more_than_tex_can_set():
    broad = f"(S {'(A a) ' * 2000})"
    with pytest.raises(
        ValueError, match="4,002 nodes are too many for a page, which is to have 2,000 at most"
    ):
        draw_latex(align(broad, broad), only_differing=False)


# ------------------------------------------------------------------------------------- what differs


def agreed(alignment):
    """The pairs that a literal reading of the definition folds."""
    partner = {ref.number: (pred.number, iou) for pred, ref, iou in alignment.pairs}
    back = {pred.number: iou for pred, _, iou in alignment.pairs}

    def inside(tree, node):
        return range(node - tree.sizes[node] + 1, node + 1)

    def fits(ref):
        pred = partner[ref][0]
        return (
            all(partner.get(i, (0, 0))[1] == 1 for i in inside(alignment.reference, ref))
            and all(back.get(i) == 1 for i in inside(alignment.prediction, pred))
            and (alignment.reference.sizes[ref] > 1 or alignment.prediction.sizes[pred] > 1)
            and ref != len(alignment.reference) - 1
            and pred != len(alignment.prediction) - 1
        )

    found = {ref for ref in partner if fits(ref)}
    highest = {
        ref
        for ref in found
        if not any(ref != other and ref in inside(alignment.reference, other) for other in found)
    }
    return {partner[ref][0] for ref in highest}, highest


@examples(120)
@given(tree_pairs(9))
def test_folds_are_the_highest_agreed_nodes(pair):
    one = align(*(case.brackets for case in pair))
    folds = fold(one)
    assert (set(folds.prediction), set(folds.reference)) == agreed(one)


def test_folds_do_not_hide_other_words():
    one = align("(S (NP (D the) (N dog)) (V ran))", "(S (NP (D the) (N cat)) (V ran))")
    assert fold(one) == (frozenset(), frozenset())


def test_latex_draws_only_what_differs_from_40_words_on():
    short, long = joined_pair([43, 33]), joined_pair([56, 43])
    assert len(short.reference.words) < 40 <= len(long.reference.words)
    assert "structiou roof]" not in draw_latex(short)
    assert "structiou roof]" in draw_latex(short, only_differing=True)
    source = draw_latex(long)
    assert source == draw_latex(long, only_differing=True)
    reference, _ = read_trees(source)
    nodes, words = flat(reference)
    lost = len(long.reference_side.nodes) - len(long.pairs)
    assert sum(node.style == "structiou alone" for node in nodes) == lost > 0
    roofs = [read_text(word.source) for word in words if word.style == "structiou roof"]
    assert "if … years" in roofs
    assert len(nodes) < len(long.reference_side.nodes) * 0.7


# --------------------------------------------------------------------------------------------- text


@examples(300)
@given(
    st.text(st.characters(), max_size=12)
    | st.text("\\{}$&#%_^~<>|\"[]-`',!? \u2018\u201c\u2013", max_size=12)
)
def test_escaped_text_is_read_back(text):
    source = tex(text)
    check_braces(source)
    source.encode("utf-8")
    expected = normalize("NFC", printable(text)).replace("\u2018", "`").replace("\u2019", "'")
    assert read_text(source) == expected
    assert tex(source) is source


def test_requirements_name_what_the_letters_need():
    assert requirements("ascii", ["forest"]) == [r"needs \usepackage{forest}"]
    assert requirements("Größe", ["forest"])[1:] == [r"      \usepackage[T1]{fontenc}"]
    hebrew = "\n".join(requirements("שלום", ["booktabs"]))
    assert r"\babelprovide[import,onchar=ids fonts]{hebrew}" in hebrew
    assert "LuaLaTeX" in hebrew
    assert r"\setmainfont" in "\n".join(requirements("日本", ["booktabs"]))


def test_source_is_not_escaped_twice():
    assert tex(Tex(r"\emph{a}")) == r"\emph{a}"


def test_brackets_in_words_are_no_structure():
    tree = SegmentTree.from_dict(
        {"label": "S[x]", "children": [{"label": "]", "word": "[}"}, {"label": "{,", "word": "\\"}]}
    )
    nodes, words = flat(read_trees(draw_latex(StructIoU(drop=()).align(tree, tree)))[0])
    assert [parts_of(node)[1] for node in nodes] == ["S[x]", "]", "{,"]
    assert [read_text(word.source) for word in words] == ["[}", "\\"]
    assert isinstance(nodes[0], Shown)


# ------------------------------------------------------------------------------------------ with TeX

WEIRD = [
    "NP-SBJ_1",
    "$",
    "#",
    "%",
    "&",
    "{x}",
    "[y]",
    "\\",
    "^",
    "~",
    "<",
    ">",
    "|",
    '"',
    "``",
    "''",
    "--",
    "?`",
    "-LRB-",
    "ä",
    "ß",
    "é",
    "…",
    "–",
    "“q”",
    "a\x07b",
    "50%",
]


@pytest.mark.slow
def test_latex_compiles_and_fits_the_page(tmp_path):
    weird = SegmentTree.from_dict({"label": "S^_", "children": [{"label": w, "word": w} for w in WEIRD]})
    lost = {0: "attachment", 1: "missing"}
    sources = [
        draw_latex(pair_of("english", 43, labels="base")),
        draw_latex(joined_pair([56, 43])),
        draw_latex(joined_pair([65, 56, 45])),
        draw_latex(pair_of("speech", 1, unit="time"), classes=Classes(lost, lost)),
        draw_latex(StructIoU(drop=()).align(weird, weird)),
        rf"\begin{{minipage}}{{7.7cm}}{draw_latex(pair_of('english', 43), width=7.7)}\end{{minipage}}",
    ]
    log = compile_latex(
        tmp_path, "pdflatex", "\\usepackage{forest}\n\\usepackage[T1]{fontenc}", "\\clearpage\n".join(sources)
    )
    assert "Overfull" not in log


@pytest.mark.slow
def test_latex_of_hebrew_compiles(tmp_path):
    source = draw_latex(pair_of("hebrew", 8, unit="char"))
    preamble = "\n".join(re.findall(r"\\(?:usepackage|babelprovide).*\}", source))
    assert "babelprovide" in preamble
    log = compile_latex(tmp_path, "lualatex", preamble, source)
    assert "Overfull" not in log

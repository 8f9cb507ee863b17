r"""`draw_latex`: two aligned trees for a paper, by LaTeX's package `forest`.

What is written stands in a document, or in a figure of it, by `\input`; comments on top say what the
preamble needs. It sets no name outside of itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from ..terminal import printable
from .classes import Classes
from .folding import fold_for_page
from .outline import shown_iou, shown_span
from .page import POINTS, TEXT_WIDTH, check_size
from .svg import COLORS, SIDES
from .svg_layout import Bar, Half, color_pairs, lay_out_halves, runs_from_right
from .svg_text import shown, text_width

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment

__all__ = ["draw_latex"]

_SIZE, _SMALL = 8.0, 5.0  # points of letters, those of \footnotesize and \tiny
_SLIMMER = 0.72  # than `text_width` takes letters to be are those of LaTeX's own fonts
_MAX_TEXT = 90.0  # points of a label or word, before it is cut
_PAD = 5.0  # points around a text, with its frame and what is kept free beside it

_STYLES = r"""\def\structioufit{\leavevmode\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\box0}\else\box0\fi}
\forestset{
  structiou tree/.style={baseline, for tree={%s, font=\footnotesize, inner sep=1.5pt,
    l sep=7pt, s sep=2.5pt, parent anchor=south, child anchor=north, edge={black!50}}},
  structiou pair/.style={draw=#1, fill=#1!25, rounded corners=1.5pt},
  structiou alone/.style={draw, densely dashed},
  structiou class/.style={draw=#1, fill=#1!25, line width=.8pt},
  structiou agreed/.style={draw=black!50, fill=black!8, rounded corners=1.5pt},
  structiou apart/.style={draw=black!50, densely dotted},
  structiou word/.style={align=center, inner xsep=.5pt, tier=word},
  structiou roof/.style={structiou word,
    edge path'={(!u.parent anchor) -- (.north west) -- (.north east) -- cycle}},
}
"""


def draw_latex(
    alignment: Alignment,
    *,
    only_differing: bool | None = None,
    width: float = TEXT_WIDTH,
    direction: str = "auto",
    caption: bool = True,
    classes: Classes | None = None,
    description: str = "",
) -> str:
    r"""Draws the reference and, below it, the prediction, as trees of the package `forest`.

    Aligned nodes have the same number and colour in both trees, and show their IoU if it is below 1; those
    that are not aligned are dashed and empty, and those that do not count dotted, with the label in
    brackets. So nothing depends on colours. What has no length on the axis, such as traces, and a root such
    as TOP over one tree are left out. Over seconds, words have their times below them.

    Where only what differs is drawn, a triangle stands for a node on which both trees agree, with all that
    is below it. A tree that is wider than `width` or very high is cut into pieces: a letter below a node
    says that the piece with this letter goes on there.

    >>> from structiou_metric import align
    >>> source = draw_latex(align("(S (NP we) (VP run))", "(S (NP we) (NP run))"))
    >>> print(source.splitlines()[0])
    % needs \usepackage{forest}
    >>> source.count(r"structiou pair=")
    4

    Args:
        alignment: What `align` returns.
        only_differing: Whether to fold what both trees agree on; by default in sentences of 40 words or
            more.
        width: The width of a line, in centimetres.
        direction: The direction of the words: `ltr`, `rtl`, or `auto` for that of most of them.
        caption: Whether to write the scores beside the names of the trees.
        classes: What to colour nodes by instead of their partners, such as the cause of a loss; it is
            written beside their labels, too. Aligned nodes without a class are grey.
        description: What is kept in a comment, such as the signature of the metric.
    """
    halves = lay_out_halves(alignment, fold_for_page(alignment, only_differing))
    check_size(sum(len(half.bars) for half in halves))
    return _Writer(halves, width, runs_from_right(alignment, direction), classes).write(
        _headings(alignment, caption), description
    )


def _headings(alignment: Alignment, caption: bool) -> list[str]:
    scores = [
        f", recall {alignment.recall:.4f}, STRUCT-IoU {alignment.score:.4f}",
        f", precision {alignment.precision:.4f}",
    ]
    return scores if caption else ["", ""]


class _Look(NamedTuple):
    """How a node is shown."""

    source: str  # what is written
    style: str
    width: float  # points


class _Writer:
    """Two trees, laid out; `write` makes them LaTeX."""

    def __init__(
        self, halves: tuple[Half, Half], width: float, mirrored: bool, classes: Classes | None
    ) -> None:
        self._halves = halves
        self._room = width * POINTS
        self._grow = "grow'=south" if mirrored else "grow=south"
        self._colors = color_pairs(*halves, len(COLORS))
        self._classes = classes
        self._letters = 0

    def write(self, headings: list[str], description: str) -> str:
        """The source of both trees."""
        body: list[str] = []
        for side, heading in enumerate(headings):
            body.append(rf"\textbf{{{SIDES[side]}}}{tex(heading)}\par\nobreak\smallskip")
            body += self._tree(side)
        if self._classes is not None:
            body.append(_legend(self._classes))
        colors = [
            rf"\definecolor{{structiou{i}}}{{HTML}}{{{color[1:].upper()}}}" for i, color in enumerate(COLORS)
        ]
        source = "\n".join(
            [
                r"\par\begingroup",
                r"\setlength{\parindent}{0pt}\setlength{\lineskip}{1.5ex}\raggedright\footnotesize",
                *colors,
                _STYLES % self._grow + body[0],
                *body[1:],
                r"\endgroup",
                "",
            ]
        )
        lines = requirements(source, ["forest"])
        return comment([*lines, description] if description else lines) + source

    def _tree(self, side: int) -> list[str]:
        """The pieces of a tree, each a line or more of source."""
        half = self._halves[side]
        if not half.bars:
            text = " ".join(mark.text for mark in half.marks) if half.tree else "(empty: no parse)"
            return [rf"{tex(shown(text, _SIZE, 4 * _MAX_TEXT))}\par\medskip"]
        looks = {node: self._look(side, bar) for node, bar in half.bars.items()}
        sketch = Sketch({-1: []}, {node: look.width for node, look in looks.items()})
        for node, bar in half.bars.items():
            sketch.children.setdefault(bar.parent, []).append((bar.start, node))
            sketch.children.setdefault(node, [])
        for word in half.words:
            leaf = self._leaf(half, word.start, word.end, word.text, word.owner in half.folded)
            sketch.children[word.owner].append((word.start, leaf))
        pieces = cut_into_pieces(sketch, self._room)
        letters = {piece.number: self._next_letter() for piece in pieces[1:]}
        sources = [self._piece(piece, looks, letters) for piece in pieces]
        return [*sources, r"\medskip"]

    def _next_letter(self) -> str:
        """The next of A, B, …, Z, AA, AB, …."""
        self._letters += 1
        number, letters = self._letters, ""
        while number:
            number, rest = divmod(number - 1, 26)
            letters = chr(ord("A") + rest) + letters
        return letters

    def _look(self, side: int, bar: Bar) -> _Look:
        half = self._halves[side]
        number, iou = half.matches.get(bar.node, (0, 1.0))
        label = shown(half.label(bar.node), _SIZE, _MAX_TEXT)
        before, after = str(number or ""), shown_iou(iou) if iou < 1.0 else ""
        name = "" if self._classes is None else self._classes.of(SIDES[side], bar.node)
        if self._classes is not None and name:
            style = f"structiou class={_color(self._classes.colors[name])}"
            style += "" if number else ", densely dashed"
            after = f"{after} {shown(name, _SMALL, _MAX_TEXT)}".strip()
        elif number and self._classes is not None:
            style = "structiou agreed"
        elif number:
            style = f"structiou pair={_color(self._colors[number])}"
        else:
            style = "structiou alone" if bar.node in half.counted else "structiou apart"
        small = [rf"{{\tiny {tex(text)}}}" if text else "" for text in (before, after)]
        source = r"\,".join(part for part in (small[0], tex(label), small[1]) if part)
        width = text_width(label, _SIZE) + text_width(f"{before}{after}", _SMALL) + 4 * bool(before or after)
        return _Look(source, style, _SLIMMER * width + _PAD)

    def _leaf(self, half: Half, start: float, end: float, text: str, folded: bool) -> Leaf:
        text = shown(text, _SIZE, 2 * _MAX_TEXT if folded else _MAX_TEXT) if text else ""
        width = text_width(text, _SIZE)
        source: str = tex(text)
        if half.tree.unit == "time" or not text:
            span = shown_span(start, end, half.tree.unit == "time")
            width = max(width, text_width(span, _SMALL))
            small = rf"{{\tiny {tex(span)}}}"
            source = rf"{source}\\{small}" if source else small
        return Leaf(source, "roof" if folded else "word", _SLIMMER * width + _PAD)

    def _piece(self, piece: Piece, looks: Mapping[int, _Look], letters: Mapping[int, str]) -> str:
        """One environment of `forest`."""
        head = rf"\textbf{{{letters[piece.number]}}}~" if piece.number in letters else ""
        lines = [rf"\setbox0=\hbox{{{head}\begin{{forest}} structiou tree"]
        depth = 0
        for level, item in piece.items:
            while depth > level:
                depth -= 1
                lines[-1] += "]"
            if isinstance(item, Leaf):
                lines.append(f"{' ' * depth}[{{{item.source}}}, structiou {item.kind}]")
                continue
            if item < 0:  # what goes on in another piece
                letter = letters[-item]
                lines.append(rf"{' ' * depth}[{{$\rightarrow$\,\textbf{{{letter}}}}}, structiou word]")
                continue
            look = looks[item]
            lines.append(f"{' ' * depth}[{{{look.source}}}, {look.style}")
            depth += 1
        lines[-1] += "]" * depth
        return "\n".join([*lines, r"\end{forest}}\structioufit\par"])


def _legend(classes: Classes) -> str:
    """The classes in their colours."""
    boxes = [
        rf"\fcolorbox{{{_color(number)}}}{{{_color(number)}!25}}{{{tex(name)}}}"
        for name, number in classes.colors.items()
    ]
    return "\n".join([*boxes, r"\par"])


def _color(number: int) -> str:
    return f"structiou{number % len(COLORS)}"


# ---- a tree cut into pieces that fit on a page -----------------------------------------------------


MAX_LEVELS = 12  # of nodes in a piece
_LETTER = 18.0  # points for the letter of a piece that goes on elsewhere


class Leaf(NamedTuple):
    """The text below a node."""

    source: str
    kind: str  # the style
    width: float  # points


Item = int | Leaf  # a node, or a text


class Sketch(NamedTuple):
    """A tree to be cut.

    Attributes:
        children: The items below each node, in preorder, with their places on the axis; -1 holds the root.
        widths: The points that each node takes itself.
    """

    children: dict[int, list[tuple[float, Item]]]
    widths: dict[int, float]


class Piece(NamedTuple):
    """A part of a tree that is drawn by itself.

    Attributes:
        number: The number of the piece; the first is 0, and is the top of the tree.
        items: The items in preorder, each with its level; a number below 0 stands for the piece of that
            number.
    """

    number: int
    items: list[tuple[int, Item]]


def cut_into_pieces(sketch: Sketch, room: float) -> list[Piece]:
    """The pieces of a tree, the top first, each at most `room` points wide where that can be."""
    rows, cut = _plan(sketch, room)
    starts: list[tuple[int, int]] = [(node, 0) for _, node in sketch.children[-1] if isinstance(node, int)]
    pieces: list[Piece] = []
    while len(pieces) < len(starts):
        root, row = starts[len(pieces)]
        items: list[tuple[int, Item]] = []
        waiting: list[tuple[int, Item]] = [(0, root)]
        while waiting:
            level, item = waiting.pop()
            items.append((level, item))
            if isinstance(item, Leaf) or item < 0:
                continue
            if item in cut and level:
                starts.append((item, 0))
                waiting.append((level + 1, 1 - len(starts)))
                continue
            at = 0 if level else row
            if at + 1 < len(rows[item]):
                starts.append((item, at + 1))
                waiting.append((level + 1, 1 - len(starts)))
            waiting += [(level + 1, child) for child in reversed(rows[item][at])]
        pieces.append(Piece(len(pieces), items))
    return pieces


def _plan(sketch: Sketch, room: float) -> tuple[dict[int, list[list[Item]]], set[int]]:
    """The children of each node, in as many rows as they need, and the nodes that are cut off."""
    rows: dict[int, list[list[Item]]] = {}
    cut: set[int] = set()
    extents: dict[int, tuple[float, int]] = {}  # points and levels of what is drawn at a node's place
    for node in reversed(sketch.widths):
        children = [item for _, item in sorted(sketch.children[node], key=_place)]

        def extent(item: Item) -> tuple[float, int]:
            return (item.width, 0) if isinstance(item, Leaf) else extents[item]

        def cut_off(child: int) -> None:
            cut.add(child)
            extents[child] = max(sketch.widths[child], _LETTER), 1

        inner = [child for child in children if isinstance(child, int)]
        for child in inner:
            if extents[child][1] >= MAX_LEVELS:
                cut_off(child)
        total = sum(extent(item)[0] for item in children)
        for child in sorted(inner, key=lambda child: -extents[child][0]):
            width = extents[child][0]
            if total > room and width > 2 * max(sketch.widths[child], _LETTER):
                cut_off(child)
                total += extents[child][0] - width
        rows[node] = _fill([(extent(item)[0], item) for item in children], room)
        width = max([sketch.widths[node], *(sum(extent(item)[0] for item in row) for row in rows[node])])
        extents[node] = width, 1 + max((extent(item)[1] for item in children), default=0)
    return rows, cut


def _place(child: tuple[float, Item]) -> float:
    return child[0]


def _fill(items: list[tuple[float, Item]], room: float) -> list[list[Item]]:
    """The items in rows that are as full as they can be; a row has one item at least."""
    rows: list[list[Item]] = [[]]
    used = 0.0
    for width, item in items:
        if rows[-1] and used + width > room:
            rows.append([])
            used = 0.0
        rows[-1].append(item)
        used += width
    return rows


# ---- text in LaTeX: how it is escaped, and what a document needs so that it is shown ---------------


# What TeX takes for a command, or shows as something else in some font encodings.
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\texttt{\char34}",
    "[": "{[}",  # a bare one is an option, or a child in a tree
    "]": "{]}",
    "\u2212": "$-$",
    "∅": r"$\emptyset$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "Δ": r"$\Delta$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "→": r"$\rightarrow$",
    "␣": r"\textvisiblespace{}",
    "\ufffd": r"\texttt{?}",
    "\xa0": "~",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "†": r"\textdagger{}",
}
_JOINING = frozenset("-`',!?")  # two of them in a row, TeX makes another sign of
_LATIN_END = "\u0180"  # pdfLaTeX knows the letters before it, with the T1 encoding

_SCRIPTS = {"hebrew": ("\u0590", "\u05ff"), "arabic": ("\u0600", "\u08ff")}


class Tex(str):
    """LaTeX source, which is not escaped again."""

    __slots__ = ()


def tex(text: str) -> Tex:
    """The text as LaTeX source; what is source already stays as it is.

    >>> print(tex("NP-SBJ_1 50% {``a''}"))
    NP-SBJ\\_1 50\\% \\{`{}`a'{}'\\}
    """
    if isinstance(text, Tex):
        return text
    parts: list[str] = []
    before = " "
    for character in normalize("NFC", printable(text)):
        part = _ESCAPES.get(character) or _picture(character) or character
        if part[0] in _JOINING and before in _JOINING:
            parts.append("{}")
        parts.append(part)
        before = part[-1]
    return Tex("".join(parts))


def _picture(character: str) -> str:
    """The number of the control character that a character is a picture of; empty for others."""
    if "\u2400" <= character <= "\u241f":
        return rf"\texttt{{U+{ord(character) - 0x2400:04X}}}"
    return ""


def is_latin(text: str) -> bool:
    """Whether pdfLaTeX can show the text."""
    return all(character < _LATIN_END for character in text)


def comment(lines: Iterable[str]) -> str:
    """Lines that TeX passes over."""
    return "".join(f"% {printable(line)}\n" for line in lines)


def requirements(source: str, packages: Sequence[str]) -> list[str]:
    """What the preamble of a document needs for some source, to be written as comments above it.

    >>> requirements("(S (NP we))", ["booktabs"])
    ['needs \\\\usepackage{booktabs}']
    """
    lines = [f"needs \\usepackage{{{','.join(packages)}}}"]
    if source.isascii():
        return lines
    if is_latin(source):
        return [*lines, "      \\usepackage[T1]{fontenc}"]
    scripts = [
        name
        for name, (first, last) in _SCRIPTS.items()
        if any(first <= character <= last for character in source)
    ]
    lines.append("and LuaLaTeX, with a font that has the letters:")
    if not scripts:
        return [*lines, "      \\usepackage{fontspec} \\setmainfont{…}"]
    lines.append("      \\usepackage[english,bidi=basic]{babel}")
    for name in scripts:
        lines.append(f"      \\babelprovide[import,onchar=ids fonts]{{{name}}}")
        lines.append(f"      \\babelfont[{name}]{{rm}}{{…}}  such as FreeSerif, DejaVu Sans or a Noto font")
    return lines

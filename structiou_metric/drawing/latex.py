r"""`draw_latex`: two aligned trees for a paper, by LaTeX's package `forest`.

A document or one of its figures includes the source by `\input`; comments at its top list the packages that
the preamble must load. The source defines no names outside of itself.
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

_SIZE, _SMALL = 8.0, 5.0  # height of letters in points, in \footnotesize and \tiny
_SLIMMER = 0.72  # LaTeX's own letters, compared with the estimate of `text_width`
_MAX_TEXT = 90.0  # maximum width of a label or word in points; longer ones are cut
_PAD = 5.0  # space around a text in points, with its frame and the gap to the next

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
    r"""Draw the reference and, below it, the prediction, as trees of the package `forest`.

    Aligned nodes have the same number and colour in both trees, and show their IoU if it is below 1; those
    that are not aligned are dashed and empty, and those that do not count dotted, with the label in brackets.
    So the drawing is readable without colours. Nodes that have no length on the axis, such as traces, and a
    root such as TOP over one tree are left out. Over seconds, words have their times below them.

    If only differences are drawn, a triangle replaces the subtree of a node on which both trees agree. A tree
    that is wider than `width` or very high is cut into pieces: a letter below a node means that the piece
    with this letter continues there.

    >>> from structiou_metric import align
    >>> source = draw_latex(align("(S (NP we) (VP run))", "(S (NP we) (NP run))"))
    >>> print(source.splitlines()[0])
    % needs \usepackage{forest}
    >>> source.count(r"structiou pair=")
    4

    Args:
        alignment: The result of `align`.
        only_differing: Whether to fold the nodes on which both trees agree; by default in sentences of 40
            words or more.
        width: The width of a line, in centimetres.
        direction: The direction of the words: `ltr`, `rtl`, or `auto` for that of most of them.
        caption: Whether to write the scores next to the names of the trees.
        classes: The classes that colour the nodes instead of their partners, such as causes of loss; they are
            written next to the labels, too. Aligned nodes without a class are grey.
        description: A text for a comment, such as the signature of the metric.
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
    """The appearance of a node."""

    source: str  # the text
    style: str
    width: float  # width in points


class _Writer:
    """Two trees, laid out; `write` returns them as LaTeX."""

    def __init__(
        self, halves: tuple[Half, Half], width: float, mirrored: bool, classes: Classes | None
    ) -> None:
        self._halves = halves
        self._max_width = width * POINTS
        self._grow = "grow'=south" if mirrored else "grow=south"
        self._colors = color_pairs(*halves, len(COLORS))
        self._classes = classes
        self._letters = 0

    def write(self, headings: list[str], description: str) -> str:
        """Return the source of both trees."""
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
        """Return the pieces of a tree, each a line or more of source."""
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
        pieces = cut_into_pieces(sketch, self._max_width)
        letters = {piece.number: self._next_letter() for piece in pieces[1:]}
        sources = [self._piece(piece, looks, letters) for piece in pieces]
        return [*sources, r"\medskip"]

    def _next_letter(self) -> str:
        """Return the next of A, B, …, Z, AA, AB, …."""
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
        """Return one environment of `forest`."""
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
            if item < 0:  # the part that is drawn in another piece
                letter = letters[-item]
                lines.append(rf"{' ' * depth}[{{$\rightarrow$\,\textbf{{{letter}}}}}, structiou word]")
                continue
            look = looks[item]
            lines.append(f"{' ' * depth}[{{{look.source}}}, {look.style}")
            depth += 1
        lines[-1] += "]" * depth
        return "\n".join([*lines, r"\end{forest}}\structioufit\par"])


def _legend(classes: Classes) -> str:
    """Return the classes in their colours."""
    boxes = [
        rf"\fcolorbox{{{_color(number)}}}{{{_color(number)}!25}}{{{tex(name)}}}"
        for name, number in classes.colors.items()
    ]
    return "\n".join([*boxes, r"\par"])


def _color(number: int) -> str:
    return f"structiou{number % len(COLORS)}"


# ---- a tree cut into pieces that fit on a page -----------------------------------------------------


MAX_LEVELS = 12  # maximum depth of a piece, in nodes
_LETTER = 18.0  # width in points of the letter of a piece that continues elsewhere


class Leaf(NamedTuple):
    """The text below a node."""

    source: str
    kind: str  # the style of its text
    width: float  # width in points


Item = int | Leaf  # a node, or the text below one


class Sketch(NamedTuple):
    """A tree to be cut.

    Attributes:
        children: The items below each node, in preorder, with their places on the axis; -1 holds the root.
        widths: The points that each node takes itself.
    """

    children: dict[int, list[tuple[float, Item]]]
    widths: dict[int, float]


class Piece(NamedTuple):
    """A part of a tree that is drawn separately.

    Attributes:
        number: The number of the piece; the first is 0, and is the top of the tree.
        items: The items in preorder, each with its level; the number -n refers to piece n.
    """

    number: int
    items: list[tuple[int, Item]]


def cut_into_pieces(sketch: Sketch, max_width: float) -> list[Piece]:
    """Return the pieces of a tree, the top first, each at most `max_width` points wide if possible."""
    rows, cut = _plan(sketch, max_width)
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


def _plan(sketch: Sketch, max_width: float) -> tuple[dict[int, list[list[Item]]], set[int]]:
    """Return the children of each node, in as many rows as they need, and the nodes that are cut off."""
    rows: dict[int, list[list[Item]]] = {}
    cut: set[int] = set()
    extents: dict[int, tuple[float, int]] = {}  # width in points and depth in levels of each drawn subtree
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
            if total > max_width and width > 2 * max(sketch.widths[child], _LETTER):
                cut_off(child)
                total += extents[child][0] - width
        rows[node] = _fill([(extent(item)[0], item) for item in children], max_width)
        width = max([sketch.widths[node], *(sum(extent(item)[0] for item in row) for row in rows[node])])
        extents[node] = width, 1 + max((extent(item)[1] for item in children), default=0)
    return rows, cut


def _place(child: tuple[float, Item]) -> float:
    return child[0]


def _fill(items: list[tuple[float, Item]], max_width: float) -> list[list[Item]]:
    """Return the items in rows that are as full as possible; a row has at least one item."""
    rows: list[list[Item]] = [[]]
    used = 0.0
    for width, item in items:
        if rows[-1] and used + width > max_width:
            rows.append([])
            used = 0.0
        rows[-1].append(item)
        used += width
    return rows


# ---- text in LaTeX: how it is escaped, and which packages a document needs to show it --------------


# Characters that TeX reads as commands, or shows as different characters in some font encodings.
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
    "[": "{[}",  # an unescaped one would be an option, or a child in a tree
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
_JOINING = frozenset("-`',!?")  # TeX joins two of them into a different character
_LATIN_END = "\u0180"  # pdfLaTeX with the T1 encoding knows the letters before it

_SCRIPTS = {"hebrew": ("\u0590", "\u05ff"), "arabic": ("\u0600", "\u08ff")}


class Tex(str):
    """LaTeX source, which is not escaped a second time."""

    __slots__ = ()


def tex(text: str) -> Tex:
    """Return the text as LaTeX source; a text that is source already is not changed.

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
    """Return the number of the control character that a character depicts, or an empty text."""
    if "\u2400" <= character <= "\u241f":
        return rf"\texttt{{U+{ord(character) - 0x2400:04X}}}"
    return ""


def is_latin(text: str) -> bool:
    """Return whether pdfLaTeX can show the text."""
    return all(character < _LATIN_END for character in text)


def comment(lines: Iterable[str]) -> str:
    """Return the lines as comments, which TeX ignores."""
    return "".join(f"% {printable(line)}\n" for line in lines)


def requirements(source: str, packages: Sequence[str]) -> list[str]:
    """Return the packages and settings that some source needs, as comments to write above it.

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

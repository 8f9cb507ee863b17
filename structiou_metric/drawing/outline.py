"""`draw_alignment`: two aligned trees as outlines, for the terminal.

One walk in preorder makes a row for each node; the rows become lines when their widths are known. There is no
recursion, and no row is longer than the terminal is wide, so the time is linear in the nodes and the text,
for trees of any depth.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import accumulate, groupby, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from ..terminal import NO_LABEL, cells, character_cells, isolated, printable
from ..trees.writers import walk
from .classes import Classes

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment, Side
    from ..trees.tree import SegmentTree

_MIN_WIDTH = 20
_TEXT_WIDTH = 28  # columns reserved for the text of the deepest rows
_INDENT = 4
_BETWEEN = 4  # columns between two trees side by side

_UNALIGNED_MARK = "·"
_CUT = "…"

# Readable on black and on white; neighbours are far apart.
_COLORS = (33, 166, 35, 134, 37, 161, 136, 63, 70, 169)
_GREY, _FAINT, _BOLD = "38;5;244", "2", "1"

Matches = dict[int, tuple[int, float]]  # the number of the pair and its IoU, by node


class _Row(NamedTuple):
    """A line of one tree, before it is cut to a width."""

    head: tuple[str, ...]  # label and words, which may be cut
    tail: tuple[str, ...] = ()  # span and IoU, which are shown if they fit
    style: str = ""  # ANSI codes for mark, head and tail
    number: int = 0  # number of the aligned pair; 0 without one
    mark: str = ""  # text in the margin: the number, `·` or nothing
    stem: str = ""  # the outline on an empty line above this one
    branch: str = ""  # the outline on this line


def draw_alignment(
    alignment: Alignment, *, color: bool = False, width: int = 100, classes: Classes | None = None
) -> str:
    """Draw the reference and the prediction as outlines in which aligned nodes have the same number.

    The trees are side by side, aligned nodes on the same line, if that fits into `width`; else one
    follows the other. `·` marks a node that counts but is not aligned. A node shows its IoU if that
    is below 1, and then its span in words or characters; over seconds every node shows its times.
    Nodes that do not count are in brackets, and so is the text that was dropped with them, such as
    `(NP (-NONE- *))`; a root such as TOP over one tree is left out.

    >>> from structiou_metric import align
    >>> print(draw_alignment(align("(S (NP (DT the) (NN dog)))", "(S (NP (DT the) (JJ dog)))")))
    reference           prediction
    1 S                 1 S
    2 └── NP            2 └── NP
    3     ├── DT the    3     ├── DT the
    ·     └── JJ dog    ·     └── NN dog
    <BLANKLINE>
    score 0.7500  precision 0.7500  recall 0.7500

    Args:
        alignment: The result of `align`.
        color: Whether to give each pair a colour of its own (ANSI codes, 256 colours).
        width: The columns of the terminal; longer lines are cut. At least 20 columns are used.
        classes: The classes that name and colour the nodes, such as causes of loss; nodes without a class are
            then not coloured.
    """
    width = max(width, _MIN_WIDTH)
    margin = len(str(len(alignment.pairs)))
    for_text = min(_TEXT_WIDTH, max(width // 2, 12))
    levels = max(1, (width - margin - 1 - for_text) // _INDENT)
    prediction_matches, reference_matches = number_pairs(alignment)
    left = _Outline(alignment, "reference", reference_matches, classes).rows(levels)
    right = _Outline(alignment, "prediction", prediction_matches, classes).rows(levels)
    printer = _Printer(margin, color)
    left_title, right_title = (printer.styled(title, _BOLD) for title in ("reference", "prediction"))
    column = max(len("reference"), printer.width_of(left)) + _BETWEEN
    right_width = max(len("prediction"), printer.width_of(right))
    if column + right_width <= width:
        lines = [left_title + " " * (column - len("reference")) + right_title]
        lines += printer.side_by_side(left, right, column, right_width)
    else:
        lines = [left_title, *(printer.line(row, width)[0] for row in left)]
        lines += ["", right_title, *(printer.line(row, width)[0] for row in right)]
    scores = [f"{name} {getattr(alignment, name):.4f}" for name in ("score", "precision", "recall")]
    summary = "  ".join(scores)
    lines += ["", summary if len(summary) <= width else "\n".join(scores)]
    if alignment.reference_side.columns is not None:
        lines.append("spans count columns")  # places on the axis that the aligned texts share
    return "\n".join(line.rstrip(" ") for line in lines)


def number_pairs(alignment: Alignment) -> tuple[Matches, Matches]:
    """Number the pairs from 1 in preorder of the reference, and return each number by node of either tree."""
    partners = {ref.number: (pred.number, iou) for pred, ref, iou in alignment.pairs}
    prediction: Matches = {}
    reference: Matches = {}
    for i in alignment.reference.preorder():
        if i in partners:
            partner, iou = partners[i]
            reference[i] = prediction[partner] = (len(reference) + 1, iou)
    return prediction, reference


def find_roots(tree: SegmentTree, counted: Container[int]) -> set[int]:
    """Return the outermost node to show of each tree, which skips uncounted roots above a single tree."""
    roots: set[int] = set()
    root = len(tree) - 1
    while root >= 0:
        outer, inner = root, root - 1
        while tree.sizes[outer] > 1:
            same_words = tree.firsts[inner] == tree.firsts[outer] and tree.lasts[inner] == tree.lasts[outer]
            if outer in counted or tree.sizes[inner] != tree.sizes[outer] - 1 or not same_words:
                break
            outer, inner = inner, inner - 1
        roots.add(outer)
        root -= tree.sizes[root]
    return roots


def bracket_pieces(tree: SegmentTree, subtree: Sequence[int], word: Callable[[int], str]) -> Iterator[str]:
    """Yield the pieces of a subtree in brackets, such as `(NP (-NONE- *))`, from its nodes in preorder."""
    above: list[int] = []
    for i in subtree:
        while above and i > above[-1]:
            above.pop()
            yield ")"
        yield f"{' ' if above else ''}({printable(tree.labels[i]) or NO_LABEL}"
        if tree.sizes[i] == 1:
            yield from (f" {word(number)}" for number in range(tree.firsts[i], tree.lasts[i]))
        above.append(i)
    yield ")" * len(above)


class _Outline:
    """Makes the rows of one tree."""

    def __init__(
        self, alignment: Alignment, name: str, matches: Matches, classes: Classes | None = None
    ) -> None:
        tree: SegmentTree = getattr(alignment, name)
        side: Side = getattr(alignment, f"{name}_side")
        self._tree = tree
        self._name = name
        self._classes = classes
        self._counted = side.nodes
        self._matches = matches
        self._timed = tree.unit == "time"
        kept = (word not in side.dropped_words for word in range(len(tree.words)))
        self._rank = array("q", accumulate(kept, initial=0))  # number of kept words before each word

    def rows(self, levels: int) -> list[_Row]:
        """Return a row for each node and each word next to a node, indented by at most `levels` levels."""
        tree = self._tree
        if not tree:
            return [_Row(("(empty: no parse)",), style=_FAINT)]
        rows: list[_Row] = []
        inside: dict[int, tuple[int, str]] = {}  # depth of each phrase, and the outline before its children

        def put(row: _Row, parent: int, last: bool) -> tuple[int, str]:
            """Add a row below a phrase, or as the root; return the entry of `inside` for the row."""
            if parent not in inside:
                rows.append(row)
                return 1, ""
            depth, outline = inside[parent]
            if depth > levels:
                head = (f"(depth {depth + 1})", *row.head)
                rows.append(row._replace(stem=outline, branch=outline + _CUT, head=head))
                return depth + 1, outline
            rows.append(row._replace(stem=f"{outline}│", branch=outline + ("└── " if last else "├── ")))
            return depth + 1, outline + ("    " if last else "│   ")

        order = tree.preorder()
        places = {node: at for at, node in enumerate(order)}
        roots = find_roots(tree, self._counted)
        for parent, node, word in walk(tree):
            if parent not in inside and node not in roots:
                continue  # above the root, or part of a row
            if node < 0:
                last = word == tree.lasts[parent] - 1 and tree.lasts[parent - 1] <= word
                put(self._word_row(word), parent, last)
                continue
            last = node == parent - 1 and tree.lasts[node] == tree.lasts[parent]
            if not self._has_text(node):
                at = places[node]
                put(self._dropped_row(order[at : at + tree.sizes[node]]), parent, last)
                continue
            below = put(self._node_row(node), parent, last)
            if tree.sizes[node] > 1:
                inside[node] = below
        return rows

    def _has_text(self, i: int) -> bool:
        return i in self._counted or self._rank[self._tree.firsts[i]] < self._rank[self._tree.lasts[i]]

    def _node_row(self, i: int) -> _Row:
        tree = self._tree
        first, last = tree.firsts[i], tree.lasts[i]
        leaf = tree.sizes[i] == 1
        number, iou = self._matches.get(i, (0, 1.0))
        label = printable(tree.labels[i]) or NO_LABEL
        head = [label if i in self._counted else f"({label})"]
        tail: list[str] = []
        if leaf and not any(tree.words[first:last]):
            tail.append(" ".join(map(self._word, range(first, last))))
        else:
            if leaf:
                head += self._words(first, last)
            if i in self._counted and (self._timed or (iou < 1.0 and not (leaf and last - first == 1))):
                node = self._counted[i]
                tail.append(shown_span(node.start, node.end, self._timed))
        if iou < 1.0:
            tail.append(shown_iou(iou))
        mark, style = (_UNALIGNED_MARK, _GREY) if i in self._counted else ("", "")
        if number:
            mark, style = str(number), _color(number - 1)
        if self._classes is not None:
            own = self._classes.of(self._name, i)
            style = _color(self._classes.colors[own]) if own else ""
            tail += [own] if own else []
        return _Row(tuple(head), tuple(tail), style, number, mark)

    def _word_row(self, word: int) -> _Row:
        tail = (self._word_span(word),) if self._timed and self._tree.words[word] else ()
        return _Row((self._word(word),), tail)

    def _dropped_row(self, subtree: Sequence[int]) -> _Row:
        """Return a row with a subtree of dropped leaves, given in preorder, in brackets."""
        return _Row(("".join(bracket_pieces(self._tree, subtree, self._word)),), style=_FAINT)

    def _words(self, first: int, last: int) -> Iterator[str]:
        """Yield runs of words with text, joined to keep right-to-left words in order, and times between."""
        for has_text, run in groupby(range(first, last), key=lambda word: bool(self._tree.words[word])):
            words = map(self._word, run)
            yield from [" ".join(words)] if has_text else words

    def _word(self, word: int) -> str:
        return printable(self._tree.words[word]) or self._word_span(word)

    def _word_span(self, word: int) -> str:
        if self._tree.times is not None:
            return shown_span(*self._tree.times[word], True)
        return shown_span(word, word + 1, False)


def _color(number: int) -> str:
    return f"38;5;{_COLORS[number % len(_COLORS)]}"


class _Printer:
    """Makes lines from rows."""

    def __init__(self, margin: int, color: bool) -> None:
        self._margin = margin
        self._color = color

    def width_of(self, rows: Sequence[_Row]) -> int:
        """Return the columns that the longest row takes if nothing is cut."""
        return max(self._margin + 1 + len(row.branch) + _text_width(row) for row in rows)

    def line(self, row: _Row, width: int) -> tuple[str, int]:
        """Return the row in at most `width` columns, and the number of columns that it takes."""
        before = self._margin + 1 + len(row.branch)
        text, taken = _fit(row, width - before)
        mark = row.mark.rjust(self._margin)
        if row.mark:
            mark = self.styled(mark, row.style)
        return f"{mark} {row.branch}{self.styled(text, row.style)}", before + taken

    def side_by_side(
        self, left: Sequence[_Row], right: Sequence[_Row], column: int, right_width: int
    ) -> Iterator[str]:
        """Yield the lines of both trees, pairs on the same line; the right tree begins at `column`."""
        for left_row, right_row in _pair_rows(left, right):
            text, taken = self.line(left_row, column - _BETWEEN)
            yield text + " " * (column - taken) + self.line(right_row, right_width)[0]

    def styled(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self._color and style and text else text


def _pair_rows(left: Sequence[_Row], right: Sequence[_Row]) -> Iterator[tuple[_Row, _Row]]:
    """Yield the rows of two trees with equal numbers together, and an empty row where a tree has none."""
    places = {row.number: at for at, row in enumerate(left) if row.number}
    left_done = right_done = 0
    for right_at, row in enumerate(right):
        left_at = places.get(row.number, -1)
        if left_at < left_done:  # not aligned, or crossing an earlier pair
            continue
        empty = [_Row(("",), branch=beside.stem) for beside in (left[left_at], row)]
        for pair in zip_longest(left[left_done:left_at], right[right_done:right_at]):
            yield pair[0] or empty[0], pair[1] or empty[1]
        yield left[left_at], row
        left_done, right_done = left_at + 1, right_at + 1
    yield from zip_longest(left[left_done:], right[right_done:], fillvalue=_Row(("",)))


def _text_width(row: _Row) -> int:
    return sum(map(cells, row.head)) + len(row.head) - 1 + sum(2 + len(text) for text in row.tail)


def _fit(row: _Row, columns: int) -> tuple[str, int]:
    """Return the text of a row in at most `columns` columns, and the number of columns that it takes."""
    width = _text_width(row)
    tail = "".join(f"  {text}" for text in row.tail)
    if width <= columns:
        return " ".join(map(isolated, row.head)) + tail, width
    if columns - len(tail) < max(columns // 3, 4):
        tail = ""  # the label matters more
    text, taken = _cut(row.head, columns - len(tail))
    return text + tail, taken + len(tail)


def _cut(pieces: Sequence[str], columns: int) -> tuple[str, int]:
    """Join the pieces with spaces and cut them to `columns` columns, with `…` at the end of a cut text."""
    shown: list[str] = []
    taken = 0
    for piece in pieces:
        space = 1 if shown else 0
        left = columns - 1 - taken - space
        width = cells(piece)
        if width <= left:
            shown.append(isolated(piece))
            taken += space + width
            continue
        if left <= 0:
            break
        end = used = 0
        while used + character_cells(piece[end]) <= left:
            used += character_cells(piece[end])
            end += 1
        shown.append(isolated(piece[:end] + _CUT))
        return " ".join(shown), taken + space + used + 1
    return " ".join(shown) + _CUT, taken + 1


def shown_iou(iou: float) -> str:
    """Return an IoU with two digits, but never as 0.00 or 1.00."""
    return f"{min(iou, 0.99):.2f}" if iou >= 0.005 else "<0.01"


def shown_span(start: float, end: float, seconds: bool) -> str:
    show = _shown_seconds if seconds else "{:.0f}".format
    return f"{show(start)}–{show(end)}"


def _shown_seconds(seconds: float) -> str:
    """Return a time with two decimals, or with three if the third is not 0."""
    if abs(seconds) >= 1e7:
        return f"{seconds:g}"
    text = f"{seconds:.3f}"
    return text[:-1] if text.endswith("0") else text

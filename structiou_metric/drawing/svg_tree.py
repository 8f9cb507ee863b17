"""`draw_tree`: one tree over its words, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..metrics.struct_iou.alignment import Alignment, Side
from ..terminal import isolated
from ..trees.tree import SegmentTree
from ..wording import check_choice, count
from .folding import Folds
from .outline import shown_span
from .page import MAX_NODES
from .svg import LABEL_SIZE, MARGIN, THEMES, Picture, px, rect, scrolling
from .svg_layout import runs_from_right
from .svg_text import full, text_width, xml

if TYPE_CHECKING:
    from .svg_layout import Bar

_LEAST = 160.0  # width of a picture in pixels that has enough space for the text about an empty tree
_MIDDLE = 14.2  # from the top of a bar to the baseline of its label


def draw_tree(tree: SegmentTree, *, direction: str = "auto", theme: str = "auto") -> str:
    """Draw a tree above its words, with a bar over the span of each node, as `draw_svg` draws two trees.

    A node that has no length on the axis, such as a trace over characters, is a small wedge. Pointing at a
    node shows its span and its words.

    >>> picture = draw_tree(SegmentTree.from_brackets("(NP (DT the) (NN dog))"))
    >>> picture.count("<g data-tree="), picture.count("data-word=")
    (3, 2)

    Args:
        tree: The tree, in any unit; characters and seconds are written along the axis.
        direction: The direction of the axis: `ltr`, `rtl`, or `auto` for that of most words.
        theme: `light` and `dark` have a background; `auto` has none and takes the text's colour from
            the page.
    """
    check_choice("theme", theme, THEMES)
    alone = _alone(tree)
    return TreePicture(alone, runs_from_right(alone, direction)).write(theme, "")


def draw_tree_html(tree: SegmentTree) -> str:
    """Return a picture for a notebook, which scrolls if it is wide; for a very large tree only its size."""
    if len(tree) > MAX_NODES:
        return f"<pre>{_size(tree)}\nnot drawn: more than {MAX_NODES:,} nodes</pre>"
    return scrolling(draw_tree(tree), "Drawing of a tree", mirrored=runs_from_right(_alone(tree), "auto"))


def _alone(tree: SegmentTree) -> Alignment:
    """Return the alignment of the tree with an empty one, which shows all of its nodes and words."""
    nothing = SegmentTree.from_brackets("()").with_unit(tree.unit)
    nodes = {node.number: node for node in tree.nodes}
    return Alignment(nothing, tree, Side({}, frozenset()), Side(nodes, frozenset()), ())


def _size(tree: SegmentTree) -> str:
    return f"{count(len(tree), 'node')}, {count(len(tree.words), 'word')}"


class TreePicture(Picture):
    """The upper half of a picture, without references to a second tree.

    Args:
        alignment: The tree as the reference, with an empty prediction.
        mirrored: Whether the axis runs from right to left.
    """

    def __init__(self, alignment: Alignment, mirrored: bool) -> None:
        super().__init__(alignment, mirrored, False, Folds())
        self._summary = _size(alignment.reference)
        self._width = max(_LEAST, self._width, text_width(self._title(0), LABEL_SIZE) + 2 * MARGIN)

    def _title(self, side: int) -> str:
        return f"{self._summary}{self._headings[1]}"

    def _line(self, y: float, headed: bool) -> float:
        return self._middle(self._half(0, y))

    def _bar(self, side: int, bar: Bar, y: float) -> None:
        left, right = self._stretch(bar.start, bar.end)
        half = self._halves[0]
        label = self._texts(0, bar)[1]
        span = self._spans.format(shown_span(*half.span(bar.node), self._unit == "time"))
        words = half.text(bar.node)
        title = f"{full(half.label(bar.node))}, {span}" + (f": {words}" if words else "")
        shade = ".12" if bar.level > 1 else ".05"
        box = rect(left, right, y, f'fill="currentColor" fill-opacity="{shade}" stroke="#808080"')
        place = f'x="{px((left + right) / 2)}" y="{px(y + _MIDDLE)}" font-size="{px(LABEL_SIZE)}"'
        self._parts.append(
            f'<g data-tree="reference" data-node="{bar.node}"><title>{xml(title)}</title>{box}'
            f"<text {place}>{xml(isolated(label))}</text></g>"
        )

"""`draw_svg`: two aligned trees over one axis, as a picture.

The picture is a single SVG element. It needs no scripts and no styles of the page, and has no names that
could clash with those of another picture on the page.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from math import inf
from typing import TYPE_CHECKING

from ..terminal import isolated
from ..wording import check_choice, count
from .classes import Classes
from .folding import Folds, fold
from .outline import shown_iou, shown_span
from .page import MAX_NODES, check_size
from .svg_layout import Axis, Bar, Half, Need, Word, color_pairs, lay_out_halves, level_bars, runs_from_right
from .svg_text import full, is_right_to_left, shown, text_width, xml

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment

__all__ = ["draw_html", "draw_svg"]


def draw_svg(
    alignment: Alignment,
    *,
    direction: str = "auto",
    theme: str = "auto",
    caption: bool = True,
    description: str = "",
    only_differing: bool = False,
    width: float | None = None,
    classes: Classes | None = None,
    legend: bool = True,
) -> str:
    """Draw the reference above an axis and the prediction, upside down, below it.

    A node is a bar over its words, characters or seconds. Aligned nodes have the same number and colour in
    both trees, are filled where they overlap, and show their IoU if that is below 1. Nodes that are not
    aligned are grey, dashed and empty. Those that do not count are dotted, with the label in brackets; a root
    such as TOP over one tree is left out, and a small wedge at the words marks nodes that have no length on
    the axis, such as traces. Pointing at an element shows more about it.

    The axis is not to scale throughout: each part of it between two boundaries of words is as wide as
    the text over it needs, and longer ones are wider only up to a limit. Seconds and characters are
    written along it. Long labels and words are cut; widths of text are estimated (see `svg_text`).

    >>> from structiou_metric import align
    >>> picture = draw_svg(align("(S (NP (DT the) (NN dog)))", "(S (NP (DT the) (JJ dog)))"))
    >>> picture.count("<g data-tree="), picture.count("data-pair="), picture.count("stroke-dasharray")
    (8, 6, 2)

    Args:
        alignment: The result of `align`.
        direction: The direction of the axis: `ltr`, `rtl`, or `auto` for that of most words.
        theme: The colours: `light` and `dark` have a background; `auto` has none and takes the text's colour
            from the page.
        caption: Whether to write the scores.
        description: A text that is stored in the picture but not shown, such as the signature of the metric.
        only_differing: Whether to fold the nodes on which both trees agree (see `folding`); only the first
            and the last word of a folded node are written.
        width: The width of a line in pixels; a longer axis continues on further lines, and a node that
            continues is open at that side. By default there is one line.
        classes: The classes that colour the nodes instead of their partners; aligned nodes without a class
            are grey.
        legend: Whether to list the classes below the trees, in their colours.
    """
    check_choice("theme", theme, THEMES)
    folds = fold(alignment) if only_differing else Folds()
    mirrored = runs_from_right(alignment, direction)
    return Picture(alignment, mirrored, caption, folds, width, classes, legend).write(theme, description)


def draw_html(alignment: Alignment, *, description: str = "", classes: Classes | None = None) -> str:
    """Return a scrollable picture for a page or a notebook, or only the scores of very large trees.

    >>> from structiou_metric import align
    >>> page = draw_html(align("(S (NP we) (VP run))", "(S (NP we) (NP run))"))
    >>> page.count("<svg "), "overflow-x" in page
    (1, True)

    Args:
        alignment: The result of `align`.
        description: A text that is stored in the picture but not shown, as in `draw_svg`.
        classes: The classes that colour the nodes instead of their partners, as in `draw_svg`.
    """
    nodes = len(alignment.prediction) + len(alignment.reference)
    if nodes <= MAX_NODES:
        picture = draw_svg(alignment, description=description, classes=classes)
        return scrolling(picture, "Drawing of both trees", mirrored=runs_from_right(alignment, "auto"))
    scores = [f"{name} {getattr(alignment, name):.4f}" for name in ("score", "precision", "recall")]
    text = (
        f"{'  '.join(scores)}\nnot drawn: {count(nodes, 'node')}, more than {MAX_NODES:,}; "
        "see structiou_metric.drawing.svg.draw_svg and structiou align --svg"
    )
    return f"<pre>{xml(text)}</pre>"


def scrolling(picture: str, label: str, *, mirrored: bool) -> str:
    """Return a picture in a box that scrolls, from the right if it is mirrored."""
    return (
        '<div style="overflow-x:auto;max-width:100%" tabindex="0" role="group" '
        f'aria-label="{label}" dir="{"rtl" if mirrored else "ltr"}">{picture}</div>'
    )


# ---- the picture of two trees: every shape and text of it, written from top to bottom --------------


# Background and text; `auto` has no background and takes the text's colour from the page.
THEMES = {"auto": ("", ""), "light": ("#ffffff", "#1a1a1a"), "dark": ("#16181d", "#e8e8e8")}

# Distinguishable with any colour vision (at least 29 apart in CIE Lab, also as seen without one kind of
# cones), and seen on white and on black (contrast 2.4 at least); neighbours in the list are far apart.
COLORS = ("#004fd7", "#e99601", "#057b54", "#93388a", "#459cf0", "#b54804", "#d590b4")
_GREY = "#808080"
_FONT = "Helvetica,Arial,'DejaVu Sans','Noto Sans',sans-serif"

LABEL_SIZE, SMALL_SIZE, WORD_SIZE = 12.0, 9.0, 13.0  # size of the fonts, in pixels
MARGIN = 12.0
_PITCH = 30.0  # from one level of bars to the next
_INSET = 1.5  # between a bar and the end of its stretch
_PAD = 4.0  # between a text and its surroundings
_GAP = 3.0  # between number, label and IoU
_LINE_GAP = 18.0  # between lines of the axis
_WORD_ROW, _SEGMENT_ROW, _AXIS_ROW, _TITLE_ROW = 22.0, 6.0, 16.0, 20.0
_MAX_TEXT = 160.0  # maximum width of a label or word, before it is cut
_MAX_MARKS = 10  # maximum number of marks named in the tooltip of one place

SIDES = ("reference", "prediction")
_SPANS = {"word": "words {}", "char": "characters {}", "time": "{} s"}
_AXES = {"word": "", "char": " · axis in characters", "time": " · axis in seconds"}
_COLUMNS, _COLUMN_AXIS = "columns {}", " · texts aligned: axis in columns"


class Picture:
    """Two trees, laid out on one or several lines; `write` returns them as SVG.

    Args:
        alignment: The result of `align`.
        mirrored: Whether the axis runs from right to left.
        caption: Whether to write the scores.
        folds: The nodes that are drawn without their subtrees.
        width: The approximate width of a line in pixels; None for a single line.
        classes: The classes that colour the nodes instead of their partners; None colours by partner.
        legend: Whether to list the classes.
    """

    def __init__(
        self,
        alignment: Alignment,
        mirrored: bool,
        caption: bool,
        folds: Folds,
        width: float | None = None,
        classes: Classes | None = None,
        legend: bool = True,
    ) -> None:
        self._whole = self._halves = reference, prediction = lay_out_halves(alignment, folds)
        self._unit = alignment.reference.unit
        aligned = alignment.reference_side.columns is not None
        self._spans = _COLUMNS if aligned else _SPANS[self._unit]
        self._colors = color_pairs(reference, prediction, len(COLORS))
        self._classes = classes
        self._listed = classes if legend else None
        self._nodes = [{number: node for node, (number, _) in half.matches.items()} for half in self._whole]
        self._axis = self._new_axis(self._whole, mirrored)
        self._lines = [(self._whole, self._axis)]
        if width is not None and self._axis.width > width - 2 * MARGIN:
            check_size(len(reference.bars) + len(prediction.bars))
            self._lines = []
            for start, end in break_axis(self._axis, self._whole, width - 2 * MARGIN):
                one, other = (
                    part_of(half, start, end, is_first=not self._lines, sparing=any(folds))
                    for half in self._whole
                )
                self._lines.append(((one, other), self._new_axis((one, other), mirrored)))
        self._headings = [
            f" · recall {alignment.recall:.4f} · STRUCT-IoU {alignment.score:.4f}" if caption else "",
            (f" · precision {alignment.precision:.4f}" if caption else "")
            + (_COLUMN_AXIS if aligned else _AXES[self._unit]),
        ]
        self._summary = (
            f"STRUCT-IoU {alignment.score:.4f}: {count(len(alignment.pairs), 'aligned pair')}, "
            f"{count(len(reference.counted), 'node')} in the reference, "
            f"{len(prediction.counted)} in the prediction"
        )
        heading = max(text_width(f"reference {text}", LABEL_SIZE) for text in self._headings)
        self._width = max(heading, *(axis.width for _, axis in self._lines)) + 2 * MARGIN
        self._left = MARGIN
        self._parts: list[str] = []

    def write(self, theme: str, description: str) -> str:
        """Return the SVG element."""
        [picture] = self.pages(theme, description, inf)
        return picture

    def pages(self, theme: str, description: str, height: float) -> Iterator[str]:
        """Yield an SVG element for each page, which has at least one line, and more as long as they fit."""
        y = self._heading(MARGIN, self._title(0))
        for line, (halves, axis) in enumerate(self._lines):
            self._halves, self._axis = halves, axis
            self._left = self._width - MARGIN - axis.width if axis.mirrored else MARGIN
            before, n_parts = y, len(self._parts)
            y = self._line(y + _LINE_GAP * bool(self._parts and line), line == 0)
            if y + MARGIN / 2 > height and line and n_parts:
                del self._parts[n_parts:]
                yield self._page(theme, description, before)
                y = self._line(MARGIN, False)
        if self._listed is not None:
            y = self._legend(y, self._listed)
        yield self._page(theme, description, y)

    def _line(self, y: float, headed: bool) -> float:
        """Write both trees of a line from `y` on; return the y below them."""
        y = self._half(0, y)
        y = self._middle(y)
        y = self._half(1, y)
        return self._heading(y, self._title(1)) if headed else y

    def _page(self, theme: str, description: str, y: float) -> str:
        """Return the SVG element of everything that was written since the last page."""
        height = y + MARGIN / 2
        background, color = THEMES[theme]
        size = f'width="{px(self._width)}" height="{px(height)}"'
        view = f'viewBox="0 0 {px(self._width)} {px(height)}"'
        style = f"max-width:none;direction:ltr;font-family:{_FONT}" + (f";color:{color}" if color else "")
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img" '
            f'aria-label="{xml(self._summary)}" style="{style}">'
        ]
        if description:
            head.append(f"<desc>{xml(full(description))}</desc>")
        if background:
            head.append(f'<rect width="100%" height="100%" fill="{background}"/>')
        head.append('<g fill="currentColor" text-anchor="middle">')
        parts, self._parts = self._parts, []
        return "\n".join([*head, *parts, "</g>", "</svg>\n"])

    # ---- texts ---------------------------------------------------------------------------------

    def _new_axis(self, halves: tuple[Half, Half], mirrored: bool) -> Axis:
        places = [place for half in halves for place in half.places()]
        folded = [stretch for half in halves for stretch in half.folded_stretches()]
        return Axis(self._unit, places, list(self._needs(halves)), mirrored, folded)

    def _needs(self, halves: tuple[Half, Half]) -> Iterator[Need]:
        """Yield the stretches of the axis and the widths that their texts need."""
        for side, half in enumerate(halves):
            for bar in half.bars.values():
                yield Need(bar.start, bar.end, self._bar_width(side, bar), bar.level == 1)
            for word in half.words:
                text = _shown_word(word)
                if text:
                    yield Need(word.start, word.end, text_width(text, WORD_SIZE) + 2 * _PAD, True)

    def _texts(self, side: int, bar: Bar) -> tuple[str, str, str]:
        """Return the number, the label, and the IoU and class of a node as they are shown."""
        half = self._halves[side]
        number, iou = half.matches.get(bar.node, (0, 1.0))
        label = shown(half.label(bar.node), LABEL_SIZE, _MAX_TEXT)
        after = [shown_iou(iou)] if iou < 1.0 else []
        after += [shown(name, SMALL_SIZE, _MAX_TEXT) for name in [self._class_of(side, bar)] if name]
        return str(number or ""), label, " ".join(after)

    def _class_of(self, side: int, bar: Bar) -> str:
        return "" if self._classes is None else self._classes.of(SIDES[side], bar.node)

    def _bar_width(self, side: int, bar: Bar) -> float:
        number, label, after = self._texts(side, bar)
        width = text_width(label, LABEL_SIZE) + 2 * (_PAD + _INSET)
        return width + sum(text_width(text, SMALL_SIZE) + _GAP for text in (number, after) if text)

    def _bar_title(self, side: int, bar: Bar) -> str:
        half = self._halves[side]
        words = half.text(bar.node)
        first = self._named(side, bar) + (f": {words}" if words else "")
        if bar.node in half.folded:
            first += f"\nboth trees agree on {count(half.tree.sizes[bar.node] - 1, 'node')} below it"
        if self._class_of(side, bar):
            first += f"\n{full(self._class_of(side, bar))}"
        if bar.node in half.matches:
            number, iou = half.matches[bar.node]
            return (
                f"{first}\npair {number}, IoU {iou:.4f}\n{self._named(1 - side, self._partner(side, number))}"
            )
        return f"{first}\n{'not aligned' if bar.node in half.counted else 'does not count'}"

    def _named(self, side: int, bar: Bar) -> str:
        span = self._spans.format(shown_span(*self._halves[side].span(bar.node), self._unit == "time"))
        return f"{SIDES[side]} {full(self._halves[side].label(bar.node))}, {span}"

    def _partner(self, side: int, number: int) -> Bar:
        return self._whole[1 - side].bars[self._nodes[1 - side][number]]

    # ---- trees ---------------------------------------------------------------------------------

    def _title(self, side: int) -> str:
        return f'<tspan font-weight="bold">{SIDES[side]}</tspan>{self._headings[side]}'

    def _heading(self, y: float, text: str) -> float:
        """Write a line of text; return the y below it."""
        anchor, x = ("end", self._width - MARGIN) if self._axis.mirrored else ("start", MARGIN)
        self._parts.append(
            f'<text x="{px(x)}" y="{px(y + 11)}" font-size="{px(LABEL_SIZE)}" text-anchor="{anchor}" '
            f'fill-opacity=".75">{text}</text>'
        )
        return y + _TITLE_ROW

    def _half(self, side: int, y: float) -> float:
        """Write the bars of one tree and the lines between them from `y` on; return the y below them."""
        half = self._halves[side]
        if not half.bars:
            text = (
                "  ".join(mark.text for mark in half.marks[:_MAX_MARKS]) if half.tree else "(empty: no parse)"
            )
            return self._heading(y, xml(shown(text, LABEL_SIZE, self._width - 2 * MARGIN)))
        up = side == 0
        below = y + max(bar.level for bar in half.bars.values()) * _PITCH

        def edges(node: int) -> tuple[float, float]:
            """Return the y of a bar towards its parent and towards the words."""
            height = (half.bars[node].level - 1) * _PITCH
            return (below - height - BAR, below - height) if up else (y + height + BAR, y + height)

        lines = []
        for bar in half.bars.values():
            if bar.parent >= 0:
                lines.append((bar.start, bar.end, edges(bar.node)[0], edges(bar.parent)[1]))
        for word in half.words:
            if word.owner >= 0 and half.bars[word.owner].level > 1:  # all others touch their bar
                lines.append((word.start, word.end, below if up else y, edges(word.owner)[1]))
        path = "".join(f"M{px(self._center(s, e))} {px(one)}V{px(other)}" for s, e, one, other in lines)
        self._parts.append(f'<path d="{path}" fill="none" stroke="{_GREY}" stroke-opacity=".6"/>')
        for bar in half.bars.values():
            self._bar(side, bar, min(edges(bar.node)))
        return below

    def _bar(self, side: int, bar: Bar, y: float) -> None:
        left, right = self._stretch(bar.start, bar.end)
        number, label, after = self._texts(side, bar)
        name = self._class_of(side, bar)
        whole = self._whole[side].bars[bar.node]
        shape = bar_shape(left, right, y, whole.start < bar.start, bar.end < whole.end, self._axis.mirrored)
        data = f'data-tree="{SIDES[side]}" data-node="{bar.node}"'
        parts = [f"<title>{xml(self._bar_title(side, bar))}</title>"]
        if number:
            data += f' data-pair="{number}"'
            color = self._color(int(number), name)
            partner = self._partner(side, int(number))
            begin, end = max(bar.start, partner.start), min(bar.end, partner.end)
            common = self._stretch(begin, end) if begin < end else None
            fill = f'fill="{color}" fill-opacity="{".3" if bar.level > 1 else ".2"}"'
            stroke = f'stroke="{color}" stroke-width="{"1.5" if bar.level > 1 else "1"}"'
            if common != (left, right):
                if common:  # otherwise it is on a different line
                    parts.append(rect(*common, y, fill))
                fill = 'fill="none"'
            parts.append(shape(f"{fill} {stroke}"))
        else:
            dashes = "4 3" if bar.node in self._halves[side].counted else "1 3"
            color = self._color(0, name)
            fill = f'fill="{color}" fill-opacity=".2"' if name else 'fill="none"'
            parts.append(shape(f'{fill} stroke="{color}" stroke-width="1.5" stroke-dasharray="{dashes}"'))
        text = f"<tspan>{xml(isolated(label))}</tspan>"
        if number:
            small = f'<tspan font-size="{px(SMALL_SIZE)}" fill-opacity=".75">{number}</tspan>'
            text = small + text.replace("<tspan", f'<tspan dx="{px(_GAP)}"', 1)
        if after:
            text += f'<tspan dx="{px(_GAP)}" font-size="{px(SMALL_SIZE)}">{xml(after)}</tspan>'
        faint = "" if number else ' fill-opacity=".65"'
        place = f'x="{px((left + right) / 2)}" y="{px(y + 14.2)}"'
        parts.append(f'<text {place} font-size="{px(LABEL_SIZE)}"{faint}>{text}</text>')
        self._parts.append(f"<g {data}>{''.join(parts)}</g>")

    def _color(self, number: int, name: str) -> str:
        """Return the colour of a node by its class or its pair; grey if neither gives one."""
        if self._classes is not None:
            return COLORS[self._classes.colors[name] % len(COLORS)] if name else _GREY
        return COLORS[self._colors[number]] if number else _GREY

    def _legend(self, y: float, classes: Classes) -> float:
        """Write the classes in their colours, as many in a row as fit; return the y below them."""
        x = MARGIN
        y += _LINE_GAP
        for name, color in classes.colors.items():
            text = shown(name, LABEL_SIZE, _MAX_TEXT)
            width = text_width(text, LABEL_SIZE) + 2 * _PAD
            if x > MARGIN and x + width > self._width - MARGIN:
                x, y = MARGIN, y + _PITCH
            shade = COLORS[color % len(COLORS)]
            box = rect(x, x + width, y, f'fill="{shade}" fill-opacity=".2" stroke="{shade}"')
            place = f'x="{px(x + width / 2)}" y="{px(y + 14.2)}" font-size="{px(LABEL_SIZE)}"'
            self._parts.append(f'<g data-class="{xml(text)}">{box}<text {place}>{xml(text)}</text></g>')
            x += width + 2 * _PAD
        return y + _PITCH if classes.colors else y

    # ---- between the trees ---------------------------------------------------------------------

    def _middle(self, y: float) -> float:
        """Write words and axis from `y` on; return the y below them."""
        reference, prediction = self._halves
        texts = [[_shown_word(word) for word in half.words] for half in self._halves]
        places = [[(word.start, word.end) for word in half.words] for half in self._halves]
        if self._unit == "word" and texts[0] == texts[1] and places[0] == places[1]:
            self._words(0, y)
            self._wedges(reference, y + 2, 5)
            self._wedges(prediction, y + _WORD_ROW, -5)
            return y + _WORD_ROW + _PAD
        if any(texts[0]):
            self._words(0, y)
            y += _WORD_ROW
        self._wedges(reference, y - 6, 5)
        if self._unit != "word":
            y = self._ruler(y)
        self._wedges(prediction, y + 6, -5)
        if any(texts[1]):
            self._words(1, y)
            y += _WORD_ROW
        return y + _PAD

    def _words(self, side: int, y: float) -> None:
        half = self._halves[side]
        texts = []
        for word in half.words:
            text = _shown_word(word)
            whole = full(word.whole)
            title = f"<title>{xml(whole)}</title>" if whole != text else ""
            way = ' style="direction:rtl"' if is_right_to_left(text) else ""
            place = f'x="{px(self._center(word.start, word.end))}" y="{px(y + 16)}"'
            texts.append(f'<text {place}{way} data-word="{word.word}">{title}{xml(text)}</text>')
        self._parts.append(f'<g data-words="{SIDES[side]}" font-size="{px(WORD_SIZE)}">{"".join(texts)}</g>')

    def _wedges(self, half: Half, y: float, height: float) -> None:
        """Write small triangles, pointing at the axis, for nodes that have no length on it."""
        marks: dict[float, list[str]] = {}
        for mark in half.marks if half.bars else ():
            marks.setdefault(mark.place, []).append(mark.text)
        for place, texts in marks.items():
            x = self._axis.at(place) + self._left
            title = "left out, without length: " + "  ".join(texts[:_MAX_MARKS])
            if len(texts) > _MAX_MARKS:
                title += f" and {len(texts) - _MAX_MARKS} more"
            self._parts.append(
                f'<path d="M{px(x)} {px(y + height)}L{px(x - 3)} {px(y)}H{px(x + 3)}Z" fill="{_GREY}">'
                f"<title>{xml(title)}</title></path>"
            )

    def _ruler(self, y: float) -> float:
        """Write the segments of the words of both trees, with numbers between; return the y below."""
        top = y + _SEGMENT_ROW
        below = top + _AXIS_ROW
        for half, at in zip(self._halves, (y, below), strict=True):
            segments = []
            for word in half.words:
                left, right = self._stretch(word.start, word.end)
                segments.append(f"M{px(left)} {px(at + _SEGMENT_ROW / 2)}H{px(right)}")
            self._parts.append(
                f'<path d="{"".join(segments)}" fill="none" stroke="{_GREY}" stroke-width="3"/>'
            )
        lines = []
        texts = []
        for place, number in self._axis.ticks(0.64 * SMALL_SIZE):
            x = px(place + self._left)
            lines.append(f"M{x} {px(top)}v3M{x} {px(below)}v-3")
            texts.append(f'<text x="{x}" y="{px(top + 11.2)}">{number}</text>')
        for left, right, length in self._axis.cramped():
            x = px(self._left + (left + right) / 2)
            texts.append(f'<text x="{x}" y="{px(top + 11.2)}">⋯ {length:.6g} ⋯</text>')
        self._parts.append(f'<path d="{"".join(lines)}" fill="none" stroke="{_GREY}"/>')
        self._parts.append(f'<g font-size="{px(SMALL_SIZE)}" fill-opacity=".75">{"".join(texts)}</g>')
        return below + _SEGMENT_ROW

    def _center(self, start: float, end: float) -> float:
        left, right = self._axis.span(start, end)
        return self._left + (left + right) / 2

    def _stretch(self, start: float, end: float) -> tuple[float, float]:
        """Return the left and the right end of a bar."""
        left, right = self._axis.inside(start, end, _INSET)
        return self._left + left, self._left + right


def _shown_word(word: Word) -> str:
    return shown(word.text, WORD_SIZE, _MAX_TEXT)


# ---- the axis of a picture in lines: where it breaks, and the part of a tree on each line ------------


def break_axis(axis: Axis, halves: Sequence[Half], max_width: float) -> list[tuple[float, float]]:
    """Return the stretches of the lines, at most about `max_width` pixels wide; a single one if all fits."""
    places = sorted({place for half in halves for place in half.places()})
    if axis.width <= max_width:
        return [(places[0], places[-1])] if places else [(0.0, 0.0)]
    inside: set[float] = set()  # starts and ends of words
    for half in halves:
        for word in half.words:
            first = bisect_left(places, word.start) + 1
            inside.update(places[first : bisect_left(places, word.end)])
    stretches = []
    start = last = places[0]
    for place in places[1:]:
        if place in inside:
            continue
        left, right = axis.span(start, place)
        if right - left > max_width and last > start:
            stretches.append((start, last))
            start = last
        last = place
    return [*stretches, (start, places[-1])]


def part_of(half: Half, start: float, end: float, is_first: bool, sparing: bool) -> Half:
    """Return the part of a tree between two places of the axis.

    Args:
        half: The tree.
        start: Where the line begins.
        end: Where the line ends.
        is_first: Whether no line is before it.
        sparing: Whether nodes that have the same span as their partners are drawn only on the line where they
            begin.
    """
    part = copy(half)
    parents: dict[int, int] = {}
    for bar in half.bars.values():
        if bar.end <= start or bar.start >= end or (bar.start < start and bar.end > end):
            continue
        if sparing and bar.start < start and half.matches.get(bar.node, (0, 0.0))[1] == 1.0:
            continue
        parent = bar.parent
        while parent >= 0 and parent not in parents:
            parent = half.bars[parent].parent
        parents[bar.node] = parent
    part.bars = level_bars(
        parents, lambda node: (max(half.bars[node].start, start), min(half.bars[node].end, end))
    )
    part.words = [
        word if word.owner in parents else word._replace(owner=-1)
        for word in half.words
        if start <= word.start and word.end <= end
    ]
    least = -inf if is_first else start
    part.marks = [mark for mark in half.marks if least < mark.place <= end]
    return part


# ---- the shapes of a picture, as SVG ---------------------------------------------------------------


BAR = 20.0  # height of a bar, in pixels


def rect(left: float, right: float, y: float, look: str) -> str:
    """Return a bar with rounded corners."""
    left, right = round(left, 1), round(right, 1)  # both rounded, so that equal ends stay equal
    return f'<rect x="{px(left)}" y="{px(y)}" width="{px(right - left)}" height="{px(BAR)}" rx="4" {look}/>'


def bar_shape(
    left: float, right: float, y: float, before: bool, after: bool, mirrored: bool
) -> Callable[[str], str]:
    """Return a writer of a bar that is open at each side where it continues on another line."""
    if not (before or after):
        return lambda look: rect(left, right, y, look)
    open_left, open_right = (after, before) if mirrored else (before, after)
    top, bottom = px(y), px(y + BAR)
    if open_left and open_right:
        path = f"M{px(left)} {top}H{px(right)}M{px(left)} {bottom}H{px(right)}"
    else:
        start, end = (left, right) if open_left else (right, left)
        path = f"M{px(start)} {top}H{px(end)}V{bottom}H{px(start)}"
    return lambda look: f'<path d="{path}" {look}/>'


def px(number: float) -> str:
    """Return a coordinate in pixels, with at most one decimal."""
    return f"{number:.1f}".removesuffix(".0")

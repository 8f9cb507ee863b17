"""The picture of two trees: every shape and text of it, written from top to bottom.

Where things stand along the axis comes from `svg_axis`, what is shown from `svg_layout`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..terminal import isolated
from ..wording import count
from .outline import number_pairs, shown_iou, shown_span
from .svg_axis import Axis, Need
from .svg_layout import Bar, Half, color_pairs
from .svg_text import full, is_right_to_left, shown, text_width, xml

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment

# Background and text; `auto` has no background and takes the text's colour from the page.
THEMES = {"auto": ("", ""), "light": ("#ffffff", "#1a1a1a"), "dark": ("#16181d", "#e8e8e8")}

# Told apart with any colour vision (at least 29 apart in CIE Lab, also as seen without one kind of
# cones), and seen on white and on black (contrast 2.4 at least); neighbours in the list are far apart.
COLORS = ("#004fd7", "#e99601", "#057b54", "#93388a", "#459cf0", "#b54804", "#d590b4")
_GREY = "#808080"
_FONT = "Helvetica,Arial,'DejaVu Sans','Noto Sans',sans-serif"

LABEL_SIZE, SMALL_SIZE, WORD_SIZE = 12.0, 9.0, 13.0  # of the fonts, in pixels
_MARGIN = 12.0
_BAR, _PITCH = 20.0, 30.0  # height of a bar; from a level to the next
_INSET = 1.5  # between a bar and the end of its stretch
_PAD = 4.0  # between a text and what is around it
_GAP = 3.0  # between number, label and IoU
_WORD_ROW, _SEGMENT_ROW, _AXIS_ROW, _TITLE_ROW = 22.0, 6.0, 16.0, 20.0
_MAX_TEXT = 160.0  # of a label or word, before it is cut
_MAX_MARKS = 10  # told of at one place

_SIDES = ("reference", "prediction")
_SPANS = {"word": "words {}", "char": "characters {}", "time": "{} s"}
_AXES = {"word": "", "char": " · axis in characters", "time": " · axis in seconds"}
_COLUMNS, _COLUMN_AXIS = "columns {}", " · texts aligned: axis in columns"


class Picture:
    """Two trees, laid out; `write` makes them SVG."""

    def __init__(self, alignment: Alignment, mirrored: bool, caption: bool) -> None:
        prediction_matches, reference_matches = number_pairs(alignment)
        reference = Half(alignment.reference, alignment.reference_side, reference_matches)
        prediction = Half(alignment.prediction, alignment.prediction_side, prediction_matches)
        self._halves = (reference, prediction)
        self._unit = alignment.reference.unit
        aligned = alignment.reference_side.columns is not None
        self._spans = _COLUMNS if aligned else _SPANS[self._unit]
        self._colors = color_pairs(reference, prediction, len(COLORS))
        self._nodes = [{number: node for node, (number, _) in half.matches.items()} for half in self._halves]
        places = [place for half in self._halves for place in half.places()]
        self._axis = Axis(self._unit, places, list(self._needs()), mirrored)
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
        self._width = max(self._axis.width, heading) + 2 * _MARGIN
        self._left = self._width - _MARGIN - self._axis.width if mirrored else _MARGIN
        self._parts: list[str] = []

    def write(self, theme: str, description: str) -> str:
        """The SVG element."""
        y = self._heading(_MARGIN, self._title(0))
        y = self._half(0, y)
        y = self._middle(y)
        y = self._half(1, y)
        height = self._heading(y, self._title(1)) + _MARGIN / 2
        background, color = THEMES[theme]
        size = f'width="{_n(self._width)}" height="{_n(height)}"'
        view = f'viewBox="0 0 {_n(self._width)} {_n(height)}"'
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
        return "\n".join([*head, *self._parts, "</g>", "</svg>\n"])

    # ---- texts ---------------------------------------------------------------------------------

    def _needs(self) -> Iterator[Need]:
        """The room that texts take."""
        for side, half in enumerate(self._halves):
            for bar in half.bars.values():
                yield Need(bar.start, bar.end, self._bar_width(side, bar), bar.level == 1)
            for word in half.words:
                text = _shown_word(half, word.word)
                if text:
                    yield Need(word.start, word.end, text_width(text, WORD_SIZE) + 2 * _PAD, True)

    def _texts(self, side: int, bar: Bar) -> tuple[str, str, str]:
        """Number, label and IoU of a node as they are shown."""
        half = self._halves[side]
        number, iou = half.matches.get(bar.node, (0, 1.0))
        label = shown(half.label(bar.node), LABEL_SIZE, _MAX_TEXT)
        return str(number or ""), label, shown_iou(iou) if iou < 1.0 else ""

    def _bar_width(self, side: int, bar: Bar) -> float:
        number, label, iou = self._texts(side, bar)
        width = text_width(label, LABEL_SIZE) + 2 * (_PAD + _INSET)
        return width + sum(text_width(text, SMALL_SIZE) + _GAP for text in (number, iou) if text)

    def _bar_title(self, side: int, bar: Bar) -> str:
        half = self._halves[side]
        words = half.text(bar.node)
        first = self._named(side, bar) + (f": {words}" if words else "")
        if bar.node in half.matches:
            number, iou = half.matches[bar.node]
            return (
                f"{first}\npair {number}, IoU {iou:.4f}\n{self._named(1 - side, self._partner(side, number))}"
            )
        return f"{first}\n{'not aligned' if bar.node in half.counted else 'does not count'}"

    def _named(self, side: int, bar: Bar) -> str:
        span = self._spans.format(shown_span(bar.start, bar.end, self._unit == "time"))
        return f"{_SIDES[side]} {full(self._halves[side].label(bar.node))}, {span}"

    def _partner(self, side: int, number: int) -> Bar:
        return self._halves[1 - side].bars[self._nodes[1 - side][number]]

    # ---- trees ---------------------------------------------------------------------------------

    def _title(self, side: int) -> str:
        return f'<tspan font-weight="bold">{_SIDES[side]}</tspan>{self._headings[side]}'

    def _heading(self, y: float, text: str) -> float:
        """Writes a line of text; returns the y below it."""
        anchor, x = ("end", self._width - _MARGIN) if self._axis.mirrored else ("start", _MARGIN)
        self._parts.append(
            f'<text x="{_n(x)}" y="{_n(y + 11)}" font-size="{_n(LABEL_SIZE)}" text-anchor="{anchor}" '
            f'fill-opacity=".75">{text}</text>'
        )
        return y + _TITLE_ROW

    def _half(self, side: int, y: float) -> float:
        """Writes the bars of one tree from `y` on, and what joins them; returns the y below them."""
        half = self._halves[side]
        if not half.bars:
            text = (
                "  ".join(mark.text for mark in half.marks[:_MAX_MARKS]) if half.tree else "(empty: no parse)"
            )
            return self._heading(y, xml(shown(text, LABEL_SIZE, self._width - 2 * _MARGIN)))
        up = side == 0
        below = y + max(bar.level for bar in half.bars.values()) * _PITCH

        def edges(node: int) -> tuple[float, float]:
            """The y of a bar towards its parent and towards the words."""
            height = (half.bars[node].level - 1) * _PITCH
            return (below - height - _BAR, below - height) if up else (y + height + _BAR, y + height)

        lines = []
        for bar in half.bars.values():
            if bar.parent >= 0:
                lines.append((bar.start, bar.end, edges(bar.node)[0], edges(bar.parent)[1]))
        for word in half.words:
            if word.owner >= 0 and half.bars[word.owner].level > 1:  # others stand right at their bar
                lines.append((word.start, word.end, below if up else y, edges(word.owner)[1]))
        path = "".join(f"M{_n(self._center(s, e))} {_n(one)}V{_n(other)}" for s, e, one, other in lines)
        self._parts.append(f'<path d="{path}" fill="none" stroke="{_GREY}" stroke-opacity=".6"/>')
        for bar in half.bars.values():
            self._bar(side, bar, min(edges(bar.node)))
        return below

    def _bar(self, side: int, bar: Bar, y: float) -> None:
        left, right = self._stretch(bar.start, bar.end)
        number, label, iou = self._texts(side, bar)
        data = f'data-tree="{_SIDES[side]}" data-node="{bar.node}"'
        parts = [f"<title>{xml(self._bar_title(side, bar))}</title>"]
        if number:
            data += f' data-pair="{number}"'
            color = COLORS[self._colors[int(number)]]
            partner = self._partner(side, int(number))
            common = self._stretch(max(bar.start, partner.start), min(bar.end, partner.end))
            fill = f'fill="{color}" fill-opacity="{".3" if bar.level > 1 else ".2"}"'
            stroke = f'stroke="{color}" stroke-width="{"1.5" if bar.level > 1 else "1"}"'
            if common != (left, right):
                parts.append(_rect(*common, y, fill))
                fill = 'fill="none"'
            parts.append(_rect(left, right, y, f"{fill} {stroke}"))
        else:
            dashes = "4 3" if bar.node in self._halves[side].counted else "1 3"
            look = f'fill="none" stroke="{_GREY}" stroke-width="1.5" stroke-dasharray="{dashes}"'
            parts.append(_rect(left, right, y, look))
        text = f"<tspan>{xml(isolated(label))}</tspan>"
        if number:
            small = f'<tspan font-size="{_n(SMALL_SIZE)}" fill-opacity=".75">{number}</tspan>'
            text = small + text.replace("<tspan", f'<tspan dx="{_n(_GAP)}"', 1)
        if iou:
            text += f'<tspan dx="{_n(_GAP)}" font-size="{_n(SMALL_SIZE)}">{xml(iou)}</tspan>'
        faint = "" if number else ' fill-opacity=".65"'
        place = f'x="{_n((left + right) / 2)}" y="{_n(y + 14.2)}"'
        parts.append(f'<text {place} font-size="{_n(LABEL_SIZE)}"{faint}>{text}</text>')
        self._parts.append(f"<g {data}>{''.join(parts)}</g>")

    # ---- between the trees ---------------------------------------------------------------------

    def _middle(self, y: float) -> float:
        """Writes words and axis from `y` on; returns the y below them."""
        reference, prediction = self._halves
        texts = [[_shown_word(half, word.word) for word in half.words] for half in self._halves]
        places = [[word[1:3] for word in half.words] for half in self._halves]
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
            text = _shown_word(half, word.word)
            whole = full(half.tree.words[word.word])
            title = f"<title>{xml(whole)}</title>" if whole != text else ""
            way = ' style="direction:rtl"' if is_right_to_left(text) else ""
            place = f'x="{_n(self._center(word.start, word.end))}" y="{_n(y + 16)}"'
            texts.append(f'<text {place}{way} data-word="{word.word}">{title}{xml(text)}</text>')
        self._parts.append(f'<g data-words="{_SIDES[side]}" font-size="{_n(WORD_SIZE)}">{"".join(texts)}</g>')

    def _wedges(self, half: Half, y: float, height: float) -> None:
        """Small triangles where something has no length on the axis, with their tips towards it."""
        marks: dict[float, list[str]] = {}
        for mark in half.marks if half.bars else ():
            marks.setdefault(mark.place, []).append(mark.text)
        for place, texts in marks.items():
            x = self._axis.at(place) + self._left
            title = "left out, without length: " + "  ".join(texts[:_MAX_MARKS])
            if len(texts) > _MAX_MARKS:
                title += f" and {len(texts) - _MAX_MARKS} more"
            self._parts.append(
                f'<path d="M{_n(x)} {_n(y + height)}L{_n(x - 3)} {_n(y)}H{_n(x + 3)}Z" fill="{_GREY}">'
                f"<title>{xml(title)}</title></path>"
            )

    def _ruler(self, y: float) -> float:
        """Writes the segments of the words of both trees, and numbers between; returns the y below."""
        top = y + _SEGMENT_ROW
        below = top + _AXIS_ROW
        for half, at in zip(self._halves, (y, below), strict=True):
            segments = []
            for word in half.words:
                left, right = self._stretch(word.start, word.end)
                segments.append(f"M{_n(left)} {_n(at + _SEGMENT_ROW / 2)}H{_n(right)}")
            self._parts.append(
                f'<path d="{"".join(segments)}" fill="none" stroke="{_GREY}" stroke-width="3"/>'
            )
        lines = []
        texts = []
        for place, number in self._axis.ticks(0.64 * SMALL_SIZE):
            x = _n(place + self._left)
            lines.append(f"M{x} {_n(top)}v3M{x} {_n(below)}v-3")
            texts.append(f'<text x="{x}" y="{_n(top + 11.2)}">{number}</text>')
        for left, right, length in self._axis.cramped():
            x = _n(self._left + (left + right) / 2)
            texts.append(f'<text x="{x}" y="{_n(top + 11.2)}">⋯ {length:.6g} ⋯</text>')
        self._parts.append(f'<path d="{"".join(lines)}" fill="none" stroke="{_GREY}"/>')
        self._parts.append(f'<g font-size="{_n(SMALL_SIZE)}" fill-opacity=".75">{"".join(texts)}</g>')
        return below + _SEGMENT_ROW

    def _center(self, start: float, end: float) -> float:
        left, right = self._axis.span(start, end)
        return self._left + (left + right) / 2

    def _stretch(self, start: float, end: float) -> tuple[float, float]:
        """Left and right end of a bar."""
        left, right = self._axis.inside(start, end, _INSET)
        return self._left + left, self._left + right


def _shown_word(half: Half, word: int) -> str:
    return shown(half.tree.words[word], WORD_SIZE, _MAX_TEXT)


def _rect(left: float, right: float, y: float, look: str) -> str:
    left, right = round(left, 1), round(right, 1)  # both, so that equal ends of two bars stay equal
    return f'<rect x="{_n(left)}" y="{_n(y)}" width="{_n(right - left)}" height="{_n(_BAR)}" rx="4" {look}/>'


def _n(number: float) -> str:
    """A coordinate with one digit behind the point at most."""
    return f"{number:.1f}".removesuffix(".0")

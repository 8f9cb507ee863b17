"""The axis of a picture in lines: where it breaks, and what of a tree stands in each line.

A line breaks only where no word of either tree is cut. A node is drawn in the lines in which it begins or
ends, open towards the side on which it goes on, and not in those that it only passes through. Where only
what differs is drawn, nodes that have the same span as their partners stand only where they begin.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from copy import copy
from math import inf

from .svg_axis import Axis
from .svg_layout import Half, level_bars


def break_axis(axis: Axis, halves: Sequence[Half], room: float) -> list[tuple[float, float]]:
    """The stretches of the lines, each about `room` pixels wide at most; one stretch if all fits."""
    places = sorted({place for half in halves for place in half.places()})
    if axis.width <= room:
        return [(places[0], places[-1])] if places else [(0.0, 0.0)]
    inside: set[float] = set()  # of words
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
        if right - left > room and last > start:
            stretches.append((start, last))
            start = last
        last = place
    return [*stretches, (start, places[-1])]


def part_of(half: Half, start: float, end: float, is_first: bool, sparing: bool) -> Half:
    """What of a tree stands between two places of the axis.

    Args:
        half: The tree.
        start: Where the line begins.
        end: Where the line ends.
        is_first: Whether no line is before it.
        sparing: Whether nodes that have the same span as their partners stand only where they begin.
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

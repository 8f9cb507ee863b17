"""Levenshtein distances of texts and other sequences."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def edit_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the number of items to insert, delete or replace to make one sequence the other.

    >>> edit_distance("garden", "gardens"), edit_distance(["S", "NP"], ["S", "VP", "NP"])
    (1, 1)
    """
    if first == second:
        return 0
    return edit_distances(first, second, [len(first)], [len(second)])[0][0]


def edit_distances(
    first: Sequence[Hashable], second: Sequence[Hashable], rows: Sequence[int], columns: Sequence[int]
) -> list[list[int]]:
    """Return the distances of beginnings of two sequences: a list for each length of the second one.

    The table of distances is computed by whole columns, with the differences between neighbouring cells as
    the bits of two numbers (Myers 1999; Hyyrö 2003).

    >>> edit_distances("garden", "gardens", [3, 6], [0, 7])
    [[3, 6], [4, 1]]

    Args:
        first: The first sequence.
        second: The second sequence.
        rows: Lengths of beginnings of the first sequence, in ascending order.
        columns: Lengths of beginnings of the second sequence, in ascending order.
    """
    places: dict[Hashable, int] = {}  # the places of each item in the first sequence, as bits
    for i, item in enumerate(first):
        places[item] = places.get(item, 0) | (1 << i)
    full = (1 << len(first)) - 1
    # The rows of a column whose cell is 1 more than the cell above (rise), and 1 less (fall), as bits.
    rise, fall = full, 0
    found: list[list[int]] = []
    wanted = iter(columns)
    column = next(wanted, None)
    for j in range(len(second) + 1):
        while column == j:
            masks = [(1 << row) - 1 for row in rows]
            found.append([j + (rise & mask).bit_count() - (fall & mask).bit_count() for mask in masks])
            column = next(wanted, None)
        if column is None:
            break
        match = places.get(second[j], 0)
        same = ((((match & rise) + rise) ^ rise) | match | fall) & full  # cells equal to the one left above
        rise_right = ((fall | (full & ~(same | rise))) << 1) | 1  # those 1 more than the cell to the left
        fall_right = (rise & same) << 1
        rise = (fall_right | ~(same | rise_right)) & full
        fall = rise_right & same
    return found

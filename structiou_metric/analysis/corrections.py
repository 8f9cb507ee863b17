"""Many tests at once: p-values corrected for their number, and groups of systems that do not differ."""

from __future__ import annotations

from collections.abc import Iterable


def holm(p_values: Iterable[float]) -> list[float]:
    """The p-values corrected for their number by Holm's method, in the same order.

    The smallest of n is multiplied by n, the next by n - 1, and so on; none is below one before it or
    above 1. Of all pairs found to differ at 0.05, the chance that any does not is then at most 0.05.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = list(p_values)
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, i in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, values[i] * (len(values) - rank)))
        corrected[i] = highest
    return corrected


def group_letters(n_systems: int, different: Iterable[tuple[int, int]]) -> list[str]:
    """Letters for systems, numbered from the best: those that share one are no pair that is different.

    >>> group_letters(3, [(0, 2)])  # the one in the middle differs from neither
    ['a', 'ab', 'b']
    """
    groups = [frozenset(range(n_systems))]
    for pair in different:
        split: list[frozenset[int]] = []
        for group in groups:
            split += [group - {system} for system in pair] if group.issuperset(pair) else [group]
        unique = set(split)
        groups = [group for group in unique if not any(group < other for other in unique)]
    groups.sort(key=sorted)
    letters = [chr(ord("a") + k) if k < 26 else f"({k + 1})" for k in range(len(groups))]
    return [
        "".join(letter for letter, group in zip(letters, groups, strict=True) if i in group)
        for i in range(n_systems)
    ]

"""How work grows with its input, in a way that a busy machine does not change."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

_TRIES = 3


def growth(task: Callable[[int], object], n: int, times: int = 4) -> float:
    """How much more of the processor's time, not the clock's, `task(times * n)` takes than `task(n)`.

    It is about `times` where time grows with the input, and the square of that where it grows with the
    square. The shortest of some tries counts.
    """
    shortest = []
    for size in (n, times * n):
        tries = []
        for _ in range(_TRIES):
            begin = process_time()
            task(size)
            tries.append(process_time() - begin)
        shortest.append(min(tries))
    return shortest[1] / shortest[0]

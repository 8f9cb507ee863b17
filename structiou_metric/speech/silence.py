"""Silence between words: how it is measured, and closed as the paper does.

The paper perturbs boundaries `b_0 … b_n` of `n` words and says in a footnote: "We assume no silence
between spoken words; if any inter-word silence exists, we remove it." It does not say how. Here the
two words next to a silence share it: both reach to its middle. No other time changes, so that trees
over the same recording can still be compared; silence before the first word and after the last is
not between words, and stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..trees.tree import SegmentTree

GAPS = ("keep", "close")  # choices for silences, the default first


def close_gaps(times: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the word times without silence between words: a word ends where the next one starts.

    >>> close_gaps([(0.5, 1.0), (2.0, 2.25), (2.25, 3.0)])
    [(0.5, 1.5), (1.5, 2.25), (2.25, 3.0)]

    Args:
        times: The start and the end of each word, in order and without overlaps.
    """
    if not times:
        return []
    inner = [end if end == start else 0.5 * end + 0.5 * start for (_, end), (start, _) in pairwise(times)]
    return list(pairwise([times[0][0], *inner, times[-1][1]]))


def count_gaps(times: Sequence[tuple[float, float]]) -> int:
    """Return how many words have silence between them and the next one.

    >>> count_gaps([(0.5, 1.0), (2.0, 2.25), (2.25, 3.0)])
    1
    """
    return sum(end < start for (_, end), (start, _) in pairwise(times))


def without_gaps(tree: SegmentTree) -> SegmentTree:
    """Return the tree with its word times closed by `close_gaps`; itself if nothing is between its words.

    >>> print(without_gaps(SegmentTree.from_brackets("(NP (DT the<0,0.5>) (NN dog<1,2>))")))
    (NP (DT the<0.0,0.75>) (NN dog<0.75,2.0>))
    """
    if not tree.times or not count_gaps(tree.times):
        return tree
    return tree.with_times(close_gaps(tree.times)).with_unit(tree.unit)

# cython: infer_types=True
"""Which nodes of two trees would be counterparts but for others that are attached elsewhere."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

_MOST_MOVED = 8  # nodes that may be attached elsewhere beside another


class Attachments:
    """Finds counterparts that differ by moved nodes, which `docs/why.md` defines.

    Args:
        flexible: Whether a node without child nodes may align with any node.
    """

    def __init__(self, flexible=False):
        self._flexible = flexible

    def may_align(self, own, other, i, j):
        """Return whether the labels of two nodes allow it."""
        return own.label[i] == other.label[j] or (self._flexible and (own.size[i] == 1 or other.size[j] == 1))

    def differ_by_moves(self, own, other, i, j):
        """Return whether two aligned nodes differ by moved nodes alone."""
        return (
            own.phrase[i]
            and other.phrase[j]
            # Both ends must differ by moved nodes alone; an end that is the same is an empty stretch.
            and self._is_moved(own, other, min(own.low[i], other.low[j]), max(own.low[i], other.low[j]))
            and self._is_moved(own, other, min(own.high[i], other.high[j]), max(own.high[i], other.high[j]))
        )

    def find_counterpart(self, own, other, i):
        """Return a phrase of the other side that would be phrase `i` but for moved nodes, or -1."""
        if not own.phrase[i]:
            return -1
        j = self._find_smaller(own, other, i)
        return j if j >= 0 else self._find_larger(own, other, i)

    def find_crossing(self, own, other, i):
        """Return a phrase of the other side that crosses phrase `i`, or -1."""
        if not own.phrase[i]:
            return -1
        # The innermost phrase around the place where `i` begins either holds `i`, or ends within it.
        j = other.inside[own.low[i]]
        if j >= 0 and other.high[j] < own.high[i]:
            return j
        # The same for the place where `i` ends.
        j = other.inside[own.high[i]]
        if j >= 0 and other.low[j] > own.low[i]:
            return j
        return -1

    def _is_moved(self, own, other, low, high):
        """Return whether a stretch is empty, or holds a few nodes that both sides have in other places."""
        place: cython.int = low
        n: cython.int = 0
        while place < high:
            n += 1
            # Cover the stretch from the left with the largest node of both sides that fits.
            best: cython.int = -1
            i: cython.int = own.first_common[place]
            while i >= 0 and own.high[i] <= high:
                best = i
                i = own.next_common[i]
            if best < 0 or n > _MOST_MOVED or not self._is_moved_node(own, other, best):
                return False
            place = own.high[best]
        return True

    def _is_moved_node(self, own, other, i):
        """Return whether the parents of a node that both sides have are no counterparts of each other."""
        up = own.parent[i]
        other_up = other.parent[own.twin[i]]
        # Roots have no parents: two roots are in the same place, a root and another node are not.
        if up < 0 or other_up < 0:
            return up >= 0 or other_up >= 0
        return own.partner[up] != other_up and own.match[up] != other_up

    def _may_be(self, own, other, i, j):
        """Return whether node `j` of the other side may align with `i`, or was confused with its label."""
        if not other.phrase[j]:
            return False
        mistaken: cython.int = other.match[j]
        return self.may_align(own, other, i, j) or (mistaken >= 0 and own.label[mistaken] == own.label[i])

    def _find_smaller(self, own, other, i):
        """Return a node of the other side that would be node `i` but for moved nodes beside it, or -1.

        It is one of the largest within the span, and the others make up the rest.
        """
        best: cython.int = -1
        n: cython.int = 0
        # The largest subtrees within the span, from the right: `before` is the last of them.
        k: cython.int = own.before[i]
        while k >= 0 and other.low[k] >= own.low[i]:
            n += 1
            # More pieces than moved nodes allow could not be such a node.
            if n > 2 * _MOST_MOVED + 1:
                return -1
            named = self._find_label(own, other, i, k)
            if (
                named >= 0
                # Of several, the longest, and of equally long ones the leftmost.
                and (best < 0 or other.high[k] - other.low[k] >= other.high[best] - other.low[best])
                and self._is_moved(own, other, own.low[i], other.low[k])
                and self._is_moved(own, other, other.high[k], own.high[i])
            ):
                best = named
            k -= other.size[k]
        return best

    def _find_label(self, own, other, i, top):
        """Return the topmost phrase with the span of `top` that is node `i` but for moved nodes, or -1."""
        k: cython.int = top
        while k >= 0 and other.low[k] == other.low[top] and other.high[k] == other.high[top]:
            if self._may_be(own, other, i, k) and not self._is_below(own, other, k):
                return k
            k -= 1
        return -1

    def _is_below(self, own, other, j):
        """Return whether node `j` and its counterpart are both below others with the same span."""
        k: cython.int = other.partner[j]
        if k < 0 or not own.is_same(other, k, j):
            k = other.match[j]
        return k >= 0 and other.is_chain(j) and own.is_chain(k)

    def _find_larger(self, own, other, i):
        """Return a node of the other side that is node `i` but for moved nodes that it has more, or -1."""
        k: cython.int = own.before[i]
        # The lowest node of the other side that reaches across the span, then its ancestors.
        if k < 0 or other.low[k] < own.low[i]:
            k = other.cover[own.low[i]]
        while k >= 0 and (
            other.low[k] > own.low[i] or other.high[k] < own.high[i] or own.is_same(other, i, k)
        ):
            k = other.above[k]
        up: cython.int = own.parent[i]
        while k >= 0:
            # A node beyond the parent's span would be a counterpart of the parent instead.
            if up >= 0 and (other.low[k] < own.low[up] or other.high[k] > own.high[up]):
                return -1
            if (
                self._may_be(own, other, i, k)
                and self._is_moved(own, other, other.low[k], own.low[i])
                and self._is_moved(own, other, own.high[i], other.high[k])
            ):
                return k
            k = other.above[k]
        return -1

"""Trees that are tried out: many of them, one after another, against one reference."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.align import Aligner
    from cython.cimports.structiou_metric._core.flat import FlatNodes
else:
    from .align import Aligner
    from .flat import FlatNodes

from .flat import doubles, ints


class Trial:
    """Aligns trees over the same leaves with a reference; two threads must not use it at once.

    A tree is three lists, of the first leaf, the end and the label class of each node, outer nodes first and
    left to right. Every node holds a leaf.

    Args:
        flexible: Whether a node without child nodes may align with any node, as in `Aligner`.
        min_iou: The IoU at or below which pairs do not align, as in `Aligner`.
    """

    def __init__(self, flexible=False, min_iou=0.0):
        self._aligner = Aligner(flexible, min_iou)
        self._prediction = FlatNodes()
        self._reference = FlatNodes()
        self._open = ints(0)
        self._opened = ints(0)
        self._room = 0
        self.begin(1, doubles(1), doubles(1))
        self.set_reference([], [], [])

    def begin(self, n_classes, low, high):
        """Set the axis of the trees to come.

        Args:
            n_classes: A number that all label classes are below.
            low: Where each leaf starts, as an array of doubles.
            high: Where each leaf ends.
        """
        self._n_classes = n_classes
        self._low = low
        self._high = high

    def set_reference(self, firsts, lasts, labels):
        """Set the tree to align with."""
        self._fill(self._reference, firsts, lasts, labels)

    def matched(self, firsts, lasts, labels):
        """Return the best sum of IoUs of a tree and the reference."""
        self._fill(self._prediction, firsts, lasts, labels)
        return self._aligner.score(self._prediction, self._reference)[0]

    def _fill(self, nodes, firsts, lasts, labels):
        """Write a tree as the only one of a batch, in postorder."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t = len(labels)
        n_open: cython.Py_ssize_t = 0
        n_done: cython.Py_ssize_t = 0
        first: cython.Py_ssize_t
        nodes.reserve(1, n)
        nodes.n_trees = 1
        nodes.n_classes = self._n_classes
        nodes.offset[0] = 0
        nodes.offset[1] = n
        nodes.extent[0] = -1.0  # all trees have the same leaves
        nodes.lengthless[0] = 0
        if n > self._room:
            self._room = n + n // 2
            self._open = ints(self._room)
            self._opened = ints(self._room)
        for i in range(n + 1):
            first = firsts[i] if i < n else -1
            while n_open > 0 and (first < 0 or lasts[self._open[n_open - 1]] <= first):
                n_open -= 1
                n_done = self._close(nodes, self._open[n_open], n_done, firsts, lasts, labels)
            if i < n:
                self._open[n_open] = i
                self._opened[i] = n_done
                n_open += 1
        return 0

    def _close(self, nodes, i, at, firsts, lasts, labels):
        """Write a node whose child nodes are written; return the place of the next one."""
        first: cython.Py_ssize_t = firsts[i]
        last: cython.Py_ssize_t = lasts[i]
        nodes.label[at] = labels[i]
        nodes.size[at] = at - self._opened[i] + 1
        nodes.start[at] = self._low[first]
        nodes.end[at] = self._high[last - 1]
        nodes.origin[at] = i
        nodes.dead[at] = False
        return at + 1

# cython: infer_types=True
"""What is noted of lost nodes: their causes and losses, and the nodes that these are about."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports them
    from .flat import FlatNodes, FlatTrees

from .flat import doubles, flags, ints

# The causes, in the order in which they are told; 0 is no loss.
NO_LOSS, ATTACHMENT, LABEL, TAG, UNARY, MISSING, EXTRA, BLOCKED, BOUNDARY, TIMING, FAILED = range(11)
_ATTACHMENT, _LABEL, _TAG, _N_CAUSES = 1, 2, 3, 11


class LossNotes:
    """Notes on the nodes of one side of a batch.

    Attributes:
        cause: The cause of each node.
        loss: The loss of each node.
        other: The node of the other side that the cause is about, or -1.
        site: The parent that this side gives to what is moved by an attachment, or -1.
        other_site: The parent that the other side gives to it.
    """

    def __init__(self):
        self.begin(FlatNodes(), FlatTrees())

    def begin(self, nodes, trees):
        """Takes the trees of a batch: what counts of them, and as they were read."""
        self._nodes = nodes
        self._trees = trees
        n: cython.Py_ssize_t = nodes.offset[nodes.n_trees]
        self.cause = flags(n)
        self.loss = doubles(n)
        self.other = ints(n)
        self.site = ints(n)
        self.other_site = ints(n)
        return 0

    def note(self, i, cause, other):
        """Writes down the cause of a node, and the node of the other side that it is about."""
        self.cause[i] = cause
        self.other[i] = other
        self.site[i] = self.other_site[i] = -1
        return 0

    def note_site(self, i, site, other_site):
        """Writes down between which parents an attachment was confused."""
        self.site[i] = site
        self.other_site[i] = other_site
        return 0

    def add_to(self, sums, skip):
        """Adds what each cause comes to; the arrays are those of `Causes.sums`."""
        out: cython.double[::1] = sums
        left_out: cython.const[cython.uchar][::1] = skip
        nodes: FlatNodes = self._nodes
        for t in range(nodes.n_trees):
            if not left_out[t]:
                for i in range(nodes.offset[t], nodes.offset[t + 1]):
                    out[t * _N_CAUSES + self.cause[i]] += self.loss[i]
        return 0

    def confused(self, t, facing):
        """The cause, both label ids and the loss of each node of pair `t` that has such a cause."""
        nodes: FlatNodes = self._nodes
        found = []
        for i in range(nodes.offset[t], nodes.offset[t + 1]):
            cause = self.cause[i]
            if cause == _LABEL or cause == _TAG:
                own, other = self._label_id(t, i), facing._label_id(t, self.other[i])
            elif cause == _ATTACHMENT:
                own = self._label_id(t, self.site[i])
                other = facing._label_id(t, self.other_site[i])
            else:
                continue
            found.append((cause, own, other, self.loss[i]))
        return found

    def _label_id(self, t, i):
        if i < 0:
            return -1
        return self._trees.label[self._trees.node_offset[t] + self._nodes.origin[i]]

    def lost(self, facing):
        """The tuple `(node, cause, loss, other)` of each lost node of the first pair; see `Causes.losses`."""
        nodes: FlatNodes = self._nodes
        others: FlatNodes = facing._nodes
        found = []
        for i in range(nodes.offset[0], nodes.offset[1]):
            if self.loss[i] > 0.0:
                other = -1 if self.other[i] < 0 else others.origin[self.other[i]]
                found.append((nodes.origin[i], self.cause[i], self.loss[i], other))
        return found

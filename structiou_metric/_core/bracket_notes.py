"""The result of each bracket and tag in ParsEval, for sums by label and for confusions."""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.flat import FlatTrees
else:
    from .flat import FlatTrees

from .flat import ints


class BracketNotes:
    """The result of each bracket and each tag of a batch, by label ids, in a run for each pair.

    Attributes:
        pred_ends, ref_ends, label_ends, tag_ends: The end of the run of each pair.
        pred_labels, ref_labels: The label of each bracket.
        pred_flags: 1 if it has a partner, and 2 more if it crosses a bracket of the reference.
        ref_flags: 1 if it has a partner.
        label_ref, label_pred: The labels of two brackets over one span without partners, the outermost first.
        tag_ref, tag_pred: The tags of a word, if they are not the same.
    """

    def __init__(self):
        self._n_pred = self._n_ref = self._n_labels = self._n_tags = 0

    def reserve(self, predictions, references):
        """Reserve space for the brackets and words of a batch, in place of the last one."""
        p: FlatTrees = predictions
        r: FlatTrees = references
        n: cython.Py_ssize_t = p.n_trees
        nodes_pred: cython.Py_ssize_t = p.node_offset[n]
        nodes_ref: cython.Py_ssize_t = r.node_offset[n]
        words: cython.Py_ssize_t = p.word_offset[n] + r.word_offset[n]
        self._n_pred = self._n_ref = self._n_labels = self._n_tags = 0
        self.pred_ends, self.ref_ends, self.label_ends, self.tag_ends = ints(n), ints(n), ints(n), ints(n)
        self.pred_labels, self.pred_flags = ints(nodes_pred), ints(nodes_pred)
        self.ref_labels, self.ref_flags = ints(nodes_ref), ints(nodes_ref)
        self.label_ref, self.label_pred = ints(nodes_ref), ints(nodes_ref)
        self.tag_ref, self.tag_pred = ints(words), ints(words)
        return 0

    def finish(self, t):
        """End the runs of pair `t`."""
        self.pred_ends[t] = self._n_pred
        self.ref_ends[t] = self._n_ref
        self.label_ends[t] = self._n_labels
        self.tag_ends[t] = self._n_tags
        return 0

    def note_tags(self, ref, pred):
        """Add the two tags of a word, which are not the same."""
        self.tag_ref[self._n_tags] = ref
        self.tag_pred[self._n_tags] = pred
        self._n_tags += 1
        return 0

    def note_unparsed(self, source, t, ref):
        """Add the brackets of a reference without a prediction."""
        i: cython.Py_ssize_t
        for i in range(ref.n_brackets):
            self.ref_labels[self._n_ref] = source.label[source.node_offset[t] + ref.node[i]]
            self.ref_flags[self._n_ref] = 0
            self._n_ref += 1
        return 0

    def note_brackets(self, p, r, t, pred, ref):
        """Add all brackets of a pair, and pair those over one span that have no partners."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        base: cython.Py_ssize_t = p.node_offset[t]
        for j in range(pred.n_brackets):
            self.pred_labels[self._n_pred] = p.label[base + pred.node[j]]
            self.pred_flags[self._n_pred] = (pred.partner[j] >= 0) + 2 * pred.crosses[j]
            self._n_pred += 1
        base = r.node_offset[t]
        for i in range(ref.n_brackets):
            self.ref_labels[self._n_ref] = r.label[base + ref.node[i]]
            self.ref_flags[self._n_ref] = ref.partner[i] >= 0
            self._n_ref += 1
        i = ref.n_brackets - 1
        j = pred.n_brackets - 1
        while i >= 0 and j >= 0:  # from the last one, so that of equal spans the outermost comes first
            if ref.partner[i] >= 0:
                i -= 1
            elif pred.partner[j] >= 0:
                j -= 1
            elif ref.end[i] > pred.end[j] or (ref.end[i] == pred.end[j] and ref.start[i] < pred.start[j]):
                i -= 1
            elif ref.end[i] < pred.end[j] or ref.start[i] > pred.start[j]:
                j -= 1
            else:
                self.label_ref[self._n_labels] = r.label[r.node_offset[t] + ref.node[i]]
                self.label_pred[self._n_labels] = p.label[p.node_offset[t] + pred.node[j]]
                self._n_labels += 1
                i -= 1
                j -= 1
        return 0

    def brackets(self, t: cython.Py_ssize_t):
        """Return the labels and flags of the brackets of pair `t`: first those of the prediction."""
        lo: cython.Py_ssize_t = self.pred_ends[t - 1] if t > 0 else 0
        hi: cython.Py_ssize_t = self.pred_ends[t]
        found = [array("i", self.pred_labels[lo:hi]), array("i", self.pred_flags[lo:hi])]
        lo = self.ref_ends[t - 1] if t > 0 else 0
        hi = self.ref_ends[t]
        return (*found, array("i", self.ref_labels[lo:hi]), array("i", self.ref_flags[lo:hi]))

    def confusions(self, t: cython.Py_ssize_t):
        """Return the labels and tags of pair `t` that differ: first those of the reference."""
        lo: cython.Py_ssize_t = self.label_ends[t - 1] if t > 0 else 0
        hi: cython.Py_ssize_t = self.label_ends[t]
        found = [array("i", self.label_ref[lo:hi]), array("i", self.label_pred[lo:hi])]
        lo = self.tag_ends[t - 1] if t > 0 else 0
        hi = self.tag_ends[t]
        return (*found, array("i", self.tag_ref[lo:hi]), array("i", self.tag_pred[lo:hi]))

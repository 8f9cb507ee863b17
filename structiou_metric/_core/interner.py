# cython: infer_types=True
"""Numbers for labels: a hash table from bytes to ids, which look-ups use without the GIL."""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

from .flat import flags, longs

_MASK = 0xFFFFFFFFFFFFFFFF  # C wraps by itself, Python does not
_MULTIPLIER = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio, as in Fibonacci hashing


class Interner:
    """Gives each label a number, from 0 in order of appearance.

    Attributes:
        names: The labels by id.
        text: The bytes that `find` looks at.
    """

    def __init__(self):
        self.names = []
        self.text = b" "
        self._n_slots = 1024
        self._slots = array("i", [-1]) * self._n_slots
        self._arena = flags(1024)
        self._keys = array("Q", [0]) * 64
        self._label_from = longs(64)
        self._label_to = longs(64)

    def intern(self, label):
        """Id of a label given as text."""
        data = label.encode("utf-8", "surrogatepass")
        length: cython.Py_ssize_t = len(data)
        key: cython.ulonglong = 0
        self.text = data or b" "
        for i in range(length):
            key = (((key << 8) & _MASK) | (key >> 56)) ^ self.text[i]
        return self.find(0, length, key)

    def find(self, lo, hi, key):
        """Id of the label in a byte range of `text`, by its key.

        The key is the label's bytes, those beyond eight folded into it, so key and length tell labels
        of up to eight bytes apart. Open addressing with linear steps.
        """
        length: cython.Py_ssize_t = hi - lo
        mask: cython.Py_ssize_t = self._n_slots - 1
        slot: cython.Py_ssize_t = self._home(key)
        label: cython.int = self._slots[slot]
        while label >= 0:
            if (
                self._keys[label] == key
                and self._label_to[label] - self._label_from[label] == length
                and (length <= 8 or self._is_label(label, lo, length))
            ):
                return label
            slot = (slot + 1) & mask
            label = self._slots[slot]
        with cython.gil:
            return self._add(lo, hi, key, slot)

    def _home(self, key):
        """The slot where the search for a key begins."""
        return (((key * _MULTIPLIER) & _MASK) >> 40) & (self._n_slots - 1)

    def _is_label(self, label, lo, length):
        at: cython.Py_ssize_t = self._label_from[label]
        for i in range(length):
            if self._arena[at + i] != self.text[lo + i]:
                return False
        return True

    def _add(self, lo, hi, key, slot):
        data: bytes = bytes(self.text[lo:hi])
        label: cython.int = len(self.names)
        used: cython.Py_ssize_t = self._label_to[label - 1] if label else 0
        self.names.append(data.decode("utf-8", "surrogatepass"))
        if used + len(data) > len(self._arena):
            self._arena = array("B", bytes(self._arena)) + flags(used + len(data))
        for i, byte in enumerate(data):
            self._arena[used + i] = byte
        if label >= len(self._label_from):
            self._label_from = array("q", self._label_from) + longs(label)
            self._label_to = array("q", self._label_to) + longs(label)
            self._keys = array("Q", self._keys) + array("Q", [0]) * label
        self._label_from[label] = used
        self._label_to[label] = used + len(data)
        self._keys[label] = key
        self._slots[slot] = label
        if 8 * (label + 1) > self._n_slots:  # sparse, so that the first look nearly always finds
            self._grow_slots()
        return label

    def _grow_slots(self):
        self._n_slots *= 4
        self._slots = array("i", [-1]) * self._n_slots
        for label in range(len(self.names)):
            slot = self._home(self._keys[label])
            while self._slots[slot] >= 0:
                slot = (slot + 1) & (self._n_slots - 1)
            self._slots[slot] = label
        return 0

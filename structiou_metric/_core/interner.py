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
MULTIPLIER = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio, as in Fibonacci hashing
_SPACE = 32


class Interner:
    """Gives each label a number, from 0 in order of appearance.

    Every label has a key. That of one to eight bytes without a space is these bytes, the first one lowest,
    each with the bits of a space flipped: none of them is 0, so no other label has that key. The key of any
    other label has 0 as its lowest byte.

    Attributes:
        names: The labels by id.
        text: The bytes that `find` looks at.
        n_slots: The number of slots, a power of two. The search for a key begins in slot `key * MULTIPLIER >>
            40`.
        slots: The id of the label in each slot, -1 for none.
        keys: The key of the label in each slot, 0 for none.
    """

    def __init__(self):
        self.names = []
        self.text = b" "
        self.n_slots = 1024
        self.slots = array("i", [-1]) * self.n_slots
        self.keys = array("Q", [0]) * self.n_slots
        self._arena = flags(1024)
        self._ends = longs(64)

    def intern(self, label):
        """Return the id of a label given as text."""
        data = label.encode("utf-8", "surrogatepass")
        self.text = data or b" "
        return self.find(0, len(data))

    def find(self, lo, hi):
        """Return the id of the label in a byte range of `text`, by open addressing with linear steps."""
        key: cython.ulonglong = self._key(lo, hi)
        mask: cython.Py_ssize_t = self.n_slots - 1
        slot: cython.Py_ssize_t = self._home(key)
        label: cython.int = self.slots[slot]
        while label >= 0:
            if self.keys[slot] == key and (key & 255 != 0 or self._is_label(label, lo, hi)):
                return label
            slot = (slot + 1) & mask
            label = self.slots[slot]
        with cython.gil:
            return self._add(lo, hi, key, slot)

    def _key(self, lo, hi):
        key: cython.ulonglong = 0
        byte: cython.ulonglong
        at: cython.Py_ssize_t
        if hi - lo <= 8:
            for at in range(hi - 1, lo - 1, -1):
                byte = self.text[at]
                if byte == _SPACE:
                    break
                key = ((key << 8) & _MASK) | (byte ^ _SPACE)
            else:
                return key
            key = 0
        for at in range(lo, hi):
            byte = self.text[at]
            key = ((key ^ byte) * MULTIPLIER) & _MASK
            key ^= key >> 32
        return (key << 8) & _MASK

    def _home(self, key):
        """Return the slot where the search for a key begins."""
        return ((key * MULTIPLIER) >> 40) & (self.n_slots - 1)

    def _is_label(self, label, lo, hi):
        at: cython.Py_ssize_t = self._ends[label - 1] if label > 0 else 0
        if self._ends[label] - at != hi - lo:
            return False
        while lo < hi:
            if self._arena[at] != self.text[lo]:
                return False
            at += 1
            lo += 1
        return True

    def _add(self, lo, hi, key, slot):
        data: bytes = bytes(self.text[lo:hi])
        label: cython.int = len(self.names)
        used: cython.Py_ssize_t = self._ends[label - 1] if label else 0
        self.names.append(data.decode("utf-8", "surrogatepass"))
        if used + len(data) > len(self._arena):
            self._arena = array("B", bytes(self._arena)) + flags(used + len(data))
        for i, byte in enumerate(data):
            self._arena[used + i] = byte
        if label >= len(self._ends):
            self._ends = array("q", self._ends) + longs(label)
        self._ends[label] = used + len(data)
        self.slots[slot] = label
        self.keys[slot] = key
        if 8 * (label + 1) > self.n_slots:  # sparse, so that the first look nearly always finds
            self._grow_slots()
        return label

    def _grow_slots(self):
        old_slots, old_keys = self.slots, self.keys
        self.n_slots *= 4
        self.slots = array("i", [-1]) * self.n_slots
        self.keys = array("Q", [0]) * self.n_slots
        for label, key in zip(old_slots, old_keys, strict=True):
            if label >= 0:
                slot = self._home(key)
                while self.slots[slot] >= 0:
                    slot = (slot + 1) & (self.n_slots - 1)
                self.slots[slot] = label
                self.keys[slot] = key
        return 0

"""Numbers for words: the same number for the same bytes, so that words are compared as numbers."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.flat import FlatTrees
    from cython.cimports.structiou_metric._core.interner import Interner
else:
    from .flat import FlatTrees
    from .interner import Interner

from .flat import ints

_MASK = 0xFFFFFFFFFFFFFFFF  # C wraps by itself, Python does not


class WordIds:
    """Gives each word a number, from 0 in order of appearance."""

    def __init__(self):
        self._interner = Interner()

    @property
    def names(self):
        """The words by their numbers, of which there may be more with each batch."""
        return self._interner.names

    def number(self, trees, places):
        """The numbers of some words of a batch, as an array.

        Args:
            trees: A `FlatTrees`.
            places: Where each word stands among all words of the batch (64-bit integers).
        """
        source: FlatTrees = trees
        n: cython.Py_ssize_t = len(places)
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        lo: cython.Py_ssize_t
        hi: cython.Py_ssize_t
        key: cython.ulonglong
        numbers = ints(n)
        out: cython.int[::1] = numbers
        place: cython.longlong[::1] = places
        interner: Interner = self._interner
        source.write_text()
        interner.text = source.text
        with cython.nogil:
            for k in range(n):
                lo = source.text_from[place[k]]
                hi = source.text_to[place[k]]
                key = 0
                for i in range(lo, hi):
                    key = (((key << 8) & _MASK) | (key >> 56)) ^ interner.text[i]
                out[k] = interner.find(lo, hi, key)
        interner.text = b" "  # so that the batch can be forgotten
        return numbers

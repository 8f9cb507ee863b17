"""Numbers for words: equal texts get equal numbers, in all batches that one object is given."""

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

from .flat import NOTHING, ints, longs


class WordIds:
    """Numbers words from 0 in order of appearance; two threads must not use it at once.

    Attributes:
        names: The words by number.
    """

    def __init__(self):
        self._interner = Interner()
        self.names = self._interner.names

    def number(self, trees, places=None):
        """Return the number of each word, as an array of C ints.

        Args:
            trees: The `FlatTrees` with the words.
            places: The places of the words among all words of the batch (64-bit integers); by default all.
        """
        source: FlatTrees = trees
        source.write_text()
        chosen: cython.bint = places is not None
        n: cython.Py_ssize_t = len(places) if chosen else source.word_offset[source.n_trees]
        place: cython.const[cython.longlong][::1] = places if chosen and n else longs(0)
        numbers = ints(n)
        view: cython.int[::1] = numbers
        i: cython.Py_ssize_t
        word: cython.Py_ssize_t
        interner: Interner = self._interner
        interner.text = source.text
        with cython.nogil:
            for i in range(n):
                word = place[i] if chosen else i
                view[i] = interner.find(source.text_from[word], source.text_to[word])
        interner.text = NOTHING
        return numbers

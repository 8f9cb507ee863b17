"""Texts of many rows: what they are, and all of them in one buffer of UTF-8, copied without the GIL.

A thread that copies texts under the GIL keeps all others from working, so only where each text stands is
asked under it. Texts of ASCII are copied from where they are; others are encoded first.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
    from cython.cimports.libc.string import memcpy


class Texts:
    """The texts of a batch of rows in one buffer, which is kept for the next batch.

    Attributes:
        buffer: The bytes of all texts, never empty; there may be more behind them.
        starts: The first byte of each text, as 64-bit integers.
        stops: The byte behind the last one of each text.
    """

    def __init__(self):
        self.buffer = bytearray(1)
        self._room = -1
        self._reserve(0)
        self.take(())

    def _reserve(self, n):
        if n > self._room:
            self._offsets = memoryview(array("q", [0]) * (n + 1))
            self._offset = self._offsets
            self._place = array("q", [0]) * (n + 1)
            self._room = n
        return 0

    def take(self, rows):
        """Forgets the batch before for this one; a TypeError if a row is no text.

        The texts stay where they are, and are in the buffer only after `copy`; nobody may take one out of
        `rows` until then.
        """
        if type(rows) is not tuple and (type(rows) is not list or not has_gil):
            rows = tuple(rows)  # the texts of a tuple can be looked at where they are
        n: cython.Py_ssize_t = len(rows)
        i: cython.Py_ssize_t
        size: cython.Py_ssize_t = 0
        encoded = []
        self._n_waiting = 0
        self._reserve(n)
        offset: cython.longlong[::1] = self._offset
        place: cython.longlong[::1] = self._place
        for i in range(n):
            offset[i] = size
            place[i] = ascii_place(rows, i)
            if place[i]:
                size += text_size(rows, i)
                continue
            text = rows[i]
            if not isinstance(text, str):
                raise TypeError(f"not a text but {type(text).__name__}")
            data = str.encode(text, "utf-8", "surrogatepass")
            encoded.append(data)
            if cython.compiled:
                place[i] = cython.cast(cython.size_t, PyBytes_AS_STRING(data))
            size += len(data)
        offset[n] = size
        if size > len(self.buffer):
            self.buffer = bytearray(size + size // 8)  # batches differ little
        if cython.compiled:
            self._to = PyByteArray_AS_STRING(self.buffer)
        self.starts = self._offsets[:n]
        self.stops = self._offsets[1 : n + 1]
        self._held = rows
        self._encoded = encoded
        self._n_waiting = n

    def copy(self):
        """Copies what was taken into the buffer, if that is still to be done."""
        with cython.nogil:
            self.copy_bytes()
        self.let_go()

    def copy_bytes(self):
        """The part of `copy` that needs no GIL; `let_go` is the other one."""
        i: cython.Py_ssize_t
        for i in range(self._n_waiting):
            if cython.compiled:
                memcpy(
                    self._to + self._offset[i],
                    cython.cast(cython.p_char, cython.cast(cython.size_t, self._place[i])),
                    self._offset[i + 1] - self._offset[i],
                )
            else:
                self.buffer[self._offset[i] : self._offset[i + 1]] = self._encoded[i]
        self._n_waiting = 0
        return 0

    def let_go(self):
        """Holds the texts no longer."""
        self._held = self._encoded = None
        return 0


def join_rows(rows):
    """The bytes of all texts, never empty, and where each starts and stops; a TypeError if one is no text."""
    texts = Texts()
    texts.take(tuple(rows))
    texts.copy()
    size = texts.stops[-1] if texts.stops else 0
    return bytes(texts.buffer[:size]) or b" ", texts.starts, texts.stops


if not cython.compiled:  # else the `.pxd` has them in C
    has_gil = True

    # These tell of the text at a place of a list or a tuple.

    def ascii_place(rows, i):
        """Where its bytes stand in memory, if it is of ASCII; else 0."""
        return 0

    def text_size(rows, i):
        """Its length; -1 where that is not known."""
        return -1

    def opens_bracket(rows, i):
        """Whether it begins with a bracket; False where its length is not known."""
        return False


def look_over(rows, lo: cython.Py_ssize_t, hi: cython.Py_ssize_t):
    """Whether rows `lo … hi` are all texts that begin with a bracket, and the length of the longest.

    Rows without a length have length 0. Texts are only looked at: counting references to them, in a thread
    that does not read them, would have the thread that does wait for what was written.
    """
    all_open: cython.bint = True
    longest: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t
    i: cython.Py_ssize_t
    for i in range(lo, min(hi, len(rows))):
        size = text_size(rows, i)
        if size >= 0:
            all_open = all_open and opens_bracket(rows, i)
        else:
            row = rows[i]
            all_open = all_open and type(row) is str and row.startswith("(")
            try:
                size = len(row)
            except TypeError:
                size = 0
        if size > longest:
            longest = size
    return all_open, longest


def longest_range(starts, stops, lo: cython.Py_ssize_t, hi: cython.Py_ssize_t):
    """The greatest of the differences `stops[i] - starts[i]` of rows `lo … hi`; 64-bit integers."""
    longest: cython.longlong = 0
    i: cython.Py_ssize_t
    hi = min(hi, len(starts))
    if lo < hi:  # no buffer may be empty
        start: cython.const[cython.longlong][::1] = starts
        stop: cython.const[cython.longlong][::1] = stops
        for i in range(lo, hi):
            if stop[i] - start[i] > longest:
                longest = stop[i] - start[i]
    return longest

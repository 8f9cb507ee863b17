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
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.libc.string import memcpy

from .flat import NOTHING, longs


def join_rows(rows):
    """One buffer with all texts, and where each starts and stops in it; a TypeError if one is no text."""
    held = tuple(rows)  # nobody can take a text away meanwhile
    n: cython.Py_ssize_t = len(held)
    i: cython.Py_ssize_t
    size: cython.Py_ssize_t = 0
    if n == 0:
        return NOTHING, array("q"), array("q")
    starts, stops, places = longs(n), longs(n), longs(n)
    start: cython.longlong[::1] = starts
    stop: cython.longlong[::1] = stops
    place: cython.longlong[::1] = places  # of the bytes, in memory
    encoded = []
    for i in range(n):
        text = held[i]
        if not isinstance(text, str):
            raise TypeError(f"not a text but {type(text).__name__}")
        start[i] = size
        place[i] = ascii_place(text)
        if place[i]:
            size += len(text)
        else:
            data = text.encode("utf-8", "surrogatepass")
            encoded.append(data)
            if cython.compiled:
                place[i] = cython.cast(cython.size_t, PyBytes_AS_STRING(data))
            size += len(data)
        stop[i] = size
    if size == 0:
        return NOTHING, starts, stops
    if not cython.compiled:
        return b"".join(encoded), starts, stops
    buffer = PyBytes_FromStringAndSize(cython.NULL, size)
    to: cython.p_char = PyBytes_AS_STRING(buffer)
    with cython.nogil:
        for i in range(n):
            memcpy(
                to + start[i],
                cython.cast(cython.p_char, cython.cast(cython.size_t, place[i])),
                stop[i] - start[i],
            )
    return buffer, starts, stops


if not cython.compiled:  # else the `.pxd` has it in C

    def ascii_place(text):
        """Where the bytes of a text of ASCII stand in memory; 0 where that is not known."""
        return 0


def longest_text(rows):
    """The length of the longest row; a TypeError if one has none."""
    longest: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t
    for row in rows:
        size = len(row)
        if size > longest:
            longest = size
    return longest


def are_brackets(rows):
    """Whether all rows are texts that begin with a bracket."""
    for row in rows:
        if type(row) is not str or not cython.cast(str, row).startswith("("):
            return False
    return True

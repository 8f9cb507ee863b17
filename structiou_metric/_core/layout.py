# cython: infer_types=True
"""Where the lines and the trees of a text begin and end, found without reading the trees."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports it
    from .scan import eight_bytes

from .flat import NOTHING, longs


def lines(buffer):
    """Return the lines of a buffer.

    Returns:
        Where each line starts and stops, without the newline, as two arrays; and how many of them begin with
        anything but a '('.
    """
    view: cython.const[cython.uchar][::1] = buffer or NOTHING
    size: cython.Py_ssize_t = len(buffer)
    pos: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    n_others: cython.Py_ssize_t = 0
    while pos < size:
        pos = _line_end(view, pos, size) + 1
        n += 1
    starts, stops = longs(n), longs(n)
    starts_view: cython.longlong[::1] = starts
    stops_view: cython.longlong[::1] = stops
    pos = 0
    for line in range(n):
        starts_view[line] = pos
        if view[pos] != 40:
            n_others += 1
        pos = _line_end(view, pos, size)
        stops_view[line] = pos
        pos += 1
    return starts[:n], stops[:n], n_others


def split(buffer, starts, stops):
    """Find the top-level brackets of a buffer.

    Writes the byte range of each into `starts` and `stops`, as far as they reach. Text and brackets
    outside any tree get ranges of their own, up to the end of their line, so that reading them reports the
    error.

    Returns:
        The number of ranges, written or not, how many of them begin with anything but a '(',
        whether one of them goes over a line end, and whether two of them share a line.
    """
    view: cython.const[cython.uchar][::1] = buffer
    starts_view: cython.longlong[::1] = starts
    stops_view: cython.longlong[::1] = stops
    pos: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t  # of the line
    size: cython.Py_ssize_t = len(buffer)
    room: cython.Py_ssize_t = len(starts)
    start: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    n_others: cython.Py_ssize_t = 0
    depth: cython.Py_ssize_t = 0
    goes_over: cython.bint = False
    shares: cython.bint = False
    ended: cython.bint  # whether a range has ended on the line
    opens: cython.ulonglong = 0x2828282828282828
    evens: cython.ulonglong = 0xFEFEFEFEFEFEFEFE  # ')' is '(' with the lowest bit set
    eight: cython.ulonglong
    brackets: cython.ulonglong
    closing: cython.ulonglong
    byte: cython.int
    with cython.nogil:
        while pos < size:
            end = _line_end(view, pos, size)
            ended = False
            while pos < end:
                if depth > 0 and pos + 8 <= end:  # eight bytes at once, if no tree ends there
                    eight = eight_bytes(view, pos)
                    brackets = _equal(eight & evens, opens)
                    closing = brackets & (eight << 7)
                    if _count(closing) < depth:
                        depth += _count(brackets) - 2 * _count(closing)
                        pos += 8
                        continue
                byte = view[pos]
                if byte == 40:
                    if depth == 0:
                        shares = shares or ended
                        start = pos
                    depth += 1
                elif byte == 41 and depth > 0:
                    depth -= 1
                    if depth == 0:
                        if count < room:
                            starts_view[count] = start
                            stops_view[count] = pos + 1
                        count += 1
                        ended = True
                elif depth == 0 and not (byte == 32 or 9 <= byte <= 13):
                    if count < room:
                        starts_view[count] = pos
                        stops_view[count] = end
                    count += 1
                    n_others += 1
                    break
                pos += 1
            if depth > 0 and end < size:
                goes_over = True
            pos = end + 1
        if depth > 0:
            if count < room:
                starts_view[count] = start
                stops_view[count] = size
            count += 1
    return count, n_others, bool(goes_over), bool(shares)


def _equal(eight, others):
    """Return the top bits of those of eight bytes that are equal to those of others."""
    lows: cython.ulonglong = 0x7F7F7F7F7F7F7F7F
    tops: cython.ulonglong = 0x8080808080808080
    differences: cython.ulonglong = eight ^ others
    return ~(((differences & lows) + lows) | differences) & tops


def _count(marks):
    """Return how many bytes have a mark."""
    ones: cython.ulonglong = 0x0101010101010101
    return (((marks >> 7) * ones) >> 56) & 255


if not cython.compiled:  # else the `.pxd` has it in C

    def _line_end(text, at, size):
        """Return the place of the next newline from `at` on, or the size of the text."""
        end = text.find(b"\n", at)
        return end if end >= 0 else size

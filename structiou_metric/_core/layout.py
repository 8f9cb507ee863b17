# cython: infer_types=True
"""Find where the lines and the trees of a text begin and end, without reading the trees."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports it
    from .scan import eight_bytes

from .flat import NOTHING, longs

# At which lines `split` begins a new tree though the one before is not closed: at none; at those that begin
# with a '(' after a blank line or a comment; at all that begin with a '('.
NEVER, AFTER_GAP, UNINDENTED = 0, 1, 2


def lines(buffer):
    """Find the lines of a buffer.

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


def split(buffer, starts, stops, resume):
    """Find the top-level brackets of a buffer.

    The byte range of each is written into `starts` and `stops`, as far as these are long enough. Text and
    brackets outside any tree get ranges of their own, up to the end of their line, so that reading them
    reports the error.

    Args:
        buffer: The text in UTF-8.
        starts: An array for the first byte of each range.
        stops: An array for the byte after the last one of each range.
        resume: At which lines a new tree begins though brackets are open: `NEVER`, `AFTER_GAP` or
            `UNINDENTED`. The tree before then ends with the last line that is neither blank nor a comment.

    Returns:
        The number of ranges, also those that do not fit into the arrays; how many of them begin with anything
        but a '('; whether one of them goes over a line end; on how many lines a second one begins; how many
        trees ended while brackets were open; how many brackets these miss; and how many closing brackets have
        no opening one.
    """
    view: cython.const[cython.uchar][::1] = buffer
    starts_view: cython.longlong[::1] = starts
    stops_view: cython.longlong[::1] = stops
    resumes: cython.bint = resume != NEVER
    needs_gap: cython.bint = resume == AFTER_GAP
    pos: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t  # of the line
    filled: cython.Py_ssize_t = 0  # where the last line ended that is neither blank nor a comment
    size: cython.Py_ssize_t = len(buffer)
    room: cython.Py_ssize_t = len(starts)
    start: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    n_others: cython.Py_ssize_t = 0
    n_crowded: cython.Py_ssize_t = 0
    n_open: cython.Py_ssize_t = 0
    n_missing: cython.Py_ssize_t = 0
    n_extra: cython.Py_ssize_t = 0
    depth: cython.Py_ssize_t = 0
    is_gap: cython.bint
    after_gap: cython.bint = False
    goes_over: cython.bint = False
    ended: cython.bint  # whether a range has ended on the line
    is_crowded: cython.bint
    opens: cython.ulonglong = 0x2828282828282828
    evens: cython.ulonglong = 0xFEFEFEFEFEFEFEFE  # ')' is '(' with the lowest bit set
    eight: cython.ulonglong
    brackets: cython.ulonglong
    closing: cython.ulonglong
    byte: cython.int
    with cython.nogil:
        while pos < size:
            end = _line_end(view, pos, size)
            if resumes and depth > 0:
                is_gap = _is_gap(view, pos, end)
                if view[pos] == 40 and (after_gap or not needs_gap):
                    if count < room:
                        starts_view[count] = start
                        stops_view[count] = filled
                    count += 1
                    n_open += 1
                    n_missing += depth
                    depth = 0
                if not is_gap:
                    filled = end
                after_gap = is_gap
            else:
                filled = end
                after_gap = False
            ended = is_crowded = False
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
                        is_crowded = is_crowded or ended
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
                    while pos < end and byte == 41:
                        n_extra += 1
                        pos += 1
                        byte = view[pos] if pos < end else 0
                    break
                pos += 1
            if is_crowded:
                n_crowded += 1
            if depth > 0 and end < size:
                goes_over = True
            pos = end + 1
        if depth > 0:
            if count < room:
                starts_view[count] = start
                stops_view[count] = size
            count += 1
            n_open += 1
            n_missing += depth
    return count, n_others, bool(goes_over), n_crowded, n_open, n_missing, n_extra


def _is_gap(text, pos, end):
    """Return whether a line is blank or, as in `files.COMMENTS`, a comment."""
    byte: cython.int
    while pos < end:
        byte = text[pos]
        if not (byte == 32 or 9 <= byte <= 13):
            if byte == 35:  # '#'
                return True
            if byte == 37:  # '%%'
                return pos + 1 < end and text[pos + 1] == 37
            return byte == 42 and pos + 2 < end and text[pos + 1] == 120 and text[pos + 2] == 42  # '*x*'
        pos += 1
    return True


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

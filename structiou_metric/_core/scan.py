# cython: infer_types=True
"""The bracket reader: UTF-8 bytes to flat node arrays, many trees a call, the GIL released.

One pass over the bytes with an explicit stack. Nothing is built for a label seen before: one
look-up in a hash table gives its id. Errors are codes with a byte position; `brackets.py` words them.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports them
    from .flat import FlatTrees
    from .interner import Interner

from .flat import NOTHING, ints, longs

UNITS = {"word": 0, "char": 1, "time": 2}
_WORD, _CHAR, _TIME = 0, 1, 2

# What can be wrong with a tree; an error code is an index here.
ERRORS = (
    "",
    "unclosed",
    "extra close",
    "text outside",
    "second tree",
    "no time",
    "not finite",
    "reversed",
    "overlap",
)
_UNCLOSED, _EXTRA_CLOSE, _TEXT_OUTSIDE, _SECOND_TREE = 1, 2, 3, 4
_NO_TIME, _NOT_FINITE, _REVERSED, _OVERLAP = 5, 6, 7, 8

# Kinds of bytes.
_OTHER, _SPACE, _OPEN, _CLOSE = 0, 1, 2, 3

_KINDS = array("B", [_OTHER]) * 256
for _byte in (9, 10, 11, 12, 13, 32):
    _KINDS[_byte] = _SPACE
_KINDS[ord("(")] = _OPEN
_KINDS[ord(")")] = _CLOSE

_POWERS_OF_TEN = array("d", [10.0**n for n in range(23)])  # those that a double holds exactly

_MASK = 0xFFFFFFFFFFFFFFFF  # C wraps by itself, Python does not


def split(buffer, starts, stops):
    """Finds the top-level brackets of a buffer.

    Writes the byte range of each into `starts` and `stops`, as far as there is room. Text and brackets
    outside any tree get ranges of their own, up to the end of their line, so that reading them reports the
    error.

    Returns:
        How many ranges there are, also those without room, whether one of them goes over a line end, and
        whether two of them share a line.
    """
    view: cython.const[cython.uchar][::1] = buffer
    starts_view: cython.longlong[::1] = starts
    stops_view: cython.longlong[::1] = stops
    kinds: cython.const[cython.uchar][::1] = _KINDS
    pos: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = len(buffer)
    room: cython.Py_ssize_t = len(starts)
    start: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    depth: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t = 0
    last_line: cython.Py_ssize_t = -1  # the line on which the last range ended
    goes_over: cython.bint = False
    shares: cython.bint = False
    with cython.nogil:
        while pos < size:
            kind = kinds[view[pos]]
            if view[pos] == 10:
                line += 1
                if depth > 0:
                    goes_over = True
            elif kind == _OPEN:
                if depth == 0:
                    shares = shares or last_line == line
                    start = pos
                depth += 1
            elif kind == _CLOSE and depth > 0:
                depth -= 1
                if depth == 0:
                    if count < room:
                        starts_view[count] = start
                        stops_view[count] = pos + 1
                    count += 1
                    last_line = line
            elif kind != _SPACE and depth == 0:
                start = pos
                while pos < size and view[pos] != 10:
                    pos += 1
                if count < room:
                    starts_view[count] = start
                    stops_view[count] = pos
                count += 1
                last_line = line
                continue
            pos += 1
        if depth > 0:
            if count < room:
                starts_view[count] = start
                stops_view[count] = size
            count += 1
    return count, bool(goes_over), bool(shares)


class Scanner:
    """Reads bracket text and numbers its labels; ids stay valid for the scanner's life.

    Attributes:
        several: Whether a row may have several trees, which are then read as a run.
    """

    def __init__(self):
        self.several = False
        self._interner = Interner()
        self.labels = self._interner.names
        self._text = self._widths = NOTHING
        self._kinds = _KINDS
        self._powers = _POWERS_OF_TEN
        self._stack_room = 0
        self._open_at = longs(0)
        self._open_label = ints(0)
        self._open_word = ints(0)
        self._open_node = ints(0)

    def scan(self, buffer, starts, stops, unit, widths, trees):
        """Reads the tree in each byte range `starts[t] … stops[t]` of `buffer` into `trees`.

        Args:
            buffer: UTF-8 (surrogates allowed), never empty.
            starts: First byte of each tree, as 64-bit integers.
            stops: One past the last byte of each tree.
            unit: A value of `UNITS`: what the words' starts and ends count.
            widths: With characters as unit, the length of each code point as bytes; else any bytes.
            trees: The `FlatTrees` that is filled anew.
        """
        n: cython.Py_ssize_t = len(starts)
        starts_view: cython.const[cython.longlong][::1] = starts
        stops_view: cython.const[cython.longlong][::1] = stops
        out: FlatTrees = trees
        unit_: cython.int = unit
        lo: cython.Py_ssize_t = starts[0] if n else 0
        hi: cython.Py_ssize_t = stops[n - 1] if n else 0
        out.reserve(n, (hi - lo) // 9 + 1, (hi - lo) // 15 + 1)  # as in usual treebanks; there may be more
        self._text = self._interner.text = out.text = buffer
        self._widths = widths
        with cython.nogil:
            for t in range(n):
                self._scan_tree(starts_view[t], stops_view[t], unit_, out, t)
        out.n_trees = n
        self._text = self._widths = self._interner.text = NOTHING

    def intern(self, label):
        """Id of a label given as text."""
        return self._interner.intern(label)

    def measure(self, words, widths):
        """Written characters of each word; `widths` as in `scan`."""
        counts = ints(len(words))
        self._widths = widths
        for i, word in enumerate(words):
            data = word.encode("utf-8", "surrogatepass")
            self._text = data or NOTHING
            counts[i] = self._written_length(0, len(data))
        return counts[: len(words)]

    def _grow_stack(self):
        """Makes room for more open brackets; keeps those there are."""
        more: cython.Py_ssize_t = self._stack_room + 64
        self._open_at = array("q", self._open_at) + longs(more)
        self._open_label = array("i", self._open_label) + ints(more)
        self._open_word = array("i", self._open_word) + ints(more)
        self._open_node = array("i", self._open_node) + ints(more)
        self._stack_room += more
        return 0

    def _scan_tree(self, lo, hi, unit, out, t):
        """Reads one tree; on an error leaves it empty with its code."""
        base: cython.Py_ssize_t = out.node_offset[t]
        word_base: cython.Py_ssize_t = out.word_offset[t]
        nodes: cython.int = 0
        words: cython.int = 0
        depth: cython.Py_ssize_t = 0
        code: cython.int = 0
        at: cython.Py_ssize_t = lo
        pos: cython.Py_ssize_t = lo
        done: cython.bint = False  # the tree's last bracket was met
        if hi - lo >= 3 and self._text[lo] == 239 and self._text[lo + 1] == 187 and self._text[lo + 2] == 191:
            pos += 3  # a byte-order mark
        while pos < hi:
            kind = self._kinds[self._text[pos]]
            if kind == _SPACE:
                pos += 1
            elif kind == _OPEN:
                if done and not self.several:
                    code, at = _SECOND_TREE, pos
                    break
                if depth == self._stack_room:
                    with cython.gil:
                        self._grow_stack()
                self._open_at[depth] = pos
                pos += 1
                while pos < hi and self._kinds[self._text[pos]] == _SPACE:
                    pos += 1
                begin = pos
                key = 0
                while pos < hi and self._kinds[self._text[pos]] == _OTHER:
                    key = (((key << 8) & _MASK) | (key >> 56)) ^ self._text[pos]
                    pos += 1
                self._open_label[depth] = self._interner.find(begin, pos, key)
                self._open_word[depth] = words
                self._open_node[depth] = nodes
                depth += 1
            elif kind == _CLOSE:
                if depth == 0:
                    code, at = _EXTRA_CLOSE, pos
                    break
                depth -= 1
                if base + nodes == out.node_room:
                    with cython.gil:
                        out.grow_nodes()
                out.label[base + nodes] = self._open_label[depth]
                out.size[base + nodes] = nodes - self._open_node[depth] + 1
                out.first[base + nodes] = self._open_word[depth]
                out.last[base + nodes] = words
                nodes += 1
                pos += 1
                done = depth == 0
            else:
                if depth == 0:
                    code, at = _TEXT_OUTSIDE, pos
                    break
                begin = pos
                while pos < hi and self._kinds[self._text[pos]] == _OTHER:
                    pos += 1
                if word_base + words == out.word_room:
                    with cython.gil:
                        out.grow_words()
                out.text_from[word_base + words] = begin
                out.text_to[word_base + words] = pos
                words += 1
        if code == 0 and depth > 0:
            code, at = _UNCLOSED, self._open_at[depth - 1]
        if code == 0:
            self._place_words(word_base, words, unit, out, t)
        else:
            self._fail(out, t, code, at)
        if out.error[t] != 0:
            nodes = words = 0
        out.node_offset[t + 1] = base + nodes
        out.word_offset[t + 1] = word_base + words
        return 0

    def _fail(self, out, t, code, at):
        out.error[t] = code
        out.error_at[t] = at
        out.n_errors += 1
        return 0

    def _place_words(self, base, words, unit, out, t):
        """Gives every word its start and end; takes times off the texts of a timed tree."""
        position: cython.double = 0.0
        timed: cython.bint = False
        out.error[t] = 0
        if words > 0:
            timed = True
            for i in range(base, base + words):
                if not self._read_times(i, out):
                    timed = False
                    if unit == _TIME:
                        self._fail(out, t, _NO_TIME, out.text_from[i])
                        return 0
                    break  # a word that only looks timed among plain ones is a plain word
        out.timed[t] = timed
        if timed:
            for i in range(base, base + words):
                # 2x - 2x is 0 for every number but NaN and those whose differences may be infinite.
                if (
                    2.0 * out.start[i] - 2.0 * out.start[i] != 0.0
                    or 2.0 * out.end[i] - 2.0 * out.end[i] != 0.0
                ):
                    self._fail(out, t, _NOT_FINITE, out.text_from[i])
                    return 0
                if out.end[i] < out.start[i]:
                    self._fail(out, t, _REVERSED, out.text_from[i])
                    return 0
                if i > base and out.start[i] < out.end[i - 1]:
                    self._fail(out, t, _OVERLAP, out.text_from[i])
                    return 0
                while self._text[out.text_to[i] - 1] != 60:  # back to the '<' that `_read_times` found
                    out.text_to[i] -= 1
                out.text_to[i] -= 1
        if unit == _TIME:
            return 0
        for i in range(base, base + words):
            out.start[i] = position
            if unit == _WORD:
                position += 1.0
            else:
                position += self._written_length(out.text_from[i], out.text_to[i])
            out.end[i] = position
        return 0

    def _read_times(self, word, out):
        """Whether a word ends in `<number,number>`; stores the numbers as its start and end."""
        lo: cython.Py_ssize_t = out.text_from[word]
        hi: cython.Py_ssize_t = out.text_to[word] - 1
        mark: cython.Py_ssize_t = hi - 1
        comma: cython.Py_ssize_t = -1
        if self._text[hi] != 62:  # '>'
            return False
        while mark >= lo and self._text[mark] != 60:  # '<'
            if self._text[mark] == 44:  # ','
                if comma >= 0:
                    return False
                comma = mark
            mark -= 1
        if mark < lo or comma < 0:
            return False
        out.start[word] = self._number(mark + 1, comma)
        if not self._is_number:
            return False
        out.end[word] = self._number(comma + 1, hi)
        return self._is_number

    def _number(self, lo, hi):
        """The number in a byte range, as `float` reads it; says in `_is_number` whether it is one.

        A decimal of at most 15 digits with at most 22 of them behind the point is the quotient of
        two integers that doubles hold exactly, so one division rounds right (Clinger 1990). Signs
        are handled here; anything else is left to `float`.
        """
        pos: cython.Py_ssize_t = lo
        digits: cython.int = 0
        decimals: cython.int = 0
        point: cython.bint = False
        negative: cython.bint = False
        plain: cython.bint = True
        value: cython.longlong = 0
        if pos < hi and self._text[pos] == 45:  # '-'
            negative = True
            pos += 1
        while pos < hi:
            byte = self._text[pos]
            if 48 <= byte <= 57:
                value = value * 10 + (byte - 48)
                digits += 1
                if point:
                    decimals += 1
                if digits > 15:
                    plain = False
                    break
            elif byte == 46 and not point:  # '.'
                point = True
            else:
                plain = False
                break
            pos += 1
        if plain and digits > 0:
            self._is_number = True
            number = value
            number = number / self._powers[decimals]
            return -number if negative else number
        with cython.gil:
            return self._number_by_float(lo, hi)

    def _number_by_float(self, lo, hi):
        token = bytes(self._text[lo:hi])
        self._is_number = False
        if b"_" in token:
            return 0.0
        try:
            number = float(token)
        except ValueError:
            return 0.0
        self._is_number = True
        return number

    def _written_length(self, lo, hi):
        """Written characters in a byte range; `-LRB-` and its kin, and a treebank's quotes, stand for one."""
        pos: cython.Py_ssize_t = lo
        total: cython.Py_ssize_t = 0
        point: cython.int
        more: cython.int
        syllable: cython.int = 0  # behind a leading consonant 1, behind a syllable without final 2
        while pos < hi:
            point = self._text[pos]
            if point < 128:
                syllable = 0
                if point <= 96:  # no small letter
                    if point == 45 and pos + 5 <= hi and self._is_escape(pos):
                        total += 1
                        pos += 5
                        continue
                    if (point == 39 or point == 96) and pos + 1 < hi and self._text[pos + 1] == point:
                        total += 1
                        pos += 2
                        continue
                total += self._widths[point]
                pos += 1
                continue
            if point >= 240:
                point, more = point & 7, 3
            elif point >= 224:
                point, more = point & 15, 2
            else:
                point, more = point & 31, 1
            pos += 1
            while more > 0:
                point = (point << 6) | (self._text[pos] & 63)
                pos += 1
                more -= 1
            # Normal form C joins a vowel to the consonant before it, and a final consonant to both.
            if (syllable == 1 and 0x1161 <= point <= 0x1175) or (syllable == 2 and 0x11A8 <= point <= 0x11C2):
                syllable = 2 if syllable == 1 else 0
                continue
            total += self._widths[point]
            syllable = 0
            if 0x1100 <= point <= 0x1112:
                syllable = 1
            elif 0xAC00 <= point <= 0xD7A3 and (point - 0xAC00) % 28 == 0:
                syllable = 2
        return total

    def _is_escape(self, pos):
        """Whether `-LRB-`, `-RRB-`, `-LCB-`, `-RCB-`, `-LSB-` or `-RSB-` (any case) begins here."""
        side: cython.int = self._text[pos + 1] & 223
        shape: cython.int = self._text[pos + 2] & 223
        return (
            (side == 76 or side == 82)
            and (shape == 82 or shape == 67 or shape == 83)
            and self._text[pos + 3] & 223 == 66
            and self._text[pos + 4] == 45
        )

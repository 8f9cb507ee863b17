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
    from .interner import MULTIPLIER, Interner

from .flat import NOTHING, ints, longs

UNITS = {"word": 0, "char": 1, "time": 2}
_WORD, _CHAR, _TIME = 0, 1, 2

# The possible errors of a tree; an error code is an index here.
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

# The arrays that may be too small.
_SHORT_OF_NODES, _SHORT_OF_WORDS, _SHORT_OF_STACK = 1, 2, 3


def _may_end(eight):
    """Return the top bits of those of eight bytes that may end a token: brackets, spaces, and some others."""
    smallest: cython.ulonglong = 0x2A2A2A2A2A2A2A2A  # just above '(' and ')'
    tops: cython.ulonglong = 0x8080808080808080
    return (eight - smallest) & ~eight & tops


def _below(marks):
    """Return all bits of the bytes below the lowest with a mark."""
    return (marks ^ (marks - 1)) >> 8


if not cython.compiled:  # else the `.pxd` has them in C

    def eight_bytes(text, at):
        """Return the eight bytes from `at` on as a number, the first one lowest."""
        return int.from_bytes(text[at : at + 8], "little")

    def _lowest_byte(marks):
        """Return the number of the lowest byte with a mark."""
        return ((marks & -marks).bit_length() - 1) >> 3


class Scanner:
    """Reads bracket text and numbers its labels; ids stay valid for the scanner's life.

    Attributes:
        several: Whether a row may have several trees, which are then read as a run.
        blank_words: Whether a label and white space, as in `(TOP )`, is a word without letters, as in EVALB.
    """

    def __init__(self):
        self.several = self.blank_words = False
        self._interner = Interner()
        self.labels = self._interner.names
        self._text = self._widths = NOTHING
        self._kinds = _KINDS
        self._powers = _POWERS_OF_TEN
        self._stack_room = 0
        self._stack = longs(0)

    def scan(self, buffer, starts, stops, unit, widths, trees):
        """Read the tree in each byte range `starts[t] … stops[t]` of `buffer` into `trees`.

        Args:
            buffer: The text in UTF-8 (surrogates allowed), never empty.
            starts: The first byte of each tree, as 64-bit integers.
            stops: The byte after the last one of each tree.
            unit: The unit of the words' starts and ends, a value of `UNITS`.
            widths: The length of each code point as bytes, with characters as unit; else any bytes.
            trees: The `FlatTrees` that is filled.
        """
        n: cython.Py_ssize_t = len(starts)
        # Views of the caller's arrays; the texts may lie anywhere in the buffer, but in order.
        starts_view: cython.const[cython.longlong][::1] = starts
        stops_view: cython.const[cython.longlong][::1] = stops
        out: FlatTrees = trees
        unit_: cython.int = unit
        lo: cython.Py_ssize_t = starts[0] if n else 0
        # Where texts are short of brackets or words, `_grow` enlarges the arrays and the tree is read again.
        hi: cython.Py_ssize_t = stops[n - 1] if n else 0
        out.reserve(n, (hi - lo) // 9 + 1, (hi - lo) // 15 + 1)  # as in usual treebanks; there may be more
        self._text = self._interner.text = out.text = buffer
        self._widths = widths
        with cython.nogil:
            t = self._scan_trees(starts_view, stops_view, 0, n, unit_, out)
            # Growing makes Python objects, so it needs the GIL; it is rare.
            while t < n:
                with cython.gil:
                    self._grow(out)
                t = self._scan_trees(starts_view, stops_view, t, n, unit_, out)
        out.n_trees = n
        # The buffer is not held any longer than the batch.
        self._text = self._widths = self._interner.text = NOTHING

    def intern(self, label):
        """Return the id of a label given as text."""
        return self._interner.intern(label)

    def measure(self, words, widths):
        """Return the written characters of each word; `widths` is that of `scan`."""
        counts = ints(len(words))
        self._widths = widths
        for i, word in enumerate(words):
            data = word.encode("utf-8", "surrogatepass")
            self._text = data or NOTHING
            counts[i] = self._written_length(0, len(data))
        return counts[: len(words)]

    def _grow(self, out):
        """Enlarge the arrays that were too small for the last tree."""
        if self._short_of == _SHORT_OF_NODES:
            out.grow_nodes()
        elif self._short_of == _SHORT_OF_WORDS:
            out.grow_words()
        else:
            self._stack_room = 2 * self._stack_room + 64
            self._stack = longs(4 * self._stack_room)
        return 0

    def _scan_trees(self, starts, stops, t, n, unit, out):
        """Read trees from number `t` on; return the first that the arrays are too small for, or `n`.

        A tree with an error is left empty with its code.
        """
        text: cython.const[cython.uchar][::1] = self._text
        kinds: cython.const[cython.uchar][::1] = self._kinds
        stack: cython.longlong[::1] = (
            self._stack
        )  # of each open bracket: place, label, first word, first node
        label: cython.int[::1] = out.label
        size: cython.int[::1] = out.size
        first: cython.int[::1] = out.first
        last: cython.int[::1] = out.last
        text_from: cython.longlong[::1] = out.text_from
        text_to: cython.longlong[::1] = out.text_to
        node_room: cython.Py_ssize_t = out.node_room
        word_room: cython.Py_ssize_t = out.word_room
        stack_room: cython.Py_ssize_t = 4 * self._stack_room
        slot_mask: cython.Py_ssize_t = self._interner.n_slots - 1
        slots: cython.int[::1] = self._interner.slots
        keys: cython.ulonglong[::1] = self._interner.keys
        spaces: cython.ulonglong = 0x2020202020202020
        multiplier: cython.ulonglong = MULTIPLIER
        pos: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        at: cython.Py_ssize_t
        hi: cython.Py_ssize_t
        safe: cython.Py_ssize_t  # up to here, eight bytes can be read
        node: cython.Py_ssize_t
        word: cython.Py_ssize_t
        words: cython.int  # in this tree
        node_base: cython.Py_ssize_t
        height: cython.Py_ssize_t  # of the stack
        end: cython.Py_ssize_t
        slot: cython.Py_ssize_t = 0
        known: cython.bint
        solid: cython.bint  # whether every node has words
        name: cython.int
        byte: cython.int
        code: cython.int
        eight: cython.ulonglong
        marks: cython.ulonglong
        key: cython.ulonglong
        while t < n:
            pos = starts[t]
            hi = stops[t]
            safe = hi - 8
            node = node_base = out.node_offset[t]
            word = out.word_offset[t]
            words = 0
            height = 0
            code = 0
            at = pos
            solid = True
            if hi - pos >= 3 and text[pos] == 239 and text[pos + 1] == 187 and text[pos + 2] == 191:
                pos += 3  # a byte-order mark
            while pos < hi:
                byte = text[pos]
                if byte == 40:  # '('
                    if height == 0 and node > node_base and not self.several:
                        code, at = _SECOND_TREE, pos
                        break
                    begin = at = pos + 1
                    known = False
                    if begin <= safe:
                        eight = eight_bytes(text, begin)
                        marks = _may_end(eight)
                        while marks != 0:
                            at = begin + _lowest_byte(marks)
                            if text[at] == 32 or kinds[text[at]] != 0:
                                key = (eight ^ spaces) & _below(marks)
                                slot = ((key * multiplier) >> 40) & slot_mask
                                known = keys[slot] == key and key != 0
                                break
                            marks &= marks - 1
                    if not known:  # not seen before, or long, or after a space, or at the end of the tree
                        while begin < hi and kinds[text[begin]] == 1:
                            begin += 1
                        at = begin
                        while at < hi and kinds[text[at]] == 0:
                            at += 1
                        name = self._interner.find(begin, at)
                        if slot_mask != self._interner.n_slots - 1:
                            slot_mask = self._interner.n_slots - 1
                            slots = self._interner.slots
                            keys = self._interner.keys
                    else:
                        name = slots[slot]
                        if text[at] == 32 and at < safe:
                            begin = at = at + 1
                            if text[at] != 40:  # most likely a leaf with one word
                                marks = _may_end(eight_bytes(text, at))
                                while True:
                                    if marks == 0:
                                        at += 8
                                        if at > safe:
                                            break
                                        marks = _may_end(eight_bytes(text, at))
                                        continue
                                    end = at + _lowest_byte(marks)
                                    if text[end] == 41 or kinds[text[end]] != 0:
                                        break
                                    marks &= marks - 1
                                if marks != 0 and text[end] == 41 and end > begin:
                                    if node == node_room:
                                        self._short_of = _SHORT_OF_NODES
                                        return t
                                    if word == word_room:
                                        self._short_of = _SHORT_OF_WORDS
                                        return t
                                    text_from[word] = begin
                                    text_to[word] = end
                                    word += 1
                                    label[node] = name
                                    size[node] = 1
                                    first[node] = words
                                    words += 1
                                    last[node] = words
                                    node += 1
                                    pos = end + 1
                                    if pos < hi and text[pos] == 32:
                                        pos += 1
                                    continue
                                at = begin
                    if height == stack_room:
                        self._short_of = _SHORT_OF_STACK
                        return t
                    stack[height] = pos
                    stack[height + 1] = name
                    stack[height + 2] = words
                    stack[height + 3] = node
                    height += 4
                    pos = at
                elif byte == 41:  # ')'
                    if height == 0:
                        code, at = _EXTRA_CLOSE, pos
                        break
                    if node == node_room:
                        self._short_of = _SHORT_OF_NODES
                        return t
                    if (
                        self.blank_words
                        and stack[height - 2] == words
                        and stack[height - 1] == node
                        and kinds[text[pos - 1]] == 1
                    ):
                        if word == word_room:
                            self._short_of = _SHORT_OF_WORDS
                            return t
                        text_from[word] = text_to[word] = pos
                        word += 1
                        words += 1
                    height -= 4
                    label[node] = stack[height + 1]
                    first[node] = stack[height + 2]
                    last[node] = words
                    if first[node] == words:
                        solid = False
                    size[node] = node - stack[height + 3] + 1
                    node += 1
                    pos += 1
                elif kinds[byte] == 1:
                    pos += 1
                else:
                    if height == 0:
                        code, at = _TEXT_OUTSIDE, pos
                        break
                    if word == word_room:
                        self._short_of = _SHORT_OF_WORDS
                        return t
                    text_from[word] = pos
                    while pos < hi and kinds[text[pos]] == 0:
                        pos += 1
                    text_to[word] = pos
                    word += 1
                    words += 1
            if code == 0 and height > 0:
                code, at = _UNCLOSED, stack[height - 4]
            if code == 0:
                out.solid[t] = solid
                self._place_words(word - words, words, unit, out, t)
            else:
                self._fail(out, t, code, at)
            if out.error[t] != 0:
                node = node_base
                word -= words
            out.node_offset[t + 1] = node
            out.word_offset[t + 1] = word
            t += 1
        return t

    def _fail(self, out, t, code, at):
        out.error[t] = code
        out.error_at[t] = at
        out.solid[t] = 0
        out.n_errors += 1
        return 0

    def _place_words(self, base, words, unit, out, t):
        """Give every word its start and end; take times off the texts of a timed tree."""
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
        if unit == _WORD:
            if out.solid[t]:
                out.solid[t] = 2
            for i in range(words):
                out.start[base + i] = i
                out.end[base + i] = i + 1
            return 0
        if unit == _CHAR:
            for i in range(base, base + words):
                out.start[i] = position
                position += self._written_length(out.text_from[i], out.text_to[i])
                out.end[i] = position
        for i in range(base, base + words):
            if not out.start[i] < out.end[i]:
                out.solid[t] = 0
        return 0

    def _read_times(self, word, out):
        """Return whether a word ends in `<number,number>`; stores the numbers as its start and end."""
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
        """Return the number in a byte range, as `float` reads it; says in `_is_number` whether it is one.

        A decimal of at most 15 digits with at most 22 of them after the point is the quotient of
        two integers that doubles hold exactly, so one division rounds right (Clinger 1990). Signs
        are handled here; anything else is left to `float`.
        """
        pos: cython.Py_ssize_t = lo
        digits: cython.int = 0
        decimals: cython.int = 0
        point: cython.bint = False
        negative: cython.bint = False
        is_decimal: cython.bint = True
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
                    is_decimal = False
                    break
            elif byte == 46 and not point:  # '.'
                point = True
            else:
                is_decimal = False
                break
            pos += 1
        if is_decimal and digits > 0:
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
        """Return the number of written characters in a byte range; `-LRB-` and its kin, and quotes, are 1."""
        pos: cython.Py_ssize_t = lo
        total: cython.Py_ssize_t
        point: cython.int
        more: cython.int
        syllable: cython.int = 0  # after a leading consonant 1, after a syllable without final 2
        while pos < hi and 97 <= (self._text[pos] | 32) <= 122:  # letters of ASCII are most of most words
            pos += 1
        total = pos - lo
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
        """Return whether `-LRB-`, `-RRB-`, `-LCB-`, `-RCB-`, `-LSB-` or `-RSB-` (any case) begins here."""
        side: cython.int = self._text[pos + 1] & 223
        shape: cython.int = self._text[pos + 2] & 223
        return (
            (side == 76 or side == 82)
            and (shape == 82 or shape == 67 or shape == 83)
            and self._text[pos + 3] & 223 == 66
            and self._text[pos + 4] == 45
        )

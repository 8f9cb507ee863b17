"""Bracket text in Python: one tree read, errors worded."""

from __future__ import annotations

from array import array

from .._core.flat import FlatTrees
from .._core.scan import ERRORS, UNITS, Scanner
from ..errors import TreeFormatError
from .parts import Parts
from .spelling import ESCAPES

_ESCAPED = str.maketrans({bracket: name for name, bracket in ESCAPES.items() if bracket in "()"})

_CURE = "write brackets inside words as -LRB- and -RRB-"
_MESSAGES = {
    "unclosed": f"this '(' is never closed; add the missing ')', and {_CURE}",
    "extra close": f"this ')' closes nothing; remove it, or {_CURE}",
    "text outside": "text outside of any bracket; a tree is written (LABEL word) or (LABEL (LABEL word) …)",
    "second tree": "a second tree begins here; give one tree per row",
    "no time": "this word has no time; with seconds as unit every word is written word<start,end>",
    "not finite": "this word's time is not a finite number; write seconds such as word<2.56,2.72>",
    "reversed": "this word ends before it starts; write word<start,end> with start <= end",
    "overlap": "this word starts before the word on its left ends; words must not overlap",
}
NUMBERED = (
    "the words are numbered, as in discontinuous trees (format discbracket), which are not read here; "
    "write them "
    "to a file for read_trees, or make them continuous with structiou convert --discontinuous raise"
)
_LOOKED_AT = 1 << 20  # bytes of brackets that are looked at
_WINDOW = 32  # characters shown on either side of an error


def escape(text: str) -> str:
    """Return a word or label with brackets in it as brackets hold it.

    >>> escape("$("), escape("-LRB-")
    ('$-LRB-', '-LRB-')
    """
    return text.translate(_ESCAPED)


def unescape(text: str) -> str:
    """Return a text with the brackets that `escape` replaced.

    >>> unescape("$-LRB-"), unescape("-LSB-")
    ('$(', '-LSB-')
    """
    return text.replace("-LRB-", "(").replace("-RRB-", ")")


def has_numbered_words(data: bytes, least: int = 1) -> bool:
    """Return whether the first words of brackets are numbered, as in `(VB 0=is)`, for discontinuous trees.

    >>> has_numbered_words(b"(S (VB 0=is) (NP 1=he))"), has_numbered_words(b"(S (X 1=2))")
    (True, False)

    Args:
        data: The bytes of some trees.
        least: How many words the first tree with any must have at least.
    """
    at = 0
    for _ in range(20):  # leaves; the first may have no words
        close = data.find(b")", at)
        if close < 0:
            return False
        tokens = data[data.rfind(b"(", at, close) + 1 : close].split()
        if len(tokens) > 1:
            number, equals, word = tokens[-1].partition(b"=")
            return number.isdigit() and bool(equals and word) and _are_numbered(data[:_LOOKED_AT], least)
        at = close + 1
    return False


def _are_numbered(data: bytes, least: int) -> bool:
    """Return whether the words of the first tree with any are numbered from 0 on, each once."""
    depth = 0
    before = b""
    numbers: list[bytes] = []
    for token in data.replace(b"(", b" ( ").replace(b")", b" ) ").split():
        if token in (b"(", b")"):
            depth += 1 if token == b"(" else -1
            if depth == 0 and numbers:
                break
        elif before != b"(":
            numbers.append(token.partition(b"=")[0])
        before = token
    numbers.sort(key=lambda number: (len(number), number))
    return len(numbers) >= least and numbers == [b"%d" % i for i in range(len(numbers))]


def read_text(text: str, unit: str | None, source: str) -> Parts:
    """Read one tree; it does the work of `SegmentTree.from_brackets`."""
    if "=" in text and has_numbered_words(text.encode("utf-8", "surrogatepass"), 2):
        raise TreeFormatError(NUMBERED, source=source)
    data = text.encode("utf-8", "surrogatepass")
    return read_buffer(data or b" ", 0, len(data), unit, source)


def read_buffer(buffer: bytes, start: int, stop: int, unit: str | None, source: str, begin: int = 0) -> Parts:
    """Read the tree in a byte range of UTF-8; errors count lines from byte `begin`."""
    scanner, trees = Scanner(), FlatTrees()
    place = array("q", [start]), array("q", [stop])
    scanner.scan(buffer, *place, UNITS["word"], b" ", trees)
    if not trees.n_errors and (unit == "time" or trees.is_timed(0)):
        scanner.scan(buffer, *place, UNITS["time"], b" ", trees)
    for _, code, at in trees.errors():
        raise bracket_error(code, at, buffer, begin, source)
    ids, sizes, firsts, lasts = trees.nodes(0)
    word_starts, word_ends, text_from, text_to = trees.words(0)
    words = tuple(_text(buffer[lo:hi]) for lo, hi in zip(text_from, text_to, strict=True))
    times = tuple(zip(word_starts, word_ends, strict=True)) if trees.is_timed(0) else None
    labels = tuple(scanner.labels[i] for i in ids)
    return Parts(labels, sizes, firsts, lasts, words, times, unit or ("time" if times else "word"))


def bracket_error(
    code: int,
    at: int,
    buffer: bytes,
    begin: int,
    source: str,
    line_number: int | None = None,
    stop: int | None = None,
) -> TreeFormatError:
    """Return the error with that code at byte `at`; lines and columns are counted from byte `begin`.

    No text after the byte `stop` is shown.
    """
    stop = len(buffer) if stop is None else stop
    if line_number is None:
        line_number = buffer.count(b"\n", begin, at) + 1
    line_start = max(buffer.rfind(b"\n", begin, at) + 1, begin)
    line_end = buffer.find(b"\n", at, stop)
    line = buffer[line_start : line_end if line_end >= 0 else stop]
    before = _text(line[: at - line_start])
    return TreeFormatError(
        _MESSAGES[ERRORS[code]],
        source=source,
        line=line_number,
        column=len(before) + 1,
        window=window(before, _text(line[at - line_start :])),
    )


def window(before: str, behind: str) -> str:
    """Two lines: the text around a place, and a caret below the place."""
    left = before[-_WINDOW:] if len(before) <= _WINDOW else "…" + before[-_WINDOW:]
    right = behind if len(behind) <= _WINDOW else behind[:_WINDOW] + "…"
    shown = "".join(c if c.isprintable() else " " for c in left + right)
    return f"  {shown.rstrip()}\n  {' ' * len(left)}^"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")

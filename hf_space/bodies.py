"""What a request may send as JSON: how much, how deep, and how many values, found before it is parsed."""

from __future__ import annotations

import json
from typing import Any

_MAX_FRAME = 64 * 2**10  # bytes outside of long texts: brackets, numbers, keys and short texts
_MAX_DEPTH = 16
_MAX_VALUES = 2_000
_SHORT = 200  # bytes of a text that is kept
# What stands for two backslashes, and for a quote behind one; UTF-8 does not have their first byte.
_MARK = b"\xf8"
_SLASHES, _QUOTE = _MARK + b"0", _MARK + b"1"
_UNMARKED = bytes(byte for byte in range(256) if byte not in b"[]{},")


class BodyError(ValueError):
    """A request that no page or program of ours makes."""


class FrameReader:
    """Reads the JSON of a request with its long texts left out, piece by piece as it comes.

    Texts are found by their quotes, at the speed of a search, so that this takes no longer for 20 MB of
    trees than reading them; what is outside of them must be little, and is refused as soon as it is much.
    """

    def __init__(self) -> None:
        self._frame = bytearray()
        self._text: bytearray | None = None  # the one that is being read
        self._held = b""  # a backslash, of which the next piece tells what it is for
        self._depth = self._values = 0

    def feed(self, piece: bytes) -> None:
        """Takes the next piece.

        Raises:
            BodyError: What came so far is too deep, has too many values, or is no JSON.
        """
        if _MARK in piece:
            raise _no_json()
        piece = self._held + piece
        odd = (len(piece) - len(piece.rstrip(b"\\"))) % 2
        self._held = piece[len(piece) - odd :]
        piece = piece[: len(piece) - odd].replace(b"\\\\", _SLASHES).replace(b'\\"', _QUOTE)
        if piece.count(b'"') > 4 * _MAX_VALUES + 4:  # a key and a text for each
            raise _too_many()
        first, *others = piece.split(b'"')
        self._add(first)
        for other in others:
            self._turn()
            self._add(other)

    def frame(self) -> Any:
        """The values, with empty texts for long ones.

        Raises:
            BodyError: It is no JSON.
        """
        try:
            if self._text is not None or self._held:
                raise ValueError("a text has no end")
            return json.loads(bytes(self._frame).replace(_SLASHES, b"\\\\").replace(_QUOTE, b'\\"'))
        except (ValueError, RecursionError):
            raise _no_json() from None

    def _add(self, piece: bytes) -> None:
        """Takes a piece without quotes, in a text or outside of one."""
        if self._text is not None:
            self._text += piece[: _SHORT + 1 - len(self._text)]
            return
        if len(self._frame) + len(piece) > _MAX_FRAME:
            raise BodyError(f"the request has more than {_MAX_FRAME:,} bytes beside its texts")
        self._frame += piece
        marks = piece.translate(None, _UNMARKED)
        self._values += len(marks) - marks.count(b"]") - marks.count(b"}")
        if self._values > _MAX_VALUES:
            raise _too_many()
        for mark in marks.replace(b",", b""):
            self._depth += 1 if mark in b"[{" else -1
            if self._depth > _MAX_DEPTH:
                raise _too_many()

    def _turn(self) -> None:
        """Begins a text, or ends it."""
        if self._text is None:
            self._text = bytearray()
        else:
            self._frame += b'"' + (self._text if len(self._text) <= _SHORT else b"") + b'"'
            self._text = None


def frame_of(body: bytes) -> Any:
    """The JSON of a request with its long texts left out.

    Raises:
        BodyError: It is too deep, has too many values, or is no JSON.

    >>> frame_of(b'{"data": ["' + b"x" * 1000 + b'", 3, "y"]}')
    {'data': ['', 3, 'y']}
    """
    reader = FrameReader()
    reader.feed(body)
    return reader.frame()


def _no_json() -> BodyError:
    return BodyError("the request is no JSON")


def _too_many() -> BodyError:
    return BodyError(
        f"the request is nested deeper than {_MAX_DEPTH} or has more than {_MAX_VALUES:,} values"
    )

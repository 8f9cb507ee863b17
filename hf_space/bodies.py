"""What a request may send as JSON: how much, how deep, and how many values, found before it is parsed."""

from __future__ import annotations

import json
from typing import Any

_MAX_FRAME = 64 * 2**10  # bytes outside of long texts: brackets, numbers, keys and short texts
_MAX_DEPTH = 16
_MAX_VALUES = 2_000
_SHORT = 200  # bytes of a text that is kept


class BodyError(ValueError):
    """A request that no page or program of ours makes."""


def frame_of(body: bytes) -> Any:
    """The JSON of a request with its long texts left out.

    Texts are found by their quotes, at the speed of a search, so that this takes no longer for 20 MB of
    trees than reading them; what is outside of them must be little.

    Raises:
        BodyError: It is too deep, has too many values, or is no JSON.

    >>> frame_of(b'{"data": ["' + b"x" * 1000 + b'", 3, "y"]}')
    {'data': ['', 3, 'y']}
    """
    parts: list[bytes] = []
    size = at = 0
    while True:
        quote = body.find(b'"', at)
        outside = body[at:] if quote < 0 else body[at:quote]
        size += len(outside)
        parts.append(outside)
        if quote < 0:
            break
        at = _end_of_text(body, quote + 1)
        text = body[quote:at]
        parts.append(text if len(text) <= _SHORT else b'""')
        size += len(parts[-1])
        if size > _MAX_FRAME:
            break
    if size > _MAX_FRAME:
        raise BodyError(f"the request has more than {_MAX_FRAME:,} bytes beside its texts")
    _check_depth(parts)
    try:
        return json.loads(b"".join(parts))
    except (ValueError, RecursionError):
        raise BodyError("the request is no JSON") from None


def _end_of_text(body: bytes, at: int) -> int:
    """Where a text ends, behind its quote, that begins behind the other one."""
    while True:
        quote = body.find(b'"', at)
        if quote < 0:
            return len(body)
        slashes = quote
        while slashes > at and body[slashes - 1] == 0x5C:
            slashes -= 1
        if (quote - slashes) % 2 == 0:
            return quote + 1
        at = quote + 1


def _check_depth(parts: list[bytes]) -> None:
    """Refuses parts that are too deep; every other part is outside of texts."""
    depth = values = 0
    for part in parts[::2]:
        for byte in part:
            if byte in b"[{":
                depth += 1
                values += 1
            elif byte in b"]}":
                depth -= 1
            elif byte == 0x2C:
                values += 1
            if depth > _MAX_DEPTH or values > _MAX_VALUES:
                raise BodyError(
                    f"the request is nested deeper than {_MAX_DEPTH} or has more than {_MAX_VALUES:,} values"
                )

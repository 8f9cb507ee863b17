"""Links that bring back what a page showed."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from typing import Any

MAX_LINK = 8_000  # characters; longer addresses do not reach every server
_MAX_STATE = 200_000  # bytes, unpacked


def encode_state(state: dict[str, Any]) -> str | None:
    """A state as a word for an address, or None if it is too long for one."""
    packed = zlib.compress(json.dumps(state, ensure_ascii=False).encode("utf-8", "surrogatepass"), 9)
    word = base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")
    return word if len(word) <= MAX_LINK else None


def decode_state(word: str) -> dict[str, Any]:
    """The state of a link; a ValueError for anything that `encode_state` did not write."""
    try:
        packed = base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_", validate=True)
        machine = zlib.decompressobj()
        text = machine.decompress(packed, _MAX_STATE)
        if not machine.eof:
            raise ValueError("it is too long")
        state = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, binascii.Error, zlib.error, RecursionError):
        raise ValueError("this link is damaged; copy it again") from None
    if not isinstance(state, dict):
        raise ValueError("this link is damaged; copy it again")
    return state

"""Text that is not UTF-8: which encoding it may have, and how it becomes UTF-8."""

from __future__ import annotations

import codecs

from ..errors import TreeFormatError

_MARK = codecs.BOM_UTF8

# Byte-order marks of other encodings, the longer ones first, as one begins with another.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

_LOOKED_AT = 1 << 16  # bytes from which an encoding is guessed
_ASIAN = ("gb18030", "big5", "euc_kr", "euc_jp", "shift_jis")
_ONE_BYTE = ("cp1251", "koi8-r", "cp1255", "cp1256", "iso8859-7")  # of other scripts than the Latin one


def check_encoding(name: str) -> str:
    """The name of the encoding, if Python knows such a one for text; a ValueError otherwise."""
    try:
        known = codecs.lookup(name)
        if not getattr(known, "_is_text_encoding", True):
            raise LookupError
    except (LookupError, ValueError):  # a NUL in the name is a ValueError
        raise ValueError(
            f"unknown encoding {name!r}; choose one that Python knows, such as utf-8, latin-1, cp1252 or big5"
        ) from None
    return name


def find_mark(data: bytes) -> str:
    """The encoding that a byte-order mark tells of, if it is not UTF-8's."""
    return next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), "")


def as_utf8(data: bytes, title: str, encoding: str | None = None, *, flag: str = "--encoding") -> bytes:
    """Text as UTF-8 without a byte-order mark, or an error that says which encoding it may have.

    Args:
        data: The text.
        title: What to call it in errors.
        encoding: The encoding of text; by default UTF-8, or what a byte-order mark says.
        flag: The flag by which whoever reads the error can give an encoding, if there is one.
    """
    known = "" if encoding else ", as its first bytes say"
    encoding = encoding or find_mark(data)
    if encoding and codecs.lookup(encoding).name != "utf-8":
        try:
            data = data.decode(encoding).encode("utf-8")
        except UnicodeDecodeError as error:
            raise _error(f"this is not {encoding}{known}: {error.reason}", data, error.start, title) from None
        except UnicodeEncodeError as error:  # half a pair of surrogates
            raise TreeFormatError(f"this is not {encoding}{known}: {error.reason}", source=title) from None
    else:
        _check(data, title, flag)
    return data[len(_MARK) :] if data.startswith(_MARK) else data


def _check(data: bytes, title: str, flag: str) -> None:
    """Refuses what is not UTF-8."""
    if data.isascii():
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        likely = guess_encodings(data)
        cure = f"give {flag} {likely[0]} (in Python encoding={likely[0]!r}), or " if flag else ""
        what = f"byte 0x{data[error.start]:02x} is not UTF-8 (this may be {' or '.join(likely)})"
        raise _error(f"{what}; {cure}convert the file to UTF-8", data, error.start, title) from None


def _error(message: str, data: bytes, at: int, title: str) -> TreeFormatError:
    return TreeFormatError(message, source=title, line=data.count(b"\n", 0, at) + 1)


def guess_encodings(data: bytes) -> list[str]:
    """Which encodings text that is not UTF-8 may have, the likeliest first.

    >>> guess_encodings("(NN café)".encode("latin-1"))
    ['latin-1', 'cp1252']
    >>> guess_encodings("(N 树木) (V 生长)".encode("gb18030"))[0]
    'gb18030'
    """
    import re

    if find_mark(data):
        return [find_mark(data)]
    head = data[:_LOOKED_AT]
    if head.count(0) > len(head) // 4:
        return ["utf-16-be" if head[0] == 0 else "utf-16-le"]
    high = len(re.findall(rb"[\x80-\xff]", head))
    together = sum(map(len, re.findall(rb"[\x80-\xff]{2,}", head)))
    # Other scripts than the Latin one have few lower-case letters, labels being mostly in capitals, and many
    # such bytes in a row, where accents of the Latin one stand alone.
    if high > len(re.findall(rb"[a-z]", head)) and 2 * together > high:
        fitting = [name for name in _ASIAN if _fits(head, name)] or [
            name for name in _ONE_BYTE if _fits(head, name)
        ]
        if fitting:
            return fitting[:3]
    if re.search(rb"[\x80-\x9f]", head) and _fits(head, "cp1252"):
        return ["cp1252"]
    return ["latin-1", "cp1252"]


def _fits(data: bytes, encoding: str) -> bool:
    """Whether the bytes can be read so, but for a character that is cut off at their end."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 4 and len(data) == _LOOKED_AT
    return True

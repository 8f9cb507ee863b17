"""The content of a file: unpacked within bounds, as UTF-8, as JSON and as XML; and errors that name it."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from io import BytesIO
from typing import Any
from xml.parsers import expat

from ..errors import TreeFormatError
from ..optional import need

# The first bytes of each kind of packed file.
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}

# The endings of the names of packed files.
ENDINGS = (".gz", ".bz2", ".xz", ".zst")

_FREE = 1 << 28  # bytes that may always be unpacked
_SHARE = 100  # unpacked bytes allowed for a packed one, beyond those; text has about ten
_MOST = 1 << 32  # bytes that may be unpacked at all
_PIECE = 1 << 20


class Budget:
    """The number of bytes that may still be unpacked from one source, which protects against archive bombs.

    Args:
        packed: How many bytes the source has.
        title: Its name in errors.
        free: The number of bytes that may always be unpacked.
        most: The number of bytes that may be unpacked at all.
    """

    def __init__(self, packed: int, title: str, *, free: int = _FREE, most: int = _MOST) -> None:
        self._title = title
        self.left = min(most, max(free, packed * _SHARE))

    def take(self, n_bytes: int) -> None:
        """Count bytes that were unpacked, and refuse more than the budget allows."""
        self.left -= n_bytes
        if self.left < 0:
            raise TreeFormatError(
                "this packed file holds far more than treebanks do; unpack it, look at it, and give the "
                "files",
                source=self._title,
            )


def strip_ending(name: str) -> str:
    """Return the name of a file without the ending of its compression.

    >>> strip_ending("wsj.mrg.gz"), strip_ending("wsj.mrg")
    ('wsj.mrg', 'wsj.mrg')
    """
    return next((name[: -len(end)] for end in ENDINGS if name.lower().endswith(end)), name)


def unpack(data: bytes, title: str, budget: Budget | None = None) -> bytes:
    """Return the content of packed bytes; other bytes stay as they are."""
    kind = next((kind for mark, kind in _PACKED.items() if data.startswith(mark)), "")
    if not kind:
        return data
    budget = budget or Budget(len(data), title)
    parts = []
    try:
        with _open(kind, data, title) as file:
            while part := file.read(_PIECE):
                budget.take(len(part))
                parts.append(part)
    except (TreeFormatError, ImportError):
        raise
    except Exception as error:  # each library has errors of its own
        raise TreeFormatError(
            f"this {kind} file is damaged: {error}; fetch it, or pack it, again", source=title
        ) from None
    return b"".join(parts)


def _open(kind: str, data: bytes, title: str) -> Any:
    """Return a file object that unpacks the bytes as it is read."""
    file = BytesIO(data)
    if kind == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=file)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2File(file)
    if kind == "xz":
        import lzma

        return lzma.LZMAFile(file)
    return _open_zstd(file, title)


def _open_zstd(file: Any, title: str) -> Any:
    """Open a Zstandard file by Python's own module, from 3.14 on, or by the library `zstandard`."""
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        pass
    else:
        return zstd.ZstdFile(file)

    zstandard = need("zstandard", "zstd", f"{title}: a .zst file")
    _check_frames(file.getvalue(), zstandard)
    return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)


def _check_frames(data: bytes, zstandard: Any) -> None:
    """Raise an error for truncated frames of Zstandard, which the library would read without one.

    A frame has a header, blocks, each after three bytes with its length and whether it is the last, and
    perhaps a checksum. Frames that are to be skipped have a length.
    """
    at = 0
    while at < len(data):
        if data[at + 1 : at + 4] == b"\x2a\x4d\x18" and data[at] >> 4 == 5:
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
            continue
        head = data[at : at + 18]  # the longest header
        has_checksum = zstandard.get_frame_parameters(head).has_checksum
        at += zstandard.frame_header_size(head)
        last = False
        while not last and at < len(data):
            block = int.from_bytes(data[at : at + 3], "little")
            last = bool(block & 1)
            repeats_one_byte = (block >> 1) & 3 == 1
            at += 3 + (1 if repeats_one_byte else block >> 3)
        at += 4 * has_checksum + (not last)
    if at > len(data):
        raise EOFError("it is cut off")


_MARK = codecs.BOM_UTF8

# Byte-order marks of other encodings, the longer ones first, as one begins with another.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

ENCODING_FLAG = "--encoding {}"

_LOOKED_AT = 1 << 16  # bytes from which an encoding is guessed
_ASIAN = ("gb18030", "big5", "euc_kr", "euc_jp", "shift_jis")
_ONE_BYTE = ("cp1251", "koi8-r", "cp1255", "cp1256", "iso8859-7")  # of other scripts than the Latin one


def check_encoding(name: str) -> str:
    """Return the name of the encoding, if Python knows such a one for text; a ValueError otherwise."""
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
    """Return the encoding of a byte-order mark, if it is not UTF-8's."""
    return next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), "")


def as_utf8(data: bytes, title: str, encoding: str | None = None, *, flag: str = ENCODING_FLAG) -> bytes:
    """Return text as UTF-8 without a byte-order mark, or raise an error with the encoding that it may have.

    Args:
        data: The text.
        title: Its name in errors.
        encoding: The encoding of text; by default UTF-8, or that of a byte-order mark.
        flag: The flag that sets the encoding of this text, with `{}` in place of the encoding; empty if there
            is none.
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
    """Raise an error if the bytes are not UTF-8."""
    if data.isascii():
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        likely = guess_encodings(data)
        cure = f"give {flag.format(likely[0])} (in Python encoding={likely[0]!r}), or " if flag else ""
        what = f"byte 0x{data[error.start]:02x} is not UTF-8 (this may be {' or '.join(likely)})"
        raise _error(f"{what}; {cure}convert the file to UTF-8", data, error.start, title) from None


def _error(message: str, data: bytes, at: int, title: str) -> TreeFormatError:
    return TreeFormatError(message, source=title, line=data.count(b"\n", 0, at) + 1)


def guess_encodings(data: bytes) -> list[str]:
    """Return which encodings text that is not UTF-8 may have, the likeliest first.

    >>> guess_encodings("(NN café)".encode("latin-1"))
    ['latin-1', 'cp1252']
    >>> guess_encodings("(N 树木) (V 生长)".encode("gb18030"))[0]
    'gb18030'
    """
    if find_mark(data):
        return [find_mark(data)]
    head = data[:_LOOKED_AT]
    if head.count(0) > len(head) // 4:
        return ["utf-16-be" if head[0] == 0 else "utf-16-le"]
    high = len(re.findall(rb"[\x80-\xff]", head))
    together = sum(map(len, re.findall(rb"[\x80-\xff]{2,}", head)))
    # Other scripts than the Latin one have few lower-case letters, labels being mostly in capitals, and many
    # such bytes in a row, where accents of the Latin one occur one by one.
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
    """Return whether the bytes can be read so, except for a character that is cut off at their end."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 4 and len(data) == _LOOKED_AT
    return True


_REFERENCE = rb"&(?!(?:amp|lt|gt|quot|apos);|#)"  # an entity that XML itself does not declare
_BETWEEN = " "  # the separator that expat puts between a namespace and a name


class Content:
    """The content of one file.

    Attributes:
        data: The bytes of the file, unpacked.
        title: The name of the file in errors.
        encoding: The encoding of text; by default UTF-8, or that of a byte-order mark or an XML declaration.
        flag: The flag that sets the encoding, as in `as_utf8`.
    """

    flag = ENCODING_FLAG

    def __init__(self, data: bytes, title: str, encoding: str | None = None, *, flag: str = "") -> None:
        self.flag = flag or self.flag
        self.data = data
        self.title = title
        self.encoding = encoding
        self._utf8: bytes | None = None
        self._text: str | None = None
        self._json: list[Any] = []  # the value, once it was read

    @property
    def utf8(self) -> bytes:
        """Return the text of the file as UTF-8, without a mark."""
        if self._utf8 is None:
            self._utf8 = as_utf8(self.data, self.title, self.encoding, flag=self.flag)
        return self._utf8

    @property
    def text(self) -> str:
        """Return the text of the file, with `\\n` at line ends."""
        if self._text is None:
            text = self.utf8.decode("utf-8")
            if "\0" in text:
                line = text.count("\n", 0, text.index("\0")) + 1
                raise self.error("a NUL character (UTF-16 without a mark?); convert the file to UTF-8", line)
            self._text = text.replace("\r\n", "\n").replace("\r", "\n")
        return self._text

    @property
    def json(self) -> Any:
        """Return the value of the file as JSON."""
        if not self._json:
            self._json.append(self._read_json())
        return self._json[0]

    def _read_json(self) -> Any:
        try:
            return json.loads(self.text)
        except RecursionError:
            raise self.error("the JSON is nested too deeply") from None
        except json.JSONDecodeError as error:
            raise self.error(f"this is not JSON: {error.msg}", error.lineno, error.colno) from None
        except ValueError as error:  # such as an integer of 5,000 digits
            raise self.error(str(error)) from None

    def error(self, message: str, place: int | str = "", column: int | None = None) -> TreeFormatError:
        """Return an error of this file, or of a place in it: a line, or the name of an entry."""
        if isinstance(place, int):
            return TreeFormatError(message, source=self.title, line=place, column=column)
        return TreeFormatError(message, source=f"{self.title}: {place}" if place else self.title)

    def xml(
        self,
        start: Callable[[str, dict[str, str], int], None],
        end: Callable[[str], None],
        characters: Callable[[str], None] | None = None,
    ) -> None:
        """Read the XML of the file and call a function for each element and text; nothing is stored.

        Entities of a document type can grow without bound, so one that declares any is refused, as is a
        reference to one that is not declared here. Nothing outside of the file is read.

        Args:
            start: A function that is called with the name of an element that begins, without its namespace,
                its attributes and its line; the names of attributes follow their namespaces and a blank.
            end: A function that is called with the name of an element that ends.
            characters: A function that is called with text.
        """
        parser = expat.ParserCreate("utf-8" if self.encoding else None, _BETWEEN)
        parser.buffer_text = True

        def begin(name: str, attributes: dict[str, str]) -> None:
            start(name.rpartition(_BETWEEN)[2], attributes, parser.CurrentLineNumber)

        def refuse(*_: Any) -> None:
            raise self.error(
                "entities of a document type (<!ENTITY) are not read; remove them", parser.CurrentLineNumber
            )

        parser.StartElementHandler = begin
        parser.EndElementHandler = lambda name: end(name.rpartition(_BETWEEN)[2])
        parser.CharacterDataHandler = characters

        def check(name: str, system: str | None, public: str | None, inner: bool) -> None:
            # If the document type is in another file, expat leaves out the entities that it may declare.
            if (system or public) and re.search(_REFERENCE, self.data.replace(b"\0", b"")):
                refuse()

        parser.StartDoctypeDeclHandler = check
        parser.EntityDeclHandler = refuse
        try:
            parser.Parse(self.utf8 if self.encoding else self.data, True)
        except TreeFormatError:
            raise
        except (LookupError, ValueError) as error:  # an encoding that Python does not know, or expat not
            raise self.error(f"this XML cannot be read ({error}); convert it to UTF-8") from None
        except expat.ExpatError as error:
            raise self.error(
                f"this is not XML: {expat.ErrorString(error.code)}", error.lineno, error.offset + 1
            ) from None

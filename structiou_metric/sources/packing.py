"""Packed bytes: gzip, bzip2, xz and Zstandard, told by their first bytes and unpacked within bounds."""

from __future__ import annotations

from typing import Any

from ..errors import TreeFormatError

# The first bytes of each kind of packed file.
_MARKS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}

# What names of packed files end in.
ENDINGS = (".gz", ".bz2", ".xz", ".zst")

_FREE = 1 << 28  # bytes that may be unpacked whatever their share
_SHARE = 100  # beyond those, how many bytes may come of one; text comes to about ten
_MOST = 1 << 32  # bytes that may be unpacked at all
_PIECE = 1 << 20


class Budget:
    """How much may still be unpacked of one source; what holds far more than text does is refused.

    Args:
        packed: How many bytes the source has.
        title: What to call it in errors.
        free: The number of bytes that may be unpacked whatever their share.
        most: The number of bytes that may be unpacked at all.
    """

    def __init__(self, packed: int, title: str, *, free: int = _FREE, most: int = _MOST) -> None:
        self._title = title
        self.left = min(most, max(free, packed * _SHARE))

    def take(self, n_bytes: int) -> None:
        """Counts bytes that were unpacked; refuses more than there may be."""
        self.left -= n_bytes
        if self.left < 0:
            raise TreeFormatError(
                "this packed file holds far more than treebanks do; unpack it, look at it, and give the "
                "files",
                source=self._title,
            )


def strip_ending(name: str) -> str:
    """The name of a file without an ending that says how it is packed.

    >>> strip_ending("wsj.mrg.gz"), strip_ending("wsj.mrg")
    ('wsj.mrg', 'wsj.mrg')
    """
    return next((name[: -len(end)] for end in ENDINGS if name.lower().endswith(end)), name)


def unpack(data: bytes, title: str, budget: Budget | None = None) -> bytes:
    """What packed bytes hold; others stay as they are."""
    kind = next((kind for mark, kind in _MARKS.items() if data.startswith(mark)), "")
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
            f"this {kind} file is damaged: {error}; fetch it, or pack it, anew", source=title
        ) from None
    return b"".join(parts)


def _open(kind: str, data: bytes, title: str) -> Any:
    """A file of what the bytes hold."""
    from io import BytesIO

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
    """Opens a Zstandard file by Python's own module, from 3.14 on, or by the library `zstandard`."""
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        pass
    else:
        return zstd.ZstdFile(file)
    from ..optional import need

    zstandard = need("zstandard", "zstd", f"{title}: a .zst file")
    _check_frames(file.getvalue(), zstandard)
    return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)


def _check_frames(data: bytes, zstandard: Any) -> None:
    """Refuses frames of Zstandard that are cut off, of which the library reads what is there.

    A frame has a header, blocks, each behind three bytes that tell its length and whether it is the last, and
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

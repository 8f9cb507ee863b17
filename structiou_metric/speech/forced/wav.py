"""Wav files of any usual kind of samples.

The header is read here, because the standard library's `wave` refuses floating-point, mu-law and (before
Python 3.12) extensible files.
"""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

from .samples import WIDTHS, Samples
from .sound import CURE, RawFile, check_size

_EXTENSIBLE = 0xFFFE
_UNKNOWN_SIZE = 0xFFFFFFFF  # written by programs that cannot go back to the header


class WavFile(RawFile):
    """A wav file, of which stretches can be read.

    >>> import os, tempfile, wave
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "silence.wav")
    ...     with wave.open(path, "wb") as sound:
    ...         sound.setparams((2, 2, 8_000, 0, "NONE", ""))
    ...         sound.writeframes(bytes(16_000))
    ...     found = WavFile(path)
    >>> found.channels, found.n_frames
    (2, 4000)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Reads the header.

        Raises:
            ValueError: If it is of an unknown kind, cut short, or without any sound.
        """
        name = os.fspath(path)
        with open(name, "rb") as file:
            samples, offset, size = _read_header(file, name)
        super().__init__(name, samples, offset, size)


def _read_header(file: BinaryIO, name: str) -> tuple[Samples, int, int]:
    """Returns the format, and place and size in bytes of the samples."""
    cure = CURE.format(name=name)
    length = file.seek(0, os.SEEK_END)
    file.seek(12)
    form: Samples | None = None
    while True:
        chunk = file.read(8)
        if len(chunk) < 8:
            what = "samples" if form else "format"
            raise ValueError(f"{name}: the file ends before its {what}; it is cut short or broken")
        size = int.from_bytes(chunk[4:], "little")
        if chunk[:4] == b"fmt ":
            form = _read_format(file.read(size), name)
            file.seek(size % 2, os.SEEK_CUR)
        elif chunk[:4] == b"data":
            break
        else:
            file.seek(size + size % 2, os.SEEK_CUR)
    if form is None:
        raise ValueError(f"{name}: the file has samples, but does not say of what format; {cure}")
    offset = file.tell()
    if size == _UNKNOWN_SIZE:
        size = length - offset
    check_size(name, size, length - offset)
    return form, offset, size


def _read_format(data: bytes, name: str) -> Samples:
    """Reads and checks the format chunk."""
    if len(data) < 16:
        raise ValueError(f"{name}: the file ends in its format; it is cut short or broken")
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", data)
    if kind == _EXTENSIBLE and len(data) >= 40:
        (kind,) = struct.unpack_from("<H", data, 24)
    if bits not in WIDTHS.get(kind, ()):
        raise ValueError(
            f"{name}: samples of kind {kind} with {bits} bits cannot be read; {CURE.format(name=name)}"
        )
    return Samples(kind, channels, rate, bits)

"""Sound from wav files: any usual kind of samples, one channel, at one rate.

The header is read here, because the standard library's `wave` refuses floating-point, mu-law and (before
Python 3.12) extensible files. Only the stretch that is asked for is read, in blocks.
"""

from __future__ import annotations

import os
import struct
from math import isfinite
from typing import Any, BinaryIO, NamedTuple

from ...optional import need
from ...wording import count

RATE = 16_000  # samples a second, of all that is handed to an aligner

_TOLERANCE = 0.05  # seconds by which a mark may lie behind the end, as marks are often rounded
_LOUDEST = 1e6  # times full scale, far beyond what a program writes on purpose
_BLOCK = 1 << 18  # frames that are read at once
_PCM, _FLOAT, _A_LAW, _MU_LAW, _EXTENSIBLE = 1, 3, 6, 7, 0xFFFE
_UNKNOWN_SIZE = 0xFFFFFFFF  # written by programs that cannot go back to the header
_WIDTHS = {_PCM: (8, 16, 24, 32), _FLOAT: (32, 64), _A_LAW: (8,), _MU_LAW: (8,)}
_CURE = "convert it, as with: ffmpeg -i {name} -ac 1 -ar 16000 -c:a pcm_s16le out.wav"


class _Format(NamedTuple):
    """What the header says."""

    kind: int  # how samples are coded
    channels: int  # samples in a frame
    rate: int  # frames a second
    bits: int  # of a sample

    @property
    def frame_size(self) -> int:
        """Bytes of a frame."""
        return self.channels * self.bits // 8


class WavFile:
    """A wav file, of which stretches can be read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Reads the header.

        Raises:
            ValueError: If it is no wav file, of an unknown kind, cut short, or without any sound.
        """
        self.path = os.fspath(path)
        with open(self.path, "rb") as file:
            self._format, self._offset, size = _read_header(file, self.path)
        self.rate = self._format.rate  # frames a second, as it was recorded
        self.channels = self._format.channels
        self.n_frames = size // self._format.frame_size
        if not self.n_frames:
            raise ValueError(
                f"{self.path}: the file holds no sound, only a header; record or convert it again"
            )

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.n_frames / self.rate

    def bounds(self, start: float = 0.0, end: float | None = None) -> tuple[float, float]:
        """The stretch that two marks mean, in seconds that fall on samples.

        Raises:
            ValueError: If they are no stretch of this file.
        """
        if end is None:
            end = self.seconds
        if not (isfinite(start) and isfinite(end)):
            raise ValueError(f"{self.path}: the stretch {start} to {end} s is not finite")
        if start < 0 or end > self.seconds + _TOLERANCE:
            raise ValueError(
                f"{self.path}: the stretch {start:g} to {end:g} s is not in the file, which lasts "
                f"{self.seconds:.2f} s; are the marks those of this file, in seconds?"
            )
        first, last = round(start * self.rate), min(round(end * self.rate), self.n_frames)
        if first >= last:
            raise ValueError(f"{self.path}: the stretch {start:g} to {end:g} s is empty")
        return first / self.rate, last / self.rate

    def read(self, start: float = 0.0, end: float | None = None, *, channel: int | None = None) -> Any:
        """The sound of a stretch: a numpy array of `RATE` samples a second, float32, full scale ±1.

        Args:
            start: Where it starts, in seconds.
            end: Where it ends; by default where the file does.
            channel: Which one, from 1; by default the mean of all.
        """
        if channel is not None and not 1 <= channel <= self.channels:
            raise ValueError(
                f"{self.path}: there is no channel {channel}, only {count(self.channels, 'channel')}"
            )
        numpy = need("numpy", "speech", "reading sound")
        start, end = self.bounds(start, end)
        first, last = round(start * self.rate), round(end * self.rate)
        stream = None
        if self.rate != RATE:
            soxr = need("soxr", "speech", "changing the sample rate")
            stream = soxr.ResampleStream(self.rate, RATE, 1, dtype="float32")
        parts = []
        with open(self.path, "rb") as file:
            file.seek(self._offset + first * self._format.frame_size)
            for at in range(first, last, _BLOCK):
                part = self._read_block(file, min(_BLOCK, last - at), channel, numpy)
                if stream is not None:
                    part = stream.resample_chunk(part, last=at + _BLOCK >= last)
                parts.append(part)
        return numpy.concatenate(parts)

    def _read_block(self, file: BinaryIO, n_frames: int, channel: int | None, numpy: Any) -> Any:
        """The next frames, as one channel."""
        size = n_frames * self._format.frame_size
        data = file.read(size)
        if len(data) != size:
            raise ValueError(f"{self.path}: the file has become shorter while it was read")
        frames = _decode(data, self._format, numpy).reshape(n_frames, self.channels)
        one = frames.mean(axis=1) if channel is None else frames[:, channel - 1]
        if not (abs(one) <= _LOUDEST).all():  # nor is it for NaN
            raise ValueError(f"{self.path}: samples are not finite; the file is broken")
        return numpy.ascontiguousarray(one, dtype=numpy.float32)


# ------------------------------------------------------------------------------------------ header


def _read_header(file: BinaryIO, name: str) -> tuple[_Format, int, int]:
    """Returns the format, and place and size in bytes of the samples."""
    cure = _CURE.format(name=name)
    if not file.seekable():
        raise ValueError(f"{name}: sound is read from many places, so it must be a file and not a pipe")
    head = file.read(12)
    if not head:
        raise ValueError(f"{name}: the file is empty")
    if head[:4] not in (b"RIFF", b"RF64") or head[8:] != b"WAVE":
        raise ValueError(f"{name}: this is not a wav file{_guess_kind(head)}; {cure}")
    length = file.seek(0, os.SEEK_END)
    file.seek(12)
    form: _Format | None = None
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
    if offset + size > length:
        raise ValueError(
            f"{name}: the file is cut short: it should have {count(size, 'byte')} of sound, and has "
            f"{length - offset}; copy it again, or keep what is there: ffmpeg -i {name} out.wav"
        )
    return form, offset, size


def _read_format(data: bytes, name: str) -> _Format:
    """Reads and checks the format chunk."""
    if len(data) < 16:
        raise ValueError(f"{name}: the file ends in its format; it is cut short or broken")
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", data)
    if kind == _EXTENSIBLE and len(data) >= 40:
        (kind,) = struct.unpack_from("<H", data, 24)
    if bits not in _WIDTHS.get(kind, ()):
        raise ValueError(
            f"{name}: samples of kind {kind} with {bits} bits cannot be read; {_CURE.format(name=name)}"
        )
    if not channels or not 1_000 <= rate <= 1_000_000:
        raise ValueError(
            f"{name}: {count(channels, 'channel')} at {rate} Hz make no sense; the header is broken"
        )
    return _Format(kind, channels, rate, bits)


def _guess_kind(head: bytes) -> str:
    """What a file seems to be that is no wav file."""
    kinds: dict[str, bytes | tuple[bytes, ...]] = {
        "a big-endian wav file": b"RIFX",
        "FLAC": b"fLaC",
        "Ogg": b"OggS",
        "MP3": (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"),
        "NIST SPHERE": b"NIST",
        "AIFF": b"FORM",
        "Sun au": b".snd",
    }
    if head[4:8] == b"ftyp":
        return " but MPEG-4"
    return next((f" but {kind}" for kind, starts in kinds.items() if head.startswith(starts)), "")


# ------------------------------------------------------------------------------------------ samples


def _decode(data: bytes, form: _Format, numpy: Any) -> Any:
    """Samples as floating-point numbers, full scale ±1."""
    if form.kind == _FLOAT:
        return numpy.frombuffer(data, f"<f{form.bits // 8}")
    if form.kind == _MU_LAW:
        return _expand_mu_law(numpy)[numpy.frombuffer(data, numpy.uint8)]
    if form.kind == _A_LAW:
        return _expand_a_law(numpy)[numpy.frombuffer(data, numpy.uint8)]
    if form.bits == 8:
        return (numpy.frombuffer(data, numpy.uint8).astype(numpy.float32) - 128) / 128
    if form.bits == 24:
        octets = numpy.zeros((len(data) // 3, 4), numpy.uint8)
        octets[:, 1:] = numpy.frombuffer(data, numpy.uint8).reshape(-1, 3)
        return octets.reshape(-1).view("<i4") / numpy.float32(1 << 31)
    return numpy.frombuffer(data, f"<i{form.bits // 8}") / numpy.float32(1 << (form.bits - 1))


def _expand_mu_law(numpy: Any) -> Any:
    """The sample that each byte stands for (ITU-T G.711)."""
    code = ~numpy.arange(256) & 0xFF
    size = ((((code & 0x0F) << 3) + 0x84) << ((code & 0x70) >> 4)) - 0x84
    return (numpy.where(code & 0x80, -size, size) / 32768).astype(numpy.float32)


def _expand_a_law(numpy: Any) -> Any:
    """The sample that each byte stands for (ITU-T G.711)."""
    code = numpy.arange(256) ^ 0x55
    exponent = (code & 0x70) >> 4
    size = ((code & 0x0F) << 4) + numpy.where(exponent, 0x108, 8) << numpy.maximum(exponent - 1, 0)
    return (numpy.where(code & 0x80, size, -size) / 32768).astype(numpy.float32)

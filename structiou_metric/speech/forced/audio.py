"""Recordings in the formats of libsndfile: stretches are read from one channel, at one rate."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from ...optional import need
from ...wording import count

RATE = 16_000  # Samples a second of all that is handed to an aligner.
BLOCK = 1 << 18  # frames that are read at once

# Endings of the names of recordings; the last line has formats that libsndfile does not read.
SOUND_ENDINGS = (
    *(".wav", ".wave", ".rf64", ".sph", ".nist", ".flac", ".mp3", ".ogg", ".oga", ".opus"),
    *(".aif", ".aiff", ".aifc", ".au", ".snd", ".caf", ".w64"),
    *(".aac", ".amr", ".m4a", ".mp4", ".shn", ".webm", ".wma"),
)

_CURE = "convert it, as with: ffmpeg -i {name} -ac 1 -ar 16000 -c:a pcm_s16le out.wav"
_TOLERANCE = 0.05  # seconds by which a mark may lie after the end, as marks are often rounded
_LOUDEST = 1e6  # times full scale, far beyond what a program writes on purpose
_UNKNOWN_FRAMES = 1 << 60  # from libsndfile, if the header has no number
_UNKNOWN_BYTES = 0xFFFFFFFF  # written by programs that cannot go back to the header
_RUN_UP = 0.3  # seconds unpacked before a stretch, since a frame of Opus depends on earlier ones

# The log of libsndfile on a part that is shorter than its header says, which it reads without an error.
# Sizes of the whole file are not looked at, which many programs get wrong.
_SHORT_PART = re.compile(r"^ *(?!RIF|FORM|Riff)\w[\w ]*: (\d+) \(should be (\d+)\)", re.MULTILINE)
_SHORT_RF64 = re.compile(r"frame count (\d+) does not match value from 'ds64' chunk of (\d+)")
_SPHERE_COUNT = re.compile(rb"\nsample_count -i (\d{1,18})\n")

_TAIL = 1 << 17  # bytes at the end of an Ogg file that hold its last page
_LAST_PAGE = 4  # flag of a page of Ogg
_PAGE_HEAD = 27  # bytes of a page of Ogg before the sizes of its segments


class SoundFile:
    """A recording that is open: wav, NIST SPHERE, FLAC, MP3, Ogg, AIFF or another kind of libsndfile's.

    >>> import os, tempfile, wave
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "silence.wav")
    ...     with wave.open(path, "wb") as sound:
    ...         sound.setparams((1, 2, 8_000, 0, "NONE", ""))
    ...         sound.writeframes(bytes(16_000))
    ...     file = SoundFile(path)
    ...     samples = file.read(0.25, 0.75)
    >>> file.rate, file.channels, file.seconds
    (8000, 1, 1.0)
    >>> len(samples)  # half a second at 16,000 samples a second
    8000

    Attributes:
        path: Where the file is.
        rate: The number of frames a second, as it was recorded.
        channels: The number of samples in a frame.
        n_frames: The number of frames.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a recording; its name does not matter.

        Raises:
            ValueError: If it is no recording, of a kind that cannot be read, cut short, broken, or without
                any sound.
            ImportError: If `soundfile` is not installed.
        """
        self.path = os.fspath(path)
        with open(self.path, "rb") as file:
            if not file.seekable():
                raise ValueError(
                    f"{self.path}: sound is read from many places, so it must be a file and not a pipe"
                )
            self._head = file.read(1024)
        if not self._head:
            raise ValueError(f"{self.path}: the file is empty")
        library = need("soundfile", "speech", "reading recordings")
        self._error = library.LibsndfileError

        class Steady(library.SoundFile):  # type: ignore[misc, name-defined]
            """A file that does not seek to its position again after each read, as that would corrupt MP3."""

            def seekable(self) -> bool:
                return False

        self._library_file = Steady
        self._cut = (
            f"{self.path}: the file is cut short or damaged: there is less sound than it should have; copy "
            f"it again, or keep what is there: ffmpeg -i {self.path} out.wav"
        )
        self._open()
        self.rate: int = self._file.samplerate
        self.channels: int = self._file.channels
        self._is_mp3 = self._file.format in ("MP3", "MPEG")
        n_frames = self._file.frames
        self.n_frames: int = self._counted() if n_frames >= _UNKNOWN_FRAMES else n_frames
        if not 1_000 <= self.rate <= 1_000_000:
            raise ValueError(f"{self.path}: {self.rate} Hz make no sense; the header is broken")
        self._check_sizes()
        if self.n_frames <= 0:
            raise ValueError(
                f"{self.path}: the file holds no sound, only a header; record or convert it again"
            )
        if not self._is_mp3:  # all of an MP3 would have to be unpacked; its end is checked when it is read
            for _ in self._blocks(self.n_frames - 1, self.n_frames):
                pass

    @property
    def seconds(self) -> float:
        """Return the length of the recording in seconds."""
        return self.n_frames / self.rate

    def bounds(self, start: float = 0.0, end: float | None = None) -> tuple[float, float]:
        """Return the stretch that two marks mean, in seconds that fall on samples.

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
        """Return the sound of a stretch: a numpy array of `RATE` samples a second, float32, full scale ±1.

        Args:
            start: Where the stretch starts, in seconds.
            end: Where the stretch ends; by default where the file does.
            channel: The channel, from 1; by default the mean of all.
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
        at = first
        for frames in self._blocks(first, last):
            part = frames.mean(axis=1) if channel is None else frames[:, channel - 1]
            if not (abs(part) <= _LOUDEST).all():  # nor is it for NaN
                raise ValueError(f"{self.path}: samples are not finite; the file is broken")
            part = numpy.ascontiguousarray(part, dtype=numpy.float32)
            at += len(part)
            if stream is not None:
                part = stream.resample_chunk(part, last=at >= last)
            parts.append(part)
        return numpy.concatenate(parts)

    # ---- frames ----------------------------------------------------------------------------------

    def _open(self) -> None:
        """Open the file at its start."""
        try:
            self._file = self._library_file(self.path)
        except self._error as error:
            if b",embedded-" in self._head:  # as the coding of a SPHERE file
                raise ValueError(
                    f"{self.path}: the samples are packed; unpack them, as with: "
                    f"sph2pipe -f wav {self.path} out.wav"
                ) from None
            raise ValueError(
                f"{self.path}: this is no recording that can be read ({self._reason(error)}); it is cut "
                f"short, broken or of an unknown kind: copy it again, or {_CURE.format(name=self.path)}"
            ) from None
        self._at = 0  # the next frame

    def _blocks(self, first: int, last: int) -> Iterator[Any]:
        """Yield all frames from one to before another, in arrays with a row a frame, full scale ±1."""
        try:
            if self._is_mp3:  # which cannot be entered in the middle, as frames keep bits in those before
                if self._at > first:
                    self._open()
            elif self._at != first:
                self._at = self._file.seek(max(0, first - round(_RUN_UP * self.rate)))
            for at in range(self._at, first, BLOCK):
                self._take(min(BLOCK, first - at))
            for at in range(first, last, BLOCK):
                yield self._take(min(BLOCK, last - at))
        except self._error as error:
            raise ValueError(f"{self._cut} ({self._reason(error)})") from None

    def _take(self, n_frames: int) -> Any:
        """Return the next frames."""
        frames = self._file.read(n_frames, dtype="float32", always_2d=True)
        self._at += len(frames)
        if len(frames) != n_frames:
            raise ValueError(self._cut)
        return frames

    def _counted(self) -> int:
        """Return the number of frames, counted by reading the file."""
        n_frames = 0
        try:
            while part := len(self._file.read(BLOCK, dtype="float32", always_2d=True)):
                n_frames += part
        except self._error as error:
            raise ValueError(f"{self._cut} ({self._reason(error)})") from None
        self._open()
        return n_frames

    def _check_sizes(self) -> None:
        """Raise an error if a file has less sound than its header says, or its last page is missing."""
        notes = self._file.extra_info
        sizes = [tuple(map(int, found)) for found in _SHORT_PART.findall(notes)]
        cut = any(_UNKNOWN_BYTES > size > there for size, there in sizes)
        cut = cut or any(int(there) < int(size) for there, size in _SHORT_RF64.findall(notes))
        if self._head.startswith(b"NIST_1A") and (found := _SPHERE_COUNT.search(self._head)):
            cut = cut or int(found[1]) > self.n_frames
        if self._head.startswith(b"OggS"):
            with open(self.path, "rb") as file:
                file.seek(max(0, os.path.getsize(self.path) - _TAIL))
                cut = not _ends_ogg(file.read())
        if cut:
            raise ValueError(self._cut)

    def _reason(self, error: Exception) -> str:
        """Return the error message of the library, without the path that it repeats."""
        return str(getattr(error, "error_string", error)).rstrip(".")


def _ends_ogg(tail: bytes) -> bool:
    """Return whether the last page of an Ogg file is marked as such, and is all there."""
    page = tail[max(0, tail.rfind(b"OggS")) :]
    if len(page) < _PAGE_HEAD or not page[5] & _LAST_PAGE:
        return False
    sizes = page[_PAGE_HEAD : _PAGE_HEAD + page[_PAGE_HEAD - 1]]
    return len(page) >= _PAGE_HEAD + page[_PAGE_HEAD - 1] + sum(sizes)

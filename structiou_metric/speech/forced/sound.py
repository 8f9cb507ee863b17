"""A recording of which stretches can be read: one channel, at one rate, whatever the file holds."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

from ...optional import need
from ...wording import count
from .samples import Samples, decode

RATE = 16_000  # Samples a second of all that is handed to an aligner.
BLOCK = 1 << 18  # frames that are read at once
CURE = "convert it, as with: ffmpeg -i {name} -ac 1 -ar 16000 -c:a pcm_s16le out.wav"

_TOLERANCE = 0.05  # seconds by which a mark may lie behind the end, as marks are often rounded
_LOUDEST = 1e6  # times full scale, far beyond what a program writes on purpose


class SoundFile:
    """A file with sound; those that read one kind say how frames are found.

    >>> import os, tempfile, wave
    >>> from structiou_metric.speech.forced.audio import open_sound
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "silence.wav")
    ...     with wave.open(path, "wb") as sound:
    ...         sound.setparams((1, 2, 8_000, 0, "NONE", ""))
    ...         sound.writeframes(bytes(16_000))
    ...     samples = open_sound(path).read(0.25, 0.75)
    >>> len(samples)  # half a second at 16,000 samples a second
    8000

    Attributes:
        path: Where the file is.
        rate: The number of frames a second, as it was recorded.
        channels: The number of samples in a frame.
        n_frames: The number of frames.
    """

    def __init__(self, path: str, rate: int, channels: int, n_frames: int) -> None:
        self.path = path
        self.rate = rate
        self.channels = channels
        self.n_frames = n_frames
        if not channels or not 1_000 <= rate <= 1_000_000:
            raise ValueError(
                f"{path}: {count(channels, 'channel')} at {rate} Hz make no sense; the header is broken"
            )
        if n_frames <= 0:
            raise ValueError(f"{path}: the file holds no sound, only a header; record or convert it again")

    @property
    def seconds(self) -> float:
        """The length of the recording in seconds."""
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
        for frames in self.blocks(first, last, numpy):
            part = self._one_channel(frames, channel, numpy)
            at += len(part)
            if stream is not None:
                part = stream.resample_chunk(part, last=at >= last)
            parts.append(part)
        return numpy.concatenate(parts)

    def blocks(self, first: int, last: int, numpy: Any) -> Iterator[Any]:
        """All frames from one to before another, in arrays with a row a frame, full scale ±1."""
        raise NotImplementedError

    def _one_channel(self, frames: Any, channel: int | None, numpy: Any) -> Any:
        one = frames.mean(axis=1) if channel is None else frames[:, channel - 1]
        if not (abs(one) <= _LOUDEST).all():  # nor is it for NaN
            raise ValueError(f"{self.path}: samples are not finite; the file is broken")
        return numpy.ascontiguousarray(one, dtype=numpy.float32)


class RawFile(SoundFile):
    """A file whose samples stand one behind the other; only those that are asked for are read."""

    def __init__(self, path: str, samples: Samples, offset: int, size: int) -> None:
        self._samples = samples
        self._offset = offset
        super().__init__(path, samples.rate, samples.channels, size // max(1, samples.frame_size))

    def blocks(self, first: int, last: int, numpy: Any) -> Iterator[Any]:
        """All frames from one to before another."""
        frame_size = self._samples.frame_size
        with open(self.path, "rb") as file:
            file.seek(self._offset + first * frame_size)
            for at in range(first, last, BLOCK):
                n_frames = min(BLOCK, last - at)
                data = file.read(n_frames * frame_size)
                if len(data) != n_frames * frame_size:
                    raise ValueError(f"{self.path}: the file has become shorter while it was read")
                yield decode(data, self._samples, numpy).reshape(n_frames, self.channels)


def check_size(path: str, size: int, there: int) -> None:
    """Refuses a file that has less sound than its header says."""
    if size > there:
        raise ValueError(
            f"{path}: the file is cut short: it should have {count(size, 'byte')} of sound, and has "
            f"{max(0, there)}; copy it again, or keep what is there: ffmpeg -i {path} out.wav"
        )

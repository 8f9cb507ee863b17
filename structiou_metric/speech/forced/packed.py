"""Files that libsndfile unpacks: FLAC, MP3, Ogg with Vorbis or Opus, and the rarer ones that it knows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ...optional import need
from . import sound
from .sound import CURE, SoundFile

_UNKNOWN = 1 << 60  # frames; what it says where the file does not tell how many there are
_TAIL = 1 << 17  # bytes at the end of an Ogg file that hold its last page
_LAST_PAGE = 4  # flag of a page of Ogg
_PAGE_HEAD = 27  # bytes of a page of Ogg before the sizes of its segments
_RUN_UP = 0.3  # seconds that are unpacked before a stretch, since Opus needs what is before a frame


class PackedFile(SoundFile):
    """A file that the library `soundfile` reads."""

    def __init__(self, path: str | os.PathLike[str], kind: str = "this kind of file") -> None:
        """Reads the header, and where that is quick whether there is sound up to the end that it tells.

        Raises:
            ValueError: If it is broken, cut short, or without any sound.
            ImportError: If `soundfile` is not installed.
        """
        self.path = os.fspath(path)
        self._kind = kind
        library = need("soundfile", "speech", f"reading {kind}")
        self._error = library.LibsndfileError

        class Steady(library.SoundFile):  # type: ignore[misc, name-defined]
            """A file that does not look for its place again after each read, which spoils MP3."""

            def seekable(self) -> bool:
                return False

        self._library_file = Steady
        self._cut = (
            f"{self.path}: the file is cut short or damaged: there is less sound than it should have; copy "
            f"it again, or keep what is there: ffmpeg -i {self.path} out.wav"
        )
        self._open()
        self._is_mp3 = self._file.format in ("MP3", "MPEG")
        n_frames = self._file.frames
        if n_frames >= _UNKNOWN:
            n_frames = self._counted()
        super().__init__(self.path, self._file.samplerate, self._file.channels, n_frames)
        self._check_end()

    def _open(self) -> None:
        """Opens the file at its start."""
        try:
            self._file = self._library_file(self.path)
        except self._error as error:
            raise ValueError(
                f"{self.path}: this {self._kind} cannot be read ({_reason(error)}); it is cut short, broken "
                f"or of an unknown kind: copy it again, or {CURE.format(name=self.path)}"
            ) from None
        self._at = 0  # the next frame

    def blocks(self, first: int, last: int, numpy: Any) -> Iterator[Any]:
        """All frames from one to before another."""
        try:
            self._go_to(first)
            for at in range(first, last, sound.BLOCK):
                yield self._take(min(sound.BLOCK, last - at))
        except self._error as error:
            raise ValueError(f"{self._cut} ({_reason(error)})") from None

    def _go_to(self, first: int) -> None:
        """Has the next frame be a certain one, with all that is needed to unpack it exactly."""
        if self._is_mp3:  # which cannot be entered in the middle, as frames keep bits in those before
            if self._at > first:
                self._open()
        elif self._at != first:
            self._at = self._file.seek(max(0, first - round(_RUN_UP * self.rate)))
        for at in range(self._at, first, sound.BLOCK):
            self._take(min(sound.BLOCK, first - at))

    def _take(self, n_frames: int) -> Any:
        """The next frames."""
        frames = self._file.read(n_frames, dtype="float32", always_2d=True)
        self._at += len(frames)
        if len(frames) != n_frames:
            raise ValueError(self._cut)
        return frames

    def _counted(self) -> int:
        """The number of frames, where only reading tells."""
        n_frames = 0
        try:
            while part := len(self._file.read(sound.BLOCK, dtype="float32", always_2d=True)):
                n_frames += part
        except self._error as error:
            raise ValueError(f"{self._cut} ({_reason(error)})") from None
        self._open()
        return n_frames

    def _check_end(self) -> None:
        """Refuses a file whose end is missing."""
        with open(self.path, "rb") as file:
            head = file.read(8)
            length = file.seek(0, os.SEEK_END)
            file.seek(max(0, length - _TAIL))
            tail = file.read()
        if head[:4] == b"OggS" and not _ends_ogg(tail):
            raise ValueError(self._cut)
        if head[:4] in (b"FORM", b"RIFX") and int.from_bytes(head[4:], "big") + 8 > length:
            raise ValueError(self._cut)
        if not self._is_mp3:  # of which all would have to be unpacked; the end is seen when it is read
            for _ in self.blocks(self.n_frames - 1, self.n_frames, None):
                pass


def _ends_ogg(tail: bytes) -> bool:
    """Whether the last page of an Ogg file is marked as such, and is all there."""
    page = tail[max(0, tail.rfind(b"OggS")) :]
    if len(page) < _PAGE_HEAD or not page[5] & _LAST_PAGE:
        return False
    sizes = page[_PAGE_HEAD : _PAGE_HEAD + page[_PAGE_HEAD - 1]]
    return len(page) >= _PAGE_HEAD + page[_PAGE_HEAD - 1] + sum(sizes)


def _reason(error: Exception) -> str:
    """What the library says, without the path that it repeats."""
    return str(getattr(error, "error_string", error)).rstrip(".")

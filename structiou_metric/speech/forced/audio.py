"""One way to open a recording: what it is stands in its first bytes, not in its name."""

from __future__ import annotations

import os

from .packed import PackedFile
from .sound import CURE, RATE, SoundFile
from .sphere import SphereFile
from .wav import WavFile

__all__ = ["KINDS", "RATE", "SOUND_ENDINGS", "SoundFile", "WavFile", "open_sound"]

# How files begin that libsndfile reads, and what they are called.
_PACKED = {
    b"fLaC": "FLAC",
    b"OggS": "Ogg",
    b"ID3": "MP3",
    b"RIFX": "big-endian wav",
    b"FORM": "AIFF",
}

# The kinds of recordings that are read.
KINDS = ("wav", "NIST SPHERE", *dict.fromkeys(_PACKED.values()))

# What names of recordings end in; the last line is of kinds that are not read, which is said of them by name.
SOUND_ENDINGS = (
    *(".wav", ".wave", ".rf64", ".sph", ".nist", ".flac", ".mp3", ".ogg", ".oga", ".opus"),
    *(".aif", ".aiff", ".aifc"),
    *(".aac", ".amr", ".au", ".caf", ".m4a", ".mp4", ".shn", ".snd", ".w64", ".webm", ".wma"),
)


def open_sound(path: str | os.PathLike[str]) -> SoundFile:
    """A recording of which stretches can be read.

    Wav and SPHERE files need no library to be opened; FLAC, MP3, Ogg and a few more need `soundfile`, which
    the extra `speech` installs.

    >>> import os, tempfile, wave
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "silence.wav")
    ...     with wave.open(path, "wb") as sound:
    ...         sound.setparams((1, 2, 8_000, 0, "NONE", ""))
    ...         sound.writeframes(bytes(16_000))
    ...     found = open_sound(path)
    >>> found.rate, found.channels, found.seconds
    (8000, 1, 1.0)

    Args:
        path: The file, whatever its name.

    Raises:
        ValueError: If it is no recording, of a kind that cannot be read, cut short, broken, or without any
            sound.
        ImportError: If a library is missing that it needs.
    """
    name = os.fspath(path)
    with open(name, "rb") as file:
        if not file.seekable():
            raise ValueError(f"{name}: sound is read from many places, so it must be a file and not a pipe")
        head = file.read(12)
    if not head:
        raise ValueError(f"{name}: the file is empty")
    if head[:4] in (b"RIFF", b"RF64") and head[8:] == b"WAVE":
        return WavFile(name)
    if head.startswith(b"NIST_1A"):
        return SphereFile(name)
    kind = next((kind for start, kind in _PACKED.items() if head.startswith(start)), None)
    if kind is None and _is_mpeg(head):
        kind = "MP3"
    if kind is not None:
        return PackedFile(name, kind)
    what = " but MPEG-4" if head[4:8] == b"ftyp" else ""
    raise ValueError(
        f"{name}: this is no recording of a kind that is read ({', '.join(KINDS)}){what}; "
        f"{CURE.format(name=name)}"
    )


def _is_mpeg(head: bytes) -> bool:
    """Whether this is the header of a frame of MPEG audio: version, layer, bit rate and sample rate."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    return (
        (head[1] >> 3) & 3 != 1 and (head[1] >> 1) & 3 == 1 and head[2] >> 4 != 15 and (head[2] >> 2) & 3 != 3
    )

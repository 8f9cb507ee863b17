"""NIST's SPHERE files, in which corpora such as Switchboard come: a header in text, then samples."""

from __future__ import annotations

import os

from .samples import A_LAW, MU_LAW, PCM, WIDTHS, Samples
from .sound import CURE, RawFile, check_size

_KINDS = {"pcm": PCM, "ulaw": MU_LAW, "mu-law": MU_LAW, "alaw": A_LAW}
_LONGEST = 1 << 16  # bytes of a header


class SphereFile(RawFile):
    """A SPHERE file with samples that are not packed: whole numbers, mu-law or A-law."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Reads the header.

        Raises:
            ValueError: If it is of an unknown kind, packed, cut short, or without any sound.
        """
        name = os.fspath(path)
        with open(name, "rb") as file:
            head = file.read(16).split()
            offset = int(head[1]) if len(head) > 1 and head[1].isdigit() else 0
            if not 16 <= offset <= _LONGEST:
                raise ValueError(f"{name}: the header does not say how long it is; it is cut short or broken")
            text = file.read(offset - 16)
            length = file.seek(0, os.SEEK_END)
        if len(text) < offset - 16 or b"end_head" not in text:
            raise ValueError(f"{name}: the file ends in its header; it is cut short or broken")
        fields = _fields(text)
        samples = _samples(fields, name)
        size = length - offset
        if "sample_count" in fields:
            size = _number(fields, "sample_count", name) * samples.frame_size
            check_size(name, size, length - offset)
        super().__init__(name, samples, offset, size)


def _fields(text: bytes) -> dict[str, str]:
    """The values of the header by their names."""
    fields = {}
    for line in text.decode("latin-1").split("\n"):
        parts = line.split(None, 2)
        if parts and parts[0] == "end_head":
            break
        if len(parts) == 3:
            fields[parts[0]] = parts[2].strip()
    return fields


def _samples(fields: dict[str, str], name: str) -> Samples:
    coding, _, packing = fields.get("sample_coding", "pcm").partition(",")
    if packing:
        raise ValueError(
            f"{name}: the samples are packed ({packing}); unpack them, as with: "
            f"sph2pipe -f wav {name} out.wav"
        )
    kind = _KINDS.get(coding)
    bits = 8 * _number(fields, "sample_n_bytes", name)
    if kind is None or bits not in WIDTHS[kind]:
        raise ValueError(
            f"{name}: samples of coding {coding!r} with {bits} bits cannot be read; {CURE.format(name=name)}"
        )
    # The order of bytes is told as 01 from the lowest to the highest, and 10 the other way round.
    big_endian = fields.get("sample_byte_format", "01").startswith("1") and bits > 8
    channels, rate = _number(fields, "channel_count", name), _number(fields, "sample_rate", name)
    return Samples(kind, channels, rate, bits, big_endian, signed=True)


def _number(fields: dict[str, str], key: str, name: str) -> int:
    text = fields.get(key, "")
    if not text.isdecimal() or len(text) > 18:
        raise ValueError(f"{name}: the header says {key} {text or 'nothing'}, no whole number; it is broken")
    return int(text)

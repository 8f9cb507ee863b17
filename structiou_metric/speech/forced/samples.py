"""Samples as files keep them that are not packed: whole or floating-point numbers, mu-law or A-law."""

from __future__ import annotations

from typing import Any, NamedTuple

PCM, FLOAT, A_LAW, MU_LAW = 1, 3, 6, 7  # as wav files number them
WIDTHS = {PCM: (8, 16, 24, 32), FLOAT: (32, 64), A_LAW: (8,), MU_LAW: (8,)}  # bits that a sample may have


class Samples(NamedTuple):
    """What a header says of the samples behind it."""

    kind: int  # how samples are coded
    channels: int  # samples in a frame
    rate: int  # frames a second
    bits: int  # of a sample
    big_endian: bool = False
    signed: bool = False  # samples of 8 bits, which usually are not

    @property
    def frame_size(self) -> int:
        """The number of bytes of a frame."""
        return self.channels * self.bits // 8


def decode(data: bytes, form: Samples, numpy: Any) -> Any:
    """The samples as floating-point numbers, full scale ±1."""
    order = ">" if form.big_endian else "<"
    if form.kind == FLOAT:
        return numpy.frombuffer(data, f"{order}f{form.bits // 8}")
    if form.kind == MU_LAW:
        return _expand_mu_law(numpy)[numpy.frombuffer(data, numpy.uint8)]
    if form.kind == A_LAW:
        return _expand_a_law(numpy)[numpy.frombuffer(data, numpy.uint8)]
    if form.bits == 8 and not form.signed:
        return (numpy.frombuffer(data, numpy.uint8).astype(numpy.float32) - 128) / 128
    if form.bits == 24:
        octets = numpy.zeros((len(data) // 3, 4), numpy.uint8)
        parts = numpy.frombuffer(data, numpy.uint8).reshape(-1, 3)
        octets[:, 1:] = parts[:, ::-1] if form.big_endian else parts
        return octets.reshape(-1).view("<i4") / numpy.float32(1 << 31)
    return numpy.frombuffer(data, f"{order}i{form.bits // 8}") / numpy.float32(1 << (form.bits - 1))


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

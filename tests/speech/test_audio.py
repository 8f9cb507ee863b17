"""Recordings: every kind of file and of samples, stretches, channels and rates, and files that are broken."""

from __future__ import annotations

import os
import struct
import sys
import tracemalloc
import wave

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.speech.forced import audio
from structiou_metric.speech.forced.audio import RATE, SoundFile
from support.extras import need

need("numpy")
need("soxr")
need("soundfile")

import numpy  # noqa: E402

PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE = 1, 3, 6, 7, 0xFFFE


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def wav(data, kind=PCM, bits=16, *, rate=RATE, channels=1, before=b"", extra=b"", head=b"RIFF"):
    """A file written by hand; `before` goes before the samples, `extra` to the end of the format."""
    size = channels * bits // 8
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * size, size, bits) + extra
    body = b"WAVE" + chunk(b"fmt ", form) + before + chunk(b"data", data)
    return head + struct.pack("<I", len(body)) + body


def extensible(kind, bits):
    guid = struct.pack("<H", kind) + bytes.fromhex("000000001000800000aa00389b71")
    return struct.pack("<HHI", 22, bits, 4) + guid


def save(folder, data):
    path = folder / "x.wav"
    path.write_bytes(data)
    return path


# ------------------------------------------------------------------------------------------ samples

HALVES = [0.0, 0.5, -0.5, -1.0]
PCM_8 = bytes([128, 192, 64, 0])
PCM_16 = struct.pack("<4h", 0, 16384, -16384, -32768)
PCM_24 = b"".join(
    (number << 8).to_bytes(4, "little", signed=True)[1:] for number in (0, 1 << 22, -(1 << 22), -(1 << 23))
)
PCM_32 = struct.pack("<4i", 0, 1 << 30, -(1 << 30), -(1 << 31))
FLOAT_32 = struct.pack("<4f", *HALVES)
FLOAT_64 = struct.pack("<4d", *HALVES)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(wav(PCM_8, bits=8), id="8 bits"),
        pytest.param(wav(PCM_16), id="16 bits"),
        pytest.param(wav(PCM_24, bits=24), id="24 bits"),
        pytest.param(wav(PCM_32, bits=32), id="32 bits"),
        pytest.param(wav(FLOAT_32, FLOAT, 32), id="float"),
        pytest.param(wav(FLOAT_64, FLOAT, 64), id="double"),
        pytest.param(wav(PCM_24, EXTENSIBLE, 24, extra=extensible(PCM, 24)), id="extensible, 24 bits"),
        pytest.param(wav(FLOAT_32, EXTENSIBLE, 32, extra=extensible(FLOAT, 32)), id="extensible, float"),
        pytest.param(wav(PCM_16, extra=b"\0\0"), id="empty extension of the format"),
        pytest.param(wav(PCM_16, before=chunk(b"LIST", b"odd")), id="another chunk, of odd length"),
        pytest.param(wav(PCM_16) + chunk(b"LIST", b"tail"), id="a chunk behind the samples"),
        pytest.param(wav(PCM_16) + b"\0", id="a byte too many"),
        pytest.param(wav(PCM_16).replace(b"data\x08\0\0\0", b"data\xff\xff\xff\xff"), id="size not known"),
        pytest.param(
            wav(PCM_16, before=chunk(b"ds64", struct.pack("<QQQI", 80, 8, 4, 0)), head=b"RF64").replace(
                b"data\x08\0\0\0", b"data\xff\xff\xff\xff"
            ),
            id="RF64",
        ),
    ],
)
def test_read_kinds_of_samples(tmp_path, data):
    file = SoundFile(save(tmp_path, data))
    assert (file.rate, file.channels, file.n_frames) == (RATE, 1, 4)
    samples = file.read()
    assert samples.dtype == numpy.float32
    assert samples.tolist() == HALVES


@pytest.mark.parametrize(
    "kind, codes, want",
    [
        # Tables 1 and 2 of G.711, times 4 and 16 to fill 16 bits.
        pytest.param(MU_LAW, [0xFF, 0x7F, 0x80, 0x00, 0xEF], [0, 0, 32124, -32124, 132], id="mu-law"),
        pytest.param(A_LAW, [0xD5, 0x55, 0xAA, 0x2A], [8, -8, 32256, -32256], id="A-law"),
    ],
)
def test_read_telephone_samples(tmp_path, kind, codes, want):
    samples = SoundFile(save(tmp_path, wav(bytes(codes), kind, 8))).read()
    assert (samples * 32768).tolist() == want


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("channels", [1, 2, 5])
def test_read_what_the_standard_library_writes(tmp_path, width, channels):
    data = bytes(range(width * channels)) * 7
    path = tmp_path / "x.wav"
    with wave.open(str(path), "wb") as out:
        out.setparams((channels, width, RATE, 0, "NONE", ""))
        out.writeframes(data)
    file = SoundFile(path)
    assert (file.channels, file.n_frames, file.rate) == (channels, 7, RATE)
    unit = 1 << (8 * width - 1)
    signed = [
        int.from_bytes(data[i : i + width], "little", signed=width > 1) for i in range(0, len(data), width)
    ]
    values = [(one - 128 if width == 1 else one) / unit for one in signed]
    for channel in range(channels):
        want = numpy.array(values[channel::channels], numpy.float32)
        assert numpy.array_equal(file.read(channel=channel + 1), want)
    means = [sum(values[i : i + channels]) / channels for i in range(0, len(values), channels)]
    assert numpy.allclose(file.read(), means, atol=1e-7)


# ------------------------------------------------------------------------------------------ stretches

RAMP = numpy.arange(2000, dtype="<i2")


@given(st.data(), st.sampled_from([1, 7, 64, 100_000]))
def test_read_stretch_is_a_slice(tmp_path_factory, data, block):
    folder = tmp_path_factory.getbasetemp()
    path = save(folder, wav(RAMP.tobytes()))
    first = data.draw(st.integers(0, 1999))
    last = data.draw(st.integers(first + 1, 2000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(audio, "BLOCK", block)
        samples = SoundFile(path).read(first / RATE, last / RATE)
    assert (samples * 32768).tolist() == list(range(first, last))


def test_bounds_fall_on_samples(tmp_path):
    file = SoundFile(save(tmp_path, wav(RAMP.tobytes())))
    assert file.seconds == 0.125
    assert file.bounds() == (0.0, 0.125)
    assert file.bounds(0.01001, 0.05) == (0.01, 0.05)
    assert file.bounds(0.1, 0.17) == (0.1, 0.125)  # marks are rounded


@pytest.mark.parametrize(
    "start, end, message",
    [
        (-0.1, None, r"x\.wav: the stretch -0\.1 to 0\.125 s is not in the file, which lasts 0\.12 s"),
        (
            0.0,
            0.2,
            "the stretch 0 to 0.2 s is not in the file.* are the marks those of this file, in seconds",
        ),
        (0.05, 0.05, "the stretch 0.05 to 0.05 s is empty"),
        (0.1, 0.05, "the stretch 0.1 to 0.05 s is empty"),
        (0.125, None, "the stretch 0.125 to 0.125 s is empty"),
        (float("nan"), None, "the stretch nan to 0.125 s is not finite"),
        (0.0, float("inf"), "the stretch 0.0 to inf s is not finite"),
    ],
)
def test_bounds_errors(tmp_path, start, end, message):
    file = SoundFile(save(tmp_path, wav(RAMP.tobytes())))
    with pytest.raises(ValueError, match=message):
        file.read(start, end)


@pytest.mark.parametrize("channel", [0, 3, -1])
def test_read_channel_that_is_not_there(tmp_path, channel):
    file = SoundFile(save(tmp_path, wav(RAMP.tobytes(), channels=2)))
    with pytest.raises(ValueError, match=rf"there is no channel {channel}, only 2 channels"):
        file.read(channel=channel)


def test_read_only_what_is_asked_for(tmp_path):
    hour = 3600 * 8000
    path = save(tmp_path, wav(b"", bits=8, rate=8000)[:-4] + struct.pack("<I", hour))
    with open(path, "r+b") as file:
        file.truncate(path.stat().st_size + hour)
    file = SoundFile(path)
    file.read(0.0, 1.0)  # loads the libraries
    tracemalloc.start()
    samples = file.read(3000.0, 3001.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(samples) == RATE
    assert peak < 1 << 20  # of 29 MB


# ------------------------------------------------------------------------------------------ rates


def tone(hertz, rate, seconds=0.5):
    return numpy.sin(2 * numpy.pi * hertz * numpy.arange(round(rate * seconds)) / rate) / 2


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 48000, 96000])
@pytest.mark.parametrize("block", [1000, 1 << 18], ids=["in blocks", "at once"])
def test_read_resamples_to_the_same_tone(tmp_path, monkeypatch, rate, block):
    monkeypatch.setattr(audio, "BLOCK", block)
    stereo = numpy.stack([tone(440, rate), tone(440, rate) / 2], axis=1)
    path = save(tmp_path, wav((stereo * 32767).astype("<i2").tobytes(), rate=rate, channels=2))
    samples = SoundFile(path).read()
    want = tone(440, RATE) * 0.75
    assert abs(len(samples) - len(want)) <= 1
    inner = slice(400, 7600)  # a filter needs some room at the ends
    assert numpy.abs(samples[inner] - want[inner]).max() < 2e-3


def test_read_removes_what_the_rate_cannot_hold(tmp_path):
    """Leaving out samples would turn 10 kHz into a loud 6 kHz."""
    path = save(tmp_path, wav((tone(10_000, 48_000) * 32767).astype("<i2").tobytes(), rate=48_000))
    assert numpy.abs(SoundFile(path).read()[400:7600]).max() < 2e-3


# ------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    "data, message",
    [
        pytest.param(b"", "the file is empty", id="empty file"),
        pytest.param(b"RIFF", r"this is no recording that can be read \(.*convert it, as", id="a few bytes"),
        pytest.param(b"not sound at all", "this is no recording .*convert it, as with: ffmpeg", id="text"),
        pytest.param(b"\0\0\0\x20ftypM4A " + bytes(40), "this is no recording .*convert it", id="M4A"),
        pytest.param(b"NIST_1A\n" + bytes(40), "NIST file, bad header", id="SPHERE without a size"),
        pytest.param(wav(PCM_16)[:30], "no recording that can be read", id="cut in the format"),
        pytest.param(wav(PCM_16)[:36], "No 'data' chunk", id="cut before the samples"),
        pytest.param(wav(PCM_16)[:12], "No 'data' chunk", id="cut before the format"),
        pytest.param(wav(PCM_16)[:-3], "the file is cut short or damaged: there is less sound", id="cut"),
        pytest.param(
            wav(PCM_16, before=chunk(b"ds64", struct.pack("<QQQI", 80, 8, 4, 0)), head=b"RF64").replace(
                b"data\x08\0\0\0", b"data\xff\xff\xff\xff"
            )[:-2],
            "the file is cut short",
            id="cut RF64",
        ),
        pytest.param(wav(b""), "the file holds no sound, only a header", id="no samples"),
        pytest.param(wav(b"\0"), "the file holds no sound", id="half a sample"),
        pytest.param(wav(PCM_16, 2, 4), "Malformed 'fmt ' chunk.*convert it", id="broken ADPCM"),
        pytest.param(wav(PCM_16, channels=0), "Channel count is zero", id="no channel"),
        pytest.param(wav(PCM_16, rate=0), "no recording that can be read", id="no rate"),
        pytest.param(wav(PCM_16, rate=10), "10 Hz make no sense", id="a rate that nobody uses"),
        pytest.param(b"RIFF\0\0\0\0WAVE" + chunk(b"data", PCM_16), "no recording", id="no format"),
    ],
)
def test_broken_files_are_refused(tmp_path, data, message):
    with pytest.raises(ValueError, match=rf"x\.wav: .*{message}"):
        SoundFile(save(tmp_path, data))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_wav_file_that_is_a_pipe(tmp_path):
    path = tmp_path / "pipe.wav"
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)  # so that nobody waits
    with pytest.raises(ValueError, match=r"pipe\.wav: sound is read from many places, so it must be a file"):
        SoundFile(path)
    os.close(writer)


def test_wav_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.wav"):
        SoundFile(tmp_path / "none.wav")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e300])
def test_read_samples_that_are_not_finite(tmp_path, bad):
    file = SoundFile(save(tmp_path, wav(struct.pack("<3d", 0.0, bad, 0.0), FLOAT, 64)))
    with pytest.raises(ValueError, match=r"x\.wav: samples are not finite; the file is broken"):
        file.read()


def test_read_file_that_was_cut_meanwhile(tmp_path):
    path = save(tmp_path, wav(PCM_16))
    file = SoundFile(path)
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(ValueError, match="cut short or damaged"):
        file.read()


# ------------------------------------------------------------------------------------------ SPHERE


def sphere(data, coding="ulaw", width=1, *, rate=RATE, channels=1, n=None, order="", size=1024, **rest):
    """A file written by hand; `rest` are further fields, and None leaves out one of the usual ones."""
    fields = {
        "channel_count": channels,
        "sample_rate": rate,
        "sample_n_bytes": width,
        "sample_count": len(data) // (width * channels) if n is None else n,
        "sample_coding": coding,
        "sample_byte_format": order or None,
        **rest,
    }
    lines = "".join(
        f"{name} -{'i' if isinstance(value, int) else f's{len(value)}'} {value}\n"
        for name, value in fields.items()
        if value is not None
    )
    return f"NIST_1A\n{size:7}\n{lines}end_head\n".encode().ljust(size) + data


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(sphere(PCM_16, "pcm", 2, order="01"), id="little-endian"),
        pytest.param(
            sphere(numpy.frombuffer(PCM_16, "<i2").astype(">i2").tobytes(), "pcm", 2, order="10"),
            id="big-endian",
        ),
        pytest.param(sphere(PCM_16, "pcm", 2, order="01", sample_count=None), id="no count"),
        pytest.param(sphere(PCM_16, None, 2, order="01", size=2048), id="no coding, a long header"),
    ],
)
def test_read_sphere(tmp_path, data):
    file = SoundFile(save(tmp_path, data))
    assert (file.rate, file.channels, file.n_frames) == (RATE, 1, 4)
    assert file.read().tolist() == HALVES


def test_read_sphere_with_mu_law_of_two_speakers(tmp_path):
    """As Switchboard has it, a speaker a channel; the samples are those of a wav file with the same bytes."""
    codes = bytes(numpy.random.default_rng(0).integers(0, 256, 1600, numpy.uint8))
    there = SoundFile(save(tmp_path, sphere(codes, channels=2, rate=8000)))
    assert (there.rate, there.channels, there.n_frames) == (8000, 2, 800)
    want = SoundFile(save(tmp_path, wav(codes, MU_LAW, 8, rate=8000, channels=2)))
    expected = [want.read(0.01, 0.05, channel=channel) for channel in (1, 2, None)]
    there = SoundFile(save(tmp_path, sphere(codes, channels=2, rate=8000)))
    for channel, samples in zip((1, 2, None), expected, strict=True):
        assert numpy.array_equal(there.read(0.01, 0.05, channel=channel), samples)


@pytest.mark.parametrize(
    "data, message",
    [
        pytest.param(
            sphere(b"\0\0", "ulaw,embedded-shorten-v2.00"),
            "the samples are packed; unpack them, as with: sph2pipe",
            id="shorten",
        ),
        pytest.param(sphere(b"\0\0", "wavpack"), "unimplemented format.*convert it", id="coding"),
        pytest.param(sphere(b"\0\0", n=9), "the file is cut short or damaged", id="cut"),
        pytest.param(sphere(b"\0\0")[:500], "NIST file, bad header", id="cut in the header"),
        pytest.param(sphere(b"\0\0", sample_rate="fast"), "no recording that can be read", id="rate"),
        pytest.param(sphere(b"\0\0", channel_count=None), "no recording that can be read", id="channels"),
        pytest.param(sphere(b"\0\0", channels=0, n=1), "no recording that can be read", id="no channel"),
        pytest.param(sphere(b""), "the file holds no sound", id="no samples"),
    ],
)
def test_sphere_errors(tmp_path, data, message):
    with pytest.raises(ValueError, match=rf"x\.wav: .*{message}"):
        SoundFile(save(tmp_path, data))


# ------------------------------------------------------------------------------------------ packed files

PACKED = {"FLAC": ("FLAC", "PCM_16"), "MP3": ("MP3", "MPEG_LAYER_III"), "Vorbis": ("OGG", "VORBIS")}
PACKED |= {"Opus": ("OGG", "OPUS"), "AIFF": ("AIFF", "PCM_16")}


def pack(path, kind, samples, rate=RATE):
    import soundfile

    form, subtype = PACKED[kind]
    soundfile.write(path, samples, rate, subtype=subtype, format=form)
    return path


@pytest.mark.parametrize("kind", PACKED)
def test_read_packed_files(tmp_path, monkeypatch, kind):
    """The sound of two channels comes back, whatever the file is called, whole and in stretches."""
    stereo = numpy.stack([tone(440, RATE, 3.0), tone(440, RATE, 3.0) / 2], axis=1)
    file = SoundFile(pack(tmp_path / "x.wav", kind, stereo))
    assert (file.rate, file.channels) == (RATE, 2) or kind == "Opus"
    assert file.seconds == pytest.approx(3.0, abs=0.1)
    loud = [numpy.abs(file.read(1.0, 2.0, channel=channel)).max() for channel in (1, 2, None)]
    assert loud == pytest.approx([0.5, 0.25, 0.375], abs=0.03)
    whole, part = file.read(), file.read(1.0, 1.5)
    monkeypatch.setattr(audio, "BLOCK", 700)
    assert numpy.array_equal(SoundFile(file.path).read(), whole)
    assert len(part) == RATE // 2
    assert numpy.abs(part - whole[RATE : RATE * 3 // 2])[400:-400].max() < 2e-3
    if kind != "Opus":  # which has a rate of its own
        assert numpy.abs(part - whole[RATE : RATE * 3 // 2]).max() < 2e-3


@pytest.mark.parametrize("kind", ["FLAC", "AIFF"])
def test_packed_files_without_loss_are_read_exactly(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(audio, "BLOCK", 700)
    file = SoundFile(pack(tmp_path / "x", kind, RAMP))
    assert (file.read() * 32768).tolist() == RAMP.tolist()
    assert (file.read(0.01, 0.1) * 32768).tolist() == RAMP[160:1600].tolist()


@pytest.mark.parametrize("kind", PACKED)
def test_packed_files_that_are_cut_short(tmp_path, kind):
    path = pack(
        tmp_path / "x.bin", kind, numpy.random.default_rng(1).normal(0, 0.1, 5 * RATE).astype("float32")
    )
    whole = path.read_bytes()
    for share in (0.3, 0.7, 0.95):
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(ValueError, match=r"x\.bin: .*(cut short|cannot be read)"):
            SoundFile(path).read()


@pytest.mark.parametrize("head", [b"fLaC", b"OggS", b"ID3\4", b"\xff\xfb\x90\x64", b"FORM", b"RIFX"])
def test_packed_files_that_are_nothing_but_a_head(tmp_path, head):
    with pytest.raises(ValueError, match=r"x\.wav: .*(cannot be read|cut short|holds no sound)"):
        SoundFile(save(tmp_path, head + bytes(60))).read()


def test_packed_files_need_a_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(
        ImportError, match=r"^reading recordings needs soundfile: pip install 'structiou-metric\[speech\]'$"
    ):
        SoundFile(save(tmp_path, b"fLaC" + bytes(40)))


@given(
    st.sampled_from([b"fLaC", b"OggS", b"ID3", b"\xff\xfb", b"NIST_1A\n   1024\n", b"FORM", b"RIFX"]),
    st.binary(max_size=200),
)
def test_any_bytes_are_read_or_refused(tmp_path_factory, head, junk):
    path = save(tmp_path_factory.getbasetemp(), head + junk)
    try:
        samples = SoundFile(path).read()
    except ValueError as error:
        message = str(error)
    else:
        assert len(samples)
        return
    assert message.startswith(str(path))

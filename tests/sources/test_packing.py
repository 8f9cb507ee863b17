"""Packed files: every kind is unpacked, damaged ones and bombs are refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from types import ModuleType, SimpleNamespace

import pytest

from structiou_metric import TreeFormatError, read_trees
from structiou_metric.sources import content
from structiou_metric.sources.content import Budget, strip_ending, unpack

TEXT = b"(A a)\n(B b)\n"
KINDS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}
PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
try:
    import zstandard
except ImportError:  # an extra
    pass
else:
    KINDS[".zst"] = "zstd"
    PACKERS[".zst"] = zstandard.ZstdCompressor().compress


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_files_are_read(ending, tmp_path):
    path = tmp_path / f"x.mrg{ending}"
    path.write_bytes(PACKERS[ending](TEXT))
    assert [str(tree) for tree in read_trees(path)] == ["(A a)", "(B b)"]
    assert strip_ending(path.name) == "x.mrg"


@pytest.mark.parametrize("ending", PACKERS)
def test_two_packed_pieces_are_one_file(ending):
    pack = PACKERS[ending]
    assert unpack(pack(b"(A a)\n") + pack(b"(B b)\n"), "x") == TEXT


@pytest.mark.parametrize("ending", PACKERS)
def test_damaged_files_are_refused(ending):
    """However much of them is missing, also where a second piece is cut off."""
    pack = PACKERS[ending]
    for whole in (pack(TEXT * 1000), pack(TEXT) + pack(TEXT * 1000), pack(bytes(range(256)) * 2000)):
        for cut in {len(whole) // 2, len(whole) - 1, len(whole) - 9} - {0}:
            with pytest.raises(TreeFormatError, match=rf"^x: this {KINDS[ending]} file is damaged: "):
                unpack(whole[:cut], "x")


def test_frames_of_zstandard():
    """With and without a length and a checksum, of many blocks, and with frames that mean nothing between."""
    zstandard = pytest.importorskip("zstandard")
    skipped = b"\x53\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    for text in (b"", TEXT, TEXT * 100_000, bytes(range(256)) * 2000, b" " * (1 << 20)):
        for settings in ({}, {"write_checksum": True}, {"write_content_size": False}):
            packed = zstandard.ZstdCompressor(**settings).compress(text)
            assert unpack(packed + skipped + packed, "x") == text * 2
            with pytest.raises(TreeFormatError, match=r"^x: this zstd file is damaged: "):
                unpack(packed + packed[:-1], "x")
            with pytest.raises(TreeFormatError, match=r"^x: this zstd file is damaged: "):
                unpack(packed + skipped[:-1], "x")


@pytest.mark.parametrize("ending", PACKERS)
def test_bombs_are_refused_before_they_fill_the_memory(ending, monkeypatch):
    monkeypatch.setattr(content, "_PIECE", 1 << 10)
    bomb = PACKERS[ending](bytes(1 << 22))
    message = "^x: this packed file holds far more than treebanks do; unpack it"
    with pytest.raises(TreeFormatError, match=message):
        unpack(bomb, "x", Budget(1, "x", free=1 << 16))
    assert len(unpack(bomb, "x")) == 1 << 22  # below what may always be unpacked


def test_budget_is_bounded_by_the_packed_size():
    assert Budget(1 << 30, "x").left == 1 << 32
    assert Budget(1 << 24, "x").left == 100 << 24
    assert Budget(1, "x").left == 1 << 28


def test_zstandard_by_the_library_that_is_there(monkeypatch):
    """A stand-in for `compression.zstd`, which Python has from 3.14 on."""
    module = ModuleType("compression.zstd")
    module.ZstdFile = lambda file: io.BytesIO(TEXT if file.read().startswith(b"\x28\xb5\x2f\xfd") else b"")
    monkeypatch.setitem(sys.modules, "compression", SimpleNamespace(zstd=module))
    monkeypatch.setitem(sys.modules, "compression.zstd", module)
    assert unpack(b"\x28\xb5\x2f\xfd", "x") == TEXT


def test_zstandard_without_a_library_says_what_to_install(monkeypatch):
    for name in ("compression", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"^x\.zst: a \.zst file needs zstandard: pip install 'structiou-"):
        unpack(b"\x28\xb5\x2f\xfd", "x.zst")

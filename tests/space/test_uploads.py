"""Uploads: bounds, archives, encodings, and errors row by row."""

from __future__ import annotations

import gzip
import tracemalloc
import zipfile
import zlib

import pytest

from leaderboard.benchmarks import load_benchmark
from leaderboard.uploads import MAX_PROBLEMS, UploadError, check_upload, read_upload, unpack
from support.space_boards import REFERENCE, write_benchmark


def test_unpack_plain_and_gzip():
    assert unpack(b"(S (A a))", 100) == b"(S (A a))"
    assert unpack(gzip.compress(b"(S (A a))"), 100) == b"(S (A a))"
    assert unpack(gzip.compress(b"(S (A a))\n") + gzip.compress(b"()\n"), 100) == b"(S (A a))\n()\n"


@pytest.mark.parametrize(
    "data, message",
    [
        pytest.param(b"x" * 101, "larger than 100 bytes", id="plain"),
        pytest.param(gzip.compress(b"x" * 101), "larger than 100 bytes", id="gzip"),
        pytest.param(gzip.compress(b"x" * 60) * 2, "larger than 100 bytes", id="two members"),
        pytest.param(gzip.compress(b"abc")[:-9], "ends too early", id="cut"),
        pytest.param(b"\x1f\x8b\x08garbage", "damaged", id="damaged"),
        pytest.param(b"PK\x03\x04rest", "this is an archive", id="zip"),
        pytest.param(b"BZh91AY", "this is an archive", id="bzip2"),
    ],
)
def test_unpack_refuses(data, message):
    with pytest.raises(UploadError, match=message):
        unpack(data, 100)


@pytest.mark.parametrize(
    "data, kind",
    [
        pytest.param(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "a PDF", id="PDF"),
        pytest.param(b"\x89PNG\r\n\x1a\n", "an image", id="PNG"),
        pytest.param(b"SQLite format 3\0", "a binary file", id="database"),
        pytest.param(b"\x7fELF\x02\x01\x01\0", "a binary file", id="program"),
    ],
)
def test_what_is_no_text_is_called_by_its_name(tmp_path, data, kind):
    """Whoever uploaded a PDF was advised to save it as KOI8-R."""
    benchmark = load_benchmark(write_benchmark(tmp_path, "english"))
    with pytest.raises(UploadError, match=f"this is {kind}; upload the text file with the trees") as caught:
        check_upload(data, benchmark)
    assert "koi8" not in str(caught.value).lower()
    check_upload("\n".join(REFERENCE).encode("utf-16"), benchmark)  # which has zero bytes


def test_gzip_bomb_takes_little_memory():
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join([packer.compress(bytes(2**20)) for _ in range(300)]) + packer.flush()
    assert len(bomb) < 400_000
    tracemalloc.start()
    with pytest.raises(UploadError, match="larger than"):
        unpack(bomb, 2**20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_read_upload_reads_no_more_than_the_limit(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"x" * 10_000_000)
    tracemalloc.start()
    with pytest.raises(UploadError, match="larger than 1,000 bytes"):
        unpack(read_upload(path, 1000), 1000)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_zip_bomb_is_not_opened(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a", "x")
    with pytest.raises(UploadError, match="this is an archive"):
        unpack(read_upload(tmp_path / "x.zip", 1000), 1000)


@pytest.fixture
def benchmark(tmp_path):
    return load_benchmark(write_benchmark(tmp_path, "english"))


def lines(*rows):
    return ("\n".join(rows) + "\n").encode()


def test_check_upload_accepts(benchmark):
    check_upload(lines(*REFERENCE), benchmark)
    check_upload(lines("()", "", "(TOP )"), benchmark)


@pytest.mark.parametrize(
    "data, problems",
    [
        pytest.param(lines(*REFERENCE[:2]), [(0, "the file has 2 trees and the benchmark 3")], id="too few"),
        pytest.param(b"", [(0, "the file has 0 trees")], id="empty"),
        pytest.param(b"\xff\xfe(", [(0, "this is not utf-16, as its first bytes say")], id="utf-16"),
        pytest.param(
            lines("(S (A a", REFERENCE[1], "(S (A one))"),
            [(1, "file:1:4: this '(' is never closed"), (3, "file:3 has 1 word and reference:3 has 2 words")],
            id="row by row",
        ),
        pytest.param(lines("(" * 100_000, *REFERENCE[1:]), [(1, "file:1:100000: ")], id="deep"),
    ],
)
def test_check_upload_refuses(benchmark, data, problems):
    with pytest.raises(UploadError) as caught:
        check_upload(data, benchmark)
    assert [row for row, _ in caught.value.problems] == [row for row, _ in problems]
    for (_, text), (_, part) in zip(caught.value.problems, problems, strict=True):
        assert part in text


def test_check_upload_shows_the_first_problems(tmp_path):
    many = MAX_PROBLEMS + 7
    benchmark = load_benchmark(write_benchmark(tmp_path, "many", trees=["(S (A a))"] * 2 * many))
    with pytest.raises(UploadError) as caught:
        check_upload(lines(*["(S (A a) (B b))"] * many, *["(S (A a))"] * many), benchmark)
    assert len(caught.value.problems) == MAX_PROBLEMS
    assert caught.value.lines()[-1] == "and 7 more rows"


def test_errors_hold_nothing_of_the_reference(benchmark):
    with pytest.raises(UploadError) as caught:
        check_upload(lines(*["(S (A a))"] * 3), benchmark)
    for word in ("dog", "barked", "rain", "PRP", str(benchmark.reference)):
        assert word not in str(caught.value)

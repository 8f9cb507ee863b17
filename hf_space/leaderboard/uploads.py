"""Uploads: bounded, unpacked and checked before they count."""

from __future__ import annotations

import logging
import os
import zlib

from structiou_metric.errors import TreeMismatchError
from structiou_metric.metrics.runner import check
from structiou_metric.sources.documents import check_ids
from structiou_metric.wording import count

from .benchmarks import Benchmark
from .parts import split_parts

MAX_PROBLEMS = 20  # shown of a file
MAX_NODES = 1_000_000  # of a file, or 1,000 a sentence if that is more; the check keeps others waiting

_LOG = logging.getLogger(__name__)
_GZIP = b"\x1f\x8b"
_ARCHIVES = (b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"Rar!")


class UploadError(ValueError):
    """A file that cannot be submitted.

    Attributes:
        problems: What is wrong, by row from 1; `0` stands for the file as a whole.
        n_problems: How many there are, of which `problems` may be the first.
    """

    def __init__(self, problems: list[tuple[int, str]], n_problems: int | None = None) -> None:
        self.problems = problems
        self.n_problems = len(problems) if n_problems is None else n_problems
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        """The problems as text."""
        lines = [f"row {row}: {text}" if row else text for row, text in self.problems]
        if self.n_problems > len(self.problems):
            lines.append(f"and {count(self.n_problems - len(self.problems), 'more row')}")
        return lines


def read_upload(path: str | os.PathLike[str], limit: int) -> bytes:
    """The bytes of an uploaded file, unpacked if gzip packed them, and never more than `limit`."""
    with open(path, "rb") as file:
        data = file.read(limit + 1)
    return unpack(data, limit)


def unpack(data: bytes, limit: int) -> bytes:
    """Unpacks gzip, a piece at a time, so that a small file cannot fill the memory."""
    if data.startswith(_ARCHIVES):
        raise UploadError([(0, "this is an archive; upload the text file itself, or packed with gzip")])
    too_large = UploadError([(0, f"the file is larger than {limit:,} bytes, unpacked; make it smaller")])
    if len(data) > limit:
        raise too_large
    if not data.startswith(_GZIP):
        return data
    parts: list[bytes] = []
    size = 0
    while data:
        machine = zlib.decompressobj(wbits=31)
        try:
            part = machine.decompress(data, limit + 1 - size)
        except zlib.error:
            raise UploadError([(0, "this gzip file is damaged; pack it again")]) from None
        parts.append(part)
        size += len(part)
        if size > limit:
            raise too_large
        if not machine.eof:
            raise UploadError([(0, "this gzip file ends too early; pack it again")])
        data = machine.unused_data.lstrip(b"\0")
    return b"".join(parts)


def check_upload(data: bytes, benchmark: Benchmark) -> None:
    """Reads every tree, and sees whether all metrics of the benchmark can compare it with its reference.

    Raises:
        UploadError: Something is wrong; nothing in it tells more of the reference than its size.
    """
    if benchmark.parts:
        _check_files(data, benchmark)
        return
    references = benchmark.read_reference()
    most = max(MAX_NODES, 1_000 * len(references))
    if max(data.count(b"("), data.count(b"\n")) > most:
        raise UploadError([(0, f"the file has more than {most:,} nodes or lines; make it smaller")])
    try:
        rows = benchmark.read(data, "file")
        check_ids(rows, references)
    except ValueError as error:
        raise UploadError([(0, str(error))]) from None
    if len(rows) != len(references):
        raise UploadError(
            [
                (
                    0,
                    f"the file has {count(len(rows), getattr(rows, 'noun', 'tree'))} and the benchmark "
                    f"{len(references)}; write one for each {benchmark.noun}, "
                    "and () where your parser failed",
                )
            ]
        )
    found = (check(metric, rows, references) for metric in benchmark.metrics.values())
    problems = next(filter(None, found), [])
    if any(getattr(error, "source", "") == references.title for _, error in problems):
        _LOG.error("%s: a reference tree cannot be read", benchmark.reference)
        raise UploadError([(0, "this benchmark is being changed; try again later")])
    if problems:
        shown = [(row + 1, _advise(error)) for row, error in problems[:MAX_PROBLEMS]]
        raise UploadError(shown, len(problems))


def _check_files(data: bytes, benchmark: Benchmark) -> None:
    """Checks the file of each part; problems name the part."""
    try:
        files = split_parts(data, benchmark.parts)
    except ValueError as error:
        raise UploadError([(0, str(error))]) from None
    for name, piece in benchmark.pieces.items():
        try:
            check_upload(files[name], piece)
        except UploadError as error:
            told = [(row, f"{name}: {message}") for row, message in error.problems]
            raise UploadError(told, error.n_problems) from None


def _advise(error: ValueError) -> str:
    """The error; where sizes differ, with what a submitter can do, who cannot choose the unit."""
    text = str(error)
    if isinstance(error, TreeMismatchError):
        return f"{text.partition(';')[0]}; keep the words of the benchmark"
    return text

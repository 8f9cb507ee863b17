"""Uploads: bounded, unpacked and checked before they count, in a process of its own.

Several files, one for each part of a benchmark, are one upload: a line with names and sizes, then the files.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import zlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from structiou_metric.errors import TreeMismatchError
from structiou_metric.metrics.runner import check, count_wordless
from structiou_metric.sources.documents import check_ids
from structiou_metric.wording import count

from . import sandbox
from .benchmarks import Benchmark, benchmark_at, place_of

if TYPE_CHECKING:
    from .settings import Settings

MAX_PROBLEMS = 20  # shown of a file
MAX_NODES = 1_000_000  # of a file, or 1,000 a sentence if that is more; the check keeps others waiting

_LOG = logging.getLogger(__name__)
_MAX_MEMBERS = 10_000  # of a gzip file; programs that pack in blocks make one for 64 kB
_PIECE = 512  # bytes that are first given to a member, which may be all of it
_CHECKS = sandbox.Lane(2, 16, "submitting")
_GZIP = b"\x1f\x8b"
_BINARY = {b"%PDF": "a PDF", b"\x89PNG": "an image", b"\xff\xd8\xff": "an image", b"GIF8": "an image"}
_ARCHIVES = (b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"Rar!")
_MARK = b"structiou-parts "
_MAX_PARTS = 100


def join_parts(files: Mapping[str, bytes]) -> bytes:
    """Return one upload of several files; the order of the files changes nothing."""
    names = sorted(files)
    head = json.dumps([[name, len(files[name])] for name in names], separators=(",", ":"))
    return _MARK + head.encode("ascii") + b"\n" + b"".join(files[name] for name in names)


def split_parts(data: bytes, names: Iterable[str]) -> dict[str, bytes]:
    """Return the files of an upload by their parts, in the order of the benchmark.

    Raises:
        ValueError: It is no upload of several files, or a file is missing or not asked for.
    """
    names = list(names)
    wanted = f"this benchmark takes {len(names)} files, one for each of {', '.join(names)}"
    if not data.startswith(_MARK):
        raise ValueError(f"{wanted}; upload all of them, each named after its part, such as {names[0]}.txt")
    head, _, body = data[len(_MARK) :].partition(b"\n")
    try:
        sizes = json.loads(head)
        found: dict[str, bytes] = {}
        begin = 0
        for name, size in sizes[:_MAX_PARTS]:
            found[name] = body[begin : begin + size]
            begin += size
        if begin != len(body) or len(found) != len(sizes):
            raise ValueError
    except (ValueError, TypeError):
        raise ValueError("this upload of several files is damaged; upload them again") from None
    check_parts(found, names)
    return {name: found[name] for name in names}


def check_parts(found: Iterable[str], names: Iterable[str]) -> None:
    """Refuse files that are missing, and those of no part."""
    names, found = list(names), list(found)
    missing = [name for name in names if name not in found]
    strange = [name for name in found if name not in names]
    if missing or strange:
        wrong = [f"there is no file for {', '.join(missing)}"] if missing else []
        wrong += [f"there is no part {', '.join(map(repr, strange))}"] if strange else []
        raise ValueError(f"{'; '.join(wrong)}; upload one file for each of {', '.join(names)}")


class UploadError(ValueError):
    """A file that cannot be submitted.

    Attributes:
        problems: The problems by row from 1; row 0 is the file as a whole.
        n_problems: How many problems there are; `problems` may have only the first.
    """

    def __init__(self, problems: list[tuple[int, str]], n_problems: int | None = None) -> None:
        self.problems = problems
        self.n_problems = len(problems) if n_problems is None else n_problems
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        """Return the problems as text."""
        lines = [f"row {row}: {text}" if row else text for row, text in self.problems]
        if self.n_problems > len(self.problems):
            lines.append(f"and {count(self.n_problems - len(self.problems), 'more row')}")
        return lines


def read_upload(path: str | os.PathLike[str], limit: int) -> bytes:
    """Return the bytes of an uploaded file, and never more than one beyond `limit`."""
    with open(path, "rb") as file:
        return file.read(limit + 1)


def check_in_sandbox(data: bytes, benchmark: Benchmark, settings: Settings) -> bytes:
    """Return an upload, unpacked and checked by `check_upload`; ends soon for any file."""
    about = {"place": place_of(benchmark), "limit": settings.upload_bytes}
    with _CHECKS:
        try:
            refusal, unpacked = sandbox.run(__name__, about, data, settings, "reading the file")
        except sandbox.SandboxError as error:
            raise UploadError([(0, str(error))]) from None
    if refusal is not None:
        raise UploadError([(row, text) for row, text in refusal["problems"]], refusal["n_problems"])
    return unpacked


def unpack(data: bytes, limit: int) -> bytes:
    """Return a file, unpacked if it is packed by gzip: a piece at a time, as it may become very large."""
    if data.startswith(_ARCHIVES):
        raise UploadError([(0, "this is an archive; upload the text file itself, or packed with gzip")])
    too_large = UploadError([(0, f"the file is larger than {limit:,} bytes, unpacked; make it smaller")])
    if len(data) > limit:
        raise too_large
    if not data.startswith(_GZIP):
        return data
    parts: list[bytes] = []
    size = at = 0
    while at < len(data):
        if len(parts) == _MAX_MEMBERS:
            raise UploadError([(0, "this gzip file is in too many pieces; pack it again as a whole")])
        try:
            part, at = _unpack_member(data, at, limit + 1 - size)
        except zlib.error:
            raise UploadError([(0, "this gzip file is damaged; pack it again")]) from None
        parts.append(part)
        size += len(part)
        if size > limit:
            raise too_large
        while data[at : at + 1] == b"\0":
            at += 1
    return b"".join(parts)


def _unpack_member(data: bytes, at: int, most: int) -> tuple[bytes, int]:
    """Return `most` bytes of what a member of a gzip file holds, and where the member ends.

    The machine copies everything after the member each time, so it gets little at first, and then more.
    """
    machine = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    size, step = 0, _PIECE
    while size < most and not machine.eof:
        if at >= len(data):
            raise UploadError([(0, "this gzip file ends too early; pack it again")])
        piece = data[at : at + step]
        part = machine.decompress(piece, most - size)
        parts.append(part)
        size += len(part)
        at += len(piece) - len(machine.unused_data) - len(machine.unconsumed_tail)
        step = min(2 * step, 2**16)
    return b"".join(parts), at


def check_is_text(data: bytes) -> None:
    """Refuse a file that holds no text, before it is read as text of some rare encoding."""
    kind = next((kind for start, kind in _BINARY.items() if data.startswith(start)), "")
    if not kind and b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        kind = "a binary file"  # text has no zero bytes, except in UTF-16
    if kind:
        raise UploadError([(0, f"this is {kind}; upload the text file with the trees")])


def check_upload(data: bytes, benchmark: Benchmark) -> None:
    """Read every tree, and check that all metrics of the benchmark can compare it with its reference.

    Raises:
        UploadError: Something is wrong; nothing in it reveals more of the reference than its size.
    """
    if benchmark.parts:
        _check_files(data, benchmark)
        return
    check_is_text(data)
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
    most_empty = benchmark.gold.max_empty
    n_empty = count_wordless(rows) if most_empty < 1 else 0
    if n_empty > most_empty * len(rows):
        raise UploadError(
            [
                (
                    0,
                    f"{n_empty} of {count(len(rows), benchmark.noun)} have no tree, and {most_empty:.0%} "
                    "are the most here; write a tree for more of them, however flat",
                )
            ]
        )


def _unpack_all(data: bytes, benchmark: Benchmark, limit: int) -> bytes:
    """Return an upload with all of its files unpacked, which are within `limit` together."""
    if not benchmark.parts:
        return unpack(data, limit)
    files: dict[str, bytes] = {}
    for name, file in _split(data, benchmark).items():
        files[name] = unpack(file, limit - sum(map(len, files.values())))
    return join_parts(files)


def _split(data: bytes, benchmark: Benchmark) -> dict[str, bytes]:
    try:
        return split_parts(data, benchmark.parts)
    except ValueError as error:
        raise UploadError([(0, str(error))]) from None


def _check_files(data: bytes, benchmark: Benchmark) -> None:
    """Check the file of each part; problems name the part."""
    files = _split(data, benchmark)
    for name, piece in benchmark.pieces.items():
        try:
            check_upload(files[name], piece)
        except UploadError as error:
            named = [(row, f"{name}: {message}") for row, message in error.problems]
            raise UploadError(named, error.n_problems) from None


def _advise(error: ValueError) -> str:
    """Return the message; where sizes differ, with a cure for submitters, who cannot choose the unit."""
    text = str(error)
    if isinstance(error, TreeMismatchError):
        return f"{text.partition(';')[0]}; keep the words of the benchmark"
    return text


def _serve(about: dict[str, Any], data: bytes) -> tuple[dict[str, Any] | None, bytes]:
    try:
        benchmark = benchmark_at(about["place"])
        data = _unpack_all(data, benchmark, about["limit"])
        check_upload(data, benchmark)
    except UploadError as error:
        return {"problems": error.problems, "n_problems": error.n_problems}, b""
    return None, data


if __name__ == "__main__":
    sandbox.serve(_serve, *sys.argv[1:])

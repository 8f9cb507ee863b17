"""Uploads: bounded, unpacked and checked before they count, in a process of its own."""

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

_MARK = b"structiou-parts "
_MOST = 100  # parts


def join_parts(files: Mapping[str, bytes]) -> bytes:
    """One upload of several files; the same files make the same upload, in whatever order they are given."""
    names = sorted(files)
    head = json.dumps([[name, len(files[name])] for name in names], separators=(",", ":"))
    return _MARK + head.encode("ascii") + b"\n" + b"".join(files[name] for name in names)


def split_parts(data: bytes, names: Iterable[str]) -> dict[str, bytes]:
    """The files of an upload by their parts, in the order of the benchmark.

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
        for name, size in sizes[:_MOST]:
            found[name] = body[begin : begin + size]
            begin += size
        if begin != len(body) or len(found) != len(sizes):
            raise ValueError
    except (ValueError, TypeError):
        raise ValueError("this upload of several files is damaged; upload them again") from None
    check_parts(found, names)
    return {name: found[name] for name in names}


def check_parts(found: Iterable[str], names: Iterable[str]) -> None:
    """Refuses files that are missing, and those of no part."""
    names, found = list(names), list(found)
    missing = [name for name in names if name not in found]
    strange = [name for name in found if name not in names]
    if missing or strange:
        told = [f"there is no file for {', '.join(missing)}"] if missing else []
        told += [f"there is no part {', '.join(map(repr, strange))}"] if strange else []
        raise ValueError(f"{'; '.join(told)}; upload one file for each of {', '.join(names)}")


def average_parts(results: Mapping[str, dict[str, Any]], setting: str) -> dict[str, Any]:
    """The result of a submission of several files: each figure is the plain mean of that of its parts.

    Args:
        results: What was found for each part.
        setting: The setting of the benchmark as a whole.
    """
    parts = list(results.values())
    metrics = {}
    for name, first in parts[0]["metrics"].items():
        own = {part: result["metrics"][name] for part, result in results.items()}
        metrics[name] = {
            "figures": {
                key: sum(kept["figures"][key] for kept in own.values()) / len(own) for key in first["figures"]
            },
            "refused": next(
                (f"{part}: {kept['refused']}" for part, kept in own.items() if kept["refused"]), ""
            ),
            "signature": first["signature"],
        }
    return {
        "version": parts[0]["version"],
        "setting": setting,
        "n_sentences": sum(result["n_sentences"] for result in parts),
        "n_empty": sum(result["n_empty"] for result in parts),
        "warnings": [
            {**warning, "message": f"{name}: {warning['message']}"}
            for name, result in results.items()
            for warning in result["warnings"]
        ],
        "metrics": metrics,
        "labels": [],
        "lengths": [],
        "parts": dict(results),
    }


MAX_PROBLEMS = 20  # shown of a file
MAX_NODES = 1_000_000  # of a file, or 1,000 a sentence if that is more; the check keeps others waiting

_LOG = logging.getLogger(__name__)
_MAX_MEMBERS = 10_000  # of a gzip file; programs that pack in blocks make one for 64 kB
_PIECE = 512  # bytes that are first given to a member, which may be all of it
_CHECKS = sandbox.Lane(2, 16, "submitting")
_GZIP = b"\x1f\x8b"
_ARCHIVES = (b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"Rar!")


class UploadError(ValueError):
    """A file that cannot be submitted.

    Attributes:
        problems: What is wrong, by row from 1; `0` stands for the file as a whole.
        n_problems: How many problems there are, of which `problems` may be the first.
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
    """The bytes of an uploaded file as they are, and never more than one beyond `limit`."""
    with open(path, "rb") as file:
        return file.read(limit + 1)


def check_in_sandbox(data: bytes, benchmark: Benchmark, settings: Settings) -> bytes:
    """An upload, unpacked and found to be right by `check_upload`; ends soon, whatever it holds."""
    about = {"place": place_of(benchmark), "limit": settings.upload_bytes}
    with _CHECKS:
        try:
            told, unpacked = sandbox.run(__name__, about, data, settings, "reading the file")
        except sandbox.SandboxError as error:
            raise UploadError([(0, str(error))]) from None
    if told is not None:
        raise UploadError([(row, text) for row, text in told["problems"]], told["n_problems"])
    return unpacked


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
    """What a member of a gzip file holds, `most` bytes of it, and where it ends.

    What stands behind a member is copied each time, so a member is given little at first, and then more.
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
    """An upload with all of its files unpacked, which are within `limit` together."""
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
    """Checks the file of each part; problems name the part."""
    files = _split(data, benchmark)
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

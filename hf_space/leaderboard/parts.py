"""Submissions of several files, one for each part of a benchmark, such as a language, and their averages.

The files of a submission are stored as one upload: a line that tells names and sizes, then the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

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

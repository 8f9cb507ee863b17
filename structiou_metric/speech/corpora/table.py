"""Which trees go with which recording: a table of recordings, stretches and trees."""

from __future__ import annotations

import os
import re
from math import isfinite
from typing import Any

from ...errors import TreeFormatError
from ...sources.tables import read_records
from .finding import Recordings, is_several, is_sound, stem_of
from .jobs import Job, Trees

NEEDED = ("recording", "tree")
COLUMNS = ("recording", "start", "end", "tree", "name", "channel")

_NUMBERED = re.compile(r"(.+):(\d+)", re.DOTALL)


def read_table(
    path: str,
    *,
    trees: str | None = None,
    recordings: str | None = None,
    sound: bool | None = None,
) -> list[Job]:
    """A job for each row of a table.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     row = '{"recording": "a.json", "tree": "(S (PRP we))", "start": 1.5}'
    ...     for name, text in {"a.json": '[["we", 2, 2.5]]', "table.jsonl": row}.items():
    ...         size = pathlib.Path(folder, name).write_text(text)
    ...     [job] = read_table(f"{folder}/table.jsonl")
    >>> job.trees.text, job.start, job.is_sound
    ('(S (PRP we))', 1.5, False)

    Args:
        path: A `.tsv`, `.csv` or `.jsonl` file with the columns `recording` and `tree`, and perhaps `start`
            and `end` in seconds, `name` and `channel`. A tree is written in brackets, or is `FILE:NUMBER`
            counted from 1, `FILE` for all of its trees, or a `NUMBER` of `trees`. Files are looked for from
            the table's folder.
        trees: The treebank that bare numbers count.
        recordings: The folder of the recordings, whose names may then lack their endings; by default that of
            the table.
        sound: Whether recordings are sound or words with times; by default as their names end.
    """
    folder = os.path.dirname(path)
    root = recordings or folder or os.curdir
    found = Recordings(root, sound) if is_several(root) else None
    jobs = []
    for where, row in read_records(path):
        for column in NEEDED:
            if column not in row:
                has = ", ".join(map(repr, row))
                raise TreeFormatError(
                    f"there is no column {column!r}, only {has}; the first line names the columns, of which "
                    f"{' and '.join(NEEDED)} are needed",
                    source=where,
                )
        recording, problem = _recording(_text(row["recording"]), root, found)
        jobs.append(
            Job(
                _text(row.get("name")) or where,
                _group(_text(row["recording"])),
                recording,
                is_sound(recording) if sound is None else sound,
                _trees(row["tree"], trees, folder, where),
                _seconds(row, "start", where),
                _seconds(row, "end", where),
                _channel(row, where),
                None,
                problem,
            )
        )
        start, end = jobs[-1].start or 0.0, jobs[-1].end
        if end is not None and end <= start:
            raise TreeFormatError(f"the end {end:g} is not behind the start {start:g}", source=where)
    if not jobs:
        raise TreeFormatError("there are no rows below the names of the columns", source=path)
    return jobs


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _recording(name: str, root: str, found: Recordings | None) -> tuple[str, str]:
    """The path of a recording, and what is wrong with it."""
    if not name:
        return "", "the table names no recording here"
    path = os.path.join(root, name)
    if os.path.isfile(path) or found is None:
        return path, ""
    try:
        return found.find(name), ""
    except ValueError:
        return path, f"{path}: there is no such recording, nor one of that name with an ending"


def _group(name: str) -> str:
    """What the file of a recording's trees is called; never outside of the folder that it stands in."""
    stem = os.path.normpath(stem_of(name))
    outside = os.path.isabs(stem) or stem.split(os.sep)[0] == os.pardir
    return os.path.basename(stem) if outside else stem


def _trees(value: Any, trees: str | None, folder: str, where: str) -> Trees:
    if not isinstance(value, (str, int)):
        raise TreeFormatError(f"a tree is a text in brackets, not a {type(value).__name__}", source=where)
    text = _text(value)
    if text.startswith("("):
        return Trees(text=text)
    if text.isdecimal():
        if trees is None:
            raise TreeFormatError(
                f"{text} is the number of a tree, of which file? Give TREES, or write FILE:{text}",
                source=where,
            )
        return Trees(trees, _row(text, where))
    if not text:
        raise TreeFormatError("there is no tree here; write it in brackets, or as FILE:NUMBER", source=where)
    numbered = _NUMBERED.fullmatch(text)
    if numbered:
        return Trees(os.path.join(folder, numbered[1]), _row(numbered[2], where))
    return Trees(os.path.join(folder, text))


def _row(number: str, where: str) -> int:
    if int(number) < 1:
        raise TreeFormatError("trees are counted from 1", source=where)
    return int(number) - 1


def _seconds(row: dict[str, Any], column: str, where: str) -> float | None:
    text = _text(row.get(column))
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (isfinite(value) and value >= 0.0):
        raise TreeFormatError(f"{column} is {text!r}, no number of seconds from 0 on", source=where)
    return value


def _channel(row: dict[str, Any], where: str) -> int | None:
    text = _text(row.get("channel"))
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise TreeFormatError(f"channel is {text!r}, no number from 1 on", source=where)
    return int(text)

"""Pairing of trees and recordings: files of the same name in two folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from math import isfinite
from typing import Any

from ...errors import TreeFormatError, TreeMismatchError
from ...sources.content import strip_ending
from ...sources.places import find_names, find_pattern, list_files
from ...sources.tables import read_records
from ...wording import count
from ..forced.audio import SOUND_ENDINGS
from ..marks import names_recordings
from ..readers.formats import guess_format
from ..readers.labels import ctm_recordings
from ..readers.reading import open_words
from .jobs import Job, Trees

_NAMED = 3  # files named in a message


def is_sound(path: str) -> bool:
    """Return whether a file is sound, by its name.

    >>> is_sound("sw2005.WAV"), is_sound("sw2005.TextGrid")
    (True, False)
    """
    return os.path.splitext(path)[1].lower() in SOUND_ENDINGS


def is_several(place: str | None) -> bool:
    """Return whether a place is a folder or a pattern, and so may be of many recordings."""
    return place is not None and (os.path.isdir(place) or bool(_pattern(place)))


def _pattern(place: str) -> list[str]:
    return [] if place == "-" else find_pattern(place)


def are_several(trees: str | None, recordings: str | None, *, sound: bool = False) -> bool:
    """Return whether there are many recordings: files in a folder, or a CTM file of several.

    Args:
        trees: A treebank, or a folder of such.
        recordings: Sound or words, or a folder of such.
        sound: Whether it is sound.
    """
    if is_several(recordings):
        return True
    return not sound and recordings is not None and is_several(trees) and _names_several(recordings)


def _names_several(path: str) -> bool:
    """Return whether a file of words is a CTM file of several recordings."""
    document = open_words(path, "latin-1")  # which takes any bytes; only names are looked at
    try:
        return guess_format(document) == "ctm" and len(ctm_recordings(document)) > 1
    except ValueError:  # of another kind, or broken; the error is raised when it is read
        return False


class Recordings:
    """The files of sound or words, by their names.

    Args:
        place: A folder, or a pattern such as `calls/*.TextGrid`.
        sound: Whether to look for sound, or for words; None for both.
        endings: The endings that names must have, in lower case, if they are known.
    """

    def __init__(self, place: str, sound: bool | None, endings: Iterable[str] = ()) -> None:
        self.place = place
        self._by_stem: dict[str, list[str]] = {}
        endings = tuple(endings)
        for stem, path in _files(place):
            ending = os.path.splitext(strip_ending(path))[1].lower()
            if (sound is None or is_sound(path) == sound) and (not endings or ending in endings):
                self._by_stem.setdefault(stem, []).append(path)

    @property
    def names(self) -> set[str]:
        """Return the names of the recordings, without endings."""
        return set(self._by_stem)

    def find(self, name: str, but: Iterable[str] = ()) -> str:
        """Return the file of a name.

        Args:
            name: The name of the recording, without its ending.
            but: Files that are no recordings, such as the trees.

        Raises:
            ValueError: If there is none, or several.
        """
        known = {os.path.realpath(path) for path in but}
        found = [path for path in self._by_stem.get(name, ()) if os.path.realpath(path) not in known]
        if not found:
            raise ValueError(f"no file in {self.place} is called {name} with an ending of a recording")
        if len(found) > 1:
            kinds = " and ".join(map(os.path.basename, found[:_NAMED]))
            ending = os.path.splitext(found[0])[1]
            raise ValueError(
                f"there are {kinds} in {self.place}; say which, by a pattern such as "
                f"'{os.path.join(self.place, '**', '*' + ending)}'"
            )
        return found[0]


def pair_by_name(
    trees: str,
    recordings: str,
    *,
    sound: bool,
    endings: Iterable[str] = (),
    marks: str | None = None,
) -> list[Job]:
    """Return a job for each treebank of a folder, with the recording that is called alike.

    One whose recording is missing has a `problem`. Recordings without trees are left alone.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = {"a.mrg": "(S (PRP we))", "a.json": '[["we", 0, 0.5]]', "b.mrg": "(S (PRP they))"}
    ...     for name, text in files.items():
    ...         size = pathlib.Path(folder, name).write_text(text)
    ...     jobs = pair_by_name(f"{folder}/*.mrg", f"{folder}/*.json", sound=False)
    >>> [(job.group, bool(job.problem)) for job in jobs]
    [('a', False), ('b', True)]

    Args:
        trees: A folder of treebanks, or a pattern.
        recordings: A folder, or a pattern, of recordings; or a CTM file that has the words of all.
        sound: Whether the recordings are sound, or words with times.
        endings: The endings of the names of the recordings, if they are known.
        marks: A folder, or a pattern, of marks for each recording, or a file that names the recordings, as
            Kaldi's `segments`; None if there are none.
    """
    whole = None if sound or is_several(recordings) or not _names_several(recordings) else recordings
    shared = marks is not None and os.path.isfile(marks) and names_recordings(marks)
    places = [(trees, "the trees")] if whole else [(trees, "the trees"), (recordings, "the recordings")]
    if marks is not None and not shared:
        places.append((marks, "the marks"))
    for place, flag in places:
        if not is_several(place):
            raise TreeMismatchError(
                f"{place}: {flag} are one file, the others a folder; give folders whose files are called "
                "alike, or a table of recording, start, end and tree (--table)"
            )
    treebanks = list(find_treebanks(trees))
    if whole is not None:
        return [
            Job(path, stem, whole, False, Trees(path), part=os.path.basename(stem))
            for stem, path in treebanks
        ]
    found = Recordings(recordings, sound, endings)
    marked = None if marks is None or shared else Recordings(marks, None)
    jobs = []
    for stem, path in treebanks:
        job = Job(path, stem, "", sound, Trees(path), marks=marks if shared else None)
        try:
            job = job._replace(recording=found.find(stem, [path]))
            if marked is not None:
                job = job._replace(marks=marked.find(stem, [path, job.recording]))
        except ValueError as error:
            job = job._replace(problem=str(error))
        jobs.append(job)
    if all(job.problem for job in jobs):
        stems = sorted(found.names)
        named = ", ".join(stems[:_NAMED]) + (", …" if len(stems) > _NAMED else "")
        raise TreeMismatchError(
            f"{jobs[0].problem}, nor for any other of {count(len(jobs), 'treebank')} in {trees}; those in "
            f"{recordings} are called {named or 'nothing at all'}; files are paired by their names"
        )
    return jobs


def find_treebanks(place: str) -> list[tuple[str, str]]:
    """Return the treebanks of a folder or a pattern, with their names without endings."""
    if os.path.isdir(place):
        return [(stem_of(name), os.path.join(place, name)) for name in find_names(place)]
    return _files(place)


def _files(place: str) -> list[tuple[str, str]]:
    """Return the files of a folder or a pattern, with their names without endings; hidden ones are none."""
    if os.path.isdir(place):
        names = list_files(place)
        return [(stem_of(name), os.path.join(place, name)) for name in names if _is_shown(name)]
    paths = _pattern(place)
    root = os.path.commonpath(map(os.path.dirname, paths)) if paths else ""
    return [(stem_of(os.path.relpath(path, root or os.curdir)), path) for path in paths]


def _is_shown(name: str) -> bool:
    return not any(part.startswith(".") for part in name.replace(os.sep, "/").split("/"))


def stem_of(name: str) -> str:
    """Return the name of a file without its ending, before how it is packed.

    >>> stem_of("calls/sw2005.mrg.gz")
    'calls/sw2005'
    """
    return os.path.splitext(strip_ending(name))[0]


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
    """Read a job for each row of a table.

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
    """Return the path of a recording, and the problem with it, if there is one."""
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
    """Return the name of the file of a recording's trees, which is never outside of its folder."""
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

"""Which trees go with which recording: files of the same name in two folders."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ...errors import TreeMismatchError
from ...sources.content import strip_ending
from ...sources.places import find_names, find_pattern, list_files
from ...wording import count
from ..forced.audio import SOUND_ENDINGS
from ..marks import names_recordings
from .jobs import Job, Trees

_NAMED = 3  # files named in a message


def is_sound(path: str) -> bool:
    """Whether a file is sound, by its name.

    >>> is_sound("sw2005.WAV"), is_sound("sw2005.TextGrid")
    (True, False)
    """
    return os.path.splitext(path)[1].lower() in SOUND_ENDINGS


def is_several(place: str | None) -> bool:
    """Whether a place is a folder or a pattern, and so may be of many recordings."""
    return place is not None and (os.path.isdir(place) or bool(_pattern(place)))


def _pattern(place: str) -> list[str]:
    return [] if place == "-" else find_pattern(place)


class Recordings:
    """The files of sound or words, by their names.

    Args:
        place: A folder, or a pattern such as `calls/*.TextGrid`.
        sound: Whether to look for sound, or for words; None for both.
        endings: What names must end in, in lower case, where more is known.
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
        """The names of the recordings, without endings."""
        return set(self._by_stem)

    def find(self, name: str, but: Iterable[str] = ()) -> str:
        """The file of a name.

        Args:
            name: The name of the recording, without its ending.
            but: Files that are something else, such as the trees.

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
    """A job for each treebank of a folder, with the recording that is called alike.

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
        recordings: A folder, or a pattern, of recordings.
        sound: Whether the recordings are sound, or words with times.
        endings: What the names of the recordings end in, if that is known.
        marks: A folder, or a pattern, of marks for each recording, or a file that names the recordings, as
            Kaldi's `segments`; None if there are none.
    """
    shared = marks is not None and os.path.isfile(marks) and names_recordings(marks)
    places = [(trees, "the trees"), (recordings, "the recordings")]
    if marks is not None and not shared:
        places.append((marks, "the marks"))
    for place, flag in places:
        if not is_several(place):
            raise TreeMismatchError(
                f"{place}: {flag} are one file, the others a folder; give folders whose files are called "
                "alike, or a table of recording, start, end and tree (--table)"
            )
    treebanks = list(find_treebanks(trees))
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
    """The treebanks of a folder or a pattern, with their names without endings."""
    if os.path.isdir(place):
        return [(stem_of(name), os.path.join(place, name)) for name in find_names(place)]
    return _files(place)


def _files(place: str) -> list[tuple[str, str]]:
    """The files of a folder or a pattern, with their names without endings; hidden ones are none."""
    if os.path.isdir(place):
        names = list_files(place)
        return [(stem_of(name), os.path.join(place, name)) for name in names if _is_shown(name)]
    paths = _pattern(place)
    root = os.path.commonpath(map(os.path.dirname, paths)) if paths else ""
    return [(stem_of(os.path.relpath(path, root or os.curdir)), path) for path in paths]


def _is_shown(name: str) -> bool:
    return not any(part.startswith(".") for part in name.replace(os.sep, "/").split("/"))


def stem_of(name: str) -> str:
    """The name of a file without its ending, before how it is packed.

    >>> stem_of("calls/sw2005.mrg.gz")
    'calls/sw2005'
    """
    return os.path.splitext(strip_ending(name))[0]

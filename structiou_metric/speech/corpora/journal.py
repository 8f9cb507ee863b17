"""What a run has done so far, kept beside its output, so that one that was killed can be taken up again.

The first line tells the options, each further one what became of a job. A line that is cut off, as it may be
when the run is killed while it is written, does not count. Jobs are known by their trees and recordings:
names, sizes and times of change of the files, and the stretch; so one whose files have changed is done anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import IO, Any

from ..._version import __version__
from .jobs import Answer, Job, Row

_KIND = "structiou.project-journal.v1"
ENDING = ".journal"  # behind the name of the output


class Journal:
    """A file of finished jobs.

    Attributes:
        path: Where the journal is.
        n_kept: How many jobs an earlier run has done.
    """

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        """Opens the journal, or begins it.

        Raises:
            ValueError: If it is of a run with other options, or another run is writing to it.
        """
        self.path = path
        self._places: dict[str, tuple[int, int]] = {}  # by job, where its last line is
        # Neither emptied nor read before it is locked, for another run may be writing to it.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        self._file: IO[bytes] = os.fdopen(os.open(path, flags, 0o666), "r+b")
        try:
            self._lock()
            options = json.loads(json.dumps({"version": __version__, **options}))
            if not self._read(options):
                self._file.seek(0)
                self._file.truncate()
                self._write({"kind": _KIND, "options": options})
        except BaseException:
            self._file.close()
            raise
        self.n_kept = len(self._places)

    def _lock(self) -> None:
        """Refuses a file that another run is writing to, where the system can tell."""
        try:
            from fcntl import LOCK_EX, LOCK_NB, flock
        except ImportError:  # Windows
            return
        try:
            flock(self._file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                f"{self.path}: another run is writing to this output; wait for it, or give another -o"
            ) from None

    def _read(self, options: Mapping[str, Any]) -> bool:
        """Finds the lines of an earlier run and cuts off what is behind them; False if there is no first."""
        self._file.seek(0)
        at = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            try:
                value = json.loads(line)
            except ValueError:
                break
            if at == 0:
                self._check(value, options)
            else:
                self._places[value["job"]] = at, len(line)
            at += len(line)
        self._file.seek(at)
        self._file.truncate()
        return at > 0

    def _check(self, first: Any, options: Mapping[str, Any]) -> None:
        if not isinstance(first, dict) or first.get("kind") != _KIND:
            raise ValueError(f"{self.path} is no journal of structiou project; remove it, or give another -o")
        before = first["options"]
        differ = [
            f"{name} was {_shown(before, name)}, now {_shown(options, name)}"
            for name in sorted({*before, *options})
            if before.get(name) != options.get(name)
        ]
        if differ:
            raise ValueError(
                f"{self.path}: this output was begun with other options: {'; '.join(differ)}. Give the same "
                "to finish it, another -o, or remove that file to begin anew"
            )

    def find(self, key: str) -> Answer | None:
        """What became of a job, if it is done."""
        place = self._places.get(key)
        if place is None:
            return None
        self._file.seek(place[0])
        value = json.loads(self._file.read(place[1]))
        rows = tuple(_as_row(Row(*row)) for row in value["rows"])
        return Answer(rows, tuple(value["guesses"]), value["warning"])

    def add(self, key: str, answer: Answer) -> None:
        """Notes what became of a job."""
        self._places[key] = self._write({"job": key, **answer._asdict()})

    def _write(self, value: Any) -> tuple[int, int]:
        line = json.dumps(value).encode() + b"\n"
        at = self._file.seek(0, os.SEEK_END)
        self._file.write(line)
        self._file.flush()
        return at, len(line)

    def close(self, *, remove: bool = False) -> None:
        """Closes the journal; `remove` is for a run that has nothing left to do."""
        self._file.close()
        if remove:
            os.unlink(self.path)


def _as_row(row: Row) -> Row:
    # JSON has lists only.
    stretch = None if row.stretch is None else (row.stretch[0], row.stretch[1])
    return row._replace(counts=tuple(row.counts), stretch=stretch)


def _shown(options: Mapping[str, Any], name: str) -> str:
    return json.dumps(options[name], ensure_ascii=False) if name in options else "not given"


def job_key(job: Job) -> str:
    """What tells a job from others, and from itself with other files."""
    from hashlib import sha256

    files = [_state(path) for path in (job.trees.place, job.recording, job.marks) if path]
    # A missing recording is no part of it: when it is there, it is another job.
    return sha256(json.dumps([job, files]).encode()).hexdigest()


def _state(path: str) -> list[int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]

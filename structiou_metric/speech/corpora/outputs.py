"""Where the trees of a run and the report of each go: files that grow as it goes on."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import IO, Protocol

from .jobs import DONE, Job, Row

REPORTED = ("name", "recording", "status", "confidence", "match", "reason")
ENDING = ".mrg"  # of the treebanks in a folder, which other commands then take as such


class Output(Protocol):
    """Takes the trees of jobs in the order of these."""

    def take(self, job: Job, rows: Sequence[Row]) -> None:
        """Writes the trees of a job."""

    def close(self) -> None:
        """Ends the output."""


def tree_lines(rows: Iterable[Row], on_error: str) -> list[str]:
    """The lines of trees: nothing for one that failed, or `()` where it keeps its place."""
    lines: list[str] = []
    for row in rows:
        if row.status == DONE:
            lines.append(row.line)
        elif on_error == "empty":
            lines += ["()"] * row.n_trees
    return lines


class StreamOutput:
    """One file, or a stream, for all trees; grows by whole jobs."""

    def __init__(self, file: IO[str], on_error: str, *, keep: bool = False) -> None:
        """Takes the file; `keep` is whether to leave it open at the end."""
        self._file = file
        self._on_error = on_error
        self._keep = keep

    def take(self, job: Job, rows: Sequence[Row]) -> None:
        self._file.write("".join(f"{line}\n" for line in tree_lines(rows, self._on_error)))
        self._file.flush()

    def close(self) -> None:
        if not self._keep:
            self._file.close()


class FolderOutput:
    """A treebank for each recording, there as soon as all of its jobs are done, and never in part."""

    def __init__(self, folder: str, jobs: Sequence[Job], on_error: str) -> None:
        self._folder = folder
        self._on_error = on_error
        self._left = Counter(job.group for job in jobs)
        _check_groups(jobs)
        self._lines: dict[str, list[str]] = {}

    def take(self, job: Job, rows: Sequence[Row]) -> None:
        lines = self._lines.setdefault(job.group, [])
        lines += tree_lines(rows, self._on_error)
        self._left[job.group] -= 1
        if not self._left[job.group]:
            del self._lines[job.group]
            self._write(os.path.join(self._folder, job.group + ENDING), lines)

    def _write(self, path: str, lines: Sequence[str]) -> None:
        if not lines:
            if os.path.exists(path):
                os.unlink(path)  # of an earlier run, in which there was something
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        part = f"{path}.part"
        with open(part, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
        os.replace(part, path)

    def close(self) -> None:
        """Does nothing, as all is written."""


def _check_groups(jobs: Iterable[Job]) -> None:
    """Refuses two recordings of which the trees would be in one file."""
    known: dict[str, str] = {}
    for job in jobs:
        other = known.setdefault(job.group, job.recording)
        if job.recording and other and other != job.recording:
            raise ValueError(
                f"{other} and {job.recording} would both be {job.group}{ENDING} in the folder of the output; "
                "give a file as -o, or other names"
            )


class ReportFile:
    """A line for each tree: JSON, or cells between tabs if its name ends in `.tsv`."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "w", encoding="utf-8", newline="\n")  # noqa: SIM115 - as long as the run lasts
        self._as_table = path.lower().endswith(".tsv")
        if self._as_table:
            self._file.write("\t".join(REPORTED) + "\n")

    def take(self, rows: Iterable[Row]) -> None:
        """Writes what became of some trees."""
        for row in rows:
            values = {name: getattr(row, name) for name in REPORTED}
            if self._as_table:
                self._file.write("\t".join(map(_cell, values.values())) + "\n")
            else:
                self._file.write(json.dumps(values, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


def _cell(value: object) -> str:
    """A value on one line; numbers with four digits behind the point."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return " ".join(str(value).split())

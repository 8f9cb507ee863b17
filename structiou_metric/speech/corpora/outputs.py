"""Outputs of a run: files of trees and of reports, which grow during the run."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import IO

from .jobs import DONE, Job, Row

REPORTED = ("name", "recording", "status", "confidence", "match", "reason")
ENDING = ".mrg"  # of the treebanks in a folder, which other commands then take as such


Take = Callable[[Job, Sequence[Row]], None]  # is given the rows of each job, in the order of the jobs


def open_output(path: str) -> IO[str]:
    """Open a text file to be written."""
    return open(path, "w", encoding="utf-8", newline="\n")


def tree_lines(rows: Iterable[Row], on_error: str) -> list[str]:
    """Return the lines of trees: nothing for one that failed, or `()` where it keeps its place."""
    lines: list[str] = []
    for row in rows:
        if row.status == DONE:
            lines.append(row.line)
        elif on_error == "empty":
            lines += ["()"] * row.n_trees
    return lines


def write_trees(file: IO[str], on_error: str) -> Take:
    """Write all trees to one file, which grows by whole jobs."""

    def take(job: Job, rows: Sequence[Row]) -> None:
        file.write("".join(f"{line}\n" for line in tree_lines(rows, on_error)))
        file.flush()

    return take


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
                os.unlink(path)  # written by an earlier run that had trees for it
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        part = f"{path}.part"
        with open_output(part) as file:
            file.writelines(f"{line}\n" for line in lines)
        os.replace(part, path)


def _check_groups(jobs: Iterable[Job]) -> None:
    """Raise an error if the trees of two recordings would be written to the same file."""
    known: dict[str, str] = {}
    for job in jobs:
        other = known.setdefault(job.group, job.recording)
        if job.recording and other and other != job.recording:
            raise ValueError(
                f"{other} and {job.recording} would both be {job.group}{ENDING} in the folder of the output; "
                "give a file as -o, or other names"
            )


def write_report(file: IO[str]) -> Take:
    """Write a line for each tree: JSON, or cells between tabs if the name of the file ends in `.tsv`."""
    as_table = file.name.lower().endswith(".tsv")
    if as_table:
        file.write("\t".join(REPORTED) + "\n")

    def take(job: Job, rows: Sequence[Row]) -> None:
        for row in rows:
            values = {name: getattr(row, name) for name in REPORTED}
            cells = "\t".join(map(_cell, values.values()))
            file.write((cells if as_table else json.dumps(values, ensure_ascii=False)) + "\n")
        file.flush()

    return take


def _cell(value: object) -> str:
    """Return a value on one line; numbers with four digits after the point."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return " ".join(str(value).split())

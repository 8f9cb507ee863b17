"""Builds and runs the C prototype, and writes trees the way it reads them.

The prototype reads one tree a line. Words count 1 each; in its timed mode a word is `start_end`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from pathlib import Path

_SOURCE = Path(__file__).with_name("prototype") / "best.c"
_TIMED_WORD = re.compile(r"[^\s()<]*<([^,>]+),([^,>]+)>")
_WORD = re.compile(r"(?<= )[^\s()]+(?=\))")
_ESCAPED_BRACKET = re.compile(r"-[LR][RCS]B-")
_TOTAL = re.compile(r"sent avg .* total (\S+)s \|")


@dataclass(frozen=True)
class Options:
    """What the prototype can do differently."""

    unlabeled: bool = False
    timed: bool = False
    flexible: bool = False


class Prototype:
    """The program, built in `folder`.

    Raises:
        FileNotFoundError: If there is no C compiler.
    """

    def __init__(self, folder: Path) -> None:
        compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise FileNotFoundError("no C compiler")
        self._program = folder / "prototype"
        self.command = [*compiler.split(), "-O2", str(_SOURCE), "-o", str(self._program), "-lm"]
        subprocess.run(self.command, check=True, capture_output=True)
        version = subprocess.run([*compiler.split(), "--version"], check=True, capture_output=True, text=True)
        self.compiler = version.stdout.partition("\n")[0]

    def seconds(self, reference: Path, prediction: Path, options: Options) -> float:
        """What one run over two files took by its own clock, reading included, to four decimals."""
        *_, last = self._run(reference, prediction, options, verbose=False)
        found = _TOTAL.match(last)
        if found is None:
            raise ValueError(f"the prototype printed {last!r}")
        return float(found[1])

    def scores(self, reference: Path, prediction: Path, options: Options) -> list[float]:
        """The score of every pair, to twelve decimals."""
        *rows, _ = self._run(reference, prediction, options, verbose=True)
        return [float(row.split()[-1]) for row in rows]

    def _run(self, reference: Path, prediction: Path, options: Options, verbose: bool) -> list[str]:
        switches = [1, options.unlabeled, options.timed, verbose, 0, options.flexible]
        command = [str(self._program), str(reference), str(prediction), *(str(int(s)) for s in switches)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def write_lines(path: Path, trees: list[str]) -> Path:
    """Writes one tree a line."""
    path.write_text("".join(f"{tree}\n" for tree in trees), encoding="utf-8")
    return path


def times_as_words(brackets: str) -> str:
    """Timed brackets for the prototype: `word<start,end>` becomes `start_end`."""
    return _TIMED_WORD.sub(r"\1_\2", brackets)


def characters_as_words(brackets: str) -> str:
    """ASCII brackets for the prototype: a word becomes `start_end` in characters before it."""
    words = _WORD.findall(brackets)
    lengths = [len(_ESCAPED_BRACKET.sub("(", word)) for word in words]
    spans = pairwise(chain((0,), accumulate(lengths)))
    return _WORD.sub(lambda _: "{}_{}".format(*next(spans)), brackets)

"""What all sections of the benchmark share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.corpus import Corpus
from bench.process import FreshProcess
from bench.report import Report
from bench.yardstick import Prototype, write_lines


@dataclass(frozen=True)
class Bench:
    """What all sections share."""

    report: Report
    corpus: Corpus
    folder: Path
    prototype: Prototype | None
    quick: bool
    environment: dict[str, str]

    def rounds(self, full: int) -> int:
        """How often to repeat."""
        return 2 if self.quick else full

    def write(self, name: str, corpus: Corpus, convert: Callable[[str], str] = str) -> tuple[Path, Path]:
        """The corpus as two files, reference and prediction."""
        return (
            write_lines(self.folder / f"{name}.reference.txt", list(map(convert, corpus.references))),
            write_lines(self.folder / f"{name}.prediction.txt", list(map(convert, corpus.predictions))),
        )

    def python(self, *arguments: str) -> str:
        """What a fresh interpreter prints; it finds the same package as this one."""
        command = [sys.executable, *arguments]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=self.environment)
        return done.stdout

    def fresh(self, files: tuple[Path, Path], **options: Any) -> FreshProcess:
        """A process that scores these files and does nothing else."""
        return FreshProcess(files, options, self.environment)

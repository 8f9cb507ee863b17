"""Keeps one `fresh.py` running: what is timed is timed in a process that does nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

_SCRIPT = str(Path(__file__).with_name("fresh.py"))


class FreshProcess:
    """Scores two files with some options of `StructIoU`, as often as asked.

    Attributes:
        faults: Page faults of each scoring so far.
    """

    def __init__(
        self, files: tuple[Path, Path], options: dict[str, Any], environment: dict[str, str]
    ) -> None:
        self.faults: list[float] = []
        command = [sys.executable, _SCRIPT, *map(str, files), json.dumps(options)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __enter__(self) -> FreshProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def score(self, workers: int = 1) -> float:
        """Seconds from strings to the corpus score."""
        answer = self.ask(f"score {workers}")
        self.faults.append(answer["faults"])
        return answer["seconds"]

    def read(self) -> float:
        """Seconds of merely reading the strings."""
        return self.ask("read")["seconds"]

    def ask(self, task: str) -> dict[str, float]:
        """The answer to one task."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{task}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise subprocess.CalledProcessError(self._process.wait(), self._process.args)
        answer: dict[str, float] = json.loads(line)
        return answer

"""Runs spaCy's command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import structiou_metric

EXAMPLE = Path(__file__).parents[1] / "example_project"


def run_spacy(*args: object, cwd: Path = EXAMPLE, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs `python -m spacy …` with warnings as errors, in the folder of the example project.

    Args:
        *args: Of the command.
        cwd: Where to run it.
        check: Whether it must succeed.
    """
    path = [str(Path(structiou_metric.__file__).parents[1]), *filter(None, sys.path)]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-B", "-m", "spacy", *map(str, args)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
        cwd=cwd,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path),
            "PYTHONIOENCODING": "utf-8",
            "ANSI_COLORS_DISABLED": "1",
            "COLUMNS": "80",
        },
    )
    if check and done.returncode:
        raise AssertionError(f"spacy {' '.join(map(str, args))}:\n{done.stdout}\n{done.stderr}")
    return done

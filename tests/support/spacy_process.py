"""Runs spaCy's command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.paths import EXAMPLE
from support.process import PATIENCE, environment

# What a warning is; of an old spaCy and what it imports, no error.
WARNINGS = os.environ.get("STRUCTIOU_WARNINGS", "error")


def run_spacy(*args: object, cwd: Path = EXAMPLE, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs `python -m spacy …` with warnings as errors, in the folder of the example project.

    Args:
        *args: Of the command.
        cwd: Where to run it.
        check: Whether it must succeed.
    """
    done = subprocess.run(
        [sys.executable, "-W", WARNINGS, "-B", "-m", "spacy", *map(str, args)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
        cwd=cwd,
        env=environment(*sys.path, ANSI_COLORS_DISABLED="1", COLUMNS="80"),
    )
    if check and done.returncode:
        raise AssertionError(f"spacy {' '.join(map(str, args))}:\n{done.stdout}\n{done.stderr}")
    return done

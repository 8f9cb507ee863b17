"""Runs code in an interpreter of its own: for what may take the whole process with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import structiou_metric

_LIMIT = """
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (%d, %d))
except (ImportError, ValueError, OSError):
    pass
"""


def run_python(
    code: str, *, timeout: float = 60.0, memory: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs `code` with the `structiou_metric` that this process has, in at most `memory` bytes."""
    path = [str(Path(structiou_metric.__file__).parents[1]), *filter(None, sys.path)]
    return subprocess.run(
        [sys.executable, "-c", (_LIMIT % (memory, memory) if memory else "") + code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONIOENCODING": "utf-8"},
    )

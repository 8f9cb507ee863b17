"""Runs code in an interpreter of its own: for what may take the whole process with it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

from support.paths import PACKAGE

PATIENCE = 600.0  # seconds after which something hangs; nothing is expected to take long

_LIMIT = """
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (%d, %d))
except (ImportError, ValueError, OSError):
    pass
"""


def environment(*path: str, **changes: str) -> dict[str, str]:
    """Of a process that imports the same package as this one, and from the folders of `path`."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *filter(None, path)]),
        "PYTHONIOENCODING": "utf-8",
        **changes,
    }


def run_python(
    code: str, *, timeout: float = PATIENCE, memory: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs `code` with the `structiou_metric` that this process has, in at most `memory` bytes."""
    return subprocess.run(
        [sys.executable, "-c", (_LIMIT % (memory, memory) if memory else "") + code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
        env=environment(*sys.path),
    )


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds, and fail after `PATIENCE`."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)

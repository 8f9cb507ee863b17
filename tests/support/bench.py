"""The benchmarks as a reader would start them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import structiou_metric

FOLDER = Path(__file__).parents[1] / "bench"


def quick_run(program: str, out: Path) -> list[dict[str, Any]]:
    """Runs a program of `tests/bench` in its quick mode; returns the rows that it wrote to `out`."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / program), "--quick", "--json", str(out)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(structiou_metric.__file__).parents[1])},
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))["rows"]
    return rows

"""The benchmark of this door runs and its values agree; nothing here judges speed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import structiou_metric
from support.extras import need

need("evaluate")

PROGRAM = Path(__file__).parents[1] / "bench" / "bench_evaluate.py"


def test_bench_quick_run_agrees(evaluate, tmp_path):
    out = tmp_path / "out.json"
    package = str(Path(structiou_metric.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "--quick", "--json", str(out)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": package},
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert [row["same"] for row in rows if row["kind"] == "agree"] == [True, True]
    assert [row["at_most"] for row in rows if row["kind"] == "limit"] == [1.6, 1.6]

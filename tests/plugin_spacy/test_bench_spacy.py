"""The benchmark of this door runs and its values agree; nothing here judges speed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import structiou_metric
from support.extras import need

need("spacy")

_PROGRAM = Path(__file__).parents[1] / "bench" / "bench_spacy.py"


def test_bench_quick_run_agrees(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    package = str(Path(structiou_metric.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, str(_PROGRAM), "--quick", "--json", str(out)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": package},
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert [row["same"] for row in rows if row["kind"] == "agree"] == [True, True]
    assert [row["at_most"] for row in rows if row["kind"] == "limit"] == [2.0, 2.0, 5.0]

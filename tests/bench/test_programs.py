"""The benchmarks run as a reader would start them, and their values agree; nothing here judges speed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from support.extras import need
from support.paths import BENCH
from support.process import PATIENCE, environment

pytestmark = pytest.mark.slow


# By name, a library that it needs. Those of intervals and of forced alignment take minutes; tests/stats and
# tests/speech test what they are made of.
PROGRAMS = {"align": "numpy", "integrations": "spacy", "scale": "distributed"}


def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCH / f"bench_{name}.py"), *arguments],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=PATIENCE,
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_quick_run_agrees(name, tmp_path):
    need(PROGRAMS[name])
    out = tmp_path / "out.json"
    done = run(name, "--quick", "--json", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert any(row["kind"] == "limit" for row in rows)
    assert all(row["same"] for row in rows if row["kind"] == "agree")

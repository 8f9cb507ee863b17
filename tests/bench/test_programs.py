"""The benchmarks run as a reader would start them, and their values agree; nothing here judges speed."""

from __future__ import annotations

import json
import subprocess
import sys
from shutil import which
from typing import NamedTuple

import pytest

from support.extras import need
from support.paths import BENCH
from support.process import PATIENCE, environment

pytestmark = pytest.mark.slow


class Program(NamedTuple):
    """What a quick run of a benchmark needs: a library and another program."""

    library: str = ""
    program: str = ""


PROGRAMS = {
    "align": Program(),
    "coverage": Program("numpy"),
    "integrations": Program("spacy"),
    "scale": Program("distributed"),
    "speech": Program("pocketsphinx", "espeak-ng"),
}


def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCH / f"bench_{name}.py"), *arguments],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=PATIENCE,
    )


def test_no_program_is_left_out():
    assert sorted(PROGRAMS) == sorted(path.stem.removeprefix("bench_") for path in BENCH.glob("bench_*.py"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_quick_run_agrees(name, tmp_path):
    program = PROGRAMS[name]
    if program.library:
        need(program.library)
    if program.program and which(program.program) is None:
        pytest.skip(f"{program.program} is not installed")
    out = tmp_path / "out.json"
    done = run(name, "--quick", "--json", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert any(row["kind"] == "limit" for row in rows)
    assert all(row["same"] for row in rows if row["kind"] == "agree")

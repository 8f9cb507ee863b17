"""The benchmarks run as a reader would start them, and their values agree; nothing here judges speed."""

from __future__ import annotations

import json
import subprocess
import sys
from shutil import which
from typing import Any, NamedTuple

import pytest

from support.extras import need
from support.paths import BENCH
from support.process import PATIENCE, environment

pytestmark = pytest.mark.slow


class Program(NamedTuple):
    """What a quick run of a benchmark reports.

    Attributes:
        agree: How many comparisons of values it makes, at least.
        limits: The first limits of what it measures, at most or at least so much; others depend on the
            machine.
        needs: A library without which it does not run.
        arguments: More than the quick run needs.
        program: Another program without which it does not run.
    """

    agree: int
    limits: list[float]
    needs: str = ""
    arguments: tuple[str, ...] = ()
    program: str = ""


PROGRAMS = {
    "align": Program(12, [], arguments=("a", "c")),
    "coverage": Program(0, [0.03] * 6, "numpy"),
    "datasets": Program(11, [1.3, 1.3, 18.0, 18.0, 28.0, 36.0, 34.0, 9.0], "datasets"),
    "documents": Program(1, [1.2]),
    "evaluate": Program(2, [1.6, 1.6], "evaluate"),
    "load": Program(2, [3.0, 1024, 2.0], "gradio"),
    "parseval": Program(2, [1.5, 1.5, 1.4]),
    "peers": Program(6, []),
    "scale": Program(3, [0.9, 1.05, 350.0, 1.6, 0.6, 0.4], "distributed"),
    "significance": Program(1, [2.0] * 3 + [16.0] * 2, "numpy"),
    "spacy": Program(2, [3.0, 3.0, 2.5, 2.5], "spacy"),
    "speech": Program(0, [20.0, 0.78, 0.0, 85.0], "pocketsphinx", program="espeak-ng"),
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
    if program.needs:
        need(program.needs)
    if program.program and which(program.program) is None:
        pytest.skip(f"{program.program} is not installed")
    out = tmp_path / "out.json"
    done = run(name, "--quick", "--json", str(out), *program.arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    rows: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))["rows"]
    agree = [row["same"] for row in rows if row["kind"] == "agree"]
    assert all(agree)
    assert len(agree) >= program.agree
    limits = [
        row["at_least"] if row["at_most"] is None else row["at_most"]
        for row in rows
        if row["kind"] == "limit"
    ]
    assert limits[: len(program.limits)] == program.limits
    assert limits


def test_unknown_section_is_named():
    done = run("align", "z")
    assert done.returncode == 2
    assert "unknown section 'z'; choose from a, b" in done.stderr

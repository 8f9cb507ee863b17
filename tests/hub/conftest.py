"""The metric in the real `evaluate`, and interpreters that start fresh."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import structiou_metric
from support.hub import OFFLINE
from support.process import PATIENCE, environment


@pytest.fixture
def load(evaluate, tmp_path):
    """Loads the metric by its path, with a cache that no other test uses."""

    def load(**options):
        return evaluate.load(structiou_metric.metric_path(), cache_dir=str(tmp_path / "metrics"), **options)

    return load


@pytest.fixture
def metric(load):
    return load()


@pytest.fixture
def start_python(evaluate, tmp_path):
    """Starts code in a fresh interpreter and an empty folder, with warnings as errors."""
    work = tmp_path / "empty"
    work.mkdir()

    def start(code, *arguments, **changes):
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=work,
            env=environment(
                os.environ.get("PYTHONPATH", ""),
                **{name: str(value) for name, value in {**OFFLINE, **changes}.items()},
            ),
        )

    return start


@pytest.fixture
def run_python(start_python):
    """Runs code likewise; returns the lines it printed, and all it wrote to standard error."""

    def run(code, *arguments, **changes):
        process = start_python(code, *arguments, **changes)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        return out.splitlines(), err

    return run

"""The real `evaluate`, offline, with caches of its own; skipped where it is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import structiou_metric

OFFLINE = {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "HF_UPDATE_DOWNLOAD_COUNTS": "0"}


@pytest.fixture(scope="session")
def hf_home(tmp_path_factory):
    return tmp_path_factory.mktemp("hf")


@pytest.fixture(scope="session")
def evaluate(hf_home):
    """The library; it reads its environment when it is imported."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE"):
            patch.delenv(name, raising=False)
        for name, value in {**OFFLINE, "HF_HOME": str(hf_home)}.items():
            patch.setenv(name, value)
        library = pytest.importorskip("evaluate")
        # Another test may have imported it before.
        patch.setattr(library.config, "HF_EVALUATE_OFFLINE", True)
        patch.setattr(library.config, "HF_MODULES_CACHE", hf_home / "modules")
        patch.setattr(library.config, "HF_METRICS_CACHE", hf_home / "metrics")
        yield library


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

    def start(code, *arguments, **environment):
        path = [
            str(Path(structiou_metric.__file__).parents[1]),
            *filter(None, [os.environ.get("PYTHONPATH")]),
        ]
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=work,
            env={
                **os.environ,
                **OFFLINE,
                "PYTHONPATH": os.pathsep.join(path),
                "PYTHONIOENCODING": "utf-8",
                **{name: str(value) for name, value in environment.items()},
            },
        )

    return start


@pytest.fixture
def run_python(start_python):
    """Runs code likewise; returns the lines it printed, and all it wrote to standard error."""

    def run(code, *arguments, **environment):
        process = start_python(code, *arguments, **environment)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        return out.splitlines(), err

    return run

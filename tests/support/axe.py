"""axe-core, which finds what keeps people from reading and using a page; from npm."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

_VERSION = "4.14.0"
_GRAVE = ("serious", "critical")
_RUN = """async () => (await axe.run(document)).violations.flatMap(({impact, id, nodes}) =>
    nodes.map(node => [impact, id, node.target.join(' '), node.failureSummary]))"""


def fetch_axe(folder: Path) -> str:
    """Its script; skips the test where it cannot be had.

    Args:
        folder: Where it is kept, for other test runs, too.
    """
    script = folder / _VERSION / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("npm is not installed")
        draft = mkdtemp(dir=folder)
        command = [npm, "install", "--prefix", draft, "--ignore-scripts", "--no-audit", "--no-fund"]
        command += ["--fetch-retries", "1"]  # where there is no network, it says so soon
        done = subprocess.run([*command, f"axe-core@{_VERSION}"], capture_output=True, text=True, check=False)
        if done.returncode:
            shutil.rmtree(draft)
            pytest.skip(f"npm could not install axe-core: {done.stderr[-300:]}")
        try:
            os.rename(draft, folder / _VERSION)
        except OSError:  # another worker was quicker
            shutil.rmtree(draft)
    return script.read_text("utf-8")


def find_barriers(page: Any, axe: str) -> list[list[str]]:
    """What axe-core finds on a page that is serious or critical: impact, rule, place and what to do."""
    page.wait_for_function("document.getAnimations().every(({playState}) => playState !== 'running')")
    page.evaluate(axe)
    return [found for found in page.evaluate(_RUN) if found[0] in _GRAVE]

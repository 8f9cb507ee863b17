"""Tests of extras."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def need(module: str) -> None:
    """Skips the calling test file where that is not installed; unlike `importorskip`, imports nothing.

    For libraries that read the environment when they are imported: a fixture sets it first.
    """
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed", allow_module_level=True)

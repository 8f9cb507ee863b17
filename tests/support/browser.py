"""A real browser for tests, which are skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from support.extras import need
from support.process import PATIENCE

# Without these the browser looks for its maker's servers when it starts.
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def need_browser() -> None:
    """Skips the module without a browser and the library that drives it."""
    need("playwright")
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed", allow_module_level=True)


@contextmanager
def open_browser() -> Iterator[Any]:
    """The browser; what tests expect of its pages may take long."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=_ARGUMENTS, timeout=PATIENCE * 1000
        )
        yield browser
        browser.close()

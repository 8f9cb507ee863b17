"""A progress bar for long work that a person watches."""

from __future__ import annotations

import os
import sys
from time import monotonic

_PATIENCE = 1.0  # seconds before a bar appears
_PAUSE = 0.1  # seconds between two drawings
_WIDTH = 30


class Progress:
    """Counts finished rows on standard error; silent unless that is a terminal, and for short work."""

    def __init__(self, total: int | None, what: str, *, show: bool = True) -> None:
        self._total = total
        self._what = what
        self._done = 0
        self._show = show and sys.stderr is not None and sys.stderr.isatty()
        self._next = monotonic() + _PATIENCE
        self._columns = 0  # that the bar has taken

    def add(self, count: int) -> None:
        """Record that `count` more rows are done."""
        self._done += count
        if self._show and monotonic() >= self._next:
            self._next = monotonic() + _PAUSE
            self._draw()

    def announce(self) -> None:
        """Show the title at once, without a count, for work that has no parts to count."""
        if self._show:
            self._write(f"{self._what} ...", _terminal_columns() - 1)

    def _draw(self) -> None:
        columns = _terminal_columns() - 1  # the last one stays free, or the line would wrap
        if self._total is None:
            count, width, filled = f"{self._done:,}", 0, 0
        else:
            count = f" {self._done:,}/{self._total:,}"
            width = max(0, min(_WIDTH, columns - len(self._what) - 1 - len(count)))
            filled = width * self._done // max(self._total, 1)
        full, free = _blocks()
        self._write(f"{self._what} {full * filled}{free * (width - filled)}{count}", columns)

    def _write(self, text: str, columns: int) -> None:
        text = text[:columns]
        self._columns = max(self._columns, len(text))
        sys.stderr.write("\r" + text)
        sys.stderr.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._columns:
            sys.stderr.write("\r" + " " * self._columns + "\r")
            sys.stderr.flush()


def _terminal_columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _blocks() -> tuple[str, str]:
    """Return the characters that the full and the free part are drawn with."""
    try:
        "█░".encode(sys.stderr.encoding)
    except UnicodeEncodeError:
        return "#", "-"
    return "█", "░"

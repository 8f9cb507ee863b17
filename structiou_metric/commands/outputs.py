"""Outputs of commands besides tables: JSON, files, plots and drawings, with the arguments for them."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Mapping
from errno import EACCES, EISDIR, ENOENT
from typing import Any

from ..drawing.plots import check_format, save_figure
from ..optional import need
from .arguments import positive


def add_drawing(parser: argparse.ArgumentParser) -> None:
    """Add options for drawing trees in the terminal."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="auto is in a terminal, unless NO_COLOR is set (default: auto)",
    )
    parser.add_argument(
        "--width", type=positive, metavar="N", help="columns to draw in (default: the terminal's, or 80)"
    )


def wants_color(choice: str = "auto") -> bool:
    """Return whether to print in colours; `auto` does in terminals unless `NO_COLOR` or `TERM` forbid it."""
    if choice == "auto":
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return not plain and sys.stdout is not None and sys.stdout.isatty()
    return choice == "always"


def terminal_columns() -> int:
    """Return the columns of the terminal; 80 without one."""
    return shutil.get_terminal_size().columns


def add_plot(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option that names the file of a plot."""
    parser.add_argument("--plot", metavar="FILE", help=f"also draw {what}, as .png or .svg")


def check_plot(path: str | None) -> None:
    """Refuse a plot that cannot be made, before the work starts."""
    if path is not None:
        check_format(path)
        check_writable(path)
        need("matplotlib", "plot", "a plot")


def save_plot(path: str | None, found: Any) -> None:
    """Write the plot of a result, if there is a file for it."""
    if path is not None:
        save_figure(found.plot(), path)


def check_writable(path: str | None) -> None:
    """Refuse a file that cannot be written, before the work starts; None is no file."""
    if path is None:
        return
    folder = os.path.dirname(path) or os.curdir
    checks = {
        ENOENT: not os.path.isdir(folder),
        EISDIR: os.path.isdir(path),
        EACCES: not os.access(path if os.path.exists(path) else folder, os.W_OK),
    }
    for number, fails in checks.items():
        if fails:
            raise OSError(number, os.strerror(number), path)


def write_text(path: str, text: str) -> None:
    """Write a file, with the same line ends on every system."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def as_json(kind: str, value: Mapping[str, Any]) -> str:
    """Return the value as indented JSON with a line end, with its schema and kind.

    The number in the schema rises when a key goes or changes its meaning; keys may be added at any time.
    """
    return json.dumps({"schema": f"structiou.{kind}.v1", **value}, indent=2) + "\n"

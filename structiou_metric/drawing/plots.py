"""Plots: figures of matplotlib, made without a screen and written as PNG or SVG."""

from __future__ import annotations

import io
import os
from typing import Any

from ..optional import need

FORMATS = ("png", "svg")

# Colours that people with any colour vision can distinguish (Okabe and Ito's palette), dark ones first.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")


def new_figure(width: float = 6.0, height: float = 4.0) -> tuple[Any, Any]:
    """Return a figure of this size in inches, and its axes."""
    figure = need("matplotlib.figure", "plot", "a plot").Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_prop_cycle(color=COLORS)
    return figure, axes


def check_format(path: str | os.PathLike[str]) -> str:
    """Return the format that a file name asks for; refuse others before the work starts."""
    suffix = os.fspath(path).rpartition(".")[2].lower()
    if suffix not in FORMATS:
        raise ValueError(f"{path}: a plot is written as {' or '.join(FORMATS)}; end the name in .png or .svg")
    return suffix


def save_figure(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG or SVG, by the suffix of the file.

    The file has no date and no random names, so the same figure gives the same bytes. Text remains text.
    """
    data = figure_bytes(figure, check_format(path))
    with open(path, "wb") as file:
        file.write(data)


def figure_bytes(figure: Any, suffix: str) -> bytes:
    """Return a figure as PNG or SVG; the same figure gives the same bytes."""
    metadata = {"Date": None} if suffix == "svg" else {"Software": None}
    buffer = io.BytesIO()
    with need("matplotlib", "plot", "a plot").rc_context(
        {"svg.hashsalt": "structiou", "svg.fonttype": "none"}
    ):
        figure.savefig(buffer, format=suffix, dpi=150, metadata=metadata)
    return buffer.getvalue()

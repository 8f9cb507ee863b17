"""Templates: every page and part of a page is made by jinja2, which escapes all values."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from leaderboard.phases import show_day, show_minute
from leaderboard.uploads import UploadError
from structiou_metric import TreeFormatError
from structiou_metric.wording import count

FOLDER = Path(__file__).resolve().parent


def mark_place(text: str) -> Markup:
    """Return a message as HTML; a caret on the last line becomes a mark in the line above it.

    Lines are wrapped on narrow screens, where a caret would no longer be under its place.

    >>> print(mark_place("dev.txt:1:3: this ')' closes nothing\\n  (A)) x\\n     ^"))
    dev.txt:1:3: this &#39;)&#39; closes nothing<code class="place">(A)<mark>)</mark> x</code>
    """
    lines = text.split("\n")
    if len(lines) < 3 or lines[-1].strip() != "^":
        return escape(text)
    at, shown = lines[-1].index("^"), lines[-2]
    before, place, after = shown[:at].lstrip(), shown[at : at + 1] or "⏎", shown[at + 1 :]
    return Markup('{}<code class="place">{}<mark>{}</mark>{}</code>').format(
        "\n".join(lines[:-2]), before, place, after
    )


def describe_error(error: Exception) -> str:
    """Return the text of an error, with the place of an error in a tree in words."""
    if isinstance(error, TreeFormatError) and error.line is not None:
        place = f"{error.source}, " if error.source else ""
        return f"{place}line {error.line}, column {error.column}: {error.message}\n{error.window}"
    return str(error)


def problems_of(error: Exception) -> list[str]:
    """Return the lines that a form shows for an error; a refused file has a line for each bad row."""
    if isinstance(error, UploadError):
        return ["The file was not accepted and does not count.", *error.lines()]
    return [describe_error(error)]


def show_value(value: object, digits: int = 4) -> str:
    """Return a cell of a table as text."""
    if value is None or value == "":
        return "—"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
_ENVIRONMENT.filters.update(day=show_day, minute=show_minute, marked=mark_place, shown=show_value)
_ENVIRONMENT.globals.update(count=count)


def render(template: str, **values: Any) -> Markup:
    """Return a page, or a part of one, made from a template."""
    return Markup(_ENVIRONMENT.get_template(template).render(**values))


def join(parts: Iterable[Markup]) -> Markup:
    """Return several parts of a page as one."""
    return Markup("").join(parts)

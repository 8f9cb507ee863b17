"""The Markdown that stands for the marks in pages, by kind."""

from __future__ import annotations

from collections.abc import Callable

from parts.reference import write_reference

GENERATED: dict[str, Callable[..., str]] = {
    "reference": write_reference,
}

"""A file of word times before it is taken apart: its rows as CSV, and its times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from math import isfinite
from typing import Any

from ...errors import TreeFormatError
from ...sources.content import Content
from .entries import Entry

# What stands in the place of a time that a source does not know.
NO_TIME = frozenset(("", "-", "n/a", "na", "none", "non-aligned", "null"))

_NEXT = re.compile(r"[^ \t\n]|\Z")  # where the next JSON value begins, or the end


class Document(Content):
    """One file of word times."""

    flag = "--words-encoding"

    @cached_property
    def values(self) -> list[Any]:
        """The JSON values of the file: one, or several, as programs write that go on listening."""
        import json

        try:
            return [self.json]
        except TreeFormatError as error:
            if not error.message.endswith("Extra data"):
                raise
        decoder, values, at = json.JSONDecoder(), [], 0
        while (at := _NEXT.search(self.text, at).start()) < len(self.text):  # type: ignore[union-attr]
            try:
                value, at = decoder.raw_decode(self.text, at)
            except RecursionError:
                raise self.error("the JSON is nested too deeply") from None
            except ValueError as error:
                line = self.text.count("\n", 0, getattr(error, "pos", at)) + 1
                raise self.error(f"this is not JSON: {getattr(error, 'msg', error)}", line) from None
            values.append(value)
        return values

    def csv(self) -> Iterator[tuple[int, list[str]]]:
        """The rows of the file as CSV, each with the line where it ends."""
        import csv
        import io

        reader = csv.reader(io.StringIO(self.text, newline=""), strict=True)
        try:
            yield from ((reader.line_num, row) for row in reader)
        except csv.Error as error:
            raise self.error(f"this is not CSV: {error}", reader.line_num) from None

    def entry(self, text: str, start: Any, end: Any, place: int | str, duration: Any = None) -> Entry:
        """A label with its times, given as numbers or their texts; a duration stands in for an end."""
        first, last = self.seconds(start, place, "start"), self.seconds(end, place, "end")
        if last is None:
            length = self.seconds(duration, place, "duration")
            if first is not None and length is not None:
                last = round(first + length, 9)  # 0.1 + 0.2 is 0.3 here
        return Entry(text, first, last, place)

    def seconds(self, value: Any, place: int | str, name: str) -> float | None:
        """A time, called `start` or so, as a number, or None where the source has none."""
        if type(value) is float and isfinite(value):  # as in most JSON
            return value
        if value is None or (isinstance(value, str) and value.strip().lower() in NO_TIME):
            return None
        try:
            if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
                raise ValueError
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise self.error(f"the {name} {_brief(value)} is no number; give seconds", place) from None
        if not isfinite(number):
            raise self.error(f"the {name} {_brief(value)} is not finite; give seconds", place)
        return number


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."

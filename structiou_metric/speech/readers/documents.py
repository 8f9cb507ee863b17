"""A file of word times before it is taken apart: its text, its JSON, and errors that name it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import isfinite
from typing import Any

from ...errors import TreeFormatError
from ...sources.files import check_text
from .entries import Entry

# What stands in the place of a time that a source does not know.
NO_TIME = frozenset(("", "-", "n/a", "na", "none", "non-aligned", "null"))

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Document:
    """One file."""

    def __init__(self, data: bytes, title: str) -> None:
        self.data = data  # unpacked
        self.title = title  # what to call it in errors

    @cached_property
    def text(self) -> str:
        """What it says, with `\\n` at line ends: UTF-8, or UTF-16 with a byte-order mark."""
        if self.data[:2] in _UTF16_MARKS:
            try:
                text = self.data.decode("utf-16")
            except UnicodeDecodeError as error:
                raise self.error(f"this is not UTF-16, as its first bytes say: {error.reason}") from None
        else:
            check_text(self.data, self.title)
            text = self.data.decode("utf-8-sig")
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            raise self.error("a NUL character (UTF-16 without a mark?); convert the file to UTF-8", line)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @cached_property
    def json(self) -> Any:
        """Its value as JSON."""
        import json

        try:
            return json.loads(self.text)
        except RecursionError:
            raise self.error("the JSON is nested too deeply") from None
        except json.JSONDecodeError as error:
            raise self.error(f"this is not JSON: {error.msg}", error.lineno, error.colno) from None
        except ValueError as error:  # such as an integer of 5,000 digits
            raise self.error(str(error)) from None

    def csv(self) -> Iterator[tuple[int, list[str]]]:
        """Its rows as CSV, each with the line where it ends."""
        import csv
        import io

        reader = csv.reader(io.StringIO(self.text, newline=""), strict=True)
        try:
            yield from ((reader.line_num, row) for row in reader)
        except csv.Error as error:
            raise self.error(f"this is not CSV: {error}", reader.line_num) from None

    def error(self, message: str, place: int | str = "", column: int | None = None) -> TreeFormatError:
        """An error here, or at a place: a line, or the name of an entry."""
        if isinstance(place, int):
            return TreeFormatError(message, source=self.title, line=place, column=column)
        return TreeFormatError(message, source=f"{self.title}: {place}" if place else self.title)

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

"""Errors about trees, and a warning about settings. Each says where, what, and what to do."""

from __future__ import annotations

__all__ = ["NoticeError", "SettingsWarning", "TreeFormatError", "TreeMismatchError"]


class TreeFormatError(ValueError):
    """A tree that cannot be read.

    Attributes:
        source: File name, or the name of the row such as `predictions[3]`.
        line: Line in the source, from 1, or None where lines mean nothing.
        column: Column in that line in characters, from 1, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str = "",
        line: int | None = None,
        column: int | None = None,
        window: str = "",
    ) -> None:
        where = ":".join(str(part) for part in (source, line, column) if part not in ("", None))
        text = f"{where}: {message}" if where else message
        super().__init__(f"{text}\n{window}" if window else text)
        self.message = message
        self.source = source
        self.line = line
        self.column = column
        self.window = window


class TreeMismatchError(ValueError):
    """Two trees, or two lists of trees, that cannot be compared."""


class NoticeError(ValueError):
    """Something suspicious though it can be computed, where that was to be an error."""


class SettingsWarning(UserWarning):
    """A line of a file of settings, such as parameters, that has no effect or is not as it should be."""

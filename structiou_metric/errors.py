"""Errors about trees, and a warning about settings. Each message names the place, the cause and the cure."""

from __future__ import annotations

__all__ = ["SettingsWarning", "StrictError", "TreeFormatError", "TreeMismatchError", "TreeSizeError"]


class TreeFormatError(ValueError):
    """A tree that cannot be read.

    >>> from structiou_metric import SegmentTree
    >>> try:
    ...     SegmentTree.from_brackets("(S (A a)", source="gold.txt")
    ... except TreeFormatError as error:
    ...     print(error.source, error.line, error.column)
    gold.txt 1 1

    Attributes:
        source: The name of the file, or of the row such as `predictions[3]`.
        line: The line in the source, from 1, or None where lines mean nothing.
        column: The column in that line in characters, from 1, or None.
        message: The error without its place.
        window: The text around the place with a caret below it, or an empty text.
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
    """Two trees, or two lists of trees, that cannot be compared.

    >>> from structiou_metric import struct_iou
    >>> try:
    ...     struct_iou("(S (A a))", "(S (A a) (B b))")
    ... except TreeMismatchError as error:
    ...     print("they have different numbers of words")
    they have different numbers of words
    """


class TreeSizeError(TreeMismatchError, MemoryError):
    """Two trees that this machine has not enough memory to compare.

    >>> print(TreeSizeError.of(("prediction", "reference"), "no memory is left"))
    prediction and reference are too large to be compared: no memory is left; cut them into sentences
    """

    @classmethod
    def of(cls, names: tuple[str, str], reason: str) -> TreeSizeError:
        """Return the error for trees with these names."""
        return cls(f"{' and '.join(names)} are too large to be compared: {reason}; cut them into sentences")


class StrictError(ValueError):
    """A warning about data that can still be scored, raised as an error because `strict` was set.

    >>> from structiou_metric import StructIoU
    >>> try:
    ...     StructIoU().corpus_score(["(S (A we) (B ran))"], ["(S (A we) (B run))"], strict=True)
    ... except StrictError as error:
    ...     print("the words differ")
    the words differ
    """


class SettingsWarning(UserWarning):
    """A line of a file of settings, such as parameters, that has no effect or is not as it should be.

    >>> import warnings
    >>> from structiou_metric.metrics.parseval.parameters import Parameters
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     parameters = Parameters.from_text("DELETE_LABLE TOP")
    >>> caught[0].category.__name__
    'SettingsWarning'
    """

"""Praat's TextGrid files, long and short, read by praatio."""

from __future__ import annotations

import re
from typing import Any

from ...optional import need
from .documents import Document
from .entries import Track
from .tiers import choose_tier

# A tier's class, name, limits and the number of its entries; Praat reads the long form in this way, too,
# since for it the words around the values mean nothing.
_HEADER = re.compile(
    r'"(?:IntervalTier|TextTier)"[^"]*"(?:[^"]|"")*"\s*(?:xmin\s*=)?\s*\S+\s+(?:xmax\s*=)?\s*\S+\s+'
    r"(?:(?:intervals|points)\s*:\s*size\s*=\s*)?(\d+)"
)
# Numbers that praatio reads without their sign, or not at all.
_NUMBER = re.compile(r"^(\s*(?:xmin|xmax|number) ?= ?)(-\S*|\S*[eE]\S*)", re.MULTILINE)


def read_textgrid(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The intervals of one tier; see `choose_tier`."""
    tiers = _parse(document)
    intervals = [found for found in tiers if found["class"] == "IntervalTier"]
    chosen = intervals[choose_tier([found["name"] for found in intervals], tier, speaker, document)]
    name = chosen["name"]
    entries = [
        document.entry(label, start, end, f"tier {name!r}, interval {number}")
        for number, (start, end, label) in enumerate(chosen["entries"], 1)
    ]
    return Track(entries, f"{document.title} (tier {name!r})")


def _parse(document: Document) -> list[dict[str, Any]]:
    """The tiers as praatio gives them, if it found all that there is."""
    _check_kind(document)
    praatio = need("praatio.utilities.textgrid_io", "speech", "reading TextGrid files")
    text = _NUMBER.sub(lambda match: match[1] + _plain(match, document), document.text)
    try:
        # An open last line would get lost.
        grid = praatio.parseTextgridStr(text + "\n", includeEmptyIntervals=True)
    except (praatio.errors.PraatioException, AttributeError, LookupError, TypeError, ValueError) as error:
        raise document.error(
            f"this TextGrid cannot be read ({error or type(error).__name__}); save it again with Praat"
        ) from None
    tiers: list[dict[str, Any]] = grid["tiers"]
    declared = [int(size) for size in _HEADER.findall(text)]
    found = [len(tier["entries"]) for tier in tiers]
    if declared != found:
        raise document.error(
            f"the tiers should have {declared} entries and have {found}; the file is cut off or damaged"
        )
    return tiers


def _check_kind(document: Document) -> None:
    """Refuses files of other kinds, which praatio would take for the short form."""
    start = document.text.lstrip()[:200]
    if start.startswith("ooBinaryFile"):
        raise document.error("this is a binary TextGrid; save it as text with Praat")
    if "chronological" in start.partition("\n")[0]:
        raise document.error("this is a chronological TextGrid; save it as a text file with Praat")
    if "TextGrid" not in start:
        raise document.error(
            'this is no TextGrid: Object class = "TextGrid" is missing at its top; give the format it has'
        )


def _plain(match: re.Match[str], document: Document) -> str:
    """A number without an exponent, or an error where it is negative."""
    line = document.text.count("\n", 0, match.start(2)) + 1
    number = document.seconds(match[2], line, "time")
    if number is None or number < 0:
        raise document.error(
            f"the time {match[2]} is before 0; times count from the start of the recording", line
        )
    return format(number, ".17f")

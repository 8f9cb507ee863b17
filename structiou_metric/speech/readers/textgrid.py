"""Praat's TextGrid files, long and short.

Praat reads only the numbers, texts in quotation marks and flags in angle brackets that are free; the words
around them, such as `xmin =`, are ignored. So the long and the short form are one, with any names of
the values and any line breaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple

from ...wording import count
from .documents import Document, Entry, Track
from .tiers import choose_tier

_TOKEN = re.compile(
    r'"(?P<text>[^"]*(?:""[^"]*)*)"'
    r"|(?<!\S)(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|<(?P<flag>\w+)>)(?!\S)"
    r"|(?<!\S)![^\n]*"
)
_INTERVALS, _POINTS = "IntervalTier", "TextTier"


class Tier(NamedTuple):
    """The intervals of one tier."""

    name: str
    entries: list[Entry]


def read_textgrid(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """Read the intervals of one tier; see `choose_tier`."""
    tiers = read_tiers(document)
    chosen = tiers[choose_tier([found.name for found in tiers], tier, speaker, document)]
    return Track(chosen.entries, f"{document.title} (tier {chosen.name!r})", covering=True)


def read_tiers(document: Document) -> list[Tier]:
    """Read all tiers of intervals; those of points hold no words."""
    _check_kind(document)
    tokens = _Tokens(document)
    tokens.skip_to("TextGrid")
    tokens.number("the start of the file")
    tokens.number("the end of the file")
    n_tiers = 0
    if tokens.flag() == "exists":
        n_tiers = tokens.size("the number of tiers")
    tiers = [tier for number in range(1, n_tiers + 1) if (tier := _read_tier(tokens, number)) is not None]
    tokens.end(n_tiers)
    return tiers


def _read_tier(tokens: _Tokens, number: int) -> Tier | None:
    kind = tokens.text(f"the kind of tier {number}")
    if kind not in (_INTERVALS, _POINTS):
        raise tokens.error(f"tier {number} is of the kind {kind!r}, not {_INTERVALS} or {_POINTS}")
    name = tokens.text(f"the name of tier {number}")
    for what in ("start", "end"):
        tokens.number(f"the {what} of tier {name!r}")
    entries = []
    for place in range(1, tokens.size(f"the size of tier {name!r}") + 1):
        if kind == _POINTS:
            tokens.number(f"the time of point {place} of tier {name!r}")
            tokens.text(f"the mark of point {place} of tier {name!r}")
            continue
        where = f"interval {place} of tier {name!r}"
        start, end = tokens.number(f"the start of {where}"), tokens.number(f"the end of {where}")
        entries.append(
            Entry(tokens.text(f"the label of {where}"), start, end, f"tier {name!r}, interval {place}")
        )
    return Tier(name, entries) if kind == _INTERVALS else None


class _Tokens:
    """The values of the file, one after the other."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._matches: Iterator[re.Match[str]] = (
            match for match in _TOKEN.finditer(document.text) if match.lastgroup
        )
        self._last: re.Match[str] | None = None

    def skip_to(self, text: str) -> None:
        """Skip to the place after a given text."""
        while self.text("its class") != text:
            pass

    def text(self, what: str) -> str:
        return self._next("text", what).replace('""', '"')

    def flag(self) -> str:
        return self._next("flag", "whether there are tiers")

    def number(self, what: str) -> float:
        text = self._next("number", what)
        number = float(text)
        if number < 0:
            raise self.error(f"the time {text} is before 0; times count from the start of the recording")
        if not isfinite(number):
            raise self.error(f"the time {text} is not finite; give seconds")
        return number

    def size(self, what: str) -> int:
        text = self._next("number", what)
        if not text.isdecimal():
            raise self.error(f"{what} is {text}, no whole number")
        return int(text[:18])  # more than any file has, and never too long for a number

    def end(self, n_tiers: int) -> None:
        """Raise an error if anything follows the last tier."""
        if (match := next(self._matches, None)) is not None:
            self._last = match
            raise self.error(
                f"{match[0][:40]} stands behind {count(n_tiers, 'tier')}, which should be all; correct the "
                "sizes, or save the file again with Praat"
            )

    def error(self, message: str) -> Exception:
        return self._document.error(message, self._line())

    def _next(self, kind: str, what: str) -> str:
        match = next(self._matches, None)
        if match is None:
            raise self.error(
                f"this TextGrid cannot be read: it ends before {what}; it is cut off or damaged: save it "
                "again with Praat"
            )
        self._last = match
        if match.lastgroup != kind:
            raise self.error(
                f"this TextGrid cannot be read: {match[0][:40]} stands where {what} should be; save it again "
                "with Praat"
            )
        return match[kind]

    def _line(self) -> int:
        end = 0 if self._last is None else self._last.end()
        return self._document.text.count("\n", 0, end) + 1


def _check_kind(document: Document) -> None:
    """Raise an error for files of other kinds."""
    if document.data.startswith(b"ooBinaryFile"):
        raise document.error("this is a binary TextGrid; save it as text with Praat")
    start = document.text.lstrip()[:200]
    if "chronological" in start.partition("\n")[0]:
        raise document.error("this is a chronological TextGrid; save it as a text file with Praat")
    if '"TextGrid"' not in start and "TextGrid" not in start.partition("\n")[0]:
        raise document.error(
            'this is no TextGrid: Object class = "TextGrid" is missing at its top; give the format it has'
        )


_MFA_INTERVALS = ("interval", "IntervalTier")  # as the aligner and as praatio name them
_COLUMNS = ("begin", "end", "label", "type", "speaker")


def read_mfa_json(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """Read the intervals of one tier; see `choose_tier`."""
    tiers = [(name, found) for name, kind, found in _json_tiers(document) if kind in _MFA_INTERVALS]
    name, rows = tiers[choose_tier([name for name, _ in tiers], tier, speaker, document)]
    entries = []
    for number, row in enumerate(rows):
        place = f"tier {name!r}, entries[{number}]"
        if not isinstance(row, list) or len(row) != 3 or not isinstance(row[2], str):
            raise document.error("an entry is a list [start, end, label]", place)
        start, end, label = row
        entries.append(document.entry(label, start, end, place))
    return Track(entries, f"{document.title} (tier {name!r})", covering=True)


def _json_tiers(document: Document) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield the name, the kind and the entries of each tier, from a mapping of names or a list."""
    value = document.json
    tiers = value.get("tiers") if isinstance(value, dict) else None
    if isinstance(tiers, dict):
        tiers = [{**tier, "name": name} if isinstance(tier, dict) else tier for name, tier in tiers.items()]
    if not isinstance(tiers, list):
        raise document.error(
            'there are no "tiers": this is no JSON of the Montreal Forced Aligner; give the format it has'
        )
    for number, tier in enumerate(tiers):
        if not isinstance(tier, dict):
            raise document.error("a tier is an object with a type and entries", f"tiers[{number}]")
        name, kind, rows = tier.get("name"), tier.get("type", tier.get("class")), tier.get("entries")
        if not isinstance(name, str) or not isinstance(kind, str) or not isinstance(rows, list):
            raise document.error("a tier has a name, a type and a list of entries", f"tiers[{number}]")
        yield name, kind, rows


def read_mfa_csv(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """Read the rows of one type, `words` if no other is asked for, and of one speaker."""
    rows = document.csv()
    header = [name.strip().casefold() for name in next(rows, (0, []))[1]]
    if missing := [name for name in _COLUMNS[:4] if name not in header]:
        raise document.error(
            f"there are no columns {', '.join(missing)}: a CSV of the Montreal Forced Aligner begins with "
            "Begin,End,Label,Type,Speaker; give the format it has",
            1,
        )
    places = [header.index(name) for name in _COLUMNS if name in header]
    tiers: dict[tuple[str, str], list[Entry]] = {}
    for line, row in rows:
        if not row:
            continue
        if len(row) != len(header):
            raise document.error(f"{len(row)} cells, but {len(header)} columns", line)
        begin, end, label, kind, *who = (row[place] for place in places)
        times = document.seconds(begin, line, "Begin"), document.seconds(end, line, "End")
        tiers.setdefault((who[0] if who else "", kind), []).append(Entry(label, *times, line))
    if not tiers:
        raise document.error("there are no rows below the names of the columns")
    several = speaker is not None or len({who for who, _ in tiers}) > 1
    names = [f"{who} - {kind}" if several else kind for who, kind in tiers]
    chosen = choose_tier(names, tier, speaker, document)
    return Track(list(tiers.values())[chosen], f"{document.title} (tier {names[chosen]!r})")

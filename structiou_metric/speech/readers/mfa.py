"""What the Montreal Forced Aligner writes beside TextGrids: JSON, which praatio writes too, and CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .documents import Document
from .entries import Entry, Track
from .tiers import choose_tier

_INTERVALS = ("interval", "IntervalTier")  # as the aligner and as praatio name them
_COLUMNS = ("begin", "end", "label", "type", "speaker")


def read_json(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The intervals of one tier; see `choose_tier`."""
    tiers = [(name, found) for name, kind, found in _json_tiers(document) if kind in _INTERVALS]
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
    """The name, the kind and the entries of each tier, from a mapping of names or from praatio's list."""
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


def read_csv(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The rows of one type, `words` if no other is asked for, and of one speaker."""
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

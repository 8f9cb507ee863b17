"""Lists of words with times: tables with tabs, commas or blanks, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .documents import NO_TIME, Document, Entry, Track
from .tiers import choose_track, refuse

# Names of columns and keys; others are ignored. A duration replaces an end. Of several keys of an
# object with the same meaning the first counts, such as `word` before `text`; of columns that is an error.
NAMES = {
    "word": ("word", "text", "label", "token", "orth"),
    "start": ("start", "begin", "onset", "start_time", "tmin", "xmin"),
    "end": ("end", "stop", "end_time", "tmax", "xmax"),
    "duration": ("duration", "dur"),
    "speaker": ("speaker",),
}
_ROLES = {name: role for role, names in NAMES.items() for name in names}
_ORDERS = (("word", "start", "end"), ("start", "end", "word"))  # without names


def read_table(document: Document, *, speaker: str | None, unit: float = 1.0) -> Track:
    """Read the words of a table, with tabs between cells, or commas, or else white space.

    The first line names the columns, or there are three of them: word, start, end or start, end, word.

    Args:
        document: The file.
        speaker: The speaker whose words are read.
        unit: The seconds in one unit of its times.
    """
    rows = list(_rows(document))
    if not rows:
        raise document.error("the file is empty; give a line with word, start and end for each word")
    line, first = rows[0]
    if any(map(_is_number, first)):
        roles = _guess_order(rows, document)
    else:
        roles = _roles([name.strip().casefold() for name in first], document, line)
        rows = rows[1:]
    for line, row in rows:
        if len(row) != len(roles):
            raise document.error(f"{len(row)} cells, but {len(roles)} columns", line)
    values = ((line, dict(zip(roles, row, strict=True))) for line, row in rows)
    return _track(document, values, speaker, unit)


def _rows(document: Document) -> Iterator[tuple[int, list[str]]]:
    """Return the lines that are not blank, cut into cells."""
    lines = document.text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    if "," in first and "\t" not in first:
        yield from ((number, row) for number, row in document.csv() if any(map(str.strip, row)))
        return
    separator = "\t" if "\t" in first else None
    yield from ((number, line.split(separator)) for number, line in enumerate(lines, 1) if line.strip())


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_time(cell: str) -> bool:
    return _is_number(cell) or cell.strip().lower() in NO_TIME


def _guess_order(rows: list[tuple[int, list[str]]], document: Document) -> Sequence[str]:
    """Return the order of three columns, from where the numbers are."""
    line, first = rows[0]
    if len(first) != 3:
        raise document.error(
            f"{len(first)} cells; name the columns in the first line, such as word, start, end", line
        )
    rows = [row for row in rows if len(row[1]) == 3]
    fitting = [
        order
        for order in _ORDERS
        if all(_is_time(row[order.index("start")]) and _is_time(row[order.index("end")]) for _, row in rows)
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise document.error("all cells are numbers; name the columns in the first line: word, start, end")
    for line, row in rows:  # find the first line that lacks two times
        if not any(_is_time(row[k]) and _is_time(row[1]) for k in (0, 2)):
            raise document.error("there are no two times here; a line is word, start, end", line)
    raise document.error("the columns change places; name them in the first line: word, start, end", line)


def _roles(names: list[str], document: Document, line: int) -> list[str]:
    """Return the role of each column; those without a role keep their own name."""
    roles = [_ROLES.get(name, f"column {name}") for name in names]
    for role in NAMES:
        if roles.count(role) > 1:
            raise document.error(f"two columns are a {role}; rename one of {', '.join(names)}", line)
    if "word" not in roles or "start" not in roles or not {"end", "duration"} & set(roles):
        accepted = "; ".join(f"{role}: {', '.join(NAMES[role])}" for role in list(NAMES)[:4])
        raise document.error(
            f"the columns {', '.join(map(repr, names))} are no word, start and end or duration; name them "
            f"in the first line ({accepted})",
            line,
        )
    return roles


def read_list(document: Document, *, speaker: str | None) -> Track:
    """Read the words of a JSON list, or of one that an object holds as `words`.

    A word is an object with `word`, `start` and `end`, and perhaps `speaker`, or a triple.
    """
    value = document.json
    if isinstance(value, dict):
        value = value.get("words")
    if not isinstance(value, list):
        raise document.error("this is no list of words; give [word, start, end] for each word")
    values = ((f"[{number}]", _object(document, word, f"[{number}]")) for number, word in enumerate(value))
    return _track(document, values, speaker)


def _object(document: Document, word: Any, place: str) -> Mapping[str, Any]:
    if isinstance(word, dict):
        keys = {key.casefold(): value for key, value in word.items()}
        found = {role: keys[name] for role, names in NAMES.items() for name in names[::-1] if name in keys}
        if not isinstance(found.get("word"), str):
            raise document.error("there is no word; give an object with word, start and end", place)
        return found
    if isinstance(word, list) and len(word) == 3:
        for order in _ORDERS:
            found = dict(zip(order, word, strict=True))
            if isinstance(found["word"], str) and not isinstance(found["start"], str):
                return found
    raise document.error("this is no word; give [word, start, end] with numbers of seconds", place)


def _track(
    document: Document,
    rows: Iterator[tuple[int | str, Mapping[str, Any]]],
    speaker: str | None,
    unit: float = 1.0,
) -> Track:
    """Return the entries of one speaker."""
    speakers: dict[str, list[Entry]] = {}
    named = False
    for place, row in rows:
        named = named or row.get("speaker") is not None
        entry = document.entry(row["word"], row.get("start"), row.get("end"), place, row.get("duration"))
        if unit != 1.0:
            start, end = (None if time is None else round(time * unit, 9) for time in entry[1:3])
            entry = entry._replace(start=start, end=end)
        speakers.setdefault(str(row.get("speaker") or ""), []).append(entry)
    if not speakers:
        raise document.error("there are no words here; give word, start and end for each word")
    if not named:
        refuse("speaker", speaker, document)
    tracks = {name: Track(entries, document.title, ordered=False) for name, entries in speakers.items()}
    return choose_track(tracks, speaker, document)

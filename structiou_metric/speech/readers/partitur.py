"""BAS Partitur files: words in one tier, and in others the stretches of sound that belong to them."""

from __future__ import annotations

import re

from .documents import Document
from .entries import Entry, Track
from .tiers import refuse

# Tiers of stretches: first sample, number of samples less one, the words they belong to, and a label.
_STRETCHES = ("WOR", "MAU", "SAP", "PHO")
_LINE = re.compile(r"([A-Z0-9]{3}):(?:[ \t]+(.*))?")


def read_partitur(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The words of the tier ORT, each from the first to the last sound that belongs to it.

    The sounds are those of the tier WOR, where there is one, or of MAU. A word without any has no times.
    """
    refuse("tier", tier, document)
    refuse("speaker", speaker, document)
    rate: float | None = None
    words: dict[str, tuple[int, str]] = {}
    tiers: dict[str, list[tuple[int, list[str]]]] = {}
    for number, line in enumerate(document.text.split("\n"), 1):
        match = _LINE.fullmatch(line.strip())
        if match is None:
            if line.strip():
                raise document.error(
                    "a line of a Partitur file begins with the name of a tier, such as ORT:", number
                )
            continue
        name, rest = match[1], match[2] or ""
        if name == "SAM":
            rate = document.seconds(rest, number, "rate")
        elif name == "ORT":
            link, _, text = rest.strip().partition("\t" if "\t" in rest.strip() else " ")
            words[link.strip()] = number, text.strip()
        elif name in _STRETCHES:
            tiers.setdefault(name, []).append((number, rest.split(None, 3)))
    if not words:
        raise document.error("there is no tier ORT with words; give a Partitur file that has one")
    chosen = next((name for name in _STRETCHES if name in tiers), None)
    if chosen is None:
        raise document.error(f"no tier has times; give a Partitur file with {' or '.join(_STRETCHES)}")
    if not rate or rate < 0:
        raise document.error("there is no line SAM: with the samples a second, in which times count")
    n_silences, spans = 0, dict[str, tuple[float, float]]()
    for number, fields in tiers[chosen]:
        if len(fields) < 3:
            raise document.error(
                f"a line of {chosen} has first sample, number of samples, word and label", number
            )
        start = document.seconds(fields[0], number, "start")
        length = document.seconds(fields[1], number, "duration")
        if start is None or length is None:
            raise document.error("a stretch has no times", number)
        begin, end = start / rate, (start + length + 1) / rate
        for link in re.split("[,;_]", fields[2]):
            if link == "-1":
                n_silences += 1
                continue
            low, high = spans.get(link, (begin, end))
            spans[link] = min(low, begin), max(high, end)
    entries = []
    for link, (number, text) in words.items():
        first, last = spans.get(link, (None, None))
        entries.append(Entry(text, first, last, number))
    return Track(entries, document.title, n_silences=n_silences)

"""Corpora with a label a line: TIMIT, Buckeye, Switchboard's ms98 words, and label files of HTK."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .documents import Document
from .entries import Entry, Track
from .tiers import refuse, speaker_track

_TIMIT_RATE = 16_000  # samples a second
_HTK_UNIT = 1e-7  # seconds
_HTK_SHORTEST = 0.01  # seconds; a file that ends before must count in other units
_PAUSES = ("sp", "sil")  # sounds that belong to no word


def _lines(document: Document) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not blank, cut at blanks."""
    for number, line in enumerate(document.text.split("\n"), 1):
        if fields := line.split():
            yield number, fields


def _scaled(document: Document, value: str, number: int, name: str, unit: float) -> float | None:
    time = document.seconds(value, number, name)
    return None if time is None else round(time * unit, 9)


# ---- TIMIT ----------------------------------------------------------------------------------------------


def read_timit(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The words of a `.wrd` file: first sample, last sample and word, at 16,000 samples a second."""
    refuse("tier", tier, document)
    refuse("speaker", speaker, document)
    entries = []
    for number, fields in _lines(document):
        if len(fields) != 3 or not (fields[0].isdecimal() and fields[1].isdecimal()):
            raise document.error(
                "a line of a .wrd file has the first sample, the last one, and a word", number
            )
        start, end = (
            _scaled(document, field, number, name, 1 / _TIMIT_RATE)
            for field, name in zip(fields, ("start", "end"), strict=False)
        )
        entries.append(Entry(fields[2], start, end, number))
    return Track(entries, document.title)


# ---- Buckeye ------------------------------------------------------------------------------------------

# Words that are said in some way, as <LAUGH-yeah>, or not to their end: <CUTOFF-th=the>.
_MANNER = re.compile(r"<(?:EXT|LAUGH|HES|ERROR|CUTOFF|cutoff|VOICE)-([^=>]+)(?:=[^>]*)?>", re.IGNORECASE)


def read_buckeye(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The words of a `.words` file: end, a colour, and word; sounds; sounds; tag.

    What stands in braces or angle brackets is silence, noise, the interviewer, or a word said in some way.
    """
    refuse("tier", tier, document)
    refuse("speaker", speaker, document)
    lines = document.text.split("\n")
    top = next((number for number, line in enumerate(lines) if line.strip() == "#"), None)
    if top is None:
        raise document.error(
            "there is no line with # that ends the header of a .words file; give the format it has"
        )
    entries, n_silences, start = [], 0, 0.0
    for number, line in enumerate(lines[top + 1 :], top + 2):
        fields = line.split(None, 2)
        if not fields:
            continue
        if len(fields) < 3:
            raise document.error(
                "a line of a .words file has an end, a colour and a word; sounds; tag", number
            )
        end = document.seconds(fields[0], number, "end")
        label = _MANNER.sub(r"\1", fields[2].partition(";")[0].strip()).replace("_", " ")
        if end is None or label[:1] in ("<", "{"):
            n_silences += 1
        else:
            entries.append(Entry(label, start, end, number))
        start = start if end is None else end
    return Track(entries, document.title, n_silences=n_silences)


# ---- Switchboard ------------------------------------------------------------------------------------------

_LAUGHED = re.compile(r"\[laughter-(.+)\]")
_SAID_AS = re.compile(r"\[([^/\[\]]+)/[^\[\]]+\]")  # what is said, and what is meant: [splace/space]
_UNSAID = re.compile(r"\[[^\[\]]*\](?=-)|(?<=-)\[[^\[\]]*\]")  # the rest of a word that was cut off: th[is]-
_VARIANT = re.compile(r"_\d+$")
_ASIDE = re.compile(r"<[be]_aside>", re.IGNORECASE)


def read_ms98(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The words of a `…-ms98-a-word.text` file: utterance, start, end and word; or of one of transcripts.

    In that, the words of an utterance share its time.
    """
    refuse("tier", tier, document)
    sides: dict[str, list[Entry]] = {}
    n_silences: dict[str, int] = {}
    for number, fields in _lines(document):
        if len(fields) < 4:
            raise document.error("a line of ms98 has an utterance, a start, an end and words", number)
        utterance, start, end, *labels = fields
        side = utterance.partition("-")[0]
        words = [word for label in labels if (word := _said(label))]
        n_silences[side] = n_silences.get(side, 0) + len(labels) - len(words)
        entry = document.entry(" ".join(words), start, end, number)
        sides.setdefault(side, []).extend([entry] if words else [])
    track = speaker_track(sides, speaker, document, noun="channel")
    chosen = next(side for side, entries in sides.items() if entries is track.entries)
    return track._replace(n_silences=n_silences[chosen])


def _said(label: str) -> str:
    """What is said where a label stands, or nothing."""
    if _ASIDE.fullmatch(label):
        return ""
    label = _SAID_AS.sub(r"\1", _LAUGHED.sub(r"\1", label))
    label = _UNSAID.sub("", label)
    if label.startswith("[") and label.endswith("]"):
        return ""
    return _VARIANT.sub("", label).replace("{", "").replace("}", "")


# ---- HTK ------------------------------------------------------------------------------------------------


def read_htk(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The labels of a `.lab` file, or of one of those in a master label file, in units of 100 ns.

    A line has start, end and label, and perhaps a score. Where words stand behind their sounds, as HVite
    writes them, a word is as long as the sounds up to the next.
    """
    refuse("tier", tier, document)
    files: dict[str, list[tuple[int, list[str]]]] = {}
    name = ""
    for number, fields in _lines(document):
        first = fields[0]
        if first == "#!MLF!#" or first == ".":
            continue
        if first.startswith('"') or (len(fields) == 1 and first.lower().endswith((".lab", ".rec"))):
            name = " ".join(fields).strip('"').rpartition("/")[2].rpartition(".")[0]
            continue
        if len(fields) < 3:
            raise document.error(
                "there are no times here: a line of a label file has start, end and label", number
            )
        if point := next((field for field in fields[:2] if "." in field), None):
            raise document.error(
                f"the time {point} has a decimal point, but label files of HTK count whole units of 100 ns; "
                "give format='tsv' if times are seconds",
                number,
            )
        files.setdefault(name, []).append((number, fields))
    if not files:
        raise document.error("there are no labels here; give a file with start, end and label on each line")
    entries = {name: _htk_entries(document, rows) for name, rows in files.items()}
    if all((entry.end or 0.0) < _HTK_SHORTEST for found in entries.values() for entry in found):
        raise document.error(
            f"all labels end before {_HTK_SHORTEST:g} s, as files of HTK count units of 100 ns; give "
            "format='tsv' if times are seconds"
        )
    return speaker_track(entries, speaker, document, noun="recording")._replace(covering=True)


def _htk_entries(document: Document, rows: list[tuple[int, list[str]]]) -> list[Entry]:
    by_sounds = any(len(fields) > 4 for _, fields in rows)
    entries: list[Entry] = []
    for number, fields in rows:
        start, end = (
            _scaled(document, field, number, name, _HTK_UNIT)
            for field, name in zip(fields, ("start", "end"), strict=False)
        )
        if not by_sounds:
            entries.append(Entry(fields[2].strip('"'), start, end, number))
        elif len(fields) > 4:
            entries.append(Entry(fields[4].strip('"'), start, end, number))
        elif entries and fields[2] not in _PAUSES:
            entries[-1] = entries[-1]._replace(end=end)
    return entries

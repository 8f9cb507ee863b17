"""Corpora with a label a line: TIMIT, Buckeye, Switchboard's ms98 words, and label files of HTK."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from .checks import TOLERANCE
from .documents import Document, Entry, Track
from .tiers import choose_track

_TIMIT_RATE = 16_000  # samples a second
_HTK_UNIT = 1e-7  # seconds
_HTK_SHORTEST = 0.01  # seconds; a file that ends before must count in other units
_PAUSES = ("sp", "sil")  # sounds that belong to no word


def _lines(document: Document) -> Iterator[tuple[int, list[str]]]:
    """Return the lines that are not blank, cut at blanks."""
    for number, line in enumerate(document.text.split("\n"), 1):
        if fields := line.split():
            yield number, fields


def _scaled(document: Document, value: str, number: int, name: str, unit: float) -> float | None:
    time = document.seconds(value, number, name)
    return None if time is None else round(time * unit, 9)


# ---- TIMIT ----------------------------------------------------------------------------------------------


def read_timit(document: Document) -> Track:
    """Read the words of a `.wrd` file: first sample, last sample and word, at 16,000 samples a second."""
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


def read_buckeye(document: Document) -> Track:
    """Read the words of a `.words` file: end, a colour, and word; sounds; sounds; tag.

    Labels in braces or angle brackets are silence, noise, the interviewer, or a word said in some manner.
    """
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
_SAID_AS = re.compile(r"\[([^/\[\]]+)/[^\[\]]+\]")  # a word as said and as meant: [splace/space]
_UNSAID = re.compile(r"\[[^\[\]]*\](?=-)|(?<=-)\[[^\[\]]*\]")  # the rest of a word that was cut off: th[is]-
_VARIANT = re.compile(r"_\d+$")
_ASIDE = re.compile(r"<[be]_aside>", re.IGNORECASE)


def read_ms98(document: Document, *, speaker: str | None) -> Track:
    """Read the words of a `…-ms98-a-word.text` file (utterance, start, end, word) or of a transcript.

    In that, the words of an utterance share its time.
    """
    sides: dict[str, list[Entry]] = {}
    n_silences = Counter[str]()
    for number, fields in _lines(document):
        if len(fields) < 4:
            raise document.error("a line of ms98 has an utterance, a start, an end and words", number)
        utterance, start, end, *labels = fields
        side = utterance.partition("-")[0]
        words = [word for label in labels if (word := _said(label))]
        n_silences[side] += len(labels) - len(words)
        entry = document.entry(" ".join(words), start, end, number)
        sides.setdefault(side, []).extend([entry] if words else [])
    tracks = {
        side: Track(entries, document.title, n_silences=n_silences[side]) for side, entries in sides.items()
    }
    return choose_track(tracks, speaker, document, "channel")


def _said(label: str) -> str:
    """Return the word that is said at a label, or an empty text."""
    if _ASIDE.fullmatch(label):
        return ""
    label = _SAID_AS.sub(r"\1", _LAUGHED.sub(r"\1", label))
    label = _UNSAID.sub("", label)
    if label.startswith("[") and label.endswith("]"):
        return ""
    return _VARIANT.sub("", label).replace("{", "").replace("}", "")


# ---- HTK ------------------------------------------------------------------------------------------------


def read_htk(document: Document, *, speaker: str | None) -> Track:
    """Read the labels of a `.lab` file, or of one of those in a master label file, in units of 100 ns.

    A line has start, end and label, and perhaps a score. Where words are after their sounds, as HVite
    writes them, a word is as long as the sounds up to the next.
    """
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
    tracks = {
        name: Track(_htk_entries(document, rows), document.title, covering=True)
        for name, rows in files.items()
    }
    if all((entry.end or 0.0) < _HTK_SHORTEST for track in tracks.values() for entry in track.entries):
        raise document.error(
            f"all labels end before {_HTK_SHORTEST:g} s, as files of HTK count units of 100 ns; give "
            "format='tsv' if times are seconds"
        )
    return choose_track(tracks, speaker, document, "recording")


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


_BEGIN, _NEXT, _END = "<ALT_BEGIN>", "<ALT>", "<ALT_END>"


class _Channel:
    """The words of a channel of a recording; where there are alternatives, those of the first."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.n_alternatives = 0
        self._inside = self._skipping = False

    def mark(self, mark: str, line: int, document: Document) -> None:
        """Record where alternatives begin, change and end."""
        if (mark == _BEGIN) == self._inside:
            raise document.error(f"{mark} does not belong here: {_BEGIN}, {_NEXT}, {_END}", line)
        self._inside = mark != _END
        self._skipping = mark == _NEXT
        self.n_alternatives += mark == _NEXT

    def add(self, entry: Entry) -> None:
        if not self._skipping:
            self.entries.append(entry)

    def finish(self, name: str, document: Document) -> None:
        if self._inside:
            raise document.error(f"the alternatives of {name} do not end; write {_END} behind them")


def read_ctm(document: Document, *, speaker: str | None) -> Track:
    """Read the words of one channel; `speaker` is a source, a channel or both, `sw2005 A`, of several.

    Of alternatives the first counts. Different words of one and the same time share it, as those of a label
    of several words do.
    """
    channels = _ctm_channels(document)
    noun = "recording" if len({name.rpartition(" ")[0] for name in channels}) > 1 else "channel"
    tracks = {
        name: Track(_joined(found.entries), document.title, n_alternatives=found.n_alternatives)
        for name, found in channels.items()
    }
    return choose_track(tracks, speaker, document, noun)


def ctm_recordings(document: Document) -> list[str]:
    """Return the recordings that a CTM file names, in its order."""
    return list(dict.fromkeys(name.rpartition(" ")[0] for name in _ctm_channels(document)))


@lru_cache(maxsize=1)  # for a file that has the words of a whole corpus
def _ctm_channels(document: Document) -> dict[str, _Channel]:
    """Return the words of each source and channel."""
    channels: dict[str, _Channel] = {}
    for number, line in enumerate(document.text.split("\n"), 1):
        fields = line.split()
        if not fields or fields[0].startswith(";;"):
            continue
        if len(fields) < 5:
            raise document.error(
                f"{len(fields)} fields; a line of a CTM file has source, channel, start, duration, word",
                number,
            )
        source, channel, start, duration, word = fields[:5]
        found = channels.setdefault(f"{source} {channel}", _Channel())
        if word.upper() in (_BEGIN, _NEXT, _END):
            found.mark(word.upper(), number, document)
            continue
        entry = document.entry(word, start, None, number, duration)
        if entry.start is not None and entry.end is not None and entry.end < entry.start - TOLERANCE:
            raise document.error(f"the duration {duration} is negative; give start and duration", number)
        found.add(entry)
    if not channels:
        raise document.error(
            "there are no words here; give a file with source, channel, start, duration, word"
        )
    for name, found in channels.items():
        found.finish(name, document)
    return channels


def _joined(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries, where those of the same time are one label unless they all say the same."""
    joined = []
    for (start, end), group in groupby(entries, key=lambda entry: (entry.start, entry.end)):
        same = list(group)
        if start is not None and start != end and len({entry.text for entry in same}) > 1:
            same = [same[0]._replace(text=" ".join(entry.text for entry in same))]
        joined += same
    return joined


# Tiers of stretches: first sample, number of samples less one, the words they belong to, and a label.
_STRETCHES = ("WOR", "MAU", "SAP", "PHO")
_LINE = re.compile(r"([A-Z0-9]{3}):(?:[ \t]+(.*))?")


def read_partitur(document: Document) -> Track:
    """Read the words of the tier ORT, each from the first to the last sound that belongs to it.

    The sounds are those of the tier WOR, where there is one, or of MAU. A word without any has no times.
    """
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

"""Files of word times before they are interpreted: their rows as CSV, and their times."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

from ...errors import TreeFormatError
from ...sources.content import Content

# Labels of silence and of sounds that are no words, compared without regard to case; a blank label always
# is one. Marks of words that are not known, such as `<unk>` and `spn`, are for words and are none of these.
SILENCES = (
    "",
    *("sp", "sil", "!sil", "<sil>", "[sil]", "{sil}", "{sl}", "h#", "<eps>", "!null", "<s>", "</s>"),
    *("<silence>", "[silence]", "(silence)", "[blank_audio]", "<p>", "<p:>"),
    *("#", "_", "<pause>", "[pause]", "(pause)", "(.)", "(..)", "(...)"),
    *("[noise]", "<noise>", "{ns}", "[vocalized-noise]", "<vocnoise>", "[nonspeech]", "[non-speech]"),
    *("[laughter]", "<laughter>", "[laughs]", "<laugh>", "{lg}", "(laughter)", "(laughs)"),
    *("[music]", "[applause]", "[cough]", "{cg}", "[breath]", "{br}", "[lipsmack]", "{ls}"),
)

# Labels that are words as well: they are silence only in a tier that covers all of the time and marks
# silence in no other way.
SILENCE_WORDS = ("silence", "pause")

# Filled pauses, compared without regard to case and to punctuation around them.
FILLERS = (
    *("ah", "ahh", "eh", "ehm", "er", "erm", "hm", "hmm", "mm", "mmm", "uh", "uhh", "uhm", "um", "umm"),
    "hesitation",  # the `%HESITATION` of NIST
)

_EDGES = ".,;:!?…-–—'\"()[]<>{}%&"


class Entry(NamedTuple):
    """A label and its times as a source gives them."""

    text: str
    start: float | None  # in seconds, or None where the source has none
    end: float | None
    place: int | str  # its line, from 1, or its name, such as `segments[0].words[3]`
    low: float | None = None  # where its segment starts, if that is known
    high: float | None = None  # where its segment ends


class Track(NamedTuple):
    """The entries of one tier or speaker."""

    entries: Sequence[Entry]  # in the order of the file
    title: str  # their source
    ordered: bool = True  # whether the format promises the order of time; else they are sorted
    zero_is_missing: bool = False  # whether a word of zero length is for one that got no time
    covering: bool = False  # whether the labels cover all of the time, so that silences have some, too
    n_silences: int = 0  # that are no entries
    n_marks: int = 0  # punctuation and traces, which are no entries
    n_alternatives: int = 0  # other readings, which are no entries


def label_test(labels: Iterable[str], name: str, edges: str = "") -> Callable[[str], bool]:
    """Return a test whether a label is one of some, without regard to case and to the characters `edges`.

    >>> label_test(["sil"], "silences")("SIL"), label_test(["um"], "fillers", ",.")("Um,")
    (True, True)
    """
    if isinstance(labels, str):
        raise ValueError(f"{name} must be a list of labels, not the text {labels!r}; write [{labels!r}]")
    labels = list(labels)
    if not all(isinstance(label, str) for label in labels):
        raise ValueError(f"{name} must be a list of labels, not {labels!r}")

    def plain(label: str) -> str:
        label = label.strip().casefold()
        return label.strip(edges) or label

    known = frozenset(map(plain, labels))
    return lambda label: plain(label) in known


def filler_test(fillers: str | Iterable[str]) -> Callable[[str], bool]:
    """Return a test whether a word is a filler: none with `keep`, `FILLERS` with `drop`, or those given."""
    if isinstance(fillers, str):
        if fillers not in ("keep", "drop"):
            raise ValueError(f"unknown fillers {fillers!r}; choose from keep, drop, or give a list of words")
        fillers = FILLERS if fillers == "drop" else ()
    return label_test(fillers, "fillers", _EDGES)


class Element(NamedTuple):
    """An element of an XML file."""

    name: str  # without its namespace
    attributes: dict[str, str]  # names are after their namespaces and a blank
    line: int
    text: list[str]  # parts of its own text, without the elements in it


# Entries in the place of a time that a source does not know.
NO_TIME = frozenset(("", "-", "n/a", "na", "none", "non-aligned", "null"))

_NEXT = re.compile(r"[^ \t\n]|\Z")  # where the next JSON value begins, or the end


class Document(Content):
    """One file of word times."""

    flag = "--words-encoding {}"

    @cached_property
    def values(self) -> list[Any]:
        """Return the JSON values of the file: one, or several, as recognisers of streams write them."""
        try:
            return [self.json]
        except TreeFormatError as error:
            if not error.message.endswith("Extra data"):
                raise
        decoder, values, at = json.JSONDecoder(), [], 0
        while (at := _NEXT.search(self.text, at).start()) < len(self.text):  # type: ignore[union-attr]
            try:
                value, at = decoder.raw_decode(self.text, at)
            except RecursionError:
                raise self.error("the JSON is nested too deeply") from None
            except ValueError as error:
                line = self.text.count("\n", 0, getattr(error, "pos", at)) + 1
                raise self.error(f"this is not JSON: {getattr(error, 'msg', error)}", line) from None
            values.append(value)
        return values

    def elements(self) -> list[Element]:
        """Return the elements of the file as XML, in the order in which they begin."""
        found: list[Element] = []
        open_elements: list[Element] = []

        def start(name: str, attributes: dict[str, str], line: int) -> None:
            found.append(Element(name, attributes, line, []))
            open_elements.append(found[-1])

        def end(name: str) -> None:
            open_elements.pop()

        self.xml(start, end, lambda text: open_elements[-1].text.append(text))
        return found

    def csv(self) -> Iterator[tuple[int, list[str]]]:
        """Return the rows of the file as CSV, each with the line where it ends."""
        reader = csv.reader(io.StringIO(self.text, newline=""), strict=True)
        try:
            yield from ((reader.line_num, row) for row in reader)
        except csv.Error as error:
            raise self.error(f"this is not CSV: {error}", reader.line_num) from None

    def entry(self, text: str, start: Any, end: Any, place: int | str, duration: Any = None) -> Entry:
        """Return a label with its times, given as numbers or their texts; a duration replaces an end."""
        first, last = self.seconds(start, place, "start"), self.seconds(end, place, "end")
        if last is None:
            length = self.seconds(duration, place, "duration")
            if first is not None and length is not None:
                last = round(first + length, 9)  # 0.1 + 0.2 is 0.3 here
        return Entry(text, first, last, place)

    def seconds(self, value: Any, place: int | str, name: str) -> float | None:
        """Return a time, called `start` or so, as a number, or None where the source has none."""
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


def join_tokens(tokens: Iterable[tuple[Entry, str | None]]) -> list[tuple[Entry, str | None]]:
    """Join the parts of words that a recogniser writes, each with its speaker.

    A part that begins with a blank, or is of another speaker, begins a word; others go on with one.

    >>> parts = [Entry(" can", 0.0, 0.2, 1), Entry("'t", 0.2, 0.3, 2), Entry(" go", 0.4, 0.6, 3)]
    >>> [(word.text.strip(), word.start, word.end) for word, _ in join_tokens((part, None) for part in parts)]
    [("can't", 0.0, 0.3), ('go', 0.4, 0.6)]
    """
    words: list[tuple[Entry, str | None]] = []
    for part, speaker in tokens:
        if not part.text:
            continue
        last, who = words[-1] if words else (part, None)
        if not words or part.text[0].isspace() or speaker != who:
            words.append((part, speaker))
        elif not last.text.strip():
            words[-1] = part, speaker
        else:
            sounding = any(map(str.isalnum, part.text))  # punctuation has no time of its own
            end = part.end if sounding else last.end
            words[-1] = last._replace(text=last.text + part.text, end=end), speaker
    return [(word, speaker) for word, speaker in words if word.text.strip()]

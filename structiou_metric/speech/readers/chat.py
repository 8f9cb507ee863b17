"""CHAT transcripts of TalkBank, whose `%wor` lines give the milliseconds of each word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ...wording import count
from .documents import Document, Entry, Track
from .tiers import choose_track

_BULLET = re.compile(r"\x15?(?<!\d)(\d{1,12})_(\d{1,12})(?!\d)\x15?")
_CODE = re.compile(r"\[[^\[\]]*\]|[<>\u2039\u203a\x15]")  # a remark on the words next to it
_UNSAID = (
    "&=",
    "&*",
    "+",
    "0",
)  # how events, other speakers' words, ends of utterances and omitted words begin
_SOUNDS = re.compile(r"&[-~+]")  # a filler, babble or a fragment, which are said
_FORM = re.compile(r"@\S*$")  # of a word: a child's own, a letter, another language
_PAUSE = re.compile(r"\((?:\.{1,3}|(?:\d{1,3}:)?\d{1,4}\.\d{0,4})\)")
_UNCLEAR = frozenset(("xxx", "yyy", "www"))


def read_chat(document: Document, *, speaker: str | None) -> Track:
    """Read the words of one speaker, from `%wor` lines; those of an utterance without one share its time.

    Unintelligible words (`xxx`) are left out with their utterance's codes, and pauses and marks
    are counted.
    """
    speakers: dict[str, list[Entry]] = {}
    n_silences, n_marks = Counter[str](), Counter[str]()
    who, main, marks_before = "", 0, 0  # of the utterance that is open; entries and marks before it
    for number, name, text in _tiers(document):
        if name.startswith("*"):
            who = name[1:]
            entries = speakers.setdefault(who, [])
            main = len(entries)
            words, pauses, marks = _spoken(text)
            n_silences[who] += pauses
            marks_before = n_marks[who]
            n_marks[who] += marks
            bullets = _BULLET.findall(text)
            start, end = (int(bullets[0][0]), int(bullets[-1][1])) if bullets else (None, None)
            if words:
                entries.append(Entry(" ".join(words), _seconds(start), _seconds(end), number))
        elif name == "%wor" and who:
            timed, marks = _timed(text, number)
            if timed:
                speakers[who][main:] = timed
                n_marks[who] = marks_before + marks
    if not any(speakers.values()):
        raise document.error(
            f"there are no words here, though {count(len(speakers), 'speaker')}; give a CHAT file with "
            "lines such as *CHI:"
        )
    if not any(entry.start is not None for entries in speakers.values() for entry in entries):
        raise document.error(
            "nothing here has times; give a CHAT file with %wor lines, or with bullets of milliseconds"
        )
    tracks = {
        name: Track(entries, document.title, n_silences=n_silences[name], n_marks=n_marks[name])
        for name, entries in speakers.items()
        if entries
    }
    return choose_track(tracks, speaker, document)


def _tiers(document: Document) -> Iterator[tuple[int, str, str]]:
    """Return the number, the name and the text of each tier, joined from the lines that continue it."""
    found: tuple[int, str, list[str]] | None = None
    for number, line in enumerate(document.text.split("\n"), 1):
        if line[:1] in ("\t", " ") and found is not None:
            found[2].append(line.strip())
            continue
        if found is not None:
            yield found[0], found[1], " ".join(found[2])
        found = None
        if line[:1] in ("*", "%"):
            name, colon, rest = line.partition(":")
            if not colon:
                raise document.error("a line of a CHAT file has a name and a colon, such as *CHI:", number)
            found = number, name, [rest.strip()]
        elif line.strip() and line[0] != "@":
            raise document.error("a line of a CHAT file begins with @, * or %, or with a tab", number)
    if found is not None:
        yield found[0], found[1], " ".join(found[2])


def _timed(text: str, number: int) -> tuple[list[Entry], int]:
    """Return the words of a `%wor` line, each before its bullet, and the marks, which have none."""
    entries: list[Entry] = []
    n_marks = 0
    at = 0
    for match in _BULLET.finditer(text):
        words, _, marks = _spoken(text[at : match.start()])
        n_marks += marks
        at = match.end()
        entries += [Entry(word, None, None, number) for word in words[:-1]]
        if words:
            start, end = int(match[1]), int(match[2])
            entries.append(Entry(words[-1], _seconds(start), _seconds(end), number))
    words, _, marks = _spoken(text[at:])
    entries += [Entry(word, None, None, number) for word in words]
    return entries, n_marks + marks


def _spoken(text: str) -> tuple[list[str], int, int]:
    """Return the words of a line without its codes, the number of pauses, and that of other marks."""
    text, n_pauses = _PAUSE.subn(" ", _BULLET.sub(" ", text))
    text = _CODE.sub(" ", text)
    words, n_marks = [], 0
    for token in text.split():
        word = "" if token.startswith(_UNSAID) else _FORM.sub("", _SOUNDS.sub("", token))
        word = re.sub(r"[():^≠↑↓]", "", word)
        if any(map(str.isalnum, word)) and word not in _UNCLEAR:
            words.append(word)
        else:
            n_marks += 1
    return words, n_pauses, n_marks


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000

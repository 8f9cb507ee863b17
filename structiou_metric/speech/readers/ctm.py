"""NIST's CTM files: source, channel, start, duration, word and perhaps a confidence on each line."""

from __future__ import annotations

from .documents import Document
from .entries import Entry, Track
from .tiers import choose_speaker, refuse

_ALTERNATIVES = ("<ALT_BEGIN>", "<ALT>", "<ALT_END>")


def read_ctm(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The words of one channel.

    Args:
        document: Lines that begin with `;;` and blank lines mean nothing.
        tier: There are none.
        speaker: A source, a channel or both, `sw2005 A`, where the file has several.
    """
    refuse("tier", tier, document)
    channels: dict[str, list[Entry]] = {}
    for number, line in enumerate(document.text.split("\n"), 1):
        fields = line.split()
        if not fields or fields[0].startswith(";;"):
            continue
        if len(fields) < 5:
            raise document.error(
                f"{len(fields)} fields; a line of a CTM file has source, channel, start, duration, word",
                number,
            )
        source, channel, begin, duration, word = fields[:5]
        if word.upper() in _ALTERNATIVES:
            raise document.error("alternative words (<ALT_BEGIN> …) are not read; keep one of them", number)
        entry = _entry(word, begin, duration, document, number)
        channels.setdefault(f"{source} {channel}", []).append(entry)
    if not channels:
        raise document.error(
            "there are no words here; give a file with source, channel, start, duration, word"
        )
    name = choose_speaker(list(channels), speaker, document)
    return Track(channels[name], f"{document.title} ({name})" if len(channels) > 1 else document.title)


def _entry(word: str, begin: str, duration: str, document: Document, line: int) -> Entry:
    start = document.seconds(begin, line, "start")
    length = document.seconds(duration, line, "duration")
    if start is None or length is None:
        return Entry(word, start, None, line)
    if length < 0:
        raise document.error(f"the duration {duration} is negative; give start and duration", line)
    return Entry(word, start, round(start + length, 9), line)  # 0.1 + 0.2 is 0.3 here

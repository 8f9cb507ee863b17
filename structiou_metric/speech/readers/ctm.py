"""NIST's CTM files: source, channel, start, duration, word and perhaps a confidence on each line."""

from __future__ import annotations

from .documents import Document
from .entries import Entry, Track
from .tiers import refuse, speaker_track

_ALTERNATIVES = ("<ALT_BEGIN>", "<ALT>", "<ALT_END>")


def read_ctm(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The words of one channel; `speaker` is a source, a channel or both, `sw2005 A`, of several."""
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
        source, channel, start, duration, word = fields[:5]
        if word.upper() in _ALTERNATIVES:
            raise document.error("alternative words (<ALT_BEGIN> …) are not read; keep one of them", number)
        entry = document.entry(word, start, None, number, duration)
        if entry.start is not None and entry.end is not None and entry.end < entry.start:
            raise document.error(f"the duration {duration} is negative; give start and duration", number)
        channels.setdefault(f"{source} {channel}", []).append(entry)
    if not channels:
        raise document.error(
            "there are no words here; give a file with source, channel, start, duration, word"
        )
    return speaker_track(channels, speaker, document)

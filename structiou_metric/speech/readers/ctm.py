"""NIST's CTM files: source, channel, start, duration, word and perhaps a confidence on each line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from .checks import TOLERANCE
from .documents import Document
from .entries import Entry, Track
from .tiers import refuse, speaker_track

_BEGIN, _NEXT, _END = "<ALT_BEGIN>", "<ALT>", "<ALT_END>"


class _Channel:
    """The words of a channel of a recording; where there are alternatives, those of the first."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.n_alternatives = 0
        self._inside = self._skipping = False

    def mark(self, mark: str, line: int, document: Document) -> None:
        """Takes note of where alternatives begin, change and end."""
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


def read_ctm(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The words of one channel; `speaker` is a source, a channel or both, `sw2005 A`, of several.

    Of alternatives the first counts. Different words of one and the same time share it, as those of a label
    of several words do.
    """
    refuse("tier", tier, document)
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
    noun = "recording" if len({name.rpartition(" ")[0] for name in channels}) > 1 else "channel"
    track = speaker_track(
        {name: found.entries for name, found in channels.items()}, speaker, document, noun=noun
    )
    n_alternatives = next(
        found.n_alternatives for found in channels.values() if found.entries is track.entries
    )
    return track._replace(entries=_joined(track.entries), n_alternatives=n_alternatives)


def _joined(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, where those of the same time are one label unless they all say the same."""
    joined = []
    for (start, end), group in groupby(entries, key=lambda entry: (entry.start, entry.end)):
        same = list(group)
        if start is not None and start != end and len({entry.text for entry in same}) > 1:
            same = [same[0]._replace(text=" ".join(entry.text for entry in same))]
        joined += same
    return joined

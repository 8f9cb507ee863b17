"""XML of the NITE XML Toolkit: terminals of NXT Switchboard, and words of AMI.

<word nite:id="s1_2" nite:start="0.41" nite:end="0.62" orth="so" pos="RB"/>
"""

from __future__ import annotations

from .documents import Document
from .entries import Entry, Track
from .tiers import refuse

_WORDS = frozenset(("word", "phonword", "w"))
_MARKS = frozenset(("punc", "trace", "vocalsound", "nonvocalsound", "disfmarker", "gap"))
_SILENCE = "sil"
_STARTS = ("start", "starttime")
_ENDS = ("end", "endtime")


class _Terminals:
    """Collects words while expat goes through the file; nothing is kept of the rest."""

    def __init__(self, document: Document) -> None:
        self.entries: list[Entry] = []
        self.n_silences = 0
        self.n_marks = 0
        self.seen: dict[str, None] = {}
        self._document = document
        self._open: tuple[str, Entry] | None = None  # a word without `orth`, and its tag
        self._text: list[str] = []
        document.xml(self._start, self._end, self._characters)

    def _start(self, name: str, attributes: dict[str, str], line: int) -> None:
        self.seen[name] = None
        values = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        if name in _MARKS or (name in _WORDS and values.get("punc") == "true"):
            self.n_marks += 1
        elif name == _SILENCE:
            self.n_silences += 1
        elif name in _WORDS:
            start, end = (next((values[n] for n in names if n in values), None) for names in (_STARTS, _ENDS))
            entry = self._document.entry(values.get("orth", ""), start, end, line)
            if "orth" in values:
                self.entries.append(entry)
            else:
                self._open, self._text = (name, entry), []

    def _characters(self, text: str) -> None:
        if self._open:
            self._text.append(text)

    def _end(self, name: str) -> None:
        if self._open and self._open[0] == name:
            self.entries.append(self._open[1]._replace(text="".join(self._text)))
            self._open = None


def read_nxt(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The words of a file of terminals, which is one speaker's.

    Of a contraction that is two terminals and one word of the recording, the first has the start and
    the second the end: the time between is divided as for words without times.
    """
    refuse("tier", tier, document)
    refuse("speaker", speaker, document)
    terminals = _Terminals(document)
    if not terminals.entries:
        names = ", ".join(list(terminals.seen)[:10])
        raise document.error(f"there are no elements <word> here, only {names}; give a file of terminals")
    return Track(
        terminals.entries, document.title, n_silences=terminals.n_silences, n_marks=terminals.n_marks
    )

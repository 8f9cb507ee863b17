"""ELAN's `.eaf` files: tiers of annotations between time slots, some of which have no time."""

from __future__ import annotations

from dataclasses import dataclass, field

from .documents import Document, Entry, Track
from .textgrid import Tier
from .tiers import choose_tier, refuse


@dataclass
class _Annotation:
    line: int
    slots: tuple[str, str] | None = None  # where it has times of its own
    parent: str = ""  # where it has those of another annotation, or a share of them
    previous: str = ""  # which of the annotations with the same parent is before it
    text: list[str] = field(default_factory=list)


@dataclass
class _Tier:
    name: str
    annotations: dict[str, _Annotation] = field(default_factory=dict)


class _Eaf:
    """Collects slots and tiers while expat goes through the file."""

    def __init__(self, document: Document) -> None:
        self.slots: dict[str, float | None] = {}
        self.tiers: list[_Tier] = []
        self.is_eaf = False
        self._document = document
        self._annotation: _Annotation | None = None
        self._inside = False  # of a value
        document.xml(self._start, self._end, self._characters)

    def _start(self, name: str, attributes: dict[str, str], line: int) -> None:
        if name == "ANNOTATION_DOCUMENT":
            self.is_eaf = True
        elif name == "TIME_SLOT":
            time = self._document.seconds(attributes.get("TIME_VALUE"), line, "TIME_VALUE")
            self.slots[self._need(attributes, "TIME_SLOT_ID", line)] = None if time is None else time / 1000
        elif name == "TIER":
            self.tiers.append(_Tier(self._need(attributes, "TIER_ID", line)))
        elif name in ("ALIGNABLE_ANNOTATION", "REF_ANNOTATION"):
            if not self.tiers:
                raise self._document.error("an annotation stands outside of tiers", line)
            found = _Annotation(line)
            if name == "ALIGNABLE_ANNOTATION":
                first, last = (self._need(attributes, f"TIME_SLOT_REF{n}", line) for n in "12")
                found.slots = first, last
            else:
                found.parent = self._need(attributes, "ANNOTATION_REF", line)
                found.previous = attributes.get("PREVIOUS_ANNOTATION", "")
            self.tiers[-1].annotations[self._need(attributes, "ANNOTATION_ID", line)] = found
            self._annotation = found
        elif name == "ANNOTATION_VALUE":
            self._inside = True

    def _need(self, attributes: dict[str, str], name: str, line: int) -> str:
        if name not in attributes:
            raise self._document.error(f"{name} is missing", line)
        return attributes[name]

    def _characters(self, text: str) -> None:
        if self._inside and self._annotation is not None:
            self._annotation.text.append(text)

    def _end(self, name: str) -> None:
        if name == "ANNOTATION_VALUE":
            self._inside = False


def read_eaf(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The annotations of one tier; see `choose_tier`.

    Where several annotations share one that is above them, they share its time; where a slot between two
    has no time, these share the time around it.
    """
    tiers = read_tiers(document)
    chosen = tiers[choose_tier([found.name for found in tiers], tier, speaker, document)]
    return Track(chosen.entries, f"{document.title} (tier {chosen.name!r})")


def read_tiers(document: Document) -> list[Tier]:
    """All tiers with annotations."""
    eaf = _Eaf(document)
    if not eaf.is_eaf:
        raise document.error(
            "there is no <ANNOTATION_DOCUMENT>: this is no file of ELAN; give the format it has"
        )
    slots: dict[str, tuple[str, str]] = {}  # of each annotation
    tiers: dict[int, Tier] = {}
    for number in _parents_first(eaf.tiers):
        found = eaf.tiers[number]
        groups: dict[tuple[str, str], list[tuple[str, _Annotation]]] = {}
        for key, one in found.annotations.items():
            if one.slots is not None:
                slots[key] = one.slots
            groups.setdefault((one.parent, "" if one.parent else key), []).append((key, one))
        stretches = [_stretch(group, slots, eaf, document) for group in groups.values()]
        if all(stretch[0].start is not None for stretch in stretches):
            # ELAN may keep annotations in the order in which they were made.
            stretches.sort(key=lambda stretch: stretch[0].start or 0.0)
        if stretches:
            tiers[number] = Tier(found.name, [entry for stretch in stretches for entry in stretch])
    return [tiers[number] for number in sorted(tiers)]


def _parents_first(tiers: list[_Tier]) -> list[int]:
    """The numbers of the tiers in an order in which what is referred to comes before what refers to it."""
    homes = {key: number for number, tier in enumerate(tiers) for key in tier.annotations}
    above: list[int | None] = []
    for tier in tiers:
        parents = (one.parent for one in tier.annotations.values())
        above.append(next((homes[key] for key in parents if key in homes), None))

    def depth(number: int) -> int:
        steps, at = 0, above[number]
        while at is not None and steps < len(tiers):
            steps, at = steps + 1, above[at]
        return steps

    return sorted(range(len(tiers)), key=depth)


def _stretch(
    group: list[tuple[str, _Annotation]], slots: dict[str, tuple[str, str]], eaf: _Eaf, document: Document
) -> list[Entry]:
    """An annotation with times of its own, or those that share the time of one above them."""
    one = group[0][1]
    if one.parent:
        return _shared(one.parent, group, slots, eaf, document)
    start, end = (_time(eaf, slot, one.line, document) for slot in one.slots or ("", ""))
    return [Entry("".join(one.text), start, end, one.line)]


def _shared(
    parent: str,
    group: list[tuple[str, _Annotation]],
    slots: dict[str, tuple[str, str]],
    eaf: _Eaf,
    document: Document,
) -> list[Entry]:
    """The annotations below one, in their order, which share its time."""
    if parent not in slots:
        raise document.error(f"the annotation refers to {parent}, which has no times", group[0][1].line)
    for key, _ in group:
        slots[key] = slots[parent]
    followers = {one.previous: (key, one) for key, one in group if one.previous}
    ordered, seen = [], set()
    for key, one in group:
        if one.previous:
            continue
        current: tuple[str, _Annotation] | None = (key, one)
        while current is not None and current[0] not in seen:
            seen.add(current[0])
            ordered.append(current[1])
            current = followers.get(current[0])
    if len(ordered) != len(group):
        raise document.error("PREVIOUS_ANNOTATION goes around in a circle or to nowhere", group[0][1].line)
    start, end = (_time(eaf, slot, ordered[0].line, document) for slot in slots[parent])
    if len(ordered) == 1:
        return [Entry("".join(ordered[0].text), start, end, ordered[0].line)]
    entries = [Entry("".join(one.text), None, None, one.line, start, end) for one in ordered]
    entries[0] = entries[0]._replace(start=start)
    entries[-1] = entries[-1]._replace(end=end)
    return entries


def _time(eaf: _Eaf, slot: str, line: int, document: Document) -> float | None:
    if slot not in eaf.slots:
        raise document.error(f"there is no time slot {slot!r}", line)
    return eaf.slots[slot]


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

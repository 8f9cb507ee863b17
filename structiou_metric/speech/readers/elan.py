"""ELAN's `.eaf` files: tiers of annotations between time slots; some slots have no time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .documents import Document, Element, Entry, Track
from .textgrid import Tier
from .tiers import choose_tier


@dataclass
class _Annotation:
    line: int
    slots: tuple[str, str] | None = None  # where it has times of its own
    parent: str = ""  # where it has those of another annotation, or a share of them
    previous: str = ""  # which of the annotations with the same parent is before it
    text: str = ""


@dataclass
class _Tier:
    name: str
    annotations: dict[str, _Annotation] = field(default_factory=dict)


def read_eaf(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """Read the annotations of one tier; see `choose_tier`.

    Where several annotations share one that is above them, they share its time; where a slot between two
    has no time, these share the time around it.
    """
    tiers = read_tiers(document)
    chosen = tiers[choose_tier([found.name for found in tiers], tier, speaker, document)]
    return Track(chosen.entries, f"{document.title} (tier {chosen.name!r})")


def read_tiers(document: Document) -> list[Tier]:
    """Read all tiers with annotations."""
    elements = document.elements()
    if not any(element.name == "ANNOTATION_DOCUMENT" for element in elements):
        raise document.error(
            "there is no <ANNOTATION_DOCUMENT>: this is no file of ELAN; give the format it has"
        )
    times, annotated = _slots_and_tiers(elements, document)
    slots: dict[str, tuple[str, str]] = {}  # of each annotation
    tiers: dict[int, Tier] = {}
    for number in _parents_first(annotated):
        found = annotated[number]
        groups: dict[tuple[str, str], list[tuple[str, _Annotation]]] = {}
        for key, one in found.annotations.items():
            if one.slots is not None:
                slots[key] = one.slots
            groups.setdefault((one.parent, "" if one.parent else key), []).append((key, one))
        stretches = [_stretch(group, slots, times, document) for group in groups.values()]
        if all(stretch[0].start is not None for stretch in stretches):
            # ELAN may keep annotations in the order in which they were made.
            stretches.sort(key=lambda stretch: stretch[0].start or 0.0)
        if stretches:
            tiers[number] = Tier(found.name, [entry for stretch in stretches for entry in stretch])
    return [tiers[number] for number in sorted(tiers)]


def _slots_and_tiers(
    elements: list[Element], document: Document
) -> tuple[dict[str, float | None], list[_Tier]]:
    """Return the time of each slot in seconds, and the tiers with their annotations."""

    def need(element: Element, name: str) -> str:
        if name not in element.attributes:
            raise document.error(f"{name} is missing", element.line)
        return element.attributes[name]

    times: dict[str, float | None] = {}
    tiers: list[_Tier] = []
    for element in elements:
        line = element.line
        if element.name == "TIME_SLOT":
            time = document.seconds(element.attributes.get("TIME_VALUE"), line, "TIME_VALUE")
            times[need(element, "TIME_SLOT_ID")] = None if time is None else time / 1000
        elif element.name == "TIER":
            tiers.append(_Tier(need(element, "TIER_ID")))
        elif element.name in ("ALIGNABLE_ANNOTATION", "REF_ANNOTATION"):
            if not tiers:
                raise document.error("an annotation stands outside of tiers", line)
            found = _Annotation(line)
            if element.name == "ALIGNABLE_ANNOTATION":
                found.slots = need(element, "TIME_SLOT_REF1"), need(element, "TIME_SLOT_REF2")
            else:
                found.parent = need(element, "ANNOTATION_REF")
                found.previous = element.attributes.get("PREVIOUS_ANNOTATION", "")
            tiers[-1].annotations[need(element, "ANNOTATION_ID")] = found
        elif element.name == "ANNOTATION_VALUE" and tiers and tiers[-1].annotations:
            found.text += "".join(element.text)
    return times, tiers


def _parents_first(tiers: list[_Tier]) -> list[int]:
    """Return the numbers of the tiers, each after the tier that it refers to."""
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
    group: list[tuple[str, _Annotation]],
    slots: dict[str, tuple[str, str]],
    times: Mapping[str, float | None],
    document: Document,
) -> list[Entry]:
    """Return an annotation with times of its own, or those that share the time of one above them."""
    one = group[0][1]
    if one.parent:
        return _shared(one.parent, group, slots, times, document)
    start, end = (_time(times, slot, one.line, document) for slot in one.slots or ("", ""))
    return [Entry(one.text, start, end, one.line)]


def _shared(
    parent: str,
    group: list[tuple[str, _Annotation]],
    slots: dict[str, tuple[str, str]],
    times: Mapping[str, float | None],
    document: Document,
) -> list[Entry]:
    """Return the annotations below one, in their order, which share its time."""
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
    start, end = (_time(times, slot, ordered[0].line, document) for slot in slots[parent])
    if len(ordered) == 1:
        return [Entry(ordered[0].text, start, end, ordered[0].line)]
    entries = [Entry(one.text, None, None, one.line, start, end) for one in ordered]
    entries[0] = entries[0]._replace(start=start)
    entries[-1] = entries[-1]._replace(end=end)
    return entries


def _time(times: Mapping[str, float | None], slot: str, line: int, document: Document) -> float | None:
    if slot not in times:
        raise document.error(f"there is no time slot {slot!r}", line)
    return times[slot]


_WORDS = frozenset(("word", "phonword", "w"))
_MARKS = frozenset(("punc", "trace", "vocalsound", "nonvocalsound", "disfmarker", "gap"))
_SILENCE = "sil"
_STARTS = ("start", "starttime")
_ENDS = ("end", "endtime")


def read_nxt(document: Document) -> Track:
    """Read the words of a file of terminals, which is one speaker's.

    Of a contraction that is two terminals and one word of the recording, the first has the start and
    the second the end: the time between is divided as for words without times.
    """
    entries = []
    n_silences = n_marks = 0
    elements = document.elements()
    for name, attributes, line, text in elements:
        values = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        if name in _MARKS or (name in _WORDS and values.get("punc") == "true"):
            n_marks += 1
        elif name == _SILENCE:
            n_silences += 1
        elif name in _WORDS:
            start, end = (next((values[n] for n in names if n in values), None) for names in (_STARTS, _ENDS))
            entries.append(document.entry(values.get("orth", "".join(text)), start, end, line))
    if not entries:
        names = ", ".join(list(dict.fromkeys(element.name for element in elements))[:10])
        raise document.error(f"there are no elements <word> here, only {names}; give a file of terminals")
    return Track(entries, document.title, n_silences=n_silences, n_marks=n_marks)

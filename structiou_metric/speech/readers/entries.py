"""What a reader of word times finds: labels with times, and which labels are silences or fillers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

# Labels of silence, compared without regard to case; a blank label always is one.
SILENCES = (
    *(
        "",
        "sp",
        "sil",
        "!sil",
        "<sil>",
        "[sil]",
        "{sil}",
        "{sl}",
        "h#",
        "<eps>",
        "<s>",
        "</s>",
        "<p>",
        "<p:>",
    ),
    *("<pause>", "[pause]", "<silence>", "[silence]", "[blank_audio]"),
)

# Filled pauses, compared without regard to case and to punctuation around them.
FILLERS = (
    *("ah", "ahh", "eh", "ehm", "er", "erm", "hm", "hmm", "mm", "mmm", "uh", "uhh", "uhm", "um", "umm"),
    "hesitation",  # the `%HESITATION` of NIST
)

_EDGES = ".,;:!?…-–—'\"()[]<>{}%&"


class Entry(NamedTuple):
    """A label and its times as a source gives them.

    Attributes:
        text: The label.
        start: In seconds, or None where the source has none.
        end: In the same way.
        place: Its line, from 1, or its name, such as `segments[0].words[3]`.
        low: Where its segment starts, if that is known.
        high: Where its segment ends.
    """

    text: str
    start: float | None
    end: float | None
    place: int | str
    low: float | None = None
    high: float | None = None


class Track(NamedTuple):
    """The entries of one tier or speaker.

    Attributes:
        entries: In the order of the file.
        title: Where they come from.
        ordered: Whether the format promises the order of time; else they are sorted.
        zero_is_missing: Whether a word of zero length stands for one that got no time.
        n_silences: Silences that are no entries.
        n_marks: Punctuation and traces, which are no entries.
    """

    entries: Sequence[Entry]
    title: str
    ordered: bool = True
    zero_is_missing: bool = False
    n_silences: int = 0
    n_marks: int = 0


class LabelSet:
    """Labels that are left out, compared without regard to case.

    >>> "SIL" in LabelSet(["sil"], "silences"), "Um," in LabelSet(["um"], "fillers", edges=True)
    (True, True)

    Args:
        labels: As many as you like, but not one text.
        name: The option they come from, for errors.
        edges: Whether punctuation around a label does not count.
    """

    def __init__(self, labels: Iterable[str], name: str, *, edges: bool = False) -> None:
        if isinstance(labels, str):
            raise ValueError(f"{name} must be a list of labels, not the text {labels!r}; write [{labels!r}]")
        labels = list(labels)
        if not all(isinstance(label, str) for label in labels):
            raise ValueError(f"{name} must be a list of labels, not {labels!r}")
        self._edges = edges
        self._labels = frozenset(map(self._plain, labels))

    def __contains__(self, label: str) -> bool:
        return bool(self._labels) and self._plain(label) in self._labels

    def _plain(self, label: str) -> str:
        label = label.strip().casefold()
        return (label.strip(_EDGES) or label) if self._edges else label


def silence_labels(silences: Iterable[str]) -> LabelSet:
    """The labels given, and the blank one."""
    if isinstance(silences, str):
        return LabelSet(silences, "silences")  # which says what to write
    return LabelSet(["", *silences], "silences")


def filler_labels(fillers: str | Iterable[str]) -> LabelSet:
    """The fillers to leave out: none for `keep`, `FILLERS` for `drop`, or those given."""
    if isinstance(fillers, str):
        if fillers not in ("keep", "drop"):
            raise ValueError(f"unknown fillers {fillers!r}; choose from keep, drop, or give a list of words")
        fillers = FILLERS if fillers == "drop" else ()
    return LabelSet(fillers, "fillers", edges=True)

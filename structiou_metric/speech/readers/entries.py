"""What a reader of word times finds: labels with times, and which labels are silences or fillers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

# Labels of silence and of sounds that are no words, compared without regard to case; a blank label always
# is one. Marks of words that are not known, such as `<unk>` and `spn`, stand for words and are none of these.
SILENCES = (
    "",
    *("sp", "sil", "!sil", "<sil>", "[sil]", "{sil}", "{sl}", "h#", "<eps>", "!null", "<s>", "</s>"),
    *("<silence>", "[silence]", "(silence)", "[blank_audio]", "<p>", "<p:>"),
    *("<pause>", "[pause]", "(pause)", "(.)", "(..)", "(...)"),
    *("[noise]", "<noise>", "{ns}", "[vocalized-noise]", "<vocnoise>", "[nonspeech]", "[non-speech]"),
    *("[laughter]", "<laughter>", "[laughs]", "<laugh>", "{lg}", "(laughter)", "(laughs)"),
    *("[music]", "[applause]", "[cough]", "{cg}", "[breath]", "{br}", "[lipsmack]", "{ls}"),
)

# What is a word as well: it is silence only in a tier that covers all of the time and marks silence in no
# other way.
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
    title: str  # where they come from
    ordered: bool = True  # whether the format promises the order of time; else they are sorted
    zero_is_missing: bool = False  # whether a word of zero length stands for one that got no time
    covering: bool = False  # whether the labels cover all of the time, so that silences have some, too
    n_silences: int = 0  # that are no entries
    n_marks: int = 0  # punctuation and traces, which are no entries
    n_alternatives: int = 0  # other readings, which are no entries


def label_test(labels: Iterable[str], name: str, edges: str = "") -> Callable[[str], bool]:
    """A test of whether a label is one of some, without regard to case and to `edges`, characters around it.

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
    """A test of whether a word is a filler: none is for `keep`, `FILLERS` are for `drop`, or those given."""
    if isinstance(fillers, str):
        if fillers not in ("keep", "drop"):
            raise ValueError(f"unknown fillers {fillers!r}; choose from keep, drop, or give a list of words")
        fillers = FILLERS if fillers == "drop" else ()
    return label_test(fillers, "fillers", _EDGES)

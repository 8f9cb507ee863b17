"""Speakers of trees, from the codes that treebanks of conversations have between their sentences.

Switchboard writes a tree such as `(CODE (SYM SpeakerA1) (. .))` before each turn. It is no sentence, and says
whose the trees after it are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...errors import TreeMismatchError
from ...trees.tree import SegmentTree
from ...wording import count

__all__ = ["Turn", "find_turns", "speakers", "turns_of"]

CODE = "CODE"  # label of material that is no part of a sentence

_SPEAKER = re.compile(r"Speaker_?([A-Za-z]+)_?\d*")
_CHANNELS = "ABCDEFGH"  # speakers in the order of their channels


class Turn(NamedTuple):
    """A sentence and its speaker.

    >>> [turn] = find_turns([SegmentTree.from_brackets("(INTJ (CODE (SYM SpeakerA1)) (UH Okay))")])
    >>> turn.row, turn.speaker, turn.tree.words
    (0, 'A', ('SpeakerA1', 'Okay'))

    Attributes:
        row: The number of the tree among all, codes included.
        speaker: The name of the speaker; empty if there is no code.
        tree: The tree of the sentence.
    """

    row: int  # of the tree among all, codes included
    speaker: str  # empty if there is no code
    tree: SegmentTree


def find_turns(trees: Iterable[SegmentTree]) -> list[Turn]:
    """Return the sentences with their speakers; trees that are codes and nothing else are left out.

    >>> texts = ["(CODE (SYM SpeakerA1) (. .))", "(INTJ (UH Okay))", "(CODE (SYM SpeakerB2))", "(S (VB Go))"]
    >>> [(turn.row, turn.speaker) for turn in find_turns(map(SegmentTree.from_brackets, texts))]
    [(1, 'A'), (3, 'B')]

    Args:
        trees: The trees of a conversation in order, codes of speakers among them.
    """
    turns = []
    speaker = ""
    for row, tree in enumerate(trees):
        inside = _code_words(tree)
        named = [(word, _SPEAKER.fullmatch(tree.words[word])) for word in sorted(inside)]
        known = [(word, found.group(1).upper()) for word, found in named if found is not None]
        lead = [
            name for word, name in known if inside.issuperset(range(word))
        ]  # before any word of a sentence
        speaker = lead[-1] if lead else speaker
        if not tree.words or len(inside) < len(tree.words):
            turns.append(Turn(row, speaker, tree))
        speaker = known[-1][1] if known else speaker
    return turns


def turns_of(turns: Sequence[Turn], speaker: str | None, channel: int | None = None) -> list[Turn]:
    """Return the turns of one speaker, if there are codes of speakers and one is asked for; else all.

    >>> texts = ["(CODE (SYM SpeakerA1))", "(INTJ (UH Okay))", "(CODE (SYM SpeakerB2))", "(S (VB Go))"]
    >>> turns = find_turns(map(SegmentTree.from_brackets, texts))
    >>> [str(turn.tree) for turn in turns_of(turns, "sw2005 B")]
    ['(S (VB Go))']

    Args:
        turns: The turns of all speakers.
        speaker: The name in the file of words, such as `sw2005 A`; the name in the codes may be a part of it,
            such as `A`.
        channel: The channel from 1, which is that of speaker A, as in recordings of telephone calls.

    Raises:
        TreeMismatchError: There are codes of speakers, and none is the one asked for.
    """
    names = speakers(turns)
    if not names or (speaker is None and channel is None):
        return list(turns)
    if speaker is not None:
        parts = {part.upper() for part in re.split(r"[\s_.:-]+", speaker)}
        parts |= {found.group(1).upper() for found in map(_SPEAKER.fullmatch, speaker.split()) if found}
        wanted = [name for name in names if name in parts]
        asked = f"speaker {speaker!r}"
    else:
        wanted = [name for name in names if _CHANNELS[(channel or 0) - 1 : channel] == name]
        asked = f"channel {channel}"
    if len(wanted) != 1:
        raise TreeMismatchError(
            f"the trees are of {count(len(names), 'speaker')}, {', '.join(names)}, as their codes say, and "
            f"{asked} is {'none' if not wanted else 'more than one'} of them; give the name of one"
        )
    return [turn for turn in turns if turn.speaker == wanted[0]]


def speakers(turns: Iterable[Turn]) -> list[str]:
    """Return the names of all speakers, in alphabetical order.

    >>> texts = ["(CODE (SYM SpeakerB1))", "(INTJ (UH Okay))", "(CODE (SYM SpeakerA2))", "(S (VB Go))"]
    >>> speakers(find_turns(map(SegmentTree.from_brackets, texts)))
    ['A', 'B']

    Args:
        turns: The turns of all speakers.
    """
    return sorted({turn.speaker for turn in turns} - {""})


def _code_words(tree: SegmentTree) -> set[int]:
    """Return the words below a node that is a code."""
    if CODE not in tree.labels:
        return set()
    spans = zip(tree.labels, tree.firsts, tree.lasts, strict=True)
    return {word for label, first, last in spans if label == CODE for word in range(first, last)}

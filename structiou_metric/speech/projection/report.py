"""Reports on projections, which count every leaf and every word once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ...wording import count

# The kinds of leaves after a projection, and their descriptions.
KINDS = {
    "exact": "as in the transcript",
    "changed": "spelled differently there",
    "split": "part of a word there",
    "joined": "several words there",
    "unknown": "there, but the transcript does not know the word",
    "interpolated": "missing there, between the words around",
    "unplaced": "missing there, without room or at an end",
    "silent": "without sound",
}


class LeafTime(NamedTuple):
    """A leaf with its kind and time after a projection."""

    text: str  # as the tree writes it
    kind: str  # one of `KINDS`
    start: float | None  # in seconds; None if the leaf was removed
    end: float | None
    heard: str  # the words that it was aligned with, as the transcript writes them


class Report(NamedTuple):
    """The counts of leaves, words and characters of a projection.

    >>> report = Report(n_trees=1, exact=2, silent=1, used=2, unused=1)
    >>> report.n_leaves, report.n_words
    (3, 3)

    Attributes:
        n_trees: The number of trees.
        n_failed: The number of trees without a leaf before, which stay so.
        n_emptied: The number of trees that lost all of their leaves, because none sounds.
        n_moved: The number of signs of currencies that were put after their numbers, as they are said.
        exact: Leaves that are one word, spelled the same except for case and characters without sound.
        changed: Leaves that are one word, spelled differently, perhaps another one.
        split: Leaves that share a word with others.
        joined: Other leaves that span several words.
        unknown: Leaves at a word that the transcript marks as unknown, such as `<unk>`.
        interpolated: Leaves that are not in the transcript, but for which there is time between the words
            around them.
        unplaced: Leaves that are not in the transcript and have zero length, because there is no time
            between the words around them, or no word on one side.
        silent: Leaves without sound, removed or of zero length.
        used: Words of the transcript with a leaf.
        unused: Words of the transcript without a leaf.
        unsounding: Words of the transcript without sound, which are not used.
        estimated: Used words whose own times were estimated.
        leaf_characters: Characters of leaves that sound, without those at unknown words.
        word_characters: Characters of words that sound and are known.
        matched_characters: Pairs of equal characters on the path.
    """

    n_trees: int = 0
    n_failed: int = 0
    n_emptied: int = 0
    n_moved: int = 0
    exact: int = 0
    changed: int = 0
    split: int = 0
    joined: int = 0
    unknown: int = 0
    interpolated: int = 0
    unplaced: int = 0
    silent: int = 0
    used: int = 0
    unused: int = 0
    unsounding: int = 0
    estimated: int = 0
    leaf_characters: int = 0
    word_characters: int = 0
    matched_characters: int = 0

    @classmethod
    def total(cls, reports: Iterable[Report]) -> Report:
        """Return the counts of several reports added up.

        >>> Report.total([Report(exact=2, used=2), Report(exact=1, changed=1, used=2)]).exact
        3
        """
        return cls(*map(sum, zip(*reports, strict=True)))

    @property
    def n_leaves(self) -> int:
        """Return the number of all leaves, of every kind."""
        return sum(getattr(self, kind) for kind in KINDS)

    @property
    def n_words(self) -> int:
        """Return the number of all words of the transcript."""
        return self.used + self.unused + self.unsounding

    @property
    def leaf_match(self) -> float:
        """Return the share of the leaves' characters that match; 1 if all leaves are at unknown words."""
        return self.matched_characters / self.leaf_characters if self.leaf_characters else 1.0

    @property
    def match(self) -> float:
        """Return the share of the characters of leaves and words that match; 1 if no leaf sounds."""
        if not self.leaf_characters:
            return 1.0
        return 2 * self.matched_characters / (self.leaf_characters + self.word_characters)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts, the sums and the shares as values that JSON can hold."""
        sums = {
            "n_leaves": self.n_leaves,
            "n_words": self.n_words,
            "match": self.match,
            "leaf_match": self.leaf_match,
        }
        return self._asdict() | sums

    def describe(self, *, with_match: bool = True) -> str:
        """Return the counts in a few lines of text, without those that are 0.

        Args:
            with_match: Whether to print the share of characters that match, which means nothing if the
                words were looked for in sound.

        >>> print(Report(n_trees=1, exact=2, silent=1, used=2, unused=1).describe(), end="")
        1 tree
        3 leaves
               2  as in the transcript
               1  without sound
        3 words
               2  used
               1  not used
        """
        trees = (
            (self.n_failed, "failed to parse"),
            (self.n_emptied, "with no sounding leaf, now empty"),
        )
        words = (
            (self.used, "used"),
            (self.unused, "not used"),
            (self.unsounding, "without sound"),
            (self.estimated, "used with estimated times"),
        )
        leaves = [(getattr(self, kind), text) for kind, text in KINDS.items()]
        if self.n_moved:
            leaves.append((self.n_moved, "of them put behind their numbers, as they are said"))
        lines = [count(self.n_trees, "tree"), *_listed(trees)]
        lines += ["1 leaf" if self.n_leaves == 1 else f"{self.n_leaves} leaves", *_listed(leaves)]
        lines += [count(self.n_words, "word"), *_listed(words)]
        if self.leaf_characters and with_match:
            lines.append(f"{100 * self.match:.1f}% of the characters match")
        return "\n".join([*lines, ""])


def _listed(counts: Iterable[tuple[int, str]]) -> list[str]:
    return [f"{number:>8}  {text}" for number, text in counts if number]

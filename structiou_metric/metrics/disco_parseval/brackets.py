"""The brackets of one tree as labels and sets of words, and what both sides of a pair have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from ...errors import TreeMismatchError
from ...wording import brief, count


class Side(NamedTuple):
    """A tree of either kind, as flat arrays in postorder over its words in the order of the tree.

    Attributes:
        labels: The labels of the nodes, as they are compared.
        sizes: The number of nodes in the subtree of each node.
        firsts: The first word of each node.
        lasts: The word behind the last one of each node.
        words: The words in the order of the sentence.
        order: The place in the sentence of each word; -1 for those that are none.
    """

    labels: Sequence[str]
    sizes: Sequence[int]
    firsts: Sequence[int]
    lasts: Sequence[int]
    words: Sequence[str]
    order: Sequence[int]

    def tags(self, name: str) -> list[str]:
        """The tag of each word of the sentence, or an error that names the tree."""
        tags: list[str | None] = [None] * len(self.words)
        for label, size, first, last in zip(self.labels, self.sizes, self.firsts, self.lasts, strict=True):
            if size == 1 and last == first + 1 and self.order[first] >= 0:
                tags[self.order[first]] = label
        if None in tags:
            word = self.words[tags.index(None)]
            raise TreeMismatchError(
                f"{name}: the word {brief(word)} has no tag of its own; write it as (TAG {word})"
            )
        return tags  # type: ignore[return-value]

    def without(self, tag: str) -> Side:
        """The same without the words that have a tag which nobody says."""
        gone = {
            self.order[first]
            for label, size, first, last in zip(self.labels, self.sizes, self.firsts, self.lasts, strict=True)
            if label == tag and size == 1 and last == first + 1
        }
        kept = [place for place in range(len(self.words)) if place not in gone]
        places = dict(zip(kept, range(len(kept)), strict=True))
        return self._replace(
            words=[self.words[place] for place in kept],
            order=[places.get(place, -1) for place in self.order],
        )


class Figures(NamedTuple):
    """What a pair counts: brackets that both sides have, and those of either side.

    Those of `disc` are the brackets whose words do not follow each other.
    """

    matched: int
    n_pred: int
    n_ref: int
    unlabeled: int
    disc_matched: int
    disc_pred: int
    disc_ref: int
    complete: bool
    correct_tags: int
    words: int


class Places:
    """A number for each place, such that different sets of places have different sums.

    They are 128 bits of a hash: that two sets meet by chance need not be feared.
    """

    def __init__(self) -> None:
        self._numbers: list[int] = []

    def __call__(self, place: int) -> int:
        for new in range(len(self._numbers), place + 1):
            digest = blake2b(new.to_bytes(8, "little"), digest_size=16).digest()
            self._numbers.append(int.from_bytes(digest, "little"))
        return self._numbers[place]


def compare(
    prediction: Side,
    reference: Side,
    names: tuple[str, str],
    deleted: Collection[str],
    deleted_words: Collection[str],
    places: Callable[[int], int],
) -> Figures:
    """The figures of a pair, or the error that keeps it from being compared.

    Args:
        prediction: The predicted side.
        reference: The reference side; its tags say which words of both are deleted.
        names: What to call both trees in errors.
        deleted: Labels of brackets, and tags of words, that do not count.
        deleted_words: Words that do not count.
        places: The numbers of places.
    """
    tags = reference.tags(names[1])
    if not prediction.words and reference.words:
        found_tags: list[str] = []
    elif len(prediction.words) != len(reference.words):
        raise TreeMismatchError(
            f"{names[0]} has {count(len(prediction.words), 'word')} and {names[1]} has "
            f"{count(len(reference.words), 'word')}; brackets of words need the same words on both sides"
        )
    else:
        for one, other in zip(prediction.words, reference.words, strict=True):
            if one != other:
                raise TreeMismatchError(
                    f"{names[0]} has {brief(one)} where {names[1]} has {brief(other)}; brackets of words "
                    "need the same words on both sides"
                )
        found_tags = prediction.tags(names[0])
    ranks: list[int] = []  # of each word among those that count, or -1
    n_words = 0
    for tag, word in zip(tags, reference.words, strict=True):
        gone = tag in deleted or word in deleted_words
        ranks.append(-1 if gone else n_words)
        n_words += not gone
    pred, ref = (_brackets(side, ranks, deleted, places) for side in (prediction, reference))
    both = pred & ref
    counted = [(tag, found) for tag, found, rank in zip(tags, found_tags, ranks, strict=False) if rank >= 0]
    return Figures(
        both.total(),
        pred.total(),
        ref.total(),
        (_unlabeled(pred) & _unlabeled(ref)).total(),
        _disc(both),
        _disc(pred),
        _disc(ref),
        pred == ref and (bool(prediction.words) or not reference.words),
        sum(tag == found for tag, found in counted),
        n_words,
    )


def _brackets(
    side: Side, ranks: Sequence[int], deleted: Collection[str], places: Callable[[int], int]
) -> Counter[tuple[Any, ...]]:
    """The label, first and last word of each bracket, and 0 or what tells a set of words with gaps."""
    sums = [0]
    counts = [0]
    for place in side.order:
        rank = ranks[place] if place >= 0 else -1
        sums.append(sums[-1] + (places(rank) if rank >= 0 else 0))
        counts.append(counts[-1] + (rank >= 0))
    found: Counter[tuple[Any, ...]] = Counter()
    reaches: list[tuple[int, int]] = []  # first and last word of each node; of none, what changes no other
    nothing = len(ranks), -1
    for i, (label, size, first, last) in enumerate(
        zip(side.labels, side.sizes, side.firsts, side.lasts, strict=True)
    ):
        low, high = nothing
        if size == 1:
            if counts[last] > counts[first]:
                low = high = ranks[side.order[first]]
        else:
            child = i - 1
            while child > i - size:
                low, high = min(low, reaches[child][0]), max(high, reaches[child][1])
                child -= side.sizes[child]
            n_words = counts[last] - counts[first]
            if n_words and label not in deleted:
                gaps = high - low + 1 > n_words
                found[label, low, high, sums[last] - sums[first] if gaps else 0] += 1
        reaches.append((low, high))
    return found


def _unlabeled(brackets: Counter[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    found: Counter[tuple[Any, ...]] = Counter()
    for bracket, number in brackets.items():
        found[bracket[1:]] += number
    return found


def _disc(brackets: Counter[tuple[Any, ...]]) -> int:
    return sum(number for bracket, number in brackets.items() if bracket[3])

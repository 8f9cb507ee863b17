"""Perturbed word boundaries: the three kinds of the paper's section on speech.

With boundaries `b_0 … b_n` of a tree's `n` words and a level `delta` from 0 to 1:

- `noise`: from left to right, every inner boundary moves by a share `|r|` of the way to its right
  neighbour, or to its left one where `r` is negative; `r` is drawn from `U(-delta, delta)`, and the left
  neighbour has already moved. The tree stays.
- `insert`: every word is split in two with probability `delta`, at a point drawn from all of it.
  `surgery.split_words` describes the resulting tree.
- `delete`: every inner boundary is removed with probability `delta`. As in the paper, a parser predicts the
  tree again, which is given the merged words, joined by a space, and their times. Without a parser,
  the old tree is kept as far as it goes: see `surgery.merge_words`.

The paper has no silence between words. Here a silence stays one, and is a segment as words are: with
`noise` both of its ends move, `insert` does not split it, and it is in the word that `delete` merges
around it. `speech.silence` removes silences beforehand.

A tree whose unit is not seconds is perturbed on the axis of that unit: a word, or a character, is one
second long. Perturbed trees are in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate, pairwise
from random import Random
from typing import Any, NamedTuple

from ..errors import TreeFormatError
from ..trees.shapes import as_tree
from ..trees.surgery import dropped_words, merge_texts, merge_words, split_words
from ..trees.tree import SegmentTree
from ..wording import check_choice, count

__all__ = ["KINDS", "generator_for", "perturb", "with_seconds"]

# The kinds of perturbation of word boundaries.
KINDS = ("noise", "insert", "delete")

Parser = Callable[[list[str], list[tuple[float, float]]], Any]


def perturb(
    tree: Any, kind: str, delta: float, rng: Random | int, *, parser: Parser | None = None
) -> SegmentTree:
    """Return a tree with perturbed word boundaries, in seconds; with a level of 0 the tree itself.

    >>> print(perturb("(S (NP (PRP we)) (VP (VBP run)))", "delete", 1.0, 7))
    (S (PRP we_run<0.0,2.0>))

    Args:
        tree: The tree, in any shape that `shapes.as_tree` takes.
        kind: The kind of perturbation, `noise`, `insert` or `delete`; described at the top of this module.
        delta: The level, from 0, which changes nothing, to 1.
        rng: A generator, whose method `random` is all that is used, or a seed for a new one.
        parser: A function for `delete`: it takes the words and their times, and returns a tree over the same
            words in any shape that `shapes.as_tree` takes, or an empty one if it fails. The texts in it are
            not looked at. It is not called for a sentence without a deleted boundary.
    """
    given = as_tree(tree)
    delta = check_delta(delta)
    check_choice("kind", kind, KINDS)
    rng = _as_generator(rng)
    if not given or not delta:
        return given
    timed = with_seconds(given)
    if kind == "noise":
        return _move_bounds(timed, delta, rng)
    if kind == "insert":
        return _insert_bounds(timed, delta, rng)
    return _delete_bounds(timed, delta, rng, parser)


def with_seconds(tree: SegmentTree, drop: Iterable[str] = ()) -> SegmentTree:
    """Return the tree in seconds; if its unit is another, a word, or a character, is one second long.

    >>> print(with_seconds(SegmentTree.from_brackets("(NP (DT the) (NN dog))")))
    (NP (DT the<0.0,1.0>) (NN dog<1.0,2.0>))

    Args:
        tree: The tree, over any unit.
        drop: Labels of leaves whose words have no length then.
    """
    if tree.unit == "time" or not tree:
        return tree.with_unit("time")
    dropped = dropped_words(tree, drop)
    positions = zip(*tree.word_positions(), strict=True)
    lengths = [0.0 if k in dropped else end - start for k, (start, end) in enumerate(positions)]
    return tree.with_times(pairwise(accumulate(lengths, initial=0.0)))


class Draw(NamedTuple):
    """One perturbation of many trees: the seed of the whole work, the kind, its level, and which repeat."""

    seed: int
    kind: str
    delta: float
    repeat: int

    def perturb(self, tree: SegmentTree, row: int, name: str, parser: Parser | None) -> SegmentTree:
        """Return the tree of a row after the perturbation; errors refer to the row by `name`."""
        try:
            return perturb(tree, self.kind, self.delta, generator_for(*self, row), parser=parser)
        except TreeFormatError as error:  # by the parser
            raise TreeFormatError(str(error), source=name) from None


def generator_for(seed: int, kind: str, delta: float, repeat: int, row: int) -> Random:
    """Return the generator for one sentence, whose draws depend on nothing else.

    It is seeded with the text `seed/kind/delta/repeat/row`, such as `1/noise/0.3/0/17`. Python draws the
    same numbers from it on every machine, in any order or process in which the sentences are taken.

    >>> one, two = (generator_for(1, "noise", 0.3, repeat=0, row=17) for _ in range(2))
    >>> one.random() == two.random()
    True

    Args:
        seed: The seed of the whole work.
        kind: The kind of perturbation.
        delta: The level of the perturbation.
        repeat: The number of the repeat, from 0.
        row: The number of the sentence, from 0.
    """
    return Random(f"{seed}/{kind}/{float(delta)!r}/{repeat}/{row}")


def check_delta(delta: float) -> float:
    """Return the level as a float, if it is one from 0 to 1."""
    try:
        value = float(delta)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"delta must be a number from 0 to 1, not {delta!r}") from None
    if not 0.0 <= value <= 1.0:  # NaN, too
        raise ValueError(f"delta must be a number from 0 to 1, not {delta!r}")
    return value + 0.0  # no -0.0


def _as_generator(rng: Random | int) -> Random:
    if isinstance(rng, bool) or not (isinstance(rng, int) or callable(getattr(rng, "random", None))):
        raise TypeError(f"rng must be a random.Random or a whole number as seed, not {rng!r}")
    return Random(rng) if isinstance(rng, int) else rng


def _move_bounds(tree: SegmentTree, delta: float, rng: Random) -> SegmentTree:
    """Return the tree after `noise`: one boundary is moved after another."""
    times = tree.times or ()
    bounds = [times[0][0]]
    places = []  # of the start of each word among the bounds; its end is the next one
    for start, end in times:
        if start != bounds[-1]:
            bounds.append(start)
        places.append(len(bounds) - 1)
        bounds.append(end)
    left = bounds[0]
    for i in range(1, len(bounds) - 1):
        here, right = bounds[i], bounds[i + 1]
        r = delta * (2.0 * rng.random() - 1.0)
        here += r * (right - here) if r >= 0.0 else -r * (left - here)
        bounds[i] = left = min(max(here, left), right)  # rounding must not carry it past them
    moved = tuple([(bounds[at], bounds[at + 1]) for at in places])
    return SegmentTree(tree.labels, tree.sizes, tree.firsts, tree.lasts, tree.words, moved, "time")


def _insert_bounds(tree: SegmentTree, delta: float, rng: Random) -> SegmentTree:
    """Return the tree after `insert`: some words are split."""
    cuts = {}
    for k, (start, end) in enumerate(tree.times or ()):
        if rng.random() < delta:
            cuts[k] = min(start + rng.random() * (end - start), end)
    return split_words(tree, cuts) if cuts else tree


def _delete_bounds(tree: SegmentTree, delta: float, rng: Random, parser: Parser | None) -> SegmentTree:
    """Return the tree after `delete`: some boundaries are gone, and the words next to them are joined."""
    joined = [rng.random() < delta for _ in range(len(tree.words) - 1)]
    if not any(joined):
        return tree
    if parser is None:
        return merge_words(tree, joined)
    found = as_tree(parser(*merge_texts(tree, joined, " ")), source="the parser's tree")
    if not found:
        return found
    words, times = merge_texts(tree, joined)
    if len(found.words) != len(words):
        raise TreeFormatError(
            f"the parser's tree has {count(len(found.words), 'word')} for {len(words)}; "
            "merged words are one word: write them as one, joined by '_' where brackets are text"
        )
    return SegmentTree(
        found.labels, found.sizes, found.firsts, found.lasts, tuple(words), tuple(times), "time"
    )

"""Syntactically ambiguous sentences: how two metrics treat plausible trees and random ones.

The sentences are those of the paper's template `N (P N){n}`. The grammar of its figure, NP → N, NP → NP PP
and PP → P NP, gives them Cₙ trees, a Catalan number. The paper leaves open which nodes count; its lowest
ParsEval F1, 12.5 at n = 8, is 2 of 16 brackets, so an NP over a single N is none. A tree has 2n brackets,
the whole sentence among them, and for STRUCT-IoU the 2n + 1 tags as well. Labels are ignored, as there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from math import comb, fsum
from random import Random
from typing import Any, NamedTuple

from ...metrics.brackets import f1
from ...metrics.struct_iou.metric import StructIoU
from ...metrics.struct_iou.result import node_score

MAX_N = 12  # 208,012 plausible trees
MAX_PAIRS = 50_000_000  # of a reference and a plausible tree
SAMPLE = 100  # references where not all can be tried

# The figures that the paper prints for n = 8, against one reference tree that it does not show.
PAPER_N = 8
PAPER = {
    "parseval": {"plausible_lowest": 0.125, "random_average": 0.273},
    "struct_iou": {"plausible_lowest": 0.636, "random_average": 0.619},
}

_CLOSE = 1e-9  # sums of IoUs this close are equal
_ROUND = 2  # candidates that each reference tries before all look again who is done


class Spread(NamedTuple):
    """A figure over all references: its mean, and the lowest and highest for one of them."""

    mean: float
    low: float
    high: float


class Ambiguity(NamedTuple):
    """The result of `compare_plausible`.

    Attributes:
        n: How often `P N` is repeated.
        n_plausible: The number of plausible trees of the sentence.
        n_references: How many of them were the reference in turn.
        n_drawn: The number of plausible trees whose average was taken, the same for all references; a
            reference's own average is without itself.
        n_random: The number of random trees whose average was taken.
        seed: The seed of all choices; the same seed gives the same results.
        figures: The figures (`plausible_lowest`, `plausible_average`, `random_average`), by metric
            (`parseval`, `struct_iou`).
        random_averages: ParsEval's and STRUCT-IoU's average over the random trees, for each reference.
        signature: The signature of STRUCT-IoU.
    """

    n: int
    n_plausible: int
    n_references: int
    n_drawn: int
    n_random: int
    seed: int
    figures: dict[str, dict[str, Spread]]
    random_averages: list[tuple[float, float]]
    signature: str

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as values that JSON can hold, without those of each reference."""
        result: dict[str, Any] = {"template": f"N (P N){{{self.n}}}", **self._asdict()}
        del result["random_averages"]
        result["figures"] = {
            metric: {name: spread._asdict() for name, spread in figures.items()}
            for metric, figures in self.figures.items()
        }
        if self.n == PAPER_N:
            result["paper"] = PAPER
        return result


class Parse(NamedTuple):
    """A binary tree, as bracket text and with its brackets as a set of bits, one for each span."""

    brackets: str
    spans: int


_Match = Callable[[Sequence[Parse], Sequence[Parse]], Sequence[float]]  # sums of IoUs for pairs of trees


def compare_plausible(
    n: int = 8,
    *,
    n_random: int = 100,
    n_references: int | None = None,
    seed: int = 1,
    workers: int | str = 1,
    progress: bool = False,
) -> Ambiguity:
    """Score plausible trees against one another, and random trees against plausible ones.

    >>> found = compare_plausible(3, n_random=10)
    >>> found.n_plausible, round(found.figures["parseval"]["plausible_lowest"].mean, 4)
    (5, 0.3333)

    Args:
        n: How often `P N` is repeated, from 2 on.
        n_random: How many random trees are scored against each reference, the same for all of them.
        n_references: How many plausible trees to draw as references; by default each of them is one.
        seed: The seed of all choices; the same seed gives the same results.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
    """
    _check(n, n_random, n_references)
    plausible = plausible_trees(n)
    rng = Random(seed)
    chance = [random_tree(2 * n + 1, rng) for _ in range(n_random)]
    n_drawn = max(n_random // 4, 2)  # fewer, to be quick; two, as one may be the reference
    others = rng.sample(plausible, min(n_drawn, len(plausible)))
    references = plausible
    if n_references is not None and n_references < len(plausible):
        references = rng.sample(plausible, n_references)
    metric = StructIoU(labels="ignore")

    def match(predictions: Sequence[Parse], refs: Sequence[Parse]) -> Sequence[float]:
        texts = ([parse.brackets for parse in side] for side in (predictions, refs))
        result = metric.corpus_score(*texts, workers=workers, progress=progress)
        matched: Sequence[float] = result.columns["matched"]
        return matched

    n_brackets, n_nodes = 2 * n, 4 * n + 1
    shared = [bytes((ref.spans & other.spans).bit_count() for other in plausible) for ref in references]
    lowest = find_lowest(references, plausible, shared, 2 * n + 1, match)
    matches: dict[str, list[tuple[float, float]]] = {
        "plausible_lowest": list(zip(map(min, shared), lowest, strict=True)),
        "plausible_average": _averages(references, others, match),
        "random_average": _averages(references, chance, match),
    }
    scores = {
        key: [
            (f1(equal, n_brackets, n_brackets), node_score(mass, n_nodes, n_nodes)) for equal, mass in pairs
        ]
        for key, pairs in matches.items()
    }
    figures = {
        name: {key: _spread([pair[k] for pair in pairs]) for key, pairs in scores.items()}
        for k, name in enumerate(("parseval", "struct_iou"))
    }
    return Ambiguity(
        n,
        len(plausible),
        len(references),
        len(others),
        n_random,
        seed,
        figures,
        scores["random_average"],
        metric.signature,
    )


def _check(n: int, n_random: int, n_references: int | None) -> None:
    if not 2 <= n <= MAX_N:
        raise ValueError(f"n must be from 2 (below, only one tree is plausible) to {MAX_N}, not {n}")
    if n_random < 1 or (n_references is not None and n_references < 1):
        raise ValueError("at least one random tree and one reference are needed")
    total = comb(2 * n, n) // (n + 1)
    if min(n_references or total, total) * total > MAX_PAIRS:
        raise ValueError(
            f"N (P N){{{n}}} has {total:,} plausible trees; draw at most {MAX_PAIRS // total:,} of them as "
            "references"
        )


def plausible_trees(n: int) -> list[Parse]:
    """Return all trees of `N (P N){n}` that the grammar allows, in a fixed order.

    >>> [parse.brackets for parse in plausible_trees(1)]
    ['(NP (N n) (PP (P p) (N n)))']
    >>> [len(plausible_trees(n)) for n in range(9)]
    [1, 1, 2, 5, 14, 42, 132, 429, 1430]
    """
    bit = _bits(2 * n + 1)

    @cache
    def noun_phrases(start: int, k: int) -> list[Parse]:
        """Return the k-fold pattern from word `start`: an NP before the last PP that is attached to it."""
        if not k:
            return [Parse("(N n)", 0)]
        end = start + 2 * k + 1
        found = []
        for inside in range(k):
            at = start + 2 * inside + 1  # where that PP starts
            own = bit(start, end) | bit(at, end)
            found += [
                Parse(f"(NP {left.brackets} (PP (P p) {right.brackets}))", own | left.spans | right.spans)
                for left in noun_phrases(start, inside)
                for right in noun_phrases(at + 1, k - 1 - inside)
            ]
        return found

    return noun_phrases(0, n)


def random_tree(n_words: int, rng: Random) -> Parse:
    """Return a binary tree by joining two random neighbours until one is left, as in the paper."""
    bit = _bits(n_words)
    parts = [(i, i + 1, "(P p)" if i % 2 else "(N n)") for i in range(n_words)]
    spans = 0
    while len(parts) > 1:
        i = rng.randrange(len(parts) - 1)
        (start, _, left), (_, end, right) = parts[i : i + 2]
        parts[i : i + 2] = [(start, end, f"(X {left} {right})")]
        spans |= bit(start, end)
    return Parse(parts[0][2], spans)


def _bits(n_words: int) -> Callable[[int, int], int]:
    """Return a bit for each span of a sentence."""
    return lambda start, end: 1 << (start * (n_words + 1) + end)


def find_lowest(
    references: Sequence[Parse],
    plausible: Sequence[Parse],
    shared: Sequence[bytes],
    n_tags: int,
    match: _Match,
) -> list[float]:
    """Return the lowest sum of IoUs that any other plausible tree gets, for each reference; exactly.

    All tags and the brackets that two trees share may be aligned, each with an IoU of 1. So no pair gets
    less than their number: the trees that share least come first, and once one of them gets no more than
    that number, the rest need not be aligned.

    `shared` is how many brackets each reference shares with each plausible tree, `n_tags` how many
    preterminals a tree has.
    """
    most = 2 * (n_tags // 2)  # brackets of a tree, which only the tree itself shares
    best = [float(n_tags + most)] * len(references)
    for level in range(most):
        places = [-1] * len(references)
        waiting = [i for i, matched in enumerate(best) if matched > n_tags + level + _CLOSE]
        while waiting:
            pairs: list[tuple[int, int]] = []
            going = []
            for i in waiting:
                for _ in range(_ROUND):
                    places[i] = shared[i].find(level, places[i] + 1)
                    if places[i] < 0:
                        break
                    pairs.append((i, places[i]))
                else:
                    going.append(i)
            sums = match([plausible[j] for _, j in pairs], [references[i] for i, _ in pairs]) if pairs else ()
            for (i, _), matched in zip(pairs, sums, strict=True):
                best[i] = min(best[i], matched)
            waiting = [i for i in going if best[i] > n_tags + level + _CLOSE]
    return best


def _averages(
    references: Sequence[Parse], trees: Sequence[Parse], match: _Match
) -> list[tuple[float, float]]:
    """Return the brackets shared, and the sums of IoUs, with other trees on average, for each reference."""
    others = [[tree for tree in trees if tree is not ref] for ref in references]
    sums = match(
        [tree for row in others for tree in row],
        [ref for ref, row in zip(references, others, strict=True) for _ in row],
    )
    matched = iter(sums)
    averages = []
    for ref, row in zip(references, others, strict=True):
        shared = sum((tree.spans & ref.spans).bit_count() for tree in row)
        averages.append((shared / len(row), fsum(islice(matched, len(row))) / len(row)))
    return averages


def _spread(values: Sequence[float]) -> Spread:
    return Spread(fsum(values) / len(values), min(values), max(values))

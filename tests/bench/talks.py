"""Recordings with trees, the same in every run: what was said, and what a recogniser and a parser made of it.

The two sides have the same words, but times that are a little off everywhere, so that no two spans are
equal; and other sentences: some are two in one, some are cut where the parser saw none.
"""

from __future__ import annotations

from random import Random

from bench.corpus import make_corpus
from support.random_trees import count_words, write_times

Talk = list[str]  # timed brackets

_MEAN_WORDS = 24
_JITTER = 0.04  # seconds


def make_talk(n_words: int, seed: int = 14) -> tuple[Talk, Talk]:
    """Prediction and reference of a recording with about that many words."""
    rng = Random(seed)
    corpus = make_corpus(n_words // _MEAN_WORDS + 1, seed, wrong_share=0.8)
    references = [_without_top(tree) for tree in corpus.references]
    predictions = _cut_anew(rng, [_without_top(tree) for tree in corpus.predictions])
    bounds = [0.0]
    for _ in range(sum(map(count_words, references))):
        bounds.append(bounds[-1] + rng.uniform(0.1, 0.5))
    return _time(predictions, _jittered(rng, bounds)), _time(references, bounds)


def wrapped(talk: Talk) -> str:
    """The talk as one tree, whose root is no sentence."""
    return f"(TALK {' '.join(talk)})"


def _without_top(tree: str) -> str:
    return tree.removeprefix("(TOP ").removesuffix(")")


def _cut_anew(rng: Random, trees: Talk) -> Talk:
    cut: Talk = []
    for tree in trees:
        kind = rng.random()
        if kind < 0.2 and cut:
            cut[-1] = f"(S {cut[-1]} {tree})"
        elif kind < 0.4:
            cut += _children(tree)
        else:
            cut.append(tree)
    return cut


def _children(tree: str) -> Talk:
    """The trees below the root of a tree, or the tree itself where that has but a word."""
    children: Talk = []
    depth = 0
    for at, character in enumerate(tree):
        if character == "(":
            depth += 1
            if depth == 2:
                begin = at
        elif character == ")":
            if depth == 2:
                children.append(tree[begin : at + 1])
            depth -= 1
    return children or [tree]


def _jittered(rng: Random, bounds: list[float]) -> list[float]:
    return [max(bound + rng.uniform(-_JITTER, _JITTER), 0.0) for bound in bounds]


def _time(trees: Talk, bounds: list[float]) -> Talk:
    timed: Talk = []
    at = 0
    for tree in trees:
        n = count_words(tree)
        times = [(round(bounds[k], 3), round(bounds[k + 1], 3)) for k in range(at, at + n)]
        timed.append(write_times(tree, times))
        at += n
    return timed

"""Hypothesis strategies for trees as plain data, for the oracle and the product alike."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from support.random_trees import count_words, mutate

Times = list[tuple[float, float]]

# All times are multiples of 1/8 s. Lengths and overlaps are then exact in binary, so two ways of
# computing an IoU give the same bits and cannot fall on different sides of `min_iou`.
_STEP = 0.125
_STEPS_A_UNIT = 4


class TreeCase(NamedTuple):
    """A tree and, if it is timed, the start and end of each word."""

    brackets: str
    times: Times | None


def tree_cases(
    max_words: int,
    labels: tuple[str, ...] = ("A", "B", "C"),
    timed: bool = False,
    max_unary: int = 2,
    allow_multiword_leaves: bool = True,
) -> st.SearchStrategy[TreeCase]:
    """Trees over 1 to `max_words` words.

    Args:
        max_words: The most words of a tree.
        labels: The labels to choose from.
        timed: Whether to give the words times, with silences between some.
        max_unary: The most one-child nodes in a row above a node.
        allow_multiword_leaves: Whether a preterminal may hold up to three words.
    """
    return st.integers(1, max_words).flatmap(
        lambda n: _cases(n, labels, timed, max_unary, allow_multiword_leaves)
    )


def unrelated_pairs(
    max_words: int,
    labels: tuple[str, ...] = ("A", "B", "C"),
    timed: bool = False,
    max_unary: int = 2,
    allow_multiword_leaves: bool = True,
) -> st.SearchStrategy[tuple[TreeCase, TreeCase]]:
    """Two trees drawn apart; untimed ones have the same number of words, timed ones need not."""
    if timed:
        case = tree_cases(max_words, labels, True, max_unary, allow_multiword_leaves)
        return st.tuples(case, case)

    def pair(n_words: int) -> st.SearchStrategy[tuple[TreeCase, TreeCase]]:
        case = _cases(n_words, labels, False, max_unary, allow_multiword_leaves)
        return st.tuples(case, case)

    return st.integers(1, max_words).flatmap(pair)


@st.composite
def near_copies(
    draw: st.DrawFn,
    max_words: int,
    labels: tuple[str, ...] = ("A", "B", "C"),
    timed: bool = False,
    max_unary: int = 2,
    allow_multiword_leaves: bool = True,
    max_edits: int = 3,
) -> tuple[TreeCase, TreeCase]:
    """A tree and a copy after a few edits; the copy of a timed one has the same or nearby times."""
    first = draw(tree_cases(max_words, labels, timed, max_unary, allow_multiword_leaves))
    rng = draw(st.randoms(use_true_random=False))
    edits = draw(st.sampled_from([*range(1, max_edits + 1), 0]))
    brackets = mutate(rng, first.brackets, edits, labels)
    times = None if first.times is None else _shifted(draw, first.times)
    second = TreeCase(brackets, times)
    return (first, second) if draw(st.booleans()) else (second, first)


def tree_pairs(
    max_words: int,
    labels: tuple[str, ...] = ("A", "B", "C"),
    timed: bool = False,
    max_unary: int = 2,
    allow_multiword_leaves: bool = True,
) -> st.SearchStrategy[tuple[TreeCase, TreeCase]]:
    """Unrelated pairs and near copies."""
    return st.one_of(
        unrelated_pairs(max_words, labels, timed, max_unary, allow_multiword_leaves),
        near_copies(max_words, labels, timed, max_unary, allow_multiword_leaves),
    )


@st.composite
def _cases(
    draw: st.DrawFn,
    n_words: int,
    labels: tuple[str, ...],
    timed: bool,
    max_unary: int,
    allow_multiword_leaves: bool,
) -> TreeCase:
    """Trees over exactly `n_words` words."""
    unary = st.sampled_from([0, 0, 0, *range(1, max_unary + 1)])

    def node(inside: str) -> str:
        for _ in range(1 + draw(unary)):
            inside = f"({draw(st.sampled_from(labels))} {inside})"
        return inside

    words = [f"w{k}" for k in range(n_words)]
    row: list[str] = []
    while words:
        size = draw(st.sampled_from([1, 1, 1, 2, 3])) if allow_multiword_leaves else 1
        row.append(node(" ".join(words[:size])))
        words = words[size:]
    while len(row) > 1:
        arity = draw(st.integers(2, min(4, len(row))))
        at = draw(st.integers(0, len(row) - arity))
        row[at : at + arity] = [node(" ".join(row[at : at + arity]))]
    assert count_words(row[0]) == n_words
    return TreeCase(row[0], _times(draw, n_words) if timed else None)


def _times(draw: st.DrawFn, n_words: int) -> Times:
    """Words of 1 to 3 units of half a second, some after a silence, some ends off the unit."""
    unit = _STEP * _STEPS_A_UNIT
    times = []
    clock = unit * draw(st.integers(1, 2))
    for _ in range(n_words):
        start = clock + unit * draw(st.sampled_from([0, 0, 0, 1]))
        clock = start + unit * draw(st.integers(1, 3))
        times.append((start, clock))
    return _shifted(draw, times)


def _shifted(draw: st.DrawFn, times: Times) -> Times:
    """The same times, or each boundary moved by at most a step where the order allows it."""
    if draw(st.booleans()):
        return list(times)
    step = st.sampled_from([0.0, -_STEP, _STEP])
    moved: Times = []
    previous = 0.0
    for start, end in times:
        start = max(start + draw(step), previous)
        end = max(end + draw(step), start + _STEP)
        moved.append((start, end))
        previous = end
    return moved

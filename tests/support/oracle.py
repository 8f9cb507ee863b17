"""Slow, obvious readings of the STRUCT-IoU paper, to hold the product against.

A tree is a list of `Node` in preorder. Nothing here comes from the product. Numbers of definitions,
problems and equations are the paper's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

Labels = Literal["exact", "ignore"]
Terminals = Literal["strict", "flexible", "exclude"]


class Node(NamedTuple):
    """A labelled bracket; `parent` is an index into the tree, -1 for the root.

    `terminal` marks a preterminal: words below it, no brackets. The words themselves are no nodes.
    """

    label: str
    start: float
    end: float
    parent: int
    terminal: bool


Tree = list[Node]

# ------------------------------------------------------------------------------------------ reading

_TOKEN = re.compile(r"\(\s*(?P<label>[^\s()]*)|(?P<close>\))|(?P<word>[^\s()]+)")


def read(brackets: str, times: Sequence[tuple[float, float]] | None = None) -> Tree:
    """Read one tree, every bracket a node.

    Args:
        brackets: One tree, such as `(S (NP we) (VP run))`. Without any word it is the empty tree.
        times: Start and end of each word; word `k` is (k, k + 1) if left out.

    Raises:
        ValueError: On anything but one balanced tree whose brackets all hold a word, and on a wrong
            number of times.
    """
    labels: list[str] = []
    parents: list[int] = []
    words_below: list[list[int]] = []
    path: list[int] = []  # the open brackets, outermost first
    n_words = 0
    for token in _TOKEN.finditer(brackets):
        if token["word"] is not None:
            if not path:
                raise ValueError(f"word {token['word']!r} is outside the tree")
            for node in path:
                words_below[node].append(n_words)
            n_words += 1
        elif token["close"] is not None:
            if not path:
                raise ValueError("')' closes nothing")
            path.pop()
        else:
            if labels and not path:
                raise ValueError("more than one tree")
            labels.append(token["label"])
            parents.append(path[-1] if path else -1)
            words_below.append([])
            path.append(len(labels) - 1)
    if path:
        raise ValueError("'(' is not closed")
    if n_words == 0:
        return []
    if not all(words_below):
        raise ValueError("a bracket without words has no place in time")
    if times is None:
        times = [(float(word), word + 1.0) for word in range(n_words)]
    if len(times) != n_words:
        raise ValueError(f"{n_words} words, {len(times)} times")
    return [
        Node(
            label=labels[node],
            start=min(times[word][0] for word in words_below[node]),
            end=max(times[word][1] for word in words_below[node]),
            parent=parents[node],
            terminal=node not in parents,
        )
        for node in range(len(labels))
    ]


def without_terminals(tree: Tree) -> Tree:
    """The tree with its preterminals taken out."""
    kept = [index for index, node in enumerate(tree) if not node.terminal]
    place = {-1: -1} | {old: new for new, old in enumerate(kept)}
    # A preterminal has no children, so the parent of a kept node is kept.
    return [tree[old]._replace(parent=place[tree[old].parent]) for old in kept]


# ---------------------------------------------------------------------------- which pairs may align


def iou(a: Node, b: Node) -> float:
    """Definitions 1 to 4: intersection over union of two open intervals."""
    intersection = min(a.end, b.end) - max(a.start, b.start)
    if intersection <= 0.0:
        return 0.0
    union = (a.end - a.start) + (b.end - b.start) - intersection
    return intersection / union


def compatible(a: Node, b: Node, *, labels: Labels = "exact", terminals: Terminals = "strict") -> bool:
    """Whether the labels of two nodes let them align; `exclude` judges as `strict`."""
    if labels == "ignore" or a.label == b.label:
        return True
    return terminals == "flexible" and (a.terminal or b.terminal)


def candidates(
    prediction: Tree,
    reference: Tree,
    *,
    labels: Labels = "exact",
    terminals: Terminals = "strict",
    min_iou: float = 0.0,
) -> dict[tuple[int, int], float]:
    """The IoU of every pair of nodes (prediction, reference) that may align at all."""
    return {
        (i, j): iou(a, b)
        for i, a in enumerate(prediction)
        for j, b in enumerate(reference)
        if compatible(a, b, labels=labels, terminals=terminals) and iou(a, b) > min_iou
    }


# --------------------------------------------------------------------- Definition 10: the conflicts


def is_ancestor(tree: Tree, p: int, q: int) -> bool:
    """Definition 6: whether node `p` is an ancestor of node `q`."""
    q = tree[q].parent
    while q != -1 and q != p:
        q = tree[q].parent
    return q != -1


def is_descendant(tree: Tree, p: int, q: int) -> bool:
    """Definition 7: whether node `p` is a descendant of node `q`."""
    return is_ancestor(tree, q, p)


def violated_rules(prediction: Tree, reference: Tree, i: int, j: int, k: int, ell: int) -> set[int]:
    """The rules of Definition 10 that the matchings i <-> j and k <-> ell violate together.

    As in the paper, `i` and `k` are nodes of the first tree, `j` and `ell` nodes of the second.
    """
    t1, t2 = prediction, reference
    rules = {
        1: is_ancestor(t1, i, k) and not is_ancestor(t2, j, ell),
        2: not is_ancestor(t1, i, k) and is_ancestor(t2, j, ell),
        3: is_descendant(t1, i, k) and not is_descendant(t2, j, ell),
        4: not is_descendant(t1, i, k) and is_descendant(t2, j, ell),
    }
    return {rule for rule, violated in rules.items() if violated}


def conflicted(prediction: Tree, reference: Tree, i: int, j: int, k: int, ell: int) -> bool:
    """Definition 10: whether the matchings i <-> j and k <-> ell are conflicted."""
    return bool(violated_rules(prediction, reference, i, j, k, ell))


# ----------------------------------------------------------------- Problem 11, by trying everything


def best_by_enumeration(
    prediction: Tree,
    reference: Tree,
    *,
    labels: Labels = "exact",
    terminals: Terminals = "strict",
    min_iou: float = 0.0,
) -> float:
    """The greatest sum of IoU over all alignments that meet the constraints of Problem 11.

    Exhaustive, except that a branch stops where even the best pair of every node left could not
    beat the best sum found. For trees of about ten nodes.
    """
    if terminals == "exclude":
        prediction, reference = without_terminals(prediction), without_terminals(reference)
    weight = candidates(prediction, reference, labels=labels, terminals=terminals, min_iou=min_iou)
    pairs = list(weight)
    excludes = {
        (i, j): {
            (k, ell)
            for k, ell in pairs
            if i == k or j == ell or conflicted(prediction, reference, i, j, k, ell)
        }
        for i, j in pairs
    }

    def most(allowed: list[tuple[int, int]], side: int) -> float:
        """No alignment of allowed pairs sums to more: one-to-one, so one pair a node at most."""
        heaviest: dict[int, float] = {}
        for pair in allowed:
            heaviest[pair[side]] = max(heaviest.get(pair[side], 0.0), weight[pair])
        return sum(heaviest.values())

    best = 0.0
    branches: list[tuple[float, list[tuple[int, int]]]] = [(0.0, pairs)]
    while branches:
        total, allowed = branches.pop()
        best = max(best, total)
        if total + min(most(allowed, 0), most(allowed, 1)) <= best:
            continue
        first = allowed[0]
        branches.append((total, allowed[1:]))
        branches.append((total + weight[first], [p for p in allowed if p not in excludes[first]]))
    return best


# -------------------------------------------------------------------------------------- Algorithm 1


def best_by_algorithm1(
    prediction: Tree,
    reference: Tree,
    *,
    labels: Labels = "exact",
    terminals: Terminals = "strict",
    min_iou: float = 0.0,
    all_subtrees: bool = False,
) -> float:
    """The solution of Problem 11 by the paper's Algorithm 1, in O(n² m²).

    Deviations from the printed pseudocode, each needed for the right value:

    * g' is the maximum over x' <= x, y' <= y. Printed is x' < x, y' < y, which would forbid
      aligning two constituents that touch, such as neighbouring words.
    * The result is g', not g, at the ends of the roots: the best sequences need not reach both.
    * f of a pair that may not align (label, threshold) is undefined and takes no part.

    The dummy roots of the reduction are aligned with each other; their own IoU is not counted.
    With `all_subtrees`, g is computed for all pairs of subtrees, as in the paper's analysis of the
    complexity; without, only for pairs that may align, which gives the same result sooner.
    """
    if terminals == "exclude":
        prediction, reference = without_terminals(prediction), without_terminals(reference)
    weight = candidates(prediction, reference, labels=labels, terminals=terminals, min_iou=min_iou)
    f: dict[tuple[int, int], float] = {}

    def best_sequences(d1: list[int], d2: list[int]) -> float:
        """Algorithm 1: the maximum in Equation 3, for roots with descendants `d1` and `d2`."""
        ends1 = sorted({prediction[i].end for i in d1})
        ends2 = sorted({reference[j].end for j in d2})
        # prefix_max[x][y]: g' over the first x ends of d1 and the first y ends of d2.
        prefix_max = [[0.0] * (len(ends2) + 1) for _ in range(len(ends1) + 1)]
        for x, end1 in enumerate(ends1, 1):
            for y, end2 in enumerate(ends2, 1):
                g = max(prefix_max[x - 1][y], prefix_max[x][y - 1])
                for i in (i for i in d1 if prediction[i].end == end1):
                    for j in (j for j in d2 if reference[j].end == end2 and (i, j) in f):
                        before1 = bisect_right(ends1, prediction[i].start)
                        before2 = bisect_right(ends2, reference[j].start)
                        g = max(g, f[i, j] + prefix_max[before1][before2])
                prefix_max[x][y] = g
        return prefix_max[-1][-1]

    below1 = [_descendants(prediction, i) for i in range(len(prediction))]
    below2 = [_descendants(reference, j) for j in range(len(reference))]
    for i in reversed(range(len(prediction))):  # preorder reversed: descendants first
        for j in reversed(range(len(reference))):
            if all_subtrees or (i, j) in weight:
                below = best_sequences(below1[i], below2[j])
                if (i, j) in weight:
                    f[i, j] = weight[i, j] + below
    return best_sequences(list(range(len(prediction))), list(range(len(reference))))


def _descendants(tree: Tree, p: int) -> list[int]:
    return [q for q in range(len(tree)) if is_descendant(tree, q, p)]


# ------------------------------------------------------------------------------------ Definition 12


def struct_iou(
    prediction: Tree,
    reference: Tree,
    *,
    labels: Labels = "exact",
    terminals: Terminals = "strict",
    min_iou: float = 0.0,
) -> float:
    """The score, with the factor 2 that the printed definition lacks and the paper's values have.

    Two empty trees score 1, an empty tree against any other scores 0.
    """
    if terminals == "exclude":
        prediction, reference = without_terminals(prediction), without_terminals(reference)
    nodes = len(prediction) + len(reference)
    if nodes == 0:
        return 1.0
    matched = best_by_algorithm1(prediction, reference, labels=labels, terminals=terminals, min_iou=min_iou)
    return 2.0 * matched / nodes

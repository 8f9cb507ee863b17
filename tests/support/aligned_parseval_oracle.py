"""Aligned ParsEval read off its definition: nested lists, and every grouping tried."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

Tree = list[Any]  # a label, then trees and words


def read(text: str) -> Tree:
    """The first tree of a text."""
    stack: list[Tree] = [[]]
    opened = False
    for token in re.findall(r"\(|\)|[^\s()]+", text):
        if token == "(":
            stack.append([""])
            opened = True
            continue
        if token == ")":
            closed = stack.pop()
            stack[-1].append(closed)
        elif opened:
            stack[-1][0] = token
        else:
            stack[-1].append(token)
        opened = False
    return stack[0][0] if stack[0] else []


def words(tree: Any) -> list[str]:
    """All words of a tree."""
    return [tree] if isinstance(tree, str) else [word for child in tree[1:] for word in words(child)]


def edits(a: str, b: str) -> int:
    """The Levenshtein distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]


# ---- sentences -------------------------------------------------------------------------------------


def cost_of(groups: list[tuple[int, int]], first: list[str], second: list[str]) -> int:
    """Return the cost of a grouping of sentences."""
    total = p = q = 0
    for a, b in groups:
        ours, theirs = first[p : p + a], second[q : q + b]
        total += 100 * edits("".join(ours), "".join(theirs))
        for side in (ours, theirs):
            for x, y in zip(side, side[1:]):  # noqa: B905, RUF007
                total += min(15 * min(len(x), len(y)), 300) + 1
        p, q = p + a, q + b
        total += (a == 0 or b == 0) * (a + b > 0)
    return total


def least_cost(first: list[str], second: list[str]) -> int:
    """The least cost of any grouping, where equal or nearly equal sentences at the ends pair up."""
    pairs = 0
    while first and second and first[-1] == second[-1]:
        first, second = first[:-1], second[:-1]
    while first and second and (first[0] == second[0] or _near(first, second)):
        pairs += 100 * edits(first[0], second[0])
        first, second = first[1:], second[1:]

    @cache
    def rest(p: int, q: int) -> int:
        if (p, q) == (len(first), len(second)):
            return 0
        steps = [(1, 0)] * (p < len(first)) + [(0, 1)] * (q < len(second))
        for a in range(1, len(first) - p + 1):
            for b in range(1, len(second) - q + 1):
                if _fits(first[p : p + a], second[q : q + b]) and _fits(second[q : q + b], first[p : p + a]):
                    steps.append((a, b))
        return min(
            cost_of([(a, b)], first[p : p + a], second[q : q + b]) + rest(p + a, q + b) for a, b in steps
        )

    return pairs + rest(0, 0)


def _fits(some: list[str], others: list[str]) -> bool:
    return len(some) <= 3 or (len(others) == 1 and len("".join(some)) <= 1.5 * len(others[0]))


def _near(first: list[str], second: list[str]) -> bool:
    def alike(a: str, b: str) -> bool:
        return edits(a, b) <= 0.25 * max(len(a), len(b))

    if not alike(first[0], second[0]) or (len(first) == 1) != (len(second) == 1):
        return False
    return len(first) == 1 or alike(first[1], second[1])


# ---- words and brackets ----------------------------------------------------------------------------


def group_words(pred: list[str], ref: list[str], same: Any) -> tuple[list[int], list[int]]:
    """The number of the group of each word."""
    if not pred or not ref:
        return list(range(len(pred))), list(range(len(ref)))
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(pred) and j < len(ref):
        ours, theirs = [i], [j]
        if not same(pred[i], ref[j]):
            while i + 1 < len(pred) and j + 1 < len(ref) and not same(pred[i + 1], ref[j + 1]):
                left = sum(map(len, pred[i + 1 :])) - sum(map(len, ref[j + 1 :]))
                if left == 0:
                    break
                if left > 0:
                    i += 1
                    ours.append(i)
                else:
                    j += 1
                    theirs.append(j)
            if i + 1 == len(pred) or j + 1 == len(ref):
                ours += range(i + 1, len(pred))
                theirs += range(j + 1, len(ref))
                i, j = len(pred), len(ref)
        groups.append((ours, theirs))
        i, j = i + 1, j + 1
    groups[-1][0].extend(range(i, len(pred)))
    groups[-1][1].extend(range(j, len(ref)))
    numbers = [[0] * len(pred), [0] * len(ref)]
    for n, group in enumerate(groups):
        for side in (0, 1):
            for word in group[side]:
                numbers[side][word] = n
    return numbers[0], numbers[1]


def _parts(trees: list[Tree], parameters: Any) -> tuple[list[tuple[str, str]], list[tuple[str, int, int]]]:
    """The tagged words that are kept, and the brackets over them."""
    kept: list[tuple[str, str]] = []
    brackets: list[tuple[str, int, int]] = []

    def walk(tree: Tree) -> None:
        label, *children = tree
        if len(children) == 1 and isinstance(children[0], str):
            quote = label in parameters.quote_labels and children[0] in ("'", '"', "/")
            if (
                label not in parameters.delete_labels
                and children[0] not in parameters.delete_words
                and not quote
            ):
                kept.append((label, children[0]))
            return
        start = len(kept)
        for child in children:
            walk(child)
        name = re.split("[-=]", label)[0]
        deleted = any(_equal(name, gone, parameters) for gone in parameters.delete_labels)
        if len(kept) > start and not deleted and name not in ("TOP", "S1", ""):
            brackets.append((name, start, len(kept)))

    for tree in trees:
        if tree:
            walk(tree)
    return kept, brackets


def _equal(a: str, b: str, parameters: Any) -> bool:
    return a == b or any({a, b} == set(pair) for pair in parameters.equal_labels)


def row(predictions: list[str], references: list[str], parameters: Any) -> dict[str, int]:
    """The counts of a pair of runs of sentences; at most one pair of labels may be equal."""
    pred, ours = _parts([read(text) for text in predictions], parameters)
    ref, theirs = _parts([read(text) for text in references], parameters)

    def same(a: str, b: str) -> bool:
        return a.lower() == b.lower() or (a, b) in parameters.equal_words or (b, a) in parameters.equal_words

    of_pred, of_ref = group_words([word for _, word in pred], [word for _, word in ref], same)

    def spans(brackets: list[tuple[str, int, int]], groups: list[int]) -> list[tuple[str, int, int]]:
        return [
            (_name(label, parameters), groups[start], groups[end - 1] + 1) for label, start, end in brackets
        ]

    test, gold = spans(ours, of_pred), spans(theirs, of_ref)
    cross = (
        sum(any(a < c < b < d or c < a < d < b for _, c, d in gold) for _, a, b in test)
        if pred and ref
        else 0
    )
    tags = 0
    free = list(range(len(pred)))
    for j, (tag, word) in enumerate(ref):
        for i in free:
            exact = word == pred[i][1] or (word, pred[i][1]) in [
                p for a, b in parameters.equal_words for p in ((a, b), (b, a))
            ]
            if of_pred[i] == of_ref[j] and _equal(tag, pred[i][0], parameters) and exact and pred:
                free.remove(i)
                tags += 1
                break
    return {
        "matched": sum((Counter(test) & Counter(gold)).values()) if pred and ref else 0,
        "gold": len(gold),
        "test": len(test),
        "cross": cross,
        "words": len(ref),
        "tags": tags if pred and ref else 0,
    }


def _name(label: str, parameters: Any) -> str:
    if not parameters.labeled:
        return ""
    return next((min(pair) for pair in parameters.equal_labels if label in pair), label)

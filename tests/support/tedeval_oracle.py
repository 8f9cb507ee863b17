"""TedEval 2.2 and our plain rule, read off their definitions: nodes as lists of (label, left, right), slowly.

Written from the description of the program, apart from the package.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from support.nested import read_forest, without, words

# Raw words, each with its segments.
Segments = list[tuple[str, list[str]]]


class Row(NamedTuple):
    """What TedEval prints about a sentence."""

    distance: int
    n_pred: int
    n_ref: int
    norm: int

    @property
    def score(self) -> float:
        return score(self.distance, self.norm)


def score(distance: int, norm: int) -> float:
    """From 0 to 1; without a node to edit, 1 if there is nothing to do."""
    return max(0.0, 1 - distance / norm) if norm else float(distance == 0)


def row(
    prediction: str,
    reference: str,
    *,
    labeled: bool = True,
    compat: bool = False,
    prediction_segments: Segments | None = None,
    reference_segments: Segments | None = None,
    drop: tuple[str, ...] = ("", "-NONE-"),
) -> Row:
    """The counts of a pair; two of no use to each other have no row."""
    forests = [
        read_forest(side) if compat else without(read_forest(side), drop, ("",))
        for side in (prediction, reference)
    ]
    if prediction_segments is None or reference_segments is None:
        places = [[(i, i + 1) for i in range(len(words(forest)))] for forest in forests]
        assert len(places[0]) == len(places[1]) or not places[0] or not places[1]
    else:
        places = list(positions(prediction_segments, reference_segments, compat))
    pred, ref = (nodes(forest, place, labeled, compat) for forest, place in zip(forests, places, strict=True))
    distance = sum(((pred - ref) + (ref - pred)).values())
    norm = sum(max(0, side.total() - len(forest)) for side, forest in zip((pred, ref), forests, strict=True))
    return Row(distance, pred.total(), ref.total(), norm)


def nodes(forest: list[Any], places: list[tuple[int, int]], labeled: bool, compat: bool) -> Counter[Any]:
    """All brackets and words with their spans, each as often as it counts."""
    found: list[Any] = []
    at = 0

    def visit(item: Any) -> None:
        nonlocal at
        if isinstance(item, str):
            left, right = places[at]
            at += 1
            if right - left > 1:
                found.extend((_word("_", compat), i, i + 1) for i in range(left, right))
            elif not (compat and item in ("-", "--", ";")):
                found.append((_word(item, compat), left, right))
            return
        first = at
        for child in item[1]:
            visit(child)
        if at > first:
            found.append((_label(item[0], labeled, compat), places[first][0], places[at - 1][1]))

    for tree in forest:
        visit(tree)
    return Counter(set(found) if compat else found)


def _label(label: str, labeled: bool, compat: bool) -> Any:
    if not labeled:
        return "{}"
    return label.upper().replace("-", "") if compat else label.upper()


def _word(word: str, compat: bool) -> Any:
    """In TedEval a word and a label that read the same are the same; in the plain rule they are not."""
    return word.upper() if compat else ("word", word.upper())


def positions(
    pred: Segments, ref: Segments, compat: bool
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where the segments of both sides lie, word by word.

    By the plain rule both sides of a word end together. TedEval stretches to the number of segments only;
    what follows such a word, which no figure tells, begins behind both sides.
    """
    assert [word for word, _ in pred] == [word for word, _ in ref]
    at = 0
    sides: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for (_, ours), (_, theirs) in zip(pred, ref, strict=True):
        common = _common(ours, theirs)
        width = max(len(ours), len(theirs))
        gaps = [0, 0]
        starts: list[dict[int, int]] = [{}, {}]
        for x, y in common:
            place = max(x + gaps[0], y + gaps[1])
            gaps = [place - x, place - y]
            starts[0][x] = starts[1][y] = place
        found = [_spread(len(ours), starts[0]), _spread(len(theirs), starts[1])]
        if not compat:
            width = max(width, found[0][-1][1], found[1][-1][1])
        for spans in found:
            spans[-1] = spans[-1][0], max(spans[-1][1], width)
        for side, spans in zip(sides, found, strict=True):
            side.extend((at + left, at + right) for left, right in spans)
        at += max(found[0][-1][1], found[1][-1][1])
    return sides


def _spread(n_segments: int, fixed: dict[int, int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for i in range(n_segments):
        left = spans[-1][1] if spans else 0
        if i in fixed and fixed[i] > left and spans:
            spans[-1] = spans[-1][0], fixed[i]
        left = fixed.get(i, left)
        spans.append((left, left + 1))
    return spans


def _common(ours: list[str], theirs: list[str]) -> list[tuple[int, int]]:
    """Places of a longest common subsequence; on ties in the walk back, the reference's place goes down."""
    best = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i, a in enumerate(ours):
        for j, b in enumerate(theirs):
            best[i + 1][j + 1] = best[i][j] + 1 if a == b else max(best[i][j + 1], best[i + 1][j])
    i, j = len(ours), len(theirs)
    found = []
    while i and j:
        if ours[i - 1] == theirs[j - 1]:
            i, j = i - 1, j - 1
            found.append((i, j))
        elif best[i - 1][j] > best[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found[::-1]


class Generalized(NamedTuple):
    """What TedEval prints about a sentence of one of two experiments."""

    distance: int
    n_pred: int
    n_ref: int
    norm: int
    n_gen: int
    edits: int
    reference_edits: int
    same: bool


def pair_rows(
    prediction_1: str,
    reference_1: str,
    prediction_2: str,
    reference_2: str,
    *,
    labeled: bool = True,
    compat: bool = False,
    drop: tuple[str, ...] = ("", "-NONE-"),
) -> tuple[Generalized, Generalized]:
    """The counts of a sentence in two experiments, all with as many words."""
    forests = [
        read_forest(side) if compat else without(read_forest(side), drop, ("",))
        for side in (prediction_1, reference_1, prediction_2, reference_2)
    ]
    places = [(i, i + 1) for i in range(len(words(forests[1])))]
    sides = [nodes(forest, places, labeled, compat) for forest in forests]
    brackets = [_only_brackets(forest, places, labeled, compat) for forest in (forests[1], forests[3])]
    gen: Counter[Any] = Counter()
    for left, right in {span[1:] for span in brackets[0]} & {span[1:] for span in brackets[1]}:
        labels = [
            Counter({label: n for (label, *span), n in side.items() if span == [left, right]})
            for side in brackets
        ]
        for label, n in ((labels[0] & labels[1]) or Counter({"_": 1})).items():
            gen[label, left, right] = n
    gen += _only_words(forests[1], compat)
    if compat:
        gen = Counter(set(gen))
    return _generalized(sides[0], sides[1], gen), _generalized(sides[2], sides[3], gen)


def _only_brackets(
    forest: list[Any], places: list[tuple[int, int]], labeled: bool, compat: bool
) -> Counter[Any]:
    found: list[Any] = []

    def visit(item: Any, at: int) -> int:
        if isinstance(item, str):
            return at + 1
        first = at
        for child in item[1]:
            at = visit(child, at)
        if at > first:
            found.append((_label(item[0], labeled, compat), places[first][0], places[at - 1][1]))
        return at

    at = 0
    for tree in forest:
        at = visit(tree, at)
    return Counter(set(found) if compat else found)


def _only_words(forest: list[Any], compat: bool) -> Counter[Any]:
    return Counter(
        (_word(word, compat), i, i + 1)
        for i, word in enumerate(words(forest))
        if not (compat and word in ("-", "--", ";"))
    )


def _generalized(parse: Counter[Any], reference: Counter[Any], gen: Counter[Any]) -> Generalized:
    edits = _edits(parse, gen)
    known = _edits(reference, gen)
    distance = (edits - known).total() if parse else gen.total()
    norm = max(0, parse.total() - 1) + max(0, gen.total() - 1)
    return Generalized(
        distance,
        parse.total(),
        reference.total(),
        norm,
        gen.total(),
        edits.total(),
        known.total(),
        parse == reference,
    )


def _edits(source: Counter[Any], target: Counter[Any]) -> Counter[Any]:
    deleted = {("delete", node): n for node, n in (source - target).items()}
    return Counter({**deleted, **{("insert", node): n for node, n in (target - source).items()}})

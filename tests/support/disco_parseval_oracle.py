"""Brackets as sets of words, counted by a literal reading of disco-dop's rules."""

from __future__ import annotations

from collections import Counter

from support.treebank_cases import Case, runs


def count(prediction: Case, reference: Case, deleted: set[str]) -> tuple[int, ...]:
    """Matched, predicted and reference brackets; unlabelled matches; the same three of those with gaps."""
    tags = {node.below[0]: node.label for node in reference.root.nodes() if node.tag}
    kept = sorted(place for place, tag in tags.items() if tag not in deleted)
    ranks = {place: rank for rank, place in enumerate(kept)}

    def brackets(case: Case, labeled: bool, only_gaps: bool) -> Counter[tuple[str, frozenset[int]]]:
        found: Counter[tuple[str, frozenset[int]]] = Counter()
        for node in case.root.nodes():
            label = node.label.partition("-")[0]
            words = frozenset(ranks[place] for place in node.places() if place in ranks)
            if node.tag or not words or label in deleted or (only_gaps and len(runs(words)) < 2):
                continue
            found[label if labeled else "", words] += 1
        return found

    def figures(labeled: bool, only_gaps: bool) -> tuple[int, int, int]:
        pred, ref = (brackets(case, labeled, only_gaps) for case in (prediction, reference))
        return (pred & ref).total(), pred.total(), ref.total()

    return *figures(True, False), figures(False, False)[0], *figures(True, True)

"""Errors of a known kind, put into treebank-like trees, are put down to that kind."""

from __future__ import annotations

from math import fsum
from random import Random

import pytest

from bench.corpus import Corpus, with_times
from bench.grammar import write
from structiou_metric import StructIoU
from support.injected_errors import WAYS, corrupt, make_trees

SEEDS = (7, 101, 108, 111)
PER_SEED = 100
TREES = [tree for seed in SEEDS for tree in make_trees(PER_SEED, seed)]
REFERENCES = [write(tree) for tree in TREES]


def losses_of(predictions, references, **options):
    result = StructIoU(**options).explaining().corpus_score(predictions, references)
    return result.losses


@pytest.mark.parametrize("unit", ["word", "char", "time"])
@pytest.mark.parametrize("name", WAYS)
def test_error_of_one_kind_is_found(name, unit):
    rng = Random(name)
    found = [corrupt(rng, tree, [name]) for tree in TREES]
    corpus = Corpus(REFERENCES, [brackets for brackets, _ in found])
    if unit == "time":
        corpus = with_times(corpus, noise=0.0)
    losses = losses_of(corpus.predictions, corpus.references, unit=unit)
    assert sum(bool(alone) for _, alone in found) > 50  # enough trees have a place for it
    assert losses.total > 50
    for place, seed in enumerate(SEEDS):
        own = slice(place * PER_SEED, (place + 1) * PER_SEED)
        total = fsum(fsum(column[own]) for column in losses.columns.values())
        assert fsum(losses.columns[WAYS[name].cause][own]) >= 0.95 * total, seed


def test_shifted_times_are_found():
    corpus = with_times(Corpus(REFERENCES, REFERENCES), noise=0.8)
    losses = losses_of(corpus.predictions, corpus.references, unit="time")
    assert losses.total > 50
    assert losses.by_cause["timing"] == losses.total


@pytest.mark.parametrize("seed", range(4))
def test_mixtures_are_told_apart(seed):
    rng = Random(seed)
    predictions, injected = [], {}
    for tree, reference in zip(TREES, REFERENCES, strict=True):
        names = rng.sample(list(WAYS), 4)
        brackets, alone = corrupt(rng, tree, names)
        predictions.append(brackets)
        for name, single in alone:
            injected.setdefault(WAYS[name].cause, []).append((single, reference))
    losses = losses_of(predictions, REFERENCES)
    for cause, pairs in injected.items():
        wanted = losses_of(*zip(*pairs, strict=True)).total
        assert losses.by_cause[cause] == pytest.approx(wanted, rel=0.1), cause
    assert fsum(losses.by_cause[cause] for cause in injected) >= 0.95 * losses.total


def test_timing_and_structure_are_told_apart():
    rng = Random(5)
    found = [corrupt(rng, tree, rng.sample(list(WAYS), 2)) for tree in TREES]
    corpus = Corpus(REFERENCES, [brackets for brackets, _ in found])
    structure = losses_of(corpus.predictions, corpus.references)
    timed = with_times(corpus, noise=0.1)
    losses = losses_of(timed.predictions, timed.references, unit="time")
    for cause in ("attachment", "label", "tag", "unary", "missing", "extra"):
        assert losses.by_cause[cause] == pytest.approx(structure.by_cause[cause], rel=0.1), cause

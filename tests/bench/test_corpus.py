"""The trees that the benchmarks are run on."""

from __future__ import annotations

import re

import pytest

from bench.corpus import make_corpus, retokenized, with_times, zigzag
from support.random_trees import count_words


def test_corpus_is_as_described() -> None:
    corpus = make_corpus()
    assert corpus == make_corpus()
    words = [count_words(tree) for tree in corpus.references]
    nodes = [tree.count("(") - 1 for tree in corpus.references]
    assert len(words) == 2400
    assert sum(words) / 2400 == pytest.approx(24, abs=0.5)
    assert sum(nodes) / 2400 == pytest.approx(42, abs=1.0)
    assert min(words) == 1
    assert max(words) > 70
    assert sum(map(str.__eq__, corpus.references, corpus.predictions)) == 1200
    assert words == [count_words(tree) for tree in corpus.predictions]


def test_retokenized_keeps_the_letters() -> None:
    corpus = retokenized(make_corpus(200))
    pairs = list(zip(corpus.references, corpus.predictions, strict=True))
    for reference, prediction in pairs:
        assert _letters(reference) == _letters(prediction)
    assert any(count_words(reference) != count_words(prediction) for reference, prediction in pairs)


def _letters(tree: str) -> str:
    return "".join(re.findall(r"[^\s()]+(?=\))", tree))


def test_timed_words_are_in_order() -> None:
    corpus = with_times(make_corpus(200))
    for tree in corpus.references + corpus.predictions:
        bounds = [float(bound) for pair in re.findall(r"<([\d.]+),([\d.]+)>", tree) for bound in pair]
        assert bounds
        assert bounds == sorted(bounds)


def test_zigzags_are_mirror_images() -> None:
    assert zigzag(3, True) == "(L0 (L0 w0) (L0 (L0 w) (L0 w1)))"
    assert zigzag(3, False) == "(L0 (L0 (L0 w1) (L0 w)) (L0 w0))"

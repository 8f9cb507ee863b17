"""Hypothesis strategies for ParsEval: parameters, and pairs of trees whose words and tags may differ."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from structiou_metric.metrics.parseval.parameters import Parameters

LABELS = ("NP", "NP-SBJ", "NP=2", "NP#f", "VP", "PRT", "ADVP", "ADVP-TMP", "-NONE-", "X-Y", "S", "TOP")
TAGS = ("NN", "NN#f", "VB", "ADVP", "PRT", "-NONE-", ",", "''", "POS", "-LRB-")
WORDS = ("a", "b", "B", "'", '"', "/", "*T*", "ß")

PARAMETERS = st.builds(
    Parameters,
    delete_labels=st.lists(st.sampled_from((*LABELS, *TAGS)), max_size=5).map(tuple),
    delete_labels_for_length=st.lists(st.sampled_from(TAGS), max_size=2).map(tuple),
    delete_words=st.lists(st.sampled_from(WORDS), max_size=1).map(tuple),
    delete_words_for_length=st.lists(st.sampled_from(WORDS), max_size=1).map(tuple),
    equal_labels=st.lists(
        st.tuples(st.sampled_from((*LABELS, "NN", "VB")), st.sampled_from((*LABELS, "NN", "VB"))), max_size=4
    ).map(tuple),
    equal_words=st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), max_size=2).map(tuple),
    quote_labels=st.lists(st.sampled_from(("''", "POS", "NN", ",")), max_size=4).map(tuple),
    labeled=st.sampled_from((True, True, True, False)),
    cutoff=st.just(40),
    max_error=st.just(10_000),
)


def random_sentence(rng: Random, n_words: int) -> list[tuple[str, str]]:
    """Return tagged words."""
    return [(rng.choice(TAGS), rng.choice(WORDS)) for _ in range(n_words)]


def misread(rng: Random, sentence: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return a sentence with some different tags and now and then a different, added or missing word."""
    read = []
    for tag, word in sentence:
        if rng.random() < 0.02:
            continue
        if rng.random() < 0.02:
            word = rng.choice(WORDS)
        read.append((rng.choice(TAGS) if rng.random() < 0.15 else tag, word))
        if rng.random() < 0.02:
            read.append((rng.choice(TAGS), rng.choice(WORDS)))
    return read


def bracketed(rng: Random, sentence: list[tuple[str, str]]) -> str:
    """Return random brackets over a sentence, with unary and empty ones among them."""
    row = [f"({tag} {word})" for tag, word in sentence]
    for _ in range(rng.randrange(1, 2 * len(row) + 4)):
        if len(row) > 1 and rng.random() < 0.6:
            lo = rng.randrange(len(row) - 1)
            hi = rng.randrange(lo + 1, min(len(row), lo + 4)) + 1
        else:
            lo = rng.randrange(len(row) + 1)
            hi = min(len(row), lo + rng.choice((0, 1, 1, 1)))
        row[lo:hi] = [f"({rng.choice(LABELS)} {' '.join(row[lo:hi])})" if hi > lo else "(NP)"]
    return f"({rng.choice(('TOP', 'S', ''))} {' '.join(row)})"


@st.composite
def pairs(draw: st.DrawFn, max_words: int) -> tuple[str, str]:
    """Draw a prediction, which may be a failed parse, and its reference."""
    rng = draw(st.randoms(use_true_random=False))
    sentence = random_sentence(rng, draw(st.integers(0, max_words)))
    prediction = bracketed(rng, misread(rng, sentence)) if draw(st.integers(0, 9)) else "()"
    return prediction, bracketed(rng, sentence)

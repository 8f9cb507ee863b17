"""SParseval against a slow reading of its definition, on trees with disfluencies and word errors."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structiou_metric.metrics import load_metric
from structiou_metric.metrics.sparseval import COLUMNS
from structiou_metric.metrics.speech_files import HeadRules, SpeechParameters
from support import sparseval_oracle as oracle
from support.examples import examples

PARAMETERS = """\
DELETE_LABEL TOP
DELETE_LABEL .
DELETE_LABEL WRAP
EMPTY_NODE -NONE-
EDIT_LABEL EDITED
CLOSED_CLASS IN
EQ_LABEL PRT ADVP
EQ_WORDS a b
EQ_WORDS b c
FILLED_PAUSE1 uh
FILLED_PAUSE1 um"""
KEEPING_TOP = PARAMETERS.replace("DELETE_LABEL TOP\n", "")
# One that takes something edited for a head, and one that looks at edges.
HEADS = (
    "*default* (r NN) (l)\nNP (r NN UH) (l EDITED) (r NP)\nVP (l VB VP)",
    "*default* (r EDITED) (r)\nS (l)",
)

LABELS = ("NP", "VP-TMP", "NP", "EDITED", "EDITED", "WRAP", "PRT", "ADVP")
TAGS = ("NN", "VB", "IN", "UH", ".", "-NONE-", "NN", "EDITED")
WORDS = ("a", "b", "c", "A", "uh", "U-M", "top", "ab")


@st.composite
def trees(draw, max_words=8):
    """A bracket text with random words."""
    row = [
        f"({draw(st.sampled_from(TAGS))} {draw(st.sampled_from(WORDS))})"
        for _ in range(draw(st.integers(0, max_words)))
    ]
    for size in draw(st.lists(st.integers(1, 3), max_size=max_words)):
        if size <= len(row):
            at = draw(st.integers(0, len(row) - size))
            row[at : at + size] = [f"({draw(st.sampled_from(LABELS))} {' '.join(row[at : at + size])})"]
    if len(row) == 1 and draw(st.integers(0, 5)) == 0:
        return row[0]
    return f"({draw(st.sampled_from(['S', 'TOP', '']))} {' '.join(row)})"


PAIRS = st.one_of(
    st.tuples(st.lists(trees(), min_size=1, max_size=3), st.lists(trees(), min_size=1, max_size=3)),
    st.lists(trees(), min_size=1, max_size=3).flatmap(lambda side: st.tuples(st.just(side), st.just(side))),
)


def counts(gold, test, parameters, heads, **options):
    metric = load_metric(
        "sparseval",
        parameters=SpeechParameters.from_text(parameters),
        heads=HeadRules.from_text(heads),
        **options,
    )
    result = metric.corpus_score([test], [gold], documents=True)
    return oracle.Row(*(result.columns[name][0] for name in COLUMNS))


@pytest.mark.parametrize("mode", ["edit", "position", "bag"])
@given(PAIRS, st.sampled_from([PARAMETERS, KEEPING_TOP]), st.sampled_from(HEADS), st.booleans())
@example((["(S (NP (NN a) (EDITED (UH uh))) (VP (VB b)))"], ["(S (NN ab))"]), PARAMETERS, HEADS[0], True)
@examples(300)
def test_counts(mode, pair, parameters, heads, labeled):
    gold, test = pair
    rules, head_rules = oracle.Rules.read(parameters), oracle.read_heads(heads)
    count = {"edit": oracle.count_edited, "position": oracle.count_plain, "bag": oracle.count_bag}[mode]
    try:
        wanted = count(gold, test, rules, head_rules, labeled=labeled)
    except oracle.GaveUpError:
        with pytest.raises(ValueError, match="cannot be aligned by position"):
            counts(gold, test, parameters, heads, mode=mode, labeled=labeled)
        return
    assert counts(gold, test, parameters, heads, mode=mode, labeled=labeled) == wanted


@given(PAIRS, st.sampled_from(HEADS), st.booleans(), st.data())
@examples(100)
def test_counts_of_given_alignments(pair, heads, labeled, data):
    gold, test = pair
    rules = oracle.Rules.read(PARAMETERS)
    left = [oracle.words_of(side, rules) for side in (gold, test)]
    entries = []
    while left[0] or left[1]:
        takes = data.draw(st.sampled_from([(1, 1), (1, 0), (0, 1)]))
        entry = [side.pop(0) if take and side else None for take, side in zip(takes, left, strict=True)]
        if entry != [None, None]:
            entries.append(entry)
    wanted = oracle.count_aligned(gold, test, entries, rules, oracle.read_heads(heads), labeled=labeled)
    assert counts(gold, test, PARAMETERS, heads, alignment=[entries], labeled=labeled) == wanted

"""SParseval's own figures, field by field."""

from __future__ import annotations

import json

import pytest

from structiou_metric.metrics import load_metric
from structiou_metric.metrics.sparseval import COLUMNS
from support.paths import DATA

PEERS = DATA / "peers"
CASES = [json.loads(line) for line in (PEERS / "sparseval_cases.jsonl").read_text("utf-8").splitlines()]
OWN = PEERS / "sparseval_own.prm"
NO_EDIT = PEERS / "sparseval_own_noedit.prm"
HEADS = PEERS / "sparseval_own.heads"

# Runs in which a case is one unit.
UNITS = {
    "bag": {"parameters": OWN, "heads": HEADS, "mode": "bag"},
    "bag_unlabeled": {"parameters": OWN, "heads": HEADS, "mode": "bag", "labeled": False},
    "bag_noedit": {"parameters": NO_EDIT, "heads": HEADS, "mode": "bag"},
    "aligned": {"parameters": OWN, "heads": HEADS},
    "aligned_unlabeled": {"parameters": OWN, "heads": HEADS, "labeled": False},
    "aligned_noedit": {"parameters": NO_EDIT, "heads": HEADS},
    "aligned_noheads": {"parameters": OWN},
}
# Runs with a row for each sentence.
SENTENCES = {
    "bag_sentences": {"parameters": OWN, "heads": HEADS, "mode": "bag"},
    "plain_sentences": {"parameters": OWN, "heads": HEADS, "mode": "position"},
    "plain_sentences_unlabeled": {"parameters": OWN, "heads": HEADS, "mode": "position", "labeled": False},
}


def rows_of(result):
    return [
        dict(zip(COLUMNS, row, strict=True)) for row in zip(*map(result.columns.get, COLUMNS), strict=True)
    ]


def sides(cases):
    return [case["hypothesis"] for case in cases], [case["reference"] for case in cases]


@pytest.mark.parametrize("run", UNITS)
def test_units(run):
    options = dict(UNITS[run])
    if run.startswith("aligned"):
        options["alignment"] = [case["alignment"] for case in CASES]
    result = load_metric("sparseval", **options).corpus_score(*sides(CASES), documents=True)
    for case, row in zip(CASES, rows_of(result), strict=True):
        assert row == case["figures"][run], case["id"]
    assert not result.problems


@pytest.mark.parametrize("run", SENTENCES)
def test_sentences(run):
    metric = load_metric("sparseval", **SENTENCES[run])
    counted = 0
    for case in CASES:
        figures = case["figures"].get(run, {"exit": 1})
        if "rows" in figures:
            result = metric.corpus_score(case["hypothesis"], case["reference"])
            wanted = [{name: row[name] for name in COLUMNS} for row in figures["rows"]]
            assert rows_of(result) == wanted, case["id"]
            counted += 1
    assert counted == (163 if run == "bag_sentences" else 118)


@pytest.mark.parametrize("run", ["plain_sentences", "plain_sentences_unlabeled"])
def test_sentences_at_which_the_program_ends(run):
    metric = load_metric("sparseval", **SENTENCES[run])
    ends = [case for case in CASES if "exit" in case["figures"].get(run, ())]
    assert len(ends) == 45
    for case in ends:
        with pytest.raises(ValueError, match=r"cannot be aligned by position; use the mode 'edit'"):
            metric.corpus_score(case["hypothesis"], case["reference"])
        zeroed = metric.with_options(on_error="zero").corpus_score(case["hypothesis"], case["reference"])
        assert zeroed.n_zeroed
        assert zeroed.columns["gold"][zeroed.status.index(4)] > 0


def test_own_alignment_of_equal_words_is_the_given_one():
    cases = [case for case in CASES if case["kind"] == "same words"]
    result = load_metric("sparseval", parameters=OWN, heads=HEADS).corpus_score(*sides(cases), documents=True)
    for case, row in zip(cases, rows_of(result), strict=True):
        assert row == case["figures"]["aligned"], case["id"]

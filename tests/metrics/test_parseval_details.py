"""ParsEval beyond EVALB's summary: labels, confusions, unlabelled figures, trivial spans, listings."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.metrics import load_metric
from structiou_metric.metrics.parseval.listing import list_pairs
from structiou_metric.metrics.parseval.metric import Parseval, ParsevalScore, parseval
from structiou_metric.metrics.parseval.parameters import COLLINS
from structiou_metric.report.evalb import write_report
from structiou_metric.sources.rows import as_rows
from support import parseval_oracle
from support.examples import examples
from support.parseval_strategies import PARAMETERS, pairs

BATCHES = st.lists(pairs(10), min_size=1, max_size=6)


def _crosses(bracket, others):
    return any(
        o.start < bracket.start < o.end < bracket.end or bracket.start < o.start < bracket.end < o.end
        for o in others
    )


@examples(120)
@given(batch=BATCHES, parameters=PARAMETERS)
def test_labels_and_confusions_agree_with_oracle(batch, parameters):
    predictions, references = zip(*batch, strict=True)
    found = parseval(predictions, references, parameters=parameters)
    labels: dict[str, list[int]] = {}
    tags: Counter[tuple[str, str]] = Counter()
    confusions: Counter[tuple[str, str]] = Counter()
    for pair in batch:
        sides = parseval_oracle.details(*pair, parameters)
        if sides is None:
            continue
        pred, ref = sides
        for k, side in enumerate(sides):
            for bracket in side.brackets:
                sums = labels.setdefault(bracket.label, [0] * 5)
                sums[k] += bracket.used
                sums[2 + k] += 1
                sums[4] += k == 0 and _crosses(bracket, ref.brackets)
        for ours, theirs in zip(pred.tags, ref.tags, strict=True):
            if not parseval_oracle._same_label(ours, theirs, parameters):
                tags[theirs, ours] += 1
        spans = {(b.start, b.end) for b in ref.brackets}
        for span in spans:  # outer brackets open first
            left = [
                [b.label for b in side.brackets if (b.start, b.end) == span and not b.used] for side in sides
            ]
            confusions.update((theirs, ours) for ours, theirs in zip(*left))  # noqa: B905 (some are left over)
    assert {label: list(tally) for label, tally in found.by_label.items()} == labels
    assert found.tag_confusions == tags
    assert found.confusions == confusions


@examples(80)
@given(batch=BATCHES, parameters=PARAMETERS)
def test_unlabelled_is_what_labeled_0_counts(batch, parameters):
    sides = [list(side) for side in zip(*batch, strict=True)]
    labelled = parseval(*sides, parameters=parameters)
    unlabelled = parseval(*sides, parameters=parameters._replace(labeled=False))
    # Deleted labels are compared as labels in both.
    assert labelled.columns["unlabeled"] == unlabelled.columns["matched"] == unlabelled.columns["unlabeled"]
    assert labelled.figures["parseval_unlabeled_f1"] == unlabelled.f1
    want = [
        2 * m / (a + b) if a + b else 1.0
        for m, a, b, state in zip(
            *(labelled.columns[name] for name in ("matched", "n_pred", "n_ref")), labelled.status, strict=True
        )
        if state == 0
    ]
    mean = sum(want) / len(want) if want else 0.0
    assert labelled.figures["parseval_sentence_f1"] == pytest.approx(mean)


@examples(80)
@given(batch=BATCHES)
def test_trivial_brackets_are_dropped_on_both_sides(batch):
    sides = [list(side) for side in zip(*batch, strict=True)]
    found = parseval(*sides, trivial="drop")
    for i, pair in enumerate(batch):
        oracle = parseval_oracle.details(*pair, COLLINS)
        if oracle is None:
            assert found.status[i] != 0
            continue
        kept = [[b for b in side.brackets if 1 < b.end - b.start < len(side.words)] for side in oracle]
        assert found.columns["n_pred"][i] == len(kept[0])
        assert found.columns["n_ref"][i] == len(kept[1])
        spans = [Counter((b.start, b.end) for b in side) for side in kept]
        assert found.columns["unlabeled"][i] == sum((spans[0] & spans[1]).values())


def test_trivial_spans_by_hand():
    gold, test = "(S (NP (D a) (N b)) (VP (V c) (NP (N d))))", "(S (X (D a) (N b)) (Y (V c)) (NP (N d)))"
    kept = parseval([test], [gold])
    dropped = parseval([test], [gold], trivial="drop")
    assert [list(kept.columns[n]) for n in ("unlabeled", "n_pred", "n_ref")] == [[3], [4], [4]]
    assert [list(dropped.columns[n]) for n in ("unlabeled", "n_pred", "n_ref")] == [[1], [1], [2]]
    assert dropped.figures["parseval_unlabeled_sentence_f1"] == pytest.approx(2 / 3)
    assert "|trivial:drop|" in dropped.signature
    assert "trivial" not in kept.signature
    one = parseval(["(S (N a))"], ["(S (N a))"], trivial="drop")
    assert one.figures["parseval_sentence_f1"] == 1.0
    with pytest.raises(ValueError, match="EVALB keeps trivial brackets"):
        load_metric("parseval", trivial="drop", compat=True)


def test_confusions_of_joined_results_add_up():
    pairs_ = (
        ["(S (NP (N a)) (V b))", "(S (VP (V c) (V d)))"],
        ["(S (VP (N a)) (W b))", "(S (NP (V c) (N d)))"],
    )
    whole = parseval(*pairs_)
    parts = [parseval([p], [r]) for p, r in zip(*pairs_, strict=True)]
    joined = ParsevalScore.joined(parts)
    assert joined.confusions == whole.confusions == {("VP", "NP"): 1, ("NP", "VP"): 1}
    assert joined.tag_confusions == whole.tag_confusions == {("W", "V"): 1, ("N", "V"): 1}
    counted = Parseval().corpus_score(*pairs_, by_label=True)
    assert counted.confusions == whole.confusions
    assert counted.by_label["NP"].crossing == 0


def test_listing_is_evalbs():
    gold = "(TOP (S-1 (NP (DT the) (NN cat)) (VP (VBZ sits)) (. .)))"
    test = "(TOP (S (NP (DT the)) (VP=2 (NN cat) (VB sits)) (. .)))"
    rows = [as_rows(trees, "trees") for trees in ([test, "()"], [gold, gold])]
    metric = Parseval(compat=True)
    score = metric.corpus_score(*rows)
    lines = write_report(score, listing=list_pairs(metric, *rows)).splitlines()
    # By hand, from the formats of dsp_info in EVALB; 5 is a deleted bracket, 9 a sentence not compared.
    assert lines[3:18] == [
        "   1    4    0   33.33  33.33     1      3    3      1      3     2    66.67",
        "-<1>---(wn1=  3, bn1=  4)-           -<2>---(wn2=  3, bn2=  4)-",
        "  0 : 1 : DT      the                     0 : 1 : DT      the             ",
        "  1 : 1 : NN      cat                     1 : 1 : NN      cat             ",
        "  2 : 0 : VBZ     sits                    2 : 0 : VB      sits            ",
        "",
        "  0 : 5 :   0    3  TOP           0 : 5 :   0    3  TOP   ",
        "  1 : 1 :   0    3  S             1 : 1 :   0    3  S     ",
        "  2 : 0 :   0    2  NP            2 : 0 :   0    1  NP    ",
        "  3 : 0 :   2    3  VP            3 : 0 :   1    3  VP    ",
        "",
        "========",
        "   2    4    2    0.00   0.00     0      0    0      0      0     0     0.00",
        "-<1>---(wn1=  3, bn1=  4)-           -<2>---(wn2=  0, bn2=  1)-",
        "  0 : 9 : DT      the                   ",
    ]
    assert "  1 : 9 :   0    3  S-1         " in lines


@examples(60)
@given(batch=BATCHES, parameters=PARAMETERS)
def test_listing_agrees_with_the_counts(batch, parameters):
    metric = Parseval(parameters=parameters)
    rows = [as_rows(list(side), "trees") for side in zip(*batch, strict=True)]
    found = metric.corpus_score(*rows)
    for i, (ref, pred) in enumerate(list_pairs(metric, *rows)):
        for side, total in ((ref, "n_ref"), (pred, "n_pred")):
            results = [result for *_, result in side.brackets]
            if found.status[i] == 0:
                assert results.count(1) == found.columns["matched"][i]
                assert results.count(1) + results.count(0) == found.columns[total][i]
                assert [r for _, _, r in side.words].count(1) == found.columns["correct_tags"][i]
            else:
                assert set(results) <= {9}


def test_several_trees_in_a_row_are_a_sentence_to_evalb():
    gold, test = "(S (A (P this)) (B (Q is)))", "(P this) (B (Q is))"
    found = load_metric("parseval", compat=True).corpus_score([test], [gold])
    assert [found.columns[n][0] for n in ("matched", "n_ref", "n_pred", "words")] == [1, 3, 1, 2]
    with pytest.raises(ValueError, match="a second tree begins here"):
        load_metric("parseval").corpus_score([test], [gold])
    sentences = ["(P this)", "(B (Q is))"]
    document = load_metric("parseval").corpus_score([sentences], [[gold]], documents=True)
    assert document.columns["matched"][0] == 1


def test_labels_leave_out_what_does_not_count():
    rng = Random(2)
    trees = ["(S (NP (N a)) (V b))", "(S (VP (N a) (V b)))", "()", "(S (N a))", "(S (X (N a)) (V b))"]
    predictions = [rng.choice(trees) for _ in range(40)]
    references = [trees[0]] * 40
    found = load_metric("parseval", count_empty=True).corpus_score(predictions, references)
    assert sum(t.n_ref for t in found.by_label.values()) == sum(found.columns["n_ref"])
    assert sum(t.n_pred for t in found.by_label.values()) == sum(found.columns["n_pred"])
    assert sum(t.matched_ref for t in found.by_label.values()) == sum(found.columns["matched"])
    plain = found.as_dict(by_label=True)["by_label"]["NP"]
    assert set(plain) == {"parseval", "precision", "recall", "n_pred", "n_ref", "crossing"}

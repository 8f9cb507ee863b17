"""Moves of a corpus: figures that add up, options of the metric, rows that cannot be searched."""

from __future__ import annotations

import importlib
import json
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.corpus import make_corpus, retokenized, with_times
from structiou_metric import COMPILED, StructIoU
from structiou_metric.analysis.errors import NOT_ANALYSED, candidates, explain_corpus, find_moves
from structiou_metric.metrics import load_metric
from support.strategies import tree_pairs
from support.twin import TWIN, source_twin

LOW = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NN hat))))))"
HIGH = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (NN hat)))))"
CORPUS = make_corpus(150, seed=3)


def assert_adds_up(report):
    classes = report.classes.values()
    assert fsum(total.gain for total in classes) == pytest.approx(1.0 - report.result.sentence, abs=1e-9)
    assert fsum(total.corpus_gain for total in classes) == pytest.approx(1.0 - report.result.corpus, abs=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"labels": "base"},
        {"labels": "ignore"},
        {"terminals": "exclude"},
        {"terminals": "flexible"},
        {"unit": "char"},
        {"unit": "time"},
        {"min_iou": 0.6},
        {"drop": [",", "."]},
    ],
    ids=str,
)
def test_classes_explain_the_whole_loss(options):
    corpus = CORPUS
    if options.get("unit") == "time":
        corpus = with_times(corpus)
    elif options.get("unit") == "char":
        corpus = retokenized(corpus)
    metric = StructIoU(**options)
    report = explain_corpus(metric, corpus.predictions, corpus.references)
    assert report.style == "english"
    assert not report.not_analysed
    assert report.result.sentence == metric.corpus_score(corpus.predictions, corpus.references).sentence
    assert_adds_up(report)


def test_a_figure_a_class():
    report = explain_corpus(StructIoU(), [LOW, HIGH, "()"], [HIGH, HIGH, HIGH])
    pp, failed = report.classes["PP attachment"], report.classes["failed"]
    assert list(report.classes) == ["failed", "PP attachment"]
    # 13 nodes against 12, all of which are aligned; 12 nodes against none.
    assert pp == pytest.approx((1, 1, (1 - 24 / 25) / 3, 1.0, 1 / (25 + 24 + 12)))
    assert failed == pytest.approx((1, 1, 1 / 3, 12.0, 12 / 61))


def test_sites_are_those_of_the_moves():
    """The noun phrase belongs into the prepositional phrase; that phrase hangs where it should."""
    vp = "(VP (VBD rose) (PP (TO to) {}))"
    shares, record = "(NP (CD 108) (NNS shares))", "(NP (DT a) (NN record))"
    prediction = f"(VP (VBD rose) (PP (TO to) {shares}) {record})"
    reference = vp.format(f"(NP {shares} {record})")
    report = explain_corpus(StructIoU(), [prediction], [reference])
    assert report.sites == {("NP attachment", "VP", "NP"): (1, pytest.approx(3.0))}
    low, high = (tree.replace("(NP ", "(NP-TMP ") for tree in (prediction, reference))
    for labels, label in (("base", "NP"), ("exact", "NP-TMP")):
        report = explain_corpus(StructIoU(labels=labels), [low], [high])
        assert list(report.sites) == [("NP attachment", "VP", label)]


def test_sites_have_every_move_to_another_node():
    report = explain_corpus(StructIoU(), CORPUS.predictions, CORPUS.references)
    moves = [move for row in report.analyses for move in report.moves(row) if move.attaches]
    assert sum(total.events for total in report.sites.values()) == len(moves) > 50
    assert fsum(total.mass for total in report.sites.values()) == pytest.approx(
        fsum(move.mass for move in moves)
    )
    assert report.as_dict()["sites"][0] == {
        **dict(zip(("class", "from", "to"), next(iter(report.sites)), strict=True)),
        **next(iter(report.sites.values()))._asdict(),
    }


def test_rows_can_be_drawn_again():
    report = explain_corpus(StructIoU(), CORPUS.predictions, CORPUS.references)
    for name, total in report.classes.items():
        columns = report.columns[name]
        assert all(len(column) == len(report.result) for column in columns.values())
        assert fsum(columns["gain"]) / len(report.result) == pytest.approx(total.gain, abs=1e-12)
    rows = range(0, 150, 2)
    some = explain_corpus(
        StructIoU(), [CORPUS.predictions[row] for row in rows], [CORPUS.references[row] for row in rows]
    )
    for name, total in some.classes.items():
        gain = fsum(report.columns[name]["gain"][row] for row in rows) / len(rows)
        assert gain == pytest.approx(total.gain, abs=1e-12)


def test_rows_are_told_in_words():
    report = explain_corpus(StructIoU(on_error="zero"), [LOW, HIGH, "()", "(S (A"], [HIGH] * 4)
    assert report.describe(0) == ["move PP “with hat” from NP to VP (+0.040)"]
    assert report.describe(1) == ["both trees are the same"]
    assert report.describe(2) == ["the prediction has no constituents (+1.000)"]
    assert report.describe(3)[0].startswith("not analysed: predictions[3]:")
    assert report.moves(3) == ()
    with pytest.raises(IndexError, match="there is no row 4; there are 4, from 0"):
        report.moves(4)


def test_plain_values():
    report = explain_corpus(StructIoU(on_error="zero"), [LOW, "(A b c)"], [HIGH, HIGH])
    plain = json.loads(json.dumps(report.as_dict(per_row=True)))
    assert plain["classes"]["PP attachment"]["events"] == 1
    assert plain["rows"][0]["moves"][0]["description"] == "move PP “with hat” from NP to VP (+0.040)"
    assert [entry["row"] for entry in plain["not_analysed"]] == [1]
    assert "rows" not in report.as_dict()
    assert repr(report) == "<MoveReport 2 events in 2 rows, english>"


@pytest.mark.parametrize("on_error, n_rows, lost", [("zero", 2, 1.0), ("skip", 1, 0.0)])
def test_rows_that_cannot_be_compared_are_counted(on_error, n_rows, lost):
    metric = StructIoU(on_error=on_error)
    report = explain_corpus(metric, [LOW, "(S (A a) (B b))"], [HIGH, "(S (A a))"])
    assert report.not_analysed[0][0] == 1
    assert "has 2 words" in report.not_analysed[0][1]
    total = report.classes.get(NOT_ANALYSED)
    assert (total.gain * n_rows if total else 0.0) == pytest.approx(lost)
    assert_adds_up(report)


def test_errors_end_a_strict_run():
    with pytest.raises(ValueError, match="has 2 words"):
        explain_corpus(StructIoU(), ["(S (A a) (B b))"], ["(S (A a))"])


def test_a_reference_without_constituents_is_one_event():
    report = explain_corpus(StructIoU(), [LOW], ["()"])
    assert report.describe(0) == ["the reference has no constituents (+1.000)"]
    assert_adds_up(report)


# ----------------------------------------------------------------------------------------- seconds


def timed(brackets, times):
    for word, (start, end) in times.items():
        brackets = brackets.replace(f" {word})", f" {word}<{start},{end}>)")
    return brackets


TIMES = {"I": (0, 1), "saw": (1, 2), "a": (2, 3), "man": (3, 4), "with": (4, 5), "hat": (5, 6)}
LATER = {**TIMES, "man": (3, 4.5), "with": (4.5, 5)}


def test_other_times_are_one_event_beside_the_moves():
    moves = find_moves(timed(LOW, LATER), timed(HIGH, TIMES), StructIoU(unit="time"))
    assert [move.error for move in moves] == ["timing", "PP attachment"]
    assert moves[0].describe().startswith("move the words to their times (+")
    assert all(move.gain > 0 for move in moves)
    (only,) = find_moves(timed(HIGH, LATER), timed(HIGH, TIMES), StructIoU(unit="time"))
    assert only.error == "timing"


def test_the_same_times_are_no_event():
    (move,) = find_moves(timed(LOW, TIMES), timed(HIGH, TIMES), StructIoU(unit="time"))
    assert move.error == "PP attachment"


@pytest.mark.parametrize(
    "prediction, reason",
    [
        ("(S (A a<0,1>) (B b<1,2>))", "the prediction has 2 words and the reference 3"),
        ("(S (A a<0,1>) (B x<1,2.5>) (C c<3,4>))", "the word 'x' where the reference has 'b'"),
    ],
)
def test_words_that_do_not_pair_up_are_told(prediction, reason):
    reference = "(S (A a<0,1>) (B b<1,2>) (C c<3,4>))"
    report = explain_corpus(StructIoU(unit="time"), [prediction], [reference])
    assert reason in report.not_analysed[0][1]
    assert list(report.classes) == [NOT_ANALYSED]
    assert_adds_up(report)
    with pytest.raises(ValueError, match="was not searched for moves"):
        find_moves(prediction, reference, StructIoU(unit="time"))


@given(tree_pairs(6, timed=True, allow_multiword_leaves=False))
def test_gains_add_up_over_seconds(pair):
    trees = []
    for case in pair:
        words = iter(case.times)
        parts = case.brackets.split(")")
        trees.append(")".join(f"{p}<{','.join(map(str, next(words)))}>" if " w" in p else p for p in parts))
    assert_adds_up(explain_corpus(StructIoU(unit="time", drop=()), [trees[0]], [trees[1]]))


# -------------------------------------------------------------------------------------- other rows


def test_retokenised_words_are_compared_by_characters():
    metric = StructIoU(unit="char")
    moves = find_moves("(NP (DT the) (NN ice) (NN cream))", "(NP (DT the) (NN icecream))", metric)
    assert sum(move.gain for move in moves) == pytest.approx(
        1.0 - metric.align("(NP (DT the) (NN ice) (NN cream))", "(NP (DT the) (NN icecream))").score
    )
    assert {move.text for move in moves} <= {"icecream"}


def test_dropped_words_are_not_moved():
    trace = "(S (NP (-NONE- *)) (NP (PRP I)) (VP (VBD saw) (NP (-NONE- *T*)) {}))"
    low = trace.format("(NP (NP (DT a) (NN man)) (PP (IN with) (NP (NN hat))))")
    (move,) = find_moves(low, HIGH)
    assert (move.text, move.start, move.end) == ("with hat", 4, 6)


def test_documents_are_searched_as_a_whole():
    one, other = "(S (A a) (B b) (C c))", "(S (A d))"
    report = explain_corpus(
        StructIoU(), [[one, other]], [["(S (A a) (B b))", "(S (C c))", other]], documents=True
    )
    assert not report.not_analysed
    assert_adds_up(report)


def test_threads_change_nothing():
    one, two = (
        explain_corpus(StructIoU(), CORPUS.predictions, CORPUS.references, workers=workers).as_dict(
            per_row=True
        )
        for workers in (1, 2)
    )
    assert one == two


def test_moves_are_of_struct_iou():
    with pytest.raises(TypeError, match="moves are of STRUCT-IoU, not of"):
        explain_corpus(load_metric("parseval"), [LOW], [HIGH])


@pytest.mark.skipif(not COMPILED, reason="the twin is the package itself")
def test_compiled_and_source_agree(tmp_path_factory):
    twin = source_twin(tmp_path_factory.mktemp("twin"))
    errors = importlib.import_module(f"{TWIN}.analysis.errors")
    sides = CORPUS.predictions[:40], CORPUS.references[:40]
    here = explain_corpus(StructIoU(), *sides).as_dict(per_row=True)
    assert errors.explain_corpus(twin.StructIoU(), *sides).as_dict(per_row=True) == here


# ------------------------------------------------------------------------------------ odd and large


def test_deep_trees_do_not_end_in_an_error():
    n = 20_000
    deep = "(A " * n + "(B w)" + ")" * n
    report = explain_corpus(StructIoU(), [deep], [deep.replace("(B w)", "(C w)")])
    assert "a chain of 20001 nodes over the same words differs" in report.not_analysed[0][1]
    assert_adds_up(report)


def test_one_error_in_a_deep_tree_is_found():
    n = 3_000
    comb = "".join(f"(A (B w{k}) " for k in range(n)) + "(C w)" + ")" * n
    (move,) = find_moves(comb, comb.replace("(C w)", "(D w)"), StructIoU(drop=()))
    assert move.error == "tag"


def test_too_much_to_search_is_told(monkeypatch):
    monkeypatch.setattr(candidates, "MOST_WORK", 10**6)
    n = 60
    left = "(A " * (n - 1) + "(B w)" + " (B w))" * (n - 1)
    right = "(A (B w) " * (n - 1) + "(B w)" + ")" * (n - 1)
    report = explain_corpus(StructIoU(), [left], [right])
    assert report.not_analysed == [(0, "the trees are too long and too different to be searched for moves")]
    assert_adds_up(report)


@given(st.lists(tree_pairs(5), min_size=1, max_size=4))
def test_any_trees_add_up(pairs):
    predictions, references = ([pair[side].brackets for pair in pairs] for side in range(2))
    assert_adds_up(explain_corpus(StructIoU(drop=()), predictions, references))

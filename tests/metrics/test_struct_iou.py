"""The metric: what counts as a node, how pairs add up, and what a result tells."""

from __future__ import annotations

import json
import random
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import (
    COMPILED,
    SegmentTree,
    StructIoU,
    TreeMismatchError,
    __version__,
    align,
    struct_iou,
)
from structiou_metric.metrics.runner import check, run_in_threads
from structiou_metric.sources.rows import ListRows
from structiou_metric.trees.labels import base_label
from support import oracle
from support.examples import examples
from support.product import oracle_tree
from support.random_trees import mutate, random_tree, timed
from support.strategies import tree_pairs

# ---- options -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prediction, reference, options, wanted",
    [
        pytest.param("(S (A a))", "(S (A a))", {}, 1.0, id="same tree"),
        pytest.param("(S (A a))", "(T (A a))", {}, 0.5, id="root label differs"),
        pytest.param("(S (A a))", "(T (B a))", {}, 0.0, id="no label in common"),
        pytest.param("(S (A a))", "(T (B a))", {"labels": "ignore"}, 1.0, id="labels ignored"),
        pytest.param("(S (NP-SBJ a))", "(S (NP-1 a))", {}, 0.5, id="function tags are part of the label"),
        pytest.param("(S (NP-SBJ a))", "(S (NP=1 a))", {"labels": "base"}, 1.0, id="function tags cut"),
        # Preterminals: S pairs; A with B only if terminals are flexible; without them S alone is left.
        pytest.param("(S (A a))", "(S (B a))", {}, 0.5, id="terminals strict"),
        pytest.param("(S (A a))", "(S (B a))", {"terminals": "flexible"}, 1.0, id="terminals flexible"),
        pytest.param("(S (A a))", "(S (B a))", {"terminals": "exclude"}, 1.0, id="terminals excluded"),
        # A spans one of two words: IoU 1/2, which must be more than min_iou.
        pytest.param("(A a b)", "(S (A a) b)", {}, 2 * 0.5 / 3, id="half a span"),
        pytest.param("(A a b)", "(S (A a) b)", {"min_iou": 0.49}, 2 * 0.5 / 3, id="just above min_iou"),
        pytest.param("(A a b)", "(S (A a) b)", {"min_iou": 0.5}, 0.0, id="at min_iou"),
        # Characters: A spans 3 of 4 letters against 1 of 2 words.
        pytest.param("(S (A abc) d)", "(S (A abcd))", {"unit": "char"}, (1 + 0.75) / 2, id="characters"),
    ],
)
def test_struct_iou_options(prediction, reference, options, wanted):
    assert struct_iou(prediction, reference, **options) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("root", ["TOP", "ROOT", "S1", "VROOT", ""])
def test_drop_takes_off_a_root_over_one_child(root):
    assert len(align(f"({root} (S (A a)))", "(S (A a))").prediction_side.nodes) == 2
    assert struct_iou(f"({root} (S (A a)))", "(S (A a))") == 1.0


@pytest.mark.parametrize(
    "tree, drop, n_nodes",
    [
        pytest.param("(TOP (S (A a)))", None, 2, id="root over one child"),
        pytest.param("((TOP (S1 (S (A a)))))", None, 2, id="several roots"),
        pytest.param("(TOP (S (A a)) (. .))", None, 4, id="root over two children"),
        pytest.param("(TOP a (S (A a)))", None, 3, id="root over a child and a word"),
        pytest.param("(TOP a)", None, 1, id="root over a word"),
        pytest.param("(S (TOP (A a)) (B b))", None, 4, id="no root"),
        pytest.param("(S (TOP a) (B b))", None, 3, id="a leaf with a root's label"),
        pytest.param("(S (NP (-NONE- *)) (VP (V a)))", None, 3, id="trace, and the phrase it empties"),
        pytest.param("(S (NP (-NONE- *) (N a)))", None, 3, id="trace in a phrase that stays"),
        pytest.param("(S (-NONE- (A a)))", None, 3, id="-NONE- over a child is no trace"),
        pytest.param("(TOP (S (A a)) (-NONE- *))", None, 2, id="root over one child and a trace"),
        pytest.param("(TOP (S (NP (-NONE- *))))", None, 0, id="nothing but traces"),
        pytest.param("(TOP (S (NP (-NONE- *)) (A a)))", (), 5, id="drop nothing"),
        pytest.param("(S (A a) (. .))", ("A", "."), 0, id="all leaves dropped"),
        pytest.param("(S (A a) (X (. .)) (B b))", (".",), 3, id="punctuation"),
        pytest.param("(DOC (S (A a)))", ("DOC",), 2, id="another root"),
    ],
)
def test_drop_rules(tree, drop, n_nodes):
    options = {} if drop is None else {"drop": drop}
    assert len(align(tree, tree, **options).reference_side.nodes) == n_nodes


@pytest.mark.parametrize("unit", ["word", "char"])
def test_dropped_words_leave_no_hole(unit):
    traced = "(S (NP (-NONE- *T*-1)) (VP (V see) (NP (-NONE- *)) (PP (P at) (N it))))"
    plain = "(S (VP (V see) (PP (P at) (N it))))"
    assert struct_iou(plain, traced, unit=unit) == 1.0


def test_dropped_words_keep_their_seconds():
    traced = "(S (A a<0,1>) (-NONE- *<1,2>) (B b<2,3>))"
    assert struct_iou("(S (A a<0,1>) (B b<2,3>))", traced, unit="time") == 1.0
    # Closed up, B would span 1–2 and share nothing with 2–3.
    assert struct_iou("(S (A a<0,1>) (B b<1,2>))", traced, unit="time") == pytest.approx((1 + 2 / 3) / 3)


@pytest.mark.parametrize(
    "label, base",
    [
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("-NONE-", "-NONE-"),
        ("-LRB-", "-LRB-"),
        ("PRP$", "PRP$"),
        ("", ""),
        ("-", "-"),
        ("=", "="),
        ("SYN_NN", "SYN_NN"),
    ],
)
def test_base_label(label, base):
    assert base_label(label) == base


@pytest.mark.parametrize(
    "options, message",
    [
        ({"unit": "words"}, "unknown unit 'words'; choose from word, char, time"),
        ({"labels": "none"}, "unknown labels 'none'; choose from exact, base, ignore"),
        ({"terminals": None}, "unknown terminals None; choose from strict, flexible, exclude"),
        ({"average": "micro"}, "unknown average 'micro'; choose from sentence, corpus"),
        ({"on_error": "ignore"}, "unknown on_error 'ignore'; choose from raise, zero, skip"),
        ({"min_iou": 1.0}, "min_iou must be at least 0 and less than 1, not 1.0"),
        ({"min_iou": -0.1}, "min_iou must be at least 0"),
        ({"min_iou": float("nan")}, "min_iou must be at least 0"),
        ({"min_iou": "x"}, "min_iou must be a number, not 'x'"),
        ({"drop": "TOP"}, r"drop must be a list of labels, not the text 'TOP'; write \['TOP'\]"),
        ({"drop": [1]}, r"drop must be a list of labels, not \[1\]"),
    ],
)
def test_bad_options_name_the_choices(options, message):
    with pytest.raises(ValueError, match=message):
        StructIoU(**options)


def test_unknown_option_is_refused():
    with pytest.raises(TypeError, match="units"):
        StructIoU(units="word")


def test_signature_tells_every_option_and_the_version():
    metric = StructIoU(unit="char", drop=["TOP", "", ",", "a|b"], min_iou=0.25, average="corpus")
    assert metric.signature == (
        "structiou|unit:char|texts:same|labels:exact|terminals:strict|min_iou:0.25|"
        f'drop:TOP,"",",","a|b"|average:corpus|on_error:raise|version:{__version__}'
    )
    assert "|drop:none|" in StructIoU(drop=()).signature
    assert '|drop:"none"|' in StructIoU(drop=["none"]).signature


# ---- empty trees and nodes without length --------------------------------------------------------------


def test_excluding_all_nodes_leaves_two_empty_trees():
    assert struct_iou("(A a)", "(B b)", terminals="exclude") == 1.0


@pytest.mark.parametrize(
    "tree, unit, n_lengthless",
    [
        pytest.param("(S (NP ) (A a))", "word", 1, id="no words"),
        pytest.param("(S (NP (N )) (A a))", "word", 2, id="no words, two nodes"),
        pytest.param("(S (A a) (B \u200f))", "char", 1, id="no written character"),
        pytest.param("(S (A a<0,1>) (B b<1,1>))", "time", 1, id="no time"),
        pytest.param("(S )", "word", 0, id="no word at all: an empty tree"),
    ],
)
def test_nodes_without_length_are_left_out_and_counted(tree, unit, n_lengthless):
    result = StructIoU(unit=unit).corpus_score([tree], [tree])
    assert result.sentence == 1.0
    assert result.as_dict()["n_lengthless"] == 2 * n_lengthless


@pytest.mark.parametrize(
    "prediction, reference, unit, message",
    [
        pytest.param("(S (A a<1,1>))", "(T (B (C b<7,7>)))", "time", "lasts any time", id="no time"),
        pytest.param("()", "(T (B b<7,7>))", "time", "lasts any time", id="no time, and a failed parse"),
        pytest.param(
            "(S (A \u200f))", "(S (B \u200f))", "char", "has a written character", id="no character"
        ),
    ],
)
def test_trees_with_words_of_which_none_has_a_length_cannot_be_compared(prediction, reference, unit, message):
    told = f"no word of %s and %s {message}, so that there is nothing to compare; compare words"
    for compare in (struct_iou, align):
        with pytest.raises(TreeMismatchError, match=told % ("prediction", "reference")):
            compare(prediction, reference, unit=unit)
    timed = "(S (A a<1,2>))"
    metric = StructIoU(unit=unit, on_error="zero")
    result = metric.corpus_score([prediction, timed], [reference, timed])
    assert (result.sentence, result.corpus, result.precision, result.recall) == (0.5,) * 4
    [(row, error)] = check(metric, ListRows([prediction], "predictions"), ListRows([reference], "references"))
    assert (row, str(error)) == result.problems[0]
    empty = metric.corpus_score(
        ["()", "(S (A ))"], ["()", "(S (-NONE- *))"] if unit == "char" else ["()", "()"]
    )
    assert (empty.sentence, empty.corpus) == (1.0, 1.0)  # these have no words


# ---- adding up -----------------------------------------------------------------------------------------

PAIRS = [
    ("(S (A a))", "(S (A a))"),  # 2 of 2 and 2
    ("(T (A a) (B b))", "(S (A a) (B b))"),  # 2 of 3 and 3
    ("(S (A a) b)", "(S (A a) (B b) )"),  # 2 of 2 and 3
]


@pytest.fixture
def result():
    predictions, references = zip(*PAIRS, strict=True)
    return StructIoU().corpus_score(predictions, references)


def test_corpus_score_figures(result):
    assert [tally.score for tally in result.sentences] == pytest.approx([1.0, 2 / 3, 4 / 5])
    assert result.sentence == result.score == pytest.approx((1 + 2 / 3 + 4 / 5) / 3)
    assert result.corpus == pytest.approx(2 * 6 / 15)
    assert (result.precision, result.recall) == pytest.approx((6 / 7, 6 / 8))
    harmonic = 2 * result.precision * result.recall / (result.precision + result.recall)
    assert result.corpus == pytest.approx(harmonic)
    assert StructIoU(average="corpus").corpus_score(*zip(*PAIRS, strict=True)).score == result.corpus


def test_corpus_score_by_label(result):
    labels = {label: tuple(tally) for label, tally in result.by_label.items()}
    assert labels == {
        "S": (2.0, 2.0, 2, 3),
        "A": (3.0, 3.0, 3, 3),
        "B": (1.0, 1.0, 1, 2),
        "T": (0.0, 0.0, 1, 0),
    }
    assert list(labels) == ["A", "S", "B", "T"]  # most frequent in the reference first
    tally = result.by_label["S"]
    assert (tally.precision, tally.recall, tally.score) == pytest.approx((1.0, 2 / 3, 4 / 5))


def test_by_label_books_a_pair_of_two_labels_on_both():
    result = StructIoU(labels="ignore").corpus_score(["(S (A a))"], ["(S (B a))"])
    assert {label: tuple(tally) for label, tally in result.by_label.items()} == {
        "S": (1.0, 1.0, 1, 1),
        "B": (0.0, 1.0, 0, 1),
        "A": (1.0, 0.0, 1, 0),
    }


def test_by_label_of_base_labels_joins_them():
    result = StructIoU(labels="base").corpus_score(["(S (NP-SBJ a) (NP b))"], ["(S (NP-1 a) (NP-2 b))"])
    assert result.by_label["NP"] == (2.0, 2.0, 2, 2)


def test_as_dict_is_plain_data(result):
    data = json.loads(json.dumps(result.as_dict(by_label=True, per_sentence=True)))
    assert data["struct_iou"] == data["struct_iou_sentence"] == result.sentence
    assert data["struct_iou_corpus"] == result.corpus
    assert data["n_sentences"] == 3
    assert data["signature"] == StructIoU().signature
    assert data["by_label"]["B"]["recall"] == 0.5
    assert [row["index"] for row in data["sentences"]] == [0, 1, 2]
    assert "problems" not in data


@examples(60)
@given(st.lists(tree_pairs(6), min_size=1, max_size=5))
def test_corpus_score_adds_up_what_the_oracle_finds(pairs):
    trees = [(oracle_tree(prediction), oracle_tree(reference)) for prediction, reference in pairs]
    best = [oracle.best_by_algorithm1(*pair) for pair in trees]
    scores = [oracle.struct_iou(*pair) for pair in trees]
    nodes = [len(tree) for pair in trees for tree in pair]
    predictions, references = zip(*[(p.brackets, r.brackets) for p, r in pairs], strict=True)
    result = StructIoU(drop=()).corpus_score(predictions, references)
    assert result.sentence == pytest.approx(fsum(scores) / len(scores), abs=1e-9)
    assert result.corpus == pytest.approx(2 * fsum(best) / sum(nodes), abs=1e-9)
    masses = [tally.matched_ref for tally in result.by_label.values()]
    assert fsum(masses) == pytest.approx(fsum(best), abs=1e-9)


def test_batches_of_long_trees_are_scored_alike():
    rng = random.Random(5)
    trees = [random_tree(rng, n, 4, "random") for n in (3, 400, 5, 700, 2)]
    assert StructIoU().corpus_score(trees, trees).sentence == 1.0


def test_corpus_score_takes_any_mixture_of_shapes():
    text = "(S (A a) (B b))"
    shapes = [
        text,
        SegmentTree.from_brackets(text),
        {"label": "S", "children": [{"label": "A", "word": "a"}, {"label": "B", "word": "b"}]},
        [("S", 0, 2), ("A", 0, 1), ("B", 1, 2)],
        '{"label": "S", "children": [{"label": "A", "word": "a"}, {"label": "B", "word": "b"}]}',
        {"labels": ["A", "S", "B"], "starts": [0, 0, 1], "ends": [1, 2, 2], "parents": [1, -1, 1]},
    ]
    result = StructIoU().corpus_score(shapes, [text] * len(shapes))
    assert [tally.score for tally in result.sentences] == [1.0] * len(shapes)
    assert StructIoU().corpus_score(iter(shapes), iter([text] * len(shapes))).sentence == 1.0


# ---- pairs that cannot be compared ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "n_rows, n_words, workers, threaded",
    [
        pytest.param(4096, 1, "auto", COMPILED, id="some thousand pairs"),
        pytest.param(3000, 1, "auto", False, id="fewer"),
        pytest.param(20, 1500, "auto", COMPILED, id="few, but long"),
        pytest.param(4096, 1, 1, False, id="one asked for"),
        pytest.param(300, 1, 2, True, id="two asked for"),
    ],
)
def test_auto_takes_threads_where_there_is_enough_to_do(monkeypatch, n_rows, n_words, workers, threaded):
    begun = []

    def watched(run, tasks, n_threads):
        begun.append(n_threads)
        return run_in_threads(run, tasks, n_threads)

    monkeypatch.setattr("structiou_metric.workers.usable_cores", lambda: 2)
    monkeypatch.setattr("structiou_metric.metrics.runner.run_in_threads", watched)
    trees = ["(S " + "(A word) " * n_words + ")"] * n_rows
    assert StructIoU().corpus_score(trees, trees, workers=workers).sentence == 1.0
    assert begun == ([2] if threaded else [])


@pytest.mark.parametrize("workers", [0, -1, "many"])
def test_workers_must_be_positive_or_auto(workers):
    with pytest.raises(ValueError, match=f"workers must be at least 1, or 'auto', not {workers!r}"):
        StructIoU().corpus_score(["(S a)"], ["(S a)"], workers=workers)


# ---- small objects -------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["word", "time"])
def test_alignment_has_the_score_of_the_pair(unit):
    """To the last bit, in either order: both are made of one sum."""
    rng = random.Random(5)
    for _ in range(150):
        reference = random_tree(rng, rng.randint(5, 25), 3, "random")
        pair = [mutate(rng, reference, 4), reference]
        if unit == "time":
            pair = [timed(rng, tree, 0.4) for tree in pair]
        for sides in (pair, pair[::-1]):
            assert align(*sides, unit=unit).score == struct_iou(*sides, unit=unit)


def test_alignment_spans_are_those_that_were_compared():
    found = align("(S (B b))", "(S (-NONE- *) (B b))")
    assert [(p.start, p.end, r.start, r.end, iou) for p, r, iou in found.pairs] == [
        (0.0, 1.0, 0.0, 1.0, 1.0)
    ] * 2
    assert found.reference_side.dropped_words == {0}
    assert [r.first for _, r, _ in found.pairs] == [1, 0]  # in words of the tree as it was given


@pytest.mark.parametrize("unit", ["word", "char", "time"])
def test_check_finds_the_same_problems_as_scoring(unit):
    predictions = ["(S (A a))", "(S (A a", "()", "(S (A a) (B b))", "(S (A a<0,1>))", "(S (A ab<0,1>))"]
    references = [
        "(S (A a))",
        "(S (A a))",
        "(S (A a))",
        "(S (A a))",
        "(S (A a<0,1>))",
        "(S (A c<0,1>) (B d<1,2>))",
    ]
    rows = ListRows(predictions, "predictions"), ListRows(references, "references")
    scored = StructIoU(unit=unit, on_error="zero").corpus_score(*rows)
    found = check(StructIoU(unit=unit), *rows)
    assert [(row, str(error)) for row, error in found] == scored.problems
    assert 1 in dict(found)
    assert (2 in dict(found)) == (unit == "time")  # its reference has no times


def test_check_unequal_lengths():
    with pytest.raises(TreeMismatchError, match="predictions: 1 tree, references: 2 trees"):
        check(StructIoU(), ListRows(["()"], "predictions"), ListRows(["()", "()"], "references"))

"""`compare`: the figures of each system, the sentences they are compared on, and where they differ."""

from __future__ import annotations

import json

import pytest

from structiou_metric import StructIoU
from structiou_metric.analysis.compare import WordCount, compare
from structiou_metric.analysis.comparison import LabelRow
from structiou_metric.errors import TreeFormatError, TreeMismatchError
from structiou_metric.metrics import runner
from structiou_metric.metrics.base import COUNTED
from structiou_metric.metrics.parseval.metric import Parameters, Parseval, parseval
from structiou_metric.metrics.struct_iou.result import LabelTally
from structiou_metric.sources.rows import ListRows
from structiou_metric.stats.intervals import confidence_interval
from structiou_metric.stats.significance import paired_test

np = pytest.importorskip("numpy")

# By hand: `old` gets S, NP and PRP of 5 nodes, then nothing of 2; `new` gets all.
REFERENCES = ["(S (NP (PRP we)) (VP (VBP run)))", "(INTJ (UH yes))"]
OLD = ["(S (NP (PRP we)) (NP (NN run)))", "()"]
NEW = REFERENCES
BOTH = ("struct_iou", "parseval")
NO_WORDS = Parameters(delete_labels=("A",))  # leaves nothing of trees all of whose tags are A


@pytest.mark.parametrize("metrics", ["parseval", Parseval(), ["parseval"], (Parseval(),)])
def test_one_metric_may_be_given_alone(metrics):
    assert list(quick(metrics=metrics).measures) == list(quick(metrics=[Parseval()]).measures)


def figures(result, key):
    return {
        system.name: round(system.figures[key].value, 6) for system in result.systems if key in system.figures
    }


def quick(systems=None, references=REFERENCES, **options):
    options = {"n_resamples": 50, "metrics": ["struct_iou"], **options}
    return compare(systems or {"old": OLD, "new": NEW}, references, **options)


# By hand, of sums; with the columns that they need.
STATISTICS = {
    "struct_iou_sentence": lambda sums: sums["score"] / sums["rows"],
    "struct_iou_corpus": lambda sums: 2 * sums["matched"] / (sums["n_pred"] + sums["n_ref"]),
    "struct_iou_precision": lambda sums: sums["matched"] / sums["n_pred"],
    "struct_iou_recall": lambda sums: sums["matched"] / sums["n_ref"],
}


def columns_of(result):
    """Those that `STATISTICS` needs, of a result all of whose rows count."""
    scores = [tally.score for tally in result.sentences]
    own = {name: result.columns[name] for name in ("matched", "n_pred", "n_ref")}
    return {"score": scores, "rows": [1] * len(scores), **own}


def pair(first, second, n=1):
    """A sentence of `n` words with that label and that tag."""
    return f"({first} " + " ".join(f"({second} w{k})" for k in range(n)) + ")"


# ---- figures ---------------------------------------------------------------------------------------


def test_compare_scores_by_hand():
    result = quick(metrics=BOTH)
    assert figures(result, "struct_iou_sentence") == {"old": 0.3, "new": 1.0}
    assert figures(result, "struct_iou_corpus") == {"old": 0.5, "new": 1.0}  # 2 · 3 / (5 + 7)
    assert figures(result, "struct_iou_precision") == {"old": 0.6, "new": 1.0}
    assert figures(result, "struct_iou_recall") == {"old": round(3 / 7, 6), "new": 1.0}
    # ParsEval: S and NP of S, NP and VP; the failed parse is left out.
    assert figures(result, "parseval_f1") == {"old": round(2 / 3, 6), "new": 1.0}
    assert (result.n_rows, result.n_sentences) == (2, {"struct_iou": 2, "parseval": 1})


def test_compare_figures_are_those_of_the_metrics():
    rng = np.random.default_rng(2)
    references = [pair("S", "A", n) for n in rng.integers(1, 60, 40)]
    systems = {
        name: [
            tree.replace("(A", "(B", k) if k % step else tree.replace("(S", "(X")
            for k, tree in enumerate(references)
        ]
        for name, step in (("one", 3), ("two", 5))
    }
    metric = StructIoU(terminals="exclude")
    result = compare(systems, references, metrics=[metric, "parseval"], n_resamples=300, seed=5)
    for system in result.systems:
        own = metric.corpus_score(systems[system.name], references)
        for key, value_of in STATISTICS.items():
            figure = system.figures[key]
            assert figure.value == own.figures[key]
            want = confidence_interval(columns_of(own), value_of, n_resamples=300, seed=5)
            assert (figure.low, figure.high) == pytest.approx((want.low, want.high), abs=1e-12)
        evalb = parseval(systems[system.name], references)
        assert evalb.n_valid == 40
        for name in ("f1", "precision", "recall"):
            assert system.figures[f"parseval_{name}"].value == getattr(evalb, name)
        assert system.own == {}
    assert result.signatures == {"struct_iou": metric.signature, "parseval": evalb.signature}


def test_compare_pairs_are_the_tests():
    references = [pair("S", "A", 1 + k % 7) for k in range(60)]
    one = [tree.replace("(A", "(B", k % 3) for k, tree in enumerate(references)]
    two = [tree.replace("(A", "(B", k % 4) for k, tree in enumerate(references)]
    result = quick({"one": one, "two": two}, references, n_resamples=400, seed=3)
    (found,) = result.pairs
    assert (found.first, found.second) == (1, 0)
    columns = [columns_of(StructIoU().corpus_score(system, references)) for system in (two, one)]
    for key, value_of in STATISTICS.items():
        difference = found.differences[key]
        want = paired_test(*columns, value_of, n_resamples=400, seed=3)
        assert difference.p_randomization == pytest.approx(want.p_value, abs=1e-12)
        assert difference.interval.value == pytest.approx(want.difference, abs=1e-12)
        assert difference.p_holm == difference.p_randomization  # one pair needs no correction
    assert found.n_better + found.n_worse + found.n_equal == 60
    assert found.n_better == sum(k % 4 < k % 3 and (1 + k % 7) > k % 4 for k in range(60))


def test_compare_repeats_with_its_seed():
    references = [pair("S", "A", 1 + k % 5) for k in range(30)]
    systems = {
        name: [tree.replace("(A", "(B", k % step) for k, tree in enumerate(references)]
        for name, step in (("one", 2), ("two", 3))
    }
    results = [json.dumps(quick(systems, references, seed=seed).as_dict()) for seed in (1, 1, 2)]
    assert results[0] == results[1] != results[2]


# ---- many systems ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def three():
    """Two systems with errors in other places, as many of them, and one that is much worse."""
    references = [pair("S", "A", 5) for _ in range(60)]
    systems = {
        "left": [tree.replace("(A", "(B", k % 2) for k, tree in enumerate(references)],
        "bad": [tree.replace("(A", "(B", 4) for tree in references],
        "right": [tree.replace("(A", "(B", (k + 1) % 2) for k, tree in enumerate(references)],
    }
    return systems, references


def test_compare_letters(three):
    result = quick(*three, n_resamples=500)
    assert [system.marks["struct_iou_sentence"] for system in result.systems] == ["a", "b", "a"]
    assert [(result.names[p.first], result.names[p.second]) for p in result.pairs] == [
        ("bad", "left"),
        ("right", "left"),
        ("right", "bad"),
    ]
    differences = [p.differences["struct_iou_sentence"] for p in result.pairs]
    assert [found.significant for found in differences] == [True, False, True]
    assert [found.p_holm for found in differences] == pytest.approx([3 / 501, 1.0, 3 / 501])


def test_compare_level_decides_what_is_significant(three):
    result = quick(*three, n_resamples=99)  # p is at least 0.01, and 0.03 after Holm's correction
    assert sum(p.differences["struct_iou_corpus"].significant for p in result.pairs) == 2
    result = quick(*three, n_resamples=99, level=0.99)
    assert not any(p.differences["struct_iou_corpus"].significant for p in result.pairs)


def test_compare_p_must_be_below_what_the_level_leaves(three):
    # Two of three pairs are as far apart as no swap, so that p is 3 / 60 after Holm's correction.
    result = quick(*three, n_resamples=59, level=0.95)
    assert [p.differences["struct_iou_corpus"].p_holm for p in result.pairs] == pytest.approx(
        [0.05, 1.0, 0.05]
    )
    assert not any(p.differences["struct_iou_corpus"].significant for p in result.pairs)


def test_compare_with_a_baseline(three):
    result = quick(*three, n_resamples=500, baseline="right")
    assert [(result.names[p.first], result.names[p.second]) for p in result.pairs] == [
        ("left", "right"),
        ("bad", "right"),
    ]
    assert [system.marks["struct_iou_sentence"] for system in result.systems] == ["", "*", ""]


@pytest.mark.parametrize(
    "references, systems, options, error, message",
    [
        pytest.param(
            REFERENCES,
            {"old": OLD, "new": NEW[:1]},
            {},
            TreeMismatchError,
            "new: 1 tree, references: 2 trees; give the same number of both",
            id="fewer trees",
        ),
        pytest.param(REFERENCES, {}, {}, ValueError, "there are no systems to compare", id="no systems"),
        pytest.param([], {"a": []}, {}, ValueError, "hold no trees", id="no trees"),
        pytest.param(
            REFERENCES,
            {"a": OLD},
            {"baseline": "b"},
            ValueError,
            "no system 'b'; choose the baseline from a",
            id="baseline",
        ),
        pytest.param(
            REFERENCES, {"a": OLD}, {"lengths": [5, 5]}, ValueError, r"that rise, not \[5, 5\]", id="lengths"
        ),
        pytest.param(
            REFERENCES, {"a": OLD}, {"level": 95}, ValueError, "level must be between 0 and 1", id="level"
        ),
        pytest.param(
            REFERENCES, {"a": "(A a)"}, {}, TypeError, "a must be a list of trees, not one str", id="one tree"
        ),
        pytest.param(REFERENCES, {"a": ["(S", "()"]}, {}, TreeFormatError, r"a\[0\]", id="unreadable"),
    ],
)
def test_compare_refuses(references, systems, options, error, message):
    with pytest.raises(error, match=message):
        compare(systems, references, metrics=["struct_iou"], n_resamples=9, **options)


@pytest.mark.parametrize(
    "options, message",
    [
        pytest.param({"baseline": "b"}, "no system 'b'", id="baseline"),
        pytest.param({"lengths": [0]}, "lengths must be whole numbers from 1 on", id="lengths"),
        pytest.param({"level": 1.0}, "level must be between 0 and 1", id="level"),
        pytest.param({"n_resamples": 0}, "n_resamples must be at least 1", id="resamples"),
        pytest.param({"metrics": ["evalb"]}, "unknown metric 'evalb'; choose from", id="metric"),
        pytest.param({"metrics": []}, "no metrics to compare by", id="no metric"),
        pytest.param({"metrics": [*BOTH, "parseval"]}, "parseval is given twice", id="twice"),
    ],
)
def test_compare_refuses_before_it_scores(monkeypatch, options, message):
    monkeypatch.setattr(runner, "run_batches", lambda *args: pytest.fail("scored"))
    with pytest.raises(ValueError, match=message):
        compare({"a": OLD}, REFERENCES, **options)


@pytest.mark.parametrize(
    "args", [(REFERENCES, {"a": OLD}), ([OLD], REFERENCES), ({"a": OLD}, {"b": REFERENCES})]
)
def test_compare_says_what_comes_first(args):
    with pytest.raises(TypeError, match=r"write compare\(\{name: predictions, …\}, references\)"):
        compare(*args)


# ---- the same sentences for all --------------------------------------------------------------------


def test_compare_skips_for_all_what_one_skips():
    # Row 0 is skipped for `one`, row 2 for `two`; rows 1 and 3 are left, with 1, 0 and 0, 0 for the tags.
    references = [pair("S", "A", 2), pair("S", "A"), pair("S", "A"), pair("S", "A")]
    one = [pair("S", "A", 3), pair("S", "A"), pair("S", "A"), pair("S", "B")]
    two = [pair("S", "A", 2), pair("S", "B"), pair("S", "A", 2), pair("S", "B")]
    result = quick({"one": one, "two": two}, references, metrics=[StructIoU(on_error="skip")])
    assert (result.n_rows, result.n_sentences) == (4, {"struct_iou": 2})
    assert figures(result, "struct_iou_sentence") == {"one": 0.75, "two": 0.5}
    assert [system.counts["struct_iou"]["n_skipped"] for system in result.systems] == [1, 1]
    assert result.systems[0].own["struct_iou_sentence"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert result.notes[:3] == [
        "STRUCT-IoU of one: 1 sentence left out among 4 sentences, the first in row 1; "
        "sentence mean 0.8333 over its own valid ones.",
        "STRUCT-IoU of two: 1 sentence left out among 4 sentences, the first in row 3; "
        "sentence mean 0.6667 over its own valid ones.",
        "STRUCT-IoU compares the systems on 2 of 4 sentences, those that are valid for all of them.",
    ]
    assert [(row.row, row.scores) for row in result.sentences] == [(1, (1.0, 0.5))]
    assert sum(group.n_sentences["struct_iou"] for group in result.lengths) == 2
    assert {row.label: row.n_ref for row in result.labels} == {"S": 2, "A": 2, "B": 0}
    assert [row.scores for row in result.labels if row.label == "A"] == [[2 / 3, 0.0]]


def test_compare_needs_a_sentence_that_none_skips():
    references = [pair("S", "A"), pair("S", "A")]
    systems = {"one": [pair("S", "A", 2), references[1]], "two": [references[0], pair("S", "A", 2)]}
    with pytest.raises(
        ValueError,
        match=r"first metric must compare all systems; .* \(no sentence is valid for all systems\)",
    ):
        quick(systems, references, metrics=[StructIoU(on_error="skip")])


def test_compare_counts_zeroed_sentences():
    systems = {"one": ["(S (A a) (B b) (C c))", "(INTJ (UH yes))"], "two": NEW}
    result = quick(systems=systems, metrics=[StructIoU(on_error="zero")])
    assert figures(result, "struct_iou_sentence") == {"one": 0.5, "two": 1.0}
    assert "Sentences that STRUCT-IoU cannot compare count as 0: one 1." in result.notes
    with pytest.raises(TreeMismatchError, match=r"one\[0\] has 3 words and references\[0\] has 2 words"):
        quick(systems=systems)


def test_compare_parseval_is_on_sentences_valid_for_all():
    references = [pair("S", "A", 2), pair("S", "A", 2), pair("S", "A", 2)]
    one = ["()", pair("X", "A", 2), pair("S", "A", 2)]  # skipped, 0, 1
    two = [pair("S", "A", 2), pair("S", "A", 2), "(S (A w0) (A other))"]  # 1, 1, an error
    result = quick({"one": one, "two": two}, references, metrics=BOTH)
    assert figures(result, "parseval_f1") == {"one": 0.0, "two": 1.0}
    assert result.n_sentences == {"struct_iou": 3, "parseval": 1}
    assert result.systems[0].own["parseval_f1"] == result.systems[0].figures["parseval_f1"].value + 0.5
    assert [system.counts["parseval"]["n_errors"] for system in result.systems] == [0, 1]
    assert [system.counts["parseval"]["n_skipped"] for system in result.systems] == [1, 0]
    assert result.notes[:3] == [
        "ParsEval of one: 1 empty parse left out among 3 sentences, the first in row 1; "
        "F1 0.5000 over its own valid ones.",
        "ParsEval of two: 1 error among 3 sentences, the first in row 3; F1 1.0000 over its own valid ones.",
        "ParsEval compares the systems on 1 of 3 sentences, those that are valid for all of them.",
    ]
    assert {row.row: row.others["parseval_f1"] for row in result.sentences} == {1: (0.0, 1.0)}
    assert {row.row: row.others["parseval_f1"] for row in result.failed} == {0: (None, None)}


def test_compare_parseval_needs_common_sentences():
    references = [pair("S", "A", 2), pair("S", "A", 2)]
    result = quick({"one": ["()", references[1]], "two": [references[0], "()"]}, references, metrics=BOTH)
    assert "ParsEval: — (no sentence is valid for all systems)." in result.notes
    assert "parseval_f1" not in result.measures
    assert result.systems[0].own["parseval_f1"] == 1.0


def test_compare_parseval_is_not_defined_for_other_words():
    references = ["(S (NN ab) (VB c))"]
    systems = {"cut": ["(S (NN a) (NN b) (VB c))"], "same": references}
    result = quick(systems, references, metrics=[StructIoU(unit="char"), "parseval"])
    assert figures(result, "parseval_f1") == {"same": 1.0}
    assert result.notes[0] == (
        "ParsEval of cut: — (it needs the same words on both sides; 1 error among 1 sentence, "
        "the first in row 1)."
    )
    assert "parseval_f1" not in result.pairs[0].differences
    assert result.as_dict()["lengths"][0]["figures"]["parseval_f1"] == {"cut": None, "same": 1.0}


def test_compare_parseval_is_not_defined_over_seconds():
    references = ["(S (NN a<0,1>) (VB b<1,2>))"]
    systems = {"a": ["(S (NN <0,1.5>) (VB <1.5,2>))"], "b": references}
    result = quick(systems, references, metrics=[StructIoU(unit="time"), "parseval"])
    assert result.notes[0] == "ParsEval: — (it compares words, and trees over seconds need no common words)."
    assert list(result.signatures) == ["struct_iou"]
    assert result.words(0) == "a b"


def test_compare_unreadable_trees_are_no_parseval_errors_that_end_the_run():
    metric = StructIoU(on_error="zero")
    result = quick({"a": ["(S", NEW[1]], "b": NEW}, REFERENCES, metrics=[metric, "parseval"])
    assert figures(result, "parseval_f1") == {"a": 1.0, "b": 1.0}
    assert result.n_sentences["parseval"] == 1


def test_compare_without_brackets_agrees_with_parseval():
    references, other = ["(TOP (UH yes))"], ["(TOP (NN yes))"]
    result = quick({"a": references, "b": other}, references, metrics=BOTH)
    want = parseval(references, references)
    for name in ("f1", "precision", "recall"):
        value = getattr(want, name)
        assert figures(result, f"parseval_{name}") == {"a": value, "b": value}
    assert result.lengths[0].figures["parseval_f1"] == [want.f1] * 2
    assert result.sentences[0].others["parseval_f1"] == (want.f1,) * 2


def test_compare_warns_of_few_sentences():
    assert quick().notes == [
        "With 2 sentences intervals may be too narrow; the tests are exact however few there are."
    ]
    assert not quick({"a": OLD * 10}, REFERENCES * 10).notes
    (note,) = quick({"a": OLD * 15}, REFERENCES * 15, clusters=[k // 6 for k in range(30)]).notes
    assert "With 5 clusters" in note


def test_compare_warns_of_too_few_resamples_for_so_many_pairs():
    # Of 3 pairs, the least corrected p is 3 / (n + 1), which is 0.05 with 59 resamples.
    systems = {"a": OLD * 15, "b": NEW * 15, "c": NEW * 15}
    (note,) = quick(systems, REFERENCES * 15, n_resamples=59).notes
    assert note == (
        "With 59 resamples no difference can be significant, for p is multiplied by the number of pairs, 3. "
        "Take more, at least 60."
    )
    assert not quick(systems, REFERENCES * 15, n_resamples=60).notes


# ---- where they differ -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tree, unit, n_words",
    [
        pytest.param("(S (NP (-NONE- *)) (VP (VB go) (RB on)))", "word", 2, id="without traces"),
        pytest.param("(S (NN ab) (NN cd))", "char", 2, id="words, not characters"),
        pytest.param("(S (NN a<0,1>) (NN b<1,2.5>))", "time", 2, id="words, not seconds"),
        pytest.param([("S", 0.0, 2.5), ("A", 0.0, 1.0), ("B", 1.0, 2.5)], "time", 2, id="wordless spans"),
        pytest.param("(TOP (TOP a) (S b))", "word", 2, id="a root's label further down"),
        pytest.param("(TOP go)", "word", 1, id="a root's label over a word"),
        pytest.param("()", "word", 0, id="empty"),
        pytest.param("(S", "word", None, id="unreadable"),
    ],
)
def test_count_words(tree, unit, n_words):
    trees = [pair("S", "A", 3), tree, pair("S", "A", 1)]
    if unit == "time":
        trees[0] = trees[2] = tree
    metric = StructIoU(unit=unit, on_error="zero")
    predictions, references = ListRows(["()"] * 3, "predictions"), ListRows(trees, "references")
    [[_, found]] = runner.score_systems([metric, WordCount.beside([metric])], [predictions], references)
    assert found.columns["n_words"][1] == (n_words or 0)
    assert (found.status[1] in COUNTED) == (n_words is not None)
    assert len(found) == 3


def test_lengths_are_grouped_at_their_bounds():
    lengths = [0, 1, 10, 11, 20, 21, 40, 41, 90]
    references = [pair("S", "A", n) if n else "()" for n in lengths]
    systems = {"a": references, "b": [tree.replace("(S", "(X") for tree in references]}
    result = quick(systems, references, metrics=[StructIoU(), Parseval(parameters=NO_WORDS)])
    assert [(group.title, group.n_sentences["struct_iou"]) for group in result.lengths] == [
        ("0", 1),
        ("1–10", 2),
        ("11–20", 2),
        ("21–40", 2),
        ("41+", 2),
    ]
    # Without S, a sentence of n words keeps n of n + 1 nodes.
    by_hand = [(10 / 11 + 1 / 2) / 2, (11 / 12 + 20 / 21) / 2]
    found = [group.figures["struct_iou_sentence"][1] for group in result.lengths[1:3]]
    assert found == pytest.approx(by_hand, abs=1e-12)
    assert [group.figures["struct_iou_corpus"] for group in result.lengths][1] == pytest.approx(
        [1.0, 11 / 13]
    )
    assert [group.figures["parseval_f1"] for group in result.lengths][1] == [None, None]


def test_labels_are_ordered_by_what_they_set_apart():
    rows = [
        LabelRow("rare", [LabelTally(1, 1, 1, 1), LabelTally(0, 0, 1, 1)]),  # 1 node, spread 1
        LabelRow("often", [LabelTally(90, 90, 100, 100), LabelTally(80, 80, 100, 100)]),  # 100 nodes, 0.1
        LabelRow("extra", [LabelTally(0, 0, 5, 0), None]),
    ]
    assert [row.weight for row in rows] == pytest.approx([1.0, 10.0, 0.0])
    assert [row.n_ref for row in rows] == [1, 100, 0]
    references = [pair("S", "A", 4), pair("T", "C")]
    systems = {"one": [pair("S", "B", 4), pair("T", "C")], "two": [pair("X", "A", 4), pair("T", "C")]}
    result = quick(systems, references)
    assert [row.label for row in result.labels] == ["A", "S", "C", "T", "B", "X"]
    assert [row.scores for row in result.labels][:3] == [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    assert result.labels[4].scores == [0.0, None]


def test_labels_are_those_of_the_corpus_score():
    metric = StructIoU(labels="base")
    references = ["(S (NP-SBJ (PRP we)) (VP (VBP run)))", "(INTJ (UH yes))"] * 200
    result = compare({"old": OLD * 200}, references, metrics=[metric], n_resamples=9)
    want = metric.corpus_score(OLD * 200, references).by_label
    assert {row.label: row.tallies[0] for row in result.labels} == want


def test_sentences_that_lost_the_most_nodes_come_first():
    # By score the short sentence differs most, 0.5 of 1; by nodes the long one: 20 tags of either side.
    references = [pair("S", "A"), pair("S", "A", 40)]
    one = [pair("S", "B"), pair("S", "A", 40).replace("(A", "(B", 20)]
    result = quick({"one": one, "two": references}, references)
    assert [(row.row, row.lost) for row in result.sentences] == [(1, (40.0, 0.0)), (0, (2.0, 0.0))]
    assert [row.scores[0] for row in result.sentences] == pytest.approx([21 / 41, 0.5])
    assert result.counts_nodes


def test_sentences_of_a_metric_without_nodes_are_ordered_by_score_and_words():
    references = [pair("S", "A", 2), pair("S", "A", 20)]
    one = [pair("X", "B", 2), pair("X", "A", 20)]
    result = quick({"one": one, "two": references}, references, metrics=["leaf_ancestor"])
    assert not result.counts_nodes
    found = {row.row: (row.scores, row.lost) for row in result.sentences}
    for row, n_words in ((0, 2), (1, 20)):
        scores, lost = found[row]
        assert lost == pytest.approx(((scores[1] - scores[0]) * n_words, 0.0))
    assert [row.spread for row in result.sentences] == sorted(
        (max(x) for _, x in found.values()), reverse=True
    )


def test_failed_parses_are_listed_apart():
    references = [pair("S", "A", 3)] * 4
    one = ["()", pair("S", "B", 3), pair("S", "A", 3), "()"]
    two = [pair("S", "A", 3), pair("S", "A", 3), pair("S", "A", 3), "()"]
    result = quick({"one": one, "two": two}, references)
    assert [row.row for row in result.sentences] == [1]
    assert [(row.row, row.failed, row.lost) for row in result.failed] == [
        (0, (0,), (4.0, 0.0)),
        (3, (0, 1), (4.0, 4.0)),
    ]
    (found,) = result.pairs
    assert (found.n_better, found.n_equal, found.failed) == (2, 2, [0, 3])
    assert found.parsed_deltas == [0.75, 0.0]
    assert [row["failed"] for row in result.as_dict()["failed"]] == [["one"], ["one", "two"]]


def test_failed_parses_tell_why():
    references = [pair("S", "A", 3)] * 2
    systems = {"one": ["()", pair("S", "A", 2)], "two": references}
    result = quick(systems, references, metrics=[StructIoU(on_error="zero")])
    told = {row.row: result.tell_failure(row.row, 0) for row in result.failed}
    assert told[0] == "one"
    assert told[1].startswith("one (prediction has 2 words and reference has 3 words")


def test_systems_are_ranked_and_equal_ones_share_a_rank(three):
    systems, references = three
    result = quick({"perfect": references, **systems}, references)
    assert in_names(result, result.ranked) == ["perfect", "left", "right", "bad"]
    assert result.ranks == [1, 2, 4, 2]  # perfect, left, bad, right
    assert [in_names(result, (p.first, p.second)) for p in result.ranked_pairs] == [
        ["perfect", "left"],
        ["perfect", "right"],
        ["perfect", "bad"],
        ["left", "right"],
        ["left", "bad"],
        ["right", "bad"],
    ]
    for found in result.ranked_pairs:
        differences = found.differences["struct_iou_sentence"]
        values = [result.systems[i].figures["struct_iou_sentence"].value for i in (found.first, found.second)]
        assert differences.interval.value == pytest.approx(values[0] - values[1])
        assert differences.interval.low <= differences.interval.value <= differences.interval.high
        assert sum(found.deltas) / 60 == pytest.approx(values[0] - values[1])


def in_names(result, numbers):
    return [result.names[i] for i in numbers]


# ---- documents -------------------------------------------------------------------------------------


def test_clusters_are_resampled_as_a_whole():
    rng = np.random.default_rng(4)
    references = [pair("S", "A", 1 + k % 7) for k in range(120)]
    one = [tree.replace("(A", "(B", int(rng.integers(0, 4))) for tree in references]
    two = [tree.replace("(A", "(B", int(rng.integers(0, 3))) for tree in references]
    clusters = [f"doc {k // 10}" for k in range(120)]
    result = quick({"one": one, "two": two}, references, n_resamples=300, seed=3, clusters=clusters)
    assert result.n_clusters == {"struct_iou": 12}
    again = quick({"one": one, "two": two}, references, n_resamples=300, seed=3, clusters=np.array(clusters))
    assert again.as_dict() == result.as_dict()
    assert result.as_dict()["n_clusters"] == {"struct_iou": 12}
    columns = [columns_of(StructIoU().corpus_score(system, references)) for system in (one, two)]
    # By hand: a row for each document, with the sums of its sentences.
    joined = [
        {name: np.asarray(column, dtype=float).reshape(12, 10).sum(axis=1) for name, column in table.items()}
        for table in columns
    ]
    for key, value_of in STATISTICS.items():
        for system, table in zip(result.systems, joined, strict=True):
            want = confidence_interval(table, value_of, n_resamples=300, seed=3)
            figure = system.figures[key]
            assert (figure.low, figure.high, figure.method) == (
                pytest.approx(want.low, abs=1e-12),
                pytest.approx(want.high, abs=1e-12),
                "percentile",
            )
        found = result.pairs[0].differences[key]
        want = paired_test(*reversed(joined), value_of, n_resamples=300, seed=3)
        assert found.p_randomization == pytest.approx(want.p_value, abs=1e-12)


def test_clusters_of_skipped_sentences_are_left_out():
    references = [pair("S", "A", 2)] * 4
    one = ["(S (A a))", *references[1:]]
    result = quick(
        {"one": one}, references, metrics=[StructIoU(on_error="skip")], clusters=["x", "y", "y", "z"]
    )
    assert result.n_clusters == {"struct_iou": 2}


@pytest.mark.parametrize(
    "clusters, error, message",
    [
        pytest.param(["x"], ValueError, "1 cluster for 2 sentences; name one for each", id="few"),
        pytest.param(["x", None], ValueError, "row 2 is in no cluster", id="none"),
        pytest.param(["x", float("nan")], ValueError, "row 2 is in no cluster", id="nan"),
        pytest.param("xy", TypeError, "clusters must be a list", id="text"),
        pytest.param(3, TypeError, "clusters must be a list", id="number"),
        pytest.param([["x"], ["y"]], TypeError, "unhashable", id="no key"),
    ],
)
def test_clusters_are_checked_before_scoring(monkeypatch, clusters, error, message):
    monkeypatch.setattr(runner, "run_batches", lambda *args: pytest.fail("scored"))
    with pytest.raises(error, match=message):
        quick(clusters=clusters)


def test_sentences_that_differ_most_come_first():
    references = [pair("S", "A", 3)] * 4
    one = [pair("S", "A", 3), pair("X", "A", 3), pair("S", "A", 3), pair("S", "B", 3)]
    two = [pair("S", "A", 3), pair("S", "A", 3), pair("S", "B", 3), pair("S", "A", 3)]
    result = quick({"one": one, "two": two}, references)
    assert [(row.row, row.scores) for row in result.sentences] == [
        (2, (1.0, 0.25)),
        (3, (0.25, 1.0)),
        (1, (0.75, 1.0)),
    ]
    assert [result.extremes(row) for row in result.sentences] == [[0, 1]] * 3
    assert result.words(1) == "w0 w1 w2"
    assert result.align(2, 1).score == 0.25


def test_as_dict_is_plain():
    result = quick(metrics=BOTH)
    data = result.as_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["systems"][0]["figures"]["struct_iou_sentence"]["value"] == 0.3
    assert data["pairs"][0]["first"] == "new"
    assert [row["index"] for row in data["sentences"]] == [0]
    assert [row["index"] for row in data["failed"]] == [1]
    assert data["sentences"][0]["lost"] == {"old": 4.0, "new": 0.0}
    assert result.as_dict(n_sentences=0)["sentences"] == []
    assert result.as_dict(n_sentences=0)["n_failed"] == 1
    assert data["systems"][0]["figures"]["struct_iou_sentence"]["method"] == "percentile"
    assert (data["seed"], data["n_resamples"], data["level"]) == (1, 50, 0.95)

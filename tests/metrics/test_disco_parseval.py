"""Discontinuous ParsEval: by hand, against sets of words, against disco-dop, and through its entry points."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import StructIoU, TreeFormatError, TreeMismatchError, __version__, struct_iou
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.metrics.parseval.parameters import Parameters
from structiou_metric.sources.files import TreeFile
from structiou_metric.sources.treebanks import read_rows
from structiou_metric.trees.discontinuous import DiscontinuousError
from support import disco_parseval_oracle
from support.cli import failed, runner, succeeded
from support.examples import examples
from support.paths import DATA
from support.treebank_cases import CROSSING, Case, cases

GOLD = "(S (VP (VB 0=is) (JJ 2=rich)) (NP (NNP 1=John)) ($. 3=?))\n"
PARSED = "(S (VP (VB 0=is)) (NP (NNP 1=John) (JJ 2=rich)) ($. 3=?))\n"
COLUMNS = ("matched", "n_pred", "n_ref", "unlabeled", "disc_matched", "disc_pred", "disc_ref")


def rows(tmp_path, text, name="x.dbr", **reading):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read_rows(tmp_path / name, **reading)


def test_by_hand(tmp_path):
    """The `$.` is deleted. S{0,1,2} is right of S, VP{0}, NP{1,2}; the reference has S, VP{0,2}, NP{1}."""
    result = load_metric("disco_parseval").corpus_score(
        rows(tmp_path, PARSED), rows(tmp_path, GOLD, "gold.dbr")
    )
    assert [result.columns[name][0] for name in COLUMNS] == [1, 3, 3, 1, 0, 0, 1]
    assert result.figures["disco_parseval_f1"] == pytest.approx(1 / 3)
    assert result.figures["disco_parseval_only_recall"] == 0
    assert result.figures["disco_parseval_only_precision"] == 1  # of none
    assert result.figures["disco_parseval_tagging_accuracy"] == 1
    same = load_metric("disco_parseval").corpus_score(rows(tmp_path, GOLD), rows(tmp_path, GOLD, "gold.dbr"))
    assert set(same.figures.values()) == {1.0}


@st.composite
def pairs(draw):
    """Two trees over the same words."""
    prediction, reference = draw(cases()), draw(cases())
    if len(prediction.words) != len(reference.words):
        reference = prediction
    return prediction, Case(reference.root, prediction.words)


@given(st.lists(pairs(), min_size=1, max_size=4))
@examples(150)
def test_sets_of_words(tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("disco")
    sides = [
        rows(
            folder,
            CROSSING["discbracket"]([pair[side] for pair in drawn]),
            f"{side}.dbr",
            format="discbracket",
        )
        for side in range(2)
    ]
    deleted = {"NP"}
    metric = load_metric("disco_parseval", parameters=Parameters(delete_labels=tuple(deleted)))
    result = metric.corpus_score(*sides)
    for row, (prediction, reference) in enumerate(drawn):
        want = disco_parseval_oracle.count(prediction, reference, deleted)
        assert tuple(int(result.columns[name][row]) for name in COLUMNS) == want
        assert result.columns["complete"][row] == (want[0] == want[1] == want[2])


def test_a_chain_of_100_000_nodes_over_the_same_words():
    deep = "(A (B " * 50_000 + "(N a)" + "))" * 50_000
    other = "(B (C " * 50_000 + "(N a)" + "))" * 50_000
    result = load_metric("disco_parseval").corpus_score([deep], [other])
    assert [result.columns[name][0] for name in COLUMNS[:4]] == [50_000, 100_000, 100_000, 100_000]


def test_disco_dop():
    """The figures of disco-dop for synthetic trees without gaps, with `DELETE_LABEL TOP`."""
    path = DATA / "peers" / "discodop_cases.jsonl"
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    metric = load_metric("disco_parseval", parameters=Parameters(delete_labels=("TOP",)))
    result = metric.corpus_score([row["hypothesis"] for row in found], [row["reference"] for row in found])
    got = list(zip(*(map(int, result.columns[name]) for name in COLUMNS[:3]), strict=True))
    assert got == [(row["matched"], row["cand_brackets"], row["gold_brackets"]) for row in found]


def test_disco_dop_with_gaps(tmp_path):
    """The figures of disco-dop for synthetic trees with gaps: all, unlabelled, and `--disconly`."""
    path = DATA / "peers" / "discodop_discontinuous.jsonl"
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    sides = [
        rows(tmp_path, "".join(f"{row[side]}\n" for row in found), f"{side}.dbr", format="discbracket")
        for side in ("prediction", "reference")
    ]
    deleted = ("VROOT", "$.")
    result = load_metric("disco_parseval", parameters=Parameters(delete_labels=deleted)).corpus_score(*sides)
    theirs = (
        "matched",
        "cand_brackets",
        "gold_brackets",
        "unlabeled",
        "disc_matched",
        "disc_cand",
        "disc_gold",
    )
    theirs += ("words", "correct_tags")
    for row, want in enumerate(found):
        got = [int(result.columns[name][row]) for name in (*COLUMNS, "words", "correct_tags")]
        assert got == [want[name] for name in theirs], want["id"]
    assert sum(row["disc_matched"] for row in found) > 50
    unlabeled = Parameters(delete_labels=deleted, labeled=False)
    result = load_metric("disco_parseval", parameters=unlabeled).corpus_score(*sides)
    assert list(result.columns["matched"]) == [row["unlabeled"] for row in found]


def test_without_gaps_and_deletions_it_is_parseval():
    trees = (DATA / "english.prediction.txt").read_text().splitlines()
    reference = [tree.replace("(NP ", "(PP ", 1) for tree in trees]
    kept = [(one, other) for one, other in zip(trees, reference, strict=True) if one != "(TOP )"]
    plain = Parameters(delete_labels=("TOP",))
    sides = [one for one, _ in kept], [other for _, other in kept]
    disco = load_metric("disco_parseval", parameters=plain).corpus_score(*sides)
    usual = load_metric("parseval", parameters=plain).corpus_score(*sides)
    for name in ("matched", "n_pred", "n_ref"):
        assert list(disco.columns[name]) == list(usual.columns[name])


@pytest.mark.parametrize("name", [name for name in METRICS if name != "disco_parseval"])
def test_no_other_metric_takes_crossing_branches_in_silence(name, tmp_path):
    gold, parsed = rows(tmp_path, GOLD * 2, "gold.dbr"), rows(tmp_path, PARSED * 2)
    message = (
        r"gold\.dbr:1: this tree is discontinuous: its 'VP' has 'is' and 'rich', .* \(2 of 2 trees are disc"
    )
    with pytest.raises(DiscontinuousError, match=message):
        load_metric(name).corpus_score(parsed, gold)
    result = load_metric(name, on_error="zero").corpus_score(parsed, gold)
    assert len(result.problems) == 2


@pytest.mark.parametrize(
    "prediction, message",
    [
        ("(S (A 0=a) (B 1=b) (C 2=c))", r"x\.dbr:1 has 3 words and .*gold\.dbr:1 has 2 words"),
        ("(S (A 0=a) (B 1=x))", r"x\.dbr:1 has 'x' where .*gold\.dbr:1 has 'b'"),
        ("(S (A 0=a) 1=b)", r"x\.dbr:1: the word 'b' has no tag of its own; write it as \(TAG b\)"),
        ("(S (A 0=a) (B b))", r"x\.dbr:1: the word 'b' has no number"),
    ],
)
def test_pairs_that_cannot_be_compared(prediction, message, tmp_path):
    gold = rows(tmp_path, "(S (X (A 0=a)) (B 1=b))\n", "gold.dbr", format="discbracket")
    parsed = rows(tmp_path, prediction + "\n", format="discbracket")
    with pytest.raises(ValueError, match=message):
        load_metric("disco_parseval").corpus_score(parsed, gold)
    result = load_metric("disco_parseval", on_error="zero").corpus_score(parsed, gold)
    assert (result.n_zeroed, result.columns["n_ref"][0]) == (1, 2)
    assert load_metric("disco_parseval", on_error="zero").corpus_score(gold, parsed).n_zeroed == 1


def test_one_side_broken_and_the_other_discontinuous(tmp_path):
    gold, parsed = rows(tmp_path, GOLD, "gold.dbr"), rows(tmp_path, "(S (A 0=a)\n", format="discbracket")
    with pytest.raises(ValueError, match=r"x\.dbr:1:1: this '\(' is never closed"):
        load_metric("disco_parseval").corpus_score(parsed, gold)


def test_words_that_traces_add_are_no_mismatch():
    result = load_metric("disco_parseval").corpus_score(
        ["(S (VP (VB go)))"], ["(S (NP (-NONE- *)) (VP (VB go)))"]
    )
    assert result.figures["disco_parseval_f1"] == 1


def test_equal_labels_are_joined():
    parameters = Parameters(equal_labels=(("A", "B"), ("B", "C")))
    score = load_metric("disco_parseval", parameters=parameters).corpus_score(["(A (X x))"], ["(C (X x))"])
    assert score.figures["disco_parseval_f1"] == 1


def test_very_long_sentences_take_little_memory():
    n = 20_000
    deep = "(A (T x) " * n + "(T x)" + ")" * n
    assert load_metric("disco_parseval").corpus_score([deep], [deep]).columns["matched"][0] == n


# ------------------------------------------------------------------------------------- entry points


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.dbr").write_text(GOLD)
    (tmp_path / "pred.dbr").write_text(PARSED)
    return runner(capsys)


def test_score_names_the_choices(structiou):
    err = failed(structiou("score", "gold.dbr", "pred.dbr"))
    assert "gold.dbr:1: this tree is discontinuous: its 'VP' has 'is' and 'rich'" in err
    assert "(1 of 1 trees are discontinuous); choose --discontinuous raise, split or span" in err
    out = succeeded(structiou("score", "gold.dbr", "pred.dbr", "--metric", "disco_parseval"))
    assert "Discontinuous ParsEval, F1 " in out.splitlines()[0]
    assert out.splitlines()[0].endswith("0.3333")


@pytest.mark.parametrize(
    "choice, want",
    [
        # Nodes of the reference: S VP VB NP NNP JJ $. in each case, with another VP after `split`.
        ("raise", "(S (VP (VB is)) (NP (NNP John)) (JJ rich) ($. ?))"),
        ("split", "(S (VP (VB is)) (NP (NNP John)) (VP (JJ rich)) ($. ?))"),
        ("span", "(S (VP (VB is) (NP (NNP John)) (JJ rich)) ($. ?))"),
    ],
)
def test_choices_make_trees_continuous(choice, want, structiou, tmp_path):
    out = json.loads(
        succeeded(structiou("score", "gold.dbr", "pred.dbr", "--discontinuous", choice, "--json"))
    )
    parsed = "(S (VP (VB is)) (NP (NNP John) (JJ rich)) ($. ?))"
    assert out["struct_iou"] == StructIoU().corpus_score([parsed], [want]).sentence
    assert succeeded(structiou("convert", "gold.dbr", "-", "--discontinuous", choice)) == f"{want}\n"


def test_signatures_tell_how_crossing_branches_were_undone(structiou, tmp_path):
    (tmp_path / "plain.mrg").write_text("(S (VP (VB is)) (NP (NNP John)) (JJ rich) ($. ?))\n")
    files = "gold.dbr", "pred.dbr", "--discontinuous", "raise"
    told = f"|version:{__version__}|discontinuous:raise"
    for command in ("score", "why", "align", "parseval", "sparseval"):
        assert "|discontinuous:raise" in succeeded(structiou(command, *files)), command
    for command in ("score", "why", "align"):
        assert json.loads(succeeded(structiou(command, *files, "--json")))["signature"].endswith(told)
    assert "|discontinuous:raise|" in succeeded(structiou("why", *files, "--row", "1"))
    same = structiou("score", "plain.mrg", "plain.mrg", "--discontinuous", "raise")
    assert "discontinuous" not in succeeded(same)  # no tree was changed
    pytest.importorskip("numpy")
    compared = json.loads(succeeded(structiou("compare", *files[:2], "plain.mrg", *files[2:], "--json")))
    assert all(signature.endswith(told) for signature in compared["signatures"].values())
    assert told in succeeded(structiou("curve", *files, "--unit", "word", "--deltas", "0"))


def test_results_that_were_read_differently_are_not_joined(tmp_path):
    plain = rows(tmp_path, "(S (A 0=a) (B 1=b))\n")
    parts = [StructIoU().corpus_score(plain, plain)]
    for choice in ("raise", "split"):
        trees = rows(tmp_path, GOLD, discontinuous=choice)
        parts.append(StructIoU().corpus_score(trees, trees))
    assert type(parts[0]).joined(parts[:2]).signature == parts[1].signature
    with pytest.raises(ValueError, match=r"different settings cannot be joined: .*:raise and .*:split"):
        type(parts[0]).joined(parts[1:])


def test_span_is_a_counted_error_where_nodes_would_overlap(structiou, tmp_path):
    (tmp_path / "x.dbr").write_text("(S (A (X 0=a) (X 2=c)) (B (X 1=b) (X 3=d)))\n(S (X 0=a))\n")
    err = failed(structiou("score", "x.dbr", "x.dbr", "--discontinuous", "span"))
    assert "x.dbr:1: from first to last word, 'A' and 'B' would overlap, and neither hold the other" in err
    out = succeeded(structiou("score", "x.dbr", "x.dbr", "--discontinuous", "span", "--on-error", "zero"))
    assert "not comparable, score 0" in out


def test_numbered_words_are_refused_where_only_brackets_are_read():
    with pytest.raises(
        TreeFormatError, match=r"^reference: the words are numbered, as in discontinuous trees"
    ):
        struct_iou(GOLD, GOLD)
    with pytest.raises(TreeFormatError, match=r"^references\[0\]: the words are numbered"):
        StructIoU().corpus_score(["(A a)"], [GOLD])
    assert struct_iou("(A 0=a)", "(A 0=a)") == 1  # one word has only one order
    with pytest.raises(TreeFormatError, match=r"^x: the words are numbered, as in discontinuous trees"):
        TreeFile(GOLD.encode(), "x")


def test_different_words_are_named():
    with pytest.raises(
        TreeMismatchError, match=r"^predictions\[0\] has 1 word and references\[0\] has 2 words"
    ):
        load_metric("disco_parseval").corpus_score(["(A (B b))"], ["(A (B b) (C c))"])

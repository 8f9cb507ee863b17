"""Aligned ParsEval: jp-evalb's figures and crashes under `compat`, else a slow reading of its own rules."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.metrics import load_metric
from structiou_metric.metrics.base import STATUSES
from structiou_metric.metrics.parseval.parameters import COLLINS, Parameters
from structiou_metric.metrics.sentence_pairs import align_sentences
from support import aligned_parseval_oracle as oracle
from support.cli import runner, succeeded
from support.examples import examples
from support.paths import DATA

PEERS = DATA / "peers"
CASES = [json.loads(line) for line in (PEERS / "jpevalb_cases.jsonl").read_text("utf-8").splitlines()]
RUNS = {
    "default": {"compat": "default"},
    "own.prm": {"compat": "default", "parameters": PEERS / "jpevalb_own.prm"},
    "evalb": {"compat": "evalb"},
}
FIELDS = {
    "length": "length",
    "matched": "matched",
    "gold": "gold_brackets",
    "test": "system_brackets",
    "cross": "crossing",
    "words": "words",
    "tags": "correct_tags",
}
SUMMARY = {
    "Bracketing Recall": "aligned_parseval_recall",
    "Bracketing Precision": "aligned_parseval_precision",
    "Bracketing FMeasure": "aligned_parseval",
    "Complete match": "aligned_parseval_complete_match",
    "Average crossing": "aligned_parseval_average_crossing",
    "No crossing": "aligned_parseval_no_crossing",
    "2 or less crossing": "aligned_parseval_two_or_less_crossing",
    "Tagging accuracy": "aligned_parseval_tagging_accuracy",
}


def score(predictions, references, **options):
    return load_metric("aligned_parseval", **options).corpus_score(predictions, references)


# ---- the figures of jp-evalb -----------------------------------------------------------------------


@pytest.mark.parametrize("run", RUNS)
def test_compat_gives_what_jp_evalb_prints(run):
    metric = load_metric("aligned_parseval", **RUNS[run])
    for case in CASES:
        want = case["figures"][run]
        if "error" in want:
            with pytest.raises(ValueError, match=f"jp-evalb ends with {want['error']}.*leave compat out"):
                metric.corpus_score(case["system"], case["gold"])
            continue
        found = metric.corpus_score(case["system"], case["gold"])
        for column, field in FIELDS.items():
            assert list(found.columns[column]) == [row[field] for row in want["rows"]], (case["id"], column)
        assert list(found.status) == [row["status"] for row in want["rows"]]
        for figures, part in ((found.figures, "All"), (found.short, "len<=40")):
            for title, key in SUMMARY.items():
                value = figures[key] * (1 if title == "Average crossing" else 100)
                printed = "0.00" if want["summary"][part][title] == "nan" else want["summary"][part][title]
                assert f"{value:.2f}" == printed, (case["id"], part, title)
        if run == "default":
            assert [list(pair.sentences) for pair in found.groups] == case["sentence_groups"]
            assert [list(pair.words) for pair in found.groups] == case["word_groups"]


def test_own_rules_differ_from_jp_evalb_by_its_bugs_alone():
    """Where sentences are grouped alike, doubled brackets, `S1` and `=` are all that counts otherwise."""
    others = []
    for case in CASES:
        found = score(case["system"], case["gold"])
        pairs = found.sentence_groups
        assert [n for pair in pairs for n in pair[0]] == list(range(len(case["gold"])))
        assert [n for pair in pairs for n in pair[1]] == list(range(len(case["system"])))
        if pairs == case["sentence_groups"]:
            rows = case["figures"]["default"]["rows"]
            if any(
                list(found.columns[name]) != [row[field] for row in rows] for name, field in FIELDS.items()
            ):
                others.append(case["id"])
        assert score(case["gold"], case["gold"]).score == 1.0
    assert others == ["jp114", "jp291", "jp294"]  # NP over NP, `S1`, `NP=1`


def test_own_groups_are_no_coarser_than_those_of_jp_evalb():
    finer = [
        c for c in CASES if c["sentence_groups"] not in (None, score(c["system"], c["gold"]).sentence_groups)
    ]
    assert len(finer) == 12
    for case in finer:
        assert len(score(case["system"], case["gold"])) > len(case["sentence_groups"])


# ---- the metric's own rules ------------------------------------------------------------------------

LABELS = ("NP", "NP-SBJ", "NP=2", "VP", "PRT", "ADVP", "S", "TOP", "S1", "-NONE-")
TAGS = ("NN", "VB", "PRT", "-NONE-", ",", "''")
WORDS = ("a", "b", "B", "cat", "cats", "c", "at", "'", "*T*", "Äh", "äh")
PARAMETERS = st.builds(
    Parameters,
    delete_labels=st.lists(st.sampled_from((*LABELS, *TAGS)), max_size=4).map(tuple),
    delete_words=st.lists(st.sampled_from(WORDS), max_size=1).map(tuple),
    equal_labels=st.sampled_from(((), (("ADVP", "PRT"),))),
    equal_words=st.sampled_from(((), (("a", "cat"),))),
    quote_labels=st.sampled_from(((), ("''",))),
    labeled=st.sampled_from((True, True, False)),
)


def _tree(rng, sentence):
    row = [f"({tag} {word})" for tag, word in sentence]
    for _ in range(rng.randrange(1, 2 * len(row) + 3)):
        lo = rng.randrange(len(row))
        hi = rng.randrange(lo + 1, min(len(row), lo + 4) + 1)
        row[lo:hi] = [f"({rng.choice(LABELS)} {' '.join(row[lo:hi])})"]
    return f"(TOP {' '.join(row)})"


@st.composite
def sides(draw, max_sentences=3):
    """Sentences of a few words, and the same with other words, other trees and other cuts."""
    rng = draw(st.randoms(use_true_random=False))
    texts = [
        [(rng.choice(TAGS), rng.choice(WORDS)) for _ in range(rng.randrange(1, 8))]
        for _ in range(draw(st.integers(1, max_sentences)))
    ]
    other = []
    for text in texts:
        heard = [
            (
                rng.choice(TAGS) if rng.random() < 0.1 else tag,
                rng.choice(WORDS) if rng.random() < 0.1 else word,
            )
            for tag, word in text
            if rng.random() > 0.1
        ]
        if rng.random() < 0.2 and len(heard) > 1:
            cut = rng.randrange(1, len(heard))
            other += [heard[:cut], heard[cut:]]
        else:
            other.append(heard)
    return [_tree(rng, text) if text else "()" for text in other], [_tree(rng, text) for text in texts]


@examples(150)
@given(pair=sides(), parameters=PARAMETERS)
def test_rows_agree_with_oracle(pair, parameters):
    predictions, references = pair
    found = score(predictions, references, parameters=parameters)
    for i, (refs, preds) in enumerate(found.sentence_groups):
        want = oracle.row([predictions[n] for n in preds], [references[n] for n in refs], parameters)
        assert {name: found.columns[name][i] for name in want} == want


@examples(80)
@given(pair=sides(1), parameters=PARAMETERS)
def test_word_groups_hold_all_words_that_are_kept(pair, parameters):
    found = score(*pair, parameters=parameters)
    for i, pair_groups in enumerate(found.groups):
        ref, pred = pair_groups.words
        if ref and pred:
            assert len(ref) == len(pred) == found.columns["n_groups"][i]
        flat = [word for group in ref for word in ([group] if isinstance(group, str) else group)]
        assert len(flat) == found.columns["words"][i]


SENTENCES = st.lists(st.text("ab", max_size=7), max_size=5)


@examples(300)
@given(SENTENCES, SENTENCES)
def test_sentences_are_grouped_at_the_least_cost(first, second):
    groups = align_sentences(first, second)
    assert sum(a for a, _ in groups) == len(first)
    assert sum(b for _, b in groups) == len(second)
    assert oracle.cost_of(groups, first, second) <= oracle.least_cost(first, second)


@examples(100)
@given(st.lists(st.text("abc", min_size=1, max_size=9), max_size=40), st.randoms(use_true_random=False))
def test_many_sentences_are_all_grouped(first, rng):
    second = [text for text in first if rng.random() > 0.1]
    rng.shuffle(second)
    groups = align_sentences(first, second)
    assert all(a + b for a, b in groups)
    assert sum(a for a, _ in groups) == len(first)
    assert sum(b for _, b in groups) == len(second)


def _noisy(rng, texts):
    return ["".join(c if rng.random() > 0.1 else "x" for c in text) for text in texts]


def test_lost_split_and_joined_sentences_are_found_among_many():
    rng = Random(3)
    texts = ["".join(rng.choice("abcdefgh") for _ in range(rng.randrange(20, 80))) for _ in range(120)]
    heard: list[str] = []
    want: list[tuple[int, int]] = []
    for k, text in enumerate(_noisy(rng, texts)):
        if k % 17 == 5:
            want.append((0, 1))
        elif k % 17 == 11:
            heard += [text[:12], text[12:]]
            want.append((2, 1))
        elif k % 17 == 15:
            heard[-1] += text
            want[-1] = (1, 2)
        else:
            heard.append(text)
            want.append((1, 1))
    assert align_sentences(heard, texts) == want


@pytest.mark.parametrize(
    "predictions, references, groups",
    [
        pytest.param(["(A a1)", "(A b2)"], ["(S (A a1) (A b2))"], [[[0], [0, 1]]], id="split"),
        pytest.param(
            ["(S (A a1) (A b2) (A c3) (A d4))"],
            ["(A a1)", "(A b2)", "(A c3)", "(A d4)"],
            [[[0, 1, 2, 3], [0]]],
            id="joined up to the end",
        ),
        pytest.param(
            ["(A a1)", "(A b2)", "(A c3)", "(A d4)", "(A x)"],
            ["(S (A a1) (A b2) (A c3) (A d4))", "(A x)"],
            [[[0], [0, 1, 2, 3]], [[1], [4]]],
            id="more predictions, and none is lost",
        ),
        pytest.param(["(A garden)"], ["(A gardens)"], [[[0], [0]]], id="last ones a little different"),
        pytest.param(["()", "()"], ["(A one)", "(A two)"], [[[0], [0]], [[1], [1]]], id="failed parses"),
        pytest.param(["(A two)"], ["(A one)", "(A two)"], [[[0], []], [[1], [0]]], id="one side only"),
        pytest.param(["(A o)", "()"], ["(A o)"], [[[0], [0, 1]]], id="without words and partner"),
    ],
)
def test_sentence_groups(predictions, references, groups):
    assert score(predictions, references).sentence_groups == groups


def test_parameters_are_obeyed():
    gold, test = "(S (NP (N a)) (VP (V b)))", "(S (VP (N a)) (VP (V c)))"
    assert list(score([test], [gold]).columns["matched"]) == [2]
    unlabeled = Parameters(labeled=False)
    assert list(score([test], [gold], parameters=unlabeled).columns["matched"]) == [3]
    longer = "(S (NP (N a)) (VP (V x) (V c)))"  # the word b is x and c together, unless c is b
    equal = Parameters(equal_words=(("b", "c"),))
    assert score([longer], [gold]).word_groups == [[["a", ["b"]], ["a", ["x", "c"]]]]
    assert score([gold], ["(S (N a) (V c))"], parameters=equal).columns["tags"][0] == 2
    assert score([gold], ["(S (N a) (V c))"]).columns["tags"][0] == 1
    pair = [gold, "(S (N a))"]
    short = score(pair, pair, parameters=Parameters(cutoff=1)).short
    assert short["aligned_parseval_complete_match"] == 1.0
    assert (
        score(["(S (A a))", gold], pair[::-1], parameters=Parameters(cutoff=1)).short["aligned_parseval"]
        == 1.0
    )
    assert list(score([gold], [gold], parameters=COLLINS).columns["gold"]) == [3]


def test_sentences_of_one_side_count_as_without_brackets():
    found = score(["(S (NP (A one)) (B two))"], ["(X (Y (A zero)))", "(S (NP (A one)) (B two))"])
    assert [STATUSES[state] for state in found.status] == ["empty", "valid"]
    assert list(found.columns["gold"]) == [2, 2]
    assert found.figures["aligned_parseval_recall"] == 0.5
    assert found.figures["aligned_parseval_precision"] == 1.0
    assert list(found.rows) == [0, 1]
    more = score(["(S (A one))", "(X (A three))"], ["(S (A one))"])
    assert list(more.rows) == [0, 0]
    assert more.figures["aligned_parseval_precision"] == 0.5


def test_documents_are_aligned_each_by_itself():
    metric = load_metric("aligned_parseval")
    predictions = [["(S (A a1) (B b2))"], ["(S (A a1))", "(S (B b2))"], []]
    references = [["(S (A a1))", "(S (B b2))"], ["(S (A a1))", "(S (B b2))"], []]
    found = metric.corpus_score(predictions, references, documents=True)
    assert list(found.rows) == [0, 1, 1, 2]
    assert found.sentence_groups == [[[0, 1], [0]], [[0], [0]], [[1], [1]], [[], []]]
    assert [pair.words for pair in found.groups[:2]] == [[["a1", "b2"], ["a1", "b2"]], [["a1"], ["a1"]]]
    with pytest.raises(ValueError, match=r"predictions\[1\]\[1\]"):
        metric.corpus_score([["(S (A a))"], ["()", "(S"]], [["(S (A a))"], ["()"]], documents=True)
    skipping = metric.with_options(on_error="zero")
    found = skipping.corpus_score([["(S", "(A a"]], [["(S (A b))", "(A a)"]], documents=True)
    assert [row for row, _ in found.problems] == [0, 0]


def test_compat_takes_documents_as_files():
    case = next(c for c in CASES if c["id"] == "jp297")
    metric = load_metric("aligned_parseval", **RUNS["evalb"])
    alone = metric.corpus_score(case["system"], case["gold"])
    twice = metric.corpus_score([case["system"]] * 2, [case["gold"]] * 2, documents=True)
    assert list(twice.columns["length"]) == list(alone.columns["length"]) * 2


def test_bad_input_says_where_and_what():
    with pytest.raises(
        ValueError, match=r"'b' at position 2 of predictions\[0\] has no tag.*write \(TAG word\)"
    ):
        score(["(S (A a) b)"], ["(S (A a) (B b))"])
    with pytest.raises(ValueError, match="give the same number of both"):
        score([], ["(A a)"])
    with pytest.raises(ValueError, match="no trees to score"):
        score([], [])
    with pytest.raises(ValueError, match="unknown compat 'x'; choose from none, default, evalb"):
        load_metric("aligned_parseval", compat="x")
    with pytest.raises(ValueError, match=r"'x' at position 2 of predictions\[0\] to predictions\[1\]"):
        score(["(S (A xa1))", "(A x b2)"], ["(S (A xa1) (A x) (A b2) e)"])


def test_parts_number_their_sentences_on():
    metric = load_metric("aligned_parseval")
    parts = [
        metric.corpus_score(["(S (A a1) (A b2))", "(X (A x))"], ["(S (A a1))", "(S (A b2))", "(X (A x))"]),
        metric.corpus_score(["(Y (A y))"], ["(Y (A y))"]),
    ]
    found = type(parts[0]).joined(parts)
    assert list(found.rows) == [0, 2, 3]
    assert found.sentence_groups == [[[0, 1], [0]], [[2], [1]], [[3], [2]]]
    assert [pair.words for pair in found.groups][2] == [["y"], ["y"]]
    joined = type(found).joined([found, found])
    assert len(joined.groups) == 6
    assert found.picked([1], [7]).sentence_groups == [[[2], [1]]]


def test_systems_cut_otherwise_are_compared_on_common_stretches():
    pytest.importorskip("numpy")
    from structiou_metric.analysis.compare import compare

    references = ["(S (NP (A one)) (B two))", "(T (C three) (D four))", "(U (E five) (F six))"] * 12
    joined = ["(S (NP (A one)) (B two) (C three))", "(T (D four))", "(U (E five) (F six))"] * 12
    other = ["(S (A one) (B two))", "(T (C three) (D four))", "(U (E five) (F six))"] * 12
    found = compare(
        {"joined": joined, "other": other}, references, metrics=["aligned_parseval"], n_resamples=50
    )
    assert found.n_sentences == {"aligned_parseval": 24}
    assert any("joins sentences that it has aligned otherwise" in note for note in found.notes)
    for system, trees in zip(found.systems, (joined, other), strict=True):
        assert system.figures["aligned_parseval"].value == score(trees, references).score


def test_command_takes_unequal_files_and_prints_groups(capsys, tmp_path):
    gold, test = tmp_path / "gold.txt", tmp_path / "test.txt"
    gold.write_text("(S (A a1) (B b2))\n(X (A x))\n")
    test.write_text("(S (A a1))\n(S (B b2))\n(X (A x))\n")
    structiou = runner(capsys, "score", str(gold), str(test), "--metric", "aligned_parseval")
    assert "Aligned ParsEval, F1" in succeeded(structiou())
    rows = json.loads(succeeded(structiou("--json", "--per-sentence")))["sentences"]
    assert rows[0]["sentences"] == [[0], [0, 1]]
    assert rows[0]["words"] == [["a1", "b2"], ["a1", "b2"]]
    text = succeeded(structiou("--compat", "evalb"))
    assert "compat:evalb" in text

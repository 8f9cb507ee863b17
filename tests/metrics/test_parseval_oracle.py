"""ParsEval agrees with a slow, literal reading of EVALB, and with its own source uncompiled."""

from __future__ import annotations

import importlib
import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import COMPILED
from structiou_metric.metrics.parseval.metric import ParsevalScore, parseval
from structiou_metric.metrics.parseval.parameters import COLLINS, SPMRL, Parameters
from support import parseval_oracle
from support.examples import examples
from support.parseval_strategies import PARAMETERS, bracketed, misread, pairs, random_sentence
from support.paths import DATA
from support.twin import TWIN, source_twin

pytestmark = pytest.mark.slow

CASES = DATA / "evalb_cases.jsonl"


def _rows(score: ParsevalScore) -> list[parseval_oracle.Row]:
    columns = {**score.columns, "status": score.status}
    named = (columns[name] for name in parseval_oracle.Row._fields)
    return [parseval_oracle.Row(*values) for values in zip(*named, strict=True)]


def test_oracle_agrees_with_evalb():
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        (row,) = parseval_oracle.rows(
            case["prediction"], case["reference"], COLLINS, "evalb", count_empty=False, compat=False
        )
        names = ("length", "status", "matched", "test_brackets", "gold_brackets", "crossing", "words")
        assert row == tuple(case[name] for name in (*names, "correct_tags")), case["id"]


@examples(120)
@given(batch=st.lists(pairs(12), min_size=1, max_size=8), parameters=PARAMETERS, compat=st.booleans())
def test_parseval_agrees_with_oracle(batch, parameters, compat):
    predictions, references = zip(*batch, strict=True)
    want = [row for pair in batch for row in parseval_oracle.rows(*pair, parameters, "evalb", False, compat)]
    assert _rows(parseval(predictions, references, parameters=parameters, compat=compat)) == want


@examples(100)
@given(
    batch=st.lists(pairs(8), min_size=1, max_size=8),
    parameters=PARAMETERS,
    count_empty=st.booleans(),
    compat=st.booleans(),
)
def test_parseval_spmrl_agrees_with_oracle(batch, parameters, count_empty, compat):
    predictions, references = zip(*batch, strict=True)
    parameters = parameters._replace(delete_words=())
    options = {"variant": "spmrl", "count_empty": count_empty, "compat": compat}
    want = [row for pair in batch for row in parseval_oracle.rows(*pair, parameters, **options)]
    assert _rows(parseval(predictions, references, parameters=parameters, **options)) == want


@examples(60)
@given(pair=pairs(30), parameters=st.sampled_from((COLLINS, COLLINS._replace(quote_labels=("''", "POS")))))
def test_parseval_agrees_with_oracle_on_long_sentences(pair, parameters):
    want = parseval_oracle.rows(*pair, parameters, "evalb", False, False)
    assert _rows(parseval([pair[0]], [pair[1]], parameters=parameters)) == want


@examples(100)
@given(rng=st.randoms(use_true_random=False), n_words=st.integers(1, 8))
def test_parseval_quotes_agree_with_oracle(rng, n_words):
    parameters = Parameters(delete_labels=("''", ","), quote_labels=("''", "POS", "NN"))
    tags = ("''", "POS", "NN", ",", "VB")
    sentence = [(rng.choice(tags), rng.choice("''''a/")) for _ in range(n_words)]
    other = [(rng.choice(tags) if rng.random() < 0.3 else tag, word) for tag, word in sentence]
    trees = bracketed(rng, other), bracketed(rng, sentence)
    want = parseval_oracle.rows(*trees, parameters, "evalb", False, False)
    assert _rows(parseval([trees[0]], [trees[1]], parameters=parameters)) == want


@examples(150)
@given(rng=st.randoms(use_true_random=False), n_words=st.integers(1, 8), compat=st.booleans())
def test_parseval_spmrl_quotes_agree_with_oracle(rng, n_words, compat):
    parameters = Parameters(delete_labels=("DQ", ","), quote_labels=("DQ", "POS", "NN"))
    tags = ("DQ", "POS", "NN", ",", "VB")
    sentence = [(rng.choice(tags), rng.choice(["'", "'", "'", "a"])) for _ in range(n_words)]
    other = [(rng.choice(tags) if rng.random() < 0.3 else tag, word) for tag, word in sentence]
    for _ in range(rng.randrange(3)):
        other.insert(rng.randrange(len(other) + 1), (rng.choice(tags), "'"))
    trees = [bracketed(rng, other), bracketed(rng, sentence)]
    rng.shuffle(trees)
    options = {"variant": "spmrl", "count_empty": False, "compat": compat}
    want = parseval_oracle.rows(*trees, parameters, **options)
    assert _rows(parseval([trees[0]], [trees[1]], parameters=parameters, **options)) == want


def test_parseval_spmrl_repeats_quotes_as_the_program_does():
    parameters = Parameters(delete_labels=("``",), quote_labels=("``", "NN"))
    gold, test = '(S (NP (`` ") (NN a)))', '(S (NP (NN ") (VB ") (VB a)))'
    found = parseval([test], [gold], parameters=parameters, variant="spmrl")
    assert [found.columns[name][0] for name in ("matched", "n_ref", "n_pred")] == [2, 2, 2]


@examples(60)
@given(labels=st.lists(st.tuples(*[st.sampled_from("ABCD")] * 2), min_size=1, max_size=9), seed=st.randoms())
def test_parseval_chains_of_equal_spans_agree_with_oracle(labels, seed):
    # A is B, and B is C, but A is not C: it matters which bracket takes which.
    parameters = Parameters(equal_labels=(("A", "B"), ("B", "C")))
    chains = [_chain([pair[side] for pair in labels[seed.randrange(2) :]]) for side in (0, 1)]
    want = parseval_oracle.rows(*chains, parameters, "evalb", False, False)
    assert _rows(parseval(*([chain] for chain in chains), parameters=parameters)) == want


def _chain(labels: list[str]) -> str:
    return "".join(f"({label} " for label in labels) + "(N w)" + ")" * len(labels)


@pytest.mark.parametrize("variant, parameters", [("evalb", COLLINS), ("spmrl", SPMRL)])
@pytest.mark.parametrize("compat", [False, True])
def test_parseval_totals_add_up_the_rows(variant, parameters, compat):
    rng = Random(6)
    sentences = [random_sentence(rng, rng.randrange(6)) for _ in range(80)]
    references = [bracketed(rng, sentence) for sentence in sentences]
    predictions = [bracketed(rng, misread(rng, sentence)) for sentence in sentences]
    parameters = parameters._replace(cutoff=3, max_error=1000)
    score = parseval(predictions, references, parameters=parameters, variant=variant, compat=compat)
    for totals, rows in (
        (score.total, _rows(score)),
        (score.short, [row for row in _rows(score) if row.length <= 3]),
    ):
        valid = [row for row in rows if row.status == 0]
        assert totals["n_sentences"] == len(rows)
        assert totals["n_errors"] == sum(row.status == 1 for row in rows)
        assert totals["n_skipped"] == sum(row.status == 2 for row in rows)
        assert totals["n_valid"] == len(valid)
        assert totals["matched"] == sum(row.matched for row in valid)
        assert totals["n_complete"] == sum(row.matched == row.n_pred == row.n_ref for row in valid)
        assert totals["n_no_crossing"] == sum(row.crossing == 0 for row in valid)
        assert totals["n_two_or_less_crossing"] == sum(row.crossing <= 2 for row in valid)
        assert totals["correct_tags"] == sum(row.correct_tags for row in valid)


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    source_twin(tmp_path_factory.mktemp("twin"))
    return importlib.import_module(f"{TWIN}.metrics.parseval.metric")


@pytest.mark.skipif(not COMPILED, reason="the twin is the package itself")
@examples(40)
@given(
    batch=st.lists(pairs(12), min_size=1, max_size=5),
    parameters=PARAMETERS,
    variant=st.sampled_from(("evalb", "spmrl")),
)
def test_parseval_compiled_and_source_agree(twin, batch, parameters, variant):
    predictions, references = zip(*batch, strict=True)
    parameters = parameters._replace(delete_words=())
    here = parseval(predictions, references, parameters=parameters, variant=variant)
    there_parameters = twin.Parameters(*parameters)
    there = twin.parseval(predictions, references, parameters=there_parameters, variant=variant)
    assert here.as_dict(by_label=True, per_sentence=True) == there.as_dict(by_label=True, per_sentence=True)
    assert (here.confusions, here.tag_confusions) == (there.confusions, there.tag_confusions)

"""`hf_space/struct_iou.py` through `evaluate`: what goes in and what comes out."""

from __future__ import annotations

import inspect
import json
import math
import re

import pytest
from structiou_metric.comparison import compare

from structiou_metric import SegmentTree, StructIoU, read_trees
from structiou_metric.metrics import load_metric
from structiou_metric.stats.columns import sample_columns, statistic
from structiou_metric.stats.intervals import confidence_interval
from support.extras import need
from support.paths import DATA, ROOT

need("evaluate")


A = "(S (A a) (B b))"
B = "(S (A a) (C b))"  # 2/3 like A
TIMED = "(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))"
HEARD = "(VP (VBP <2.55,2.56>) (NP (PRP <2.56,2.72>) (NN <2.72,3.01>)))"  # 0.75 like TIMED


@pytest.fixture(scope="module")
def english():
    return (
        [tree.to_brackets() for tree in read_trees(DATA / "english.prediction.txt")],
        [tree.to_brackets() for tree in read_trees(DATA / "english.reference.mrg")],
    )


def test_plain_result(metric):
    result = metric.compute(predictions=[A, A, "()"], references=[A, B, A])
    assert result == {
        "struct_iou": pytest.approx(5 / 9),
        "struct_iou_sentence": pytest.approx(5 / 9),
        "struct_iou_corpus": pytest.approx(2 / 3),
        "precision": pytest.approx(5 / 6),
        "recall": pytest.approx(5 / 9),
        "n_sentences": 3,
        "n_failed": 1,
        "n_empty": 1,
        "n_zeroed": 0,
        "n_skipped": 0,
        "n_lengthless": 0,
        "signature": StructIoU().signature,
    }
    assert {type(value) for value in result.values()} == {float, int, str}


OTHERS = {"number": 0.5, "labels": ()}  # than the defaults, by kind of option


@pytest.mark.parametrize("name", StructIoU.OPTIONS)
def test_options_are_those_of_the_core(metric, english, name):
    option = StructIoU.OPTIONS[name]
    other = option.choices[1] if option.choices else OTHERS[option.kind]
    options = {"on_error": "skip", name: other}  # without `drop`, traces are words
    result = metric.compute(predictions=english[0], references=english[1], **options)
    core = StructIoU(**options).corpus_score(*english)
    assert (result["struct_iou"], result["precision"], result["recall"]) == (
        core.score,
        core.precision,
        core.recall,
    )
    assert result["signature"] == core.signature


def test_drop_may_be_an_iterator(metric):
    trees = {"predictions": ["(X (S a))"], "references": ["(S a)"]}
    assert metric.compute(**trees, drop=iter(["X"]))["struct_iou"] == 1.0
    assert metric.compute(**trees, drop=iter([]))["struct_iou"] == pytest.approx(2 / 3)


def test_compute_returns_losses(metric):
    # B for C: both tags are lost, of 3 + 3 nodes; with two references, that of the one that counted.
    trees = {"predictions": ["(S (A a) (B b))"], "references": ["(S (A a) (C b))"]}
    losses = metric.compute(**trees, return_losses=True)["losses"]
    assert losses["total"] == losses["by_cause"]["tag"] == 2.0
    assert losses["tags"] == [{"prediction": "B", "reference": "C", "loss": 2.0}]
    trees["references"] = [["(X (Y a) (C b))", *trees["references"]]]
    assert metric.compute(**trees, return_losses=True)["losses"] == losses
    assert "losses" not in metric.compute(**trees)


def test_compute_names_every_option(evaluate, metric):
    """In the order of the metric, with its defaults, and explained."""
    parameters = inspect.signature(metric._compute).parameters
    names = [name for name in parameters if not name.startswith("return_")]
    assert names[2:] == [*StructIoU.OPTIONS, "documents", "strict", "parseval", "confidence", "numbers_only"]
    assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values())
    for name, option in StructIoU.OPTIONS.items():
        assert parameters[name].default == option.default
        explained = re.search(
            rf"^    {name} \((.|\n)*?(?=^    \w+ \(|^$)", metric.inputs_description, re.MULTILINE
        )
        assert explained is not None
        for choice in option.choices:
            assert f"`{choice}`" in explained[0]
    assert isinstance(metric, evaluate.Metric)
    assert metric.name == "struct_iou"


def test_average_reports_the_other_figure_too(metric):
    result = metric.compute(predictions=[A, "(S (B b))"], references=[B, "(S (B b))"], average="corpus")
    assert result["struct_iou"] == result["struct_iou_corpus"] != result["struct_iou_sentence"]


def test_texts_that_differ(metric):
    trees = {"predictions": ["(S (NP we) (VP run))"], "references": ["(S (NP we) (ADVP often) (VP run))"]}
    result = metric.compute(**trees, texts="aligned", return_per_sentence=True)
    assert result["struct_iou"] == pytest.approx(2 * 3 / (3 + 4))
    assert (result["n_text_matched"], result["n_text_ref_only"]) == (2, 1)
    assert result["sentences"][0]["n_text_ref_only"] == 1
    assert "|texts:aligned|" in result["signature"]


def test_per_sentence(metric):
    rows = metric.compute(predictions=[A, A], references=[A, B], return_per_sentence=True)["sentences"]
    assert rows[1] == {
        "index": 1,
        "status": "valid",
        "struct_iou": 2 / 3,
        "precision": 2 / 3,
        "recall": 2 / 3,
        "matched": 2.0,
        "n_pred": 3,
        "n_ref": 3,
        "n_lengthless": 0,
    }


def test_alignments_are_plain_data(metric, english):
    result = metric.compute(predictions=english[0], references=english[1], return_alignments=True)
    rows = json.loads(json.dumps(result))["alignments"]
    assert rows == result["alignments"]
    core = StructIoU().align(english[0][6], english[1][6])
    assert rows[6] == {"index": 6, **core.as_dict()}
    assert [row["index"] for row in rows] == list(range(80))


# ---- shapes


def shapes_of(text):
    """The same tree in every shape, by name."""
    tree = SegmentTree.from_brackets(text)
    spans = tree.to_spans()
    return {
        "brackets": text,
        "nested": tree.to_dict(),
        "spans": spans,
        "spans without words": [{k: v for k, v in span.items() if k != "word"} for span in spans],
        "triples": [(span["label"], span["start"], span["end"]) for span in spans],
        "columns": tree.to_columns(),
        "JSON of nested": json.dumps(tree.to_dict()),
        "JSON of spans": json.dumps(spans),
        "JSON of columns": json.dumps(tree.to_columns()),
        "SegmentTree": tree,
    }


@pytest.mark.parametrize("shape", shapes_of(TIMED))
def test_timed_shapes(metric, shape):
    result = metric.compute(predictions=[HEARD], references=[shapes_of(TIMED)[shape]], unit="time")
    assert result["struct_iou"] == 0.75
    result = metric.compute(predictions=[shapes_of(HEARD)[shape]], references=[TIMED], unit="time")
    assert result["struct_iou"] == 0.75


@pytest.mark.parametrize("shape", shapes_of(A))
def test_word_shapes(metric, shape):
    assert metric.compute(predictions=[shapes_of(A)[shape]], references=[B])["struct_iou"] == 2 / 3


def test_brackets_and_times(metric):
    pair = ("(NP (PRP Your) (NN turn))", [[2.56, 2.72], [2.72, 3.01]])
    assert metric.compute(predictions=[HEARD], references=[pair], unit="time")["struct_iou"] == 0.75


def test_shapes_stand_beside_each_other(metric):
    trees = list(shapes_of(A).values())
    metric.add_batch(predictions=trees, references=[A] * len(trees))
    metric.add_batch(predictions=[A] * len(trees), references=trees[::-1])
    result = metric.compute()
    assert (result["struct_iou"], result["n_sentences"]) == (1.0, 2 * len(trees))


def test_nltk_trees(metric):
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree.fromstring(A)
    assert metric.compute(predictions=[tree], references=[B])["struct_iou"] == 2 / 3
    assert metric.compute(predictions=[A, A], references=[[B, tree], tree])["struct_iou"] == 1.0
    named = nltk.Tree("S", [nltk.Tree("NNP", ["New York"])])
    assert (
        metric.compute(predictions=["(S (NNP NewYork))"], references=[named], unit="char")["struct_iou"]
        == 1.0
    )


@pytest.mark.parametrize("kind", ["strings", "spans", "columns", "lists of strings"])
def test_columns_of_a_dataset(metric, kind):
    datasets = pytest.importorskip("datasets")
    tree = SegmentTree.from_brackets(TIMED)
    row = {
        "strings": TIMED,
        "spans": tree.to_spans(),
        "columns": tree.to_columns(),
        "lists of strings": ["(NP <0,1>)", TIMED],
    }[kind]
    dataset = datasets.Dataset.from_dict({"prediction": [HEARD] * 3, "reference": [row] * 3}).select([0, 2])
    result = metric.compute(predictions=dataset["prediction"], references=dataset["reference"], unit="time")
    assert (result["struct_iou"], result["n_sentences"]) == (0.75, 2)


def test_arrays_and_series(metric):
    numpy, pandas, pyarrow = map(pytest.importorskip, ("numpy", "pandas", "pyarrow"))
    for make in (numpy.array, pandas.Series, pyarrow.array, iter):
        assert metric.compute(predictions=make([A, B]), references=make([A, A]))["n_sentences"] == 2


# ---- what else the library can do


def test_by_label(metric, english):
    trees = {"predictions": english[0], "references": english[1]}
    result = metric.compute(**trees, labels="base", return_by_label=True)
    core = StructIoU(labels="base").corpus_score(*english)
    assert result["by_label"] == core.as_dict(by_label=True)["by_label"]
    assert result["by_label"]["NP"]["n_ref"] == core.by_label["NP"].n_ref > 100
    assert json.loads(json.dumps(result)) == result


@pytest.mark.parametrize("parameters", [True, "spmrl", "tests/data/COLLINS.prm"])
def test_parseval(metric, english, parameters, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = metric.compute(predictions=english[0], references=english[1], parseval=parameters)
    options = {} if parameters is True else {"parameters": parameters}
    alone = load_metric("parseval", **options).corpus_score(*english)
    assert result["parseval"]["parseval"] == alone.figures["parseval_f1"] == result["parseval"]["f1"]
    assert result["parseval"]["signature"] == alone.signature


def test_parseval_takes_the_reference_that_counted(metric):
    # By ParsEval, the other one is better: one bracket of one, and not two of three.
    prediction, best, other = "(S (A a) (B b))", "(S (A a) (B b))", "(S (X a) (Y b))"
    result = metric.compute(predictions=[prediction], references=[[other, best]], parseval=True)
    assert (result["references_used"], result["parseval"]["n_sentences"]) == ([1], 1)
    assert result["parseval"]["tagging_accuracy"] == 1.0
    alone = load_metric("parseval").corpus_score([prediction], [other])
    assert alone.figures["parseval_f1"] == 1.0


def test_confidence(metric, english):
    trees = {"predictions": english[0], "references": english[1]}
    result = metric.compute(**trees, labels="base", confidence=0.9, parseval=True)
    core = StructIoU(labels="base").corpus_score(*english)
    for key, measure in StructIoU.MEASURES.items():
        want = confidence_interval(sample_columns(core), statistic(key, measure), level=0.9)
        found = result["intervals"][measure.short]
        assert (found["low"], found["high"], found["method"]) == (want.low, want.high, want.method)
        assert found["low"] < result[measure.short] < found["high"]
    assert result["confidence"] == 0.9
    assert result["intervals"]["struct_iou"] == result["intervals"]["struct_iou_sentence"]
    assert set(result["parseval"]["intervals"]) >= {"parseval", "f1"}
    assert json.loads(json.dumps(result)) == result
    assert "intervals" not in metric.compute(**trees)


def test_perfect_sentences_have_the_interval_of_compare(metric):
    tree, wrong = "(S (NP (DT a) (NN b)) (VP (VBZ c)))", "(S (NP (DT a) (JJ b)) (VP (VBZ c)))"
    perfect, one = [tree] * 20, [wrong, *[tree] * 19]
    found = compare({"perfect": perfect, "one": one}, perfect)
    for system, predictions in zip(found.systems, (perfect, one), strict=True):
        own = metric.compute(predictions=predictions, references=perfect, confidence=0.95)["intervals"]
        for key, measure in StructIoU.MEASURES.items():
            want = system.figures[key]
            assert (own[measure.short]["low"], own[measure.short]["high"]) == (want.low, want.high)
    first, second = (system.figures["struct_iou_sentence"] for system in found.systems)
    assert second.low < second.value < first.low == first.high == 1.0


def test_numbers_only(metric):
    trees = {"predictions": [A, "(S"], "references": [[B, A], A], "on_error": "zero"}
    result = metric.compute(**trees)
    numbers = metric.compute(**trees, numbers_only=True, parseval=True, return_per_sentence=True)
    assert {type(value) for value in numbers.values()} == {float, int}
    assert numbers == {name: value for name, value in result.items() if name in numbers}
    assert set(result) - set(numbers) == {"signature", "references_used", "problems"}


def test_what_it_tells_of_itself(metric):
    assert metric.license == "MIT"
    for url in (metric.homepage, *metric.codebase_urls, *metric.reference_urls):
        assert url.startswith("https://")


# ---- several references


def test_several_references(metric):
    result = metric.compute(
        predictions=[A, A, A], references=[[B, A], A, [B]], return_per_sentence=True, return_alignments=True
    )
    assert [row["struct_iou"] for row in result["sentences"]] == [1.0, 1.0, 2 / 3]
    assert [row["reference"] for row in result["sentences"]] == [1, 0, 0]
    assert [row["struct_iou"] for row in result["alignments"]] == [1.0, 1.0, 2 / 3]
    assert (result["n_multi_reference"], result["references_used"]) == (1, [1, 0, 0])
    assert result["signature"] == StructIoU().signature + "|references:best"


def test_alignments_are_those_of_the_references_that_counted(metric):
    rows = metric.compute(
        predictions=[A, "(S", A],
        references=[["(T (X a) (Y b))", B], A, A],
        on_error="zero",
        return_alignments=True,
    )["alignments"]
    assert [row["index"] for row in rows] == [0, 1, 2]
    assert [row["struct_iou"] for row in rows] == [2 / 3, 0.0, 1.0]
    assert [len(row["pairs"]) for row in rows] == [2, 0, 3]
    assert rows[0]["pairs"][1]["reference"] == {"node": 2, "label": "S", "start": 0.0, "end": 2.0}


def test_several_references_after_single_ones(metric):
    metric.add(prediction=A, reference=A)
    metric.add_batch(predictions=[A], references=[[B, A]])
    metric.add(prediction=A, reference=[B, A, shapes_of(A)["columns"]])
    result = metric.compute()
    assert (result["struct_iou"], result["references_used"]) == (1.0, [0, 1, 1])


def test_single_references_say_nothing_of_several(metric):
    result = metric.compute(predictions=[A], references=[[A]])
    assert not {"n_multi_reference", "references_used"} & set(result)


# ---- rows that cannot be compared


@pytest.mark.parametrize("on_error", ["zero", "skip"])
@pytest.mark.parametrize("side", ["predictions", "references"])
@pytest.mark.parametrize("how", ["compute", "add", "add_batch"])
def test_on_error_holds_for_whatever_is_no_tree(metric, on_error, side, how):
    pandas, numpy = map(pytest.importorskip, ("pandas", "numpy"))
    wrong = [math.nan, pandas.NA, pandas.NaT, numpy.float32("nan"), None, A.encode(), 3, {1}, object(), [{1}]]
    sides = {"predictions": [A, *wrong], "references": [A] * (1 + len(wrong))}
    if side == "references":
        sides = dict(zip(sides, reversed(sides.values()), strict=True))
    core = StructIoU(on_error=on_error).corpus_score(**sides)
    if how == "add":
        for prediction, reference in zip(*sides.values(), strict=True):
            metric.add(prediction=prediction, reference=reference)
        result = metric.compute(on_error=on_error)
    elif how == "add_batch":
        metric.add_batch(**sides)
        result = metric.compute(on_error=on_error)
    else:
        result = metric.compute(**sides, on_error=on_error)
    assert result["struct_iou"] == core.score == (1.0 if on_error == "skip" else 1 / (1 + len(wrong)))
    assert result["n_failed"] == len(wrong)
    messages = [problem["message"] for problem in result["problems"]]
    assert messages[:9] == [message for _, message in core.problems][:9]
    assert messages[0] == f"{side}[1]: the tree is NaN; give '()' for a failed parse"
    assert messages[1] == f"{side}[2]: the tree is <NA>; give '()' for a failed parse"


def test_lone_surrogates_are_characters_as_in_the_core(metric):
    tree, other = "(S (A a\ud800) (B b))", "(S (A a) (B \ud800b))"
    for references in ([tree, other], [[other, tree], [tree, other]]):
        result = metric.compute(predictions=[tree, other], references=references, unit="char")
        assert result["struct_iou"] == StructIoU(unit="char").corpus_score([tree, other], references).score


@pytest.mark.parametrize("on_error", ["zero", "skip"])
def test_on_error(metric, on_error):
    result = metric.compute(
        predictions=[None, "(S", A, "()", "(S x)", A],
        references=[A, A, A, A, A, None],
        on_error=on_error,
        return_per_sentence=True,
        return_alignments=True,
    )
    assert result["n_sentences"] == (6 if on_error == "zero" else 2)
    assert (result["n_zeroed"], result["n_skipped"]) == ((4, 0) if on_error == "zero" else (0, 4))
    assert (result["n_empty"], result["n_failed"]) == (1, 5)
    assert [problem["index"] for problem in result["problems"]] == [0, 1, 4, 5]
    assert (
        result["problems"][0]["message"] == "predictions[0]: the tree is None; give '()' for a failed parse"
    )
    indices = [row["index"] for row in result["sentences"]]
    assert indices == ([0, 1, 2, 3, 4, 5] if on_error == "zero" else [2, 3])
    assert indices == [row["index"] for row in result["alignments"]]
    assert json.loads(json.dumps(result)) == result


def test_empty_trees(metric):
    result = metric.compute(predictions=["", "()", "(TOP )", []], references=["()", "", A, A])
    assert result["struct_iou"] == 0.5
    assert (result["n_empty"], result["n_failed"]) == (2, 2)


def test_an_empty_batch_adds_nothing(metric):
    metric.add_batch(predictions=[], references=[])
    metric.add_batch(predictions=[A], references=[B])
    metric.add_batch(predictions=[], references=[])
    assert metric.compute()["n_sentences"] == 1

"""The command `python -m spacy structiou`, in a process, and in this one for most options."""

from __future__ import annotations

import json
import re

import pytest

from support.paths import DATA

pytest.importorskip("spacy")

import spacy
from spacy.cli._util import app
from spacy.tokens import DocBin
from spacy.util import registry
from typer.testing import CliRunner

from spacy_structiou import get_trees
from spacy_structiou.cli import pipeline_options
from spacy_structiou.store import without_traces
from structiou_metric import StructIoU, read_trees
from structiou_metric.metrics import load_metric
from support.spacy_process import EXAMPLE, run_spacy

ENGLISH = DATA / "english.reference.mrg", DATA / "english.prediction.txt"
HEBREW = DATA / "hebrew.reference.txt", DATA / "hebrew.prediction.txt"

FIGURES = ("struct_iou", "struct_iou_corpus", "struct_iou_p", "struct_iou_r")


@pytest.fixture(scope="module", autouse=True)
def stored_parser():
    """Import the parser of the example project that looks up its trees."""
    registry.cli.get_all()
    return spacy.util.import_file("stored_parser", EXAMPLE / "stored_parser.py")


@pytest.fixture
def structiou(monkeypatch):
    """Return a function that runs a command and returns the exit code and the output on one line."""
    monkeypatch.setenv("ANSI_COLORS_DISABLED", "1")
    monkeypatch.setenv("COLUMNS", "400")

    def run(*args):
        done = CliRunner().invoke(app, ["structiou", *map(str, args)])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, re.sub(r"\s+", " ", re.sub(r"\x1b\[[0-9;]*m", "", done.output))

    return run


def stored_pipeline(predictions, lang="en", scorer=None, component=None):
    """Return a pipeline that predicts these trees."""
    config = {"nlp": {"tokenizer": {"@tokenizers": "stored_tokenizer.v1", "path": str(predictions)}}}
    nlp = spacy.blank(lang, config=config)
    settings = {"@scorers": "structiou.struct_iou_scorer.v1", **scorer} if scorer is not None else None
    nlp.add_pipe("stored_parser", config={"scorer": settings} if settings else {})
    if component is not None:
        nlp.add_pipe("struct_iou", config=component)
    return nlp


@pytest.fixture(scope="module")
def english(tmp_path_factory):
    path = tmp_path_factory.mktemp("english") / "model"
    stored_pipeline(ENGLISH[1], component={"labels": "base"}).to_disk(path)
    return path


@pytest.fixture(scope="module")
def hebrew(tmp_path_factory):
    path = tmp_path_factory.mktemp("hebrew") / "model"
    stored_pipeline(HEBREW[1], "he").to_disk(path)
    return path


def core(files, **options):
    """Return the core's figures for two files, and the whole result."""
    reference, prediction = map(read_trees, files)
    result = StructIoU(**options).corpus_score(prediction, reference)
    return (result.score, result.corpus, result.precision, result.recall), result


# ---- evaluate ------------------------------------------------------------------------------------


def test_structiou_is_a_command_of_spacy():
    assert "structiou" in run_spacy("--help").stdout
    assert {"evaluate", "convert"} <= set(run_spacy("structiou", "--help").stdout.split())


@pytest.mark.parametrize(
    "args, options",
    [
        pytest.param([], {}, id="the pipeline's own"),
        pytest.param(["labels=exact"], {"labels": "exact"}, id="labels"),
        pytest.param(["unit=char"], {"unit": "char"}, id="unit"),
        pytest.param(["terminals=exclude"], {"terminals": "exclude"}, id="terminals"),
        pytest.param(["min_iou=0.5"], {"min_iou": 0.5}, id="min_iou"),
        pytest.param(
            ["average=corpus", "on_error=raise"], {"average": "corpus", "on_error": "raise"}, id="two"
        ),
        pytest.param(['drop=["TOP", "", "-NONE-", "."]'], {"drop": ("TOP", "", "-NONE-", ".")}, id="drop"),
    ],
)
def test_evaluate_options_are_those_of_the_core(structiou, english, tmp_path, args, options):
    output = tmp_path / "metrics.json"
    assigned = [word for arg in args for word in ("-M", arg)]
    data = (ENGLISH[0], "--join-words", "--output", output)
    code, printed = structiou("evaluate", english, *data, *assigned)
    figures, result = core(ENGLISH, **{"labels": "base", "on_error": "zero", **options})
    scores = json.loads(output.read_text(encoding="utf-8"))
    assert code == 0
    assert [scores[key] for key in FIGURES] == pytest.approx(figures)
    assert scores["struct_iou_signature"] == result.signature
    shown = [f"{100 * value:.2f}" for value in (result.score, result.sentence, result.corpus)]
    assert "STRUCT-IoU {} sentence mean {} corpus level {}".format(*shown) in printed
    assert "failed parses 1" in printed
    assert result.signature in printed


def test_evaluate_prints_how_crossing_branches_were_undone(structiou, tmp_path):
    (tmp_path / "parsed.txt").write_text("(S (VB is) (NP (NNP John)) (JJ rich))\n")
    (tmp_path / "gold.dbr").write_text("(S (VP (VB 0=is) (JJ 2=rich)) (NP (NNP 1=John)))\n")
    stored_pipeline(tmp_path / "parsed.txt").to_disk(tmp_path / "model")
    files = tmp_path / "model", tmp_path / "gold.dbr", "--join-words"
    code, printed = structiou("evaluate", *files, "--discontinuous", "raise")
    assert code == 0
    assert f"{StructIoU(on_error='zero').signature}|discontinuous:raise" in printed


@pytest.mark.parametrize(
    "args, options",
    [
        pytest.param([], {"on_error": "zero"}, id="defaults"),
        pytest.param(
            ["-M", "variant=spmrl", "-M", "count_empty=true"],
            {"variant": "spmrl", "count_empty": True, "on_error": "zero"},
            id="own",
        ),
        pytest.param(["-M", "on_error=skip"], {"on_error": "skip"}, id="shared"),
    ],
)
def test_evaluate_by_another_metric(structiou, english, tmp_path, args, options):
    output = tmp_path / "metrics.json"
    data = (ENGLISH[0], "--join-words", "--output", output)
    code, printed = structiou("evaluate", english, *data, "--metric", "parseval", *args)
    reference, prediction = map(read_trees, ENGLISH)
    spoken = map(without_traces, reference)  # as the reader has them
    result = load_metric("parseval", **options).corpus_score(prediction, spoken)
    scores = json.loads(output.read_text(encoding="utf-8"))
    assert code == 0
    assert {key: scores[key] for key in result.figures} == pytest.approx(dict(result.figures))
    assert scores["parseval_signature"] == result.signature
    assert f"ParsEval {100 * result.f1:.2f} F1 {100 * result.f1:.2f} precision" in printed
    assert f"average crossing {result.average_crossing:.2f}" in printed
    assert "per label" in printed
    assert result.signature in printed


def test_evaluate_by_the_metric_of_the_pipeline(structiou, tmp_path):
    model, output = tmp_path / "model", tmp_path / "metrics.json"
    nlp = stored_pipeline(ENGLISH[1])
    nlp.add_pipe("parseval", config={"count_empty": True, "variant": "spmrl", "on_error": "raise"})
    nlp.to_disk(model)
    data = (ENGLISH[0], "--join-words", "--output", output)
    assert structiou("evaluate", model, *data, "-M", "variant=evalb")[0] == 0
    scores = json.loads(output.read_text(encoding="utf-8"))
    assert scores["parseval_signature"] == load_metric("parseval", count_empty=True).signature
    assert structiou("evaluate", model, *data, "-m", "struct_iou", "-M", "labels=base")[0] == 0
    scores = json.loads(output.read_text(encoding="utf-8"))
    assert scores["struct_iou_signature"] == StructIoU(labels="base", on_error="zero").signature


def test_evaluate_names_an_output_that_cannot_be_written_before_the_work(structiou, english, tmp_path):
    (tmp_path / "file").write_text("")
    code, printed = structiou("evaluate", english, ENGLISH[0], "-o", tmp_path / "file" / "metrics.json")
    assert code == 1
    assert "cannot write" in printed
    assert "metrics.json" in printed
    assert "Results" not in printed


def test_evaluate_no_drop_keeps_every_node(structiou, hebrew, tmp_path):
    output = tmp_path / "metrics.json"
    args = ("--join-words", "-M", "unit=char", "-M", "drop=[]", "--output", output)
    assert structiou("evaluate", hebrew, HEBREW[0], *args)[0] == 0
    scores = json.loads(output.read_text(encoding="utf-8"))
    assert [scores[key] for key in FIGURES] == pytest.approx(core(HEBREW, unit="char", drop=())[0])
    assert scores["struct_iou_per_type"]["TOP"]["n_ref"] == 26


def test_evaluate_prints_the_number_of_pairs_scored_as_zero(structiou, hebrew):
    data = (HEBREW[0], "--join-words")
    _, result = core(HEBREW, on_error="zero")
    code, printed = structiou("evaluate", hebrew, *data)
    assert code == 0
    assert f"pairs scored as zero {result.n_zeroed}" in printed
    code, printed = structiou("evaluate", hebrew, *data, "-M", "on_error=raise")
    assert code == 1
    assert "✘ " in printed
    assert "score characters (unit 'char')" in printed


def test_evaluate_limit_and_offset(structiou, english, tmp_path):
    output = tmp_path / "metrics.json"
    args = ("--join-words", "--limit", 5, "--offset", 10, "-o", output)
    assert structiou("evaluate", english, ENGLISH[0], *args)[0] == 0
    reference, prediction = (read_trees(path)[10:15] for path in ENGLISH)
    want = StructIoU(labels="base").corpus_score(prediction, reference)
    assert json.loads(output.read_text(encoding="utf-8"))["struct_iou"] == pytest.approx(want.sentence)


def test_evaluate_gold_of_other_fields_and_key(structiou, english, tmp_path):
    rows = [{"gold": str(tree)} for tree in read_trees(ENGLISH[0])[:3]]
    data = tmp_path / "gold.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    args = ("evaluate", english, data, "--field", "tree=gold", "--join-words")
    assert structiou(*args)[0] == 0
    code, printed = structiou(*args, "--key", "other", "-M", "on_error=raise")
    assert code == 1
    assert "the prediction has no doc.spans['other']" in printed


@pytest.mark.parametrize(
    "args, message",
    [
        pytest.param(["-M", "unit=words"], "unknown unit 'words'; choose from word, char, time", id="unit"),
        pytest.param(
            ["--metric", "evalb"], "unknown metric 'evalb'; choose from struct_iou, pa", id="metric"
        ),
        pytest.param(["-M", "units=char"], "unknown option 'units' of struct_iou; choose from", id="option"),
        pytest.param(["--per", "page"], "unknown per 'page'; choose from sentence, doc", id="per"),
        pytest.param(["--offset", "90"], "gives no documents; check the file, and", id="nothing"),
        pytest.param(["--code", "none.py"], "Path to Python code not found none.py", id="code"),
    ],
)
def test_evaluate_bad_usage_is_a_message(structiou, english, args, message):
    code, printed = structiou("evaluate", english, ENGLISH[0], *args)
    assert code == 1
    assert message in printed


def test_evaluate_bad_field_is_a_usage_error(structiou, english):
    code, printed = structiou("evaluate", english, ENGLISH[0], "--field", "tree")
    assert code == 2
    assert "'tree' is not NAME=FIELD" in printed
    code, printed = structiou("evaluate", english, ENGLISH[0], "--metric-option", "unit")
    assert code == 2
    assert "'unit' is not NAME=VALUE" in printed


def test_evaluate_bad_tree_names_file_and_line(structiou, english, tmp_path):
    (tmp_path / "bad.mrg").write_text("(S (A a))\n(S (B b\n", encoding="utf-8")
    code, printed = structiou("evaluate", english, tmp_path / "bad.mrg")
    assert code == 1
    assert "bad.mrg:2:4: this '(' is never closed" in printed


def test_evaluate_missing_model_is_a_message(structiou, tmp_path):
    code, printed = structiou("evaluate", tmp_path / "no_model", ENGLISH[0])
    assert code == 1
    assert "[E050]" in printed


def test_evaluate_in_a_process(english):
    args = ("structiou", "evaluate", english, ENGLISH[0], "--join-words", "--code", "stored_parser.py")
    done = run_spacy(*args)
    assert f"{100 * core(ENGLISH, labels='base')[0][0]:.2f}" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    "scorer, component, want",
    [
        pytest.param(None, None, None, id="none"),
        pytest.param({"unit": "char"}, None, {"unit": "char"}, id="scorer of a component"),
        pytest.param(None, {"labels": "base"}, {"labels": "base", "unit": "word"}, id="component"),
        pytest.param({"unit": "char"}, {"labels": "base"}, {"labels": "base", "unit": "word"}, id="the last"),
    ],
)
def test_pipeline_options_are_found(scorer, component, want):
    nlp = stored_pipeline(ENGLISH[1], scorer=scorer, component=component)
    metric, options = pipeline_options(nlp.config)
    assert metric == "struct_iou"
    assert {name: options[name] for name in want or {}} == (want or options)
    assert pipeline_options(nlp.config, "parseval") == ("parseval", {})


# ---- convert -------------------------------------------------------------------------------------


def read_docs(path):
    return list(DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab))


def test_convert_in_a_process(tmp_path):
    done = run_spacy("structiou", "convert", ENGLISH[0], tmp_path / "new" / "gold.spacy")
    assert "80 docs, 80 trees, 1,137 tokens" in " ".join(done.stdout.split())
    docs = read_docs(tmp_path / "new" / "gold.spacy")
    assert StructIoU().corpus_score([get_trees(doc)[0] for doc in docs], read_trees(ENGLISH[0])).corpus == 1.0


def test_convert_names_the_file_for_a_folder_and_does_not_overwrite(structiou, tmp_path):
    args = ("convert", DATA / "speech.reference.txt", tmp_path)
    assert structiou(*args)[0] == 0
    assert [get_trees(doc)[0] for doc in read_docs(tmp_path / "speech.reference.spacy")] == read_trees(
        args[1]
    )
    code, printed = structiou(*args)
    assert code == 1
    assert "already exists" in printed
    assert structiou(*args, "--force")[0] == 0


@pytest.mark.parametrize("given, written", [("gold.v1", "gold.v1.spacy"), ("gold.spacy", "gold.spacy")])
def test_convert_keeps_the_name_of_the_output(structiou, tmp_path, given, written):
    (tmp_path / "other.spacy").write_bytes(b"")
    assert structiou("convert", ENGLISH[0], tmp_path / given, "--limit", 1)[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"other.spacy", written}


def test_convert_names_the_file_after_a_folder(structiou, tmp_path):
    (tmp_path / "wsj.v2").mkdir()
    (tmp_path / "wsj.v2" / "a.mrg").write_text("(S (A a))", encoding="utf-8")
    (tmp_path / "out").mkdir()
    assert structiou("convert", tmp_path / "wsj.v2", tmp_path / "out")[0] == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["wsj.v2.spacy"]


@pytest.mark.parametrize("n_sents, lengths", [(30, [30, 30, 20]), (0, [80])])
def test_convert_n_sents_makes_sentences(structiou, tmp_path, n_sents, lengths):
    path = tmp_path / "gold.spacy"
    assert structiou("convert", ENGLISH[0], path, "--n-sents", n_sents)[0] == 0
    docs = read_docs(path)
    assert [len(get_trees(doc)) for doc in docs] == lengths
    assert [len(list(doc.sents)) for doc in docs] == lengths


def test_convert_n_sents_joins_known_texts(structiou, tmp_path):
    rows = [{"text": "Go!", "tree": "(S (VB Go) (. !))"}, {"text": "So?", "tree": "(X (RB So) (. ?))"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert structiou("convert", tmp_path / "a.jsonl", tmp_path, "-n", 2)[0] == 0
    (doc,) = read_docs(tmp_path / "a.spacy")
    assert [sent.text for sent in doc.sents] == ["Go!", "So?"]
    assert not doc.has_unknown_spaces


def test_convert_options_of_the_reader(structiou, tmp_path):
    (tmp_path / "a.mrg").write_text(
        "(S (NP (-NONE- *)) (-LRB- -LRB-) (VB go))\n(X (Y y))\n", encoding="utf-8"
    )
    path = tmp_path / "out.spacy"
    args = ("--traces", "token", "--no-unescape", "--key", "gold", "--limit", 1, "--join-words")
    assert structiou("convert", tmp_path / "a.mrg", path, *args)[0] == 0
    (doc,) = read_docs(path)
    assert doc.text.strip() == "* -LRB- go"
    assert not doc.has_unknown_spaces
    assert str(get_trees(doc, key="gold")[0]) == "(S (NP (-NONE- *)) (-LRB- -LRB-) (VB go))"


def test_convert_warns_of_trees_without_words(structiou, tmp_path):
    (tmp_path / "a.mrg").write_text("(X (Y y))\n(TOP )\n", encoding="utf-8")
    code, printed = structiou("convert", tmp_path / "a.mrg", tmp_path / "out.spacy")
    assert code == 0
    assert "⚠" in printed
    assert "1 tree without words skipped" in printed
    assert "1 doc, 1 tree, 1 token)" in printed


@pytest.mark.parametrize(
    "text, args, message",
    [
        pytest.param("(X (Y y)", [], "a.mrg:1:1: this '(' is never closed", id="unclosed"),
        pytest.param("", [], "a.mrg: there is nothing to convert", id="empty"),
        pytest.param("(X (Y y))", ["--traces", "x"], "unknown traces 'x'; choose from", id="traces"),
        pytest.param("(X (Y y))", ["--format", "x"], "unknown format 'x'; choose from", id="format"),
        pytest.param("(X (Y y))", ["--encoding", "x"], "unknown encoding 'x'; choose", id="encoding"),
        pytest.param(
            "(X (A (Y 0=y) (Y 2=y)) (Y 1=y))", [], "this tree is discontinuous: its 'A'", id="crossing"
        ),
        pytest.param("(X (Y y))", ["--layout", "x"], "unknown layout 'x'; choose from", id="layout"),
    ],
)
def test_convert_faults_write_nothing(structiou, tmp_path, text, args, message):
    (tmp_path / "a.mrg").write_text(text, encoding="utf-8")
    code, printed = structiou("convert", tmp_path / "a.mrg", tmp_path / "out.spacy", *args)
    assert code == 1
    assert message in printed
    assert not (tmp_path / "out.spacy").exists()

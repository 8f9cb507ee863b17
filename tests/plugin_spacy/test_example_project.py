"""The example project: trained, saved, loaded and scored by spaCy's own commands, in real processes."""

from __future__ import annotations

import json
import re
import shutil
from itertools import count
from types import SimpleNamespace

import pytest

from support.paths import DATA

pytest.importorskip("spacy")
pytest.importorskip("nltk")

import spacy
from spacy import Config
from spacy.training import Corpus

from spacy_structiou import get_trees
from spacy_structiou.corpus import TreebankCorpus
from structiou_metric import StructIoU, read_trees
from support.spacy_process import EXAMPLE, run_spacy

ENGLISH = DATA / "english.reference.mrg"
HEBREW = DATA / "hebrew.reference.txt", DATA / "hebrew.prediction.txt"
CODE = ("--code", "pcfg_parser.py")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pcfg_parser():
    return spacy.util.import_file("pcfg_parser", EXAMPLE / "pcfg_parser.py")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a copy of the project after all its commands, and their output."""
    folder = tmp_path_factory.mktemp("english")
    for name in ("data", "example_project"):
        shutil.copytree(EXAMPLE.parent / name, folder / name)
    return folder / "example_project", run_spacy(
        "project", "run", "all", cwd=folder / "example_project"
    ).stdout


@pytest.fixture(scope="module")
def trained(project):
    """Return the folder of the trained models, and the output."""
    return project[0] / "training", project[1]


@pytest.fixture(scope="module")
def dev_file(project):
    return project[0] / "corpus" / "dev.spacy"


@pytest.fixture(scope="module")
def core_score(trained, pcfg_parser):
    """Return the core's result for the parses of the 20 sentences by the best model, loaded again."""
    nlp = spacy.load(trained[0] / "model-best")
    references = read_trees(ENGLISH)[60:]
    docs = [example.reference for example in TreebankCorpus(ENGLISH, offset=60)(nlp)]
    parsed = nlp.pipe(spacy.tokens.Doc(nlp.vocab, words=[token.text for token in doc]) for doc in docs)
    return StructIoU(labels="base", on_error="zero").corpus_score(
        [get_trees(doc)[0] for doc in parsed], references
    )


def performance(folder):
    return json.loads((folder / "meta.json").read_text(encoding="utf-8"))["performance"]


# ---- English -------------------------------------------------------------------------------------


def test_train_improves_and_keeps_the_best_model_by_struct_iou(trained):
    output, printed = trained
    lines = [line.split() for line in printed.splitlines()]
    header = next(line for line in lines if "STRUCT_IOU" in line)
    scores = [float(line[-2]) for line in lines if len(line) == 5 and line[0].isdecimal()]
    assert header[-2:] == ["STRUCT_IOU", "SCORE"]
    assert len(scores) == 18
    assert scores[0] < 70 < 80 < max(scores)
    assert round(100 * performance(output / "model-best")["struct_iou"], 2) == max(scores)
    assert round(100 * performance(output / "model-last")["struct_iou"], 2) == scores[-1] < max(scores)


def test_train_keeps_all_scores_in_the_meta(trained):
    kept = performance(trained[0] / "model-best")
    assert 0 < kept["struct_iou_corpus"] < 1
    assert kept["struct_iou_per_type"]["NP"]["n_ref"] > 100


def test_loaded_model_scores_as_in_training(trained, core_score):
    assert performance(trained[0] / "model-best")["struct_iou"] == pytest.approx(core_score.sentence)


def test_project_skips_commands_whose_inputs_are_unchanged(project):
    folder, printed = project
    names = ("train", "evaluate", "convert", "benchmark")
    headings = re.findall(r"^=+ ([a-z]+) =+", printed, flags=re.MULTILINE)
    assert [name for name in headings if name in names] == list(names)
    again = run_spacy("project", "run", "all", cwd=folder).stdout
    assert [f"Skipping '{name}': nothing changed" in again for name in names] == [True] * 4


def test_benchmark_accuracy_holds_the_scores(project, core_score):
    """Check the file, as the command prints only scores of spaCy's own components (docs/spacy.md)."""
    folder, printed = project
    results = printed[printed.rindex("Results") :]
    assert {"TOK", "SPEED"} <= set(results.split())
    assert "iou" not in results.lower().replace("structiou", "")
    scores = json.loads((folder / "metrics" / "benchmark.json").read_text(encoding="utf-8"))
    assert scores["struct_iou"] == pytest.approx(core_score.sentence)
    assert scores["struct_iou_corpus"] == pytest.approx(core_score.corpus)
    assert scores["struct_iou_p"] == pytest.approx(core_score.precision)
    assert scores["struct_iou_r"] == pytest.approx(core_score.recall)
    assert scores["struct_iou_per_type"].keys() == core_score.by_label.keys()


@pytest.mark.parametrize("gold", ["treebank", "converted"])
def test_structiou_evaluate_prints_and_writes_the_scores(trained, dev_file, core_score, tmp_path, gold):
    data = [ENGLISH, "--offset", 60] if gold == "treebank" else [dev_file]
    model = trained[0] / "model-best"
    printed = run_spacy(
        "structiou", "evaluate", model, *data, *CODE, "--why", "--output", tmp_path / "new" / "m.json"
    ).stdout
    lines = [line.split() for line in printed.splitlines()]
    assert ["STRUCT-IoU", f"{100 * core_score.sentence:.2f}"] in lines
    assert ["corpus", "level", f"{100 * core_score.corpus:.2f}"] in lines
    row = core_score.by_label["NP"]
    figures = [f"{100 * value:.2f}" for value in (row.precision, row.recall, row.score)]
    assert ["NP", *figures, str(row.n_pred), str(row.n_ref)] in lines
    assert core_score.signature in printed
    scores = json.loads((tmp_path / "new" / "m.json").read_text(encoding="utf-8"))
    assert scores["struct_iou"] == pytest.approx(core_score.sentence)
    assert scores["struct_iou_signature"] == core_score.signature
    losses = scores["struct_iou_losses"]["by_cause"]
    nodes = sum(row["n_pred"] + row["n_ref"] for row in scores["struct_iou_per_type"].values())
    assert sum(losses.values()) == pytest.approx(nodes * (1 - core_score.corpus), abs=1e-6)
    worst = max(losses, key=losses.get)
    assert any(line[:2] == [worst, f"{losses[worst]:.2f}"] for line in lines)


def test_reader_and_spacys_own_corpus_agree_on_a_converted_file(trained, dev_file, core_score, pcfg_parser):
    nlp = spacy.load(trained[0] / "model-best")
    for reader in (Corpus(dev_file), TreebankCorpus(dev_file)):
        assert nlp.evaluate(reader(nlp))["struct_iou"] == core_score.sentence


def test_train_says_why_spacys_own_corpus_has_no_trees(tmp_path):
    """Train with a reader that splits documents and so loses all span groups."""
    dev = tmp_path / "dev.spacy"
    run_spacy("structiou", "convert", ENGLISH, dev, "--n-sents", 20, "--offset", 3)
    config = Config().from_disk(EXAMPLE / "config.cfg", interpolate=False)
    config["corpora"]["dev"] = {"@readers": "spacy.Corpus.v1", "path": str(dev), "gold_preproc": True}
    config["training"] |= {"max_steps": 2}
    config.to_disk(tmp_path / "config.cfg")
    done = run_spacy("train", tmp_path / "config.cfg", *CODE)
    printed = " ".join((done.stdout + done.stderr).split())
    assert printed.count("struct_iou: none of 20 documents has reference trees in doc.spans") == 1
    assert "read the corpus with @readers = 'structiou.treebank_corpus.v1'" in printed


def test_parser_survives_white_space(trained, pcfg_parser):
    nlp = spacy.load(trained[0] / "model-best")
    nlp.add_pipe("sentencizer", first=True)
    doc = nlp("The  mayor slept.\n\n The dog barked.")
    assert [" ".join(tree.words) for tree in get_trees(doc)] == ["The mayor slept .", "The dog barked ."]
    assert [str(tree) for tree in get_trees(nlp(" \n "))] == ["()"]


def test_trained_pipeline_parses_raw_text_and_survives_bytes(trained, pcfg_parser):
    nlp = spacy.load(trained[0] / "model-best")
    text = "The mayor repaired the old zeppelin near Kortrijk."
    (tree,) = get_trees(nlp(text))
    assert " ".join(tree.words) == "The mayor repaired the old zeppelin near Kortrijk ."
    assert tree.labels[-1] == "TOP"
    again = spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert get_trees(again(text)) == [tree]


def test_parser_bounds_time_and_length(trained, pcfg_parser, monkeypatch):
    """Use a clock that advances when it is read, before each length of constituents from two words on."""
    nlp = spacy.load(trained[0] / "model-best")
    parser = nlp.get_pipe("pcfg_parser")
    parser.max_seconds = 3
    monkeypatch.setattr(pcfg_parser, "time", SimpleNamespace(monotonic=count().__next__))
    long = "the old mill of " * 14 + "the river ."
    (tree,) = get_trees(nlp(long))
    assert len(tree.words) == 59
    lengths = [last - first for first, last in zip(tree.firsts, tree.lasts, strict=True)]
    assert max(lengths[:-2]) <= 4 < 59 == lengths[-2] == lengths[-1]
    parser.max_words = 58
    assert list(map(bool, get_trees(nlp(long)))) == [False]


@pytest.mark.parametrize("text", ["a b", ""])
def test_untrained_parser_fails_to_parse(pcfg_parser, text):
    nlp = spacy.blank("en")
    nlp.add_pipe("pcfg_parser")
    assert not any(get_trees(nlp(text)))


# ---- Hebrew --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hebrew(tmp_path_factory):
    output = tmp_path_factory.mktemp("hebrew") / "model"
    run_spacy("assemble", "hebrew.cfg", output, "--code", "stored_parser.py")
    return output


@pytest.fixture(scope="module")
def hebrew_score():
    reference, prediction = map(read_trees, HEBREW)
    return StructIoU(unit="char").corpus_score(prediction, reference)


def test_hebrew_evaluate_in_characters(hebrew, hebrew_score, tmp_path):
    code = ("--code", "stored_parser.py")
    args = ("structiou", "evaluate", hebrew, HEBREW[0], "--join-words", *code)
    printed = run_spacy(*args, "--output", tmp_path / "m.json").stdout
    assert f"{100 * hebrew_score.sentence:.2f}" in printed
    assert "unit:char" in printed
    scores = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert scores["struct_iou"] == pytest.approx(hebrew_score.sentence)
    assert scores["struct_iou_corpus"] == pytest.approx(hebrew_score.corpus)
    assert scores["struct_iou_counts"]["pairs"] == 27


def test_hebrew_in_words_is_refused_with_the_cure(hebrew):
    args = ("structiou", "evaluate", hebrew, HEBREW[0], "--join-words", "--code", "stored_parser.py")
    done = run_spacy(*args, "-M", "unit=word", "-M", "on_error=raise", check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    assert "score characters (unit 'char')" in " ".join(done.stdout.split())
    counted = run_spacy(*args, "-M", "unit=word", "-M", "on_error=skip").stdout
    assert "pairs skipped" in counted


def test_hebrew_benchmark_accuracy(hebrew, hebrew_score, tmp_path):
    gold = tmp_path / "gold.spacy"
    run_spacy("structiou", "convert", HEBREW[0], gold, "--join-words")
    code = ("--code", "stored_parser.py")
    run_spacy("benchmark", "accuracy", hebrew, gold, *code, "--output", tmp_path / "m.json")
    scores = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert scores["struct_iou"] == pytest.approx(hebrew_score.sentence)
    assert scores["struct_iou_per_type"]["NP"]["f"] == pytest.approx(hebrew_score.by_label["NP"].score)

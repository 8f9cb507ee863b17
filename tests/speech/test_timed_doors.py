"""What projection writes goes through every door: the command line, `evaluate`, `datasets` and spaCy."""

from __future__ import annotations

import json

import pytest

import structiou_metric
from structiou_metric import SegmentTree, StructIoU, read_trees, struct_iou
from structiou_metric.commands.main import main
from structiou_metric.speech.projection.project import project_all
from support.hub import import_datasets

# The first pair is the paper's first figure, where the score is 0.75. In the second, half of `can't` is
# there: ADJP aligns with ADJP at 0.5 and JJ with JJ at 1, of 2 and 3 nodes, so the score is
# 2 · (0.5 + 1) / 5. The third prediction is a failed parse.
TREES = """\
(TOP (NP (PRP Your) (NN turn)) (. .))
(ADJP (RB ca) (JJ n't))
(S (NP (PRP I)))
"""
WORDS = "Your\t2.56\t2.72\nturn\t2.72\t3.01\nuh\t3.5\t3.75\ncan't\t4.0\t5.0\nI\t6.0\t6.5\n"
PREDICTIONS = [
    "(VP (VBP <2.55,2.56>) (NP (PRP <2.56,2.72>) (NN <2.72,3.01>)))",
    "(ADJP (JJ <4.5,5.0>))",
    "()",
]
SCORES = [0.75, 0.6, 0.0]


@pytest.fixture
def files(tmp_path, monkeypatch, capsys):
    """The projected references and the predictions, written by the command."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.mrg").write_text(TREES, "utf-8")
    (tmp_path / "talk.tsv").write_text(WORDS, "utf-8")
    (tmp_path / "pred.timed").write_text("\n".join(PREDICTIONS) + "\n", "utf-8")
    assert main(["project", "text.mrg", "--words", "talk.tsv", "-o", "ref.timed", "--report", "none"]) == 0
    assert capsys.readouterr() == ("", "")
    return tmp_path / "ref.timed", tmp_path / "pred.timed"


@pytest.fixture
def references(files):
    return files[0].read_text("utf-8").splitlines()


def test_projection_is_read_back(files, references):
    words = [line.split("\t") for line in WORDS.splitlines()]
    projected = project_all(TREES.splitlines(), [(text, float(a), float(b)) for text, a, b in words])
    trees = [item.tree for item in projected]
    assert read_trees(files[0]) == read_trees(files[0], "time") == trees
    assert [SegmentTree.from_dict(json.loads(json.dumps(tree.to_dict()))) for tree in trees] == trees
    assert [SegmentTree.from_columns(**tree.to_columns()) for tree in trees] == trees
    assert [SegmentTree.from_spans(tree.to_spans()) for tree in trees] == trees
    assert references[1] == "(ADJP (RB ca<4.0,4.5>) (JJ n't<4.5,5.0>))"


def test_projected_trees_are_scored(references):
    assert [
        struct_iou(prediction, reference, unit="time")
        for prediction, reference in zip(PREDICTIONS, references, strict=True)
    ] == pytest.approx(SCORES)


def test_score_command_takes_them(files, capsys):
    assert main(["score", *map(str, files), "--unit", "time", "--json", "--per-sentence"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [row["struct_iou"] for row in result["sentences"]] == pytest.approx(SCORES)
    assert result["struct_iou"] == pytest.approx(0.45)


def test_evaluate_takes_them(references, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    for name in ("HF_EVALUATE_OFFLINE", "HF_HUB_OFFLINE"):
        monkeypatch.setenv(name, "1")
    evaluate = pytest.importorskip("evaluate")
    monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", True)
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", tmp_path / "modules")
    metric = evaluate.load(structiou_metric.metric_path(), cache_dir=str(tmp_path / "metrics"))
    result = metric.compute(predictions=PREDICTIONS, references=references, unit="time")
    assert result["struct_iou"] == pytest.approx(0.45)
    assert result["n_empty"] == 1


@pytest.mark.parametrize("to", ["brackets", "brackets_times", "json", "spans", "columns"])
def test_datasets_converters_take_them(references, tmp_path, monkeypatch, to):
    datasets = import_datasets()
    from structiou_metric.hf_datasets import ColumnConverter

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    dataset = datasets.Dataset.from_dict({"prediction": PREDICTIONS, "reference": references})
    converted = ColumnConverter("reference", to=to, unit="time").apply(dataset)
    result = StructIoU(unit="time").score_dataset(converted, "prediction", "reference")
    assert [tally.score for tally in result.sentences] == pytest.approx(SCORES)


def test_spacy_takes_them(references):
    pytest.importorskip("spacy")
    from spacy.training import Example
    from spacy.vocab import Vocab

    from spacy_structiou import doc_from_trees, get_trees
    from spacy_structiou.scorer import make_struct_iou_scorer

    vocab = Vocab()
    reference = doc_from_trees(vocab, references)
    assert [token.text for token in reference] == ["Your", "turn", "ca", "n't", "I"]
    assert [str(tree) for tree in get_trees(reference)] == references
    example = Example(doc_from_trees(vocab, PREDICTIONS), reference)
    scores = make_struct_iou_scorer(unit="time")([example])
    assert scores["struct_iou"] == pytest.approx(0.45)

"""Names that others rely on: they import, and take what they are documented to take."""

from __future__ import annotations

import inspect
from importlib import import_module
from importlib.metadata import entry_points

import pytest

from structiou_metric import StructIoU, align, struct_iou
from support.public import PUBLIC, is_available

# What users were shown, by module.
NAMES = {
    "structiou_metric": "struct_iou align StructIoU SegmentTree read_trees metric_path Accumulator "
    "load_metric METRICS Alignment CorpusScore Node TreeFormatError TreeMismatchError COMPILED __version__",
    "structiou_metric.analysis.compare": "compare",
    "structiou_metric.drawing.svg": "draw_svg draw_html",
    "structiou_metric.analysis.perturbation": "perturb with_seconds generator_for KINDS",
    "structiou_metric.hf_datasets": "ColumnConverter RowScorer Source score_dataset SHAPES",
    "structiou_metric.speech": "project project_all read_words spoken_words align_audio "
    "Aligner AlignmentError ALIGNERS FORMATS FILLERS SILENCES Projection Report TimedWord Transcript",
    "structiou_metric.report.page": "write_page",
    "structiou_metric.metrics": "METRICS load_metric",
    "structiou_metric.analysis.errors": "find_moves explain_corpus Move MoveReport CLASSES STYLES Style",
}


@pytest.mark.parametrize("module", NAMES)
def test_names_import(module):
    found = import_module(module)
    for name in NAMES[module].split():
        assert hasattr(found, name), name
        assert name in found.__all__, name


@pytest.mark.parametrize("module", [name for name in NAMES if name != "structiou_metric.report.page"])
def test_all_public_names_are_there(module):
    found = import_module(module)
    for name in getattr(found, "__all__", ()):
        assert hasattr(found, name), name


@pytest.mark.parametrize(
    "owner, name, first",
    [
        ("structiou_metric", "struct_iou", ["prediction", "reference"]),
        ("structiou_metric", "align", ["prediction", "reference"]),
        ("structiou_metric.analysis.compare", "compare", ["systems", "references"]),
        ("structiou_metric.hf_datasets", "score_dataset", ["metric", "dataset"]),
    ],
)
def test_predictions_come_first(owner, name, first):
    function = getattr(import_module(owner), name)
    assert list(inspect.signature(function).parameters)[:2] == first


@pytest.mark.parametrize("function", [StructIoU, struct_iou, align])
def test_signatures_show_every_option_with_its_default(function):
    """Those of a single pair have no options that matter for many."""
    shown = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name != "documents"
    }
    assert shown == {
        name: option.default
        for name, option in StructIoU.OPTIONS.items()
        if function is StructIoU or not option.corpus
    }


def test_corpus_score_has_its_names():
    score = StructIoU().corpus_score(
        predictions=["(S (A a))"], references=["(S (A a))"], workers=1, progress=False
    )
    assert (score.sentence, score.corpus, score.precision, score.recall) == (1.0,) * 4
    assert set(score.by_label) == {"S", "A"}
    assert [tally.score for tally in score.sentences] == [1.0]
    assert score.signature in score.as_dict().values()


def test_segment_tree_has_its_names():
    tree = import_module("structiou_metric").SegmentTree
    for name in ("from_brackets", "from_nltk", "from_dict", "from_spans", "with_times"):
        assert callable(getattr(tree, name)), name


@pytest.mark.parametrize(
    "group, name",
    [
        ("console_scripts", "structiou"),
        ("spacy_factories", "struct_iou"),
        ("spacy_scorers", "structiou.struct_iou_scorer.v1"),
        ("spacy_readers", "structiou.treebank_corpus.v1"),
    ],
)
def test_entry_points(group, name):
    [found] = [entry for entry in entry_points(group=group) if entry.name == name]
    if group.startswith("spacy"):
        pytest.importorskip("spacy")
    assert callable(found.load())


def test_public_names_are_few():
    """The reference of the API lists them."""
    assert sum(len(names) for module, names in PUBLIC.items() if module.startswith("structiou_metric")) <= 60
    assert len(PUBLIC["structiou_metric"]) <= 20
    for module, names in PUBLIC.items():
        if not is_available(module):
            continue
        found = import_module(module)
        assert [name for name in names if not hasattr(found, name)] == []

"""Results for model cards, read back by the classes of `huggingface_hub` and by PyYAML."""

from __future__ import annotations

import math
import sys
from datetime import UTC, date, datetime

import pytest

from structiou_metric import StructIoU
from structiou_metric.metrics import METRICS, load_metric
from support.extras import need

A = "(S (A a) (B b))"
B = "(S (A a) (C b))"  # 2/3 like A
FULL = {
    "revision": "5503434ddd753f426f4b38109466949a1217c2bb",
    "date": datetime(2026, 11, 17, 19, 30, tzinfo=UTC),
    "notes": "greedy: 100 % of “it”\n",
    "source_url": "https://example.org/logs",
    "source_name": "logs",
    "source_user": "someone",
}


@pytest.fixture
def result():
    return StructIoU(labels="base").corpus_score([A, A], [B, A])


def read(text):
    return pytest.importorskip("yaml").safe_load(text)


@pytest.mark.parametrize("more", [{}, FULL], ids=["few", "all"])
def test_entries_are_those_of_the_hub(result, more, tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    told = result.to_eval_results("owner/treebank", "parsing", **more)
    path = told.write(tmp_path)
    assert path == str(tmp_path / ".eval_results" / "owner_treebank-parsing-struct_iou.yaml")
    with open(path, encoding="utf-8") as file:
        data = read(file)
    assert data == told.entries
    [entry] = hub.parse_eval_result_entries(data)
    assert hub.eval_result_entries_to_yaml([entry]) == data
    assert (entry.dataset_id, entry.task_id) == ("owner/treebank", "parsing")
    assert entry.value == pytest.approx(5 / 6)
    assert entry.notes.endswith(f"; {StructIoU(labels='base').signature}")
    if more:
        assert entry.notes.startswith(FULL["notes"])
        assert entry.date == "2026-11-17T19:30:00+00:00"
        assert (entry.dataset_revision, entry.source_user) == (FULL["revision"], "someone")


@pytest.mark.parametrize("name", METRICS)
def test_model_index_is_that_of_the_hub(name):
    data = pytest.importorskip("huggingface_hub.repocard_data")
    card = pytest.importorskip("huggingface_hub.repocard")
    a, b = f"(TOP {A})", f"(TOP {B})"
    result = load_metric(name).corpus_score([a, a], [b, a])
    told = result.to_eval_results(
        "owner/treebank",
        config="en",
        split="test",
        dataset_name="Treebank",
        source_url="https://example.org/logs",
    )
    index = told.model_index("owner/parser")
    model, entries = data.model_index_to_eval_results(index)
    assert model == "owner/parser"
    assert data.eval_results_to_model_index(model, entries) == index
    assert entries[0].metric_value == result.score
    for entry in entries:
        assert (entry.metric_type, entry.dataset_split, entry.dataset_name) == (name, "test", "Treebank")
        assert entry.metric_value == result.figures[entry.metric_args["measure"]]
        assert entry.metric_args["signature"] == result.signature
    page = card.ModelCard(f"---\nlanguage: en\n{told.front_matter('owner/parser')}---\n\n# Our parser\n")
    assert page.data.eval_results == entries


def test_model_index_calls_a_dataset_without_a_name_by_its_place():
    [model] = StructIoU().corpus_score([A], [A]).to_eval_results("owner/treebank").model_index("owner/parser")
    assert model["results"][0]["dataset"] == {"name": "owner/treebank", "type": "owner/treebank"}


def test_other_measures_and_several_references():
    result = StructIoU().corpus_score([A, "()"], [[B, A], A])
    [entry] = result.to_eval_results("a/b", measure="struct_iou_recall", date=date(2026, 1, 2)).entries
    assert entry["value"] == 0.5
    assert entry["notes"].startswith("recall, corpus level; structiou|")
    assert entry["notes"].endswith("|references:best")
    assert entry["date"] == "2026-01-02"
    assert StructIoU().corpus_score([A], [A]).to_eval_results("a/b", measure="struct_iou").entries


@pytest.mark.parametrize(
    "arguments, message",
    [
        pytest.param(
            {"dataset": "treebank"}, "dataset 'treebank' is no name on the Hub; write", id="dataset"
        ),
        pytest.param(
            {"measure": "f1"}, "unknown measure 'f1'; choose from struct_iou_sentence,", id="measure"
        ),
        pytest.param({"source_name": "logs"}, "a source needs its source_url", id="source"),
    ],
)
def test_errors_say_what_to_do(result, arguments, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        result.to_eval_results(**{"dataset": "owner/treebank", **arguments})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden"])
def test_files_stay_in_their_folder(result, tmp_path, name):
    with pytest.raises(ValueError, match="is no plain file name"):
        result.to_eval_results("a/b").write(tmp_path, name)


def test_written_again(result, tmp_path):
    need("huggingface_hub")
    told = result.to_eval_results("a/b")
    assert told.write(tmp_path, "ours") == told.write(tmp_path, "ours")
    assert [path.name for path in (tmp_path / ".eval_results").iterdir()] == ["ours.yaml"]


def test_yaml_needs_the_library_of_the_hub(result, monkeypatch):
    told = result.to_eval_results("a/b")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.setitem(sys.modules, "huggingface_hub.utils", None)
    with pytest.raises(ImportError, match=r"needs huggingface_hub: pip install 'structiou-metric\[hub\]'"):
        _ = told.yaml


def test_no_card_shows_what_is_no_number(result, monkeypatch):
    monkeypatch.setattr(type(result), "figures", {"struct_iou_sentence": math.nan})
    with pytest.raises(ValueError, match="struct_iou_sentence is nan, which no card can show"):
        result.to_eval_results("a/b")

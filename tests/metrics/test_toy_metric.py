"""A metric is one class: this one, of this file alone, comes to every door."""

from __future__ import annotations

import json
from array import array

import pytest

from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.metrics.accumulator import Accumulator
from structiou_metric.metrics.base import ERROR, ZEROED, Counter, Counts, Measure, Option, ratio
from structiou_metric.metrics.metric import ON_ERROR, Metric
from support.cli import runner, succeeded


class _Sizes(Counter):
    def __init__(self, options):
        self._options = options

    def count(self, batch, by_label=False, left_out=()):
        weight = self._options.weight
        sides = [
            array("d", (weight * len(trees.nodes(t)[0]) for t in range(len(batch))))
            for trees in (batch.predictions, batch.references)
        ]
        common = array("d", map(min, *sides))
        status = bytearray(len(batch))
        for row in batch.problems:
            status[row - batch.first] = ZEROED if self._options.on_error == "zero" else ERROR
        columns = {"common": common, "n_pred": sides[0], "n_ref": sides[1]}
        return Counts(columns, status, batch.problems)


class Toy(Metric):
    """How alike the numbers of brackets are."""

    name = "toy"
    title = "Toy"
    OPTIONS = {  # noqa: RUF012
        "weight": Option(1.0, "how much a bracket weighs", kind="number", check=float),
        "on_error": ON_ERROR,
    }
    MEASURES = {  # noqa: RUF012
        "toy": Measure(
            "size",
            lambda common, n_pred, n_ref: ratio(2 * common, n_pred + n_ref, 1.0),
            ("common", "n_pred", "n_ref"),
            short="size",
        )
    }

    def counter(self):
        return _Sizes(self.options)


PREDICTIONS = ["(S (NP (A a)) (B b))", "(S (A a))", "(S (A a) (B b))"] * 4
REFERENCES = ["(S (A a) (B b))", "(S (A a))", "(S (NP (A a)) (VP (B b)))"] * 4
SIZE = 2 * (3 + 2 + 3) / (4 + 3 + 2 + 2 + 3 + 5)  # by hand, of a third of the rows


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    monkeypatch.setitem(METRICS, "toy", f"{__name__}:Toy")


@pytest.fixture
def files(tmp_path):
    paths = {}
    for name, trees in {"gold": REFERENCES, "old": PREDICTIONS, "new": REFERENCES}.items():
        paths[name] = tmp_path / f"{name}.txt"
        paths[name].write_text("\n".join(trees) + "\n")
    return paths


def test_python():
    result = load_metric("toy", weight=2).corpus_score(PREDICTIONS, REFERENCES)
    assert result.figures["toy"] == pytest.approx(SIZE)
    assert result.signature.startswith("toy|weight:2.0|on_error:raise|version:")


def test_accumulated():
    gathered = Accumulator(load_metric("toy"))
    gathered.update(PREDICTIONS[:5], REFERENCES[:5])
    gathered.update(PREDICTIONS[5:], REFERENCES[5:])
    assert gathered.compute().figures["toy"] == pytest.approx(SIZE)


def test_score_command(capsys, files):
    structiou = runner(capsys, "score", str(files["gold"]), str(files["old"]), "--metric", "toy")
    text = succeeded(structiou("--weight", "3", "--per-sentence"))
    assert "Toy, size" in text
    assert f"{SIZE:.4f}" in text
    assert "toy|weight:3.0" in text
    found = json.loads(succeeded(structiou("--json")))
    assert found["toy"] == pytest.approx(SIZE)


def test_compare_command(capsys, files, tmp_path):
    pytest.importorskip("numpy")
    page = tmp_path / "report.html"
    structiou = runner(capsys, "compare", *(str(files[name]) for name in ("gold", "old", "new")))
    arguments = "--metric", "struct_iou,toy", "--resamples", "50"
    text = succeeded(structiou(*arguments, "--html", page))
    for report in (text, page.read_text("utf-8")):
        assert "Toy" in report
        assert "size" in report
        assert f"{SIZE:.4f}" in report
    found = json.loads(succeeded(structiou(*arguments, "--json")))
    assert found["systems"][0]["figures"]["toy"]["value"] == pytest.approx(SIZE)
    assert found["systems"][1]["figures"]["toy"]["value"] == 1.0
    assert "toy" in found["pairs"][0]["differences"]


def test_compare_by_it_alone(capsys, files):
    pytest.importorskip("numpy")
    structiou = runner(capsys, "compare", *(str(files[name]) for name in ("gold", "old", "new")))
    assert f"{SIZE:.4f}" in succeeded(structiou("--metric", "toy", "--resamples", "50"))


def test_spacy_scorer():
    spacy = pytest.importorskip("spacy")
    from spacy.training import Example

    from spacy_structiou.convert import doc_from_trees
    from spacy_structiou.scorer import make_scorer

    nlp = spacy.blank("en")
    examples = [
        Example(doc_from_trees(nlp.vocab, [prediction]), doc_from_trees(nlp.vocab, [reference]))
        for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    assert make_scorer("toy", weight=2.0)(examples)["toy"] == pytest.approx(SIZE)

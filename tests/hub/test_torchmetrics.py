"""`TreeMetric` in real torchmetrics, on one process and on two that talk by gloo."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from structiou_metric import StructIoU, read_trees
from structiou_metric.metrics import load_metric
from support.extras import need
from support.paths import DATA
from support.process import PATIENCE

need("torchmetrics")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def english():
    return tuple(
        [tree.to_brackets() for tree in read_trees(DATA / f"english.{side}")]
        for side in ("prediction.txt", "reference.mrg")
    )


def batches(english, size):
    predictions, references = english
    for lo in range(0, len(predictions), size):
        yield predictions[lo : lo + size], references[lo : lo + size]


def test_is_what_corpus_score_gives(english):
    from structiou_metric.hub.torchmetrics import TreeMetric

    whole = load_metric("parseval").corpus_score(*english, by_label=True)
    metric = TreeMetric("parseval", by_label=True)
    for batch in batches(english, 9):
        metric.update(*batch)
    assert {key: value.item() for key, value in metric.compute().items()} == dict(whole.figures)
    assert metric.result().by_label == whole.by_label
    assert metric.higher_is_better
    for again in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), metric.clone()):
        assert again.tally() == metric.tally()
    metric.reset()
    metric.update(["(S (A a))"], ["(S (A a))"])
    assert metric.compute()["parseval"] == 1.0


def test_forward_collections_and_checkpoints(english):
    from torchmetrics import MetricCollection

    from structiou_metric.hub.torchmetrics import TreeMetric

    first, second = list(batches(english, 40))
    metric = TreeMetric(StructIoU(unit="char"))
    alone = metric(*first)
    assert alone["struct_iou"].item() == StructIoU(unit="char").corpus_score(*first).score
    metric(*second)
    whole = StructIoU(unit="char").corpus_score(*english)
    assert metric.compute()["struct_iou"].item() == whole.score
    metric.persistent(True)
    fresh = TreeMetric(StructIoU(unit="char"))
    fresh.load_state_dict(metric.state_dict(), strict=True)
    assert fresh.tally() == metric.tally()
    both = MetricCollection({"words": TreeMetric(), "brackets": TreeMetric("parseval")})
    both.update(*english)
    found = both.compute()
    assert found["struct_iou_corpus"].item() == StructIoU().corpus_score(*english).corpus
    assert found["parseval_f1"].item() == load_metric("parseval").corpus_score(*english).f1


def test_errors():
    from structiou_metric.hub.torchmetrics import TreeMetric

    metric = TreeMetric()
    metric.update(["(A a)"], ["(A a)"])
    with pytest.raises(ValueError, match=r"^predictions\[1\]:1:1"):
        metric.update(["(A a"], ["(A a)"])
    assert metric.compute()["struct_iou"] == 1.0
    with pytest.raises(TypeError, match="has its options already; give it with unit"):
        TreeMetric(StructIoU(), unit="char")


@pytest.mark.parametrize("rows", [(0, 31, 80), (0, 0, 80)])
def test_two_processes_agree_to_the_last_bit(english, rows, tmp_path):
    """Also where one process had no batch at all."""
    script = Path(__file__).with_name("torch_worker.py")
    workers = [
        subprocess.Popen(
            [sys.executable, script, str(rank), str(rows[rank]), str(rows[rank + 1]), str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        found = [worker.communicate(timeout=PATIENCE)[0].split() for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    whole = StructIoU(labels="base").corpus_score(*english, by_label=True)
    wanted = [
        whole.sentence.hex(),
        whole.corpus.hex(),
        whole.by_label["NP"].matched_pred.hex(),
        str(len(whole)),
    ]
    assert found == [wanted, wanted]

"""One of two processes of `test_torchmetrics.py`: scores its rows and prints what all rows come to."""

from __future__ import annotations

import sys
from pathlib import Path

import torch.distributed

from structiou_metric import read_trees
from structiou_metric.hub.torchmetrics import TreeMetric

DATA = Path(__file__).parents[1] / "data"

rank, first, last, folder = (*map(int, sys.argv[1:4]), sys.argv[4])
torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
predictions, references = (
    [tree.to_brackets() for tree in read_trees(DATA / f"english.{side}")]
    for side in ("prediction.txt", "reference.mrg")
)
metric = TreeMetric("struct_iou", labels="base", by_label=True)
for lo in range(first, last, 13):
    hi = min(lo + 13, last)
    metric.update(predictions[lo:hi], references[lo:hi])
figures = metric.compute()
with metric.sync_context():
    result = metric.result()
mass = result.by_label["NP"].matched_pred
sys.stdout.write(
    f"{figures['struct_iou_sentence'].item().hex()} {figures['struct_iou_corpus'].item().hex()} "
    f"{mass.hex()} {len(result)}\n"
)
torch.distributed.destroy_process_group()

"""Scores trees of Stanza's own class, which its reader builds without a model."""

from __future__ import annotations

import json
import sys

from stanza.models.constituency.tree_reader import read_trees

from structiou_metric import StructIoU, struct_iou

if __name__ == "__main__":
    prediction, reference = (read_trees(text)[0] for text in sys.argv[1:])
    figures = [
        struct_iou(prediction, reference),
        StructIoU().corpus_score([prediction], sys.argv[2:]).corpus,
    ]
    print(json.dumps(figures))  # noqa: T201

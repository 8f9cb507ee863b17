"""What is lost and why: against a literal reading of the definitions, by laws, and by hand."""

from __future__ import annotations

from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import Alignment, StructIoU
from structiou_metric.metrics.accumulator import Accumulator
from structiou_metric.metrics.best_reference import score_multi
from structiou_metric.metrics.runner import score_pieces
from structiou_metric.metrics.struct_iou.losses import CAUSES
from structiou_metric.sources.rows import ListRows
from structiou_metric.trees.labels import base_label
from support.losses_oracle import explain
from support.product import product_tree
from support.strategies import TreeCase, tree_pairs

LABELS = ("A", "B", "B-X")
NAMES = {"exact": str, "base": base_label, "ignore": lambda label: ""}
OPTIONS = st.fixed_dictionaries(
    {
        "labels": st.sampled_from(tuple(NAMES)),
        "terminals": st.sampled_from(("strict", "flexible", "exclude")),
        "min_iou": st.sampled_from((0.0, 0.25, 0.5)),
    }
)


def pairs_in(unit: str) -> st.SearchStrategy[tuple[TreeCase, TreeCase]]:
    return tree_pairs(8, LABELS, timed=unit == "time")


def told_by(alignment: Alignment, metric: StructIoU) -> dict[int, int]:
    """Reference node by prediction node in the alignment that tells the causes."""
    if metric.unit == "time":
        pred, ref = alignment.prediction, alignment.reference
        kept = [
            len(tree.words) - len(side.dropped_words)
            for tree, side in ((pred, alignment.prediction_side), (ref, alignment.reference_side))
        ]
        if kept[0] == kept[1]:
            over_words = metric.with_options(unit="word")
            alignment = over_words.align(pred.to_brackets(times=False), ref.to_brackets(times=False))
    return {a.number: b.number for a, b, _ in alignment.pairs}


def causes_of(alignment: Alignment) -> dict[tuple[str, int], tuple[str, float]]:
    return {(lost.side, lost.node.number): (lost.cause, lost.loss) for lost in alignment.losses()}


def lost_by(prediction: object, reference: object, **options: object) -> dict[str, float]:
    """What a pair loses, by cause, without those that it does not."""
    losses = StructIoU(**options).corpus_score([prediction], [reference]).losses
    return {cause: round(value, 9) for cause, value in losses.by_cause.items() if value}


# ----------------------------------------------------------------------------------- all definitions


@pytest.mark.parametrize("unit", ["word", "char", "time"])
@given(data=st.data(), options=OPTIONS)
def test_causes_are_those_of_the_definitions(data, options, unit):
    prediction, reference = data.draw(pairs_in(unit))
    if unit == "char":
        reference = _respelled(data.draw, reference)
    drop = data.draw(st.sampled_from(((), ("A",)))) if unit == "time" else ()  # else texts would differ
    metric = StructIoU(unit=unit, drop=drop, **options)
    alignment = metric.align(product_tree(prediction), product_tree(reference))
    expected = explain(
        alignment,
        told_by(alignment, metric),
        unit=unit,
        name=NAMES[options["labels"]],
        terminals=options["terminals"],
    )
    assert causes_of(alignment) == expected


def _respelled(draw, case: TreeCase) -> TreeCase:
    """The same text with some words made of two leaves, so that the two sides have other words."""
    text = case.brackets
    for word in set(text.replace(")", " ").split()):
        if word.startswith("w") and draw(st.booleans()):
            text = text.replace(f" {word})", f" (A {word[0]}) (B {word[1:]}))", 1)
    return TreeCase(text, None)

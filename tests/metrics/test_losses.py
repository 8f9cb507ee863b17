"""What is lost and why: against a literal reading of the definitions, by laws, and by hand."""

from __future__ import annotations

from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import Alignment, StructIoU, align
from structiou_metric.metrics.accumulator import Accumulator
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


def test_only_an_alignment_of_a_metric_knows_its_losses():
    made = align("(S (A a) (B b))", "(S (A a) (C b))")
    assert [lost.cause for lost in made.losses()] != []
    alone = Alignment(made.prediction, made.reference, made.prediction_side, made.reference_side, ())
    with pytest.raises(ValueError, match=r"^this alignment was not made by a metric"):
        alone.losses()


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
    assert causes_of(alignment) == {key: (lost.cause, lost.loss) for key, lost in expected.items()}
    assert {
        (lost.side, lost.node.number): lost.other and lost.other.number for lost in alignment.losses()
    } == {key: lost.other for key, lost in expected.items()}


def _respelled(draw, case: TreeCase) -> TreeCase:
    """The same text with some words made of two leaves, so that the two sides have other words."""
    text = case.brackets
    for word in set(text.replace(")", " ").split()):
        if word.startswith("w") and draw(st.booleans()):
            text = text.replace(f" {word})", f" (A {word[0]}) (B {word[1:]}))", 1)
    return TreeCase(text, None)


# --------------------------------------------------------------------------------------------- laws


@pytest.mark.parametrize("unit", ["word", "char", "time"])
@given(data=st.data(), options=OPTIONS)
def test_causes_add_up_to_the_loss(data, options, unit):
    cases = data.draw(st.lists(pairs_in(unit), min_size=1, max_size=4))
    predictions, references = zip(*[map(product_tree, pair) for pair in cases], strict=True)
    metric = StructIoU(unit=unit, drop=(), **options)
    result = metric.corpus_score([*predictions, "()"], [*references, references[0]])
    columns = result.columns
    for i in range(len(result)):
        loss = columns["n_pred"][i] + columns["n_ref"][i] - 2.0 * columns["matched"][i]
        assert fsum(column[i] for column in result.losses.columns.values()) == pytest.approx(loss, abs=1e-9)
    assert list(result.losses.columns) == list(CAUSES)
    assert result.losses.columns["failed"][-1] == columns["n_ref"][-1]
    for i, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
        alone = {cause: column[i] for cause, column in result.losses.columns.items()}
        by_node = dict.fromkeys(CAUSES, 0.0)
        for lost in metric.align(prediction, reference).losses():
            by_node[lost.cause] += lost.loss
        assert by_node == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("unit", ["word", "char", "time"])
@given(data=st.data(), options=OPTIONS)
def test_swapping_the_sides_swaps_missing_and_extra(data, options, unit):
    left, right = map(product_tree, data.draw(pairs_in(unit)))
    metric = StructIoU(unit=unit, drop=(), **options)
    alignment, swapped = metric.align(left, right), metric.align(right, left)
    assert {(a.number, b.number, iou) for a, b, iou in alignment.pairs} == {
        (b.number, a.number, iou) for a, b, iou in swapped.pairs
    }
    names = {"missing": "extra", "extra": "missing"}
    sides = {"prediction": "reference", "reference": "prediction"}
    assert causes_of(swapped) == {
        (sides[side], number): (names.get(cause, cause), loss)
        for (side, number), (cause, loss) in causes_of(alignment).items()
    }
    assert {lost.node: lost.other for lost in swapped.losses()} == {
        lost.node: lost.other for lost in alignment.losses()
    }
    losses, turned = (metric.corpus_score([a], [b]).losses for a, b in ((left, right), (right, left)))
    for found, other in ((losses.labels, turned.labels), (losses.tags, turned.tags)):
        assert {pair[::-1]: loss for pair, loss in found.items()} == other


@given(data=st.data())
def test_confusions_add_up_to_their_cause(data):
    cases = data.draw(st.lists(pairs_in("word"), min_size=1, max_size=5))
    predictions, references = zip(*[map(product_tree, pair) for pair in cases], strict=True)
    losses = StructIoU(drop=()).corpus_score(predictions, references).losses
    for cause, found in (("label", losses.labels), ("tag", losses.tags)):
        assert fsum(found.values()) == pytest.approx(losses.by_cause[cause], abs=1e-9)
    plain = losses.as_dict()
    assert plain["by_cause"] == losses.by_cause
    assert fsum(entry["loss"] for entry in plain["tags"]) == pytest.approx(losses.by_cause["tag"])


# -------------------------------------------------------------------------------------------- doors

PREDICTIONS = [
    "(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (NN hats)))))",
    "(S (NP (PRP it)) (ADJP (VBZ works)))",
    "(S (A a) (B b))",
    "()",
    "(S (A a) (B b) (C c))",
]
REFERENCES = [
    "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (NNS hats))))))",
    "(S (NP (PRP it)) (VP (VBZ works)))",
    "(S (A a) (B b))",
    "(S (A a) (B b))",
    "(S (A a) (B b))",
]
EXPECTED = {
    "attachment": [1.0, 0.0, 0.0, 0.0, 0.0],
    "label": [0.0, 2.0, 0.0, 0.0, 0.0],
    "tag": [2.0, 0.0, 0.0, 0.0, 0.0],
    "failed": [0.0, 0.0, 0.0, 3.0, 7.0],
}


def told(result) -> tuple[dict[str, list[float]], dict, dict]:
    losses = result.losses
    columns = {cause: list(column) for cause, column in losses.columns.items() if any(column)}
    return columns, losses.labels, losses.tags


WHOLE = (EXPECTED, {("ADJP", "VP"): 2.0}, {("NN", "NNS"): 2.0})


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("on_the_way", [True, False])
def test_losses_of_a_corpus(workers, on_the_way):
    metric = StructIoU(on_error="zero")
    metric = metric.explaining() if on_the_way else metric
    result = metric.corpus_score(PREDICTIONS * 200, REFERENCES * 200, workers=workers)
    columns, *confused = told(result)
    assert columns == {cause: column * 200 for cause, column in EXPECTED.items()}
    assert confused == [{pair: 200 * loss for pair, loss in found.items()} for found in WHOLE[1:]]


def test_skipped_rows_lose_nothing():
    losses = StructIoU(on_error="skip").corpus_score(PREDICTIONS, REFERENCES).losses
    assert list(losses.columns["failed"]) == [0.0, 0.0, 0.0, 3.0, 0.0]


def test_losses_of_joined_and_picked_rows():
    metric = StructIoU(on_error="zero")
    parts = [metric.corpus_score(PREDICTIONS[:2], REFERENCES[:2])]
    parts.append(metric.explaining().corpus_score(PREDICTIONS[2:], REFERENCES[2:]))
    whole = type(parts[0]).joined(parts)
    assert told(whole) == WHOLE
    for counted in (metric, metric.explaining()):
        picked = counted.corpus_score(PREDICTIONS, REFERENCES).picked([3, 1], [0, 1])
        assert told(picked) == ({"label": [0.0, 2.0], "failed": [3.0, 0.0]}, WHOLE[1], {})


def test_losses_of_an_accumulator():
    scores = Accumulator(StructIoU(on_error="zero").explaining())
    scores.update(PREDICTIONS[:3], REFERENCES[:3])
    scores.update(PREDICTIONS[3:], REFERENCES[3:])
    losses, whole = (
        scores.compute().losses,
        StructIoU(on_error="zero").corpus_score(PREDICTIONS, REFERENCES).losses,
    )
    assert {cause: sum(column) for cause, column in EXPECTED.items()} == {
        cause: value for cause, value in losses.by_cause.items() if value
    }
    assert (losses.labels, losses.tags) == WHOLE[1:]
    assert losses.as_dict() == whole.as_dict()


def test_losses_of_a_stream_are_counted_on_the_way_or_not_at_all():
    def pieces():
        yield 0, ListRows(PREDICTIONS, "predictions"), ListRows(REFERENCES, "references")

    metric = StructIoU(on_error="zero")
    assert told(score_pieces(metric.explaining(), pieces())) == WHOLE
    with pytest.raises(ValueError, match=r"count losses on the way, with StructIoU\(…\)\.explaining\(\)"):
        score_pieces(metric, pieces()).losses  # noqa: B018


def test_losses_against_the_best_of_several_references():
    references = [[REFERENCES[0], PREDICTIONS[0]], [REFERENCES[1]]]
    for metric in (StructIoU(), StructIoU().explaining()):
        assert told(metric.corpus_score(PREDICTIONS[:2], references))[0] == {"label": [0.0, 2.0]}


def test_losses_of_documents():
    result = StructIoU().corpus_score([PREDICTIONS[:3]], [REFERENCES[:3]], documents=True)
    assert told(result)[0] == {"attachment": [1.0], "label": [2.0], "tag": [2.0]}


# ------------------------------------------------------------------------------------------- by hand

TIMED = "(S (A a<0,1>) (B b<1,2>))"


@pytest.mark.parametrize(
    "prediction, reference, options, expected",
    [
        pytest.param("(S (A a) (B b))", "(S (A a) (B b))", {}, {}, id="nothing"),
        pytest.param("(S (A a) (B b))", "(S (A a) (C b))", {}, {"tag": 2}, id="tag"),
        pytest.param("(S (X (A a) (B b)) (C c))", "(S (Y (A a) (B b)) (C c))", {}, {"label": 2}, id="label"),
        pytest.param("(S (X (A a)) (B b))", "(S (A a) (B b))", {}, {"unary": 1}, id="unary too much"),
        pytest.param("(S (A a) (B b))", "(S (X (A a)) (B b))", {}, {"unary": 1}, id="unary too little"),
        pytest.param("(S (X (Y (A a))) (B b))", "(S (Y (X (A a))) (B b))", {}, {"blocked": 2}, id="blocked"),
        pytest.param("(S (A a) (B b) (C c))", "(S (X (A a) (B b)) (C c))", {}, {"missing": 1}, id="missing"),
        pytest.param("(S (X (A a) (B b)) (C c))", "(S (A a) (B b) (C c))", {}, {"extra": 1}, id="extra"),
        pytest.param(
            "(S (X (A a) (B b) (C c)) (D d))",
            "(S (X (A a) (B b)) (C c) (D d))",
            {},
            {"attachment": 2},  # aligning both X would forbid to align C
            id="a word attached elsewhere",
        ),
        pytest.param(
            "(S (X (A a) (B b) (C c)) (D d))",
            "(S (X (A a) (B b)) (C c) (D d))",
            {"terminals": "exclude"},
            {"boundary": 2 / 3},
            id="words that are no nodes",
        ),
        pytest.param(
            "(S (X (A a) (B b)) (C c))",
            "(S (A a) (X (B b) (C c)))",
            {"terminals": "exclude"},
            {"boundary": 4 / 3},
            id="one word off on both sides",
        ),
        pytest.param(
            "(S (X (A a) (B b)) (C c))", "(S (A a) (Y (B b) (C c)))", {}, {"attachment": 2}, id="crossing"
        ),
        pytest.param(
            f"(S (X (A a) (B b) {' '.join(['(C c)'] * 8)}) (D d))",
            f"(S (X (A a) (B b)) {' '.join(['(C c)'] * 8)} (D d))",
            {},
            {"attachment": 2},
            id="eight words attached elsewhere",
        ),
        pytest.param(
            f"(S (X (A a) (B b) {' '.join(['(C c)'] * 9)}) (D d))",
            f"(S (X (A a) (B b)) {' '.join(['(C c)'] * 9)} (D d))",
            {},
            {"missing": 1, "extra": 1},
            id="too many to be one attachment",
        ),
        pytest.param(
            "(S (A a) (B b) (T (X (C c) (D d))))",
            "(S (A a) (X (B b) (T (X (C c) (D d)))))",
            {},
            {"missing": 1},  # the other X stands below T on both sides
            id="missing above another with its label",
        ),
        pytest.param(
            "(S (A a) (B b) (T (X (C c) (D d))))",
            "(S (A a) (X (B b) (X (C c) (D d))))",
            {},
            {"attachment": 1, "unary": 1},  # T is another error
            id="attached elsewhere below a unary",
        ),
        pytest.param("()", "(S (A a))", {}, {"failed": 2}, id="failed"),
        pytest.param(
            TIMED,
            "(S (A a<0,1.5>) (B b<1.5,2>))",
            {"unit": "time"},
            {"timing": 2 * (1 / 3) + 2 * 0.5},
            id="timing",
        ),
        pytest.param(
            TIMED,
            "(S (A a<0,1.5>) (C b<1.5,2>))",
            {"unit": "time"},
            {"timing": 2 / 3, "tag": 2},
            id="timing and tag",
        ),
        pytest.param(
            "(S (A a b) (B c))",
            "(S (A ab) (B c))",
            {"unit": "char"},
            {},
            id="other words over the same characters",
        ),
    ],
)
def test_causes_by_hand(prediction, reference, options, expected):
    assert lost_by(prediction, reference, **options) == pytest.approx(expected)


@pytest.mark.slow
def test_deep_trees_are_explained():
    n = 100_000
    chain = "(A " * n + "x" + ")" * n
    other = chain.replace("A", "B")
    assert lost_by(chain, other) == {"label": 2.0 * (n - 1), "tag": 2.0}
    comb = "".join(f"(A (T w{k}) " for k in range(n)) + "(T w)" + ")" * n
    flat = "(B " + " ".join(["(T w)"] * (n + 1)) + ")"
    assert lost_by(flat, comb) == {"label": 2.0, "missing": n - 1.0}

"""The aligner against oracles, against itself in other modes, and against the laws of the metric."""

from __future__ import annotations

import json
import random
import threading
from itertools import accumulate, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import COMPILED, SegmentTree, align, struct_iou
from structiou_metric._core.align import MODES
from support import oracle
from support.examples import examples
from support.paths import DATA
from support.product import matched_by_mode, oracle_tree, pairs_by_mode, product_tree, unit_of
from support.random_trees import SHAPES, mutate, random_tree, timed, write_times
from support.strategies import tree_cases, tree_pairs
from support.twin import source_twin

EXAMPLES = 300 if COMPILED else 40

labels_options = st.sampled_from(["exact", "ignore"])
terminals_options = st.sampled_from(["strict", "flexible", "exclude"])
thresholds = st.sampled_from([0.0, 0.25, 0.5, 0.8])


def fixture_cases():
    with open(DATA / "struct_iou_cases.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


# ---- other people's figures ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted({case["kind"] for case in fixture_cases()}))
def test_struct_iou_equals_the_authors_program(kind):
    cases = [case for case in fixture_cases() if case["kind"] == kind]
    assert cases
    for case in cases:
        score = struct_iou(
            (case["prediction"], case["prediction_times"]),
            (case["reference"], case["reference_times"]),
            unit="time",
            terminals="flexible" if case["flexible_terminals"] else "strict",
            min_iou=case["iou_threshold"],
            drop=(),
        )
        assert score == pytest.approx(case["struct_iou"], abs=1e-9), case["id"]


YOUR_TURN = "(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))"


@pytest.mark.parametrize(
    "prediction, printed",
    [
        pytest.param("(VP (VBP <2.55,2.56>) (NP (PRP <2.56,2.72>) (NN <2.72,3.01>)))", 0.75, id="left tree"),
        # The paper prints 0.81. By hand: (0.45/0.59 + 0.14/0.21 + 0.29/0.40) · 2 / 6 = 0.718.
        pytest.param(
            "(NP (PRP <2.51,2.70>) (NN <2.70,3.10>))",
            (0.45 / 0.59 + 0.14 / 0.21 + 0.29 / 0.40) / 3,
            id="right tree",
        ),
    ],
)
def test_struct_iou_of_the_papers_first_figure(prediction, printed):
    assert struct_iou(prediction, YOUR_TURN, unit="time") == pytest.approx(printed, abs=1e-9)


def test_struct_iou_of_the_papers_hebrew_figure():
    reference = "(FRAGQ (NP (SYN_WDT (DTT איזה)) (NP (SYN_NN (NN פצועים)))) (SYN_yyQM (yyQM ?)))"
    prediction = (
        "(SQ (NP (SYN_WDT (DTT איזה)) (NP (SYN_NNT (BNT פצוע)) (NP (SYN_NN (NN ים))))) (SYN_yyQM (yyQM ?)))"
    )
    score = struct_iou(prediction, reference, unit="char")
    # NP, SYN_WDT, DTT, NP, SYN_yyQM, yyQM are equal; SYN_NN and NN share 2 of 6 letters.
    assert score == pytest.approx(2 * (6 + 2 / 6 + 2 / 6) / (12 + 9), abs=1e-12)
    assert round(score, 3) == 0.635


# The trees of the paper's second figure, over times that make the forbidden pairs worth having.
@pytest.mark.parametrize(
    "prediction, reference, wanted",
    [
        # A ↔ G and E ↔ H conflict: A is above E, G is beside H. Either pair alone scores at most 1.
        pytest.param(
            "(g (B <0,1>) (C (D <1,2>) (h <2,3>)))", "(F (g <0,2>) (h <2,3>))", 1.0, id="above, but beside"
        ),
        # C ↔ F and A ↔ H conflict: A is above C, H is below F.
        pytest.param(
            "(h (B <0,1>) (f (D <1,2>) (E <2,3>)))", "(f (G <0,1>) (h <1,3>))", 2 / 3, id="above, but below"
        ),
        # B ↔ H and C ↔ F conflict: B is beside C, H is below F. C ↔ F: 2 of 3 seconds.
        pytest.param(
            "(A (h <0,1>) (f (D <1,2>) (E <2,3>)))", "(f (h <0,1>) (G <1,3>))", 1.0, id="beside, but below"
        ),
        # A ↔ F and C ↔ H are fine together.
        pytest.param(
            "(f (B <0,1>) (h (D <1,2>) (E <2,3>)))", "(f (G <0,1>) (h <1,3>))", 2.0, id="above and above"
        ),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_align_keeps_the_rules_of_the_papers_second_figure(prediction, reference, wanted, mode):
    assert matched_by_mode(prediction, reference, mode, unit="time") == pytest.approx(wanted, abs=1e-12)


# ---- oracles -----------------------------------------------------------------------------------------


@examples(EXAMPLES)
@given(tree_pairs(5) | tree_pairs(4, timed=True), labels_options, terminals_options, thresholds)
def test_score_equals_the_best_of_all_alignments(pair, labels, terminals, min_iou):
    prediction, reference = pair
    options = {"labels": labels, "terminals": terminals, "min_iou": min_iou}
    wanted = oracle.best_by_enumeration(oracle_tree(prediction), oracle_tree(reference), **options)
    trees = product_tree(prediction), product_tree(reference)
    for mode in MODES:
        matched = matched_by_mode(*trees, mode, unit=unit_of(prediction), **options)
        assert matched == pytest.approx(wanted, abs=1e-9), mode


@examples(EXAMPLES)
@given(tree_pairs(14) | tree_pairs(10, timed=True), labels_options, terminals_options, thresholds)
def test_score_equals_the_papers_algorithm(pair, labels, terminals, min_iou):
    prediction, reference = pair
    options = {"labels": labels, "terminals": terminals, "min_iou": min_iou}
    wanted = oracle.best_by_algorithm1(oracle_tree(prediction), oracle_tree(reference), **options)
    trees = product_tree(prediction), product_tree(reference)
    for mode in MODES:
        matched = matched_by_mode(*trees, mode, unit=unit_of(prediction), **options)
        assert matched == pytest.approx(wanted, abs=1e-9), mode


@examples(EXAMPLES)
@given(tree_pairs(8) | tree_pairs(7, timed=True), labels_options, terminals_options, thresholds)
def test_pairs_are_a_best_alignment(pair, labels, terminals, min_iou):
    prediction, reference = map(product_tree, pair)
    options = {"unit": unit_of(pair[0]), "labels": labels, "terminals": terminals, "min_iou": min_iou}
    # Node numbers are postorder in the product and preorder in the oracle.
    trees = [SegmentTree.from_brackets(case.brackets) for case in pair]
    to_preorder = [{node: i for i, node in enumerate(tree.preorder())} for tree in trees]
    oracle_trees = [oracle_tree(case) for case in pair]
    for mode in MODES:
        pairs = pairs_by_mode(prediction, reference, mode, **options)
        total = matched_by_mode(prediction, reference, mode, **options)
        assert sum(iou for _, _, iou in pairs) == pytest.approx(total, abs=1e-9)
        numbers = [(to_preorder[0][p.number], to_preorder[1][r.number]) for p, r, _ in pairs]
        assert len({i for i, _ in numbers}) == len({j for _, j in numbers}) == len(numbers)
        for (i, j), (_, _, iou) in zip(numbers, pairs, strict=True):
            nodes = oracle_trees[0][i], oracle_trees[1][j]
            assert oracle.iou(*nodes) == pytest.approx(iou, abs=1e-9)
            assert iou > min_iou
            assert oracle.compatible(*nodes, labels=labels, terminals=terminals)
        for (i, j), (k, ell) in combinations(numbers, 2):
            assert not oracle.conflicted(*oracle_trees, i, j, k, ell)


@pytest.mark.parametrize("terminals", ["strict", "flexible"])
@pytest.mark.parametrize("labels", ["exact", "ignore"])
@pytest.mark.parametrize("shapes", list(combinations(SHAPES, 2)), ids="-".join)
def test_layers_agree_on_larger_trees(shapes, labels, terminals):
    rng = random.Random(f"{shapes}{labels}{terminals}")
    options = {"labels": labels, "terminals": terminals, "min_iou": rng.choice([0.0, 0.4])}
    for n_words in (12, 30) if COMPILED else (12,):
        prediction = random_tree(rng, n_words, 3, shapes[0])
        for reference in (random_tree(rng, n_words, 3, shapes[1]), mutate(rng, prediction, 4)):
            for noise in (None, 0.5):
                unit = "word" if noise is None else "time"
                trees = (
                    (prediction, reference)
                    if noise is None
                    else (timed(rng, prediction, noise), timed(rng, reference, noise))
                )
                totals = [matched_by_mode(*trees, mode, unit=unit, **options) for mode in MODES]
                assert totals == pytest.approx([totals[0]] * len(totals), abs=1e-9)
                pairs = pairs_by_mode(*trees, rng.choice(list(MODES)), unit=unit, **options)
                assert sum(iou for _, _, iou in pairs) == pytest.approx(totals[0], abs=1e-9)


@pytest.mark.parametrize("terminals", ["strict", "flexible"])
@pytest.mark.parametrize("labels", ["exact", "ignore"])
@pytest.mark.parametrize("shape", SHAPES)
def test_folding_changes_nothing(shape, labels, terminals):
    """Near copies over the same times: most subtrees are equal, many parents hardly longer than a child."""
    rng = random.Random(f"{shape}{labels}{terminals}")
    options = {"unit": "time", "labels": labels, "terminals": terminals}
    for n_words in (3, 6, 12, 25) if COMPILED else (3, 8):
        for _ in range(6):
            lengths = [rng.choice([1e-9, 1e-3, 1.0, 1.0]) for _ in range(n_words)]
            times = list(pairwise(accumulate(lengths, initial=0.0)))
            tree = random_tree(rng, n_words, 2, shape)
            near = mutate(rng, tree, rng.randint(1, 4))
            trees = write_times(tree, times), write_times(near, times)
            folded, plain = (matched_by_mode(*trees, mode, **options) for mode in ("auto", "no peel"))
            assert folded == pytest.approx(plain, abs=1e-9)
            pairs = pairs_by_mode(*trees, "auto", **options)
            assert sum(iou for _, _, iou in pairs) == pytest.approx(plain, abs=1e-9)


# ---- laws --------------------------------------------------------------------------------------------


@examples(EXAMPLES)
@given(tree_cases(12) | tree_cases(10, timed=True), terminals_options)
def test_a_tree_scores_1_against_itself(case, terminals):
    tree = product_tree(case)
    assert struct_iou(tree, tree, unit=unit_of(case), terminals=terminals) == 1.0


@examples(EXAMPLES)
@given(tree_pairs(12) | tree_pairs(10, timed=True), labels_options, terminals_options, thresholds)
def test_swapping_the_sides_changes_nothing(pair, labels, terminals, min_iou):
    one, other = map(product_tree, pair)
    options = {"unit": unit_of(pair[0]), "labels": labels, "terminals": terminals, "min_iou": min_iou}
    there, back = align(one, other, **options), align(other, one, **options)
    assert there.score == pytest.approx(back.score, abs=1e-12)
    assert there.precision == pytest.approx(back.recall, abs=1e-12)


@examples(EXAMPLES)
@given(tree_pairs(10, timed=True), st.sampled_from([0.125, 0.5, 4.0, 1024.0]), st.integers(-64, 64))
def test_shifting_and_scaling_time_changes_nothing(pair, factor, shift):
    def moved(case):
        return case.brackets, [(shift + factor * start, shift + factor * end) for start, end in case.times]

    score = struct_iou(*map(product_tree, pair), unit="time")
    assert struct_iou(*map(moved, pair), unit="time") == pytest.approx(score, abs=1e-12)


@examples(EXAMPLES)
@given(tree_pairs(10) | tree_pairs(8, timed=True), labels_options, terminals_options)
def test_a_higher_min_iou_never_helps(pair, labels, terminals):
    trees = [product_tree(case) for case in pair]
    options = {"unit": unit_of(pair[0]), "labels": labels, "terminals": terminals}
    scores = [struct_iou(*trees, min_iou=x, **options) for x in (0.0, 0.2, 0.4, 0.6, 0.8, 0.99)]
    assert scores == sorted(scores, reverse=True)


@examples(EXAMPLES)
@given(tree_pairs(10) | tree_pairs(8, timed=True))
def test_freer_options_never_hurt(pair):
    trees = [product_tree(case) for case in pair]
    unit = unit_of(pair[0])
    strict = struct_iou(*trees, unit=unit)
    assert struct_iou(*trees, unit=unit, terminals="flexible") >= strict - 1e-12
    assert struct_iou(*trees, unit=unit, labels="ignore") >= strict - 1e-12


def mirrored(brackets: str) -> str:
    """The same tree with all children in the opposite order."""
    tokens = brackets.replace("(", " ( ").replace(")", " ) ").split()
    out, labels = [], []
    for i in range(len(tokens) - 1, -1, -1):
        if tokens[i] == ")":
            labels.append(len(out))
            out.append("")
        elif tokens[i] == "(":
            out.append(")")
        elif tokens[i - 1] == "(":
            out[labels.pop()] = "(" + tokens[i]
        else:
            out.append(tokens[i])
    return " ".join(out)


@examples(EXAMPLES)
@given(tree_pairs(12), labels_options, terminals_options)
def test_mirroring_both_trees_changes_nothing(pair, labels, terminals):
    options = {"labels": labels, "terminals": terminals}
    score = struct_iou(*(case.brackets for case in pair), **options)
    assert struct_iou(*(mirrored(case.brackets) for case in pair), **options) == pytest.approx(
        score, abs=1e-12
    )


@pytest.mark.parametrize(
    "prediction, reference, matched",
    [
        pytest.param("(A (A (A x)))", "(A x)", 1, id="three and one"),
        pytest.param("(A (B (A x)))", "(A (A x))", 2, id="another label between"),
        pytest.param("(A (B x))", "(B (A x))", 1, id="opposite order"),
        pytest.param("(A (B (C x)))", "(A (C (B x)))", 2, id="order within the chain"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_unary_chains_align_in_order(prediction, reference, matched, mode):
    assert matched_by_mode(prediction, reference, mode) == matched


@pytest.mark.parametrize("mode", MODES)
def test_equal_nodes_need_not_be_aligned(mode):
    """The forced match lemma holds for siblings below aligned nodes only."""
    prediction = "(P (A (A (A <0,8>) <8,9>) <9,10>) <10,20>)"
    reference = "(Q (A (A (A <0,10>) <10,11>) <11,12>) <12,20>)"
    # Shifted by one: 10/12, 9/11 and 8/10. Pairing the two spans 0–10 would give 1 alone.
    wanted = 10 / 12 + 9 / 11 + 8 / 10
    assert matched_by_mode(prediction, reference, mode, unit="time") == pytest.approx(wanted, abs=1e-12)


def test_pairs_are_the_same_each_time_on_a_tie():
    """Either A of the prediction fits; the outer one is taken."""
    pairs = [
        [(p.number, r.number) for p, r, _ in align("(S (A (A x)) (B y))", "(S (A x) (B y))").pairs]
        for _ in range(3)
    ]
    assert pairs == [[(1, 0), (2, 1), (3, 2)]] * 3


# ---- both builds -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    return source_twin(tmp_path_factory.mktemp("twin"))


@pytest.mark.skipif(not COMPILED, reason="the twin is the package itself")
@examples(100)
@given(
    pair=tree_pairs(12) | tree_pairs(10, timed=True),
    labels=labels_options,
    terminals=terminals_options,
    min_iou=thresholds,
)
def test_compiled_and_source_agree_to_the_last_bit(twin, pair, labels, terminals, min_iou):
    assert not twin.COMPILED
    trees = [product_tree(case) for case in pair]
    options = {"unit": unit_of(pair[0]), "labels": labels, "terminals": terminals, "min_iou": min_iou}
    assert struct_iou(*trees, **options) == twin.struct_iou(*trees, **options)
    here, there = align(*trees, **options), twin.align(*trees, **options)
    assert [(p[:4], r[:4], iou) for p, r, iou in here.pairs] == [
        (p[:4], r[:4], iou) for p, r, iou in there.pairs
    ]


@pytest.mark.skipif(not COMPILED, reason="Python code holds the interpreter lock")
def test_other_threads_run_while_trees_are_aligned():
    rng = random.Random(0)
    trees = random_tree(rng, 500, 1, "left_comb"), random_tree(rng, 500, 1, "right_comb")
    thread = threading.Thread(target=struct_iou, args=trees)
    turns = 0
    thread.start()
    while thread.is_alive():
        turns += 1
    thread.join()
    assert turns > 1000  # with the lock held for the whole alignment there would be a handful

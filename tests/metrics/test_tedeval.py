"""TedEval against the figures of the program, by hand, and its errors."""

from __future__ import annotations

import json

import pytest

from structiou_metric.metrics import load_metric
from structiou_metric.metrics.settings import Segments
from structiou_metric.metrics.tedeval import tedeval_pair
from support.paths import DATA

COLUMNS = ("distance", "n_pred", "n_ref", "norm")


def cases(name):
    with open(DATA / "peers" / f"{name}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rows_of(result, columns=COLUMNS):
    return list(zip(*(result.columns[name] for name in columns), strict=True))


def score(pairs, **options):
    return load_metric("tedeval", **options).corpus_score([p for p, _ in pairs], [r for _, r in pairs])


# ---- the program's figures -------------------------------------------------------------------------


def printed(figure):
    names = ("L1", "spans_test", "spans_gold", "normalization")
    return tuple(int(float(figure[name])) for name in names)


@pytest.mark.parametrize(
    "name, run, n_cases",
    [
        ("tedeval_cases", "labeled", 64),
        ("tedeval_cases", "unlabeled", 64),
        ("tedeval_cases", "segmented_labeled", 180),
        ("tedeval_cases", "segmented_unlabeled", 180),
        ("tedeval_quirks", "labeled", 24),
        ("tedeval_quirks", "unlabeled", 24),
    ],
)
def test_figures_are_those_of_the_program(name, run, n_cases):
    chosen = [case for case in cases(name) if run in case["figures"]]
    assert len(chosen) == n_cases
    options = {}
    if run.startswith("segmented"):
        options["prediction_segments"] = [case["hypothesis_segments"] for case in chosen]
        options["reference_segments"] = [case["reference_segments"] for case in chosen]
    result = score(
        [(case["hypothesis"], case["reference"]) for case in chosen],
        labeled=not run.endswith("unlabeled"),
        compat=True,
        **options,
    )
    values = zip(
        chosen,
        rows_of(result),
        result.values("tedeval_sentence"),
        result.values("tedeval_exact"),
        strict=True,
    )
    for case, row, accuracy, exact in values:
        figure = case["figures"][run]
        assert row == printed(figure), case["id"]
        assert f"{accuracy:.4f}" == figure["accuracy"], case["id"]
        assert exact == (figure["exact_gold"] == "+"), case["id"]
    sums = [sum(column) for column in zip(*rows_of(result), strict=True)]
    assert result.figures["tedeval"] == pytest.approx(1 - sums[0] / sums[3], abs=1e-12)


@pytest.mark.parametrize("run", ["labeled", "unlabeled", "labeled_micro"])
def test_two_experiments_as_the_program_compares_them(run):
    names = {
        "distance": "L1-L2",
        "n_pred": "spans_test",
        "n_ref": "spans_gold",
        "norm": "normalization",
        "n_gen": "spans_gen",
        "edits": "L1",
        "reference_edits": "L2",
    }
    chosen = cases("tedeval_pairs")
    assert len(chosen) == 36
    sides = [[case[f"{side}_{i}"] for case in chosen] for i in (1, 2) for side in ("hypothesis", "reference")]
    average = "sentence" if run.endswith("micro") else "corpus"
    results = tedeval_pair(*sides, labeled=run != "unlabeled", compat=True, average=average)
    for number, result in enumerate(results, 1):
        for i, case in enumerate(chosen):
            figure = case["figures"][f"{run}_{number}"]
            for column, name in names.items():
                assert result.columns[column][i] == int(float(figure[name])), (case["id"], name)
            assert f"{result.values('tedeval_sentence')[i]:.4f}" == figure["accuracy"]
            assert result.values("tedeval_exact")[i] == (figure["exact_gold"] == "+")
            assert result.values("tedeval_exact_gen")[i] == (figure["exact_gen"] == "+")
        assert result.figures["tedeval"] == result.figures[f"tedeval_{average}"]


# ---- the plain rule --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prediction, reference, options, row",
    [
        pytest.param("(S (NP (A a)))", "(S (NP (NP (A a))))", {}, (1, 4, 5, 7), id="doubled unaries count"),
        pytest.param("(S (X (Y (A a))))", "(S (Y (X (A a))))", {}, (0, 5, 5, 8), id="order of a chain"),
        pytest.param("(S (, ,) (B b))", "(S (: ,) (B b))", {}, (2, 5, 5, 8), id="a tag is no word"),
        pytest.param("(S (: --) (B ;))", "(S (: -) (B ;))", {}, (2, 5, 5, 8), id="all words are nodes"),
        pytest.param("(S (A The) (b x))", "(s (A the) (B x))", {}, (0, 5, 5, 8), id="case"),
        pytest.param("(S (NP (A a)) (B b))", "(S (A a) (B b))", {"labeled": False}, (1, 6, 5, 9), id="bare"),
        pytest.param("(TOP (S (A a)))", "(ROOT (S (A a)))", {}, (2, 4, 4, 6), id="roots count"),
        pytest.param("( (S (A a)))", "(S (A a))", {}, (0, 3, 3, 4), id="wrapper without label"),
        pytest.param("(S (A a))", "(S (A a) (NP (-NONE- *)))", {}, (0, 3, 3, 4), id="traces"),
        pytest.param("()", "(S (A a))", {}, (3, 0, 3, 2), id="failed parse"),
        pytest.param("()", "()", {}, (0, 0, 0, 0), id="nothing at all"),
    ],
)
def test_plain_rule(prediction, reference, options, row):
    assert rows_of(score([(prediction, reference)], **options)) == [row]


def test_failed_parses():
    result = score([("()", "(S (A a))"), ("()", "()"), ("(S (A a))", "()"), ("(S (A a))", "(S (A a))")])
    assert result.values("tedeval_sentence") == [0.0, 1.0, 0.0, 1.0]
    assert result.n_empty == 1
    assert result.figures["tedeval"] == max(0.0, 1 - 6 / (2 + 2 + 4))


def test_average_says_which_figure_is_the_headline():
    pairs = [("(S (NP (A a)) (B b))", "(S (A a) (B b))"), ("(S (A a))", "(S (A a))")]
    corpus, sentence = (score(pairs, average=average) for average in ("corpus", "sentence"))
    assert corpus.figures["tedeval"] == 1 - 1 / 13
    assert sentence.figures["tedeval"] == pytest.approx((1 - 1 / 9 + 1) / 2)


def test_documents_are_forests_whose_roots_do_not_count():
    pred = ["(S (A a) (B b))", "(S (C c))"]
    ref = ["(S (A a))", "(S (B b) (C c))"]
    metric = load_metric("tedeval")
    result = metric.corpus_score([pred, ref, []], [ref, ref, ref], documents=True)
    assert rows_of(result) == [(4, 8, 8, 12), (0, 8, 8, 12), (8, 0, 8, 6)]
    assert result.values("tedeval_sentence")[1:] == [1.0, 0.0]


def test_options_are_checked():
    with pytest.raises(ValueError, match=r"TedEval 2\.2 drops nothing; leave drop or compat out"):
        load_metric("tedeval", compat=True, drop=["TOP"])
    assert load_metric("tedeval", compat=True).options.drop == ()
    assert "drop:none" in load_metric("tedeval", compat=True).signature


# ---- segments --------------------------------------------------------------------------------------

PREDICTIONS = ["(S (A b) (B bit))", "(S (A a))"]
REFERENCES = ["(S (A bbit))", "(S (A a))"]
PRED_SEGMENTS = [[["bbit", ["b", "bit"]]], [["a", ["a"]]]]
PRED_FILE = "bbit\tb:bit\n\na\ta\n\n"


def test_segments_of_one_side_are_enough():
    result = load_metric("tedeval", prediction_segments=PRED_SEGMENTS).corpus_score(PREDICTIONS, REFERENCES)
    # S twice; A B b bit against A _ _: the wider A and both _ have no partner
    assert rows_of(result)[0] == (7, 5, 4, 7)
    assert rows_of(result)[1] == (0, 3, 3, 4)
    assert "|prediction_segments:given|reference_segments:none|" in result.signature


@pytest.mark.parametrize(
    "text", [PRED_FILE, PRED_FILE[:-1], PRED_FILE.replace("\n", "\r\n"), "\ufeff" + PRED_FILE]
)
def test_segmentation_files(tmp_path, text):
    path = tmp_path / "pred.seg"
    path.write_text(text, encoding="utf-8", newline="")
    by_file = load_metric("tedeval", prediction_segments=path)
    assert by_file == load_metric("tedeval", prediction_segments=PRED_SEGMENTS)
    assert by_file.with_options(labeled=False).options.prediction_segments == Segments.of(PRED_SEGMENTS)
    assert rows_of(by_file.corpus_score(PREDICTIONS, REFERENCES))[0] == (7, 5, 4, 7)


def test_colons_and_empty_sentences_in_files(tmp_path):
    path = tmp_path / "colons.seg"
    path.write_text("10:30\t10:30\n:\t:\n\n\nab\ta:b\n")
    assert Segments.read(path).rows == [[("10:30", ("10:30",)), (":", (":",))], [], [("ab", ("a", "b"))]]


@pytest.mark.parametrize(
    "text, message",
    [
        ("bbit\tb:bit\n\nx\tx\n", r"pred\.seg:3: segment 'x' of 'x', but in predictions\[1\] word 1 is 'a'"),
        ("bbit\tb:bit\n\n", r"pred\.seg: there are 1 sentence, and predictions\[1\] is in row 2"),
        ("bbit\tb\n\na\ta\n", r"pred\.seg:2: the segments end before word 2 of predictions\[0\], 'bit'"),
        ("bbit\tb:bit:x\n\na\ta\n", r"pred\.seg:1: segment 'x' of 'bbit', .* there is no word left"),
        ("cbit\tb:bit\n\na\ta\n", r"pred\.seg:1 has 'cbit' and references\[0\] has 'bbit'; both sides need"),
        ("bbit b:bit\n\na\ta\n", r"pred\.seg:1: 'bbit b:bit' has no segments; write word<TAB>segment1"),
        ("bbit\tb:bit\n\na\ta\n\nb\tb\n", r"pred\.seg:5: there are 3 sentences in prediction_segments and 2"),
    ],
)
def test_segments_that_do_not_fit(tmp_path, text, message):
    path = tmp_path / "pred.seg"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        load_metric("tedeval", prediction_segments=path).corpus_score(PREDICTIONS, REFERENCES)


@pytest.mark.parametrize("value", [[["bbit"]], [[["bbit", "b"]]], [[["bbit", []]]], [[[1, ["b"]]]], 3])
def test_lists_that_are_no_segments(value):
    with pytest.raises(ValueError, match="segments"):
        load_metric("tedeval", prediction_segments=value)


def test_other_numbers_of_words_need_segments():
    metric = load_metric("tedeval")
    with pytest.raises(
        ValueError, match=r"predictions\[0\] has 2 words and references\[0\] has 1 word; give the segments"
    ):
        metric.corpus_score(PREDICTIONS, REFERENCES)
    for on_error, figure in (("zero", 1 - 8 / (4 + 2 + 4)), ("skip", 1.0)):
        result = metric.with_options(on_error=on_error).corpus_score(PREDICTIONS, REFERENCES)
        assert result.figures["tedeval"] == pytest.approx(max(0.0, figure))
        assert [row for row, _ in result.problems] == [0]


def test_two_experiments_need_the_same_words():
    trees = ["(S (A a) (B b))"], ["(S (A a) (B b))"], ["(S (A a))"], ["(S (A a))"]
    with pytest.raises(
        ValueError, match=r"predictions_1\[0\] has 2 words, .* both experiments need the same"
    ):
        tedeval_pair(*trees)
    zeroed, _ = tedeval_pair(*trees, on_error="zero")
    assert zeroed.figures["tedeval"] == 0.0
    assert zeroed.n_zeroed == 1

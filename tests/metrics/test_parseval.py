"""ParsEval: EVALB's own figures, errors of sentences, and input at which EVALB crashes."""

from __future__ import annotations

import json

import pytest

from structiou_metric import TreeFormatError, TreeMismatchError
from structiou_metric.commands.main import main
from structiou_metric.metrics import load_metric
from structiou_metric.metrics.base import ERROR, SKIPPED, VALID
from structiou_metric.metrics.parseval.metric import Parseval, parseval
from structiou_metric.metrics.parseval.parameters import COLLINS, SPMRL, Parameters
from structiou_metric.report.evalb import write_report
from structiou_metric.sources.files import TreeFile
from support.paths import DATA

CASES = [json.loads(line) for line in (DATA / "evalb_cases.jsonl").read_text(encoding="utf-8").splitlines()]
SUMMARY = json.loads((DATA / "evalb_summary.json").read_text(encoding="utf-8"))
FIGURES = {
    "Number of sentence": "n_sentences",
    "Number of Error sentence": "n_errors",
    "Number of Skip  sentence": "n_skipped",
    "Number of Valid sentence": "n_valid",
    "Bracketing Recall": "recall",
    "Bracketing Precision": "precision",
    "Bracketing FMeasure": "f1",
    "Complete match": "complete_match",
    "Average crossing": "average_crossing",
    "No crossing": "no_crossing",
    "2 or less crossing": "two_or_less_crossing",
    "Tagging accuracy": "tagging_accuracy",
}
KEEP_ALL = Parameters()


def one(prediction, reference, **options):
    """The score of a single pair, by default with nothing deleted."""
    return parseval([prediction], [reference], **{"parameters": KEEP_ALL, **options})


def counts(score, names, row=0):
    """The columns with these names, in a row."""
    return tuple(score.columns[name][row] for name in names.split())


# ------------------------------------------------------------------------------ EVALB's own figures


@pytest.fixture(scope="module")
def evalb_score():
    predictions = [case["prediction"] for case in CASES]
    references = [case["reference"] for case in CASES]
    return parseval(predictions, references, parameters=DATA / "COLLINS.prm")


def test_parseval_rows_are_those_of_evalb(evalb_score):
    assert len(evalb_score) == len(CASES) == 300
    for case, row in zip(CASES, evalb_score.as_dict(per_sentence=True)["sentences"], strict=True):
        got = {
            "id": row["index"] + 1,
            "length": row["length"],
            "status": evalb_score.status[row["index"]],
            "recall": round(100.0 * (row["recall"] or 0.0), 2),
            "precision": round(100.0 * (row["precision"] or 0.0), 2),
            "matched": row["matched"],
            "gold_brackets": row["n_ref"],
            "test_brackets": row["n_pred"],
            "crossing": row["crossing"],
            "words": row["words"],
            "correct_tags": row["correct_tags"],
            "tag_accuracy": round(100.0 * row["correct_tags"] / max(row["words"], 1), 2),
        }
        assert got == {name: case[name] for name in got}


@pytest.mark.parametrize("part, attribute", [("All", "total"), ("len<=40", "short")])
def test_parseval_summary_is_that_of_evalb(evalb_score, part, attribute):
    totals = getattr(evalb_score, attribute)
    for name, want in SUMMARY[part].items():
        value = totals[FIGURES[name]]
        shares = not name.startswith(("Number", "Average"))
        assert round(100.0 * value if shares else value, 2) == want, name


def test_parseval_default_is_collins(evalb_score):
    sides = [case["prediction"] for case in CASES], [case["reference"] for case in CASES]
    assert parseval(*sides).as_dict() == parseval(*sides, parameters="collins").as_dict()
    assert parseval(*sides).as_dict() == evalb_score.as_dict()


# -------------------------------------------------------------------------------------- small pairs


@pytest.mark.parametrize(
    "prediction, reference, parameters, matched, n_pred, n_ref",
    [
        pytest.param("(S (A a))", "(S (A a))", KEEP_ALL, 1, 1, 1, id="same"),
        pytest.param("(S (A a))", "(T (A a))", KEEP_ALL, 0, 1, 1, id="other label"),
        pytest.param("(S (A a))", "(T (A a))", Parameters(labeled=False), 1, 1, 1, id="labels ignored"),
        pytest.param("(A a)", "(B a)", KEEP_ALL, 0, 0, 0, id="a tag is no bracket"),
        pytest.param("(NP-SBJ (A a))", "(NP=2 (A a))", KEEP_ALL, 1, 1, 1, id="labels are cut"),
        pytest.param("(NP (NP (A a)))", "(NP (NP (A a)))", KEEP_ALL, 2, 2, 2, id="each copy has a partner"),
        pytest.param("(NP (NP (NP (A a))))", "(NP (A a))", KEEP_ALL, 1, 3, 1, id="copies left over"),
        pytest.param("(PRT (A a))", "(ADVP (A a))", COLLINS, 1, 1, 1, id="EQ_LABEL"),
        pytest.param("(TOP (S (A a)))", "(S (A a))", COLLINS, 1, 1, 1, id="deleted bracket"),
        pytest.param(
            "(S (X (A a)) (NP (. .)))", "(S (X (A a) (. .)))", COLLINS, 2, 2, 2, id="deleted word closes up"
        ),
        pytest.param(
            "(S (-NONE- (A a)))", "(S (A a))", COLLINS, 1, 2, 1, id="-NONE- over a word is cut to ''"
        ),
        pytest.param("(X-1 (A a))", "(A a)", Parameters(("X",)), 0, 0, 0, id="cut, then deleted"),
        pytest.param(
            "(S (A-1 a) (B b))", "(S (A-1 a) (B b))", Parameters(("A",)), 1, 1, 1, id="tags are not cut"
        ),
        pytest.param(
            "(Y (A a))", "(Y (A a))", Parameters(("X",), equal_labels=(("X", "Y"),)), 0, 0, 0, id="EQ deletes"
        ),
        pytest.param("( (S (A a)))", "(TOP (S (A a)))", COLLINS, 1, 1, 1, id="no label around one tree"),
        pytest.param("( (S (A a)) (B b))", "( (S (A a)) (B b))", COLLINS, 2, 2, 2, id="no label around two"),
        pytest.param("(S ( (A a)))", "(S ( (A a)))", COLLINS, 2, 2, 2, id="no label inside"),
    ],
)
def test_parseval_brackets(prediction, reference, parameters, matched, n_pred, n_ref):
    score = one(prediction, reference, parameters=parameters)
    assert list(score.status) == [0]
    assert counts(score, "matched n_pred n_ref") == (matched, n_pred, n_ref)


@pytest.mark.parametrize(
    "prediction, reference, matched",
    [
        # The reference's A takes the outermost label that counts as the same, here B, and C has no partner.
        pytest.param("(B (A (N w)))", "(A (C (N w)))", 1, id="outermost first"),
        pytest.param("(A (B (N w)))", "(A (C (N w)))", 2, id="other order"),
        pytest.param("(C (N w))", "(A (N w))", 0, id="not transitive"),
    ],
)
def test_parseval_equal_labels_in_order(prediction, reference, matched):
    parameters = Parameters(equal_labels=(("A", "B"), ("B", "C")))
    assert one(prediction, reference, parameters=parameters).columns["matched"][0] == matched


def test_parseval_compat_counts_brackets_without_label():
    score = one("( (S (A a)))", "( (S (A a)))", parameters=COLLINS, compat=True)
    assert counts(score, "matched n_pred n_ref") == (2, 2, 2)
    assert one("( (S (A a)))", "(TOP (S (A a)))", parameters=COLLINS, compat=True).columns["n_pred"][0] == 2


def test_parseval_treebank_file_and_parser_output_agree_on_roots():
    sides = TreeFile.read(DATA / "english.prediction.txt"), TreeFile.read(DATA / "english.reference.mrg")
    score = parseval(*sides)
    assert (score.n_valid, score.n_skipped) == (79, 1)
    assert score.complete_match >= 36 / 79  # 44 of the 80 predictions have errors


def test_parseval_crossing_counts_predicted_brackets():
    reference = "(S (X (N a) (N b)) (Y (N c) (N d)))"
    prediction = "(S (N a) (X (N b) (N c)) (N d))"
    assert one(prediction, reference).columns["crossing"][0] == 1  # it crosses two, and counts once
    assert one(reference, prediction).columns["crossing"][0] == 2
    assert one("(S (X (N a) (N b) (N c)) (N d))", reference).columns["crossing"][0] == 1
    assert one("(S (N a) (X (N b) (N c) (N d)))", reference).columns["crossing"][0] == 1


def test_parseval_length_counts_deleted_punctuation_but_no_traces():
    tree = "(S (NP (-NONE- *)) (VP (V go) (. !)))"
    score = one(tree, tree, parameters=COLLINS)
    assert counts(score, "length words") == (2, 1)
    spoken = COLLINS._replace(delete_words=("go",), delete_words_for_length=("!",))
    score = one(tree, tree, parameters=spoken)
    assert (score.columns["length"][0], score.columns["words"][0], score.status[0]) == (1, 0, 2)


def test_parseval_quotes_are_brought_back_where_lengths_differ():
    parameters = Parameters(delete_labels=("''",), quote_labels=("''", "POS"))
    reference = "(S (NP (N dogs) (POS ')) (VP (V bark)))"
    prediction = "(S (NP (N dogs) ('' ')) (VP (V bark)))"
    score = one(prediction, reference, parameters=parameters)
    assert list(score.status) == [0]
    assert counts(score, "words matched correct_tags") == (3, 3, 2)
    assert one(prediction, reference, parameters=parameters._replace(quote_labels=())).n_errors == 1


def test_parseval_f1_of_nothing_is_zero():
    score = one("(S (A a))", "(T (A a))")
    assert (score.f1, score.precision, score.recall) == (0.0, 0.0, 0.0)
    score = one("()", "(T (A a))")
    assert (score.f1, score.n_valid, score.complete_match, score.tagging_accuracy) == (0.0, 0, 0.0, 0.0)


def test_parseval_without_brackets_is_a_complete_match():
    score = one("(A a)", "(B a)")
    assert (score.complete_match, score.f1, score.tagging_accuracy) == (1.0, 0.0, 0.0)


# ----------------------------------------------------------------------------- sentences not valid


@pytest.mark.parametrize(
    "prediction, reference, status, message",
    [
        pytest.param("()", "(S (A a))", 2, "skipped: predictions[0] is empty", id="empty"),
        pytest.param("", "(S (A a))", 2, "skipped: predictions[0] is empty", id="blank"),
        pytest.param("(TOP (S))", "(S (A a))", 2, "skipped: predictions[0] is empty", id="no words"),
        pytest.param(
            "(S (. .))", "(S (. .))", 2, "skipped: all words of predictions[0] are deleted", id="deleted"
        ),
        pytest.param(
            "(S (A a))",
            "(S (A a) (B b))",
            1,
            "word counts differ: 1 word in predictions[0], 2 in references[0]; ParsEval needs the same words",
            id="counts",
        ),
        pytest.param(
            "(S (. .) (A a) (B c))",
            "(S (A a) (. .) (B b))",
            1,
            "word differs at position 3: 'c' in predictions[0], 'b' in references[0]",
            id="word",
        ),
        pytest.param(
            "(S (A a))", "()", 1, "1 word in predictions[0], 0 in references[0]", id="empty reference"
        ),
        pytest.param("(S (A A))", "(S (A a))", 1, "word differs at position 1: 'A' in", id="case matters"),
        pytest.param(
            "(S (A a b))",
            "(S (A a) (B b))",
            1,
            "the word 'a' at position 1 of predictions[0] has no tag",
            id="two words",
        ),
        pytest.param(
            "(S (A a) (B b))",
            "(S (A a) b)",
            1,
            "the word 'b' at position 2 of references[0] has no tag",
            id="bare word",
        ),
        pytest.param(
            "(S (A é))", "(S (A è))", 1, "'é' in predictions[0], 'è' in references[0]", id="not ASCII"
        ),
    ],
)
def test_parseval_says_what_is_wrong(prediction, reference, status, message):
    fine = "(S (A a))"
    score = parseval([fine, prediction, fine], [fine, reference, fine])
    assert list(score.status) == [0, status, 0]
    assert (score.n_valid, score.n_errors, score.n_skipped) == (2, int(status == 1), int(status == 2))
    assert counts(score, "matched n_pred n_ref words", 1) == (0, 0, 0, 0)
    ((row, told),) = score.problems
    assert row == 1
    assert message.replace("[0]", "[1]") in told


def test_parseval_equal_words():
    parameters = Parameters(equal_words=(("Mrs.", "Mrs"),))
    assert one("(S (A Mrs))", "(S (A Mrs.))", parameters=parameters).n_valid == 1
    assert one("(S (A Mrs.))", "(S (A Mrs))", parameters=parameters).n_valid == 1
    assert one("(S (A Mr))", "(S (A Mrs))", parameters=parameters).n_errors == 1


def test_parseval_goes_on_after_too_many_errors():
    predictions = ["(S (A x))"] * 15 + ["(S (A a))"]
    references = ["(S (A a))"] * 16
    score = parseval(predictions, references)
    assert (score.n_errors, score.n_valid, score.f1) == (15, 1, 1.0)
    assert score.stops_at == 11  # EVALB ends at the twelfth error with MAX_ERROR 10
    assert score.as_dict()["evalb_stops_at"] == 11
    assert parseval(predictions[4:], references[4:]).stops_at is None
    with pytest.raises(TreeMismatchError, match=r"error number 12, at which EVALB stops \(MAX_ERROR 10\)"):
        parseval(predictions, references, compat=True)
    assert parseval(predictions[4:], references[4:], compat=True).n_errors == 11


@pytest.mark.parametrize(
    "options, message",
    [
        ({"variant": "collins"}, "unknown variant 'collins'; choose from evalb, spmrl"),
        ({"on_error": "stop"}, "unknown on_error 'stop'; choose from raise, zero, skip"),
        ({"variant": "spmrl", "parameters": Parameters(delete_words=("a",))}, "deletes no words"),
        ({"compat": True, "count_empty": True}, "EVALB skips empty predictions"),
        ({"parameters": Parameters(delete_labels="TOP")}, "delete_labels must be a list of texts, not 'TOP'"),
        ({"parameters": Parameters(equal_labels=[("A",)])}, "equal_labels must be a list of pairs"),
    ],
)
def test_parseval_refuses_options(options, message):
    with pytest.raises(ValueError, match=message):
        one("(S (A a))", "(S (A a))", **options)


def test_parseval_unreadable_trees_raise_or_are_errors(tmp_path):
    predictions = ["(S (A a))", "(S (A a)", "(S (A a))"]
    references = ["(S (A a))"] * 3
    with pytest.raises(TreeFormatError, match=r"predictions\[1\]:1:1: this '\(' is never closed"):
        parseval(predictions, references)
    score = parseval(predictions, references, on_error="skip")
    assert (list(score.status), score.n_errors, list(score.columns["n_ref"])) == ([0, 1, 0], 1, [1, 0, 1])
    assert score.problems[0][1].startswith("predictions[1]:1:1: this '(' is never closed")
    path = tmp_path / "parsed.txt"
    path.write_text("\n".join(predictions) + "\n", encoding="utf-8")
    with pytest.raises(TreeFormatError, match=r"parsed\.txt:2:1: this '\(' is never closed"):
        parseval(TreeFile.read(path), references)


def test_parseval_nothing_but_unreadable_or_empty_trees():
    score = parseval(["((", "()"], ["()", "()"], on_error="skip")
    assert list(score.status) == [1, 2]
    score = parseval(["()", "(S (A a))"] * 200, ["()", "(S (A a))"] * 200)
    assert (score.n_valid, score.f1) == (200, 1.0)


# ---------------------------------------------------------------------------------- shapes of trees


def test_parseval_times_on_words_are_no_part_of_them():
    assert one("(S (A a<0.0,0.5>) (B b<0.5,1.0>))", "(S (A a) (B b))").n_valid == 1


# ----------------------------------------------------------------------- input at which EVALB crashes


def test_parseval_deep_unary_chains():
    depth = 100_000
    chain = "(A " * depth + "(N w)" + ")" * depth
    score = parseval([chain, chain], [chain, "(A (N w))"])
    assert list(score.columns["matched"]) == [depth, 1]
    assert list(score.columns["n_pred"]) == [depth, depth]


def test_parseval_deep_combs():
    n_words = 20_000
    right = "".join(f"(S (N w{k}) " for k in range(n_words)) + "(N w)" + ")" * n_words
    left = "(S " * n_words + "(N w0)" + "".join(f" (N w{k}))" for k in range(1, n_words)) + " (N w))"
    score = parseval([right, left], [right, right])
    assert list(score.status) == [0, 0]
    assert list(score.columns["matched"]) == [n_words, 1]
    assert list(score.columns["crossing"]) == [0, n_words - 1]  # all but the whole
    assert score.columns["words"][0] == score.columns["correct_tags"][0] == n_words + 1


# -------------------------------------------------------------------------------------------- SPMRL


def test_parseval_spmrl_deletes_no_words():
    tree = "(TOP (S (NP (-NONE- *) (N a)) (, ,)))"
    score = one(tree, tree, variant="spmrl", parameters=None)
    assert counts(score, "words length n_ref") == (3, 2, 2)
    assert score.parameters == SPMRL


@pytest.mark.parametrize(
    "prediction, reference, matched, n_pred, tags",
    [
        pytest.param("(NP#x (N#m a))", "(NP#y (N#f a))", 1, 1, 1, id="features are cut from labels and tags"),
        pytest.param("(S (-NONE- (N a)))", "(S (N a))", 1, 1, 1, id="-NONE- is cut to '' and deletes it"),
        pytest.param("(S (VROOT (N a)))", "(ROOT (S (N a)))", 1, 1, 1, id="roots are deleted"),
    ],
)
def test_parseval_spmrl_labels(prediction, reference, matched, n_pred, tags):
    score = one(prediction, reference, variant="spmrl", parameters="spmrl")
    assert counts(score, "matched n_pred correct_tags") == (matched, n_pred, tags)


SPMRL_PREDICTIONS = ["(TOP (S (N a) (N b)))", "(TOP (S (N a) (N b)))", "(TOP (S (N a)))"]
SPMRL_REFERENCES = ["(TOP (S (N a) (N b)))", "(TOP (NP (N a)))", "(TOP (S (N a) (N b)))"]


def test_parseval_spmrl_counts_a_length_mismatch_as_an_error():
    score = parseval(SPMRL_PREDICTIONS, SPMRL_REFERENCES, variant="spmrl")
    assert list(score.status) == [0, 1, 1]
    assert (score.n_valid, score.complete_match) == (1, 1.0)


def test_parseval_spmrl_compat_counts_a_length_mismatch_as_valid():
    # EVALB_SPMRL says of three such lines "Number of sentence = 4" and no error.
    score = parseval(SPMRL_PREDICTIONS, SPMRL_REFERENCES, variant="spmrl", compat=True)
    assert list(score.rows) == [0, 1, 1, 2]
    assert list(score.status) == [0, 0, 0, 0]
    assert list(score.columns["n_ref"]) == [1, 0, 1, 0]
    assert list(score.columns["n_pred"]) == [1, 0, 1, 0]
    assert (score.total["n_sentences"], score.n_errors, score.total["n_complete"]) == (4, 0, 3)
    assert [row for row, _ in score.problems] == [1, 2]


@pytest.mark.parametrize(
    "compat, n_ref",
    [
        pytest.param(False, 3, id="each bracket once"),
        pytest.param(True, 23, id="one more for each label that does not delete it"),
    ],
)
def test_parseval_spmrl_counts_empty_predictions(compat, n_ref):
    reference = "(TOP (S (NP (N a)) (VP (V b))))"
    score = one("()", reference, variant="spmrl", parameters=None, count_empty=True, compat=compat)
    assert list(score.status) == [3]
    assert counts(score, "n_ref n_pred words") == (n_ref, 0, 2)
    assert (score.n_valid, score.recall, score.complete_match, score.tagging_accuracy) == (1, 0.0, 0.0, 0.0)
    assert score.problems == [(0, "predictions[0] is empty; counted as without brackets")]
    assert one("()", reference, variant="spmrl").n_skipped == 1


def test_parseval_empty_prediction_is_no_complete_match():
    options = {"variant": "spmrl", "parameters": None, "count_empty": True}
    assert one("()", "(TOP (N a))", **options).complete_match == 0.0
    assert one("()", "(TOP (N a))", compat=True, **options).columns["n_ref"][0] == 5
    assert one("()", "(N a)", **options).complete_match == 0.0
    assert one("()", "(N a)", compat=True, **options).complete_match == 1.0  # as EVALB_SPMRL -X has it
    assert one("()", "()", **options).n_skipped == 1


def test_parseval_count_empty_also_for_evalb():
    score = parseval(["()", "(S (A a))"], ["(S (X (A a)))", "(S (A a))"], count_empty=True)
    assert (list(score.status), score.precision, score.recall) == ([3, 0], 1.0, 1 / 3)


# -------------------------------------------------------------------------------------------- results


def test_parseval_as_dict(evalb_score):
    values = evalb_score.as_dict()
    assert values["f1"] == evalb_score.f1 == 2 * 2525 / (3105 + 3167)
    assert values["short"]["max_length"] == 40
    assert values["short"]["n_valid"] == 240
    assert len(values["problems"]) == 31
    assert "sentences" not in values
    assert json.loads(json.dumps(values)) == values


def test_parseval_section_of_any_length(evalb_score):
    assert evalb_score.section(40) == evalb_score.short
    assert evalb_score.section(10)["n_sentences"] == sum(case["length"] <= 10 for case in CASES)


def test_parseval_signature_names_every_setting():
    score = one("(S (A a))", "(S (A a))", parameters="collins", count_empty=True)
    assert score.signature.startswith(
        "parseval|variant:evalb|count_empty:True|compat:False|delete_labels:TOP,-NONE-,\",\",:,``,'',.|"
        "delete_labels_for_length:-NONE-|equal_labels:ADVP=PRT|cutoff:40|labeled:True|version:"
    )
    assert repr(score).startswith("<ParsevalScore parseval_f1 1.0000, 1 sentence, parseval|variant:evalb|")


# ---- every sentence counts ---------------------------------------------------------------------

DOG = "(S (NP (DT the) (NN dog)) (VP (VBD barked)))"  # 3 brackets


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param("()", id="empty"),
        pytest.param(DOG.replace("dog", "cat"), id="another word"),
        pytest.param("(S (NP (DT the)) (VP (VBD barked)))", id="a word less"),
        pytest.param("(S (NP (DT the", id="unreadable"),
    ],
)
def test_parseval_for_ranking_leaves_nothing_out(bad):
    """Of 4 · 3 brackets of the reference 3 are found, of 3 predicted ones: P 1, R 1/4, F1 6/15."""
    metric = load_metric("parseval", on_error="zero").for_ranking()
    found = metric.corpus_score([DOG, bad, bad, bad], [DOG] * 4, by_label=True)
    assert (found.precision, found.recall, found.f1) == (1.0, 0.25, pytest.approx(6 / 15))
    assert found.n_counted == 4
    assert found.n_errors == found.n_skipped == 0
    assert found.complete_match == 0.25
    assert {label: tally.n_ref for label, tally in found.by_label.items()} == {"NP": 4, "S": 4, "VP": 4}
    assert "|count_empty:True|compat:False|count_errors:True|" in metric.signature
    assert metric.for_ranking() == metric


@pytest.mark.parametrize(
    "options, message",
    [
        ({"compat": True}, "EVALB leaves sentences out, which would pay in a ranking; leave compat out"),
        ({"compat": True, "variant": "spmrl"}, "leave compat out"),
    ],
)
def test_parseval_quirks_cannot_rank(options, message):
    with pytest.raises(ValueError, match=message):
        load_metric("parseval", **options).for_ranking()


def test_parseval_count_errors_needs_count_empty():
    with pytest.raises(ValueError, match="set count_empty, too"):
        load_metric("parseval", count_errors=True)
    with pytest.raises(ValueError, match="leave count_errors or compat out"):
        load_metric("parseval", variant="spmrl", count_errors=True, count_empty=True, compat=True)


@pytest.mark.parametrize(
    "prediction, compat, other",
    [
        pytest.param("(TOP )", ERROR, SKIPPED, id="root"),
        pytest.param("( )", ERROR, SKIPPED, id="no label"),
        pytest.param("(TOP)", SKIPPED, SKIPPED, id="no white space"),
        pytest.param("()", SKIPPED, SKIPPED, id="nothing"),
        pytest.param("(TOP (NP (A a)) (B b) (X ))", ERROR, VALID, id="one word too many"),
        pytest.param("(TOP (NP (A a)) (-NONE- ) (B b))", VALID, VALID, id="deleted"),
    ],
)
def test_a_label_and_white_space_are_a_word_without_letters_to_evalb(prediction, compat, other):
    """EVALB's `read_line` makes a terminal of the text between white space and the closing bracket."""
    parameters = Parameters(delete_labels=("-NONE-",))  # TOP is kept
    for quirks, status in ((True, compat), (False, other)):
        metric = Parseval(parameters=parameters, compat=quirks)
        score = metric.corpus_score([prediction], ["(TOP (NP (A a)) (B b))"])
        assert list(score.status) == [status], score.problems


def test_rows_before_too_many_errors_are_printed(tmp_path, capsys):
    """EVALB prints each row before the next is read, and nothing of the row whose error is one too many."""
    rows = ["(S (A a))", *["(S (A x))"] * 14, "(S (A a))"]
    (tmp_path / "gold").write_text("(S (A a))\n" * 16)
    (tmp_path / "parsed").write_text("\n".join(rows) + "\n")
    command = ["parseval", str(tmp_path / "gold"), str(tmp_path / "parsed"), "--compat"]
    assert main(command) == 1
    printed, told = capsys.readouterr()
    fine = parseval(rows[:12], ["(S (A a))"] * 12, compat=True)
    assert printed.splitlines() == write_report(fine).splitlines()[:15]
    assert "error number 12, at which EVALB stops (MAX_ERROR 10)" in told
    assert main([*command, "--summary-only"]) == 1
    assert capsys.readouterr().out == ""
    assert main([*command, "-d"]) == 1
    assert capsys.readouterr().out.splitlines()[3:5] == [
        printed.splitlines()[3],
        "-<1>---(wn1=  1, bn1=  1)-           -<2>---(wn2=  1, bn2=  1)-",
    ]

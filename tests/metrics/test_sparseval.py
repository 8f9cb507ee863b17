"""SParseval's options, files, and errors."""

from __future__ import annotations

import pickle
import warnings

import pytest

from structiou_metric.errors import SettingsWarning, TreeFormatError
from structiou_metric.metrics import load_metric
from structiou_metric.metrics.sparseval import COLUMNS
from structiou_metric.metrics.speech_files import ENGLISH, Alignments, HeadRules, SpeechParameters

GOLD = "(S1 (S (NP (PRP we)) (VP (VBD saw) (NP (DT the) (NN mail-box)) (PP (IN in) (NP (NN town)))) (. .)))"
TEST = "(S1 (S (NP (PRP We)) (VP (VBD saw) (NP (DT a) (NN mailbox) (PP (IN in) (NP (NN town)))))))"


def score(test=TEST, gold=GOLD, **options):
    return load_metric("sparseval", **options).corpus_score([test], [gold])


def counts(result, row=0):
    return [result.columns[name][row] for name in COLUMNS]


def aligned(test, gold, pairs, **options):
    return score(test, gold, alignment=[pairs], **options)


# ---- figures ---------------------------------------------------------------------------------------


def test_counts_by_hand():
    """S, NP, VP, PP, NP (town) are equal, and NP (the mail-box) ends earlier.

    Of the dependencies, `in` depends on another word, and `the` is another word.
    """
    result = score()
    assert counts(result) == [5, 6, 6, 0, 4, 6, 6, 3, 4, 4]
    assert result.figures["sparseval"] == pytest.approx(10 / 12)
    assert result.figures["sparseval_heads"] == pytest.approx(8 / 12)
    assert result.figures["sparseval_open"] == pytest.approx(6 / 8)


def test_inserted_word_is_swallowed_by_what_follows():
    gold = "(S1 (S (DT the) (NP (NN cat))))"
    test = "(S1 (S (DT the) (UH uh) (NP (NN cat))))"
    assert counts(score(test, gold))[:4] == [1, 2, 2, 0]


def test_bag_has_no_brackets_and_its_headline_are_dependencies():
    result = score(mode="bag")
    assert counts(result)[:4] == [0, 0, 0, 0]
    assert result.figures["sparseval"] == result.figures["sparseval_heads"] == result.score
    assert "sparseval_recall" not in result.figures
    with pytest.raises(ValueError, match=r"'bag' compares dependencies only; give it head rules"):
        load_metric("sparseval", mode="bag", heads="none")


def test_without_heads_there_are_no_figures_of_dependencies():
    result = score(heads="none")
    assert counts(result)[4:] == [0] * 6
    assert "sparseval_heads" not in result.figures
    assert "heads:none" in result.signature
    assert result.metric.with_options(labeled=False).options.heads == "none"


def test_heads_are_english_unless_parameters_are_given():
    assert "heads:english" in load_metric("sparseval").signature
    assert "heads:english" in load_metric("sparseval", parameters="none").signature
    own = SpeechParameters(delete_labels=("TOP",))
    assert "heads:none" in load_metric("sparseval", parameters=own).signature
    assert "heads:english" in load_metric("sparseval", parameters=own, heads="english").signature
    rules = HeadRules.from_text("*default* (r)")
    assert load_metric("sparseval", heads=rules).signature != load_metric("sparseval").signature


@pytest.mark.parametrize("mode", ["edit", "position", "bag"])
def test_empty_sides(mode):
    metric = load_metric("sparseval", mode=mode, on_error="zero")
    both = metric.corpus_score(["()"], ["(S1 (. .))"])
    assert both.score == 1.0
    assert both.n_empty == 0
    empty = metric.corpus_score(["(TOP )"], [GOLD])
    assert (empty.score, empty.n_empty) == (0.0, 1)
    gold = metric.corpus_score([GOLD], ["()"])
    assert gold.score == 0.0


def test_documents_need_not_be_cut_alike():
    one, two = "(S (NP (NN a)) (VP (VB b)))", "(S (NP (NN c)) (VP (VB d)))"
    metric = load_metric("sparseval")
    result = metric.corpus_score([[f"(TOP {one} {two})"]], [[f"(TOP {one})", f"(S1 {two})"]], documents=True)
    assert result.score == 1.0
    assert counts(result)[:3] == [6, 6, 6]


def test_metric_with_files_pickles(tmp_path):
    path = tmp_path / "pairs.align"
    path.write_text("we\tWe\t001\n")
    metric = load_metric("sparseval", alignment=path, heads=HeadRules.from_text("*default* (r)"))
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert "mode:given" in metric.signature


# ---- files of settings -----------------------------------------------------------------------------


def test_parameter_files_are_read_with_warnings():
    text = """\
# a comment

DELETE_LABEL TOP
  EQ_LABEL PRT ADVP
EQ_WORDS mrs.mrs
MAX_ERROR 10
CLOSED_CLASS IN prepositions
FILLED_PAUSE2 uh-huh
"""
    with pytest.warns(SettingsWarning) as told:
        found = SpeechParameters.from_text(text, source="own.prm")
    assert [str(warning.message).partition(";")[0] for warning in told] == [
        "own.prm:5: EQ_WORDS needs two values with a blank before each, so this line is ignored",
        "own.prm:6: unknown keyword 'MAX_ERROR' is ignored",
        "own.prm:7: the rest of the line after CLOSED_CLASS IN is ignored",
    ]
    assert found == SpeechParameters(
        delete_labels=("TOP",),
        closed_classes=("IN",),
        equal_labels=(("PRT", "ADVP"),),
        filled_pauses=(("2", "uh-huh"),),
    )


def test_parameters_must_be_such():
    with pytest.raises(
        TypeError, match="parameters must be SpeechParameters, a file or one of english, none"
    ):
        load_metric("sparseval", parameters=3)
    with pytest.raises(ValueError, match="delete_labels must be a list of texts"):
        load_metric("sparseval", parameters=SpeechParameters(delete_labels="TOP"))
    with pytest.raises(ValueError, match="equal_words must be a list of pairs of texts"):
        load_metric("sparseval", parameters=SpeechParameters(equal_words=(("a",),)))
    with pytest.raises(FileNotFoundError):
        load_metric("sparseval", parameters="missing.prm")


@pytest.mark.parametrize(
    "text, message",
    [
        ("NP (r NN)", r"own.heads: there are no rules for \*default\*; add a line"),
        (
            "*default* (r)\nNP (x NN)",
            r"own.heads:2: cannot read the rules of NP at '\(x NN\)'; write each as",
        ),
        ("*default* (r)\nNP (r NN", r"own.heads:2: cannot read the rules of NP at '\(r NN'"),
        ("*default* (r)\nNP", r"own.heads:2: NP has no rules"),
    ],
)
def test_head_rules_that_cannot_be_read(text, message):
    with pytest.raises(TreeFormatError, match=message):
        HeadRules.from_text(text, source="own.heads")


def test_second_rules_of_a_label_give_a_warning():
    with pytest.warns(SettingsWarning, match="own.heads:3: NP has rules in line 2 already"):
        rules = HeadRules.from_text("*default* (r)\nNP (r NN)\nNP (l)", source="own.heads")
    assert rules.rules["NP"] == ((False, ("NN",)),)


def test_head_rules_that_do_not_fit():
    rules = HeadRules.from_text("*default* (r NN)\n\nVP (l VB)", source="own.heads")
    metric = load_metric("sparseval", heads=rules)
    message = (
        r"own.heads:3: no rule for VP, nor for \*default\*, fits a bracket over 'VBD' in references\[0\]; "
        r"end the rules of \*default\* with \(l\) or \(r\)"
    )
    with pytest.raises(ValueError, match=message):
        metric.corpus_score(["(S1 (NN we))"], ["(S1 (NP (NN we)) (VP (VBD saw)))"])
    for on_error, gold in (("zero", 6), ("skip", 0)):
        result = metric.with_options(on_error=on_error).corpus_score([TEST], [GOLD])
        assert counts(result)[:2] == [0, gold]
        assert [row for row, _ in result.problems] == [0]


def test_built_in_files_are_quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_metric("sparseval").options.parameters == ENGLISH


# ---- alignments ------------------------------------------------------------------------------------

WE_SAW = "(S1 (S (NP (PRP we)) (VP (VBD saw) (NP (NN tea)))))"


def test_alignment_says_which_words_are_one():
    pairs = [["we", "we"], ["saw", None], [None, "tea"], ["tea", None]]
    test = "(S1 (S (NP (PRP we)) (VP (NP (NN tea)))))"
    assert counts(aligned(test, WE_SAW, pairs))[:4] == [1, 4, 4, 3]
    assert counts(score(test, WE_SAW))[:4] == [3, 4, 4, 0]


def test_pieces_and_joins_cover_the_same_entries():
    gold = "(S1 (S (NP (NN can) (NN not)) (VP (VB mail-box))))"
    test = "(S1 (S (NP (NN cannot)) (VP (VB mail) (VB box))))"
    pairs = [["cannot", "cannot"], ["mail", "mail"], ["box", "box"]]
    assert counts(aligned(test, gold, pairs))[:4] == [3, 3, 3, 0]
    assert counts(aligned(gold, test, pairs))[:4] == [3, 3, 3, 0]


def test_join_by_position():
    gold = "(S1 (S (NP (NN mail) (NN box)) (VP (VB is))))"
    test = "(S1 (S (NP (NN mailbox)) (VP (VB is))))"
    assert counts(score(test, gold, mode="position"))[:4] == [3, 3, 3, 0]


def test_same_words_fit_an_alignment():
    pairs = [["we", "we"], ["saw", "saw"], ["tee", "tea"]]
    same = SpeechParameters(equal_words=(("tea", "tee"),))
    assert aligned(WE_SAW, WE_SAW, pairs, parameters=same).score == 1.0


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "we\twe\t000\nsee\tsaw\t001\ntea\ttea\t000",
            r"pairs.align:2: the reference's word is 'see', but word 2 of references\[0\] is 'saw'; list",
        ),
        (
            "we\twe\t000\nsaw\tsay\t001\ntea\ttea\t000",
            r"pairs.align:2: the prediction's word is 'say', but word 2 of predictions\[0\] is 'saw'",
        ),
        (
            "we\twe\t000\nsaw\tsaw\t000",
            r"pairs.align ends before the word 'tea', number 3 of references\[0\]",
        ),
        (
            "we\twe\t000\nsaw\tsaw\t000\ntea\ttea\t000\n.\t100",
            r"pairs.align:4: references\[0\] ends before '.'; list only words of the reference",
        ),
        ("we\twe\t000\n\nsaw\tsaw\t000", r"pairs.align ends before the word 'saw'"),
        ("we we", r"pairs.align:1: 'we we' is not an entry of an alignment; write both words and 000"),
        ("we\twe\t100", r"pairs.align:1: .* is not an entry of an alignment"),
        ("\twe\t000", r"pairs.align:1: .* is not an entry of an alignment"),
        ("we\t010", r"pairs.align:1: .* is not an entry of an alignment"),
        (
            "",
            r"pairs.align aligns 0 of the rows, but there is a row 1; in a file, end the entries of each row",
        ),
    ],
)
def test_alignment_files_that_do_not_fit(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.align").write_text(text + "\n")
    with pytest.raises(ValueError, match=message):
        score(WE_SAW, WE_SAW, alignment="pairs.align")


def test_alignment_file_with_rows_and_list_of_files(tmp_path):
    entries = "we\twe\t000\nsaw\tsaw\t000\ntea\ttea\t000\n"
    path = tmp_path / "pairs.align"
    path.write_text(f"{entries}\n\n{entries}")
    assert load_metric("sparseval", alignment=path).corpus_score([WE_SAW] * 2, [WE_SAW] * 2).score == 1.0
    path.write_text(entries)
    metric = load_metric("sparseval", alignment=[str(path), path])
    assert metric.corpus_score([WE_SAW] * 2, [WE_SAW] * 2, workers=2).score == 1.0


def test_alignments_of_rows_that_are_not_there():
    pairs = [["we", "we"], ["saw", "saw"], ["tea", "tea"]]
    metric = load_metric("sparseval", alignment=[pairs] * 2)
    with pytest.raises(ValueError, match="alignment aligns 2 rows, but there are 1 to score"):
        metric.corpus_score([WE_SAW], [WE_SAW])
    with pytest.raises(ValueError, match="alignment aligns 2 of the rows, but there is a row 3"):
        metric.corpus_score([WE_SAW] * 3, [WE_SAW] * 3)


@pytest.mark.parametrize(
    "value", [[["we", "we"]], [[["we"]]], [[["we", 3]]], [[[None, None]]], [3], [[["a", "b", "c"]]]]
)
def test_alignments_must_be_rows_of_pairs(value):
    with pytest.raises(TypeError, match=r"alignment\[0\]\[0\] is .*; write a list for each row"):
        load_metric("sparseval", alignment=value)


def test_alignment_must_be_a_list_or_a_file():
    with pytest.raises(TypeError, match="alignment must be a file or a list of rows, not int"):
        load_metric("sparseval", alignment=3)


def test_insertions_and_deletions_of_a_file():
    [row] = Alignments.from_text("a\ta\t000\r\nb\tc\t001\nd\t100\n\te\t010\n")
    assert row.entries == [("a", "a"), ("b", "c"), ("d", None), (None, "e")]


# ---- rows that cannot be compared ------------------------------------------------------------------


def test_words_without_tags():
    with pytest.raises(
        ValueError, match=r"the word 'b' at position 2 of predictions\[0\] has no tag of its own"
    ):
        score("(S1 (S (NN a) b))", WE_SAW)
    with pytest.raises(
        ValueError, match=r"the word 'we' at position 1 of references\[0\] has no tag of its own"
    ):
        score(WE_SAW, "(S1 (S we (NN a)))", mode="position")


def test_zeroed_rows_still_count_what_the_reference_has():
    metric = load_metric("sparseval", on_error="zero")
    result = metric.corpus_score([WE_SAW, "(S1 (S (NN a) b))", "(S"], [WE_SAW] * 3)
    assert list(result.columns["gold"]) == [4, 4, 4]
    assert list(result.columns["match"]) == [4, 0, 0]
    assert result.n_zeroed == 2
    skipped = metric.with_options(on_error="skip").corpus_score([WE_SAW, "(S1 (S (NN a) b))"], [WE_SAW] * 2)
    assert skipped.score == 1.0
    assert skipped.n_skipped == 1


def test_unequal_numbers_of_sentences_name_the_cure():
    with pytest.raises(ValueError, match="give the same number of both"):
        load_metric("sparseval").corpus_score([WE_SAW], [WE_SAW] * 2)


def test_undefined_over_seconds():
    assert "compares words" in load_metric("sparseval").undefined("time")
    assert not load_metric("sparseval").undefined("word")

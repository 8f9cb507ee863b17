"""The scorer: it agrees with the core for all tokens, and reports pairs that cannot be compared."""

from __future__ import annotations

from typing import Any

import pytest

from support.paths import DATA

pytest.importorskip("spacy")

from spacy.lang.en import English
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_structiou import doc_from_trees, set_tree, set_trees
from spacy_structiou.scorer import make_scorer, make_struct_iou_scorer
from structiou_metric import StructIoU, TreeFormatError, TreeMismatchError, read_trees

_KEYS = ["struct_iou", "struct_iou_corpus", "struct_iou_p", "struct_iou_r", "struct_iou_per_type"]
_VOCAB = Vocab()


def _example(predictions: list[Any], references: list[Any]) -> Example:
    """Return an Example of these trees."""
    return Example(_side(predictions), _side(references))


def _side(trees: list[Any]) -> Doc:
    return doc_from_trees(_VOCAB, trees)


def _score(*examples: Example, metric: str = "struct_iou", **options: Any) -> dict[str, Any]:
    """Return the scores. Unlike in a pipeline, faults of predictions raise by default."""
    return make_scorer(metric, **{"on_error": "raise", **options})(examples)


def _counts(*examples: Example, **options: Any) -> dict[str, int]:
    """Return the counts that are not 0."""
    return {name: n for name, n in _score(*examples, **options)["struct_iou_counts"].items() if n}


def _bundled(name: str, suffix: str = "txt") -> tuple[list[Any], list[Any]]:
    return (
        list(read_trees(str(DATA / f"{name}.prediction.txt"))),
        list(read_trees(str(DATA / f"{name}.reference.{suffix}"))),
    )


# ---- the same numbers as the core


@pytest.mark.parametrize(
    "name, suffix, options",
    [
        pytest.param("english", "mrg", {}, id="English"),
        pytest.param("english", "mrg", {"labels": "base", "terminals": "exclude"}, id="no function tags"),
        pytest.param("english", "mrg", {"labels": "ignore", "min_iou": 0.5}, id="unlabelled"),
        pytest.param("english", "mrg", {"average": "corpus", "terminals": "flexible"}, id="corpus"),
        pytest.param("english", "mrg", {"drop": [".", ",", "-NONE-", ""]}, id="without punctuation"),
        pytest.param("english", "mrg", {"unit": "char"}, id="characters"),
        pytest.param("hebrew", "txt", {"unit": "char"}, id="Hebrew"),
        pytest.param("hebrew", "txt", {"on_error": "zero"}, id="Hebrew by words, other tokens count 0"),
        pytest.param("hebrew", "txt", {"on_error": "skip"}, id="Hebrew by words, other tokens left out"),
        pytest.param("speech", "txt", {"unit": "time"}, id="speech"),
    ],
)
@pytest.mark.parametrize("trees_a_doc", [1, 4])
def test_scores_are_the_core_s(name, suffix, options, trees_a_doc):
    predictions, references = _bundled(name, suffix)
    wanted = StructIoU(**options).corpus_score(predictions, references)
    steps = range(0, len(references), trees_a_doc)
    examples = [_example(predictions[i : i + trees_a_doc], references[i : i + trees_a_doc]) for i in steps]
    scores = _score(*examples, **options)
    assert [scores[key] for key in _KEYS[:4]] == [
        wanted.score,
        wanted.corpus,
        wanted.precision,
        wanted.recall,
    ]
    assert list(scores["struct_iou_per_type"]) == list(wanted.by_label)
    for label, tally in wanted.by_label.items():
        found = scores["struct_iou_per_type"][label]
        assert [found[key] for key in ("p", "r", "f")] == [tally.precision, tally.recall, tally.score]
        assert (found["n_pred"], found["n_ref"]) == (tally.n_pred, tally.n_ref)
    assert scores["struct_iou_counts"] == {
        "docs": len(examples),
        "unannotated": 0,
        "pairs": len(wanted.sentences),
        "empty": wanted.n_empty,
        "zeroed": wanted.n_zeroed,
        "skipped": wanted.n_skipped,
        "lengthless": wanted.as_dict()["n_lengthless"],
    }


# ---- other metrics


def test_options_of_another_metric():
    missing = Example(Doc(_VOCAB, words=["a"]), _side(["(S (A a))"]))
    assert _score(missing, metric="parseval", on_error="zero")["parseval_counts"]["skipped"] == 1
    with pytest.raises(TreeMismatchError, match=r"the prediction has no doc.spans"):
        _score(missing, metric="parseval")
    with pytest.raises(ValueError, match=r"^mine: unknown option 'unit' of parseval; choose from parameters"):
        make_scorer("parseval", unit="char", name="mine")
    with pytest.raises(ValueError, match=r"^mine: .*there_is_no_such_file"):
        make_scorer("parseval", parameters="there_is_no_such_file.prm", name="mine")


def test_another_metric_compares_the_text_of_tokens(caplog: pytest.LogCaptureFixture):
    tree = "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))"
    other = tree.replace("dog", "cat")
    scores = _score(_example([tree], [tree]), _example([other], [tree]), metric="parseval")
    assert scores["parseval_f1"] == 1.0
    assert scores["parseval_counts"]["pairs"] == scores["parseval_counts"]["skipped"] == 1
    (message,) = caplog.messages
    assert message.startswith(
        "structiou.parseval_scorer.v1: 1 of 2 pairs were skipped; the first: word differs at position 2: "
    )
    nothing = _score(_example([other], [tree]), metric="parseval")
    assert nothing["parseval"] is nothing["parseval_f1"] is None


@pytest.mark.parametrize("wrap", ["{}", "(TOP {})", "({})"])
def test_another_metric_by_doc(wrap):
    """Compare four brackets on either side, of which NP and VP are the same."""
    predictions = ["(S (NP (A a)) (VP (B b)))", "(S (C c))"]
    references = ["(S (NP (A a)))", "(S (VP (B b)) (C c))"]
    example = _example(*([wrap.format(tree) for tree in side] for side in (predictions, references)))
    scores = _score(example, metric="parseval", per="doc")
    assert scores["parseval_precision"] == scores["parseval_recall"] == scores["parseval_f1"] == 0.5
    assert scores["parseval_tagging_accuracy"] == 1.0


def test_words_between_trees_have_no_tags():
    ref = Doc(_VOCAB, words=["a", "b", "c"])
    set_tree(ref[2:3], "(S (C c))")
    set_tree(ref[0:1], "(S (A a))")
    scorer = make_scorer("parseval", per="doc")
    assert scorer([Example(ref, ref)])["parseval_counts"]["skipped"] == 1
    assert _score(Example(ref, ref), per="doc")["struct_iou"] == 1.0


# ---- other tokens


def test_different_tokens_of_the_same_text():
    example = _example(["(S (NP (NN dogs)) (VP (MD can) (RB not)))"], ["(S (NP (NN dogs)) (VP (MD cannot)))"])
    message = (
        "the prediction has 3 words and the reference has 2 words; the same characters are divided into "
        r"different words from 'can' and 'cannot' \(word 2\) on; score characters"
    )
    with pytest.raises(TreeMismatchError, match=message):
        _score(example)
    assert 0.5 < _score(example, unit="char")["struct_iou"] < 1.0


def test_same_number_of_tokens_with_different_boundaries_is_a_warning(caplog: pytest.LogCaptureFixture):
    trees = "(S (A I) (B can't) (C re) (D enter))", "(S (A I) (B ca) (C n't) (D reenter))"
    example = _example([trees[0]], [trees[1]])
    scores = _score(example)
    assert scores["struct_iou"] == 1.0
    assert scores["struct_iou_warnings"] == {"boundaries": 1}
    (message,) = caplog.messages
    assert message.startswith(
        "structiou.struct_iou_scorer.v1: the pair: the same number of words over the same char"
    )
    caplog.clear()
    assert _score(example, unit="char")["struct_iou_warnings"] == {}
    assert _score(_example([trees[0]], [trees[0]]))["struct_iou_warnings"] == {}
    assert caplog.messages == []


def test_unused_times_are_a_warning():
    example = _example(["(S (A a<0,1>))"], ["(S (A a<0,1>))"])
    assert _score(example)["struct_iou_warnings"] == {"timed": 1}
    assert _score(example, unit="time")["struct_iou_warnings"] == {}


def test_warnings_through_nlp_evaluate():
    nlp = English()
    nlp.add_pipe("struct_iou")
    pair = _example(["(S (NP we) (VP run))"], ["(S (NP dogs) (VP sleep))"])
    scores = nlp.evaluate([pair])
    assert (scores["struct_iou"], scores["struct_iou_warnings"]) == (1.0, {"words": 1})


def test_hebrew_with_different_letters_is_counted():
    fine = _example(["(NP (NN הבית))"], ["(NP (DEF ה) (NN בית))"])
    other = _example(["(PP (NN בבית))"], ["(PP (IN ב) (NP (DEF ה) (NN בית)))"])
    message = r"document 1 \('ב ה בית'\), tree 0: the prediction has 4 characters and the reference has 5"
    with pytest.raises(TreeMismatchError, match=message):
        _score(fine, other, unit="char")
    alone = _score(fine, unit="char")["struct_iou"]
    assert _score(fine, other, unit="char", on_error="skip")["struct_iou"] == alone
    assert _score(fine, other, unit="char", on_error="zero")["struct_iou"] == alone / 2
    assert _counts(fine, other, unit="char", on_error="skip") == {"docs": 2, "pairs": 1, "skipped": 1}
    assert _counts(fine, other, unit="char", on_error="zero") == {"docs": 2, "pairs": 2, "zeroed": 1}


def test_brackets_and_quotes_are_no_mismatch():
    pred = Doc(_VOCAB, words=["(", "oil", ")"])
    set_tree(pred, "(NP (-LRB- -LRB-) (NN oil) (-RRB- -RRB-))")
    ref = Doc(_VOCAB, words=["-LRB-", "oil", "-RRB-"])
    set_tree(ref, "(NP (-LRB- -LRB-) (NN oil) (-RRB- -RRB-))")
    assert _score(Example(pred, ref), unit="char")["struct_iou"] == 1.0


def test_white_space_tokens_do_not_count():
    pred = Doc(_VOCAB, words=["a", "\n", "b"], spaces=[False] * 3)
    set_tree(pred, "(S (A a) (B b))")
    for unit in ("word", "char"):
        assert _score(Example(pred, _side(["(S (A a) (B b))"])), unit=unit)["struct_iou"] == 1.0


# ---- what is there and what is not


@pytest.mark.parametrize("per", ["sentence", "doc"])
def test_nothing_to_score_is_none(per):
    blank = Doc(_VOCAB, words=["a"])
    for examples in ([], [Example(blank, blank)], [_example(["(A a)"], [])]):
        scores = _score(*examples, per=per)
        assert [scores[key] for key in _KEYS] == [None] * 5
        assert scores["struct_iou_counts"]["unannotated"] == len(examples)


def test_documents_without_any_tree_are_logged_once(caplog: pytest.LogCaptureFixture):
    blank, other = Doc(_VOCAB, words=["a"]), doc_from_trees(_VOCAB, ["(A a)"], key="gold")
    scorer = make_scorer("struct_iou", name="mine")
    assert scorer([])["struct_iou"] is None
    assert caplog.messages == []
    for _ in range(2):
        scorer([Example(blank, blank), Example(blank, other)])
    (message,) = caplog.messages
    assert message.startswith(
        "mine: none of 2 documents has reference trees in doc.spans['constituents'], so there is nothing to "
        "score; set reference_key to one of 'gold', or read the corpus with @readers = "
        "'structiou.treebank_corpus.v1', as spaCy's own spacy.Corpus.v1 loses all trees where"
    )


def test_all_skipped_is_none():
    scores = _score(_example(["(S a b)"], ["(S a)"]), on_error="skip")
    assert [scores[key] for key in _KEYS] == [None] * 5
    assert scores["struct_iou_counts"]["skipped"] == 1


# Counts besides pairs, if each pair has a single tree on either side.
ONE_TREE: dict[str, dict[str, int]] = {"sentence": {}, "doc": {"trees_pred": 1, "trees_ref": 1}}


@pytest.mark.parametrize("per", ["sentence", "doc"])
def test_documents_without_reference_trees_are_not_scored(per):
    half = _example(["(S (A a))"], ["(S (A a))"])
    none = Example(_side(["(S b)"]), Doc(_VOCAB, words=["b"]))
    assert _score(half, none, per=per)["struct_iou"] == 1.0
    assert _counts(half, none, per=per) == {"docs": 2, "unannotated": 1, "pairs": 1, **ONE_TREE[per]}


def test_sentences_without_reference_tree_are_left_out():
    pred = _side(["(S (A a) (B b))", "(S c)", "(S d)"])
    ref = Doc(_VOCAB, words=["a", "b", "c", "d"])
    set_tree(ref[3:4], "(S d)")
    set_tree(ref[0:2], "(S (A a) (B b))")
    assert _score(Example(pred, ref))["struct_iou"] == 1.0
    assert _counts(Example(pred, ref)) == {"docs": 1, "pairs": 2}


def test_sentence_without_predicted_tree_is_a_failed_parse():
    pred = Doc(_VOCAB, words=["a", "b", "c", "d"])
    set_tree(pred[3:4], "(S d)")
    example = Example(pred, _side(["(S (A a) (B b))", "(S c)", "(S d)"]))
    assert _score(example)["struct_iou"] == pytest.approx(1 / 3)
    assert _counts(example) == {"docs": 1, "pairs": 3, "empty": 2}
    set_tree(pred[0:2], "()")
    assert _counts(example) == {"docs": 1, "pairs": 3, "empty": 2}
    assert _score(example, per="doc")["struct_iou_r"] == pytest.approx(1 / 5)


def test_parsers_that_find_nothing_score_0_for_any_tokens():
    for words in ([], ["a"], ["other", "text"]):
        pred = Doc(_VOCAB, words=words)
        pred.spans["constituents"] = []
        example = Example(pred, _side(["(S (A a) (B b))", "(S c)"]))
        assert _score(example)["struct_iou"] == 0.0
        assert _counts(example) == {"docs": 1, "pairs": 2, "empty": 2}


def test_empty_references_agree_with_empty_predictions_only():
    ref = Doc(_VOCAB, words=["a", "b"])
    set_tree(ref[0:1], "(S a)")
    set_tree(ref[1:2], "()")
    pred = Doc(_VOCAB, words=["a", "b"])
    set_tree(pred[0:1], "(S a)")
    assert _score(Example(pred, ref))["struct_iou"] == 1.0
    set_tree(pred[1:2], "(S b)")
    assert _score(Example(pred, ref))["struct_iou"] == 0.5


def test_doc_without_predicted_trees_is_an_error():
    example = Example(Doc(_VOCAB, words=["a", "b"]), _side(["(S a)", "(S b)"]))
    message = (
        r"^my_parser: document 0 \('a b'\), tree 0: the prediction has no doc.spans\['constituents'\]; put"
    )
    with pytest.raises(TreeMismatchError, match=message):
        _score(example, name="my_parser")
    assert _counts(example, on_error="zero") == {"docs": 1, "pairs": 2, "zeroed": 2}
    assert _score(example, on_error="zero", per="doc")["struct_iou"] == 0.0


@pytest.mark.parametrize("per", ["sentence", "doc"])
def test_spans_that_are_no_tree_are_an_error(per):
    bad = Doc(_VOCAB, words=["a", "b", "c"])
    bad.spans["constituents"] = [Span(bad, 0, 2, "A"), Span(bad, 1, 3, "B")]
    good = _side(["(S a b c)"])
    with pytest.raises(
        TreeFormatError, match=r"document 1 \('a b c'\).*: the prediction: doc.spans\['const.*'B' 1–3"
    ):
        _score(Example(good, good), Example(bad, good), per=per)
    with pytest.raises(
        TreeFormatError, match=r"document 0 \('a b c'\): the reference: doc.spans\['const.*'B' 1–3"
    ):
        _score(Example(good, bad), per=per)
    both = Example(bad, good), Example(good, good)
    assert _counts(*both, per=per, on_error="skip") == {"docs": 2, "pairs": 1, "skipped": 1, **ONE_TREE[per]}
    for on_error in ("zero", "skip"):  # an option for predictions only
        with pytest.raises(TreeFormatError, match="the reference"):
            _score(Example(good, bad), per=per, on_error=on_error)


def test_missing_times_are_an_error():
    with pytest.raises(TreeFormatError, match=r"document 0 \('a'\).*: the prediction: .*no times"):
        _score(_example(["(S a)"], ["(S a<0,1>)"]), unit="time")
    with pytest.raises(TreeFormatError, match=r"document 0 \('a'\), tree 0: the reference has no times"):
        _score(_example(["(S a<0,1>)"], ["(S a)"]), unit="time", on_error="zero")


@pytest.mark.parametrize("per", ["sentence", "doc"])
def test_predictions_without_times_count_as_0_by_default(per):
    scorer = make_struct_iou_scorer(unit="time", per=per)
    scores = scorer([_example(["(S a)"], ["(S a<0,1>)"]), _example(["(S a<0,1>)"], ["(S a<0,1>)"])])
    assert scores["struct_iou"] == 0.5
    assert scores["struct_iou_counts"]["zeroed"] == 1


@pytest.mark.parametrize("per", ["sentence", "doc"])
def test_faults_of_predictions_count_as_0_by_default(per):
    bad = Doc(_VOCAB, words=["a", "b", "c"])
    bad.spans["constituents"] = [Span(bad, 0, 2, "A"), Span(bad, 1, 3, "B")]
    missing = Doc(_VOCAB, words=["a", "b", "c"])
    good = _side(["(S a b c)"])
    split = _example(["(S (A Yahoo!) (B grew))"], ["(S (A Yahoo) (C !) (B grew))"])
    scorer = make_struct_iou_scorer(per=per)
    scores = scorer([Example(bad, good), Example(missing, good), split, Example(good, good)])
    assert scores["struct_iou"] == 0.25
    assert scores["struct_iou_counts"]["zeroed"] == 3


def test_many_sentences_with_a_failed_parse_are_matched_by_their_places():
    n = 2000
    words = [f"w{i}" for i in range(n)]
    pred, ref = (Doc(_VOCAB, words=words) for _ in range(2))
    set_trees(ref, [f"(S {word})" for word in words])
    pred.spans["constituents"] = [Span(pred, i, i + 1, "S") for i in range(n) if i != 700]
    assert _counts(Example(pred, ref)) == {"docs": 1, "pairs": n, "empty": 1}
    assert _score(Example(pred, ref))["struct_iou"] == (n - 1) / n


# ---- sentences that do not match


def test_different_sentences_are_an_error_by_sentence_and_fine_by_doc():
    example = _example(["(S (A a) (B b))", "(S (C c))"], ["(S (A a))", "(S (B b) (C c))"])
    message = r"the prediction has a tree over characters 0–2, the reference over 0–1; .*\(per = 'doc'\)"
    with pytest.raises(TreeMismatchError, match=message):
        _score(example)
    assert 0.5 < _score(example, per="doc")["struct_iou"] < 1.0
    assert _counts(example, per="doc") == {"docs": 1, "pairs": 1, "trees_pred": 2, "trees_ref": 2}
    # As the core scores documents.
    core = StructIoU().corpus_score(
        [["(S (A a) (B b))", "(S (C c))"]], [["(S (A a))", "(S (B b) (C c))"]], documents=True
    )
    assert _score(example, per="doc")["struct_iou_corpus"] == core.corpus


def test_different_numbers_of_sentences():
    more = _example(["(S (A a))", "(S (B b))", "(S (C c))"], ["(S (A a))", "(S (B b) (C c))"])
    assert _counts(more, on_error="skip") == {"docs": 1, "pairs": 1, "skipped": 1}
    other_text = _example(["(S (A a))", "(S (B b))", "(S (C c))"], ["(S (A a))", "(S (B bb) (C c))"])
    message = r"has 3 trees and the reference 2, which cannot be matched .*: the texts have 3 and 4 char"
    with pytest.raises(TreeMismatchError, match=message):
        _score(other_text)


def test_different_texts_with_the_same_number_of_sentences_are_matched_in_order():
    example = _example(["(S (A a))", "(S (B xx))"], ["(S (A a))", "(S (B x))"])
    assert _score(example)["struct_iou"] == 1.0
    assert _counts(example, unit="char", on_error="skip") == {"docs": 1, "pairs": 1, "skipped": 1}


def test_docs_joined_drop_the_roots_of_all_trees():
    trees = ["(S (A a))", "(S (B b))"]
    example = _example([f"(TOP {tree})" for tree in trees], [f"( {tree})" for tree in trees])
    assert _score(example, per="doc")["struct_iou"] == 1.0
    assert _score(example, per="doc", drop=[])["struct_iou"] == pytest.approx(8 / 12)


def test_docs_joined_by_time():
    predictions, references = _bundled("speech")
    example = _example(predictions[:1], references[:1])
    wanted = StructIoU(unit="time").corpus_score(predictions[:1], references[:1]).score
    assert _score(example, unit="time", per="doc")["struct_iou"] == pytest.approx(wanted)


def test_docs_joined_by_time_may_have_words_between_trees():
    """Words outside of trees have no times, which is no error."""
    ref = Doc(_VOCAB, words=["a", "x", "b"])
    set_tree(ref[0:1], "(S a<0,1>)")
    set_tree(ref[2:3], "(S b<2,3>)")
    assert _score(Example(ref.copy(), ref), unit="time", per="doc")["struct_iou"] == 1.0


def test_keys_of_the_two_sides():
    doc = doc_from_trees(_VOCAB, ["(S (A a))"], key="gold")
    set_tree(doc, "(S (B a))", key="system")
    scores = _score(Example(doc, doc), predicted_key="system", reference_key="gold")
    assert scores["struct_iou"] == 0.5


# ---- options


@pytest.mark.parametrize(
    "options, message",
    [
        ({"unit": "chars"}, r"unknown unit 'chars'; choose from word, char, time"),
        ({"per": "document"}, r"unknown per 'document'; choose from sentence, doc"),
        ({"min_iou": 1.5}, r"min_iou must be at least 0 and less than 1"),
        ({"drop": "TOP"}, r"drop must be a list of labels"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=rf"^my_scorer: {message}"):
        make_struct_iou_scorer(**options, name="my_scorer")

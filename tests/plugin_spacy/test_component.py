"""The component in real pipelines: by entry point, in configs, from disk, in fresh processes."""

from __future__ import annotations

import inspect
import json
import pickle
import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from support.paths import DATA

pytest.importorskip("spacy")

import spacy
from confection import ConfigValidationError
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example

import structiou_metric
from spacy_structiou import doc_from_trees, get_trees, set_tree, set_trees
from spacy_structiou.scorer import make_struct_iou_scorer
from spacy_structiou.store import without_traces
from structiou_metric import SegmentTree, StructIoU, TreeFormatError, TreeMismatchError, read_trees
from structiou_metric.metrics import METRICS, load_metric, metric_class
from support.benepar_stand_in import benepar_extensions, parse_flat
from support.process import run_python

_SCORER = "structiou.struct_iou_scorer.v1"
_WEIGHTS = {
    "struct_iou": 1.0,
    "struct_iou_sentence": None,
    "struct_iou_corpus": None,
    "struct_iou_p": None,
    "struct_iou_r": None,
    "struct_iou_per_type": None,
}


def _trees(name: str) -> list[str]:
    return [str(tree) for tree in read_trees(str(DATA / name))]


def test_texts_that_differ():
    """Compare the tokens of a recogniser with those of a transcript, in a pipeline made from a config."""
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou", config={"texts": "aligned"})
    heard, said = (
        doc_from_trees(nlp.vocab, [tree])
        for tree in ("(S (NP we) (VP run))", "(S (NP we) (ADVP often) (VP run))")
    )
    again = spacy.blank("en").from_config(nlp.config)
    scores = again.evaluate([Example(heard, said)])
    assert scores["struct_iou"] == pytest.approx(2 * 3 / (3 + 4))
    assert scores["struct_iou_counts"]["text_ref_only"] == 1


@pytest.fixture
def oracle_parser():
    """Return a component that sets the tree that `parses` has for the words of a Doc."""

    class Parser:
        def __init__(self) -> None:
            self.parses: dict[str, str] = {}

        def __call__(self, doc: Doc) -> Doc:
            set_tree(doc, self.parses["".join(doc.text.split())])
            return doc

    parser = Parser()
    Language.component("oracle_parser", func=parser)
    return parser


# ---- in a pipeline


def test_evaluate_english_with_the_tokens_of_the_reference():
    predictions, references = _trees("english.prediction.txt"), _trees("english.reference.mrg")
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou", config={"labels": "base"})
    examples = []
    for prediction, reference in zip(predictions, references, strict=True):
        ref = doc_from_trees(nlp.vocab, [reference])
        pred = Doc(nlp.vocab, words=[token.text for token in ref])
        set_tree(pred, prediction)
        examples.append(Example(pred, ref))
    wanted = StructIoU(labels="base").corpus_score(predictions, references)
    scores = nlp.evaluate(examples)
    assert scores["struct_iou"] == wanted.sentence
    assert scores["struct_iou_corpus"] == wanted.corpus
    assert scores["struct_iou_counts"]["empty"] == 1
    assert nlp.evaluate(examples, per_component=True)["struct_iou"]["struct_iou"] == wanted.sentence
    json.dumps(scores)


@pytest.mark.parametrize(
    "options", [{}, {"variant": "spmrl", "count_empty": True}, {"parameters": "spmrl", "on_error": "zero"}]
)
def test_evaluate_by_another_metric(options):
    predictions, references = _trees("english.prediction.txt"), _trees("english.reference.mrg")
    nlp = spacy.blank("en")
    nlp.add_pipe("parseval", config=options)
    examples = [
        Example(doc_from_trees(nlp.vocab, [prediction]), doc_from_trees(nlp.vocab, [reference]))
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    spoken = [without_traces(SegmentTree.from_brackets(tree)) for tree in references]  # as a Doc stores them
    wanted = load_metric("parseval", **options).corpus_score(predictions, spoken)
    scores = nlp.evaluate(examples)
    assert {key: scores[key] for key in wanted.figures} == dict(wanted.figures)
    assert 0.0 < scores["parseval"] == scores["parseval_f1"] < 1.0
    assert scores["parseval_counts"] == {
        "docs": 80,
        "unannotated": 0,
        "pairs": wanted.n_counted,
        "empty": wanted.n_empty,
        "zeroed": 0,
        "skipped": wanted.n_skipped + wanted.n_errors,
        "lengthless": 0,
    }
    per_type = {label: (row["p"], row["r"], row["f"]) for label, row in scores["parseval_per_type"].items()}
    assert per_type == {
        label: (tally.precision, tally.recall, tally.score) for label, tally in wanted.by_label.items()
    }
    assert not [key for key in scores if key.startswith("struct_iou")]


def test_evaluate_hebrew_with_different_tokens(oracle_parser):
    """Parse Docs whose tokens differ from those of the references."""
    predictions, references = _trees("hebrew.prediction.txt"), _trees("hebrew.reference.txt")
    nlp = spacy.blank("he")
    nlp.add_pipe("oracle_parser")
    nlp.add_pipe("struct_iou", config={"unit": "char", "on_error": "zero"})
    examples = []
    for prediction, reference in zip(predictions, references, strict=True):
        pred = Doc(nlp.vocab, words=[token.text for token in doc_from_trees(nlp.vocab, [prediction])])
        oracle_parser.parses["".join(pred.text.split())] = prediction
        examples.append(Example(pred, doc_from_trees(nlp.vocab, [reference])))
    wanted = StructIoU(unit="char", on_error="zero").corpus_score(predictions, references)
    scores = nlp.evaluate(examples)
    assert scores["struct_iou"] == wanted.sentence
    assert scores["token_acc"] is None


def test_the_paper_s_hebrew_figure_is_40_of_63():
    nlp = spacy.blank("he")
    nlp.add_pipe("struct_iou", config={"unit": "char"})
    pred, ref = (
        doc_from_trees(nlp.vocab, [_trees(f"hebrew.{side}.txt")[0]]) for side in ("prediction", "reference")
    )
    assert nlp.evaluate([Example(pred, ref)])["struct_iou"] == pytest.approx(40 / 63)


def test_evaluate_does_not_fail_before_the_scorer():
    """Check that spaCy's tokenizer score, which comes first, raises only for references with known spaces."""
    nlp = spacy.blank("he")
    nlp.add_pipe("struct_iou", config={"unit": "char", "on_error": "skip"})
    pred = doc_from_trees(nlp.vocab, ["(PP (NN בבית))"])
    ref = doc_from_trees(nlp.vocab, ["(PP (IN ב) (NP (DEF ה) (NN בית)))"])
    scores = nlp.evaluate([Example(pred, ref)])
    assert scores["struct_iou"] is None
    assert scores["struct_iou_counts"]["skipped"] == 1
    known = Doc(nlp.vocab, words=["ב", "ה", "בית"], spaces=[False, False, True])
    set_tree(known, "(PP (IN ב) (NP (DEF ה) (NN בית)))")
    with pytest.raises(ValueError, match="E949"):
        nlp.evaluate([Example(pred, known)])


def test_scorer_on_another_component():
    nlp = spacy.blank("en")
    scorer = {"@scorers": _SCORER, "unit": "char"}
    nlp.add_pipe("sentencizer", config={"scorer": scorer})
    doc = doc_from_trees(nlp.vocab, ["(S (A a))"])
    assert nlp.evaluate([Example(doc, doc)])["struct_iou"] == 1.0


def test_score_of_nothing():
    nlp = spacy.blank("en")
    scores = nlp.add_pipe("struct_iou").score([])
    assert {key: scores[key] for key in _WEIGHTS} == dict.fromkeys(_WEIGHTS)


def test_disabled_component_is_not_scored():
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou")
    doc = doc_from_trees(nlp.vocab, ["(S (A a))"])
    with nlp.select_pipes(disable=["struct_iou"]):
        assert "struct_iou" not in nlp.evaluate([Example(doc, doc)])


def test_two_components_under_other_names(caplog: pytest.LogCaptureFixture):
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou", name="exact")
    nlp.add_pipe("parseval", name="brackets")
    assert caplog.messages == []
    nlp.add_pipe("struct_iou", name="unlabelled", config={"labels": "ignore"})
    assert caplog.messages == [
        "unlabelled: 'exact' in this pipeline gives scores of the same names, and nlp.evaluate keeps "
        "only the last; set a prefix, such as prefix = 'unlabelled_'"
    ]
    pred, ref = (doc_from_trees(nlp.vocab, [tree]) for tree in ("(S (A a))", "(S (B a))"))
    scores = nlp.evaluate([Example(pred, ref)], per_component=True)
    assert (scores["exact"]["struct_iou"], scores["unlabelled"]["struct_iou"]) == (0.5, 1.0)


def test_prefix_keeps_the_scores_of_two_components_apart(caplog: pytest.LogCaptureFixture):
    nlp = spacy.blank("en")
    scorer = {"@scorers": _SCORER, "prefix": "by_", "min_iou": 0.5}
    nlp.add_pipe("sentencizer", config={"scorer": scorer})
    nlp.add_pipe("struct_iou")
    nlp.add_pipe("struct_iou", name="unlabelled", config={"labels": "ignore", "prefix": "unlabelled_"})
    again = spacy.util.load_model_from_config(nlp.config, auto_fill=False)
    assert caplog.messages == []
    pred, ref = (doc_from_trees(nlp.vocab, [tree]) for tree in ("(S (A a))", "(S (B a))"))
    scores = again.evaluate([Example(pred, ref)])
    assert (scores["struct_iou"], scores["unlabelled_struct_iou"], scores["by_struct_iou"]) == (0.5, 1.0, 0.5)
    assert scores["unlabelled_struct_iou_counts"]["pairs"] == 1
    assert {key.removeprefix("by_") for key in scores if key.startswith("by_")} == {
        key for key in scores if key.startswith("struct_iou")
    }
    nlp.add_pipe("struct_iou", name="third", config={"prefix": "by_"})
    assert "third: 'sentencizer' in this pipeline gives scores of the same names" in caplog.text


def test_errors_name_the_component():
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou", name="trees", config={"on_error": "raise"})
    ref = doc_from_trees(nlp.vocab, ["(S (A a))"])
    with pytest.raises(
        TreeMismatchError, match=r"^trees: document 0 \('a'\), tree 0: the prediction has no doc.spans"
    ):
        nlp.evaluate([Example(Doc(nlp.vocab, words=["a"]), ref)])


def _spans(vocab: Any, *spans: tuple[int, int, str]) -> Doc:
    """Return a Doc of three words whose constituents are these spans, in this order."""
    doc = Doc(vocab, words=["a", "b", "c"])
    doc.spans["constituents"] = [Span(doc, *span) for span in spans]
    return doc


def test_predicted_spans_in_any_order_are_a_tree():
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou")
    pred = _spans(nlp.vocab, (2, 3, "VP"), (0, 2, "NP"), (0, 3, "S"))
    ref = doc_from_trees(nlp.vocab, ["(S (NP a b) (VP c))"])
    assert nlp.evaluate([Example(pred, ref)])["struct_iou"] == 1.0


def test_trees_of_a_part_of_the_words_are_matched_by_their_places():
    """Match "b" with "b"; there is no prediction for "c", though both sides have two trees of one word."""
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou")
    pred, ref = (Doc(nlp.vocab, words=["a", "b", "c"]) for _ in range(2))
    for i in (0, 1):
        set_tree(pred[i : i + 1], f"(S {pred[i]})")
        set_tree(ref[i + 1 : i + 2], f"(S {ref[i + 1]})")
    scores = nlp.evaluate([Example(pred, ref)])
    assert scores["struct_iou"] == 0.5
    assert scores["struct_iou_counts"]["empty"] == 1


def test_faults_of_predictions_count_as_0_and_are_logged_once(caplog: pytest.LogCaptureFixture):
    """Try crossing spans, no group of spans, different words, and tokens that were merged after the parse."""

    @Language.component("merger")
    def merge(doc: Doc) -> Doc:
        if doc[0].text == "d":
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[0:2])
        return doc

    nlp = spacy.blank("en")
    nlp.add_pipe("merger")
    nlp.add_pipe("struct_iou")
    crossing = _spans(nlp.vocab, (0, 2, "A"), (1, 3, "B"))
    missing = Doc(nlp.vocab, words=["a", "b", "c"])
    split = doc_from_trees(nlp.vocab, ["(S (A a) (B b) (C c) (D d))"])
    merged = doc_from_trees(nlp.vocab, ["(S d b c)"])
    ref = doc_from_trees(nlp.vocab, ["(S a b c)"])
    examples = [Example(pred, ref) for pred in (crossing, missing, split, merged, ref.copy())]
    for _ in range(2):  # as training evaluates again and again
        scores = nlp.evaluate(examples)
        assert scores["struct_iou"] == 1 / 5
        assert scores["struct_iou_counts"]["zeroed"] == 4
    (message,) = caplog.messages
    assert message.startswith(
        "struct_iou: 4 of 5 pairs count as 0; the first: document 0 ('a b c'), tree 0: "
    )


@pytest.mark.parametrize(
    "unit, reference, message",
    [
        pytest.param("word", [(0, 2, "A"), (1, 3, "B")], "the reference: doc.spans", id="crossing spans"),
        pytest.param("time", [(0, 3, "S")], "tree 0: the reference has no times", id="no times"),
    ],
)
def test_faults_of_references_are_errors(unit, reference, message):
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou", config={"unit": unit})
    pred = doc_from_trees(nlp.vocab, ["(S a<0,1> b<1,2> c<2,3>)"])
    with pytest.raises(TreeFormatError) as caught:
        nlp.evaluate([Example(pred, _spans(nlp.vocab, *reference))])
    assert str(caught.value).startswith("struct_iou: document 0 ('a b c')")
    assert message in str(caught.value)
    assert ": :" not in str(caught.value)


def test_documents_pass_unchanged():
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou")
    assert not nlp("dogs bark").spans
    assert [doc.text for doc in nlp.pipe(["dogs bark", "cats meow"])] == ["dogs bark", "cats meow"]


# ---- benepar


@pytest.fixture
def benepar_pipeline():
    """Return a pipeline with a parser that stores its trees as benepar does."""
    Language.component("flat_benepar", func=parse_flat)
    with benepar_extensions():
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("flat_benepar")
        yield nlp


def _go_away(nlp: Language) -> Doc:
    return doc_from_trees(nlp.vocab, ["(S (NP (NN Go)) (ADVP (RB away)))"])


def test_trees_of_benepar_are_taken_over(benepar_pipeline):
    nlp = benepar_pipeline
    nlp.add_pipe("struct_iou", config={"terminals": "exclude", "predicted_key": "benepar"})
    doc = nlp("Go away. Come back.")
    assert [str(tree) for tree in get_trees(doc, key="benepar")] == [
        "(S (VP (UNK Go) (UNK away) (UNK .)))",
        "(S (VP (UNK Come) (UNK back) (UNK .)))",
    ]
    ref = Doc(nlp.vocab, words=[token.text for token in doc])
    set_trees(ref, ["(S (VP (VB Go) (RB away) (. .)))", "(S (VP (VB Come) (RB back) (. .)))"])
    assert nlp.evaluate([Example(nlp.make_doc("Go away. Come back."), ref)])["struct_iou"] == 1.0


def test_benepar_s_trees_replace_those_of_a_reference_that_was_copied(benepar_pipeline):
    """Score (S VP) against (S NP ADVP), of which only S is the same: 2 * 1 / (3 + 2)."""
    nlp = benepar_pipeline
    nlp.add_pipe("struct_iou", config={"terminals": "exclude"})
    ref = _go_away(nlp)
    scores = nlp.evaluate([Example(ref.copy(), ref)])
    assert scores["struct_iou"] == pytest.approx(2 / 5)


def test_benepar_does_not_replace_trees_without_overwrite(benepar_pipeline):
    nlp = benepar_pipeline
    nlp.add_pipe("struct_iou", config={"overwrite": False})
    assert [str(tree) for tree in get_trees(nlp(_go_away(nlp)))] == ["(S (NP (NN Go)) (ADVP (RB away)))"]
    assert [str(tree) for tree in get_trees(nlp("Go!"))] == ["(S (VP (UNK Go) (UNK !)))"]


def test_trees_stay_if_benepar_has_not_parsed():
    with benepar_extensions():
        nlp = spacy.blank("en")
        nlp.add_pipe("struct_iou")
        assert [str(tree) for tree in get_trees(nlp(_go_away(nlp)))] == ["(S (NP (NN Go)) (ADVP (RB away)))"]


def test_data_of_benepar_is_removed_on_demand(benepar_pipeline):
    nlp = benepar_pipeline
    nlp.add_pipe("struct_iou")
    with pytest.raises(TypeError, match="serialize"):
        DocBin(store_user_data=True, docs=[nlp("Go away.")])
    nlp.remove_pipe("struct_iou")
    nlp.add_pipe("struct_iou", config={"remove_benepar": True})
    for doc in [nlp("Go away."), *nlp.pipe(["Go away."])]:
        data = DocBin(store_user_data=True, docs=[doc]).to_bytes()
        (again,) = DocBin().from_bytes(data).get_docs(nlp.vocab)
        assert get_trees(again) == get_trees(doc) != []


def test_benepar_in_several_processes():
    done = run_python(
        "import spacy\n"
        "from spacy.language import Language\n"
        "from support.benepar_stand_in import benepar_extensions, parse_flat\n"
        "if __name__ == '__main__':\n"
        "    Language.component('flat_benepar', func=parse_flat)\n"
        "    with benepar_extensions():\n"
        "        nlp = spacy.blank('en')\n"
        "        for name in ('sentencizer', 'flat_benepar'):\n"
        "            nlp.add_pipe(name)\n"
        "        nlp.add_pipe('struct_iou', config={'remove_benepar': True})\n"
        "        for doc in nlp.pipe(['Go!', 'Come!', 'Stay!'], n_process=2, batch_size=1):\n"
        "            print(*doc._.trees)\n"
    )
    wanted = [f"(S (VP (UNK {word}) (UNK !)))" for word in ("Go", "Come", "Stay")]
    assert done.stdout.splitlines() == wanted, done.stderr


# ---- configs


def test_defaults_are_the_metric_s():
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou")
    config = nlp.get_pipe_config("struct_iou")
    options = StructIoU().options.as_dict()
    assert {name: config[name] for name in options} == {
        **options,
        "drop": None,
        "on_error": "zero",
    }  # None for the default
    for name in ("factory", "overwrite", "remove_benepar"):  # those of the component only
        del config[name]
    assert make_struct_iou_scorer(**config).metric == StructIoU(on_error="zero")


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_has_a_component_and_a_scorer_with_its_own_options(metric):
    options = set(metric_class(metric).OPTIONS)
    make = spacy.registry.get("scorers", f"structiou.{metric}_scorer.v1")
    common = {"per", "predicted_key", "reference_key", "prefix"}
    assert set(inspect.signature(make).parameters) == common | options
    nlp = spacy.blank("en")
    nlp.add_pipe(metric)
    config = nlp.get_pipe_config(metric)
    assert set(config) == {"factory", "overwrite", "remove_benepar"} | common | options
    assert nlp.config["training"]["score_weights"][metric] == 1.0
    doc = doc_from_trees(nlp.vocab, ["(S (NP (A a)) (VP (B b) (NP (C c))))"])
    scores = nlp.evaluate([Example(doc.copy(), doc)])
    assert scores[metric] == 1.0
    assert set(nlp.config["training"]["score_weights"]) <= set(scores)


@pytest.mark.parametrize("average, wanted", [("sentence", (4 / 6 + 1) / 2), ("corpus", 8 / 10)])
def test_options_of_another_metric_are_used(average, wanted):
    """Score two pairs with 6 and 4 nodes, which are the same except B and C."""
    pairs = [("(S (A a) (B b))", "(S (A a) (C b))"), ("(S (A a))", "(S (A a))")]
    nlp = spacy.blank("en")
    nlp.add_pipe("tree_edit", config={"average": average})
    examples = [Example(*(doc_from_trees(nlp.vocab, [tree]) for tree in pair)) for pair in pairs]
    assert nlp.evaluate(examples)["tree_edit"] == pytest.approx(wanted)


def test_the_sentence_mean_is_reported_for_every_average():
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou", config={"average": "corpus"})
    pairs = [("(S (A a) (B b))", "(S (A a) (C b))"), ("(S (A a))", "(S (A a))")]
    scores = nlp.evaluate([Example(*(doc_from_trees(nlp.vocab, [t]) for t in pair)) for pair in pairs])
    assert scores["struct_iou"] == scores["struct_iou_corpus"] == 8 / 10  # 6 and 4 nodes, the same except two
    assert scores["struct_iou_sentence"] == (4 / 6 + 1) / 2


def test_score_weights():
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou")
    assert nlp.config["training"]["score_weights"] == _WEIGHTS
    nlp.add_pipe("tagger")
    assert nlp.config["training"]["score_weights"]["struct_iou"] == 0.5


def test_pipe_analysis_lists_assigned_attributes_and_scores():
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou")
    summary = nlp.analyze_pipes()["summary"]["struct_iou"]
    assert summary["assigns"] == ["doc.spans"]
    assert set(summary["scores"]) == set(_WEIGHTS)


def test_config_comes_back():
    options = {
        "unit": "char",
        "labels": "base",
        "drop": [],
        "min_iou": 0.25,
        "per": "doc",
        "predicted_key": "p",
        "terminals": "exclude",
    }
    nlp = spacy.blank("he")
    nlp.add_pipe("struct_iou", config=options)
    text = nlp.config.to_str()
    again = spacy.util.load_model_from_config(spacy.Config().from_str(text, interpolate=False))
    assert again.config["components"]["struct_iou"] == nlp.config["components"]["struct_iou"]
    assert {**again.config["components"]["struct_iou"], **options} == again.config["components"]["struct_iou"]
    assert spacy.Config().from_str(again.config.to_str()) == spacy.Config().from_str(text)


@pytest.mark.parametrize(
    "config, kind, message",
    [
        ({"unit": "chars"}, ValueError, "struct_iou: unknown unit 'chars'; choose from word, char, time"),
        ({"per": "text"}, ValueError, "struct_iou: unknown per 'text'; choose from sentence, doc"),
        ({"min_iou": 2.0}, ValueError, "struct_iou: min_iou must be at least 0 and less than 1"),
        ({"min_iou": "much"}, ConfigValidationError, "struct_iou.*min_iou"),
        ({"drop": "TOP"}, ConfigValidationError, "struct_iou.*drop"),
        ({"units": "char"}, ConfigValidationError, "struct_iou.*units"),
        ({"metric": "parseval"}, ConfigValidationError, "struct_iou.*metric"),
    ],
)
def test_bad_configs_name_component_and_option(config, kind, message):
    with pytest.raises(kind) as caught:
        spacy.blank("en").add_pipe("struct_iou", config=config)
    assert re.search(message, " ".join(str(caught.value).split()))


def test_a_missing_file_of_an_option_names_the_component():
    with pytest.raises(ValueError, match=r"^mine: .*there_is_no_such_file"):
        spacy.blank("en").add_pipe(
            "parseval", name="mine", config={"parameters": "there_is_no_such_file.prm"}
        )


def test_pickled_pipeline_scores():
    nlp = spacy.blank("en")
    nlp.add_pipe("struct_iou", config={"unit": "char"})
    pipe = pickle.loads(pickle.dumps(nlp.get_pipe("struct_iou")))
    doc = doc_from_trees(nlp.vocab, ["(S (A a))"])
    assert pipe.score([Example(doc, doc)])["struct_iou"] == 1.0


# ---- fresh processes: nothing is imported by hand


def test_saved_pipeline_scores_in_a_fresh_process(tmp_path: Path):
    predictions, references = _trees("hebrew.prediction.txt"), _trees("hebrew.reference.txt")
    nlp = spacy.blank("he")
    nlp.add_pipe("struct_iou", config={"unit": "char"})
    nlp.to_disk(tmp_path / "model")
    for name, trees in (("predicted", predictions), ("reference", references)):
        docs = [doc_from_trees(nlp.vocab, [tree]) for tree in trees]
        DocBin(docs=docs).to_disk(tmp_path / f"{name}.spacy")
    done = run_python(
        "import json, sys, spacy\n"
        "from spacy.tokens import DocBin\n"
        "from spacy.training import Example\n"
        f"folder = {str(tmp_path)!r}\n"
        "nlp = spacy.load(folder + '/model')\n"
        "sides = [DocBin().from_disk(f'{folder}/{side}.spacy') for side in ('predicted', 'reference')]\n"
        "pairs = zip(*(side.get_docs(nlp.vocab) for side in sides), strict=True)\n"
        "scores = nlp.evaluate([Example(*pair) for pair in pairs])\n"
        "del scores['speed']\n"
        "print(json.dumps(scores))\n"
    )
    assert done.returncode == 0, done.stderr
    wanted = StructIoU(unit="char").corpus_score(predictions, references)
    scores = json.loads(done.stdout)
    assert scores["struct_iou"] == wanted.sentence
    assert scores["struct_iou_per_type"]["NP"]["f"] == wanted.by_label["NP"].score


def test_scorers_of_all_metrics_have_entry_points():
    """Find a scorer by name in a process that has not imported this package."""
    found = {
        point.name for point in entry_points(group="spacy_scorers") if point.name.startswith("structiou.")
    }
    assert found == {f"structiou.{metric}_scorer.v1" for metric in METRICS}
    name = "structiou.tree_edit_scorer.v1"
    done = run_python(
        "from spacy.util import registry\n"
        f"print(registry.resolve({{'scorer': {{'@scorers': {name!r}}}}})['scorer'].metric.name)\n"
    )
    assert done.stdout == "tree_edit\n", done.stderr


def test_pipelines_without_a_component_are_left_alone():
    done = run_python(
        "import spacy\n"
        "from spacy.tokens import Doc\n"
        "nlp = spacy.blank('en')\n"
        "print(Doc.has_extension('trees'))\n"
        "nlp.add_pipe('struct_iou')\n"
        "print(nlp.make_doc('a')._.trees)\n"
    )
    assert done.stdout == "False\n[]\n", done.stderr


def test_package_exports_its_functions():
    import spacy_structiou

    assert spacy_structiou.set_tree is set_tree
    assert spacy_structiou.__version__ == structiou_metric.__version__
    everything: dict[str, object] = {}
    exec("from spacy_structiou import *", everything)
    assert set(spacy_structiou.__all__) <= everything.keys()
    assert {"set_tree", "get_trees"} <= set(dir(spacy_structiou))
    with pytest.raises(AttributeError, match="has no attribute 'parse'"):
        _ = spacy_structiou.parse

"""Storing trees on a Doc, carrying them to other Docs, and refusing trees that do not fit."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("spacy")

import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_structiou import benepar_trees, doc_from_trees, get_tree, get_trees, set_tree, set_trees
from spacy_structiou.convert import add_extensions
from structiou_metric import SegmentTree, TreeFormatError, TreeMismatchError
from support.benepar_stand_in import BeneparData, benepar_extensions
from support.process import run_python
from support.random_trees import timed
from support.strategies import tree_cases

_TREES = [
    pytest.param("(S (NP (DT the) (NN dog)) (VP (VBD barked)))", id="plain"),
    pytest.param("(S (NP (NP (NP (NN dog)))))", id="unary chain"),
    pytest.param("(A (A (A a)) (A b))", id="unary chain of one label"),
    pytest.param("(S a (NP b) c)", id="words beside nodes"),
    pytest.param("(S a b c)", id="several words in a leaf"),
    pytest.param("( (S (NP a)))", id="empty label"),
    pytest.param("(S (NP|<X-Y> a) (!§$%&/=?` b))", id="odd labels"),
    pytest.param("", id="failed parse"),
    pytest.param("(S (A a<0.5,1.25>) (B b<1.25,2.0>))", id="times"),
    pytest.param("(S (NP (DEF ה) (NN ילד)) (VP (VB רץ)))", id="Hebrew"),
]


def _doc(*words: str, **kwargs: object) -> Doc:
    return Doc(Vocab(), words=list(words), **kwargs)


# ---- round trips -------------------------------------------------------------------------------------


@pytest.mark.parametrize("brackets", _TREES)
def test_trees_come_back_as_they_were(brackets):
    tree = SegmentTree.from_brackets(brackets)
    doc = doc_from_trees(Vocab(), [tree, "(Q q)", tree])
    assert get_trees(doc) == [tree, SegmentTree.from_brackets("(Q q)"), tree]


@pytest.mark.parametrize("brackets", _TREES)
@pytest.mark.parametrize("carry", ["copy", "pickle", "bytes", "disk", "DocBin"])
def test_trees_survive(brackets, carry, tmp_path: Path):
    doc = doc_from_trees(Vocab(), ["(Q q)", brackets, "(Q q)"], key="gold")
    wanted = get_trees(doc, key="gold")
    if carry == "copy":
        carried = doc.copy()
    elif carry == "pickle":
        carried = pickle.loads(pickle.dumps(doc))
    elif carry == "bytes":
        carried = Doc(Vocab()).from_bytes(doc.to_bytes())
    elif carry == "disk":
        doc.to_disk(tmp_path / "doc")
        carried = Doc(Vocab()).from_disk(tmp_path / "doc")
    else:
        DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
        (carried,) = DocBin().from_disk(tmp_path / "docs.spacy").get_docs(Vocab())
    assert get_trees(carried, key="gold") == wanted


def test_from_docs_keeps_spans_and_loses_attrs():
    vocab = Vocab()
    timed_tree = "(S (A a<0.5,1.25>) (B (B b<1.25,2.0>)))"
    docs = [doc_from_trees(vocab, [timed_tree]), doc_from_trees(vocab, ["(Q q)", "(R r)"])]
    joined = Doc.from_docs(docs)
    assert [str(tree) for tree in get_trees(joined)] == ["(S (A a) (B (B b)))", "(Q q)", "(R r)"]


def test_to_json_keeps_spans():
    doc = doc_from_trees(Vocab(), ["(S (A (B a)) (C c))", "(Q q)"])
    read = Doc(Vocab()).from_json(doc.to_json())
    assert get_trees(read) == get_trees(doc)


@given(st.lists(tree_cases(6, labels=("A", "B-C=1")), max_size=3), st.booleans())
def test_any_trees_come_back(cases, with_times):
    rng = Random(0)
    trees = [
        SegmentTree.from_brackets(timed(rng, c.brackets, 0.5) if with_times else c.brackets) for c in cases
    ]
    doc = doc_from_trees(Vocab(), trees).copy()
    assert get_trees(doc) == trees


def test_deep_trees_come_back():
    deep = "(A " * 5000 + "a" + ")" * 5000
    doc = doc_from_trees(Vocab(), [deep])
    assert get_trees(doc)[0].to_brackets() == deep


def test_group_is_as_documented():
    doc = doc_from_trees(
        Vocab(), ["(S (NP (NP (NN dogs<0.5,1>))) (VP (-NONE- *<1,1>)))", "()", "(UH yes<2,2.5>)"]
    )
    group = doc.spans["constituents"]
    assert [(span.label_, span.start, span.end) for span in group] == [
        ("S", 0, 1),
        ("NP", 0, 1),
        ("NP", 0, 1),
        ("NN", 0, 1),
        ("UH", 1, 2),
    ]
    assert group.attrs == {"times": [[0.5, 1.0], [2.0, 2.5]], "failed": [1]}


@pytest.mark.parametrize(
    "brackets, kept",
    [
        ("(S (NP-SBJ (-NONE- *T*-1)) (VP (VB go) (NP (-NONE- *))))", "(S (VP (VB go)))"),
        ("(TOP (S (NP (-NONE- *))))", "()"),
        ("(TOP)", "()"),
        ("()", "()"),
        ("(S (-NONE- *<0.5,0.5>) (A a<0.5,1.25>) b<2.0,2.5>)", "(S (A a<0.5,1.25>) b<2.0,2.5>)"),
    ],
)
def test_traces_and_roots_of_failed_parses_are_not_stored(brackets, kept):
    doc = doc_from_trees(Vocab(), [brackets, "(Q q)"])
    assert [str(tree) for tree in get_trees(doc.copy())] == [kept, "(Q q)"]


@pytest.mark.parametrize("brackets", ["(S (X) (A a))", "(S (A a (X)))", "(S (A a) (X (Y)))"])
def test_constituents_without_words_are_refused(brackets):
    with pytest.raises(TreeFormatError, match=r"the constituent '[XY]' of 'a' has no words"):
        doc_from_trees(Vocab(), [brackets])


def test_nltk_trees_go_both_ways():
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree.fromstring("(S (NP (DT the) (NN dog)) (VP (VBD barked)))")
    doc = _doc("the", "dog", "barked")
    set_tree(doc, tree)
    assert get_trees(doc)[0].to_nltk() == tree


# ---- words -------------------------------------------------------------------------------------------


def test_doc_from_trees_has_words_of_a_text_and_unknown_spaces():
    doc = doc_from_trees(Vocab(), ["(S (-LRB- -LRB-) (-NONE- *) (NN oil) (-RRB- -RRB-) (. .))"])
    assert [token.text for token in doc] == ["(", "oil", ")", "."]
    assert doc.has_unknown_spaces
    assert str(get_trees(doc)[0]) == "(S (-LRB- -LRB-) (NN oil) (-RRB- -RRB-) (. .))"


def test_doc_from_trees_marks_sentences_if_asked():
    trees = ["(S a b)", "()", "(S c)"]
    assert not doc_from_trees(Vocab(), trees).has_annotation("SENT_START")
    doc = doc_from_trees(Vocab(), trees, sentences=True)
    assert [sent.text for sent in doc.sents] == ["a b", "c"]


def test_words_without_text_become_underscores():
    doc = doc_from_trees(Vocab(), ["(S (A <0.5,1>) (B <1,2>))"])
    assert doc.text.split() == ["_", "_"]
    assert get_trees(doc)[0].times == ((0.5, 1.0), (1.0, 2.0))


def test_white_space_is_no_word():
    doc = Doc(Vocab(), words=["\n", "a", "  ", "b", "\n"], spaces=[False] * 5)
    set_tree(doc, "(S (A a) (B b))")
    assert [(s.label_, s.start, s.end) for s in doc.spans["constituents"]] == [
        ("S", 1, 4),
        ("A", 1, 2),
        ("B", 3, 4),
    ]
    assert str(get_trees(doc.copy())[0]) == "(S (A a) (B b))"


def test_spans_of_white_space_are_nodes_without_words():
    doc = Doc(Vocab(), words=["a", "\n", "b"], spaces=[False] * 3)
    doc.spans["constituents"] = [Span(doc, 0, 2, "S"), Span(doc, 0, 1, "A"), Span(doc, 1, 2, "_SP")]
    assert str(get_trees(doc)[0]) == "(S (A a) (_SP))"
    set_tree(doc[2:3], "(B b)")
    assert [str(tree) for tree in get_trees(doc)] == ["(S (A a) (_SP))", "(B b)"]


def test_words_without_spaces_between_them():
    doc = Doc(Vocab(), words=["ב", "ה", "בית"], spaces=[False] * 3)
    set_tree(doc, "(PP (IN ב) (NP (DEF ה) (NN בית)))")
    copy = doc.copy()
    assert [span.text for span in copy.spans["constituents"]] == ["בהבית", "ב", "הבית", "ה", "בית"]


@pytest.mark.parametrize(
    "word, token",
    [
        pytest.param("-LRB-", "(", id="bracket"),
        pytest.param("f-LRB-x-RRB-", "f(x)", id="brackets inside"),
        pytest.param("``", '"', id="quote"),
        pytest.param("1\\/2", "1/2", id="slash"),
        pytest.param("", "anything", id="no text"),
        pytest.param("שׁ", "\ufb2a", id="presentation form"),
    ],
)
def test_words_may_be_spelled_differently(word, token):
    doc = _doc(token)
    set_tree(doc, SegmentTree.from_spans([("A", 0, 1)], words=[word]))
    assert get_trees(doc)[0].words == (token,)


def test_different_words_are_refused_unless_allowed():
    doc = _doc("the", "dog")
    with pytest.raises(
        TreeMismatchError, match=r"word 1 of the tree is 'cat', and token 1 of 'the dog' is 'dog'"
    ):
        set_tree(doc, "(NP the cat)")
    set_tree(doc, "(NP the cat)", check_words=False)
    assert get_trees(doc)[0].words == ("the", "dog")


def test_different_numbers_of_words_are_refused():
    message = r"the tree has 3 words, and 'the quick brown fox jumps …' has 6 tokens .*doc_from_trees"
    with pytest.raises(TreeMismatchError, match=message):
        set_tree(_doc("the", "quick", "brown", "fox", "jumps", "over"), "(NP a b c)")


@pytest.mark.parametrize("brackets", ["(\ud800 a)", "(A \ud800)"])
def test_surrogates_are_refused(brackets):
    with pytest.raises(TreeFormatError, match="half a surrogate pair"):
        doc_from_trees(Vocab(), [brackets])


# ---- sentences ---------------------------------------------------------------------------------------


def test_set_tree_on_spans_keeps_the_others():
    doc = _doc("a", "b", "c", "d", "e")
    set_tree(doc[3:5], "(T d<3,4> e<4,5>)")
    set_tree(doc[0:2], "(S (-NONE- *) a b)")
    assert [str(tree) for tree in get_trees(doc)] == ["(S a b)", "(T d<3.0,4.0> e<4.0,5.0>)"]
    set_tree(doc[2:3], "()")
    set_tree(doc[0:2], "(U a b)")
    assert [str(tree) for tree in get_trees(doc)] == ["(U a b)", "()", "(T d<3.0,4.0> e<4.0,5.0>)"]
    set_tree(doc[2:3], "(C c)")
    assert [str(tree) for tree in get_trees(doc)] == ["(U a b)", "(C c)", "(T d<3.0,4.0> e<4.0,5.0>)"]
    set_tree(doc[0:5], "(X a b c d e)")
    assert [str(tree) for tree in get_trees(doc)] == ["(X a b c d e)"]


def test_set_tree_on_a_part_of_a_tree_is_refused():
    doc = doc_from_trees(Vocab(), ["(S a b c)"])
    with pytest.raises(
        TreeMismatchError, match=r"a tree has tokens 0–3 of 'a b c', and the span has only tokens 1–3"
    ):
        set_tree(doc[1:3], "(S b c)")


def test_set_trees_one_after_another():
    doc = _doc("a", "b", "c")
    set_trees(doc, ["(S a)", "(S b c)"])
    assert [str(tree) for tree in get_trees(doc)] == ["(S a)", "(S b c)"]


def test_set_trees_by_sentence_though_traces_would_fill_the_gap():
    """Set a tree that has as many words as both sentences if its traces are counted."""
    doc = _doc("a", "b", "c", "d", sent_starts=[True, False, True, False])
    set_trees(doc, ["(S (-NONE- *) a (-NONE- *) b)", "()"])
    assert [str(tree) for tree in get_trees(doc)] == ["(S a b)", "()"]
    assert str(get_tree(doc[2:])) == "()"


def test_set_trees_by_sentence_where_a_parse_failed():
    doc = _doc("a", "b", "c", "d", sent_starts=[True, False, True, True])
    set_trees(doc, ["(S a b)", "(TOP)", "(S d)"])
    assert [str(tree) for tree in get_trees(doc)] == ["(S a b)", "()", "(S d)"]
    assert [str(get_tree(sent)) for sent in doc.sents] == ["(S a b)", "()", "(S d)"]


def test_set_trees_that_do_not_fit_are_refused():
    doc = _doc("a", "b", "c", "d", sent_starts=[True, False, True, False])
    message = "3 trees with 3 words for 'a b c d' with 4 tokens and 2 sentences; give trees for all"
    with pytest.raises(TreeMismatchError, match=message):
        set_trees(doc, ["(S a)", "(S b)", "(S c)"])


def test_get_tree_gives_the_highest_constituent_of_a_span():
    doc = doc_from_trees(Vocab(), ["(Q q)", "(S (NP (NP (-NONE- *) (DT the) (NN dog))) (VP (VBD barked)))"])
    assert str(get_tree(doc[1:4])) == "(S (NP (NP (DT the) (NN dog))) (VP (VBD barked)))"
    assert str(get_tree(doc[1:3])) == "(NP (NP (DT the) (NN dog)))"
    assert str(get_tree(doc[3:4])) == "(VP (VBD barked))"
    assert get_tree(doc[2:4]) is None
    assert get_tree(doc[0:4]) is None


def test_get_tree_keeps_times():
    doc = doc_from_trees(Vocab(), ["(S (A a<0.5,1>) (B b<1,2>))"])
    assert str(get_tree(doc[1:2])) == "(B b<1.0,2.0>)"


def test_doc_without_group_has_no_trees():
    assert get_trees(_doc("a")) == []
    assert get_trees(doc_from_trees(Vocab(), ["(A a)"]), key="other") == []


# ---- groups that others made -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spans, message",
    [
        pytest.param([(0, 2, "A"), (1, 3, "B")], r"'B' 1–3 crosses 'A' 0–2", id="crossing"),
        pytest.param([(1, 3, "B"), (0, 2, "A")], r"'B' 1–3 crosses 'A' 0–2", id="crossing, later one first"),
        pytest.param([(0, 3, "S"), (0, 2, "A"), (1, 3, "B")], ".* crosses", id="crossing inside"),
        pytest.param([(0, 2, "A"), (1, 1, "B")], r"'B' at token 1 has no tokens; set the", id="no token"),
    ],
)
def test_groups_that_are_no_trees_are_refused(spans, message):
    doc = _doc("a", "b", "c")
    doc.spans["x"] = [Span(doc, *span) for span in spans]
    with pytest.raises(TreeFormatError, match=rf"doc.spans\['x'\]: {message}"):
        get_trees(doc, key="x")


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_spans_does_not_matter(seed):
    doc = doc_from_trees(Vocab(), ["(S (NP (DT the) (NN dog)) (VP (V barked)))", "()", "(Q q)"])
    wanted = get_trees(doc)
    spans = list(doc.spans["constituents"])
    chain = [i for i, span in enumerate(spans) if (span.start, span.end) == (2, 3)]
    Random(seed).shuffle(spans)
    in_order = iter(
        sorted((s for s in spans if (s.start, s.end) == (2, 3)), key=lambda s: s.label_, reverse=True)
    )
    assert len(chain) == 2
    spans = [next(in_order) if (s.start, s.end) == (2, 3) else s for s in spans]
    attrs = doc.spans["constituents"].attrs
    doc.spans["constituents"] = SpanGroup(doc, attrs=attrs, spans=spans)
    assert get_trees(doc) == wanted


def test_group_over_tokens_that_are_gone_is_refused():
    doc = doc_from_trees(Vocab(), ["(S (A a) (B b) (C c))"])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    with pytest.raises(TreeFormatError, match="tokens, which have changed; set the trees again"):
        get_trees(doc)


def test_group_over_tokens_that_were_split_is_refused():
    doc = doc_from_trees(Vocab(), ["(S (A ab) (B c) (C d))"])
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[0], ["a", "b"], heads=[doc[0], doc[0]])
    with pytest.raises(TreeFormatError, match="tokens, which have changed; set the trees again"):
        get_trees(doc)


@pytest.mark.parametrize(
    "attrs, message",
    [
        ({"times": [[0, 1], [1, 2]]}, r"attrs\['times'\] must have 3 items, one for each token; set the"),
        ({"times": 7}, r"attrs\['times'\] must have 3 items"),
        ({"times": [[0, 1], [1, 2], [1.5, 1.75]]}, "word 2: .* starts before word 1 ends"),
        ({"times": [[0, 1], [1, 2], 3]}, "word 2: .* is not a pair of numbers"),
        ({"times": [[0, 1], [1, float("nan")], [2, 3]]}, "word 1: .* is not finite"),
        ({"failed": 5}, r"attrs\['failed'\] must be a list of tokens, not 5; set the trees again"),
        ({"failed": [9]}, r"attrs\['failed'\] must be a list of tokens"),
        ({"failed": ["a"]}, r"attrs\['failed'\] must be a list of tokens"),
    ],
)
def test_damaged_attrs_are_refused(attrs, message):
    doc = doc_from_trees(Vocab(), ["(S (A a) (B b) (C c))"])
    doc.spans["constituents"].attrs.update(attrs)
    with pytest.raises(TreeFormatError, match=rf"doc.spans\['constituents'\]: .*{message}"):
        get_trees(doc)


def test_label_that_the_vocab_lacks_is_refused():
    source = doc_from_trees(Vocab(), ["(STRANGE a)"])
    doc = Doc(Vocab(), words=["a"])
    doc.spans["constituents"] = []
    doc.spans["constituents"].from_bytes(source.spans["constituents"].to_bytes())
    with pytest.raises(TreeFormatError, match="StringStore"):
        get_trees(doc)


def test_trees_replaced_by_others_are_read_again():
    doc = doc_from_trees(Vocab(), ["(S (A a))", "(T (B b))"])
    assert [str(tree) for tree in get_trees(doc[:])] == ["(S (A a))", "(T (B b))"]
    group = doc.spans["constituents"]
    for i, label in enumerate("UVWX"):
        group[i] = Span(doc, group[i].start, group[i].end, label)
    assert [str(tree) for tree in get_trees(doc[:])] == ["(U (V a))", "(W (X b))"]


def test_a_token_has_no_tree():
    doc = _doc("abc", "d")
    with pytest.raises(TypeError, match=r"a Doc or a Span, not to a Token; give doc\[i : i \+ 1\]"):
        set_tree(doc[0], "(A abc)")


def test_one_tree_is_no_list():
    with pytest.raises(
        TypeError, match=r"doc_from_trees takes a list of trees and got one str; write \[tree\]"
    ):
        doc_from_trees(Vocab(), "(S (A a))")


def test_hand_made_group_is_read():
    doc = _doc("the", "dog", "barked")
    doc.spans["constituents"] = [Span(doc, 0, 2, "NP"), Span(doc, 0, 1, "DT"), Span(doc, 2, 3, "VP")]
    assert [str(tree) for tree in get_trees(doc)] == ["(NP (DT the) dog)", "(VP barked)"]


# ---- extensions --------------------------------------------------------------------------------------


def test_extensions_are_views():
    doc = _doc("a", "b")
    doc._.trees = ["(S a)", "(T b)"]
    assert [str(tree) for tree in doc._.trees] == ["(S a)", "(T b)"]
    doc[1:2]._.tree = "(U b)"
    assert str(doc[1:2]._.tree) == "(U b)"
    assert [span.label_ for span in doc.spans["constituents"]] == ["S", "U"]


def test_extensions_can_be_added_again():
    add_extensions()
    add_extensions()


def test_extensions_of_other_packages_are_not_replaced():
    done = run_python(
        "from spacy.tokens import Doc, Span\n"
        "from spacy.vocab import Vocab\n"
        "Doc.set_extension('trees', default='theirs')\n"
        "import spacy_structiou\n"
        "doc = spacy_structiou.doc_from_trees(Vocab(), ['(A a)'])\n"
        "print(doc._.trees, doc[0:1]._.tree)\n"
    )
    assert done.stdout == "theirs (A a)\n", done.stderr


# ---- benepar -----------------------------------------------------------------------------------------


@pytest.fixture(name="benepar_extensions")
def _benepar_extensions():
    with benepar_extensions():
        yield


@pytest.mark.usefixtures("benepar_extensions")
def test_benepar_trees_are_read():
    words = ["Go", "!", "\n", "It", "(", "barked", ")"]
    tags = ["VB", ".", "_SP", "PRP", "-LRB-", "VBD", "-RRB-"]
    doc = _doc(*words, tags=tags, sent_starts=[True, False, False, True, False, False, False])
    doc._._constituent_data = BeneparData(
        (0, 3, ("S",)),
        (0, 1, ("VP",)),
        (1, 2, ()),
        (2, 3, ()),
        (3, 7, ("S", "FRAG")),
        (3, 4, ("NP",)),
        (4, 7, ()),
        (4, 5, ()),
        (5, 6, ("S", "VP")),
        (6, 7, ()),
    )
    trees = benepar_trees(doc)
    assert [str(tree) for tree in trees] == [
        "(S (VP (VB Go)) (. !))",
        "(S (FRAG (NP (PRP It)) (-LRB- -LRB-) (S (VP (VBD barked))) (-RRB- -RRB-)))",
    ]
    set_trees(doc, trees)
    assert get_trees(doc) == trees


@pytest.mark.usefixtures("benepar_extensions")
def test_benepar_sentence_without_root_gets_one():
    doc = _doc("a", "b", tags=["A", "B"], sent_starts=[True, False])
    data = BeneparData((0, 2, ()), (0, 1, ("X",)), (1, 2, ("Y",)))
    for doc._._constituent_data in (data, vars(data)):
        assert [str(tree) for tree in benepar_trees(doc)] == ["( (X (A a)) (Y (B b)))"]


@pytest.mark.usefixtures("benepar_extensions")
def test_benepar_has_no_trees_before_it_has_parsed():
    assert benepar_trees(_doc("a", sent_starts=[True])) == []


def test_benepar_has_no_trees_where_it_is_not_used():
    assert benepar_trees(_doc("a", sent_starts=[True])) == []


def test_extensions_of_benepar_itself():
    """Run in another process, as benepar's file adds extensions for good; that file does not need torch."""
    package = find_spec("benepar")
    if package is None:
        pytest.skip("benepar is not installed; its files are enough: pip install --no-deps benepar")
    file = Path(package.origin).with_name("integrations") / "spacy_extensions.py"
    done = run_python(
        "import importlib.util, spacy\n"
        "from spacy.language import Language\n"
        "from spacy.tokens import Doc\n"
        "from spacy.training import Example\n"
        "from spacy_structiou import doc_from_trees\n"
        f"spec = importlib.util.spec_from_file_location('benepar_extensions', {str(file)!r})\n"
        "benepar = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(benepar)\n"
        "nlp = spacy.blank('en')\n"
        "component = nlp.add_pipe('struct_iou')\n"
        "doc = Doc(nlp.vocab, words=['It', 'barked'], tags=['PRP', 'VBD'], sent_starts=[True, False])\n"
        "assert not component(doc).spans\n"
        "labels = [(), ('S',), ('NP',), ('S', 'VP')]\n"
        "data = [0, 0, 1], [2, 1, 2], [1, 2, 3], [0, 2], labels\n"
        "doc._._constituent_data = benepar.ConstituentData(*data)\n"
        "print(*(sent._.parse_string for sent in doc.sents))\n"
        "gold = doc_from_trees(nlp.vocab, ['(S (NP (PRP It)) (S (VP (VBD barked))))'])\n"
        "print(nlp.evaluate([Example(doc, gold)])['struct_iou'], *component(doc)._.trees)\n"
    )
    tree = "(S (NP (PRP It)) (S (VP (VBD barked))))"
    assert done.stdout == f"{tree}\n1.0 {tree}\n", done.stderr


def test_spacy_pipeline_keeps_trees():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    doc = nlp(doc_from_trees(nlp.vocab, ["(S (A a) (B .))", "(S (C c))"]))
    assert [str(sent._.tree) for sent in doc.sents] == ["(S (A a) (B .))", "(S (C c))"]

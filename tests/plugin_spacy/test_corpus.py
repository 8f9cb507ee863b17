"""The corpus reader, through spaCy's registry and `nlp.evaluate`."""

from __future__ import annotations

import gzip
import json

import pytest

from support.examples import examples
from support.paths import DATA

pytest.importorskip("spacy")

import spacy
from hypothesis import given
from spacy.tokens import Doc, DocBin
from spacy.util import registry

from spacy_structiou import get_tree, get_trees, set_tree, set_trees
from spacy_structiou.corpus import TreebankCorpus
from spacy_structiou.store import without_traces
from spacy_structiou.treebank import find_files, unescaped
from structiou_metric import SegmentTree, StructIoU, TreeFormatError, read_trees, struct_iou
from support.strategies import tree_cases

ENGLISH = DATA / "english.reference.mrg"

TRACED = "(S (NP-1 (-LRB- -LRB-) (PRP we)) (VP (VBD were) (VP (VBN seen) (NP (-NONE- *-1)))))"


@pytest.fixture
def nlp():
    return spacy.blank("en")


@pytest.fixture
def corpus(tmp_path):
    """Make the reader as a config does, for a path or for a text, which is written to a file."""

    def make(path=None, text=None, name="trees.txt", **options):
        if text is not None:
            path = tmp_path / name
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        config = {"@readers": "structiou.treebank_corpus.v1", "path": str(path), **options}
        return registry.resolve({"corpus": config})["corpus"]

    return make


def brackets(examples):
    return [[str(tree) for tree in get_trees(example.reference)] for example in examples]


def texts(docs):
    return [[token.text for token in doc] for doc in docs]


# ---- files ---------------------------------------------------------------------------------------


def test_corpus_english_gives_the_trees_of_the_file(nlp, corpus):
    examples = list(corpus(ENGLISH)(nlp))
    trees = read_trees(ENGLISH)
    read = [tree for example in examples for tree in get_trees(example.reference)]
    assert len(read) == len(trees) == 80
    result = StructIoU().corpus_score(read, trees)
    assert result.sentence == result.corpus == 1.0
    assert [tree.labels[-1] for tree in read] == [tree.labels[-1] for tree in trees]
    assert not any(label == "-NONE-" for tree in read for label in tree.labels)


def test_corpus_examples_start_without_trees_from_gold_tokens(nlp, corpus):
    for example in corpus(ENGLISH)(nlp):
        assert example.reference.has_unknown_spaces
        assert texts([example.predicted]) == texts([example.reference])
        assert not example.predicted.spans


def test_corpus_timed_brackets_keep_times(nlp, corpus):
    path = DATA / "speech.reference.txt"
    read = [tree for example in corpus(path)(nlp) for tree in get_trees(example.reference)]
    assert read == read_trees(path)
    assert all(tree.times for tree in read)


def test_corpus_wordless_leaves_become_a_token(nlp, corpus):
    (example,) = corpus(text="(VP (VBP <2.55,2.56>) (NN turn<2.72,3.01>))")(nlp)
    assert texts([example.reference]) == [["_", "turn"]]
    assert get_trees(example.reference)[0].times == ((2.55, 2.56), (2.72, 3.01))


@pytest.mark.parametrize(
    "row",
    [
        pytest.param("(S (A a) (B b))", id="brackets"),
        pytest.param({"tree": "(S (A a) (B b))"}, id="field"),
        pytest.param({"tree": "(S (A a) (B b))", "id": 7}, id="field beside others"),
        pytest.param(
            {"label": "S", "children": [{"label": "A", "word": "a"}, {"label": "B", "word": "b"}]},
            id="nested",
        ),
        pytest.param(
            {"tree": {"label": "S", "children": [{"label": "A", "word": "a"}, {"label": "B", "word": "b"}]}},
            id="nested in a field",
        ),
        pytest.param(
            [
                {"label": "S", "start": 0, "end": 2},
                {"label": "A", "start": 0, "end": 1, "word": "a"},
                {"label": "B", "start": 1, "end": 2, "word": "b"},
            ],
            id="spans",
        ),
        pytest.param(
            {
                "labels": ["S", "A", "B"],
                "starts": [0, 0, 1],
                "ends": [2, 1, 2],
                "parents": [-1, 0, 0],
                "words": [None, "a", "b"],
            },
            id="columns",
        ),
    ],
)
def test_corpus_json_lines_of_each_shape(nlp, corpus, row):
    examples = corpus(text=json.dumps(row) + "\n\n", name="trees.jsonl")(nlp)
    assert brackets(examples) == [["(S (A a) (B b))"]]


def test_corpus_json_lines_with_times(nlp, corpus):
    rows = [
        {"tree": "(S (A a) (B b))", "times": [[0, 1], [1.5, 2]]},
        {"trees": ["(A a)", "(B b)"], "times": [[[0, 1]], [[1.5, 2]]]},
        {"brackets": "(S (A a))", "times": [[3, 4]]},
    ]
    text = "\n".join(map(json.dumps, rows))
    examples = corpus(text=gzip.compress(text.encode()), name="trees.jsonl.gz")(nlp)
    assert brackets(examples) == [
        ["(S (A a<0.0,1.0>) (B b<1.5,2.0>))"],
        ["(A a<0.0,1.0>)", "(B b<1.5,2.0>)"],
        ["(S (A a<3.0,4.0>))"],
    ]


def test_corpus_rows_of_doc_to_json(nlp, corpus):
    trees = ["(S (NP (NN dogs)) (VP (VBP bark)))", "(TOP (S (VP (VB go))))"]
    doc = Doc(nlp.vocab, words=["dogs", "bark", "\n", "go"], spaces=[True, False, False, False])
    set_trees(doc, trees, key="gold")
    text = json.dumps(doc.to_json())
    (example,) = corpus(text=text, name="docs.jsonl", key="gold")(nlp)
    assert [str(tree) for tree in get_trees(example.reference, key="gold")] == trees
    assert example.predicted.text == doc.text
    with (
        pytest.warns(UserWarning, match=r"docs.jsonl: 1 row without spans skipped; the first: .*:1$"),
        pytest.raises(ValueError, match="gives no documents"),
    ):
        list(corpus(text=text, name="docs.jsonl")(nlp))


def _prodigy(text, *spans, **others):
    """Return a row of Prodigy; spans are given by their first and last words."""
    tokens = [
        {"text": token.text, "start": token.idx, "end": token.idx + len(token), "id": token.i, "ws": True}
        for token in spacy.blank("en")(text)
    ]
    rows = [
        {
            "start": tokens[first]["start"],
            "end": tokens[last]["end"],
            "token_start": first,
            "token_end": last,
            "label": label,
        }
        for label, first, last in spans
    ]
    return {"text": text, "tokens": tokens, "spans": rows, "_view_id": "spans_manual", **others}


def test_corpus_rows_of_prodigy(nlp, corpus):
    """Read spans in the order in which they were annotated; some words are in no span."""
    rows = [
        _prodigy("The dog barked.", ("VP", 2, 2), ("NP", 0, 1), ("S", 0, 3), answer="accept"),
        _prodigy("The cat slept.", ("NP", 0, 1), ("VP", 2, 2)),
        _prodigy("Go!", ("S", 0, 1), answer="reject"),
        _prodigy("Go!", answer="accept"),
        _prodigy("Yes. No.", ("INTJ", 0, 1), ("INTJ", 2, 3)),
    ]
    with pytest.warns(UserWarning, match="skipped") as caught:
        examples = list(corpus(text="\n".join(map(json.dumps, rows)), name="p.jsonl")(nlp))
    assert brackets(examples) == [
        ["(S (NP The dog) (VP barked) .)"],
        ["( (NP The cat) (VP slept) .)"],
        ["(INTJ Yes .)", "(INTJ No .)"],
    ]
    assert [example.predicted.text for example in examples] == [
        "The dog barked.",
        "The cat slept.",
        "Yes. No.",
    ]
    messages = [str(warning.message).partition("p.jsonl: ")[2] for warning in caught]
    assert [message.partition("; the first: ")[0] for message in messages] == [
        "1 row that no annotator accepted skipped",
        "1 row without spans skipped",
    ]


def test_corpus_rows_of_prodigy_that_are_no_trees(nlp, corpus):
    crossing = _prodigy("The dog barked.", ("A", 0, 1), ("B", 1, 2))
    with pytest.raises(TreeFormatError, match=r"bad.jsonl:1: .*'B'"):
        list(corpus(text=json.dumps(crossing), name="bad.jsonl")(nlp))
    inside = _prodigy("The dog barked.", ("A", 0, 1))
    inside["spans"][0]["end"] -= 1
    with pytest.raises(
        TreeFormatError, match=r"bad.jsonl:1: the span 'A' over characters 0–6 does not begin"
    ):
        list(corpus(text=json.dumps(inside), name="bad.jsonl")(nlp))
    for spans in ([{"label": "A"}], [7]):
        with pytest.raises(TreeFormatError, match=r"bad.jsonl:1: tokens and spans of this row need start"):
            list(corpus(text=json.dumps({**inside, "spans": spans}), name="bad.jsonl")(nlp))


QUOTED = "(S (`` ``) (VP (VB Go)) ('' '') (NP (PRP he)) (VP (VBD said)) (. .))"


@pytest.mark.parametrize("row", [{"tree": QUOTED, "text": '"Go" he said.'}, {"tree": QUOTED}])
def test_corpus_quotes_of_treebanks_in_characters(nlp, corpus, row):
    """Check that the tokenizer reads quotes of a text and returns the tokens of the reference.

    The prediction has two nodes, S and VP, and the reference has ten.
    """
    nlp.add_pipe("struct_iou", config={"unit": "char"})
    (example,) = corpus(text=json.dumps(row), name="q.jsonl", join_words=True)(nlp)
    words = ['"', "Go", '"', "he", "said", "."]
    assert texts([example.predicted, example.reference]) == [words, words]
    set_tree(example.predicted, SegmentTree.from_spans([("S", 0, 6), ("VP", 1, 2)], words=words))
    assert nlp.evaluate([example])["struct_iou"] == pytest.approx(2 * 2 / (2 + 10))


def test_corpus_json_lines_with_other_fields(nlp, corpus):
    path = DATA / "struct_iou_cases.jsonl"
    examples = list(corpus(path, fields={"tree": "reference", "times": "reference_times"}, limit=3)(nlp))
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:3]]
    for example, row in zip(examples, rows, strict=True):
        (tree,) = get_trees(example.reference)
        assert tree.to_brackets(times=False) == row["reference"]
        assert [list(pair) for pair in tree.times] == row["reference_times"]


def test_corpus_json_lines_with_text_give_known_spaces(nlp, corpus):
    row = {"text": "I can't.", "tree": "(S (PRP I) (MD ca) (RB n't) (. .))"}
    (example,) = corpus(text=json.dumps(row), name="trees.jsonl")(nlp)
    assert not example.reference.has_unknown_spaces
    assert example.reference.text == example.predicted.text == row["text"]


def test_corpus_text_of_other_characters_reaches_the_tokenizer(corpus, tmp_path):
    nlp = spacy.blank("he")
    row = {"text": "הוא בבית", "tree": "(S (PRP הוא) (PP (IN ב) (NP (DEF ה) (NN בית))))"}
    (example,) = corpus(text=json.dumps(row), name="trees.jsonl")(nlp)
    assert texts([example.predicted]) == [["הוא", "בבית"]]
    assert texts([example.reference]) == [["הוא", "ב", "ה", "בית"]]
    assert example.reference.has_unknown_spaces
    assert nlp.evaluate([example])["token_acc"] is None

    DocBin(docs=[example.reference], store_user_data=True).to_disk(tmp_path / "he.spacy")
    (again,) = corpus(tmp_path / "he.spacy")(nlp)
    assert texts([again.predicted]) == [["הוא", "בבית"]]


def test_corpus_docbin_returns_the_trees_that_were_written(nlp, corpus, tmp_path):
    for path in (ENGLISH, DATA / "speech.reference.txt"):
        docs = [example.reference for example in corpus(path)(nlp)]
        DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "trees.spacy")
        read = list(corpus(tmp_path / "trees.spacy")(spacy.blank("en")))
        assert brackets(read) == [[str(tree) for tree in get_trees(doc)] for doc in docs]
        assert all(example.reference.has_unknown_spaces for example in read)


def test_corpus_docbin_keeps_docs_without_trees(nlp, corpus, tmp_path):
    docs = [nlp("a b"), nlp("c"), Doc(nlp.vocab)]
    set_tree(docs[0], "(S (A a) (B b))", key="gold")
    DocBin(docs=docs).to_disk(tmp_path / "trees.spacy")
    examples = list(corpus(tmp_path / "trees.spacy", key="gold")(nlp))
    assert [len(get_trees(example.reference, key="gold")) for example in examples] == [1, 0]


# ---- folders -------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    for name in ("b.mrg", "a/z.mrg", "a/.hidden.mrg", ".git/c.mrg", "notes.md"):
        path = tmp_path / "bank" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"(S (A {path.stem.strip('.')}))\n", encoding="utf-8")
    return tmp_path / "bank"


def test_corpus_folder_is_read_in_sorted_order(nlp, corpus, folder):
    assert brackets(corpus(folder)(nlp)) == [["(S (A z))"], ["(S (A b))"]]


def test_corpus_folder_with_a_pattern(nlp, corpus, folder):
    assert brackets(corpus(folder, pattern="a/*.mrg")(nlp)) == [["(S (A z))"]]
    assert brackets(corpus(folder, pattern="*.md")(nlp)) == [["(S (A notes))"]]


def test_corpus_folder_with_two_kinds_is_refused(nlp, corpus, folder):
    DocBin(docs=[nlp("a")]).to_disk(folder / "b.spacy")
    with pytest.raises(ValueError, match=r"b\.spacy and .*b\.mrg|b\.mrg and .*b\.spacy.*set pattern"):
        list(corpus(folder)(nlp))


def test_corpus_folder_without_treebank_is_refused(nlp, corpus, folder):
    with pytest.raises(FileNotFoundError, match=r"bank: no file in this folder matches the pattern '\*.x'"):
        list(corpus(folder, pattern="*.x")(nlp))
    (folder / "b.mrg").unlink()
    (folder / "a" / "z.mrg").unlink()
    with pytest.raises(FileNotFoundError, match=r"no file in this folder ends in one of \.spacy \.jsonl"):
        list(corpus(folder)(nlp))


def test_find_files_takes_a_file_of_any_name(folder):
    assert find_files(folder / "notes.md") == [folder / "notes.md"]


# ---- tokens --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, words, tree",
    [
        pytest.param(
            {},
            ["(", "we", "were", "seen"],
            "(S (NP-1 (-LRB- -LRB-) (PRP we)) (VP (VBD were) (VP (VBN seen))))",
            id="default",
        ),
        pytest.param({"traces": "token"}, ["(", "we", "were", "seen", "*-1"], TRACED, id="traces as tokens"),
        pytest.param(
            {"unescape": False},
            ["-LRB-", "we", "were", "seen"],
            "(S (NP-1 (-LRB- -LRB-) (PRP we)) (VP (VBD were) (VP (VBN seen))))",
            id="escapes kept",
        ),
    ],
)
def test_corpus_traces_and_escapes(nlp, corpus, options, words, tree):
    examples = list(corpus(text=TRACED, **options)(nlp))
    assert texts(example.reference for example in examples) == [words]
    assert brackets(examples) == [[tree]]


def test_unescaped_undoes_brackets_and_backslashes():
    tree = SegmentTree.from_brackets(r"(X -lsb- f-LRB-x-RRB- 1\/2 \* a\b -LX-)")
    assert unescaped(tree).words == ("[", "f(x)", "1/2", "*", r"a\b", "-LX-")
    assert unescaped(tree).word_positions("char")[1][:2] == tree.word_positions("char")[1][:2]


@examples(60)
@given(tree_cases(8, labels=("A", "B", "-NONE-")))
def test_without_traces_agrees_with_the_metric(case):
    tree = SegmentTree.from_brackets(case.brackets)
    plain = without_traces(tree)
    assert struct_iou(plain, tree, drop=("-NONE-",)) == 1.0
    assert plain.words == spoken_words(tree)
    if plain:
        assert SegmentTree.from_brackets(str(plain)) == plain


def spoken_words(tree):
    """Return the words that are not traces."""
    traces = {
        word
        for i, label in enumerate(tree.labels)
        if label == "-NONE-" and tree.sizes[i] == 1
        for word in range(tree.firsts[i], tree.lasts[i])
    }
    return tuple(word for i, word in enumerate(tree.words) if i not in traces)


def test_corpus_join_words_lets_the_pipeline_tokenize(nlp, corpus):
    text = "(NP (DT a) (JJ well-known) (NN man))"
    (gold,) = corpus(text=text)(nlp)
    (own,) = corpus(text=text, join_words=True)(nlp)
    assert texts([gold.predicted, own.predicted]) == [
        ["a", "well-known", "man"],
        ["a", "well", "-", "known", "man"],
    ]
    assert nlp.evaluate([own])["token_acc"] is None


def test_corpus_gold_preproc_is_one_tree_a_doc_with_gold_tokens(nlp, corpus):
    row = {"text": "I can't. So what?", "trees": ["(S (PRP I) (MD can't) (. .))", "(X (RB So) (WP what?))"]}
    options = {"text": json.dumps(row), "name": "trees.jsonl"}
    (whole,) = corpus(**options)(nlp)
    assert brackets([whole]) == [row["trees"]]
    assert texts([whole.predicted]) == [["I", "ca", "n't", ".", "So", "what", "?"]]

    parts = list(corpus(**options, gold_preproc=True)(nlp))
    assert brackets(parts) == [[tree] for tree in row["trees"]]
    assert texts(part.predicted for part in parts) == [["I", "can't", "."], ["So", "what?"]]


def test_corpus_parts_keep_unknown_spaces_and_times(nlp, corpus):
    row = {"trees": ["(A a)", "(B b)"], "times": [[[0, 1]], [[1.5, 2]]]}
    parts = list(corpus(text=json.dumps(row), name="trees.jsonl", gold_preproc=True)(nlp))
    assert brackets(parts) == [["(A a<0.0,1.0>)"], ["(B b<1.5,2.0>)"]]
    assert all(part.reference.has_unknown_spaces for part in parts)


class Shouting:
    """A tokenizer that changes characters, and whose score aligns tokens."""

    def __init__(self, nlp):
        self.vocab = nlp.vocab
        self.score = spacy.tokenizer.Tokenizer(nlp.vocab).score

    def __call__(self, text):
        return Doc(self.vocab, words=[f"{word}!" for word in text.split()])


def test_corpus_known_text_that_the_tokenizer_changes_does_not_stop_evaluate(nlp, corpus):
    row = {"text": "a b", "tree": "(S (A a) (B b))"}
    nlp.tokenizer = Shouting(nlp)
    nlp.add_pipe("struct_iou", config={"on_error": "zero"})
    examples = list(corpus(text=json.dumps(row), name="trees.jsonl")(nlp))
    assert texts([examples[0].predicted]) == [["a!", "b!"]]
    assert nlp.evaluate(examples)["struct_iou"] == 0.0


# ---- which, and in which order -------------------------------------------------------------------


@pytest.fixture
def ten(corpus):
    """Return the path of ten trees with one to ten words."""
    text = "\n".join(f"(S {' '.join(f'(A w{n})' for _ in range(n))})" for n in range(1, 11))

    def make(**options):
        return corpus(text=text, **options)

    return make


def lengths(examples):
    return [len(example.reference) for example in examples]


@pytest.mark.parametrize(
    "options, want",
    [
        pytest.param({"limit": 3}, [1, 2, 3], id="limit"),
        pytest.param({"offset": 8}, [9, 10], id="offset"),
        pytest.param({"offset": 2, "limit": 2}, [3, 4], id="both"),
        pytest.param({"max_length": 2}, [1, 2], id="max_length"),
        pytest.param({"max_length": 4, "offset": 2, "limit": 4}, [3, 4], id="limit before max_length"),
    ],
)
def test_corpus_selection(nlp, ten, options, want):
    assert lengths(ten(**options)(nlp)) == want


@pytest.mark.parametrize(
    "options, message",
    [
        ({"offset": 20}, r"gives no documents; check the file, and offset \(20\)"),
        ({"offset": 3, "max_length": 2, "limit": 5}, r"limit \(5\) and max_length \(2\)"),
    ],
)
def test_corpus_that_gives_nothing_says_so(nlp, ten, options, message):
    with pytest.raises(ValueError, match=message):
        list(ten(**options)(nlp))


def test_corpus_max_length_cuts_docs_into_trees(nlp, corpus):
    row = {"trees": ["(S (A a) (B b))", "(A a)", "(S (A a) (B b) (C c))"]}
    options = {"text": json.dumps(row), "name": "trees.jsonl"}
    assert lengths(corpus(**options, max_length=6)(nlp)) == [6]
    assert lengths(corpus(**options, max_length=2)(nlp)) == [2, 1]


def test_corpus_shuffle_is_another_order_each_time_and_the_same_in_each_run(nlp, ten):
    first, second = ten(shuffle=True), ten(shuffle=True)
    runs = [[lengths(corpus(nlp)) for _ in range(2)] for corpus in (first, second)]
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]
    assert sorted(runs[0][0]) == list(range(1, 11))
    assert lengths(ten(shuffle=True, seed=1)(nlp)) != runs[0][0]


def test_corpus_augmenter_keeps_trees(nlp, corpus):
    augmenter = {"@augmenters": "spacy.lower_case.v1", "level": 1.0}
    (example,) = corpus(text="(S (NP (NNP Ann)) (VP (VBZ Sings)))", augmenter=augmenter)(nlp)
    assert brackets([example]) == [["(S (NP (NNP ann)) (VP (VBZ sings)))"]]


# ---- scores --------------------------------------------------------------------------------------


def test_corpus_scores_are_those_of_the_core(nlp, corpus):
    nlp.add_pipe("struct_iou", config={"labels": "base"})
    predictions = read_trees(DATA / "english.prediction.txt")
    examples = list(corpus(ENGLISH)(nlp))
    for example, tree in zip(examples, predictions, strict=True):
        set_trees(example.predicted, [tree] if tree else [])
    scores = nlp.evaluate(examples)
    want = StructIoU(labels="base").corpus_score(predictions, read_trees(ENGLISH))
    assert scores["struct_iou"] == want.sentence
    assert scores["struct_iou_corpus"] == want.corpus
    assert scores["struct_iou_per_type"]["NP"]["f"] == pytest.approx(want.by_label["NP"].score)


# ---- faults --------------------------------------------------------------------------------------


def test_corpus_warns_of_trees_without_words(nlp, corpus):
    text = "(S (A a))\n\n(S (NP (-NONE- *)))\n(TOP )\n(S (B b))\n"
    with pytest.warns(UserWarning, match=r"trees\.txt: 3 trees without words skipped; the first: .*txt:2"):
        assert brackets(corpus(text=text)(nlp)) == [["(S (A a))"], ["(S (B b))"]]


@pytest.mark.parametrize(
    "text, name, message",
    [
        pytest.param(
            "(S (A a))\n(S (B b\n", "t.txt", r"t\.txt:2:\d+: this '\(' is never closed", id="unclosed"
        ),
        pytest.param(
            '{"tree": "(S (A a))"}\n{"tree"', "t.jsonl", r"t\.jsonl:2: this line is no JSON", id="json"
        ),
        pytest.param(
            '{"gold": "(A a)", "id": 1}',
            "t.jsonl",
            r"t\.jsonl:1: this row has no 'tree', but 'gold', 'id'; name the field .* fields",
            id="no field",
        ),
        pytest.param(
            '{"tree": "(A a"}', "t.jsonl", r"t\.jsonl:1:1:1: this '\(' is never closed", id="in a row"
        ),
        pytest.param('{"tree": null}', "t.jsonl", r"t\.jsonl:1: the tree is None", id="null"),
        pytest.param('{"trees": "(A a)"}', "t.jsonl", r"t\.jsonl:1: 'trees' must be a list", id="no list"),
        pytest.param(
            '{"trees": ["(A a)"], "times": [[[0, 1]], [[1, 2]]]}',
            "t.jsonl",
            r"t\.jsonl:1: 'times' must have times for each of the trees",
            id="times",
        ),
        pytest.param(
            '{"tree": "(A a)", "text": 3}', "t.jsonl", r"t\.jsonl:1: 'text' must be a text", id="text"
        ),
        pytest.param("[" * 100_000, "t.jsonl", r"t\.jsonl:1: this JSON is nested too deeply", id="deep"),
        pytest.param(b'"(A \xff)"', "t.jsonl", r"t\.jsonl:1: byte 0xff is not UTF-8", id="not UTF-8"),
        pytest.param('"(A \\ud800)"', "t.jsonl", r"t\.jsonl:1: .*surrogate", id="surrogate"),
        pytest.param(
            '{"label": "A", "word": " "}', "t.jsonl", r"t\.jsonl:1: .* 1 word, .* 0 tokens", id="white space"
        ),
        pytest.param(b"no docs", "t.spacy", r"t\.spacy: this is no \.spacy file", id="damaged DocBin"),
    ],
)
def test_corpus_errors_name_file_and_line(nlp, corpus, text, name, message):
    with pytest.raises(TreeFormatError, match=message):
        list(corpus(text=text, name=name)(nlp))


def test_corpus_docbin_without_trees_names_the_keys_there(nlp, corpus, tmp_path):
    doc = nlp("a b")
    path = tmp_path / "trees.spacy"
    DocBin(docs=[doc]).to_disk(path)
    with pytest.raises(TreeFormatError, match=r"none of 1 Doc has trees .* make the file with"):
        list(corpus(path)(nlp))
    set_tree(doc, "(S (A a) (B b))", key="gold")
    DocBin(docs=[doc]).to_disk(path)
    with pytest.raises(TreeFormatError, match=r"in spans\['constituents'\]; set key to one of 'gold'"):
        list(corpus(path)(nlp))


def test_corpus_missing_file(nlp, corpus, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.mrg: there is no such file or folder"):
        list(corpus(tmp_path / "none.mrg")(nlp))


@pytest.mark.parametrize(
    "options, message",
    [
        pytest.param({"path": None}, r"no path of a treebank; did you forget --paths\.train", id="no path"),
        pytest.param({"limit": -1}, "limit must be 0 or more, not -1", id="limit"),
        pytest.param({"traces": "no"}, "unknown traces 'no'; choose from drop, token", id="traces"),
        pytest.param({"layout": "no"}, "unknown layout 'no'; choose from auto, line, free", id="layout"),
        pytest.param({"limit": "many"}, "corpus -> limit", id="type"),
        pytest.param({"colour": 1}, "corpus -> colour", id="unknown option"),
    ],
)
def test_corpus_bad_config(options, message):
    config = {"@readers": "structiou.treebank_corpus.v1", "path": "trees.mrg", **options}
    with pytest.raises(ValueError, match=message):
        registry.resolve({"corpus": config})


def test_corpus_unknown_field_name(nlp, corpus):
    with pytest.raises(ValueError, match="unknown field 'brackets'; choose from tree, trees, times, text"):
        list(corpus(text='"(A a)"', name="trees.jsonl", fields={"brackets": "x"})(nlp))


# ---- treebanks as they are stored --------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(path.name for path in (DATA / "treebanks").iterdir()))
def test_reader_takes_every_format(name, nlp):
    """CESS looks like other brackets, so its format is named."""
    corpus = TreebankCorpus(DATA / "treebanks" / name, format="cess" if name.endswith(".cess") else "auto")
    docs = [[token.text for token in example.reference] for example in corpus(nlp)]
    assert docs == [["the", "dog", "barked", "."], ["we", "read", "books", "(", "two", ")"], ["café", "!"]]


def test_reader_takes_patterns_archives_and_encodings(tmp_path, nlp):
    import zipfile

    text = "(S (N niño))\n"
    (tmp_path / "a.mrg").write_bytes(text.encode("latin-1"))
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.mrg", text.encode("latin-1"))
    for path in (str(tmp_path / "*.mrg"), tmp_path / "x.zip"):
        [example] = TreebankCorpus(path, encoding="latin-1")(nlp)
        assert [token.text for token in example.reference] == ["niño"]


def test_reader_makes_trees_continuous_by_choice(tmp_path, nlp):
    path = tmp_path / "x.dbr"
    path.write_text("(S (VP (V 0=is) (A 2=rich)) (N 1=John))\n")
    with pytest.raises(TreeFormatError, match=r"x\.dbr:1: this tree is discontinuous: its 'VP'"):
        list(TreebankCorpus(path)(nlp))
    [example] = TreebankCorpus(path, discontinuous="raise")(nlp)
    assert str(get_tree(example.reference[:])) == "(S (VP (V is)) (N John) (A rich))"
    with pytest.raises(ValueError, match="unknown format 'word'"):
        TreebankCorpus(path, format="word")

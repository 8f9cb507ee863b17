"""Scores of `datasets` columns, with the real library and a cache of their own."""

from __future__ import annotations

import pickle

import pytest

import structiou_metric
from structiou_metric import SegmentTree, StructIoU, TreeFormatError
from structiou_metric.hf_datasets import SHAPES, ColumnConverter, RowScorer
from structiou_metric.metrics import METRICS, load_metric
from support.extras import need
from support.hub import datasets_with_cache

need("datasets")

# Its worker processes are forked, of which newer Pythons warn.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")

TIMED = [
    "(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))",
    "(S (A (B c<0.5,1.25>)) d<1.5,2.0> (E e<2.0,2.5>))",
]
PREDICTIONS = ["(S (A a))", "(S (X (A a) (C b)))", "()"]
REFERENCES = ["(S (A a))", "(S (A a) (B b))", "(S (A a) (B b))"]
SCORES = [1.0, 4 / 7, 0.0]


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    """Imports the library for all tests, and keeps what `map` writes in a folder of its own."""
    global datasets
    with datasets_with_cache(tmp_path_factory.mktemp("cache")) as datasets:
        yield


def dataset_of(**columns):
    return datasets.Dataset.from_dict(columns)


@pytest.fixture
def pairs():
    return dataset_of(id=[0, 1, 2], pred=PREDICTIONS, ref=REFERENCES)


def test_score_dataset(pairs):
    result = StructIoU().score_dataset(pairs, "pred", "ref")
    want = StructIoU().corpus_score(PREDICTIONS, REFERENCES)
    assert result.as_dict(by_label=True, per_sentence=True) == want.as_dict(by_label=True, per_sentence=True)
    assert result.sentences.scores() == pytest.approx(SCORES)


def test_score_dataset_selected_filtered_shuffled(pairs):
    score = StructIoU().score_dataset

    def scores(dataset):
        return score(dataset, "pred", "ref").sentences.scores()

    assert scores(pairs.select([2, 0])) == pytest.approx([0.0, 1.0])
    assert scores(pairs.filter(lambda row: row["id"] != 0)) == pytest.approx(SCORES[1:])
    shuffled = pairs.shuffle(seed=3)
    assert scores(shuffled) == pytest.approx([SCORES[i] for i in shuffled["id"]])
    assert shuffled["id"] != [0, 1, 2]


def test_score_dataset_in_many_pieces():
    n = 2600
    dataset = dataset_of(pred=(PREDICTIONS * n)[:n], ref=(REFERENCES * n)[:n])
    want = StructIoU().corpus_score(dataset["pred"], dataset["ref"])
    for result in (
        StructIoU().score_dataset(dataset, "pred", "ref"),
        StructIoU().score_dataset(dataset, "pred", "ref", workers=3),
        StructIoU().score_dataset(dataset.to_iterable_dataset(), "pred", "ref", by_label=True),
        StructIoU().score_dataset(dataset, "pred", "ref", by_label=True, workers=2),
    ):
        assert result.sentences.scores() == want.sentences.scores()
        assert (result.score, result.corpus) == (want.score, want.corpus)
        assert result.by_label.keys() == want.by_label.keys()
        for label, tally in result.by_label.items():
            assert tally == pytest.approx(want.by_label[label])


def test_score_dataset_splits(pairs):
    splits = datasets.DatasetDict(train=pairs, test=pairs.select([0]))
    results, scored = StructIoU().score_dataset(splits, "pred", "ref", add_column="score")
    assert {name: result.score for name, result in results.items()} == {
        "train": pytest.approx(sum(SCORES) / 3),
        "test": 1.0,
    }
    assert isinstance(scored, datasets.DatasetDict)
    assert scored["test"]["score"] == [1.0]
    assert list(StructIoU().score_dataset(splits, "pred", "ref")) == ["train", "test"]


def test_score_dataset_adds_a_column(pairs):
    shuffled = pairs.shuffle(seed=3)
    result, scored = StructIoU().score_dataset(shuffled, "pred", "ref", add_column="struct_iou")
    assert scored.column_names == ["id", "pred", "ref", "struct_iou"]
    assert scored.features["struct_iou"] == datasets.Value("float64")
    assert scored["struct_iou"] == pytest.approx([SCORES[i] for i in shuffled["id"]])
    assert result.sentences.scores() == scored["struct_iou"]


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("on_error, want", [("skip", None), ("zero", 0.0)])
def test_score_dataset_column_of_rows_that_cannot_be_compared(on_error, want, streams):
    dataset = dataset_of(pred=["(A a", "(A a)", None, "(A a b)"], ref=["(A a)"] * 4)
    given_dataset = dataset.to_iterable_dataset() if streams else dataset
    metric = StructIoU(on_error=on_error)
    result, scored = metric.score_dataset(given_dataset, "pred", "ref", add_column="score", by_label=True)
    assert [row["score"] for row in scored] == [want, 1.0, want, want]
    assert [row for row, _ in result.problems] == [0, 2, 3]
    assert result.problems[0][1].startswith("dataset['pred'][0]:1:1: ")
    assert result.problems[1][1].startswith("dataset['pred'][2]: the tree is None")
    assert result.problems[2][1].startswith("dataset['pred'][3] has 2 words and dataset['ref'][3] has 1 word")
    assert result.by_label["A"].n_ref == (1 if on_error == "skip" else 4)


def test_score_dataset_stream_without_known_columns(pairs):
    stream = datasets.IterableDataset.from_generator(lambda: iter(pairs))
    assert stream.column_names is None
    result, scored = StructIoU().score_dataset(stream, "pred", "ref", add_column="score")
    assert result.sentences.scores() == pytest.approx(SCORES)
    assert [row["score"] for row in scored] == pytest.approx(SCORES)
    with pytest.raises(ValueError, match=r"^dataset has no column 'gold'; its columns: 'id', 'pred', 'ref'$"):
        StructIoU().score_dataset(stream, "pred", "gold")


@pytest.mark.parametrize("to", SHAPES)
def test_score_dataset_of_every_shape(to):
    dataset = dataset_of(pred=TIMED, ref=TIMED[::-1])
    metric = StructIoU(unit="time")
    want = metric.score_dataset(dataset, "pred", "ref")
    for column in ("pred", "ref"):
        dataset = ColumnConverter(column, to=to, unit="time").apply(dataset)
    assert metric.score_dataset(dataset, "pred", "ref").sentences.scores() == want.sentences.scores()


def test_score_dataset_of_several_columns():
    dataset = dataset_of(tree=["(S (A a) (B b))"], gold=[[[0, 1], [1, 2.0]]], heard=[[[0, 1.5], [1.5, 2]]])
    result = StructIoU(unit="time").score_dataset(
        dataset, {"brackets": "tree", "times": "heard"}, {"brackets": "tree", "times": "gold"}
    )
    assert result.score == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)  # S, A and B, each with its like


def test_score_dataset_formats_and_transforms(pairs):
    for formatted in (pairs.with_format("numpy"), pairs.with_format("arrow"), pairs.with_format("pandas")):
        result = StructIoU().score_dataset(formatted, "pred", "ref")
        assert result.sentences.scores() == pytest.approx(SCORES)

    def same(batch):
        return {
            "pred": [f"(S (A a){'' if i else ' x'})" for i in batch["id"]],
            "ref": ["(S (A a))"] * len(batch["id"]),
        }

    result = StructIoU(on_error="zero").score_dataset(pairs.with_transform(same), "pred", "ref")
    assert result.sentences.scores() == [0.0, 1.0, 1.0]


VALUES = {"struct_iou": SCORES, "parseval": [1.0, 2 / 3, None]}  # ParsEval skips empty parses


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("on_error", ["raise", "zero", "skip"])
def test_score_dataset_by_any_metric(pairs, name, on_error):
    metric = load_metric(name, on_error=on_error)
    want = metric.corpus_score(PREDICTIONS, REFERENCES)
    for dataset in (pairs, pairs.to_iterable_dataset()):
        result, scored = metric.score_dataset(dataset, "pred", "ref", add_column="value")
        assert result.figures == want.figures
        assert [row["value"] for row in scored] == want.values(metric.headline)
    scored = pairs.map(RowScorer(metric, "pred", "ref"), batched=True, num_proc=2)
    assert scored[name] == want.values(metric.headline)
    if name in VALUES:
        assert scored[name] == pytest.approx(VALUES[name])


@pytest.mark.parametrize("name", METRICS)
def test_row_scorer_is_cached_by_what_it_does(name):
    """The same settings have the same fingerprint; others another."""
    scorers = [RowScorer(load_metric(name), "pred", "ref", column=column) for column in ("", name, "other")]
    scorers.append(pickle.loads(pickle.dumps(scorers[0])))
    hashes = list(map(datasets.fingerprint.Hasher.hash, scorers))
    assert hashes[0] == hashes[1] == hashes[3] != hashes[2]


@pytest.mark.parametrize("num_proc", [None, 2])
def test_row_scorer_in_map(pairs, num_proc):
    scored = pairs.map(RowScorer(StructIoU(), "pred", "ref"), batched=True, num_proc=num_proc)
    assert scored["struct_iou"] == pytest.approx(SCORES)
    broken = pairs.add_item({"id": 3, "pred": "(A a", "ref": "(A a)"})
    scorer = RowScorer(StructIoU(), "pred", "ref", column="x")
    with pytest.raises(TreeFormatError, match=r"^batch\['pred'\]\[\d\]:1:1: "):
        broken.map(scorer, batched=True, num_proc=num_proc)
    with pytest.raises(TreeFormatError, match=r"^dataset\['pred'\]\[3\]:1:1: "):
        broken.map(scorer, batched=True, with_indices=True, num_proc=num_proc)


def test_row_scorer_skips_whole_batches():
    scorer = RowScorer(StructIoU(on_error="skip"), "pred", "ref")
    assert scorer({"pred": ["(A", None], "ref": ["(A a)", "(A a)"]}) == {"struct_iou": [None, None]}


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        pytest.param(
            {"prediction_column": "x"},
            ValueError,
            "^dataset has no column 'x'; its columns: 'id', 'pred', 'ref'$",
        ),
        pytest.param(
            {"reference_column": "x"}, ValueError, "^dataset has no column 'x'; its columns: 'id', "
        ),
        pytest.param(
            {"prediction_column": {"times": "pred"}}, ValueError, "^columns for 'times' do not make a tree; "
        ),
        pytest.param(
            {"add_column": "id"},
            ValueError,
            "^dataset already has a column 'id'; choose another name for add_col",
        ),
        pytest.param({"workers": 0}, ValueError, "^workers must be at least 1, or 'auto', not 0$"),
        pytest.param(
            {"dataset": ["(A a)"]}, TypeError, "^dataset is a list; give a Dataset, an .*corpus_score for"
        ),
        pytest.param(
            {"dataset": {"a": 1}}, TypeError, r"^dataset\['a'\] is a int; give a Dataset, an Iterable"
        ),
    ],
)
def test_score_dataset_bad_arguments(pairs, arguments, error, message):
    with pytest.raises(error, match=message):
        StructIoU().score_dataset(
            **{"dataset": pairs, "prediction_column": "pred", "reference_column": "ref", **arguments}
        )


def test_score_dataset_errors_name_split_column_and_row(pairs):
    bad = pairs.add_item({"id": 3, "pred": "(S (A a)", "ref": "(S (A a))"})
    with pytest.raises(TreeFormatError, match=r"^dataset\['pred'\]\[3\]:1:1: this '\(' is never closed"):
        StructIoU().score_dataset(bad, "pred", "ref")
    splits = datasets.DatasetDict(train=pairs, test=bad)
    with pytest.raises(TreeFormatError, match=r"^dataset\['test'\]\['pred'\]\[3\]:1:1: this '\(' is never"):
        StructIoU().score_dataset(splits, "pred", "ref")
    missing = datasets.DatasetDict(train=pairs, test=pairs.remove_columns("ref"))
    with pytest.raises(
        ValueError, match=r"^dataset\['test'\] has no column 'ref'; its columns: 'id', 'pred'$"
    ):
        StructIoU().score_dataset(missing, "pred", "ref")
    with pytest.raises(ValueError, match=r"^dataset has no rows to score$"):
        StructIoU().score_dataset(pairs.select([]), "pred", "ref")
    with pytest.raises(ValueError, match=r"^there are no trees to score$"):
        StructIoU().score_dataset(pairs.to_iterable_dataset().take(0), "pred", "ref")


# ---- documents -------------------------------------------------------------------------------------

TALK_PREDICTIONS = [["(S (A a))", "(S (B b) (A c))"], ["(S (B d))"], ["(S (A a))"]]
TALK_REFERENCES = [["(S (A a) (B b))", "(S (A c))"], ["(S (B d))"], ["(T (A a))"]]
TALK_SCORES = [0.6, 1.0, 0.5]  # by hand: three leaves of 5 and 5 nodes; all; A of 2 and 2


def talks():
    return dataset_of(pred=TALK_PREDICTIONS, ref=TALK_REFERENCES)


def test_rows_may_be_documents():
    result, scored = StructIoU().score_dataset(talks(), "pred", "ref", documents=True, add_column="score")
    assert result.sentences.scores() == pytest.approx(TALK_SCORES)
    assert (result.as_dict()["n_sentences_pred"], result.as_dict()["n_sentences_ref"]) == (4, 4)
    assert scored["score"][:] == pytest.approx(TALK_SCORES)
    streamed, rows = StructIoU().score_dataset(
        talks().to_iterable_dataset(), "pred", "ref", documents=True, add_column="score"
    )
    assert streamed.columns == result.columns
    assert [row["score"] for row in rows] == pytest.approx(TALK_SCORES)
    scorer = RowScorer(StructIoU(), "pred", "ref", documents=True)
    assert talks().map(scorer, batched=True, batch_size=2)["struct_iou"][:] == pytest.approx(TALK_SCORES)


def test_documents_over_several_columns():
    converter = ColumnConverter(
        "tree", {"brackets": "text", "times": "times"}, to="brackets_times", documents=True
    )
    dataset = converter.apply(dataset_of(tree=[TIMED, TIMED[:1]]))
    assert dataset["times"][1] == [[[2.56, 2.72], [2.72, 3.01]]]
    assert dataset.features["text"] == datasets.List(datasets.Value("string"))
    source = {"brackets": "text", "times": "times"}
    back = ColumnConverter(source, "tree", to="brackets", documents=True).apply(dataset)
    assert back["tree"][:] == [TIMED, TIMED[:1]]
    one = dataset.select([1])
    assert StructIoU(unit="time").score_dataset(one, source, source, documents=True).score == 1.0
    wrong = dataset_of(text=[["(S a)", "(S b)"]], times=[[[[0.0, 1.0]]]])
    with pytest.raises(ValueError, match="as many trees in each column, not 2 in 'text', 1 in 'times'"):
        StructIoU(unit="time").score_dataset(wrong, source, source, documents=True)


@pytest.mark.parametrize("rows_at_once", [1, 2, 3, 1024])
@pytest.mark.parametrize("streams", [False, True])
def test_a_column_tells_documents_apart(monkeypatch, rows_at_once, streams):
    """Also where documents go over the ends of what is read at once."""
    monkeypatch.setattr("structiou_metric.hf_datasets._ROWS", rows_at_once)
    dataset = dataset_of(
        talk=["x", "x", "y", "x"],
        pred=[tree for document in TALK_PREDICTIONS for tree in document],
        ref=[tree for document in TALK_REFERENCES for tree in document],
    )
    if streams:
        dataset = dataset.to_iterable_dataset()
    result = StructIoU().score_dataset(dataset, "pred", "ref", document_column="talk", by_label=streams)
    assert result.sentences.scores() == pytest.approx(TALK_SCORES)
    assert list(result.rows) == [0, 1, 2]
    assert list(result.columns["n_sentences_ref"]) == [2, 1, 1]
    assert result.by_label["A"].n_ref == 3


def test_what_does_not_fit_documents_is_told(pairs):
    score = StructIoU().score_dataset
    with pytest.raises(ValueError, match="both say what documents are"):
        score(pairs, "pred", "ref", documents=True, document_column="id")
    with pytest.raises(ValueError, match="add_column cannot hold it"):
        score(pairs, "pred", "ref", document_column="id", add_column="score")
    with pytest.raises(ValueError, match="dataset has no column 'talk'"):
        score(pairs, "pred", "ref", document_column="talk")
    with pytest.raises(TypeError, match="is one str; with documents every row is a list of trees"):
        score(pairs, "pred", "ref", documents=True)
    broken = dataset_of(id=[1, 1], pred=["(S (A a))", "(S"], ref=["(S (A a))"] * 2)
    with pytest.raises(TreeFormatError, match=r"dataset\['pred'\]\[1\]"):
        score(broken, "pred", "ref", document_column="id")


# ---- formats of a dataset, and columns that other libraries read

FORMATS = ["arrow", "polars", "pandas", "numpy"]
TREES = [SegmentTree.from_brackets(text) for text in REFERENCES]


@pytest.fixture(params=FORMATS)
def formatted(request):
    """Trees of all shapes in a dataset with a format, beside columns that must stay as they are."""
    if request.param == "polars":
        pytest.importorskip("polars")
    dataset = dataset_of(
        id=[0, 1, 2],
        pred=PREDICTIONS,
        text=REFERENCES,
        spans=[tree.to_spans() for tree in TREES],
        columns=[tree.to_columns() for tree in TREES],
        several=[["(T x)", REFERENCES[0]], REFERENCES[1:2], REFERENCES[2:]],
        note=["a", None, "c"],
    )
    return dataset.with_format(request.param)


@pytest.mark.parametrize("shape", ["text", "spans", "columns", "several"])
def test_row_scorer_in_a_format(formatted, shape):
    scored = formatted.map(RowScorer(StructIoU(), "pred", shape, column="score"), batched=True, batch_size=2)
    assert scored.column_names == [*formatted.column_names, "score"]
    assert scored.format["type"] == formatted.format["type"]
    scored, plain = scored.with_format(None), formatted.with_format(None)
    assert scored["score"] == pytest.approx(SCORES)
    assert scored["note"] == plain["note"]
    assert scored["spans"] == plain["spans"]
    again = formatted.map(RowScorer(StructIoU(), "pred", shape, column="id"), batched=True, with_indices=True)
    assert again.with_format(None)["id"] == pytest.approx(SCORES)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("source", ["text", "spans", "columns"])
@pytest.mark.parametrize("how", ["map", "apply"])
def test_converter_in_a_format(formatted, source, shape, how):
    if shape == "brackets_times":
        formatted = formatted.map(lambda _: {"text": [TIMED[0]] * 3}, batched=True)
        source = "text"
    converter = ColumnConverter(source, "new", to=shape)
    new = converter.apply(formatted) if how == "apply" else formatted.map(converter, batched=True)
    assert set(new.column_names) == {*formatted.column_names, "new"}
    want = converter.apply(formatted.with_format(None))
    assert new.with_format(None)["new"] == want["new"]
    assert new.format["type"] == formatted.format["type"]
    if how == "apply":
        assert new.features == want.features


def test_converter_of_a_stream_in_a_format():
    stream = dataset_of(pred=PREDICTIONS, ref=REFERENCES).to_iterable_dataset().with_format("arrow")
    spans = ColumnConverter("ref", to="spans").apply(stream)
    assert [row["ref"] for row in spans.with_format(None)] == [tree.to_spans() for tree in TREES]
    result, scored = StructIoU().score_dataset(stream, "pred", "ref", add_column="score")
    assert [row["score"] for row in scored.with_format(None)] == pytest.approx(SCORES)
    assert result.sentences.scores() == pytest.approx(SCORES)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("shape", ["text", "spans", "columns", "several", "times"])
def test_columns_that_other_libraries_read(library, shape, tmp_path):
    """Cells are arrays and series of them, which are taken like lists."""
    reader = pytest.importorskip(library)
    tree = SegmentTree.from_brackets(TIMED[0])
    rows = {
        "text": TIMED[0],
        "spans": tree.to_spans(),
        "columns": tree.to_columns(),
        "several": ["(NP <0,1>)", TIMED[0]],
        "times": {"brackets": tree.to_brackets(times=False), "times": [list(pair) for pair in tree.times]},
    }
    dataset_of(pred=[TIMED[0]] * 2, ref=[rows[shape]] * 2).to_parquet(tmp_path / "trees.parquet")
    table = reader.read_parquet(tmp_path / "trees.parquet")
    metric = StructIoU(unit="time")
    assert metric.corpus_score(table["pred"], table["ref"]).score == 1.0
    assert metric.corpus_score(list(table["pred"]), list(table["ref"])).score == 1.0
    assert evaluate_door(table["pred"], table["ref"], unit="time")["struct_iou"] == 1.0
    if shape == "several":
        documents = metric.corpus_score(table["ref"], table["ref"], documents=True)
        assert documents.as_dict()["n_sentences_ref"] == 4


def evaluate_door(predictions, references, **options):
    evaluate = pytest.importorskip("evaluate")
    metric = evaluate.load(structiou_metric.metric_path(), keep_in_memory=True)
    return metric.compute(predictions=predictions, references=references, **options)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "datasets"])
def test_a_table_instead_of_a_column(library):
    columns = {"p": PREDICTIONS, "q": REFERENCES}
    if library == "pyarrow":
        table = pytest.importorskip(library).table(columns)
    elif library == "datasets":
        table = dataset_of(**columns)
    else:
        table = pytest.importorskip(library).DataFrame(columns)
    with pytest.raises(TypeError) as caught:
        StructIoU().corpus_score(REFERENCES, table)
    assert str(caught.value).startswith("references must be a list of trees, not a ")
    assert str(caught.value).endswith(" with 2 columns; give one of them, such as references=…['p']")


# ---- several references

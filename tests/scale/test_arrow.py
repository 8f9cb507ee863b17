"""Columns of Arrow: every kind of text, from every library, gives what lists give."""

from __future__ import annotations

import gc
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU
from structiou_metric.errors import TreeFormatError, TreeMismatchError
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.sources.arrow import arrow_rows
from support.examples import examples
from support.extras import need

need("pyarrow")

TREES = [
    "(S (A a) (B b))",
    "(S (NP (A é) (B bb)) (C c))",
    "()",
    "(S (A a)",
    None,
    '{"label": "S", "children": [{"label": "A", "word": "a"}, {"label": "B", "word": "b"}]}',
    "(S (A 日本) (X (B ))) ",
    "",
]


@pytest.fixture(scope="module")
def pa():
    import pyarrow

    return pyarrow


def columns(pa, values):
    """The same texts in every kind of column."""
    plain = pa.array(values, pa.string())
    padded = pa.array(["(X junk)", *values, None], pa.string())
    dictionary = plain.dictionary_encode()
    return {
        "string": plain,
        "large_string": plain.cast(pa.large_string()),
        "string_view": plain.cast(pa.string_view()),
        "dictionary": dictionary,
        "sliced": padded.slice(1, len(values)),
        "sliced large": padded.cast(pa.large_string()).slice(1, len(values)),
        "sliced dictionary": padded.dictionary_encode().slice(1, len(values)),
        "chunked": pa.chunked_array([plain.slice(0, 3), plain.slice(3, 0), plain.slice(3)], pa.string()),
    }


KINDS = [
    "string",
    "large_string",
    "string_view",
    "dictionary",
    "sliced",
    "sliced large",
    "sliced dictionary",
    "chunked",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", ["word", "char"])
@given(pairs=st.lists(st.tuples(st.sampled_from(TREES), st.sampled_from(TREES)), min_size=1, max_size=12))
@examples(12)
def test_columns_are_lists(kind, unit, pairs):
    import pyarrow

    metric = StructIoU(unit=unit, on_error="zero")
    predictions, references = map(list, zip(*pairs, strict=True))
    want = metric.corpus_score(predictions, references, by_label=True)
    sides = [columns(pyarrow, values)[kind] for values in (predictions, references)]
    titles = ("predictions", "references")
    rows = [arrow_rows(side, title) for side, title in zip(sides, titles, strict=True)]
    found = metric.corpus_score(*rows, by_label=True)
    assert found.as_dict(by_label=True, per_sentence=True) == want.as_dict(by_label=True, per_sentence=True)
    assert [rows[0].name(row) for row in range(len(pairs))] == [
        f"predictions[{i}]" for i in range(len(pairs))
    ]


def test_partitions_of_spark_are_grouped_and_named_without_spark(pa):
    """Spark calls a function with batches of Arrow, one partition after another."""
    from structiou_metric.scale import spark

    columns = {
        "guess": ["(S (A a) (B b))", "(S (A a)", "()", "(S (A a) (B b))"],
        "gold": ["(S (A a) (B b))"] * 4,
        "system": ["x", "y", "y", "x"],
        "name": ["one", "two", "three", "four"],
    }
    table = pa.table(columns)
    metric = StructIoU(on_error="zero")
    count = spark.score_partitions("guess", "gold", metric, group_by="system", id_column="name")
    partitions = [table.slice(0, 3).to_batches(max_chunksize=2), table.slice(3).to_batches()]
    rows = [row for batches in partitions for batch in count(iter(batches)) for row in batch.to_pylist()]
    assert len(rows) == 2
    found = spark.merge(rows)
    assert found.as_dict()["struct_iou"] == 0.5
    assert {key: group.result().sentence for key, group in found.by_group.items()} == {"x": 1.0, "y": 0.0}
    [(_, message)] = found.problems
    assert "two" in message
    alone = spark.merge(
        [
            row
            for batch in spark.score_partitions("guess", "gold", metric)(iter(partitions[1]))
            for row in batch.to_pylist()
        ]
    )
    assert (alone.sentence, alone.by_group) == (1.0, {})


def test_one_row_is_a_tree(pa):
    rows = arrow_rows(pa.chunked_array([["(A a)"], ["(B b)", None]]), "column")
    assert [rows.tree(row, None) for row in (0, 1)] == [
        SegmentTree.from_brackets("(A a)"),
        SegmentTree.from_brackets("(B b)"),
    ]
    with pytest.raises(TreeFormatError, match=r"column\[2\]: the tree is None"):
        rows.tree(2, None)


@pytest.mark.parametrize("kind", ["string", "dictionary"])
def test_long_trees_are_told_from_short_ones(pa, kind):
    long = "(S " + " ".join(f"(A w{i})" for i in range(400)) + ")"
    values = ["(A a)", long, None, long] + ["(B b)"] * 5000 + [long + " "]
    column = pa.array(values) if kind == "string" else pa.array(values).dictionary_encode()
    rows = arrow_rows(column, "column")
    assert rows.longest(1, 2) == len(long)
    assert rows.longest(0, 1) == len("(A a)")
    assert rows.longest(0, 5000) == len(long)
    assert rows.longest(0, len(values)) == len(long) + 1
    assert StructIoU(on_error="skip").corpus_score(rows, rows).corpus == 1.0


@pytest.mark.parametrize("library", ["polars", "pandas", "polars frame"])
def test_columns_of_other_libraries(library):
    from structiou_metric.scale import score_arrow

    need_library = library.partition(" ")[0]
    module = pytest.importorskip(need_library)
    values = ["(S (A a))", None, "(S (A a) (B b))"]
    if library == "pandas":
        column = module.Series(values, dtype="string[pyarrow]")
    elif library == "polars":
        column = module.Series(values)
    else:
        column = module.DataFrame({"tree": values})["tree"]
    found = score_arrow(column, ["(S (A a))", "(S (A a))", "(S (A a) (C b))"])
    assert found.column("score").to_pylist() == [1.0, 0.0, 2 * 2 / 6]  # two of three nodes on either side


def test_nested_columns(pa):
    from structiou_metric.scale import score_arrow

    spans = [
        {"label": "S", "start": 0, "end": 2},
        {"label": "A", "start": 0, "end": 1},
        {"label": "B", "start": 1, "end": 2},
    ]
    found = score_arrow(pa.array([spans, spans]), pa.array(["(S (A a) (B b))", "(S (A a) (C b))"]))
    assert found.column("score").to_pylist() == [1.0, 2 * 2 / 6]


def test_rows_of_figures(pa):
    from structiou_metric.scale import score_arrow

    found = score_arrow(
        pa.array(["(S (A a) (B b))", "(S", None, "()"]), pa.array(["(S (A a) (C b))"] * 4), ids=[7, 8, 9, 10]
    )
    assert found.schema.names == [
        "id", "score", "matched", "n_pred", "n_ref", "n_lengthless", "status", "message",
    ]  # fmt: skip
    assert found.column("id").to_pylist() == [7, 8, 9, 10]
    assert found.column("score").to_pylist() == [2 * 2 / 6, 0.0, 0.0, 0.0]
    assert found.column("matched").to_pylist() == [2.0, 0.0, 0.0, 0.0]
    assert found.column("n_ref").to_pylist() == [3, 3, 3, 3]
    assert found.column("status").to_pylist() == ["valid", "zeroed", "zeroed", "empty"]
    first, second, third, fourth = found.column("message").to_pylist()
    assert first is fourth is None
    assert second.startswith("predictions[8]:1:1: this '(' is never closed")
    assert third == "predictions[9]: the tree is None; give '()' for a failed parse"


@pytest.mark.parametrize("name", METRICS)
def test_rows_of_every_metric(pa, name):
    from structiou_metric.scale import score_arrow

    metric = load_metric(name)
    if metric.pairs_itself:
        with pytest.raises(ValueError, match="cannot be computed in parts"):
            score_arrow(pa.array(["(A a)"]), pa.array(["(A a)"]), metric)
        return
    values = pa.array(["(S (A a) (B b))", "(S (X (A a)) (B b))"])
    found = score_arrow(values, values, metric)
    result = metric.corpus_score(values.to_pylist(), values.to_pylist())
    assert found.column("score").to_pylist() == result.values(metric.headline)
    for column, numbers in result.columns.items():
        assert found.column(column).to_pylist() == list(numbers)
    empty = score_arrow(values.slice(0, 0), values.slice(0, 0), metric)
    assert len(empty) == 0
    assert empty.schema == found.schema


def test_faults_are_told(pa):
    from structiou_metric.scale import score_arrow, tally_arrow

    trees = pa.array(["(A a)", "(A a)"])
    with pytest.raises(TypeError, match="predictions is a column of int64; trees are texts"):
        score_arrow(pa.array([1, 2]), trees)
    with pytest.raises(TypeError, match="predictions: a int is no column of Arrow"):
        score_arrow(3, trees)
    with pytest.raises(TreeMismatchError, match="predictions: 1 tree, references: 2 trees"):
        score_arrow(trees.slice(1), trees)
    with pytest.raises(ValueError, match="ids has 1 rows, predictions has 2; give one for each"):
        score_arrow(trees, trees, ids=["a"])
    with pytest.raises(TreeFormatError, match=r"references\['b'\]: the tree is None"):
        score_arrow(trees, pa.array(["(A a)", None]), StructIoU(), ids=["a", "b"])
    with pytest.raises(TreeFormatError, match=r"predictions\[101\]:1:1: this '\(' is never closed"):
        tally_arrow(pa.array(["(A a)", "(A a"]), trees, StructIoU(), first=100)
    assert len(tally_arrow(trees.slice(0, 0), trees.slice(0, 0))) == 0


def test_no_text_becomes_an_object(pa):
    """Of 16 MB of text, less than a tenth is ever held as objects of Python."""
    from structiou_metric.scale import score_arrow

    texts = [f"(S (A {'a' * 80_000}) (B b))" for _ in range(100)]
    predictions, references = pa.array(texts), pa.array([text.replace("(B", "(C") for text in texts])
    del texts
    gc.collect()
    tracemalloc.start()
    try:
        found = score_arrow(predictions, references)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert set(found.column("score").to_pylist()) == {2 * 2 / 6}
    assert peak < 1.6e6


def test_rows_of_a_partition_are_numbered_on_over_its_batches(pa):
    from structiou_metric.scale import spark

    sides = [("(A a)", "(A a)"), ("(A a", "(A a)")]
    batches = [pa.RecordBatch.from_pydict({"guess": [pred], "gold": [ref]}) for pred, ref in sides]
    count = spark.score_partitions("guess", "gold", StructIoU(on_error="zero"))
    [tally] = count(iter(batches))
    assert [row for row, _ in spark.merge(tally.to_pylist()).problems] == [1]

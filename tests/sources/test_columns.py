"""Converters of `datasets` columns, with the real library and a cache of their own."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, TreeFormatError
from structiou_metric.hf_datasets import SHAPES, ColumnConverter
from structiou_metric.trees.shapes import as_tree
from support.examples import examples
from support.extras import need
from support.hub import datasets_with_cache
from support.strategies import TreeCase, tree_cases

need("datasets")

# Its worker processes are forked, of which newer Pythons warn.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")

UNTIMED = ["(S (NP (DT the) (NN dog)) (VP (VBD barked)))", "(S (A (B (C c))) and (D d e))", "(TOP )"]
TIMED = [
    "(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))",
    "(S (A (B c<0.5,1.25>)) d<1.5,2.0> (E e<2.0,2.5>))",
]


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    """Imports the library for all tests, and keeps what `map` writes in a folder of its own."""
    global datasets
    with datasets_with_cache(tmp_path_factory.mktemp("cache")) as datasets:
        yield


def trees(values, unit=None):
    return [as_tree(value, unit) for value in values]


def dataset_of(**columns):
    return datasets.Dataset.from_dict(columns)


# -------------------------------------------------------------------------------------- from and to


@pytest.mark.parametrize(
    "unit, start, to",
    [("time", start, to) for start in SHAPES for to in SHAPES]
    + [("word", start, to) for start in SHAPES for to in SHAPES if "brackets_times" not in (start, to)],
)
def test_converter_every_way_and_back(unit, start, to):
    values = TIMED if unit == "time" else UNTIMED
    first = ColumnConverter("tree", to=start, unit=unit).apply(dataset_of(tree=values))
    second = ColumnConverter("tree", to=to, unit=unit).apply(first)
    last = ColumnConverter("tree", to="brackets", unit=unit).apply(second)
    assert trees(first["tree"], unit) == trees(second["tree"], unit) == trees(values)
    assert trees(last["tree"]) == trees(values)


@examples(40, HealthCheck.function_scoped_fixture)
@given(st.lists(tree_cases(6, timed=True), min_size=1, max_size=4), st.permutations(SHAPES))
def test_converter_loses_nothing_on_any_way(cases: list[TreeCase], ways):
    want = [SegmentTree.from_brackets(case.brackets).with_times(case.times) for case in cases]
    batch = {"tree": [tree.to_brackets() for tree in want]}
    for to in ways:
        converter = ColumnConverter("tree", to=to, unit="time")
        # Through Arrow and its types, as a dataset would.
        batch = datasets.Dataset.from_dict(converter(batch), features=converter.features())[:]
    assert trees(batch["tree"]) == want


def test_converter_reads_what_users_have():
    nested = {"label": "S", "children": [{"label": "A", "word": "a"}, "b"]}
    batch = {"tree": [json.dumps(nested), nested, "(S (A a) b)", [("S", 0, 2), ("A", 0, 1)]]}
    written = ColumnConverter("tree", to="json")(batch)["tree"]
    assert [json.loads(text)["label"] for text in written] == ["S"] * 4
    assert trees(written)[0] == trees(written)[1] == trees(written)[2]


def test_converter_several_columns_there_and_back():
    times = [[[0.5, 1.0], [1.0, 2.0]], [[0.0, 3.0]]]
    dataset = dataset_of(id=[0, 1], tree=["(S (A a) (B b))", "(S c)"], times=times)
    names = {part: f"node_{part}" for part in ("labels", "starts", "ends", "parents", "words")}
    there = ColumnConverter({"brackets": "tree", "times": "times"}, names, to="columns", unit="time")
    assert there.remove_columns == ["tree", "times"]
    flat = there.apply(dataset, remove_columns=there.remove_columns)
    assert flat.column_names == ["id", *names.values()]
    assert flat["node_starts"][0] == [0.5, 0.5, 1.0]
    back = ColumnConverter(names, {"brackets": "tree", "times": "times"}, to="brackets_times")
    again = back.apply(flat, remove_columns=back.remove_columns)
    assert again[:] == dataset[:]
    assert again.features == dataset.features


def test_converter_target_beside_the_source():
    dataset = dataset_of(tree=UNTIMED)
    converter = ColumnConverter("tree", "spans", to="spans")
    assert converter.remove_columns == ["tree"]
    assert ColumnConverter("tree", to="spans").remove_columns == []
    assert converter.apply(dataset).column_names == ["tree", "spans"]
    only = dataset.map(converter, batched=True, remove_columns=converter.remove_columns)
    assert only.column_names == ["spans"]


# ------------------------------------------------------------------------------- kinds of datasets


@pytest.mark.parametrize("to", SHAPES)
def test_converter_features_are_those_of_the_data(to):
    converter = ColumnConverter("tree", to=to, unit="time")
    dataset = dataset_of(id=[0, 1], tree=TIMED)
    typed = converter.apply(dataset)
    assert typed.features == converter.features(dataset.features)
    assert list(typed.features) == ["id", "tree"]
    if to == "spans":
        assert typed.features["tree"] == datasets.List(
            {
                "label": datasets.Value("string"),
                "start": datasets.Value("float64"),
                "end": datasets.Value("float64"),
                "word": datasets.Value("string"),
            }
        )


def test_converter_features_do_not_depend_on_the_first_rows():
    """Failed parses come first: no node, no word, no number to tell a type by."""
    dataset = dataset_of(tree=["", "()"] * 4 + TIMED)
    for to in ("spans", "columns", "brackets_times"):
        converter = ColumnConverter("tree", to=to, unit="time")
        converted = converter.apply(dataset, batch_size=2, writer_batch_size=2)
        assert converted.features == converter.features(dataset.features)
        assert trees(converted["tree"])[8:] == trees(TIMED)
    words = ColumnConverter("tree", to="spans").features()["tree"].feature
    assert words["start"] == datasets.Value("int64")


@pytest.mark.parametrize("num_proc", [None, 2])
def test_converter_in_map(num_proc):
    dataset = dataset_of(tree=UNTIMED * 20, id=list(range(60)))
    converter = ColumnConverter("tree", to="columns")
    by_map = dataset.map(
        converter,
        batched=True,
        batch_size=7,
        num_proc=num_proc,
        features=converter.features(dataset.features),
    )
    assert by_map["id"] == dataset["id"]
    assert trees(by_map["tree"]) == trees(UNTIMED * 20)
    assert by_map[:] == converter.apply(dataset, num_proc=num_proc)[:]


def test_converter_is_cached_by_what_it_does():
    """The same settings have the same fingerprint; others another."""
    hashes = [
        datasets.fingerprint.Hasher.hash(converter)
        for converter in (
            ColumnConverter("tree", to="spans"),
            ColumnConverter("tree", to="spans"),
            ColumnConverter("tree", to="columns"),
            pickle.loads(pickle.dumps(ColumnConverter("tree", to="spans"))),
        )
    ]
    assert hashes[0] == hashes[1] == hashes[3] != hashes[2]


def test_converter_splits_and_streams():
    splits = datasets.DatasetDict(train=dataset_of(tree=UNTIMED), test=dataset_of(tree=UNTIMED[:1]))
    converter = ColumnConverter("tree", to="json")
    converted = converter.apply(splits)
    assert isinstance(converted, datasets.DatasetDict)
    assert trees(converted["train"]["tree"]) == trees(UNTIMED)
    by_map = splits.map(converter, batched=True)
    assert by_map["test"][:] == converted["test"][:]

    stream = datasets.IterableDatasetDict(
        {name: split.to_iterable_dataset() for name, split in splits.items()}
    )
    streamed = converter.apply(stream)
    assert isinstance(streamed, datasets.IterableDatasetDict)
    assert streamed["train"].features == converted["train"].features
    assert list(streamed["train"]) == list(converted["train"])
    assert list(stream["train"].map(converter, batched=True)) == list(converted["train"])


# ----------------------------------------------------------------------------------- converter errors


@pytest.mark.parametrize(
    "arguments, message",
    [
        pytest.param(
            {"to": "xml"}, "^unknown shape 'xml'; choose from brackets, brackets_times, json, spans"
        ),
        pytest.param(
            {"to": "spans", "unit": "char"}, "^spans and columns cannot count 'char'; choose from word, t"
        ),
        pytest.param(
            {"to": "spans", "target": {"labels": "a"}},
            "^spans goes into one column; give its name as target$",
        ),
        pytest.param(
            {"to": "columns", "target": {"labels": "a"}},
            "^columns goes into one column; .*, or name a column for each of: labels, starts, ends, ",
        ),
        pytest.param(
            {"to": "json", "source": {"brackets": "a", "times": "b"}},
            "^several columns are read; name the target$",
        ),
        pytest.param(
            {"to": "json", "source": {"brackets": "a"}},
            r"^columns for 'brackets' do not make a tree; name those for one of: brackets, times; labels, ",
        ),
        pytest.param({"to": "json", "source": {}}, "^columns for nothing do not make a tree; "),
        pytest.param(
            {"to": "json", "on_error": "stop"}, "^unknown on_error 'stop'; choose from raise, zero, skip"
        ),
    ],
)
def test_converter_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        ColumnConverter(**{"source": "tree", **arguments})


@pytest.mark.parametrize(
    "value, arguments, message",
    [
        pytest.param("(A a", {"to": "json"}, r":1:1: this '\(' is never closed; add", id="unbalanced"),
        pytest.param(
            '{"label": 1', {"to": "spans"}, ": this is neither a bracketed tree nor JSON: ", id="JSON"
        ),
        pytest.param(
            "(A a<0,1>)",
            {"to": "spans"},
            ": this tree has times, which .*; convert with unit='time'$",
            id="times",
        ),
        pytest.param(
            "(A a<0,1>)",
            {"to": "columns", "unit": "word"},
            ": this tree has times, which would get lost; convert with unit='time'$",
            id="times over words",
        ),
        pytest.param(
            "(A a)", {"to": "columns", "unit": "time"}, ":1:4: this word has no time", id="no times"
        ),
        pytest.param(
            "(A a)",
            {"to": "brackets_times"},
            ": this tree has no times; write brackets, or add",
            id="untimed",
        ),
        pytest.param(
            "(S (A ) (B b))", {"to": "spans"}, ": spans without length, such as 'A'", id="no length"
        ),
        pytest.param(
            '{"label": "S", "children": ["a b"]}',
            {"to": "brackets"},
            ": brackets cannot hold the white",
            id="space",
        ),
        pytest.param(
            '{"label": "S", "children": ["\\ud800"]}',
            {"to": "spans"},
            r": '\\ud800' has a lone surrogate, which only json can hold$",
            id="surrogate",
        ),
        pytest.param(
            "(A " * 5000 + "a" + ")" * 5000,
            {"to": "json"},
            ": the tree is too deep for JSON; write col",
            id="deep",
        ),
    ],
)
def test_converter_errors_name_column_and_row(value, arguments, message):
    converter = ColumnConverter("tree", **arguments)
    good = "(A a<0,1>)" if "time" in str(arguments) and "word" not in str(arguments) else "(A a)"
    with pytest.raises(TreeFormatError, match=r"^batch\['tree'\]\[1\]" + message):
        converter({"tree": [good, value]})
    with pytest.raises(TreeFormatError, match=r"^dataset\['tree'\]\[18\]" + message):
        converter({"tree": [good, value]}, [17, 18])


@pytest.mark.parametrize("to", SHAPES)
@pytest.mark.parametrize("on_error", ["raise", "zero", "skip"])
@pytest.mark.parametrize("streams", [False, True])
def test_converter_leaves_nulls(to, on_error, streams):
    """A null does not end `map`, and comes out as a null."""
    dataset = dataset_of(tree=[TIMED[0], None, TIMED[1]])
    dataset = dataset.to_iterable_dataset() if streams else dataset
    converted = list(ColumnConverter("tree", to=to, unit="time", on_error=on_error).apply(dataset))
    assert converted[1]["tree"] is None
    assert trees([converted[row]["tree"] for row in (0, 2)]) == trees(TIMED)


@pytest.mark.parametrize("format", ["arrow", "pandas", "numpy"])
def test_converter_leaves_nulls_of_formats(format):
    dataset = dataset_of(tree=[UNTIMED[0], None]).with_format(format)
    mapped = dataset.map(ColumnConverter("tree", to="spans"), batched=True)
    assert [row is None for row in mapped.with_format(None)["tree"]] == [False, True]


def test_converter_leaves_nulls_of_several_columns():
    names = {"brackets": "tree", "times": "times"}
    dataset = dataset_of(tree=["(A a)", None], times=[[[0.0, 1.0]], None])
    columns = {part: f"node_{part}" for part in ("labels", "starts", "ends", "parents", "words")}
    there = ColumnConverter(names, columns, to="columns", unit="time").apply(dataset)
    assert [there[name][1] for name in columns.values()] == [None] * 5
    back = ColumnConverter(columns, names, to="brackets_times").apply(there)
    assert (back["tree"][:], back["times"][:]) == (["(A a)", None], [[[0.0, 1.0]], None])


BROKEN = ["(A a)", "(A a", None, '{"label": 1', "(B b)"]


@pytest.mark.parametrize("to", ["brackets", "json", "spans", "columns"])
def test_converter_goes_on_after_a_broken_tree(to):
    dataset = dataset_of(tree=BROKEN)
    skipped = ColumnConverter("tree", to=to, on_error="skip").apply(dataset)["tree"][:]
    assert [row is None for row in skipped] == [False, True, True, True, False]
    assert trees([skipped[0], skipped[4]]) == trees(["(A a)", "(B b)"])
    zeroed = ColumnConverter("tree", to=to, on_error="zero").apply(dataset)["tree"][:]
    assert zeroed[2] is None
    found = trees([zeroed[row] for row in (0, 1, 3, 4)], "word")
    assert [(str(tree), tree.words) for tree in found] == [
        ("(A a)", ("a",)),
        ("()", ()),
        ("()", ()),
        ("(B b)", ("b",)),
    ]
    with pytest.raises(TreeFormatError, match=r"^dataset\['tree'\]\[1\]:1:1: this '\(' is never closed"):
        ColumnConverter("tree", to=to).apply(dataset)


def test_a_failed_parse_stays_one_as_spans():
    """As a reference, an empty list would be none."""
    [spans] = ColumnConverter("tree", to="spans")({"tree": [""]})["tree"]
    found = StructIoU().corpus_score(["(A a)", "()"], [spans, spans])
    assert (found.problems, found.sentences.scores()) == ([], [0.0, 1.0])


def test_converter_of_documents_goes_on_after_a_broken_tree():
    """A document with a broken tree is skipped as a whole, as without it its words would not be all."""
    dataset = dataset_of(tree=[["(A a)", None], None, ["(A a)", "(B"]])
    skipped = ColumnConverter("tree", to="json", documents=True, on_error="skip").apply(dataset)["tree"][:]
    assert skipped == [['{"label": "A", "word": "a"}', None], None, None]
    zeroed = ColumnConverter("tree", to="brackets", documents=True, on_error="zero").apply(dataset)["tree"][:]
    assert zeroed[1:] == [None, ["(A a)", "()"]]


def test_converter_json_holds_lone_surrogates():
    text = '{"label": "S", "children": ["\\ud800", "שלום"]}'
    assert trees(ColumnConverter("tree", to="json")({"tree": [text]})["tree"]) == trees([text])


@pytest.mark.parametrize("num_proc", [None, 2])
def test_converter_errors_in_map_tell_the_row_of_the_dataset(num_proc):
    dataset = dataset_of(tree=["(A a)"] * 9 + ["(A a"])
    with pytest.raises(TreeFormatError, match=r"^dataset\['tree'\]\[9\]:1:1: "):
        ColumnConverter("tree", to="json").apply(dataset, num_proc=num_proc, batch_size=2)
    columns = {"brackets": "tree", "times": "times"}
    dataset = dataset_of(tree=["(A a)"] * 3, times=[[[0, 1.0]], [[0, 1.0]], []])
    with pytest.raises(TreeFormatError, match=r"^dataset\['tree', 'times'\]\[2\]: 0 word times for 1 word; "):
        ColumnConverter(columns, "x", to="json").apply(dataset, num_proc=num_proc)


def test_converter_keeps_to_the_features_that_it_is_given():
    from datasets import Features, Value

    features = Features({"tree": Value("string"), "json": Value("large_string")})
    converter = ColumnConverter("tree", "json", to="json")
    found = converter.apply(dataset_of(tree=["(A a)"]), features=features)
    assert found.features == features
    assert converter.apply(dataset_of(tree=["(A a)"])).features != features


def test_converter_missing_columns_and_rows_one_by_one():
    dataset = dataset_of(tree=["(A a)"])
    converter = ColumnConverter("parse", to="json")
    with pytest.raises(ValueError, match=r"^the dataset has no column 'parse'; its columns: 'tree'$"):
        converter.apply(dataset)
    with pytest.raises(ValueError, match=r"^the batch has no column 'parse'; its columns: 'tree'$"):
        dataset.map(converter, batched=True)
    with pytest.raises(ValueError, match=r"^column 'tree' comes row by row; use map\(…, batched=True\)$"):
        dataset.map(ColumnConverter("tree", to="json"))
    # A row of spans is a list, too, as a batch is.
    spans = ColumnConverter("tree", to="spans").apply(dataset_of(tree=["(A a)"], id=[0]))
    for rows in (spans, spans.to_iterable_dataset()):
        with pytest.raises(ValueError, match=r"^column 'tree' comes row by row; use map\(…, batched=True\)$"):
            list(rows.map(ColumnConverter("tree", to="json")))

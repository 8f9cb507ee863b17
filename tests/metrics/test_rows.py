"""What a row is: one tree, several references, a document or nothing, the same whatever holds the rows."""

from __future__ import annotations

import csv
import json
from itertools import count

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import structiou_metric
from structiou_metric import SegmentTree, StructIoU, align, struct_iou
from structiou_metric.errors import TreeFormatError
from structiou_metric.metrics.accumulator import Accumulator
from structiou_metric.metrics.runner import score_pieces
from structiou_metric.metrics.tallying import tally_rows
from structiou_metric.metrics.together import score_all, score_systems
from structiou_metric.sources.prepared import PreparedTrees
from structiou_metric.sources.rows import ListRows
from structiou_metric.sources.tables import read_columns
from support.examples import examples
from support.extras import need
from support.hub import datasets_with_cache

need("evaluate")

A = "(S (A a) (B b))"
B = "(S (A a) (C b))"  # 2/3 like A
C = "(T (X a) (Y b))"  # nothing like A or B
BROKEN = "(S (A a)"
LONGER = "(S (A a) (B b) (D d))"  # has other words, so that it cannot be compared
NO_REFERENCE = "an empty list of references; give at least one tree, '()' if it is empty"


@pytest.fixture(scope="module", autouse=True)
def libraries(tmp_path_factory):
    """Imports the libraries, and keeps what they write in a folder."""
    global datasets, evaluate, folder
    folder = tmp_path_factory.mktemp("rows")
    with datasets_with_cache(folder / "cache") as datasets:
        evaluate = pytest.importorskip("evaluate")
        yield


# ---- what is right, by scoring each pair alone --------------------------------------------------------


def one_by_one(predictions, references, on_error):
    """Scores each prediction beside each of its references alone; returns values and rows with problems."""
    values, problems = [], []
    for row, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
        found = []
        for tree in reference if isinstance(reference, list) else [reference]:
            try:
                found.append(StructIoU().corpus_score([prediction], [tree]).sentence)
            except ValueError:
                continue
        if found:
            values.append(max(found))
        else:
            problems.append(row)
            values += [0.0] if on_error == "zero" else []
    return sum(values) / len(values), problems


# ---- formats ------------------------------------------------------------------------------------------


def as_text(row):
    """A tree or a list of trees as a text."""
    return json.dumps(row) if isinstance(row, list) else row


def as_json(row):
    """Likewise, in which trees are nested objects or lists of spans, too."""
    if isinstance(row, list):
        return json.dumps([json.loads(as_json(tree)) if tree in (A, B, C) else tree for tree in row])
    if row in (A, B):
        return json.dumps(SegmentTree.from_brackets(row).to_dict())
    return json.dumps(SegmentTree.from_brackets(row).to_spans()) if row == C else row


def as_list(row):
    """A list of one or several trees."""
    return row if row is None or isinstance(row, list) else [row]


def as_tree(row):
    """Objects of Python, where that can be."""
    if isinstance(row, list):
        return list(map(as_tree, row))
    return SegmentTree.from_brackets(row) if row not in (None, BROKEN) else row


FORMATS = {
    "mixed": lambda row: row,
    "texts": as_text,
    "json": as_json,
    "lists": as_list,
    "objects": as_tree,
}


# ---- containers ---------------------------------------------------------------------------------------


def told(result):
    return result.figures["struct_iou_sentence"], sorted(row for row, _ in result.problems)


def by_lists(metric, predictions, references, size):
    return told(metric.corpus_score(predictions, references))


def by_threads(metric, predictions, references, size):
    return told(metric.corpus_score(predictions, references, workers=2, by_label=True))


def by_all_metrics(metric, predictions, references, size):
    return told(score_all([metric, metric], predictions, references)[1])


def by_prepared_trees(metric, predictions, references, size):
    return told(metric.corpus_score(predictions, PreparedTrees(references, "references")))


def by_accumulator(metric, predictions, references, size):
    scores = Accumulator(metric)
    for at in range(0, len(predictions), size):
        scores.update(predictions[at : at + size], references[at : at + size])
    return told(scores.compute())


def by_pieces(metric, predictions, references, size):
    def rows(values, at, title):
        return ListRows(values[at : at + size], title, first=at)

    pieces = (
        (at, rows(predictions, at, "predictions"), rows(references, at, "references"))
        for at in range(0, len(predictions), size)
    )
    return told(score_pieces(metric, pieces))


def by_ranges(metric, predictions, references, size):
    rows = ListRows(predictions, "predictions"), PreparedTrees(references, "references")
    cuts = range(0, len(predictions), size)
    tallies = [tally_rows(metric, *rows, range(at, min(at + size, len(predictions)))) for at in cuts]
    return told(sum(tallies[1:], tallies[0]).result())


def dataset_of(predictions, references):
    return datasets.Dataset.from_dict({"parsed": predictions, "gold": references})


def by_dataset(metric, predictions, references, size):
    return told(metric.score_dataset(dataset_of(predictions, references), "parsed", "gold"))


def by_stream(metric, predictions, references, size):
    stream = dataset_of(predictions, references).to_iterable_dataset()
    return told(metric.score_dataset(stream, "parsed", "gold"))


def by_transform(metric, predictions, references, size):
    def read(batch):
        return {
            "parsed": [predictions[row] for row in batch["row"]],
            "gold": [references[row] for row in batch["row"]],
        }

    dataset = datasets.Dataset.from_dict({"row": range(len(predictions))}).with_transform(read)
    return told(metric.score_dataset(dataset, "parsed", "gold"))


def by_arrow(metric, predictions, references, size):
    import pyarrow as pa

    from structiou_metric.scale import tally_arrow

    columns = [pa.array(values).slice(0) for values in (predictions, references)]
    tallies = [
        tally_arrow(*(column.slice(at, size) for column in columns), metric, first=at)
        for at in range(0, len(predictions), size)
    ]
    return told(sum(tallies[1:], tallies[0]).result())


def by_chunks_of_any_type(metric, predictions, references, size):
    """Texts of every kind that Arrow has, in chunks."""
    import pyarrow as pa

    from structiou_metric.scale import score_arrow

    found = []
    kinds = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
    for kind in kinds if all(row is None or isinstance(row, str) for row in references) else [None]:
        sides = []
        for values in (predictions, references):
            plain = pa.array(values) if kind is None else pa.array(values, pa.string()).cast(kind)
            sides.append(
                pa.chunked_array([plain.slice(at, size) for at in range(0, len(plain), size)], plain.type)
            )
        batch = score_arrow(*sides, metric)
        values = [value for value in batch.column("score").to_pylist() if value is not None]
        messages = batch.column("message").to_pylist()
        found.append((sum(values) / len(values), [row for row, message in enumerate(messages) if message]))
    assert all(one == found[0] for one in found)
    return found[0]


def by_parquet(metric, predictions, references, size):
    from structiou_metric.scale import tally_parquet

    path = folder / "trees.parquet"
    columns = {"prediction": predictions, "reference": references}
    datasets.Dataset.from_dict(columns).to_parquet(path, batch_size=size)
    return told(tally_parquet(path, metric=metric).result())


def by_tables(metric, predictions, references, size):
    rows = [{"prediction": pred, "reference": ref} for pred, ref in zip(predictions, references, strict=True)]
    paths = [folder / "trees.jsonl", folder / "trees.json"]
    paths[0].write_text("\n".join(map(json.dumps, rows)))
    paths[1].write_text(json.dumps(rows))
    datasets.Dataset.from_list(rows).to_parquet(folder / "table.parquet")
    paths.append(folder / "table.parquet")
    if None not in [*predictions, *references] and all(isinstance(row, str) for row in references):
        with open(folder / "trees.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, ["prediction", "reference"])
            writer.writeheader()
            writer.writerows(rows)
        paths.append(folder / "trees.csv")
    found = [
        told(metric.corpus_score(*read_columns(path, {"prediction": None, "reference": None})))
        for path in paths
    ]
    assert all(one == found[0] for one in found)
    return found[0]


NUMBERS = count()


def by_evaluate(metric, predictions, references, size):
    script = evaluate.load(
        structiou_metric.metric_path(), cache_dir=str(folder), experiment_id=f"rows{next(NUMBERS)}"
    )
    for at in range(0, len(predictions), size):
        script.add_batch(predictions=predictions[at : at + size], references=references[at : at + size])
    output = script.compute(on_error=metric.options.on_error)
    return output["struct_iou_sentence"], [problem["index"] for problem in output.get("problems", ())]


PYTHON = [
    by_lists,
    by_threads,
    by_all_metrics,
    by_prepared_trees,
    by_accumulator,
    by_pieces,
    by_ranges,
    by_transform,
    by_evaluate,
]
STORED = [by_dataset, by_stream, by_arrow, by_chunks_of_any_type, by_parquet, by_tables]
CASES = [
    *((container, name) for container in PYTHON for name in FORMATS),
    *((container, name) for container in STORED for name in ("texts", "json", "lists")),
]

trees = st.sampled_from([A, B, C, "()", BROKEN, LONGER, None])
references_of_a_row = trees | st.lists(trees, max_size=3) | st.just([])
pairs = st.lists(st.tuples(st.sampled_from([A, B, "()", BROKEN, None]), references_of_a_row), max_size=7)


@pytest.mark.parametrize(
    "container, name", [pytest.param(*case, id=f"{case[0].__name__}-{case[1]}") for case in CASES]
)
@given(rows=pairs, at=st.integers(0, 7), size=st.integers(1, 8), on_error=st.sampled_from(["zero", "skip"]))
@examples(12, HealthCheck.too_slow)
def test_a_row_is_the_same_in_every_container(container, name, rows, at, size, on_error):
    rows.insert(at, (A, B))  # for a run in which no row counts is an error
    predictions, references = map(list, zip(*rows, strict=True))
    score, problems = one_by_one(predictions, references, on_error)
    given_references = list(map(FORMATS[name], references))
    found = container(StructIoU(on_error=on_error), predictions, given_references, size)
    assert found == (pytest.approx(score, abs=1e-12), problems)
    metric = StructIoU(on_error=on_error)
    whole = metric.corpus_score(predictions, references)
    if container is not by_chunks_of_any_type:
        assert found[0] == whole.figures["struct_iou_sentence"]  # to the last bit


# ---- nothing where a reference should be --------------------------------------------------------------


@pytest.mark.parametrize("empty", [[], (), "[]", " [ ]"])
@pytest.mark.parametrize("others", [A, [A], [A, B], None])
def test_an_empty_list_is_no_reference_whatever_stands_beside_it(empty, others):
    """By hand: one row is right, or cannot be read either, and the other has nothing to be compared with."""
    found = StructIoU(on_error="zero").corpus_score([A, A], [others, empty])
    assert found.sentence == (0.5 if others else 0.0)
    assert found.problems[-1] == (1, f"references[1]: {NO_REFERENCE}")
    with pytest.raises(TreeFormatError, match=r"^references\[1\]: an empty list of references"):
        StructIoU().corpus_score([A, A], [others or A, empty])


def test_an_empty_list_is_no_reference_of_a_pair():
    for call in (struct_iou, align):
        with pytest.raises(TreeFormatError, match=r"^reference.*: an empty list of references"):
            call(A, [])
        with pytest.raises(TreeFormatError, match=r"^reference.*: an empty list of references"):
            call("()", "[]")
    assert align(A, [B]).score == struct_iou(A, [B]) == struct_iou(A, B)
    with pytest.raises(TreeFormatError, match="this is a list of trees; give one"):
        align(A, [B, A])


def test_an_empty_list_is_no_reference_of_systems():
    rows = ListRows([[A], "[]"], "gold")
    [[found]] = score_systems([StructIoU(on_error="skip")], [ListRows([A, A], "parsed")], rows)
    assert (found.sentence, found.problems) == (1.0, [(1, f"gold[1]: {NO_REFERENCE}")])


def test_an_empty_list_is_no_reference_in_columns_of_spans():
    """By hand: of three rows the first is right, the second has no reference, and the third is null."""
    spans = SegmentTree.from_brackets(A).to_spans()
    predictions, references = [spans] * 3, [spans, [], None]
    for found in (
        by_arrow(StructIoU(on_error="zero"), predictions, references, 3),
        by_arrow(StructIoU(on_error="zero"), predictions, references, 1),
        by_dataset(StructIoU(on_error="zero"), predictions, references, 3),
        by_stream(StructIoU(on_error="zero"), predictions, references, 3),
        by_parquet(StructIoU(on_error="zero"), predictions, references, 2),
        by_lists(StructIoU(on_error="zero"), predictions, references, 3),
        by_evaluate(StructIoU(on_error="zero"), predictions, references, 3),
    ):
        assert found == (1 / 3, [1, 2])


def test_an_empty_list_of_spans_is_a_failed_parse():
    """Of a prediction: it is read, and scores 0."""
    spans = SegmentTree.from_brackets(A).to_spans()
    for container in (by_lists, by_arrow, by_dataset, by_evaluate):
        assert container(StructIoU(), [spans, []], [spans, spans], 1) == (0.5, [])


# ---- documents ----------------------------------------------------------------------------------------


def test_documents_are_the_same_in_every_container():
    """By hand: the first document is right, of the second the half that it has, the third is broken."""
    predictions = [[A, "(S (X x))"], [A], [BROKEN]]
    references = [[A, "(S (X x))"], [A, "()"], [A]]
    metric = StructIoU(on_error="zero")
    want = (2 / 3, [2])
    assert told(metric.corpus_score(predictions, references, documents=True)) == want
    for as_row in (as_list, as_text):
        sides = list(map(as_row, predictions)), list(map(as_row, references))
        assert told(metric.corpus_score(*sides, documents=True)) == want
        scores = Accumulator(metric, documents=True)
        for pair in zip(*sides, strict=True):
            scores.update(*([row] for row in pair))
        assert told(scores.compute()) == want
        for dataset in (dataset_of(*sides), dataset_of(*sides).to_iterable_dataset()):
            assert told(metric.score_dataset(dataset, "parsed", "gold", documents=True)) == want
        script = evaluate.load(
            structiou_metric.metric_path(), cache_dir=str(folder), experiment_id=f"rows{next(NUMBERS)}"
        )
        output = script.compute(predictions=sides[0], references=sides[1], documents=True, on_error="zero")
        assert (output["struct_iou"], [problem["index"] for problem in output["problems"]]) == want


# ---- numbered words -----------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("container", [by_lists, by_accumulator, by_arrow, by_dataset, by_evaluate])
def test_numbered_words_are_an_error_in_any_row(container, place):
    """As in discontinuous trees; read in order, the words would be others."""
    rows = [A, A, A]
    rows[place] = "(S (B 1=b) (A 0=a))"
    assert container(StructIoU(on_error="zero"), rows, [A, A, A], 2) == (2 / 3, [place])

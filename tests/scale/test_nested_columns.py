"""Columns of Arrow with the nodes of each tree: spans, and flat columns."""

from __future__ import annotations

import pytest

from structiou_metric import SegmentTree, StructIoU
from structiou_metric.scale import score_arrow, tally_arrow, tally_parquet
from support.extras import need

need("pyarrow")

NAMES = ("label", "start", "end", "word")
COLUMNS = ("labels", "starts", "ends", "words", "parents")
SPANS = [("S", 0, 2, None, -1), ("A", 0, 1, "a", 0), ("B", 1, 2, "bé", 0)]


def column_of(shape, rows):
    """The rows as a column of one shape."""
    import pyarrow as pa

    if shape == "spans":
        return pa.array([row and [dict(zip(NAMES, node, strict=False)) for node in row] for row in rows])
    return pa.array(
        [row and dict(zip(COLUMNS, map(list, zip(*row, strict=True)), strict=True)) for row in rows]
    )


@pytest.mark.parametrize("shape", ["spans", "columns"])
@pytest.mark.parametrize("unit", ["word", "time"])
def test_figures(shape, unit):
    rows = [SPANS, None, [("S", 0, 2, None, -1), ("C", 0, 1, "a", 0), ("B", 1, 2, "bé", 0)]]
    sides = column_of(shape, rows), column_of(shape, [SPANS] * 3)
    found = score_arrow(*sides, StructIoU(unit=unit, on_error="zero"))
    assert found.column("score").to_pylist() == [1.0, 0.0, 2 * 2 / 6]  # two of three nodes on either side
    assert found.column("status").to_pylist() == ["valid", "zeroed", "valid"]


def test_columns_are_read_a_slice_at_a_time():
    """More rows than a slice has, the last of which has a mistake."""
    rows = [SPANS] * 700 + [[("S", 0, 3, None, -1)]]
    found = score_arrow(*(column_of("spans", side) for side in (rows, [SPANS] * 701)))
    assert found.column("score").to_pylist() == [1.0] * 700 + [0.0]


@pytest.mark.parametrize("shape", ["spans", "columns"])
def test_mistakes_are_told(shape):
    crossing = [("S", 0, 3, None, -1), ("A", 0, 2, None, 0), ("B", 1, 3, None, 0)]
    found = score_arrow(column_of(shape, [SPANS, crossing]), column_of(shape, [SPANS] * 2), ids=["x", "y"])
    first, second = found.column("message").to_pylist()
    assert first is None
    assert second.startswith("predictions['y']: 'B' 1–3 ")


def odd_columns():
    """Columns of three rows that no list of rows makes, or with mistakes."""
    import pyarrow as pa

    spans = column_of("spans", [SPANS] * 3)
    gap = pa.array([False, True, False])
    lists = column_of("columns", [SPANS] * 3)
    fields = dict(zip(COLUMNS, lists.flatten(), strict=True))

    def struct(**changed):
        return pa.StructArray.from_arrays(list({**fields, **changed}.values()), list(fields))

    silences = [("S", 0.0, 4.0), ("A", 0.5, 1.0), ("B", 2.0, 3.0), ("C", 2.0, 2.5)]
    silences += [("D", 3.0, 3.0), ("E", 3.0, 3.0)]  # of no length, one in the other
    hidden = pa.ListArray.from_arrays(spans.offsets, spans.values, mask=gap)  # a null row above three spans
    kind = spans.type
    return {
        "hidden": hidden,
        "hidden, sliced": pa.concat_arrays([hidden, hidden]).slice(2, 3),
        "hidden in structs": pa.StructArray.from_arrays(list(fields.values()), list(fields), mask=gap),
        "null list of labels": struct(labels=pa.array([["S", "A", "B"], None, ["S", "A", "B"]])),
        "null list of words": struct(words=pa.array([[None, "a", "b"], None, [None, "a", "b"]])),
        "unequal lists": struct(starts=pa.array([[0, 0, 1], [0, 0], [0, 0, 1]])),
        "huge parents": struct(parents=pa.array([[2**64 - 1, 0, 0]] * 3, pa.list_(pa.uint64()))),
        "huge ends": struct(ends=pa.array([[2**53 + 1, 1, 2]] * 3)),
        "null spans": pa.array([[None, None], spans[0].as_py(), spans[0].as_py()], kind),
        "a null span": pa.array([[*spans[0].as_py(), None], [], None], kind),
        "all null": pa.array([None] * 3, kind),
        "all empty": pa.array([[]] * 3, kind),
        "more fields": pa.array([[{**span, "id": 1} for span in row] for row in spans.to_pylist()]),
        "silences": pa.array([[dict(zip(NAMES, span, strict=False)) for span in silences]] * 3),
        "not a number": pa.array([[{"label": "S", "start": 0.0, "end": float("nan")}]] * 3),
    }


@pytest.mark.parametrize("name", odd_columns())
@pytest.mark.parametrize("unit", ["word", "time"])
def test_odd_columns_are_what_their_rows_are(name, unit):
    odd = odd_columns()[name]
    metric = StructIoU(unit=unit, on_error="zero")
    for sides in ((odd, column_of("spans", [SPANS] * 3)), (column_of("columns", [SPANS] * 3), odd)):
        found = score_arrow(*sides, metric)
        want = metric.corpus_score(*(side.to_pylist() for side in sides))
        assert found.column("score").to_pylist() == want.values("struct_iou_sentence")
        told = [(row, text) for row, text in enumerate(found.column("message").to_pylist()) if text]
        assert told == want.problems


@pytest.mark.parametrize("shape", ["spans", "columns"])
def test_parquet(shape, tmp_path):
    from pyarrow import parquet, table

    texts = ["(S (A a) (B b))", "(S (NP (A a) (B b)) (C c))", "(S (A a) (VP (B b) (C c)))"] * 4
    rows = [SegmentTree.from_brackets(text).to_columns("word") for text in texts]
    rows = [list(zip(*(row[name] for name in COLUMNS), strict=True)) for row in rows]
    path = tmp_path / "pairs.parquet"
    columns = {
        "prediction": column_of(shape, rows),
        "reference": column_of(shape, [rows[2], *rows[1:]]),
    }
    parquet.write_table(table(columns), path, row_group_size=5)
    # The first pair has trees of two and of three words; it does not count but as 0.
    expected = tally_arrow(texts, [texts[2], *texts[1:]])
    assert tally_parquet(path).figures == expected.figures

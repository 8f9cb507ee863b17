"""Columns of nodes are read from their child arrays, which changes nothing: neither a figure nor an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU
from structiou_metric._core.flat import FlatTrees
from structiou_metric._core.scan import Scanner
from structiou_metric.scale import score_arrow, tally_arrow, tally_parquet
from structiou_metric.sources import arrow
from structiou_metric.sources.arrow import arrow_rows
from structiou_metric.sources.arrow_arrays import Values
from support.examples import examples
from support.extras import need
from support.strategies import tree_cases

need("pyarrow")

NAMES = ("label", "start", "end", "word")
COLUMNS = ("labels", "starts", "ends", "words", "parents")


@st.composite
def any_rows(draw):
    """Spans of a tree, perhaps with a mistake, or some spans that were never a tree's, or no row at all."""
    kind = draw(st.sampled_from(["tree", "tree", "tree", "mistake", "spans", "none", "empty"]))
    if kind == "none":
        return None
    if kind == "empty":
        return []
    label, number = st.sampled_from(["A", "B", "é b", "", None]), st.integers(-1, 4)
    if kind == "spans":
        item = st.tuples(label, number, number, st.sampled_from([None, None, "w", ""]), st.integers(-1, 4))
        rows = draw(st.lists(item, min_size=1, max_size=6))
        return [list(row) for row in rows]
    timed = draw(st.booleans())
    case = draw(tree_cases(5, timed=timed))
    tree = SegmentTree.from_brackets(case.brackets)
    tree = tree.with_times(case.times).with_unit("time") if timed else tree
    found = tree.to_columns("time" if timed else "word")
    names_words = draw(st.booleans())
    rows = [
        list(row) for row in zip(*(found[name] for name in COLUMNS), strict=True) if names_words or row[0]
    ]
    if not names_words:
        for row in rows:
            row[3] = None
    if kind == "mistake" and rows:
        row, field = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, 4))
        rows[row][field] = draw(
            [label, st.one_of(st.none(), number), number, st.sampled_from(["x", None]), number][field]
        )
        if draw(st.booleans()):
            rows.reverse()
    return rows


@st.composite
def any_columns(draw, rows):
    """The rows in one of the shapes and types, in chunks and slices."""
    import pyarrow as pa

    text = draw(
        st.sampled_from(
            [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
        )
    )
    whole = all(float(cell or 0).is_integer() for row in rows for node in row or () for cell in node[1:3])
    kinds = [pa.float64(), pa.float32(), *([pa.int64(), pa.int8(), pa.int64()] if whole else [])]
    number = draw(st.sampled_from(kinds))
    listed = draw(st.sampled_from([pa.list_, pa.large_list]))
    has_words = draw(st.sampled_from([True, True, False]))
    shape = draw(st.sampled_from(["spans", "lists", "columns"]))
    types = [text, number, number, text, pa.int32()]
    places = [0, 1, 2, *([3] if has_words else []), *([4] if shape == "columns" else [])]
    names = COLUMNS if shape == "columns" else NAMES
    if shape == "spans":
        kind = listed(pa.struct([(names[i], types[i]) for i in places]))
        values = [row and [{names[i]: node[i] for i in places} for node in row] for row in rows]
    else:
        kind = pa.struct([(names[i], listed(types[i])) for i in places])
        values = [
            None if row is None else {names[i]: [node[i] for node in row] for i in places} for row in rows
        ]
    values = [value if number in (pa.float64(), pa.float32()) else _whole(value) for value in values]
    plain = pa.array([None, *values, values[0]], _decoded(kind))
    plain = plain if text != pa.dictionary(pa.int32(), pa.string()) else plain.cast(kind)
    cut = draw(st.integers(0, len(rows)))
    plain = plain.slice(1, len(rows))
    return pa.chunked_array([plain.slice(0, cut), plain.slice(cut)], kind)


def _decoded(kind):
    """The type without dictionaries, which pyarrow does not make of nested values."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _decoded(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(_decoded(kind.value_type))
    return pa.large_list(_decoded(kind.value_type)) if pa.types.is_large_list(kind) else kind


def _whole(value):
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return int(value) if isinstance(value, float) else value


def outcome(call):
    """What comes of it, errors among it."""
    try:
        return call()
    except (ValueError, TypeError) as error:
        return type(error), str(error)


def by_objects(call):
    """The outcome where rows become objects of Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "node_fields", lambda kind: None)
        return outcome(call)


def loaded(column, unit):
    """All that is read of a column."""
    scanner, trees = Scanner(), FlatTrees()
    rows = arrow_rows(column, "trees")
    problems = rows.load(0, len(rows), unit, scanner, trees)
    names = scanner.labels
    found = []
    for t in range(trees.n_trees):
        labels, *nodes = trees.nodes(t)
        starts, ends, *_ = trees.words(t)
        words = [trees.word(t, i) for i in range(len(starts))]
        found.append(([names[label] for label in labels], nodes, starts, ends, words, trees.is_timed(t)))
    told = {row: (type(error), str(error)) for row, error in problems.items()}
    return found, trees.n_errors, told, rows.longest(0, len(rows))


@given(st.data(), st.lists(any_rows(), min_size=1, max_size=4), st.sampled_from(["word", "time", "char"]))
@examples(300)
def test_what_is_read(data, rows, unit):
    column = data.draw(any_columns(rows))
    assert outcome(lambda: loaded(column, unit)) == by_objects(lambda: loaded(column, unit))


@given(st.data(), st.integers(1, 4), st.sampled_from(["word", "time"]), st.sampled_from(["zero", "raise"]))
@examples(100)
def test_figures_and_errors(data, n, unit, on_error):
    rows = [data.draw(st.lists(any_rows(), min_size=n, max_size=n)) for _ in range(2)]
    sides = [data.draw(any_columns(side)) for side in rows]
    metric = StructIoU(unit=unit, on_error=on_error)

    def scored():
        tally = tally_arrow(*sides, metric, by_label=True)
        return score_arrow(*sides, metric).to_pylist(), tally.to_dict()

    assert outcome(scored) == by_objects(scored)


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
def test_no_objects(shape, unit, monkeypatch):
    column = column_of(
        shape, [SPANS, None, [("S", 0, 2, None, -1), ("C", 0, 1, "a", 0), ("B", 1, 2, "bé", 0)]]
    )

    def refuse(*args):
        raise AssertionError("a row became an object")

    for name in ("__getitem__", "__iter__"):
        monkeypatch.setattr(Values, name, refuse)
    found = score_arrow(column, column_of(shape, [SPANS] * 3), StructIoU(unit=unit, on_error="zero"))
    assert found.column("score").to_pylist() == [1.0, 0.0, 2 * 2 / 6]  # two of three nodes on either side
    assert found.column("status").to_pylist() == ["valid", "zeroed", "valid"]


@pytest.mark.parametrize("shape", ["spans", "columns"])
def test_mistakes_are_told(shape):
    crossing = [("S", 0, 3, None, -1), ("A", 0, 2, None, 0), ("B", 1, 3, None, 0)]
    found = score_arrow(column_of(shape, [SPANS, crossing]), column_of(shape, [SPANS] * 2), ids=["x", "y"])
    first, second = found.column("message").to_pylist()
    assert first is None
    assert second.startswith("predictions['y']: 'B' 1–3 ")


def odd_columns():
    """Columns of three rows that no list of rows makes, or that are not plain."""
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
@pytest.mark.parametrize("on_error", ["zero", "raise"])
def test_odd_columns(name, unit, on_error):
    odd = odd_columns()[name]
    metric = StructIoU(unit=unit, on_error=on_error)
    for sides in ((odd, column_of("spans", [SPANS] * 3)), (column_of("columns", [SPANS] * 3), odd)):

        def scored(sides=sides):
            return score_arrow(*sides, metric).to_pylist()

        assert outcome(scored) == by_objects(scored)
    assert outcome(lambda: loaded(odd, unit)) == by_objects(lambda: loaded(odd, unit))


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

"""Columns of nodes are read from their child arrays, which changes nothing: neither a figure nor an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU
from structiou_metric._core.flat import FlatTrees
from structiou_metric._core.scan import Scanner
from structiou_metric.scale import score_arrow, tally_arrow
from structiou_metric.sources import arrow, node_columns
from structiou_metric.sources.arrow import arrow_rows
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
        patch.setattr(node_columns, "node_fields", lambda kind: None)
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
        monkeypatch.setattr(arrow.Values, name, refuse)
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

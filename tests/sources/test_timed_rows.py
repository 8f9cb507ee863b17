"""Brackets with times beside them are read in bulk, and that changes nothing: neither a tree nor an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU
from structiou_metric._core.flat import FlatTrees
from structiou_metric._core.scan import Scanner
from structiou_metric.sources import rows as rows_module
from structiou_metric.sources.rows import ListRows
from support.strategies import tree_cases

CASES = tree_cases(5, timed=True)


def loaded(rows, unit, several):
    """All that is known of each tree, and the errors by row."""
    scanner, trees = Scanner(), FlatTrees()
    scanner.several = several
    list_rows = ListRows(rows, "rows")
    problems = list_rows.load(0, len(rows), unit, scanner, trees)
    found = []
    for t in range(len(rows)):
        ids, *nodes = trees.nodes(t)
        starts, ends, text_from, _ = trees.words(t)
        words = [trees.word(t, i) for i in range(len(text_from))]
        found.append(([scanner.labels[i] for i in ids], nodes, starts, ends, words, trees.is_timed(t)))
    assert scanner.several == several
    return found, {row: (type(error), str(error)) for row, error in problems.items()}


def loaded_one_by_one(*args):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "_load_timed", lambda *args: False)
        return loaded(*args)


def as_row(case, as_pair):
    times = [list(pair) for pair in case.times]
    return (case.brackets, times) if as_pair else {"brackets": case.brackets, "times": times}


# What may stand in place of a row: other shapes, and mistakes.
ODD = (
    "(A b)",
    None,
    ("()", []),
    ("(A b", [[0.0, 1.0]]),
    ("(A b) (A c)", [[0.0, 1.0], [1.0, 2.0]]),
    ("(A b<0,1> c<1,2>)", [[0.0, 1.0], [2.0, 3.0]]),
    ("(A (B 0=b) (B 1=c))", [[0.0, 1.0], [2.0, 3.0]]),
    ("(A b=c é)", [(0, 1), (1, 2)]),
    ("(A b c)", [[0.0, 1.0]]),
    ("(A b)", [[0.0, float("inf")]]),
    ("(A b)", [[0.0, 10**400]]),
    ("(A b)", [[True, "2"]]),
    ("(A b)", [[2.0, 1.0]]),
    ("(A b c)", [[0.0, 1.0], [0.5, 2.0]]),
    ("(A b)", [[1.0]]),
    ("(A b)", None),
    {"brackets": "(A b)", "times": ((0.0, 1.0),)},
    {"brackets": None, "times": []},
    {"label": "A", "word": "b", "start": 0.0, "end": 1.0},
)


@given(
    st.lists(CASES, min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from(["word", "char", "time"]),
    st.booleans(),
    st.sampled_from(["", *ODD]),
)
def test_bulk_and_one_by_one_agree(cases, as_pair, unit, several, odd):
    rows = [as_row(case, as_pair) for case in cases]
    if odd != "":
        rows.insert(1, odd)
    assert loaded(rows, unit, several) == loaded_one_by_one(rows, unit, several)


@pytest.mark.parametrize("unit", ["word", "char", "time"])
def test_rows_with_times_are_read_in_bulk(unit):
    rows = [("(A b=c é)", [(0, 1), (1, 2)]), {"brackets": "()", "times": []}]
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(rows_module, "as_tree")  # which reads one by one
        found, problems = loaded(rows, unit, False)
    assert not problems
    places = {"word": [0, 1, 1, 2], "char": [0, 3, 3, 4], "time": [0, 1, 1, 2]}
    _, _, starts, ends, words, timed = found[0]
    assert [starts[0], ends[0], starts[1], ends[1]] == places[unit]
    assert words == ["b=c", "é"]
    assert timed
    assert found[1][4:] == ([], False)


@given(st.lists(st.tuples(CASES, CASES), min_size=1, max_size=4))
def test_score_is_that_of_timed_brackets(pairs):
    metric = StructIoU(unit="time")
    rows = [[as_row(case, True) for case in side] for side in zip(*pairs, strict=True)]
    texts = [
        [str(SegmentTree.from_brackets(case.brackets).with_times(case.times)) for case in side]
        for side in zip(*pairs, strict=True)
    ]
    assert metric.corpus_score(*rows).as_dict() == metric.corpus_score(*texts).as_dict()

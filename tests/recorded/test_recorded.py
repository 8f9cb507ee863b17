"""The figures of every entry point are those on record, `data/recorded_figures.json`.

The record holds numbers, and what `perturb` and the tables of `parseval` print; names, signatures and
messages may change. Results are compared leaf by leaf: the path of a leaf is the keys down to it, with
slashes between, and rows stand as columns, so that `sentences/matched` is a list of numbers. Where a key gets
another name, the record does, too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache
from typing import Any

import pytest

from recorded.entry_points import ENTRY_POINTS, NEEDS, as_columns, lay_out
from support.extras import need
from support.hub import datasets_with_cache
from support.paths import DATA

pytestmark = pytest.mark.slow

RECORD = DATA / "recorded_figures.json"

# Entry points with figures that depend on the order in which a library adds numbers: equal but for rounding.
ROUNDED = {"compare", "curve", "paper", "ranking"}
# Paths of sums by label, which the record has as sums of batches.
SUMMED_BY_LABEL = re.compile("by_label/|_per_type/|labels/")

_MOST_LISTED = 20
_VERSION = re.compile(r"\|version:[^|]*")  # in the signatures that tables end with


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    lay_out(folder)
    return folder


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_figures_are_those_of_the_record(entry_point, folder, request):
    if entry_point in NEEDS:
        need(NEEDS[entry_point])
    if entry_point == "evaluate":
        request.getfixturevalue("evaluate")
    with datasets_with_cache(folder / "cache") if entry_point == "datasets" else nullcontext():
        now = json.loads(json.dumps(as_columns(ENTRY_POINTS[entry_point](folder)), allow_nan=False))
    differences = _differences(_record()[entry_point], now, rounded=entry_point in ROUNDED)
    assert not differences, "\n".join([f"{len(differences)} differences", *differences[:_MOST_LISTED]])


def test_record_has_all_entry_points():
    assert {*ROUNDED, *NEEDS} <= set(ENTRY_POINTS)
    assert set(_record()) == set(ENTRY_POINTS)


@pytest.mark.parametrize(
    "now, wanted",
    [
        ({"rows": {"x": [0.5, 1.0]}, "more": 1}, []),
        ({"rows": {"x": [0.5, 1.0 + 2**-52]}}, ["a/rows/x: row 1: 1.0 on record, 1.0000000000000002 found"]),
        ({"rows": {"x": [0.5]}}, ["a/rows/x: [0.5, 1.0] on record, [0.5] found"]),
        ({"rows": {}}, ["a/rows/x: missing"]),
    ],
)
def test_differences_are_listed(now, wanted):
    assert _differences({"a": {"rows/x": [0.5, 1.0]}}, {"a": now}) == wanted


def test_rounding_is_passed_over_where_it_may_be():
    record = {"a": {"x": [1.0, 3]}}
    assert not _differences(record, {"a": {"x": [1.0 + 1e-12, 3]}}, rounded=True)
    assert _differences(record, {"a": {"x": [1.0 + 1e-8, 3]}}, rounded=True)
    assert _differences(record, {"a": {"x": [1.0 + 1e-12, 3]}})


@cache
def _record() -> dict[str, Any]:
    record: dict[str, Any] = json.loads(RECORD.read_text("utf-8"))
    return record


def _differences(record: dict[str, Any], now: dict[str, Any], *, rounded: bool = False) -> list[str]:
    """Return a line for each figure of the record that is missing or different."""
    found = []
    for run, figures in record.items():
        today = dict(_leaves(now.get(run, {})))
        for path, value in figures.items():
            near = rounded or SUMMED_BY_LABEL.search(path) is not None
            if path not in today:
                found.append(f"{run}/{path}: missing")
            elif not _equal(value, today[path], near):
                found.append(f"{run}/{path}: {_first_difference(value, today[path], near)}")
    return found


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield paths and values: texts, numbers, and lists of them."""
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        value = {str(i): item for i, item in enumerate(value)}
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{path}/{key}" if path else key)
    else:
        yield path, value


def _equal(recorded: Any, now: Any, rounded: bool) -> bool:
    if isinstance(recorded, list) and isinstance(now, list):
        same_length = len(recorded) == len(now)
        return same_length and all(_equal(*pair, rounded) for pair in zip(recorded, now, strict=True))
    if isinstance(recorded, str) and isinstance(now, str):
        return _VERSION.sub("", recorded) == _VERSION.sub("", now)
    if rounded and isinstance(recorded, float) and isinstance(now, float):
        return math.isclose(recorded, now, rel_tol=1e-9, abs_tol=1e-12)
    return bool(recorded == now)


def _first_difference(recorded: Any, now: Any, rounded: bool) -> str:
    if isinstance(recorded, list) and isinstance(now, list) and len(recorded) == len(now):
        for i, pair in enumerate(zip(recorded, now, strict=True)):
            if not _equal(*pair, rounded):
                return f"row {i}: {_first_difference(*pair, rounded)}"
    return f"{recorded!r} on record, {now!r} found"

"""No figure is another than in version 0.1.0: every door gives what `data/recorded_0.1.0.json` holds.

Results are compared leaf by leaf. The path of a leaf is the name of its run and the keys down to it, with
slashes between; rows stand as columns, so that `english/sentences/matched` is a list of numbers. Names and
forms that have changed on purpose are told in `CHANGES`.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from recorded.doors import DOORS, NEEDS
from support.extras import need
from support.process import PATIENCE

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]
RECORD = CHECKOUT / "tests" / "data" / "recorded_0.1.0.json"


class Changes(NamedTuple):
    """What is not as it was recorded, on purpose; paths by regular expressions, which are searched for.

    Attributes:
        renamed: Parts of the record's paths, and what stands there now; all are replaced, in this order,
            such as `{"/num_": "/n_", "/failed$": "/status"}`.
        old_form: Paths of now, and a function from a value of now to that of the record, such as
            `{"/status$": lambda column: [status != "valid" for status in column]}`.
        differs: Paths of the record that are not compared.
        added: Paths of now that the record does not have.
    """

    renamed: Mapping[str, str] = MappingProxyType({})
    old_form: Mapping[str, Callable[[Any], Any]] = MappingProxyType({})
    differs: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


# Of every door: results tell what is suspicious, and errors say what differs instead of one advice for all.
WARNINGS = ("warnings(/|$)", "/schema$")
ADVICE = ("/problems/message$",)

# By door.
CHANGES: dict[str, Changes] = {
    # Rows of all metrics have the same vocabulary: a status, and all columns.
    "score": Changes(
        renamed={"/sentences/failed$": "/sentences/status"},
        old_form={"/status$": lambda column: [status == "zeroed" for status in column]},
        added=("/sentences/n_lengthless$",),
    ),
    "curve": Changes(added=("/struct_iou_(precision|recall)$",)),
    # Any two metrics are correlated, with repeats: what is said of each stands by its name.
    "paper": Changes(
        renamed={
            "^(correlation.*)/parseval_signature$": r"\1/signatures/parseval",
            "^(correlation.*)/signature$": r"\1/signatures/struct_iou",
            "^(correlation.*)/n_parseval$": r"\1/n_left_out/parseval",
            "^(correlation.*)/n_skipped$": r"\1/n_left_out/struct_iou",
            "^(correlation.*)/(parseval|struct_iou)$": r"\1/figures/\2",
            "/signatures/figures/": "/signatures/",
            "/n_left_out/figures/": "/n_left_out/",
        },
        added=("^correlation.*/rho(s|_mean|_sd)(/|$)",),
    ),
    # The headline has the metric's name, and figures of rows that do not count are None.
    "parseval": Changes(
        old_form={
            "/sentences/(f1|precision|recall)$": lambda column: [
                0.0 if value is None else value for value in column
            ]
        },
        added=(
            "/parseval$",
            "/sentences/(complete|unlabeled)$",
            "/(unlabeled_)?sentence_f1$",
            "/unlabeled_(f1|precision|recall)$",
        ),
    ),
    # Counts are called as everywhere, and rows of all metrics have the same vocabulary.
    "evaluate": Changes(
        renamed={"/num_": "/n_", "/sentences/failed$": "/sentences/status"},
        old_form={"/status$": lambda column: [status == "zeroed" for status in column]},
        added=("/sentences/n_lengthless$",),
    ),
    # Metrics are named by a flag, counts stand by metric, and notes are worded for any metric; they also tell
    # what is suspicious, as function tags are where labels are compared as they are.
    "compare": Changes(
        renamed={
            "--no-parseval": "--metrics struct_iou",
            "/n_sentences$": "/n_sentences/struct_iou",
            "/n_parseval$": "/n_sentences/parseval",
            "/counts/n_parseval_": "/counts/parseval/n_",
            "/counts/n_": "/counts/struct_iou/n_",
        },
        # Intervals of few sentences are by BCa; sentences are ordered by nodes lost, failed parses apart.
        differs=(
            "--no-parseval.*/(n_parseval$|.*/parseval_f1/)",
            "/notes$",
            "/(figures/[a-z0-9_]+|interval)/(low|high)$",
            "/sentences/",
        ),
        added=(
            "/method$",
            "/causes(/|$)",
            "/(sentences|failed)(/|$)",
            "/n_(failed|clusters)(/|$)",
            "/lengths/figures/.*_(precision|recall)/",
            "/counts/struct_iou/n_errors$",
            "/counts/parseval/n_(zeroed|empty)$",
        ),
    ),
    "spacy": Changes(added=("/struct_iou_counts/trees_(pred|ref)$",)),
    # Intervals of few sentences are by BCa.
    # On a board, sentences that ParsEval leaves out count as failed parses.
    "ranking": Changes(differs=("/interval/(low|high)$", "^english-parseval/interval/value$")),
    # What is kept of each metric has the same form; how many rows are valid is told by their statuses.
    "board": Changes(
        renamed={
            "txt/(columns/|signature$)": r"txt/metrics/struct_iou/\1",
            "txt/(sentence|corpus|precision|recall)$": r"txt/metrics/struct_iou/figures/struct_iou_\1",
            "txt/parseval/columns/status$": "txt/metrics/parseval/status",
            "txt/parseval/columns/": "txt/metrics/parseval/columns/",
            "txt/parseval/(f1|precision|recall)$": r"txt/metrics/parseval/figures/parseval_\1",
        },
        differs=(
            "/parseval$",
            "/parseval/n_valid$",
            "^english.*txt/parseval/(columns/(status|n_ref)|f1|recall)$",
        ),
        added=(
            "/metrics/[a-z_]+/(refused|rows)$",
            "/metrics/struct_iou/(status|columns/n_lengthless)$",
            "/metrics/parseval/signature$",
            "/metrics/parseval/columns/(complete|correct_tags|crossing|length|unlabeled|words)$",
            "/parseval_(sentence_f1|unlabeled_[a-z0-9_]+)$",
            "/parseval_(average_crossing|complete_match|no_crossing|tagging_accuracy|two_or_less_crossing)$",
        ),
    ),
}

# Doors with figures that hang on the order in which a library adds numbers: equal but for rounding.
ROUNDED = {"compare", "curve", "paper", "ranking"}
# Paths of sums by label, which are exact now and were rounded with every batch.
SUMMED_BY_LABEL = ("/by_label/", "_per_type/", "/labels/")

_MOST_TOLD = 20
_VERSION = re.compile(r"\|texts:same|\|version:[^|]*")  # in signatures; the record knows no other texts


@pytest.mark.parametrize("door", DOORS)
def test_figures_are_those_of_the_record(door, tmp_path):
    if door in NEEDS:
        need(NEEDS[door])
    out = tmp_path / "now.json"
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("doors.py")), str(out), door],
        capture_output=True,
        cwd=CHECKOUT,
        encoding="utf-8",
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    now = json.loads(out.read_text("utf-8"))[door]
    changes = CHANGES.get(door, Changes())
    changes = changes._replace(differs=(*changes.differs, *ADVICE), added=(*changes.added, *WARNINGS))
    told = _differences(_record()[door], now, changes, rounded=door in ROUNDED)
    assert not told, "\n".join([f"{len(told)} differences", *told[:_MOST_TOLD]])


def test_tables_are_of_doors():
    assert {*CHANGES, *ROUNDED, *NEEDS} <= set(DOORS)
    assert set(_record()) == set(DOORS)


_BEFORE = {"a": {"x": [0.5, 1.0], "failed": [False, True], "text": "m|version:1"}}


@pytest.mark.parametrize(
    "now, told",
    [
        ({}, []),
        ({"text": "m|version:2"}, []),
        ({"text": "n|version:1"}, ["a/text: 'm|version:1' was recorded, 'n|version:1' found"]),
        (
            {"x": [0.5, 1.0 + 2**-52]},
            ["a/x: row 1: 1.0 was recorded, 1.0000000000000002 found"],
        ),
        ({"x": [0.5]}, ["a/x: [0.5, 1.0] was recorded, [0.5] found"]),
        ({"y": 1}, ["a/y: new"]),
    ],
)
def test_differences_are_told(now, told):
    assert _differences(_BEFORE, {"a": _BEFORE["a"] | now}, Changes()) == told


def test_rounding_is_passed_over_where_told():
    assert not _differences({"a": [1.0, 3]}, {"a": [1.0 + 1e-12, 3]}, Changes(), rounded=True)
    assert _differences({"a": [1.0, 3]}, {"a": [1.0 + 1e-8, 3]}, Changes(), rounded=True)


def test_changes_are_followed():
    now = {"a": {"figures": {"x": [0.5, 1.0]}, "status": ["valid", "zeroed"], "text": 1, "more": {"y": 2}}}
    changes = Changes(
        renamed={"/x$": "/figures/x", "/failed$": "/status"},
        old_form={"/status$": lambda column: [status != "valid" for status in column]},
        differs=("/text$",),
        added=("/more/",),
    )
    assert _differences(_BEFORE, now, changes) == []
    assert _differences(_BEFORE, now, Changes()) == [
        "a/failed: gone",
        "a/figures/x: new",
        "a/more/y: new",
        "a/status: new",
        "a/text: 'm|version:1' was recorded, 1 found",
        "a/x: gone",
    ]


@cache
def _record() -> dict[str, Any]:
    record: dict[str, Any] = json.loads(RECORD.read_text("utf-8"))
    return record


def _differences(recorded: Any, now: Any, changes: Changes, *, rounded: bool = False) -> list[str]:
    """What is not as it was, a line each."""
    today = dict(_leaves(now))
    told = []
    for old, value in _leaves(recorded):
        path = old
        for part, new in changes.renamed.items():
            path = re.sub(part, new, path)
        found = today.pop(path, _leaves)
        if _is_in(changes.differs, old):
            continue
        if found is _leaves:
            told.append(f"{path}: gone")
            continue
        for pattern, function in changes.old_form.items():
            if re.search(pattern, path):
                found = function(found)
        near = rounded or _is_in(SUMMED_BY_LABEL, path)
        if not _equal(value, found, near):
            told.append(f"{path}: {_first_difference(value, found, near)}")
    told += [f"{path}: new" for path in today if not _is_in(changes.added, path)]
    return sorted(told)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Paths and values: texts, numbers, and lists of them."""
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        value = {str(i): item for i, item in enumerate(value)}
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{path}/{key}" if path else key)
    else:
        yield path, value


def _is_in(patterns: tuple[str, ...], path: str) -> bool:
    return any(re.search(pattern, path) for pattern in patterns)


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
    return f"{recorded!r} was recorded, {now!r} found"

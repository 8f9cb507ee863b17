"""The benchmark of this door runs and its values agree; nothing here judges speed."""

from __future__ import annotations

from support.bench import quick_run
from support.extras import need

need("evaluate")


def test_bench_quick_run_agrees(evaluate, tmp_path):
    rows = quick_run("bench_evaluate.py", tmp_path / "out.json")
    assert [row["same"] for row in rows if row["kind"] == "agree"] == [True, True]
    assert [row["at_most"] for row in rows if row["kind"] == "limit"] == [1.6, 1.6]

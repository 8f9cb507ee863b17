"""The benchmark of the Space runs and its values agree; nothing here judges speed."""

from __future__ import annotations

from support.bench import quick_run
from support.extras import need

need("gradio")


def test_bench_quick_run_agrees(tmp_path):
    rows = quick_run("bench_space.py", tmp_path / "out.json")
    assert [row["same"] for row in rows if row["kind"] == "agree"] == [True]
    assert [row["at_most"] for row in rows if row["kind"] == "limit"] == [2.0, 1.0]

"""The benchmark of ParsEval runs and its values agree; nothing here judges speed."""

from __future__ import annotations

from pathlib import Path

from support.bench import quick_run


def test_bench_quick_run_agrees(tmp_path: Path) -> None:
    rows = quick_run("bench_parseval.py", tmp_path / "out.json")
    assert sum(row["kind"] == "limit" for row in rows) == 3
    assert [row["same"] for row in rows if row["kind"] == "agree"] == [True, True]

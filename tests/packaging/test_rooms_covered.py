"""The table of `make coverage`."""

from __future__ import annotations

import json

from support.rooms_covered import main


def summary(lines, covered, branches, taken):
    counts = {"num_statements": lines, "covered_lines": covered}
    return {"summary": {**counts, "num_branches": branches, "covered_branches": taken}}


def test_files_add_up_by_room(tmp_path, capsys):
    files = {
        "structiou_metric/trees/spans.py": summary(10, 9, 4, 1),
        "structiou_metric/trees/deep/er.py": summary(30, 11, 0, 0),
        "structiou_metric/errors.py": summary(5, 5, 0, 0),
        "hf_space/app.py": summary(55, 25, 16, 3),
    }
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps({"files": files}), encoding="utf-8")
    main(str(path))
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [
        ["(top", "level)", "5", "100.0%", "0", "0.0%", "100.0%"],
        ["hf_space", "55", "45.5%", "16", "18.8%", "39.4%"],
        ["trees", "40", "50.0%", "4", "25.0%", "47.7%"],
        ["all", "100", "50.0%", "20", "20.0%", "45.0%"],
    ]

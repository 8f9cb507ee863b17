"""Small benchmarks for tests of the Space: their trees, descriptions and folders."""

from __future__ import annotations

import re

REFERENCE = [
    "(S (NP (DT the) (NN dog)) (VP (VBD barked)))",
    "(S (NP (PRP we)) (VP (VBP see) (NP (PRP it))))",
    "(S (NP (NN rain)) (VP (VBD fell)))",
]
WORSE = [
    "(S (NP (DT the) (NN dog)) (VP (VBD barked)))",
    "(S (NP (PRP we)) (VP (VBP see)) (NP (PRP it)))",
    "(S (NP (NN rain)) (VP (VBD fell)))",
]
SECRET = [re.sub(r"[a-z]+(?=\))", "xyzzy", tree) for tree in REFERENCE]  # must never be seen
HEBREW = ["(S (NP (NN הבית)) (ADJP (JJ גדול)))"]
HOST_TOKEN = "a-token-of-the-host"
DESCRIPTION = """
title = "Small English"
language = "English"
description = "Three sentences."
reference = "gold.txt"
gold = { public = true }

[metrics.parseval]
parameters = "collins"

[metrics.struct_iou]
labels = "base"
"""
PRIVATE = DESCRIPTION.replace("gold = { public = true }\n", "")


def write_benchmark(folder, name, description=DESCRIPTION, trees=REFERENCE):
    """Write the folder of a benchmark and return its path."""
    path = folder / name
    path.mkdir(parents=True)
    (path / "benchmark.toml").write_text(description, "utf-8")
    (path / "gold.txt").write_text("\n".join(trees) + "\n", "utf-8")
    return path


def scored_rows(submissions, results):
    """Return submissions with their results as the database returns them."""
    from leaderboard.store import Scored

    return [
        Scored(
            item,
            result["setting"],
            result["version"],
            result["ranking"] and result["ranking"]["value"],
            result["ranking"] and result["ranking"]["shown"],
            {name: value for name, value in result.items() if name != "rows"},
        )
        for item, result in zip(submissions, results, strict=True)
    ]


def rank_results(benchmark, submissions, results):
    """Return the board of some submissions when everything on it was tested."""
    from leaderboard import ranking

    scored = scored_rows(submissions, results)
    by_name = {item.id: result for item, result in zip(submissions, results, strict=True)}
    tests = {}
    while True:
        exact = benchmark.gold.public
        entries, untested = ranking.rank_systems(benchmark, scored, tests, exact=exact)
        if not untested:
            return entries
        for first, second in untested:
            tests[first, second] = ranking.p_value_of(benchmark, by_name[first], by_name[second])

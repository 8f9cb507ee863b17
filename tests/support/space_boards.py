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

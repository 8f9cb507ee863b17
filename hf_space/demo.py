"""Baselines that fill an empty leaderboard, so that a newcomer sees a live one.

Each demo benchmark has the trees of a made-up parser in `baseline.txt`; the others are these, perturbed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from leaderboard.benchmarks import Benchmark
from leaderboard.people import Visitor
from leaderboard.service import Leaderboard
from leaderboard.settings import Settings
from structiou_metric import SegmentTree, TreeFormatError, read_trees
from structiou_metric.analysis.perturbation import KINDS, perturb

BASELINE = "baseline.txt"

_DEMO = Visitor("demo", "demo")
_LEVELS = (0.2, 0.5)
_TRIES = 20


def add_baselines(settings: Settings) -> int:
    """Submits the baselines of all benchmarks that have some, unless there are submissions already.

    Returns:
        How many were submitted. They are scored when the leaderboard is started.
    """
    board = Leaderboard(settings.model_copy(update={"daily_per_user": 1000, "daily_per_address": 1000}))
    if board.store.all():
        return 0
    n_added = 0
    for benchmark in board.benchmarks.values():
        path = benchmark.reference.with_name(BASELINE)
        if path.is_file():
            for system, trees in _baselines(benchmark, path):
                text = "".join(f"{tree}\n" for tree in trees)
                board.submit(_DEMO, benchmark.name, system, "", "", text.encode())
                n_added += 1
    return n_added


def _baselines(benchmark: Benchmark, path: Path) -> Iterator[tuple[str, list[str]]]:
    """The names and trees; only perturbations after which the benchmark can still compare the trees."""
    unit = benchmark.metric.options.unit
    trees = read_trees(path, layout=benchmark.layout)
    yield "baseline", [tree.to_brackets() for tree in trees]
    yield "baseline, flat", [_flatten(tree).to_brackets() for tree in trees]
    kinds = {"word": (), "char": ("insert",), "time": KINDS}[unit]
    for kind in kinds:
        for delta in _LEVELS:
            yield (
                f"baseline, {kind} {delta}",
                [_perturbed(tree, kind, delta, row, unit) for row, tree in enumerate(trees)],
            )


def _perturbed(tree: SegmentTree, kind: str, delta: float, row: int, unit: str) -> str:
    """The tree with other words; over characters, the first try in which every word has one."""
    for attempt in range(_TRIES):
        moved = perturb(tree, kind, delta, Random(f"{row}/{attempt}"))
        try:
            return moved.to_brackets(times=unit == "time")
        except TreeFormatError:  # a word without letters cannot be written without times
            continue
    return tree.to_brackets()


def _flatten(tree: SegmentTree) -> SegmentTree:
    """The tree with all preterminals right under the root."""
    if not tree:
        return tree
    kept = [i for i in range(len(tree)) if tree.sizes[i] == 1 or i == len(tree) - 1]
    spans = [{"label": tree.labels[i], "start": tree.firsts[i], "end": tree.lasts[i]} for i in reversed(kept)]
    flat = SegmentTree.from_spans(spans, "word", words=tree.words)
    return flat if tree.times is None else flat.with_times(tree.times)

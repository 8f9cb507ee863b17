"""The cost of the door `evaluate`: `python tests/bench/bench_evaluate.py [--quick] [--json FILE]`.

`compute()` on bracket strings must cost at most 1.6 times as much as the core and a metric that does
nothing with the same strings together. All of it is measured in one run. Exit code 1 if not so, or if
a value differs.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import machine
from bench.corpus import Corpus
from bench.grammar import Grammar, write
from bench.report import Report, interleave
from structiou_metric import COMPILED, StructIoU, metric_path
from support.random_trees import mutate

_DO_NOTHING = """
import datasets
import evaluate

class DoNothing(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description="",
            citation="",
            features=datasets.Features({"predictions": text, "references": text}),
        )

    def _compute(self, predictions, references):
        return {"rows": len(predictions)}
"""


def make_pairs(n_pairs: int, n_words: int = 25, seed: int = 5) -> Corpus:
    """Sentences of equal length; half of the predictions have three errors."""
    rng = Random(seed)
    grammar = Grammar(rng)
    references = [write(grammar.sentence(n_words)) for _ in range(n_pairs)]
    return Corpus(references, [mutate(rng, tree, 3) if k % 2 else tree for k, tree in enumerate(references)])


def measure(report: Report, load: Callable[..., Any], folder: Path, n_pairs: int, rounds: int) -> None:
    """All comparisons."""
    corpus = make_pairs(n_pairs)
    columns = {"predictions": corpus.predictions, "references": corpus.references}
    do_nothing = folder / "do_nothing.py"
    do_nothing.write_text(_DO_NOTHING, encoding="utf-8")
    first = interleave(1, {"load": partial(load, metric_path())})["load"]
    report.section("loading")
    report.times("the first time", first, "imports and copies the script")
    report.times("again", interleave(rounds, {"load": partial(load, metric_path())})["load"])
    for name, options in (("on disk", {}), ("in memory", {"keep_in_memory": True})):
        report.section(f"compute() on {corpus.describe()}, kept {name}")
        ours, nothing = load(metric_path(), **options), load(str(do_nothing), **options)
        tasks: dict[str, Callable[[], object]] = {
            "core": partial(StructIoU().corpus_score, **columns),
            "nothing": partial(nothing.compute, **columns),
            "ours": partial(ours.compute, **columns),
        }
        core = StructIoU().corpus_score(**columns)
        report.agree("evaluate and core", [ours.compute(**columns)["struct_iou"]], [core.sentence], 0.0)
        seconds = interleave(rounds, tasks)
        report.times("the core alone", seconds["core"])
        report.times("a metric that does nothing", seconds["nothing"])
        report.times("ours", seconds["ours"])
        best = min(seconds["ours"]) / (min(seconds["core"]) + min(seconds["nothing"]))
        middle = median(seconds["ours"]) / (median(seconds["core"]) + median(seconds["nothing"]))
        report.limit("ours / (core + doing nothing)", best, at_most=1.6, note=f"medians {middle:.2f}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all, in a cache of its own and offline."""
    parser = argparse.ArgumentParser(description="Times the metric through `evaluate`.")
    parser.add_argument("--quick", action="store_true", help="small and few; limits are not judged")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers there")
    args = parser.parse_args(argv)
    why_not = "a quick run" if args.quick else "not compiled"
    report = Report(judged=COMPILED and not args.quick, why_not=why_not)
    with tempfile.TemporaryDirectory(prefix="structiou-bench-") as folder:
        os.environ.update(HF_HOME=folder, HF_EVALUATE_OFFLINE="1", HF_HUB_OFFLINE="1")
        from evaluate import load  # reads its settings from the environment

        versions = {name: metadata.version(name) for name in ("evaluate", "datasets", "pyarrow")}
        about = {**machine.describe(None), **versions}
        del about["prototype"]  # has no part in this
        for name, value in about.items():
            print(f"{name:<12} {value}")
        measure(report, load, Path(folder), *((100, 2) if args.quick else (2500, 25)))
    return report.finish(args.json, about)


if __name__ == "__main__":
    sys.exit(main())

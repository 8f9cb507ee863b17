"""The cost of the door `datasets`: `python tests/bench/bench_datasets.py [--quick] [--json FILE]`.

`score_dataset` on 100,000 rows must cost at most 1.3 times as much as the core on lists, and hold no
more than a piece of the dataset and a few numbers a row. Trees in other shapes than brackets, in lists
and in nested columns, must cost at most some times as much. All of it is measured in one run. Exit code 1
if not so, or if a value differs.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import machine
from bench.corpus import make_corpus
from bench.report import Report, interleave
from structiou_metric import COMPILED, SegmentTree, StructIoU
from structiou_metric.hf_datasets import ColumnConverter

_MEMORY = '''
import json, sys, threading
from datasets import load_from_disk
from structiou_metric import StructIoU

def own_memory():
    """MiB in use, without the pages of mapped files, which the system takes back when it needs them."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:")) / 1024

def watch():
    while not done.wait(0.002):
        seen.append(own_memory())

dataset = load_from_disk(sys.argv[1])
metric = StructIoU()
metric.score_dataset(dataset.select(range(300)), "prediction", "reference")  # brings all modules in
done, seen = threading.Event(), [own_memory()]
watcher = threading.Thread(target=watch)
watcher.start()
metric.score_dataset(dataset, "prediction", "reference").by_label
done.set()
watcher.join()
print(json.dumps({"before": seen[0], "most": max(seen)}))
'''


def make_dataset(folder: Path, n_rows: int, columns: dict[str, list[str]]) -> Any:
    """The columns over and over, saved and mapped into memory, with a column that nobody asks for."""
    from datasets import Dataset, concatenate_datasets, load_from_disk

    rows = len(columns["reference"])
    once = Dataset.from_dict({**columns, "id": list(range(rows))})
    times = -(-n_rows // rows)
    path = folder / f"rows{n_rows}"
    concatenate_datasets([once] * times).select(range(n_rows)).flatten_indices().save_to_disk(path)
    return path, load_from_disk(path)


def measure_cost(report: Report, folder: Path, n_rows: int, rounds: int) -> None:
    """Beside the core on lists."""
    corpus = make_corpus(120 if n_rows < 10_000 else 2400)
    columns = {"prediction": corpus.predictions, "reference": corpus.references}
    _, dataset = make_dataset(folder, n_rows, columns)
    lists = corpus.repeated(n_rows)
    core = partial(StructIoU().corpus_score, lists.predictions, lists.references)
    ours = partial(StructIoU().score_dataset, prediction_column="prediction", reference_column="reference")
    kinds: dict[str, tuple[Any, float | None]] = {
        "Dataset": (dataset, 1.3),
        "IterableDataset": (dataset.to_iterable_dataset(), 1.3),
        "Dataset, shuffled": (dataset.shuffle(seed=1), None),  # datasets gathers its rows one by one
    }
    report.section(f"score_dataset on {n_rows:,} rows: {corpus.describe()}, repeated")
    want = core().sentence
    for name, (kind, _) in kinds.items():
        report.agree(f"{name} and core", [ours(kind).sentence], [want], 1e-12)
    tasks: dict[str, Callable[[], object]] = {"core": core}
    tasks |= {name: partial(ours, kind) for name, (kind, _) in kinds.items()}
    seconds = interleave(rounds, tasks)
    report.times("the core on lists", seconds["core"])
    for name, (_, at_most) in kinds.items():
        report.times(name, seconds[name])
        report.ratio(f"{name} / core", seconds[name], seconds["core"], at_most=at_most)


def measure_shapes(report: Report, n_rows: int, rounds: int) -> None:
    """Trees in other shapes beside the same trees in brackets, by the processor's time."""
    from datasets import Dataset

    corpus = make_corpus(n_rows)
    sides = [
        [SegmentTree.from_brackets(text) for text in texts]
        for texts in (corpus.predictions, corpus.references)
    ]
    timed = [[tree.with_times(_times(tree)) for tree in trees] for trees in sides]

    def dataset(trees: list[list[SegmentTree]], shape: str, unit: str = "word") -> Any:
        columns = {"p": [tree.to_brackets() for tree in trees[0]], "r": [str(tree) for tree in trees[1]]}
        written = Dataset.from_dict(columns)
        for column in columns:
            written = ColumnConverter(column, to=shape, unit=unit).apply(written)
        return written

    def lists(write: Callable[[SegmentTree], Any]) -> Callable[[], Any]:
        return partial(StructIoU().corpus_score, *([write(tree) for tree in trees] for trees in sides))

    words, seconds = StructIoU(), StructIoU(unit="time")
    # By what the trees are in; at most so many times the cost of brackets.
    kinds: dict[str, tuple[Callable[[], Any], float]] = {
        "nltk trees": (lists(SegmentTree.to_nltk), 18.0),
        "nested dicts": (lists(SegmentTree.to_dict), 18.0),
        "column of JSON": (partial(words.score_dataset, dataset(sides, "json"), "p", "r"), 28.0),
        "column of spans": (partial(words.score_dataset, dataset(sides, "spans"), "p", "r"), 36.0),
        "nested flat columns": (partial(words.score_dataset, dataset(sides, "columns"), "p", "r"), 34.0),
    }
    timed_kinds: dict[str, tuple[Callable[[], Any], float]] = {
        f"{name}, seconds": (partial(seconds.score_dataset, dataset(timed, shape, "time"), "p", "r"), limit)
        for name, shape, limit in (
            ("brackets and times", "brackets_times", 9.0),
            ("column of spans", "spans", 36.0),
            ("nested flat columns", "columns", 34.0),
        )
    }
    report.section(f"other shapes than brackets, on {n_rows:,} pairs")
    for brackets, found in (
        (lists(str), kinds),
        (partial(seconds.corpus_score, *([str(tree) for tree in trees] for trees in timed)), timed_kinds),
    ):
        for name, (task, _) in found.items():
            report.agree(f"{name} and brackets", [task().sentence], [brackets().sentence], 0.0)
        tasks = {"brackets": brackets, **{name: task for name, (task, _) in found.items()}}
        gc.collect()
        gc.freeze()  # what this benchmark holds is not to be gone through again and again
        took = interleave(rounds, tasks, process_time)
        gc.unfreeze()
        for name, (_, at_most) in found.items():
            report.ratio(f"{name} / brackets", took[name], took["brackets"], at_most=at_most)


def _times(tree: SegmentTree) -> list[tuple[float, float]]:
    """Half of each half second."""
    return [(word / 2, word / 2 + 0.25) for word in range(len(tree.words))]


def measure_memory(report: Report, folder: Path, sizes: Sequence[int]) -> None:
    """In processes of their own."""
    report.section("memory of a process beyond what it has with all modules imported; labels, too")
    if not Path("/proc/self/status").exists():
        report.fact("memory", "left out: only Linux tells")
        return
    corpus = make_corpus(120)
    columns = {"prediction": corpus.predictions, "reference": corpus.references}
    environment = machine.environment_with_package(folder / "bytecode")
    for n_rows in sizes:
        path, _ = make_dataset(folder, n_rows, columns)
        command = [sys.executable, "-c", _MEMORY, str(path)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
        seen = json.loads(done.stdout)
        note = f"{seen['before']:.0f} MiB before"
        report.limit(f"{n_rows:,} rows", seen["most"] - seen["before"], at_most=32.0, unit=" MiB", note=note)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all, in a cache of its own and offline."""
    parser = argparse.ArgumentParser(description="Times the metric on columns of `datasets`.")
    parser.add_argument("--quick", action="store_true", help="small and few; limits are not judged")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers there")
    args = parser.parse_args(argv)
    why_not = "a quick run" if args.quick else "not compiled"
    report = Report(judged=COMPILED and not args.quick, why_not=why_not)
    with tempfile.TemporaryDirectory(prefix="structiou-bench-") as name:
        folder = Path(name)
        os.environ.update(HF_HOME=name, HF_HUB_OFFLINE="1", HF_DATASETS_DISABLE_PROGRESS_BARS="1")
        versions = {name: metadata.version(name) for name in ("datasets", "pyarrow")}
        about = {**machine.describe(None), **versions}
        del about["prototype"]  # has no part in this
        for name, value in about.items():
            print(f"{name:<12} {value}")
        measure_cost(report, folder, *((2000, 2) if args.quick else (100_000, 7)))
        measure_shapes(report, *((120, 2) if args.quick else (2400, 7)))
        measure_memory(report, folder, (1000, 2000) if args.quick else (25_000, 100_000, 400_000))
    return report.finish(args.json, about)


if __name__ == "__main__":
    sys.exit(main())

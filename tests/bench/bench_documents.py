"""The cost of documents: `python tests/bench/bench_documents.py [--quick] [--json FILE]`.

Two sides of a recording, with times that are a little off and sentences that end elsewhere, are compared as
documents, with their pairs, as one tree each, and whatever the labels. Time must grow about as fast as the
recording: 10,000 words in under 0.5 s and 100 MiB, 100,000 in under 6 s and 1 GiB. Trees that share nothing
and are one deep comb each must be refused before they fill the memory of a small machine. Every recording is
scored in a process of its own, whose memory is that of the whole process: its peak over what it had when all
trees were there as text. Times are those of the processor. Exit code 1 if a limit is not kept, or if two ways
do not agree.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import machine
from bench.corpus import comb
from bench.fresh import peak_mebibytes
from bench.report import Report
from bench.talks import Talk, make_talk, wrapped
from structiou_metric import StructIoU

_SIZES = (1_000, 10_000, 100_000)  # words a side
_LIMITS = {10_000: (0.5, 100.0), 100_000: (6.0, 1024.0)}  # seconds and MiB
_EXPONENT = 1.2
_COMB = 20_000  # words
_SMALL = {"SC_PHYS_PAGES": 2**19, "SC_PAGE_SIZE": 2**12}  # a machine with 2 GiB

_UNLABELED = StructIoU(unit="time", labels="ignore")
_METRIC = StructIoU(unit="time")
_TASKS: dict[str, Callable[[Talk, Talk], float]] = {
    "documents": lambda p, r: _METRIC.corpus_score([p], [r], documents=True).corpus,
    "documents, with their pairs": lambda p, r: _METRIC.align(p, r, documents=True).score,
    "one tree a side": lambda p, r: _METRIC.corpus_score([wrapped(p)], [wrapped(r)]).corpus,
    "documents, unlabeled": lambda p, r: _UNLABELED.corpus_score([p], [r], documents=True).corpus,
}


def measure_here(n_words: int, task: str, rounds: int) -> dict[str, float]:
    """What a task takes in this process: the best time, memory, and what was found."""
    prediction, reference = make_talk(n_words)
    before = peak_mebibytes()
    seconds = []
    for _ in range(rounds):
        begin = process_time()
        score = _TASKS[task](prediction, reference)
        seconds.append(process_time() - begin)
    return {"seconds": min(seconds), "mebibytes": peak_mebibytes() - before, "score": score}


def refuse_here() -> dict[str, Any]:
    """How a pair that needs more memory than a small machine has ends in this process."""
    os.sysconf = _SMALL.__getitem__  # type: ignore[assignment]
    documents = [[comb(_COMB, "left")]], [[comb(_COMB, "right")]]
    before, begin = peak_mebibytes(), process_time()
    told = ""
    try:
        StructIoU(labels="ignore").corpus_score(*documents, documents=True)
    except MemoryError as error:
        told = str(error)
    return {"told": told, "seconds": process_time() - begin, "mebibytes": peak_mebibytes() - before}


def measure_apart(*arguments: object, bytecode: Path) -> dict[str, Any]:
    """What `main` finds out in a process of its own."""
    command = [sys.executable, __file__, "--here", *map(str, arguments)]
    environment = machine.environment_with_package(bytecode)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(report: Report, sizes: Sequence[int], rounds: int, bytecode: Path) -> None:
    """All tasks, each over recordings of several lengths."""
    for task in _TASKS:
        report.section(task)
        found = [measure_apart(n, task, rounds, bytecode=bytecode) for n in sizes]
        for n, one in zip(sizes, found, strict=True):
            report.fact(f"{n:,} words", f"{one['seconds']:.3f} s, {one['mebibytes']:.0f} MiB", **one)
            seconds, mebibytes = _LIMITS.get(n, (None, None))
            if seconds is not None and mebibytes is not None:
                report.limit(f"{n:,} words, time", one["seconds"], at_most=seconds, unit=" s")
                report.limit(f"{n:,} words, memory", one["mebibytes"], at_most=mebibytes, unit=" MiB")
        growth = log(found[-1]["seconds"] / found[0]["seconds"]) / log(sizes[-1] / sizes[0])
        report.limit("growth, as a power of the length", growth, at_most=_EXPONENT, unit="")
        if task == "documents, with their pairs":
            scores = [measure_apart(n, "documents", 1, bytecode=bytecode)["score"] for n in sizes[:2]]
            report.agree("the pairs add up to the score", [one["score"] for one in found[:2]], scores, 1e-9)


def measure_refusal(report: Report, bytecode: Path) -> None:
    """Trees without a shared structure."""
    report.section(f"two combs of {_COMB:,} words that share nothing, with 2 GiB of memory")
    found = measure_apart("refuse", bytecode=bytecode)
    report.fact("what is told", found["told"] or "nothing, it was solved")
    report.limit("refused", float(bool(found["told"])), at_least=1.0)
    report.limit("memory", found["mebibytes"], at_most=1024.0, unit=" MiB")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all, or one task for that."""
    parser = argparse.ArgumentParser(description="Times documents, and measures their memory.")
    parser.add_argument("--quick", action="store_true", help="small and few; limits are not judged")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers there")
    parser.add_argument("--here", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.here:
        if args.here == ["refuse"]:
            print(json.dumps(refuse_here()))
        else:
            n_words, task, rounds = args.here
            print(json.dumps(measure_here(int(n_words), task, int(rounds))))
        return 0
    report = Report(judged=not args.quick, why_not="a quick run")
    about = machine.describe(None)
    del about["prototype"]  # has no part in this
    for name, value in about.items():
        print(f"{name:<12} {value}")
    with TemporaryDirectory() as folder:
        measure(report, (100, 400) if args.quick else _SIZES, 1 if args.quick else 3, Path(folder))
        if not args.quick:
            measure_refusal(report, Path(folder))
    return report.finish(args.json, about)


if __name__ == "__main__":
    sys.exit(main())

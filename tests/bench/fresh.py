"""Scoring in a process of its own: `fresh.py REFERENCE PREDICTION OPTIONS`, one tree a line.

OPTIONS is a JSON object of options of `StructIoU`. Every line on standard input is a task: `score`
and a number of threads, or `read`. The answer to each is a line of JSON: the seconds it took, the
page faults meanwhile, and the peak memory in MiB before the first task (all strings read) and now.
"""

from __future__ import annotations

import json
import resource
import sys
from contextlib import suppress
from time import perf_counter

from structiou_metric import StructIoU
from structiou_metric._core.flat import FlatTrees
from structiou_metric._core.scan import Scanner
from structiou_metric.sources.rows import scan_texts

_ROWS_AT_A_TIME = 1024  # as the metric reads them


def read_only(references: list[str], predictions: list[str]) -> None:
    """Reads all strings as the metric does, and nothing else."""
    scanner = Scanner()
    sides = [(references, FlatTrees()), (predictions, FlatTrees())]
    for at in range(0, len(references), _ROWS_AT_A_TIME):
        for rows, trees in sides:
            trees.texts.take(rows[at : at + _ROWS_AT_A_TIME])
            scan_texts(scanner, "word", trees)
            assert trees.n_errors == 0


def peak_mebibytes() -> float:
    """The most memory the process ever had in use.

    On Linux `ru_maxrss` starts with what the parent had; `VmHWM` is the process's own.
    """
    with suppress(OSError), open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def page_faults() -> int:
    """How often the process had to ask the system for a page of memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def read_lines(path: str) -> list[str]:
    """The lines of a file, which never is in memory as a whole."""
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def main() -> None:
    """Does one task after another."""
    references, predictions = read_lines(sys.argv[1]), read_lines(sys.argv[2])
    options = json.loads(sys.argv[3])
    before = peak_mebibytes()
    for line in sys.stdin:
        task, *workers = line.split()
        faults = page_faults()
        begin = perf_counter()
        if task == "read":
            read_only(references, predictions)
        else:
            StructIoU(**options).corpus_score(predictions, references, workers=int(workers[0]))
        seconds = perf_counter() - begin
        answer = {
            "seconds": seconds,
            "faults": page_faults() - faults,
            "before": before,
            "after": peak_mebibytes(),
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

"""The cost of the ambiguity experiment: `python tests/bench/bench_ambiguity.py [--quick] [--json FILE]`.

With all plausible trees of `N (P N){8}` as references, it must take less than 10 seconds. Exit code 1 if
not so, or if a figure is not what it must be.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from math import comb
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.program import Program
from bench.report import Report, interleave
from structiou_metric.analysis.paper.ambiguity import compare_plausible

_SECONDS = 10.0


def check_figures(report: Report, n: int) -> None:
    """For each reference, some tree shares 2 of its 2n brackets and aligns these and the tags, no more."""
    found = compare_plausible(n)
    figures = [found.figures[metric]["plausible_lowest"] for metric in ("parseval", "struct_iou")]
    report.agree(
        "number of trees, and the lowest scores for any reference",
        [found.n_plausible, *figures[0], *figures[1]],
        [comb(2 * n, n) / (n + 1), *[1 / n] * 3, *[(2 * n + 3) / (4 * n + 1)] * 3],
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("Times the ambiguity experiment.", argv)
    report = program.report
    n, rounds = (4, 1) if program.quick else (8, 3)
    report.section(f"N (P N){{{n}}}, all plausible trees as references")
    check_figures(report, n)
    command = [sys.executable, "-m", "structiou_metric", "paper", "ambiguity", "--n", str(n)]
    tasks: dict[str, Callable[[], object]] = {
        "compare_plausible": partial(compare_plausible, n),
        "structiou paper ambiguity": partial(subprocess.check_output, command),
    }
    for name, seconds in interleave(rounds, tasks).items():
        report.times(name, seconds)
        report.limit(name, max(seconds), at_most=_SECONDS, unit=" s", note="the worst run")
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())

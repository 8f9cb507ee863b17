"""The cost of ParsEval: `python tests/bench/bench_parseval.py [--quick] [--json FILE]`.

From lists of strings it must cost at most 1.5 times as much as STRUCT-IoU on the same corpus, and its cost
must grow with the length of a sentence, not faster. Exit code 1 if not so, or if a value differs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from math import log2
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import comb, make_corpus
from bench.program import Program
from bench.report import Report, interleave
from structiou_metric import StructIoU
from structiou_metric.metrics.parseval.metric import ParsevalScore, parseval
from structiou_metric.metrics.parseval.parameters import COLLINS
from support import parseval_oracle


def measure_corpus(report: Report, n_pairs: int, rounds: int) -> None:
    """Beside STRUCT-IoU."""
    corpus = make_corpus(n_pairs)
    sides = corpus.predictions, corpus.references
    report.section(f"from lists of strings: {corpus.describe()}")
    few = min(n_pairs, 300)
    score = parseval(corpus.predictions[:few], corpus.references[:few])
    rows = [
        parseval_oracle.rows(*pair, COLLINS, "evalb", False, False)[0]
        for pair in zip(corpus.predictions[:few], corpus.references[:few], strict=True)
    ]
    report.agree(
        "matched brackets, and a slow count", score.columns["matched"], [row.matched for row in rows]
    )
    report.agree(
        "crossing brackets, and a slow count", score.columns["crossing"], [row.crossing for row in rows]
    )

    def figures(**options: str) -> ParsevalScore:
        found = parseval(*sides, **options)
        found.as_dict()  # adds up both parts of the summary
        return found

    tasks: dict[str, Callable[[], object]] = {
        "STRUCT-IoU": partial(StructIoU().corpus_score, *sides),
        "ParsEval": figures,
        "ParsEval, spmrl": partial(figures, variant="spmrl"),
    }
    seconds = interleave(rounds, tasks)
    for name in tasks:
        report.times(name, seconds[name])
    for name in ("ParsEval", "ParsEval, spmrl"):
        report.ratio(f"{name} / STRUCT-IoU", seconds[name], seconds["STRUCT-IoU"], at_most=1.5)


def measure_growth(report: Report, n_words: int, rounds: int) -> None:
    """Long combs, left against right, in which all brackets but one cross."""
    report.section("long sentences: left against right combs")
    combs = {n: (comb(n, "left"), comb(n, "right")) for n in (n_words, 2 * n_words)}
    tasks: dict[str, Callable[[], object]] = {
        str(n): partial(parseval, [left], [right]) for n, (left, right) in combs.items()
    }
    seconds = interleave(rounds, tasks)
    for name in tasks:
        report.times(f"{int(name):,} words", seconds[name])
    shorter, longer = (median(seconds[str(n)]) for n in combs)
    report.limit("exponent of the growth", log2(longer / shorter), at_most=1.4)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("Times ParsEval beside STRUCT-IoU.", argv)
    measure_corpus(program.report, *((120, 2) if program.quick else (2400, 15)))
    measure_growth(program.report, *((200, 2) if program.quick else (20_000, 7)))
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())

"""The cost of notices: `python tests/bench/bench_notices.py [--quick] [--json FILE]`.

Scoring treebank-like pairs with notices must take at most 1.02 times the instructions that it takes without
them, counted by valgrind's callgrind. Exit code 1 if not so, or if a figure changes. Where there is no
valgrind, times are compared instead, and not judged.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import instructions
from bench.corpus import Corpus, make_corpus
from bench.program import Program
from bench.report import Report, interleave
from structiou_metric import StructIoU
from structiou_metric.metrics.batch import Batch, Doubts
from structiou_metric.metrics.doubts import NoticeFinder

_COUNT = """
import sys
sys.path.insert(0, sys.argv[1])
from bench.bench_notices import score_lines
score_lines(*sys.argv[2:])
"""
_TESTS = Path(__file__).resolve().parents[1]


def _see_nothing(finder: NoticeFinder, batch: Batch) -> Doubts:
    return Doubts(bytes(len(batch)))


def score(corpus: Corpus, notices: bool) -> float:
    """The headline, with notices or without."""
    with nullcontext() if notices else patch.object(NoticeFinder, "look", _see_nothing):
        return float(StructIoU().corpus_score(corpus.predictions, corpus.references).score)


def _time(corpus: Corpus, notices: bool) -> None:
    score(corpus, notices)


def score_lines(path: str, notices: str, rounds: str) -> None:
    """Scores the pairs of a file, a prediction and a reference on two lines each."""
    lines = Path(path).read_text("utf-8").splitlines()
    corpus = Corpus(lines[1::2], lines[0::2])
    gc.disable()  # a collection would fall into some rounds, and not into others
    for _ in range(int(rounds)):
        score(corpus, notices == "yes")


def count_instructions(folder: Path, notices: str) -> int:
    """Those of scoring the pairs once, without those of starting."""
    arguments = [sys.executable, "-c", _COUNT, str(_TESTS), str(folder / "pairs.txt"), notices]
    once, twice = (instructions.count([*arguments, rounds], os.environ) for rounds in ("1", "2"))
    return twice - once


def measure(report: Report, n_pairs: int) -> None:
    """With and without."""
    corpus = make_corpus(n_pairs)
    report.section(corpus.describe())
    report.agree("the score, with and without", [score(corpus, True)], [score(corpus, False)])
    if not instructions.available():
        seconds = interleave(
            5, {name: partial(_time, corpus, name == "with") for name in ("with", "without")}
        )
        report.ratio("time with / without notices", seconds["with"], seconds["without"], None)
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        pairs = zip(corpus.references, corpus.predictions, strict=True)
        lines = [tree for pair in pairs for tree in pair]
        (folder / "pairs.txt").write_text("\n".join(lines) + "\n", "utf-8")
        counts = {notices: count_instructions(folder, notices) for notices in ("yes", "no")}
    for notices, count in counts.items():
        print(f"instructions a pair, notices: {notices:<4} {count / n_pairs:,.0f}")
    report.limit("instructions with / without notices", counts["yes"] / counts["no"], at_most=1.02)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("Counts the instructions that notices take.", argv)
    measure(program.report, 60 if program.quick else 2400)
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())

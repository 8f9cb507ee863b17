"""The cost of moves: `python tests/bench/bench_moves.py [--quick] [--json FILE]`.

All moves of a corpus must cost at most 100 times as much as scoring it with labels counted, and those of a
sentence of 100 words with many errors less than a second; it must be analysed, too. All of this is processor
time. Exit code 1 if not so, or if the gains of the moves do not add up to what the score lacks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from math import fsum
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import make_corpus, misparse
from bench.program import Program
from bench.report import Report, interleave
from structiou_metric import StructIoU
from structiou_metric.analysis.errors import explain_corpus

_TIMES = 100.0
_SECONDS = 1.0
_OPTIONS: tuple[dict[str, Any], ...] = ({}, {"labels": "ignore"}, {"terminals": "flexible"})


def measure_corpus(report: Report, n_pairs: int, rounds: int) -> None:
    """All moves of a corpus beside its scores and labels."""
    corpus = make_corpus(n_pairs)
    sides = corpus.predictions, corpus.references
    report.section(f"all moves of a corpus: {corpus.describe()}")
    for options in _OPTIONS:
        metric = StructIoU(**options)
        name = _name(options)
        found = explain_corpus(metric, *sides)
        gains = [fsum(total.gain for total in found.classes.values())]
        report.agree(f"gains and what is lacking{name}", gains, [1.0 - found.result.sentence])
        events = sum(total.events for total in found.classes.values())
        report.fact(f"events{name}", f"{events:,}", value=events)
        tasks: dict[str, Callable[[], object]] = {
            "score": partial(metric.corpus_score, *sides, by_label=True),
            "moves": partial(explain_corpus, metric, *sides),
        }
        seconds = interleave(rounds, tasks, process_time)
        report.times(f"moves{name}", seconds["moves"])
        report.ratio(f"moves / scores with labels{name}", seconds["moves"], seconds["score"], at_most=_TIMES)


def measure_sentence(report: Report, n_errors: int) -> None:
    """One long sentence."""
    (reference,) = make_corpus(1, n_words=100, wrong_share=0.0).references
    prediction = misparse(Random(1), reference, n_errors)
    report.section(f"a sentence of 100 words with {n_errors} errors")
    for options in _OPTIONS:
        begin = process_time()
        found = explain_corpus(StructIoU(**options), [prediction], [reference])
        seconds = process_time() - begin
        note = f"{len(found.moves(0))} moves, score {found.result.sentence:.3f}"
        report.limit(f"moves{_name(options)}", seconds, at_most=_SECONDS, unit=" s", note=note)
        if found.not_analysed:
            report.broken(f"not analysed{_name(options)}")


def _name(options: dict[str, Any]) -> str:
    return "".join(f", {name} {value}" for name, value in options.items())


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("The cost of moves.", argv)
    measure_corpus(program.report, 60 if program.quick else 2400, 1 if program.quick else 3)
    measure_sentence(program.report, 20 if program.quick else 100)
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())

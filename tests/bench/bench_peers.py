"""The cost of the peers' metrics: `python tests/bench/bench_peers.py [--quick] [--json FILE]`.

Prints the time of each metric on a corpus of the size of section 23, from lists of strings, next to that of
the program it stands for, as measured once with the real section (EVALB, jp-evalb and SParseval; for the
other programs there is no such figure). All together, as `structiou score --metric all` has them read once,
must take at most 8 seconds of CPU, and SParseval at most 10 times as long as its C program. A document of
10,000 words through SParseval's own alignment must take less than a second. Exit code 1 if not so, or if
pairs have other values together than alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import make_corpus
from bench.program import Program
from bench.report import Report, interleave
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.metrics.together import score_all

_PAIRS = 2416  # as many as section 23 has
_TOGETHER = 8.0  # seconds of CPU
_SECONDS = 1.0

# Seconds of the programs that metrics stand for, on 2,416 sentences.
_PROGRAMS = {
    "parseval": ("EVALB", 0.056),
    "aligned_parseval": ("jp-evalb", 3.55),
    "sparseval": ("SParseval, with a given alignment", 0.18),
}
_SPARSEVAL = 10.0  # times as long as its program

_ALL = "all of them"


def measure_corpus(report: Report, n_pairs: int, rounds: int) -> None:
    """All metrics on the same pairs; on these, all of them are defined."""
    corpus = make_corpus(n_pairs)
    sides = corpus.predictions, corpus.references
    report.section(f"from lists of strings: {corpus.describe()}")
    few = [side[:40] for side in sides]
    for name in METRICS:
        metric = load_metric(name)
        alone = [
            metric.corpus_score([prediction], [reference]) for prediction, reference in zip(*few, strict=True)
        ]
        found = metric.corpus_score(*few).values(metric.headline)
        report.agree(f"{name} of pairs together and alone", found, [result.score for result in alone])
    tasks: dict[str, Callable[[], object]] = {name: partial(_figures, name, *sides) for name in METRICS}
    tasks[_ALL] = partial(_all_figures, *sides)
    report.agree(
        "all of them together and one by one",
        _all_figures(*few),
        [figure for name in METRICS for figure in _figures(name, *few)],
    )
    seconds = interleave(rounds, tasks, process_time)
    for name in tasks:
        program, took = _PROGRAMS.get(name, ("", 0.0))
        report.times(name, seconds[name], f"{program}: {took:g} s for {_PAIRS:,}" if program else "")
    share = n_pairs / _PAIRS
    report.limit(_ALL, min(seconds[_ALL]), at_most=_TOGETHER * share, unit="s", note="CPU")
    most = _SPARSEVAL * _PROGRAMS["sparseval"][1] * share
    report.limit("sparseval", min(seconds["sparseval"]), at_most=most, unit="s", note="CPU")


def _figures(name: str, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
    result = load_metric(name).corpus_score(predictions, references)
    return [result.figures[name]]  # which is computed when it is asked for


def _all_figures(predictions: Sequence[str], references: Sequence[str]) -> list[float]:
    results = score_all(list(map(load_metric, METRICS)), predictions, references)
    return [result.figures[result.metric.name] for result in results]


def measure_other_words(report: Report, n_pairs: int, rounds: int) -> None:
    """Tree edit distance where one side's words are cut otherwise, beside STRUCT-IoU of the uncut pairs."""
    corpus = make_corpus(n_pairs)
    report.section("tree edit distance, a fifth of the predicted words cut in two")
    rng = Random(1)
    cut = [_cut_words(tree, rng) for tree in corpus.predictions]
    tasks: dict[str, Callable[[], object]] = {
        "STRUCT-IoU of equal texts": partial(_figures, "struct_iou", corpus.predictions, corpus.references),
        "tree edit of other texts": partial(_figures, "tree_edit", cut, corpus.references),
    }
    seconds = interleave(rounds, tasks, process_time)
    for name in tasks:
        report.times(name, seconds[name])


def _cut_words(tree: str, rng: Random) -> str:
    """A tree in which some preterminals stand twice, over the two halves of their word."""
    parts = tree.split(" ")
    for i, part in enumerate(parts):
        word = part.rstrip(")")
        if (
            i
            and not part.startswith("(")
            and parts[i - 1].startswith("(")
            and len(word) > 1
            and rng.random() < 0.2
        ):
            tag, closing = parts[i - 1].rpartition("(")[2], part[len(word) :]
            half = len(word) // 2
            parts[i] = f"{word[:half]}) ({tag} {word[half:]}{closing}"
    return " ".join(parts)


def measure_document(report: Report, n_words: int) -> None:
    """A conversation side with errors of a recogniser in a fifth of its words."""
    report.section(f"a document of {n_words:,} words through SParseval's own alignment")
    corpus = make_corpus(n_words // 15)
    rng = Random(2)
    references, total = [], 0
    for tree in corpus.references:
        references.append(tree)
        total += sum(1 for part in tree.split(" ") if not part.startswith("("))
        if total >= n_words:
            break
    predictions = [_mishear(tree, rng) for tree in references]
    metric = load_metric("sparseval")
    same = metric.corpus_score([references], [references], documents=True)
    report.agree("a document against itself", [same.figures["sparseval"]], [1.0])
    begin = process_time()
    metric.corpus_score([predictions], [references], documents=True)
    report.limit(
        f"{total:,} words", process_time() - begin, at_most=_SECONDS, unit="s", note="CPU, reading included"
    )


def _mishear(tree: str, rng: Random) -> str:
    parts = tree.split(" ")
    for i, part in enumerate(parts):
        if not part.startswith("(") and rng.random() < 0.2:
            word = part.rstrip(")")
            parts[i] = f"x{rng.randrange(1000)}{part[len(word) :]}"
    return " ".join(parts)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("Times the peers' metrics beside STRUCT-IoU.", argv)
    measure_corpus(program.report, *((60, 2) if program.quick else (_PAIRS, 5)))
    measure_other_words(program.report, *((60, 2) if program.quick else (_PAIRS, 5)))
    measure_document(program.report, 300 if program.quick else 10_000)
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())

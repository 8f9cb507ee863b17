"""The cost of aligned texts: `python tests/bench/bench_aligned.py [--quick] [--json FILE]`.

`texts="aligned"` must cost at most twice as much as `same` where texts are equal, at most 4 times as much
with 20 % of the words changed, and a pair of documents of 10,000 words must take less than 2 seconds. Times
are those of the processor, so that other programs matter little. Exit code 1 if not so, or if a value
differs.
"""

from __future__ import annotations

import re
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
from structiou_metric import StructIoU

_LEAF = re.compile(r"\((\S+) ([^\s()]+)\)")
_CHANGED = 0.2  # of the words
UNITS = {"word": "words", "char": "characters"}


def words_of(tree: str) -> list[str]:
    """The words of a tree."""
    return [word for _, word in _LEAF.findall(tree)]


def changed(tree: str, words: Sequence[str], rng: Random, *, lengthen: bool) -> str:
    """The tree with some words replaced by others; with `lengthen`, half of these are put behind instead."""

    def leaf(match: re.Match[str]) -> str:
        label, _ = match.groups()
        kind = rng.random() / _CHANGED
        if kind > 1.0:
            return match[0]
        other = f"({label} {rng.choice(words)})"
        return f"{match[0]} {other}" if lengthen and kind < 0.5 else other

    return _LEAF.sub(leaf, tree)


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor."""
    begin = process_time()
    work()
    return process_time() - begin


def measure_corpus(report: Report, n_pairs: int, rounds: int) -> None:
    """Pairs of sentences."""
    corpus = make_corpus(n_pairs)
    rng = Random(14)
    words = [word for tree in corpus.references for word in words_of(tree)]
    sides = corpus.predictions, corpus.references
    others = [changed(tree, words, rng, lengthen=True) for tree in corpus.predictions], corpus.references
    report.section(f"from lists of strings: {corpus.describe()}")
    for unit, noun in UNITS.items():
        same, aligned = (StructIoU(unit=unit, texts=texts).corpus_score for texts in ("same", "aligned"))
        report.agree(
            f"{noun}, equal texts", aligned(*sides).columns["matched"], same(*sides).columns["matched"], 0.0
        )
        tasks: dict[str, Callable[[], object]] = {
            f"{noun}, same": partial(timed, partial(same, *sides)),
            f"{noun}, aligned, equal texts": partial(timed, partial(aligned, *sides)),
            f"{noun}, aligned, {_CHANGED:.0%} of the words changed": partial(
                timed, partial(aligned, *others)
            ),
        }
        base, equal, differing = interleave(rounds, tasks).items()
        for name, seconds in (base, equal, differing):
            report.times(name, seconds)
        report.ratio(f"{equal[0]} / same", equal[1], base[1], at_most=2.0)
        report.ratio(f"{differing[0]} / same", differing[1], base[1], at_most=4.0)


def measure_documents(report: Report, n_words: int, rounds: int) -> None:
    """One pair of documents."""
    corpus = make_corpus(600)
    rng = Random(15)
    references: list[str] = []
    words: list[str] = []
    while len(words) < n_words:
        references.append(corpus.references[len(references)])
        words += words_of(references[-1])
    kept = corpus.predictions[: len(references)]
    predictions = [changed(tree, words, rng, lengthen=True) for tree in kept]
    report.section(f"a pair of documents of {len(words):,} words, {_CHANGED:.0%} of them changed")
    for unit, noun in UNITS.items():
        same, aligned = (StructIoU(unit=unit, texts=texts).corpus_score for texts in ("same", "aligned"))
        figures = [
            score([kept], [references], documents=True).figures["struct_iou"] for score in (aligned, same)
        ]
        report.agree(f"{noun}, equal texts", figures[:1], figures[1:], 0.0)
        work = partial(aligned, [predictions], [references], documents=True)
        seconds = interleave(rounds, {noun: partial(timed, work)})[noun]
        report.times(noun, seconds)
        report.limit(f"{noun}, best", min(seconds), at_most=2.0, unit=" s")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("Times texts that are aligned beside texts that are the same.", argv)
    measure_corpus(program.report, *((120, 2) if program.quick else (2400, 9)))
    measure_documents(program.report, *((300, 1) if program.quick else (10_000, 3)))
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())

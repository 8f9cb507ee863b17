"""The cost of projection: `python tests/bench/bench_projection.py [--quick] [--json FILE]`.

The trees of a recording with a transcript of 10,000 words must be projected in under 2 seconds, however
much the transcript differs, and the transcript of another recording must be refused as soon. All of it
is plain Python, so it is the same where nothing is compiled. Exit code 1 if not so, or if a path does
not have the least cost where it should.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import make_corpus
from bench.program import Program
from bench.report import Report, interleave
from structiou_metric import SegmentTree, TreeMismatchError
from structiou_metric.speech.projection.edits import Text, find_path, prefix_distances
from structiou_metric.speech.projection.project import project_all
from structiou_metric.speech.projection.spelling import leaf_sounds, sounds, spoken_words

Words = list[tuple[str, float, float]]

_LIMIT = 2.0  # seconds
_FILLERS = ("uh", "um", "you", "know", "well")


def make_trees(n_words: int) -> list[SegmentTree]:
    """Trees with about that many words to be said."""
    trees: list[SegmentTree] = []
    count = 0
    for text in make_corpus(2400).references:
        trees.append(SegmentTree.from_brackets(text))
        count += len(spoken_words(trees[-1]))
        if count >= n_words:
            break
    return trees


def edited(words: Sequence[str], rate: float, rng: Random) -> list[str]:
    """The words with as many dropped, replaced by others, and put behind a filler."""
    out: list[str] = []
    for word in words:
        kind = rng.random()
        if kind < rate / 3:
            continue
        if kind < 2 * rate / 3:
            word = rng.choice(words)
        elif kind < rate:
            out.append(rng.choice(_FILLERS))
        out.append(word)
    return out


def timed(words: Sequence[str]) -> Words:
    """The words with times, a silence behind every seventh."""
    return [(word, n / 4, n / 4 + (0.125 if n % 7 == 6 else 0.25)) for n, word in enumerate(words)]


def is_refused(trees: Sequence[SegmentTree], words: Words) -> None:
    """Projects what must not match."""
    try:
        project_all(trees, words)
    except TreeMismatchError:
        return
    raise AssertionError("the transcript of another recording was taken")


def measure_speed(report: Report, n_words: int, rounds: int) -> None:
    """Projections, and refusals."""
    trees = make_trees(n_words)
    words = spoken_words(trees)
    rng = Random(1)
    shuffled = rng.sample(words, len(words))
    other_script = ["".join(rng.choices("אבגדהוזחטיכלמנסעפצקרשת", k=5)) for _ in words]
    tasks: dict[str, Callable[[], object]] = {
        f"{rate:.0%} of the words differ": partial(
            project_all, trees, timed(edited(words, rate, rng)), min_tree_match=0.0
        )
        for rate in (0.0, 0.05, 0.2, 0.4)
    }
    tasks["refused: the same words in another order"] = partial(is_refused, trees, timed(shuffled))
    tasks["refused: another script"] = partial(is_refused, trees, timed(other_script))
    tasks["refused: a word over and over"] = partial(is_refused, trees, timed(["aha"] * len(words)))
    report.section(
        f"{len(trees)} trees with {sum(len(tree.words) for tree in trees):,} leaves onto a transcript of "
        f"{len(words):,} words"
    )
    for name, seconds in interleave(rounds, tasks).items():
        report.times(name, seconds)
        report.limit(f"{name}, best", min(seconds), at_most=_LIMIT, unit=" s")


def measure_cost(report: Report, n_words: int) -> None:
    """Edits of our paths and of the best ones: strings that occur once may lead past the best."""
    trees = make_trees(n_words)
    words = spoken_words(trees)
    leaves = [key for tree in trees for key in leaf_sounds(tree) if key]
    rng = Random(2)
    report.section(f"edits of the path found and of a best one, {len(words):,} words")
    for rate in (0.0, 0.02, 0.05, 0.1, 0.2, 0.4):
        heard = list(filter(None, map(sounds, edited(words, rate, rng))))
        ours = find_path(Text(leaves), Text(heard)).n_edits
        best = prefix_distances("".join(leaves), "".join(heard))[-1]
        if rate <= 0.05:
            report.agree(f"{rate:.0%} of the words differ", [ours], [best], 0.0)
        else:
            more = 100 * (ours - best) / best
            report.fact(
                f"{rate:.0%} of the words differ", f"{ours:,} and {best:,}, {more:.2f}% more", more=more
            )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("Times the projection of trees onto transcripts.", argv, needs_core=False)
    measure_speed(program.report, *((500, 1) if program.quick else (10_000, 5)))
    measure_cost(program.report, 500 if program.quick else 10_000)
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())

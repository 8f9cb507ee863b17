"""The benchmark: `python tests/bench/bench_align.py [--quick] [--json FILE] [SECTION …]`.

Everything is generated here and measured in one run, as ratios where another program does the same
work: (a) a treebank-like corpus, (b) its variants, (c) worst cases, (d) command line, (e) threads,
(f) memory, (g) instructions, where valgrind is there to count them; those of EVALB, too, if the environment
names its program as EVALB. Exit code 1 if a limit is not kept or a value differs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib import metadata
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import instructions, machine, rivals
from bench.corpus import Corpus, comb, make_corpus, random_binary, retokenized, with_times, zigzag
from bench.process import FreshProcess
from bench.report import Report, interleave
from bench.setting import Bench
from bench.yardstick import Options, Prototype, characters_as_words, times_as_words
from structiou_metric import COMPILED, StructIoU
from support.paths import DATA
from support.random_trees import count_words

_PROCESSES, _CALLS = 12, 5  # for each comparison with the prototype


# ---------------------------------------------------------------------------------------- (a) corpus


def section_a(bench: Bench) -> None:
    """A treebank-like corpus."""
    report, corpus = bench.report, bench.corpus
    report.section("(a) corpus: lists of bracket strings to the corpus score, one thread")
    report.fact("corpus", corpus.describe())
    seconds = compare(bench, "corpus", corpus, {}, Options(), str, at_most=1.0, also_read=True)
    report.times("merely reading the strings", seconds["reading"])
    report.ratio("ours / merely reading", seconds["ours"], seconds["reading"], at_most=4.0)
    first = seconds["first"]
    report.times("first call of a process", first)
    if bench.prototype is not None:
        report.ratio(
            "first call / prototype (always a first call)", first, seconds["prototype"], at_most=None
        )

    lengths = (5, 10) if bench.quick else (10, 20, 30, 40)
    for length in lengths:
        beside_algorithm1(bench, length, judged=length == lengths[-1])
    per_pair = min(seconds["ours"]) / len(corpus.references)
    beside_rival(bench, "edist", rivals.make_edist, per_pair, every=10 if bench.quick else 1)
    beside_rival(bench, "apted", rivals.make_apted, per_pair, every=40 if bench.quick else 16)
    with suppress(ImportError):
        from nltk import Tree

        sample = corpus.references[::10] + corpus.predictions[::10]
        took = interleave(1, {"nltk": lambda: [Tree.fromstring(tree) for tree in sample]})
        whole = took["nltk"][0] * 2 * len(corpus.references) / len(sample)
        note = f"nltk {metadata.version('nltk')}, from every 10th tree"
        report.fact("reading alone with nltk, for edist or apted", f"{whole:.2f} s ({note})", seconds=whole)


def scores_by_pair(corpus: Corpus, **options: Any) -> list[float]:
    """The score of every pair."""
    metric = StructIoU(**options)
    pairs = zip(corpus.predictions, corpus.references, strict=True)
    return [metric.corpus_score([prediction], [reference]).sentence for prediction, reference in pairs]


def compare(
    bench: Bench,
    name: str,
    corpus: Corpus,
    options: dict[str, Any],
    prototype_options: Options,
    convert: Callable[[str], str],
    at_most: float,
    also_read: bool = False,
) -> dict[str, list[float]]:
    """Scores a corpus with ours and the prototype in turn; ours takes `at_most` times as long.

    The very same work takes a quarter longer where every call takes its memory from the system anew.
    Which it is differs between processes, and between runs of this program; what decides it is not
    known. So there are many processes, each counts once, and the page faults are printed beside.

    Returns:
        The best call of each process, for each task; and the first calls of ours.
    """
    report, prototype = bench.report, bench.prototype
    tasks: dict[str, Callable[[], object]] = {}
    if prototype is not None:
        files = bench.write(f"{name}.prototype", corpus, convert)
        ours, theirs = scores_by_pair(corpus, **options), prototype.scores(*files, prototype_options)
        report.agree(f"{name}: each pair, prototype", ours, theirs)
        mean = StructIoU(**options).corpus_score(corpus.predictions, corpus.references).sentence
        report.agree(f"{name}: mean, prototype", [mean], [math.fsum(theirs) / len(theirs)])
        tasks["prototype"] = partial(prototype.seconds, *files, prototype_options)
    our_files = bench.write(name, corpus)
    by_process: list[dict[str, list[float]]] = []
    later_faults: list[float] = []
    for _ in range(bench.rounds(_PROCESSES)):
        with bench.fresh(our_files, **options) as scorer, bench.fresh(our_files) as reader:
            tasks["ours"] = scorer.score
            if also_read:
                tasks["reading"] = reader.read
            by_process.append(interleave(_CALLS, tasks))
            later_faults += scorer.faults[1:]
    seconds = {task: [min(process[task]) for process in by_process] for task in tasks}
    seconds["first"] = [process["ours"][0] for process in by_process]
    slowest = f"slowest process {1000 * max(seconds['ours']):.1f} ms"
    report.times(
        f"{name}: ours", seconds["ours"], f"{slowest}; page faults a call {median(later_faults):.0f}"
    )
    if prototype is None:
        report.fact("C prototype", "left out: no C compiler")
    else:
        report.times(f"{name}: prototype, by its own clock", seconds["prototype"])
        report.ratio(f"{name}: ours / prototype", seconds["ours"], seconds["prototype"], at_most=at_most)
    return seconds


def beside_algorithm1(bench: Bench, n_words: int, judged: bool) -> None:
    """Pairs of one length, as often wrong as those of about that length in the corpus.

    All of ours are different pairs. A few, repeated, would not do: the processor learns the branches
    that a short list takes, and a pair then costs a third of what it costs in a corpus.

    Judged is the algorithm as the paper analyses it, with a table for every pair of subtrees; beside
    it stands the same without those of nodes that cannot align, which nobody needs.
    """
    report = bench.report
    near = [
        reference != prediction
        for reference, prediction in zip(bench.corpus.references, bench.corpus.predictions, strict=True)
        if abs(count_words(reference) - n_words) <= 3
    ]
    share = sum(near) / len(near)
    corpus = make_corpus(120 if bench.quick else 1200, n_words, n_words, share)
    with bench.fresh(bench.write("one-length", corpus)) as process:
        ours = interleave(bench.rounds(15), {"ours": process.score})["ours"]
    fast = min(ours) / len(corpus.references)
    report.fact(f"ours, {n_words} words", f"{1e6 * fast:.1f} µs a pair, {share:.0%} of them wrong", fast=fast)
    for name, all_subtrees, every in (
        ("Algorithm 1 on nodes that may align", False, 20 if bench.quick else 50),
        ("Algorithm 1", True, 60 if bench.quick else 300),
    ):
        sample = Corpus(corpus.references[::every], corpus.predictions[::every])
        predictions = list(map(rivals.read_below_top, sample.predictions))
        references = list(map(rivals.read_below_top, sample.references))
        begin = perf_counter()
        theirs = [
            rivals.algorithm1(*pair, all_subtrees) for pair in zip(predictions, references, strict=True)
        ]
        slow = (perf_counter() - begin) / len(theirs)
        report.agree(f"{name}, {n_words} words", scores_by_pair(sample), theirs)
        report.fact(f"{name}, {n_words} words", f"{1e3 * slow:,.1f} ms a pair (every {every}th)", slow=slow)
        times_faster = f"times faster than {name}, {n_words} words"
        if judged and all_subtrees:
            report.limit(times_faster, slow / fast, at_least=10_000)
        else:
            report.fact(times_faster, f"{slow / fast:,.0f}", value=slow / fast)


def beside_rival(
    bench: Bench, name: str, make: Callable[[], rivals.Scorer], per_pair: float, every: int
) -> None:
    """Every so many pairs by another program; trees are handed to it ready-made."""
    report, corpus = bench.report, bench.corpus
    try:
        rival = make()
    except ImportError:
        report.fact(name, "left out: not installed")
        return
    sample = Corpus(corpus.references[::every], corpus.predictions[::every])
    predictions = list(map(rivals.read_below_top, sample.predictions))
    references = list(map(rivals.read_below_top, sample.references))
    begin = perf_counter()
    theirs = list(map(rival, predictions, references))
    took = perf_counter() - begin
    report.agree(f"{name} {metadata.version(name)}", scores_by_pair(sample), theirs)
    whole = took * len(corpus.references) / len(sample.references)
    how = "all pairs" if every == 1 else f"extrapolated from every {every}th pair"
    ratio = whole / len(corpus.references) / per_pair
    text = f"{whole:.2f} s without reading ({how}); ours is {ratio:,.0f} times faster with reading"
    report.fact(name, text, seconds=whole, ratio=ratio)


# -------------------------------------------------------------------------------------- (b) variants


def section_b(bench: Bench) -> None:
    """The same corpus with other options and units."""
    bench.report.section("(b) the same corpus: unlabeled, flexible terminals, characters, noisy times")
    words, timed = bench.corpus, Options(timed=True)
    variants: list[tuple[str, Corpus, dict[str, Any], Options, Callable[[str], str], float]] = [
        ("unlabeled", words, {"labels": "ignore"}, Options(unlabeled=True), str, 1.0),
        ("flexible", words, {"terminals": "flexible"}, Options(flexible=True), str, 1.5),
        ("characters", retokenized(words), {"unit": "char"}, timed, characters_as_words, 1.5),
        ("times", with_times(words), {"unit": "time"}, timed, times_as_words, 1.5),
    ]
    for *variant, at_most in variants:
        compare(bench, *variant, at_most=at_most)


# ----------------------------------------------------------------------------------- (c) worst cases


def section_c(bench: Bench) -> None:
    """Single pairs of long trees that have nothing in common."""
    report = bench.report
    report.section("(c) worst cases, unlabeled: seconds of one pair")
    sizes = (200, 400, 800)
    if bench.quick:
        sizes = (50, 100, 200) if COMPILED else (10, 20, 40)
    shapes: list[tuple[str, Callable[[int], tuple[str, str]], bool]] = [
        ("left comb, right comb", lambda n: (comb(n, "left"), comb(n, "right")), True),
        ("zigzag, zigzag", lambda n: (zigzag(n, True), zigzag(n, False)), True),
        ("zigzag, left comb", lambda n: (zigzag(n, True), comb(n, "left")), True),
        ("random binary, random binary", lambda n: (random_binary(n, 1), random_binary(n, 2)), False),
    ]
    for shape, make, limited in shapes:
        best, prototype_best = {}, {}
        for size in sizes:
            pair = Corpus(*([tree] for tree in make(size)))
            seconds = time_pair(bench, f"{shape}, {size} words", pair)
            best[size] = min(seconds["ours"])
            if "prototype" in seconds:
                prototype_best[size] = min(seconds["prototype"])
        if prototype_best:
            growth = exponent(prototype_best)
            report.fact(f"{shape}: prototype's exponent", f"{growth:.2f}", value=growth)
        name = f"{shape}: exponent from {sizes[0]} to {sizes[-1]} words"
        if limited:
            report.limit(name, exponent(best), at_most=3.1)
            if not bench.quick:
                report.limit(f"{shape}: 400 words", best[400], at_most=0.12, unit=" s")
        else:
            report.fact(name, f"{exponent(best):.2f}", value=exponent(best))


def time_pair(bench: Bench, name: str, pair: Corpus) -> dict[str, list[float]]:
    """One pair, unlabeled, by ours and by the prototype."""
    report, prototype = bench.report, bench.prototype
    options = Options(unlabeled=True)
    files = bench.write("pair", pair)
    tasks: dict[str, Callable[[], object]] = {}
    if prototype is not None:
        report.agree(
            f"{name}: prototype",
            scores_by_pair(pair, labels="ignore"),
            prototype.scores(*files, options),
        )
        tasks["prototype"] = partial(prototype.seconds, *files, options)
    with bench.fresh(files, labels="ignore") as process:
        tasks["ours"] = process.score
        seconds = interleave(bench.rounds(5), tasks)
    report.times(f"{name}: ours", seconds["ours"])
    if prototype is not None:
        report.times(f"{name}: prototype", seconds["prototype"])
    return seconds


def exponent(seconds: dict[int, float]) -> float:
    """The growth of a time from the smallest to the largest size."""
    small, large = min(seconds), max(seconds)
    return math.log(max(seconds[large], 1e-9) / max(seconds[small], 1e-9)) / math.log(large / small)


# ---------------------------------------------------------------------------------- (d) program


def section_d(bench: Bench) -> None:
    """The command line."""
    report = bench.report
    report.section("(d) structiou score on the files of the corpus")
    files = list(map(str, bench.write("corpus", bench.corpus)))
    printed = json.loads(bench.python("-m", "structiou_metric", "score", *files, "--json"))
    mean = StructIoU().corpus_score(bench.corpus.predictions, bench.corpus.references).sentence
    report.agree("command line and library", [printed["struct_iou"]], [mean])
    tasks = {
        "score": partial(bench.python, "-m", "structiou_metric", "score", *files),
        "bare": partial(bench.python, "-c", "pass"),
    }
    interleave(1, tasks)  # writes the bytecode
    seconds = interleave(bench.rounds(20), tasks)
    report.times("structiou score REFERENCE PREDICTION", seconds["score"])
    report.times("python -c pass", seconds["bare"])
    note = f"median; best {1000 * min(seconds['score']):.0f} ms"
    report.limit("in all", 1000 * median(seconds["score"]), at_most=100.0, unit=" ms", note=note)


# ------------------------------------------------------------------------ (e) threads, (f) memory


def section_e(bench: Bench) -> None:
    """Two threads."""
    report = bench.report
    report.section("(e) two threads")
    many = bench.corpus.repeated(4_000 if bench.quick else 100_000)
    load, cores = machine.load(), machine.cores()
    report.fact(
        "needs two idle cores", f"{cores} cores usable, load average now {load}", cores=cores, load=load
    )

    means = [
        StructIoU().corpus_score(bench.corpus.predictions, bench.corpus.references, workers=workers).sentence
        for workers in (1, 2)
    ]
    report.agree("one thread and two", means[:1], means[1:], tolerance=1e-12)
    files = bench.write("many", many)
    with bench.fresh(files) as one, bench.fresh(files) as two, ThreadPoolExecutor(2) as pool:
        tasks: dict[str, Callable[[], float]] = {
            "one": one.score,
            "two": partial(two.score, workers=2),
            "apart": lambda: max(pool.map(FreshProcess.score, (one, two))),
        }
        seconds = interleave(bench.rounds(15), tasks)
    pairs = f"{len(many.references):,} pairs"
    report.times(f"one thread, {pairs}", seconds["one"])
    report.times(f"two threads, {pairs}", seconds["two"])
    apart = 2 * min(seconds["one"]) / min(seconds["apart"])
    report.fact("two processes with a thread each", f"{apart:.2f} times faster than one", value=apart)
    speedup = min(seconds["one"]) / min(seconds["two"])
    if cores < 2:
        report.fact("times faster", f"{speedup:.2f} (not judged: one core)", value=speedup)
    else:
        note = f"medians {median(seconds['one']) / median(seconds['two']):.2f}"
        report.limit("times faster", speedup, at_least=1.85, note=note)


def section_f(bench: Bench) -> None:
    """Peak memory."""
    report = bench.report
    report.section("(f) peak memory of a process")
    many = bench.corpus.repeated(4_000 if bench.quick else 100_000)
    long = 100 if bench.quick else 1000
    combs = Corpus([comb(long, "left")], [comb(long, "right")])
    rows: list[tuple[str, Corpus, dict[str, str]]] = [
        (f"{len(many.references):,} pairs", many, {}),
        (f"one pair of {long:,}-word combs, unlabeled", combs, {"labels": "ignore"}),
    ]
    for name, corpus, options in rows:
        with bench.fresh(bench.write("memory", corpus), **options) as process:
            peak = process.ask("score 1")
        strings = f"{peak['before']:.0f} MiB of it before scoring: interpreter and strings"
        text = f"{peak['after']:.0f} MiB, {strings}"
        report.fact(name, text, **peak)


# ------------------------------------------------------------------------------------- (g) instructions


def section_g(bench: Bench) -> None:
    """Instructions, which are the same however busy the machine is."""
    report, corpus = bench.report, bench.corpus
    report.section("(g) millions of instructions, as valgrind counts them")
    if not instructions.available():
        report.fact("instructions", "left out: there is no valgrind")
        return
    files = bench.write("corpus", corpus)
    scores: dict[str, tuple[tuple[Path, Path], dict[str, Any]]] = {
        "labelled": (files, {}),
        "unlabelled": (files, {"labels": "ignore"}),
        "flexible": (files, {"terminals": "flexible"}),
        "characters": (bench.write("characters", retokenized(corpus)), {"unit": "char"}),
    }
    counts = {
        name: instructions.count_score(*score, bench.environment) / 1e6 for name, score in scores.items()
    }
    limits = {"labelled": 90.0, "unlabelled": 101.0}  # 0.40 and 0.45 of what EVALB takes for both files
    for name, number in counts.items():
        at_most = limits.get(name, 1.5 * counts["labelled"])
        report.limit(f"corpus score of two lists, {name}", number, at_most=at_most)
    evalb = os.environ.get("EVALB")
    if not evalb:
        report.fact("EVALB", "left out: the environment does not name it, as in EVALB=./evalb make bench")
        return
    theirs = instructions.count([evalb, "-p", str(DATA / "COLLINS.prm"), *map(str, files)], bench.environment)
    report.fact("EVALB, whole process", f"{theirs / 1e6:.1f}", value=theirs)
    for name, number in counts.items():
        share = 1e6 * number / theirs
        report.fact(f"corpus score of two lists, {name} / EVALB", f"{share:.2f}", value=share)


# ------------------------------------------------------------------------------------------ program

SECTIONS: dict[str, Callable[[Bench], None]] = {
    "a": section_a,
    "b": section_b,
    "c": section_c,
    "d": section_d,
    "e": section_e,
    "f": section_f,
    "g": section_g,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the sections asked for."""
    parser = argparse.ArgumentParser(description="Times STRUCT-IoU against other ways to the same value.")
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all if none"
    )
    parser.add_argument("--quick", action="store_true", help="small and few; limits are not judged")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers there")
    args = parser.parse_args(argv)
    unknown = [name for name in args.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"unknown section {unknown[0]!r}; choose from {', '.join(SECTIONS)}")
    report = Report(
        judged=COMPILED and not args.quick, why_not="a quick run" if args.quick else "not compiled"
    )
    with tempfile.TemporaryDirectory(prefix="structiou-bench-") as folder:
        try:
            prototype = Prototype(Path(folder))
        except FileNotFoundError:
            prototype = None
        bench = Bench(
            report=report,
            corpus=make_corpus(120 if args.quick else 2400),
            folder=Path(folder),
            prototype=prototype,
            quick=args.quick,
            environment=machine.environment_with_package(Path(folder) / "bytecode"),
        )
        about = machine.describe(prototype)
        for name, value in about.items():
            print(f"{name:<12} {value}")
        for name in args.sections or SECTIONS:
            try:
                SECTIONS[name](bench)
            except subprocess.CalledProcessError as error:
                report.broken(f"exit code {error.returncode}: {' '.join(map(str, error.cmd))}")
    return report.finish(args.json, about)


if __name__ == "__main__":
    sys.exit(main())

"""Whole corpora: `python tests/bench/bench_corpora.py [--quick] [--json FILE]`.

A folder of 200 utterances, said by espeak-ng on the spot, of which 5 are bad, each in another way, is
projected by the command on one process and on two. One must take at least 1.7 times as long as two, by the
processor time of the longest path, for other programs may be busy; the ratio by the clock stands beside it,
and is the same on two processors that nobody else uses. Both write 195 treebanks, the same ones, name the 5
and exit with 1. A third run is killed when half is done, and finished by the same command, which must do the
rest only. Exit code 1 if not so.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.pool import ThreadPool
from os import sysconf
from pathlib import Path
from random import Random
from time import perf_counter, sleep

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.program import Program
from bench.report import Report, interleave
from structiou_metric.speech.projection.spelling import spoken_words
from support import espeak
from support.process import environment

_GAIN = 1.7
_N_BAD = 5
_NOUNS = ("dog", "woman", "teacher", "farmer", "window", "river", "garden", "letter", "mountain", "kitchen")
_ADJECTIVES = ("old", "young", "quiet", "yellow", "famous", "little", "careful", "modern")
_VERBS = ("followed", "remembered", "painted", "carried", "visited", "described", "finished")
_PRONOUNS = ("everybody", "nobody", "something", "themselves", "another")
_SPEED = 200  # words a minute


def make_tree(rng: Random) -> str:
    """A sentence of five words."""
    subject = f"(NP (DT the) (JJ {rng.choice(_ADJECTIVES)}) (NN {rng.choice(_NOUNS)}))"
    return f"(S {subject} (VP (VBD {rng.choice(_VERBS)}) (NP (PRP {rng.choice(_PRONOUNS)}))) (. .))"


def make_folders(folder: Path, n_utterances: int) -> set[str]:
    """Writes trees and recordings; returns the names of the bad ones."""
    rng = Random(18)
    trees, calls = folder / "trees", folder / "calls"
    trees.mkdir()
    calls.mkdir()
    bad = {number * n_utterances // _N_BAD + n_utterances // (2 * _N_BAD): number for number in range(_N_BAD)}
    names = set()
    made = [make_tree(rng) for _ in range(n_utterances)]
    with ThreadPool(2) as pool:  # each waits for a process that speaks
        speeches = pool.map(lambda tree: espeak.speak(" ".join(spoken_words(tree)), speed=_SPEED), made)
    for number, (tree, said) in enumerate(zip(made, speeches, strict=True)):
        name = f"utt{number:03}"
        kind = bad.get(number)
        samples = said.samples
        if kind is not None:
            names.add(name)
        if kind == 0:
            tree = tree[:-1]  # not closed
        elif kind == 1:
            samples = samples[: said.rate // 5]  # too short for its words
        elif kind == 2:
            samples = type(samples)("h", bytes(2 * len(samples)))  # digital silence
        (trees / f"{name}.mrg").write_text(f"{tree}\n", "utf-8")
        if kind == 3:
            (calls / f"{name}.wav").write_bytes(b"this is no sound")
        elif kind != 4:  # which is missing
            espeak.write_wav(calls / f"{name}.wav", samples, said.rate)
    return names


def command(output: str, workers: int) -> list[str]:
    """The command for the folders, as a user gives it."""
    options = [
        "-o",
        f"{output}/",
        "--workers",
        str(workers),
        "--report-to",
        f"{output}.jsonl",
        "--report",
        "json",
    ]
    return [sys.executable, "-m", "structiou_metric", "project", "trees", "--audio", "calls", *options]


def run(folder: Path, output: str, workers: int) -> tuple[int, str, str, float]:
    """Runs it; returns exit code, both outputs, and the processor seconds of the longest path.

    These are those of the process itself and of the one below it that has the most: what must be done one
    after the other, however many others wait for the processors.
    """
    with (
        (folder / "out").open("w+b") as out,
        (folder / "err").open("w+b") as err,
        subprocess.Popen(
            command(output, workers), cwd=folder, env=environment(), stdout=out, stderr=err
        ) as process,
    ):
        used: dict[int, float] = {}
        while process.poll() is None:
            for pid in (process.pid, *children(process.pid)):
                used[pid] = max(used.get(pid, 0.0), processor_seconds(pid))
            sleep(0.05)
        for file in (out, err):
            file.seek(0)
        texts = [file.read().decode() for file in (out, err)]
    own = used.pop(process.pid, 0.0)
    return process.returncode, *texts, own + max(used.values(), default=0.0)


def children(pid: int) -> list[int]:
    """The processes that a process has started; none where the system does not tell."""
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def processor_seconds(pid: int) -> float:
    """What a process has used so far; 0 where the system does not tell."""
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / sysconf("SC_CLK_TCK")
    return 0.0


def treebanks(folder: Path, output: str) -> dict[str, str]:
    """What was written, by name."""
    return {path.stem: path.read_text("utf-8") for path in sorted((folder / output).glob("*.mrg"))}


def check(
    report: Report, folder: Path, output: str, result: tuple[int, str, str, float], bad: set[str]
) -> None:
    """Whether all but the bad ones were written, and these named."""
    code, _, errors, _ = result
    n_all = len(list((folder / "trees").iterdir()))
    report.agree(f"{output}: written", [len(treebanks(folder, output))], [n_all - len(bad)], 0.0)
    named = {line.strip().removeprefix("trees/").partition(".")[0] for line in errors.splitlines()} & bad
    report.agree(f"{output}: named", [len(named)], [len(bad)], 0.0)
    report.agree(f"{output}: exit code", [code], [1], 0.0)
    rows = [json.loads(line) for line in (folder / f"{output}.jsonl").read_text("utf-8").splitlines()]
    failed = {Path(row["name"].partition(":")[0]).stem for row in rows if row["status"] == "failed"}
    report.agree(f"{output}: failed in the report", [len(failed & bad), len(rows)], [len(bad), n_all], 0.0)


def measure_speed(report: Report, folder: Path, bad: set[str], rounds: int) -> None:
    """One process against two."""
    results = {}
    paths: dict[int, list[float]] = {1: [], 2: []}  # processor seconds

    def timed(workers: int) -> float:
        output = f"by{workers}"
        for old in (*folder.glob(f"{output}/*"), folder / f"{output}.journal"):
            old.unlink(missing_ok=True)  # or there would be nothing left to do
        begin = perf_counter()
        results[workers] = run(folder, output, workers)
        took = perf_counter() - begin
        paths[workers].append(results[workers][3])
        return took

    tasks = {"one process": lambda: timed(1), "two processes": lambda: timed(2)}
    seconds = interleave(rounds, tasks)
    for name, times in seconds.items():
        report.times(name, times)
    for workers, times in paths.items():
        report.times(f"processor time of the longest path, {workers}", times)
    report.limit(
        "one process over two, by processor time",
        min(paths[1]) / max(min(paths[2]), 0.01),
        at_least=_GAIN,
    )
    by_clock = min(seconds["one process"]) / min(seconds["two processes"])
    report.fact("one process over two, by the clock", f"{by_clock:.2f}", value=by_clock)
    for workers, result in results.items():
        check(report, folder, f"by{workers}", result, bad)
    one, two = treebanks(folder, "by1"), treebanks(folder, "by2")
    report.agree("the same treebanks", [len(one)], [sum(one[name] == two.get(name) for name in one)], 0.0)


def measure_resuming(report: Report, folder: Path, bad: set[str]) -> None:
    """Killed half-way, and started again."""
    n_all = len(list((folder / "trees").iterdir()))
    journal = folder / "killed.journal"
    with subprocess.Popen(
        command("killed", 2),
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while not journal.exists() or journal.read_bytes().count(b"\n") <= n_all // 2:
            assert process.poll() is None, "it ended before it was killed"
            sleep(0.01)
        process.send_signal(signal.SIGKILL)
    lines = journal.read_bytes().split(b"\n")[1:-1]
    n_done = sum(b'"failed"' not in line for line in lines)
    files = treebanks(folder, "killed")
    report.fact("killed", f"with {n_done} of {n_all} done, {len(files)} written")
    report.agree(
        "all written whole", [len(files)], [sum(text.endswith(")\n") for text in files.values())], 0.0
    )
    result = run(folder, "killed", 2)
    report.agree("kept of the killed run", [json.loads(result[1])["n_kept"]], [n_done], 0.0)
    check(report, folder, "killed", result, bad)
    whole, again = treebanks(folder, "by1"), treebanks(folder, "killed")
    report.agree(
        "the same treebanks as undisturbed", [len(whole)], [sum(whole[n] == again.get(n) for n in whole)], 0.0
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program(
        "Times the projection of a folder of recordings.", argv, libraries=["pocketsphinx"], needs_core=False
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bad = make_folders(folder, 15 if program.quick else 200)
        program.report.section(
            f"{len(list((folder / 'trees').iterdir()))} utterances, {len(bad)} of them bad"
        )
        measure_speed(program.report, folder, bad, 1 if program.quick else 2)
        program.report.section("killed half-way and started again")
        measure_resuming(program.report, folder, bad)
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())

"""The cost of the Space: `python tests/bench/bench_space.py [--quick] [--json FILE]`.

The first page must be there within 2 seconds after the server has started, in a real browser where there
is one. A submission of 2,400 sentences, from the request to its rank, must take at most 1 second more than
the core takes for its score. Exit code 1 if not so, or if a value differs.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import machine
from bench.corpus import Corpus, make_corpus
from bench.report import Report, interleave
from structiou_metric import COMPILED, StructIoU
from support.space_client import RawClient
from support.space_server import SpaceServer

_BENCHMARK = """
title = "Benchmark"
language = "English"
description = "Trees of the benchmark."
reference = "reference.txt"

[metrics.parseval]
parameters = "collins"
gold = { public = true }
"""
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--no-first-run",
)


def text_of(trees: Sequence[str]) -> str:
    return "\n".join(trees) + "\n"


def make_benchmark(folder: Path, corpus: Corpus) -> Path:
    """A folder of benchmarks with one in it."""
    path = folder / "benchmarks" / "bench"
    path.mkdir(parents=True)
    (path / "benchmark.toml").write_text(_BENCHMARK, encoding="utf-8")
    (path / "reference.txt").write_text(text_of(corpus.references), encoding="utf-8")
    return path.parent


def open_in_browser(url: str) -> float:
    """Seconds until the page can be used, in a browser that has never seen it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(_QUIET))
        page = browser.new_page()
        begin = perf_counter()
        page.goto(url)
        page.wait_for_selector("button#compare")
        seconds = perf_counter() - begin
        browser.close()
    return seconds


def open_by_requests(url: str) -> float:
    """Seconds until the page and its settings have come."""
    begin = perf_counter()
    client = RawClient(url)
    client.get("/")
    seconds = perf_counter() - begin
    client.close()
    return seconds


def measure_page(report: Report, server: SpaceServer, rounds: int, *, browser: bool) -> None:
    """The first page after each of some starts."""
    browser = browser and find_spec("playwright") is not None and shutil.which("chromium") is not None
    report.section(
        f"the first page after a start, {'in Chromium' if browser else 'its requests without a browser'}"
    )
    starts, pages = [], []
    for _ in range(rounds):
        server.kill()
        starts.append(server.start())
        pages.append((open_in_browser if browser else open_by_requests)(server.url))
    report.times("start of the server", starts)
    report.times("first page", pages)
    report.limit("first page, the slowest", max(pages), at_most=2.0, unit=" s")


def measure_submission(report: Report, server: SpaceServer, corpus: Corpus, rounds: int) -> None:
    """From the request to the rank, beside the core."""
    report.section(f"a submission: {corpus.describe()}; ParsEval, labels, lengths and ranks, too")
    client = RawClient(server.url)
    event = client.event("submit")
    answers: list[dict[str, Any]] = []

    def submit() -> None:
        values = ["bench", f"system {len(answers)}", text_of(corpus.predictions), "", "", ""]
        answers.append(client.call(event, values)[0])

    def score() -> None:
        StructIoU().corpus_score(corpus.predictions, corpus.references)

    seconds = interleave(rounds, {"core": score, "submission": submit})
    client.close()
    want = round(StructIoU().corpus_score(corpus.predictions, corpus.references).sentence, 4)
    found = [answer["struct_iou_sentence"] for answer in answers]
    report.agree("score on the board and of the core", found, [want] * rounds)
    report.times("the core on lists", seconds["core"])
    report.times("submission", seconds["submission"])
    added = [whole - core for whole, core in zip(seconds["submission"], seconds["core"], strict=True)]
    report.limit("added to the core, the slowest", max(added), at_most=1.0, unit=" s")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all against a server of its own."""
    parser = argparse.ArgumentParser(description="Times the Space on this machine.")
    parser.add_argument("--quick", action="store_true", help="small and few; limits are not judged")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers there")
    args = parser.parse_args(argv)
    why_not = "a quick run" if args.quick else "not compiled"
    report = Report(judged=COMPILED and not args.quick, why_not=why_not)
    corpus = make_corpus(60 if args.quick else 2400)
    about = {**machine.describe(None), "gradio": metadata.version("gradio")}
    del about["prototype"]  # has no part in this
    for name, value in about.items():
        print(f"{name:<12} {value}")
    with tempfile.TemporaryDirectory(prefix="structiou-bench-") as name:
        folder = Path(name)
        benchmarks = make_benchmark(folder, corpus)
        server = SpaceServer(folder / "data", benchmarks, DAILY_PER_USER=1000, DAILY_PER_ADDRESS=1000)
        try:
            measure_page(report, server, 1 if args.quick else 4, browser=not args.quick)
            measure_submission(report, server, corpus, 2 if args.quick else 7)
        finally:
            server.kill()
    return report.finish(args.json, about)


if __name__ == "__main__":
    sys.exit(main())

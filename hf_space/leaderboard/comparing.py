"""Two systems of a board beside each other, as one page of HTML.

Where the sentences of a benchmark may be seen, the page is that of `structiou compare`, made in a process of
its own. Elsewhere it tells how the two differ by the figure that ranks them, from what was stored.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from typing import Any

from structiou_metric.analysis.compare import compare
from structiou_metric.report.page import render, write_page
from structiou_metric.report.tables import Cell, Line, Table
from structiou_metric.stats.intervals import Bootstrap, Interval
from structiou_metric.stats.significance import paired_test

from . import sandbox
from .benchmarks import Benchmark, benchmark_at, place_of
from .fields import FieldError
from .ranking import LEVEL, RESAMPLES, ranked_columns, ranked_statistic, told_interval, worth_of
from .sandbox import BusyError
from .service import Leaderboard
from .store import Submission
from .uploads import join_parts, split_parts

DIGITS = 3  # of a difference
_KEPT = 16  # pages
_MOST_WAITING = 4  # that wait for a page to be made


class Comparer:
    """Makes pages, one at a time, and keeps the last ones."""

    def __init__(self, board: Leaderboard) -> None:
        self._board = board
        self._pages: OrderedDict[tuple[str, ...], str] = OrderedDict()
        self._one = threading.Lock()
        self._room = threading.BoundedSemaphore(_MOST_WAITING)

    def page(self, first: str, second: str) -> str:
        """The page of two submissions to the same phase of a benchmark, by their names."""
        (a, kept_a), (b, kept_b) = self._find(first), self._find(second)
        if first == second:
            raise FieldError("these are the same submission; choose two")
        if (a.benchmark, a.phase) != (b.benchmark, b.phase):
            raise FieldError(
                "these were not submitted to the same benchmark and phase, so they do not compare"
            )
        benchmark = self._board.benchmark(a.benchmark).in_phase(a.phase)
        key = (first, second, kept_a["setting"], kept_a["version"], kept_b["version"])
        if key in self._pages:
            return self._pages[key]
        if not self._room.acquire(blocking=False):
            raise BusyError("many comparisons are being made; try again in a minute")
        try:
            with self._one:
                if key not in self._pages:
                    self._pages[key] = self._make(benchmark, (a, b), (kept_a, kept_b))
                while len(self._pages) > _KEPT:
                    self._pages.popitem(last=False)
                return self._pages[key]
        finally:
            self._room.release()

    def _find(self, id_: str) -> tuple[Submission, dict[str, Any]]:
        submission, _, _ = self._board.system(id_)
        result = self._board.kept(submission)
        if result is None:
            raise FieldError(f"{submission.system}: there are no scores to be seen of it yet")
        return submission, result

    def _make(
        self, benchmark: Benchmark, pair: tuple[Submission, ...], results: tuple[dict[str, Any], ...]
    ) -> str:
        titles = [_title(item) for item in pair]
        if titles[0] == titles[1]:
            titles = [f"{title} ({item.id})" for title, item in zip(titles, pair, strict=True)]
        if benchmark.show_sentences and not benchmark.parts:
            uploads = {f"{i}": self._board.store.upload(item.id) for i, item in enumerate(pair)}
            about = {"place": place_of(benchmark), "names": titles}
            _, page = sandbox.run(
                __name__, about, join_parts(uploads), self._board.settings, "comparing two systems"
            )
            return page.decode("utf-8")
        return _summary(benchmark, titles, results)


def _title(item: Submission) -> str:
    return f"{item.system}, {item.by}"


def _summary(benchmark: Benchmark, titles: list[str], results: tuple[dict[str, Any], ...]) -> str:
    """How two systems differ by the figure that ranks them."""
    metric, measure = benchmark.ranking
    for title, result in zip(titles, results, strict=True):
        if worth_of(benchmark, result) is None:
            raise FieldError(f"{title} has no {metric.title}, {measure.title}")
    columns = [ranked_columns(benchmark, result) for result in results]
    figure = ranked_statistic(benchmark)
    samples = Bootstrap(columns, n_resamples=RESAMPLES)
    body = []
    intervals = []
    for i, (title, result) in enumerate(zip(titles, results, strict=True)):
        found = samples.interval(i, figure, level=LEVEL)
        intervals.append(told_interval(benchmark, result, found))
        low, high = intervals[i].low, intervals[i].high
        body.append([title, _number(intervals[i].value), f"{_number(low)}–{_number(high)}"])
    heading = f"{titles[0]} and {titles[1]}"
    shown = f"{metric.title}, {measure.title}"
    verdict = (
        _verdict(titles, columns, samples, figure)
        if benchmark.gold.public
        else _rounded_verdict(titles, intervals)
    )
    table = Table("", ["system", shown, f"{LEVEL:.0%} interval"], body)
    parts = [benchmark.title, verdict, table, _held_back(benchmark)]
    return render("plain.html", title=heading, parts=parts, signature=metric.signature, css="")


def _held_back(benchmark: Benchmark) -> str:
    """Why there is no more than a summary."""
    if benchmark.show_sentences:
        return "Figures are the means of those of the parts."
    why = "does not show sentences" if benchmark.gold.public else "has private reference trees"
    return f"This benchmark {why}, so single sentences and labels are not told."


def _verdict(titles: list[str], columns: list[dict[str, Any]], samples: Bootstrap, figure: Any) -> Line:
    """How much two systems differ, and how sure that is."""
    difference = samples.difference(0, 1, figure, level=LEVEL)
    first, second = columns
    test = paired_test(first, second, figure, n_resamples=RESAMPLES)
    more = (
        f" ({LEVEL:.0%} interval {difference.low:+.{DIGITS}f} to {difference.high:+.{DIGITS}f}), "
        f"p = {test.p_value:.3f} by approximate randomisation."
    )
    return Line([*_minus(titles), _lead(difference.value), more])


def _rounded_verdict(titles: list[str], intervals: list[Interval]) -> Line:
    """The same where the reference trees are private: nothing that the board does not tell."""
    difference = intervals[0].value - intervals[1].value
    more = (
        ", from figures that are rounded as on the board. How sure the difference is would tell more of the "
        "reference trees than the board does."
    )
    return Line([*_minus(titles), _lead(difference), more])


def _minus(titles: list[str]) -> list[str]:
    return [titles[0], " minus ", titles[1], ": "]


def _lead(difference: float) -> Cell:
    return Cell(f"{difference:+.{DIGITS}f}", strong=True)


def _number(value: float) -> str:
    return f"{value:.{DIGITS}f}"


def _serve(about: dict[str, Any], data: bytes) -> tuple[None, bytes]:
    """The page of two systems, by their uploads."""
    benchmark = benchmark_at(about["place"])
    names: list[str] = about["names"]
    uploads = split_parts(data, ("0", "1"))
    systems = {name: benchmark.read(uploads[f"{i}"], name) for i, name in enumerate(names)}
    ranking = benchmark.ranking[0]
    metrics = [ranking, *(metric for metric in benchmark.metrics.values() if metric is not ranking)]
    found = compare(
        systems,
        benchmark.read_reference(),
        documents=bool(benchmark.documents),
        metrics=metrics,
        level=LEVEL,
        n_resamples=RESAMPLES,
    )
    return None, write_page(found, title=f"{names[0]} and {names[1]}: {benchmark.title}").encode("utf-8")


if __name__ == "__main__":
    sandbox.serve(_serve, *sys.argv[1:])

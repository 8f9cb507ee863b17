"""Two systems of a board side by side, as one page of HTML.

Where the sentences of a benchmark may be seen, the page is that of `structiou compare`, made in a process of
its own. Elsewhere it has the difference in the figure that ranks, from the stored results.
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
from .ranking import interval_of
from .scoring import LEVEL, RESAMPLES, ranked_columns, ranked_statistic
from .service import Leaderboard
from .store import Submission
from .uploads import join_parts, split_parts

_DIGITS = 3  # of a difference
_MAX_PAGES = 16  # that are kept
_MAX_WAITING = 4  # visitors who wait for a page to be made


class Comparer:
    """Makes pages, one at a time, and keeps the last ones."""

    def __init__(self, board: Leaderboard) -> None:
        self._board = board
        self._pages: OrderedDict[tuple[Any, ...], str] = OrderedDict()
        self._lock = threading.Lock()
        self._lane = sandbox.Lane(1, _MAX_WAITING, "comparing systems")

    def page(self, first: str, second: str) -> str:
        """Return the page of two submissions to the same phase of a benchmark, by their names."""
        (a, result_a), (b, result_b) = self._find(first), self._find(second)
        if first == second:
            raise FieldError("these are the same submission; choose two")
        if (a.benchmark, a.phase) != (b.benchmark, b.phase):
            raise FieldError(
                "these were not submitted to the same benchmark and phase, so they do not compare"
            )
        benchmark = self._board.benchmark(a.benchmark).in_phase(a.phase)
        exact = all(self._board.is_exact(benchmark, late=item.late) for item in (a, b))
        key = first, second, exact, result_a["setting"], result_a["version"], result_b["version"]
        with self._lock:
            if key in self._pages:
                return self._pages[key]
        with self._lane:
            page = self._make(benchmark, (a, b), (result_a, result_b), exact=exact)
        with self._lock:
            self._pages[key] = page
            while len(self._pages) > _MAX_PAGES:
                self._pages.popitem(last=False)
        return page

    def _find(self, id_: str) -> tuple[Submission, dict[str, Any]]:
        submission = self._board.visible(id_)
        result = self._board.kept(submission)
        if result is None:
            raise FieldError(f"{submission.system}: there are no scores to be seen of it yet")
        return submission, result

    def _make(
        self,
        benchmark: Benchmark,
        pair: tuple[Submission, Submission],
        results: tuple[dict[str, Any], dict[str, Any]],
        *,
        exact: bool,
    ) -> str:
        titles = [f"{item.system}, {item.by}" for item in pair]
        if titles[0] == titles[1]:
            titles = [f"{title} ({item.id})" for title, item in zip(titles, pair, strict=True)]
        if benchmark.show_sentences and not benchmark.parts:
            uploads = {f"{i}": self._board.store.upload(item.id) for i, item in enumerate(pair)}
            about = {"place": place_of(benchmark), "names": titles}
            _, page = sandbox.run(
                __name__, about, join_parts(uploads), self._board.settings, "comparing two systems"
            )
            return page.decode("utf-8")
        return _summary(benchmark, titles, results, exact=exact)


def _summary(
    benchmark: Benchmark, titles: list[str], results: tuple[dict[str, Any], dict[str, Any]], *, exact: bool
) -> str:
    """Return a page with the difference of two systems in the figure that ranks."""
    metric, measure = benchmark.ranking
    intervals = []
    for title, result in zip(titles, results, strict=True):
        if result["ranking"] is None:
            raise FieldError(f"{title} has no {metric.title}, {measure.title}")
        intervals.append(interval_of(result["ranking"], exact=exact))
    digits = _DIGITS if exact else max(result["ranking"]["digits"] for result in results)
    body = [
        [title, f"{own.value:.{digits}f}", f"{own.low:.{digits}f}–{own.high:.{digits}f}"]
        for title, own in zip(titles, intervals, strict=True)
    ]
    table = Table("", ["system", f"{metric.title}, {measure.title}", f"{LEVEL:.0%} interval"], body)
    difference = _difference(benchmark, results) if exact else _rounded_difference(intervals, digits)
    verdict = Line([titles[0], " minus ", titles[1], ": ", *difference])
    parts = [benchmark.title, verdict, table, _why_short(benchmark)]
    heading = f"{titles[0]} and {titles[1]}"
    return render("plain.html", title=heading, parts=parts, signature=metric.signature, css="")


def _why_short(benchmark: Benchmark) -> str:
    """Return why there is no more than a summary."""
    if benchmark.show_sentences:
        return "Figures are the means of those of the parts."
    why = "does not show sentences" if benchmark.gold.public else "has private reference trees"
    return f"This benchmark {why}, so single sentences and labels are not shown."


def _difference(benchmark: Benchmark, results: tuple[dict[str, Any], dict[str, Any]]) -> list[Cell | str]:
    """Return the difference of two systems and how sure it is."""
    first, second = (ranked_columns(benchmark, result) for result in results)
    figure = ranked_statistic(benchmark)
    samples = Bootstrap([first, second], n_resamples=RESAMPLES)
    difference = samples.difference(0, 1, figure, level=LEVEL)
    test = paired_test(first, second, figure, n_resamples=RESAMPLES)
    more = (
        f" ({LEVEL:.0%} interval {difference.low:+.{_DIGITS}f} to {difference.high:+.{_DIGITS}f}), "
        f"p = {test.p_value:.3f} by approximate randomisation."
    )
    return [Cell(f"{difference.value:+.{_DIGITS}f}", strong=True), more]


def _rounded_difference(intervals: list[Interval], digits: int) -> list[Cell | str]:
    """Return the difference where figures are rounded, which reveals nothing that the board does not."""
    difference = intervals[0].value - intervals[1].value
    more = (
        ", from figures that are rounded as on the board. How sure the difference is would reveal more of "
        "the reference trees than the board does."
    )
    return [Cell(f"{difference:+.{digits}f}", strong=True), more]


def _serve(about: dict[str, Any], data: bytes) -> tuple[None, bytes]:
    """Return the page of two systems, from their uploads."""
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

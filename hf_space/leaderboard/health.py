"""The health of a server in words, and figures about it for Prometheus."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily

from structiou_metric import __version__

from .service import Leaderboard

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

_LOW = 100 * 2**20  # bytes of the disk; with less, uploads may soon fail


def check_health(board: Leaderboard) -> tuple[bool, dict[str, Any]]:
    """Return whether submissions are taken and scored, with each problem in words; nothing private."""
    problems = []
    queued = None
    try:
        queued = len(board.store.queued())
    except (sqlite3.Error, OSError) as error:
        problems.append(f"the database cannot be read ({type(error).__name__}); look at the disk and the log")
    if not board.scorer.is_alive:
        problems.append("the thread that scores has ended; restart the server")
    if board.scorer.problem:
        problems.append(f"scoring fails ({board.scorer.problem}); the log says where")
    free = shutil.disk_usage(board.settings.data).free
    if free < _LOW:
        problems.append(f"the disk has {free // 2**20} MiB left, and {_LOW // 2**20} are needed; make space")
    if board.copy is not None and board.copy.problem:
        problems.append(
            f"copying to the Hub fails ({board.copy.problem}), so that new submissions are on this disk "
            "only; look at the token and the dataset"
        )
    return not problems, {
        "status": "ok" if not problems else "failing",
        "problems": problems,
        "version": __version__,
        "queued": queued,
        "free_bytes": free,
        "benchmarks": {
            **dict.fromkeys(board.benchmarks, "ok"),
            **dict.fromkeys(board.catalogue.broken, "has an error; the host's page says which"),
        },
    }


class _Board:
    """The figures, found whenever they are asked for."""

    def __init__(self, board: Leaderboard) -> None:
        self._board = board

    def collect(self) -> Iterator[Metric]:
        """Yield figures of submissions, teams, benchmarks and the disk."""
        board = self._board
        submissions = board.store.all()
        numbers = GaugeMetricFamily(
            "structiou_submissions",
            "Submissions that are stored",
            labels=["benchmark", "phase", "state"],
        )
        counts = Counter((item.benchmark, item.phase, item.removed or item.state) for item in submissions)
        for labels, number in sorted(counts.items()):
            numbers.add_metric(labels, number)
        yield numbers
        queued = [item.received for item in submissions if item.state == "queued" and not item.removed]
        waited = max(0.0, board.clock() - min(queued)) if queued else 0.0
        yield GaugeMetricFamily("structiou_queued", "Submissions that wait to be scored", value=len(queued))
        yield GaugeMetricFamily(
            "structiou_queued_seconds", "How long the oldest of them has been waiting", value=waited
        )
        yield GaugeMetricFamily("structiou_teams", "Teams", value=len(board.teams.all()))
        benchmarks = GaugeMetricFamily(
            "structiou_benchmark_ok", "Whether a benchmark has no error and is served", labels=["benchmark"]
        )
        broken = board.catalogue.broken
        for name in sorted({*board.benchmarks, *broken}):
            benchmarks.add_metric([name], float(name not in broken))
        yield benchmarks
        usage = shutil.disk_usage(board.settings.data)
        yield GaugeMetricFamily("structiou_disk_free_bytes", "Free bytes of the disk", value=usage.free)
        yield GaugeMetricFamily(
            "structiou_scoring", "Whether the scorer runs", value=float(board.scorer.is_alive)
        )


def make_registry(board: Leaderboard) -> CollectorRegistry:
    """Return the figures of a leaderboard."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Board(board))
    return registry


def write_metrics(registry: CollectorRegistry) -> bytes:
    """Return the figures in the form that Prometheus reads."""
    return generate_latest(registry)

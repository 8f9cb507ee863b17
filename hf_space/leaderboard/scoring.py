"""Scoring a submission, in a process of its own with bounded time and memory.

`python -m leaderboard.scoring FOLDER BYTES SECONDS PHASE` scores what comes by standard input against the
benchmark in that folder, in at most that much memory and time, and writes the result as JSON.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import subprocess
import sys
from array import array
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from structiou_metric import __version__
from structiou_metric.analysis.common_rows import Compared
from structiou_metric.analysis.groups import LENGTHS, WordCount, group_by_length
from structiou_metric.metrics.base import Counts
from structiou_metric.metrics.metric import Metric
from structiou_metric.metrics.notices import gather_notices
from structiou_metric.metrics.results import Result
from structiou_metric.metrics.runner import score_systems

from .benchmarks import Benchmark, read_benchmark
from .parts import average_parts, split_parts
from .settings import Settings

_MAX_LABEL = 200  # characters kept of one
_MAX_LABELS = 200  # kept of a submission, which may have as many as it has nodes
_SECRET = re.compile("TOKEN|SECRET|PASSWORD|KEY")
_LOG = logging.getLogger(__name__)
_SPACE = Path(__file__).resolve().parent.parent


class ScoringError(ValueError):
    """A submission that could not be scored within the bounds."""


def score_apart(data: bytes, benchmark: Benchmark, settings: Settings) -> dict[str, Any]:
    """The result of a submission; ends soon, whatever it holds."""
    result: dict[str, Any] = json.loads(run_apart("leaderboard.scoring", data, benchmark, settings))
    return result


def run_apart(module: str, data: bytes, benchmark: Benchmark, settings: Settings, *more: str) -> bytes:
    """What a module prints that is run with a benchmark, in a process of its own with bounded means.

    Args:
        module: Its `main` takes a folder, bytes, seconds, a phase and `more`, and calls `bound_means`.
        data: Its standard input.
        benchmark: In the phase at hand.
        settings: With the bounds.
        more: Arguments of the module's own.
    """
    command = [
        sys.executable,
        "-m",
        module,
        str(benchmark.reference.parent.resolve()),
        str(settings.scoring_bytes),
        str(math.ceil(settings.scoring_seconds)),
        benchmark.phase,
        *more,
    ]
    try:
        done = subprocess.run(
            command,
            input=data,
            capture_output=True,
            timeout=settings.scoring_seconds,
            cwd=_SPACE,
            env={name: value for name, value in os.environ.items() if not _SECRET.search(name)},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ScoringError(
            f"scoring took longer than {settings.scoring_seconds:g} seconds; are there very deep trees?"
        ) from None
    if done.returncode != 0:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        _LOG.error("scoring ended with %d: %s", done.returncode, last)
        raise ScoringError("scoring failed; the host can tell more")
    return done.stdout


def score(data: bytes, benchmark: Benchmark) -> dict[str, Any]:
    """All that is kept of a submission, as plain values; every tree is read once."""
    if benchmark.parts:
        files = split_parts(data, benchmark.parts)
        pieces = benchmark.pieces.items()
        return average_parts({name: score(files[name], piece) for name, piece in pieces}, benchmark.setting())
    references = benchmark.read_reference()
    predictions = benchmark.read(data, "file")
    metrics = list(benchmark.metrics.values())
    run = [*metrics, WordCount.beside(metrics)]
    [[*found, counted]] = score_systems(run, [predictions], references, by_label=True)
    first = found[0]
    return {
        "version": __version__,
        "setting": benchmark.setting(),
        "n_sentences": len(references),
        "n_empty": first.n_empty,
        "notices": [notice.as_dict() for notice in gather_notices(found)],
        "metrics": {result.metric.name: _keep(result, benchmark.metric.options.unit) for result in found},
        "labels": _labels(first),
        "lengths": _lengths(benchmark.metric, first, counted.columns["n_words"]),
    }


def _keep(result: Result, unit: str) -> dict[str, Any]:
    """What `stored_result` needs, the figures, and why they mean nothing if so."""
    return {
        "figures": {key: float(result.figures[key]) for key in result.metric.MEASURES},
        "refused": result.metric.refuses(result, unit),
        "signature": result.signature,
        "columns": {name: list(column) for name, column in result.columns.items()},
        "status": list(result.status),
        "rows": None if isinstance(result.rows, range) else list(result.rows),
    }


def stored_result(metric: Metric, kept: dict[str, Any]) -> Result:
    """The columns of a result as they were when it was stored."""
    result: Result = metric.RESULT(metric)
    columns = {name: array("d", column) for name, column in kept["columns"].items()}
    status = bytearray(kept["status"])
    if any(len(column) != len(status) for column in (*columns.values(), kept["rows"] or status)):
        raise ValueError("the result does not have a number for each row")
    result.add(0, Counts(columns, status, {}, rows=kept["rows"]))
    return result


def _labels(found: Result) -> list[dict[str, Any]]:
    """Figures by label, those that the reference has most often first."""
    return [
        {
            "label": label[:_MAX_LABEL],
            found.metric.name: tally.score,
            "n_pred": tally.n_pred,
            "n_ref": tally.n_ref,
        }
        for label, tally in islice(found.by_label.items(), _MAX_LABELS)
    ]


def _lengths(metric: Metric, found: Result, n_words: Sequence[int]) -> list[dict[str, Any]]:
    """The headline by the number of words in the reference, in the groups of `compare`."""
    return [
        {
            "words": group.title,
            "n_sentences": group.n_sentences[metric.name],
            metric.name: group.figures[metric.headline][0],
        }
        for group in group_by_length(n_words, LENGTHS, [Compared(metric, [found])])
    ]


def bound_means(memory: str, seconds: str) -> None:
    """Bounds the memory and time of this process."""
    try:
        import resource
    except ImportError:  # not on every system; time is bounded by the caller all the same
        return
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    # The caller bounds the time, but may be killed before this process ends.
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))


def main(folder: str, memory: str, seconds: str, phase: str) -> None:
    """Scores what comes by standard input."""
    bound_means(memory, seconds)
    result = score(sys.stdin.buffer.read(), read_benchmark(Path(folder)).in_phase(phase))
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])

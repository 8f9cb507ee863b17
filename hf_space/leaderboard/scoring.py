"""Scoring a submission, in a process of its own with bounded time and memory."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from structiou_metric import __version__
from structiou_metric.analysis.compare import LENGTHS, Compared, WordCount, group_by_length
from structiou_metric.metrics.base import Counts
from structiou_metric.metrics.metric import Metric
from structiou_metric.metrics.results import Result, result_of
from structiou_metric.metrics.runner import score_systems
from structiou_metric.metrics.warnings import gather_warnings

from . import sandbox
from .benchmarks import Benchmark, benchmark_at, place_of
from .uploads import average_parts, split_parts

if TYPE_CHECKING:
    from .settings import Settings

_MAX_LABEL = 200  # characters kept of one
_MAX_LABELS = 200  # kept of a submission, which may have as many as it has nodes


def score_in_sandbox(data: bytes, benchmark: Benchmark, settings: Settings) -> dict[str, Any]:
    """The result of a submission; ends soon, whatever it holds."""
    result: dict[str, Any]
    result, _ = sandbox.run(__name__, place_of(benchmark), data, settings, "scoring")
    return result


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
        "warnings": [warning.as_dict() for warning in gather_warnings(found)],
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
    columns = {name: array("d", column) for name, column in kept["columns"].items()}
    status = bytearray(kept["status"])
    if any(len(column) != len(status) for column in (*columns.values(), kept["rows"] or status)):
        raise ValueError("the result does not have a number for each row")
    result: Result = result_of(metric, Counts(columns, status, {}, rows=kept["rows"]))
    return result


def _labels(found: Result) -> list[dict[str, Any]]:
    """The figures by label, those that the reference has most often first."""
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


def _serve(place: dict[str, str], data: bytes) -> tuple[dict[str, Any], bytes]:
    return score(data, benchmark_at(place)), b""


if __name__ == "__main__":
    sandbox.serve(_serve, *sys.argv[1:])

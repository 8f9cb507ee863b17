"""Scoring a submission, in a process of its own with bounded time and memory.

A result has everything that pages show, computed once: each figure exactly and on the grid of `privacy`, and
the interval of the one that ranks. Only tests and comparisons of two systems read the numbers of sentences
again, which are under `rows`.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from structiou_metric import __version__
from structiou_metric.analysis.compare import LENGTHS, Compared, WordCount, group_by_length
from structiou_metric.metrics.base import Counts
from structiou_metric.metrics.metric import Metric
from structiou_metric.metrics.results import Result, result_of
from structiou_metric.metrics.runner import score_systems
from structiou_metric.metrics.warnings import gather_warnings
from structiou_metric.stats.columns import Statistic, sample_columns, statistic
from structiou_metric.stats.intervals import confidence_interval

from . import sandbox
from .benchmarks import Benchmark, benchmark_at, place_of
from .privacy import Rounding, digits_of, step_of
from .uploads import split_parts

if TYPE_CHECKING:
    from .settings import Settings

LEVEL = 0.95
RESAMPLES = 10_000  # the number that `structiou compare` uses, so that both find the same

_MAX_LABEL = 200  # characters of a label that are stored
_MAX_LABELS = 200  # stored of a submission, which may have one on each node


def score_in_sandbox(data: bytes, benchmark: Benchmark, settings: Settings) -> dict[str, Any]:
    """Return the result of a submission; ends soon for any file."""
    result: dict[str, Any]
    result, _ = sandbox.run(__name__, place_of(benchmark), data, settings, "scoring")
    return result


def score(data: bytes, benchmark: Benchmark) -> dict[str, Any]:
    """Return everything that is stored of a submission, as plain values."""
    if benchmark.parts:
        files = split_parts(data, benchmark.parts)
        pieces = {name: _score_file(files[name], piece) for name, piece in benchmark.pieces.items()}
        result = average_parts(pieces)
    else:
        result = _score_file(data, benchmark)
    result |= {"version": __version__, "setting": benchmark.setting()}
    return result | {"ranking": _rank_figure(benchmark, result)}


def _score_file(data: bytes, benchmark: Benchmark) -> dict[str, Any]:
    """Return the result of one file; every tree is read once."""
    references = benchmark.read_reference()
    predictions = benchmark.read(data, "file")
    metrics = list(benchmark.metrics.values())
    run = [*metrics, WordCount.beside(metrics)]
    [[*found, counted]] = score_systems(run, [predictions], references, by_label=True)
    first = found[0]
    rows = {result.metric.name: _rows(result) for result in found}
    rounding = Rounding(benchmark.setting(), rows[benchmark.ranking[0].name])
    unit = benchmark.metric.options.unit
    return {
        "n_sentences": len(references),
        "n_empty": first.n_empty,
        "warnings": [warning.as_dict() for warning in gather_warnings(found)],
        "metrics": {result.metric.name: _figures(result, unit, rounding) for result in found},
        "labels": _labels(first),
        "lengths": _lengths(benchmark.metric, first, counted.columns["n_words"]),
        "rows": rows,
    }


def _rows(result: Result) -> dict[str, Any]:
    """Return the numbers of each sentence, from which `stored_result` makes the result again."""
    return {
        "columns": {name: list(column) for name, column in result.columns.items()},
        "status": list(result.status),
        "rows": None if isinstance(result.rows, range) else list(result.rows),
    }


def stored_result(metric: Metric, rows: Mapping[str, Any]) -> Result:
    """Return a result of a metric from the numbers of its sentences."""
    columns = {name: array("d", column) for name, column in rows["columns"].items()}
    status = bytearray(rows["status"])
    if any(len(column) != len(status) for column in (*columns.values(), rows["rows"] or status)):
        raise ValueError("the result does not have a number for each row")
    result: Result = result_of(metric, Counts(columns, status, {}, rows=rows["rows"]))
    return result


def _figures(result: Result, unit: str, rounding: Rounding) -> dict[str, Any]:
    """Return the figures of a metric, exactly and on the grid, and why they mean nothing if so."""
    figures = {key: float(result.figures[key]) for key in result.metric.MEASURES}
    measures = result.metric.MEASURES
    steps = {key: step_of(len(result.status), measures[key], value) for key, value in figures.items()}
    return {
        "figures": figures,
        "shown": {key: rounding.put(key, value, steps[key]) for key, value in figures.items()},
        "digits": {key: digits_of(step) for key, step in steps.items()},
        "refused": result.metric.refuses(result, unit),
        "signature": result.signature,
    }


def _labels(found: Result) -> list[dict[str, Any]]:
    """Return the figures by label, the most frequent labels of the reference first."""
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
    """Return the headline by the number of words in the reference, in the groups of `compare`."""
    return [
        {
            "words": group.title,
            "n_sentences": group.n_sentences[metric.name],
            metric.name: group.figures[metric.headline][0],
        }
        for group in group_by_length(n_words, LENGTHS, [Compared(metric, [found])])
    ]


# ---- several parts ---------------------------------------------------------------------------------


def average_parts(parts: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the result of several files: each figure is the plain mean of those of the parts.

    The mean on the grid is that of the parts' figures on their grids, so that readers find the same mean; it
    has one digit more.
    """
    results = list(parts.values())
    metrics = {}
    for name, first in results[0]["metrics"].items():
        own = {part: result["metrics"][name] for part, result in parts.items()}
        means = {
            kind: {key: sum(one[kind][key] for one in own.values()) / len(own) for key in first[kind]}
            for kind in ("figures", "shown")
        }
        metrics[name] = {
            "figures": means["figures"],
            # Rounded after the addition, so that equal means tie.
            "shown": {key: round(value, 12) for key, value in means["shown"].items()},
            "digits": {key: 1 + max(one["digits"][key] for one in own.values()) for key in first["digits"]},
            "refused": next((f"{part}: {one['refused']}" for part, one in own.items() if one["refused"]), ""),
            "signature": first["signature"],
        }
    return {
        "n_sentences": sum(result["n_sentences"] for result in results),
        "n_empty": sum(result["n_empty"] for result in results),
        "warnings": [
            {**warning, "message": f"{name}: {warning['message']}"}
            for name, result in parts.items()
            for warning in result["warnings"]
        ],
        "metrics": metrics,
        "labels": [],
        "lengths": [],
        "parts": {
            name: {key: value for key, value in result.items() if key != "rows"}
            for name, result in parts.items()
        },
        "rows": {name: result["rows"] for name, result in parts.items()},
    }


# ---- the figure that ranks -------------------------------------------------------------------------


def _rank_figure(benchmark: Benchmark, result: dict[str, Any]) -> dict[str, Any] | None:
    """Return the figure that ranks with its interval, exactly and on the grid; None if it means nothing."""
    metric, measure = benchmark.ranking
    found = result["metrics"][metric.name]
    if found["refused"]:
        return None
    columns = ranked_columns(benchmark, result)
    exact = confidence_interval(columns, ranked_statistic(benchmark), level=LEVEL, n_resamples=RESAMPLES)
    key = benchmark.rank_by
    step = step_of(result["n_sentences"], measure, exact.value)
    rounding = Rounding(result["setting"], [rows for _, rows in sorted(result["rows"].items())])
    shown = found["shown"][key]
    low, high = (rounding.put(f"{key} {name}", getattr(exact, name), step) for name in ("low", "high"))
    return {
        "value": found["figures"][key],
        "low": exact.low,
        "high": exact.high,
        "method": exact.method,
        "shown": shown,
        "shown_low": min(low, shown),
        "shown_high": max(high, shown),
        "digits": found["digits"][key],
    }


def ranked_columns(benchmark: Benchmark, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of sentences to resample; where a system has several parts, columns for each."""
    metric = benchmark.ranking[0]
    if not benchmark.parts:
        return sample_columns(stored_result(metric, result["rows"][metric.name]))
    tables = [
        sample_columns(stored_result(metric, result["rows"][part][metric.name])) for part in benchmark.parts
    ]
    sizes = [len(next(iter(table.values()))) for table in tables]
    before = [sum(sizes[:i]) for i in range(len(sizes))]
    return {
        f"{part}/{name}": [0.0] * start
        + [float(value) for value in column]
        + [0.0] * (sum(sizes) - start - size)
        for part, table, start, size in zip(benchmark.parts, tables, before, sizes, strict=True)
        for name, column in table.items()
    }


def ranked_statistic(benchmark: Benchmark) -> Statistic:
    """Return the figure that ranks, of several parts their mean, as a function of sums of columns."""
    figure = statistic(benchmark.rank_by, benchmark.ranking[1])
    if not benchmark.parts:
        return figure
    parts = list(benchmark.parts)

    def mean(sums: Mapping[str, Any]) -> Any:
        own = (
            figure(
                {name.partition("/")[2]: value for name, value in sums.items() if name.startswith(f"{part}/")}
            )
            for part in parts
        )
        return sum(own) / len(parts)

    return mean


def _serve(place: dict[str, str], data: bytes) -> tuple[dict[str, Any], bytes]:
    return score(data, benchmark_at(place)), b""


if __name__ == "__main__":
    sandbox.serve(_serve, *sys.argv[1:])

"""Tables in Markdown, and those of the metrics, their options and their figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from structiou_metric.metrics import METRICS, metric_class
from structiou_metric.metrics.base import Measure, Option


def write_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, with the separator of cells escaped in them."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in lines)


def code(text: str) -> str:
    """Return any text as code."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def escaped(text: str) -> str:
    """Return a text in which only backticks are markup, with options as code."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        part = re.sub(r"([\\*_<>\[\]{}#|])", r"\\\1", parts[i])
        parts[i] = re.sub(r"(?<![\w\\-])(--[a-z][a-z-]*)", r"`\1`", part)
    return "`".join(parts)


def write_options(name: str) -> str:
    """Return the options of a metric as a table."""
    rows = (
        [code(option), _values(known), escaped(known.help)]
        for option, known in metric_class(name).OPTIONS.items()
    )
    return write_table(["option", "values, default first", "meaning"], rows)


def write_all_options() -> str:
    """Return the options of every metric except STRUCT-IoU as tables with headings."""
    parts = []
    for name in list(METRICS)[1:]:
        parts.append(f"### {metric_class(name).title}\n\n`load_metric({name!r}, …)`\n\n{write_options(name)}")
    return "\n".join(parts)


def _values(option: Option) -> str:
    if option.choices:
        first = [option.default] if option.default in option.choices else []
        others = [choice for choice in option.choices if choice != option.default]
        return ", ".join(map(code, [*first, *others]))
    if option.kind == "labels":
        return code(" ".join(label or '""' for label in option.default)) if option.default else "no labels"
    if option.default is None:
        return {"file": "none; a file", "number": "none; a number"}.get(option.kind, "none")
    return code(str(option.default))


def write_measures(*names: str) -> str:
    """Return the figures of some metrics, or of all, as tables."""
    parts = []
    for name in names or METRICS:
        metric = metric_class(name)
        rows = (
            [code(key), measure.title, _made(measure), _range(measure)]
            for key, measure in metric.MEASURES.items()
        )
        table = write_table(["key", "figure", "over", "range"], rows)
        parts.append(table if names else f"### {metric.title}\n\n{table}")
    return "\n".join(parts)


def _made(measure: Measure) -> str:
    return "the mean over rows" if measure.mean else "sums over all rows"


def _range(measure: Measure) -> str:
    low, high = measure.limits
    way = "higher" if measure.higher_is_better else "lower"
    return f"{low:g} {'upwards' if high is None else f'to {high:g}'}, {way} is better"


def as_values(default: Any) -> str:
    """Return a default as a config or a program writes it."""
    return code(repr(default) if not isinstance(default, str) else f'"{default}"')

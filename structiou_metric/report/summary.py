"""The beginning of a page: who is best, by how much and how sure, and all pairs of systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .elements import escape, minus, name, paragraph, table
from .text import decimals, holm_value

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison, Difference, SystemPair

_MAX_PAIRS = 6  # in words; more are a table


def write_summary(comparison: Comparison) -> Iterator[str]:
    """A text that says who is best, by how much and how sure; then all pairs, by the headline figure."""
    key = comparison.main.headline
    title = escape(comparison.measures[key].full_title)
    first = comparison.systems[comparison.ranked[0]]
    best = [system for system, rank in zip(comparison.systems, comparison.ranks, strict=True) if rank == 1]
    value = f"{decimals(first.figures[key].value)} {_bounds(comparison, key, comparison.ranked[0])}"
    if len(comparison.systems) == 1:
        yield f'<p class="verdict">{title}: <strong>{value}</strong>.</p>'
        return
    who = _join([f"<strong>{name(system.name)}</strong>" for system in best])
    verb = "are the best, equal," if len(best) > 1 else "is the best"
    pairs = comparison.ranked_pairs
    sure = f" {_tell(comparison, pairs[0])}" if len(pairs) == 1 else _how_sure(comparison)
    yield f'<p class="verdict">{who} {verb} by {title}: {value}.{sure}</p>'
    if 1 < len(pairs) <= _MAX_PAIRS:
        yield f'<ul class="verdict">{"".join(f"<li>{_tell(comparison, pair)}</li>" for pair in pairs)}</ul>'
    elif pairs[1:]:
        yield _matrix(comparison)


def _how_sure(comparison: Comparison) -> str:
    """Which systems the first one cannot be told from."""
    if comparison.baseline is not None:
        return ""
    first = comparison.ranked[0]
    key = comparison.main.headline
    close = [
        comparison.names[pair.second]
        for pair in comparison.ranked_pairs
        if pair.first == first and not pair.differences[key].significant
    ]
    others = len(comparison.systems) - 1
    if not close:
        return f" Its lead over all {others} others is significant."
    if len(close) == others:
        return " None of the others differs from it significantly."
    return f" Not significantly different from it: {_join([name(text) for text in close])}."


def _tell(comparison: Comparison, pair: SystemPair) -> str:
    """A pair in words."""
    key = comparison.main.headline
    found = pair.differences[key]
    first, second = (name(comparison.names[i]) for i in (pair.first, pair.second))
    higher = comparison.measures[key].measure.higher_is_better
    if found.interval.value == 0.0 or decimals(found.interval.value) == decimals(0.0):
        return f"{first} and {second} have the same figure ({_p(comparison, found)})."
    numbers = (
        f"{decimals(abs(found.interval.value))} (interval of the difference "
        f"{_signed(found.interval.low)} … {_signed(found.interval.high)}, {_p(comparison, found)})"
    )
    if not found.significant:
        return f"{first} and {second} do not differ significantly: {numbers}."
    better = (found.interval.value > 0) == higher
    return f"<strong>{first}</strong> is {'better' if better else 'worse'} than {second} by {numbers}."


def _matrix(comparison: Comparison) -> str:
    """All pairs by the headline figure: the system of the line minus that of the column."""
    key = comparison.main.headline
    shown = {(pair.first, pair.second): pair.differences[key] for pair in comparison.ranked_pairs}
    rows = [i for i in comparison.ranked if any(i == first for first, _ in shown)]
    columns = [i for i in comparison.ranked if any(i == second for _, second in shown)]
    body = []
    for i in rows:
        cells = [name(comparison.names[i])]
        for j in columns:
            found = shown.get((i, j))
            cells.append(_matrix_cell(comparison, found) if found else "")
        body.append(cells)
    told = "Line minus column; bold where the difference is significant, with its Holm-corrected p below."
    return paragraph(told) + table(["", *(name(comparison.names[j]) for j in columns)], body)


def _matrix_cell(comparison: Comparison, found: Difference) -> str:
    value = _signed(found.interval.value)
    return (
        f"{f'<strong>{value}</strong>' if found.significant else value}<small>{_p(comparison, found)}</small>"
    )


def _p(comparison: Comparison, found: Difference) -> str:
    shown = holm_value(found, comparison.resampling)
    return f"p {shown}" if shown.startswith("≤") else f"p = {shown}"


def _bounds(comparison: Comparison, key: str, system: int) -> str:
    """The interval of a figure."""
    found = comparison.systems[system].figures[key]
    level = f"{100 * comparison.resampling.level:g}%"
    return f"({level} interval {decimals(found.low)}–{decimals(found.high)})"


def _signed(value: float) -> str:
    return minus(decimals(value, signed=True))


def _join(parts: Sequence[str]) -> str:
    """The names in a list, such as `A, B and C`."""
    return " and ".join(part for part in (", ".join(parts[:-1]), parts[-1]) if part)

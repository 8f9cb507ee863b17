"""The tables of a `Comparison` for pages and notebooks. Systems stand in the order of their ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..terminal import NO_LABEL
from .elements import details, escape, minus, name, paragraph, table, tables
from .text import (
    CAUSES_HOLM,
    CAUSES_TITLE,
    cause_differences,
    cause_rows,
    decimals,
    difference_cells,
    in_order,
)

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison
    from ..analysis.groups import LabelRow


def score_table(comparison: Comparison, key: Callable[[int], str] = lambda system: "") -> str:
    """Every measure of every system with its interval; `key` gives what stands before a system's name."""
    measures = comparison.measures
    head = ["system"]
    head += [f"{escape(own.metric.title)}<br>{escape(own.title)}" for own in measures.values()]
    body = []
    for i in comparison.ranked:
        system = comparison.systems[i]
        cells = [f"{comparison.ranks[i]}. {key(i)}{name(system.name)}"]
        for measure in measures:
            found = system.figures.get(measure)
            cells.append(
                f"{decimals(found.value)}<sup>{escape(system.marks.get(measure, ''))}</sup>"
                f"<small>{decimals(found.low)}–{decimals(found.high)}</small>"
                if found
                else decimals(None)
            )
        body.append(cells)
    return table(head, body)


def pair_table(comparison: Comparison) -> str:
    """The differences of every pair of systems that was tested, by measure."""
    names = comparison.names
    head = ["", "difference", "interval", "p", "Holm-corrected", "significant"]
    groups = []
    for pair in comparison.ranked_pairs:
        body = [
            [
                escape(measure.full_title),
                *map(minus, difference_cells(found, comparison.resampling, " (exact)")),
                "yes" if found.significant else "no",
            ]
            for key, measure in comparison.measures.items()
            if (found := pair.differences.get(key))
        ]
        groups.append((f"{name(names[pair.first])} minus {name(names[pair.second])}", body))
    return tables(head, groups)


def length_table(comparison: Comparison) -> str:
    """Every measure of every system by the length of the reference."""
    metrics = [found.metric for found in comparison.headlines.values()]
    head = ["words", *(f"{comparison.noun}s<br>{escape(metric.title)}" for metric in metrics)]
    head += [
        f"{escape(measure.full_title)}<br>{name(text)}"
        for measure in comparison.measures.values()
        for text in in_order(comparison, comparison.names)
    ]
    body = [
        [
            group.title,
            *(f"{group.n_sentences[metric.name]:,}" for metric in metrics),
            *(
                decimals(value)
                for key in comparison.measures
                for value in in_order(comparison, group.figures[key])
            ),
        ]
        for group in comparison.lengths
    ]
    return table(head, body)


def label_table(comparison: Comparison, rows: Sequence[LabelRow]) -> str:
    """The score of every system by label, for these labels."""
    head = ["label", "in the reference", *map(name, in_order(comparison, comparison.names)), "spread"]
    body = [
        [
            name(row.label or NO_LABEL),
            f"{row.n_ref:,}",
            *map(decimals, in_order(comparison, row.scores)),
            decimals(row.spread),
        ]
        for row in rows
    ]
    return table(head, body)


def cause_tables(comparison: Comparison) -> Iterator[str]:
    """What systems lose by which cause, and how they differ in that; nothing if causes were not compared."""
    head, *rows = cause_rows(comparison, name) or [[]]
    if not rows:
        return
    yield paragraph(f"{CAUSES_TITLE[0].upper()}{CAUSES_TITLE[1:]}, with its interval.")
    yield table(head, rows)
    groups: list[tuple[str, list[list[str]]]] = []
    for row in cause_differences(comparison, name):
        if len(row) == 1:
            groups.append((row[0], []))
        else:
            *cells, star = row
            groups[-1][1].append([*map(minus, cells), "yes" if star else "no"])
    if groups:
        columns = ["", "difference", "interval", "Holm-corrected", "significant"]
        found = paragraph(f"{CAUSES_HOLM}.") + tables(columns, groups)
        yield found if len(groups) == 1 else details("Differences by cause", found)

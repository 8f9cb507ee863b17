"""The HTML that notebooks show for results, comparisons, losses, moves and curves.

Each is a small piece of HTML with the figures as tables. Colours are those of the notebook, light or dark.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..drawing.plots import figure_bytes
from ..wording import list_problems
from .comparison import (
    cause_tables,
    explain,
    figure_tables,
    label_tables,
    length_table,
    pair_table,
    verdict,
)
from .scores import count_rows, figure_rows
from .tables import Table, as_html, decimals
from .why import class_tables, confusion_tables, loss_table

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison
    from ..analysis.curves import Curve
    from ..analysis.errors.report import MoveReport
    from ..metrics.results import Result
    from ..metrics.struct_iou.losses import LossSums

_MAX_LABELS = 15
_TOP = 5  # listed confusions of each kind


def result_html(result: Result) -> str:
    """Return figures and counts, warnings and errors, and the signature."""
    figures = [[title, decimals(value)] for title, value in figure_rows(result)]
    counts = [[title, f"{number:,}"] for title, number in count_rows(result)]
    problems = list_problems(result.problems, result.tally().n_problems) if result.problems else []
    warnings = [f"warning: {warning.message}" for warning in result.warnings]
    table = Table("", ["figure", "value"], [*figures, *counts])
    return _boxed([as_html(table), *map(_soft, (*problems, *warnings))], [result.signature])


def losses_html(losses: LossSums) -> str:
    """Return the losses by cause, and the most frequent confusions in tables that open at a click."""
    return _boxed([as_html(loss_table(losses)), *map(_opened, confusion_tables(losses, _TOP))])


def moves_html(moves: MoveReport) -> str:
    """Return the total of each class of error, and the rows that were not searched."""
    found = list(map(_titled, class_tables(moves, _TOP)))
    return _boxed(found or [_soft("no moves: all trees are the same")], [moves.result.signature])


def comparison_html(comparison: Comparison) -> str:
    """Return the best system and its significance, all figures, and tables that open at a click."""
    parts = [f"<p>{as_html(line)}</p>" for line in verdict(comparison)]
    parts += map(_titled, figure_tables(comparison, comparison.metrics))
    parts += [_soft(" ".join(explain(comparison))), *map(_soft, comparison.notes)]
    if comparison.pairs:
        parts.append(_opened(pair_table(comparison, comparison.measures)))
    parts.append(_opened(length_table(comparison, comparison.measures)))
    parts += map(_opened, [*label_tables(comparison, _MAX_LABELS), *cause_tables(comparison)])
    return _boxed(parts, comparison.signatures.values())


def curve_html(curve: Curve) -> str:
    """Return the plot where matplotlib is installed, the means by level, and the paper's findings."""
    parts = []
    if find_spec("matplotlib") is not None:
        picture = b64encode(figure_bytes(curve.plot(), "svg")).decode()
        description = "STRUCT-IoU by level and kind of perturbation, as in the table below"
        parts.append(f'<img alt="{description}" src="data:image/svg+xml;base64,{picture}">')
    head, *rows = curve.rows()
    parts.append(_titled(Table("mean ± standard deviation", head, rows)))
    findings = [[claim, f"{'yes' if holds else 'no'}: {detail}"] for claim, holds, detail in curve.findings()]
    if findings:
        parts.append(as_html(Table("", ["the paper finds", "here"], findings, "<")))
    return _boxed(parts, [curve.signature])


@cache
def _style() -> str:
    return (Path(__file__).parent / "templates" / "notebook.css").read_text("utf-8")


def _boxed(parts: Iterable[str], signatures: Iterable[str] = ()) -> str:
    signed = (f"<p><code>{as_html(text)}</code></p>" for text in signatures)
    return f'<div class="structiou"><style>{_style()}</style>{"".join([*parts, *signed])}</div>'


def _soft(text: str) -> str:
    return f'<p class="soft">{as_html(text)}</p>'


def _titled(table: Table) -> str:
    return (_soft(table.title) if table.title else "") + as_html(table)


def _opened(table: Table) -> str:
    """Return a table that opens at a click on its title."""
    return f"<details><summary>{as_html(table.title)}</summary>{as_html(table)}</details>"

"""What notebooks show of results, comparisons, losses, moves and curves.

Each is a small piece of HTML with the figures as tables. Colours are those of the page, light or dark; names
and labels are escaped, and kept from reordering what stands around them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..drawing.plots import figure_bytes
from ..wording import list_problems
from .elements import details, escape, name, paragraph, table, tables
from .page import cause_tables, label_table, length_table, pair_table, score_table, write_summary
from .scores import count_rows, figure_rows
from .text import decimals, explain
from .why import class_tables, confusion_tables, loss_rows
from .why_page import with_meaning

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison
    from ..analysis.curves import Curve
    from ..analysis.errors.report import MoveReport
    from ..metrics.results import Result
    from ..metrics.struct_iou.losses import LossSums

_MAX_LABELS = 15
_TOP = 5  # confusions of each kind

_CSS = (
    ".structiou .scroll{overflow-x:auto}"
    ".structiou table{border-collapse:collapse;margin:.4em 0;font-size:.9em;"
    "font-variant-numeric:tabular-nums}"
    ".structiou td,.structiou th{padding:.2em .7em;text-align:right;color:inherit;background:none;"
    "border:0;border-bottom:1px solid rgba(128,128,128,.4)}"
    ".structiou th[scope=row],.structiou th[scope=rowgroup],.structiou thead th:first-child,"
    ".structiou table.texts :is(td,th){text-align:left}"
    ".structiou th[scope=row]{font-weight:normal;min-width:6em}"
    ".structiou :is(td,th){white-space:nowrap}.structiou th :is(bdi,small){white-space:normal}"
    ".structiou table.texts td{white-space:normal}"
    ".structiou small{display:block;opacity:.75}"
    ".structiou p{margin:.4em 0}.structiou .soft{opacity:.8;font-size:.9em}"
    ".structiou code{font-size:.8em;overflow-wrap:anywhere;color:inherit;background:none}"
    ".structiou summary{cursor:pointer}"
    ".structiou img{max-width:100%;height:auto;background:#fff}"
)


def result_html(result: Result) -> str:
    """Figures and counts, what is wrong or suspicious, and the signature."""
    figures = [[name(title), decimals(value)] for title, value in figure_rows(result)]
    counts = [[name(title), f"{number:,}"] for title, number in count_rows(result)]
    problems = list_problems(result.problems, result.tally().n_problems) if result.problems else []
    warnings = [f"warning: {warning.message}" for warning in result.warnings]
    return _boxed(
        [
            tables(["figure", "value"], [("", figures), ("", counts)]),
            *map(paragraph, (*problems, *warnings)),
            _signature(result.signature),
        ]
    )


def losses_html(losses: LossSums) -> str:
    """What is lost by each cause, and what was confused most, to be opened."""
    head, *rows = loss_rows(losses)
    causes = table(head[:-1], map(with_meaning, rows))
    return _boxed([causes, *_opened(confusion_tables(losses, _TOP))])


def moves_html(moves: MoveReport) -> str:
    """What each class of error comes to, and which rows were not searched."""
    found = [_titled(title, rows) for title, rows, _ in class_tables(moves, _TOP)]
    return _boxed(
        [*(found or [paragraph("no moves: all trees are the same")]), _signature(moves.result.signature)]
    )


def comparison_html(comparison: Comparison) -> str:
    """Who is best and how sure that is, all figures, and tables that open at a click."""
    parts = [
        *write_summary(comparison),
        score_table(comparison),
        paragraph(" ".join(explain(comparison))),
        *map(paragraph, comparison.notes),
    ]
    if comparison.pairs:
        parts.append(details("Differences", pair_table(comparison)))
    parts.append(details("By length of the reference", length_table(comparison)))
    if comparison.labels:
        parts.append(details("By label", label_table(comparison, comparison.labels[:_MAX_LABELS])))
    if causes := "".join(cause_tables(comparison)):
        parts.append(details("By cause", causes))
    return _boxed([*parts, *map(_signature, comparison.signatures.values())])


def curve_html(curve: Curve) -> str:
    """The plot where matplotlib is installed, the means by level, and the paper's findings."""
    parts = []
    if find_spec("matplotlib") is not None:
        picture = b64encode(figure_bytes(curve.plot(), "svg")).decode()
        told = "STRUCT-IoU by level and kind of perturbation, as in the table below"
        parts.append(f'<img alt="{told}" src="data:image/svg+xml;base64,{picture}">')
    parts.append(_titled("mean ± standard deviation", curve.rows()))
    findings = [
        [escape(claim), f"{'yes' if holds else 'no'}: {escape(detail)}"]
        for claim, holds, detail in curve.findings()
    ]
    if findings:
        parts.append(table(["the paper finds", "here"], findings, kind="texts"))
    return _boxed([*parts, _signature(curve.signature)])


def _boxed(parts: Iterable[str]) -> str:
    return f'<div class="structiou"><style>{_CSS}</style>{"".join(parts)}</div>'


def _signature(text: str) -> str:
    return f"<p><code>{escape(text)}</code></p>"


def _titled(title: str, rows: Sequence[Sequence[str]]) -> str:
    """A table of plain texts, its head first, below its title."""
    head, *body = ([name(cell) for cell in row] for row in rows)
    return (paragraph(title) if title else "") + table(head, body)


def _opened(found: Iterable[tuple[str, list[list[str]], str]]) -> list[str]:
    """Tables that open at a click, each behind its title."""
    return [details(escape(title), _titled("", rows)) for title, rows, _ in found]

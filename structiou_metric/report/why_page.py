"""What a corpus loses, as one page of HTML: tables, and the sentences that lose most, coloured by cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..drawing.page import MAX_NODES
from ..drawing.svg import draw_svg
from ..drawing.svg_text import full
from ..metrics.base import COUNTED
from ..wording import count
from .elements import details, document, escape, figure, name, paragraph, table
from .reasons import cause_classes, explain
from .style import CSS
from .text import decimals
from .why import move_lines, why_tables

if TYPE_CHECKING:
    from ..analysis.errors import MoveReport
    from ..metrics.struct_iou.alignment import Alignment
    from ..metrics.struct_iou.result import CorpusScore
    from ..sources.rows import Rows


def write_why_page(
    result: CorpusScore,
    moves: MoveReport | None,
    trees: tuple[Rows, Rows],
    *,
    n_sentences: int = 10,
    top: int = 10,
) -> str:
    """The page.

    Args:
        result: What STRUCT-IoU found, with its losses.
        moves: The moves of the same rows, if they were searched for.
        trees: The predictions and the references.
        n_sentences: How many of the sentences that lose most to draw.
        top: How many confusions of each kind to list.
    """
    prediction, reference = (rows.title for rows in trees)
    sections = [
        f"<h1>Why {name(prediction)} loses</h1>",
        f'<p class="verdict">{escape(result.metric.title)} {decimals(result.sentence)} (sentence mean), '
        f"{decimals(result.corpus)} (corpus level) against {name(reference)}, "
        f"{count(result.n_counted, 'sentence')}.</p>",
    ]
    for title, (head, *rows), _ in why_tables(result, moves, top=top):
        if title:
            sections.append(f"<h2>{escape(title[0].upper() + title[1:])}</h2>")
        cells = [[escape(cell) for cell in row] for row in rows]
        sections.append(table([escape(cell) for cell in head], cells))
    sections += _sentences(result, moves, trees, n_sentences)
    sections += ["<h2>Signature</h2>", f"<p><code>{escape(result.signature)}</code></p>"]
    return document(f"Why {prediction} loses", sections, CSS)


def _sentences(
    result: CorpusScore, moves: MoveReport | None, trees: tuple[Rows, Rows], n_sentences: int
) -> Iterator[str]:
    """The sentences that lose most nodes, failed parses aside, which say nothing about why."""
    lost = [sum(row) for row in zip(*result.losses.columns.values(), strict=True)]
    failed = result.losses.columns["failed"]
    places = [i for i, mass in enumerate(lost) if mass and not failed[i] and result.status[i] in COUNTED]
    places.sort(key=lambda i: (-lost[i], i))
    if not places or not n_sentences:
        return
    metric: Any = result.metric
    yield "<h2>Sentences that lose most</h2>"
    shown = places[:n_sentences]
    yield paragraph(
        f"{len(shown)} of {count(len(places), 'sentence')}, coloured by cause; without failed parses."
    )
    for k, place in enumerate(shown):
        row = result.rows[place]
        alignment = metric.align(*(side.tree(row, result.metric.unit) for side in trees))
        words = " ".join(alignment.reference.words)
        summary = (
            f"<strong>row {row + 1}</strong>, {lost[place]:g} nodes lost, {decimals(alignment.score)}<br>"
            f'<span class="soft" dir="auto">{escape(full(words))}</span>'
        )
        reasons = _list(explain(alignment))
        if moves is not None:
            reasons += f"<p>Moves towards the reference:</p>{_list(move_lines(moves, place))}"
        yield details(summary, figure(f"row {row + 1}", _drawing(alignment) + reasons), opened=k == 0)


def _drawing(alignment: Alignment) -> str:
    nodes = len(alignment.prediction) + len(alignment.reference)
    if nodes > MAX_NODES:
        return paragraph(f"No drawing of {nodes:,} nodes, more than {MAX_NODES:,}.")
    return f'<div class="scroll">{draw_svg(alignment, classes=cause_classes(alignment))}</div>'


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"

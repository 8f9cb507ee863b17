"""What a corpus loses, as one page of HTML: tables, and the sentences that lose most, coloured by cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..drawing.svg import draw_html
from ..drawing.svg_text import full
from ..metrics.base import COUNTED
from ..wording import count
from .elements import CSS, details, document, escape, figure, grid, name, paragraph, table
from .reasons import cause_classes, explain
from .text import decimals
from .why import CONFUSED, move_lines, why_tables

if TYPE_CHECKING:
    from ..analysis.errors import MoveReport
    from ..metrics.struct_iou.result import CorpusScore
    from ..sources.rows import Rows

_CSS = """\
th small { display: block; font-weight: 400; color: var(--soft); white-space: normal; min-width: 17rem; }
.grid-of { grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); align-items: start; }
figure th[scope=row], figure thead th:first-child { background: var(--card); }
@media (max-width: 600px) { th small { min-width: 0; } }
"""


def write_why_page(
    result: CorpusScore,
    moves: MoveReport | None,
    trees: tuple[Rows, Rows],
    *,
    n_sentences: int = 10,
    top: int = 10,
) -> str:
    """The losses as one page of HTML.

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
    (title, (head, *rows), _), *others = why_tables(result, moves, top=top)
    sections.append(f"<h2>{escape(title)}</h2>")
    sections.append(table(head[:-1], [with_meaning(row) for row in rows]))
    confused = [other for other in others if other[1][0][0] == CONFUSED]
    for title, found, _ in others:
        if found[0][0] != CONFUSED:
            sections.append(f"<h2>{escape(title[:1].upper() + title[1:])}</h2>" + _as_table(found))
    if confused:
        sections.append("<h2>What was confused</h2>")
        sections.append(grid(figure(title, _as_table(found)) for title, found, _ in confused))
    sections += _sentences(result, moves, trees, n_sentences)
    sections += ["<h2>Signature</h2>", f"<p><code>{escape(result.signature)}</code></p>"]
    return document(f"Why {prediction} loses", sections, CSS + _CSS)


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
        dropped = alignment.reference_side.dropped_words
        words = " ".join(word for i, word in enumerate(alignment.reference.words) if i not in dropped)
        summary = (
            f"<strong>row {row + 1}</strong>, {lost[place]:g} nodes lost, {decimals(alignment.score)}<br>"
            f'<span class="soft" dir="auto">{escape(full(words))}</span>'
        )
        reasons = _list(explain(alignment))
        if moves is not None:
            reasons += f"<p>Moves towards the reference:</p>{_list(move_lines(moves, place))}"
        drawing = draw_html(alignment, classes=cause_classes(alignment))
        yield details(summary, figure(f"row {row + 1}", drawing + reasons), opened=k == 0)


def with_meaning(row: Sequence[str]) -> list[str]:
    """The cells of a cause, its meaning below its name."""
    cause, *cells, meaning = row
    return [f"{escape(cause)}<small>{escape(meaning)}</small>", *map(escape, cells)]


def _as_table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = ([escape(cell) for cell in row] for row in rows)
    return table(head, body)


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"

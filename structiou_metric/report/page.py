"""A `Comparison` as one page of HTML that needs nothing else: no network, no scripts, no other files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..drawing.svg_text import full
from ..terminal import NO_LABEL
from ..wording import count
from .charts import difference_chart, escape, interval_chart, label_chart, length_chart, mark
from .style import CSS
from .text import decimals, difference_cells, explain, sentences

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison
    from ..analysis.groups import SentenceRow

_MAX_LABELS = 20  # in the plot and the table
_MAX_PAIRS = 6  # at the top and in plots; the table has all
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def write_page(comparison: Comparison, *, n_sentences: int = 10, title: str = "") -> str:
    """The page.

    Args:
        comparison: What `compare` found.
        n_sentences: How many of the sentences on which the systems differ most to draw.
        title: Of the page; by default the systems' names.
    """
    heading = title or ", ".join(comparison.names)
    references, _ = comparison.trees
    sections = [
        f"<h1>{escape(heading)}</h1>",
        f'<p class="soft">{sentences(comparison.n_rows)} of <bdi>{escape(references.title)}</bdi></p>',
        *_verdict(comparison),
        *_figures(comparison),
        *_pairs(comparison),
        *_lengths(comparison),
        *_labels(comparison),
        *_sentences(comparison, n_sentences),
        "<h2>Signatures</h2>",
        *(f"<p><code>{escape(signature)}</code></p>" for signature in comparison.signatures.values()),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)} – {escape(comparison.main.title)}</title>\n"
        f"<style>\n{CSS}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(sections)
        + "\n</main>\n</body>\n</html>\n"
    )


# ---- sections --------------------------------------------------------------------------------------


def _verdict(comparison: Comparison) -> Iterator[str]:
    """What came of the pairs, by the headline figure."""
    key = comparison.main.headline
    names = list(map(_name, comparison.names))
    items = []
    for pair in comparison.pairs[:_MAX_PAIRS]:
        found = pair.differences[key]
        better, worse = pair.first, pair.second
        if (found.interval.value > 0) != comparison.measures[key].measure.higher_is_better:
            better, worse = worse, better
        numbers = f"{abs(found.interval.value):.4f}, p = {found.p_holm:.4f}"
        items.append(
            f"<li><strong>{names[better]}</strong> is better than {names[worse]} by {numbers}.</li>"
            if found.significant
            else f"<li>{names[better]} and {names[worse]} do not differ significantly ({numbers}).</li>"
        )
    if items:
        yield f"<p>By {escape(comparison.measures[key].full_title)}:</p>"
        yield f'<ul class="verdict">{"".join(items)}</ul>'
    if len(comparison.pairs) > _MAX_PAIRS:
        yield _paragraph(f"And {len(comparison.pairs) - _MAX_PAIRS} more pairs, in the table of differences.")


def _figures(comparison: Comparison) -> Iterator[str]:
    yield "<h2>Scores</h2>"
    measures = comparison.measures
    charts = []
    for key, measure in measures.items():
        rows = []
        for system in comparison.systems:
            figure = system.figures.get(key)
            text = f"{decimals(figure.value)} {system.marks[key]}".strip() if figure else decimals(None)
            rows.append((system.name, text, figure))
        charts.append(_figure(measure.full_title, interval_chart(measure.full_title, rows)))
    yield _grid(charts)
    head = ["", *(f"{escape(metric.title)}<br>{escape(own.title)}" for metric, own in measures.values())]
    body = []
    for system in comparison.systems:
        cells = [_name(system.name)]
        for key in measures:
            figure = system.figures.get(key)
            cells.append(
                f"{decimals(figure.value)}<sup>{escape(system.marks.get(key, ''))}</sup>"
                f"<small>{decimals(figure.low)}–{decimals(figure.high)}</small>"
                if figure
                else decimals(None)
            )
        body.append(cells)
    yield _table(head, body)
    counts = ", ".join(
        f"{sentences(comparison.n_sentences[metric.name])} for {metric.title}"
        for metric, _ in comparison.headlines.values()
    )
    yield _paragraph(counts + ". " + " ".join(explain(comparison)))
    yield from map(_paragraph, comparison.notes)


def _pairs(comparison: Comparison) -> Iterator[str]:
    if not comparison.pairs:
        return
    yield "<h2>Differences</h2>"
    names = comparison.names
    charts = []
    for pair in comparison.pairs[:_MAX_PAIRS]:
        title = f"{names[pair.first]} minus {names[pair.second]}"
        chart = difference_chart(title, pair.deltas, pair.first, pair.second)
        caption = (
            f"<bdi>{escape(names[pair.first])}</bdi> better (right): {pair.n_better:,}, "
            f"<bdi>{escape(names[pair.second])}</bdi> better (left): {pair.n_worse:,}, "
            f"equal (not shown): {pair.n_equal:,}"
        )
        charts.append(_figure(f"{title}, {comparison.main.title} by sentence", chart, caption))
    yield _grid(charts)
    if len(comparison.pairs) > _MAX_PAIRS:
        yield _paragraph(f"Plots of the first {_MAX_PAIRS} of {len(comparison.pairs)} pairs.")
    head = ["", "difference", "interval", "p, bootstrap", "p, randomisation", "Holm-corrected", "significant"]
    rows = [f"<thead>{_row(head, 'th')}</thead>"]
    for pair in comparison.pairs:
        title = f"{_name(names[pair.first])} minus {_name(names[pair.second])}"
        rows.append(f'<tbody><tr><th scope="rowgroup" colspan="{len(head)}">{title}</th></tr>')
        for key, measure in comparison.measures.items():
            found = pair.differences.get(key)
            if found is None:
                continue
            cells = [cell.replace("-", "\N{MINUS SIGN}") for cell in difference_cells(found, " (exact)")]
            verdict = "yes" if found.significant else "no"
            rows.append(_row([escape(measure.full_title), *cells, verdict]))
        rows.append("</tbody>")
    table = f'<div class="scroll"><table>{"".join(rows)}</table></div>'
    yield table if len(comparison.pairs) <= _MAX_PAIRS else _details("Table", table)


def _lengths(comparison: Comparison) -> Iterator[str]:
    yield "<h2>By length of the reference</h2>"
    yield _legend(comparison)
    groups = [group.title for group in comparison.lengths]
    charts = []
    for key, measure in comparison.measures.items():
        series = [
            [group.figures[key][i] for group in comparison.lengths] for i in range(len(comparison.systems))
        ]
        charts.append(_figure(measure.full_title, length_chart(measure.full_title, groups, series), "words"))
    yield _grid(charts)
    metrics = [found.metric for found in comparison.headlines.values()]
    head = ["words", *(f"sentences<br>{escape(metric.title)}" for metric in metrics)]
    head += [
        f"{escape(measure.full_title)}<br>{_name(name)}"
        for measure in comparison.measures.values()
        for name in comparison.names
    ]
    body = [
        [
            group.title,
            *(f"{group.n_sentences[metric.name]:,}" for metric in metrics),
            *(decimals(value) for key in comparison.measures for value in group.figures[key]),
        ]
        for group in comparison.lengths
    ]
    yield _details("Table", _table(head, body))


def _labels(comparison: Comparison) -> Iterator[str]:
    rows = comparison.labels[:_MAX_LABELS]
    if not rows:
        return
    yield "<h2>By label</h2>"
    yield _legend(comparison)
    order = (
        "Labels that set the systems apart the most: the spread of their scores times their nodes."
        if len(comparison.systems) > 1
        else "The most frequent labels."
    )
    yield _paragraph(f"{order} {len(rows)} of {len(comparison.labels)}.")
    labels = [row.label or NO_LABEL for row in rows]
    title = f"{comparison.main.title} by label"
    yield _figure(title, label_chart(title, labels, [row.scores for row in rows]))
    head = ["label", "in the reference", *map(_name, comparison.names), "spread"]
    body = [
        [_name(label), f"{row.n_ref:,}", *map(decimals, row.scores), decimals(row.spread)]
        for label, row in zip(labels, rows, strict=True)
    ]
    yield _details("Table", _table(head, body))


def _sentences(comparison: Comparison, n_sentences: int) -> Iterator[str]:
    rows = comparison.sentences[:n_sentences]
    if not rows:
        return
    yield "<h2>Sentences on which the systems differ most</h2>"
    told = f"{len(rows)} of {len(comparison.sentences):,} with different {comparison.main.title}"
    if comparison.can_align:
        told += (
            ", each drawn as the best and the worst system parsed it. Aligned nodes have the same colour, "
            "unaligned ones are grey"
        )
    yield _paragraph(f"{told}.")
    for k, row in enumerate(rows):
        scores = ", ".join(
            f"{_name(name)} {decimals(score)}"
            for name, score in zip(comparison.names, row.scores, strict=True)
        )
        for key, others in row.others.items():
            if any(score is not None for score in others):
                metric = escape(comparison.measures[key].metric.title)
                scores += f" ({metric} {', '.join(map(decimals, others))})"
        text = f'<span class="soft" dir="auto">{escape(full(comparison.words(row.row)))}</span>'
        summary = f"<strong>row {row.row + 1}</strong>: {scores}, {count(row.n_words, 'word')}<br>{text}"
        if comparison.can_align:
            drawings = f'<div class="drawings">{"".join(_drawings(comparison, row))}</div>'
            yield _details(summary, drawings, opened=k == 0)
        else:
            yield f"<p>{summary}</p>"


def _drawings(comparison: Comparison, sentence: SentenceRow) -> Iterator[str]:
    from ..drawing.svg import draw_html

    for system in comparison.extremes(sentence):
        title = f"{comparison.names[system]}, row {sentence.row + 1}"
        try:
            content = draw_html(comparison.align(sentence.row, system), description=title)
        except ValueError as error:
            content = _paragraph(f"not comparable: {error}")
        yield _figure(title, content)


# ---- elements --------------------------------------------------------------------------------------


def _name(text: str) -> str:
    """A name, kept from reordering what stands around it; cut only if it is very long."""
    return f"<bdi>{escape(full(text))}</bdi>"


def _paragraph(text: str) -> str:
    return f'<p class="soft">{escape(text)}</p>'


def _figure(title: str, content: str, caption: str = "") -> str:
    below = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure><h3><bdi>{escape(title)}</bdi></h3>{content}{below}</figure>"


def _grid(figures: Iterable[str]) -> str:
    return f'<div class="grid-of">{"".join(figures)}</div>'


def _details(summary: str, content: str, *, opened: bool = False) -> str:
    return f"<details{' open' if opened else ''}><summary>{summary}</summary>{content}</details>"


def _legend(comparison: Comparison) -> str:
    items = (
        f'<li><svg aria-hidden="true">{mark(i)}</svg>{_name(name)}</li>'
        for i, name in enumerate(comparison.names)
    )
    return f'<ul class="legend">{"".join(items)}</ul>'


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    rows = "".join(map(_row, body))
    return f'<div class="scroll"><table><thead>{_row(head, "th")}</thead><tbody>{rows}</tbody></table></div>'


def _row(cells: Sequence[str], kind: str = "td") -> str:
    """A row of cells, which are HTML already."""
    if kind == "th":
        return "<tr>" + "".join(f'<th scope="col">{cell}</th>' for cell in cells) + "</tr>"
    first, *others = cells
    return f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in others) + "</tr>"

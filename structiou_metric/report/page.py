"""A `Comparison` as one page of HTML that needs nothing else: no network, no scripts, no other files.

Systems stand in the order of their ranks; each keeps the colour and the mark of its place in the input.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..drawing.svg_text import full
from ..terminal import NO_LABEL
from ..wording import count
from .brackets import CSS as BRACKETS_CSS
from .brackets import write_brackets
from .charts import difference_chart, interval_chart, label_chart, length_chart, mark
from .elements import details, document, escape, figure, grid, name, paragraph, table
from .style import CSS
from .summary import write_summary
from .tables import cause_tables, label_table, length_table, pair_table, score_table
from .text import decimals, explain, in_order, lost, lost_title, tell_rows

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison
    from ..analysis.groups import SentenceRow

__all__ = ["write_page"]

_MAX_NAMES = 5  # in the heading
_MAX_LABELS = 20  # in the plot and the table
_MAX_PAIRS = 6  # in plots; tables have all
_MAX_FAILED = 50  # failed parses that are listed


def write_page(comparison: Comparison, *, n_sentences: int = 10, title: str = "") -> str:
    """A comparison as one page of HTML that needs nothing else.

    >>> from structiou_metric.analysis.compare import compare
    >>> references = ["(S (NP (PRP we)) (VP (VBP run)))", "(INTJ (UH yes))"]
    >>> systems = {"old": ["(S (NP (PRP we)) (NP (NN run)))", "(INTJ (UH yes))"], "new": references}
    >>> page = write_page(compare(systems, references, n_resamples=100), title="Parsers")
    >>> page.startswith("<!DOCTYPE html>"), "<script" in page
    (True, False)

    Args:
        comparison: What `compare` found.
        n_sentences: How many of the sentences on which the systems differ most to draw.
        title: The title of the page; by default the systems' names.
    """
    names = in_order(comparison, comparison.names)
    heading = title or (", ".join(names) if len(names) <= _MAX_NAMES else f"{len(names)} systems")
    references, _ = comparison.trees
    rows = tell_rows(comparison.n_rows, comparison.noun)
    sections = [
        f"<h1>{escape(heading)}</h1>",
        f'<p class="soft">{rows} of <bdi>{escape(references.title)}</bdi></p>',
        *write_summary(comparison),
        *_scores(comparison),
        *_pairs(comparison),
        *_lengths(comparison),
        *_labels(comparison),
        *_causes(comparison),
        *_sentences(comparison, n_sentences),
        *_failed(comparison),
        "<h2>Signatures</h2>",
        *(f"<p><code>{escape(signature)}</code></p>" for signature in comparison.signatures.values()),
    ]
    return document(f"{heading} – {comparison.main.title}", sections, CSS + BRACKETS_CSS)


# ---- sections --------------------------------------------------------------------------------------


def _scores(comparison: Comparison) -> Iterator[str]:
    yield "<h2>Scores</h2>"
    yield score_table(comparison, _key)
    counts = ", ".join(
        f"{tell_rows(comparison.n_sentences[metric.name], comparison.noun)} for {metric.title}"
        for metric in (found.metric for found in comparison.headlines.values())
    )
    yield paragraph(counts + ". " + " ".join(explain(comparison)))
    yield from map(paragraph, comparison.notes)
    charts = []
    for key, measure in comparison.measures.items():
        rows = []
        for i in comparison.ranked:
            system = comparison.systems[i]
            found = system.figures.get(key)
            text = f"{decimals(found.value)} {system.marks[key]}".strip() if found else decimals(None)
            rows.append((i, system.name, text, found))
        charts.append(figure(measure.full_title, interval_chart(measure.full_title, rows)))
    yield grid(charts)


def _pairs(comparison: Comparison) -> Iterator[str]:
    pairs = comparison.ranked_pairs
    if not pairs:
        return
    yield "<h2>Differences</h2>"
    names = comparison.names
    charts = []
    for pair in pairs[:_MAX_PAIRS]:
        title = f"{names[pair.first]} minus {names[pair.second]}"
        chart = difference_chart(title, pair.parsed_deltas, pair.first, pair.second, comparison.noun)
        caption = (
            f"{name(names[pair.first])} better (right): {pair.n_better:,}, "
            f"{name(names[pair.second])} better (left): {pair.n_worse:,}, equal (not shown): {pair.n_equal:,}"
        )
        if pair.failed:
            without = tell_rows(len(pair.failed), comparison.noun)
            caption += f"; not shown either: {without} without a parse of one of them"
        charts.append(figure(f"{title}, {comparison.main.title} by {comparison.noun}", chart, caption))
    yield grid(charts)
    if len(pairs) > _MAX_PAIRS:
        yield paragraph(f"Plots of the first {_MAX_PAIRS} of {len(pairs)} pairs.")
    found_table = pair_table(comparison)
    yield found_table if len(pairs) == 1 else details("Table", found_table)


def _lengths(comparison: Comparison) -> Iterator[str]:
    yield "<h2>By length of the reference</h2>"
    yield _legend(comparison)
    groups = [group.title for group in comparison.lengths]
    charts = []
    for key, measure in comparison.measures.items():
        series = [
            [group.figures[key][i] for group in comparison.lengths] for i in range(len(comparison.systems))
        ]
        charts.append(figure(measure.full_title, length_chart(measure.full_title, groups, series), "words"))
    yield grid(charts)
    yield details("Table", length_table(comparison))


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
    yield paragraph(f"{order} {len(rows)} of {len(comparison.labels)}.")
    labels = [row.label or NO_LABEL for row in rows]
    title = f"{comparison.main.title} by label"
    yield figure(title, label_chart(title, labels, [row.scores for row in rows]))
    yield details("Table", label_table(comparison, rows))


def _causes(comparison: Comparison) -> Iterator[str]:
    """What systems lose by which cause, and how they differ in that."""
    found = list(cause_tables(comparison))
    if found:
        yield "<h2>Why: what is lost by which cause</h2>"
        yield from found


def _sentences(comparison: Comparison, n_sentences: int) -> Iterator[str]:
    rows = comparison.sentences[:n_sentences]
    if not rows:
        return
    yield f"<h2>{comparison.noun.title()}s on which the systems differ most</h2>"
    told = (
        f"{len(rows)} of {len(comparison.sentences):,} with different {comparison.main.title}, by how much "
        f"more one system lost than another ({lost_title(comparison)}, least–most)."
    )
    if comparison.can_align:
        told += (
            " Each as the best and the worst system parsed it. What agrees with the reference is closed, and "
            "opens at a click. A dashed box has no partner on the other side; one with a number has a "
            "partner with other boundaries, at that IoU."
        )
    yield paragraph(told)
    for k, row in enumerate(rows):
        summary = _describe(comparison, row)
        if comparison.can_align:
            views = "".join(_views(comparison, row))
            yield details(summary, f'<div class="views">{views}</div>', opened=k == 0)
        else:
            yield f"<p>{summary}</p>"


def _describe(comparison: Comparison, row: SentenceRow) -> str:
    """The figures and the text of a sentence."""
    scores = ", ".join(f"{name(comparison.names[i])} {decimals(row.scores[i])}" for i in comparison.ranked)
    for key, others in row.others.items():
        if any(score is not None for score in others):
            metric = escape(comparison.measures[key].metric.title)
            scores += f" ({metric} {', '.join(map(decimals, in_order(comparison, others)))})"
    return (
        f"<strong>row {row.row + 1}</strong>, {count(row.n_words, 'word')}, "
        f"{lost_title(comparison)} {lost(row)}: {scores}<br>{_text(comparison, row)}"
    )


def _views(comparison: Comparison, sentence: SentenceRow) -> Iterator[str]:
    """The brackets of the best and of the worst system, and their drawings."""
    from ..drawing.svg import draw_html

    for system in sorted(comparison.extremes(sentence), key=sentence.lost.__getitem__):
        title = f"{comparison.names[system]}, row {sentence.row + 1}"
        try:
            alignment = comparison.align(sentence.row, system)
        except ValueError as error:
            yield figure(title, paragraph(f"not comparable: {error}"))
            continue
        drawing = details("Drawing", draw_html(alignment, description=title))
        perfect = alignment.score == 1.0
        brackets = paragraph("as the reference") if perfect else write_brackets(alignment)
        yield figure(title, brackets + drawing)


def _failed(comparison: Comparison) -> Iterator[str]:
    """Sentences without a parse, by themselves."""
    rows = comparison.failed[:_MAX_FAILED]
    if not rows:
        return
    yield "<h2>Failed parses</h2>"
    numbers = ", ".join(
        f"{comparison.names[i]} {number:,}"
        for i in comparison.ranked
        if (number := sum(i in row.failed for row in comparison.failed))
    )
    told = f"Sentences without a parse that could be compared, which count as 0: {numbers}."
    more = f" The first {len(rows)}." if len(rows) < len(comparison.failed) else ""
    yield paragraph(told + more)
    body = [
        [
            str(row.row + 1),
            str(row.n_words),
            ", ".join(
                name(comparison.tell_failure(row.row, i)) for i in comparison.ranked if i in row.failed
            ),
            _text(comparison, row),
        ]
        for row in rows
    ]
    yield table(["row", "words", "no parse of", "text"], body, kind="texts")


# ---- pieces ----------------------------------------------------------------------------------------


def _text(comparison: Comparison, row: SentenceRow) -> str:
    return f'<span class="soft" dir="auto">{escape(full(comparison.words(row.row)))}</span>'


def _key(system: int) -> str:
    """The mark of a system as in plots."""
    return f'<svg class="key" aria-hidden="true">{mark(system)}</svg>'


def _legend(comparison: Comparison) -> str:
    items = (f"<li>{_key(i)}{name(comparison.names[i])}</li>" for i in comparison.ranked)
    return f'<ul class="legend">{"".join(items)}</ul>'

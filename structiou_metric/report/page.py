"""A `Comparison` as one page of HTML that needs nothing else: no network, no scripts, no other files.

Systems stand in the order of their ranks; each keeps the colour and the mark of its place in the input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..drawing.svg import draw_html
from ..drawing.svg_text import full
from ..terminal import NO_LABEL
from ..wording import count
from .brackets import CSS as BRACKETS_CSS
from .brackets import write_brackets
from .charts import difference_chart, interval_chart, label_chart, length_chart, mark
from .elements import CSS, details, document, escape, figure, grid, minus, name, paragraph, table, tables
from .text import (
    CAUSES_HOLM,
    CAUSES_TITLE,
    cause_differences,
    cause_rows,
    decimals,
    difference_cells,
    explain,
    holm_value,
    in_order,
    lost,
    lost_title,
    tell_rows,
)

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison, Difference, LabelRow, SentenceRow, SystemPair

__all__ = ["write_page"]

_MAX_NAMES = 5  # in the heading
_MAX_LABELS = 20  # in the plot and the table
_MAX_PAIRS = 6  # in plots and in words; tables have all
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


# ---- the beginning of a page: who is best, by how much and how sure, and all pairs of systems ------


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


# ---- the tables of a `Comparison` for pages and notebooks. Systems stand in the order of their ran----


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

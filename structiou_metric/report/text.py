"""A `Comparison` as tables for the terminal. Systems stand in the order of their ranks everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from ..drawing.outline import draw_alignment
from ..stats.intervals import ALIKE, PERCENTILE, TITLES, unseen_share
from ..terminal import NO_LABEL, cells, character_cells, isolated, lay_out, printable

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison, Difference, Resampling
    from ..analysis.groups import SentenceRow
    from ..metrics.metric import Metric

_T = TypeVar("_T")

NONE = "—"  # where there is no figure
CAUSES_TITLE = "nodes lost by each cause, on both sides, per node of the reference"
CAUSES_HOLM = "Holm over all pairs and causes"

_MAX_NAME = 24  # columns for the name of a system
_MAX_LABELS = 15
_MAX_PAIRS = 6  # of which all measures are listed
_MAX_WORDS = 60  # columns for the text of a sentence
_EQUAL = 1e-12  # numbers this close to 0 are 0, for sums are rounded


def write_text(
    comparison: Comparison, *, n_sentences: int = 10, n_drawn: int = 0, color: bool = False, width: int = 100
) -> str:
    """All tables, with the sentences on which the systems differ most.

    `n_sentences` of these are listed, and `n_drawn` drawn as the best and the worst system parsed them.
    """
    parts = [
        *(_figure_table(comparison, metric) for metric in comparison.metrics),
        _pair_table(comparison),
        _length_table(comparison),
        _label_table(comparison),
        _cause_tables(comparison),
        _sentence_table(comparison, n_sentences),
        _failed_table(comparison, n_sentences),
        *(
            _drawing(comparison, sentence, color, width)
            for sentence in comparison.sentences[: min(n_drawn, n_sentences)]
            if comparison.can_align
        ),
        "\n".join(explain(comparison)),
        "\n".join(map(printable, [*comparison.notes, *comparison.signatures.values()])),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def explain(comparison: Comparison) -> list[str]:
    """What the marks and p-values mean, a sentence each."""
    how = comparison.resampling
    lines = [
        f"{100 * how.level:g}% intervals, {how.n_resamples:,} resamples, seed {how.seed} "
        f"({TITLES[PERCENTILE]}, over {_units(comparison)})."
    ]
    if any(found.method == ALIKE for system in comparison.systems for found in system.figures.values()):
        shares = [unseen_share(number, how.level) for number in _n_units(comparison).values()]
        lines.append(
            f"An interval without width says that all {comparison.noun}s are alike, so that nothing can be "
            f"resampled; up to {max(shares):.1%} of all {comparison.noun}s may yet be of another kind that "
            "was not seen."
        )
    if not comparison.pairs:
        return lines
    alpha = f"{how.alpha:g}"
    p = "p of approximate randomisation"
    if len(comparison.pairs) > 1:
        p += ", Holm-corrected over the pairs of a measure,"
    if comparison.baseline is None:
        lines.append(
            f"Systems that share a letter do not differ significantly: {p} is not below {alpha}."
            if len(comparison.systems) > 2
            else f"The two differ significantly where their letters differ: {p} is below {alpha}."
        )
    else:
        name = comparison.names[comparison.baseline]
        lines.append(f"* differs significantly from {name}: {p} is below {alpha}.")
    return lines


def _n_units(comparison: Comparison) -> Mapping[str, int]:
    """Return the number of sentences, or of clusters of them, that were resampled, by metric."""
    return comparison.n_clusters or comparison.n_sentences


def _units(comparison: Comparison) -> str:
    """Return what was resampled, such as `sentences` or `12 clusters of sentences`."""
    if not comparison.n_clusters:
        return f"{comparison.noun}s"
    numbers = dict.fromkeys(f"{number:,}" for number in comparison.n_clusters.values())
    return f"{' and '.join(numbers)} clusters of {comparison.noun}s"


def decimals(value: float | None, *, signed: bool = False) -> str:
    """A figure to four places, or a dash.

    What is not 0 though its four places are is marked, and has as many places as it needs.

    >>> decimals(0.25), decimals(-0.00001234, signed=True), decimals(-1e-17, signed=True)
    ('0.2500', '~0 (-0.00001)', '0.0000')
    """
    if value is None:
        return NONE
    if abs(value) < _EQUAL:
        return "0.0000"
    sign = "+" if signed else ""
    if round(value, 4):
        return f"{value:{sign}.4f}"
    return f"~0 ({value:{sign}.{math.ceil(-math.log10(abs(value)))}f})"


def p_value(p: float, how: Resampling, *, exact: bool = False) -> str:
    """A p-value to four places, or one digit if it is smaller.

    One that no resample is as far out for is a bound: more resamples might have found a smaller one. It is
    rounded up. Exact ones are none.
    """
    places = 4 if p >= 0.00005 else math.ceil(-math.log10(p) - 1e-4)
    if exact or p > how.floor * (1.0 + 1e-9):
        return f"{p:.{places}f}"
    return f"≤ {math.ceil(round(p * 10**places, 6)) / 10**places:.{places}f}"


def holm_value(found: Difference, how: Resampling) -> str:
    """The corrected p-value: a bound where the p-value is one."""
    shown = p_value(found.p_randomization, how, exact=found.exact)
    if not shown.startswith("≤") or found.p_holm >= 1.0:
        return p_value(found.p_holm, how, exact=True)
    return f"≤ {math.ceil(round(found.p_holm * 1e4, 6)) / 1e4:.4f}"


def difference_cells(found: Difference, how: Resampling, exact: str) -> list[str]:
    """The difference with its interval and its p-values; `exact` marks one for which all swaps were made."""
    interval = found.interval
    value, low, high = (
        decimals(number, signed=True) for number in (interval.value, interval.low, interval.high)
    )
    return [
        value,
        f"{low} … {high}",
        p_value(found.p_randomization, how, exact=found.exact) + (exact if found.exact else ""),
        holm_value(found, how),
    ]


def in_order(comparison: Comparison, values: Sequence[_T]) -> list[_T]:
    """What there is for each system, from the best system on."""
    return [values[i] for i in comparison.ranked]


def lost_title(comparison: Comparison) -> str:
    """What sentences are ordered by."""
    return "nodes lost" if comparison.counts_nodes else "score × words"


def lost(row: SentenceRow) -> str:
    """The least and the most that a system lost, to a tenth."""
    return "–".join(f"{mass:.1f}".removesuffix(".0") for mass in (min(row.lost), max(row.lost)))


def tell_rows(number: int, noun: str) -> str:
    """A number of rows with their noun, such as `1 sentence` and `2,400 documents`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


# ---- tables ----------------------------------------------------------------------------------------


def _figure_table(comparison: Comparison, metric: Metric) -> str:
    """The measures of one metric: a row for each system, its intervals below."""
    keys = [key for key, found in comparison.measures.items() if found.metric is metric]
    if not keys:
        return ""
    table = [["system", *(comparison.measures[key].title for key in keys)]]
    for system in in_order(comparison, comparison.systems):
        values, intervals = [_shown(system.name)], [""]
        for key in keys:
            figure = system.figures.get(key)
            values.append(f"{decimals(figure.value) if figure else NONE} {system.marks.get(key, '')}")
            intervals.append(f"{decimals(figure.low)}–{decimals(figure.high)}" if figure else "")
        table += [values, intervals] if any(intervals) else [values]
    return f"{metric.title}, {tell_rows(comparison.n_sentences[metric.name], comparison.noun)}\n" + lay_out(
        table
    )


def _pair_table(comparison: Comparison) -> str:
    """A block for each pair; where there are many, only a line for the headline of each metric."""
    if not comparison.pairs:
        return ""
    keys = list(comparison.measures)
    heading = "differences, * significant"
    if len(comparison.pairs) > _MAX_PAIRS:
        keys = list(comparison.headlines)
        heading += " (headlines; --json has all measures)"
    names = list(map(_shown, comparison.names))
    table = [["", "difference", "interval", "p", "Holm", ""]]
    for pair in comparison.ranked_pairs:
        table.append([f"{isolated(names[pair.first])} minus {isolated(names[pair.second])}"])
        for key in keys:
            if key in pair.differences:
                found = pair.differences[key]
                title = f"  {comparison.measures[key].full_title}"
                shown = difference_cells(found, comparison.resampling, " exact")
                table.append([title, *shown, "*" if found.significant else ""])
        counts = f"{pair.n_better:,} better, {pair.n_worse:,} worse, {pair.n_equal:,} equal"
        table.append([f"  {comparison.noun}s: {counts}"])
    return f"{heading}\n" + lay_out(table)


def _length_table(comparison: Comparison) -> str:
    """The headline of each metric by length."""
    names = _names(comparison)
    headlines = comparison.headlines
    head = ["words", f"{comparison.noun}s", *names]
    for key in [*headlines][1:]:
        head += [f"{headlines[key].metric.title} {name}" for name in names]
    table = [head]
    for group in comparison.lengths:
        values = [decimals(value) for key in headlines for value in in_order(comparison, group.figures[key])]
        table.append([group.title, f"{group.n_sentences[comparison.main.name]:,}", *values])
    titles = "; ".join(found.full_title for found in headlines.values())
    return f"by length of the reference: {titles}\n" + lay_out(table, "<>")


def _label_table(comparison: Comparison) -> str:
    rows = comparison.labels[:_MAX_LABELS]
    if not rows:
        return ""
    two = len(comparison.systems) == 2
    names = _names(comparison)
    table = [["label", "reference", *names, *(["difference"] if two else [])]]
    for row in rows:
        scores = in_order(comparison, row.scores)
        line = [_shown(row.label) or NO_LABEL, f"{row.n_ref:,}", *map(decimals, scores)]
        first, second = (scores[0], scores[-1]) if two else (None, None)
        if first is not None and second is not None:
            line.append(decimals(first - second, signed=True))
        table.append(line)
    order = "those first that set the systems apart the most" if len(names) > 1 else "the most frequent first"
    more = f" ({len(rows)} of {len(comparison.labels)})" if len(rows) < len(comparison.labels) else ""
    return f"{comparison.main.title} by label, {order}{more}\n" + lay_out(table, "<>")


def cause_rows(comparison: Comparison, shown: Callable[[str], str]) -> list[list[str]]:
    """What systems lose by which cause: a row for each, the head first, from the best system on."""
    if comparison.causes is None:
        return []
    rows = [["cause", *map(shown, in_order(comparison, comparison.names))]]
    for cause in comparison.causes.causes:
        figures = [found[cause] for found in in_order(comparison, comparison.causes.figures)]
        rows.append(
            [cause, *(f"{decimals(f.value)} ({decimals(f.low)}–{decimals(f.high)})" for f in figures)]
        )
    return rows


def cause_differences(comparison: Comparison, shown: Callable[[str], str]) -> list[list[str]]:
    """A line with its name for each pair of systems, then a row for each cause."""
    rows = []
    for pair in comparison.ranked_pairs if comparison.causes else ():
        rows.append([f"{shown(comparison.names[pair.first])} minus {shown(comparison.names[pair.second])}"])
        for cause, found in comparison.causes_of(pair).items():
            value, interval, *_, p_holm = difference_cells(found, comparison.resampling, "")
            rows.append([f"  {cause}", value, interval, p_holm, "*" * found.significant])
    return rows


def _cause_tables(comparison: Comparison) -> str:
    rows, differences = cause_rows(comparison, _shown), cause_differences(comparison, _shown)
    if len(rows) < 2:
        return ""
    parts = [f"{CAUSES_TITLE}\n{lay_out(rows, '<>')}"]
    if len(comparison.pairs) > _MAX_PAIRS:
        parts.append(f"differences of {len(comparison.pairs)} pairs by cause: --json has them")
    elif differences:
        table = lay_out([["", "difference", "interval", "Holm", ""], *differences], "<>>><")
        parts.append(f"differences by cause, * significant ({CAUSES_HOLM})\n{table}")
    return "\n\n".join(parts)


def _sentence_table(comparison: Comparison, n_sentences: int) -> str:
    rows = comparison.sentences[:n_sentences]
    if not rows:
        return ""
    names = _names(comparison)
    table = [["row", "words", *names, "lost", "text"]]
    for row in rows:
        cells = [*map(decimals, in_order(comparison, row.scores)), lost(row)]
        table.append([str(row.row + 1), str(row.n_words), *cells, _text(comparison, row)])
    title = f"{comparison.noun}s on which the systems differ most, by {lost_title(comparison)}, least–most"
    return f"{title} ({len(rows)} of {len(comparison.sentences):,}), {comparison.main.title}\n" + lay_out(
        table, f"<{'>' * (len(table[0]) - 2)}<"
    )


def _failed_table(comparison: Comparison, n_sentences: int) -> str:
    """Sentences without a parse that could be compared."""
    rows = comparison.failed[:n_sentences]
    if not rows:
        return ""
    table = [["row", "words", "no parse of", "text"]]
    for row in rows:
        failed = [i for i in comparison.ranked if i in row.failed]
        systems = ", ".join(printable(comparison.tell_failure(row.row, i)) for i in failed)
        table.append([str(row.row + 1), str(row.n_words), systems, _text(comparison, row)])
    told = (
        f"failed parses, and such as cannot be compared ({len(rows)} of "
        f"{tell_rows(len(comparison.failed), comparison.noun)})"
    )
    return f"{told}\n" + lay_out(table, "<><<")


def _drawing(comparison: Comparison, sentence: SentenceRow, color: bool, width: int) -> str:
    """A sentence as the best and the worst system parsed it."""
    parts = []
    for system in comparison.extremes(sentence):
        title = f"row {sentence.row + 1}, {_shown(comparison.names[system])}"
        try:
            drawing = draw_alignment(comparison.align(sentence.row, system), color=color, width=width)
            parts.append(f"{title}\n{drawing}")
        except ValueError as error:
            parts.append(f"{title}: not comparable\n{error}")
    return "\n\n".join(parts)


# ---- layout ----------------------------------------------------------------------------------------


def _names(comparison: Comparison) -> list[str]:
    return in_order(comparison, list(map(_shown, comparison.names)))


def _text(comparison: Comparison, row: SentenceRow) -> str:
    return _cut(printable(comparison.words(row.row)), _MAX_WORDS)


def _shown(name: str) -> str:
    return _cut(printable(name), _MAX_NAME)


def _cut(text: str, room: int) -> str:
    """The text, with a mark at its end if it takes more columns than that."""
    if cells(text) <= room:
        return text
    used = accumulate(map(character_cells, text))
    return text[: sum(width < room for width in used)] + "…"

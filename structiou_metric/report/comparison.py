"""Tables and sentences that show a `Comparison`.

They are the same in a terminal, in LaTeX, on pages and in notebooks. Systems are in the order of their ranks.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..drawing.latex import comment
from ..drawing.outline import draw_alignment
from ..metrics.signatures import shorten
from ..stats.intervals import ALIKE, PERCENTILE, TITLES, unseen_share
from ..terminal import NO_LABEL, printable
from ..wording import count
from .tables import NONE, Cell, Line, Table, decimals, shown

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison, Difference, Resampling, SentenceRow, SystemPair
    from ..metrics.metric import Metric

__all__ = ["write_latex", "write_text"]

MAX_PAIRS = 6  # pairs up to which all measures are listed

_MAX_LINE = 80  # columns of sentences in a terminal
_MAX_NAME = 24  # columns for the name of a system in a terminal
_MAX_COLUMNS = 60  # columns for the text of a sentence in a terminal
_MAX_LABELS = 15
_MAX_MEASURES = 5  # measures next to each other on a page of A4


def write_text(
    comparison: Comparison,
    *,
    full: bool = True,
    n_sentences: int = 10,
    n_drawn: int = 0,
    color: bool = False,
    width: int = 100,
) -> str:
    """Return a comparison for a terminal.

    Args:
        comparison: The result of `compare`.
        full: Whether to print all tables, with the sentences on which the systems differ most, instead of
            the headline figures and a verdict.
        n_sentences: The number of sentences to list.
        n_drawn: The number of them to draw as the best and the worst system parsed them.
        color: Whether drawings have colours.
        width: The columns of the terminal.
    """
    names = _short_names([system.name for system in comparison.systems])
    short = [replace(system, name=name) for system, name in zip(comparison.systems, names, strict=True)]
    comparison = replace(comparison, systems=short)
    if full:
        parts = [table.as_text(_MAX_COLUMNS) for table in _all_tables(comparison, n_sentences)]
        if len(comparison.pairs) > MAX_PAIRS:
            parts.append(
                "The tables of this many pairs are short; --json has all measures, and differences by cause."
            )
    else:
        parts = [headline_table(comparison).as_text(_MAX_COLUMNS)]
        parts.append(_wrapped(line.as_text() for line in verdict(comparison)))
    if comparison.can_align:
        for sentence in comparison.sentences[: min(n_drawn, n_sentences)]:
            parts.append(_drawing(comparison, sentence, color, width))
    parts.append("\n".join(explain(comparison)) if full else _wrapped([_legend(comparison)]))
    notes = list(map(printable, comparison.notes))
    if full:
        parts.append("\n".join([*notes, *comparison.signatures.values()]))
        return "\n\n".join(parts) + "\n"
    signatures = [shorten(comparison.signatures[metric.name], metric) for metric in comparison.metrics]
    if notes:
        parts.append(_wrapped(notes))
    parts.append("\n".join(signatures))
    return "\n\n".join(parts) + "\n"


def _all_tables(comparison: Comparison, n_sentences: int) -> list[Table]:
    """Return every table of a comparison."""
    few = len(comparison.pairs) <= MAX_PAIRS
    tables = [*figure_tables(comparison, comparison.metrics)]
    if comparison.pairs:
        tables.append(pair_table(comparison, comparison.measures if few else comparison.headlines))
    tables.append(length_table(comparison, comparison.headlines))
    tables += label_tables(comparison, _MAX_LABELS)
    tables += cause_tables(comparison)[: 2 if few else 1]
    tables += sentence_tables(comparison, n_sentences)
    tables += failed_tables(comparison, n_sentences)
    return tables


def _wrapped(lines: Iterable[str]) -> str:
    """Return sentences in lines of at most 80 columns."""
    wrapper = textwrap.TextWrapper(_MAX_LINE, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(wrapper.fill, lines))


def _short_names(names: Sequence[str]) -> list[str]:
    """Return names for a terminal; long ones are cut at the end, unless two would then be the same.

    Names that would be the same are cut at the beginning instead, or not at all.
    """
    ends = [shown(name, _MAX_NAME) for name in names]
    begins = [shown(name[::-1], _MAX_NAME)[::-1] for name in names]
    return next(
        short for short in (ends, begins, list(map(printable, names))) if len(set(short)) == len(names)
    )


def write_latex(comparison: Comparison) -> str:
    """Return the systems with intervals, the best in bold, and the pairs, as tables of LaTeX.

    >>> from structiou_metric.analysis.compare import compare
    >>> found = compare({"old": ["(S (A a))"], "new": ["(S (B a))"]}, ["(S (A a))"], n_resamples=10)
    >>> source = write_latex(found)
    >>> "old" in source, "booktabs" in source
    (True, True)
    """
    notes = " ".join(explain(comparison))
    parts = [comment(comparison.notes)] if comparison.notes else []
    for metric in comparison.metrics:
        for table in figure_tables(comparison, [metric], _MAX_MEASURES):
            caption = f"{table.title}. The best is bold. {notes}"
            parts.append(table.as_latex(caption=caption, comments=[comparison.signatures[metric.name]]))
    if comparison.pairs:
        few = len(comparison.pairs) <= MAX_PAIRS
        table = pair_table(comparison, comparison.measures if few else comparison.headlines)
        caption = f"Differences between systems; * significant. {notes}"
        comments = comparison.signatures.values()
        parts.append(table.as_latex(caption=caption, comments=comments, size="footnotesize"))
    return "\n".join(parts)


# ---- sentences -------------------------------------------------------------------------------------


def explain(comparison: Comparison) -> list[str]:
    """Return the meaning of the marks and p-values, one sentence for each."""
    how, noun = comparison.resampling, comparison.noun
    units = f"{noun}s"
    if comparison.n_clusters:
        numbers = dict.fromkeys(f"{number:,}" for number in comparison.n_clusters.values())
        units = f"{' and '.join(numbers)} clusters of {units}"
    lines = [
        f"{100 * how.level:g}% intervals, {how.n_resamples:,} resamples, seed {how.seed} "
        f"({TITLES[PERCENTILE]}, over {units})."
    ]
    if any(found.method == ALIKE for system in comparison.systems for found in system.figures.values()):
        n_units = comparison.n_clusters or comparison.n_sentences
        share = max(unseen_share(number, how.level) for number in n_units.values())
        lines.append(
            f"An interval without width says that all {noun}s are alike, so that nothing can be resampled; "
            f"up to {share:.1%} of all {noun}s may yet be of another kind that was not seen."
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


def _legend(comparison: Comparison) -> str:
    """Return the meaning of intervals, letters and stars in short; `explain` returns the full text."""
    how = comparison.resampling
    text = f"Intervals and p-values come from {how.n_resamples:,} resamples of {comparison.noun}s."
    test = f"p < {how.alpha:g}, approximate randomisation"
    if len(comparison.pairs) > 1:
        test += ", Holm-corrected"
    if comparison.baseline is not None:
        text += f" * differs significantly from {comparison.names[comparison.baseline]} ({test})."
    elif comparison.pairs:
        text += f" Systems that share a letter do not differ significantly ({test})."
    return f"{text} Add --full for all measures, differences, lengths, labels, causes and sentences."


def verdict(comparison: Comparison) -> list[Line]:
    """Return a sentence on the best system and its significance, then one on each pair if they are few."""
    key = comparison.main.headline
    title = comparison.measures[key].full_title
    first = comparison.ranked[0]
    found = comparison.systems[first].figures[key]
    level = f"{100 * comparison.resampling.level:g}%"
    value = f"{decimals(found.value)} ({level} interval {decimals(found.low)}–{decimals(found.high)})"
    if len(comparison.systems) == 1:
        return [Line([f"{title}: ", Cell(value, strong=True), "."])]
    best = [name for name, rank in zip(comparison.names, comparison.ranks, strict=True) if rank == 1]
    verb = "are the best, equal," if len(best) > 1 else "is the best"
    who = [*_joined(Cell(name, strong=True) for name in best), f" {verb} by {title}: {value}."]
    sentences = [_pair_sentence(comparison, pair) for pair in comparison.ranked_pairs]
    if len(sentences) == 1:
        return [Line(who), sentences[0]]
    return [Line([*who, *_how_sure(comparison)]), *(sentences if len(sentences) <= MAX_PAIRS else [])]


def _how_sure(comparison: Comparison) -> list[str | Cell]:
    """Name the systems that do not differ significantly from the first one."""
    if comparison.baseline is not None:
        return []
    first, key = comparison.ranked[0], comparison.main.headline
    close = [
        comparison.names[pair.second]
        for pair in comparison.ranked_pairs
        if pair.first == first and not pair.differences[key].significant
    ]
    others = len(comparison.systems) - 1
    if not close:
        return [f" It is significantly better than all {others} other systems."]
    if len(close) == others:
        return [" None of the other systems differs from it significantly."]
    return [" Not significantly different from it: ", *_joined(close), "."]


def _pair_sentence(comparison: Comparison, pair: SystemPair) -> Line:
    key = comparison.main.headline
    found = pair.differences[key]
    first, second = comparison.names[pair.first], comparison.names[pair.second]
    value, p = found.interval.value, _p(found, comparison.resampling)
    if decimals(value) == decimals(0.0):
        return Line([first, " and ", second, f" have the same figure ({p})."])
    low, high = (decimals(bound, signed=True) for bound in (found.interval.low, found.interval.high))
    numbers = f"{decimals(abs(value))} ({low} … {high}, {p})."
    if not found.significant:
        return Line([first, " and ", second, f" do not differ significantly: {numbers}"])
    better = (value > 0) == comparison.measures[key].measure.higher_is_better
    is_so = f" is {'better' if better else 'worse'} than "
    return Line([Cell(first, strong=True), is_so, second, f" by {numbers}"])


def _joined(names: Iterable[str | Cell]) -> list[str | Cell]:
    """Put commas, and a last `and`, between names."""
    found = list(names)
    marks = [*[", "] * (len(found) - 2), *[" and "] * (len(found) > 1), ""]
    return [part for pair in zip(found, marks, strict=True) for part in pair if part]


# ---- figures and differences -----------------------------------------------------------------------


def p_value(p: float, how: Resampling, *, exact: bool = False) -> str:
    """Return a p-value to four places, or to one digit if it is smaller.

    If no resample is as extreme, the p-value is an upper bound, because more resamples might have found a
    smaller one; it is rounded up. Exact p-values are never bounds.
    """
    places = 4 if p >= 0.00005 else math.ceil(-math.log10(p) - 1e-4)
    if exact or p > how.floor * (1.0 + 1e-9):
        return f"{p:.{places}f}"
    return f"≤ {math.ceil(round(p * 10**places, 6)) / 10**places:.{places}f}"


def holm_value(found: Difference, how: Resampling) -> str:
    """Return the corrected p-value, which is a bound where the p-value is one."""
    text = p_value(found.p_randomization, how, exact=found.exact)
    if not text.startswith("≤") or found.p_holm >= 1.0:
        return p_value(found.p_holm, how, exact=True)
    return f"≤ {math.ceil(round(found.p_holm * 1e4, 6)) / 1e4:.4f}"


def _p(found: Difference, how: Resampling) -> str:
    text = holm_value(found, how)
    return f"p {text}" if text.startswith("≤") else f"p = {text}"


def difference_cells(found: Difference, how: Resampling) -> list[str | Cell]:
    """Return the difference, with a star if it is significant, its interval and its p-values."""
    interval = found.interval
    value, low, high = (
        decimals(number, signed=True) for number in (interval.value, interval.low, interval.high)
    )
    p = p_value(found.p_randomization, how, exact=found.exact) + (" exact" if found.exact else "")
    return [Cell(value, "*" * found.significant), f"{low} … {high}", p, holm_value(found, how)]


def figure_tables(
    comparison: Comparison, metrics: Iterable[Metric], n_measures: int | None = None
) -> Iterator[Table]:
    """Yield the measures of some metrics with their intervals, at most `n_measures` in a table."""
    for metric in metrics:
        keys = [key for key, found in comparison.measures.items() if found.metric is metric]
        best = {key: _best(comparison, key) for key in keys}
        title = f"{metric.title}, {count(comparison.n_sentences[metric.name], comparison.noun)}"
        step = n_measures or len(keys)
        for some in (keys[lo : lo + step] for lo in range(0, len(keys), step)):
            rows = []
            for i in comparison.ranked:
                system = comparison.systems[i]
                cells: list[str | Cell] = [system.name]
                for key in some:
                    found = system.figures.get(key)
                    if found is None:
                        cells.append(NONE)
                        continue
                    value, bounds = decimals(found.value), f"{decimals(found.low)}–{decimals(found.high)}"
                    cells.append(Cell(value, system.marks.get(key, ""), bounds, value == best[key]))
                rows.append(cells)
            yield Table(title, ["system", *(comparison.measures[key].title for key in some)], rows, "<^")


def headline_table(comparison: Comparison) -> Table:
    """Return the headline of each metric with its intervals."""
    keys = list(comparison.headlines)
    rows = []
    for i in comparison.ranked:
        system = comparison.systems[i]
        cells: list[str | Cell] = [system.name]
        for key in keys:
            found = system.figures.get(key)
            if found is None:
                cells += [NONE, NONE]
                continue
            cells.append(Cell(decimals(found.value), system.marks.get(key, "")))
            cells.append(f"{decimals(found.low)}–{decimals(found.high)}")
        rows.append(cells)
    level = f"{100 * comparison.resampling.level:g}% interval"
    head = ["system"]
    for key in keys:
        head += [comparison.measures[key].full_title, level]
    title = count(comparison.n_sentences[comparison.main.name], comparison.noun)
    return Table(title, head, rows, "<^")


def _best(comparison: Comparison, key: str) -> str:
    """Return the best value as text, so that ties on it are bold, too; none if all systems are equal."""
    values = [system.figures[key].value for system in comparison.systems if key in system.figures]
    best = decimals((max if comparison.measures[key].measure.higher_is_better else min)(values))
    return best if any(decimals(value) != best for value in values) else ""


def pair_table(comparison: Comparison, keys: Iterable[str]) -> Table:
    """Return the differences of every pair of systems that was tested, by some measures."""
    rows: list[Sequence[str | Cell]] = []
    for pair in comparison.ranked_pairs:
        better = count(pair.n_better, comparison.noun)
        counts = f"{better} better, {pair.n_worse:,} worse, {pair.n_equal:,} equal"
        rows.append(_minus(comparison, pair, f" ({counts})"))
        for key in keys:
            if key in pair.differences:
                cells = difference_cells(pair.differences[key], comparison.resampling)
                rows.append([comparison.measures[key].full_title, *cells])
    return Table("differences, * significant", ["", "difference", "interval", "p", "Holm"], rows, "<^>>>")


def _minus(comparison: Comparison, pair: SystemPair, more: str = "") -> Line:
    names = comparison.names
    return Line([names[pair.first], " minus ", names[pair.second], more])


def matrix(comparison: Comparison) -> Table:
    """Return all pairs by the headline: the system of the row minus that of the column."""
    key, names, ranked = comparison.main.headline, comparison.names, comparison.ranked
    found = {(pair.first, pair.second): pair.differences[key] for pair in comparison.ranked_pairs}
    columns = [i for i in ranked if any(i == second for _, second in found)]
    rows = []
    for i in ranked:
        if any(i == first for first, _ in found):
            cells: list[str | Cell] = [names[i]]
            for j in columns:
                if (i, j) not in found:
                    cells.append("")
                    continue
                value = decimals(found[i, j].interval.value, signed=True)
                small = _p(found[i, j], comparison.resampling)
                cells.append(Cell(value, small=small, strong=found[i, j].significant))
            rows.append(cells)
    title = "Line minus column; bold where the difference is significant, with its Holm-corrected p below."
    return Table(title, ["", *(names[j] for j in columns)], rows)


# ---- groups ----------------------------------------------------------------------------------------


def length_table(comparison: Comparison, keys: Iterable[str]) -> Table:
    """Return some measures of every system by the length of the reference."""
    rows: list[Sequence[str | Cell]] = []
    for key in keys:
        measure = comparison.measures[key]
        rows.append(Line([measure.full_title]))
        for group in comparison.lengths:
            values = [decimals(group.figures[key][i]) for i in comparison.ranked]
            rows.append([group.title, f"{group.n_sentences[measure.metric.name]:,}", *values])
    head = ["words", f"{comparison.noun}s", *_ranked_names(comparison)]
    return Table("by length of the reference", head, rows)


def label_tables(comparison: Comparison, n_labels: int) -> list[Table]:
    """Return the scores of the first `n_labels` labels; no table if the metric has none."""
    found = comparison.labels[:n_labels]
    n_systems = len(comparison.systems)
    last = {1: [], 2: ["difference"]}.get(n_systems, ["spread"])
    rows = []
    for row in found:
        scores = [row.scores[i] for i in comparison.ranked]
        rows.append([row.label or NO_LABEL, f"{row.n_ref:,}", *map(decimals, scores)])
        if n_systems == 2:
            lead = None if None in scores else scores[0] - scores[1]  # type: ignore[operator]
            rows[-1].append(decimals(lead, signed=True))
        elif n_systems > 2:
            rows[-1].append(decimals(row.spread))
    order = "those first that set the systems apart the most" if n_systems > 1 else "the most frequent first"
    more = f" ({len(found)} of {len(comparison.labels)})" if len(found) < len(comparison.labels) else ""
    head = ["label", "reference", *_ranked_names(comparison), *last]
    return [Table(f"{comparison.main.title} by label, {order}{more}", head, rows)] if rows else []


def cause_tables(comparison: Comparison) -> list[Table]:
    """Return the losses of systems by cause, and their differences; no table without them."""
    causes = comparison.causes
    if causes is None or not causes.causes:
        return []
    rows = []
    for cause in causes.causes:
        found = [causes.figures[i][cause] for i in comparison.ranked]
        bounds = (f"{decimals(f.value)} ({decimals(f.low)}–{decimals(f.high)})" for f in found)
        rows.append([cause, *bounds])
    title = "nodes lost by each cause, on both sides, per node of the reference"
    tables = [Table(title, ["cause", *_ranked_names(comparison)], rows)]
    differences: list[Sequence[str | Cell]] = []
    for pair in comparison.ranked_pairs:
        differences.append(_minus(comparison, pair))
        for cause, difference in comparison.causes_of(pair).items():
            value, interval, _, holm = difference_cells(difference, comparison.resampling)
            differences.append([cause, value, interval, holm])
    if differences:
        title = "differences by cause, * significant (Holm over all pairs and causes)"
        tables.append(Table(title, ["", "difference", "interval", "Holm"], differences, "<^>>"))
    return tables


def _ranked_names(comparison: Comparison) -> list[str]:
    return [comparison.names[i] for i in comparison.ranked]


# ---- single sentences ------------------------------------------------------------------------------


def lost_title(comparison: Comparison) -> str:
    """Return the title of the figure that sentences are ordered by."""
    return "nodes lost" if comparison.counts_nodes else "score × words"


def lost(row: SentenceRow) -> str:
    """Return the least and the most that a system lost, to a tenth."""
    return "–".join(f"{mass:.1f}".removesuffix(".0") for mass in (min(row.lost), max(row.lost)))


def sentence_tables(comparison: Comparison, n_sentences: int) -> list[Table]:
    """Return the sentences on which the systems differ most."""
    rows = []
    for row in comparison.sentences[:n_sentences]:
        scores = [decimals(row.scores[i]) for i in comparison.ranked]
        rows.append([str(row.row + 1), str(row.n_words), *scores, lost(row), comparison.words(row.row)])
    title = (
        f"{comparison.noun}s on which the systems differ most, by {lost_title(comparison)}, least–most "
        f"({len(rows)} of {len(comparison.sentences):,}), {comparison.main.title}"
    )
    head = ["row", "words", *_ranked_names(comparison), "lost", "text"]
    return [Table(title, head, rows, f"<{'>' * (len(head) - 2)}<")] if rows else []


def failed_tables(comparison: Comparison, n_sentences: int) -> list[Table]:
    """Return the sentences without a parse that could be compared."""
    rows = []
    for row in comparison.failed[:n_sentences]:
        failed = (comparison.tell_failure(row.row, i) for i in comparison.ranked if i in row.failed)
        rows.append([str(row.row + 1), str(row.n_words), ", ".join(failed), comparison.words(row.row)])
    total = count(len(comparison.failed), comparison.noun)
    title = f"failed parses, and such as cannot be compared ({len(rows)} of {total})"
    return [Table(title, ["row", "words", "no parse of", "text"], rows, "<><<")] if rows else []


def _drawing(comparison: Comparison, sentence: SentenceRow, color: bool, width: int) -> str:
    """Draw a sentence as the best and the worst system parsed it."""
    parts = []
    for system in comparison.extremes(sentence):
        title = f"row {sentence.row + 1}, {comparison.names[system]}"
        try:
            drawing = draw_alignment(comparison.align(sentence.row, system), color=color, width=width)
            parts.append(f"{title}\n{drawing}")
        except ValueError as error:
            parts.append(f"{title}: not comparable\n{error}")
    return "\n\n".join(parts)

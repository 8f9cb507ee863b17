r"""Tables for papers: `table` lays any out as LaTeX, and results and comparisons become such tables.

What is written compiles inside any document that loads the packages named in the comments above it. Rules
are those of `booktabs`; a table too long for a page is a `longtable`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..drawing.latex import Tex, comment, requirements, tex
from ..metrics.results import describe_left_out
from ..terminal import NO_LABEL
from .text import NONE, decimals, difference_cells, explain, in_order, tell_rows
from .why import why_tables

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison, SystemScores
    from ..analysis.errors import MoveReport
    from ..metrics.metric import Metric
    from ..metrics.results import Result
    from ..metrics.struct_iou.result import CorpusScore

__all__ = ["table", "write_comparison", "write_results", "write_why_latex"]

RULE: tuple[str, ...] = ()  # as a row of a table: a line between parts of it

_MAX_ROWS = 45  # of a table that stands on one page
_MAX_MEASURES = 5  # beside each other on a page of A4
_MAX_PAIRS = 6  # of which all measures are listed
_MINUS = re.compile(r"(?<![\w.)}])-(?=\d)")


def table(
    rows: Iterable[Sequence[str]],
    *,
    head: Sequence[str],
    sides: str = "lr",
    caption: str = "",
    comments: Iterable[str] = (),
    size: str = "",
) -> str:
    r"""A table in the style of `booktabs`, ready to stand in a document.

    Texts are escaped, and minus signs set as such; what is `Tex` stays as it is.

    >>> print(table([["NP-SBJ_1", "0.5000"]], head=["label", "score"], caption="By label."))
    % needs \usepackage{booktabs}
    \begin{table}[htbp]
      \centering
      \begin{tabular}{lr}
        \toprule
        label & score \\
        \midrule
        NP-SBJ\_1 & 0.5000 \\
        \bottomrule
      \end{tabular}
      \caption{By label.}
    \end{table}
    <BLANKLINE>

    Args:
        rows: The cells of each row; a row of one cell takes the whole line, and `RULE` is a line across.
        head: What stands over the columns.
        sides: The side of each column, `l`, `r` or `c`; the last is for all more.
        caption: The caption, a sentence or more; empty for none.
        comments: Comments above the table for whoever edits the source, such as the signature of a metric.
        size: The size of the letters, such as `footnotesize`, for wide tables, whose columns are also set
            closer together; by default that of the document.
    """
    command = [rf"\{size}\setlength{{\tabcolsep}}{{4pt}}"] if size else []
    lines = [_line(row, len(head)) for row in rows]
    columns = sides.ljust(len(head), sides[-1])[: len(head)]
    is_long = len(lines) > _MAX_ROWS
    top = [r"\toprule", _line(head, len(head)), r"\midrule"]
    if is_long:
        below = _caption(caption)
        body = [
            "{" + "".join(command),
            rf"\begin{{longtable}}{{{columns}}}",
            *(f"  {line}" for line in [*top, r"\endhead", r"\bottomrule", *below, r"\endlastfoot", *lines]),
            r"\end{longtable}",
            "}",
        ]
        if below:
            body[body.index(f"  {below[0]}")] += r" \\"  # it is a row of a longtable
    else:
        body = [
            r"\begin{table}[htbp]",
            r"  \centering",
            *(f"  {line}" for line in command),
            rf"  \begin{{tabular}}{{{columns}}}",
            *(f"    {line}" for line in [*top, *lines, r"\bottomrule"]),
            r"  \end{tabular}",
            *(f"  {line}" for line in _caption(caption)),
            r"\end{table}",
        ]
    source = "\n".join(body) + "\n"
    packages = ["booktabs", "longtable"] if is_long else ["booktabs"]
    return comment([*requirements(source, packages), *comments]) + source


def _line(row: Sequence[str], n_columns: int) -> str:
    if row == RULE:
        return r"\midrule"
    cells = list(map(_cell, row))
    if len(cells) == 1 and n_columns > 1:
        return rf"\multicolumn{{{n_columns}}}{{l}}{{{cells[0]}}} \\"
    return " & ".join(cells) + r" \\"


def _cell(text: str) -> str:
    return text if isinstance(text, Tex) else _MINUS.sub("$-$", tex(text))


def _caption(text: str) -> list[str]:
    return [rf"\caption{{{_cell(text)}}}"] if text else []


def _number(value: object) -> str:
    """A figure to four places, a count as it is, a dash for none."""
    return decimals(value) if value is None or isinstance(value, float) else f"{value:,}"


# ---- score -----------------------------------------------------------------------------------------


def write_results(
    results: Sequence[Result],
    *,
    per_label: bool = False,
    per_sentence: bool = False,
    remarks: Sequence[str] = (),
) -> str:
    """What one or more metrics found, as tables: the figures, and on request labels and sentences.

    >>> from structiou_metric import StructIoU
    >>> source = write_results([StructIoU().corpus_score(["(S (A a))"], ["(S (A a))"])], per_label=True)
    >>> source.count("tabular}{")
    2

    Args:
        results: The result of each metric.
        per_label: Whether to add a table of labels for each metric that counts by label.
        per_sentence: Whether to add a table with a row for each pair.
        remarks: Remarks for a comment above all, such as why a metric means nothing here.
    """
    parts = [comment(remarks)] if remarks else []
    parts.append(_figures(results))
    for result in results:
        if per_label and result.metric.LABEL is not None:
            parts.append(_labels(result))
        if per_sentence:
            parts.append(_sentences(result))
    return "\n".join(parts)


def _figures(results: Sequence[Result]) -> str:
    rows: list[Sequence[str]] = []
    for result in results:
        metric, figures = result.metric, result.figures
        if len(results) > 1:
            rows += [RULE] if rows else []
            rows.append([Tex(rf"\emph{{{tex(metric.title)}}}")])
        for key in dict.fromkeys([metric.headline, *metric.MEASURES]):
            rows.append([metric.MEASURES[key].title.replace("sentence", result.noun), _number(figures[key])])
    counts = {tell_rows(result.n_counted, result.noun) for result in results}
    what = results[0].metric.title if len(results) == 1 else "Figures"
    caption = f"{what}, {counts.pop()}." if len(counts) == 1 else f"{what}."
    return table(rows, head=["measure", "value"], caption=caption, comments=_comments(results))


def _comments(results: Sequence[Result]) -> list[str]:
    lines = []
    for result in results:
        if result.problems or result.n_counted < len(result):
            lines.append(f"{result.metric.title}: {describe_left_out(result)}")
        lines.append(result.signature)
    return lines


def _labels(result: Result) -> str:
    names = [result.metric.name, "precision", "recall", "n_pred", "n_ref"]
    rows = [
        [label or NO_LABEL, *(_number(row[name]) for name in names)]
        for label, row in result.as_dict(by_label=True)["by_label"].items()
    ]
    return table(
        rows,
        head=["label", result.metric.title, *names[1:3], "predicted", "reference"],
        caption=f"{result.metric.title} by label.",
        comments=_comments([result]),
    )


def _sentences(result: Result) -> str:
    names = [measure.row for measure in result.metric.MEASURES.values() if measure.row]
    rows = [[str(row["index"] + 1), *(_number(row[name]) for name in names)] for row in result.per_sentence()]
    return table(
        rows,
        head=[result.noun, *names],
        sides="r",
        caption=f"{result.metric.title} of each {result.noun}.",
        comments=_comments([result]),
    )


# ---- why ---------------------------------------------------------------------------------------------


def write_why_latex(result: CorpusScore, moves: MoveReport | None = None, *, top: int = 10) -> str:
    """What is lost by cause, what moves would gain, and what was confused, as tables.

    >>> from structiou_metric import StructIoU
    >>> source = write_why_latex(StructIoU().corpus_score(["(S (A a))"], ["(S (B a))"]))
    >>> "tag & " in source
    True

    Args:
        result: What STRUCT-IoU found.
        moves: The moves of the same rows, if they were searched for.
        top: How many confusions of each kind to list.
    """
    parts = []
    for title, (head, *rows), sides in why_tables(result, moves, top=top):
        if head[-1] == "what it is":  # too wide for a page; the text explains it
            head, rows = head[:-1], [row[:-1] for row in rows]
        caption = f"{title[:1].upper()}{title[1:]}." if title else ""
        columns = sides.replace("<", "l").replace(">", "r")
        parts.append(table(rows, head=head, sides=columns, caption=caption, comments=[result.signature]))
    return "\n".join(parts)


# ---- compare ---------------------------------------------------------------------------------------


def write_comparison(comparison: Comparison) -> str:
    """The systems with intervals, the best in bold, with marks of significance; and the pairs.

    >>> from structiou_metric.analysis.compare import compare
    >>> found = compare({"old": ["(S (A a))"], "new": ["(S (B a))"]}, ["(S (A a))"], n_resamples=10)
    >>> source = write_comparison(found)
    >>> "old" in source, "booktabs" in source
    (True, True)

    Args:
        comparison: What `compare` found.
    """
    parts = [comment(comparison.notes)] if comparison.notes else []
    for metric in comparison.metrics:
        keys = [key for key, found in comparison.measures.items() if found.metric is metric]
        for first in range(0, len(keys), _MAX_MEASURES):
            parts.append(_systems(comparison, metric, keys[first : first + _MAX_MEASURES]))
    if comparison.pairs:
        parts.append(_pairs(comparison))
    return "\n".join(parts)


def _systems(comparison: Comparison, metric: Metric, keys: Sequence[str]) -> str:
    best = {key: _best(comparison.systems, key, metric.MEASURES[key].higher_is_better) for key in keys}
    rows: list[Sequence[str]] = []
    for system in in_order(comparison, comparison.systems):
        values: list[str] = [system.name]
        intervals: list[str] = [""]
        for key in keys:
            figure = system.figures.get(key)
            shown = decimals(figure.value) if figure else NONE
            value = rf"\textbf{{{_cell(shown)}}}" if shown == best[key] else _cell(shown)
            mark = system.marks.get(key, "")
            values.append(Tex(value + (rf"\textsuperscript{{{tex(mark)}}}" if mark else "")))
            bounds = f"{_cell(decimals(figure.low))}--{_cell(decimals(figure.high))}" if figure else ""
            intervals.append(Tex(rf"{{\scriptsize {bounds}}}") if bounds else "")
        rows += [values, intervals] if any(intervals) else [values]
    n = tell_rows(comparison.n_sentences[metric.name], comparison.noun)
    caption = f"{metric.title}, {n}. The best is bold. {' '.join(explain(comparison))}"
    return table(
        rows,
        head=["system", *(comparison.measures[key].title for key in keys)],
        sides="lc",
        caption=caption,
        comments=[comparison.signatures[metric.name]],
    )


def _best(systems: Sequence[SystemScores], key: str, higher: bool) -> str:
    """The best value as it is shown, so that all systems that show it are bold; none if all show the same."""
    values = [system.figures[key].value for system in systems if key in system.figures]
    best = decimals((max if higher else min)(values))
    return best if len(systems) > 1 and any(decimals(value) != best for value in values) else ""


def _pairs(comparison: Comparison) -> str:
    """A block for each pair; where there are many, only a line for the headline of each metric."""
    names = comparison.names
    keys = comparison.measures if len(comparison.pairs) <= _MAX_PAIRS else comparison.headlines
    is_exact = False
    rows: list[Sequence[str]] = []
    for pair in comparison.ranked_pairs:
        rows += [RULE] if rows else []
        first, second = tex(names[pair.first]), tex(names[pair.second])
        rows.append([Tex(rf"{first} $-$ {second}")])
        for key, found in pair.differences.items():
            if key in keys:
                is_exact = is_exact or found.exact
                cells = difference_cells(found, comparison.resampling, "†")
                rows.append([comparison.measures[key].full_title, *cells, "*" if found.significant else ""])
    what = "Differences between systems; * significant"
    what += "; † all swaps were made. " if is_exact else ". "
    return table(
        rows,
        head=["", "difference", "interval", "p", "Holm", ""],
        sides="lrrrrl",
        caption=what + " ".join(explain(comparison)),
        comments=comparison.signatures.values(),
        size="footnotesize",
    )

"""Reports as pages of HTML that need no network, no scripts and no other files.

Their texts and elements are in `templates/`. Systems are in the order of their ranks; each keeps the colour
and the mark of its place in the input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from ..drawing.svg import draw_html
from ..drawing.svg_text import full
from ..metrics.base import COUNTED
from ..optional import need
from ..terminal import printable
from ..wording import count
from .brackets import write_brackets
from .charts import difference_chart, interval_chart, label_chart, length_chart, mark
from .comparison import (
    MAX_PAIRS,
    cause_tables,
    explain,
    failed_tables,
    figure_tables,
    label_tables,
    length_table,
    lost,
    lost_title,
    matrix,
    pair_table,
    verdict,
)
from .reasons import cause_classes
from .reasons import explain as explain_pair
from .tables import as_html, decimals
from .why import cause_table, class_tables, confusion_tables, move_lines

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison, SentenceRow
    from ..analysis.errors import MoveReport
    from ..metrics.struct_iou.result import CorpusScore
    from ..sources.rows import Rows

__all__ = ["write_page"]

_MAX_NAMES = 5  # systems named in the heading
_MAX_LABELS = 20  # labels in the plot and the table
_MAX_FAILED = 50  # failed parses that are listed


def check_templates() -> None:
    """Refuse pages if the library that makes them is missing."""
    need("jinja2", "html", "a page")


def render(template: str, **values: Any) -> str:
    """Return a page made from a template of this package; all texts in the values are escaped."""
    check_templates()
    page: str = _environment().get_template(template).render(**values)
    return page


@cache
def _environment() -> Any:
    jinja2, markupsafe = need("jinja2", "html", "a page"), need("markupsafe", "html", "a page")

    def as_safe(value: Any) -> Any:
        """Turn texts into HTML that shows them."""
        return value if hasattr(value, "__html__") else markupsafe.Markup(as_html(str(value)))

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("structiou_metric.report"),
        autoescape=True,
        finalize=as_safe,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["plain"] = lambda text: markupsafe.Markup(escape(printable(text)))
    environment.globals["count"] = count
    return environment


def write_page(comparison: Comparison, *, n_sentences: int = 10, title: str = "") -> str:
    """Return a comparison as one page of HTML.

    >>> from structiou_metric.analysis.compare import compare
    >>> references = ["(S (NP (PRP we)) (VP (VBP run)))", "(INTJ (UH yes))"]
    >>> systems = {"old": ["(S (NP (PRP we)) (NP (NN run)))", "(INTJ (UH yes))"], "new": references}
    >>> page = write_page(compare(systems, references, n_resamples=100), title="Parsers")
    >>> page.startswith("<!DOCTYPE html>"), "<script" in page
    (True, False)

    Args:
        comparison: The result of `compare`.
        n_sentences: The number of sentences to draw, of those on which the systems differ most.
        title: The title of the page; by default the systems' names.
    """
    names = [comparison.names[i] for i in comparison.ranked]
    failures = [
        f"{comparison.names[i]} {number:,}"
        for i in comparison.ranked
        if (number := sum(i in row.failed for row in comparison.failed))
    ]
    return render(
        "compare.html",
        title=title or (", ".join(names) if len(names) <= _MAX_NAMES else f"{len(names)} systems"),
        comparison=comparison,
        verdict=verdict(comparison),
        matrix=matrix(comparison),
        explanation=explain(comparison),
        figure_tables=list(figure_tables(comparison, comparison.metrics)),
        pair_table=pair_table(comparison, comparison.measures),
        length_table=length_table(comparison, comparison.measures),
        label_tables=label_tables(comparison, _MAX_LABELS),
        cause_tables=cause_tables(comparison),
        failed_tables=failed_tables(comparison, _MAX_FAILED),
        failures=failures,
        sentences=[_sentence(comparison, row) for row in comparison.sentences[:n_sentences]],
        lost_title=lost_title(comparison),
        max_pairs=MAX_PAIRS,
        max_labels=_MAX_LABELS,
        mark=mark,
        interval_chart=interval_chart,
        difference_chart=difference_chart,
        length_chart=length_chart,
        label_chart=label_chart,
    )


def _sentence(comparison: Comparison, row: SentenceRow) -> dict[str, Any]:
    """Return the parts of a sentence on the page: its figures, its text and both trees of some systems."""
    scores = ", ".join(f"{comparison.names[i]} {decimals(row.scores[i])}" for i in comparison.ranked)
    for key, others in row.others.items():
        if any(score is not None for score in others):
            listed = ", ".join(decimals(others[i]) for i in comparison.ranked)
            scores += f" ({comparison.measures[key].metric.title} {listed})"
    figures = f"{count(row.n_words, 'word')}, {lost_title(comparison)} {lost(row)}: {scores}"
    words = full(comparison.words(row.row))
    views = list(_views(comparison, row)) if comparison.can_align else []
    return {"number": row.row + 1, "figures": figures, "words": words, "views": views}


def _views(comparison: Comparison, sentence: SentenceRow) -> Iterator[dict[str, str]]:
    """Yield the brackets of the best and of the worst system, and their drawings."""
    for system in sorted(comparison.extremes(sentence), key=sentence.lost.__getitem__):
        title = f"{comparison.names[system]}, row {sentence.row + 1}"
        try:
            alignment = comparison.align(sentence.row, system)
        except ValueError as error:
            yield {"title": title, "error": str(error)}
            continue
        brackets = "" if alignment.score == 1.0 else write_brackets(alignment)
        drawing = draw_html(alignment, description=title)
        yield {"title": title, "error": "", "brackets": brackets, "drawing": drawing}


def write_why_page(
    result: CorpusScore,
    moves: MoveReport | None,
    trees: tuple[Rows, Rows],
    *,
    n_sentences: int = 10,
    top: int = 10,
) -> str:
    """Return the losses of a corpus as one page of HTML: tables, and the sentences that lose most.

    Args:
        result: The result of STRUCT-IoU, with its losses.
        moves: The moves of the same rows, if they were searched for.
        trees: The predictions and the references.
        n_sentences: The number of sentences to draw, of those that lose most.
        top: The number of confusions of each kind to list.
    """
    prediction, reference = (rows.title for rows in trees)
    places = _worst_places(result)
    title, corpus = result.metric.title, decimals(result.corpus)
    return render(
        "why.html",
        title=f"Why {prediction} loses",
        reference=reference,
        figures=f"{title} {decimals(result.sentence)} (sentence mean), {corpus} (corpus level)",
        result=result,
        causes=cause_table(result, below=True),
        moves=[] if moves is None else class_tables(moves, top),
        confusions=confusion_tables(result.losses, top),
        sentences=[_lost_sentence(result, moves, trees, place) for place in places[:n_sentences]],
        n_sentences=count(len(places), "sentence"),
    )


def _worst_places(result: CorpusScore) -> Sequence[int]:
    """Return the rows that lose any nodes, most first, except failed parses, which do not show causes."""
    lost_nodes = [sum(row) for row in zip(*result.losses.columns.values(), strict=True)]
    failed = result.losses.columns["failed"]
    places = [
        i for i, mass in enumerate(lost_nodes) if mass and not failed[i] and result.status[i] in COUNTED
    ]
    return sorted(places, key=lambda i: -lost_nodes[i])


def _lost_sentence(
    result: CorpusScore, moves: MoveReport | None, trees: tuple[Rows, Rows], place: int
) -> dict[str, Any]:
    """Return the parts of a sentence on the page: its text, its drawing and why it loses."""
    row = result.rows[place]
    metric: Any = result.metric
    alignment = metric.align(*(side.tree(row, metric.unit) for side in trees))
    dropped = alignment.reference_side.dropped_words
    words = " ".join(word for i, word in enumerate(alignment.reference.words) if i not in dropped)
    mass = sum(column[place] for column in result.losses.columns.values())
    return {
        "number": row + 1,
        "figures": f"{mass:g} nodes lost, {decimals(alignment.score)}",
        "words": full(words),
        "drawing": draw_html(alignment, classes=cause_classes(alignment)),
        "reasons": explain_pair(alignment),
        "moves": None if moves is None else move_lines(moves, place),
    }

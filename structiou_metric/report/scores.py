"""The figures of a result and what it counted, with the titles that all tables of it have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..metrics.struct_iou.result import TEXT_COLUMNS

if TYPE_CHECKING:
    from ..metrics.results import Result

# Counts of a result besides the sums of the metric.
_COUNTS = {
    "n_counted": "sentences",
    "n_sentences_pred": "sentences, predicted",
    "n_sentences_ref": "sentences, reference",
    "n_empty": "failed parses, score 0",
    "n_zeroed": "not comparable, score 0",
    "n_errors": "not comparable, left out",
    "n_skipped": "not comparable, skipped",
    "n_lengthless": "nodes without length",
    "n_multi_reference": "with several references",
}


def shown_keys(result: Result) -> list[str]:
    """Return the keys of the measures that tables show, the headline first."""
    metric, sums = result.metric, result._sums
    return [
        key
        for key in dict.fromkeys([metric.headline, *metric.MEASURES])
        if not metric.MEASURES[key].optional or any(map(sums.total, metric.MEASURES[key].columns))
    ]


def figure_rows(result: Result) -> list[tuple[str, float]]:
    """Return the title and the value of every figure in tables, the headline first."""
    metric, figures = result.metric, result.figures
    keys = shown_keys(result)
    titles = [metric.MEASURES[key].line or f"{metric.title}, {metric.MEASURES[key].title}" for key in keys]
    return [
        (title.replace("sentence", result.noun), figures[key])
        for title, key in zip(titles, keys, strict=True)
    ]


def count_rows(result: Result) -> list[tuple[str, int]]:
    """Return title and number of everything that was counted at least once."""
    counts = {**result.as_dict(), "n_counted": result.n_counted}
    titles = {**_COUNTS, "n_counted": f"{result.noun}s", **_text_titles(result)}
    return [(title, counts[name]) for name, title in titles.items() if counts.get(name)]


def text_rows(result: Result) -> list[tuple[str, int]]:
    """Return title and number of the words (characters) of aligned texts: the same, replaced, on one side."""
    counts = result.as_dict()
    return [(title, counts[name]) for name, title in _text_titles(result).items() if name in counts]


def _text_titles(result: Result) -> dict[str, str]:
    noun = "characters" if result.metric.unit == "char" else "words"
    return {name: f"{noun} {title}" for name, title in TEXT_COLUMNS.items()}

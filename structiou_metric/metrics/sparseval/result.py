"""What SParseval found, and the figures that are made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import Measure, ratio
from ..results import Result

COLUMNS = (
    "match",
    "gold",
    "test",
    "cross",
    "head_match",
    "head_gold",
    "head_test",
    "open_match",
    "open_gold",
    "open_test",
)


def f_measure(match: Any, gold: Any, test: Any) -> Any:
    """The harmonic mean of recall and precision; 1 where there is nothing, where SParseval says `nan`."""
    return ratio(2.0 * match, gold + test, 1.0)


def share(match: Any, own: Any, other: Any) -> Any:
    """Recall or precision, the matched share of a side; with nothing, 1 if the other has nothing either."""
    return ratio(match, own, other == 0)


def _measures(prefix: str, what: str, key: str, short: str) -> dict[str, Measure]:
    """The F, recall and precision of one kind of thing."""
    match, gold, test = f"{prefix}match", f"{prefix}gold", f"{prefix}test"
    part = f"{short}_" if short else ""
    return {
        key: Measure(f"{what} F1", f_measure, (match, gold, test), short=f"{part}f1"),
        f"{key}_recall": Measure(
            f"{what} recall", share, (match, gold, test), short=f"{part}recall", row="", compared=False
        ),
        f"{key}_precision": Measure(
            f"{what} precision", share, (match, test, gold), short=f"{part}precision", row="", compared=False
        ),
    }


def _of_crossing(title: str, formula: Callable[[Any], Any], short: str, **more: Any) -> Measure:
    return Measure(title, formula, ("cross",), short=short, row="", mean=True, compared=False, **more)


BRACKETS = {
    **_measures("", "bracket", "sparseval", ""),
    "sparseval_complete_match": Measure(
        "complete match",
        lambda match, gold, test: 1.0 * ((match == gold) & (gold == test)),
        ("match", "gold", "test"),
        short="complete_match",
        row="",
        mean=True,
        compared=False,
    ),
    "sparseval_average_crossing": _of_crossing(
        "average crossing", lambda cross: cross, "average_crossing", highest=None, higher_is_better=False
    ),
    "sparseval_no_crossing": _of_crossing("no crossing", lambda cross: 1.0 * (cross == 0), "no_crossing"),
    "sparseval_two_or_less_crossing": _of_crossing(
        "two or less crossing", lambda cross: 1.0 * (cross <= 2), "two_or_less_crossing"
    ),
}
DEPENDENCIES = {
    **_measures("head_", "head dependency", "sparseval_heads", "heads"),
    **_measures("open_", "open-class dependency", "sparseval_open", "open"),
}


class SparsevalScore(Result):
    """What SParseval found: counts for each row, and the figures that are made of them.

    >>> from structiou_metric.metrics import load_metric
    >>> predictions, references = ["(S (NP (N we)) (V run))"], ["(S (NP (N we)) (V ran))"]
    >>> result = load_metric("sparseval").corpus_score(predictions, references)
    >>> result.columns["match"][0], result.columns["gold"][0], result.n_complete
    (1, 1, 1)

    Attributes:
        columns: The columns `match`, `gold`, `test` (brackets that are equal, of the reference and of the
            prediction), `cross` (predicted brackets that cross one of the reference), `head_match`,
            `head_gold`, `head_test` (the same of dependencies), and `open_match`, `open_gold`, `open_test`
            (those between words of open classes).
    """

    @property
    def n_complete(self) -> int:
        """The number of rows in which all brackets are equal."""
        return int(self.sums.mean_of("sparseval_complete_match")[0])

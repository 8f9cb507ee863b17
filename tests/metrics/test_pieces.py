"""Scores of trees that come piece by piece, and a progress bar that does not know where it ends."""

from __future__ import annotations

import io

import pytest

from structiou_metric import CorpusScore, StructIoU, TreeFormatError
from structiou_metric.metrics.runner import add_rows, score_pieces
from structiou_metric.progress import Progress
from structiou_metric.sources.rows import ListRows

REFERENCES = ["(S (A a))", "(S (A a) (B b))", "(S (A a) (B b))", "(S (A a))"]
PREDICTIONS = ["(S (A a))", "(S (X (A a) (C b)))", "(S (A a)", "()"]


def pieces(sizes, predictions=PREDICTIONS, references=REFERENCES):
    first = 0
    for size in sizes:
        cut = slice(first, first + size)
        yield (
            first,
            ListRows(predictions[cut], "predictions", first=first),
            ListRows(references[cut], "references", first=first),
        )
        first += size


def facts(result):
    return result.as_dict(by_label=True, per_sentence=True)


@pytest.mark.parametrize("sizes", [[4], [1, 1, 1, 1], [2, 0, 2], [3, 1]])
@pytest.mark.parametrize("on_error", ["zero", "skip"])
@pytest.mark.parametrize("workers", [1, 3])
def test_score_pieces_as_a_whole(sizes, on_error, workers):
    metric = StructIoU(on_error=on_error)
    want = facts(metric.corpus_score(PREDICTIONS, REFERENCES))
    again = list(pieces(sizes))
    assert facts(score_pieces(metric, again, workers=workers)) == want
    assert facts(score_pieces(metric, again, workers=workers, by_label=True)) == want
    assert facts(score_pieces(metric, pieces(sizes), workers=workers, by_label=True)) == want


def test_score_pieces_names_rows_by_their_number_in_all():
    with pytest.raises(TreeFormatError, match=r"^predictions\[2\]:1:1: this '\(' is never closed"):
        score_pieces(StructIoU(), pieces([1, 2, 1]))


def test_score_pieces_of_an_iterator_only_once():
    result = score_pieces(StructIoU(on_error="zero"), pieces([2, 2]))
    with pytest.raises(
        ValueError, match=r"the trees cannot be read again; count them on the way, with by_label"
    ):
        result.by_label  # noqa: B018
    with pytest.raises(ValueError, match=r"^there are no trees to score$"):
        score_pieces(StructIoU(), pieces([]))
    with pytest.raises(ValueError, match=r"^all 1 pairs were skipped; the first: predictions\[0\]"):
        score_pieces(StructIoU(on_error="skip"), pieces([1], ["(A"], ["(A a)"]))


@pytest.mark.parametrize("workers", [1, 2])
def test_score_pieces_takes_no_more_than_it_needs(workers):
    """A long stream is not read ahead of the scoring, so only a few pieces are held at a time."""
    taken = 0

    def stream():
        nonlocal taken
        for piece in pieces([256] * 100, ["(A a)"] * 25_600, ["(A a)"] * 24_000 + ["(A"] + ["(A a)"] * 1599):
            taken += 1
            yield piece

    ahead = []

    class Watch(CorpusScore):
        def _add(self, first, counts):
            ahead.append(taken - first // 256)

    add_rows(Watch(StructIoU(on_error="zero")), stream(), workers=workers)
    assert len(ahead) == 100
    assert max(ahead) <= 8 * workers
    taken = 0
    with pytest.raises(TreeFormatError, match=r"^references\[24000\]"):
        score_pieces(StructIoU(), stream(), workers=workers)


class NotedRows(ListRows):
    """Notes which rows are read at once."""

    def __init__(self, values):
        super().__init__(values, "rows")
        self.ranges = []

    def load(self, lo, hi, *how):
        self.ranges.append((lo, hi))
        return super().load(lo, hi, *how)


def test_rows_with_long_trees_on_both_sides_are_read_few_at_a_time():
    short, long = "(S (A a))", "(S (A " + "a" * 10_000 + "))"
    n_rows = 5000
    trees = {"short": [short] * n_rows, "long": [short] * 3000 + [long] + [short] * 1999}
    sizes = {}
    for name in ("short long", "long short", "short short", "long long"):
        predictions, references = (NotedRows(trees[side]) for side in name.split())
        assert StructIoU().corpus_score(predictions, references).sentence == 1.0
        assert predictions.ranges == references.ranges
        assert [row for lo, hi in references.ranges for row in range(lo, hi)] == list(range(n_rows))
        sizes[name] = [hi - lo for lo, hi in references.ranges]
    assert sizes["short long"] == sizes["long short"] == sizes["short short"]
    assert max(sizes["long long"]) == sizes["short short"][0]  # where all are short
    assert min(sizes["long long"][:-1]) < sizes["short short"][0] // 50


class _Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def test_progress_without_a_total(monkeypatch):
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("structiou_metric.progress._PATIENCE", -1.0)
    with Progress(None, "scoring") as bar:
        bar.add(1234)
    assert terminal.getvalue().startswith("\rscoring 1,234\r ")

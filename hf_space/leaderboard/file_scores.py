"""Scoring two files that somebody uploaded, in a process of its own with bounded time and memory."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from structiou_metric import CorpusScore, StructIoU
from structiou_metric.metrics.results import plain_rows, result_of_rows
from structiou_metric.metrics.runner import score_pieces
from structiou_metric.sources.files import TreeFile, remove_separators

from . import sandbox
from .uploads import UploadError, unpack

if TYPE_CHECKING:
    from structiou_metric.sources.rows import Rows

    from .settings import Settings

_STEP = 64  # pairs between two looks at the clock
_MAX_ROW = 10_000  # bytes of a tree; aligning two of the worst shape takes seconds, and cannot be stopped
_MAX_NODES = 2_000_000  # of a file
_FILES = sandbox.Lane(2, 8, "scoring files")


class _Cut:
    """The rows `lo … hi` of others, with the numbers that they have there."""

    def __init__(self, rows: Rows, lo: int, hi: int) -> None:
        self.title = rows.title
        self.name, self.longest, self.load, self.tree = rows.name, rows.longest, rows.load, rows.tree
        self._length = hi - lo

    def __len__(self) -> int:
        return self._length


def score_uploaded_files(
    prediction: bytes, reference: bytes, metric: StructIoU, settings: Settings
) -> CorpusScore:
    """Scores two files, perhaps packed with gzip; pairs that cannot be compared count as 0 and are listed.

    Raises:
        ValueError: What is wrong with the files, or that they take too long.
    """
    about = {
        "options": metric.options.as_dict(),
        "size": len(prediction),
        "limit": settings.upload_bytes,
        "seconds": 0.9 * settings.scoring_seconds,
    }
    with _FILES:
        told, _ = sandbox.run(__name__, about, prediction + reference, settings, "scoring")
    if "problem" in told:
        raise ValueError(told["problem"])
    metric = metric.with_options(on_error="zero")
    found: CorpusScore = result_of_rows(metric, told)
    return found


def _serve(about: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    try:
        texts = [unpack(text, about["limit"]) for text in (data[: about["size"]], data[about["size"] :])]
        found = score_texts(texts[0], texts[1], StructIoU(**about["options"]), about["seconds"])
    except UploadError as error:
        return {"problem": error.problems[0][1]}, b""
    except ValueError as error:
        return {"problem": str(error)}, b""
    return plain_rows(found), b""


def score_texts(prediction: bytes, reference: bytes, metric: StructIoU, seconds: float) -> CorpusScore:
    """Scores two files; pairs that cannot be compared count as 0 and are listed.

    Args:
        prediction: The file of predicted trees.
        reference: A file with as many reference trees.
        metric: The metric with its options.
        seconds: The time after which it gives up with a ValueError.
    """
    metric = metric.with_options(on_error="zero")
    for title, text in (("prediction", prediction), ("reference", reference)):
        if max(text.count(b"("), text.count(b"\n")) > _MAX_NODES:
            raise ValueError(f"{title}: more than {_MAX_NODES:,} nodes or lines; use the command line")
    predictions, references = TreeFile(prediction, "prediction"), TreeFile(reference, "reference")
    remove_separators((predictions, references))
    for rows in (predictions, references):
        if len(rows) and rows.longest(0, len(rows)) > _MAX_ROW:
            raise ValueError(
                f"{rows.title}: there is a tree of more than {_MAX_ROW:,} bytes; use the command line"
            )
    found: CorpusScore
    if len(predictions) != len(references) or not len(predictions):
        found = metric.corpus_score(predictions, references)  # says what is wrong
        return found
    end = time.monotonic() + seconds

    def pieces() -> Iterator[tuple[int, Rows, Rows]]:
        lo = 0
        while lo < len(predictions):
            if time.monotonic() > end:
                raise ValueError("this takes too long here; use the command line, structiou score")
            hi = _find_stop(predictions, references, lo)
            yield lo, _Cut(predictions, lo, hi), _Cut(references, lo, hi)
            lo = hi

    found = score_pieces(metric, pieces(), total=len(predictions))
    return found


def _find_stop(predictions: TreeFile, references: TreeFile, lo: int) -> int:
    """Where the piece that begins at a row ends: soon, where the trees are long."""
    hi, size = lo, 0
    while hi < min(lo + _STEP, len(predictions)) and size < _MAX_ROW:
        size += min(predictions.longest(hi, hi + 1), references.longest(hi, hi + 1))
        hi += 1
    return hi


if __name__ == "__main__":
    sandbox.serve(_serve, *sys.argv[1:])

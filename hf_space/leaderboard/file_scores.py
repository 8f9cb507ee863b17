"""Scoring two files that somebody uploaded, in a process of its own with bounded time and memory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from structiou_metric import CorpusScore, StructIoU
from structiou_metric.metrics.results import plain_rows, result_of_rows
from structiou_metric.sources.files import TreeFile, remove_separators

from . import sandbox
from .uploads import UploadError, check_is_text, unpack

if TYPE_CHECKING:
    from .settings import Settings

_MAX_ROW = 10_000  # bytes of a tree; aligning two of the worst shape takes seconds
_MAX_NODES = 2_000_000  # of a file
_FILES = sandbox.Lane(2, 8, "scoring files")


def score_uploaded_files(
    prediction: bytes, reference: bytes, metric: StructIoU, settings: Settings
) -> CorpusScore:
    """Score two files, perhaps packed with gzip; pairs that cannot be compared count as 0 and are listed.

    Raises:
        ValueError: One of the files cannot be used, or they take too long.
    """
    about = {
        "options": metric.options.as_dict(),
        "size": len(prediction),
        "limit": settings.upload_bytes,
    }
    with _FILES:
        try:
            rows, _ = sandbox.run(__name__, about, prediction + reference, settings, "scoring")
        except sandbox.SandboxError as error:
            raise ValueError(f"{error} For large files, use the command line, structiou score.") from None
    if "problem" in rows:
        raise ValueError(rows["problem"])
    found: CorpusScore = result_of_rows(metric.with_options(on_error="zero"), rows)
    return found


def score_texts(prediction: bytes, reference: bytes, metric: StructIoU) -> CorpusScore:
    """Return the score of two files of trees, after a look at their size."""
    files = {"prediction": prediction, "reference": reference}
    for title, text in files.items():
        check_is_text(text)
        if max(text.count(b"("), text.count(b"\n")) > _MAX_NODES:
            raise ValueError(f"{title}: more than {_MAX_NODES:,} nodes or lines; use the command line")
    predictions, references = (TreeFile(text, title) for title, text in files.items())
    remove_separators((predictions, references))
    for rows in (predictions, references):
        if len(rows) and rows.longest(0, len(rows)) > _MAX_ROW:
            raise ValueError(
                f"{rows.title}: there is a tree of more than {_MAX_ROW:,} bytes; use the command line"
            )
    found: CorpusScore = metric.with_options(on_error="zero").corpus_score(predictions, references)
    return found


def _serve(about: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    try:
        sides = data[: about["size"]], data[about["size"] :]
        prediction, reference = (unpack(text, about["limit"]) for text in sides)
        return plain_rows(score_texts(prediction, reference, StructIoU(**about["options"]))), b""
    except UploadError as error:
        return {"problem": error.problems[0][1]}, b""
    except ValueError as error:
        return {"problem": str(error)}, b""


if __name__ == "__main__":
    sandbox.serve(_serve, *sys.argv[1:])

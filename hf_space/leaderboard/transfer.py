"""All results as JSON lines, and the board as a table for spreadsheets."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, get_type_hints

from .fields import MAX_OWNER, clean_fields, clean_line
from .store import STATES, Store, Submission

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # also as wide as a Chinese sign
_ID = re.compile("[0-9a-f]{16}")
_SCORES = {
    "version": str,
    "setting": str,
    "signature": str,
    **dict.fromkeys(("sentence", "corpus", "precision", "recall"), float),
    **dict.fromkeys(("n_sentences", "n_empty"), int),
    "columns": dict,
    "labels": list,
    "lengths": list,
}


def export_lines(store: Store) -> Iterator[str]:
    """A line for each submission, private fields too: for the host."""
    for submission in store.all():
        yield export_line(store, submission)


def export_line(store: Store, submission: Submission) -> str:
    """A submission with its upload and result."""
    upload = base64.b64encode(store.upload(submission.id)).decode("ascii")
    line = {**submission._asdict(), "upload": upload, "result": store.result(submission.id)}
    return json.dumps(line, ensure_ascii=False) + "\n"


def import_lines(store: Store, lines: Iterable[str]) -> tuple[int, int]:
    """Takes over exported submissions; those without a result will be scored.

    Whoever imports is trusted with what is public anyway: names, links, times and scores. What a page or
    a program relies on is checked as if it were submitted.

    Returns:
        How many were new, and how many were there already.
    """
    rows = [_read_line(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    added = sum(store.restore(*row) for row in rows)
    return added, len(rows) - added


def _read_line(line: str, number: int) -> tuple[Submission, bytes, dict[str, Any] | None]:
    try:
        values = json.loads(line)
        upload = base64.b64decode(values.pop("upload"), validate=True)
        result = values.pop("result")
        submission = Submission(**values)
        _check_submission(submission, upload)
        if submission.state == "scored" or result is not None:
            _check_result(result)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"line {number} is no exported submission: {error}") from None
    return submission, upload, result


def _check_submission(submission: Submission, upload: bytes) -> None:
    kinds = get_type_hints(Submission).items()
    if any(type(getattr(submission, name)) is not kind for name, kind in kinds):
        raise ValueError("a field is of the wrong kind")
    told = submission.system, submission.link, submission.contact
    if clean_fields(*told) != told or clean_line(submission.owner, "owner", MAX_OWNER) != submission.owner:
        raise ValueError("a text is not as it would be stored")
    if not _ID.fullmatch(submission.id) or submission.state not in STATES:
        raise ValueError("the id or the state is none of this program")
    if not math.isfinite(submission.received):
        raise ValueError("the time is no number")
    if submission.digest != hashlib.sha256(upload).hexdigest():
        raise ValueError("the upload does not have the digest that it should have")


def _check_result(result: Any) -> None:
    """That a result can be ranked and shown."""
    if not isinstance(result, dict):
        raise ValueError("it is scored but has no result")
    _check_kinds(result, _SCORES)
    for row in result["labels"]:
        _check_kinds(row, {"label": str, "struct_iou": float, "n_ref": int})
    for row in result["lengths"]:
        _check_kinds(row, {"words": str, "struct_iou": float, "n_sentences": int})
    _check_columns(result["columns"], ("matched", "n_pred", "n_ref"), result["n_sentences"])
    parseval = result["parseval"]
    if parseval is not None:
        _check_kinds(parseval, {"f1": float, "columns": dict})
        _check_columns(parseval["columns"], ("matched", "n_pred", "n_ref", "status"), result["n_sentences"])


def _check_kinds(values: Any, kinds: dict[str, type]) -> None:
    for name, kind in kinds.items():
        value = values[name]
        if type(value) is not kind or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError(f"{name} of the result is of the wrong kind")


def _check_columns(columns: dict[str, Any], names: Sequence[str], length: int) -> None:
    for name in names:
        column = columns[name]
        if len(column) != length or any(type(value) not in (int, float) for value in column):
            raise ValueError("the result does not have a number for each sentence")


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in which no cell is a formula to a spreadsheet."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    """Numbers as they are; text that a spreadsheet would compute gets an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(_FORMULA) else value

"""All results as JSON lines, and the board as a table for spreadsheets."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, get_type_hints

from structiou_metric import StructIoU
from structiou_metric.metrics import METRICS, load_metric, metric_class

from .fields import MAX_OWNER, clean_fields, clean_line
from .records import Record, export_records, import_record, read_record
from .scoring import stored_result
from .store import REMOVED, STATES, Store, Submission
from .uploads import average_parts

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # also as wide as a Chinese sign
_ID = re.compile("[0-9a-f]{16}")
_KEY = re.compile("[0-9a-f]{64}")
_RESULT = {
    "version": str,
    "setting": str,
    "n_sentences": int,
    "n_empty": int,
    "metrics": dict,
    "labels": list,
    "lengths": list,
}
_METRIC = {"figures": dict, "refused": str, "signature": str}


class FileLines:
    """The lines of a file, as often as they are asked for, without ever holding all of them."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[str]:
        with self._path.open(encoding="utf-8", newline="\n") as file:
            yield from file


def export_lines(store: Store) -> Iterator[str]:
    """The lines of teams, announcements and the log, then of submissions, with private fields: for hosts."""
    yield from record_lines(store)
    for submission in store.all():
        yield export_line(store, submission)


def record_lines(store: Store) -> Iterator[str]:
    """The lines of teams, announcements and the log."""
    return (json.dumps(record, ensure_ascii=False) + "\n" for record in export_records(store))


def export_line(store: Store, submission: Submission) -> str:
    """A submission with its upload and result."""
    upload = base64.b64encode(store.upload(submission.id)).decode("ascii")
    line = {
        **submission._asdict(),
        "key": store.key_of(submission.owner),
        "upload": upload,
        "result": store.result(submission.id),
    }
    return json.dumps(line, ensure_ascii=False) + "\n"


def import_lines(store: Store, lines: Iterable[str]) -> tuple[int, int]:
    """Takes over exported submissions; those without a result, or with an old one, will be scored.

    Whoever imports is trusted with what is public anyway: names, links, times and scores. What a page or
    a program relies on is checked as if it were submitted.

    All lines are read and checked before the first is taken over, and then once more: of a file, give
    `FileLines`, and no more than a line is in memory.

    Returns:
        How many submissions were new, and how many were there already.
    """
    if iter(lines) is lines:
        lines = list(lines)
    for _ in _read_lines(lines):
        pass
    added = known = 0
    for row in _read_lines(lines):
        if isinstance(row, Record):
            import_record(store, row)
        elif store.restore(*row):
            added += 1
        else:
            known += 1
    return added, known


Row = tuple[Submission, bytes, dict[str, Any] | None, str | None]  # with the hash of the owner's secret


def _read_lines(lines: Iterable[str]) -> Iterator[Record | Row]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_line(line, number)


def _read_line(line: str, number: int) -> Record | Row:
    try:
        values = json.loads(line)
        if "record" in values:
            return read_record(values)
        upload = base64.b64decode(values.pop("upload"), validate=True)
        result, key = values.pop("result"), values.pop("key", None)
        if key is not None and not _KEY.fullmatch(key):
            raise ValueError("the hash of the owner's secret is none")
        submission = Submission(**values)
        _check_submission(submission, upload)
        if submission.state == "scored" or result is not None:
            if not isinstance(result, dict):
                raise ValueError("it is scored but has no result")
            if _is_old(result):
                return submission._replace(state="queued"), upload, None, key
            _check_result(result)
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"line {number} is no exported submission: {error}") from None
    return submission, upload, result, key


def _check_submission(submission: Submission, upload: bytes) -> None:
    kinds = get_type_hints(Submission).items()
    if any(type(getattr(submission, name)) is not kind for name, kind in kinds):
        raise ValueError("a field is of the wrong kind")
    told = submission.system, submission.link, submission.contact
    if clean_fields(*told) != told or clean_line(submission.owner, "owner", MAX_OWNER) != submission.owner:
        raise ValueError("a text is not as it would be stored")
    if not _ID.fullmatch(submission.id) or submission.state not in STATES:
        raise ValueError("the id or the state is none of this program")
    if submission.removed not in REMOVED:
        raise ValueError("it is neither withdrawn nor deleted, nor there")
    for text in (submission.phase, submission.team):
        if clean_line(text, "phase or team", MAX_OWNER) != text:
            raise ValueError("a text is not as it would be stored")
    if not math.isfinite(submission.received):
        raise ValueError("the time is no number")
    if submission.digest != hashlib.sha256(upload).hexdigest():
        raise ValueError("the upload does not have the digest that it should have")


def _is_old(result: dict[str, Any]) -> bool:
    """Whether a result is of a program with other metrics or other figures, and must be made anew."""
    kept = result["metrics"]
    return any(
        name not in METRICS or kept[name]["figures"].keys() != metric_class(name).MEASURES.keys()
        for name in kept
    )


def _check_result(result: dict[str, Any]) -> None:
    """Refuses a result that cannot be ranked and shown."""
    _check_kinds(result, _RESULT)
    if "parts" in result:
        _check_parts(result)
        return
    for row in result["labels"]:
        _check_kinds(row, {"label": str, StructIoU.name: float, "n_ref": int})
    for row in result["lengths"]:
        _check_kinds(row, {"words": str, StructIoU.name: float, "n_sentences": int})
    for name, kept in result["metrics"].items():
        _check_kinds(kept, _METRIC)
        found = stored_result(load_metric(name), kept)
        if set(found.rows) != set(range(result["n_sentences"])):
            raise ValueError("the result does not have a number for each sentence")
        if not all(map(math.isfinite, chain(*found.columns.values(), kept["figures"].values()))):
            raise ValueError("a figure is no number")
        if kept["figures"] != {key: found.figures[key] for key in found.metric.MEASURES}:
            raise ValueError("the figures are not those of the sentences")


def _check_parts(result: dict[str, Any]) -> None:
    """Checks the result of a submission of several files: each part, and that the figures are their means."""
    _check_kinds(result, {"parts": dict, "warnings": list})
    if len(result["parts"]) < 2:
        raise ValueError("the result does not have several parts")
    for part in result["parts"].values():
        _check_kinds(part, {"warnings": list})
        if "parts" in part:
            raise ValueError("a part of the result has parts")
        _check_result(part)
    if average_parts(result["parts"], result["setting"]) != result:
        raise ValueError("the figures are not those of the parts")


def _check_kinds(values: Any, kinds: Mapping[str, type]) -> None:
    for name, kind in kinds.items():
        value = values[name]
        if type(value) is not kind or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError(f"{name} of the result is of the wrong kind")


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in which no cell is a formula to a spreadsheet."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    """The value of a cell: numbers as they are; text that a spreadsheet would compute gets an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(_FORMULA) else value

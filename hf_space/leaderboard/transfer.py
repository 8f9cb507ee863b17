"""Exports and imports: all submissions, teams, announcements and the log as lines of JSON; tables as CSV."""

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

from structiou_metric import StructIoU, __version__
from structiou_metric.metrics import load_metric

from .fields import MAX_OWNER, clean_fields, clean_line
from .records import Record, export_records, import_record, read_record
from .scoring import stored_result
from .store import REMOVED, STATES, Store, Submission

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # also in full width
_ID = re.compile("[0-9a-f]{16}")
_KEY = re.compile("[0-9a-f]{64}")
_PIECE = {
    "n_sentences": int,
    "n_empty": int,
    "warnings": list,
    "metrics": dict,
    "labels": list,
    "lengths": list,
}
_RESULT = {**_PIECE, "version": str, "setting": str, "rows": dict}
_METRIC = {"figures": dict, "shown": dict, "digits": dict, "refused": str, "signature": str}
_RANKING: dict[str, type] = {"value": float, "low": float, "high": float, "shown": float}
_RANKING |= {"shown_low": float, "shown_high": float, "method": str, "digits": int}


class TransferError(ValueError):
    """A file that is no export of this program."""


class FileLines:
    """The lines of a file, which can be read several times, and are never all in memory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[str]:
        try:
            with self._path.open(encoding="utf-8", newline="\n") as file:
                yield from file
        except UnicodeDecodeError as error:
            raise TransferError(
                f"this is no text in UTF-8: {error.reason}; give a file of an export"
            ) from None


def export_lines(store: Store) -> Iterator[str]:
    """Yield the lines of teams, announcements and the log, then of submissions, with private fields."""
    yield from record_lines(store)
    for submission in store.all():
        yield export_line(store, submission)


def record_lines(store: Store) -> Iterator[str]:
    """Yield the lines of teams, announcements and the log."""
    return (json.dumps(record, ensure_ascii=False) + "\n" for record in export_records(store))


def export_line(store: Store, submission: Submission) -> str:
    """Return a line with a submission, its upload and its result."""
    upload = base64.b64encode(store.upload(submission.id)).decode("ascii")
    line = {
        **submission._asdict(),
        "key": store.key_of(submission.owner, submission.owner_kind),
        "upload": upload,
        "result": store.result(submission.id),
    }
    return json.dumps(line, ensure_ascii=False) + "\n"


def import_lines(store: Store, lines: Iterable[str]) -> tuple[int, int]:
    """Import exported submissions; those without a result, or with an old one, will be scored.

    Names, links, times and scores are taken from the export; everything that a page or a program relies on
    is checked as if it were submitted.

    All lines are read and checked before the first is stored, and then read again: given `FileLines`, no
    more than one line is in memory.

    Returns:
        How many submissions were new, and how many were there already.

    Raises:
        TransferError: A line is not one of an export; nothing was stored.
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
        result, key = values.pop("result"), values.pop("key")
        if key is not None and not _KEY.fullmatch(key):
            raise ValueError("the hash of the owner's secret is not a hash")
        submission = Submission(**values)
        _check_submission(submission, upload)
        if submission.state == "scored" or result is not None:
            if not isinstance(result, dict):
                raise ValueError("it is scored but has no result")
            try:
                _check_result(result)
            except (ValueError, KeyError):
                if result.get("version") == __version__:
                    raise
                # Another version may have had other metrics and figures: it is scored again.
                return submission._replace(state="queued"), upload, None, key
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise TransferError(
            f"line {number} is no exported submission: {error}; give a file of an export"
        ) from None
    return submission, upload, result, key


def _check_submission(submission: Submission, upload: bytes) -> None:
    kinds = get_type_hints(Submission).items()
    if any(type(getattr(submission, name)) is not kind for name, kind in kinds):
        raise ValueError("a field is of the wrong kind")
    texts = submission.system, submission.link, submission.contact
    lines = [(submission.owner, MAX_OWNER), (submission.phase, MAX_OWNER), (submission.team, MAX_OWNER)]
    if clean_fields(*texts) != texts or any(clean_line(text, "a name", most) != text for text, most in lines):
        raise ValueError("a text is not as it would be stored")
    if not _ID.fullmatch(submission.id) or submission.state not in STATES:
        raise ValueError("the id or the state is not one of this program")
    if submission.removed not in REMOVED or submission.owner_kind not in ("user", "visitor"):
        raise ValueError("how it was removed, or the kind of its owner, is not one of this program")
    if not math.isfinite(submission.received):
        raise ValueError("the time is not a number")
    if submission.digest != hashlib.sha256(upload).hexdigest():
        raise ValueError("the upload does not have the digest in the line")


def _check_result(result: dict[str, Any]) -> None:
    """Refuse a result that cannot be ranked and shown."""
    _check_kinds(result, _RESULT)
    if result["ranking"] is not None:
        _check_kinds(result["ranking"], _RANKING)
    pieces = result.get("parts", {"": result})
    for part, piece in pieces.items():
        _check_kinds(piece, _PIECE)
        rows = result["rows"][part] if part else result["rows"]
        for row in piece["labels"]:
            _check_kinds(row, {"label": str, StructIoU.name: float, "n_ref": int})
        for row in piece["lengths"]:
            _check_kinds(row, {"words": str, StructIoU.name: float, "n_sentences": int})
        for name, found in piece["metrics"].items():
            _check_figures(found)
            own = stored_result(load_metric(name), rows[name])
            if set(own.rows) != set(range(piece["n_sentences"])):
                raise ValueError("the result does not have a number for each sentence")
            if not all(map(math.isfinite, chain(*own.columns.values()))):
                raise ValueError("a figure is not a number")
            if found["figures"] != {key: own.figures[key] for key in own.metric.MEASURES}:
                raise ValueError("the figures are not those of the sentences")
    for name, found in result["metrics"].items():
        _check_figures(found)
        for key, value in found["figures"].items():
            values = [piece["metrics"][name]["figures"][key] for piece in pieces.values()]
            if value != sum(values) / len(values):
                raise ValueError("the figures are not those of the parts")


def _check_figures(found: Any) -> None:
    _check_kinds(found, _METRIC)
    keys = found["figures"].keys()
    if found["shown"].keys() != keys or found["digits"].keys() != keys:
        raise ValueError("the figures and the rounded figures are not the same")
    if not all(map(math.isfinite, chain(found["figures"].values(), found["shown"].values()))):
        raise ValueError("a figure is not a number")
    if not all(type(digits) is int and 0 <= digits < 20 for digits in found["digits"].values()):
        raise ValueError("a number of digits is not a number")


def _check_kinds(values: Any, kinds: Mapping[str, type]) -> None:
    for name, kind in kinds.items():
        value = values[name]
        if type(value) is not kind or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError(f"{name} of the result is of the wrong kind")


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as CSV, in which no cell is a formula to a spreadsheet."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    """Return the value of a cell; text that a spreadsheet would compute begins with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(_FORMULA) else value

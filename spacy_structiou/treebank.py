"""Files for the corpus reader: finding them, and reading the trees of each Doc from them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from structiou_metric import SegmentTree
from structiou_metric.errors import TreeFormatError
from structiou_metric.sources.content import as_utf8, strip_ending
from structiou_metric.sources.files import read_bytes
from structiou_metric.sources.places import ENDINGS, find_pattern, list_files, treebank_ending
from structiou_metric.sources.treebanks import Reading
from structiou_metric.trees.shapes import as_tree
from structiou_metric.wording import check_choice, count

from .annotations import annotated_trees, is_accepted, is_annotated
from .store import KEY, unescape

DOCBIN = ".spacy"
JSON_LINES = ".jsonl"
TRACES = ("drop", "token")

FIELDS = {"tree": "tree", "trees": "trees", "times": "times", "text": "text"}


class Record(NamedTuple):
    """The trees of a Doc, before it is made.

    Attributes:
        where: The file and the line, for errors.
        trees: The trees of the Doc, one after another.
        text: The text, where it is known.
    """

    where: str
    trees: tuple[SegmentTree, ...]
    text: str | None


# ---- files -------------------------------------------------------------------------------------


def kind(path: Path) -> str:
    """Return the kind of a file: `.spacy`, `.jsonl`, or `treebank` for any other."""
    suffix = _suffix(path)
    return suffix if suffix in (DOCBIN, JSON_LINES) else "treebank"


def _suffix(path: Path) -> str:
    return Path(strip_ending(path.name)).suffix


def find_files(path: Path, pattern: str = "") -> list[Path]:
    """Return a file, the files that match a pattern, or those of a folder and its folders, sorted.

    Args:
        path: A file of any name, an archive, a pattern such as `wsj/2?/*.mrg`, or a folder.
        pattern: A pattern for the files of a folder, such as `*.mrg` or `wsj/2?/*.mrg`. By default, files
            with the endings of treebanks are found.
    """
    matching = find_pattern(str(path))
    if matching:
        return [Path(name) for name in matching]
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder; check the path of the corpus")
    if not path.is_dir():
        return [path]
    endings = (DOCBIN, JSON_LINES, *ENDINGS)
    files = [
        path / name
        for name in list_files(str(path))
        if (
            treebank_ending(name) in endings
            if not pattern
            else (path / name).match(pattern) and not any(part.startswith(".") for part in Path(name).parts)
        )
    ]
    if not files:
        wanted = f"matches the pattern {pattern!r}" if pattern else f"ends in one of {' '.join(endings)}"
        raise FileNotFoundError(f"{path}: no file in this folder {wanted}; set path or pattern")
    kinds = {kind(file): file for file in files}
    if len(kinds) > 1:
        raise ValueError(
            f"{path}: this folder holds {' and '.join(str(file) for file in kinds.values())}, "
            "perhaps the same trees twice; set pattern, such as pattern = '*.mrg'"
        )
    return files


def read_records(
    path: Path, reading: Reading | None = None, *, fields: Mapping[str, str] | None = None, key: str = KEY
) -> Iterator[Record]:
    """Yield the trees of a treebank or of JSON lines, in the order of the file.

    Rows that an annotator has not accepted and rows without spans are skipped, with a warning.

    Args:
        path: The file.
        reading: How to read treebanks.
        fields: Different names for the fields of JSON lines.
        key: The name of the span group in rows of `Doc.to_json`.
    """
    reading = reading or Reading()
    if kind(path) == JSON_LINES:
        yield from _json_records(path, _check_fields(fields), reading.encoding, key)
        return
    rows = reading.rows(path)
    for row in range(len(rows)):
        yield Record(rows.name(row), (rows.tree(row, None),), None)


# ---- JSON lines --------------------------------------------------------------------------------


def _check_fields(fields: Mapping[str, str] | None) -> dict[str, str]:
    fields = fields or {}
    for name in fields:
        check_choice("field", name, FIELDS)
    return {**FIELDS, **fields}


def _json_records(path: Path, fields: Mapping[str, str], encoding: str | None, key: str) -> Iterator[Record]:
    data, title = read_bytes(path)
    left_out: dict[str, list[str]] = {"that no annotator accepted": [], "without spans": []}
    for number, line in enumerate(as_utf8(data, title, encoding).decode("utf-8").split("\n"), 1):
        if not line.strip():
            continue
        where = f"{title}:{number}"
        try:
            row = json.loads(line)
        except RecursionError:
            raise TreeFormatError("this JSON is nested too deeply; give brackets", source=where) from None
        except ValueError as error:
            raise TreeFormatError(
                f"this line is no JSON: {error}; write one value a line", source=where
            ) from None
        if not is_annotated(row) or {fields["tree"], fields["trees"]} & row.keys():
            yield _json_record(row, fields, where)
        elif not is_accepted(row):
            left_out["that no annotator accepted"].append(where)
        elif trees := _annotated(row, key, where):
            yield Record(where, tuple(trees), row["text"])
        else:
            left_out["without spans"].append(where)
    for which, places in left_out.items():
        if places:
            warnings.warn(
                f"{path}: {count(len(places), 'row')} {which} skipped; the first: {places[0]}", stacklevel=2
            )


def _annotated(row: Mapping[str, Any], key: str, where: str) -> list[SegmentTree]:
    try:
        return annotated_trees(row, key)
    except TreeFormatError as error:
        raise TreeFormatError(error.message, source=where) from None


def _json_record(row: Any, fields: Mapping[str, str], where: str) -> Record:
    """Return the record of a row with fields, or of a row that is a tree in a shape that `as_tree` reads."""
    if isinstance(row, Mapping) and not ({"label", "labels", "brackets"} & row.keys()):
        text = row.get(fields["text"])
        times = row.get(fields["times"])
        if fields["tree"] in row:
            values = [row[fields["tree"]]]
            times = None if times is None else [times]
        elif fields["trees"] in row:
            values = row[fields["trees"]]
        else:
            raise TreeFormatError(
                f"this row has no {fields['tree']!r}, but {', '.join(map(repr, row))}; name the field that "
                "holds the tree, such as fields = {'tree': 'reference'}",
                source=where,
            )
        if not isinstance(values, list):
            raise TreeFormatError(f"{fields['trees']!r} must be a list of trees", source=where)
        if text is not None and not isinstance(text, str):
            raise TreeFormatError(f"{fields['text']!r} must be a text, not {text!r}", source=where)
    else:
        values, times, text = [row], None, None
    if times is not None:
        if not isinstance(times, list) or len(times) != len(values):
            raise TreeFormatError(f"{fields['times']!r} must have times for each of the trees", source=where)
        values = [{"brackets": value, "times": pairs} for value, pairs in zip(values, times, strict=True)]
    return Record(where, tuple(as_tree(value, source=where) for value in values), text)


def unescaped(tree: SegmentTree) -> SegmentTree:
    """Return a tree with its words as `unescape` writes them.

    >>> unescaped(SegmentTree.from_brackets("(-LRB- -LRB-)")).words
    ('(',)
    """
    words = tuple(map(unescape, tree.words))
    if words == tree.words:
        return tree
    return SegmentTree(tree.labels, tree.sizes, tree.firsts, tree.lasts, words, tree.times, tree.unit)

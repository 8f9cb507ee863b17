"""Benchmarks: folders with a public description and a private file of reference trees."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, NamedTuple

import tomllib

from structiou_metric import StructIoU
from structiou_metric.metrics.parseval.parameters import BUILT_IN, as_parameters
from structiou_metric.metrics.struct_iou.options import CHOICES
from structiou_metric.sources.files import TreeFile, read_bytes

DESCRIPTION = "benchmark.toml"
RANKINGS = {
    "sentence": "STRUCT-IoU, sentence mean",
    "corpus": "STRUCT-IoU, corpus level",
    "parseval": "ParsEval F1",
}
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class Benchmark(NamedTuple):
    """One benchmark.

    Attributes:
        name: Its name in links and in the database: that of its folder.
        title: Its name on the page.
        language: Of the text, such as `English`.
        description: What it is, in plain text.
        reference: The private file.
        options: Options of the metric, fixed by the host.
        rank_by: A key of `RANKINGS`.
        parseval: The parameters for ParsEval: the name of a set or a file of them; None for no ParsEval.
        show_sentences: Whether sentences of the reference may be shown.
        layout: How trees stand in files, as in `TreeFile`.
    """

    name: str
    title: str
    language: str
    description: str
    reference: Path
    options: dict[str, Any]
    rank_by: str = "sentence"
    parseval: str | None = None
    show_sentences: bool = False
    layout: str = "auto"

    @property
    def metric(self) -> StructIoU:
        """The metric with the host's options."""
        return StructIoU(**self.options)

    def setting(self) -> str:
        """A digest of all that scores depend on but the program: only scores of one setting compare."""
        parameters = Path(self.parseval or "")
        told = (*self.metric.options, self.layout, parameters.name)
        digest = hashlib.sha256(repr(told).encode())
        for path in (self.reference, parameters):
            if path.is_file():
                digest.update(path.read_bytes())
        return digest.hexdigest()

    def read_reference(self) -> TreeFile:
        """The private trees; errors about them call them `reference`."""
        data, _ = read_bytes(self.reference)
        return TreeFile(data, "reference", self.layout)


def load_benchmarks(folder: Path) -> dict[str, Benchmark]:
    """All benchmarks of a folder by name; each must be whole, or none is served."""
    folders = sorted(path.parent for path in folder.glob(f"*/{DESCRIPTION}"))
    if not folders:
        raise ValueError(f"{folder}: there is no folder with a {DESCRIPTION}; see the README of the Space")
    return {path.name: load_benchmark(path) for path in folders}


def load_benchmark(folder: Path) -> Benchmark:
    """Reads and checks the description and the reference trees of a benchmark."""
    path = folder / DESCRIPTION
    if not _NAME.fullmatch(folder.name):
        raise ValueError(f"{folder}: name the folder in small letters, digits, - and _, 64 at most")
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    options = values.pop("options", {})
    if not isinstance(options, dict):
        raise ValueError(f"{path}: options must be a table, [options]")
    known = {name for name in Benchmark._fields if name not in ("name", "options")}
    _check_keys(path, values, known, {"title", "language", "description", "reference"})
    _check_keys(path, options, {*CHOICES, "min_iou", "drop"} - {"on_error", "average"}, set(), "options.")
    for key, value in values.items():
        if not isinstance(value, bool if key == "show_sentences" else str):
            raise ValueError(
                f"{path}: {key} must be {'true or false' if key == 'show_sentences' else 'a text'}"
            )
    if values.get("rank_by", "sentence") not in RANKINGS:
        raise ValueError(f"{path}: rank_by = {values['rank_by']!r}; choose from {', '.join(RANKINGS)}")
    if values.get("rank_by") == "parseval" and not values.get("parseval"):
        raise ValueError(
            f"{path}: rank_by = 'parseval' needs parseval = a set of parameters, such as 'collins'"
        )
    reference = _inside(folder, values.pop("reference"), path)
    if values.get("parseval", "collins") not in BUILT_IN:
        values["parseval"] = str(_inside(folder, values["parseval"], path))
    benchmark = Benchmark(name=folder.name, reference=reference, options=options, **values)
    _check_reference(benchmark, path)
    return benchmark


def _check_keys(
    path: Path, values: dict[str, Any], known: set[str], needed: set[str], prefix: str = ""
) -> None:
    for key in values:
        if key not in known:
            raise ValueError(f"{path}: unknown key {prefix}{key}; choose from {', '.join(sorted(known))}")
    for key in sorted(needed - set(values)):
        raise ValueError(f"{path}: the key {prefix}{key} is missing")


def _inside(folder: Path, name: str, path: Path) -> Path:
    """A file of the folder, wherever a link may point."""
    found = folder / name
    if Path(name).name != name or not found.is_file():
        raise ValueError(f"{path}: {name!r} is no file in this folder")
    return found


def _check_reference(benchmark: Benchmark, path: Path) -> None:
    """Every reference tree must be readable and not empty."""
    try:
        metric = benchmark.metric
        if benchmark.parseval is not None:
            as_parameters(benchmark.parseval)
        rows = benchmark.read_reference()
    except (ValueError, OSError) as error:
        raise ValueError(f"{path}: {error}") from None
    if not len(rows):
        raise ValueError(f"{benchmark.reference}: there are no trees in it")
    problems = metric.check_rows(rows, rows)
    if problems:
        raise ValueError(f"{benchmark.reference}: {problems[0][1]}")
    for row, n_nodes in enumerate(metric.score_rows(rows, rows).sentences.n_ref, 1):
        if not n_nodes:
            raise ValueError(f"{benchmark.reference}: row {row} is empty; leave out sentences without a tree")

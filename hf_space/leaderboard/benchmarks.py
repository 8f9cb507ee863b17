"""Benchmarks: folders with a public description and a private file of reference trees."""

from __future__ import annotations

import hashlib
import re
import tomllib
import warnings
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from structiou_metric import StructIoU
from structiou_metric.errors import SettingsWarning
from structiou_metric.metrics import METRICS, metric_class
from structiou_metric.metrics.base import VALID, Measure
from structiou_metric.metrics.metric import Metric
from structiou_metric.metrics.runner import score_systems
from structiou_metric.sources.documents import documents_of
from structiou_metric.sources.files import LAYOUTS, PARTED, TreeFile, read_bytes
from structiou_metric.sources.rows import ListRows
from structiou_metric.sources.treebanks import Reading
from structiou_metric.wording import check_choice

from .phases import Phase, find_phase, read_phases, read_zone
from .privacy import Gold

if TYPE_CHECKING:
    from structiou_metric.sources.rows import Rows

DESCRIPTION = "benchmark.toml"

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_KEYS: dict[str, type | tuple[type, ...]] = {
    "title": str,
    "language": str,
    "description": str,
    "reference": (str, dict),
    "rank_by": str,
    "show_sentences": bool,
    "layout": str,
    "documents": str,
    "gold": dict,
    "metrics": dict,
    "phases": list,
    "time_zone": str,
    "teams": bool,
    "citation": str,
    "licence": str,
}
_NEEDED = ("title", "language", "description", "reference")
_KINDS: dict[Any, str] = {
    bool: "true or false",
    str: "a text",
    dict: "a table",
    list: "a list of tables, [[phases]]",
    (str, dict): "the name of a file, or a table with one for each part",
}
_MOST_PARTS = 100

# Options that are none of a host's: `rank_by` says which figure counts, and uploads with errors are refused.
_FIXED = ("average", "on_error")


class Benchmark(NamedTuple):
    """One benchmark.

    Attributes:
        name: The name in links and in the database, which is that of its folder.
        title: The name on the page.
        language: The language of the text, such as `English`.
        description: A description in plain text.
        reference: The private file of reference trees.
        metrics: The metrics by name, with the options that the host has fixed; STRUCT-IoU is the first.
        rank_by: The key of the measure, of one of them, that systems are ranked by.
        show_sentences: Whether sentences of the reference may be shown.
        layout: The layout of trees in their files, as in `TreeFile`.
        documents: How documents are separated in files, a key of `PARTED`; empty where single trees are
            compared.
        gold: How much of the reference trees may be known.
        parts: The private file of each part of a benchmark that takes several files, by the name of the part;
            empty for one that takes a single file.
        phases: The phases of a shared task; empty if there are none.
        phase: The name of the phase that `reference` and `parts` are of.
        teams: Whether only teams may submit.
        citation: How to cite it, in plain text or BibTeX.
        licence: The licence of its trees.
    """

    name: str
    title: str
    language: str
    description: str
    reference: Path
    metrics: dict[str, Metric]
    rank_by: str
    show_sentences: bool = False
    layout: str = "auto"
    documents: str = ""
    gold: Gold = Gold()
    parts: Mapping[str, Path] = MappingProxyType({})
    phases: tuple[Phase, ...] = ()
    phase: str = ""
    teams: bool = False
    citation: str = ""
    licence: str = ""

    def in_phase(self, name: str) -> Benchmark:
        """Return the benchmark with the reference trees of a phase; one without phases is unchanged."""
        if not self.phases:
            return self
        phase = find_phase(self.phases, name)
        if phase.reference is None:
            return self._replace(phase=phase.name)
        reference, parts = _references(self.reference.parent, phase.reference)
        return self._replace(phase=phase.name, reference=reference, parts=parts)

    @property
    def pieces(self) -> dict[str, Benchmark]:
        """The parts as benchmarks of a single file each; the benchmark alone if it has none."""
        if not self.parts:
            return {"": self}
        return {name: self._replace(reference=path, parts={}) for name, path in self.parts.items()}

    @property
    def noun(self) -> str:
        """The name of a row: `sentence` or `document`."""
        return "document" if self.documents else "sentence"

    @property
    def metric(self) -> StructIoU:
        """STRUCT-IoU, which every benchmark has; its unit is that of the trees, and it aligns them."""
        return cast("StructIoU", self.metrics[StructIoU.name])

    @property
    def ranking(self) -> tuple[Metric, Measure]:
        """The metric and the measure of it by which systems are ranked."""
        return next(
            (metric, metric.MEASURES[self.rank_by])
            for metric in self.metrics.values()
            if self.rank_by in metric.MEASURES
        )

    def shows_figure(self, key: str) -> bool:
        """Return whether everybody may see the figure of that key."""
        return key == self.rank_by or self.gold.shows("figures")

    def is_final(self, now: float) -> bool:
        """Return whether nobody can ask these reference trees any more, so that figures may be exact.

        That is so when the phase has closed, and every other phase with the same reference trees, too. Late
        submissions are still scored, and their figures stay rounded.
        """
        files = {piece.reference for piece in self.pieces.values()}
        same = [
            phase
            for phase in self.phases
            if files & {piece.reference for piece in self.in_phase(phase.name).pieces.values()}
        ]
        return bool(same) and all(phase.state(now) in ("late", "closed") for phase in same)

    def setting(self) -> str:
        """Return a digest of everything that results depend on, except the program.

        Only results of one setting can be compared.
        """
        metrics = [
            (name, metric.options.as_dict(), {key: m.columns for key, m in metric.MEASURES.items()})
            for name, metric in sorted(self.metrics.items())
        ]
        texts = (self.rank_by, self.layout, self.documents, *self.parts)
        digest = hashlib.sha256(repr((metrics, texts)).encode())
        for piece in self.pieces.values():
            if piece.reference.is_file():
                digest.update(piece.reference.read_bytes())
        return digest.hexdigest()

    def read_reference(self) -> Rows:
        """Return the private trees; errors about them call them `reference`."""
        data, _ = read_bytes(self.reference)
        return self.read(data, "reference")

    def read(self, data: bytes, title: str) -> Rows:
        """Return the trees, or documents, of a file."""
        if self.documents:
            return documents_of(data, title, self.documents, Reading(self.layout, "brackets"))
        return TreeFile(data, title, self.layout)


def place_of(benchmark: Benchmark) -> dict[str, str]:
    """Return the folder and the phase of a benchmark as plain values; `benchmark_at` reads it from there."""
    return {"folder": str(benchmark.reference.parent.resolve()), "phase": benchmark.phase}


def benchmark_at(place: Mapping[str, str]) -> Benchmark:
    """Return the benchmark whose `place_of` this is."""
    return read_benchmark(Path(place["folder"])).in_phase(place["phase"])


def find_folders(folder: Path) -> list[Path]:
    """Return the folders of benchmarks in a folder."""
    folders = sorted(path.parent for path in folder.glob(f"*/{DESCRIPTION}"))
    if not folders:
        raise ValueError(f"{folder}: there is no folder with a {DESCRIPTION}; see the README of the Space")
    return folders


def load_benchmark(folder: Path) -> Benchmark:
    """Read and check the description and all reference trees of a benchmark."""
    benchmark = read_benchmark(folder)
    phased = [benchmark.in_phase(phase.name) for phase in benchmark.phases]
    pieces = (piece for one in (benchmark, *phased) for piece in one.pieces.values())
    for piece in {piece.reference: piece for piece in pieces}.values():
        try:
            _check_reference(piece)
        except (ValueError, OSError) as error:
            raise ValueError(f"{piece.reference}: {error}") from None
    return benchmark


def read_benchmark(folder: Path) -> Benchmark:
    """Read and check the description of a benchmark."""
    path = folder / DESCRIPTION
    if not _NAME.fullmatch(folder.name):
        raise ValueError(f"{folder}: name the folder in small letters, digits, - and _, 64 at most")
    try:
        return _make_benchmark(folder, tomllib.loads(path.read_text("utf-8")))
    except (ValueError, TypeError, OSError) as error:
        raise ValueError(f"{path}: {error}") from None


def _make_benchmark(folder: Path, values: dict[str, Any]) -> Benchmark:
    _check_keys(values, _KEYS)
    for key in _NEEDED:
        if key not in values:
            raise ValueError(f"the key {key} is missing")
    for key, value in values.items():
        if not isinstance(value, _KEYS[key]):
            raise ValueError(f"{key} must be {_KINDS[_KEYS[key]]}")
    check_choice("layout", values.get("layout", "auto"), LAYOUTS)
    if "documents" in values:
        check_choice("way of parting documents", values["documents"], PARTED)
    metrics = _make_metrics(folder, values)
    rank_by = _find_measure(metrics, values.pop("rank_by", StructIoU.name))
    reference, parts = _references(folder, values.pop("reference"))
    gold = Gold.of(values.pop("gold", {}), shows_sentences=values.get("show_sentences", False))
    zone = values.pop("time_zone", "UTC")
    read_zone(zone)
    phases = read_phases(values.pop("phases", []), zone)
    for phase in phases:
        if phase.reference is not None:
            own = _references(folder, phase.reference)[1]
            if list(own) != list(parts):
                raise ValueError(f"phase {phase.name}: its reference must have the parts of the benchmark")
    return Benchmark(
        name=folder.name,
        reference=reference,
        metrics=metrics,
        rank_by=rank_by,
        gold=gold,
        parts=parts,
        phases=phases,
        **values,
    )


def _references(folder: Path, files: str | Mapping[str, Any]) -> tuple[Path, dict[str, Path]]:
    """Return the file of reference trees, the first if there are several, and those of the parts by name."""
    if isinstance(files, str):
        return _inside(folder, files), {}
    if not 1 < len(files) <= _MOST_PARTS or not all(isinstance(name, str) for name in files.values()):
        raise ValueError(
            f'reference: name the files of 2 to {_MOST_PARTS} parts, such as hebrew = "hebrew.txt"'
        )
    for name in files:
        if not _NAME.fullmatch(name):
            raise ValueError(f"reference: name the part {name!r} in small letters, digits, - and _")
    parts = {name: _inside(folder, file) for name, file in files.items()}
    return next(iter(parts.values())), parts


def _make_metrics(folder: Path, values: dict[str, Any]) -> dict[str, Metric]:
    """Remove everything about metrics from the values, and return the metrics."""
    metrics: dict[str, Metric] = {StructIoU.name: StructIoU()}
    for name, table in values.pop("metrics", {}).items():
        metrics[name] = _make_metric(folder, name, table)
    unit = metrics[StructIoU.name].options.unit
    for name, metric in metrics.items():
        if reason := metric.undefined(unit):
            raise ValueError(f"metric {name!r} has no meaning for the unit {unit!r}: {reason}")
    return metrics


def _make_metric(folder: Path, name: str, table: Any) -> Metric:
    """Return a metric with the options in its table."""
    check_choice("metric", name, METRICS)
    key = f"metrics.{name}"
    if not isinstance(table, dict):
        raise ValueError(f"{key} must be a table, [{key}]")
    known = metric_class(name)
    kinds = {option: about.kind for option, about in known.OPTIONS.items() if option not in _FIXED}
    _check_keys(table, kinds, f"{key}.")
    options = dict(table)
    for option, value in table.items():
        wanted = {"flag": bool, "file": str}.get(kinds[option])
        if wanted is not None and type(value) is not wanted:
            raise ValueError(f"{key}.{option} must be {_KINDS[wanted]}")
        if wanted is str:
            options[option] = _as_file(folder, value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SettingsWarning)
            metric = known(**options)
            ranking = metric.for_ranking()
    except FileNotFoundError as error:
        raise ValueError(f"{error.filename!r} is no file in this folder") from None
    except SettingsWarning as warning:
        raise ValueError(str(warning)) from None
    changed = ranking.options.as_dict()
    for option in table:
        if changed[option] != getattr(metric.options, option):
            raise ValueError(f"{key}.{option}: every sentence counts on a board; leave it out")
    return ranking


def _find_measure(metrics: dict[str, Metric], rank_by: str) -> str:
    """Return the key of the measure that `rank_by` names; a metric's name means its headline."""
    keys = [key for metric in metrics.values() for key, m in metric.MEASURES.items() if m.compared]
    headlines = {name: metric.headline for name, metric in metrics.items()}
    key = headlines.get(rank_by, rank_by)
    if key not in keys:
        raise ValueError(
            f"rank_by = {rank_by!r}; choose from {', '.join(keys)}, "
            "or add the table of another metric, [metrics.NAME]"
        )
    return key


def _check_keys(values: dict[str, Any], known: Collection[str], prefix: str = "") -> None:
    for key in values:
        if key not in known:
            raise ValueError(f"unknown key {prefix}{key}; choose from {', '.join(sorted(known))}")


def _as_file(folder: Path, value: str) -> str:
    """Return a file of the folder; a word that names no file anywhere may be one that the metric knows."""
    is_word = value != "-" and Path(value).name == value
    if is_word and not (folder / value).exists() and not Path(value).exists():
        return value
    return str(_inside(folder, value))


def _inside(folder: Path, name: str) -> Path:
    """Return a file of the folder, which may be a link."""
    found = folder / name
    if Path(name).name != name or not found.is_file():
        raise ValueError(f"{name!r} is no file in this folder")
    return found


def _check_reference(benchmark: Benchmark) -> None:
    """Refuse reference trees that are unreadable or empty, and measures by which leaving trees out pays."""
    rows = benchmark.read_reference()
    if not len(rows):
        raise ValueError("there are no trees in it")
    failed = ListRows(["()"] * len(rows), "nothing")
    metrics = list(benchmark.metrics.values())
    [[found, *others], perfect] = score_systems(metrics, [failed, rows], rows)
    row = found.status.find(VALID) + 1  # as good as nothing
    if row:
        raise ValueError(f"row {row} is empty; leave out sentences without a tree")
    place = metrics.index(benchmark.ranking[0])
    whole, nothing = perfect[place], [found, *others][place]
    half = whole.joined([whole, nothing]).figures[benchmark.rank_by]
    if half == whole.figures[benchmark.rank_by]:
        raise ValueError(
            f"rank_by = {benchmark.rank_by!r} does not count failed parses, so that leaving trees out would "
            f"pay; choose another measure, such as {benchmark.ranking[0].headline!r}"
        )

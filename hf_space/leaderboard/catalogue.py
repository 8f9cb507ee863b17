"""The benchmarks that are served: where they come from, and how they are read again when files change."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .benchmarks import Benchmark, find_folders, load_benchmark
from .fields import FieldError

if TYPE_CHECKING:
    from .settings import Settings

_LOG = logging.getLogger(__name__)
_FOLDER = "benchmarks"  # in the data folder


def with_dataset(settings: Settings, token: str | None, *, download: Any = None) -> Settings:
    """Return the settings with the folder of benchmarks from the dataset that they name, if they name one.

    The token must be able to read a private dataset. If the Hub cannot be reached, the benchmarks of the
    last start are used.

    Args:
        settings: The settings of the host.
        token: The token for the Hub.
        download: A function in place of `huggingface_hub.snapshot_download`.
    """
    name = settings.benchmarks_dataset
    if name is None:
        return settings
    if download is None:
        from huggingface_hub import snapshot_download as download
    cache = settings.data / _FOLDER
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        folder = Path(download(name, repo_type="dataset", token=token, cache_dir=cache))
    except Exception as error:
        first = str(error).partition("\n")[0]
        raise ValueError(
            f"the benchmarks cannot be fetched from the dataset {name}: {first} Does HF_TOKEN hold a token "
            "that may read it?"
        ) from None
    _LOG.info("benchmarks from %s, commit %s", name, folder.name)
    return settings.model_copy(update={"benchmarks": folder})


_LOG = logging.getLogger(__name__)

Stamp = tuple[tuple[str, int, int], ...]


class Change(NamedTuple):
    """A change in the folder of a benchmark; its kind is `added`, `changed`, `broken` or `gone`."""

    name: str
    kind: str
    detail: str = ""


class Catalogue:
    """All benchmarks of a folder. One with an error is logged and not served; the others are.

    A benchmark that was served, and has an error now, is still shown as it was, but takes no submissions
    and is not scored until the error is corrected.

    Args:
        folder: The folder with a folder for each benchmark.

    Attributes:
        benchmarks: The benchmarks that are served, by name.
        broken: The error in each of the others, and in those that were right before, by name.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamps: dict[str, Stamp] = {}
        self._lock = threading.Lock()
        self.benchmarks: dict[str, Benchmark] = {}
        self.broken: dict[str, str] = {}
        self.look()
        if not self.benchmarks:
            raise ValueError("; ".join(self.broken.values()))

    def get(self, name: str) -> Benchmark:
        """Return the benchmark of that name."""
        if not isinstance(name, str) or name not in self.benchmarks:
            raise self.unknown()
        return self.benchmarks[name]

    def unknown(self) -> FieldError:
        """Return the error for a name that no benchmark has."""
        return FieldError(f"there is no benchmark of that name; choose from {', '.join(self.benchmarks)}")

    def look(self) -> list[Change]:
        """Read folders that are new or have changed, and return the changes."""
        with self._lock:
            changes = []
            folders = {path.name: path for path in find_folders(self._folder)}
            for name, path in folders.items():
                stamp = _stamp(path)
                if self._stamps.get(name) != stamp:
                    self._stamps[name] = stamp
                    changes.append(self._read(name, path))
            for name in [name for name in self._stamps if name not in folders]:
                del self._stamps[name]
                self.broken.pop(name, None)
                if self.benchmarks.pop(name, None) is not None:
                    changes.append(Change(name, "gone", "its folder is gone; submissions to it are kept"))
            # In the order of names, whenever they came.
            self.benchmarks = dict(sorted(self.benchmarks.items()))
            return changes

    def _read(self, name: str, path: Path) -> Change:
        try:
            benchmark = load_benchmark(path)
        except (ValueError, OSError) as error:
            self.broken[name] = str(error)
            _LOG.error("benchmark %s is not served: %s", name, error)
            return Change(name, "broken", str(error))
        kind = "changed" if name in self.benchmarks else "added"
        self.benchmarks[name] = benchmark
        self.broken.pop(name, None)
        return Change(name, kind, f"{benchmark.title}, {len(benchmark.phases)} phases")


def _stamp(folder: Path) -> Stamp:
    """Return the names, sizes and times of the files of a benchmark."""
    found = []
    for path in sorted(folder.iterdir()):
        try:
            about = path.stat()
        except OSError:  # gone in this moment, or a link to nothing
            continue
        found.append((path.name, about.st_size, about.st_mtime_ns))
    return tuple(found)


class PhaseSettings:
    """The settings of a benchmark by phase; each is computed once, as it reads the reference trees."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._known: dict[str, str | None] = {}

    def of(self, phase: str) -> str | None:
        """Return the setting of a phase, or None if there is no such phase any more."""
        if phase not in self._known:
            try:
                self._known[phase] = self._benchmark.in_phase(phase).setting()
            except FieldError:
                self._known[phase] = None
        return self._known[phase]

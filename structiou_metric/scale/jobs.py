"""Jobs that can be resumed: the tally and the rows of each unit are written to a folder or a URL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any
from uuid import uuid4

from ..metrics.coverage import Coverage
from ..metrics.metric import Metric
from ..metrics.tally import CorpusTally, describe
from ..progress import Progress
from .parquet import Columns, Unit, find_filesystem, tally_units
from .row_files import RowWriter

_SCHEMA = "structiou.job.v1"
_TALLY = ".tally.json"  # The names of files with tallies end like this.
_OPEN_FILES = 16  # files that are read at the same time, as a store takes its time to answer
_SHOWN = 12  # failed units in an error


class JobError(ValueError):
    """A job in which some units could not be scored."""


class Job:
    """A job in a folder: `job.json`, and for each unit `000012.tally.json` and `000012.rows.parquet`.

    A unit is done once its tally exists. The job can be pickled.

    Args:
        prefix: A folder or a URL, which is made if it does not exist. If it holds a job already, that job
            must have the same units and options.
        metric: The metric with its options.
        columns: The columns that are read.
        units: All units of the job.
        by_label: Whether to sum up by label, too.
    """

    def __init__(
        self, prefix: str, metric: Metric, columns: Columns, units: Sequence[Unit], by_label: bool
    ) -> None:
        self._prefix = prefix
        self._filesystem, self._folder = find_filesystem(prefix)
        self._metric = metric
        self._columns = columns
        self._by_label = by_label
        about = {
            "schema": _SCHEMA,
            **describe(metric),
            "columns": columns._replace(schema=None, filter=str(columns.filter))._asdict(),
            "by_label": by_label,
            "units": [[unit.source, unit.stamp, unit.begin, unit.n_rows] for unit in units],
        }
        self._filesystem.create_dir(self._folder, recursive=True)
        known = read_job(self._filesystem, self._folder)
        if known is None:
            self._write("job.json", json.dumps(about))
        elif known != about:
            other = [key for key in about if known.get(key) != about[key]]
            if other == ["units"]:
                change = _find_change(known["units"], about["units"])
                raise ValueError(
                    f"{prefix} holds a job of other files: {change}; give the files as they were, or another "
                    "folder"
                )
            raise ValueError(
                f"{prefix} holds another job, with other {', '.join(other)}; give another folder"
            )

    def score(self, unit: Unit, workers: int | str = 1) -> CorpusTally:
        """Score a unit, and write its rows and then its tally."""
        name = f"{self._folder}/{unit.number:06}.rows.parquet"
        with RowWriter(name, self._filesystem) as watch:
            tally = tally_units(
                self._metric, self._columns, [unit], by_label=self._by_label, workers=workers, watch=watch
            )
        self._write(f"{unit.number:06}{_TALLY}", json.dumps(tally.to_dict()))
        return tally

    def score_all(
        self, units: Sequence[Unit], *, workers: int | str = 1, progress: bool = False
    ) -> CorpusTally:
        """Add up some units, and score those that are not done; a failed unit does not stop the others."""
        tally, left = self.resume(units)
        failed = []
        with Progress(sum(unit.n_rows for unit in units), "scoring", show=progress) as bar:
            bar.add(len(tally))
            for unit in left:
                try:
                    tally += self.score(unit, workers)
                except (OSError, ValueError) as error:
                    failed.append(f"{name_unit(unit)}: {error}")
                bar.add(unit.n_rows)
        self.refuse_failed(failed, len(units))
        return tally

    def resume(self, units: Iterable[Unit]) -> tuple[CorpusTally, list[Unit]]:
        """Return the tally of the units that are done, and the other units."""
        there = set(_names(self._filesystem, self._folder))
        done, left = [], []
        for unit in units:
            name = f"{unit.number:06}{_TALLY}"
            if name in there:
                done.append(name)
            else:
                left.append(unit)
        tally = CorpusTally(self._metric)
        for values in _read_all(self._filesystem, self._folder, done):
            tally += CorpusTally.from_dict(values, self._metric)
        return tally, left

    def refuse_failed(self, failed: Sequence[str], n_units: int) -> None:
        """Raise a JobError if units failed; `failed` has a message for each of them."""
        if failed:
            more = [f"and {len(failed) - _SHOWN} more"] if len(failed) > _SHOWN else []
            raise JobError(
                f"{len(failed)} of {n_units} units failed, and the others are kept in {self._prefix}; run "
                "again to score them:\n" + "\n".join([*failed[:_SHOWN], *more])
            )

    def _write(self, name: str, text: str) -> None:
        """Write a file that appears under its name when it is whole.

        Jobs of an array begin at the same time, and a unit may be scored twice, by a worker that was thought
        lost and by another one. So each writes to a name of its own.
        """
        path = f"{self._folder}/{name}"
        part = f"{path}.{uuid4().hex}.part"
        with self._filesystem.open_output_stream(part) as out:
            out.write(text.encode())
        self._filesystem.move(part, path)


def name_unit(unit: Unit) -> str:
    """Return the name of a unit in messages."""
    return f"{unit.source}, rows {unit.begin:,} to {unit.begin + unit.n_rows - 1:,}"


def read_prefix(prefix: str) -> tuple[Iterator[tuple[dict[str, Any], str]], Coverage]:
    """Return the tallies of a job as values of JSON with their names, and all rows of the job."""
    filesystem, folder = find_filesystem(prefix)
    about = read_job(filesystem, folder)
    if about is None:
        raise ValueError(f"{prefix}: there is no job.json; give a PREFIX of structiou score --out")
    whole = Coverage()
    for source, stamp, begin, n_rows in about["units"]:
        whole.add_rows(source, stamp, range(begin, begin + n_rows))
    names = [name for name in _names(filesystem, folder) if name.endswith(_TALLY)]
    titles = (f"{prefix}/{name}" for name in names)
    return zip(_read_all(filesystem, folder, names), titles, strict=True), whole


def read_job(filesystem: Any, folder: str) -> dict[str, Any] | None:
    """Return the content of `job.json` in a folder; None if it does not exist."""
    from pyarrow.fs import FileType

    is_file = filesystem.get_file_info(f"{folder}/job.json").type == FileType.File
    return _read(filesystem, f"{folder}/job.json") if is_file else None


def _find_change(known: Sequence[Sequence[Any]], found: Sequence[Sequence[Any]]) -> str:
    """Return how the files of a job differ from those it began with."""
    old, new = ({source: stamp for source, stamp, *_ in units} for units in (known, found))
    for source in {**old, **new}:
        if source not in new:
            return f"{source} is gone"
        if source not in old:
            return f"{source} is new"
        if old[source] != new[source]:
            return f"{source} was changed"
    return "they are in another order"


def _names(filesystem: Any, folder: str) -> list[str]:
    from pyarrow.fs import FileSelector

    return sorted(
        info.base_name for info in filesystem.get_file_info(FileSelector(folder, allow_not_found=True))
    )


def _read_all(filesystem: Any, folder: str, names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Read files, some at a time."""
    names = iter(names)
    with ThreadPoolExecutor(_OPEN_FILES) as pool:
        while some := list(islice(names, _OPEN_FILES)):
            yield from pool.map(lambda name: _read(filesystem, f"{folder}/{name}"), some)


def _read(filesystem: Any, path: str) -> dict[str, Any]:
    with filesystem.open_input_stream(path) as file:
        found: dict[str, Any] = json.loads(file.read())
    return found

"""Jobs that can be resumed: what each unit adds up to, and its rows, are kept below a folder or a URL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ..metrics.coverage import Coverage
from ..metrics.metric import Metric
from ..metrics.tally import CorpusTally, describe
from ..progress import Progress
from .parquet import Columns, Unit, find_filesystem, tally_units
from .row_files import RowWriter

_SCHEMA = "structiou.job.v1"
_TALLY = ".tally.json"  # how the names of files with tallies end


class Job:
    """The files of a job: `job.json`, and for each unit `000012.tally.json` and `000012.rows.parquet`.

    A unit is done once its tally is there. The job can be pickled.

    Args:
        prefix: A folder or a URL, which is made if it is not there.
        metric: The metric with its options.
        columns: What is read.
        units: All units of the job; what is already there must be of the same.
        by_label: Whether to sum up by label, too.
    """

    def __init__(
        self, prefix: str, metric: Metric, columns: Columns, units: Sequence[Unit], by_label: bool
    ) -> None:
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
            raise ValueError(
                f"{prefix} holds another job, with other {', '.join(other)}; give another folder"
            )

    def score(self, unit: Unit, workers: int | str = 1) -> CorpusTally:
        """Score a unit, and write down what was found."""
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
        """Add up some units, of which those that are not done are scored now."""
        done = self.done(units)
        tally = CorpusTally(self._metric)
        with Progress(sum(unit.n_rows for unit in units), "scoring", show=progress) as bar:
            for unit in units:
                tally += done[unit.number] if unit.number in done else self.score(unit, workers)
                bar.add(unit.n_rows)
        return tally

    def done(self, units: Iterable[Unit]) -> dict[int, CorpusTally]:
        """Return the tallies of the units that are done, by number."""
        there = set(_names(self._filesystem, self._folder))
        return {
            unit.number: CorpusTally.from_dict(
                _read(self._filesystem, f"{self._folder}/{name}"), self._metric
            )
            for unit in units
            if (name := f"{unit.number:06}{_TALLY}") in there
        }

    def _write(self, name: str, text: str) -> None:
        """Write a file that appears when it is whole."""
        path = f"{self._folder}/{name}"
        with self._filesystem.open_output_stream(f"{path}.part") as out:
            out.write(text.encode())
        self._filesystem.move(f"{path}.part", path)


def read_prefix(prefix: str) -> tuple[list[tuple[dict[str, Any], str]], Coverage]:
    """Return the tallies of a job as plain values with their names, and all rows of the job."""
    filesystem, folder = find_filesystem(prefix)
    about = read_job(filesystem, folder)
    if about is None:
        raise ValueError(f"{prefix}: there is no job.json; give a PREFIX of structiou score --out")
    whole = Coverage()
    for source, stamp, begin, n_rows in about["units"]:
        whole.add_rows(source, stamp, range(begin, begin + n_rows))
    names = [name for name in _names(filesystem, folder) if name.endswith(_TALLY)]
    return [(_read(filesystem, f"{folder}/{name}"), f"{prefix}/{name}") for name in names], whole


def read_job(filesystem: Any, folder: str) -> dict[str, Any] | None:
    """Return what `job.json` says in a folder; None if it is not there."""
    return _read(filesystem, f"{folder}/job.json") if "job.json" in _names(filesystem, folder) else None


def _names(filesystem: Any, folder: str) -> list[str]:
    from pyarrow.fs import FileSelector

    return sorted(
        info.base_name for info in filesystem.get_file_info(FileSelector(folder, allow_not_found=True))
    )


def _read(filesystem: Any, path: str) -> dict[str, Any]:
    with filesystem.open_input_stream(path) as file:
        found: dict[str, Any] = json.loads(file.read())
    return found

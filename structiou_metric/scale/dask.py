"""Parquet files on the workers of a Dask cluster: row groups are tasks, tallies are merged as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..metrics.base import BaseMetric
from ..metrics.tally import CorpusTally, merge_tallies
from ..metrics.tallying import refuse_pairing
from ..optional import need
from ..progress import Progress
from ..sources.parquet import RowGroup
from .arrow import usual_metric
from .parquet import ParquetPairs, tally_parquet

__all__ = ["connect", "score_dask"]

LOCAL = "local"  # The address of a cluster of this machine's own processors.
_FAN_IN = 16  # tallies that are merged at once

# Of a cluster on one machine: its processes look around many times a second, which takes processors from the
# work, and memory that a worker frees goes back at once, to be asked for anew with the next batch.
_CALM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 256 << 20,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 32 << 20,
}


def score_dask(
    client: Any,
    paths: Any,
    prediction_column: str | None = None,
    reference_column: str | None = None,
    metric: BaseMetric | None = None,
    *,
    group_by: str | None = None,
    id_column: str | None = None,
    by_label: bool = False,
    progress: bool = False,
    task_bytes: int = 16 << 20,
) -> Any:
    """The result over all pairs of two columns of Parquet files, which the workers of a cluster score.

    Figures are those of one run on one machine, to the last bit, whoever scored what, in whatever order. The
    tasks of a worker that is lost are done by others.

    >>> import os, pyarrow.parquet, tempfile
    >>> from distributed import Client
    >>> table = pyarrow.table({"prediction": ["(S (A a))", "()"], "reference": ["(S (A a))", "(S (B b))"]})
    >>> with (
    ...     tempfile.TemporaryDirectory() as folder,
    ...     Client(processes=False, n_workers=1, dashboard_address=":0") as client,
    ... ):
    ...     path = os.path.join(folder, "pairs.parquet")
    ...     pyarrow.parquet.write_table(table, path)
    ...     result = score_dask(client, path)
    >>> result.score
    0.5

    Args:
        client: A `distributed.Client`.
        paths: Parquet files, as in `tally_parquet`, which every worker can read under these names.
        prediction_column: The name of the column with predicted trees, by default `prediction`.
        reference_column: The name of the column with reference trees, by default `reference`.
        metric: The metric with its options; by default `StructIoU(on_error="zero")`.
        group_by: A column by which rows are told apart, as in `tally_parquet`; `result.tally().groups` has
            the sums of each group.
        id_column: A column that tells what rows are called in messages; by default their number in the file.
        by_label: Whether to sum up by label, too.
        progress: Whether a terminal shows a progress bar when this takes long.
        task_bytes: How much a task reads at least, where row groups are smaller.
    """
    distributed = need("distributed", "dask", "a Dask cluster")
    metric = usual_metric(metric)
    refuse_pairing(metric)
    columns: dict[str, Any] = {"prediction_column": prediction_column, "reference_column": reference_column}
    pairs = ParquetPairs(paths, **columns, group_by=group_by, id_column=id_column)
    how: dict[str, Any] = {**columns, "metric": metric, "group_by": group_by, "id_column": id_column}
    how |= {"by_label": by_label}
    tasks = plan(pairs.files.groups, task_bytes)
    if not tasks:
        raise ValueError(f"{', '.join(pairs.files.files)}: there are no rows to score")
    # The heaviest begin first, so that none of them is left when all others are done.
    order = sorted(range(len(tasks)), key=lambda i: -sum(group.n_bytes for group in tasks[i]))
    futures: list[Any] = [None] * len(tasks)
    for i in order:
        rows = range(tasks[i][0].rows.start, tasks[i][-1].rows.stop)
        futures[i] = client.submit(_count, pairs.files.files, rows, how, pure=False)
    sizes = {future.key: sum(len(g.rows) for g in task) for future, task in zip(futures, tasks, strict=True)}
    whole = _merged(client, futures)
    with Progress(len(pairs), "scoring", show=progress) as bar:
        try:
            for future in distributed.as_completed(futures):
                if future.status == "error":
                    future.result()  # raises what the worker did
                bar.add(sizes[future.key])
            tally: CorpusTally = whole.result()
        finally:
            # What nobody wants any more is forgotten, and not begun. It is not cancelled: a scheduler that is
            # to cancel tasks on which others depend loses the client.
            for future in (whole, *futures):
                future.release()
    return tally.result()


def plan(groups: Sequence[RowGroup], task_bytes: int) -> list[list[RowGroup]]:
    """Row groups that follow each other, gathered into tasks that are worth a message."""
    tasks: list[list[RowGroup]] = []
    size = 0
    for group in groups:
        if not len(group.rows):
            continue
        if not tasks or size >= task_bytes:
            tasks.append([])
            size = 0
        tasks[-1].append(group)
        size += group.n_bytes
    return tasks


def _merged(client: Any, futures: Sequence[Any]) -> Any:
    """The sum of all tallies, found where they are."""
    while len(futures) > 1:
        parts = [futures[i : i + _FAN_IN] for i in range(0, len(futures), _FAN_IN)]
        futures = [client.submit(merge_tallies, part, pure=False) for part in parts]
    return futures[0]


def _count(paths: Sequence[str], rows: range, how: dict[str, Any]) -> CorpusTally:
    """What some rows add up to; the work of a task."""
    return tally_parquet(paths, rows=rows, **how)


@contextmanager
def connect(address: str, n_workers: int | None = None) -> Iterator[Any]:
    """A client of the scheduler at an address, or for `local` of a cluster of this machine's processors.

    >>> from distributed import LocalCluster
    >>> with LocalCluster(processes=False, n_workers=1, dashboard_address=":0") as cluster:
    ...     with connect(cluster.scheduler_address) as client:
    ...         client.submit(sum, [1, 2]).result()
    3

    Args:
        address: The address of the scheduler, such as `tcp://host:8786`, or `local`.
        n_workers: The number of workers of a local cluster; by default as many as there are processors.
    """
    distributed = need("distributed", "dask", "a Dask cluster")
    if address != LOCAL:
        with distributed.Client(address) as client:
            yield client
        return
    import dask

    with (
        dask.config.set(_CALM),
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client

"""Score Parquet files on the workers of a Dask cluster, with a task for each unit."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from time import monotonic, sleep
from typing import Any

from .._version import __version__
from ..metrics.metric import Metric
from ..metrics.tally import CorpusTally
from ..metrics.tallying import refuse_pairing
from ..optional import need
from ..progress import Progress
from .arrow import usual_metric
from .jobs import Job, JobError, name_unit
from .parquet import ParquetPairs, Unit, tally_units

__all__ = ["connect", "score_dask"]

LOCAL = "local"  # The address of a cluster of this machine's own processors.
_PAUSE = 0.05  # seconds between two checks for finished tasks
_ROLL_CALL = 1.0  # seconds between two checks for workers

# Settings of a cluster on one machine. With the defaults its processes profile and measure themselves many
# times a second, which takes processors from the work, and memory that a worker frees goes back to the system
# at once, to be asked for again with the next batch.
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
    metric: Metric | None = None,
    *,
    group_by: str | None = None,
    id_column: str | None = None,
    filter: Any = None,
    by_label: bool = False,
    progress: bool = False,
    out: str | None = None,
    patience: float = 300.0,
) -> Any:
    """Score all pairs of two columns of Parquet files on the workers of a cluster.

    Figures are those of one run on one machine, to the last bit, in whichever order units are scored. The
    tasks of a lost worker are done by others.

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
        paths: Parquet files, as in `tally_parquet`, which each worker can read under these names.
        prediction_column: The name of the column with predicted trees, by default `prediction`.
        reference_column: The name of the column with reference trees, by default `reference`.
        metric: The metric with its options; by default `StructIoU(on_error="zero")`.
        group_by: A column by which rows are grouped, as in `tally_parquet`; `result.tally().groups` has
            the sums of each group.
        id_column: A column with the names of rows in messages; by default their number in the file.
        filter: An expression for the rows that are scored, as in `tally_parquet`.
        by_label: Whether to sum up by label, too.
        progress: Whether a terminal shows a progress bar when this takes long.
        out: A folder or a URL that every worker can write to. The tally and the rows of each unit are
            written there (see `jobs.Job`), and a job that was interrupted goes on from the units that are
            done.
        patience: The number of seconds without any worker after which the job ends.
    """
    distributed = need("distributed", "dask", "a Dask cluster")
    metric = usual_metric(metric)
    refuse_pairing(metric)
    _check_versions(client)
    columns = {"prediction_column": prediction_column, "reference_column": reference_column}
    how: dict[str, Any] = {"group_by": group_by, "id_column": id_column, "filter": filter}
    pairs = ParquetPairs(paths, **columns, **how)
    if not len(pairs):
        raise ValueError(f"{paths}: there are no rows to score")
    job = None if out is None else Job(out, metric, pairs.columns, pairs.units, by_label)
    tally, left = (CorpusTally(metric), pairs.units) if job is None else job.resume(pairs.units)
    # The heaviest begin first, so that none of them is left when all others are done.
    left = sorted(left, key=lambda unit: -unit.n_bytes)
    work = (metric, pairs.columns, by_label) if job is None else job
    failed: list[str] = []
    with (
        Progress(len(pairs), "scoring", show=progress) as bar,
        closing(_finished(client, left, work, patience)) as finished,
    ):
        bar.add(len(tally))
        try:
            for unit, future in finished:
                try:
                    tally += future.result()
                except Exception as error:
                    if job is not None:
                        failed.append(f"{name_unit(unit)}: {error}")
                    elif isinstance(error, distributed.KilledWorker):
                        raise JobError(f"{name_unit(unit)}: {error}") from None
                    else:
                        raise
                bar.add(unit.n_rows)
        except JobError as error:  # No unit can be scored any more, perhaps because these killed all workers.
            raise JobError("\n".join([str(error), *failed])) from None
    if job is not None:
        job.refuse_failed(failed, len(pairs.units))
    return tally.result()


def _score(unit: Unit, work: Any, version: str) -> CorpusTally:
    """Score a unit; the work of a task."""
    if version != __version__:
        raise JobError(_differs("this worker", __version__, version))
    if isinstance(work, Job):
        return work.score(unit)
    metric, columns, by_label = work
    return tally_units(metric, columns, [unit], by_label=by_label)


def _finished(
    client: Any, units: Sequence[Unit], work: Any, patience: float
) -> Generator[tuple[Unit, Any], None, None]:
    """Submit units, and give each with its future once that has finished or failed."""
    as_completed: Any = need("distributed", "dask", "a Dask cluster").as_completed
    unit_of = {client.submit(_score, unit, work, __version__, pure=False): unit for unit in units}
    waiting = as_completed(unit_of)
    seen = called = monotonic()
    try:
        while unit_of:
            found = waiting.next_batch(block=False)
            now = monotonic()
            for future in found:
                if future.cancelled():
                    raise JobError(f"the scheduler is lost; {_left(unit_of, units)}")
                yield unit_of[future], future
                del unit_of[future]
                future.release()
            if found:
                seen = now
                continue
            if now - called >= _ROLL_CALL:
                called = now
                try:
                    seen = now if client.nthreads() else seen
                except OSError:
                    raise JobError(f"the scheduler is lost; {_left(unit_of, units)}") from None
                if now - seen > patience:
                    raise JobError(
                        f"there has been no worker for {patience:g} seconds; {_left(unit_of, units)}"
                    )
            sleep(_PAUSE)
    finally:
        # Tasks whose futures are released are forgotten, or not begun. They are not cancelled, because a
        # scheduler that cancels tasks on which others depend loses the client.
        for future in unit_of:
            future.release()


def _left(unit_of: Collection[Any], units: Collection[Any]) -> str:
    return (
        f"{len(unit_of)} of {len(units)} units are left; start the cluster and run again, with out= a folder "
        "to keep what is done"
    )


def _check_versions(client: Any) -> None:
    """Raise an error if workers have another version, as their figures might be different."""
    for worker, version in client.run(_version).items():
        if version != __version__:
            raise JobError(_differs(f"the worker {worker}", version, __version__))


def _version() -> str:
    return __version__


def _differs(whose: str, version: str, wanted: str) -> str:
    return f"{whose} has structiou-metric {version}, and the job {wanted}; install the same everywhere"


@contextmanager
def connect(address: str, n_workers: int | None = None) -> Iterator[Any]:
    """Give a client of the scheduler at an address, or for `local` of a cluster of this machine.

    >>> from distributed import LocalCluster
    >>> with LocalCluster(processes=False, n_workers=1, dashboard_address=":0") as cluster:
    ...     with connect(cluster.scheduler_address) as client:
    ...         client.submit(sum, [1, 2]).result()
    3

    Args:
        address: The address of the scheduler, such as `tcp://host:8786`, or `local`.
        n_workers: The number of workers of a local cluster; by default one for each processor.
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

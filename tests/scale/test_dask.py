"""A real Dask cluster: a scheduler and two workers, each a process of its own, one of which is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import pytest

from structiou_metric import StructIoU
from structiou_metric.errors import TreeFormatError
from structiou_metric.metrics import load_metric
from support.cli import runner, succeeded
from support.extras import need
from support.process import environment, wait_until
from support.random_trees import mutate, random_tree

need("distributed")
need("pyarrow")

# What distributed itself does not close, and how it tells of lost workers.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

N_ROWS = 400


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    from pyarrow import parquet
    from pyarrow import table as make_table

    rng = Random(8)
    references = [random_tree(rng, rng.randint(1, 12), 3) for _ in range(N_ROWS)]
    predictions = [mutate(rng, tree, rng.randint(0, 4)) for tree in references]
    predictions[123] = "(S (A a)"
    systems = [f"system {row % 3}" for row in range(N_ROWS)]
    path = tmp_path_factory.mktemp("dask") / "pairs.parquet"
    columns = {"prediction": predictions, "reference": references, "system": systems}
    parquet.write_table(make_table(columns), path, row_group_size=20)
    return path


@contextmanager
def cluster(folder, n_workers, **changes):
    """The address of a scheduler with some workers of one thread each, and the processes of these."""
    told = folder / "scheduler.json"
    env = environment(str(Path(__file__).parent), **changes)

    def start(*args):
        command = [sys.executable, "-m", "dask", *args, "--scheduler-file", str(told), "--no-dashboard"]
        process = subprocess.Popen(
            command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
        )
        stack.callback(process.wait)
        stack.callback(process.kill)
        return process

    with ExitStack() as stack:
        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0")
        wait_until(lambda: told.exists() or scheduler.poll() is not None)
        yield str(told), [start("worker", "--no-nanny", "--nthreads", "1") for _ in range(n_workers)]


def test_a_killed_worker_changes_no_bit(table, tmp_path, monkeypatch):
    from distributed import Client

    monkeypatch.syspath_prepend(Path(__file__).parent)
    from waiting_metric import WaitingStructIoU

    from structiou_metric.scale import score_dask, tally_parquet

    go = tmp_path / "go"
    monkeypatch.setenv("STRUCTIOU_TEST_GO", str(go))
    how = {"by_label": True, "group_by": "system"}
    with (
        cluster(tmp_path, 2, STRUCTIOU_TEST_GO=str(go)) as (told, workers),
        Client(scheduler_file=told) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        client.wait_for_workers(2)
        metric = WaitingStructIoU(on_error="zero")
        job = pool.submit(score_dask, client, table, metric=metric, task_bytes=1, **how)
        try:
            wait_until(lambda: job.done() or len(list(tmp_path.glob("waiting.*"))) == 2)
        finally:
            workers[0].kill()  # in the midst of a task
            workers[0].wait()
            go.touch()
        found = job.result()
    want = tally_parquet(table, metric=StructIoU(on_error="zero"), **how)
    assert found.tally() == want
    assert set(found.by_group) == {"system 0", "system 1", "system 2"}
    assert found.n_counted == N_ROWS
    assert [row for row, _ in found.problems] == [123]


def test_a_malformed_row_is_named(table, tmp_path):
    from distributed import Client

    from structiou_metric.scale import score_dask

    with cluster(tmp_path, 1) as (told, _), Client(scheduler_file=told) as client:
        with pytest.raises(TreeFormatError, match=r"pairs\.parquet\[123\]\['prediction'\]:1:1: this '\('"):
            score_dask(client, table, metric=StructIoU())
        found = score_dask(
            client, [table, table], metric=load_metric("parseval", on_error="skip"), task_bytes=2000
        )
        assert found.n_counted + found.n_errors + found.n_skipped == 2 * N_ROWS


def complaints(client):
    """The errors and warnings in the log of the scheduler, and in those of its workers."""
    logs = [client.get_scheduler_logs(), *client.get_worker_logs().values()]
    return [entry for log in logs for entry in log if entry[0] not in ("DEBUG", "INFO")]


@pytest.mark.parametrize("n_tasks", [17, 300])
def test_a_client_can_be_used_on(table, tmp_path, n_tasks):
    """More than 16 tasks are merged in two layers, more than 256 in three."""
    from distributed import Client

    from structiou_metric.scale import score_dask, tally_parquet

    path = tmp_path / "pairs.parquet"
    write_groups(table, path, n_tasks)
    want = tally_parquet(path)
    with cluster(tmp_path, 1) as (told, _), Client(scheduler_file=told) as client:
        own = client.submit(sum, [1, 2])
        for _ in range(2):
            assert score_dask(client, path, task_bytes=1).tally() == want
        broken = StructIoU(on_error="raise")
        with pytest.raises(TreeFormatError, match="is never closed"):
            score_dask(client, path, metric=broken, task_bytes=1)
        wait_until(lambda: len(client.who_has()) == 1)  # nothing of ours is kept or still computed
        assert own.result() == 3
        assert score_dask(client, path, task_bytes=1).tally() == want
        told_of_errors = complaints(client)
    # A task that fails is told of by the worker.
    assert [text for _, text in told_of_errors if "is never closed" not in text] == []


def write_groups(table, path, n_groups):
    """Writes a table again, with that many row groups."""
    from pyarrow import parquet

    with parquet.ParquetWriter(path, parquet.read_schema(table)) as writer:
        whole = parquet.read_table(table)
        for number in range(n_groups):
            rows = range(N_ROWS * number // n_groups, N_ROWS * (number + 1) // n_groups)
            writer.write_table(whole.slice(rows.start, len(rows)))


def test_command(table, capsys):
    structiou = runner(capsys)
    want = succeeded(structiou("score", table, "--on-error", "zero", "--json", "--per-label"))
    code, out, _ = structiou("score", table, "--on-error", "zero", "--json", "--per-label", "--dask", "local")
    assert (code, out) == (0, want)
    assert os.environ.get("DASK_SCHEDULER_ADDRESS") is None

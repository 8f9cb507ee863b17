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
from structiou_metric.scale import parquet as scale_parquet
from structiou_metric.scale import score_dask, tally_parquet
from structiou_metric.scale.jobs import JobError
from structiou_metric.scale.parquet import ParquetPairs
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
def cluster(folder, n_workers, *, of_worker=lambda k: {}, path=(), **changes):
    """The address of a scheduler with some workers of one thread each, and the processes of these.

    The environment has `changes`, and that of worker k also those of `of_worker(k)`.
    """
    told = folder / "scheduler.json"
    told.unlink(missing_ok=True)
    with ExitStack() as stack:
        command = "scheduler", "--host", "127.0.0.1", "--port", "0"
        scheduler = start(stack, folder, *command, path=path, **changes)
        wait_until(lambda: told.exists() or scheduler.poll() is not None)
        workers = [
            start(stack, folder, *WORKER, path=path, **{**changes, **of_worker(k)}) for k in range(n_workers)
        ]
        yield str(told), [*workers, scheduler]


WORKER = "worker", "--no-nanny", "--nthreads", "1"


def start(stack, folder, *args, path=(), **changes):
    """Start a process of the cluster of a folder, which ends with the stack."""
    command = [sys.executable, "-m", "dask", *args, "--scheduler-file", "scheduler.json", "--no-dashboard"]
    process = subprocess.Popen(
        command,
        env=environment(str(Path(__file__).parent), *path, **changes),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def test_a_killed_worker_and_a_late_one_change_no_bit(table, tmp_path, monkeypatch):
    from distributed import Client

    monkeypatch.syspath_prepend(Path(__file__).parent)
    from waiting_metric import WaitingStructIoU

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
        job = pool.submit(score_dask, client, table, metric=metric, **how)
        with ExitStack() as stack:
            try:
                wait_until(lambda: job.done() or len(list(tmp_path.glob("waiting.*"))) == 2)
                workers[0].kill()  # in the midst of a task
                workers[0].wait()
                start(stack, tmp_path, *WORKER, STRUCTIOU_TEST_GO=str(go))
                wait_until(lambda: job.done() or len(list(tmp_path.glob("waiting.*"))) == 3)
            finally:
                go.touch()
            found = job.result()
    want = tally_parquet(table, metric=StructIoU(on_error="zero"), **how)
    assert found.tally() == want
    assert set(found.by_group) == {"system 0", "system 1", "system 2"}
    assert found.n_counted == N_ROWS
    assert [row for row, _ in found.problems] == [123]


def test_a_malformed_row_is_named(table, tmp_path):
    from distributed import Client

    with cluster(tmp_path, 1) as (told, _), Client(scheduler_file=told) as client:
        with pytest.raises(TreeFormatError, match=r"pairs\.parquet\[123\]\['prediction'\]:1:1: this '\('"):
            score_dask(client, table, metric=StructIoU())
        found = score_dask(client, table, metric=load_metric("parseval", on_error="skip"))
        assert found.n_counted + found.n_errors + found.n_skipped == N_ROWS


def complaints(client):
    """The errors and warnings in the log of the scheduler, and in those of its workers."""
    logs = [client.get_scheduler_logs(), *client.get_worker_logs().values()]
    return [entry for log in logs for entry in log if entry[0] not in ("DEBUG", "INFO")]


@pytest.mark.parametrize("n_tasks", [17, 60])
def test_a_client_can_be_used_on(table, tmp_path, n_tasks, monkeypatch):
    from distributed import Client

    path = tmp_path / "pairs.parquet"
    write_groups(table, path, n_tasks)
    monkeypatch.setattr(scale_parquet, "UNIT_BYTES", 1)  # so that each row group is a unit
    want = tally_parquet(path)
    with cluster(tmp_path, 1) as (told, _), Client(scheduler_file=told) as client:
        own = client.submit(sum, [1, 2])
        for _ in range(2):
            assert score_dask(client, path).tally() == want
        broken = StructIoU(on_error="raise")
        with pytest.raises(TreeFormatError, match="is never closed"):
            score_dask(client, path, metric=broken)
        wait_until(lambda: len(client.who_has()) == 1)  # nothing of ours is kept or still computed
        assert own.result() == 3
        assert score_dask(client, path).tally() == want
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


def test_a_job_goes_on_after_everything_was_killed(table, tmp_path, monkeypatch):
    """The client, the scheduler and the workers are killed while the last unit is under way."""
    from distributed import Client
    from pyarrow import parquet

    out, go = tmp_path / "out", tmp_path / "go"
    go.touch()
    never = tmp_path / "never"
    how = {"by_label": True, "group_by": "system", "out": str(out)}

    def waits(k):  # the second worker, for ever
        return {"STRUCTIOU_TEST_GO": str(never if k else go)}

    with cluster(tmp_path, 2, of_worker=waits) as (told, processes):
        client = subprocess.Popen(
            [sys.executable, "-c", CLIENT, told, str(table), repr(how)],
            env=environment(str(Path(__file__).parent), STRUCTIOU_TEST_GO=str(go)),
        )
        n_units = len(ParquetPairs(table).units)
        wait_until(lambda: client.poll() is not None or len(list(out.glob("*.tally.json"))) == n_units - 1)
        for process in (client, *processes):
            process.kill()
            process.wait()
    done = {path: path.stat().st_mtime_ns for path in out.glob("*.tally.json")}
    assert len(done) == n_units - 1
    with cluster(tmp_path, 2) as (told, _), Client(scheduler_file=told) as client:
        client.wait_for_workers(2)
        found = score_dask(client, table, **how)
        assert {path: path.stat().st_mtime_ns for path in done} == done  # none of them was scored again
        with pytest.raises(ValueError, match="holds another job, with other by_label; give another folder"):
            score_dask(client, table, group_by="system", out=str(out))
    want = tally_parquet(table, by_label=True, group_by="system")
    assert found.tally() == want
    rows = [
        row for path in sorted(out.glob("*.rows.parquet")) for row in parquet.read_table(path).to_pylist()
    ]
    assert [row["index"] for row in rows] == list(range(N_ROWS))
    assert sum(row["score"] for row in rows) == pytest.approx(want.figures["struct_iou"] * N_ROWS)


CLIENT = """
import sys
from distributed import Client
from structiou_metric.scale import score_dask
from waiting_metric import WaitingStructIoU

told, table, how = sys.argv[1:]
with Client(scheduler_file=told) as client:
    client.wait_for_workers(2)
    score_dask(client, table, metric=WaitingStructIoU(on_error="zero"), **eval(how))
"""


def test_a_job_without_workers_ends(table, tmp_path, monkeypatch):
    from distributed import Client

    monkeypatch.syspath_prepend(Path(__file__).parent)
    from waiting_metric import WaitingStructIoU

    go = tmp_path / "go"
    monkeypatch.setenv("STRUCTIOU_TEST_GO", str(go))
    with (
        cluster(tmp_path, 2, STRUCTIOU_TEST_GO=str(go)) as (told, (one, two, _)),
        Client(scheduler_file=told) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        client.wait_for_workers(2)
        metric = WaitingStructIoU(on_error="zero")
        job = pool.submit(score_dask, client, table, metric=metric, patience=1.0)
        wait_until(lambda: job.done() or len(list(tmp_path.glob("waiting.*"))) == 2)
        one.kill()
        two.kill()
        with pytest.raises(
            JobError, match=r"there has been no worker for 1 seconds; \d+ of \d+ units are left"
        ):
            job.result()


def test_a_job_without_scheduler_ends(table, tmp_path, monkeypatch):
    from distributed import Client

    monkeypatch.syspath_prepend(Path(__file__).parent)
    from waiting_metric import WaitingStructIoU

    go = tmp_path / "go"
    monkeypatch.setenv("STRUCTIOU_TEST_GO", str(go))
    with (
        cluster(tmp_path, 1, STRUCTIOU_TEST_GO=str(go)) as (told, (_, scheduler)),
        Client(scheduler_file=told, timeout=2) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        client.wait_for_workers(1)
        job = pool.submit(score_dask, client, table, metric=WaitingStructIoU(on_error="zero"))
        wait_until(lambda: job.done() or list(tmp_path.glob("waiting.*")))
        scheduler.kill()
        with pytest.raises(JobError, match=r"the scheduler is lost; .* units are left"):
            job.result()


def test_a_unit_that_kills_workers_is_named(table, tmp_path, monkeypatch):
    from distributed import Client

    monkeypatch.syspath_prepend(Path(__file__).parent)
    from waiting_metric import DeadlyStructIoU

    metric = DeadlyStructIoU(on_error="zero")
    message = r"pairs\.parquet, rows [\d,]+ to [\d,]+: Attempted to run task .* on 1 different workers"
    for out in (None, str(tmp_path / "out")):
        with (
            cluster(tmp_path, 2, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as (told, _),
            Client(scheduler_file=told) as client,
        ):
            client.wait_for_workers(2)
            with pytest.raises(JobError, match=message):
                score_dask(client, table, metric=metric, patience=1.0, out=out)


def test_a_worker_of_another_version_is_refused(table, tmp_path):
    from distributed import Client

    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sitecustomize.py").write_text(
        "import structiou_metric._version as version\nversion.__version__ = '0.0.1'\n"
    )
    with (
        cluster(tmp_path, 1, path=[str(tmp_path / "other")]) as (told, _),
        Client(scheduler_file=told) as client,
    ):
        client.wait_for_workers(1)
        with pytest.raises(JobError, match=r"the worker tcp:.* has structiou-metric 0\.0\.1, and the job"):
            score_dask(client, table)


def test_a_file_that_is_gone_is_named_and_the_rest_is_kept(table, tmp_path):
    from distributed import Client

    paths = [tmp_path / f"{k}.parquet" for k in range(3)]
    for path in paths:
        path.write_bytes(table.read_bytes())
    out = str(tmp_path / "out")
    pairs = ParquetPairs(paths)
    with cluster(tmp_path, 1) as (told, _), Client(scheduler_file=told) as client:
        client.wait_for_workers(1)
        broken = paths[1].read_bytes()
        size = len(broken) // 2
        paths[1].write_bytes(bytes(size) + broken[size:])  # the footer can be read, and rows cannot
        with pytest.raises(
            JobError, match=r"units failed, and the others are kept in (?s:.*)1\.parquet"
        ) as caught:
            score_dask(client, paths, out=out)
        assert "2.parquet" not in str(caught.value)
    done = list(Path(out).glob("*.tally.json"))
    assert 0 < len(done) < len(pairs.units)


def test_command(table, capsys):
    structiou = runner(capsys)
    want = succeeded(structiou("score", table, "--on-error", "zero", "--json", "--per-label"))
    code, out, _ = structiou("score", table, "--on-error", "zero", "--json", "--per-label", "--dask", "local")
    assert (code, out) == (0, want)
    assert os.environ.get("DASK_SCHEDULER_ADDRESS") is None

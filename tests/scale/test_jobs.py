"""Jobs that go on from what is done, here and on an object store."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier
from urllib.parse import parse_qs, urlsplit

import pytest

from structiou_metric import StructIoU
from structiou_metric.metrics.tally import merge_tallies
from structiou_metric.scale import tally_parquet
from structiou_metric.scale.jobs import Job
from structiou_metric.scale.parquet import ParquetPairs
from support.cli import failed, runner, succeeded
from support.extras import need
from support.process import environment
from support.random_trees import mutate, random_tree

need("pyarrow")

N_ROWS = 60


def make_table():
    from pyarrow import table

    rng = Random(4)
    references = [random_tree(rng, rng.randint(1, 9), 3) for _ in range(N_ROWS)]
    predictions = [mutate(rng, tree, rng.randint(0, 3)) for tree in references]
    return table(
        {"prediction": predictions, "reference": references, "language": ["de", "he"] * (N_ROWS // 2)}
    )


@pytest.fixture
def folder(tmp_path):
    from pyarrow import parquet

    folder = tmp_path / "pairs"
    for part in range(6):
        path = folder / f"part={part}" / "x.parquet"
        path.parent.mkdir(parents=True)
        parquet.write_table(make_table().slice(10 * part, 10), path, row_group_size=5)
    return folder


@pytest.fixture
def structiou(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


def test_a_job_goes_on(structiou, folder, tmp_path):
    args = ["score", "pairs", "--group-by", "language", "--json"]
    want = succeeded(structiou(*args))
    assert succeeded(structiou(*args, "--out", "out")) == want
    tallies = sorted((tmp_path / "out").glob("*.tally.json"))
    rows = sorted((tmp_path / "out").glob("*.rows.parquet"))
    assert len(tallies) == len(rows) == 12  # row groups
    tallies[4].unlink()
    tallies[5].unlink()
    tallies[9].unlink()
    before = [path.stat().st_mtime_ns for path in tallies if path.exists()]
    assert (
        "rows 0 to 9 of pairs/part=2/x.parquet; rows 5 to 9 of pairs/part=4/x.parquet are missing"
        in failed(structiou("merge", "out"))
    )
    assert succeeded(structiou(*args, "--out", "out")) == want
    assert before == [path.stat().st_mtime_ns for k, path in enumerate(tallies) if k not in (4, 5, 9)]
    assert succeeded(structiou("merge", "out", "--json")).replace("merge", "score") == want


def test_shards_share_a_prefix(structiou, folder):
    args = ["score", "pairs", "--out", "out"]
    want = succeeded(structiou("score", "pairs", "--json"))
    for number in (1, 3):
        succeeded(structiou(*args, "--shard", f"{number}/3"))
    for number in (1, 2):  # another number of shards does what is left
        succeeded(structiou(*args, "--shard", f"{number}/2"))
    assert succeeded(structiou("merge", "out", "--json")).replace("merge", "score") == want


def test_another_job_is_refused(structiou, folder, tmp_path):
    succeeded(structiou("score", "pairs", "--out", "out"))
    message = failed(structiou("score", "pairs", "--out", "out", "--labels", "base"))
    assert "out holds another job, with other options, signature; give another folder" in message
    path = folder / "part=3" / "x.parquet"
    os.utime(path, (1, 1))  # as if it were written again
    message = failed(structiou("score", "pairs", "--out", "out"))
    assert "out holds a job of other files: pairs/part=3/x.parquet was changed; give the files" in message
    path.unlink()
    assert "pairs/part=3/x.parquet is gone" in failed(structiou("score", "pairs", "--out", "out"))
    assert "there is no job.json" in failed(structiou("merge", "pairs"))


def test_a_failed_unit_does_not_stop_the_others(structiou, folder, tmp_path):
    from pyarrow import Table, parquet

    path = folder / "part=2" / "x.parquet"
    pairs = parquet.read_table(path).to_pylist()
    pairs[7]["prediction"] = "(S"
    parquet.write_table(Table.from_pylist(pairs), path, row_group_size=5)
    message = failed(structiou("score", "pairs", "--out", "out", "--on-error", "raise"))
    assert "1 of 12 units failed, and the others are kept in out; run again" in message
    assert "pairs/part=2/x.parquet, rows 5 to 9: pairs/part=2/x.parquet[7]['prediction']:1:1" in message
    assert len(list((tmp_path / "out").glob("*.tally.json"))) == 11
    assert not list((tmp_path / "out").glob("*.part"))
    assert "rows 5 to 9 of pairs/part=2/x.parquet are missing" in failed(structiou("merge", "out"))


def test_jobs_of_an_array_begin_at_the_same_time(folder, tmp_path):
    """Each makes the job, and scores all units, one of which another worker may have been thought to lose."""
    metric, pairs = StructIoU(on_error="zero"), ParquetPairs(folder)
    together = Barrier(8)

    def run(_):
        together.wait()
        job = Job(str(tmp_path / "out"), metric, pairs.columns, pairs.units, False)
        return [job.score(unit) for unit in pairs.units]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(run, range(8)))
    assert all(merge_tallies(tallies) == tally_parquet(folder) for tallies in found)
    job = Job(str(tmp_path / "out"), metric, pairs.columns, pairs.units, False)
    assert job.resume(pairs.units) == (tally_parquet(folder), [])
    assert not list((tmp_path / "out").glob("*.part"))


def test_a_killed_job_goes_on(folder, tmp_path):
    pairs = ParquetPairs(folder)
    code = """
import os, signal, sys
from structiou_metric import StructIoU
from structiou_metric.scale.jobs import Job
from structiou_metric.scale.parquet import ParquetPairs

pairs = ParquetPairs(sys.argv[1])
job = Job(sys.argv[2], StructIoU(on_error="zero"), pairs.columns, pairs.units, False)
job.score_all(pairs.units[:3])
job._write = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # when rows are written and the tally is not
job.score(pairs.units[3])
"""
    out = str(tmp_path / "out")
    killed = subprocess.run([sys.executable, "-c", code, str(folder), out], env=environment())
    assert killed.returncode == -9
    metric = StructIoU(on_error="zero")
    job = Job(out, metric, pairs.columns, pairs.units, False)
    assert job.resume(pairs.units)[1] == pairs.units[3:]
    assert job.score_all(pairs.units) == tally_parquet(folder)


@pytest.fixture
def s3(monkeypatch):
    """The address of a server that speaks S3, with an empty bucket."""
    need("moto")
    need("flask")
    from moto.server import ThreadedMotoServer

    for name, value in (("AWS_ACCESS_KEY_ID", "key"), ("AWS_SECRET_ACCESS_KEY", "secret")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    from pyarrow import fs

    files = fs.S3FileSystem(
        endpoint_override=f"{host}:{port}", scheme="http", region="us-east-1", allow_bucket_creation=True
    )
    files.create_dir("bucket")
    yield (
        files,
        lambda path: f"s3://bucket/{path}?scheme=http&endpoint_override={host}:{port}&region=us-east-1",
    )
    server.stop()


def test_a_web_server(s3, structiou, folder):
    """The server of the bucket, asked for a file by its plain address."""
    need("aiohttp")
    files, url = s3
    [endpoint] = parse_qs(urlsplit(url("")).query)["endpoint_override"]
    [path] = [file for file in folder.rglob("*.parquet") if "part=1" in str(file)]
    with files.open_output_stream("bucket/x.parquet") as out:
        out.write(path.read_bytes())
    address = f"http://{endpoint}/bucket/x.parquet"
    assert tally_parquet(address) == tally_parquet(path)
    assert succeeded(structiou("score", address, "--json")) == succeeded(
        structiou("score", str(path), "--json")
    )
    assert "bucket/none.parquet" in failed(structiou("score", f"http://{endpoint}/bucket/none.parquet"))


def test_an_object_store(s3, structiou, folder):
    from pyarrow import fs

    files, url = s3
    fs.copy_files(str(folder), "bucket/pairs", destination_filesystem=files)
    want = tally_parquet(folder, group_by="part", by_label=True)
    found = tally_parquet(url("pairs"), group_by="part", by_label=True)
    assert (found.totals, found.means, found.labels) == (want.totals, want.means, want.labels)
    assert found.groups == want.groups
    assert len(tally_parquet(url("pairs/part=[12]/*.parquet"))) == 20
    printed = succeeded(structiou("score", url("pairs"), "--json", "--out", url("out")))
    assert printed == succeeded(structiou("score", str(folder), "--json"))
    assert succeeded(structiou("merge", url("out"), "--json")).replace("merge", "score") == printed
    assert [
        info.path for info in files.get_file_info(fs.FileSelector("bucket/out")) if ".part" in info.path
    ] == []
    files.delete_file("bucket/out/000003.tally.json")
    again = succeeded(structiou("score", url("pairs"), "--json", "--out", url("out"), "--dask", "local"))
    assert again == printed

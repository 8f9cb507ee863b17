"""Real Spark, on threads and on a cluster with a master and two workers; run by `make test-spark`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import sleep
from unittest.mock import patch

import pytest

from structiou_metric import StructIoU, read_trees
from structiou_metric.scale import spark
from support.extras import need
from support.paths import DATA

need("pyspark")

pytestmark = pytest.mark.filterwarnings("default")

SIDES = [
    [tree.to_brackets() for tree in read_trees(DATA / name)]
    for name in ("english.prediction.txt", "english.reference.mrg")
]


@contextmanager
def standalone(folder):
    """The address of a master with two workers, each a process of its own on loopback."""
    import pyspark

    home = Path(pyspark.__file__).parent
    env = {
        **os.environ,
        "SPARK_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }

    def start(name, kind, *args):
        log = open(folder / name, "w")  # noqa: SIM115
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *args]
        process = subprocess.Popen(command, env=env, stdout=log, stderr=log, cwd=folder)
        stack.callback(log.close)
        stack.callback(process.wait)
        stack.callback(process.terminate)
        return process

    def told(name, process, pattern):
        while not (found := re.search(pattern, (folder / name).read_text())):
            assert process.poll() is None, (folder / name).read_text()
            sleep(0.1)
        return found

    with ExitStack() as stack:
        ports = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        process = start("master", "master.Master", *ports)
        address = told("master", process, r"Starting Spark master at (spark://\S+)")[1]
        for worker in ("one", "two"):
            process = start(worker, "worker.Worker", *ports, "--cores", "1", "--memory", "1g", "--work-dir",
                            str(folder / f"work-{worker}"), address)  # fmt: skip
            told(worker, process, "Successfully registered with master")
        yield address


@contextmanager
def session(address):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(address).appName("structiou")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "700m",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    with patch.dict(os.environ, PYSPARK_PYTHON=sys.executable):  # or workers have the system's Python
        found = builder.getOrCreate()
        try:
            yield found
        finally:
            found.stop()


def scored(spark_session, n_partitions):
    rows = [
        (prediction, reference, f"group {row % 2}")
        for row, (prediction, reference) in enumerate(zip(*SIDES, strict=True))
    ]
    frame = spark_session.createDataFrame(rows, ["parsed", "gold", "kind"]).repartition(n_partitions)
    metric = StructIoU(labels="base", on_error="zero")
    function = spark.score_partitions("parsed", "gold", metric, group_by="kind", by_label=True)
    return spark.merge(frame.mapInArrow(function, spark.SCHEMA))


def check(found):
    want = StructIoU(labels="base", on_error="zero").corpus_score(*SIDES, by_label=True)
    assert dict(found.figures) == dict(want.figures)
    assert found.labels == want.labels
    assert set(found.by_group) == {"group 0", "group 1"}


def test_threads():
    with session("local[2]") as spark_session:
        check(scored(spark_session, 5))


def test_cluster(tmp_path):
    with standalone(tmp_path) as address, session(address) as spark_session:
        check(scored(spark_session, 6))

"""The page about very many pairs: its examples run, and so do its recipes where the libraries are there."""

from __future__ import annotations

import re

import pytest

from structiou_metric.metrics.tally import CorpusTally
from support.extras import need
from support.paths import ROOT

need("pyarrow")
need("distributed")

PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the examples, one after the other, have defined; they write to a folder of their own."""
    known = {"__name__": "__main__"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("scale"))
        for example in EXAMPLES:
            exec(compile(example, "docs/scale.md", "exec"), known)
        yield known


def test_examples(names):
    assert len(EXAMPLES) == 10
    assert isinstance(names["tally"], CorpusTally)


def test_duckdb(names):
    pytest.importorskip("duckdb")
    found = names["score_with_duckdb"]("SELECT * FROM 'pairs.parquet'")
    assert found == names["tally_parquet"]("pairs.parquet")


def test_polars(names):
    polars = pytest.importorskip("polars")
    frame = polars.read_parquet("pairs.parquet").with_columns(language=polars.Series(["en", "he"]))
    found = names["score_with_polars"](frame)
    assert [tally.figures["struct_iou"] for tally in found.values()] == [2 / 3, 0.0]


def test_delta(names, tmp_path):
    deltalake = pytest.importorskip("deltalake")
    from pyarrow import parquet

    deltalake.write_deltalake(str(tmp_path), parquet.read_table("pairs.parquet"))
    assert names["score_delta"](str(tmp_path)).tally() == names["tally_parquet"]("pairs.parquet")


def test_iceberg(names, tmp_path):
    pytest.importorskip("pyiceberg")
    from pyarrow import parquet
    from pyiceberg.catalog.sql import SqlCatalog

    pairs = parquet.read_table("pairs.parquet")
    catalog = SqlCatalog("test", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("own")
    table = catalog.create_table("own.pairs", schema=pairs.schema)
    table.append(pairs)
    table.append(pairs)
    table.delete("prediction = '()'")
    found = names["score_iceberg"](table)
    assert (found.n_counted, found.score) == (2, 2 / 3)


def test_submitit(names, tmp_path):
    submitit = pytest.importorskip("submitit")
    executor = submitit.AutoExecutor(folder=tmp_path, cluster="debug")
    assert names["submit"](executor, 2) == names["tally_parquet"]("pairs.parquet")


def test_slurm_script(names):
    pytest.importorskip("dask_jobqueue")
    with names["slurm_cluster"]() as cluster:
        script = cluster.job_script()
    assert "#SBATCH -p main" in script
    assert "distributed.cli.dask_worker" in script

"""Parquet files by row groups, shards and groups: the figures of one run, to the last bit."""

from __future__ import annotations

import json
import pickle
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import StructIoU
from structiou_metric.errors import TreeFormatError
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.metrics.tally import CorpusTally, merge_tallies
from structiou_metric.metrics.tallying import shard
from support.cli import failed, runner, succeeded
from support.examples import examples
from support.extras import need
from support.random_trees import mutate, random_tree

need("pyarrow")

N_ROWS = 120
BROKEN = {17: "(S (A a)", 40: None, 77: "(S (A a) (B", 90: ""}


def make_pairs():
    """Predictions with some mistakes, of which the rows of `BROKEN` cannot be read or are empty."""
    rng = Random(20)
    references = [random_tree(rng, rng.randint(1, 9), 3) for _ in range(N_ROWS)]
    predictions = [mutate(rng, tree, rng.randint(0, 3)) for tree in references]
    return [BROKEN.get(row, tree) for row, tree in enumerate(predictions)], references


PREDICTIONS, REFERENCES = make_pairs()
LANGUAGES = [("de", "he", None)[row % 7 % 3] for row in range(N_ROWS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two files with row groups of 7 and 11 rows, and the columns in another order."""
    from pyarrow import parquet, table

    folder = tmp_path_factory.mktemp("parquet")
    columns = {
        "reference": REFERENCES,
        "prediction": PREDICTIONS,
        "language": LANGUAGES,
        "id": [f"s{row}" for row in range(N_ROWS)],
    }
    whole = table(columns)
    parquet.write_table(whole.slice(0, 50), folder / "a.parquet", row_group_size=7)
    turned = whole.slice(50).select(["id", "language", "prediction", "reference"])
    parquet.write_table(turned, folder / "b.pq", row_group_size=11)
    parquet.write_table(whole, folder / "whole.one", row_group_size=N_ROWS)
    (folder / "README.md").write_text("no table")
    return folder


def whole(metric):
    return metric.corpus_score(PREDICTIONS, REFERENCES, by_label=metric.LABEL is not None)


def figures_of(tally):
    result = tally.result()
    told = result.as_dict(by_label=result.metric.LABEL is not None and result.labels is not None)
    for name in ("problems", "by_group", "warnings"):
        told.pop(name, None)
    return {**told, **result.figures}


def figures_of_lists(metric):
    told = whole(metric).as_dict(by_label=metric.LABEL is not None)
    for name in ("problems", "warnings"):
        told.pop(name, None)
    return {**told, **whole(metric).figures}


@pytest.mark.parametrize("name", [name for name in METRICS if not load_metric(name).pairs_itself])
@pytest.mark.parametrize("workers", [1, 3])
def test_files_are_lists(folder, name, workers):
    from structiou_metric.scale import tally_parquet

    metric = load_metric(name, on_error="zero")
    found = tally_parquet(folder, metric=metric, by_label=metric.LABEL is not None, workers=workers)
    assert figures_of(found) == figures_of_lists(metric)


@given(data=st.data())
@examples(25)
def test_row_groups_in_any_order(folder, data):
    from structiou_metric.scale import tally_parquet
    from structiou_metric.sources.parquet import ParquetFiles

    n_groups = len(ParquetFiles(folder).groups)
    assert n_groups == 8 + 7
    order = data.draw(st.permutations(range(n_groups)))
    cuts = sorted(data.draw(st.sets(st.integers(1, n_groups - 1))))
    edges = zip([0, *cuts], [*cuts, n_groups], strict=True)
    parts = [
        tally_parquet(folder, row_groups=order[lo:hi], by_label=True, group_by="language") for lo, hi in edges
    ]
    while len(parts) > 1:
        other = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        journey = data.draw(st.sampled_from(["none", "pickle", "json", "arrow"]))
        if journey == "pickle":
            other = pickle.loads(pickle.dumps(other))
        elif journey == "json":
            other = CorpusTally.from_dict(json.loads(json.dumps(other.to_dict())))
        elif journey == "arrow":
            other = CorpusTally.from_arrow(other.to_arrow())
        parts[0] = parts[0] + other
    assert parts[0] == tally_parquet(folder, by_label=True, group_by="language")
    assert figures_of(parts[0]) == figures_of_lists(StructIoU(on_error="zero"))


def test_groups(folder):
    from structiou_metric.scale import tally_parquet

    found = tally_parquet(folder / "whole.one", group_by="language")
    assert set(found.groups) == {"de", "he", ""}
    for key, tally in found.groups.items():
        rows = [row for row, language in enumerate(LANGUAGES) if (language or "") == key]
        metric = StructIoU(on_error="zero")
        want = metric.corpus_score([PREDICTIONS[row] for row in rows], [REFERENCES[row] for row in rows])
        assert dict(tally.figures) == dict(want.figures)
        assert len(tally) == len(rows)
    assert found.result().as_dict()["by_group"]["he"] == dict(found.groups["he"].figures)


def test_problems_are_named_by_their_rows(folder):
    from structiou_metric.scale import tally_parquet

    second = folder / "b.pq"
    found = tally_parquet(folder)
    assert [row for row, _ in found.problems] == [17, 40, 77]
    assert found.n_problems == 3
    assert found.problems[2][1].startswith(f"{second}[27]['prediction']:1:10: this '(' is never closed")
    found = tally_parquet(folder, id_column="id")
    assert found.problems[1][1].startswith(f"{folder / 'a.parquet'}['s40']['prediction']: the tree is None")
    with pytest.raises(TreeFormatError, match=r"\['s77'\]\['prediction'\]:1:10"):
        tally_parquet(folder, metric=StructIoU(), id_column="id", rows=range(60, 100))


def test_faults_of_files(folder, tmp_path):
    from pyarrow import parquet, table

    from structiou_metric.scale import tally_parquet

    with pytest.raises(TreeFormatError, match=r"there is no column 'gold'; choose with --reference-column"):
        tally_parquet(folder, reference_column="gold")
    with pytest.raises(ValueError, match=r"there is no column 'who'; its columns: 'reference', 'prediction'"):
        tally_parquet(folder, group_by="who")
    with pytest.raises(ValueError, match="there is no row group 15; they are numbered from 0 to 14"):
        tally_parquet(folder, row_groups=[15])
    with pytest.raises(ValueError, match="give one of them"):
        tally_parquet(folder, row_groups=[1], rows=range(3))
    with pytest.raises(ValueError, match="there is no Parquet file in"):
        tally_parquet(tmp_path)
    with pytest.raises(ValueError, match="cannot be computed in parts; score the whole in one go"):
        tally_parquet(folder, metric=load_metric("aligned_parseval"))
    (tmp_path / "x.parquet").write_text("(S (A a))")
    with pytest.raises(TreeFormatError, match=r"x\.parquet: this Parquet file cannot be read"):
        tally_parquet(tmp_path)
    data = (folder / "whole.one").read_bytes()
    (tmp_path / "x.parquet").write_bytes(data[:400] + bytes(400) + data[800:])
    with pytest.raises(TreeFormatError, match=r"x\.parquet: this Parquet file cannot be read"):
        tally_parquet(tmp_path)
    parquet.write_table(table({"prediction": ["(A a)"], "reference": [3]}), tmp_path / "x.parquet")
    with pytest.raises(TypeError, match="reference is a column of int64; trees are texts"):
        tally_parquet(tmp_path)
    parquet.write_table(table({"prediction": ["(A a)"]}), tmp_path / "y.parquet")
    with pytest.raises(
        TreeFormatError, match=r"y\.parquet: its columns are 'prediction', those of .*x\.parquet"
    ):
        tally_parquet(tmp_path)


def write_pairs(path, predictions):
    from pyarrow import parquet, table

    path.parent.mkdir(exist_ok=True)
    parquet.write_table(
        table({"prediction": predictions, "reference": ["(S (A a))"] * len(predictions)}), path
    )


def test_hidden_files_are_left_out(tmp_path):
    """Such as pyarrow's own and those that engines are still writing."""
    from pyarrow import dataset

    from structiou_metric.scale import tally_parquet

    write_pairs(tmp_path / "x.parquet", ["(S (A a))"])
    for name in ("_tmp.parquet", ".hidden.parquet"):
        write_pairs(tmp_path / name, ["(T (A a))"])
    assert dataset.dataset(tmp_path, format="parquet").count_rows() == 1
    assert tally_parquet(tmp_path).figures["struct_iou"] == 1.0


def test_what_is_not_plainly_files_is_refused(tmp_path):
    from pyarrow import compute, dataset, fs

    from structiou_metric.scale import tally_parquet

    write_pairs(tmp_path / "x.parquet", ["(S (A a))", "(T (A a))"])
    whole = dataset.dataset(tmp_path / "x.parquet")
    assert len(tally_parquet(whole)) == 2
    filtered = whole.filter(compute.field("prediction") == "(S (A a))")
    with pytest.raises(ValueError, match="this dataset has a filter, which would be ignored"):
        tally_parquet(filtered)
    elsewhere = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    with pytest.raises(
        ValueError, match="this dataset is on a SubTreeFileSystem; give files of this machine"
    ):
        tally_parquet(dataset.dataset("x.parquet", filesystem=elsewhere))
    for other in (dataset.dataset([whole, whole]), dataset.dataset(whole.to_table())):
        with pytest.raises(ValueError, match="that is not of Parquet files"):
            tally_parquet(other)
    (tmp_path / "_delta_log").mkdir()
    with pytest.raises(ValueError, match="is a Delta table, some of whose files are deleted"):
        tally_parquet(tmp_path)
    (tmp_path / "_delta_log").rmdir()
    write_pairs(tmp_path / "language=de" / "x.parquet", ["(S (A a))"])
    with pytest.raises(ValueError, match=r"has a folder .*language=de"):
        tally_parquet(tmp_path)


def test_other_settings_do_not_merge(folder):
    from structiou_metric.scale import tally_parquet

    one, two = (
        tally_parquet(folder, metric=StructIoU(on_error="zero", labels=kind)) for kind in ("exact", "base")
    )
    with pytest.raises(ValueError, match="tallies of different settings cannot be merged"):
        merge_tallies([one, two])
    with pytest.raises(ValueError, match="there are no tallies to merge"):
        merge_tallies([])


def test_no_rows(tmp_path):
    from pyarrow import parquet, string, table

    from structiou_metric.scale import tally_parquet

    empty = table({"prediction": [], "reference": []}).cast(
        table({"prediction": [""], "reference": [""]}).schema
    )
    assert empty.schema.field("prediction").type == string()
    parquet.write_table(empty, tmp_path / "x.parquet")
    assert len(tally_parquet(tmp_path)) == 0
    with pytest.raises(ValueError, match="there are no trees to score"):
        tally_parquet(tmp_path).result()


# ---- the command line ------------------------------------------------------------------------------


@pytest.fixture
def structiou(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    return runner(capsys)


def told(out):
    found = json.loads(out)
    return {name: value for name, value in found.items() if name not in ("schema", "problems")}


def test_score_of_a_table_holds_no_rows(structiou, folder, monkeypatch):
    from structiou_metric.sources import tables

    table = str(folder / "a.parquet")
    want = told(
        succeeded(structiou("score", table, "--on-error", "zero", "--json", "--per-sentence", "--per-label"))
    )
    del want["sentences"]
    monkeypatch.setattr(tables, "_read_arrow", None)  # would read it as a whole
    assert told(succeeded(structiou("score", table, "--on-error", "zero", "--json", "--per-label"))) == want


@pytest.mark.parametrize("n_shards", [1, 3, 150])
def test_shards_and_merge(structiou, tmp_path, n_shards):
    names = []
    for number in range(1, n_shards + 1, max(1, n_shards // 3)) if n_shards > 3 else range(1, n_shards + 1):
        names.append(str(tmp_path / f"{number}.json"))
        args = ["score", "a.parquet", "--on-error", "zero", "--per-label", "--tally", names[-1]]
        rows = list(shard(50, number, n_shards))
        answer = structiou(*args, "--shard", f"{number}/{n_shards}")
        out = succeeded(answer)
        assert rows or out == f"shard {number} of {n_shards} has no rows\n"
    merged = structiou(
        "merge", *reversed(names), "--json", "--per-label", *(["--partial"] if n_shards > 3 else [])
    )
    if n_shards <= 3:
        want = told(succeeded(structiou("score", "a.parquet", "--on-error", "zero", "--json", "--per-label")))
        assert told(succeeded(merged)) == want
    else:
        assert "147 shards of 150 missing" in failed(structiou("merge", *names))


def test_shards_of_brackets_merge(structiou, tmp_path):
    from support.paths import DATA

    sides = [str(DATA / f"english.{side}") for side in ("reference.mrg", "prediction.txt")]
    names = [str(tmp_path / f"{number}.json") for number in (1, 2, 3, 4)]
    for number, name in enumerate(names, 1):
        succeeded(structiou("score", *sides, "--labels", "base", "--shard", f"{number}/4", "--tally", name))
    merged = succeeded(structiou("merge", *names, "-o", str(tmp_path / "whole.json"), "--json"))
    assert told(merged) == told(succeeded(structiou("score", *sides, "--labels", "base", "--json")))
    assert succeeded(structiou("merge", str(tmp_path / "whole.json"), "--json")) == merged


def test_mistakes_with_shards(structiou, tmp_path):
    names = [str(tmp_path / f"{number}.json") for number in (1, 2)]
    for number, name in enumerate(names, 1):
        succeeded(
            structiou("score", "a.parquet", "--on-error", "zero", "--shard", f"{number}/2", "--tally", name)
        )
    assert "1 shard of 2 missing: 2; give all of them" in failed(structiou("merge", names[0]))
    assert "are both shard 1 of 2; give one" in failed(structiou("merge", names[0], names[0]))
    (tmp_path / "x.json").write_text("[1]")
    assert "this is no tally (it holds no tally)" in failed(structiou("merge", str(tmp_path / "x.json")))
    assert "--per-sentence-to FILE" in failed(
        structiou("score", "a.parquet", "--shard", "1/2", "--per-sentence"), code=2
    )
    assert "'0/2' is not such as 3/64" in failed(structiou("score", "a.parquet", "--shard", "0/2"), code=2)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_rows_are_written_as_they_come(structiou, tmp_path, ending):
    from pyarrow import parquet

    path = tmp_path / f"rows.{ending}"
    args = ["a.parquet", "--on-error", "zero", "--id-column", "id"]
    succeeded(structiou("score", *args, "--per-sentence-to", str(path)))
    if ending == "parquet":
        rows = parquet.read_table(path).to_pylist()
        scores = [row["score"] for row in rows]
    else:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        scores = [row["struct_iou"] for row in rows]
    assert scores == StructIoU(on_error="zero").corpus_score(PREDICTIONS[:50], REFERENCES[:50]).values(
        "struct_iou_sentence"
    )
    assert [row["id"] for row in rows] == [f"s{row}" for row in range(50)]
    assert [row["index"] for row in rows] == list(range(50))
    assert "the tree is None" in rows[40]["message"]
    assert failed(structiou("score", "a.parquet", "--per-sentence-to", str(tmp_path / "x.jsonl")))
    assert not (tmp_path / "x.jsonl").exists()
    assert not list(tmp_path.glob("*.part"))


def test_groups_are_printed(structiou):
    out = succeeded(structiou("score", "a.parquet", "--on-error", "zero", "--group-by", "language"))
    titles = out.splitlines()[0].split()
    assert titles == ["group", "rows", *(measure.short for measure in StructIoU.MEASURES.values())]
    assert out.splitlines()[2].split()[:2] == ["de", str(LANGUAGES[:50].count("de"))]

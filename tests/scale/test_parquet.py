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
from structiou_metric.scale import parquet as scale_parquet
from structiou_metric.scale import tally_parquet
from structiou_metric.scale.parquet import ParquetPairs, tally_units
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
LANGUAGES = [("de", "he", None, "")[row % 7 % 4] for row in range(N_ROWS)]


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
    told = result.as_dict(by_label=result.metric.LABEL is not None and tally.labels is not None)
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
    metric = load_metric(name, on_error="zero")
    found = tally_parquet(folder, metric=metric, by_label=metric.LABEL is not None, workers=workers)
    assert figures_of(found) == figures_of_lists(metric)


@given(data=st.data())
@examples(25)
def test_units_in_any_order(folder, data):
    n_units = data.draw(st.sampled_from([1, 2, 256]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scale_parquet, "_UNITS", n_units)
        pairs = ParquetPairs(folder, group_by="language")
    if n_units == 256:  # a unit for each row group
        assert [unit.n_rows for unit in pairs.units] == [7] * 7 + [1] + [11] * 6 + [4]
    metric = StructIoU(on_error="zero")
    units = pickle.loads(pickle.dumps(data.draw(st.permutations(pairs.units))))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(units) - 1))))
    edges = zip([0, *cuts], [*cuts, len(units)], strict=True)
    parts = [tally_units(metric, pairs.columns, units[lo:hi], by_label=True) for lo, hi in edges]
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
    assert parts[0].covers.to_dict() == pairs.covers.to_dict()
    with pytest.raises(ValueError, match="would be counted twice"):
        parts[0] += tally_units(metric, pairs.columns, units[:1], by_label=True)
    assert figures_of(parts[0]) == figures_of_lists(metric)


@pytest.mark.parametrize("n_parts", [1, 2, 5])
def test_a_large_row_group_is_read_in_parts(folder, monkeypatch, n_parts):
    monkeypatch.setattr(scale_parquet, "UNIT_ROWS", N_ROWS // n_parts)
    monkeypatch.setattr(scale_parquet, "_READ_ROWS", 9)
    pairs = ParquetPairs(folder / "whole.one")
    assert [unit.n_rows for unit in pairs.units] == [N_ROWS // n_parts] * n_parts
    metric = StructIoU(on_error="zero")
    parts = [tally_units(metric, pairs.columns, [unit]) for unit in pairs.units]
    assert merge_tallies(parts) == tally_parquet(folder / "whole.one")


def test_groups(folder):
    found = tally_parquet(folder / "whole.one", group_by="language")
    assert list(found.groups) == [None, "", "de", "he"]
    for key, tally in found.groups.items():
        rows = [row for row, language in enumerate(LANGUAGES) if language == key]
        metric = StructIoU(on_error="zero")
        want = metric.corpus_score([PREDICTIONS[row] for row in rows], [REFERENCES[row] for row in rows])
        assert dict(tally.figures) == dict(want.figures)
        assert len(tally) == len(rows)
    by_group = json.loads(json.dumps(found.result().as_dict()["by_group"]))
    assert [group.pop("group") for group in by_group] == [None, "", "de", "he"]
    assert by_group[3] == dict(found.groups["he"].figures)


def test_problems_are_named_by_their_rows(folder):
    second = folder / "b.pq"
    found = tally_parquet(folder)
    assert [row for row, _ in found.problems] == [17, 40, 77]
    assert found.n_problems == 3
    assert found.problems[2][1].startswith(f"{second}[27]['prediction']:1:10: this '(' is never closed")
    found = tally_parquet(folder, id_column="id")
    assert found.problems[1][1].startswith(f"{folder / 'a.parquet'}['s40']['prediction']: the tree is None")
    with pytest.raises(TreeFormatError, match=r"\['s77'\]\['prediction'\]:1:10"):
        tally_parquet(second, metric=StructIoU(), id_column="id")


def test_faults_of_files(folder, tmp_path):
    from pyarrow import parquet, table

    with pytest.raises(TreeFormatError, match=r"there is no column 'gold'; choose with --reference-column"):
        tally_parquet(folder, reference_column="gold")
    with pytest.raises(ValueError, match=r"there is no column 'who'; its columns: 'reference', 'prediction'"):
        tally_parquet(folder, group_by="who")
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
    parquet.write_table(table({"prediction": ["(A a)"], "reference": ["(A a)"]}), tmp_path / "x.parquet")
    with pytest.raises(
        TreeFormatError, match=r"y\.parquet: there is no column 'reference', which .*x\.parquet has"
    ):
        tally_parquet(tmp_path)
    with pytest.raises(ValueError, match=r"rows 0 to \d+ of .*a\.parquet would be counted twice"):
        ParquetPairs([folder / "a.parquet", folder / "a.parquet"])


def write_pairs(path, predictions):
    from pyarrow import parquet, table

    path.parent.mkdir(exist_ok=True)
    parquet.write_table(
        table({"prediction": predictions, "reference": ["(S (A a))"] * len(predictions)}), path
    )


def test_hidden_files_are_left_out(tmp_path):
    """Such as pyarrow's own and those that engines are still writing."""
    from pyarrow import dataset

    folder = tmp_path / "_pairs"  # what comes before a pattern may have any name
    write_pairs(folder / "x.parquet", ["(S (A a))"])
    for name in ("_tmp.parquet", ".hidden.parquet"):
        write_pairs(folder / name, ["(T (A a))"])
    assert dataset.dataset(folder, format="parquet").count_rows() == 1
    for place in (folder, folder / "*.parquet", folder / "**" / "?*.parquet"):
        assert tally_parquet(place).figures["struct_iou"] == 1.0
    assert tally_parquet(folder / "_*.parquet").figures["struct_iou"] == 0.5
    (folder / "x.parquet").unlink()
    with pytest.raises(ValueError, match=r"there is no Parquet file in .*\*\.parquet"):
        tally_parquet(folder / "*.parquet")


def test_datasets(tmp_path):
    """Folders with partitions, patterns, filters, other file systems."""
    from pyarrow import dataset, fs

    write_pairs(tmp_path / "language=de" / "x.parquet", ["(S (A a))", "(T (A a))"])
    write_pairs(tmp_path / "language=he" / "x.parquet", ["(S (A a))", None, "(S (A a))"])
    write_pairs(tmp_path / "_temporary" / "x.parquet", ["(S (A"])
    found = tally_parquet(tmp_path, group_by="language")
    assert {key: tally.figures["struct_iou"] for key, tally in found.groups.items()} == {
        "de": 0.75,
        "he": 2 / 3,
    }
    assert [message.split(":")[0] for _, message in found.problems] == [
        f"{tmp_path / 'language=he' / 'x.parquet'}[1]['prediction']"
    ]
    one = tally_parquet(tmp_path / "language=de")
    assert len(one) == 2
    assert tally_parquet(str(tmp_path / "*=d?" / "*.parquet")) == one
    assert tally_parquet(tmp_path, filter=dataset.field("language") == "de").figures == one.figures
    whole = dataset.dataset(tmp_path, partitioning="hive", format="parquet")
    assert tally_parquet(whole, group_by="language").groups == found.groups
    good = dataset.field("prediction") == "(S (A a))"
    filtered = tally_parquet(tmp_path, filter=good)
    assert (len(filtered), filtered.figures["struct_iou"]) == (3, 1.0)
    with pytest.raises(ValueError, match="this dataset has a filter; give the dataset without it"):
        tally_parquet(whole.filter(good))
    elsewhere = fs.SubTreeFileSystem(str(tmp_path / "language=de"), fs.LocalFileSystem())
    assert len(tally_parquet(dataset.dataset("x.parquet", filesystem=elsewhere))) == 2
    with pytest.raises(ValueError, match="this dataset has parts that are not Parquet files"):
        tally_parquet(dataset.dataset(whole.to_table()))
    for other in (whole.scanner(), next(whole.get_fragments()), [whole], whole.to_table(), None):
        with pytest.raises(TypeError, match=r"is not Parquet files .*; give paths, URLs or a pyarrow\."):
            tally_parquet(other)


def test_file_systems_of_fsspec():
    """Files there may have no time, but a key that changes with them."""
    import fsspec
    from pyarrow import parquet, table

    memory = fsspec.filesystem("memory")

    def write(name, predictions):
        with memory.open(f"/scale/{name}", "wb") as file:
            columns = {"prediction": predictions, "reference": ["(S (A a))"] * len(predictions)}
            parquet.write_table(table(columns), file)

    try:
        write("language=de/x.parquet", ["(S (A a))"])
        write("language=he/x.parquet", ["(T (A a))", None])
        found = tally_parquet("memory://scale", group_by="language")
        assert [tally.figures["struct_iou"] for tally in found.groups.values()] == [1.0, 0.25]
        [(_, message)] = found.problems
        assert message.startswith("memory:///scale/language=he/x.parquet[1]['prediction']: the tree is None")
        one = tally_parquet("memory://scale/language=d*/*.parquet")
        write("language=de/_tmp.parquet", ["(T (A a))"])
        assert tally_parquet("memory://scale/language=d*/*.parquet") == one
        assert len(tally_parquet("memory://scale/language=d*/_*.parquet")) == 1
        with pytest.raises(ValueError, match=r"row 0 of memory:.*language=de.* would be counted twice"):
            one += found
        write("language=he/x.parquet", ["(T (A a))", "()"])
        with pytest.raises(ValueError, match=r"language=he.* was changed"):
            found += tally_parquet("memory://scale/language=he")
    finally:
        memory.rm("/scale", recursive=True)


def test_rows_of_a_filter_are_named_by_their_places_in_the_file(tmp_path):
    from pyarrow import dataset

    write_pairs(tmp_path / "x.parquet", ["(S (A a))", None, "(S (A a))", "(S (A"])
    found = tally_parquet(tmp_path, filter=dataset.field("prediction") != "(S (A a))")
    [(_, message)] = found.problems  # null is not different from a text
    assert message.startswith(f"{tmp_path / 'x.parquet'}[3]['prediction']:1:")
    assert "x.parquet" in str(found.covers.to_dict())


def test_a_delta_table_is_read_by_its_own_dataset(tmp_path):
    need("deltalake")
    from deltalake import DeltaTable, write_deltalake
    from pyarrow import table

    columns = {"prediction": ["(S (A a))", "(T (A a))"], "reference": ["(S (A a))"] * 2}
    write_deltalake(str(tmp_path / "t"), table(columns))
    DeltaTable(str(tmp_path / "t")).delete("prediction = '(T (A a))'")
    assert len(list((tmp_path / "t").glob("*.parquet"))) == 2  # the old rows are still there
    with pytest.raises(ValueError, match=r"is a Delta table.*; give deltalake\.DeltaTable"):
        tally_parquet(tmp_path / "t")
    found = tally_parquet(DeltaTable(str(tmp_path / "t")).to_pyarrow_dataset())
    assert (len(found), found.figures["struct_iou"]) == (1, 1.0)


def test_an_iceberg_table_is_read_by_its_own_library(tmp_path):
    need("pyiceberg")
    need("sqlalchemy")
    from pyarrow import table
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("test", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("trees")
    columns = table({"prediction": ["(S (A a))", "(T (A a))"], "reference": ["(S (A a))"] * 2})
    pairs = catalog.create_table("trees.pairs", schema=columns.schema)
    pairs.append(columns)
    pairs.delete("prediction = '(T (A a))'")
    folder = pairs.location().removeprefix("file://")
    with pytest.raises(ValueError, match=r"is an Iceberg table.*; give tally_arrow the batches of pyiceberg"):
        tally_parquet(folder)


def test_other_settings_do_not_merge(folder):
    one, two = (
        tally_parquet(folder, metric=StructIoU(on_error="zero", labels=kind)) for kind in ("exact", "base")
    )
    with pytest.raises(ValueError, match="tallies of different settings cannot be merged"):
        merge_tallies([one, two])
    with pytest.raises(ValueError, match="there are no tallies to merge"):
        merge_tallies([])


def test_no_rows(tmp_path):
    from pyarrow import parquet, string, table

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


@pytest.mark.parametrize("n_shards", [1, 3, 20])
def test_shards_and_merge(structiou, tmp_path, n_shards):
    names = [str(tmp_path / f"{number}.json") for number in range(1, n_shards + 1)]
    n_empty = 0
    for number, name in enumerate(names, 1):
        args = ["score", "a.parquet", "--on-error", "zero", "--per-label", "--tally", name]
        out = succeeded(structiou(*args, "--shard", f"{number}/{n_shards}"))
        n_empty += out == f"shard {number} of {n_shards} has no rows\n"
    assert n_empty == max(0, n_shards - 8)  # there are 8 row groups
    merged = structiou("merge", *reversed(names), "--json", "--per-label")
    want = told(succeeded(structiou("score", "a.parquet", "--on-error", "zero", "--json", "--per-label")))
    assert told(succeeded(merged)) == want


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
    assert "rows 28 to 49 of a.parquet are missing; give all tallies" in failed(structiou("merge", names[0]))
    succeeded(structiou("merge", names[0], "--partial"))
    assert "rows 0 to 27 of a.parquet would be counted twice" in failed(structiou("merge", *names, names[0]))
    succeeded(structiou("score", "b.pq", "--on-error", "zero", "--tally", str(tmp_path / "b.json")))
    assert "a.parquet" in failed(structiou("merge", names[0], str(tmp_path / "b.json")))
    succeeded(structiou("merge", *names, "-o", str(tmp_path / "whole.json")))
    whole = str(tmp_path / "whole.json")
    assert "rows 0 to 49 of a.parquet would be counted twice" in failed(structiou("merge", whole, whole))
    (tmp_path / "x.json").write_text("[1]")
    for number in (1, 2):
        (tmp_path / "x.mrg").write_text(f"(S (A a))\n(S (A a{number}))\n")
        args = [str(tmp_path / "x.mrg")] * 2
        succeeded(structiou("score", *args, "--shard", f"{number}/2", "--tally", names[number - 1]))
    assert "x.mrg was changed, or is scored in different ways: sha256" in failed(structiou("merge", *names))
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
        scores = [row["score"] for row in rows]
    assert scores == StructIoU(on_error="zero").corpus_score(PREDICTIONS[:50], REFERENCES[:50]).values(
        "struct_iou_sentence"
    )
    assert [row["id"] for row in rows] == [f"s{row}" for row in range(50)]
    assert [row["index"] for row in rows] == list(range(50))
    assert "the tree is None" in rows[40]["message"]
    assert failed(structiou("score", "a.parquet", "--per-sentence-to", str(tmp_path / "x.jsonl")))
    assert not (tmp_path / "x.jsonl").exists()
    assert not list(tmp_path.glob("*.part"))


def test_places_of_parquet_files(structiou, folder, tmp_path):
    """Folders, patterns of files and patterns of folders."""
    for language in ("de", "he"):
        write_pairs(tmp_path / f"language={language}" / "x.parquet", ["(S (A a))", "()"])
    write_pairs(tmp_path / ".hidden.parquet", ["(T (A a))"])
    for place, n_rows in (("", 4), ("language=*/x.parquet", 4), ("language=d*", 2), ("language=*", 4)):
        found = json.loads(succeeded(structiou("score", str(tmp_path / place), "--json")))
        assert (found["n_sentences"], found["struct_iou"]) == (n_rows, 0.5)


def test_groups_are_printed(structiou):
    out = succeeded(structiou("score", "a.parquet", "--on-error", "zero", "--group-by", "language"))
    titles = out.splitlines()[0].split()
    assert titles == ["group", "rows", *(measure.short for measure in StructIoU.MEASURES.values())]
    shown = [line.split()[:2] for line in out.splitlines()[1:5]]
    names = {"null": None, "∅": "", "de": "de", "he": "he"}
    assert shown == [[name, str(LANGUAGES[:50].count(key))] for name, key in names.items()]

"""Tables of trees: JSON, CSV, TSV, Parquet and Dataset folders, read and scored by the command line."""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys

import pytest

from structiou_metric import SegmentTree, StructIoU, TreeFormatError, read_trees
from structiou_metric.commands.main import main
from structiou_metric.sources.tables import Table, open_table, read_columns
from support.hub import import_datasets

REFERENCES = ["(S (A a))", "(S (A a) (B b))", "(S (A שלום) (B b))"]
PREDICTIONS = ["(S (A a))", "(S (X (A a) (C b)))", "()"]
SCORES = [1.0, 4 / 7, 0.0]
BOTH = {"reference": None, "prediction": None}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty one; paths in errors are then short."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def structiou(capsys):
    """Runs a command; returns the exit code and what was printed to both outputs."""

    def run(*args):
        try:
            code = main(list(map(str, args)))
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return run


def write_jsonl(path, columns):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_json(path, columns):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def write_csv(path, columns):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def write_parquet(path, columns):
    pytest.importorskip("pyarrow")
    from pyarrow import Table, parquet

    parquet.write_table(Table.from_pydict(columns), path)


def write_folder(path, columns):
    dataset = import_datasets().Dataset.from_dict(columns)
    backwards = range(len(dataset) - 1, -1, -1)
    dataset.select(backwards).select(backwards).save_to_disk(path)


WRITERS = {
    "jsonl": write_jsonl,
    "json": write_json,
    "csv": write_csv,
    "tsv": write_csv,
    "parquet": write_parquet,
    "pq": write_parquet,
    "folder": write_folder,
}
each_kind = pytest.mark.parametrize("kind", WRITERS)


# ------------------------------------------------------------------------------------------- reading


@each_kind
def test_read_columns_of_every_kind(folder, kind):
    path = folder / f"trees.{kind}"
    WRITERS[kind](path, {"id": ["1", "2", "3"], "reference": REFERENCES, "prediction": PREDICTIONS})
    assert isinstance(open_table(path), Table)
    reference, prediction = read_columns(path, BOTH)
    assert len(reference) == len(prediction) == 3
    result = StructIoU().corpus_score(prediction, reference)
    assert [tally.score for tally in result.sentences] == pytest.approx(SCORES)
    assert result.by_label["A"].n_ref == 3


@each_kind
def test_read_columns_names_the_row(folder, kind):
    WRITERS[kind](folder / f"t.{kind}", {"reference": ["(A a)", "(A a)"], "prediction": ["(A a)", "(A a"]})
    reference, prediction = read_columns(f"t.{kind}", BOTH)
    lines = {"jsonl": 2, "csv": 3, "tsv": 3}
    row = rf"t.{kind}:{lines[kind]}\['prediction'\]" if kind in lines else rf"t.{kind}\['prediction'\]\[1\]"
    with pytest.raises(TreeFormatError, match=rf"^{row}:1:1: this '\(' is never closed"):
        StructIoU().corpus_score(prediction, reference)


def test_read_columns_other_shapes(folder):
    tree = SegmentTree.from_brackets("(S (A a<0.5,1>) (B b<1,2.5>))")
    values = [
        tree.to_brackets(),
        tree.to_dict(),
        tree.to_spans(),
        tree.to_columns(),
        {"brackets": "(S (A a) (B b))", "times": [[0.5, 1], [1, 2.5]]},
        json.dumps(tree.to_dict()),
    ]
    write_jsonl(folder / "t.jsonl", {"tree": values})
    [column] = read_columns("t.jsonl", {"reference": "tree"})
    assert [column.tree(row, None) for row in range(len(values))] == [tree] * len(values)


def test_read_columns_default_names(folder):
    write_jsonl(folder / "one.jsonl", {"tree": REFERENCES})
    write_csv(folder / "two.csv", {"id": "123", "prediction": PREDICTIONS})
    assert read_columns("one.jsonl", {"reference": None})[0].title == "one.jsonl['tree']"
    assert read_columns("two.csv", {"prediction": None})[0].title == "two.csv['prediction']"
    message = (
        r"^two.csv: there is no column 'reference'; choose with --reference-column from: 'id', 'prediction'$"
    )
    with pytest.raises(TreeFormatError, match=message):
        read_columns("two.csv", {"reference": None})
    with pytest.raises(
        TreeFormatError, match=r"^one.jsonl: there is no column 'x'; choose with --prediction-c"
    ):
        read_columns("one.jsonl", {"prediction": "x"})


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_read_columns_gzip_marks_and_line_ends(folder, kind):
    path = folder / f"t.{kind}"
    WRITERS[kind](path, {"reference": REFERENCES, "prediction": PREDICTIONS})
    text = b"\xef\xbb\xbf" + path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    zipped = folder / f"z.{kind.upper()}.gz"
    zipped.write_bytes(gzip.compress(text))
    assert isinstance(open_table(zipped), Table)
    reference, _ = read_columns(zipped, BOTH)
    assert [reference.tree(row, None).to_brackets() for row in range(3)] == REFERENCES


def test_read_csv_cells(folder):
    """Quotes, commas, line ends in cells, empty cells, and cells larger than the module's usual limit."""
    large = "(S " + "(A a) " * 30_000 + ")"
    trees = ['(S (A a) (, ,) (B "))', "(S\n (A a)\n (B b))", "", large, "(S (A a)"]
    write_csv(folder / "t.csv", {"tree": trees, "id": "12345"})
    limit = csv.field_size_limit()
    [column] = read_columns("t.csv", {"reference": "tree"})
    assert csv.field_size_limit() == limit
    assert column.tree(0, None).words == ("a", ",", '"')
    assert column.tree(1, None) == SegmentTree.from_brackets("(S (A a) (B b))")
    assert not column.tree(2, None)
    assert len(column.tree(3, None)) == 30_001
    with pytest.raises(TreeFormatError, match=r"^t.csv:8\['tree'\]:1:1: this '\(' is never closed"):
        column.tree(4, None)


@pytest.mark.parametrize(
    "name, text, message",
    [
        pytest.param("t.jsonl", "", "^t.jsonl: there are no rows$", id="empty jsonl"),
        pytest.param(
            "t.jsonl", '{"a": 1}\n{"a": }\n', "^t.jsonl:2:7: this is not JSON: Expecting value$", id="no JSON"
        ),
        pytest.param(
            "t.jsonl", '{"a": 1}\n\n{"a": 2}', "^t.jsonl:2:1: the line is blank; remove it$", id="blank line"
        ),
        pytest.param(
            "t.jsonl",
            '"(A a)"\n',
            "^t.jsonl:1: a row is an object with a name for each .*, not a str$",
            id="str",
        ),
        pytest.param(
            "t.jsonl", '{"a": 1}\n{"b": 1}', "^t.jsonl:2: this row has no column 'a'$", id="other columns"
        ),
        pytest.param(
            "t.jsonl", '{"a": ' + "[" * 99_999, "^t.jsonl:1: the JSON is nested too deeply", id="deep"
        ),
        pytest.param("t.jsonl", '{"a": ' + "9" * 5000 + "}", "^t.jsonl:1: .*digits", id="huge number"),
        pytest.param("t.jsonl", "{}", "^t.jsonl: there is no column 'a'; .* from: none$", id="no columns"),
        pytest.param("t.jsonl", b'{"a": "\xff"}', "^t.jsonl:1: byte 0xff is not UTF-8", id="not UTF-8"),
        pytest.param("t.csv", "", "^t.csv: there is no line with the names of the columns$", id="empty csv"),
        pytest.param(
            "t.csv", "a,b\n1,2\n3\n", "^t.csv:3: 1 cell, but 2 columns; put cells with a comma in", id="few"
        ),
        pytest.param("t.csv", "a,b\n(, ,),2\n", "^t.csv:2: 4 cells, but 2 columns", id="comma in a cell"),
        pytest.param(
            "t.csv", "a\n1\n\n2\n", "^t.csv:3: the line is blank; remove it, or write", id="blank cell"
        ),
        pytest.param("t.csv", 'a\n"1"2\n', "^t.csv:2: this is not CSV: ", id="quotes"),
        pytest.param(
            "t.csv", 'a\n"1\n', "^t.csv:2: this is not CSV: unexpected end of data", id="open quote"
        ),
        pytest.param("t.csv", "a,a\n1,2\n", "^t.csv: there are several columns 'a'; rename all", id="twice"),
        pytest.param("t.csv", b"\x1f\x8b\x08", "^t.csv: this gzip file is damaged", id="damaged gzip"),
    ],
)
def test_read_columns_errors(folder, name, text, message):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(TreeFormatError, match=message):
        read_columns(name, {"reference": "a"})


def test_read_parquet_errors(folder, monkeypatch):
    pytest.importorskip("pyarrow")
    (folder / "t.parquet").write_bytes(b"PAR1 this is not one")
    with pytest.raises(TreeFormatError, match=r"^t.parquet: this Parquet file cannot be read: "):
        read_columns("t.parquet", BOTH)
    with pytest.raises(FileNotFoundError):
        read_columns("none.parquet", BOTH)


def test_read_folder_errors(folder):
    datasets = import_datasets()
    splits = {name: datasets.Dataset.from_dict({"tree": ["(A a)"]}) for name in ("train", "test")}
    datasets.DatasetDict(splits).save_to_disk("both")
    message = r"^both: this folder holds several splits; choose one of: both.train, both.test$"
    with pytest.raises(TreeFormatError, match=message):
        read_columns("both", BOTH)
    assert len(read_columns("both/test", {"reference": "tree"})[0]) == 1
    (folder / "broken").mkdir()
    (folder / "broken" / "state.json").write_text("{")
    with pytest.raises(TreeFormatError, match=r"^broken: this folder cannot be read \(.*save_to_disk$"):
        read_columns("broken", BOTH)


@pytest.mark.parametrize("module, kind", [("pyarrow", "parquet"), ("datasets", "folder")])
def test_read_columns_says_what_to_install(folder, monkeypatch, module, kind):
    (folder / "t.folder").mkdir()
    (folder / "t.folder" / "state.json").touch()
    (folder / "t.parquet").touch()
    monkeypatch.setitem(sys.modules, module, None)
    install = re.escape("pip install 'structiou-metric[datasets]'")
    with pytest.raises(ValueError, match=rf"^t.{kind}: reading .* needs {module}: {install}$"):
        read_columns(f"t.{kind}", BOTH)


@pytest.mark.parametrize("name", ["t.txt", "t.mrg", "jsonl", "t.json", "-", "folder", "t.txt.gz"])
def test_open_table_leaves_tree_files_alone(folder, name):
    (folder / "folder").mkdir()
    (folder / "t.json").write_text('{"sentences": [{"parse": "(S (A a))"}]}', "utf-8")
    assert not isinstance(open_table(name), Table)


SENTENCES = [{"index": i, "parse": f"(ROOT {tree})", "tokens": []} for i, tree in enumerate(REFERENCES)]


@pytest.mark.parametrize(
    "value",
    [SENTENCES, [{"sentences": SENTENCES}], [{"sentences": SENTENCES[:1]}, {"sentences": SENTENCES[1:]}]],
    ids=["sentences", "a document", "documents"],
)
def test_lists_of_corenlp_are_treebanks(folder, structiou, value):
    (folder / "t.json").write_text(json.dumps(value), encoding="utf-8")
    (folder / "pred.txt").write_text("".join(f"{tree}\n" for tree in PREDICTIONS), encoding="utf-8")
    code, out, err = structiou("score", "t.json", "pred.txt", "--json", "--per-sentence")
    assert (code, err) == (0, "")
    assert [row["struct_iou"] for row in json.loads(out)["sentences"]] == pytest.approx(SCORES)
    assert len(read_trees("t.json")) == 3
    code, _, err = structiou("score", "t.json", "pred.txt", "--reference-column", "nothing")
    assert code == 1
    assert "there is no column 'nothing'; choose with --reference-column from: " in err


def test_a_column_called_parse_can_be_asked_for(folder, structiou):
    write_json(folder / "t.json", {"parse": REFERENCES, "gold": REFERENCES})
    [column] = read_columns("t.json", {"reference": "parse"})
    assert column.values == REFERENCES
    write_json(folder / "both.json", {"parse": REFERENCES, "reference": REFERENCES, "prediction": REFERENCES})
    code, out, _ = structiou("score", "both.json", "--json")
    assert (code, json.loads(out)["struct_iou"]) == (0, 1)


def test_json_row_without_a_column_is_named(folder):
    (folder / "t.json").write_text('[{"reference": "(A a)"}, {"gold": "(A a)"}]', "utf-8")
    with pytest.raises(TreeFormatError, match=r"^t\.json\[1\]: this row has no column 'reference'$"):
        read_columns("t.json", {"reference": None})


def test_broken_json_is_named_by_line_and_column(folder):
    (folder / "t.json").write_text('[{"reference": "(A a)"},\n {"reference" "(A a)"}]', "utf-8")
    with pytest.raises(TreeFormatError, match=r"^t\.json:2:15: this is not JSON: "):
        read_columns("t.json", {"reference": None})


def test_tsv_takes_quotes_as_words_and_counts_cells(folder):
    (folder / "t.tsv").write_text('reference\tprediction\n(A "a")\t(A \\")\n', "utf-8")
    reference, prediction = read_columns("t.tsv", BOTH)
    assert (str(reference.tree(0, "word")), str(prediction.tree(0, "word"))) == ('(A "a")', '(A \\")')
    (folder / "t.tsv").write_text("reference\tprediction\n(A a)  (A a)\n", "utf-8")
    with pytest.raises(TreeFormatError, match=r"^t\.tsv:2: 1 cell, but 2 columns; part cells by one tab$"):
        read_columns("t.tsv", BOTH)


# --------------------------------------------------------------------------------------- command line


@each_kind
def test_score_one_table(structiou, folder, kind):
    WRITERS[kind](folder / f"t.{kind}", {"gold": REFERENCES, "parsed": PREDICTIONS})
    options = ("--reference-column", "gold", "--prediction-column", "parsed")
    code, out, err = structiou("score", f"t.{kind}", *options, "--json", "--per-sentence")
    assert (code, err) == (0, "")
    assert [row["struct_iou"] for row in json.loads(out)["sentences"]] == pytest.approx(SCORES)
    code, out, err = structiou("score", *options, "--workers", "2", "--json", "--per-label", f"t.{kind}")
    assert (code, err) == (0, "")
    assert json.loads(out)["by_label"]["A"]["n_ref"] == 3


def test_score_two_files_of_different_kinds(structiou, folder):
    (folder / "gold.mrg").write_text("\n".join(REFERENCES), encoding="utf-8")
    write_csv(folder / "parsed.csv", {"id": "123", "prediction": PREDICTIONS})
    write_jsonl(folder / "gold.jsonl", {"tree": REFERENCES})
    outputs = {
        structiou("score", *args)
        for args in (
            ("gold.mrg", "parsed.csv"),
            ("gold.jsonl", "parsed.csv"),
            ("gold.jsonl", "--reference-column=tree", "parsed.csv"),
            ("--prediction-column", "prediction", "gold.jsonl", "parsed.csv"),
        )
    }
    assert len(outputs) == 1
    code, out, err = outputs.pop()
    assert (code, err) == (0, "")
    assert "STRUCT-IoU, sentence mean    0.5238" in out


@pytest.mark.parametrize(
    "args, message",
    [
        (["gold.mrg"], "required: PREDICTION"),
        (["gold.mrg", "--workers", "2"], "required: PREDICTION"),
        (["gold.mrg", "t.jsonl", "more.txt"], "t.jsonl is a table, which cannot be one of several files"),
        (["gold.mrg", "--json", "t.jsonl", "more.txt"], "too many arguments: more.txt"),
        (["gold.mrg", "--bogus", "t.jsonl"], "there is no option --bogus"),
        (
            ["gold.mrg", "t.jsonl", "--reference-column", "tree"],
            "--reference-column: gold.mrg is no table (.jsonl, .json, .csv, .tsv, .parquet, .pq, .arrow, ",
        ),
    ],
)
def test_score_bad_usage(structiou, folder, args, message):
    (folder / "gold.mrg").write_text("(A a)\n")
    write_jsonl(folder / "t.jsonl", {"tree": ["(A a)"]})
    code, out, err = structiou("score", *args)
    assert (code, out) == (2, "")
    assert message in err


def test_score_bad_tables(structiou, folder):
    write_jsonl(folder / "t.jsonl", {"tree": ["(A a)"], "x": ["(A a)"]})
    assert structiou("score", "t.jsonl") == (
        1,
        "",
        "structiou: t.jsonl: there is no column 'reference'; "
        "choose with --reference-column from: 'tree', 'x'\n",
    )
    (folder / "gold.mrg").write_text("(A a)\n(A a)\n")
    assert structiou("score", "gold.mrg", "t.jsonl", "--prediction-column=x") == (
        1,
        "",
        "structiou: t.jsonl['x']: 1 tree, gold.mrg: 2 trees; give the same number of both: "
        "t.jsonl['x'] ends before gold.mrg:2, and all rows up to there have the same words\n",
    )
    write_jsonl(folder / "null.jsonl", {"reference": ["(A a)"], "prediction": [None]})
    assert structiou("score", "null.jsonl") == (
        1,
        "",
        "structiou: null.jsonl:1['prediction']: the tree is None; give '()' for a failed parse\n",
    )
    code, out, _ = structiou("score", "null.jsonl", "--on-error", "zero", "--json")
    assert (code, json.loads(out)["n_zeroed"]) == (0, 1)


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "parquet"])
def test_several_references(structiou, folder, ending):
    """The one that the prediction is most like counts; a cell of text has them as JSON."""
    references = [["(T (A a))", "(S (A a))"], ["(S (A a) (B b))"], ["(S (A שלום) (B b))", "(S a b)"]]
    path = folder / f"trees.{ending}"
    if ending == "parquet":
        datasets = import_datasets()
        datasets.Dataset.from_dict({"reference": references, "prediction": PREDICTIONS}).to_parquet(path)
    elif ending == "csv":
        texts = [json.dumps(row, ensure_ascii=False) for row in references]
        write_csv(path, {"reference": texts, "prediction": PREDICTIONS})
    else:
        write = write_json if ending == "json" else write_jsonl
        write(path, {"reference": references, "prediction": PREDICTIONS})
    code, out, err = structiou("score", path, "--json", "--per-sentence")
    assert code == 0, err
    found = json.loads(out)
    assert [row["struct_iou"] for row in found["sentences"]] == pytest.approx(SCORES)
    assert (found["references_used"], found["n_multi_reference"]) == ([1, 0, 0], 2)
    code, out, _ = structiou("score", path)
    assert re.search(r"^with several references +2$", out, re.MULTILINE)
    assert "|references:best|version:" in out


def test_several_references_are_named_in_errors(structiou, folder):
    write_jsonl(folder / "trees.jsonl", {"reference": [["(S a)", "(S"]], "prediction": ["(S a)"]})
    code, _, err = structiou("score", "trees.jsonl")
    assert code == 1
    assert "trees.jsonl:1['reference'][1]:1:1: this '(' is never closed" in err

"""Documents on the command line: what parts them in files, folders and tables."""

from __future__ import annotations

import json
import zipfile

import pytest

from structiou_metric import StructIoU
from support.cli import failed, runner, succeeded
from support.extras import need

PREDICTIONS = [["(S (A a))", "(S (B b) (A c))"], ["(S (B d))"]]
REFERENCES = [["(S (A a) (B b))", "(S (A c))"], ["(S (B d))"]]
# By hand: in the first document the three leaves of 5 + 5 nodes have their likes. To pair both S instead, of
# which each has IoU 1/2, would leave B alone, and so come to the same 3. In the second, all is equal.
SCORES = [6 / 10, 1.0]


@pytest.fixture
def run(capsys):
    return runner(capsys, "score")


def written(folder, name, text):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def found(run, *args):
    result = json.loads(succeeded(run(*args, "--json", "--per-sentence")))
    assert [row["struct_iou"] for row in result["sentences"]] == pytest.approx(SCORES)
    assert (result["n_documents"], result["n_sentences_pred"], result["n_sentences_ref"]) == (2, 3, 3)
    assert "n_sentences" not in result
    assert result["struct_iou"] == pytest.approx(sum(SCORES) / 2)
    assert result["struct_iou_corpus"] == pytest.approx(2 * (3 + 2) / (7 + 7))
    return result


def joined(documents, between, begin="", layout="\n"):
    return begin + between.join(layout.join(document) + "\n" for document in documents)


@pytest.mark.parametrize("layout", ["\n", " ", "\n  "], ids=["a tree a line", "on one line", "indented"])
@pytest.mark.parametrize("between", ["\n", "\n \t\n\n"], ids=["a blank line", "several"])
def test_blank_lines_part_documents(run, tmp_path, between, layout):
    gold = written(tmp_path, "gold.txt", joined(REFERENCES, between, "\n", layout) + "\n\n")
    parsed = written(tmp_path, "parsed.txt", joined(PREDICTIONS, "\r\n"))
    found(run, gold, parsed, "--documents", "blank")


def test_a_blank_line_in_a_tree_parts_nothing(run, tmp_path):
    gold = written(tmp_path, "gold.txt", "(S (A a)\n\n(B b))\n(S (A c))\n\n(S (B d))\n")
    parsed = written(tmp_path, "parsed.txt", joined(PREDICTIONS, "\n"))
    found(run, gold, parsed, "--documents", "blank")


def test_marks_begin_documents_and_tell_which_they_are(run, tmp_path):
    gold = written(
        tmp_path,
        "gold.txt",
        "\ufeff# newdoc id = one\n(S (A a)\n  (B b))\n(S (A c))\n#newdoc id=two \n(S (B d))\n",
    )
    text = "# newdoc id = one\n(S (A a))\n(S (B b) (A c))\n# newdoc id = two\n(S (B d))\n"
    found(run, gold, written(tmp_path, "parsed.txt", text), "--documents", "marks")
    without = joined(PREDICTIONS, "# newdoc\n", "# newdoc\n")  # what has no name is taken by its place
    found(run, gold, written(tmp_path, "nameless.txt", without), "--documents", "marks")
    other = written(tmp_path, "other.txt", text.replace("two", "three"))
    assert "document 2 is 'two' in" in failed(run(gold, other, "--documents", "marks"))


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("(S (A a))\n", "there is no line '# newdoc' that begins a document"),
        (
            "\n(S (A a))\n# newdoc\n(S (A a))\n",
            "gold.txt:2: this tree is before the first line '# newdoc'",
        ),
        ("# newdoc\n\n(S (A a)\n# newdoc\n(S (A a))\n", "gold.txt:3:1: this '(' is never closed"),
    ],
)
def test_what_is_wrong_with_marks_is_told(run, tmp_path, text, complaint):
    gold = written(tmp_path, "gold.txt", text)
    assert complaint in failed(run(gold, gold, "--documents", "marks"))


def test_every_file_of_a_folder_is_a_document(run, tmp_path):
    for side, documents in (("gold", REFERENCES), ("parsed", PREDICTIONS)):
        (tmp_path / side / "deep").mkdir(parents=True)
        end = "mrg" if side == "gold" else "parse.txt"
        written(tmp_path / side, f"b.{end}", joined(documents[:1], ""))
        written(tmp_path / side / "deep", f"c.{end}", joined(documents[1:], "")[:-1])
        written(tmp_path / side, ".hidden", "no tree")
    found(run, tmp_path / "gold", tmp_path / "parsed", "--documents", "file")
    (tmp_path / "parsed" / "b.parse.txt").rename(tmp_path / "parsed" / "a.parse.txt")
    complaint = failed(run(tmp_path / "gold", tmp_path / "parsed", "--documents", "file"))
    assert "document 1 is 'b' in" in complaint
    assert "and 'a' in" in complaint


def test_an_error_in_a_folder_names_file_and_line(run, tmp_path):
    for name, text in (("a.txt", "(S (A a))"), ("b.txt", "(S (A a))\n(S (A a)\n")):
        written(tmp_path, name, text)
    complaint = failed(run(tmp_path, tmp_path, "--documents", "file"))
    assert "b.txt:2:1: this '(' is never closed" in complaint
    assert "these are several files" in failed(run(tmp_path, tmp_path, "--documents", "blank"))
    (tmp_path / "none").mkdir()
    complaint = failed(run(tmp_path / "none", tmp_path, "--documents", "file"))
    assert "no file in here ends like a treebank" in complaint


def conllu(documents, mark="# newdoc id = {}\n"):
    """Documents in CoNLL-U, each behind a mark."""
    return "".join(
        mark.format(name) + "".join(f"# constituency = {tree}\n1\tx\n\n" for tree in document)
        for name, document in zip(("one", "two"), documents, strict=True)
    )


COLUMNS = """#begin document one
x 0 0 a A (S* -
x 0 1 b B *) -

x 0 0 c A (S*) -

#end document
#begin document two
x 0 0 d B (S*) -

#end document
"""


def test_marked_documents_have_any_format_and_encoding(run, tmp_path):
    gold = written(tmp_path, "gold.conllu", conllu(REFERENCES))
    text = "# newdoc id = one\n(S (A a))\n(S (B b) (A c))\n# newdoc id = two\n(S (B d))\n"
    parsed = tmp_path / "parsed.txt"
    parsed.write_bytes(text.encode("utf-16"))
    found(run, gold, parsed, "--documents", "marks")
    parsed.write_bytes(text.encode("utf-16-le"))
    how = ("--documents", "marks", "--encoding", "utf-8,utf-16-le")
    found(run, gold, parsed, *how)
    found(run, gold, parsed, *how, "--format", "conllu,brackets")
    found(run, written(tmp_path, "gold.v4_gold_conll", COLUMNS), parsed, *how)
    complaint = failed(run(gold, gold, "--documents", "blank"))
    assert "gold.conllu: blank lines part documents of brackets alone; choose --documents file" in complaint
    broken = written(tmp_path, "broken.conllu", conllu(REFERENCES).replace("(A c))", "(A c)"))
    assert "broken.conllu:5:18: this '(' is never closed" in failed(
        run(broken, broken, "--documents", "marks")
    )


def test_crossing_branches_in_documents_are_never_taken_in_silence(run, tmp_path):
    text = "(S (VP (A 0=a) (A 2=c)) (B 1=b))\n(S (A 0=d))\n"
    files = written(tmp_path, "a.dbr", text), written(tmp_path, "b.dbr", text)
    assert "a.dbr:1: this tree is discontinuous" in failed(run(*files, "--documents", "all"))
    out = succeeded(run(*files, "--documents", "all", "--discontinuous", "split", "--json"))
    assert (json.loads(out)["n_documents"], json.loads(out)["struct_iou"]) == (1, 1)
    assert json.loads(out)["signature"].endswith("|discontinuous:split")


def test_documents_are_files_of_folders_patterns_and_archives(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side, documents in (("gold", REFERENCES), ("parsed", PREDICTIONS)):
        (tmp_path / side).mkdir()
        for name, document in zip("ab", documents, strict=True):
            written(tmp_path / side, f"{name}.txt", joined([document], ""))
        written(tmp_path / side, "README.txt", "not a tree")
    with zipfile.ZipFile(tmp_path / "gold.zip", "w") as archive:
        for name in ("a.txt", "b.txt"):
            archive.write(tmp_path / "gold" / name, name)
    for gold in (["gold"], ["gold/[ab].txt"], ["gold.zip"], ["gold/a.txt", "gold/b.txt"]):
        found(run, *gold, "parsed/[ab].txt", "--documents", "file")
        whole = json.loads(succeeded(run(*gold, "parsed", "--documents", "all", "--json")))
        assert (whole["n_documents"], whole["n_sentences_ref"]) == (1, 3)


@pytest.mark.parametrize("parted", ["all", "file"])
def test_a_file_is_one_document(run, tmp_path, parted):
    gold = written(tmp_path, "gold.txt", joined(REFERENCES, "\n"))
    parsed = written(tmp_path, "parsed.txt", joined(PREDICTIONS, ""))
    result = json.loads(succeeded(run(gold, parsed, "--documents", parted, "--json")))
    assert (result["n_documents"], result["n_sentences_pred"], result["n_sentences_ref"]) == (1, 3, 3)
    assert result["struct_iou"] == pytest.approx(10 / 14)


@pytest.mark.parametrize("parted", ["all", "blank"])
def test_files_without_trees_hold_no_documents(run, tmp_path, parted):
    empty = written(tmp_path, "empty.txt", "\n\n")
    assert "hold no trees to score" in failed(run(empty, empty, "--documents", parted))
    gold = written(tmp_path, "gold.txt", "(S (A a))\n")
    assert "empty.txt: 0 documents, " in failed(run(gold, empty, "--documents", parted))


def test_the_table_says_documents_and_sentences(run, tmp_path):
    gold = written(tmp_path, "gold.txt", "(S (A a) (B b))\n")
    parsed = written(tmp_path, "parsed.txt", "(S (A a))\n(S (B b))\n")
    table = succeeded(run(gold, parsed, "--documents", "all")).splitlines()
    assert table[0].startswith("STRUCT-IoU, document mean")
    assert [line.split() for line in table[4:7]] == [
        ["documents", "1"],
        ["sentences,", "predicted", "2"],
        ["sentences,", "reference", "1"],
    ]


@pytest.mark.parametrize("metric", ["parseval", "tree_edit", "tedeval", "leaf_ancestor", "aligned_parseval"])
def test_other_metrics_take_documents(run, tmp_path, metric):
    gold = written(tmp_path, "gold.txt", joined(REFERENCES, "\n"))
    result = json.loads(succeeded(run(gold, gold, "--documents", "blank", "--metric", metric, "--json")))
    assert result[metric] == 1.0


def test_other_numbers_of_documents_are_an_error(run, tmp_path):
    gold = written(tmp_path, "gold.txt", joined(REFERENCES, "\n"))
    parsed = written(tmp_path, "parsed.txt", joined(PREDICTIONS, ""))
    complaint = failed(run(gold, parsed, "--documents", "blank"))
    assert "parsed.txt: 1 document, " in complaint
    assert "gold.txt: 2 documents; give the same number" in complaint


# ---- tables ----------------------------------------------------------------------------------------

ROWS = [
    {"reference": "(S (A a) (B b))", "prediction": "(S (A a))", "talk": 7},
    {"reference": "(S (A c))", "prediction": "(S (B b) (A c))", "talk": 7},
    {"reference": "(S (B d))", "prediction": "(S (B d))", "talk": 8},
]


def test_a_column_tells_documents_apart(run, tmp_path):
    table = written(tmp_path, "both.jsonl", "".join(f"{json.dumps(row)}\n" for row in ROWS))
    found(run, table, "--document-column", "talk")
    found(run, table, table, "--document-column", "talk")
    other = [{**row, "talk": row["talk"] + 1} for row in ROWS]
    moved = written(tmp_path, "other.jsonl", "".join(f"{json.dumps(row)}\n" for row in other))
    assert "document 1 is '7' in" in failed(run(table, moved, "--document-column", "talk"))
    lines = [",".join(ROWS[0]), *(",".join(map(str, row.values())) for row in ROWS)]
    found(run, written(tmp_path, "both.csv", "\n".join(lines)), "--document-column", "talk")


def test_rows_of_a_table_may_be_lists(run, tmp_path):
    rows = [{"reference": r, "prediction": p} for r, p in zip(REFERENCES, PREDICTIONS, strict=True)]
    table = written(tmp_path, "both.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    found(run, table, "--documents", "row")


def test_a_column_of_a_saved_dataset(run, tmp_path, capsys):
    need("datasets")
    from datasets import Dataset

    Dataset.from_list(ROWS).save_to_disk(tmp_path / "saved")
    capsys.readouterr()  # its progress bar
    found(run, tmp_path / "saved", "--document-column", "talk")


@pytest.mark.parametrize(
    "args, complaint",
    [
        (("both.jsonl", "--documents", "all", "--document-column", "talk"), "give one of them"),
        (("both.jsonl", "--documents", "marks"), "is a table; name its --document-column"),
        (("gold.txt", "gold.txt", "--document-column", "talk"), "--document-column: gold.txt is no table"),
        (("gold.txt", "gold.txt", "--documents", "row"), "--documents row: gold.txt is no table"),
        (
            ("both.jsonl", "--document-column", "tale"),
            "there is no column 'tale'; choose with --document-column",
        ),
    ],
)
def test_what_does_not_fit_is_told(run, tmp_path, monkeypatch, args, complaint):
    written(tmp_path, "both.jsonl", "".join(f"{json.dumps(row)}\n" for row in ROWS))
    written(tmp_path, "gold.txt", "(S (A a))\n")
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*args)
    assert code
    assert not out
    assert complaint in err


# ---- several systems -------------------------------------------------------------------------------


def test_compare_takes_documents(capsys, tmp_path):
    need("numpy")
    run = runner(capsys, "compare")
    gold = written(tmp_path, "gold.txt", joined(REFERENCES, "\n"))
    parsed = written(tmp_path, "parsed.txt", joined(PREDICTIONS, "\n"))
    args = (gold, parsed, gold, "--names", "old,new", "--documents", "blank", "--resamples", "50")
    result = json.loads(succeeded(run(*args, "--json")))
    figures = {
        system["name"]: system["figures"]["struct_iou_corpus"]["value"] for system in result["systems"]
    }
    want = StructIoU().corpus_score(PREDICTIONS, REFERENCES, documents=True).corpus
    assert figures == {"old": pytest.approx(want), "new": 1.0}
    drawing = succeeded(run(*args, "--draw", "1"))
    assert "score 0.6000" in drawing
    assert "Compared are documents, 2 of them with 3 sentences in the reference" in drawing
    assert "2 documents\nsystem  STRUCT-IoU, document mean" in drawing
    assert "\nnew minus old (1 document better, 0 worse, 1 equal)\n" in succeeded(run(*args, "--full"))
    assert drawing.count("sentence") == 2  # that of the note, and an option in the signature
    assert drawing.count("└── A c") == 4  # every tree of a document is drawn, on both sides of both systems
    page = tmp_path / "page.html"
    succeeded(run(*args, "--html", page))
    assert "<svg" in page.read_text("utf-8")
    assert "Documents on which the systems differ most" in page.read_text("utf-8")
    assert "2 documents" in succeeded(run(*args, "--latex"))

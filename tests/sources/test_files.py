"""Files of trees: layouts, encodings, compressed files, standard input."""

from __future__ import annotations

import gzip
import io
import sys
from types import SimpleNamespace

import pytest

from structiou_metric import StructIoU, TreeFormatError, TreeMismatchError, read_trees
from structiou_metric.sources.files import TreeFile
from support.growth import growth
from support.paths import DATA

BOM = b"\xef\xbb\xbf"


def texts(file):
    return [str(tree) for tree in file.trees()]


# ------------------------------------------------------------------------------------------ layouts


@pytest.mark.parametrize(
    "data, layout, want",
    [
        pytest.param(b"(A a)\n(B b)\n", "line", ["(A a)", "(B b)"], id="a tree a line"),
        pytest.param(b"(A a)\n(B b)", "line", ["(A a)", "(B b)"], id="no newline at the end"),
        pytest.param(b"(A a)\n", "line", ["(A a)"], id="one line"),
        pytest.param(b"(A a)\r\n(B b)\r\n", "line", ["(A a)", "(B b)"], id="Windows line ends"),
        pytest.param(b"  (A a)  \n\t(B b)\t\n", "line", ["(A a)", "(B b)"], id="white space around"),
        pytest.param(
            b"(A a)\n\n(B b)\n", "line", ["(A a)", "()", "(B b)"], id="blank line is a failed parse"
        ),
        pytest.param(b"\n(A a)\n", "line", ["()", "(A a)"], id="first line blank"),
        pytest.param(b"(A a)\n\n", "line", ["(A a)", "()"], id="last line blank"),
        pytest.param(b"(A a)\n \t\r\n(B b)\n", "line", ["(A a)", "()", "(B b)"], id="line of white space"),
        pytest.param(b"()\n(A a)\n(TOP )\n", "line", ["()", "(A a)", "(TOP)"], id="empty trees"),
        pytest.param(b"", "line", [], id="empty file"),
        pytest.param(b"\n", "line", ["()"], id="one blank line"),
        pytest.param(b"(A\n a)\n(B b)\n", "free", ["(A a)", "(B b)"], id="over two lines"),
        pytest.param(b"(A\n a)\n\n\n(B\n b)\n", "free", ["(A a)", "(B b)"], id="blank lines between"),
        pytest.param(b"(A a) (B b)\n(C c)\n", "free", ["(A a)", "(B b)", "(C c)"], id="two on a line"),
        pytest.param(b"(A a)(B b)", "free", ["(A a)", "(B b)"], id="no space between"),
        pytest.param(b"(A\r\n a)\r\n\r\n(B\r\n b)\r\n", "free", ["(A a)", "(B b)"], id="Windows, many lines"),
        pytest.param(b"(A a)\r(B b)\r", "free", ["(A a)", "(B b)"], id="old Macintosh line ends"),
        pytest.param(b"( (S\n(A a)\n(B b)\n)\n)\n", "free", ["( (S (A a) (B b)))"], id="not indented"),
        pytest.param(BOM + b"(A a)\n(B b)\n", "line", ["(A a)", "(B b)"], id="byte-order mark, lines"),
        pytest.param(BOM + b"(A\n a)\n", "free", ["(A a)"], id="byte-order mark, many lines"),
        pytest.param(
            BOM,
            "line",
            [],
            id="nothing but a byte-order mark",
        ),
        pytest.param("(שם שָׁלוֹם)\n".encode(), "line", ["(שם שָׁלוֹם)"], id="Hebrew"),
    ],
)
def test_tree_file_auto_layout(data, layout, want):
    file = TreeFile(data, "x")
    assert (file.layout, len(file), texts(file)) == (layout, len(want), want)


@pytest.mark.parametrize(
    "layout, want",
    [("auto", ["(A a)", "()", "(B b)"]), ("line", ["(A a)", "()", "(B b)"]), ("free", ["(A a)", "(B b)"])],
)
def test_tree_file_layout_decides_about_blank_lines(layout, want):
    assert texts(TreeFile(b"(A a)\n\n(B b)\n", "x", layout)) == want


def test_tree_file_layout_line_by_force():
    file = TreeFile(b"(A a) (B b)\n(C c)\n", "x", "line")
    with pytest.raises(TreeFormatError, match=r"^x:1:7: a second tree begins here; give one tree per row"):
        file.trees()


def test_tree_file_layout_offers_the_choices():
    with pytest.raises(ValueError, match=r"^unknown layout 'tree'; choose from auto, line, free, sentence$"):
        TreeFile(b"(A a)", "x", "tree")


@pytest.mark.parametrize(
    "bad, column, message",
    [
        pytest.param(b"(A (a)", 1, r"this '\(' is never closed", id="unclosed"),
        pytest.param(b"(A (B a", 4, r"this '\(' is never closed", id="two unclosed"),
        pytest.param(b"(A a))", 6, r"this '\)' closes nothing", id="one close too many"),
        pytest.param(b"(A a) b", 7, "text outside of any bracket", id="text behind"),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["Unix", "Windows"])
def test_tree_file_unbalanced_lines_do_not_shift_the_others(bad, column, message, end):
    good = [b"(A a)"] * 3
    file = TreeFile(end.join([*good, bad, *good, b""]), "x")
    assert (file.layout, len(file)) == ("line", 7)
    right = TreeFile(end.join([b"(A a)"] * 7), "y")
    result = StructIoU(on_error="zero").corpus_score(file, right)
    assert [tally.score for tally in result.sentences] == [1, 1, 1, 0, 1, 1, 1]
    with pytest.raises(TreeFormatError, match=rf"^x:4:{column}: {message}"):
        file.trees()


def test_tree_file_unbalanced_line_behind_a_byte_order_mark():
    file = TreeFile(BOM + b"(A a)\n(A (a)\n(A a)\n(A a)\n", "x")
    assert (file.layout, len(file)) == ("line", 4)


def test_tree_file_unbalanced_free_file_points_at_the_bracket():
    file = TreeFile(b"(S\n  (A a)\n  (B b)\n\n(T\n  (A a)\n  (B b))\n", "x.mrg")
    assert file.layout == "free"
    with pytest.raises(TreeFormatError, match=r"^x\.mrg:1:1: this '\(' is never closed") as caught:
        file.trees()
    assert caught.value.window == "  (S\n  ^"


def test_tree_file_text_between_trees_is_a_row_of_its_own():
    file = TreeFile(b"(A\n a)\nSTRAY text (B b)\n(C\n c)\n", "x", "free")
    assert len(file) == 3
    with pytest.raises(TreeFormatError, match=r"^x:3:1: text outside of any bracket") as caught:
        file.tree(1, None)
    assert caught.value.window == "  STRAY text (B b)\n  ^"
    assert str(file.tree(2, None)) == "(C c)"


def test_tree_file_of_text_has_an_error_on_every_line():
    result = TreeFile(b"no tree\nno tree either\n", "x")
    other = TreeFile(b"(A a)\n(A a)\n", "y")
    score = StructIoU(on_error="zero").corpus_score(result, other)
    assert [message.split(": ")[0] for _, message in score.problems] == ["x:1:1", "x:2:1"]


# ------------------------------------------------------------------------------- titles and names


def test_tree_file_names_rows_by_file_and_line():
    lines = TreeFile(b"(A a)\n\n(B b)\n", "dev.txt")
    assert [lines.name(row) for row in range(3)] == ["dev.txt:1", "dev.txt:2", "dev.txt:3"]
    free = TreeFile(b"\n(A\n a) (B\n b)\n\n  (C c)\n", "dev.mrg")
    assert [free.name(row) for row in range(3)] == ["dev.mrg:2", "dev.mrg:3", "dev.mrg:6"]
    assert (lines.title, free.title) == ("dev.txt (blank lines, each a failed parse: 1)", "dev.mrg")


def test_tree_file_mismatch_names_both_rows():
    message = r"^p:2 has 1 word and r:2 has 2 words; p:2 ends before word 2 of r:2, 'b'; give both sides"
    with pytest.raises(TreeMismatchError, match=message):
        StructIoU().corpus_score(TreeFile(b"(A a)\n(A a)\n", "p"), TreeFile(b"(A a)\n(A a b)\n", "r"))


def test_tree_file_unequal_lengths_name_both_files_and_blank_lines():
    message = (
        r"^p \(blank lines, each a failed parse: 1\): 3 trees, r: 2 trees; give the same number of both: "
    )
    with pytest.raises(TreeMismatchError, match=message):
        StructIoU().corpus_score(TreeFile(b"(A a)\n\n(B b)\n", "p"), TreeFile(b"(A a)\n(B b)\n", "r"))


def test_tree_file_empty_files_hold_no_trees():
    with pytest.raises(ValueError, match=r"^p and r hold no trees to score$"):
        StructIoU().corpus_score(TreeFile(b"", "p"), TreeFile(b"", "r"))
    with pytest.raises(TreeMismatchError, match=r"^p: 0 trees, r: 1 tree; give the same number of both"):
        StructIoU().corpus_score(TreeFile(b"", "p"), TreeFile(b"(A a)", "r"))


@pytest.mark.parametrize("layout", ["auto", "line", "free"])
def test_tree_file_byte_order_mark_takes_no_column(layout):
    with pytest.raises(TreeFormatError, match=r"^x:1:6: this '\)' closes nothing"):
        TreeFile(BOM + b"(A a))", "x", layout).trees()


# --------------------------------------------------------------------------------------- encodings


@pytest.mark.parametrize(
    "data, message",
    [
        pytest.param(
            "(A a)\n(B é)\n".encode("latin-1"),
            r"^x:2: byte 0xe9 is not UTF-8 \(this may be latin-1 or cp1252\); give --encoding latin-1 "
            r"\(in Python encoding='latin-1'\), or convert the file to UTF-8$",
            id="Latin-1",
        ),
        pytest.param("(A שלום)".encode("cp1255"), r"^x:1: byte 0xf9 is not UTF-8", id="Windows Hebrew"),
        pytest.param(
            b"\xfe\xff\0(\0A\0",
            r"^x:1: this is not utf-16, as its first bytes say: trunc",
            id="half of UTF-16",
        ),
        pytest.param(b"(A \xed\xa0\x80)", "^x:1: byte 0xed is not UTF-8", id="surrogate"),
        pytest.param(b"(A \xe2\x82)", "^x:1: byte 0xe2 is not UTF-8", id="cut off"),
        pytest.param(b"(A \xc0\xaf)", "^x:1: byte 0xc0 is not UTF-8", id="overlong"),
    ],
)
def test_tree_file_refuses_other_encodings(data, message):
    with pytest.raises(TreeFormatError, match=message):
        TreeFile(data, "x")


def test_tree_file_utf16_without_mark_is_an_error_too():
    with pytest.raises(TreeFormatError, match=r"^x:1:"):
        TreeFile("(A a)\n".encode("utf-16-le"), "x").trees()


# ------------------------------------------------------------------------------------ where from


def test_read_trees_of_a_path(tmp_path):
    path = tmp_path / "a file.txt"
    path.write_bytes(b"(A a)\n(B b)\n")
    assert [str(tree) for tree in read_trees(path)] == ["(A a)", "(B b)"]
    assert [str(tree) for tree in read_trees(str(path), layout="free")] == ["(A a)", "(B b)"]
    assert [tree.unit for tree in read_trees(path, "char")] == ["char", "char"]


def test_read_trees_timed_where_all_words_have_times(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"(A a<0,1>)\n(B b)\n")
    assert [tree.unit for tree in read_trees(path)] == ["time", "word"]
    assert [tree.unit for tree in read_trees(DATA / "speech.reference.txt")] == ["time"] * 10


def test_read_trees_in_seconds_names_the_line_without_times(tmp_path):
    path = tmp_path / "dev.txt"
    path.write_bytes(b"(A a<0,1>)\n(B b)\n")
    with pytest.raises(TreeFormatError, match=r"dev\.txt:2:4: "):
        read_trees(path, "time")


def test_read_trees_gzip(tmp_path):
    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress(BOM + b"(A a)\r\n(B b)\r\n"))
    assert [str(tree) for tree in read_trees(path)] == ["(A a)", "(B b)"]
    path.with_suffix("").write_bytes(path.read_bytes())
    assert len(read_trees(path.with_suffix(""))) == 2  # known by its first bytes, not by its name


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(gzip.compress(b"(A a)\n" * 100)[:-10], id="cut off"),
        pytest.param(b"\x1f\x8b", id="two bytes"),
        pytest.param(gzip.compress(b"(A a)\n" * 100)[:12] + b"\xff" * 40, id="damaged"),
    ],
)
def test_read_trees_damaged_gzip(tmp_path, data):
    path = tmp_path / "x.gz"
    path.write_bytes(data)
    with pytest.raises(TreeFormatError, match=r"x\.gz: this gzip file is damaged: "):
        read_trees(path)


def test_read_trees_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"(A a)\n(B b\n(C c)\n")))
    file = TreeFile.read("-")
    assert (file.title, len(file)) == ("<stdin>", 3)
    with pytest.raises(TreeFormatError, match=r"^<stdin>:2:1: this"):
        file.trees()


def test_read_trees_standard_input_gzip(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(b"(A a)"))))
    assert [str(tree) for tree in read_trees("-")] == ["(A a)"]


def test_read_trees_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(OSError, match=r"^standard input is closed$"):
        read_trees("-")


def test_read_trees_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing-here"):
        read_trees(tmp_path / "nothing-here")


def test_tree_file_names_of_rows_take_linear_time():
    """Finding a line by counting from the top would take 16 times as long for 4 times the trees."""

    def names(n):
        file = TreeFile(b"(S (A a) (B b))\n" * n, "x")
        assert [file.name(row) for row in range(n)][-1] == f"x:{n}"

    assert growth(names, 10_000) < 10


def test_tree_file_many_errors_take_linear_time():
    def score(n):
        bad, good = TreeFile(b"(S (A a)\n" * n, "x", "line"), TreeFile(b"(S (A a))\n" * n, "y", "line")
        result = StructIoU(on_error="zero").corpus_score(bad, good)
        assert result.n_zeroed == n
        assert result.problems[-1][1].startswith(f"x:{n}:1: ")

    assert growth(score, 5_000) < 10


def test_unclosed_tree_is_named_rather_than_the_number_of_trees(tmp_path):
    (tmp_path / "ref.txt").write_text("(S\n  (A a))\n(S\n  (A a))\n")
    (tmp_path / "pred.txt").write_text("(S\n  (A a)\n(S\n  (A a))\n")
    rows = TreeFile.read(tmp_path / "pred.txt"), TreeFile.read(tmp_path / "ref.txt")
    with pytest.raises(TreeFormatError, match=r"pred.txt:1:1: this '\(' is never closed"):
        StructIoU().corpus_score(*rows)

"""Files that cannot be read, and what is said of them: encodings, packing, and what a format cannot hold."""

from __future__ import annotations

import zipfile

import pytest

from structiou_metric import StructIoU, TreeFormatError, read_trees
from support.cli import failed, runner, succeeded


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


def test_a_damaged_member_of_an_archive_is_named(tmp_path):
    path = tmp_path / "trees.zip"
    with zipfile.ZipFile(path, "w") as archive:  # stored as it is, so that its bytes can be found
        archive.writestr("a.mrg", "(S (A a))\n")
        archive.writestr("b.mrg", "(S (B bad))\n")
    path.write_bytes(path.read_bytes().replace(b"(B bad)", b"(B bat)"))
    with pytest.raises(TreeFormatError, match=r"trees\.zip/b\.mrg: this member cannot be read: Bad CRC-32"):
        read_trees(path)


@pytest.mark.parametrize(
    "name, data, options, message",
    [
        pytest.param(
            "x.export",
            b"#BOS 1\na\0\t--\tNN\t--\t--\t0\n#EOS 1\n",
            {"format": "export"},
            "x.export:2: a NUL character (UTF-16 without a mark?)",
            id="NUL",
        ),
        pytest.param(
            "x.json",
            b'{"sentences": [{"index": ' + b"7" * 5000 + b', "parse": "(S (A a))"}]}',
            {"format": "corenlp-json"},
            "x.json: Exceeds the limit (4300 digits) for integer string conversion",
            id="a number of 5,000 digits",
        ),
        pytest.param(
            "x.xml",
            b'<?xml version="1.0" encoding="nonsense"?><corpus/>',
            {"format": "tiger-xml"},
            "x.xml: this XML cannot be read (unknown encoding: nonsense); convert it to UTF-8",
            id="XML in an encoding that nobody knows",
        ),
        pytest.param(
            "x.txt",
            b"(S (A +2AA-))\n",
            {"encoding": "utf-7"},
            "this is not utf-7: surrogates",
            id="half a pair",
        ),
    ],
)
def test_what_is_no_text_is_told(name, data, options, message, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(TreeFormatError) as told:
        read_trees(path, **options)
    assert message in str(told.value)


def test_discontinuous_brackets_hold_no_times(structiou, tmp_path):
    (tmp_path / "timed.txt").write_text("(S (A a<0,1>))\n")
    err = failed(structiou("convert", "timed.txt", "-", "--format", "discbracket"))
    assert "timed.txt:1: this format has no place for times" in err


def test_traces_of_discontinuous_trees_stay(structiou, tmp_path):
    (tmp_path / "x.dbr").write_text("(S (A 0=a 2=c) (-NONE- 1=*))\n")
    keep = ("convert", "x.dbr", "-", "--format", "discbracket")
    assert succeeded(structiou(*keep)) == "(S (A 0=a 2=c) (-NONE- 1=*))\n"
    err = failed(structiou(*keep, "--traces", "drop"))
    assert "-NONE- leaves of discontinuous trees stay; choose --discontinuous raise" in err


def test_a_list_of_numbered_words_is_not_taken_for_plain_brackets():
    """Their order would be that of the tree, not that of the sentence."""
    with pytest.raises(TreeFormatError, match="the words are numbered"):
        StructIoU().corpus_score(["(S (A 0=a 2=c) (B 1=b))"], ["(S (A a) (B b) (C c))"])

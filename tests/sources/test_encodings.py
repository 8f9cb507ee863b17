"""Text in other encodings than UTF-8: read where it is known, guessed at in errors."""

from __future__ import annotations

import pytest

from structiou_metric import TreeFormatError, read_trees
from structiou_metric.sources.content import as_utf8, check_encoding, guess_encodings
from structiou_metric.sources.files import TreeFile
from support.cli import failed, runner

SPANISH = "(S (NP (D el) (N niño)) (VP (V soñó)))\n"
CHINESE = "(IP (NP (NN 中国)) (VP (VV 发展)))\n(IP (NP (PN 他们)) (VP (VV 来)))\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"], ids=["plain", "mark", "UTF-16", "UTF-32"]
)
def test_marks_tell_the_encoding(encoding):
    [tree] = TreeFile(SPANISH.encode(encoding), "x").trees()
    assert tree.words == ("el", "niño", "soñó")


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_marks_of_both_byte_orders(name):
    assert as_utf8("\ufeff(A é)".encode(name), "x") == "(A é)".encode()


@pytest.mark.parametrize(
    "text, encoding",
    [
        pytest.param(SPANISH, "latin-1", id="Spanish"),
        pytest.param(SPANISH + "(A ’)\n", "cp1252", id="curly quotes"),
        pytest.param(CHINESE, "gb18030", id="Chinese"),
        pytest.param("(S (N вот) (V они))\n", "cp1251", id="Russian"),
        pytest.param("(A a)\n", "utf-16-le", id="UTF-16 without a mark"),
    ],
)
def test_encodings_are_guessed_and_read(text, encoding, tmp_path):
    data = text.encode(encoding)
    assert guess_encodings(data)[0] == encoding
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    (tmp_path / "y.txt").write_text(text, encoding="utf-8")
    assert read_trees(path, encoding=encoding) == read_trees(tmp_path / "y.txt")


@pytest.mark.parametrize("padding", [0, 1])
def test_long_texts_are_guessed_though_a_character_is_cut(padding, tmp_path):
    """The guess looks at the first 64 KiB, which end within a character for one of the paddings."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"\n" * padding + ("(NP (NN " + "国" * 50_000 + "))\n").encode("gb18030"))
    with pytest.raises(TreeFormatError, match=r"this may be gb18030\b.*--encoding gb18030"):
        read_trees(path)


def test_short_texts_must_end_with_a_whole_character():
    whole = "(NP (NN 中国中".encode("gb18030")
    assert "gb18030" in guess_encodings(whole)
    assert "gb18030" not in guess_encodings(whole[:-1])


def test_traditional_chinese_is_among_the_guesses():
    assert "big5" in guess_encodings("(NP (Nab 書本))\n(VP (VC 閱讀))\n".encode("big5"))


def test_wrong_encoding_names_line_and_encoding():
    with pytest.raises(TreeFormatError, match=r"^x:2: this is not ascii: ordinal not in range"):
        as_utf8("(A a)\n(B é)\n".encode(), "x", "ascii")


@pytest.mark.parametrize("name", ["klingon", "", "rot13", "\0", "hex"])
def test_unknown_encodings_are_refused(name):
    with pytest.raises(ValueError, match=r"^unknown encoding .*; choose one that Python knows, such as"):
        check_encoding(name)


def test_flag_is_for_both_sides_or_each(capsys, tmp_path, monkeypatch):
    run = runner(capsys)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.txt").write_bytes(SPANISH.encode("latin-1"))
    (tmp_path / "pred.txt").write_bytes(SPANISH.encode("latin-1"))
    (tmp_path / "other.txt").write_bytes(SPANISH.encode())
    err = failed(run("score", "gold.txt", "pred.txt"))
    assert (
        "gold.txt:1: byte 0xf1 is not UTF-8 (this may be latin-1 or cp1252); give --encoding latin-1" in err
    )
    for arguments in (["pred.txt", "--encoding", "latin-1"], ["other.txt", "--encoding", "latin-1,utf-8"]):
        code, out, _ = run("score", "gold.txt", *arguments)
        assert code == 0
        assert "1.0000" in out.splitlines()[0]


def test_flag_refuses_what_it_cannot_be(capsys):
    run = runner(capsys)
    code, _, err = run("score", "a", "b", "--encoding", "klingon")
    assert (code, "unknown encoding 'klingon'" in err) == (2, True)
    code, _, err = run("score", "a", "b", "--encoding", "utf-8,utf-8,utf-8")
    assert (code, "give one value, or one for each side" in err) == (2, True)
    code, _, err = run("perturb", "a", "--kind", "noise", "--delta", "0", "--encoding", "utf-8,latin-1")
    assert (code, "give one value" in err) == (2, True)


@pytest.mark.parametrize("name, text", [("t.csv", 'tree\n"{}"\n'), ("t.jsonl", '{{"tree": "{}"}}\n')])
def test_tables_have_encodings_too(name, text, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = runner(capsys)
    (tmp_path / "gold.txt").write_bytes(SPANISH.encode())
    (tmp_path / name).write_bytes(text.format(SPANISH.strip()).encode("latin-1"))
    assert "give --encoding latin-1" in failed(run("score", "gold.txt", name))
    code, out, _ = run("score", "gold.txt", name, "--encoding", "utf-8,latin-1")
    assert (code, "1.0000" in out.splitlines()[0]) == (0, True)

"""Where treebanks are: folders, patterns, several files and archives, through every door."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import zipfile

import pytest

from structiou_metric import TreeFormatError, TreeMismatchError, read_trees
from structiou_metric.sources import content, places
from structiou_metric.sources.files import TreeFile
from structiou_metric.sources.treebanks import Reading, read_rows
from support.cli import failed, runner, succeeded

GOLD = {"a/one.mrg": "(S\n  (A a))\n", "a/two.mrg": "(S (B b))\n\n(S (C c))\n", "b/one.mrg": "(S (D d))\n"}
WORDS = ["a", "b", "c", "d"]


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def words(path, **reading):
    return [word for tree in read_trees(path, **reading) for word in tree.words]


def make_tar(files, mode="w:gz"):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode() if isinstance(text, str) else text))
    return data.getvalue()


def make_zip(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


# ------------------------------------------------------------------------------------------- places


def test_folder_is_read_in_sorted_order_with_its_folders(tmp_path):
    write(tmp_path, {**GOLD, ".hidden.mrg": "(X x)\n", "README.mrg": "(X x)\n", "notes.doc": "x"})
    assert words(tmp_path) == WORDS
    rows = read_rows(tmp_path)
    names = [os.path.relpath(rows.name(row), tmp_path) for row in range(4)]
    assert names == ["a/one.mrg:1", "a/two.mrg:1", "a/two.mrg:3", "b/one.mrg:1"]
    assert [number for _, number in rows.files] == [1, 2, 1]
    assert rows.layout == "free"  # that of one file, whose trees go over lines, is that of all


def test_errors_in_a_folder_name_file_and_line(tmp_path):
    write(tmp_path, {**GOLD, "b/one.mrg": "(S (D d))\n(S (D d)\n"})
    rows = read_rows(tmp_path, layout="line")
    with pytest.raises(TreeFormatError, match=r"b/one\.mrg:2:1: this '\(' is never closed"):
        rows.tree(len(rows) - 1, None)
    with pytest.raises(TreeFormatError, match=r"a/one\.mrg:1:1: this '\(' is never closed"):
        rows.tree(0, None)


def test_files_without_a_newline_at_their_end_stay_apart(tmp_path):
    write(tmp_path, {"a.mrg": "(A a)", "b.mrg": "", "c.mrg": "(B b)\n(C c", "d.mrg": "(D d)"})
    rows = read_rows(tmp_path, layout="line")
    assert [rows.text(row) for row in range(len(rows))] == ["(A a)", "(B b)", "(C c", "(D d)"]
    assert [os.path.basename(rows.name(row)) for row in range(4)] == [
        "a.mrg:1",
        "c.mrg:1",
        "c.mrg:2",
        "d.mrg:1",
    ]


def test_patterns_and_several_files(tmp_path, monkeypatch):
    monkeypatch.chdir(write(tmp_path, GOLD))
    assert words("a/*.mrg") == ["a", "b", "c"]
    assert words("**/one.mrg") == ["a", "d"]
    assert words(["b/one.mrg", "a/two.mrg"]) == ["d", "b", "c"]
    assert words([tmp_path / "b", "a/o*.mrg"]) == ["d", "a"]
    with pytest.raises(FileNotFoundError, match=r"^a/\*\.txt: no file matches this pattern; check"):
        words("a/*.txt")
    write(tmp_path, {"odd[1].mrg": "(X x)\n"})
    assert words("odd[1].mrg") == ["x"]  # a file of that very name


@pytest.mark.parametrize(
    "name, pack",
    [
        ("x.tar", lambda files: make_tar(files, "w")),
        ("x.tar.gz", make_tar),
        ("x.tgz", make_tar),
        ("x.tar.bz2", lambda files: make_tar(files, "w:bz2")),
        ("x.tar.xz", lambda files: make_tar(files, "w:xz")),
        ("x.zip", make_zip),
    ],
)
def test_archives_are_read_without_unpacking_them(name, pack, tmp_path):
    files = {**GOLD, "b/one.mrg.gz": gzip.compress(GOLD["b/one.mrg"].encode())}
    del files["b/one.mrg"]
    more = {"__MACOSX/._one.mrg": "x", "readme.mrg": "x", "notes.doc": "x"}
    path = write(tmp_path, {name: pack({**files, **more})}) / name
    assert words(path) == WORDS
    assert read_rows(path).name(1) == f"{path}/a/two.mrg:1"
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("files", [{}, {"notes.doc": "x"}])
def test_folders_and_archives_without_treebanks(files, tmp_path):
    write(
        tmp_path, {"x.zip": make_zip(files), "sub/y": "x", **{f"sub/{name}": files[name] for name in files}}
    )
    for path in (tmp_path / "x.zip", tmp_path / "sub"):
        with pytest.raises(
            TreeFormatError, match=r": no file in here ends like a treebank \(\.br .* pattern"
        ):
            read_rows(path)


def test_several_endings_in_a_folder_need_a_pattern(tmp_path):
    write(tmp_path, {**GOLD, "a/one.txt": "(S a)\n"})
    with pytest.raises(
        TreeFormatError, match=r"there are 3 \.mrg files and 1 \.txt file in here, perhaps the same"
    ):
        read_rows(tmp_path)
    assert words(str(tmp_path / "**" / "*.mrg")) == WORDS


# -------------------------------------------------------------------------------------------- bombs


def test_archives_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(content, "_FREE", 1000)
    monkeypatch.setattr(content.Budget.__init__, "__kwdefaults__", {"free": 1000, "most": 1 << 32})
    flat = b"(A a)\n" * 1_000_000
    for name, data in {"x.zip": make_zip({"x.mrg": flat}), "x.tgz": make_tar({"x.mrg": flat})}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(
            TreeFormatError, match="this packed file holds far more than treebanks do; unpack it"
        ):
            read_rows(tmp_path / name)
    nested = {"x.mrg.gz": gzip.compress(flat)}
    (tmp_path / "n.zip").write_bytes(make_zip(nested))
    with pytest.raises(TreeFormatError, match="holds far more than treebanks do"):
        read_rows(tmp_path / "n.zip")


def test_members_of_archives_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "_MOST_MEMBERS", 2)
    for name, data in {"x.zip": make_zip(GOLD), "x.tgz": make_tar(GOLD)}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(
            TreeFormatError, match="this archive has more than 2 files; unpack it and give a folder"
        ):
            read_rows(tmp_path / name)


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("pack", [make_zip, lambda files: make_tar(files, "w"), make_tar])
def test_damaged_archives_are_refused(pack, cut, tmp_path):
    data = pack({"a.mrg": "(A a)\n" * 300, "b.mrg": "(B b)\n" * 300})
    path = tmp_path / "x.archive"
    path.write_bytes(data[: int(len(data) * cut)])
    whole = len(data.rstrip(b"\0")) if data[257:262] == b"ustar" else len(data)
    if len(data) * cut > whole:
        assert len(read_rows(path)) == 600  # a tar file that lacks no more than its padding
        return
    with pytest.raises(TreeFormatError, match=r"x\.archive"):
        read_rows(path)


def test_names_in_archives_lead_nowhere(tmp_path):
    for evil in (
        "../../evil.mrg",
        "a/../../evil.mrg",
        "/etc/evil.mrg",
        "..\\evil.mrg",
        "C:\\evil.mrg",
        "../x",
    ):
        for name, pack in (("x.zip", make_zip), ("x.tgz", make_tar)):
            (tmp_path / name).write_bytes(pack({"good.mrg": "(A a)\n", evil: "(B b)\n"}))
            with pytest.raises(
                TreeFormatError,
                match=r"x\.(zip|tgz): the member '.*' would be outside of the folder of this archive",
            ):
                read_rows(tmp_path / name)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["x.tgz", "x.zip"]


def test_links_in_archives_are_refused_by_name(tmp_path):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, kind in (("a.mrg", tarfile.SYMTYPE), ("b.mrg", tarfile.LNKTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    (tmp_path / "x.tar").write_bytes(data.getvalue())
    with pytest.raises(
        TreeFormatError, match=r"x\.tar/a\.mrg: this member is a link, .* pack the file itself"
    ):
        read_rows(tmp_path / "x.tar")


def test_folders_that_are_linked_to_are_read(tmp_path):
    write(tmp_path / "there", GOLD)
    here = tmp_path / "here"
    here.mkdir()
    (here / "a").symlink_to(tmp_path / "there" / "a")
    (here / "b").symlink_to(tmp_path / "there" / "b")
    (here / "again").symlink_to(tmp_path / "here")  # a circle
    (tmp_path / "there" / "a" / "up").symlink_to(tmp_path / "there" / "a")
    assert words(here) == WORDS


def test_folders_that_cannot_be_read_are_not_left_out_in_silence(tmp_path, monkeypatch):
    write(tmp_path, GOLD)
    scandir = os.scandir

    def refuse(path):
        if os.path.basename(path) == "b":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(PermissionError, match=r"Permission denied: .*b'"):
        read_rows(tmp_path)


# -------------------------------------------------------------------------------------------- pairs


@pytest.mark.parametrize(
    "command", ["compare", "align", "why", "parseval", "sparseval", "curve", "paper lengths"]
)
def test_every_command_pairs_folders_by_name(command, tmp_path, structiou):
    if command == "compare":
        pytest.importorskip("numpy")
    write(tmp_path, {f"gold/{name}": text for name, text in GOLD.items()})
    write(tmp_path, {f"parsed/{name}": text for name, text in GOLD.items() if name != "b/one.mrg"})
    write(tmp_path, {"parsed/c/one.mrg": GOLD["b/one.mrg"]})
    err = failed(structiou(*command.split(), "gold", "parsed"))
    assert "1 file of gold without a partner in parsed: gold/b/one.mrg; 1 file of parsed without" in err


def test_folders_pair_by_name(tmp_path, structiou):
    write(tmp_path / "gold", GOLD)
    parsed = {name.replace(".mrg", ".parsed"): text for name, text in GOLD.items()}
    write(tmp_path / "pred", {**parsed, "a/one.parsed": "(T\n (A a))\n"})
    out = json.loads(succeeded(structiou("score", "gold", "pred", "--json", "--per-sentence")))
    assert [row["struct_iou"] for row in out["sentences"]] == [0.5, 1, 1, 1]
    (tmp_path / "pred.zip").write_bytes(make_zip(parsed))
    assert "1.0000" in succeeded(structiou("score", "gold", "pred.zip")).splitlines()[0]


def test_files_without_a_partner_are_named(tmp_path, structiou):
    write(tmp_path / "gold", {**GOLD, "c/x.mrg": "(A a)\n"})
    write(tmp_path / "pred", {**GOLD, "d/y.mrg": "(A a)\n"})
    err = failed(structiou("score", "gold", "pred"))
    assert "1 file of gold without a partner in pred: gold/c/x.mrg; 1 file of pred without a" in err
    assert "pred/d/y.mrg; files are paired by their names" in err


def test_a_folder_and_one_file(tmp_path, structiou):
    write(tmp_path, {f"gold/{name}": text for name, text in GOLD.items()})
    write(tmp_path, {"parsed.txt": "(S (A a))\n(S (B b))\n(S (C c))\n(S (D d))\n"})
    assert "1.0000" in succeeded(structiou("score", "gold", "parsed.txt")).splitlines()[0]


@pytest.mark.parametrize(
    "files, sides",
    [
        ("a/1 a/2 p", (["a/1", "a/2"], "p")),
        ("a/1 a/2 b/1 b/2", (["a/1", "a/2"], ["b/1", "b/2"])),
        ("a/1 b/1 c/1", (["a/1", "b/1"], "c/1")),
        ("1 2 3", (["1", "2"], "3")),
        ("g p", ("g", "p")),
        ("a/g b/p", ("a/g", "b/p")),
        ("g a/1 a/2", ("g", ["a/1", "a/2"])),
        ("t.jsonl", ("t.jsonl", None)),
    ],
)
def test_several_files_of_a_command_line_are_told_apart(files, sides, structiou, monkeypatch):
    """A shell expands patterns that are not in quotes."""
    seen = []

    def pair(self, reference, predictions, other=None):
        seen.append((reference, *predictions))
        raise ValueError("seen")

    monkeypatch.setattr(Reading, "pair", pair)
    structiou("score", *files.split())
    assert seen == ([sides] if sides[1] else [])


def test_every_command_takes_folders(tmp_path, structiou):
    write(tmp_path / "gold", GOLD)
    for command in (
        ("parseval", "gold", "gold", "--summary-only"),
        ("sparseval", "gold", "gold"),
        ("align", "gold", "gold", "--row", "4"),
        ("perturb", "gold", "--kind", "noise", "--delta", "0", "--unit", "word"),
        ("curve", "gold", "gold", "--unit", "word", "--deltas", "0", "--repeats", "1"),
        ("convert", "gold", "-"),
        ("paper", "lengths", "gold", "gold"),
    ):
        code, out, err = structiou(*command)
        assert code == 0, (command, err)
        assert out


def test_compare_takes_folders(tmp_path, structiou):
    pytest.importorskip("numpy")
    write(tmp_path / "gold", GOLD)
    write(tmp_path / "other", GOLD)
    code, out, err = structiou("compare", "gold", "gold", "other", "--resamples", "10")
    assert code == 0, err
    assert "other" in out


def test_joined_files_are_read_by_sentences_as_one(tmp_path):
    write(tmp_path, {"a.mrg": "(A a) (B b)\n(C c)\n", "b.mrg": "(D d)\n"})
    rows = read_rows(tmp_path)
    assert len(rows) == 4
    lines = rows.by_sentence()
    assert isinstance(lines, TreeFile)
    assert [lines.text(row) for row in range(3)] == ["(A a) (B b)", "(C c)", "(D d)"]


def test_names_that_are_the_same_twice(tmp_path):
    write(tmp_path, {"x/a.mrg": "(A a)\n", "y/a.mrg": "(A a)\n", "z/a.mrg": "(A a)\n", "z/b.mrg": "(A a)\n"})
    sides = [tmp_path / "x" / "a.mrg", tmp_path / "y" / "a.mrg"], tmp_path / "z"
    with pytest.raises(TreeMismatchError, match=r"^a\.mrg is there twice; files are paired by their names"):
        Reading().pair(sides[0], [sides[1]])

"""Registering for `evaluate.load("struct_iou")`: what is written, kept and removed.

That `evaluate` finds it is tested in `test_registered`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from structiou_metric import __version__, metric_path
from structiou_metric.commands.main import main
from structiou_metric.hub import register
from support.process import environment


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of all copies, not made yet; the working folder is an empty one."""
    for name in ("HF_HOME", "HF_MODULES_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return tmp_path / "hf" / "modules" / "evaluate_modules" / "metrics" / "evaluate-metric--struct_iou"


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Pretends that another version with another script is installed."""

    def install(version):
        path = tmp_path / f"script-{version}.py"
        path.write_text(f"# {version}\n")
        monkeypatch.setattr(register, "metric_path", lambda: str(path))
        monkeypatch.setattr(register, "__version__", version)

    return install


def copies(folder):
    return {path.name: path / "struct_iou.py" for path in folder.iterdir() if len(path.name) == 64}


def snapshot(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def make_foreign(folder, name="f" * 64, script="# theirs\n"):
    copy = folder / name
    copy.mkdir(parents=True)
    if script is not None:
        (copy / "struct_iou.py").write_text(script)
    return copy


# ---- metric_path


def test_metric_path_is_a_script_of_that_name():
    assert os.path.isabs(metric_path())
    assert os.path.basename(metric_path()) == "struct_iou.py"
    assert "class StructIou(" in Path(metric_path()).read_text(encoding="utf-8")


def test_metric_path_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(register, "__file__", str(tmp_path / "hub" / "register.py"))
    with pytest.raises(
        FileNotFoundError, match=r"hub.struct_iou\.py is missing; install structiou-metric again"
    ):
        metric_path()


# ---- register


def test_register_writes_a_copy(folder):
    copy = Path(register.register())
    assert copy.parent == folder
    assert len(copy.name) == 64
    assert sorted(path.name for path in copy.iterdir()) == ["__init__.py", "struct_iou.json", "struct_iou.py"]
    assert (copy / "struct_iou.py").read_bytes() == Path(metric_path()).read_bytes()
    note = json.loads((copy / "struct_iou.json").read_text())
    assert (note["written by"], note["version"]) == ("structiou register", __version__)
    packages = [folder, *list(folder.parents)[:3]]
    assert packages[-1].name == "modules"
    for package in packages:
        assert (package / "__init__.py").read_bytes() == b""


def test_register_twice_changes_nothing(folder):
    first = register.register()
    before = snapshot(folder)
    assert register.register() == first
    assert snapshot(folder) == before


def test_register_upgrades_and_downgrades(folder, install):
    for version in ("1.0", "2.0", "1.0", "3.0"):
        install(version)
        copy = register.register()
        assert [c.folder for c in register.find_copies()] == [copy]
        assert (Path(copy) / "struct_iou.py").read_text() == f"# {version}\n"
        assert register.find_copies()[0].version == version
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_register_again_is_the_newest(folder):
    copy = register.register()
    theirs = make_foreign(folder)
    later = os.stat(copy).st_mtime + 1000
    os.utime(theirs / "struct_iou.py", (later, later))
    assert register.find_copies()[0].folder == str(theirs)
    assert register.register() == copy
    assert [c.folder for c in register.find_copies()] == [copy, str(theirs)]


def test_register_keeps_what_it_did_not_write(folder, install):
    theirs = make_foreign(folder)
    (folder / "__init__.py").write_text("# theirs, too\n")
    install("1.0")
    register.register()
    install("2.0")
    register.register()
    assert (theirs / "struct_iou.py").read_text() == "# theirs\n"
    assert (folder / "__init__.py").read_text() == "# theirs, too\n"
    assert len(copies(folder)) == 2
    register.unregister()
    assert list(copies(folder)) == [theirs.name]


@pytest.mark.parametrize("change", ["script", "note", "more", "foreign note"])
def test_changed_copies_are_kept(folder, install, change):
    install("1.0")
    copy = Path(register.register())
    if change == "script":
        (copy / "struct_iou.py").write_text("# mine now\n")
    elif change == "more":
        (copy / "notes.txt").write_text("do not lose this")
    else:
        text = "no JSON" if change == "note" else '{"original file path": "elsewhere"}'
        (copy / "struct_iou.json").write_text(text)
    before = snapshot(copy)
    assert register.unregister() == []
    with pytest.raises(FileExistsError, match="was changed by others; remove it and register again"):
        register.register()
    install("2.0")
    newer = register.register()
    assert snapshot(copy) == before
    assert [c.folder for c in register.find_copies()] == [newer, str(copy)]


def test_bytecode_beside_a_copy_is_no_change(folder):
    copy = Path(register.register())
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__" / "struct_iou.cpython-311.pyc").write_bytes(b"")
    assert register.unregister() == [str(copy)]
    assert not copy.exists()


@pytest.mark.parametrize("what", ["empty folder", "file"])
def test_register_says_what_keeps_evaluate_from_loading(folder, what):
    if what == "file":
        folder.mkdir(parents=True)
        (folder / ("e" * 64)).write_text("")
    else:
        make_foreign(folder, "e" * 64, script=None)
    before = snapshot(folder)
    with pytest.raises(
        FileExistsError, match=r"eeee has no struct_iou\.py, which keeps evaluate from loading any"
    ):
        register.register()
    assert snapshot(folder) == before


def test_register_that_fails_leaves_no_trace(folder, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises(OSError, match="disk full"):
        register.register()
    assert [path.name for path in folder.iterdir()] == ["__init__.py"]


def test_register_where_nothing_may_be_written(folder, monkeypatch, capsys, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("HF_HOME", str(blocked))
    assert main(["register"]) == 1
    assert capsys.readouterr().err.startswith(f"structiou: {blocked}")


def test_many_processes_register_at_once(folder):
    command = [sys.executable, "-m", "structiou_metric", "register"]
    running = [subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE) for _ in range(6)]
    assert [(process.communicate()[1], process.returncode) for process in running] == [(b"", 0)] * 6
    assert [c.version for c in register.find_copies()] == [__version__]
    assert {path.name for path in folder.iterdir()} == {"__init__.py", *copies(folder)}


# ---- unregister and status


def test_unregister_removes_the_copy(folder):
    copy = register.register()
    assert register.unregister() == [copy]
    assert [path.name for path in folder.iterdir()] == ["__init__.py"]
    assert register.unregister() == []


def test_nothing_registered_makes_no_folder(folder):
    assert register.unregister() == []
    assert register.status() == f"folder      {folder}\nregistered  nothing\n"
    assert not folder.exists()


def test_status_tells_all(folder, install):
    register.register()
    assert register.status().splitlines()[1:] == [f"registered  version {__version__}"]
    install("99.0")
    theirs = make_foreign(folder)
    later = os.stat(theirs).st_mtime + 1000
    os.utime(theirs / "struct_iou.py", (later, later))
    make_foreign(folder, "e" * 64, script=None)
    shadow = Path("struct_iou")
    shadow.mkdir()
    (shadow / "struct_iou.py").write_text("")
    lines = register.status().splitlines()[1:]
    assert lines[0] == f"registered  version {__version__}, not the installed script of 99.0: register again"
    assert lines[1].startswith(f"in the way  {folder / ('e' * 64)} has no struct_iou.py")
    assert lines[2] == f"not ours    {theirs}"
    assert lines[3] == f"shadowed    in this folder, evaluate loads {shadow / 'struct_iou.py'}"


def test_status_tells_that_another_copy_is_loaded(folder):
    register.register()
    theirs = make_foreign(folder)
    later = os.stat(theirs).st_mtime + 1000
    os.utime(theirs / "struct_iou.py", (later, later))
    assert (
        register.status().splitlines()[2]
        == f"not ours    {theirs}, and the one that is loaded: register again"
    )
    register.register()
    assert register.status().splitlines()[2] == f"not ours    {theirs}"


# ---- where


def test_modules_folder(monkeypatch, tmp_path):
    for name in ("HF_HOME", "HF_MODULES_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert register.modules_folder() == str(tmp_path / ".cache" / "huggingface" / "modules")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert register.modules_folder() == str(tmp_path / "xdg" / "huggingface" / "modules")
    monkeypatch.setenv("HF_HOME", "~/hf")
    assert register.modules_folder() == str(tmp_path / "hf" / "modules")
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "mods"))
    assert register.modules_folder() == str(tmp_path / "mods")


# ---- the command


def test_command_registers_and_unregisters(folder, capsys):
    assert main(["register"]) == 0
    copy = next(iter(copies(folder)))
    assert (
        capsys.readouterr().out == f'registered {folder / copy}\nevaluate.load("struct_iou") finds it now\n'
    )
    assert main(["register", "--status"]) == 0
    assert f"registered  version {__version__}\n" in capsys.readouterr().out
    assert main(["register", "--unregister"]) == 0
    assert capsys.readouterr().out == f"removed {folder / copy}\n"
    assert main(["register", "--unregister"]) == 0
    assert capsys.readouterr().out == "nothing was registered\n"


def test_command_reports_what_is_in_the_way(folder, capsys):
    make_foreign(folder, "e" * 64, script=None)
    assert main(["register"]) == 1
    assert capsys.readouterr().err.endswith("keeps evaluate from loading any; remove that folder\n")


def test_command_takes_one_wish_at_a_time(folder, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["register", "--status", "--unregister"])
    assert caught.value.code == 2
    assert "not allowed with argument" in capsys.readouterr().err

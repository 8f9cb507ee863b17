"""On which build of the core do these tests run? `make` says which one it means."""

import importlib
import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import structiou_metric
from structiou_metric._core import TOGETHER
from support.paths import PACKAGE, ROOT

CORE = sorted(header.stem for header in (PACKAGE / "_core").glob("*.pxd"))


def test_headers_are_installed():
    assert "align" in CORE


def test_package_is_the_one_beside_the_tests_or_the_installed_one():
    if (ROOT / "structiou_metric").exists():
        assert PACKAGE == ROOT / "structiou_metric"
    else:
        assert PACKAGE.parent in {Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("platlib"))}


@pytest.mark.skipif("STRUCTIOU_EXPECT_COMPILED" not in os.environ, reason="either build will do")
def test_compiled_is_what_was_asked_for():
    assert structiou_metric.COMPILED is (os.environ["STRUCTIOU_EXPECT_COMPILED"] == "1")


@pytest.mark.skipif("STRUCTIOU_EXPECT_CHECKED" not in os.environ, reason="either build will do")
def test_checked_build_checks_bounds():
    trees = importlib.import_module("structiou_metric._core.flat").FlatTrees()
    for index in (-1, 1000):
        with pytest.raises(IndexError):
            trees.is_timed(index)


@pytest.mark.skipif("STRUCTIOU_EXPECT_SANITIZED" not in os.environ, reason="either build will do")
def test_sanitized_build_ends_at_a_place_beyond_a_buffer():
    program = "from structiou_metric._core.flat import FlatTrees; FlatTrees().is_timed(1000)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.returncode != 0
    assert "AddressSanitizer: heap-buffer-overflow" in ended.stderr


@pytest.mark.parametrize("name", CORE)
def test_compiled_is_true_of_each_module(name):
    module = importlib.import_module(f"structiou_metric._core.{name}")
    assert module.__file__.endswith(tuple(EXTENSION_SUFFIXES)) is structiou_metric.COMPILED


@pytest.mark.parametrize("name", CORE)
def test_compiled_in_place_is_newer_than_its_source(name):
    shared = "_cyutility" if name in TOGETHER else name
    built = PACKAGE / "_core" / (shared + sysconfig.get_config_var("EXT_SUFFIX"))
    if PACKAGE.parent == ROOT and built.exists():
        for source in (built.with_name(f"{name}.py"), built.with_name(f"{name}.pxd")):
            assert built.stat().st_mtime >= source.stat().st_mtime, f"{built} is out of date: `make core`"


def test_modules_in_one_shared_object_are_those_that_a_score_needs():
    program = (
        "import sys; from structiou_metric import struct_iou; struct_iou('(S (A a))', '(S (A b))'); "
        "print(*(name for name in sys.modules if name.startswith('structiou_metric._core.')))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    loaded = {name.rpartition(".")[2] for name in told.split()}
    assert loaded - {"_cyutility", "_cython"} == set(TOGETHER)


@pytest.mark.skipif(not structiou_metric.COMPILED, reason="there is no shared object")
def test_a_broken_shared_object_is_told_and_not_passed_over(tmp_path):
    copy = tmp_path / "structiou_metric"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    [shared] = (copy / "_core").glob("_cyutility.*")
    shared.write_bytes(b"no shared object")
    program = "import structiou_metric; structiou_metric.struct_iou"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode != 0
    assert "_cyutility" in ended.stderr

"""On which build of the core do these tests run? `make` says which one it means."""

import importlib
import os
import subprocess
import sys
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import structiou_metric
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
    built = PACKAGE / "_core" / (name + sysconfig.get_config_var("EXT_SUFFIX"))
    if PACKAGE.parent == ROOT and built.exists():
        for source in (built.with_name(f"{name}.py"), built.with_name(f"{name}.pxd")):
            assert built.stat().st_mtime >= source.stat().st_mtime, f"{built} is out of date: `make core`"

"""What the source package and the wheel hold.

`make dist` names the folder of what it has built; else a wheel without compiled modules is built from a copy.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest

from support.extras import need
from support.paths import ROOT

for module in ("build", "Cython", "setuptools"):
    need(module)

if not (ROOT / "structiou_metric").exists():
    pytest.skip("the tests are next to an installed copy", allow_module_level=True)

PACKAGES = ("structiou_metric", "spacy_structiou")
SCRIPT = "structiou_metric/hub/struct_iou.py"
SHARED = "structiou_metric/_core/_cyutility"
# Made here, or of no use without the repository.
LEFT_OUT = (
    ".git",
    ".venv",
    ".venvs",
    "build",
    "dist",
    "htmlcov",
    "*.egg-info",
    "*.so",
    "*_cache",
    "__pycache__",
)


class Archive(NamedTuple):
    name: str
    files: dict[str, bytes]

    def under(self, *folders: str) -> set[str]:
        return {name for name in self.files if name.partition("/")[0] in folders}

    def text(self, ending: str) -> str:
        (name,) = (name for name in self.files if name.endswith(ending))
        return self.files[name].decode("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the packages are."""
    if named := os.environ.get("STRUCTIOU_DIST"):
        return Path(named)
    source, built = tmp_path_factory.mktemp("source") / "project", tmp_path_factory.mktemp("dist")
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*LEFT_OUT))
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", built, source],
        env={**os.environ, "STRUCTIOU_COMPILE": "0"},
        check=True,
        capture_output=True,
    )
    return built


@pytest.fixture(scope="module")
def wheel(folder):
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return Archive(path.name, {name: archive.read(name) for name in archive.namelist()})


@pytest.fixture(scope="module")
def sdist(folder):
    (path,) = folder.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        return Archive(
            path.name, {member.name.partition("/")[2]: archive.extractfile(member).read() for member in files}
        )


def test_wheel_holds_the_two_packages_and_its_metadata(wheel):
    tops = {name.partition("/")[0] for name in wheel.files}
    version = wheel.name.split("-")[1]
    assert tops == {*PACKAGES, f"structiou_metric-{version}.dist-info"}


def test_wheel_holds_every_source_of_the_packages_and_nothing_else(wheel, sdist):
    sources = sdist.under(*PACKAGES)
    assert {PurePosixPath(name).suffix for name in sources} == {
        ".py",
        ".pxd",
        ".typed",
        ".html",
        ".css",
        ".js",
    }
    extensions = {name for name in wheel.files if name.endswith((".so", ".pyd"))}
    assert wheel.under(*PACKAGES) - extensions == sources | {SCRIPT}
    assert all(wheel.files[name] == sdist.files[name] for name in sources)


def test_wheel_marks_both_packages_as_typed(wheel):
    assert all(f"{package}/py.typed" in wheel.files for package in PACKAGES)


def test_wheel_holds_the_script_of_the_hub(wheel, sdist):
    assert wheel.files[SCRIPT] == sdist.files["hf_space/struct_iou.py"]


def test_wheel_is_compiled_as_a_whole_or_not_at_all(wheel):
    modules = {name.removesuffix(".pxd") for name in wheel.files if name.endswith(".pxd")}
    compiled = [name.partition(".")[0] for name in wheel.files if name.endswith((".so", ".pyd"))]
    pure = wheel.name.endswith("-py3-none-any.whl")
    assert sorted(compiled) == ([] if pure else sorted({*modules, SHARED}))
    assert f"Root-Is-Purelib: {str(pure).lower()}" in wheel.text(".dist-info/WHEEL")


def test_metadata(wheel, sdist):
    settings = tomllib.loads(sdist.text("pyproject.toml"))["project"]
    metadata = message_from_string(wheel.text(".dist-info/METADATA"))
    assert metadata["Requires-Python"] == settings["requires-python"]
    assert metadata["License-Expression"] == "MIT"
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in wheel.files)
    assert metadata.get_all("Project-URL") == [f"{name}, {url}" for name, url in settings["urls"].items()]
    entry_points = wheel.text(".dist-info/entry_points.txt")
    for group in ("console_scripts", *settings["entry-points"]):
        assert f"[{group}]" in entry_points


def test_sdist_holds_all_that_is_in_the_repository(sdist):
    """So tests, documentation and all that they read are there."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a repository")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    tracked = {name for name in listed if name and (ROOT / name).exists()}
    assert tracked - sdist.files.keys() <= {".gitattributes", ".gitignore"}


def test_sdist_holds_nothing_that_was_made(sdist):
    made = re.compile(
        r"\.(c|so|pyd|pyc)$|^docs/_build/|(^|/)(__pycache__|\.hypothesis|\.\w+_cache|\.venvs?)/|^hf_space/data/"
    )
    assert [name for name in sdist.files if made.search(name) and not name.startswith("tests/")] == []
    assert [name for name in sdist.files if re.search(r"\.(so|pyd|pyc)$", name)] == []

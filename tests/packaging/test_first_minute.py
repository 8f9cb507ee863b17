"""The first commands of the README work in a fresh clone: the demo, the tests, and installing the package."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from structiou_metric.commands.main import main
from support.pages import read_blocks
from support.paths import ROOT
from support.process import PATIENCE

COMMANDS = ["make demo", "make test", "pip install .", 'pip install ".[evaluate]"']
USE_EVALUATE = """
import evaluate, structiou_metric
metric = evaluate.load(structiou_metric.metric_path())
print(metric.compute(predictions=["(S (X we) (Y run))"], references=["(S (X we) (Z run))"])["struct_iou"])
"""


def first_commands(page):
    """Return the commands of a page that a fresh clone is tested with, without comments."""
    (block,) = (
        block for block in read_blocks(page) if block.detail == "tests/packaging/test_first_minute.py"
    )
    return [re.sub(r" +# .*", "", line) for line in block.text.splitlines()]


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_pages_show_the_first_commands(page):
    assert first_commands(page) == COMMANDS


def test_readme_shows_the_first_commands_right_after_the_picture():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    after = text.partition("</picture>\n")[2]
    assert 0 < after.index("make demo") < 500


def test_no_page_installs_from_an_index():
    """The package is on no index: it is installed from a clone."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "hf_space" / "README.md"]
    pages += [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".ipynb")]
    for path in pages:
        if "_build" not in path.parts:
            for name in re.findall(
                r"pip install [\\\"']*(structiou[\w-]*)", path.read_text(encoding="utf-8")
            ):
                pytest.fail(f"{path.relative_to(ROOT)}: pip install {name}")


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_bare_name_needs_registering(page):
    lines = [line for line in (ROOT / page).read_text("utf-8").splitlines() if 'load("struct_iou")' in line]
    assert lines
    assert all("structiou register" in line for line in lines)


def test_minimal_python_is_the_same_everywhere():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    least = settings["project"]["requires-python"].removeprefix(">=")
    for name in ("README.md", "docs/start.md", "CONTRIBUTING.md", "hf_space/README.md", "Makefile"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert set(re.findall(r"Python (3\.\d+) or later", text)) == {least}, name
    assert f'python_version: "{least}"' in (ROOT / "hf_space" / "README.md").read_text(encoding="utf-8")
    assert f"sys.version_info < ({least.replace('.', ', ')})" in (ROOT / "Makefile").read_text("utf-8")


@pytest.fixture
def clone(tmp_path):
    """The files of this checkout that are not ignored, as a fresh clone has them."""
    if not (ROOT / ".git").exists() or not (ROOT / "structiou_metric").exists():
        pytest.skip("the tests are not in a checkout")
    for program in ("git", "make"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (tmp_path / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "clone" / name)
    return tmp_path / "clone"


@pytest.fixture
def fresh(tmp_path, clone):
    """The environment of a shell with a new Python first; nothing is compiled, which other tests do."""
    home = tmp_path / "python"
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    bin_folder = home / ("Scripts" if os.name == "nt" else "bin")
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("STRUCTIOU_", "PYTHON", "MAKE", "MFLAGS", "VIRTUAL_ENV", "HF_", "COV"))
    }
    env = {
        **inherited,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONIOENCODING": "utf-8",
        "STRUCTIOU_COMPILE": "0",
        "PIP_NO_COMPILE": "1",
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(tmp_path / "hf"),
    }
    probe = ["pip", "download", "-q", "--no-deps", "--dest", str(tmp_path / "probe"), "setuptools"]
    if subprocess.run(probe, env=env, capture_output=True, check=False).returncode:
        pytest.skip("pip finds no packages")
    return env


def run(command, folder, env):
    done = subprocess.run(
        command if isinstance(command, list) else ["sh", "-c", command],
        cwd=folder,
        env=env,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


@pytest.mark.slow
def test_first_commands_work_in_a_fresh_clone(clone, fresh, tmp_path, monkeypatch, capsys):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for command in first_commands("README.md"):
        if command == "make test":  # this test is a part of it
            continue
        out = run(command, clone, fresh)
        if command == "make demo":
            assert_demo(out, monkeypatch, capsys)
        else:
            assert run("structiou --version", elsewhere, fresh).startswith("structiou")
    # The one alignment that is possible: S and X of three nodes on either side.
    assert run(["python", "-c", USE_EVALUATE], elsewhere, fresh) == f"{4 / 6}\n"


def assert_demo(out: str, monkeypatch, capsys) -> None:
    """Compare what the demo prints with what its commands print here."""
    monkeypatch.chdir(ROOT)
    recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", Path("Makefile").read_text("utf-8"), flags=re.MULTILINE)[1]
    commands = [shlex.split(line)[1:] for line in recipe.splitlines()]
    assert len(commands) == 3
    for words in commands:
        assert main(words) == 0
        assert capsys.readouterr().out in out

"""The folder that is uploaded to the Hub, run with the libraries of its requirements and nothing else.

An environment of its own has links to the installed files of these libraries, found by their metadata. So
nothing is downloaded, and neither an editable nor a plain installation of this package can be imported.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution

import pytest

from deploy import space_repo
from structiou_metric import __version__
from support import process
from support.extras import need
from support.paths import ROOT, SPACE
from support.space_client import SpaceClient
from support.space_server import SpaceServer

need("evaluate")
need("packaging")

pytestmark = pytest.mark.slow

if os.name == "nt" or not (ROOT / "structiou_metric").exists():
    pytest.skip("needs links to folders, and the package in this folder", allow_module_level=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder, as the command of `make space-repo` writes it."""
    target = tmp_path_factory.mktemp("built") / "space"
    command = [sys.executable, SPACE / "deploy" / "space_repo.py", target]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert f"{sum(path.is_file() for path in target.rglob('*'))} files are in {target}" in printed
    assert f"hf upload OWNER/struct_iou {target} . --repo-type space" in printed
    return target


def distributions_of(requirements):
    """Return all that pip would install for some requirements, as it is installed here."""
    from packaging.requirements import Requirement

    todo, found, seen = [Requirement(line) for line in requirements], {}, set()
    while todo:
        wanted = todo.pop()
        if (key := (wanted.name.lower(), frozenset(wanted.extras))) in seen:
            continue
        seen.add(key)
        found[wanted.name.lower()] = item = distribution(wanted.name)
        for one in map(Requirement, item.requires or ()):
            extras = wanted.extras or {""}
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras):
                todo.append(one)
    return found.values()


def make_python(folder, requirements):
    """Make an environment with the libraries of some requirements; return its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    libraries = folder / "libraries"
    libraries.mkdir()
    for item in distributions_of(requirements):
        for name in {file.parts[0] for file in item.files} - {"..", "__pycache__"}:
            link = libraries / name
            if not name.endswith(".pth") and not link.exists():
                link.symlink_to(item.locate_file(name))
    packages = sysconfig.get_path("purelib", "venv", {"base": str(folder)})
    with open(os.path.join(packages, "libraries.pth"), "w", encoding="utf-8") as file:
        file.write(f"{libraries}\n")
    return folder / "bin" / "python"


def run(python, code, cwd, **changes):
    """Run code in an environment, with nothing of the one of this process."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STRUCTIOU_"))
    }
    command = [python, "-c", code]
    return subprocess.run(
        command, cwd=cwd, env={**kept, **changes}, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def served(folder, tmp_path_factory):
    """The folder, served as the Hub does it; and its interpreter."""
    place = tmp_path_factory.mktemp("served")
    python = make_python(place / "python", (folder / "requirements.txt").read_text("utf-8").splitlines())
    missing = run(python, "import structiou_metric", place)
    assert "No module named 'structiou_metric'" in missing.stderr
    start = re.search(r"^app_file: (.*)$", (folder / "README.md").read_text("utf-8"), re.MULTILINE)[1]
    server = SpaceServer(
        place / "data",
        folder / "benchmarks",
        command=(python, folder / start),
        environment={"PYTHONPATH": ""},
    )
    try:
        server.start()
        client = SpaceClient(server.url)
        yield client
        client.close()
    finally:
        server.kill()


def test_package_is_pure_and_complete(folder):
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    source = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "structiou_metric").rglob("*")
        if path.suffix in (".py", ".css", ".js") or path.parent.name == "templates" or path.name == "py.typed"
    }
    vendored = {name for name in found if name.startswith("structiou_metric/")}
    assert vendored == source | {"structiou_metric/hub/struct_iou.py"}
    assert {"start.py", "app.py", "struct_iou.py", "LICENSE", "web/templates/base.html"} <= found
    assert not [name for name in found if re.search(r"\.(so|pyc|sqlite\S*)$|^data/|^deploy/", name)]


def test_requirements_are_those_of_the_space_without_the_package(folder):
    ours = (SPACE / "requirements.txt").read_text("utf-8")
    assert (folder / "requirements.txt").read_text("utf-8") == ours.replace(
        f"structiou-metric=={__version__}\n", ""
    )


def test_card_is_that_of_a_space_and_its_links_lead_somewhere(folder):
    import huggingface_hub

    text = (folder / "README.md").read_text("utf-8")
    data = huggingface_hub.SpaceCard(text).data
    assert (data.sdk, data.app_file) == ("gradio", "start.py")
    links = re.findall(r"\]\(([^)#\s]+)", text)
    assert links
    for link in links:
        assert link.startswith("https://") or (".." not in link and (folder / link).exists()), link


def test_metric_loads_from_the_folder(folder, tmp_path):
    python = make_python(tmp_path / "python", ["evaluate", "datasets"])
    code = """
import evaluate, structiou_metric
from structiou_metric._core import align
print(structiou_metric.__file__, align.__file__)
metric = evaluate.load("./struct_iou.py")
prediction, reference = "(S (NP (PRP we)) (VP (VBP run)))", "(S (NP (PRP we)) (VP (VB run)))"
print(metric.compute(predictions=[prediction], references=[reference])["struct_iou"])
"""
    done = run(python, code, folder, HF_HOME=str(tmp_path / "hub"), HF_EVALUATE_OFFLINE="1")
    assert done.returncode == 0, done.stderr
    places, figure = done.stdout.splitlines()
    own = folder / "structiou_metric"
    assert places == f"{own / '__init__.py'} {own / '_core' / 'align.py'}"
    assert figure == "0.8"  # four of five nodes on each side have a partner, with an IoU of 1


def test_board_is_not_empty_and_takes_a_submission(served, folder):
    def systems():
        return {entry["system"]: entry for entry in served.board("english")}

    process.wait_until(lambda: {"baseline", "baseline, flat"} <= set(systems()))
    rows = (folder / "benchmarks" / "english" / "reference.txt").read_text("utf-8").splitlines()
    found = served.submit("english", "the reference itself", rows)
    assert found["state"] == "scored", found
    best = systems()["the reference itself"]
    assert best["struct_iou_sentence"] == 1.0
    assert best["rank"] == 1
    ids = [("system", entry["id"]) for entry in systems().values()]
    for path in ("/", "/board?benchmark=english", "/playground/", "/submit?benchmark=english", "/score"):
        assert served.get(path).status_code == 200, path
    assert served.get("/compare", params=ids[:2]).status_code == 200


def test_private_reference_trees_stay_at_home(tmp_path, monkeypatch):
    shutil.copytree(SPACE / "benchmarks", tmp_path / "hf_space" / "benchmarks")
    description = tmp_path / "hf_space" / "benchmarks" / "english" / "benchmark.toml"
    description.write_text(description.read_text("utf-8").replace("show_sentences = true", ""), "utf-8")
    monkeypatch.setattr(space_repo, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"english/benchmark.toml: its reference trees are private"):
        space_repo.write_space(tmp_path / "space")
    assert not (tmp_path / "space").exists()


def test_folder_of_somebody_else_is_not_replaced(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine", "utf-8")
    with pytest.raises(ValueError, match="files that this program did not write"):
        space_repo.write_space(tmp_path)
    assert (tmp_path / "thesis.tex").read_text("utf-8") == "mine"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_names_the_program():
    command = ["make", "-n", "-C", str(ROOT), "space-repo", "PYTHON=python3"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "python3 hf_space/deploy/space_repo.py build/space" in printed.splitlines()


@pytest.mark.parametrize("dataset", ["", "owner/copy"])
def test_a_board_with_a_copy_on_the_hub_gets_no_demo_systems(tmp_path, dataset):
    """An empty disk is filled from the copy, so that they would come again with every restart."""
    shutil.copy(SPACE / "deploy" / "start.py", tmp_path)
    (tmp_path / "app.py").write_text("import sys\n\ndef main():\n    print(sys.argv[1:])\n", "utf-8")
    command = [sys.executable, tmp_path / "start.py"]
    changed = {**os.environ, "STRUCTIOU_HUB_DATASET": dataset}
    done = subprocess.run(command, env=changed, capture_output=True, text=True, check=True)
    assert done.stdout == ("[]\n" if dataset else "['--demo']\n")

"""The tutorials: stored without outputs, and executed cell by cell in their folder."""

from __future__ import annotations

import json
import re
import tempfile
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from typing import NamedTuple

import pytest

from support.extras import need
from support.paths import DATA, ROOT
from support.process import PATIENCE, environment

need("ipykernel")
need("nbclient")

TUTORIALS = ROOT / "docs" / "tutorials"
NAMES = ["compare-and-why", "hebrew", "leaderboard", "score-a-parser", "speech"]
_PICTURES = ("image/png", "image/svg+xml", "text/html")

# STRUCT-IoU of the bundled English trees with base labels, as the record has it.
ENGLISH = json.loads((DATA / "recorded_figures.json").read_text("utf-8"))["score"]["english --labels base"][
    "struct_iou"
]


def stored(name):
    return json.loads((TUTORIALS / f"{name}.ipynb").read_text("utf-8"))


def source(cell):
    return "".join(cell["source"])


def test_these_are_all():
    assert sorted(path.stem for path in TUTORIALS.glob("*.ipynb")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_stored_without_outputs(name):
    notebook = stored(name)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert not [cell for cell in code if cell["outputs"] or cell["execution_count"] is not None]
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in notebook["cells"]]
    assert ids == [f"{name}-{number:02d}" for number in range(1, len(ids) + 1)]


@pytest.mark.parametrize("name", NAMES)
def test_tidy(name):
    """A notebook that an editor has saved becomes this one again."""
    path = TUTORIALS / f"{name}.ipynb"
    tidied = run_path(str(TUTORIALS / "tidy.py"))["tidied"]
    assert tidied(path) == path.read_text("utf-8"), "run docs/tutorials/tidy.py"


def test_tidy_removes_what_an_editor_adds(tmp_path):
    notebook = stored("hebrew")
    for cell in notebook["cells"]:
        cell["id"] = "1f" + cell["id"]
        cell["metadata"] = {"tags": ["x"]}
        if cell["cell_type"] == "code":
            cell |= {
                "execution_count": 3,
                "outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}],
            }
    notebook["metadata"]["language_info"]["version"] = "3.99"
    edited = tmp_path / "hebrew.ipynb"
    edited.write_text(json.dumps(notebook), "utf-8")
    tidied = run_path(str(TUTORIALS / "tidy.py"))["tidied"]
    assert tidied(edited) == (TUTORIALS / "hebrew.ipynb").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_short_and_explained(name):
    cells = stored(name)["cells"]
    assert 10 <= len(cells) <= 25
    assert source(cells[0]).startswith("# ")
    kinds = [cell["cell_type"] for cell in cells]
    assert kinds.count("markdown") >= kinds.count("code") - 1
    # Only what users are shown: nothing of a module or an object that begins with an underscore.
    assert not [
        cell for cell in cells if cell["cell_type"] == "code" and re.search(r"\._[a-z]", source(cell))
    ]


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name):
    text = "\n".join(source(cell) for cell in stored(name)["cells"] if cell["cell_type"] == "markdown")
    links = re.findall(r"\]\(([^)#]+)", text)
    assert links
    assert all((TUTORIALS / link).is_file() for link in links), links


class Output(NamedTuple):
    """What a cell has put out: its texts, and by kind its pictures."""

    text: str
    pictures: dict[str, str]


def executed(name, folder):
    """Every code cell with what it put out; an exception in any cell is one here."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(TUTORIALS / f"{name}.ipynb", as_version=4)
    client = NotebookClient(
        notebook, timeout=PATIENCE, kernel_name="python3", resources={"metadata": {"path": str(TUTORIALS)}}
    )
    client.execute(env=environment(IPYTHONDIR=str(folder)))
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            shown = [output.get("data", {}) for output in cell.outputs]
            # A stream comes in pieces, which may end anywhere.
            text = "".join(output.text for output in cell.outputs if output.output_type == "stream")
            text += "".join(data.get("text/plain", "") for data in shown)
            errors = [output for output in cell.outputs if output.get("name") == "stderr"]
            assert not errors, errors
            pictures = {kind: data[kind] for data in shown for kind in _PICTURES if kind in data}
            found.append((cell.source, Output(text, pictures)))
    return found


def output_of(found, part):
    """What the only cell with that part in its source has put out."""
    [output] = [output for source, output in found if part in source]
    return output


def check_score(found):
    assert output_of(found, "SegmentTree.from_brackets").pictures["text/html"].count("data-node=") == 9
    assert output_of(found, "struct_iou(prediction, reference").text == "0.75"  # the paper's first figure
    assert (
        output_of(found, 'align(prediction, reference, unit="time")')
        .pictures["text/html"]
        .count("data-pair=")
        == 6
    )
    assert (
        f">{ENGLISH:.4f}<"
        in output_of(found, "corpus_score(predictions, references)\nresult").pictures["text/html"]
    )
    assert f"{ENGLISH:.4f}  function tags cut" in output_of(found, "labels as they are").text
    assert output_of(found, "result.by_label").text.splitlines()[1].split()[0] == "NP"
    assert output_of(found, "def nodes_lost").text.splitlines()[1].split()[:4] == [
        "74",
        "32",
        "0.0000",
        "empty",
    ]
    assert "<svg" in output_of(found, ".align(predictions[worst], references[worst])").pictures["text/html"]
    assert f"STRUCT-IoU, sentence mean    {ENGLISH:.4f}" in output_of(found, "check_output").text


def check_compare(found):
    changed = int(output_of(found, "def attach_high").text)
    shown = output_of(found, "found = compare(").pictures["text/html"]
    assert shown.index(">careful<") < shown.index(">hasty<")
    assert f"{ENGLISH:.4f}</strong><sup>a</sup>" in shown
    told = output_of(found, "ranked_pairs").text
    assert "careful minus hasty: +" in told
    assert "significant:         True" in told
    better, equal, worse = map(int, re.findall(r"better, equal, worse: (\d+) (\d+) (\d+)", told)[0])
    assert (better + equal + worse, better + worse) == (80, changed)
    assert better > worse
    groups = output_of(found, "found.lengths").text.splitlines()[1:]
    assert sum(int(line.split()[1]) for line in groups) == 80
    causes = [line.split() for line in output_of(found, "found.causes_of").text.splitlines()[1:]]
    assert min(causes, key=lambda row: float(row[3]))[0] == "attachment"
    assert ">attachment<" in output_of(found, "result.losses").pictures["text/html"]
    assert ">PP attachment<" in output_of(found, "explain_corpus").pictures["text/html"]
    assert "move PP “across the river” from S to NP-SBJ" in output_of(found, "moves.describe").text
    assert 'data-class="attachment"' in output_of(found, "cause_classes").pictures["text/html"]
    assert "srcdoc=" in output_of(found, "write_page(found").pictures["text/html"]


def check_speech(found):
    assert "<audio" in output_of(found, "Audio(RECORDING)").pictures["text/html"]
    words = [line.split() for line in output_of(found, "align_audio(").text.strip().splitlines()]
    assert " ".join(word for _, word in words) == "the mayor opened the new bridge across the river"
    # The synthesiser says *river* from 2.30 to 2.74 s, and *opened* from 0.73 to 1.16 s.
    for place, times in ((8, (2.303, 2.735)), (2, (0.731, 1.16))):
        assert tuple(map(float, words[place][0].split("–"))) == pytest.approx(times, abs=0.06)
    projected = output_of(found, "projected.report.describe()")
    assert "9  as in the transcript" in projected.text
    assert "axis in seconds" in projected.pictures["text/html"]
    assert "data/recognised.json: 9 words" in output_of(found, "read_words(").text
    aligned = output_of(found, "alignment = align(prediction, projected.tree")
    assert 0.7 < float(aligned.text.split()[0]) < 1.0
    assert "<svg" in aligned.pictures["text/html"]
    losses = output_of(found, ".losses").pictures["text/html"]
    assert {">attachment<", ">timing<"} <= set(re.findall(r">(?:attachment|timing)<", losses))
    assert "first pair 0.75," in output_of(found, "speech.reference.txt").text  # the paper's first figure
    curve = output_of(found, "perturbation_curve(").pictures["text/html"]
    assert curve.count("1.0000 ± 0.0000") == 3  # nothing is perturbed at level 0
    assert "data:image/svg+xml;base64," in curve
    assert output_of(found, "save_figure(").pictures["image/png"]


def check_hebrew(found):
    drawn = output_of(found, "alignment = align(")
    assert drawn.text.splitlines()[0] == "0.635"  # the paper's figure
    for part in ("references[0]", "predictions[0]"):
        [tree] = [output.pictures["text/html"] for source, output in found if source == part]
        assert ' dir="rtl">' in tree
    assert ' dir="rtl">' in drawn.pictures["text/html"]
    assert (
        "4 words and reference has 3 words"
        in output_of(found, "struct_iou(predictions[0], references[0])\n").text
    )
    # Six pairs of the same span and two of two letters in six, of 12 and 9 nodes.
    assert "2 · 6.6667 / (12 + 9) = 0.635" in output_of(found, "for node, other, iou").text
    assert ">27<" in output_of(found, "corpus_score(predictions, references)\nresult").pictures["text/html"]
    for line in output_of(found, "def without_points").text.strip().splitlines():
        with_points, without = line.split()[:2]
        assert with_points == without
    assert re.findall(r"(\d+) sentences", output_of(found, "other tokens").text) == ["7", "20"]
    assert "4 characters and reference has 5 characters" in output_of(found, "written = ").text
    # Of five columns PP has all on both sides, NN three of five: 2 · 1.6 / 7.
    aligned = output_of(found, "aligned = align(")
    assert aligned.text.splitlines()[0] == "0.4571"
    assert "<svg" in aligned.pictures["text/html"]


def check_leaderboard(found):
    assert output_of(found, "wait_until_well()[").text == "'ok'"
    assert output_of(found, '"chart parser"').text.strip() == f"scored {ENGLISH:.4f}"
    refused = output_of(found, '"in a hurry"').text
    assert refused.startswith("1 problem\nrow 1: ")
    head, *board = output_of(found, "/table/mayor.json").text.strip().splitlines()
    assert [line[: head.index("STRUCT-IoU")].split(None, 1) for line in board] == [
        ["1", "chart parser  "],
        ["2", "no phrases    "],
    ]
    assert "<svg" in output_of(found, "/badge/").pictures["image/svg+xml"]
    assert "leaderboard.sqlite3" in output_of(found, "server.terminate()").text


# By tutorial, the libraries that it needs, and what must be in its outputs.
RUNS = {
    "compare-and-why": (["numpy"], check_compare),
    "hebrew": ([], check_hebrew),
    "leaderboard": (["gradio", "limits", "pydantic_settings"], check_leaderboard),
    "score-a-parser": ([], check_score),
    "speech": (["matplotlib", "pocketsphinx", "soundfile", "soxr"], check_speech),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", NAMES)
def test_runs(tmp_path, name):
    modules, check = RUNS[name]
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    found = executed(name, tmp_path)
    told = "\n".join(output.text + "".join(output.pictures.values()) for _, output in found)
    for place in (ROOT, Path(tempfile.gettempdir()), Path.home()):
        assert f"{place}/" not in told, "a place on this machine is in an output"
    check(found)

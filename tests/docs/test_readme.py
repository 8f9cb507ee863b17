"""The README's examples do what they say."""

from __future__ import annotations

import doctest
import re
import shlex

import pytest

from structiou_metric import StructIoU, speech
from structiou_metric.analysis.errors import CLASSES
from structiou_metric.commands import main as cli
from structiou_metric.metrics import METRICS
from structiou_metric.metrics.struct_iou.losses import CAUSES
from structiou_metric.sources.formats import FORMATS
from structiou_metric.sources.formats.writing import WRITERS
from structiou_metric.sources.places import ENDINGS
from structiou_metric.speech.forced.audio import KINDS
from structiou_metric.trees.discontinuous import CHOICES
from support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
TEXTS = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
COMMANDS = re.findall(r"^\$ (structiou .*)$", TEXTS, flags=re.MULTILINE)
SIGNATURES = ("structiou|unit:", "parseval|variant:")


@pytest.mark.parametrize("page", [page for page in PAGES if ">>> " in (ROOT / page).read_text("utf-8")])
def test_python_examples(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert tried > 3
    assert failed == 0


def test_page_of_metrics_tells_all_of_them():
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z_]+)` \|", page, flags=re.MULTILINE) == list(METRICS)


def test_page_of_treebanks_tells_all_formats_and_endings():
    page = (ROOT / "docs" / "treebanks.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z][a-z0-9-]+)` \|", page, flags=re.MULTILINE) == list(FORMATS)
    assert all(f"`{ending}`" in page for ending in ENDINGS)
    assert all(f"`{name}`" in page for name in WRITERS)
    assert all(f"- `{name}`:" in page for name in CHOICES[1:])


def test_page_of_speech_formats_tells_all_of_them():
    page = (ROOT / "docs" / "speech-formats.md").read_text(encoding="utf-8")
    words, _, rest = page.partition("## Recordings")
    recordings, _, marks = rest.partition("## Marks")
    assert re.findall(r"^\| `([a-z][a-z0-9-]+)` \|", words, flags=re.MULTILINE) == list(speech.FORMATS)
    assert re.findall(r"^\| `([a-z][a-z0-9-]+)` \|", marks, flags=re.MULTILINE) == list(speech.MARKS)
    assert all(kind.rpartition(" ")[2] in recordings.partition("```")[0] for kind in KINDS)


def test_page_of_causes_tells_all_of_them():
    page = (ROOT / "docs" / "why.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\*\*`([a-z]+)`\*\*|(?<=and \*\*`)([a-z]+)", page, flags=re.MULTILINE)) == {
        (cause, "") if cause != "extra" else ("", cause) for cause in CAUSES
    }


def test_page_of_moves_tells_all_classes():
    page = (ROOT / "docs" / "moves.md").read_text(encoding="utf-8")
    section = page[page.index("## Classes") : page.index("These rules")]
    assert re.findall(r"^\| `(.+?)` \| (.+) \|", section, flags=re.MULTILINE) == list(CLASSES.items())


@pytest.mark.parametrize("command", COMMANDS)
def test_readme_commands(command, monkeypatch, capsys):
    if " compare " in command:
        pytest.importorskip("numpy")
    monkeypatch.chdir(ROOT)
    assert cli.main(shlex.split(command)[1:]) == 0
    out = capsys.readouterr().out
    assert any(signature in out for signature in SIGNATURES)


def test_readme_lists_every_option():
    for name, option in StructIoU.OPTIONS.items():
        values = ", ".join(f"`{choice}`" for choice in option.choices)
        assert f"| `{name}` | {values}" in README

"""Pages tell all there is of what they list, and links lead somewhere."""

from __future__ import annotations

import re

import pytest

from structiou_metric import speech
from structiou_metric.analysis.errors import CLASSES
from structiou_metric.metrics import METRICS
from structiou_metric.metrics.struct_iou.losses import CAUSES
from structiou_metric.sources.formats import FORMATS
from structiou_metric.sources.formats.writing import WRITERS
from structiou_metric.sources.places import ENDINGS
from structiou_metric.trees.discontinuous import CHOICES
from support.pages import EXTRAS, PAGES, read_page
from support.paths import ROOT


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
    words, _, marks = page.partition("## Marks")
    assert re.findall(r"^\| `([a-z][a-z0-9-]+)` \|", words, flags=re.MULTILINE) == list(speech.FORMATS)
    assert re.findall(r"^\| `([a-z][a-z0-9-]+)` \|", marks, flags=re.MULTILINE) == list(speech.MARKS)


def test_page_of_causes_tells_all_of_them():
    page = (ROOT / "docs" / "why.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\*\*`([a-z]+)`\*\*|(?<=and \*\*`)([a-z]+)", page, flags=re.MULTILINE)) == {
        (cause, "") if cause != "extra" else ("", cause) for cause in CAUSES
    }


def test_page_of_moves_tells_all_classes():
    page = (ROOT / "docs" / "moves.md").read_text(encoding="utf-8")
    section = page[page.index("## Classes") : page.index("These rules")]
    assert re.findall(r"^\| `(.+?)` \| (.+) \|", section, flags=re.MULTILINE) == list(CLASSES.items())


def test_page_of_the_start_tells_every_extra():
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    table = page[page.index("| extra |") :].partition("\n\n")[0].splitlines()[2:]
    told = [name for row in table for name in re.findall(r"`([a-z]+)`", row.split("|")[1])]
    assert set(told) == EXTRAS


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    """As files; the build of the site checks the anchors, too."""
    text = re.sub(r"^```.*?^```$|`[^`\n]+`", "", read_page(page), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", text) + re.findall(
        r'(?:src|srcset)="([^"]+)"', text
    ):
        assert ((ROOT / page).parent / target).exists(), target

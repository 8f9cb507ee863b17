"""What is pushed to the Hub and shipped in the wheel: one script, one version, a complete card."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from structiou_metric import StructIoU, __version__, metric_path
from support.paths import ROOT, SPACE

CARD = (SPACE / "README.md").read_text(encoding="utf-8")


def test_script_is_the_one_of_the_space():
    assert Path(metric_path()).read_bytes() == (SPACE / "struct_iou.py").read_bytes()


def test_requirements_pin_this_version():
    lines = (SPACE / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert f"structiou-metric=={__version__}" in lines


def test_front_matter():
    opening, front, _ = CARD.split("---\n", 2)
    assert opening == ""
    keys = re.findall(r"^(\w+):", front, flags=re.MULTILINE)
    assert keys == [
        "title",
        "emoji",
        "colorFrom",
        "colorTo",
        "sdk",
        "sdk_version",
        "python_version",
        "app_file",
        "hf_oauth",
        "pinned",
        "license",
        "short_description",
        "tags",
        "description",
    ]
    assert "sdk: gradio\n" in front
    assert 'python_version: "3.11"\n' in front
    assert "tags:\n- evaluate\n- metric\n" in front


def test_front_matter_is_that_of_a_space():
    """As `huggingface_hub` reads it; the Hub takes short descriptions of at most 60 characters."""
    hub = pytest.importorskip("huggingface_hub")
    data = hub.SpaceCard(CARD).data
    assert (data.title, data.sdk, data.app_file, data.license) == ("STRUCT-IoU", "gradio", "app.py", "mit")
    assert len(data.to_dict()["short_description"]) <= 60
    assert (SPACE / data.app_file).exists()
    assert 'license = "MIT"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_card_has_the_usual_order():
    headings = re.findall(r"^##+ (.*)$", CARD, flags=re.MULTILINE)
    assert headings == [
        "Metric description",
        "How to use",
        "Inputs",
        "Output values",
        "Values from popular papers",
        "Examples",
        "Limitations and bias",
        "Citation",
        "Further references",
        "This Space",
        "For submitters",
        "API",
        "For hosts",
        "What a score tells, and what is bounded",
    ]


def test_card_lists_every_setting_of_a_host():
    settings = (SPACE / "leaderboard" / "settings.py").read_text(encoding="utf-8")
    names = re.findall(r"^    (\w+): ", settings.partition("model_config")[2], flags=re.MULTILINE)
    assert len(names) > 15
    for name in names:
        assert f"`STRUCTIOU_{name.upper()}`" in CARD


def test_card_lists_every_option():
    for name, option in StructIoU.OPTIONS.items():
        values = ", ".join(f"`{choice}`" for choice in option.choices)
        assert f"| `{name}` | {values}" in CARD


def test_script_imports_only_what_it_needs():
    """`evaluate` asks users to install what is imported at the start of a line."""
    script = (SPACE / "struct_iou.py").read_text(encoding="utf-8")
    imported = set(re.findall(r"^(?:import|from) (\w+)", script, flags=re.MULTILINE))
    assert imported == {"__future__", "collections", "datasets", "evaluate", "structiou_metric", "typing"}

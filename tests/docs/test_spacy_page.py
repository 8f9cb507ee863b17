"""What the page of spaCy shows: config and commands of the example project, snippets that run."""

from __future__ import annotations

import pytest

from support.pages import read_blocks, read_page
from support.paths import EXAMPLE

PAGE = "docs/spacy.md"
BLOCKS = list(read_blocks(PAGE))
CONFIGS = [block.text for block in BLOCKS if block.language == "ini"]


def test_config_is_that_of_the_example_project():
    assert CONFIGS[0] == (EXAMPLE / "config.cfg").read_text(encoding="utf-8")


def test_commands_are_those_of_the_example_project():
    """The tests of the plugin run the project itself."""
    (shown,) = (block.text for block in BLOCKS if block.language == "sh")
    project = (EXAMPLE / "project.yml").read_text(encoding="utf-8")
    project = project.replace("${vars.english}", "../data/english.reference.mrg").replace("--why ", "")
    folder, *commands = shown.splitlines()
    assert folder == "cd tests/example_project"
    assert len(commands) == 2
    for command in commands:
        assert f'- "{command}' in project


def test_weights_are_read():
    pytest.importorskip("spacy")
    from thinc.api import Config

    weights = Config().from_str("[training]\n" + CONFIGS[1])["training"]["score_weights"]
    assert weights == {"chars_struct_iou": 1.0, "struct_iou": None}
    assert len(CONFIGS) == 2


def test_page_runs():
    """All of its snippets in one process, one after another."""
    pytest.importorskip("spacy")
    names: dict[str, object] = {"__name__": "page"}
    snippets = [block.text for block in BLOCKS if block.language == "python" and not block.mark]
    assert len(snippets) == 4
    for snippet in snippets:
        exec(compile(snippet, PAGE, "exec"), names)


def test_page_has_the_tables_of_all_settings():
    assert [line for line in read_page(PAGE).splitlines() if line.startswith("<!-- generated: spacy")] == [
        "<!-- generated: spacy component -->",
        "<!-- generated: spacy reader -->",
        "<!-- generated: spacy commands -->",
    ]

"""The snippets of the page of spaCy run. The tests of the plugin train with its config."""

from __future__ import annotations

import pytest

from support.pages import read_blocks

PAGE = "docs/spacy.md"
BLOCKS = list(read_blocks(PAGE))
CONFIGS = [block.text for block in BLOCKS if block.language == "ini"]


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
    assert len(snippets) == 5
    for snippet in snippets:
        exec(compile(snippet, PAGE, "exec"), names)

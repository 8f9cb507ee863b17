"""The tables that are stored in the pages are those that the code makes now."""

from __future__ import annotations

from importlib import import_module

import pytest

from support.extras import need
from support.paths import ROOT

for library in ("spacy", "sphinx"):
    need(library)


@pytest.fixture(scope="module")
def generated():
    """The module of the documentation that replaces marks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        yield import_module("parts.generated")


def test_stored_tables_are_up_to_date(generated):
    pages = generated.stored_pages()
    assert {"commands.md", "hub.md", "options.md", "spacy.md"} <= {path.name for path in pages}
    old = [path.name for path, text in pages.items() if path.read_text(encoding="utf-8") != text]
    assert not old, "the tables of these pages are not those of the code; write them again: make pages"


def test_a_table_is_written_after_its_mark_and_replaced(generated, monkeypatch):
    monkeypatch.setitem(generated.STORED, "options", lambda name: f"| {name} |\n")
    page = "# A\n\n<!-- generated: options x -->\n\nText.\n\n<!-- generated: options y -->\n"
    stored = generated.store(page)
    assert stored == (
        "# A\n\n<!-- generated: options x -->\n\n| x |\n\n<!-- end of generated -->\n\nText.\n\n"
        "<!-- generated: options y -->\n\n| y |\n\n<!-- end of generated -->\n"
    )
    assert generated.store(stored) == stored
    assert generated.store(stored.replace("| x |", "| old |\n| older |")) == stored


def test_an_unknown_mark_is_an_error(generated):
    with pytest.raises(KeyError, match="nothing"):
        generated.build("<!-- generated: nothing at all -->\n")

"""Generated parts of pages: which mark stands for which Markdown, and which of it is stored in the pages.

A mark is a line `<!-- generated: KIND ARGUMENT … -->`. Two kinds of marks differ in when they are replaced:

- Tables are stored in the pages after their mark, up to a line `<!-- end of generated -->`, so that they can
  be read in the repository. `make pages` (`parts.write`) writes them again, and a test fails for a page whose
  tables are not those of the code.
- Pictures, the reference of the API and other files are only put into the pages when the site is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from parts.files import DOCS, list_pages, show_file, show_introduction
from parts.interfaces import write_commands, write_script, write_spacy
from parts.pictures import draw
from parts.reference import write_arguments, write_reference
from parts.tables import write_all_options, write_measures, write_options

STORED: dict[str, Callable[..., str]] = {
    "arguments": write_arguments,
    "options": write_options,
    "other-options": write_all_options,
    "measures": write_measures,
    "commands": write_commands,
    "script": write_script,
    "spacy": write_spacy,
}
BUILT: dict[str, Callable[..., str]] = {
    "reference": write_reference,
    "picture": draw,
    "file": show_file,
    "introduction": show_introduction,
    "pages": list_pages,
}

END = "<!-- end of generated -->"
_MARK = re.compile(r"^<!-- generated: (\S+)((?: \S+)*) -->$", flags=re.MULTILINE)
# A stored part; a mark right before another mark, or at the end of a page, has no part yet.
_STORED = re.compile(
    rf"^(<!-- generated: ({'|'.join(STORED)})((?: \S+)*) -->)\n(?:(?:(?!<!-- generated: ).*\n)*?{END}\n)?",
    flags=re.MULTILINE,
)


def build(text: str) -> str:
    """Return the source of a page with the parts in it that are only made for the site."""
    return _MARK.sub(
        lambda found: found[0] if found[1] in STORED else BUILT[found[1]](*found[2].split()), text
    )


def store(text: str) -> str:
    """Return the source of a page with its stored parts as the code has them now."""
    return _STORED.sub(
        lambda found: f"{found[1]}\n\n{STORED[found[2]](*found[3].split()).strip()}\n\n{END}\n", text
    )


def stored_pages() -> dict[Path, str]:
    """Return the pages that have stored parts, each with the source that it should have."""
    pages = [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]
    sources = {path: path.read_text(encoding="utf-8") for path in pages}
    return {path: store(text) for path, text in sources.items() if _STORED.search(text)}

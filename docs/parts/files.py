"""Parts of pages that are other files of the repository, and lists of the pages of a folder."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent

# Files of the repository, and the page that shows each of them.
PAGES = {
    "hf_space/README.md": "space.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "README.md": "index.md",
    "docs/decisions/README.md": "decisions.md",
}
_BEGIN, _END = "<!-- what it is -->", "<!-- picture -->"
_LINK = re.compile(r"\]\((?!\w+:)([^)#]+)(#[^)]*)?\)")


def relink(text: str, folder: Path, page: str) -> str:
    """Return Markdown with its links to files replaced by links to the pages of the site.

    Args:
        text: Markdown.
        folder: The folder of the file with this text.
        page: The page that shows it.
    """
    up = "../" * page.count("/")

    def replace(found: re.Match[str]) -> str:
        target = (folder / found[1]).resolve()
        if not target.is_relative_to(ROOT):
            return found[0]
        name = PAGES.get(target.relative_to(ROOT).as_posix())
        if name is None and target.is_relative_to(DOCS):
            name = target.relative_to(DOCS).as_posix()
        return f"]({up}{name}{found[2] or ''})" if name else found[0]

    return _LINK.sub(replace, text)


def show_file(name: str, *heading: str) -> str:
    """Return a file of the repository, or one of its sections without the heading."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if heading:
        title = " ".join(heading)
        level = title.partition(" ")[0]
        text = text.partition(f"\n{title}\n")[2]
        text = re.split(rf"^#{{1,{len(level)}}} ", text, maxsplit=1, flags=re.MULTILINE)[0]
        text = re.sub(rf"^{level}(#+) ", r"#\1 ", text, flags=re.MULTILINE)
    return relink(text, (ROOT / name).parent, PAGES[name])


def show_introduction() -> str:
    """Return the introduction of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return relink(text.partition(_BEGIN)[2].partition(_END)[0], ROOT, PAGES["README.md"])


def list_pages(folder: str, *first: str) -> str:
    """Return a list of the pages of a folder: those in `first`, in that order, and then all others."""
    found = {path.stem for path in (DOCS / folder).glob("*") if path.suffix in (".md", ".ipynb")} - {"README"}
    names = [*first, *sorted(found.difference(first))]
    return "\n".join(["```{toctree}", ":maxdepth: 1", "", *(f"{folder}/{name}" for name in names), "```"])

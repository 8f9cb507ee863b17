"""The pages of the documentation: their code blocks, and how these are run."""

from __future__ import annotations

import doctest
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .paths import ROOT

PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "docs").rglob("*.md")
        if "_build" not in path.parts
    ),
]
EXTRAS = set(
    tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
)
_FENCE = re.compile(r"^(```+|~~~+)(.*)$")
_COMMENT = re.compile(r"^<!-- (file|not run|tested by):? (.+) -->$")


class Block(NamedTuple):
    """A fenced block of a page.

    Attributes:
        page: The file, from the root.
        line: The number of its first line.
        language: What its fence says.
        text: What is in it, with a newline at the end.
        mark: What the comment right above says of it: `file`, `not run` or `tested by`; else nothing.
        detail: The file's name, the reason, or the test.
    """

    page: str
    line: int
    language: str
    text: str
    mark: str
    detail: str

    @property
    def is_doctest(self) -> bool:
        """Whether it is a session with a prompt."""
        return self.language == "python" and self.text.startswith(">>>")


def read_page(page: str) -> str:
    """The source of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def read_blocks(page: str) -> Iterator[Block]:
    """All fenced blocks of a page but those of the site's own directives, such as tables of contents."""
    lines = read_page(page).splitlines()
    fence = ""
    begin = 0
    language = ""
    for i, line in enumerate(lines):
        found = _FENCE.match(line)
        if found and not fence:
            fence, language = found.groups()
            begin = i + 1
        elif fence and line == fence:
            fence = ""
            if not language.startswith("{"):
                mark = _COMMENT.match(lines[begin - 2]) if begin > 1 else None
                text = "".join(f"{inner}\n" for inner in lines[begin:i])
                yield Block(page, begin + 1, language, text, *(mark.groups() if mark else ("", "")))


def blocks_of(*languages: str, pages: Iterable[str] = PAGES) -> list[Block]:
    """The blocks in some languages that nothing is said about above them."""
    return [
        block
        for page in pages
        for block in read_blocks(page)
        if block.language in languages and not block.mark
    ]


def run_sessions(page: str) -> tuple[int, int]:
    """Runs the sessions of a page, one after another; how many examples failed, and how many there are."""
    runner = doctest.DocTestRunner()
    names: dict[str, object] = {"__name__": "__main__"}
    for block in read_blocks(page):
        if block.is_doctest and not block.mark:
            test = doctest.DocTestParser().get_doctest(block.text, names, page, page, block.line - 1)
            test.globs = names  # not a copy: later blocks go on where this one ends
            runner.run(test, clear_globs=False)
    return runner.summarize(verbose=False)


def write_files(page: str, folder: Path) -> None:
    """Makes a folder as a page takes it to be: with the files that it shows, and the tests' data."""
    for block in read_blocks(page):
        if block.mark == "file":
            (folder / block.detail).write_text(block.text, encoding="utf-8")
    (folder / "tests").symlink_to(ROOT / "tests", target_is_directory=True)


def commands_of(block: Block) -> list[tuple[str, str]]:
    """The commands of a console, each with the output that is shown, if there is any."""
    found = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    assert not found[0], f"{block.page}:{block.line}: a console begins with a command"
    return list(zip(found[1::2], found[2::2], strict=True))


def without_version(text: str) -> str:
    """A text whose signatures tell no version; one that is shown may be of an earlier one."""
    return re.sub(r"\|version:\S+", "|version:…", text)

"""Every code block of every page is run, or is told to be tested elsewhere, or why it is not."""

from __future__ import annotations

import re
import shlex

import pytest

from structiou_metric.commands import main as cli
from support.pages import (
    EXTRAS,
    PAGES,
    blocks_of,
    commands_of,
    read_blocks,
    read_page,
    run_sessions,
    without_version,
    write_files,
)
from support.paths import ROOT

# Pages whose programs, which need an extra and more than that, have a test file of their own.
OWN_TESTS = {
    "docs/hub.md": "tests/docs/test_hub_page.py",
    "docs/scale.md": "tests/docs/test_scale_page.py",
    "docs/spacy.md": "tests/docs/test_spacy_page.py",
}
# How blocks are run, by their language.
HOW = {
    "python": "run, or compared with what they print",
    "console": "run, and compared with the output that is shown",
    "sh": "understood by the parsers, known to the Makefile",
    "bash": "likewise",
    "text": "nothing to run",
}
NEEDS = {"docs/compare.md": "numpy"}
SIGNATURES = ("structiou|", "parseval|")
SESSIONS = [page for page in PAGES if any(block.is_doctest for block in read_blocks(page))]
PROGRAMS = [
    page
    for page in PAGES
    if page not in OWN_TESTS and any(not block.is_doctest for block in blocks_of("python", pages=[page]))
]
COMMANDS = [
    pytest.param(block.page, command, shown, id=f"{block.page}-{command[:60]}")
    for block in blocks_of("console")
    for command, shown in commands_of(block)
]
LINES = [
    pytest.param(line, id=f"{block.page}:{line[:60]}")
    for block in blocks_of("sh", "bash")
    for line in block.text.splitlines()
    if line.strip() and not line.lstrip().startswith("#")
]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_accounted_for(page):
    for block in read_blocks(page):
        where = f"{page}:{block.line}"
        if block.mark == "tested by":
            assert (ROOT / block.detail).is_file(), where
        elif not block.mark:
            assert block.language in HOW, f"{where}: say above it by which test this is tested, or why not"
    assert not re.search(
        r"^(    )?>>> ", re.sub(r"^```.*?^```$", "", read_page(page), flags=re.M | re.S), re.M
    )


@pytest.mark.parametrize("test", OWN_TESTS.values())
def test_own_tests_are_there(test):
    assert (ROOT / test).is_file()


@pytest.mark.parametrize("page", SESSIONS)
def test_sessions(page, tmp_path, monkeypatch):
    write_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    failed, tried = run_sessions(page)
    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize("page", PROGRAMS)
def test_programs(page, tmp_path, monkeypatch):
    if page in NEEDS:
        pytest.importorskip(NEEDS[page])
    write_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks_of("python", pages=[page]):
        exec(compile(block.text, page, "exec"), names)


@pytest.mark.parametrize("page, command, shown", COMMANDS)
def test_commands(page, command, shown, tmp_path, monkeypatch, capsys):
    program, *words = shlex.split(command)
    if program != "structiou":
        check_line(command)
        return
    if words[0] == "compare":
        pytest.importorskip("numpy")
    if words[:2] == ["paper", "correlation"]:
        pytest.importorskip("scipy")
    write_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    if shown:
        assert without_version(out) == without_version(shown)
    else:
        assert any(signature in out for signature in SIGNATURES)


@pytest.mark.parametrize("line", LINES)
def test_lines_of_shells(line, capsys):
    check_line(line)


def check_line(line):
    """Assert that each command of a line of a shell would be understood, without running it.

    Commands of other programs are only allowed where they give their output to one of ours, or take it.
    """
    line = re.sub(r"\s+# .*", "", line).replace("$SLURM_ARRAY_TASK_ID", "1")
    line = line.replace("$((JOB_COMPLETION_INDEX + 1))", "1")
    line = re.sub(r'^eval "\$\((.*)\)"$', r"\1", line)
    commands = [
        re.sub(r"^(?:[A-Z_]+=\S+ )+| [<>] .*", "", command) for command in re.split(r" \| | && ", line)
    ]
    ours = [command for command in commands if command.startswith("structiou ")]
    for command in ours or commands:
        check_command(command)


def check_command(line):
    program, *words = shlex.split(line)
    if program == "structiou":
        code = None
        try:
            cli.build_parser(words).parse_args(words)
        except SystemExit as end:  # such as --version
            code = end.code
        assert not code, line
    elif program == "make":
        targets = re.findall(r"^([a-z%-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
        benches = {f"bench-{path.stem[6:]}" for path in (ROOT / "tests" / "bench").glob("bench_*.py")}
        assert words[0] in {*targets, *benches}, line
    elif program == "pip":
        action, what = words
        name, _, extras = what.rstrip("]").partition("[")
        assert (action, name) == ("install", "."), line
        assert set(filter(None, extras.split(","))) <= EXTRAS, line
    else:
        pytest.fail(f"{line}: nothing tests this; say above the block why it is not run")

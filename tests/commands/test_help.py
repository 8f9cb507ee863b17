"""The help of `structiou` and of its commands, and which commands are loaded for it."""

import re
import subprocess
import sys

import pytest

from structiou_metric.commands import COMMANDS
from support.cli import failed, runner, succeeded


@pytest.fixture
def structiou(capsys):
    return runner(capsys)


def test_only_the_module_of_the_command_is_imported():
    """Commands need different extras, so none may load another."""
    program = (
        "import sys\nfrom structiou_metric.commands.main import main\n"
        "try:\n    main(['parseval', '--help'])\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found = {name.rpartition(".")[2] for name in run.stderr.split() if ".commands." in name}
    assert found & set(COMMANDS) == {"parseval"}


def test_help_of_all_commands_lists_each_once(structiou):
    out = succeeded(structiou("--help"))
    listed = out.partition("score and explain:\n")[2].rpartition("\n\n")[0]
    assert re.findall(r"^  ([\w-]+)  ", listed, re.MULTILINE) == list(COMMANDS)
    assert "None" not in out


@pytest.mark.parametrize("command", ["score", "compare"])
def test_short_help_names_the_way_to_all_options(structiou, command):
    """The options that most people need fit on a screen."""
    short, whole = (succeeded(structiou(command, flag)) for flag in ("--help", "--help-all"))
    assert len(short.splitlines()) <= 50
    assert "--min-iou" not in short
    assert "--min-iou" in whole
    (number,) = re.findall(rf"structiou {command} --help-all lists (\d+) more options", short)
    count = [
        len(re.findall(r"^  (?:-\w(?: \w+)?, )?--[\w-]+", text, re.MULTILINE)) for text in (short, whole)
    ]
    assert count[1] - count[0] == int(number)


@pytest.mark.parametrize("words", [["--metric", "parseval"], ["--metric=parseval"]])
def test_options_of_the_metric_are_found_before_it_is_parsed(structiou, words):
    assert "--variant" in succeeded(structiou("score", *words, "--help-all"))


def test_error_after_parsing_shows_the_usage(structiou):
    """Such an error is found when the arguments are all read."""
    err = failed(structiou("score", "-", "-"), code=2)
    assert err.startswith("usage: structiou score REFERENCE")
    assert "only one file can be standard input" in err

"""The command line starts at once: only what the command needs is imported and built."""

import re
import subprocess
import sys

import pytest

import structiou_metric
from structiou_metric.commands import COMMANDS
from structiou_metric.commands import main as cli
from support.cli import runner, succeeded

TREES = "(S (NP (N a)) (V b))\n" * 3

# Each takes a millisecond or more, and no score needs it.
SLOW = (
    *("argparse", "typing", "dataclasses", "enum", "functools", "inspect", "json", "locale", "pathlib", "re"),
    *("shutil", "textwrap", "threading"),
)


@pytest.fixture
def structiou(capsys):
    return runner(capsys)


@pytest.mark.skipif(not structiou_metric.COMPILED, reason="Cython itself imports them where it is installed")
@pytest.mark.parametrize("command", ["score", "parseval"])
def test_no_slow_module_is_imported(tmp_path, command):
    """From its start to its end, with files in brackets."""
    for name in ("gold.txt", "parsed.txt"):
        (tmp_path / name).write_text(TREES)
    program = (
        "import sys\nbefore = set(sys.modules)\nfrom structiou_metric.commands.main import main\n"
        f"main([{command!r}, 'gold.txt', 'parsed.txt'])\n"
        f"print(*[name for name in {SLOW!r} if name in sys.modules and name not in before], file=sys.stderr)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert run.stderr.split() == []
    assert "100.00" in run.stdout or "1.0000" in run.stdout


def test_only_the_module_of_the_command_is_imported():
    program = (
        "import sys\nfrom structiou_metric.commands.main import main\n"
        "try:\n    main(['parseval', '--help'])\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found = {name.rpartition(".")[2] for name in run.stderr.split() if ".commands." in name}
    assert found & set(COMMANDS) == {"parseval"}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_is_the_same_from_the_parser_of_all(structiou, command):
    everything = cli.build_parser([command])
    [commands] = [action for action in everything._actions if action.choices]
    assert succeeded(structiou(command, "--help")) == commands.choices[command].format_help()


def test_help_of_all_commands_tells_each_once(structiou):
    out = succeeded(structiou("--help"))
    listed = out.partition("COMMAND\n")[2]
    assert re.findall(r"^    ([\w-]+)", listed, re.MULTILINE) == list(COMMANDS)
    assert "None" not in out


@pytest.mark.parametrize("words", [["--metric", "parseval"], ["--metric=parseval"]])
def test_options_of_the_metric_are_found_before_it_is_parsed(structiou, words):
    assert "--variant" in succeeded(structiou("score", *words, "--help"))

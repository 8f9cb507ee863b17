"""What is read without argparse is what argparse reads."""

import contextlib
import io
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structiou_metric.commands import COMMANDS
from structiou_metric.commands import main as cli
from support.cli import failed, runner

FILES = ["gold.mrg", "b/parsed.txt", "-"]
VALUES = [
    "base",
    "char",
    "all",
    "parseval,tree_edit",
    "3",
    "0.5",
    "1/2",
    "raise",
    "auto",
    "",
    " -NONE-",
    "nt",
]

PLAIN = [
    "score gold.mrg parsed.txt",
    "score --labels base --quiet gold.mrg parsed.txt",
    "score a.mrg b.mrg x/parsed.txt --unit char --json --workers 2",
    "score gold.mrg - --metric=all --per-label --min-iou=0.5",
    "score gold.mrg parsed.txt --drop TOP X --drop Y --labels ignore",
    "score gold.mrg parsed.txt --drop",
    "parseval gold.mrg parsed.txt -p COLLINS.prm --summary-only",
    "sparseval gold.mrg parsed.txt -b -u",
    "sparseval gold.mrg parsed.txt --no-labeled",
    "compare gold.mrg a.txt b.txt c.txt --seed 3",
    "align gold.mrg parsed.txt --row 7",
    "register --status",
]

NOT_PLAIN = [
    "score --help",
    "score",
    "score gold.mrg --labels base parsed.txt",  # is it one side of two files, or two sides?
    "score gold.mrg parsed.txt --label base",
    "score gold.mrg parsed.txt --labels none",
    "score gold.mrg parsed.txt --labels",
    "score gold.mrg parsed.txt --json=1",
    "score gold.mrg parsed.txt --json --latex",
    "score gold.mrg parsed.txt --workers 0",
    "score gold.mrg -- parsed.txt",
    "parseval gold.mrg parsed.txt -pCOLLINS.prm",
    "perturb gold.mrg --kind noise",
    "paper lengths gold.mrg parsed.txt",
]


def by_argparse(name, words):
    """What argparse reads, and None where it ends the program or has words left over."""
    quiet = io.StringIO()
    try:
        with contextlib.redirect_stderr(quiet), contextlib.redirect_stdout(quiet):
            args, rest = cli._parser_of(name, words).parse_known_args(words)
    except SystemExit:
        return None
    return None if rest else told(args)


def told(args):
    return {key: value for key, value in vars(args).items() if key != "parser"}


@cache
def flags_of(name):
    parser = cli._parser_of(name, ["--metric", "all"])
    return [flag for flag in parser.flags() if flag not in ("-h", "--help")]


@pytest.mark.parametrize("line", PLAIN)
def test_plain_line(line):
    name, *words = line.split()
    args = cli._parse_plain(name, words)
    assert args is not None
    assert told(args) == by_argparse(name, words)


@pytest.mark.parametrize("line", NOT_PLAIN)
def test_line_that_is_left_to_argparse(line):
    name, *words = line.split()
    assert cli._parse_plain(name, words) is None


def lines_of(name):
    """Words of a line: files, flags that the command has, and values that fit some of them."""
    flags = st.sampled_from(flags_of(name))
    with_value = st.builds("{}={}".format, flags, st.sampled_from(VALUES))
    word = st.one_of(st.sampled_from(FILES), st.sampled_from(VALUES), flags, flags, with_value)
    # Most lines of random words are mistakes; those that begin or end with files are mostly none.
    middle = st.lists(word, max_size=5)
    files = st.lists(st.sampled_from(FILES), max_size=3)
    return st.builds(lambda before, middle, behind: [*before, *middle, *behind], files, middle, files)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "paper"])
@settings(max_examples=25)  # each makes a parser of argparse
@given(data=st.data())
def test_random_lines(name, data):
    words = data.draw(lines_of(name))
    args = cli._parse_plain(name, words)
    if args is not None:
        assert told(args) == by_argparse(name, words)


def test_error_behind_a_plain_line_shows_the_usage(capsys):
    """Such an error is found when the arguments are all read."""
    err = failed(runner(capsys)("score", "-", "-"), code=2)
    assert err.startswith("usage: structiou score REFERENCE")
    assert "only one file can be standard input" in err

"""The page of corpora tells what there is, and its commands do what it says."""

from __future__ import annotations

import re
import shlex

from structiou_metric.commands.main import build_parser, main
from structiou_metric.speech.corpora.finding import COLUMNS
from structiou_metric.speech.corpora.jobs import ON_ERROR
from structiou_metric.speech.corpora.outputs import REPORTED
from structiou_metric.speech.languages import LANGUAGES
from support.paths import ROOT

PAGE = (ROOT / "docs" / "corpora.md").read_text(encoding="utf-8")


def table(title):
    """The first cells of the table whose head begins so."""
    rows = PAGE[PAGE.index(title) :].partition("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def test_tables_tell_all_there_is():
    section = PAGE[PAGE.index("## A table") :]
    columns = section[section.index("| column |") :].partition("\n\n")[0]
    named = [name for row in columns.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(COLUMNS)
    assert table("| `--on-error` |") == list(ON_ERROR)
    section = PAGE[PAGE.index("`--report-to FILE` has") :]
    reported = section[section.index("| column |") :].partition("\n\n")[0]
    told = [name for row in reported.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert told == list(REPORTED)


def test_table_of_languages():
    rows = re.findall(r"^\| `(\w\w)` \| (\w+) \| `3(.)5` \|", PAGE, flags=re.MULTILINE)
    assert rows == [(code, one.name, one.decimal) for code, one in LANGUAGES.items()]


def test_commands_are_understood():
    commands = re.findall(r"^structiou (project .*)$", PAGE, flags=re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        words = shlex.split(command)
        build_parser(words).parse_args(words)


def test_speech_score_tells_both_projections(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    [command] = re.findall(r"^\$ structiou (speech-score .*)$", PAGE, flags=re.MULTILINE)
    assert main(shlex.split(command)) == 0
    out = capsys.readouterr().out
    assert "gold: 2 recordings\n3 trees\n" in out
    assert "predicted: 2 recordings\n2 trees\n" in out
    assert "compared as 2 documents: 3 sentences, 2 predicted\n" in out

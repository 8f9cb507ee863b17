"""Fixtures for readers of word times."""

from __future__ import annotations

import json

import pytest

from structiou_metric.speech import read_words
from support.call_corpus import write_corpus
from support.cli import runner


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty one, which is the current one; paths in errors are then short."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def read(folder):
    """Reads words from a text, from bytes, or from what JSON can hold."""

    def read_text(value, name="x.tsv", **options):
        if not isinstance(value, (str, bytes)):
            value = json.dumps(value)
        (folder / name).write_bytes(value if isinstance(value, bytes) else value.encode())
        return read_words(name, **options)

    return read_text


@pytest.fixture
def project(capsys, tmp_path, monkeypatch):
    """Runs the command in a folder."""
    monkeypatch.chdir(tmp_path)
    return runner(capsys, "project")


@pytest.fixture
def corpus(project, tmp_path):
    """Projects folders of trees and of words, of which some do not fit."""
    write_corpus(tmp_path)
    return lambda *options: project("trees", "--words", "words", *options)

"""Fixtures for readers of word times."""

from __future__ import annotations

import json

import pytest

from structiou_metric.speech import read_words


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

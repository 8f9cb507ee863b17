"""Links that bring a page back."""

from __future__ import annotations

import base64
import json
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground import decode_state, encode_state
from structiou_metric.report.pair import EXAMPLES
from support.examples import examples

TEXT = st.text(max_size=200)


@given(st.dictionaries(TEXT, TEXT | st.floats(allow_nan=False) | st.booleans() | st.none(), max_size=5))
@examples(50)
def test_state_comes_back(state):
    word = encode_state(state)
    assert word is not None
    assert word.isascii()
    assert not set(word) & set("+/=&?#% ")
    assert decode_state(word) == state


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_fit_into_a_link(name):
    reference, prediction, unit = EXAMPLES[name]
    state = {"prediction": prediction, "reference": reference, "unit": unit}
    assert decode_state(encode_state(state)) == state


def test_lone_surrogates_come_back():
    assert decode_state(encode_state({"a": "\ud800"})) == {"a": "\ud800"}


def test_too_long_for_a_link():
    from random import Random

    noise = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz()", k=32_000))
    assert encode_state({"prediction": noise}) is None


def pack(data):
    return base64.urlsafe_b64encode(zlib.compress(data)).decode().rstrip("=")


@pytest.mark.parametrize(
    "word",
    [
        "",
        "x",
        "AAAA",
        "not base64!",
        "é",
        "\0",
        "<script>",
        pack(b"{"),
        pack(b"[]"),
        pack(b'"text"'),
        pack(b"\xff"),
        pack(b"[" * 50_000),
        pack(b"{}")[:-3],
        pack(json.dumps({"a": "x" * 300_000}).encode()),
    ],
    ids=lambda word: repr(word[:20]),
)
def test_damaged_words(word):
    with pytest.raises(ValueError, match="this link is damaged; copy it again"):
        decode_state(word)


def test_bomb_takes_little_memory():
    word = pack(b'{"a": "' + b"x" * 50_000_000)
    tracemalloc.start()
    with pytest.raises(ValueError, match="damaged"):
        decode_state(word)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


@given(
    st.text(max_size=100) | st.binary(max_size=100).map(lambda data: base64.urlsafe_b64encode(data).decode())
)
@examples(100)
def test_any_word_is_a_state_or_an_error(word):
    try:
        state = decode_state(word)
    except ValueError as error:
        state = {"error": str(error)}
    assert isinstance(state, dict)
    assert state.get("error", "this link is damaged; copy it again") == "this link is damaged; copy it again"

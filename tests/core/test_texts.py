"""Texts of many rows in one buffer, in both builds."""

import threading
from collections import UserList

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric._core.texts import Texts, join_rows, look_over
from support.examples import examples

TEXTS = st.lists(st.text(st.characters(), max_size=12) | st.sampled_from(["(A a)", "", "(Ä ä)", "\udc80"]))


class Text(str):
    """A text of a kind of its own, as NumPy has one; what it says of its bytes does not count."""

    def encode(self, *how):
        raise AssertionError


class Unsized:
    """It should have a length and has none, as NumPy's arrays without dimensions."""

    def __len__(self):
        raise TypeError("len() of unsized object")


@examples(200)
@given(TEXTS)
def test_join_rows_has_the_bytes_of_each_row(rows):
    for given_rows in (rows, tuple(rows), [Text(row) for row in rows]):
        buffer, starts, stops = join_rows(given_rows)
        assert type(buffer) is bytes
        assert len(buffer) == (stops[-1] if stops else 0) or buffer == b" "
        found = [buffer[lo:hi].decode("utf-8", "surrogatepass") for lo, hi in zip(starts, stops, strict=True)]
        assert found == rows
        assert list(starts) == [0, *stops][: len(rows)]


@pytest.mark.parametrize("bad", [None, b"(A a)", 3, ["(A a)"]])
def test_join_rows_refuses_what_is_no_text(bad):
    with pytest.raises(TypeError):
        join_rows(["(A a)", bad])


def test_join_rows_in_threads_that_change_the_list():
    """Rows that are taken out of the list meanwhile are still copied whole."""
    rows = [f"(A {i:06})" for i in range(2000)]
    found = []

    def join():
        found.extend(join_rows(rows)[0] for _ in range(50))

    threads = [threading.Thread(target=join) for _ in range(2)]
    for thread in threads:
        thread.start()
    for i in range(2000):
        rows[i] = f"(A {i:06})"
    for thread in threads:
        thread.join()
    assert set(found) == {"".join(rows).encode()}


def test_texts_can_be_taken_after_a_refusal():
    texts = Texts()
    texts.take(["(A a)", "(B b)"])
    with pytest.raises(TypeError, match="not a text but int"):
        texts.take(["(C c)", 3])
    texts.take(["(D d)"])
    texts.copy()
    assert bytes(texts.buffer[: texts.stops[0]]) == b"(D d)"


UNSIZED = [None, 3, Unsized()]
OTHERS = st.sampled_from([*UNSIZED, b"(A a)", ["(A a)"], {"label": "A"}, Text("(A a)")])


@examples(200)
@given(TEXTS, st.lists(OTHERS, max_size=2), st.data())
def test_look_over(texts, others, data):
    """A literal reading, over lists, tuples and what else has places."""
    rows = data.draw(st.permutations([*texts, *others]))
    lo, hi = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 12))
    cut = rows[lo:hi]
    all_open = all(type(row) is str and row[:1] == "(" for row in cut)
    longest = max((0 if row in UNSIZED else len(row) for row in cut), default=0)
    for given_rows in (rows, tuple(rows), UserList(rows)):
        assert look_over(given_rows, lo, hi) == (all_open, longest)

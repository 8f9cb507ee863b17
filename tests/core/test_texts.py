"""Texts of many rows in one buffer, in both builds."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric._core.texts import are_brackets, join_rows, longest_text
from support.examples import examples

TEXTS = st.lists(st.text(st.characters(), max_size=12) | st.sampled_from(["(A a)", "", "(Ä ä)", "\udc80"]))


class Text(str):
    """A text of a kind of its own, as NumPy has one."""


@examples(200)
@given(TEXTS)
def test_join_rows_has_the_bytes_of_each_row(rows):
    for given_rows in (rows, tuple(rows), [Text(row) for row in rows]):
        buffer, starts, stops = join_rows(given_rows)
        assert type(buffer) is bytes
        assert len(buffer) > 0
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


@given(TEXTS)
def test_longest_text(rows):
    assert longest_text(rows) == max(map(len, rows), default=0)


def test_longest_text_counts_other_shapes_and_refuses_what_has_no_length():
    assert longest_text([["a", "b"], {"label": "A"}]) == 2
    with pytest.raises(TypeError):
        longest_text([None])


@pytest.mark.parametrize(
    "rows, expected",
    [
        ([], True),
        (["(A a)", "("], True),
        (["(A a)", " (A a)"], False),
        (["(A a)", ""], False),
        (["(A a)", b"(A a)"], False),
        ([["(A a)"]], False),
        ([Text("(A a)")], False),
    ],
)
def test_are_brackets(rows, expected):
    assert are_brackets(rows) is expected

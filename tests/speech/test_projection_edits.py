"""Edit paths, against tables written out and plain Levenshtein."""

from __future__ import annotations

from functools import lru_cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.metrics.edits import edit_distance
from structiou_metric.speech.projection import edits
from structiou_metric.speech.projection.edits import PoorMatchError, Text, find_path
from support.examples import examples

UNITS = st.lists(st.text("abc", min_size=1, max_size=4), max_size=6)


def least_cost(a: list[str], b: list[str]) -> tuple[int, int]:
    """The fewest edits, and with these the fewest links; by trying every way."""
    letters_a = [(unit, letter) for unit, letters in enumerate(a) for letter in letters]
    letters_b = [(unit, letter) for unit, letters in enumerate(b) for letter in letters]

    @lru_cache(None)
    def rest(i: int, j: int, linked: tuple[int, int] | None) -> tuple[int, int]:
        if i == len(letters_a) and j == len(letters_b):
            return 0, 0
        ways = []
        if i < len(letters_a):
            n_edits, n_links = rest(i + 1, j, linked)
            ways.append((n_edits + 1, n_links))
        if j < len(letters_b):
            n_edits, n_links = rest(i, j + 1, linked)
            ways.append((n_edits + 1, n_links))
        if i < len(letters_a) and j < len(letters_b):
            (unit_a, x), (unit_b, y) = letters_a[i], letters_b[j]
            n_edits, n_links = rest(i + 1, j + 1, (unit_a, unit_b))
            ways.append((n_edits + (x != y), n_links + (linked != (unit_a, unit_b))))
        return min(ways)

    return rest(0, 0, None)


def cost_of(a: list[str], b: list[str], path: edits.Path) -> tuple[int, int]:
    """Edits and links of a path, which must be in order; its own counts must be true."""
    text_a, text_b = Text(a), Text(b)
    pairs = [(i, j) for i, j in enumerate(path.partner) if j >= 0]
    assert len(path.partner) == len(text_a)
    assert all(0 <= j < len(text_b) for _, j in pairs)
    assert [j for _, j in pairs] == sorted({j for _, j in pairs})
    n_matched = sum(text_a.characters[i] == text_b.characters[j] for i, j in pairs)
    n_edits = len(text_a) + len(text_b) - len(pairs) - n_matched
    assert (path.n_matched, path.n_edits) == (n_matched, n_edits)
    return n_edits, len({(text_a.owner[i], text_b.owner[j]) for i, j in pairs})


@examples(100)
@given(UNITS, UNITS)
def test_find_path_has_least_cost_and_fewest_links(a, b):
    assert cost_of(a, b, find_path(Text(a), Text(b))) == least_cost(a, b)


@pytest.mark.parametrize(
    "a, b, want",
    [
        pytest.param(
            "sitting in", "sittin", [0, 1, 2, 3, 4, 5, None, None, None], id="not the ing of sitting"
        ),
        pytest.param("in ing", "ing", [None, None, 0, 1, 2], id="not the in of ing"),
        pytest.param("the the", "the", [0, 1, 2, None, None, None], id="said once, written twice"),
    ],
)
def test_find_path_keeps_words_whole(a, b, want):
    path = find_path(Text(a.split()), Text(b.split()))
    got = [None if j < 0 else j for j in path.partner]
    assert got in (want, want[3:] + want[:3])  # either of two that are the same


@examples(100)
@given(UNITS, UNITS)
def test_find_path_of_long_stretches_keeps_the_cost_least(a, b):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edits, "_LADDER", ())
        path = find_path(Text(a), Text(b), max_cells=4)
    assert cost_of(a, b, path)[0] == least_cost(a, b)[0]


@pytest.mark.parametrize("seed", range(4))
def test_find_path_of_long_texts_that_mostly_agree_has_least_cost(seed):
    """Strings that occur once need not lie on a path of least cost; among few edits they do."""
    rng = Random(seed)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(1, 9))) for _ in range(300)]
    other = []
    for word in words:
        kind = rng.random()
        if kind < 0.03:
            other.append("uh")
        if kind < 0.06:
            continue
        other += [word[:2], word[2:]] if kind < 0.1 and len(word) > 2 else [word]
    path = find_path(Text(words), Text(other), max_cells=2000)
    assert cost_of(words, other, path)[0] == edit_distance("".join(words), "".join(other))
    assert path.n_edits > 20


def test_find_path_of_long_texts_with_nothing_in_common():
    rng = Random(1)
    a, b = ([("".join(rng.choices(letters, k=5))) for _ in range(2000)] for letters in ("abcdef", "uvwxyz"))
    assert find_path(Text([*a, "agreed"]), Text([*b, "agreed"])).n_matched == len("agreed")


def test_find_path_refuses_to_try_forever(monkeypatch):
    monkeypatch.setattr(edits, "_MAX_LARGE", 10_000)
    with pytest.raises(PoorMatchError) as error:
        find_path(Text(["a" * 200]), Text(["b" * 200]))
    assert error.value.worst.lengths == (200, 200)

"""The way of a score through the code stays short enough to be read; `make walks` counts it, and others."""

from __future__ import annotations

from support.walks import Walk, count_walk

# What is reached. A change that makes the way shorter lowers the bound.
MOST = Walk(functions=239, modules=39, changes=141)


def test_way_of_a_score_keeps_within_its_bound():
    found = count_walk("score")
    assert found.functions > 50, "nothing was seen"
    for name, most in MOST._asdict().items():
        assert getattr(found, name) <= most, f"{name}: {found}"

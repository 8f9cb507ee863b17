"""What aligning two trees may cost, told before it is done."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree
from structiou_metric._core.solver import predict_cells


def tree_of(shape):
    return "(A w)" if shape is None else f"(X {' '.join(map(tree_of, shape))})"


def sizes_of(shape):
    return list(SegmentTree.from_brackets(tree_of(shape)).sizes)


def slow_weights(shape):
    """From the definitions: topmost nodes over a first and over a last leaf, tops of heavy paths, slots."""
    nodes = []

    def walk(node, is_first, is_last, is_heavy):
        children = node or ()
        sizes = [count(child) for child in children]
        heavy = sizes.index(max(sizes)) if sizes else -1
        for k, child in enumerate(children):
            walk(child, k == 0, k == len(children) - 1, k == heavy)
        nodes.append((count(node), is_first, is_last, is_heavy, len(children)))

    def count(node):
        return 1 + sum(map(count, node or ()))

    walk(shape, False, False, True)
    left = sum(size for size, is_first, *_ in nodes if not is_first)
    right = sum(size for size, _, is_last, *_ in nodes if not is_last)
    tops = sum(size for size, _, _, is_heavy, _ in nodes if not is_heavy)
    slots = sum(n_children <= 1 for *_, n_children in nodes)
    return left, right, len(nodes) + tops, slots


SHAPES = st.recursive(st.none(), lambda inner: st.lists(inner, min_size=1, max_size=4), max_leaves=12)


@given(SHAPES, SHAPES)
def test_prediction_is_that_of_the_definitions(one, two):
    left, right, spine, slots = slow_weights(one)
    other_left, other_right, other_spine, other_slots = slow_weights(two)
    expected = min(
        4 * left * other_left,
        4 * right * other_right,
        spine * other_slots**2 / 2,
        other_spine * slots**2 / 2,
    )
    assert predict_cells(sizes_of(one), sizes_of(two)) == expected


def test_combs_of_other_sides_are_the_worst():
    """Left against right combs cost n³ by the spine; combs of one side a fraction, by their tables."""
    right = left = None
    for _ in range(299):
        right, left = [None, right], [left, None]
    same, other = (predict_cells(sizes_of(right), sizes_of(tree)) for tree in (right, left))
    assert other == (599 + 299) * 300**2 / 2
    assert same < other / 10

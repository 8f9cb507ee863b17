"""Labels of constituents: their function tags, and those that are no constituents."""

from __future__ import annotations

from collections.abc import Iterable

# Labels that treebanks and parsers put above a tree. They are dropped as a root over one child only.
ROOT_LABELS = frozenset({"TOP", "ROOT", "S1", "VROOT", ""})

TRACE = "-NONE-"  # the label of leaves that nobody says

DEFAULT_DROP = ("TOP", "ROOT", "S1", "VROOT", "", TRACE)


def dropped_leaves(drop: Iterable[str]) -> frozenset[str]:
    """Return the labels of the option `drop` that remove leaves, and nodes left empty by that.

    As a root over one child, a node with any label of the option goes.

    >>> dropped_leaves(DEFAULT_DROP)
    frozenset({'-NONE-'})
    """
    return frozenset(drop) - ROOT_LABELS


def base_label(label: str) -> str:
    """Return the label without function tags and indices.

    >>> base_label("NP-SBJ-1"), base_label("NP=2"), base_label("-NONE-"), base_label("-LRB-")
    ('NP', 'NP', '-NONE-', '-LRB-')
    """
    if label.startswith("-"):
        return label
    return label[:1] + label[1:].partition("-")[0].partition("=")[0]

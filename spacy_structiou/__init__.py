"""Struct-IoU for spaCy: component, scorer, corpus reader, and trees on a `Doc`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .convert import benepar_trees as benepar_trees
    from .convert import doc_from_trees as doc_from_trees
    from .convert import get_tree as get_tree
    from .convert import get_trees as get_trees
    from .convert import set_tree as set_tree
    from .convert import set_trees as set_trees

_FUNCTIONS = ("benepar_trees", "doc_from_trees", "get_tree", "get_trees", "set_tree", "set_trees")


def __getattr__(name: str) -> object:
    """Imports what is asked for: spaCy imports this package whenever it makes a pipeline."""
    if name in _FUNCTIONS:
        from . import convert

        return getattr(convert, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_FUNCTIONS])

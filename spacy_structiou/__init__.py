"""Struct-IoU for spaCy: component, scorer, corpus reader, and trees on a `Doc`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .benepar import benepar_trees
    from .convert import doc_from_trees, get_tree, get_trees, set_tree, set_trees

__all__ = ["benepar_trees", "doc_from_trees", "get_tree", "get_trees", "set_tree", "set_trees"]


def __getattr__(name: str) -> object:
    """Imports what is asked for: spaCy imports this package whenever it makes a pipeline."""
    if name in __all__:
        from . import benepar, convert

        return getattr(benepar if name in vars(benepar) else convert, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

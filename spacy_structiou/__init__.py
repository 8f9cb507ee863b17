"""STRUCT-IoU for spaCy: component, scorer, corpus reader, and trees on a `Doc`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from structiou_metric._version import __version__

    from .benepar import benepar_trees, remove_benepar
    from .component import StructIouComponent
    from .convert import doc_from_trees, get_tree, get_trees, get_words, set_tree, set_trees
    from .corpus import TreebankCorpus
    from .scorer import TreeScorer, make_struct_iou_scorer

__all__ = [
    "StructIouComponent",
    "TreeScorer",
    "TreebankCorpus",
    "__version__",
    "benepar_trees",
    "doc_from_trees",
    "get_tree",
    "get_trees",
    "get_words",
    "make_struct_iou_scorer",
    "remove_benepar",
    "set_tree",
    "set_trees",
]

# The modules of the names that are not in `convert`.
_MODULES = {
    "StructIouComponent": "spacy_structiou.component",
    "TreeScorer": "spacy_structiou.scorer",
    "TreebankCorpus": "spacy_structiou.corpus",
    "__version__": "structiou_metric._version",
    "benepar_trees": "spacy_structiou.benepar",
    "make_struct_iou_scorer": "spacy_structiou.scorer",
    "remove_benepar": "spacy_structiou.benepar",
}


def __getattr__(name: str) -> object:
    """Import a name when it is first used.

    spaCy imports this package whenever it makes a pipeline, and `convert` adds extensions to Doc and Span,
    which must not happen to pipelines that do not use this package.
    """
    if name in __all__:
        from importlib import import_module

        return getattr(import_module(_MODULES.get(name, "spacy_structiou.convert")), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

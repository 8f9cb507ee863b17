"""An extension of Sphinx for generated parts of pages, and a check that all public names are documented.

`parts.generated` says which marks in a page stand for Markdown that is made when the site is built.
Links to files outside of the folder `docs`, which work where pages are read as files, become links to the
pages that include these files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sphinx.domains.python import PyObject
from sphinx.util import logging

from parts.files import DOCS, relink
from parts.generated import build
from parts.reference import undocumented

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_LOG = logging.getLogger(__name__)


def expand(text: str, page: str = "") -> str:
    """Return the source of a page with its generated parts, and with links as the site has them."""
    return build(relink(text, (DOCS / page).parent, page))


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = expand(source[0], page)


def _check(app: Sphinx) -> None:
    for name in undocumented():
        _LOG.warning("%s is public and has no docstring, or of a constant no comment", name)


def _skip(app: Sphinx, what: str, name: str, found: Any, skip: bool, options: Any) -> bool | None:
    """Skip the fields of named tuples, which are in the docstrings of their classes."""
    return True if type(found).__name__ in ("_tuplegetter", "itemgetter") or _is_field(found) else None


def _is_field(found: Any) -> bool:
    return isinstance(found, property) and (found.__doc__ or "").startswith("Alias for field")


def _sign(
    app: Sphinx, what: str, name: str, found: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str, None] | None:
    """Return the fields of a named tuple as the arguments of its class."""
    if what == "class" and signature is not None and hasattr(found, "_fields"):
        return f"({', '.join(found._fields)})", None
    return None


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect all functions of this extension to Sphinx."""
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"  # as docstrings call them
    app.connect("source-read", _read)
    app.connect("builder-inited", _check)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-signature", _sign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The elements that pages are made of. What is called a cell, a caption or content is HTML already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as escape_html

from ..drawing.svg_text import full
from ..terminal import printable

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def escape(text: str) -> str:
    """The text for a page: nothing in it is a tag, moves anything or cannot be encoded."""
    return escape_html(printable(text) if text else "")


def name(text: str) -> str:
    """A name, kept from reordering what stands around it; cut only if it is very long."""
    return f"<bdi>{escape(full(text))}</bdi>"


def minus(text: str) -> str:
    """The text of a number with a true minus sign."""
    return text.replace("-", "\N{MINUS SIGN}")


def paragraph(text: str) -> str:
    """A paragraph of what is beside the point, in a softer colour."""
    return f'<p class="soft">{escape(text)}</p>'


def figure(title: str, content: str, caption: str = "") -> str:
    """An element with a heading."""
    below = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure><h3><bdi>{escape(title)}</bdi></h3>{content}{below}</figure>"


def grid(figures: Iterable[str]) -> str:
    """The figures beside each other, as many as there is room for."""
    return f'<div class="grid-of">{"".join(figures)}</div>'


def details(summary: str, content: str, *, opened: bool = False) -> str:
    """An element that can be opened."""
    return f"<details{' open' if opened else ''}><summary>{summary}</summary>{content}</details>"


def table(head: Sequence[str], body: Iterable[Sequence[str]], *, kind: str = "figures") -> str:
    """A table of rows below a head; the kind is `figures` or `texts`."""
    return tables(head, [("", body)], kind=kind)


def tables(
    head: Sequence[str], groups: Iterable[tuple[str, Iterable[Sequence[str]]]], *, kind: str = "figures"
) -> str:
    """A table of groups of rows below one head, each perhaps with a title."""
    parts = []
    for title, body in groups:
        heading = f'<tr><th scope="rowgroup" colspan="{len(head)}">{title}</th></tr>' if title else ""
        parts.append(f"<tbody>{heading}{''.join(map(_row, body))}</tbody>")
    columns = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    head_row = f"<thead><tr>{columns}</tr></thead>"
    shown = f'<table class="{kind}">{head_row}{"".join(parts)}</table>'
    return f'<div class="scroll" tabindex="0" role="group" aria-label="Table">{shown}</div>'


def _row(cells: Sequence[str]) -> str:
    first, *others = cells
    return f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in others) + "</tr>"


def document(title: str, sections: Iterable[str], css: str) -> str:
    """A whole page that needs nothing else, and may load nothing."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n"
        f"<style>\n{css}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(sections)
        + "\n</main>\n</body>\n</html>\n"
    )

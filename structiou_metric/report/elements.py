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


# ---- the style sheet of a report: light and dark, wide and narrow ----------------------------------


CSS = """\
:root {
  color-scheme: light dark;
  --back: #ffffff; --card: #f6f7f9; --ink: #1c2126; --soft: #5a6470; --line: #d5dae0;
  --s0: #0072b2; --s1: #c14f00; --s2: #00795a; --s3: #a8508b; --s4: #8a6100; --s5: #555555; --s6: #6247c4;
  --lost: #c0261c; --off: #9a6700;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14171a; --card: #1d2226; --ink: #e6e9ec; --soft: #a3adb8; --line: #3a424a;
    --s0: #56b4e9; --s1: #ff8c42; --s2: #2fc79a; --s3: #e08cc4; --s4: #e6b800; --s5: #c4c4c4; --s6: #b09cff;
    --lost: #ff8177; --off: #e3b341;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--back); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
main { max-width: 1120px; margin: 0 auto; padding: 1rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 1rem 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: .95rem; margin: 0 0 .5rem; }
p { margin: .5rem 0; max-width: 75ch; overflow-wrap: anywhere; }
p.soft, figcaption, .soft { color: var(--soft); }
figcaption { font-size: .85rem; }
p.verdict { font-size: 1.1rem; margin: 1rem 0 .5rem; }
ul.verdict { margin: .5rem 0; padding-left: 1.2rem; max-width: 75ch; overflow-wrap: anywhere; }
.grid-of { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 245px), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .9rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; min-width: 0; }
.views { display: grid; gap: 1rem; margin-top: 1rem; }
.views figure { max-width: 100%; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
thead th { color: var(--soft); vertical-align: bottom; }
th[scope=row], thead th:first-child { text-align: left; position: sticky; left: 0; background: var(--back); }
th[scope=rowgroup] { text-align: left; padding-top: 1rem; }
td small { color: var(--soft); display: block; }
th[scope=row] { white-space: normal; min-width: 7rem; max-width: 18rem; overflow-wrap: anywhere; }
@media (max-width: 600px) { th, td { padding: .3rem .5rem; } th[scope=row] { max-width: 9rem; } }
sup { color: var(--soft); line-height: 0; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: .5rem 0; }
svg.key { width: 16px; height: 16px; vertical-align: -3px; margin-right: .3rem; }
table.texts td:nth-child(n+3), table.texts th:nth-child(n+3) { text-align: left; white-space: normal; }
table.texts td:last-child { min-width: 16rem; }
details { border-top: 1px solid var(--line); padding: .6rem 0; }
.grid-of + details, figure + details { border: 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
details pre { overflow-x: auto; }
code { font-size: .8rem; overflow-wrap: anywhere; }
svg.chart { display: block; overflow: visible; }
svg.chart text { fill: var(--ink); font-size: 13px; }
svg.chart text.small { fill: var(--soft); font-size: 11px; }
svg.chart .number { font-variant-numeric: tabular-nums; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: var(--line); stroke-width: 1; }
.span { stroke: var(--soft); stroke-width: 2; opacity: .5; }
.bar { stroke-width: 4; opacity: .55; }
.thin { stroke-width: 2; }
.dot { stroke: var(--card); stroke-width: 1; fill-opacity: .85; }
""" + "".join(
    f".s{i} {{ stroke: var(--s{i}); }} .s{i}.dot, .s{i}.fill {{ fill: var(--s{i}); }}"
    f" .s{i}.dot {{ stroke: var(--card); }} .s{i}.fill {{ stroke: none; }}\n"
    for i in range(7)
)

"""The first page: what the metric is, with pairs that are drawn already, and ways to the other pages."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import gradio as gr

from structiou_metric import Alignment, StructIoU

from .drawings import show_drawing
from .links import encode_state
from .trees import EXAMPLES

_CARD = Path(__file__).resolve().parents[1] / "README.md"
_PAPER = "https://doi.org/10.18653/v1/2024.acl-long.666"
_FIRST = "The telescope"

# Name, title and meaning of each page that can be gone to.
PAGES = {
    "trees": ("Compare two trees", "Paste them and see their score, their drawing, and why they differ."),
    "files": ("Score files", "Upload predictions and references; figures for the files and every sentence."),
    "board": ("Leaderboard", "The systems of each benchmark, with intervals and groups that do not differ."),
    "submit": ("Submit", "Enter your parser’s trees for a benchmark; they are checked before they count."),
}

_MEANINGS = {
    "The paper’s first figure": "Speech without text: the prediction has a verb that nobody said.",
    _FIRST: "The prediction hangs the telescope on the cat: its second NP has no partner and is dashed.",
    "Hebrew": "The parser split a word in two, so the trees are compared over characters.",
    "Speech": "Words of a recogniser at times of its own: bars are filled where partners overlap.",
}

_WHAT = """
<p class="siou-lead">STRUCT-IoU says how alike two constituency parse trees are, from 0 to 1, even where their
words, their segmentation or their times differ.</p>
<p>Each node spans a stretch of words, characters or seconds. Nodes with the same label are paired, one to
one, so that ancestors stay ancestors and the intersections over union (IoU) of the pairs add up to as much as
possible. Then</p>
<p class="siou-formula" role="math"
aria-label="STRUCT-IoU is two times the sum of the IoUs of all pairs, over the nodes of both trees">
<span>STRUCT-IoU =</span><span class="siou-fraction"><span>2 · Σ IoU(pairs)</span>
<span>nodes of the prediction + nodes of the reference</span></span></p>
"""


def add_page() -> None:
    """Builds the page."""
    gr.HTML(show_start(), elem_id="start")


def show_start() -> str:
    """The page, as HTML."""
    ways = "".join(
        f'<li><a href="?open={name}" data-page="{name}"><b>{title}</b><span>{meaning}</span></a></li>'
        for name, (title, meaning) in PAGES.items()
    )
    others = "".join(_show_example(name) for name in EXAMPLES if name != _FIRST)
    return (
        f'<div class="siou-start"><div class="siou-opening"><section><h2>What it measures</h2>{_WHAT}'
        f'<nav aria-label="Ways to use it"><ul class="siou-ways">{ways}</ul></nav></section>'
        f"{_show_example(_FIRST)}</div>"
        f'<section><h2>More pairs</h2><div class="siou-examples">{others}</div></section>'
        f'<section><h2>How to cite</h2><p>The metric is defined in <a href="{_PAPER}" rel="noopener" '
        'target="_blank">Structured Tree Alignment for Evaluation of (Speech) Constituency Parsing</a> '
        "(Shi, Gimpel and Livescu, ACL 2024). In a paper, give the signature below each score, too.</p>"
        '<pre class="siou-code" tabindex="0" role="region" aria-label="BibTeX">'
        f"{html.escape(read_citation())}</pre>"
        "</section></div>"
    )


def _show_example(name: str) -> str:
    prediction, reference, unit = EXAMPLES[name]
    alignment: Alignment = StructIoU(unit=unit).align(prediction, reference)
    state: dict[str, Any] = {"prediction": prediction, "reference": reference, "unit": unit}
    return (
        f'<figure class="siou-example"><h3>{name} <span class="siou-soft">{alignment.score:.4f}</span></h3>'
        f"{show_drawing(alignment, tools=False)}<figcaption>{_MEANINGS[name]} "
        f'<a href="?trees={encode_state(state)}">Open this pair<span class="siou-hidden">: {name}</span></a>'
        "</figcaption></figure>"
    )


def read_citation() -> str:
    """The paper in BibTeX, as the metric card has it."""
    found = re.search(r"```bibtex\n(.*?)```", _CARD.read_text("utf-8"), re.DOTALL)
    if found is None:
        raise ValueError(f"{_CARD.name} has no block of BibTeX")
    return found[1].rstrip()

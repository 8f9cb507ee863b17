"""Parts that several pages share: the options of the metric, errors, and who is there."""

from __future__ import annotations

import html
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder

from leaderboard.settings import Settings
from leaderboard.uploads import read_upload
from leaderboard.visitors import Visitor, find_address
from structiou_metric import StructIoU, TreeFormatError
from structiou_metric.metrics.struct_iou.options import CHOICES
from structiou_metric.trees.labels import DEFAULT_DROP

OPTIONS = ("unit", "labels", "terminals", "min_iou", "drop")
DEFAULTS: dict[str, Any] = {
    **{name: CHOICES[name][0] for name in OPTIONS if name in CHOICES},
    "min_iou": 0.0,
    "drop": " ".join(label or "''" for label in DEFAULT_DROP),
}

_HELP = {
    "unit": "what a word measures: 1, its characters, or its seconds",
    "labels": "as they are, without function tags, or not compared",
    "terminals": "parts of speech need the same label, may align with any node, or do not count",
}


def add_options() -> list[Any]:
    """The options of the metric as components, in the order of `OPTIONS`."""
    with gr.Accordion("Options", open=False):
        with gr.Row():
            parts: list[Any] = [
                gr.Radio(
                    list(CHOICES[name]),
                    value=CHOICES[name][0],
                    label=name,
                    info=text,
                    elem_id=f"option-{name}",
                )
                for name, text in _HELP.items()
            ]
        with gr.Row():
            parts.append(gr.Number(0.0, label="min_iou", info="pairs at or below it do not align"))
            parts.append(
                gr.Textbox(
                    DEFAULTS["drop"],
                    label="drop",
                    info="labels that are no constituents; '' is the empty one",
                )
            )
    return parts


def read_options(values: Mapping[str, Any]) -> StructIoU:
    """The metric with the options of a form; absent ones have their defaults."""
    unknown = sorted(set(values) - set(OPTIONS))
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}; choose from {', '.join(OPTIONS)}")
    options = {**DEFAULTS, **values}
    drop = options.pop("drop")
    if not isinstance(drop, str):
        raise ValueError("drop must be labels with spaces between")
    labels = ["" if label == "''" else label for label in drop.split()]
    return StructIoU(drop=labels, **options)


def show_figures(figures: Mapping[str, float]) -> str:
    """Scores with their names, as HTML."""
    shown = "".join(
        f'<div class="siou-figure"><span>{name}</span><b>{value:.4f}</b></div>'
        for name, value in figures.items()
    )
    return f'<div class="siou-figures">{shown}</div>'


def show_error(error: BaseException, field: str = "") -> str:
    """An error as HTML: where it is, what it is, and the text with a mark under the place."""
    where = ""
    text = str(error)
    window = ""
    if isinstance(error, TreeFormatError):
        text, window = error.message, error.window
        if error.line is not None:
            where = f"line {error.line}, column {error.column}: "
    name = f"{field}, " if field and where else f"{field}: " if field else ""
    mark = f"<pre>{html.escape(window)}</pre>" if window else ""
    return f'<div class="siou-error" role="alert">{html.escape(name + where + text)}{mark}</div>'


def add_file(**props: Any) -> Any:
    """A box for a file of the visitor's.

    Unlike Gradio's own it does not fetch a file from an address that a request names instead of one.
    """
    box: Any = gr.File(**props)
    move = box.async_move_resource_to_block_cache

    async def move_upload(path: Any) -> Any:
        if "://" in str(path):
            raise gr.Error("upload the file itself", print_exception=False)
        return await move(path)

    box.async_move_resource_to_block_cache = move_upload
    return box


def read_file(path: Any, name: str, limit: int) -> bytes:
    """What a visitor uploaded, unpacked.

    Args:
        path: What the box of `add_file` gives.
        name: What to ask for if it gives nothing, such as `predictions`.
        limit: Bytes that may be read.
    """
    if not path:
        raise ValueError(f"choose a file of {name}")
    file = Path(str(path)).resolve()
    if not file.is_relative_to(Path(get_upload_folder()).resolve()):
        raise ValueError("upload the file itself")
    try:
        return read_upload(file, limit)
    except FileNotFoundError:
        raise ValueError("this upload is no longer there; choose the file again") from None


def visitor_of(request: gr.Request | None, profile: gr.OAuthProfile | None, settings: Settings) -> Visitor:
    """Who asks: the user of the Hub if there is one, and the address."""
    address = "unknown"
    if request is not None and request.client is not None:
        forwarded = request.headers.get("x-forwarded-for", "")
        address = find_address(request.client.host, forwarded, settings.behind_proxy)
    return Visitor(None if profile is None else profile.username, address)

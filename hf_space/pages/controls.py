"""Parts that several pages share: the options of the metric, errors, and who is there."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder

from leaderboard.people import Visitor, find_address
from leaderboard.settings import Settings
from leaderboard.uploads import read_upload
from look import read_script
from structiou_metric import StructIoU, TreeFormatError
from structiou_metric.metrics.base import Option

# The options that a form asks for: those that matter for a pair.
OPTIONS = {name: option for name, option in StructIoU.OPTIONS.items() if not option.corpus}


def _as_shown(option: Option, value: Any) -> Any:
    """A value as a form and a link have it: labels are a text, with '' for the empty one."""
    return " ".join(label or "''" for label in value) if option.kind == "labels" else value


DEFAULTS: dict[str, Any] = {name: _as_shown(option, option.default) for name, option in OPTIONS.items()}


def add_options() -> dict[str, Any]:
    """The options of the metric as components, by name."""
    rows: list[dict[str, Option]] = [
        {name: option for name, option in OPTIONS.items() if (option.kind == "choice") is chosen}
        for chosen in (True, False)
    ]
    parts: dict[str, Any] = {}
    with gr.Accordion("Options", open=False):
        for row in rows:
            with gr.Row():
                parts |= {name: _add_option(name, option) for name, option in row.items()}
    return {name: parts[name] for name in OPTIONS}


def _add_option(name: str, option: Option) -> Any:
    about: dict[str, Any] = {
        "value": DEFAULTS[name],
        "label": name,
        "info": option.help,
        "elem_id": f"option-{name}",
    }
    if option.kind == "choice":
        return gr.Radio(list(option.choices), **about)
    if option.kind == "labels":
        return gr.Textbox(**{**about, "info": f"{option.help}; '' is the empty one"})
    return {"number": gr.Number, "flag": gr.Checkbox}[option.kind](**about)


def read_options(values: Mapping[str, Any]) -> StructIoU:
    """The metric with the options of a form; absent ones have their defaults."""
    unknown = sorted(set(values) - set(OPTIONS))
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}; choose from {', '.join(OPTIONS)}")
    options: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        value = values.get(name, DEFAULTS[name])
        if option.kind == "labels":
            if not isinstance(value, str):
                raise ValueError(f"{name} must be labels with spaces between")
            value = ["" if label == "''" else label for label in value.split()]
        options[name] = value
    return StructIoU(**options)


def show_options(metric: StructIoU) -> dict[str, Any]:
    """The options of a metric as a form shows them; the opposite of `read_options`."""
    return {name: _as_shown(option, getattr(metric.options, name)) for name, option in OPTIONS.items()}


def show_figures(figures: Mapping[str, float]) -> str:
    """The scores with their names, as HTML; `scripts/page.js` has them read aloud when they appear."""
    shown = "".join(
        f'<div class="siou-figure"><span>{name}</span><b>{value:.4f}</b></div>'
        for name, value in figures.items()
    )
    told = ", ".join(f"{name} {value:.4f}" for name, value in figures.items())
    return f'<div class="siou-figures" data-say="{html.escape(told, quote=True)}">{shown}</div>'


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


def show_warnings(messages: Iterable[str]) -> str:
    """What is suspicious though it could be computed, as HTML; empty if there is nothing."""
    lines = "".join(f"<li>{html.escape(message)}</li>" for message in messages)
    return f'<ul class="siou-warnings" role="note">{lines}</ul>' if lines else ""


def add_table(**props: Any) -> Any:
    """A table that visitors sort and search; `fill_table` fills it, and choosing a row of it is an event."""
    return gr.HTML(html_template="", js_on_load=read_script("table.js"), apply_default_css=False, **props)


def fill_table(
    headers: Sequence[str], rows: Sequence[Sequence[Any]], noun: str, title: str = ""
) -> dict[str, Any]:
    """The value of a table that `add_table` made.

    Args:
        headers: The headers of the columns. The column `id` is not shown; where there is one, rows can be
            chosen.
        rows: The cells of each row.
        noun: What a row is.
        title: The heading above the table.
    """
    return {"headers": list(headers), "data": rows, "noun": noun, "title": title}


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
    """What a visitor uploaded, as it is.

    Args:
        path: What the box of `add_file` gives.
        name: What to ask for if it gives nothing, such as `predictions`.
        limit: How many bytes may be read.
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


def visitor_of(request: Any, profile: gr.OAuthProfile | None, settings: Settings) -> Visitor:
    """The visitor: the user of the Hub if there is one, and the address."""
    address = "unknown"
    if request is not None and request.client is not None:
        forwarded = request.headers.get("x-forwarded-for", "")
        address = find_address(request.client.host, forwarded, settings.proxies)
    return Visitor(None if profile is None else profile.username, address)

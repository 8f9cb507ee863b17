"""The playground: two trees are compared while somebody edits them. The only page that Gradio makes."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from typing import Any

import gradio as gr

from leaderboard.settings import Settings
from pairs import compare_pair
from structiou_metric import TreeFormatError
from structiou_metric.metrics.base import Option
from structiou_metric.report.pair import DEFAULTS, EXAMPLES, OPTIONS
from web.render import problems_of, render
from web.security import PLAYGROUND

_MAX_LINK = 8_000  # characters; longer addresses do not reach every server
_MAX_STATE = 200_000  # bytes of a link, unpacked
_DAMAGED = "this link is damaged; copy it again"
_HEAD = (
    '<link rel="stylesheet" href="/static/pair.css"><link rel="stylesheet" href="/static/parts.css">'
    '<script src="/static/pair.js" defer></script>'
)
_COLORS = {
    "body_text_color_subdued": ("#52525b", "#b9b9c3"),
    "block_info_text_color": ("#52525b", "#b9b9c3"),
    "block_label_text_color": ("#52525b", "#b9b9c3"),
    "block_title_text_color": ("#27272a", "#e4e4e7"),
    "input_placeholder_color": ("#52525b", "#b9b9c3"),
    "link_text_color": ("#0a5a9c", "#7fc4ff"),
    "button_primary_background_fill": ("#0a5a9c", "#1668ad"),
    "button_primary_background_fill_hover": ("#084a82", "#0f5b9b"),
    "button_primary_text_color": ("#ffffff", "#ffffff"),
    "checkbox_background_color_selected": ("#0a5a9c", "#1668ad"),
}


def build_playground(settings: Settings) -> gr.Blocks:
    """Return the page."""
    blocks: gr.Blocks = gr.Blocks(title="Compare two trees: STRUCT-IoU", analytics_enabled=False)
    with blocks:
        gr.HTML(render("playground_head.html"))
        with gr.Row():
            buttons = {name: gr.Button(name, size="sm", min_width=140) for name in EXAMPLES}
        with gr.Row():
            reference = _add_tree("Reference")
            prediction = _add_tree("Prediction")
        options = _add_options()
        compare = gr.Button("Compare", variant="primary", elem_id="compare")
        result = gr.HTML(elem_id="result")
        inputs = [reference, prediction, *options.values()]

        def run(*values: Any) -> str:
            first, second, *others = values
            return show_pair(second, first, dict(zip(OPTIONS, others, strict=True)), settings)

        def open_link(request: gr.Request) -> list[Any]:
            """Fill in the trees of a link, `?trees=…` or `?example=…`, and compare them."""
            query = request.query_params
            number = query.get("example", "")
            if number.isdecimal() and int(number[:3]) < len(EXAMPLES):
                first, second, unit = [*EXAMPLES.values()][int(number)]
                state: dict[str, Any] = {"reference": first, "prediction": second, "unit": unit}
            elif query.get("trees"):
                try:
                    state = decode_state(query["trees"])
                except ValueError as error:
                    return [gr.skip()] * len(inputs) + [_show_problem(error)]
            else:
                return [gr.skip()] * (len(inputs) + 1)
            values = [state.get("reference", ""), state.get("prediction", "")]
            values += [state.get(name, default) for name, default in DEFAULTS.items()]
            return [*values, run(*values)]

        quiet: dict[str, Any] = {"api_visibility": "private", "concurrency_limit": 8}
        compare.click(run, inputs, result, **quiet)
        for name, button in buttons.items():
            set_example = _setter(EXAMPLES[name])
            filled = button.click(set_example, None, [reference, prediction, options["unit"]], **quiet)
            filled.then(run, inputs, result, **quiet)
        blocks.load(open_link, None, [*inputs, result], **quiet)
    blocks.queue(max_size=64, api_open=False)
    return blocks


def _setter(values: tuple[str, str, str]) -> Any:
    return lambda: values


def _add_tree(label: str) -> Any:
    name = label.lower()
    return gr.Textbox(label=label, min_width=260, lines=4, max_lines=12, elem_id=name, elem_classes="tree")


def _add_options() -> dict[str, Any]:
    """Add the options of the metric, choices before the others; return them by name."""
    parts = {}
    with gr.Accordion("Options", open=False):
        for are_choices in (True, False):
            with gr.Row():
                for name, option in OPTIONS.items():
                    if (option.kind == "choice") is are_choices:
                        parts[name] = _add_option(name, option)
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


def show_pair(prediction: Any, reference: Any, options: dict[str, Any], settings: Settings) -> str:
    """Return the comparison of a pair as HTML, or the problem with it."""
    try:
        found = compare_pair(prediction or "", reference or "", options, settings, drawing=True)
    except (ValueError, TypeError) as error:
        return _show_problem(error)
    # Pairs that differ come first: they are what somebody looks for.
    pairs = sorted(found["pairs"], key=_is_equal)
    link = encode_state({"prediction": prediction, "reference": reference, **options})
    return render("pair.html", found=found, pairs=pairs, address=link and f"{PLAYGROUND}/?trees={link}")


def _is_equal(pair: dict[str, Any]) -> bool:
    """Return whether two aligned nodes have the same label and the same span."""
    prediction, reference = pair["prediction"], pair["reference"]
    return bool(pair["iou"] == 1.0 and prediction["label"] == reference["label"])


def _show_problem(error: Exception) -> str:
    return render("problems.html", problems=problems_of(error), is_tree=isinstance(error, TreeFormatError))


def encode_state(state: dict[str, Any]) -> str | None:
    """Return a state as a word for an address, or None if it is too long for one."""
    packed = zlib.compress(json.dumps(state, ensure_ascii=False).encode("utf-8", "surrogatepass"), 9)
    word = base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")
    return word if len(word) <= _MAX_LINK else None


def decode_state(word: str) -> dict[str, Any]:
    """Return the state of a link; a ValueError for anything that `encode_state` did not write."""
    try:
        packed = base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_", validate=True)
        machine = zlib.decompressobj()
        text = machine.decompress(packed, _MAX_STATE)
        if not machine.eof:
            raise ValueError(_DAMAGED)
        state = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, binascii.Error, zlib.error, RecursionError):
        raise ValueError(_DAMAGED) from None
    if not isinstance(state, dict):
        raise ValueError(_DAMAGED)
    return state


def mount_playground(app: Any, settings: Settings) -> Any:
    """Add the page to an application."""
    theme: Any = gr.themes.Default(primary_hue="blue", neutral_hue="zinc", font=["system-ui", "sans-serif"])
    colors = {name: light for name, (light, _) in _COLORS.items()}
    colors |= {f"{name}_dark": dark for name, (_, dark) in _COLORS.items()}
    return gr.mount_gradio_app(
        app,
        build_playground(settings),
        PLAYGROUND,
        ssr_mode=False,
        enable_monitoring=False,
        run_history=False,  # or browsers would keep what was typed
        show_error=True,
        footer_links=[],
        max_file_size=1,
        theme=theme.set(**colors),
        head=_HEAD,
    )

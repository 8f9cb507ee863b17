"""How the pages look: colours that can be read in light and dark, the style sheet, and their scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

_HERE = Path(__file__).resolve().parent
_FONTS = ("system-ui", "Segoe UI", "Helvetica", "Arial", "DejaVu Sans", "Noto Sans", "sans-serif")
_MONO = ("ui-monospace", "DejaVu Sans Mono", "monospace")

# By what it is for, on light and on dark pages; each is at least 4.5:1 against what is behind it.
_SOFT = ("#52525b", "#b9b9c3")
_LINK = ("#0a5a9c", "#7fc4ff")
_BUTTON = ("#0a5a9c", "#1668ad")
_BUTTON_HOVER = ("#084a82", "#0f5b9b")
_STOP = ("#b3261e", "#b3261e")
_STOP_HOVER = ("#8f1d17", "#8f1d17")

_COLORS = {
    "body_text_color_subdued": _SOFT,
    "block_info_text_color": _SOFT,
    "block_label_text_color": _SOFT,
    "block_title_text_color": ("#27272a", "#e4e4e7"),
    "input_placeholder_color": _SOFT,
    "link_text_color": _LINK,
    "link_text_color_hover": _LINK,
    "link_text_color_active": _LINK,
    "link_text_color_visited": _LINK,
    "button_primary_background_fill": _BUTTON,
    "button_primary_background_fill_hover": _BUTTON_HOVER,
    "button_primary_text_color": ("#ffffff", "#ffffff"),
    "button_cancel_background_fill": _STOP,
    "button_cancel_background_fill_hover": _STOP_HOVER,
    "button_cancel_text_color": ("#ffffff", "#ffffff"),
    "checkbox_background_color_selected": _BUTTON,
    "checkbox_border_color_selected": _BUTTON,
}


def read_script(name: str) -> str:
    """The text of one of the scripts that the pages run."""
    return (_HERE / "scripts" / name).read_text("utf-8")


def look() -> dict[str, Any]:
    """The arguments of `launch` that make the pages look so."""
    theme: Any = gr.themes.Default(
        primary_hue="blue", neutral_hue="zinc", font=list(_FONTS), font_mono=list(_MONO)
    )
    settings: dict[str, str] = {}
    for name, (light, dark) in _COLORS.items():
        settings |= {name: light, f"{name}_dark": dark}
    return {
        "theme": theme.set(**settings),
        "css_paths": _HERE / "style.css",
        "head": f"<script>{read_script('page.js')}</script>",
    }

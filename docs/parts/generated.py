"""The Markdown that stands for the marks in pages, by kind."""

from __future__ import annotations

from collections.abc import Callable

from parts.doors import write_commands, write_script, write_spacy
from parts.files import list_pages, show_file, show_introduction
from parts.pictures import draw
from parts.reference import write_arguments, write_reference
from parts.tables import write_all_options, write_measures, write_options

GENERATED: dict[str, Callable[..., str]] = {
    "reference": write_reference,
    "arguments": write_arguments,
    "options": write_options,
    "other-options": write_all_options,
    "measures": write_measures,
    "commands": write_commands,
    "picture": draw,
    "file": show_file,
    "introduction": show_introduction,
    "pages": list_pages,
    "script": write_script,
    "spacy": write_spacy,
}

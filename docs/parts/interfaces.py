"""Tables of the options of the command line, the Hub's script, and spaCy."""

from __future__ import annotations

import argparse
import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parts.tables import as_values, code, escaped, write_table
from structiou_metric.commands import COMMANDS
from structiou_metric.commands.main import build_parser
from structiou_metric.metrics import METRICS, metric_class

# The module with the text about the arguments of `compute`.
SCRIPT = Path(__file__).parents[2] / "structiou_metric" / "hub" / "evaluate_metric.py"
_OF_METRICS = {f"options of {metric_class(name).title}" for name in METRICS}

# ---- the command line --------------------------------------------------------------------------


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield the name and parser of every command and subcommand, with the options of all metrics."""
    yield from _below("", build_parser([*COMMANDS, "--metric=all", "--metrics=all"]))


def _below(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, child in action.choices.items():
                yield f"{name} {word}".strip(), child
                yield from _below(f"{name} {word}".strip(), child)


def write_commands() -> str:
    """Return all commands with their examples and options."""
    parts = []
    for name, parser in parsers():
        text, _, examples = (parser.description or "").partition("\n\nexamples:\n")
        examples, _, more = examples.partition("\n\n")
        parts.append(f"## `structiou {name}`\n\n{text.strip()}\n")
        usage = (parser.usage or parser.format_usage().removeprefix("usage: ")).strip()
        parts.append(f"```text\n{usage}\n```\n")
        if examples:
            parts.append(f"```sh\n{inspect.cleandoc(examples)}\n```\n")
        if more.strip():
            parts.append(f"{more.strip()}\n")
        parts += _groups(parser)
    return "\n".join(parts)


def _groups(parser: argparse.ArgumentParser) -> Iterator[str]:
    shared = []
    for group in parser._action_groups:
        actions = [
            action
            for action in group._group_actions
            if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
            and action.help != argparse.SUPPRESS
        ]
        if not actions:
            continue
        if group.title in _OF_METRICS:
            flags = ", ".join(code(flag) for action in actions for flag in action.option_strings)
            shared.append(f"- {group.title.removeprefix('options of ')}: {flags}")
            continue
        rows = ([code(_written(action)), _help(action)] for action in actions)
        title = {"positional arguments": "argument", "options": "option"}.get(group.title, group.title)
        yield write_table([title, "meaning"], rows)
    if shared:
        yield "Options of the metrics ([what they mean](options.md)):\n\n" + "\n".join(shared) + "\n"


def _written(action: argparse.Action) -> str:
    """Return an argument as it is written, with its value."""
    value = ""
    if action.nargs != 0:
        value = action.metavar if isinstance(action.metavar, str) else ""
        if not value and action.choices:
            value = "|".join(map(str, action.choices))
        value = value or action.dest.upper().replace("_", "-")
    return " ".join(filter(None, [", ".join(action.option_strings), value]))


def _help(action: argparse.Action) -> str:
    """Return the help of an argument."""
    return escaped(argparse.HelpFormatter("")._expand_help(action) if action.help else "")


# ---- the Hub's script --------------------------------------------------------------------------


def script_sections() -> dict[str, list[tuple[str, str, str]]]:
    """Return name, type and meaning of the arguments and values of the Hub's script, by section."""
    source = SCRIPT.read_text(encoding="utf-8")
    (text,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "INPUTS"
    )
    return sections_of(text)


def sections_of(docstring: str) -> dict[str, list[tuple[str, str, str]]]:
    """Return the entries of a docstring in Google style, by section such as `Args`."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for title, body in re.findall(
        r"^(\w+):\n((?:(?: {4}.*)?\n)+)", inspect.cleandoc(docstring) + "\n", flags=re.M
    ):
        entries = re.findall(r"^ {4}(\S.*(?:\n {8}.*)*)", body, flags=re.M)
        found[title] = [entry for text in entries for entry in _entries(" ".join(text.split()))]
    return found


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and meaning of each name of an entry; several names may share a meaning."""
    head, _, meaning = text.partition(": ")
    for part in head.split("), "):
        name, _, kind = part.partition(" (")
        yield name, kind.rstrip(")"), meaning


def write_script(section: str) -> str:
    """Return the arguments of `compute`, or the values in its result, as a table."""
    rows = ([code(name), escaped(kind), escaped(text)] for name, kind, text in script_sections()[section])
    return write_table(["name", "type", "meaning"], rows)


# ---- spaCy -------------------------------------------------------------------------------------


def write_spacy(part: str) -> str:
    """Return the settings of the `component`, of the `reader`, or of the `commands` as tables."""
    if part == "commands":
        return _spacy_commands()
    from spacy_structiou import StructIouComponent, TreebankCorpus, TreeScorer
    from spacy_structiou.component import make_struct_iou
    from structiou_metric import StructIoU

    if part == "reader":
        return _settings(inspect.signature(TreebankCorpus), _meanings(TreebankCorpus))
    meanings = {
        **{name: option.help for name, option in StructIoU.OPTIONS.items()},
        **_meanings(TreeScorer),
        **_meanings(StructIouComponent),
    }
    return _settings(inspect.signature(make_struct_iou), meanings, skipped=("nlp", "name"))


def _meanings(found: Any) -> dict[str, str]:
    """Return the meaning of each argument in the docstring of an object."""
    return {name: text for name, _, text in sections_of(found.__doc__)["Args"]}


def _settings(signature: inspect.Signature, meanings: dict[str, str], skipped: tuple[str, ...] = ()) -> str:
    rows = []
    for name, parameter in signature.parameters.items():
        if name not in skipped:
            given = parameter.default
            rows.append(
                [
                    code(name),
                    "" if given is inspect.Parameter.empty else as_values(given),
                    escaped(meanings[name]),
                ]
            )
    return write_table(["setting", "default", "meaning"], rows)


def _spacy_commands() -> str:
    import typer

    from spacy_structiou.cli import structiou_cli

    parts = []
    group: Any = typer.main.get_command(structiou_cli)
    for name, command in group.commands.items():
        parts.append(f"### `python -m spacy structiou {name}`\n\n{escaped(_first(command.help))}\n")
        rows = [
            [
                code(
                    " ".join(
                        filter(None, [", ".join([*option.opts, *option.secondary_opts]), option.metavar])
                    )
                ),
                escaped(getattr(option, "help", "") or ""),
            ]
            for option in command.params
            if option.name != "help"
        ]
        parts.append(write_table(["argument", "meaning"], rows))
    return "\n".join(parts)


def _first(text: str) -> str:
    return " ".join(inspect.cleandoc(text or "").partition("\n\n")[0].split())

"""`structiou completion`: scripts for shells, made from the parsers of all commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from . import COMMANDS

USAGE = "SHELL"
DESCRIPTION = "Prints a script with which a shell completes commands, options, their values and files."
EPILOG = """\
examples:
  eval "$(structiou completion bash)"                      # in ~/.bashrc
  structiou completion zsh > ~/.zfunc/_structiou           # in a folder of $fpath, before compinit
  structiou completion fish > ~/.config/fish/completions/structiou.fish
"""


class _Flag(NamedTuple):
    """An option: how it is written, what it means, the values it may have, and whether it takes one."""

    names: list[str]
    help: str
    choices: list[str]
    takes_value: bool


class _Command(NamedTuple):
    """A command by its words, with its line of help, its options, and the commands below it."""

    words: tuple[str, ...]
    help: str
    flags: list[_Flag]
    below: dict[str, str]


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Adds the arguments."""
    parser.add_argument("shell", choices=list(_WRITERS), metavar="SHELL", help=", ".join(_WRITERS))


def run(args: argparse.Namespace) -> str:
    """The script for the shell that was asked for."""
    from .main import build_parser

    everything = build_parser([*COMMANDS, "--metric=all", "--metrics=all"])
    return _WRITERS[args.shell](list(_walk(everything, ())))


def _walk(parser: argparse.ArgumentParser, words: tuple[str, ...], line: str = "") -> Iterator[_Command]:
    """A parser and all parsers below it."""
    flags, below, children = [], {}, {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            below = {choice.dest: choice.help or "" for choice in action._choices_actions}
            children = dict(action.choices)
        elif action.option_strings:
            text = argparse.HelpFormatter("")._expand_help(action) if action.help else ""
            choices = [str(choice) for choice in action.choices or ()]
            flags.append(_Flag(list(action.option_strings), text, choices, action.nargs != 0))
    yield _Command(words, line, flags, below)
    for name, child in children.items():
        yield from _walk(child, (*words, name), below.get(name, ""))


def _name(words: Sequence[str]) -> str:
    return "_".join(["_structiou", *words])


# ---- bash ------------------------------------------------------------------------------------------


def _bash(commands: Sequence[_Command]) -> str:
    """The script for bash, which offers words by the command before the cursor, and else files."""
    paths, values, words = [], [], []
    for command in commands:
        at = " ".join(command.words)
        paths += [f'"{at} {name}"' if at else f'" {name}"' for name in command.below]
        for flag in command.flags:
            for name in flag.names:
                if flag.takes_value:
                    values.append(f'        "{at} {name}") words="{" ".join(flag.choices)}" ;;')
        names = [*command.below, *(name for flag in command.flags for name in flag.names)]
        words.append(f'        "{at}") words="{" ".join(names)}" ;;')
    return f"""\
# structiou's completion for bash
_structiou() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="" words="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$command ${{COMP_WORDS[i]}}" in
        {" | ".join(paths)})
            command="${{command:+$command }}${{COMP_WORDS[i]}}" ;;
        esac
    done
    COMPREPLY=()
    case "$command $before" in
{chr(10).join(values)}
        *)
        case "$command" in
{chr(10).join(words)}
        esac
        if [[ "$current" != -* && -n "$command" && "$words" == -* ]]; then
            words=""
        fi ;;
    esac
    if [[ -n "$words" ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
    fi
}}
complete -o default -F _structiou structiou
"""


# ---- zsh -------------------------------------------------------------------------------------------


def _zsh(commands: Sequence[_Command]) -> str:
    """The script for zsh, with a function for each command."""
    functions = []
    for command in commands:
        specs = [_zsh_flag(flag) for flag in command.flags]
        if command.below:
            cases = "\n".join(f"        {name}) {_name((*command.words, name))} ;;" for name in command.below)
            lines = "\n".join(f"        {_quoted(f'{name}:{line}')}" for name, line in command.below.items())
            body = f"""\
    local line state
    _arguments -C {" ".join(specs)} '1: :->command' '*::argument:->rest'
    case $state in
    command)
        local -a names=(
{lines}
        )
        _describe command names ;;
    rest)
        case $line[1] in
{cases}
        esac ;;
    esac"""
        else:
            body = "    _arguments " + " \\\n        ".join([*specs, "'*:file:_files'"])
        functions.append(f"{_name(command.words)}() {{\n{body}\n}}\n")
    return (
        "#compdef structiou\n\n"
        + "\n".join(functions)
        + """
if [ "$funcstack[1]" = _structiou ]; then
    _structiou "$@"
else
    compdef _structiou structiou
fi
"""
    )


def _zsh_flag(flag: _Flag) -> str:
    help = flag.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    value = ""
    if flag.takes_value:
        value = f":value:({' '.join(flag.choices)})" if flag.choices else ":value:_files"
    return " ".join(_quoted(f"{name}[{help}]{value}") for name in flag.names)


# ---- fish ------------------------------------------------------------------------------------------


def _fish(commands: Sequence[_Command]) -> str:
    """The script for fish, with a line for each command and each option."""
    lines = ["# structiou's completion for fish"]
    for command in commands:
        seen = " ; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.words)
        others = f"not __fish_seen_subcommand_from {' '.join(command.below)}" if command.below else ""
        here = " ; and ".join(filter(None, (seen, others)))
        for name, line in command.below.items():
            lines.append(f"complete -c structiou -f -n {_quoted(here)} -a {name} -d {_quoted(line)}")
        for flag in command.flags:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names
            )
            value = f" -x -a {_quoted(' '.join(flag.choices))}" if flag.choices else " -r" * flag.takes_value
            lines.append(f"complete -c structiou -n {_quoted(here)} {names}{value} -d {_quoted(flag.help)}")
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    """The text in single quotes for zsh and fish; a quote inside is closed, escaped and opened again."""
    return "'" + text.replace("'", "'\\''") + "'"


_WRITERS = {"bash": _bash, "zsh": _zsh, "fish": _fish}

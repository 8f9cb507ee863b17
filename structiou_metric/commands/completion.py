"""`structiou completion`: print scripts for shells, which `shtab` makes from the parsers of all commands."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ..optional import need
from . import COMMANDS

USAGE = "SHELL"
DESCRIPTION = "Prints a script with which a shell completes commands, options, their values and files."
EPILOG = """\
examples:
  eval "$(structiou completion bash)"                      # in ~/.bashrc
  structiou completion zsh > ~/.zfunc/_structiou           # in a folder of $fpath, before compinit
  structiou completion fish > ~/.config/fish/completions/structiou.fish
"""

_SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help=", ".join(_SHELLS))


def run(args: argparse.Namespace) -> str:
    """Return the script for a shell."""
    from .main import build_parser  # shtab imports this module for its parser

    shtab = need("shtab", "completion", "a script for a shell")
    everything = build_parser([*COMMANDS, "--metric=all"], described=True)
    _offer_files(everything, shtab.FILE)
    script: str = shtab.complete(everything, shell=args.shell)
    return script


def _offer_files(parser: argparse.ArgumentParser, offer: Any) -> None:
    """Let shells complete file names for every value that is not limited to a few choices."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _offer_files(command, offer)
        elif action.choices is None and action.nargs != 0:
            action.complete = offer  # type: ignore[attr-defined]

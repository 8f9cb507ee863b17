"""The parser of the command line: help with examples first, and errors that suggest what was meant."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from ..wording import suggest

EXIT_CODES = "exit codes: 0 done, 1 bad data, 2 bad usage"

_SHORT = 27  # columns of an argument's name in the help; a longer one has a line of its own


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Leaves lines that are broken by hand as they are, and wraps others."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = []
        for part in text.strip().split("\n\n"):
            if "\n" not in part:
                part = textwrap.fill(part, width)
            paragraphs.append(textwrap.indent(part, indent))
        return "\n\n".join(paragraphs)


class Parser(argparse.ArgumentParser):
    """A parser whose errors say what may have been meant, and where the help is."""

    def __init__(self, **settings: Any) -> None:
        formatter = partial(HelpFormatter, max_help_position=_SHORT)
        super().__init__(**{"allow_abbrev": False, "formatter_class": formatter, **settings})

    def show_common(self, flags: Sequence[str]) -> None:
        """Let the help list these options only, and say how to list all."""
        hidden = 0
        for action in self._actions:
            if action.option_strings and not {"--help", "--help-all", *flags} & set(action.option_strings):
                action.help = argparse.SUPPRESS
                hidden += 1
        self.epilog = f"{self.prog} --help-all lists {hidden} more options.\n{self.epilog}"

    def error(self, message: str) -> NoReturn:
        """End the program with the usage, what is wrong and where to look, on standard error."""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}\n")

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """End the program because of arguments that it does not know."""
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        if not options:
            self.error(f"too many arguments: {' '.join(words)}; put quotes around what has blanks in it")
        flags = [flag for action in self._actions for flag in action.option_strings]
        hints = dict.fromkeys(suggest(option, flags) for option in options)
        known = "; ".join(filter(None, hints)) or f"{self.prog} --help lists the options"
        self.error(f"there is no option {', '.join(options)}; {known}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is none of the choices, and name the nearest."""
        choices = action.choices
        if choices is None or value in choices:
            return
        names = [str(choice) for choice in choices]
        hint = suggest(str(value), names)
        if not hint and isinstance(action, argparse._SubParsersAction) and os.path.exists(str(value)):
            hint = f"write what to do before the files, as in: {self.prog} {names[0]} {value}"
        text = f"{value!r} is none of {', '.join(names)}"
        raise argparse.ArgumentError(action, f"{text}; {hint}" if hint else text)

"""The parser of the command line: help with examples first, and errors that suggest corrections."""

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

_SHORT = 27  # columns of an argument's name in the help; longer names have their own line


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps lines that are broken by hand, and wraps all others."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = []
        for part in text.strip().split("\n\n"):
            if "\n" not in part:
                part = textwrap.fill(part, width)
            paragraphs.append(textwrap.indent(part, indent))
        return "\n\n".join(paragraphs)


class Parser(argparse.ArgumentParser):
    """A parser whose errors suggest corrections and point to the help."""

    def __init__(self, **settings: Any) -> None:
        formatter = partial(HelpFormatter, max_help_position=_SHORT)
        super().__init__(**{"allow_abbrev": False, "formatter_class": formatter, **settings})

    def show_common(self, flags: Sequence[str]) -> None:
        """Limit the help to these options, and add how to list all."""
        hidden = 0
        for action in self._actions:
            if action.option_strings and not {"--help", "--help-all", *flags} & set(action.option_strings):
                action.help = argparse.SUPPRESS
                hidden += 1
        self.epilog = f"{self.prog} --help-all lists {hidden} more options.\n{self.epilog}"

    def error(self, message: str) -> NoReturn:
        """End the program with the usage, the error and a pointer to the help, on standard error."""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}\n")

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """End the program because of unknown arguments."""
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        if not options:
            self.error(f"too many arguments: {' '.join(words)}; put quotes around arguments with blanks")
        flags = [flag for action in self._actions for flag in action.option_strings]
        hints = dict.fromkeys(suggest(option, flags) for option in options)
        known = "; ".join(filter(None, hints)) or f"{self.prog} --help lists the options"
        self.error(f"there is no option {', '.join(options)}; {known}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not one of the choices, and name the nearest choice."""
        choices = action.choices
        if choices is None or value in choices:
            return
        names = [str(choice) for choice in choices]
        hint = suggest(str(value), names)
        if not hint and isinstance(action, argparse._SubParsersAction) and os.path.exists(str(value)):
            hint = f"write the command before the files, as in: {self.prog} {names[0]} {value}"
        text = f"{value!r} is none of {', '.join(names)}"
        raise argparse.ArgumentError(action, f"{text}; {hint}" if hint else text)

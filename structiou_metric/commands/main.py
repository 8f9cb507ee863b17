"""The command line: parses, calls a command of `commands`, prints."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from .._version import __version__
from ..errors import SettingsWarning
from . import COMMANDS, arguments
from .parser import EXIT_CODES, Parser, suggest


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns 0, or 1 for bad data. Bad usage exits with 2."""
    args = _parse(_guard_labels(sys.argv[1:] if argv is None else argv))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if args.quiet else "always", SettingsWarning)
            warnings.showwarning = _warn  # type: ignore[assignment]
            _print(args.run(args))
    except BrokenPipeError:  # such as `structiou … | head`
        pass
    except (OSError, ValueError, MemoryError, ImportError) as error:
        print(f"structiou: {_describe(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parse(argv: list[str]) -> argparse.Namespace:
    """Parses the arguments.

    argparse takes an argument that may be missing for missing where options stand before it, so a
    PREDICTION is then left over.
    """
    parser = build_parser(argv)
    args, rest = parser.parse_known_args(argv)
    if rest and getattr(args, "prediction", "") is None and not rest[0].startswith("-"):
        args.prediction = rest.pop(0)
    if rest:
        args.parser.refuse(rest)
    return args


def _guard_labels(argv: Sequence[str]) -> list[str]:
    """Puts a space before labels such as `-NONE-`, which argparse would take for an option.

    Options that take labels strip it again.
    """
    return [f" {word}" if re.fullmatch("-[^-].*-", word) else word for word in argv]


def _print(text: str) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # rather a few `?` than nothing where not all can be written
    try:
        print(text, end="", flush=True)
    except OSError:  # what is left in the buffer would fail once more when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def _warn(message: Warning | str, *where: Any) -> None:
    print(f"structiou: warning: {message}", file=sys.stderr)


def _describe(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        if error.filename is None:
            return error.strerror
        told = f"{error.filename}: {error.strerror}"
        return f"{told}; {_near(str(error.filename))}" if isinstance(error, FileNotFoundError) else told
    return str(error) or "out of memory"


def _near(path: str) -> str:
    """What to do about a path that is not there: the nearest name in its folder, or what to check."""
    folder, name = os.path.split(path)
    try:
        names = sorted(os.listdir(folder or os.curdir))
    except OSError:
        return "nor can its folder be read; check the path"
    return suggest(name, names) or f"check the path (the working folder is {os.getcwd()})"


def build_parser(argv: Sequence[str] = ()) -> Parser:
    """The parser of all commands; only those that `argv` names have their arguments."""
    parser = Parser(
        prog="structiou",
        description="How alike are two constituency parse trees? STRUCT-IoU, exactly.",
        epilog="structiou COMMAND --help tells the options of a command, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"structiou {__version__}")
    parser.add_argument(
        "--cite", action=_Cite, nargs=0, help="print what to cite, as BibTeX, and exit", default=None
    )
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, line in COMMANDS.items():
        if name not in argv:
            subparsers.add_parser(name, help=line, add_help=False)
            continue
        module = import_module(f".{name}", __package__)
        command = subparsers.add_parser(
            name,
            help=line,
            usage=f"structiou {name} {module.USAGE}",
            description=f"{module.DESCRIPTION}\n\n{module.EPILOG}",
            epilog=EXIT_CODES,
        )
        module.configure(command, argv)
        command.set_defaults(run=module.run, parser=command)
        if command._subparsers is None:  # else those below it have their own
            arguments.add_quiet(command)
    return parser


class _Cite(argparse.Action):
    """Prints what to cite, as soon as it is read."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from ..citation import BIBTEX

        _print(BIBTEX)
        parser.exit()

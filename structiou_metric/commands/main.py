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
from . import COMMANDS

_EXIT_CODES = "exit codes: 0 done, 1 bad data, 2 bad usage"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns 0, or 1 for bad data. Bad usage exits with 2."""
    args = _parse(_guard_labels(sys.argv[1:] if argv is None else argv))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", SettingsWarning)
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
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
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
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return str(error) or "out of memory"


def build_parser(argv: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of all commands; only those that `argv` names have their arguments."""
    parser = argparse.ArgumentParser(
        prog="structiou",
        description="How alike are two constituency parse trees? STRUCT-IoU, exactly.",
        epilog="structiou COMMAND --help tells the options of a command.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"structiou {__version__}")
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
            description=module.DESCRIPTION,
            epilog=f"{module.EPILOG}\n{_EXIT_CODES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.configure(command, argv)
        command.set_defaults(run=module.run, parser=command)
    return parser

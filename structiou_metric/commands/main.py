"""The command line: parse the arguments, call the module of a command, print the text it returns."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from .._version import __version__
from ..citation import BIBTEX
from ..errors import SettingsWarning
from ..wording import suggest
from . import COMMAND_GROUPS, COMMANDS
from .arguments import QUIET
from .parser import EXIT_CODES, Parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 1 for bad data. Bad usage exits with 2."""
    args = _parse(sys.argv[1:] if argv is None else argv)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if args.quiet else "always", SettingsWarning)
            warnings.showwarning = _warn  # type: ignore[assignment]
            _print(args.run(args))
    except BrokenPipeError:  # the reader has closed the pipe, such as `structiou … | head`
        pass
    except (OSError, ValueError, MemoryError, ImportError) as error:
        _print(getattr(error, "output", ""))  # some parts of the work failed, and the others are done
        print(f"structiou: {_describe(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def build_parser(argv: Sequence[str] = (), *, described: bool = False) -> Parser:
    """Return the parser of all commands; only those that `argv` names have their arguments.

    Args:
        argv: The command line.
        described: Whether each command has a line of its own for shells that complete it. The help lists
            commands in groups instead.
    """
    parser = Parser(
        prog="structiou",
        description="How alike are two constituency parse trees? STRUCT-IoU, exactly.",
        usage="structiou [--help] [--version] [--cite] COMMAND ...",
        epilog=_list_commands(),
    )
    parser.add_argument("--version", action="version", version=f"structiou {__version__}")
    parser.add_argument(
        "--cite", action=_Cite, nargs=0, help="print the reference to cite, as BibTeX, and exit"
    )
    subparsers = parser.add_subparsers(
        prog="structiou", required=True, metavar="COMMAND", help="one of the commands below"
    )
    for name, line in COMMANDS.items():
        description: dict[str, Any] = {"help": line} if described else {}
        if name not in argv:
            subparsers.add_parser(name, add_help=False, **description)
            continue
        module: Any = import_module(f"{__package__}.{name.replace('-', '_')}")
        command = subparsers.add_parser(
            name,
            usage=f"structiou {name} {module.USAGE}",
            description=f"{module.DESCRIPTION}\n\n{module.EPILOG}",
            epilog=EXIT_CODES,
            **description,
        )
        command.set_defaults(run=module.run, parser=command)
        module.configure(command, argv)
        if name != "paper":  # the experiments of `paper` have arguments of their own
            command.add_argument("--quiet", **QUIET)
        if hasattr(module, "COMMON_OPTIONS"):
            command.add_argument("--help-all", action="help", help="list all options, and exit")
            if not {"-h", "--help"}.isdisjoint(argv):
                command.show_common(module.COMMON_OPTIONS)
    return parser


def _list_commands() -> str:
    """Return the commands and their descriptions, in groups, for the help."""
    parts = []
    for title, commands in COMMAND_GROUPS.items():
        lines = [f"  {name:<13} {line}" for name, line in commands.items()]
        parts.append("\n".join([f"{title}:", *lines]))
    return "\n\n".join([*parts, "structiou COMMAND --help prints the options of a command, with examples."])


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments.

    argparse would take labels such as `-NONE-` for options, so a space is put before them, which options that
    take labels strip again. It also treats an optional argument that follows options as missing, so a
    PREDICTION, or TREES, can be left over and is assigned here.
    """
    argv = [f" {word}" if len(word) > 2 and word[0] == word[-1] == "-" != word[1] else word for word in argv]
    args, rest = build_parser(argv).parse_known_args(argv)
    for name in ("prediction", "trees"):
        if rest and getattr(args, name, "") is None and not rest[0].startswith("-"):
            setattr(args, name, rest.pop(0))
    if rest:
        args.parser.refuse(rest)
    return args


class _Cite(argparse.Action):
    """Print the citation as soon as the flag is read."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        _print(BIBTEX)
        parser.exit()


def _print(text: str) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # prints `?` for unknown characters
    try:
        print(text, end="", flush=True)
    except OSError:  # text left in the buffer would fail once more when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def _warn(message: Warning | str, *where: Any) -> None:
    print(f"structiou: warning: {message}", file=sys.stderr)


def _describe(error: Exception) -> str:
    """Return the message of an error for standard error."""
    if isinstance(error, OSError) and error.strerror:
        if error.filename is None:
            return error.strerror
        message = f"{error.filename}: {error.strerror}"
        return f"{message}; {_near(str(error.filename))}" if isinstance(error, FileNotFoundError) else message
    return str(error) or "out of memory"


def _near(path: str) -> str:
    """Return advice on a missing path: the nearest name in its folder, or which path to check."""
    folder, name = os.path.split(path)
    try:
        names = sorted(os.listdir(folder or os.curdir))
    except OSError:
        return "nor can its folder be read; check the path"
    return suggest(name, names) or f"check the path (the working folder is {os.getcwd()})"

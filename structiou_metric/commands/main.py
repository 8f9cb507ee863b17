"""The command line: parses, calls a command of `commands`, prints."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import COMMANDS

if TYPE_CHECKING:
    import argparse

    from .parser import Parser

_SELDOM = 100_000  # objects after which garbage is looked for; what is made when all is imported is none


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns 0, or 1 for bad data. Bad usage exits with 2.

    Without `argv` it is the program itself, which ends when this returns. All else is imported from here on,
    so that no garbage is looked for meanwhile.
    """
    if argv is not None:
        return _run(argv)
    gc.set_threshold(_SELDOM)
    try:
        return _run(sys.argv[1:])
    finally:
        gc.freeze()  # all that there is goes away, so no garbage need be looked for in it


def _run(argv: Sequence[str]) -> int:
    args = _parse(_guard_labels(argv))
    import warnings

    from ..errors import SettingsWarning

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if args.quiet else "always", SettingsWarning)
            warnings.showwarning = _warn  # type: ignore[assignment]
            _print(args.run(args))
    except BrokenPipeError:  # such as `structiou … | head`
        pass
    except (OSError, ValueError, MemoryError, ImportError) as error:
        _print(getattr(error, "output", ""))  # of work of which only some parts failed
        print(f"structiou: {_describe(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parse(argv: list[str]) -> argparse.Namespace:
    """Parses the arguments, by the parser of the command alone if they begin with one.

    argparse takes an argument that may be missing for missing where options stand before it, so a
    PREDICTION, or TREES, are then left over.
    """
    if argv and argv[0] in COMMANDS:
        name, *argv = argv
        plain: argparse.Namespace | None = _parse_plain(name, argv)
        if plain is not None:
            return plain
        parser = _parser_of(name, argv)
    else:
        parser = build_parser(argv)
    args, rest = parser.parse_known_args(argv)
    for name in ("prediction", "trees"):
        if rest and getattr(args, name, "") is None and not rest[0].startswith("-"):
            setattr(args, name, rest.pop(0))
    if rest:
        args.parser.refuse(rest)
    return args


def _parse_plain(name: str, argv: list[str]) -> Any:
    """The arguments of a command, if its line can be read without argparse; else None."""
    from .plain import NotPlain, PlainParser

    try:
        return _configured(name, argv, PlainParser(lambda: _parser_of(name, argv))).parse(argv)
    except NotPlain:
        return None


def _parser_of(name: str, argv: list[str]) -> Parser:
    """The parser of one command, from argparse."""
    from .parser import Parser

    parser: Parser = _configured(name, argv, Parser(prog=f"structiou {name}", **_texts(name)))
    return parser


def _guard_labels(argv: Sequence[str]) -> list[str]:
    """Puts a space before labels such as `-NONE-`, which argparse would take for an option.

    Options that take labels strip it again.
    """
    return [f" {word}" if len(word) > 2 and word[0] == word[-1] == "-" != word[1] else word for word in argv]


def _print(text: str) -> None:
    import io

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
    from .plain import suggest

    return suggest(name, names) or f"check the path (the working folder is {os.getcwd()})"


def build_parser(argv: Sequence[str] = ()) -> Parser:
    """The parser of all commands; only those that `argv` names have their arguments."""
    import argparse

    from .._version import __version__
    from .parser import Parser

    class Cite(argparse.Action):
        """Prints what to cite, as soon as it is read."""

        def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
            from ..citation import BIBTEX

            _print(BIBTEX)
            parser.exit()

    parser = Parser(
        prog="structiou",
        description="How alike are two constituency parse trees? STRUCT-IoU, exactly.",
        epilog="structiou COMMAND --help tells the options of a command, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"structiou {__version__}")
    parser.add_argument(
        "--cite", action=Cite, nargs=0, help="print what to cite, as BibTeX, and exit", default=None
    )
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, line in COMMANDS.items():
        if name in argv:
            _configured(name, argv, subparsers.add_parser(name, help=line, **_texts(name)))
        else:
            subparsers.add_parser(name, help=line, add_help=False)
    return parser


def _texts(name: str) -> dict[str, Any]:
    """What the help of a command says around its arguments."""
    from .parser import EXIT_CODES

    module = _module(name)
    return {
        "usage": f"structiou {name} {module.USAGE}",
        "description": f"{module.DESCRIPTION}\n\n{module.EPILOG}",
        "epilog": EXIT_CODES,
    }


def _configured(name: str, argv: Sequence[str], parser: Any) -> Any:
    """The parser of a command with its arguments; either kind of parser."""
    module = _module(name)
    module.configure(parser, argv)
    parser.set_defaults(run=module.run, parser=parser)
    if parser._subparsers is None:  # else those below it have their own
        from .plain import add_quiet

        add_quiet(parser)
    return parser


def _module(name: str) -> Any:
    module = name.replace("-", "_")
    return __import__(f"{__package__}.{module}", fromlist=[module])  # without importing importlib

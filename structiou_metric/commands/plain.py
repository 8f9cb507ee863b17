"""Reads plain command lines without argparse, whose import takes longer than scoring a small file.

`PlainParser` takes the same definitions of arguments as `parser.Parser`. Of a line that is not plain, such as
one that asks for help, has a mistake or is written in an uncommon way, it says None; argparse then reads it.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, Self

# By action, what an option without a value sets, and what it is where the line does not have it.
_FLAGS = {"store_true": (True, False), "store_false": (False, True), "store_const": (None, None)}

# By `nargs`, how many words a positional argument takes at least, and whether it takes more.
_SIZES = {None: (1, False), "?": (0, False), "+": (1, True)}


class Arguments:
    """The values of a command's arguments, by their names, as argparse's `Namespace` has them."""

    def __init__(self, values: dict[str, Any]) -> None:
        vars(self).update(values)


class NotPlain(Exception):
    """A line, or a definition, that argparse has to read."""


class _Argument:
    """One argument: what `add_argument` was told of it."""

    def __init__(self, names: tuple[str, ...], settings: dict[str, Any], group: object) -> None:
        first = next((name for name in names if name.startswith("--")), names[0])
        self.names = names
        self.group = group
        self.dest: str = settings.get("dest") or first.lstrip("-").replace("-", "_")
        self.action: Any = settings.get("action", "store")
        self.nargs = settings.get("nargs")
        self.type = settings.get("type", str)
        self.choices = settings.get("choices")
        self.required = settings.get("required", False)
        sets, unset = _FLAGS.get(self.action, (None, None))
        self.const = settings.get("const", sets)
        self.default = settings.get("default", unset)
        self.is_option = names[0].startswith("-")

    def flags(self) -> Iterable[str]:
        """How it is written."""
        negated = [f"--no-{name[2:]}" for name in self.names if name.startswith("--")]
        return (*self.names, *negated) if self.action == "boolean" else self.names

    def take(self, flag: str, words: Sequence[str], found: dict[str, Any]) -> int:
        """Puts the value of an option into `found`, from the words behind it; returns how many those are."""
        if self.action in _FLAGS:
            found[self.dest] = self.const
            return 0
        if self.action == "boolean":
            found[self.dest] = not flag.startswith("--no-")
            return 0
        if self.action == "store" and self.nargs is None and words:
            found[self.dest] = self.value(words[0])
            return 1
        if self.action == "extend" and self.nargs == "*" and self.default in (None, PlainParser.NOT_GIVEN):
            found[self.dest] = [*found.get(self.dest, ()), *map(self.value, words)]
            return len(words)
        raise NotPlain

    def value(self, word: str) -> Any:
        """What a word means."""
        try:
            value = self.type(word)
        except Exception as error:  # of whatever kind, argparse tells what is wrong
            raise NotPlain from error
        if self.choices is not None and value not in self.choices:
            raise NotPlain
        return value


class PlainParser:
    """Takes definitions of arguments as argparse does, and reads plain lines by them.

    Args:
        full: Makes the parser of argparse with the same arguments, for what is not plain.
    """

    NOT_GIVEN: Any = object()  # the default of arguments of which nothing is to be told if they are not given
    _subparsers = None

    def __init__(self, full: Callable[[], Any]) -> None:
        self._full = full
        self._arguments: list[_Argument] = []
        self._defaults: dict[str, Any] = {}

    def add_argument(self, *names: str, **settings: Any) -> None:
        """Adds an argument."""
        self._arguments.append(_Argument(names, settings, None))

    def add_argument_group(self, title: str) -> Self:
        """What is added to the group is added to the parser; only the help tells groups apart."""
        return self

    def add_mutually_exclusive_group(self) -> _Group:
        """A group of which a line has one argument at most."""
        return _Group(self._arguments)

    def add_subparsers(self, **settings: Any) -> NoReturn:
        """Leaves commands below a command to argparse."""
        raise NotPlain

    def set_defaults(self, **values: Any) -> None:
        """Adds values that are no argument's."""
        self._defaults |= values

    def error(self, message: str) -> NoReturn:
        """Ends the program with the usage and what is wrong, as argparse does."""
        self._full().error(message)
        raise NotPlain

    def parse(self, words: Sequence[str]) -> Arguments | None:
        """What a line says, by the names of arguments; None if it is not plain."""
        try:
            return Arguments(self._defaults | self._read(words))
        except NotPlain:
            return None

    def _read(self, words: Sequence[str]) -> dict[str, Any]:
        options = {flag: argument for argument in self._arguments for flag in argument.flags()}
        found: dict[str, Any] = {}
        seen: list[_Argument] = []
        places: list[int] = []  # of words that no option takes
        at = 0
        while at < len(words):
            if not _is_flag(words[at]):
                places.append(at)
                at += 1
                continue
            flag, has_value, value = words[at].partition("=")
            argument = options.get(flag)
            if argument is None or _excludes(argument, seen):
                raise NotPlain
            seen.append(argument)
            at += 1
            behind = [value] if has_value else _until_flag(words, at)
            n_taken = argument.take(flag, behind, found)
            if has_value and (argument.nargs is not None or n_taken != 1):
                raise NotPlain
            at += 0 if has_value else n_taken
        if places and places[-1] - places[0] >= len(places):
            raise NotPlain  # with options between them, argparse decides what belongs where
        self._place([words[place] for place in places], found)
        for argument in self._arguments:
            if argument.required and argument not in seen:
                raise NotPlain
            default = argument.default
            if argument.dest not in found and default is not self.NOT_GIVEN:
                found[argument.dest] = argument.type(default) if isinstance(default, str) else default
        return found

    def _place(self, words: list[str], found: dict[str, Any]) -> None:
        """Gives words to the positional arguments, to each as many as those behind it leave."""
        waiting = [argument for argument in self._arguments if not argument.is_option]
        if bool(waiting) != bool(words) or any(argument.nargs not in _SIZES for argument in waiting):
            raise NotPlain
        needed = sum(_SIZES[argument.nargs][0] for argument in waiting)
        for argument in waiting:
            least, takes_more = _SIZES[argument.nargs]
            needed -= least
            n_free = len(words) - needed
            n_own = n_free if takes_more else min(n_free, 1)
            if n_own < least:
                raise NotPlain
            own, words = words[:n_own], words[n_own:]
            if takes_more:
                found[argument.dest] = list(map(argument.value, own))
            elif own:
                found[argument.dest] = argument.value(own[0])
            elif isinstance(argument.default, str):
                raise NotPlain
        if words:
            raise NotPlain


class _Group:
    """Takes definitions of arguments of which a line has one at most."""

    def __init__(self, arguments: list[_Argument]) -> None:
        self._arguments = arguments

    def add_argument(self, *names: str, **settings: Any) -> None:
        """Adds an argument."""
        self._arguments.append(_Argument(names, settings, self))


def _is_flag(word: str) -> bool:
    """Whether a word is written as options are; a dash alone is standard input."""
    return len(word) > 1 and word[0] == "-"


def _until_flag(words: Sequence[str], at: int) -> Sequence[str]:
    """The words from a place on, up to the next option."""
    end = at
    while end < len(words) and not _is_flag(words[end]):
        end += 1
    return words[at:end]


def _excludes(argument: _Argument, seen: Iterable[_Argument]) -> bool:
    """Whether a line that has some arguments must not have another."""
    return any(other.group is argument.group is not None and other is not argument for other in seen)


def refusal(text: str) -> ArgumentTypeError:
    """The error by which the type of an argument refuses a word, and says why."""
    from argparse import ArgumentTypeError

    return ArgumentTypeError(text)


def add_quiet(parser: Any) -> None:
    """A flag for results and errors alone."""
    parser.add_argument(
        "--quiet", action="store_true", help="print no progress bar, no warnings and no hints what to do next"
    )


def suggest(word: str, known: Iterable[str]) -> str:
    """A question whether the nearest of the known words was meant; nothing if none is near.

    >>> suggest("--label", ["--labels", "--layout"])
    'did you mean --labels?'
    """
    from difflib import get_close_matches

    names = list(known)
    lower = {name.lower(): name for name in reversed(names)}
    for near in (
        sorted((name for name in names if name.startswith(word)), key=len) if len(word) > 3 else [],
        [lower[name] for name in get_close_matches(word.lower(), lower, 1, 0.7)],
    ):
        if near:
            return f"did you mean {near[0]}?"
    return ""

"""Arguments that several commands share: options of metrics, numbers, and whether warnings are errors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import TreeFormatError
from ..metrics import METRICS, metric_class
from ..metrics.base import Option
from ..metrics.metric import Metric
from ..metrics.signatures import read_signature
from ..metrics.warnings import RowWarning, refuse_warnings
from ..wording import suggest
from ..workers import AUTO as AUTO_WORKERS
from .inputs import check_stdin, split_sides

# The keyword arguments of argparse for each kind of option.
_KINDS: dict[str, dict[str, Any]] = {
    "choice": {},
    "number": {"type": float, "metavar": "X"},
    "labels": {"nargs": "*", "action": "extend", "type": str.strip, "metavar": "LABEL"},
    "flag": {"action": "store_true"},
    "file": {"metavar": "FILE"},
}


# Flags that several commands have, as keyword arguments of `add_argument`.
QUIET: dict[str, Any] = {
    "action": "store_true",
    "help": "print no progress bar, no warnings and no hints",
}
STRICT: dict[str, Any] = {
    "action": "store_true",
    "help": "end with an error if there are warnings about input that can be scored but may be wrong",
}


def find_metrics(argv: Sequence[str], flag: str, default: str) -> list[str]:
    """Return the metrics that a flag names, before there is a parser that knows their options.

    Names are separated by commas, and `all` means all metrics. Names that are not in `METRICS` are ignored
    here, because the parser refuses them later.
    """
    text = default
    for i, word in enumerate(argv):
        if word == flag:
            text = argv[i + 1] if i + 1 < len(argv) else ""
        elif word.startswith(f"{flag}="):
            text = word.partition("=")[2]
    names = METRICS if text == "all" else dict.fromkeys(text.split(","))
    return [name for name in names if name in METRICS]


def metric_names(text: str) -> list[str]:
    """Return the different metrics of a list with commas between, or all of them."""
    names = list(METRICS) if text == "all" else text.split(",")
    hints = [suggest(name, METRICS) for name in names if name not in METRICS]
    if hints or len(set(names)) < len(names):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a list of different metrics; "
            + ("".join(hints) or f"choose from {', '.join(METRICS)}, or all")
        )
    return names


def add_metric_options(
    parser: Any,
    names: Sequence[str] = ("struct_iou",),
    *,
    single: bool = False,
    defaults: Mapping[str, Any] | None = None,
    fixed: Mapping[str, Any] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> None:
    """Add a flag for each option of some metrics; options without a given flag keep the metric's default.

    Args:
        parser: The parser of the command.
        names: The metrics, as in `METRICS`. A flag that several of them share is added once; if they take
            different kinds of values, the flags of the later metrics begin with the name of the metric.
        single: Whether the command takes one pair of trees, so that options for several pairs are not added.
        defaults: Values that replace the metric's defaults, by option.
        fixed: Values that the command needs, by option; they have no flags.
        aliases: Short flags, by option.
    """
    classes = [metric_class(name) for name in names]
    fixed, defaults, aliases = fixed or {}, defaults or {}, aliases or {}
    made = set(fixed)
    for metric in classes:
        group = parser.add_argument_group(f"options of {metric.title}")
        for name, option in metric.OPTIONS.items():
            dest = _dest(classes, metric, name)
            if dest in made or name in fixed or (single and option.corpus):
                continue
            made.add(dest)
            sharing = [
                other.OPTIONS[name]
                for other in classes
                if name in other.OPTIONS and other.OPTIONS[name].kind == option.kind
            ]
            flags = [aliases[name]] if name in aliases else []
            group.add_argument(
                *flags,
                f"--{dest.replace('_', '-')}",
                dest=dest,
                default=defaults.get(name, argparse.SUPPRESS),
                **_settings(option, sharing, defaults.get(name, option.default)),
            )
    parser.set_defaults(metric_names=tuple(names), fixed_options=tuple(fixed), **fixed)


def _dest(classes: Sequence[type[Metric]], metric: type[Metric], name: str) -> str:
    """Return the attribute of an option's value: its name, if the first metric with it takes such values."""
    first = next(other for other in classes if name in other.OPTIONS)
    same = metric.OPTIONS[name].kind == first.OPTIONS[name].kind
    return name if same else f"{metric.name}_{name}"


def _settings(option: Option, sharing: Sequence[Option], default: Any) -> dict[str, Any]:
    """Return the keyword arguments of argparse for an option, with its meaning and default.

    A flag has the choices of all metrics that share it; each of them checks whether a choice is its own.
    """
    settings = dict(_KINDS[option.kind])
    if all(other.choices for other in sharing):
        settings["choices"] = list(dict.fromkeys(choice for other in sharing for choice in other.choices))
    if option.kind == "flag" and sharing[0].default:
        settings["action"] = argparse.BooleanOptionalAction
    text = option.help
    if option.kind == "labels":
        text += "; written after the files, '' is the empty label, and no LABEL at all means none"
        default = " ".join(label or "''" for label in default) or "none"
    elif option.kind == "number" and default is not None:
        default = f"{default:g}"
    if option.kind != "flag" and default is not None:
        text += f" (default: {default})"
    return {**settings, "help": text.replace("%", "%%")}


def metrics_of(args: argparse.Namespace) -> list[Any]:
    """Return the metrics with the options given; refuse bad combinations before any file is read."""
    split_sides(args)
    given = vars(args)
    parser: argparse.ArgumentParser = args.parser
    if given.get("signature") is not None:
        return [_metric_of_signature(args)]
    classes = [metric_class(name) for name in args.metric_names]
    fixed = args.fixed_options
    chosen = [
        {
            name: given[dest]
            for name in metric.OPTIONS
            if (dest := name if name in fixed else _dest(classes, metric, name)) in given
        }
        for metric in classes
    ]
    files = {
        name: value
        for metric, values in zip(classes, chosen, strict=True)
        for name, value in values.items()
        if metric.OPTIONS[name].kind == "file"
    }
    places = (given.get("reference"), given.get("prediction"))
    sides = [side if isinstance(side, list) else [side] for side in places]
    check_stdin(parser, *sides[0], *sides[1], *files.values())
    try:
        return [metric(**values) for metric, values in zip(classes, chosen, strict=True)]
    except TreeFormatError:  # in the file of an option: bad data, not bad usage
        raise
    except ValueError as error:
        parser.error(str(error))


def _metric_of_signature(args: argparse.Namespace) -> Any:
    """Return the metric of `--signature`, which replaces the flags of all options."""
    try:
        metric, reading = read_signature(args.signature)
    except ValueError as error:
        args.parser.error(f"--signature: {error}")
    doubled = [name for name in metric.OPTIONS if name in vars(args) and name not in args.fixed_options]
    if doubled:
        args.parser.error(f"--{doubled[0].replace('_', '-')}: --signature names all options; leave it out")
    args.discontinuous = reading.get("discontinuous", args.discontinuous)
    return metric


def metric_of(args: argparse.Namespace) -> Any:
    """Return the only metric of a command, with the options given."""
    [metric] = metrics_of(args)
    return metric


def add_number(
    parser: argparse.ArgumentParser, flag: str, default: int, what: str, *, least: int = 1
) -> None:
    """Add a flag for a whole number, with its default in the help."""
    kind = positive if least else whole
    parser.add_argument(flag, type=kind, default=default, metavar="N", help=f"{what} (default: {default})")


def add_workers(parser: argparse.ArgumentParser, what: str = "threads") -> None:
    """Add the number of threads, or processes, that share the work."""
    parser.add_argument(
        "--workers",
        type=_workers,
        default=AUTO_WORKERS,
        metavar="N",
        help=f"{what} (default: {AUTO_WORKERS}, one for each processor if there is enough work)",
    )


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Add flags for output formats other than tables for people."""
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="JSON for programs instead of tables")
    formats.add_argument("--latex", action="store_true", help="tables for a paper, in LaTeX with booktabs")


def warning_lines(args: argparse.Namespace, warnings: Sequence[RowWarning], whose: str = "") -> list[str]:
    """Return a line for each warning, beginning with `whose`; refuse warnings if `--strict` is given."""
    if getattr(args, "strict", False):
        refuse_warnings(warnings, whose)
    return [f"warning: {whose}{warning.message}" for warning in warnings]


def print_warnings(lines: Sequence[str]) -> None:
    """Print warnings on standard error, for outputs in the form of another program's."""
    for line in lines:
        sys.stderr.write(f"structiou: {line}\n")


def whole(text: str, least: int = 0, nor: str = "") -> int:
    """Return a whole number from `least` on; `nor` names another form that the text could have had."""
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} on{nor}")
    return int(text)


def positive(text: str) -> int:
    """Return a whole number from 1 on."""
    return whole(text, least=1)


def _workers(text: str) -> int | str:
    """Return a whole number from 1 on, or `auto`."""
    return text if text == AUTO_WORKERS else whole(text, least=1, nor=f", nor {AUTO_WORKERS}")


def share(text: str) -> float:
    """Return a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value

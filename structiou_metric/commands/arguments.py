"""Arguments that several commands share, and what is made of them."""

from __future__ import annotations

import argparse
from typing import Any

from ..files import LAYOUTS
from ..labels import DEFAULT_DROP
from ..metric import StructIoU
from ..options import CHOICES

_HELP = {
    "unit": "length of a word: 1, its written characters, or its seconds",
    "labels": "compare labels as they are, without function tags and indices, or not at all",
    "terminals": "preterminals need the same label, may align with any node, or are no nodes",
    "average": "which figure is the headline: first in the table, struct_iou in JSON",
    "on_error": "a pair that cannot be read or compared ends the run, counts as 0, or is left out",
}


def add_metric_options(parser: argparse.ArgumentParser, *, single: bool = False) -> None:
    """The metric's options, by their names; those that only matter for a corpus unless `single`."""
    group = parser.add_argument_group("options of the metric")
    for name, choices in CHOICES.items():
        if single and name in ("average", "on_error"):
            continue
        group.add_argument(
            "--" + name.replace("_", "-"),
            choices=choices,
            default=choices[0],
            help=f"{_HELP[name]} (default: {choices[0]})",
        )
    group.add_argument(
        "--min-iou",
        type=float,
        default=0.0,
        metavar="X",
        help="pairs at or below it do not align (default: 0)",
    )
    group.add_argument(
        "--drop",
        nargs="*",
        action="extend",
        type=str.strip,
        metavar="LABEL",
        help="labels that are no constituents, written after the files; '' is the empty label, and no LABEL "
        "at all keeps every node (default: " + " ".join(label or "''" for label in DEFAULT_DROP) + ")",
    )


def add_layout(parser: argparse.ArgumentParser) -> None:
    """How trees stand in their files."""
    parser.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="auto",
        help="line: a tree a line, a blank one being a failed parse; free: trees over many lines, "
        "or many on a line; auto: look at the file (default: auto)",
    )


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def metric_of(args: argparse.Namespace) -> StructIoU:
    """The metric with the options given; values that no option's parser can refuse end here."""
    if args.drop is None:
        args.drop = DEFAULT_DROP
    names = [*CHOICES, "min_iou", "drop"]
    try:
        return StructIoU(**{name: getattr(args, name) for name in names if hasattr(args, name)})
    except ValueError as error:
        parser: argparse.ArgumentParser = args.parser
        parser.error(str(error))


def check_stdin(parser: argparse.ArgumentParser, *paths: str | None) -> None:
    """Refuses standard input for more than one file."""
    if paths.count("-") > 1:
        parser.error("only one file can be standard input")


def as_json(value: Any) -> str:
    """The value as indented JSON with a line end."""
    import json

    return json.dumps(value, indent=2) + "\n"

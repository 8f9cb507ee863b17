"""`structiou register`: put the metric into the cache of the library evaluate."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..hub.register import register, status, unregister

USAGE = "[--unregister | --status]"
DESCRIPTION = (
    'Puts the metric into the cache of the library evaluate. evaluate.load("struct_iou") '
    "then finds it from every folder, with and without a network."
)
EPILOG = """\
examples:
  structiou register && python -c 'import evaluate; evaluate.load("struct_iou")'
  HF_HOME=/shared/cache structiou register
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--unregister", action="store_true", help="remove it from the cache")
    instead.add_argument("--status", action="store_true", help="report what is registered, without changes")


def run(args: argparse.Namespace) -> str:
    """Register the metric, or report where it is registered."""
    if args.status:
        return status()
    if args.unregister:
        folders = unregister()
        return "".join(f"removed {folder}\n" for folder in folders) or "nothing was registered\n"
    return f'registered {register()}\nevaluate.load("struct_iou") finds it now\n'

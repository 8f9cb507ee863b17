"""What the smaller benchmarks have in common: arguments, a report, and a description of the machine."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from bench import machine
from bench.report import Report
from structiou_metric import COMPILED


class Program:
    """One run of a benchmark, begun: its arguments are read, and what it runs on is printed.

    Args:
        description: What it does, for its help.
        argv: Its arguments; by default those of the command line.
        libraries: Whose versions matter.
        needs_core: Whether limits are only judged where the core is compiled.
        more: By flag, the help of further arguments, each with a value.

    Attributes:
        args: All arguments.
        quick: Whether it only has to run through.
        report: To be filled.
    """

    def __init__(
        self,
        description: str,
        argv: Sequence[str] | None,
        *,
        libraries: Sequence[str] = (),
        needs_core: bool = True,
        more: Mapping[str, str] | None = None,
    ) -> None:
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--quick", action="store_true", help="small and few; limits are not judged")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers there")
        for flag, text in (more or {}).items():
            parser.add_argument(flag, help=text)
        self.args = args = parser.parse_args(argv)
        self.quick: bool = args.quick
        self._path: Path | None = args.json
        self.report = Report(
            judged=not args.quick and (COMPILED or not needs_core),
            why_not="a quick run" if args.quick else "not compiled",
        )
        self._about = machine.describe(None) | {name: metadata.version(name) for name in libraries}
        del self._about["prototype"]  # has no part in this
        for name, value in self._about.items():
            print(f"{name:<12} {value}")

    def finish(self) -> int:
        """Says how it went; returns the exit code."""
        return self.report.finish(self._path, self._about)

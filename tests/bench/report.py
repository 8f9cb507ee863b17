"""What benchmarks share: their arguments, times in turn, and what they print and write."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import structiou_metric

_NAME_WIDTH = 58


def interleave(
    rounds: int, tasks: Mapping[str, Callable[[], object]], clock: Callable[[], float] = process_time
) -> dict[str, list[float]]:
    """Return the seconds of every run of some tasks, which take turns, so that they share busy moments."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            begin = clock()
            task()
            seconds[name].append(clock() - begin)
    return seconds


def peak_mebibytes() -> float:
    """Return the most memory that this process ever had in use.

    On Linux `ru_maxrss` starts with what the parent had; `VmHWM` is the process's own.
    """
    with suppress(OSError), open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


class Report:
    """One run of a benchmark: prints as it goes, and keeps everything for a JSON file.

    Args:
        description: What the benchmark does, for its help.
        argv: Its arguments; by default those of the command line.
        libraries: Libraries whose versions matter.
        needs_core: Whether limits are only judged where the core is compiled.
        more: By flag, the help of further arguments, each with a value.

    Attributes:
        args: All arguments.
        quick: Whether it only has to run through. Then limits are not judged.
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
        self.args = parser.parse_args(argv)
        self.quick: bool = self.args.quick
        self._judged = not self.quick and (structiou_metric.COMPILED or not needs_core)
        self._rows: list[dict[str, Any]] = []
        self._section = ""
        self._failures: list[str] = []
        load = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
        self._about = {
            "system": f"{platform.platform()}, {os.cpu_count()} cores{load}",
            "Python": f"{platform.python_implementation()} {platform.python_version()}",
            "package": f"structiou-metric {structiou_metric.__version__}",
            "COMPILED": str(structiou_metric.COMPILED),
            **{name: metadata.version(name) for name in libraries},
        }
        for name, value in self._about.items():
            print(f"{name:<12} {value}")

    def section(self, title: str) -> None:
        """Begin a section."""
        self._section = title
        print(f"\n{title}", flush=True)

    def times(self, name: str, seconds: Sequence[float], note: str = "") -> None:
        """Print the best and the median of some runs."""
        text = f"{1000 * min(seconds):,.3g} ms best, {1000 * median(seconds):,.3g} median of {len(seconds)}"
        text += f"  ({note})" if note else ""
        self._row("time", name, text, seconds=list(seconds))

    def fact(self, name: str, text: str) -> None:
        """Print anything that has no limit."""
        self._row("fact", name, text)

    def limit(
        self,
        name: str,
        value: float,
        *,
        at_most: float | None = None,
        at_least: float | None = None,
        unit: str = "",
        note: str = "",
    ) -> None:
        """Print a number that must keep a limit."""
        kept = (at_most is None or value <= at_most) and (at_least is None or value >= at_least)
        if self._judged and not kept:
            self._failures.append(f"{self._section}: {name}")
        mark = ("PASS" if kept else "FAIL") if self._judged else "not judged"
        wish = f"at most {at_most:,g}{unit}" if at_most is not None else f"at least {at_least:,g}{unit}"
        text = f"{value:.4g}{unit}, {wish}  [{mark}]" + (f"  ({note})" if note else "")
        self._row("limit", name, text, value=value, at_most=at_most, at_least=at_least)

    def ratio(self, name: str, ours: Sequence[float], theirs: Sequence[float], at_most: float) -> None:
        """Print the best of some times over the best of others, which must keep a limit."""
        self.limit(name, min(ours) / min(theirs), at_most=at_most)

    def agree(
        self, name: str, ours: Sequence[float], theirs: Sequence[float], tolerance: float = 1e-9
    ) -> None:
        """Print whether scores of the same pairs, computed in two ways, are the same."""
        worst = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
        same = worst <= tolerance
        if not same:
            self._failures.append(f"{self._section}: values differ: {name}")
        text = f"greatest difference of {len(ours):,}: {worst:.1e}  [{'same' if same else 'DIFFERENT'}]"
        self._row("agree", name, text, same=same)

    def finish(self) -> int:
        """Print what failed, write the JSON file, and return the exit code."""
        if self.args.json:
            data = {"about": self._about, "rows": self._rows, "failures": self._failures}
            self.args.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        print()
        for failure in self._failures:
            print(f"FAILED  {failure}")
        if not self._failures:
            print(f"All values agree; limits {'kept' if self._judged else 'not judged'}.")
        return 1 if self._failures else 0

    def _row(self, kind: str, name: str, text: str, **data: Any) -> None:
        self._rows.append({"section": self._section, "kind": kind, "name": name, **data})
        print(f"  {name:<{_NAME_WIDTH}} {text}", flush=True)

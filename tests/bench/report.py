"""Timing, and what the benchmark prints: times, facts, limits kept or not, values that agree or not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

_NAME_WIDTH = 58


def interleave(
    rounds: int, tasks: Mapping[str, Callable[[], object]], clock: Callable[[], float] = perf_counter
) -> dict[str, list[float]]:
    """Runs all tasks in turn, `rounds` times, so that a busy moment of the machine hits each alike.

    Args:
        rounds: How often.
        tasks: By name.
        clock: Seconds so far; `time.process_time` where a task keeps to this process.

    Returns:
        The seconds of every run: those a task returns as a float, or else those it took.
    """
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            begin = clock()
            own = task()
            took = clock() - begin
            seconds[name].append(own if isinstance(own, float) else took)
    return seconds


class Report:
    """Prints as it goes and keeps everything for the JSON file.

    Args:
        judged: Whether a limit that is not kept is a failure. Values that differ always are.
        why_not: Said beside limits if they are not judged.
    """

    def __init__(self, judged: bool, why_not: str) -> None:
        self.judged = judged
        self._why_not = why_not
        self._rows: list[dict[str, Any]] = []
        self._section = ""
        self.failures: list[str] = []

    def section(self, title: str) -> None:
        """Begins a section."""
        self._section = title
        print(f"\n{title}", flush=True)

    def times(self, name: str, seconds: Sequence[float], note: str = "") -> None:
        """The best and the median of some runs."""
        best, middle = min(seconds), median(seconds)
        text = f"{_milliseconds(best)} best, {_milliseconds(middle)} median of {len(seconds)}"
        self._row("time", name, text, note, best=best, median=middle, seconds=list(seconds))

    def fact(self, name: str, text: str, **data: Any) -> None:
        """Anything that is stated without a limit."""
        self._row("fact", name, text, "", **data)

    def ratio(self, name: str, ours: Sequence[float], theirs: Sequence[float], at_most: float | None) -> None:
        """Our time over another one, by the medians."""
        value = median(ours) / median(theirs)
        note = f"best {min(ours) / min(theirs):.2f}, worst {max(ours) / min(theirs):.2f}"
        if at_most is None:
            self.fact(name, f"{value:.2f} ({note})", value=value)
        else:
            self.limit(name, value, at_most=at_most, note=note)

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
        """A number that must keep a limit."""
        kept = bool((at_most is None or value <= at_most) and (at_least is None or value >= at_least))
        wish = f"at most {at_most:,g}{unit}" if at_most is not None else f"at least {at_least:,g}{unit}"
        if not self.judged:
            mark = f"not judged: {self._why_not}"
        else:
            mark = "PASS" if kept else "FAIL"
            if not kept:
                self.failures.append(f"{self._section}: {name}")
        number = f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
        text = f"{number}{unit}, {wish}  [{mark}]"
        self._row("limit", name, text, note, value=value, at_most=at_most, at_least=at_least, kept=kept)

    def agree(
        self, name: str, ours: Sequence[float], theirs: Sequence[float], tolerance: float = 1e-9
    ) -> None:
        """Scores of the same pairs, computed twice."""
        worst = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
        same = worst <= tolerance
        if not same:
            self.failures.append(f"{self._section}: values differ: {name}")
        count = f"{len(ours):,} values" if len(ours) > 1 else "1 value"
        text = f"{count}, greatest difference {worst:.1e}  [{'same' if same else 'DIFFERENT'}]"
        self._row("agree", name, text, "", worst=worst, same=same)

    def broken(self, why: str) -> None:
        """The section could not be finished."""
        self.failures.append(f"{self._section}: {why}")
        self._row("broken", "stopped", why, "")

    def finish(self, path: Path | None, machine: Mapping[str, Any]) -> int:
        """Says how it went; returns the exit code.

        Args:
            path: Where to write all rows as JSON, every single time among them.
            machine: What it ran on.
        """
        if path:
            data = {"machine": machine, "rows": self._rows, "failures": self.failures}
            path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        print()
        for failure in self.failures:
            print(f"FAILED  {failure}")
        if not self.failures:
            limits = "limits kept" if self.judged else "limits not judged"
            print(f"All values agree; {limits}.")
        return 1 if self.failures else 0

    def _row(self, kind: str, name: str, text: str, note: str, **data: Any) -> None:
        self._rows.append({"section": self._section, "kind": kind, "name": name, "note": note, **data})
        print(f"  {name:<{_NAME_WIDTH}} {text}" + (f"  ({note})" if note else ""), flush=True)


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.3g} ms" if seconds < 1 else f"{seconds:,.3g} s"

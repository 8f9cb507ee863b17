"""Prints how much of each room the tests ran, from a report of coverage.py in JSON: `make coverage`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

COUNTS = ("covered_lines", "num_statements", "covered_branches", "num_branches")
TOP = {"structiou_metric": "(top level)", "spacy_structiou": "spacy_structiou", "hf_space": "hf_space"}


def room_of(path: str) -> str:
    """The room of a file: a folder of `structiou_metric`, or one of the packages beside it."""
    package, *rest = Path(path).parts
    return rest[0] if package == "structiou_metric" and len(rest) > 1 else TOP[package]


def add_up(report: dict[str, Any]) -> dict[str, Counter[str]]:
    """The counts of lines and branches by room, with those of all rooms at the end."""
    rooms: dict[str, Counter[str]] = {}
    total: Counter[str] = Counter()
    for path, file in report["files"].items():
        if Path(path).is_absolute():  # a copy of the package that a test made elsewhere
            continue
        counts = Counter({name: file["summary"][name] for name in COUNTS})
        rooms.setdefault(room_of(path), Counter()).update(counts)
        total.update(counts)
    return {**dict(sorted(rooms.items())), "all": total}


def main(path: str) -> None:
    rows = add_up(json.loads(Path(path).read_text(encoding="utf-8")))
    sys.stdout.write(f"{'room':<16} {'lines':>7} {'run':>7} {'branches':>9} {'run':>7} {'both':>7}\n")
    for room, counts in rows.items():
        lines, branches = counts["num_statements"], counts["num_branches"]
        run = counts["covered_lines"], counts["covered_branches"]
        both = sum(run) / max(lines + branches, 1)
        sys.stdout.write(
            f"{room:<16} {lines:>7} {run[0] / max(lines, 1):>7.1%} {branches:>9} "
            f"{run[1] / max(branches, 1):>7.1%} {both:>7.1%}\n"
        )


if __name__ == "__main__":
    main(sys.argv[1])

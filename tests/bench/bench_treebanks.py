"""The cost of reading treebanks: `python tests/bench/bench_treebanks.py [--quick] [--json FILE]`.

The same trees are written in every format and read. XML must be read at 2 MB a second of processor time or
more, and the trees must be the same. Exit code 1 if not so.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import make_corpus
from bench.program import Program
from bench.report import Report, interleave
from structiou_metric.sources.treebanks import read_rows
from support.treebank_cases import CONTINUOUS, CROSSING, Case, read

_LEAST = 2.0  # MB a second
_WORD = re.compile(r" ([^\s()]+)\)")


def make_case(text: str) -> Case:
    """A tree of the corpus as plain data."""
    words = _WORD.findall(text)
    return Case(read(text, list(range(len(words)))), words)


def seconds(path: Path) -> float:
    """Processor time to read a treebank as rows."""
    begin = process_time()
    read_rows(path)
    return process_time() - begin


def measure(report: Report, folder: Path, n_trees: int, rounds: int) -> None:
    """Writes and reads all formats."""
    rows = [make_case(text) for text in make_corpus(n_trees).references]
    paths = {}
    for name, write in {**CONTINUOUS, **CROSSING}.items():
        if name != "sinica":  # which has no place for colons in words
            paths[name] = folder / name
            paths[name].write_text(write(rows), encoding="utf-8")
    report.section(f"{len(rows):,} trees in every format")
    plain = read_rows(paths["brackets"])
    want = [len(plain.tree(row, None)) for row in range(len(plain))]
    found = interleave(rounds, {name: partial(seconds, path) for name, path in paths.items()})
    for name, path in paths.items():
        again = read_rows(path)
        skip = int(name == "ftb")  # its first tree only tells the format
        report.agree(
            f"{name}, nodes", [len(again.tree(row, None)) for row in range(skip, len(again))], want, 0.0
        )
        speed = path.stat().st_size / 1e6 / min(found[name])
        if name.endswith("xml"):
            report.limit(f"{name}, MB a second", speed, at_least=_LEAST, unit=" MB")
        else:
            report.fact(f"{name}, MB a second", f"{speed:.3g} MB", value=speed)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("Times the reading of treebanks.", argv, needs_core=False)
    with tempfile.TemporaryDirectory() as folder:
        measure(program.report, Path(folder), *((100, 1) if program.quick else (2400, 5)))
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())

"""Instructions as valgrind's callgrind counts them, which do not depend on how busy the machine is.

`python tests/bench/instructions.py` prints those of a small corpus beside those on record; with `--record`,
they are the record from then on. `test_instructions.py` keeps later ones within it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import structiou_metric
from bench import machine
from bench.corpus import Corpus, make_corpus
from bench.yardstick import write_lines
from structiou_metric._core import align

RECORD = Path(__file__).with_name("instructions.json")
TOLERANCE = 0.05  # by which a count may be above the record

_FRESH = str(Path(__file__).with_name("fresh.py"))
_PAIRS = 200

# By name, options of `StructIoU` under which the corpus is scored from lists.
_SCORES: dict[str, dict[str, Any]] = {"labelled": {}, "unlabelled": {"labels": "ignore"}}


def available() -> bool:
    """Whether there is a valgrind."""
    return shutil.which("valgrind") is not None


def count(command: Sequence[str], environment: Mapping[str, str], tasks: str = "") -> int:
    """Those of a whole process, with `tasks` on its standard input; Python's bytecode is there already."""
    environment = {**environment, "PYTHONHASHSEED": "0"}
    subprocess.run(command, input=tasks, check=True, capture_output=True, text=True, env=environment)
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command],
            input=tasks,
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
    return int(re.findall(r"Collected : (\d+)", done.stderr)[-1])


def count_score(files: tuple[Path, Path], options: Mapping[str, Any], environment: Mapping[str, str]) -> int:
    """Those of scoring the trees of two files once, from lists of strings, without those of starting."""
    command = [sys.executable, _FRESH, *map(str, files), json.dumps(options)]
    once, twice = (count(command, environment, "score 1\n" * times) for times in (1, 2))
    return twice - once


def count_small() -> dict[str, int]:
    """What is kept on record, counted now."""
    corpus = make_corpus(_PAIRS)
    with TemporaryDirectory(prefix="structiou-instructions-") as folder:
        environment = machine.environment_with_package(Path(folder) / "bytecode")
        files = write_corpus(Path(folder), corpus)
        counts = {name: count_score(files, options, environment) for name, options in _SCORES.items()}
    return counts


def write_corpus(folder: Path, corpus: Corpus) -> tuple[Path, Path]:
    """The files of both sides, reference and prediction."""
    return (
        write_lines(folder / "reference.txt", corpus.references),
        write_lines(folder / "prediction.txt", corpus.predictions),
    )


def setting() -> dict[str, str]:
    """What counts depend on besides the code: others say nothing about those on record."""
    built = Path(align.__file__).read_bytes() if structiou_metric.COMPILED else b""
    compilers = re.findall(rb"GCC: \([^)]*\) [0-9.]+|clang version [0-9.]+", built)
    generators = re.findall(rb"_cython_(\d+_\d+_\d+)", built)
    return {
        "Python": f"{platform.python_implementation()} {'.'.join(platform.python_version_tuple()[:2])}",
        "machine": f"{platform.system()} {platform.machine()}",
        "compiler": compilers[0].decode() if compilers else "none known",
        "Cython": generators[0].decode().replace("_", ".") if generators else "none known",
        "build": _build(built),
    }


def _build(built: bytes) -> str:
    if not structiou_metric.COMPILED:
        return "not compiled"
    checks = [name for name, mark in (("bounds", "STRUCTIOU_EXPECT_CHECKED"),) if os.environ.get(mark) == "1"]
    checks += [
        name for name, mark in (("addresses", b"__asan_"), ("behaviour", b"__ubsan_")) if mark in built
    ]
    return f"checks {' and '.join(checks)}" if checks else "as installed"


def read_record() -> dict[str, Any]:
    """The counts on record, and their setting."""
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def main(argv: Sequence[str] | None = None) -> int:
    """Counts, and prints or records."""
    parser = argparse.ArgumentParser(description="Counts the instructions of a small corpus.")
    parser.add_argument("--record", action="store_true", help="put the counts on record")
    args = parser.parse_args(argv)
    if not available() or not structiou_metric.COMPILED:
        parser.error("needs valgrind, and a compiled core")
    counts = count_small()
    known = read_record()["counts"] if RECORD.exists() else {}
    for name, number in counts.items():
        beside = f"{number / known[name]:.3f} times {known[name]:,}" if name in known else "none on record"
        print(f"{name:<12} {number:>14,}  {beside}")
    if args.record:
        text = json.dumps({"setting": setting(), "counts": counts}, indent=1)
        RECORD.write_text(text + "\n", encoding="utf-8")
        print(f"recorded in {RECORD}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

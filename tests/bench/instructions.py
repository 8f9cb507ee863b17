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
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import structiou_metric
from bench.corpus import make_corpus
from structiou_metric._core import align

RECORD = Path(__file__).with_name("instructions.json")
TOLERANCE = 0.05  # by which a count may be above the record

# Scores the trees of two files, one on each line, as often as its last argument says.
_SCORE = """
import json, sys
from structiou_metric import StructIoU
predictions, references = (open(path, encoding="utf-8").read().split("\\n")[:-1] for path in sys.argv[1:3])
metric = StructIoU(**json.loads(sys.argv[3]))
for _ in range(int(sys.argv[4])):
    metric.corpus_score(predictions, references)
"""
_PAIRS = 200

# By name, options of `StructIoU` under which the corpus is scored from lists.
_SCORES: dict[str, dict[str, Any]] = {"labelled": {}, "unlabelled": {"labels": "ignore"}}


def available() -> bool:
    """Whether there is a valgrind."""
    return shutil.which("valgrind") is not None


def count(*command: str) -> int:
    """Return those of a whole process; Python's bytecode is there already."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(command, check=True, capture_output=True, env=environment)
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
    return int(re.findall(r"Collected : (\d+)", done.stderr)[-1])


def count_scores(n_pairs: int = _PAIRS) -> dict[str, int]:
    """Return those of scoring two lists of trees once, without those of starting, by name of the options."""
    corpus = make_corpus(n_pairs)
    counts = {}
    with TemporaryDirectory(prefix="structiou-instructions-") as folder:
        paths = [Path(folder) / side for side in ("predictions", "references")]
        for path, trees in zip(paths, (corpus.predictions, corpus.references), strict=True):
            path.write_text("".join(f"{tree}\n" for tree in trees), encoding="utf-8")
        for name, options in _SCORES.items():
            command = [sys.executable, "-c", _SCORE, *map(str, paths), json.dumps(options)]
            once, twice = (count(*command, times) for times in ("1", "2"))
            counts[name] = twice - once
    return counts


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
    counts = count_scores()
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

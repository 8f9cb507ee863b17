"""Scoring a submission, in a process of its own with bounded time and memory.

`python -m leaderboard.scoring FOLDER BYTES SECONDS` scores what comes by standard input against the
benchmark in that folder, in at most that much memory and time, and writes the result as JSON.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from structiou_metric import CorpusScore, __version__
from structiou_metric.sources.files import TreeFile

from .benchmarks import Benchmark, load_benchmark
from .settings import Settings

_MAX_LABEL = 200  # characters kept of one
_MAX_LABELS = 200  # kept of a submission, which may have as many as it has nodes
_LENGTHS = (10, 20, 30, 40)  # words of a reference tree; the last group holds what is longer
_SECRET = re.compile("TOKEN|SECRET|PASSWORD|KEY")
_LOG = logging.getLogger(__name__)
_SPACE = Path(__file__).resolve().parent.parent


class ScoringError(ValueError):
    """A submission that could not be scored within the bounds."""


def score_apart(data: bytes, benchmark: Benchmark, settings: Settings) -> dict[str, Any]:
    """The result of a submission; ends soon, whatever it holds."""
    command = [
        sys.executable,
        "-m",
        "leaderboard.scoring",
        str(benchmark.reference.parent.resolve()),
        str(settings.scoring_bytes),
        str(math.ceil(settings.scoring_seconds)),
    ]
    try:
        done = subprocess.run(
            command,
            input=data,
            capture_output=True,
            timeout=settings.scoring_seconds,
            cwd=_SPACE,
            env={name: value for name, value in os.environ.items() if not _SECRET.search(name)},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ScoringError(
            f"scoring took longer than {settings.scoring_seconds:g} seconds; are there very deep trees?"
        ) from None
    if done.returncode != 0:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        _LOG.error("scoring ended with %d: %s", done.returncode, last)
        raise ScoringError("scoring failed; the host can tell more")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def score(data: bytes, benchmark: Benchmark) -> dict[str, Any]:
    """All that is kept of a submission's scores, as plain values."""
    references = benchmark.read_reference()
    predictions = TreeFile(data, "file", benchmark.layout)
    found = benchmark.metric.score_rows(predictions, references)
    sentences = found.sentences
    result: dict[str, Any] = {
        "version": __version__,
        "setting": benchmark.setting(),
        "signature": found.signature,
        "sentence": found.sentence,
        "corpus": found.corpus,
        "precision": found.precision,
        "recall": found.recall,
        "n_sentences": len(sentences),
        "n_empty": found.n_empty,
        "columns": {
            "matched": list(sentences.matched),
            "n_pred": list(sentences.n_pred),
            "n_ref": list(sentences.n_ref),
        },
        "labels": _labels(found),
        "lengths": _lengths(found, references),
    }
    result |= _parseval(predictions, references, benchmark)
    return result


def _labels(found: CorpusScore) -> list[dict[str, Any]]:
    """Figures by label, those that the reference has most often first."""
    return [
        {"label": label[:_MAX_LABEL], "struct_iou": tally.score, "n_pred": tally.n_pred, "n_ref": tally.n_ref}
        for label, tally in islice(found.by_label.items(), _MAX_LABELS)
    ]


def _lengths(found: CorpusScore, references: TreeFile) -> list[dict[str, Any]]:
    """Mean score by the number of words in the reference."""
    groups: dict[int, list[float]] = {}
    for tree, score_ in zip(references.trees(), found.sentences.scores(), strict=True):
        group = sum(len(tree.words) > most for most in _LENGTHS)
        groups.setdefault(group, []).append(score_)
    return [
        {
            "words": f"{_LENGTHS[group - 1] + 1 if group else 1}–{_LENGTHS[group]}"
            if group < len(_LENGTHS)
            else f"over {_LENGTHS[-1]}",
            "n_sentences": len(scores),
            "struct_iou": sum(scores) / len(scores),
        }
        for group, scores in sorted(groups.items())
    ]


def _parseval(predictions: TreeFile, references: TreeFile, benchmark: Benchmark) -> dict[str, Any]:
    """ParsEval where the host asks for it."""
    if benchmark.parseval is None:
        return {"parseval": None}
    from structiou_metric.metrics.parseval.metric import parseval

    found = parseval(predictions, references, parameters=benchmark.parseval)
    return {
        "parseval": {
            "f1": found.f1,
            "precision": found.precision,
            "recall": found.recall,
            "n_valid": found.n_valid,
            "columns": {
                "matched": list(found.matched),
                "n_pred": list(found.n_pred),
                "n_ref": list(found.n_ref),
                "status": list(found.status),
            },
        }
    }


def main(folder: str, memory: str, seconds: str) -> None:
    """Scores what comes by standard input."""
    try:
        import resource
    except ImportError:  # not on every system; time is bounded by the caller all the same
        pass
    else:
        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
        # The caller bounds the time, but may be killed before this process ends.
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    result = score(sys.stdin.buffer.read(), load_benchmark(Path(folder)))
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])

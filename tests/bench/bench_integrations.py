"""The cost of integrations: `python tests/bench/bench_integrations.py [--quick] [--json FILE]`.

Scores the same pairs of trees as bracket strings, as objects of Python and spaCy, through `datasets`,
`evaluate` and Arrow, and compares two systems. All are ratios of processor time within one run. Exit code 1
if a limit is not kept or if a score differs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import Corpus, make_corpus
from bench.report import Report, interleave
from structiou_metric import SegmentTree, StructIoU, metric_path
from structiou_metric.analysis.compare import compare

# How often the time of strings each may take.
_LIMITS = {
    "Arrow": 1.2,
    "datasets, text columns": 3.0,
    "datasets, a stream": 3.0,
    "evaluate": 8.0,  # most of it is evaluate's own, which writes and reads all rows
    "nltk": 8.0,
    "dicts": 8.0,
    "spans": 8.0,
}


def make_tasks(corpus: Corpus) -> dict[str, Callable[[], float]]:
    """Return how the score of the corpus is computed, by integration."""
    import datasets
    import evaluate
    import nltk
    import pyarrow
    import spacy
    from spacy.training import Example

    from spacy_structiou import doc_from_trees
    from structiou_metric.scale import tally_arrow

    datasets.disable_progress_bars()
    metric = StructIoU()
    sides = corpus.predictions, corpus.references
    trees = [[SegmentTree.from_brackets(tree) for tree in side] for side in sides]
    dataset = datasets.Dataset.from_dict({"prediction": sides[0], "reference": sides[1]})
    stream = dataset.to_iterable_dataset()
    script = evaluate.load(metric_path())
    nlp = spacy.blank("en")
    component = nlp.add_pipe("struct_iou")
    examples = [
        Example(*(doc_from_trees(nlp.vocab, [tree]) for tree in pair)) for pair in zip(*trees, strict=True)
    ]

    def score(columns: Sequence[Sequence[Any]]) -> float:
        return metric.corpus_score(*columns).sentence

    return {
        "strings": partial(score, sides),
        "Arrow": lambda: tally_arrow(*map(pyarrow.array, sides), metric).figures["struct_iou"],
        "datasets, text columns": lambda: metric.score_dataset(dataset, "prediction", "reference").sentence,
        "datasets, a stream": lambda: metric.score_dataset(stream, "prediction", "reference").sentence,
        "evaluate": lambda: script.compute(predictions=sides[0], references=sides[1])["struct_iou"],
        "nltk": partial(score, [[nltk.Tree.fromstring(tree) for tree in side] for side in sides]),
        "dicts": partial(score, [[tree.to_dict() for tree in side] for side in trees]),
        "spans": partial(score, [[tree.to_spans() for tree in side] for side in trees]),
        "spaCy": lambda: component.score(examples)["struct_iou"],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run all, in a cache of its own and offline."""
    report = Report("Times integrations.", argv, libraries=["datasets", "evaluate", "spacy"])
    with TemporaryDirectory(prefix="structiou-bench-") as folder:
        os.environ.update(HF_HOME=folder, HF_EVALUATE_OFFLINE="1", HF_HUB_OFFLINE="1")
        corpus = make_corpus(100 if report.quick else 2400)
        report.section(corpus.describe())
        tasks = make_tasks(corpus)
        wanted = tasks["strings"]()
        for name, task in tasks.items():
            report.agree(name, [task()], [wanted], tolerance=1e-12)
        seconds = interleave(2 if report.quick else 9, tasks)
        for name in tasks:
            report.times(name, seconds[name])
        for name, limit in _LIMITS.items():
            report.ratio(f"{name} / strings", seconds[name], seconds["strings"], limit)
    report.section("two systems, 10,000 resamples")
    own = make_corpus(len(corpus.references), wrong_share=0.8).predictions
    systems = {"a": corpus.predictions, "b": own}
    found = interleave(1 if report.quick else 3, {"": partial(compare, systems, corpus.references)})[""]
    report.limit("compare", min(found), at_most=3.0, unit=" s")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

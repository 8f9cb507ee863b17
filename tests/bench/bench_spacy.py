"""The cost of the door `spaCy`: `python tests/bench/bench_spacy.py [--quick] [--json FILE]`.

The scorer in `nlp.evaluate` must cost at most three times as much as the core, labels counted, on the same
2,000 pairs of trees. The trees of twice as many sentences of a Doc must cost about twice as much, set or read
one by one. All of it is measured in one run, by the processor's time. Exit code 1 if not so, or if a value
differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import spacy
from spacy.training import Example

from bench import machine
from bench.corpus import Corpus, make_corpus
from bench.report import Report, interleave
from spacy_structiou import doc_from_trees, set_tree
from structiou_metric import COMPILED, SegmentTree, StructIoU


def core(predictions: Sequence[Any], references: Sequence[Any], **options: Any) -> object:
    """All that the scorer gives, from the core."""
    return StructIoU(**options).corpus_score(predictions, references).by_label


def read_spans(examples: Sequence[Example]) -> None:
    """What nobody can do without who reads trees from a Doc."""
    for example in examples:
        for doc in (example.predicted, example.reference):
            for _ in doc.spans["constituents"]:
                pass


def processor_time(task: Callable[[], object]) -> float:
    """The seconds of the processor that a task takes, whatever else runs."""
    begin = process_time()
    task()
    return process_time() - begin


def measure_scoring(report: Report, corpus: Corpus, rounds: int, unit: str) -> None:
    """The scorer beside the core."""
    report.section(f"scores and labels of {corpus.describe()}, unit {unit}")
    nlp = spacy.blank("en")
    component = nlp.add_pipe("struct_iou", config={"unit": unit})
    pairs = list(zip(corpus.predictions, corpus.references, strict=True))
    examples = [Example(*(doc_from_trees(nlp.vocab, [tree]) for tree in pair)) for pair in pairs]
    trees = [[SegmentTree.from_brackets(pair[side]) for pair in pairs] for side in (0, 1)]
    tasks: dict[str, Callable[[], object]] = {
        "strings": partial(core, corpus.predictions, corpus.references, unit=unit),
        "trees": partial(core, *trees, unit=unit),
        "spans": partial(read_spans, examples),
        "ours": partial(component.score, examples),
    }
    result = StructIoU(unit=unit).corpus_score(corpus.predictions, corpus.references)
    scores = nlp.evaluate(examples)
    report.agree(
        "nlp.evaluate and core",
        [scores["struct_iou"], scores["struct_iou_corpus"], scores["struct_iou_p"], scores["struct_iou_r"]],
        [result.sentence, result.corpus, result.precision, result.recall],
        0.0,
    )
    seconds = interleave(rounds, {name: partial(processor_time, task) for name, task in tasks.items()})
    report.times("the core on SegmentTrees", seconds["trees"])
    report.times("the core on bracket strings", seconds["strings"])
    report.times("merely going through the spans of all Docs", seconds["spans"])
    report.times("the scorer", seconds["ours"])
    report.ratio("the scorer / the core on SegmentTrees", seconds["ours"], seconds["trees"], at_most=3.0)
    report.ratio(
        "the scorer / the core on bracket strings", seconds["ours"], seconds["strings"], at_most=None
    )
    whole = interleave(rounds, {"all": partial(processor_time, partial(nlp.evaluate, examples))})["all"]
    report.times("nlp.evaluate of a pipeline that does nothing else", whole)


def measure_sentences(report: Report, corpus: Corpus, rounds: int, n_sentences: int) -> None:
    """The trees of sentences one by one, in a Doc and in one of twice as many sentences."""
    report.section(f"trees of {n_sentences:,} and {2 * n_sentences:,} sentences of a Doc, one by one")
    trees = [SegmentTree.from_brackets(tree) for tree in corpus.references]
    vocab = spacy.blank("en").vocab

    def both(n: int) -> tuple[float, float]:
        """The seconds to set and to read."""
        wanted = [trees[i % len(trees)] for i in range(n)]
        doc = doc_from_trees(vocab, wanted, sentences=True)
        del doc.spans["constituents"]
        sents = list(doc.sents)

        def set_all() -> None:
            for sent, tree in zip(sents, wanted, strict=True):
                set_tree(sent, tree)

        def read_all() -> None:
            for sent in sents:
                if sent._.tree is None:
                    raise AssertionError("a tree is missing")

        return processor_time(set_all), processor_time(read_all)

    single, double = ([both(n) for _ in range(rounds)] for n in (n_sentences, 2 * n_sentences))
    for name, i in (("set_tree", 0), ("Span._.tree", 1)):
        less, more = [pair[i] for pair in single], [pair[i] for pair in double]
        report.times(f"{name} of each of {2 * n_sentences:,} sentences", more)
        report.limit(f"{name}, twice as many sentences", min(more) / min(less), at_most=2.5, unit=" times")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    parser = argparse.ArgumentParser(description="Times the metric through spaCy.")
    parser.add_argument("--quick", action="store_true", help="small and few; limits are not judged")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers there")
    args = parser.parse_args(argv)
    why_not = "a quick run" if args.quick else "not compiled"
    report = Report(judged=COMPILED and not args.quick, why_not=why_not)
    about = {**machine.describe(None), "spaCy": metadata.version("spacy"), "numpy": metadata.version("numpy")}
    del about["prototype"]  # has no part in this
    for name, value in about.items():
        print(f"{name:<12} {value}")
    corpus = make_corpus(100 if args.quick else 2000)
    for unit in ("word", "char"):
        measure_scoring(report, corpus, 2 if args.quick else 15, unit)
    measure_sentences(report, corpus, 2 if args.quick else 5, 50 if args.quick else 500)
    return report.finish(args.json, about)


if __name__ == "__main__":
    sys.exit(main())

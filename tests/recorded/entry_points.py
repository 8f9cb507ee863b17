"""Runs every entry point of the package on the bundled trees, and returns the results as plain values."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

from structiou_metric.commands.main import main
from support.paths import DATA, SPACE
from support.process import PATIENCE
from support.space_boards import rank_results

Runs = dict[str, Any]

RESAMPLES = "--resamples 500"

# What the first word of a run stands for: files of the folder that `lay_out` fills.
FILES = {
    "english": "english.reference.mrg english.prediction.txt",
    "hebrew": "hebrew.reference.txt hebrew.prediction.txt",
    "speech": "speech.reference.txt speech.prediction.txt",
    "demo": "benchmarks/english/reference.txt benchmarks/english/baseline.txt",
    "timed": "benchmarks/speech/reference.txt benchmarks/speech/baseline.txt",
    "broken": "benchmarks/english/reference.txt broken.txt",
    "table": "table.jsonl",
    "cases": "struct_iou_cases.jsonl",
    "brackets": "evalb_cases.jsonl",
    "spoken": "speech.prediction.txt",
    "written": "hebrew.prediction.txt",
}
FILES |= {f"{name}-2": f"{FILES[name]} {name}.second.txt" for name in ("english", "hebrew", "speech")}
FILES |= {f"{name}-3": f"{FILES[f'{name}-2']} {name}.third.txt" for name in ("english", "hebrew", "speech")}

# ---- the command line ----------------------------------------------------------------------------------


def score(folder: Path) -> Runs:
    """`structiou score`."""
    runs = (
        "english",
        "english --labels base",
        "english --labels ignore",
        "english --terminals flexible",
        "english --terminals exclude",
        "english --average corpus --workers 2",
        "english --min-iou 0.3",
        "hebrew --unit char",
        "hebrew --unit char --drop",
        "hebrew --on-error zero",
        "hebrew --on-error skip",
        "speech --unit time",
        "speech --unit time --drop",
        "speech --unit time --terminals flexible --min-iou 0.3",
        "timed --unit time --labels base",
        "broken --layout line --on-error zero",
        "table --reference-column gold --prediction-column parsed --drop -NONE- .",
        "cases --on-error zero --terminals flexible --min-iou 0.3",
    )
    return _printed(folder, "score", runs, "--json --per-sentence --per-label")


def align(folder: Path) -> Runs:
    """`structiou align`."""
    runs = (
        "english --row 2",
        "english --row 7 --labels base",
        "english --row 20 --labels ignore",
        "english --row 31 --terminals flexible --min-iou 0.3",
        "english --row 75",
        "hebrew --row 1 --unit char",
        "hebrew --row 3 --unit char --terminals exclude",
        "hebrew --row 21 --unit char --drop",
        "speech --row 1 --unit time",
        "speech --row 3 --unit time --labels ignore",
    )
    return _printed(folder, "align", runs, "--json")


def parseval(folder: Path) -> Runs:
    """`structiou parseval`: JSON, and the tables as they are printed."""
    runs = (
        "english",
        "english --count-empty --cutoff 10",
        "english --parameters COLLINS.prm --compat",
        "english --variant spmrl",
        "english --variant spmrl --count-empty",
        "hebrew",
        "hebrew --variant spmrl --count-empty",
        "broken --layout line --on-error skip",
        "brackets --parameters COLLINS.prm",
    )
    tables = (
        "english --compat",
        "english --variant spmrl --compat --count-empty",
        "hebrew --variant spmrl --compat",
        "brackets --summary-only",
    )
    return _printed(folder, "parseval", runs, "--json --per-sentence") | _printed(folder, "parseval", tables)


def compare(folder: Path) -> Runs:
    """`structiou compare`; needs numpy."""
    runs = (
        f"english-2 {RESAMPLES}",
        f"english-3 --labels base {RESAMPLES}",
        f"english-3 --labels base --baseline english.second --seed 7 {RESAMPLES}",
        f"english-3 --average corpus --lengths 8,16 --worst 3 --level 0.9 {RESAMPLES}",
        f"english-2 --metrics struct_iou --terminals exclude {RESAMPLES}",
        f"hebrew-2 --unit char {RESAMPLES}",
        f"hebrew-3 --on-error zero {RESAMPLES}",
        f"hebrew-3 --on-error skip --baseline hebrew.prediction {RESAMPLES}",
        f"speech-2 --unit time {RESAMPLES}",
        f"speech-3 --unit time --baseline speech.third {RESAMPLES}",
    )
    return _printed(folder, "compare", runs, "--json")


def curve(folder: Path) -> Runs:
    """`structiou curve`."""
    runs = (
        "speech --deltas 0,0.3,0.6 --repeats 2",
        "speech --deltas 0.5 --repeats 1 --gaps close --seed 7 --average corpus",
        "english --unit word --labels base --deltas 0,0.4 --repeats 1",
        "hebrew --unit char --kinds insert,delete --deltas 0,0.4 --repeats 2",
    )
    return _printed(folder, "curve", runs, "--json")


def perturb(folder: Path) -> Runs:
    """`structiou perturb`: the trees that it writes."""
    runs = (
        "spoken --kind noise --delta 0.3",
        "spoken --kind insert --delta 0.5 --seed 7",
        "spoken --kind delete --delta 0.5 --gaps close --repeat 1",
        "written --kind insert --delta 0.3 --unit char",
        "written --kind delete --delta 0.3 --unit word",
    )
    return _printed(folder, "perturb", runs)


def paper(folder: Path) -> Runs:
    """`structiou paper` with all its experiments."""
    runs = {
        "correlation": (
            "english --labels base",
            "english --bucket 5 --seed 7 --average corpus --variant spmrl",
            "hebrew --bucket 1 --on-error skip",
        ),
        "lengths": ("english --labels base", "hebrew --unit char --max 4 8"),
        "ambiguity": ("--n 3 --random 5", "--n 5 --random 10 --references 7 --seed 7"),
        "tokenization": ("hebrew-2", "hebrew --labels ignore --terminals exclude --min-stem 3"),
    }
    return {
        f"{experiment} {run}": value
        for experiment, several in runs.items()
        for run, value in _printed(folder, f"paper {experiment}", several, "--json").items()
    }


def _printed(folder: Path, command: str, runs: tuple[str, ...], more: str = "") -> Runs:
    """Return what `structiou` prints in each run: the values of its JSON, or the lines of its text."""
    found: Runs = {}
    for run in runs:
        first, _, rest = run.partition(" ")
        words = f"{command} {FILES.get(first, first)} {rest} {more}".split()
        out = io.StringIO()
        with chdir(folder), redirect_stdout(out):
            assert main(words) == 0, words
        if "--json" in words:
            found[run] = json.loads(out.getvalue())
        else:
            found[f"{run}, printed"] = out.getvalue().splitlines()
    return found


# ---- libraries -----------------------------------------------------------------------------------------


def evaluate_metric(folder: Path) -> Runs:
    """The metric of `evaluate`, by its path."""
    import evaluate

    from structiou_metric import metric_path

    metric = evaluate.load(metric_path(), cache_dir=str(folder / "metrics"))
    references, baseline = _lines(folder, "demo")
    second = _read(folder / "english.second.txt")  # other than the prediction in every second row
    several: list[Any] = references.copy()
    several[1::2] = map(list, zip(second[1::2], references[1::2], strict=True))
    hebrew, hebrew_baseline = _lines(folder, "hebrew")
    speech, speech_baseline = _lines(folder, "speech")

    def run(predictions: list[str], references: list[Any], **options: Any) -> Any:
        return metric.compute(predictions=predictions, references=references, **options)

    return {
        "english": run(baseline, references),
        "english, base": run(baseline, references, labels="base", return_per_sentence=True),
        "english, corpus": run(
            baseline, references, average="corpus", labels="ignore", terminals="flexible", min_iou=0.3
        ),
        "english, several references": run(
            baseline, several, labels="base", return_per_sentence=True, drop=["", "TOP", "-NONE-", "."]
        ),
        "english, alignments": run(baseline[:6], several[:6], labels="base", return_alignments=True),
        "hebrew": run(hebrew_baseline, hebrew, unit="char", return_per_sentence=True),
        "hebrew, zero": run(hebrew_baseline, hebrew, on_error="zero", return_per_sentence=True),
        "hebrew, skip": run(hebrew_baseline, hebrew, on_error="skip", return_per_sentence=True),
        "speech": run(speech_baseline, speech, unit="time", return_per_sentence=True),
    }


def dataset_scores(folder: Path) -> Runs:
    """`score_dataset` for a Dataset, a stream and a dict of splits."""
    import datasets

    from structiou_metric import StructIoU

    datasets.disable_progress_bars()

    def read(name: str) -> Any:
        gold, parsed = _lines(folder, name)
        return datasets.Dataset.from_dict({"gold": gold, "parsed": parsed})

    def run(dataset: Any, **options: Any) -> Runs:
        scored, added = StructIoU(**options).score_dataset(dataset, "parsed", "gold", add_column="score")
        if isinstance(scored, dict):
            return {split: figures(scored[split], added[split]) for split in scored}
        return figures(scored, added)

    def figures(scored: Any, dataset: Any) -> Runs:
        names = ("score", "sentence", "corpus", "precision", "recall", "n_empty", "n_zeroed", "n_skipped")
        return {name: getattr(scored, name) for name in names} | {"column": [row["score"] for row in dataset]}

    english, hebrew = read("demo"), read("hebrew")
    splits = {"first": english.select(range(30)), "second": english.select(range(30, 80))}
    return {
        "english": run(english, labels="base"),
        "english, stream": run(english.to_iterable_dataset(), average="corpus"),
        "english, splits": run(datasets.DatasetDict(splits), terminals="exclude"),
        "hebrew": run(hebrew, unit="char"),
        "hebrew, zero": run(hebrew, on_error="zero"),
        "hebrew, skip": run(hebrew, on_error="skip"),
        "speech": run(read("speech"), unit="time"),
    }


def spacy_component(folder: Path) -> Runs:
    """The component in `nlp.evaluate`, with four trees to a Doc."""
    import spacy
    from spacy.training import Example

    from spacy_structiou import doc_from_trees

    def run(name: str, **options: Any) -> Runs:
        nlp = spacy.blank("xx")
        nlp.add_pipe("struct_iou", config=options)
        references, predictions = _lines(folder, name)
        examples = [
            Example(
                doc_from_trees(nlp.vocab, predictions[i : i + 4]),
                doc_from_trees(nlp.vocab, references[i : i + 4]),
            )
            for i in range(0, len(references), 4)
        ]
        return {key: value for key, value in nlp.evaluate(examples).items() if key.startswith("struct_iou")}

    return {
        "english": run("demo"),
        "english, base": run("demo", labels="base", terminals="exclude"),
        "english, corpus": run("demo", average="corpus", labels="ignore", min_iou=0.5),
        "english, docs": run("demo", labels="base", per="doc", on_error="zero"),
        "english, characters": run("demo", unit="char"),
        "hebrew": run("hebrew", unit="char"),
        "hebrew, docs": run("hebrew", unit="char", per="doc"),
        "hebrew, zero": run("hebrew", on_error="zero"),
        "hebrew, skip": run("hebrew", on_error="skip"),
        "speech": run("speech", unit="time"),
    }


# ---- the board -----------------------------------------------------------------------------------------


def board_results(folder: Path) -> Runs:
    """What the board keeps of submissions."""
    return {
        f"{name}, {system}": result
        for name in ("english", "hebrew", "speech")
        for system, result in _Board(folder, name).results()
    }


def board_ranks(folder: Path) -> Runs:
    """Ranks, groups and intervals, also of the demo; needs numpy."""
    names = ("english", "english-corpus", "english-parseval", "hebrew", "speech")
    found = {name: _Board(folder, name).ranks() for name in names}
    return found | {f"{name}, demo": ranks for name, ranks in _demo_ranks(folder)}


class _Board:
    """All that is called of a benchmark of the Space."""

    def __init__(self, folder: Path, name: str) -> None:
        _add_space()
        from leaderboard.benchmarks import load_benchmark

        self._benchmark = load_benchmark(folder / "benchmarks" / name)
        files = ("baseline.txt", "second.txt", "third.txt")
        self._uploads = {file: (folder / "benchmarks" / name / file).read_bytes() for file in files}

    def results(self) -> Iterator[tuple[str, Runs]]:
        """Each system's name and result, but for groups of sentences by length and what tells the version."""
        from leaderboard.scoring import score

        for system, data in self._uploads.items():
            result = score(data, self._benchmark)
            left_out = ("version", "setting", "lengths", "ranking", "rows")
            metrics = {
                name: {key: value for key, value in found.items() if key not in ("shown", "digits")}
                | result["rows"][name]
                for name, found in result["metrics"].items()
            }
            kept = {key: value for key, value in result.items() if key not in left_out}
            yield system, {**kept, "metrics": metrics}

    def ranks(self) -> list[Runs]:
        """The lines of the board."""
        from leaderboard.scoring import score
        from leaderboard.store import Submission

        texts = dict.fromkeys(("link", "contact", "owner", "owner_kind", "address", "digest"), "")
        submitted = [
            Submission(id=system, benchmark=self._benchmark.name, system=system, received=i, **texts)
            for i, system in enumerate(self._uploads)
        ]
        results = [score(data, self._benchmark) for data in self._uploads.values()]
        return _ranks(rank_results(self._benchmark, submitted, results))


def _demo_ranks(folder: Path) -> Iterator[tuple[str, list[Runs]]]:
    """The board of each benchmark as `hf_space/app.py --demo` fills it."""
    _add_space()
    from demo import add_baselines
    from leaderboard.service import Leaderboard
    from leaderboard.settings import Settings

    settings = Settings(data=folder / "data", benchmarks=SPACE / "benchmarks")
    add_baselines(settings)
    board = Leaderboard(settings)
    board.start()
    try:
        for submission in board.store.all():
            board.wait(submission.id, 60.0)
        for name in board.benchmarks:
            end = time.monotonic() + PATIENCE
            while None in {entry.group for entry in board.board(name)} and time.monotonic() < end:
                time.sleep(0.05)
            yield name, _ranks(board.board(name))
    finally:
        board.stop()


def _ranks(entries: Any) -> list[Runs]:
    return [
        {
            "system": entry.submission.system,
            "rank": entry.rank,
            "group": entry.group,
            "interval": {key: getattr(entry.interval, key) for key in ("value", "low", "high")},
        }
        for entry in entries
    ]


def _add_space() -> None:
    if str(SPACE) not in sys.path:
        sys.path.insert(0, str(SPACE))


# ---- files ---------------------------------------------------------------------------------------------


def lay_out(folder: Path) -> None:
    """Copies the bundled files, and writes more systems and benchmarks beside them."""
    for path in DATA.iterdir():
        if path.is_file() and not path.name.startswith("recorded"):
            shutil.copy(path, folder)
    benchmarks = folder / "benchmarks"
    shutil.copytree(SPACE / "benchmarks", benchmarks)
    for name in ("english", "hebrew", "speech"):
        _write_systems(folder / f"{name}.prediction.txt", folder, f"{name}.")
        _write_systems(benchmarks / name / "baseline.txt", benchmarks / name, "")
    for name, measure in (("corpus", "struct_iou_corpus"), ("parseval", "parseval_f1")):
        path = shutil.copytree(benchmarks / "english", benchmarks / f"english-{name}") / "benchmark.toml"
        text = path.read_text("utf-8").replace("struct_iou_sentence", measure)
        path.write_text(text, "utf-8")
    references, baseline = _lines(folder, "demo")
    rows = [{"gold": gold, "parsed": parsed} for gold, parsed in zip(references, baseline, strict=True)]
    _write(folder / "table.jsonl", [json.dumps(row) for row in rows])
    baseline[4] = baseline[4][:-1]
    baseline[9] = "(TOP (S (NP (NN nothing))))"
    _write(folder / "broken.txt", baseline)


def _write_systems(path: Path, folder: Path, prefix: str) -> None:
    """Two more systems: one with a bracket less in every second tree, one with other labels and failures."""
    trees = _read(path)
    second = [re.sub(r"\(\S+ (\([^()]+\))\)", r"\1", tree, count=1) for tree in trees]
    second[::2] = trees[::2]
    _write(folder / f"{prefix}second.txt", second)
    third = trees.copy()
    third[::3] = [tree.replace("(NP ", "(ADJP ", 1) for tree in trees[::3]]
    third[-1] = "(TOP )"
    _write(folder / f"{prefix}third.txt", third)


def _lines(folder: Path, name: str) -> list[list[str]]:
    """The trees of both sides; those of the references must be a line each."""
    return [_read(folder / file) for file in FILES[name].split()]


def _read(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


ENTRY_POINTS = {
    "score": score,
    "align": align,
    "parseval": parseval,
    "compare": compare,
    "curve": curve,
    "perturb": perturb,
    "paper": paper,
    "evaluate": evaluate_metric,
    "datasets": dataset_scores,
    "spacy": spacy_component,
    "board": board_results,
    "ranking": board_ranks,
}
NEEDS = {
    "board": "numpy",
    "compare": "numpy",
    "ranking": "numpy",
    "paper": "scipy",
    "evaluate": "evaluate",
    "datasets": "datasets",
    "spacy": "spacy",
}


def as_columns(value: Any) -> Any:
    """Return the value with lists of like dicts turned into dicts of lists."""
    if isinstance(value, dict):
        return {key: as_columns(item) for key, item in value.items()}
    if isinstance(value, list):
        items = [as_columns(item) for item in value]
        if items and all(isinstance(item, dict) and item.keys() == items[0].keys() for item in items):
            return {key: as_columns([item[key] for item in items]) for key in items[0]}
        return items
    return value

"""How far common tasks go through the code: functions, modules, and changes of module.

`python tests/support/walks.py [WAY …]`, or `make walks`, prints the three numbers for each way. Functions of
the packages are counted once, in the order of their first call, without comprehensions; a change is counted
where the next new function is in another module. Imports are not counted, as each way is gone once before.
Compiled functions cannot be seen, so all runs on a copy without compiled modules.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple

REFERENCES = [
    "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat))))))",
    "(S (NP (DT The) (NN dog)) (VP (VBD barked)))",
]
PREDICTIONS = [
    "(S (NP (PRP She)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))))",
    "(S (NP (DT The) (NN dog)) (VP (VBD barked)))",
]


class Walk(NamedTuple):
    """What is counted of a way.

    Attributes:
        functions: The number of different functions that are called.
        modules: The number of modules that these are in.
        changes: How often the next new function is in another module.
    """

    functions: int
    modules: int
    changes: int


def count_walk(way: str) -> Walk:
    """Count a way, in a process of its own with a copy of the packages that is not compiled."""
    import structiou_metric

    package = Path(structiou_metric.__file__).parent
    script = Path(structiou_metric.metric_path())
    with TemporaryDirectory() as folder:
        copies = Path(folder, "packages")
        for source in (package, package.with_name("spacy_structiou")):
            ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
            shutil.copytree(source, copies / source.name, ignore=ignored)
        shutil.copy(script, copies)
        done = subprocess.run(
            [sys.executable, __file__, "--here", str(copies.resolve()), way],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(copies.resolve())},
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Walk(*json.loads(done.stdout.splitlines()[-1]))


def _count_here(packages: str, way: str) -> Walk:
    """Count a way in this process, which imports the packages from a folder."""
    for name, trees in (("reference.txt", REFERENCES), ("prediction.txt", PREDICTIONS)):
        Path(name).write_text("".join(f"{tree}\n" for tree in trees), "utf-8")
    go = WAYS[way](packages)
    seen: dict[tuple[str, int], None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(packages) and not code.co_name.startswith("<"):
            seen.setdefault((code.co_filename, code.co_firstlineno))

    with contextlib.redirect_stdout(io.StringIO()):
        go()
        sys.setprofile(note)
        try:
            go()
        finally:
            sys.setprofile(None)
    modules = [file for file, _ in seen]
    changes = sum(one != other for one, other in pairwise(modules))
    return Walk(len(seen), len(set(modules)), changes)


def _command(*words: str) -> Callable[[], object]:
    from structiou_metric.commands.main import main

    return lambda: main(words)


def _evaluate(packages: str) -> Callable[[], object]:
    import evaluate

    script = str(Path(packages, "struct_iou.py"))
    return lambda: evaluate.load(script).compute(predictions=PREDICTIONS, references=REFERENCES)


def _spacy(_: str) -> Callable[[], object]:
    import spacy
    from spacy.training import Example

    from spacy_structiou import doc_from_trees

    def go() -> object:
        nlp = spacy.blank("en")
        nlp.add_pipe("struct_iou")
        docs = [
            [doc_from_trees(nlp.vocab, [tree]) for tree in pair]
            for pair in zip(PREDICTIONS, REFERENCES, strict=True)
        ]
        return nlp.evaluate([Example(*pair) for pair in docs])

    return go


# Each way by its name: a function of the folder with the packages, which returns what is done.
WAYS: dict[str, Callable[[str], Callable[[], object]]] = {
    "score": lambda _: _command("score", "reference.txt", "prediction.txt"),
    "evaluate": _evaluate,
    "spacy": _spacy,
    "compare": lambda _: _command(
        *("compare", "reference.txt", "prediction.txt", "reference.txt", "--html", "page.html")
    ),
}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(_count_here(*sys.argv[2:])))
    else:
        for way in sys.argv[1:] or WAYS:
            walk = count_walk(way)
            print(f"{way}: {walk.functions} functions, {walk.modules} modules, {walk.changes} changes")

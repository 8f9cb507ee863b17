"""Where Cython is not installed, the core runs on the few names of `_cython.py`."""

import shutil
import subprocess
import sys

from structiou_metric.metrics import METRICS
from support.paths import PACKAGE

SCORE_WITHOUT_CYTHON = """
import sys
sys.path.insert(0, sys.argv[1])
sys.modules["cython"] = None
import structiou_metric
print(structiou_metric.__file__)
print(structiou_metric.COMPILED)
print(structiou_metric.struct_iou("(S (A a) (B b))", "(S (A a) (C b))"))
from structiou_metric.metrics import METRICS, load_metric
for name in METRICS:
    print(name, load_metric(name).corpus_score(["(S (A a) (B b))"], ["(S (A a) (B b))"]).score)
"""


def test_standin_is_enough_to_score(tmp_path):
    copy = tmp_path / "structiou_metric"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    run = subprocess.run(
        [sys.executable, "-c", SCORE_WITHOUT_CYTHON, tmp_path], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    metrics = [f"{name} 1.0" for name in METRICS]
    assert run.stdout.splitlines() == [str(copy / "__init__.py"), "False", str(4 / 6), *metrics]

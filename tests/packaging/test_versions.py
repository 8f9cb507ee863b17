"""One version, and no dependency that is not an extra."""

import subprocess
import sys
from importlib.metadata import requires, version

import pytest

import structiou_metric

# Modules without a spec were made in memory, by compiled Cython code.
REPORT_IMPORTS = """
import sys
before = set(sys.modules)
import {module}
found = {{name for name, module in sys.modules.items() if getattr(module, "__spec__", None)}} - before
print(*sorted({{name.partition(".")[0] for name in found}} - sys.stdlib_module_names))
"""


def test_version_is_that_of_the_installed_distribution():
    assert structiou_metric.__version__ == version("structiou-metric")


def test_dependencies_are_all_extras():
    assert [line for line in requires("structiou-metric") or () if "extra ==" not in line] == []


@pytest.mark.parametrize(
    "module",
    [
        "structiou_metric",
        "structiou_metric.metrics.struct_iou.metric",
        "structiou_metric.commands.score",
        "structiou_metric.commands.main",
        "spacy_structiou",
    ],
)
def test_import_needs_the_standard_library_only(module):
    program = REPORT_IMPORTS.format(module=module)
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    imported = set(run.stdout.split()) - {"structiou_metric", "spacy_structiou"}
    if not structiou_metric.COMPILED:
        imported -= {"cython", "Cython"}  # used where they are installed
    assert imported == set()

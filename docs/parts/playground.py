"""Write the playground: a folder of static files in which the uncompiled package runs in the browser.

`python docs/parts/playground.py FOLDER` writes it; `make playground` and `make docs` do so. Pyodide, which is
Python for browsers, comes from the npm registry and is kept in `docs/_build`. Without npm the page is written
without it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import jinja2

from structiou_metric.report import pair

PYODIDE = "314.0.7"  # with CPython 3.14
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)

_DOCS = Path(__file__).resolve().parents[1]
_PACKAGE = _DOCS.parent / "structiou_metric"
_README = """---
title: STRUCT-IoU playground
sdk: static
license: mit
short_description: Compare two constituency parse trees in the browser
---

Compare two parse trees with STRUCT-IoU. Everything runs in the browser.
"""


def write_playground(folder: Path) -> bool:
    """Write all files of the playground into a folder; return whether it can run, which needs npm."""
    folder.mkdir(parents=True, exist_ok=True)
    template = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        (_DOCS / "playground" / "index.html").read_text("utf-8")
    )
    page = template.render(examples=pair.EXAMPLES, options=pair.OPTIONS, defaults=pair.DEFAULTS)
    (folder / "index.html").write_text(page, "utf-8")
    (folder / "README.md").write_text(_README, "utf-8")
    shutil.copy(_DOCS / "playground" / "playground.js", folder)
    for name in ("pair.css", "pair.js"):
        shutil.copy(_PACKAGE / "report" / "templates" / name, folder)
    with zipfile.ZipFile(folder / "structiou_metric.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(_PACKAGE.rglob("*.py")):
            archive.write(file, file.relative_to(_PACKAGE.parent))
    return _add_pyodide(folder / "pyodide")


def _add_pyodide(folder: Path) -> bool:
    """Unpack the files of Pyodide that pages load into a folder; return whether they could be had."""
    cache = _DOCS / "_build"
    archive = cache / f"pyodide-{PYODIDE}.tgz"
    if not archive.exists():
        npm = shutil.which("npm")
        if npm is None:
            return False
        cache.mkdir(exist_ok=True)
        packing = [npm, "pack", "--silent", f"pyodide@{PYODIDE}"]
        if subprocess.run(packing, cwd=cache, stdout=subprocess.DEVNULL, check=False).returncode:
            return False
    folder.mkdir(exist_ok=True)
    with tarfile.open(archive) as packed:
        for name in PYODIDE_FILES:
            source = packed.extractfile(f"package/{name}")
            if source is None:
                raise ValueError(f"{archive} has no package/{name}; delete it and try again")
            (folder / name).write_bytes(source.read())
    return True


if __name__ == "__main__":
    where = Path(sys.argv[1])
    if write_playground(where):
        print(where / "index.html")
    else:
        print(f"{where}: without Pyodide, as npm is not installed or reaches no registry; the page says so")

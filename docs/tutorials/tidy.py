"""Makes the notebooks of this folder as they are stored; run it after editing them.

Outputs, counts of executions and whatever an editor adds are removed, and cells are
numbered, so that a change of a notebook is a change of its text. Tests execute the
notebooks, and the site shows them executed.
"""

from __future__ import annotations

import json
from pathlib import Path

_METADATA = {
    "kernelspec": {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}


def tidied(path: Path) -> str:
    """The text of a notebook as it is to be stored."""
    cells = []
    for number, cell in enumerate(json.loads(path.read_text("utf-8"))["cells"], 1):
        lines = "".join(cell["source"]).strip("\n").splitlines(keepends=True)
        kept = {
            "id": f"{path.stem}-{number:02d}",
            "cell_type": cell["cell_type"],
            "metadata": {},
            "source": lines,
        }
        if cell["cell_type"] == "code":
            kept |= {"execution_count": None, "outputs": []}
        cells.append(dict(sorted(kept.items())))
    notebook = {
        "cells": cells,
        "metadata": _METADATA,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    for path in sorted(Path(__file__).parent.glob("*.ipynb")):
        path.write_text(tidied(path), "utf-8")

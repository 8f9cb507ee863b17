"""The package's own source, loaded uncompiled beside the compiled one."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path
from types import ModuleType

from support.paths import PACKAGE

TWIN = "structiou_metric_source"


def source_twin(folder: Path) -> ModuleType:
    """Copies the `.py` files alone into `folder` and imports them as another package."""
    if TWIN not in sys.modules:
        shutil.copytree(
            PACKAGE, folder / TWIN, ignore=lambda path, names: [n for n in names if not _is_source(path, n)]
        )
        sys.path.insert(0, str(folder))
        try:
            importlib.import_module(TWIN)
        finally:
            sys.path.remove(str(folder))
    return sys.modules[TWIN]


def _is_source(path: str, name: str) -> bool:
    return name.endswith(".py") or (Path(path) / name).is_dir()

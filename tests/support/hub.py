"""The libraries `datasets` and `evaluate` for tests: offline, quiet, and away from the user's cache."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

OFFLINE = {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "HF_UPDATE_DOWNLOAD_COUNTS": "0"}


def import_datasets() -> ModuleType:
    """Imports it, or skips the calling test.

    It reads the environment when it is first imported, which may be here.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("HF_DATASETS_CACHE", os.path.join(tempfile.gettempdir(), "structiou-tests-datasets"))
        datasets: ModuleType = pytest.importorskip("datasets", minversion="4")
    datasets.disable_progress_bars()
    return datasets


@contextmanager
def datasets_with_cache(folder: Path) -> Iterator[ModuleType]:
    """Imports it likewise, and keeps what `map` writes in a folder."""
    datasets = import_datasets()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets.config, "HF_DATASETS_CACHE", folder)
        yield datasets

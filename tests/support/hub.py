"""The libraries `datasets` and `evaluate` for tests: offline, quiet, and away from the user's cache."""

from __future__ import annotations

import os
import tempfile
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

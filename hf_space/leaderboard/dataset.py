"""Benchmarks that are a dataset of the Hub, for hosts who keep their reference trees there."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from .settings import Settings

_LOG = logging.getLogger(__name__)
_FOLDER = "benchmarks"  # in the data folder


def with_dataset(settings: Settings, token: str | None, *, download: Any = None) -> Settings:
    """The settings with the folder of benchmarks that the dataset holds, if they name one.

    Of a private dataset the token must be able to read. If the Hub is away, what it held at the last start
    is used.

    Args:
        settings: The settings of the host.
        token: The token for the Hub.
        download: A function in place of `huggingface_hub.snapshot_download`.
    """
    name = settings.benchmarks_dataset
    if name is None:
        return settings
    if download is None:
        from huggingface_hub import snapshot_download as download
    cache = settings.data / _FOLDER
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        folder = Path(download(name, repo_type="dataset", token=token, cache_dir=cache))
    except Exception as error:
        first = str(error).partition("\n")[0]
        raise ValueError(
            f"the benchmarks cannot be fetched from the dataset {name}: {first} Does HF_TOKEN hold a token "
            "that may read it?"
        ) from None
    _LOG.info("benchmarks from %s, commit %s", name, folder.name)
    return settings.model_copy(update={"benchmarks": folder})

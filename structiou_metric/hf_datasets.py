"""Columns of `datasets`, under the name that users were shown."""

from .metrics.hf_datasets import *  # noqa: F403

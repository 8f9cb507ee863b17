"""Comparing systems, under the name that users were shown; it lives in `analysis.compare`."""

from .analysis.compare import *  # noqa: F403

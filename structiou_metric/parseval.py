"""ParsEval, under the name that users were shown; it lives in `metrics.parseval`."""

from .metrics.parseval.metric import *  # noqa: F403

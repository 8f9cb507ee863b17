"""Where the script is that makes this metric one of the library `evaluate`."""

from __future__ import annotations

import os


def metric_path() -> str:
    """The path of the metric's script, for `evaluate.load(metric_path())`."""
    package = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(package, "hub", "struct_iou.py")
    in_checkout = os.path.join(os.path.dirname(package), "hf_space", "struct_iou.py")
    for path in (installed, in_checkout):
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"{installed} is missing; install structiou-metric again")

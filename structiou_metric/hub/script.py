"""Where the script is that makes this metric one of the library `evaluate`."""

from __future__ import annotations

import os


def metric_path() -> str:
    """The path of the metric's script, for `evaluate.load(metric_path())`."""
    folder = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(folder, "struct_iou.py")
    in_checkout = os.path.join(folder, os.pardir, os.pardir, "hf_space", "struct_iou.py")
    for path in (installed, in_checkout):
        if os.path.isfile(path):
            return os.path.normpath(path)
    raise FileNotFoundError(f"{installed} is missing; install structiou-metric again")

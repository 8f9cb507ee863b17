"""Metrics for tests of clusters: one waits for a file, so that a test can act, and one kills its process."""

from __future__ import annotations

import os
from pathlib import Path
from signal import SIGKILL
from time import sleep

from structiou_metric import StructIoU


class WaitingStructIoU(StructIoU):
    """STRUCT-IoU, found once the file exists that the environment names."""

    def counter(self):
        """Waits for the file; leaves another behind, which tells that this process waits."""
        go = Path(os.environ["STRUCTIOU_TEST_GO"])
        go.with_name(f"waiting.{os.getpid()}").touch()
        while not go.exists():
            sleep(0.02)
        return super().counter()


class DeadlyStructIoU(StructIoU):
    """STRUCT-IoU on a machine without enough memory, whose system kills the process."""

    def counter(self):
        """Kill the process."""
        os.kill(os.getpid(), SIGKILL)

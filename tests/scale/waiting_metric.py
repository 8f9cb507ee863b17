"""A metric that counts nothing before a file is there, so that a test can do something meanwhile."""

from __future__ import annotations

import os
from pathlib import Path
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

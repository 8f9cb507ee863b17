"""The Space as a process of its own, as a host starts it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from random import SystemRandom

from support import process
from support.paths import SPACE

APP = SPACE / "app.py"


def _free_port():
    """A port that is free, and that the system gives to nobody who asks for any."""
    random = SystemRandom()
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class SpaceServer:
    """A server on loopback with a data folder of its own; may be killed and started again.

    Args:
        data: Folder of the database.
        benchmarks: Folder of the benchmarks.
        environment: More variables of the environment.
        command: The interpreter and the program that it runs.
        settings: Those that begin with `STRUCTIOU_`, without that.
    """

    def __init__(self, data, benchmarks, *, environment=None, command=(sys.executable, APP), **settings):
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.data, self.benchmarks = Path(data), Path(benchmarks)
        self.log = self.data / "server.log"
        inherited = process.environment(os.environ.get("PYTHONPATH", ""))
        self._environment = {
            **{name: value for name, value in inherited.items() if not name.startswith("STRUCTIOU_")},
            "STRUCTIOU_DATA": str(data),
            "STRUCTIOU_BENCHMARKS": str(benchmarks),
            "STRUCTIOU_REQUESTS_PER_MINUTE": "1000000",
            "STRUCTIOU_CHANGES_PER_MINUTE": "1000000",
            "HF_HUB_OFFLINE": "1",
            **{f"STRUCTIOU_{name}": str(value) for name, value in settings.items()},
            **(environment or {}),
        }
        self._command = [*map(str, command), "--host", "127.0.0.1", "--port", str(self.port)]
        self._process = None

    @property
    def pid(self):
        """The number of the process."""
        return self._process.pid

    def start(self, *arguments):
        """Starts it and waits until it answers; returns the seconds that took."""
        begin = time.monotonic()
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command, *arguments], stdout=log, stderr=log, env=self._environment
            )
        while True:
            if self._process.poll() is not None:
                raise AssertionError(f"the server ended: {self.log.read_text('utf-8')[-3000:]}")
            try:
                urllib.request.urlopen(f"{self.url}/api/openapi.json", timeout=process.PATIENCE).close()
            except OSError:
                if time.monotonic() > begin + process.PATIENCE:
                    self.kill()
                    raise AssertionError(f"no answer: {self.log.read_text('utf-8')[-3000:]}") from None
                time.sleep(0.1)
            else:
                return time.monotonic() - begin

    def terminate(self):
        """Ends it as a Space is ended: it may do what is left to do."""
        self._process.terminate()
        self._process.wait(process.PATIENCE)
        self._process = None

    def kill(self):
        """Ends it as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

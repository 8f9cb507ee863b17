"""Work on what strangers send, in a process of its own with bounded time and memory.

`run` starts `python -m MODULE BYTES SECONDS`, which calls `serve`. Both write a line of JSON and then bytes:
the one to standard input, the other to standard output.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .settings import Settings


_SECRET = re.compile("TOKEN|SECRET|PASSWORD|KEY")
_LOG = logging.getLogger(__name__)
_SPACE = Path(__file__).resolve().parent.parent


class SandboxError(ValueError):
    """Work that failed, or did not end within its bounds."""


class BusyError(ValueError):
    """The server has too much to do at the moment."""


class Lane:
    """Bounds how many may do some work at a time, and how many may wait for that.

    Args:
        most: How many may do it at a time.
        waiting: How many may wait.
        name: The name of the work, for the message to others.
    """

    def __init__(self, most: int, waiting: int, name: str) -> None:
        self._slots = threading.BoundedSemaphore(most)
        self._places = threading.BoundedSemaphore(most + waiting)
        self._name = name

    def __enter__(self) -> None:
        if not self._places.acquire(blocking=False):
            raise BusyError(f"too many are {self._name} at the moment; try again in a minute")
        self._slots.acquire()

    def __exit__(self, *_: object) -> None:
        self._slots.release()
        self._places.release()


def run(module: str, about: Any, data: bytes, settings: Settings, what: str) -> tuple[Any, bytes]:
    """Run the `serve` of a module on some bytes; ends soon for any bytes.

    Args:
        module: The name of the module, such as `leaderboard.scoring`.
        about: Plain values for the module.
        data: The bytes.
        settings: The settings, with the bounds of time and memory.
        what: The name of the work, for the message of an error.

    Returns:
        The plain values and the bytes that the module returned.

    Raises:
        SandboxError: It took too long or too much memory, or failed.
    """
    seconds = settings.scoring_seconds
    try:
        done = subprocess.run(
            [sys.executable, "-m", module, str(settings.scoring_bytes), str(math.ceil(seconds))],
            input=json.dumps(about).encode("ascii") + b"\n" + data,
            capture_output=True,
            timeout=seconds,
            cwd=_SPACE,
            env={name: value for name, value in os.environ.items() if not _SECRET.search(name)},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SandboxError(
            f"{what} took longer than {seconds:g} seconds; are there very deep trees?"
        ) from None
    if done.returncode != 0:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        _LOG.error("%s ended with %d: %s", what, done.returncode, last)
        raise SandboxError(f"{what} failed; ask the host, whose log says why")
    values, _, more = done.stdout.partition(b"\n")
    return json.loads(values), more


def serve(function: Callable[[Any, bytes], tuple[Any, bytes]], memory: str, seconds: str) -> None:
    """Answer `run`, in the process that it has started."""
    try:
        import resource
    except ImportError:  # not on every system; time is bounded by the caller all the same
        pass
    else:
        if sys.platform != "darwin":  # which knows this limit, but lets nobody set it
            resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
        # The caller bounds the time, but may be killed before this process ends.
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    about = json.loads(sys.stdin.buffer.readline())
    values, more = function(about, sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(values).encode("ascii") + b"\n" + more)

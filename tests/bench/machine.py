"""What the benchmark ran on."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

import structiou_metric
from bench.yardstick import Prototype


def environment_with_package(bytecode: Path) -> dict[str, str]:
    """For other interpreters: this one's environment, with the package on the path.

    They keep their bytecode in a folder of their own, because an installed package has some, while
    a checkout where Python may write none would be compiled anew at every start.
    """
    package = str(Path(structiou_metric.__file__).resolve().parents[1])
    path = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(path))
    environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    return environment


def describe(prototype: Prototype | None) -> dict[str, object]:
    return {
        "processor": processor(),
        "cores": f"{cores()} usable, load average {load()}",
        "system": platform.platform(),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "package": f"structiou-metric {structiou_metric.__version__}",
        "COMPILED": structiou_metric.COMPILED,
        "prototype": f"{prototype.compiler}, -O2" if prototype else "no C compiler",
    }


def processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"

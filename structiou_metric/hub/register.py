"""Makes `evaluate.load("struct_iou")` find this metric, from every folder and without the network.

`evaluate` looks for a bare name on the Hub and, if it is not there, in its cache of scripts. To
register is to put the metric's script there, in the layout that `evaluate` itself uses::

    MODULES/evaluate_modules/metrics/evaluate-metric--struct_iou/<64 characters>/struct_iou.py

Of several such scripts, the one that was changed last is loaded. Folders are removed only if they
were written here and nobody changed them since.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from contextlib import suppress
from typing import NamedTuple

from .._version import __version__

__all__ = ["metric_path", "register", "status", "unregister"]

_PACKAGES = ("evaluate_modules", "metrics", "evaluate-metric--struct_iou")
_SCRIPT = "struct_iou.py"
_NOTE = "struct_iou.json"  # `evaluate` writes such a file, too
_WRITER = "structiou register"
_FILES = {"__init__.py", _SCRIPT, _NOTE}


class Copy(NamedTuple):
    """A script in the cache.

    Attributes:
        folder: Where the script is.
        changed: When the script was changed last; None if the folder has no script.
        version: The version of this package that registered it; None if none did.
    """

    folder: str
    changed: float | None
    version: str | None


def metric_path() -> str:
    """Return the path of the metric's script, for `evaluate.load(metric_path())`.

    >>> import os
    >>> os.path.basename(metric_path())
    'struct_iou.py'
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(folder, "struct_iou.py")
    in_checkout = os.path.join(folder, os.pardir, os.pardir, "hf_space", "struct_iou.py")
    for path in (installed, in_checkout):
        if os.path.isfile(path):
            return os.path.normpath(path)
    raise FileNotFoundError(f"{installed} is missing; install structiou-metric again")


def register() -> str:
    """Register the script of this installation in place of any that was registered before.

    >>> import os, tempfile
    >>> from unittest.mock import patch
    >>> with tempfile.TemporaryDirectory() as folder, patch.dict("os.environ", HF_MODULES_CACHE=folder):
    ...     sorted(os.listdir(register()))
    ['__init__.py', 'struct_iou.json', 'struct_iou.py']

    Returns:
        The folder with the script.

    Raises:
        FileExistsError: If something that was not written here is in the way.
    """
    for copy in find_copies():
        if copy.changed is None:
            raise FileExistsError(_obstacle(copy))
    script = _read_script()
    folder = os.path.join(_make_packages(), _folder_name(__version__, script))
    if not os.path.isdir(folder):
        _write(folder, script)
    elif _read_version(folder) is None:
        raise FileExistsError(f"{folder} was changed by others; remove it and register again")
    others = [copy for copy in find_copies() if copy.folder != folder]
    # An existing script, registered again after another version, would not be the newest.
    now = max([time.time(), *(1.0 + copy.changed for copy in others if copy.changed is not None)])
    os.utime(os.path.join(folder, _SCRIPT), (now, now))
    for copy in others:
        if copy.version is not None:
            _remove(copy.folder)
    return folder


def unregister() -> list[str]:
    """Remove the registered script; return the folders that it was in.

    >>> import tempfile
    >>> from unittest.mock import patch
    >>> with tempfile.TemporaryDirectory() as folder, patch.dict("os.environ", HF_MODULES_CACHE=folder):
    ...     [register()] == unregister()
    True
    """
    folders = [copy.folder for copy in find_copies() if copy.version is not None]
    for folder in folders:
        _remove(folder)
    return folders


def status() -> str:
    """Return some lines that say what the bare name will load.

    >>> import tempfile
    >>> from unittest.mock import patch
    >>> with tempfile.TemporaryDirectory() as folder, patch.dict("os.environ", HF_MODULES_CACHE=folder):
    ...     print(status().splitlines()[1])
    registered  nothing
    """
    copies = find_copies()
    lines = [f"folder      {os.path.join(modules_folder(), *_PACKAGES)}"]
    ours = [copy for copy in copies if copy.version is not None]
    for copy in ours:
        is_installed = os.path.basename(copy.folder) == _folder_name(__version__, _read_script())
        outdated = "" if is_installed else f", not the installed script of {__version__}: register again"
        lines.append(f"registered  version {copy.version}{outdated}")
    if not ours:
        lines.append("registered  nothing")
    for copy in copies:
        if copy.changed is None:
            lines.append(f"in the way  {_obstacle(copy)}")
        elif copy.version is None:
            loaded = ", and the one that is loaded: register again" if copy is copies[0] and ours else ""
            lines.append(f"not ours    {copy.folder}{loaded}")
    shadow = os.path.join("struct_iou", _SCRIPT)
    if os.path.isfile(shadow):
        lines.append(f"shadowed    in this folder, evaluate loads {shadow}")
    return "\n".join([*lines, ""])


def find_copies() -> list[Copy]:
    """Return all folders that the bare name may load a script from, the one that it does load first.

    Before it come folders without a script, because they keep `evaluate` from loading any.
    """
    parent = os.path.join(modules_folder(), *_PACKAGES)
    copies = []
    for name in os.listdir(parent) if os.path.isdir(parent) else ():
        if len(name) == 64:
            folder = os.path.join(parent, name)
            try:
                changed = os.stat(os.path.join(folder, _SCRIPT)).st_mtime
            except OSError:
                changed = None
            copies.append(Copy(folder, changed, _read_version(folder)))
    return sorted(copies, key=lambda copy: (copy.changed is not None, -(copy.changed or 0.0)))


def modules_folder() -> str:
    """Return the folder where `evaluate` keeps scripts."""
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "huggingface")
    home = os.path.expanduser(os.environ.get("HF_HOME", cache))
    return os.path.abspath(os.environ.get("HF_MODULES_CACHE", os.path.join(home, "modules")))


def _read_script() -> bytes:
    with open(metric_path(), "rb") as file:
        return file.read()


def _make_packages() -> str:
    """Return the folder for all copies, so that Python can import from it."""
    folder = modules_folder()
    for name in ("", *_PACKAGES):
        folder = os.path.join(folder, name) if name else folder
        os.makedirs(folder, exist_ok=True)
        open(os.path.join(folder, "__init__.py"), "ab").close()
    return folder


def _folder_name(version: str, script: bytes) -> str:
    """Return a name of 64 characters that identifies a script; `evaluate` would choose another."""
    return hashlib.sha256(f"{_WRITER} {version}\n".encode() + script).hexdigest()


def _read_version(folder: str) -> str | None:
    """Return the version that registered this folder, if it was written here and not changed since."""
    try:
        if set(os.listdir(folder)) - {"__pycache__"} != _FILES:
            return None
        with open(os.path.join(folder, _NOTE), encoding="utf-8") as file:
            note = json.load(file)
        with open(os.path.join(folder, _SCRIPT), "rb") as file:
            script = file.read()
        version = note["version"] if note["written by"] == _WRITER else None
    except (OSError, ValueError, LookupError, TypeError):
        return None
    is_same = isinstance(version, str) and _folder_name(version, script) == os.path.basename(folder)
    return version if is_same else None


def _write(folder: str, script: bytes) -> None:
    """Make the folder of a script, which is never there in part."""
    note = {
        "written by": _WRITER,
        "version": __version__,
        "original file path": metric_path(),
        "local file path": os.path.join(folder, _SCRIPT),
    }
    unfinished = _aside(folder)
    os.mkdir(unfinished)
    try:
        for name, data in (("__init__.py", b""), (_SCRIPT, script), (_NOTE, json.dumps(note).encode())):
            with open(os.path.join(unfinished, name), "wb") as file:
                file.write(data)
        os.rename(unfinished, folder)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)
        if _read_version(folder) is None:  # else another process was faster
            raise


def _remove(folder: str) -> None:
    """Remove a folder, which is never there in part."""
    removed = _aside(folder)
    with suppress(FileNotFoundError):  # another process was faster
        os.rename(folder, removed)
        shutil.rmtree(removed)


def _aside(folder: str) -> str:
    """Return a name beside a folder that `evaluate` takes no notice of."""
    return os.path.join(os.path.dirname(folder), f".structiou-{os.getpid()}-{os.urandom(4).hex()}")


def _obstacle(copy: Copy) -> str:
    return f"{copy.folder} has no {_SCRIPT}, which keeps evaluate from loading any; remove that folder"

"""The folder of uploads and downloads: the server's own, bounded, and emptied as time goes by."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import threading
import time
from pathlib import Path

_LOG = logging.getLogger(__name__)
_SECONDS = 3600.0  # that a file is kept
_PAUSE = 60.0  # between two looks
_MOST_BYTES = 2 * 2**30


def make_folder(data: Path) -> Path:
    """Makes the folder for a server with that data folder, and tells Gradio to use it."""
    base = Path(os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir())
    name = hashlib.sha256(str(data.resolve()).encode()).hexdigest()[:16]
    folder = base / f"structiou-{name}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink() or (hasattr(os, "getuid") and folder.stat().st_uid != os.getuid()):
        raise ValueError(f"{folder} belongs to somebody else; set GRADIO_TEMP_DIR to a folder of your own")
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    return folder


class Tidier:
    """Deletes what is old, as Gradio itself forgets uploads that were broken off.

    Args:
        folder: The folder, with nothing but files that may be deleted.
        seconds: How long a file is kept.
        most_bytes: The number of bytes with which the folder is full.
    """

    def __init__(self, folder: Path, *, seconds: float = _SECONDS, most_bytes: int = _MOST_BYTES) -> None:
        self._folder = folder
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._used = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="tidier", daemon=True)

    @property
    def full(self) -> bool:
        """Whether there is no room for uploads until something has been deleted."""
        return self._used >= self._most_bytes

    def note(self, n_bytes: int) -> None:
        """Counts what comes in until it is seen in the folder."""
        with self._lock:
            self._used += n_bytes

    def sweep(self) -> None:
        """Deletes old files and empty folders."""
        limit = time.time() - self._seconds
        used = 0
        for path, folders, files in os.walk(self._folder, topdown=False):
            for name in files:
                file = Path(path, name)
                try:
                    about = file.lstat()
                    if about.st_mtime < limit:
                        file.unlink()
                    else:
                        used += about.st_size
                except FileNotFoundError:  # somebody else was faster
                    continue
            for name in folders:
                folder = Path(path, name)
                try:
                    if folder.lstat().st_mtime < limit:
                        folder.rmdir()
                except OSError:  # not empty, or gone
                    continue
        with self._lock:
            self._used = used

    def start(self) -> None:
        """Deletes from now on, in the background."""
        self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                self.sweep()
            except OSError:
                _LOG.exception("tidying %s", self._folder)
            time.sleep(_PAUSE)

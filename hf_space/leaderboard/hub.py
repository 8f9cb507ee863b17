"""A copy of all submissions in a private dataset of the Hub, for Spaces whose disk is not kept."""

from __future__ import annotations

import hashlib
import logging
import re
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .store import Store
from .transfer import FileLines, export_line, import_lines, record_lines

_LOG = logging.getLogger(__name__)
_FOLDER = "submissions"
_RECORDS = "records.jsonl"  # teams, announcements and the log
_KEY = "addresses.key"  # hashes addresses, so that what is restored counts for the same people
_PAUSE_SECONDS = 30.0  # between two commits; the Hub takes about 128 an hour
_MOST = 50  # files of a commit


class HubCopy:
    """Keeps a dataset like the database: a file for each submission.

    A submission is copied at once if the last commit is long enough ago; `has` returns whether it is there.

    Args:
        store: The database.
        dataset: The name of the dataset, such as `owner/name`; it is made, and private, if it does not exist.
        token: The token of somebody who may write to it.
        api: An object in place of `huggingface_hub.HfApi`.
        pause: The seconds between two commits.
        restored: A function that is called when `restore` has brought something back.

    Attributes:
        problem: Why the last copy failed; empty if it did not.
    """

    def __init__(
        self,
        store: Store,
        dataset: str,
        token: str,
        *,
        api: Any = None,
        pause: float = _PAUSE_SECONDS,
        restored: Callable[[], object] = lambda: None,
    ) -> None:
        if api is None:
            from huggingface_hub import HfApi

            api = HfApi(token=token)
        self._store = store
        self._dataset = dataset
        self._api = api
        self._pause = pause
        self._restored = False
        self._call_restored = restored
        self.problem = ""
        # By name, the digest of a file that was found, or the stamp of a submission that was copied.
        self._copied: dict[str, str] = {}
        self._key_copied = False
        self._records_copied = _digest(b"")
        self._stopped = threading.Event()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hub copy", daemon=True)

    def has(self, id_: str) -> bool:
        """Return whether a submission is in the copy, so that it is not lost with this disk."""
        return id_ in self._copied

    def wake(self) -> None:
        """Copy soon, because something was submitted."""
        self._woken.set()

    def restore(self) -> int:
        """Bring back the submissions of an earlier disk; return how many were new.

        A file that cannot be read stays where it is, and is logged. Submissions that the host deleted
        here for good stay deleted.
        """
        self._api.create_repo(self._dataset, repo_type="dataset", private=True, exist_ok=True)
        if not self._api.repo_info(self._dataset, repo_type="dataset").private:
            raise ValueError(
                f"the dataset {self._dataset} is public, and submissions are not; make it private"
            )
        with tempfile.TemporaryDirectory() as cache:  # everything in it is in the database afterwards
            folder = self._api.snapshot_download(
                self._dataset,
                repo_type="dataset",
                allow_patterns=[f"{_FOLDER}/*.jsonl", _KEY, _RECORDS],
                cache_dir=cache,
            )
            return self._restore_files(Path(folder))

    def _restore_files(self, folder: Path) -> int:
        self._restore_key(folder / _KEY)
        self._restore_records(folder / _RECORDS)
        deleted = self._store.deleted_for_good()
        added = 0
        for path in sorted(folder.glob(f"{_FOLDER}/*.jsonl"), key=_received):
            if path.stem not in deleted:
                try:
                    added += import_lines(self._store, [path.read_text("utf-8")])[0]
                except ValueError as error:
                    _LOG.error("%s of %s cannot be restored: %s", path.name, self._dataset, error)
                    continue
            self._copied[path.stem] = _digest(path.read_bytes())
        self._restored = True
        if added:
            self._call_restored()
        return added

    def _restore_key(self, path: Path) -> None:
        if path.is_file():
            try:
                key = bytes.fromhex(path.read_text("ascii"))
            except ValueError:
                _LOG.error("%s of %s is damaged", _KEY, self._dataset)
            else:
                self._store.set_secret("addresses", key)
                self._key_copied = key == self._store.secret("addresses")

    def _restore_records(self, path: Path) -> None:
        if path.is_file():
            try:
                import_lines(self._store, FileLines(path))
            except ValueError as error:
                _LOG.error("%s of %s cannot be restored: %s", _RECORDS, self._dataset, error)
            else:
                self._records_copied = _digest(path.read_bytes())

    def push(self) -> int:
        """Copy all changes; return how many submissions have changed."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        if not self._restored:
            self.restore()  # or submissions that are only there would be taken for deleted ones
        stamps = self._store.stamps()
        changed = [name for name, stamp in stamps.items() if self._copied.get(name) != stamp]
        gone = [name for name in self._copied if name not in stamps]
        records = "".join(record_lines(self._store)).encode("utf-8")
        operations: list[Any] = []
        if _digest(records) != self._records_copied:
            operations.append(CommitOperationAdd(_RECORDS, records))
        n_pushed = 0
        for begin in range(0, max(len(changed), 1), _MOST):
            lines = self._lines(changed[begin : begin + _MOST])
            fresh = {name: line for name, line in lines.items() if self._copied.get(name) != _digest(line)}
            operations += [CommitOperationAdd(_path(name), line) for name, line in fresh.items()]
            with_key = bool(fresh) and not self._key_copied
            if with_key:
                key = self._store.secret("addresses").hex().encode("ascii")
                operations.append(CommitOperationAdd(_KEY, key))
            self._commit(operations, f"{len(fresh)} changed")
            operations = []
            self._records_copied = _digest(records)
            self._key_copied = self._key_copied or with_key
            self._copied.update((name, stamps[name]) for name in lines)
            n_pushed += len(fresh)
        for begin in range(0, len(gone), _MOST):
            names = gone[begin : begin + _MOST]
            self._commit([CommitOperationDelete(_path(name)) for name in names], f"{len(names)} deleted")
            for name in names:
                del self._copied[name]
            n_pushed += len(names)
        return n_pushed

    def _lines(self, names: list[str]) -> dict[str, bytes]:
        """Return the files of some submissions, without those that were deleted in the meantime."""
        found = ((name, self._store.get(name)) for name in names)
        return {
            name: export_line(self._store, submission).encode("utf-8")
            for name, submission in found
            if submission is not None
        }

    def _commit(self, operations: list[Any], message: str) -> None:
        if operations:
            self._api.create_commit(self._dataset, operations, commit_message=message, repo_type="dataset")

    def start(self) -> None:
        """Copy from now on, in the background."""
        self._thread.start()

    def stop(self) -> None:
        """Copy what is left, and end."""
        self._stopped.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        last = -self._pause
        while True:
            self._woken.wait(self._pause)  # nothing wakes it for other changes, such as of the host
            self._stopped.wait(max(0.0, last + self._pause - time.monotonic()))
            self._woken.clear()
            is_last = self._stopped.is_set()
            try:
                self.push()
                self.problem = ""
            except Exception as error:  # such as of the network; the database has everything
                self.problem = type(error).__name__
                _LOG.exception("copying to %s", self._dataset)
            last = time.monotonic()
            if is_last:
                return


def _received(path: Path) -> tuple[float, str]:
    """Return when a submission was received, for its place among others; damaged ones are first."""
    found = re.search(rb'"received": ([0-9]{1,20}(?:\.[0-9]{1,20})?),', path.read_bytes())
    return (float(found[1]) if found else 0.0), path.name


def _path(name: str) -> str:
    return f"{_FOLDER}/{name}.jsonl"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

"""The threads that score submissions, test differences and read benchmarks that have changed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from .benchmarks import Benchmark
from .catalogue import Catalogue, Change, PhaseSettings
from .fields import FieldError
from .people import SERVER, Actor
from .phases import Clock
from .ranking import make_tests
from .records import Audit
from .sandbox import SandboxError
from .scoring import score_in_sandbox
from .settings import Settings
from .store import Store, Submission

_LOG = logging.getLogger(__name__)

_REST_SECONDS = 5.0  # until the worker tries again after an error, such as of a full disk
_TESTS_AT_ONCE = 10  # pairs; new submissions wait until they are tested

# The submissions that must be compared next, with their benchmark; None if there are none.
FindUntested = Callable[[], "tuple[Benchmark, list[tuple[str, str]]] | None"]


class Scorer:
    """Scores the queued submissions, one at a time; in between, tests which systems differ.

    Args:
        settings: The settings of the host.
        store: The database.
        catalogue: The benchmarks.
        audit: The log.
        clock: The clock of the leaderboard.
        find_untested: A function that returns the submissions that must be compared next.

    Attributes:
        changed: Notified whenever something was submitted, scored or changed.
        problem: The error that keeps submissions from being scored; empty if there is none.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        catalogue: Catalogue,
        audit: Audit,
        clock: Clock,
        find_untested: FindUntested,
    ) -> None:
        self._settings, self._store, self._catalogue = settings, store, catalogue
        self._audit, self._clock, self._find_untested = audit, clock, find_untested
        self.changed = threading.Condition()
        self.problem = ""
        self._stopped = False
        self._threads = [
            threading.Thread(target=self._work, name="scoring", daemon=True),
            threading.Thread(target=self._watch, name="watching", daemon=True),
        ]

    @property
    def is_alive(self) -> bool:
        """Whether the thread that scores runs."""
        return self._threads[0].is_alive()

    def start(self) -> None:
        """Begin with the submissions that an earlier run left, or that a change of a benchmark made old."""
        self.refresh()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End; the submissions that are not scored by then stay queued."""
        with self.changed:
            self._stopped = True
            self.changed.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def notify(self) -> None:
        """Wake everybody who waits for a change."""
        with self.changed:
            self.changed.notify_all()

    def _work(self) -> None:
        while not self._stopped:
            try:
                done = self._score_next() or self._test_next()
                self.problem = ""
            except Exception as error:  # such as of a full disk: what is queued stays queued
                _LOG.exception("scoring")
                self.problem = f"{type(error).__name__}; it is tried again every {_REST_SECONDS:g} seconds"
                done = False
            with self.changed:
                if self._stopped or (not self.problem and (done or self._next() is not None)):
                    continue
                # Phases close without anybody's doing, and then there is something to test.
                self.changed.wait(_REST_SECONDS if self.problem else self._settings.look_seconds)

    def _next(self) -> Submission | None:
        """Return the oldest submission that is queued, to a benchmark that is right now."""
        queued = (item for item in self._store.queued() if item.benchmark not in self._catalogue.broken)
        return next(queued, None)

    def _score_next(self) -> bool:
        """Score the oldest submission, if any, and return whether there was one."""
        submission = self._next()
        if submission is None:
            return False
        begin = time.monotonic()
        names = {"submission": submission.id, "benchmark": submission.benchmark}
        try:
            benchmark = self._catalogue.get(submission.benchmark).in_phase(submission.phase)
            result = score_in_sandbox(self._store.upload(submission.id), benchmark, self._settings)
        except (SandboxError, FieldError) as error:
            self._store.fail(submission.id, str(error))
            _LOG.warning("not scored", extra=names)
        except Exception:
            _LOG.exception("scoring", extra=names)
            self._store.fail(submission.id, "scoring failed; ask the host, whose log says why")
        else:
            self._store.finish(submission.id, result)
            _LOG.info("scored", extra={**names, "seconds": round(time.monotonic() - begin, 3)})
        self.notify()
        return True

    def _test_next(self) -> bool:
        """Compare some pairs of systems, if any must be, and return whether there were some."""
        found = self._find_untested()
        if found is None:
            return False
        benchmark, pairs = found[0], found[1][:_TESTS_AT_ONCE]
        try:
            p_values = make_tests(benchmark, self._store, pairs, self._settings)
        except SandboxError as error:
            _LOG.error("testing differences on %s: %s", benchmark.name, error)
            return False
        self._store.add_tests(p_values)
        self.notify()
        return True

    def _watch(self) -> None:
        """Look from time to time whether benchmarks have changed."""
        while not self._stopped:
            with self.changed:
                self.changed.wait_for(lambda: self._stopped, self._settings.look_seconds)
            try:
                self.look()
            except Exception:  # such as of a folder that is not there for a moment
                _LOG.exception("looking at the benchmarks")

    def look(self, actor: Actor = SERVER) -> list[Change]:
        """Read benchmarks that are new or have changed, and queue results that this made old.

        Returns:
            The changes; they are in the log, too.
        """
        changes = self._catalogue.look()
        for change in changes:
            self._audit.write(self._clock(), actor, f"benchmark {change.kind}", change.name, change.detail)
        if changes:
            self.refresh(actor=actor)
        return changes

    def refresh(self, version: str | None = None, *, actor: Actor = SERVER) -> int:
        """Queue the results of another setting than the present one, or of another version than this.

        Returns:
            The number of such results.
        """
        n_old = 0
        for name, benchmark in self._catalogue.benchmarks.items():
            settings = PhaseSettings(benchmark)
            for item in self._store.scored(name):
                is_old = item.setting != settings.of(item.submission.phase)
                if is_old or version not in (None, item.version):
                    if item.submission.state != "queued":
                        why = "the reference trees or options have changed" if is_old else "another version"
                        self._store.requeue(item.submission.id, self._clock(), actor=actor, detail=why)
                    n_old += 1
        self.notify()
        return n_old

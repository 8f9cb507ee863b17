"""What can be done with the leaderboard. The pages and the API call this and nothing below it."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import threading
import time
from typing import Any

from .access import AccessError, Guesses, HostDoor, hash_secret, new_secret
from .announcements import Announcements
from .apart import ApartError
from .audit import Audit
from .benchmarks import Benchmark
from .boards import Boards
from .catalogue import Catalogue, Change, PhaseSettings
from .clock import Clock, make_clock
from .fields import FieldError, clean_fields
from .host_actions import HostActions
from .phases import Phase, choose_phase
from .quotas import ANONYMOUS, Quota
from .scoring import score_apart
from .settings import Settings
from .store import Store
from .submissions import Submission
from .teams import Teams
from .uploads import check_apart
from .visitors import Visitor, network_of

_LOG = logging.getLogger(__name__)

DATABASE = "leaderboard.sqlite3"

_REST = 5.0  # seconds until the worker tries again after an error of the database


class Accepted(Submission):
    """A submission that was accepted.

    Attributes:
        secret: The secret with which who is not signed in may replace and withdraw it; it is told only once.
    """

    secret = ""


class Leaderboard(HostActions, Boards):
    """Benchmarks, submissions and the thread that scores them."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None) -> None:
        super().__init__()
        self.settings = settings
        self.clock = clock or make_clock(settings.clock)
        self.catalogue = Catalogue(settings.benchmarks)
        self.store = Store(settings.data / DATABASE)
        self.teams = Teams(self.store)
        self.audit = Audit(self.store)
        self.announcements = Announcements(self.store)
        self._changed = threading.Condition()
        self._stopped = False
        self._door = HostDoor(settings.admin_token, self.clock)
        self._guesses = Guesses(self.clock)
        self._worker = threading.Thread(target=self._score_queued, name="scoring", daemon=True)
        self._watcher = threading.Thread(target=self._watch, name="watching", daemon=True)

    @property
    def is_scoring(self) -> bool:
        """Whether the thread that scores is there."""
        return self._worker.is_alive()

    def start(self) -> None:
        """Begins to score: first what an earlier run left, and what a change of a benchmark made old."""
        self.refresh()
        self._worker.start()
        self._watcher.start()

    def stop(self) -> None:
        """Ends scoring; what is not scored by then stays queued."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for thread in (self._worker, self._watcher):
            if thread.is_alive():
                thread.join()

    # ---- submitting ----------------------------------------------------------------------------

    def submit(
        self,
        visitor: Visitor,
        benchmark: str,
        system: str,
        link: str,
        contact: str,
        data: bytes,
        secret: str = "",
        *,
        phase: str = "",
        team: str = "",
        team_key: str = "",
    ) -> Accepted:
        """Accepts predictions; from then on they will be scored, whatever happens to the server.

        Args:
            visitor: Who submits.
            benchmark: The name of a benchmark.
            system: What to call the system on the board.
            link: An address of a page about the system; empty for none.
            contact: How the host can reach the submitter; shown to nobody else.
            data: The file, perhaps packed with gzip; for several files, what `parts.join_parts` made of them.
            secret: The secret of an earlier submission, whose owner then owns this one, too; empty for none.
            phase: The name of a phase; by default the one that is open.
            team: The name of the team that it is for; empty for none.
            team_key: The key of the team; a signed-in member needs none.

        Raises:
            UploadError: The file is not right; no quota is used.
            FieldError: Another field is not right.
            AccessError: The visitor is not signed in, and has to be; or the secret is nobody's.
            QuotaError: There were too many submissions.
        """
        chosen, own = self._open_phase(benchmark, phase)
        system, link, contact = clean_fields(system, link, contact)
        owner = self._owner(visitor, secret)
        fresh = ""
        if owner is None:
            if self.settings.require_login:
                raise AccessError(
                    "only signed-in users may submit to this leaderboard; sign in on its page and submit "
                    "there, or make a secret for programs there"
                )
            owner, fresh = f"{ANONYMOUS}{secrets.token_hex(4)}", new_secret()
        if team or chosen.teams:
            team = self.teams.check(team, team_key, visitor)
        data = check_apart(data, chosen, self.settings)
        submission = Submission(
            id=secrets.token_hex(8),
            benchmark=benchmark,
            system=system,
            link=link,
            contact=contact,
            owner=owner,
            address=self._hashed(visitor.address),
            digest=hashlib.sha256(data).hexdigest(),
            received=self.clock(),
            phase=own.name if own else "",
            team=team,
            late=own is not None and own.state(self.clock()) == "late",
        )
        key = hash_secret(fresh) if fresh else None
        accepted = Accepted(*self.store.add(submission, data, self._quota(chosen, own), key))
        if accepted.id == submission.id:
            accepted.secret = fresh
        self._notify()
        return accepted

    def _open_phase(self, benchmark: str, phase: str) -> tuple[Benchmark, Phase | None]:
        """The benchmark as a new submission meets it, and its phase if it has some."""
        chosen = self.benchmark(benchmark)
        if benchmark in self.catalogue.broken:
            raise FieldError("this benchmark is being changed; try again later")
        if not chosen.phases:
            if phase:
                raise self._unknown()
            return chosen, None
        own = choose_phase(chosen.phases, phase, self.clock())
        return chosen.in_phase(own.name), own

    def _quota(self, benchmark: Benchmark, phase: Phase | None) -> Quota:
        """What bounds a submission; a phase may allow more a day than the host's setting."""
        settings = self.settings
        quota = Quota(
            settings.daily_per_user, settings.daily_per_address, settings.max_queued, benchmark.gold.total
        )
        if phase is None:
            return quota
        if phase.per_day is not None:
            quota = quota._replace(per_owner=max(quota.per_owner, phase.per_day))
        return quota._replace(phase_per_day=phase.per_day, phase_in_total=phase.in_total)

    def make_team(self, name: str, visitor: Visitor) -> tuple[str, str]:
        """Makes a team; returns its name and its key, which is told this once."""
        if self.settings.require_login and visitor.user is None:
            raise AccessError("only signed-in users may make a team on this leaderboard; sign in first")
        name, key = self.teams.create(name, visitor, self._hashed(visitor.address), self.clock())
        self.audit.note(self.clock(), visitor.user or "visitor", "new team", name)
        return name, key

    def make_secret(self, visitor: Visitor) -> str:
        """A new secret for a signed-in user, with which programs submit; an older one is void."""
        if visitor.user is None:
            raise AccessError("sign in first; whoever is not signed in gets a secret with a submission")
        secret = new_secret()
        self.store.add_key(hash_secret(secret), visitor.user, self.clock())
        return secret

    def withdraw_own(self, visitor: Visitor, id_: str, key: Any = "", *, undo: bool = False) -> Submission:
        """Withdraws a submission for who made it, or for a member of its team; or puts it back.

        Args:
            visitor: Who asks.
            id_: The name of the submission.
            key: The secret that came with it, or the team's key; signed-in owners and members need none.
            undo: Whether to put it back.
        """
        submission = self.store.get(id_)
        if submission is None:
            raise FieldError("there is no such submission")
        if submission.team:
            self.teams.check(submission.team, key if isinstance(key, str) else "", visitor)
        elif self._owner(visitor, key) != submission.owner:
            raise AccessError(
                "only who made this submission may withdraw it; sign in, or give the secret that came with it"
            )
        return self.withdraw(id_, visitor.user or submission.by, undo=undo)

    def _owner(self, visitor: Visitor, secret: Any) -> str | None:
        """The owner that a secret, or being signed in, tells; None for a stranger."""
        if not secret:
            return visitor.user
        self._guesses.check(network_of(visitor.address))
        owner = self.store.owner_of(hash_secret(secret)) if isinstance(secret, str) else None
        if owner is None:
            self._guesses.note(network_of(visitor.address))
            raise AccessError("this secret is nobody's here; leave it out to get a new one")
        return owner

    def wait(self, id_: str, seconds: float) -> Submission:
        """The submission when it is scored, or as it is after that time."""
        end = time.monotonic() + seconds
        with self._changed:
            while True:
                submission = self.store.get(id_)
                if submission is None:
                    raise FieldError("there is no such submission")
                left = end - time.monotonic()
                if submission.state != "queued" or left <= 0:
                    return submission
                self._changed.wait(left)

    def _hashed(self, address: str) -> str:
        """An address that cannot be turned back without the database."""
        network = network_of(address).encode("utf-8", "surrogatepass")
        return hmac.new(self.store.secret("addresses"), network, "sha256").hexdigest()[:32]

    # ---- scoring -------------------------------------------------------------------------------

    def _score_queued(self) -> None:
        while not self._stopped:
            try:
                self._score_next()
            except Exception:  # such as of a full disk: what is queued stays queued
                _LOG.exception("scoring")
                with self._changed:
                    if not self._stopped:
                        self._changed.wait(_REST)

    def _score_next(self) -> None:
        with self._changed:
            while not self._stopped and not (queued := self._scorable()):
                self._changed.wait()
            if self._stopped:
                return
        self._score(queued[0])
        self._notify()

    def _scorable(self) -> list[Submission]:
        """The submissions that are queued, but for benchmarks that are not right now: these wait."""
        return [item for item in self.store.queued() if item.benchmark not in self.catalogue.broken]

    def _watch(self) -> None:
        """Looks from time to time whether benchmarks have changed."""
        while not self._stopped:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped, self.settings.look_seconds)
            try:
                self.look()
            except Exception:  # such as of a folder that is away for a moment
                _LOG.exception("looking at the benchmarks")

    def look(self, who: str = "server") -> list[Change]:
        """Reads benchmarks that are new or have changed, and has scored again what that made old.

        Returns:
            What has changed; it is in the log, too.
        """
        changes = self.catalogue.look()
        for change in changes:
            self.audit.note(self.clock(), who, f"benchmark {change.kind}", change.name, change.detail)
        if changes:
            self._forget_boards()
            self.refresh(who=who)
        return changes

    def refresh(self, version: str | None = None, *, who: str = "server") -> int:
        """Has all scored that is queued or old: made in another setting, or by another version than this.

        Returns:
            How many results were old.
        """
        n_old = 0
        for name, benchmark in self.benchmarks.items():
            settings = PhaseSettings(benchmark)
            for submission, result in self.store.results(name):
                is_old = result["setting"] != settings.of(submission.phase)
                if is_old or version not in (None, result["version"]):
                    if submission.state != "queued":
                        why = "the reference trees or options have changed" if is_old else "another version"
                        self.store.requeue(submission.id, self.clock(), who=who, detail=why)
                    n_old += 1
        self._notify()
        return n_old

    def _score(self, submission: Submission) -> None:
        """Scores one submission and records what came of it."""
        begin = time.monotonic()
        told = {"submission": submission.id, "benchmark": submission.benchmark}
        try:
            benchmark = self.benchmark(submission.benchmark).in_phase(submission.phase)
            result = score_apart(self.store.upload(submission.id), benchmark, self.settings)
        except (ApartError, FieldError) as error:
            self.store.fail(submission.id, str(error))
            _LOG.warning("not scored", extra=told)
        except Exception:
            _LOG.exception("scoring", extra=told)
            self.store.fail(submission.id, "scoring failed; the host can tell more")
        else:
            self.store.finish(submission.id, result)
            self._forget_boards(submission.benchmark)
            _LOG.info("scored", extra={**told, "seconds": round(time.monotonic() - begin, 3)})

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

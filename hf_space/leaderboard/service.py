"""What can be done with the leaderboard. The pages and the API call this and nothing below it."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import threading
import time
from collections.abc import Iterable
from operator import add
from typing import Any

from structiou_metric import Alignment, __version__
from structiou_metric.wording import count

from .benchmarks import Benchmark
from .catalogue import Catalogue, Change, PhaseSettings
from .fields import FieldError, clean_fields
from .people import AccessError, Guesses, HostToken, Visitor, hash_secret, network_of, new_secret
from .phases import Clock, Phase, choose_phase, current_phase, find_phase, make_clock
from .quotas import ANONYMOUS, Quota
from .ranking import Entry, Rank, newest, rank_history, rank_old, rank_systems, told_result, worth_of
from .records import OPPOSITES, Announcements, Audit, Teams
from .sandbox import SandboxError
from .scoring import score_in_sandbox, stored_result
from .settings import Settings
from .store import Store, Submission
from .transfer import import_lines
from .uploads import check_in_sandbox

_LOG = logging.getLogger(__name__)

DATABASE = "leaderboard.sqlite3"

_REST = 5.0  # seconds until the worker tries again after an error of the database


# What a host can do to submissions. What is deleted, withdrawn or hidden can be brought back.
ACTIONS = ("hide", "show", "withdraw", "delete", "restore", "re-score", "re-score all", "delete for good")
_MAX_DRAWN = 1_000  # nodes of a pair of trees that is drawn


class Accepted(Submission):
    """A submission that was accepted.

    Attributes:
        secret: The secret with which who is not signed in may replace and withdraw it; it is told only once.
    """

    secret = ""


class Leaderboard:
    """Benchmarks, submissions and the thread that scores them."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None) -> None:
        self.settings = settings
        self.clock = clock or make_clock(settings.clock)
        self.catalogue = Catalogue(settings.benchmarks)
        self.store = Store(settings.data / DATABASE)
        self.teams = Teams(self.store)
        self.audit = Audit(self.store)
        self.announcements = Announcements(self.store)
        # By benchmark, phase and whether late, with what they were made of.
        self._boards: dict[tuple[str, str, bool], tuple[Any, list[Entry]]] = {}
        self._board_lock = threading.Lock()
        self._changed = threading.Condition()
        self._stopped = False
        self._door = HostToken(settings.admin_token, self.clock)
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
        data = check_in_sandbox(data, chosen, self.settings)
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
            result = score_in_sandbox(self.store.upload(submission.id), benchmark, self.settings)
        except (SandboxError, FieldError) as error:
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

    # ---- boards and systems --------------------------------------------------------------------

    @property
    def benchmarks(self) -> dict[str, Benchmark]:
        """The benchmarks that are served, by name."""
        return self.catalogue.benchmarks

    def benchmark(self, name: str) -> Benchmark:
        """The benchmark of that name."""
        if not isinstance(name, str) or name not in self.benchmarks:
            raise self._unknown()
        return self.benchmarks[name]

    def _unknown(self) -> FieldError:
        return FieldError(f"there is no benchmark of that name; choose from {', '.join(self.benchmarks)}")

    def _forget_boards(self, benchmark: str | None = None) -> None:
        """Has the boards of a benchmark, or all, made anew when they are asked for."""
        with self._board_lock:
            for key in [key for key in self._boards if benchmark in (None, key[0])]:
                del self._boards[key]

    def board(self, benchmark: str, phase: str = "", *, late: bool = False) -> list[Entry]:
        """The systems of a benchmark, best first; none as long as their scores are not to be seen.

        Args:
            benchmark: The name of the benchmark.
            phase: The name of a phase; by default the one that has opened last.
            late: Whether to rank the submissions that came after the phase had closed instead of those in it.
        """
        chosen = self.benchmark(benchmark)
        phase = self.phase_name(chosen, phase)
        if self.hidden_until(benchmark, phase):
            return []
        return self.full_board(chosen.in_phase(phase), late=late)

    def board_of(self, submission: Submission) -> list[Entry]:
        """The board that a submission is on, or would be; none as long as scores are not to be seen."""
        chosen = self.benchmark(submission.benchmark).in_phase(submission.phase)
        if self.hidden_until(chosen.name, chosen.phase):
            return []
        return self.full_board(chosen, late=submission.late)

    def full_board(self, chosen: Benchmark, *, late: bool = False) -> list[Entry]:
        """The board of a benchmark in a phase, whoever may see it."""
        with self._board_lock:
            state = self.store.scored(chosen.name)
            key = chosen.name, chosen.phase, late
            if self._boards.get(key, (None,))[0] != state:
                setting = chosen.setting()
                found = newest(self._results(chosen, late))
                ranked = [(item, result) for item, result in found if result["setting"] == setting]
                old = [
                    (item, result)
                    for item, result in found
                    if result["setting"] != setting and worth_of(chosen, result) is not None
                ]
                entries = rank_systems(chosen, ranked)
                self._boards[key] = state, entries + rank_old(chosen, old, len(entries) + 1)
            return self._boards[key][1]

    def _results(self, chosen: Benchmark, late: bool) -> list[tuple[Submission, dict[str, Any]]]:
        """What may be on the board of a benchmark in a phase, in the order in which it came."""
        first = chosen.phases[0].name if chosen.phases else ""
        return [
            (item, result)
            for item, result in self.store.results(chosen.name)
            if item.counts and item.late == late
            if not chosen.phases or (item.phase or first) == chosen.phase
        ]

    def phase_name(self, benchmark: Benchmark, phase: str = "") -> str:
        """The name of a phase, by default of the one that has opened last; empty if there are none."""
        if not benchmark.phases:
            if phase:
                raise self._unknown()
            return ""
        return find_phase(benchmark.phases, phase or current_phase(benchmark.phases, self.clock())).name

    def hidden_until(self, benchmark: str, phase: str = "") -> str:
        """When scores of a phase will be shown, in words; empty if they are shown."""
        chosen = self.benchmark(benchmark)
        if not chosen.phases:
            return ""
        own = find_phase(chosen.phases, phase)
        if own.scores_from is None or own.shows_scores(self.clock()):
            return ""
        return own.tell(own.scores_from)

    def history(self, id_: str) -> list[Rank]:
        """The ranks that the system of a submission had; none as long as scores are not to be seen."""
        submission, result, _ = self.system(id_)
        if result is None or submission.late:
            return []
        chosen = self.benchmark(submission.benchmark).in_phase(submission.phase)
        setting = chosen.setting()
        results = [pair for pair in self._results(chosen, False) if pair[1]["setting"] == setting]
        return rank_history(chosen, results, submission.key)

    def system(self, id_: str) -> tuple[Submission, dict[str, Any] | None, list[Submission]]:
        """A submission that may be seen, its result, and what its owner submitted for it, newest first.

        An old result, made in another setting, is none; nor is one that is not to be seen yet. Of others, it
        is what everybody may know.
        """
        submission = self.store.get(id_)
        if submission is None or not submission.counts or submission.benchmark not in self.benchmarks:
            raise FieldError("there is no such submission")
        others = [
            other
            for other in reversed(self.store.all(submission.benchmark))
            if other.key == submission.key and other.counts
        ]
        result = self.kept(submission)
        if result is not None:
            chosen = self.benchmark(submission.benchmark).in_phase(submission.phase)
            result = told_result(chosen, result)
        return submission, result, others

    def kept(self, submission: Submission) -> dict[str, Any] | None:
        """All that is kept of a result; None for one of another setting, or that is not to be seen yet."""
        if self.hidden_until(submission.benchmark, submission.phase):
            return None
        result = self.store.result(submission.id)
        setting = self.benchmark(submission.benchmark).in_phase(submission.phase).setting()
        return None if result is None or result["setting"] != setting else result

    def worst_sentences(self, id_: str, most: int) -> list[tuple[int, Alignment]]:
        """The row and alignment of the sentences with the lowest scores, where they may be seen.

        Pairs with too many nodes to be drawn are left out.
        """
        submission, _, _ = self.system(id_)
        benchmark = self.benchmark(submission.benchmark).in_phase(submission.phase)
        result = self.kept(submission)
        if not benchmark.show_sentences:
            raise FieldError("the host of this benchmark keeps its sentences private")
        if result is None or benchmark.parts:
            return []
        metric = benchmark.metric
        found = stored_result(metric, result["metrics"][metric.name])
        nodes = map(add, found.columns["n_pred"], found.columns["n_ref"])
        scores = enumerate(zip(found.values(metric.headline), nodes, strict=True))
        drawn = sorted((score, row) for row, (score, n_nodes) in scores if n_nodes <= _MAX_DRAWN)
        predictions = benchmark.read(self.store.upload(id_), "file")
        references = benchmark.read_reference()
        unit = metric.options.unit
        return [
            (row + 1, metric.align(predictions.tree(row, unit), references.tree(row, unit)))
            for _, row in drawn[:most]
        ]

    # ---- the host ------------------------------------------------------------------------------

    def withdraw(self, id_: str, by: str, *, undo: bool = False) -> Submission:
        """Takes a submission off the board for who submitted it, or puts it back; the host can do the same.

        The submission before it of the same system is then the newest, and counts. Whether `by` may do this
        is for the caller to check.

        Args:
            id_: The name of the submission.
            by: Who does it, for the log: an owner, a team, or `host`.
            undo: Whether to put it back.
        """
        submission = self.store.get(id_)
        if submission is None or submission.removed == "deleted":
            raise FieldError("there is no such submission")
        wanted = "" if undo else "withdrawn"
        if submission.removed != wanted:
            self.store.remove(
                id_, wanted, "restore" if undo else "withdraw", self.clock(), who=by, detail=id_
            )
        return submission._replace(removed=wanted)

    def administer(self, token: str, action: str, ids: str, *, address: str = "") -> str:
        """Does one of the host's `ACTIONS` to submissions.

        Args:
            token: The token of the host.
            action: The name of the action; `re-score all` takes no submissions.
            ids: The names of the submissions, with spaces between.
            address: The address that the token comes from.

        Returns:
            What was done.
        """
        self.check_token(token, address)
        if action not in ACTIONS:
            raise FieldError(f"choose from {', '.join(ACTIONS)}")
        if action == "re-score all":
            n_old = self.refresh(__version__, who="host")
            return f"{n_old} submissions will be scored again with version {__version__}"
        chosen, now = self.chosen(ids), self.clock()
        for submission in chosen:  # with one time and detail, by which they are undone together
            self._act(action, submission, now, " ".join(item.id for item in chosen))
        self._notify()
        return f"{action}: {', '.join(submission.system for submission in chosen)}"

    def chosen(self, ids: str) -> list[Submission]:
        """The submissions that the host has chosen, by their names."""
        found = [self.store.get(id_) for id_ in dict.fromkeys((ids or "").replace(",", " ").split())]
        if not found or None in found:
            raise FieldError("there is no such submission" if found else "choose submissions from the table")
        return [item for item in found if item is not None]

    def _act(self, action: str, item: Submission, now: float, detail: str, who: str = "host") -> None:
        if action in ("hide", "show"):
            self.store.hide(item.id, action == "hide", now, who=who, detail=detail)
        elif action == "delete":
            self.store.remove(item.id, "deleted", action, now, who=who, detail=detail)
        elif action == "withdraw":
            self.store.remove(item.id, "withdrawn", action, now, who=who, detail=detail)
        elif action == "restore":
            self.store.remove(item.id, "", action, now, who=who, detail=detail)
        elif action == "delete for good":
            if item.removed != "deleted":
                raise FieldError(f"{item.system}: delete it first; only then it can be deleted for good")
            self.store.delete(item.id, now)
        else:
            self.store.requeue(item.id, now, who=who, detail=detail)

    def undo(self, token: str, *, address: str = "") -> str:
        """Undoes what the host did last to submissions, all that one press of a button did."""
        self.check_token(token, address)
        deeds = self.audit.last_undoable()
        if not deeds:
            raise FieldError("there is nothing to undo")
        for deed in deeds:
            submission = self.store.get(deed.subject)
            if submission is not None:
                self._act(OPPOSITES[deed.action], submission, self.clock(), "undo", who="undo")
        self.audit.note(self.clock(), "host", "undo", "", " ".join(str(deed.number) for deed in deeds))
        return f"undone: {deeds[0].action} of {count(len(deeds), 'submission')}"

    def check_token(self, token: str, address: str = "") -> None:
        """Refuses all but the host; after many wrong tokens, whoever sent them."""
        self._door.check(token, network_of(address))

    def import_lines(self, token: str, lines: Iterable[str], *, address: str = "") -> tuple[int, int]:
        """Takes over exported submissions for the host, as `transfer.import_lines` does."""
        self.check_token(token, address)
        counts = import_lines(self.store, lines)
        self.audit.note(self.clock(), "host", "import", "", f"{counts[0]} new, {counts[1]} known")
        self.refresh(who="host")
        return counts

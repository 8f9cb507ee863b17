"""Everything that can be done with the leaderboard. Pages and programs call this and nothing below it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from operator import add
from typing import TYPE_CHECKING, Any

from structiou_metric import Alignment, __version__
from structiou_metric.wording import count

from .backups import in_use
from .benchmarks import Benchmark
from .catalogue import Catalogue, Change
from .fields import FieldError, clean_fields
from .people import HOST, AccessError, Actor, Guesses, HostToken, Visitor, hash_secret, network_of, new_secret
from .phases import Clock, Phase, choose_phase, current_phase, find_phase, make_clock
from .quotas import Quota
from .ranking import Entry, Rank, newest, public_result, rank_history, rank_systems
from .records import Announcements, Audit, Deed, Teams
from .scorer import Scorer
from .scoring import stored_result
from .settings import Settings
from .store import Scored, Store, Submission
from .transfer import export_lines, import_lines
from .uploads import check_in_sandbox

if TYPE_CHECKING:
    from .hub import HubCopy

DATABASE = "leaderboard.sqlite3"

# The host's actions on submissions. Hiding, withdrawing and deleting can be undone.
ACTIONS = ("hide", "show", "withdraw", "delete", "restore", "re-score", "re-score all", "delete for good")

_CHANGES: dict[str, dict[str, Any]] = {
    "hide": {"hidden": True},
    "show": {"hidden": False},
    "withdraw": {"removed": "withdrawn", "by_host": True},
    "delete": {"removed": "deleted", "by_host": True},
    "restore": {"removed": "", "by_host": False},
}
_MAX_DRAWN = 1_000  # nodes of a pair of trees that is drawn


class Accepted(Submission):
    """A submission that was accepted.

    Attributes:
        secret: The secret with which somebody who is not signed in may replace and withdraw it; it is shown
            only once. Empty for others, and for the submission of a team, whose key does the same.
    """

    secret = ""


class Leaderboard:
    """Benchmarks, submissions and boards.

    Args:
        settings: The settings of the host.
        clock: A function that returns the time, in place of the clock in the settings.

    Attributes:
        copy: The copy on the Hub, if there is one.
    """

    def __init__(self, settings: Settings, *, clock: Clock | None = None) -> None:
        self.settings = settings
        self.clock = clock or make_clock(settings.clock)
        self.catalogue = Catalogue(settings.benchmarks)
        self.store = Store(settings.data / DATABASE)
        self.teams = Teams(self.store)
        self.audit = Audit(self.store)
        self.announcements = Announcements(self.store)
        self.scorer = Scorer(
            settings, self.store, self.catalogue, self.audit, self.clock, self._find_untested
        )
        self.copy: HubCopy | None = None
        self._boards: dict[tuple[str, str, bool, bool], tuple[Any, list[Entry], list[tuple[str, str]]]] = {}
        self._board_lock = threading.Lock()
        self._in_use = ExitStack()
        self._token = HostToken(settings.admin_token, self.clock)
        self._guesses = Guesses(self.clock)

    def start(self) -> None:
        """Begin to score; until `stop`, the database cannot be replaced by a backup."""
        self._in_use.enter_context(in_use(self.store.path))
        self.scorer.start()

    def stop(self) -> None:
        """End scoring; the submissions that are not scored by then stay queued."""
        self.scorer.stop()
        self._in_use.close()

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
        """Accept predictions; they will be scored even if the server is restarted.

        Args:
            visitor: Who submits.
            benchmark: The name of a benchmark.
            system: The name of the system on the board.
            link: An address of a page about the system; empty for none.
            contact: How the host can reach the submitter; shown to nobody else.
            data: The file, perhaps packed with gzip; several files are joined by `uploads.join_parts`.
            secret: The secret of an earlier submission, whose owner then owns this one, too; empty for none.
            phase: The name of a phase; by default the one that is open.
            team: The name of the team that it is for; empty for none.
            team_key: The key of the team; a signed-in member needs none.

        Raises:
            UploadError: The file cannot be used; no quota is used.
            FieldError: Another field cannot be used.
            AccessError: The visitor is not signed in, and has to be; or the secret is unknown.
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
            owner = Actor("visitor", f"anonymous {secrets.token_hex(4)}")
            fresh = "" if team or chosen.teams else new_secret()  # a team's submissions need its key instead
        if team or chosen.teams:
            team = self.teams.check(team, team_key, visitor)
        data = check_in_sandbox(data, chosen, self.settings)
        submission = Submission(
            id=secrets.token_hex(8),
            benchmark=benchmark,
            system=system,
            link=link,
            contact=contact,
            owner=owner.name,
            owner_kind=owner.kind,
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
        if self.copy is not None:
            self.copy.wake()
        self.scorer.notify()
        return accepted

    def _open_phase(self, benchmark: str, phase: str) -> tuple[Benchmark, Phase | None]:
        """Return the benchmark for a new submission, and its phase if it has some."""
        chosen = self.benchmark(benchmark)
        if benchmark in self.catalogue.broken:
            raise FieldError("this benchmark is being changed; try again later")
        if not chosen.phases:
            if phase:
                raise self.catalogue.unknown()
            return chosen, None
        own = choose_phase(chosen.phases, phase, self.clock())
        return chosen.in_phase(own.name), own

    def _quota(self, benchmark: Benchmark, phase: Phase | None) -> Quota:
        """Return the bounds of a submission; a phase may allow more a day than the host's settings."""
        settings = self.settings
        per_owner, per_address = settings.daily_per_user, settings.daily_per_address
        if phase is not None and phase.per_day is not None:
            per_owner, per_address = max(per_owner, phase.per_day), max(per_address, phase.per_day)
        return Quota(
            per_owner,
            per_address,
            settings.max_queued,
            benchmark.gold.total,
            phase.per_day if phase else None,
            phase.in_total if phase else None,
        )

    def make_team(self, name: str, visitor: Visitor) -> tuple[str, str]:
        """Make a team; return its name and its key, which cannot be shown again."""
        if self.settings.require_login and visitor.user is None:
            raise AccessError("only signed-in users may make a team on this leaderboard; sign in first")
        return self.teams.create(name, visitor, self._hashed(visitor.address), self.clock())

    def make_secret(self, visitor: Visitor) -> str:
        """Return a new secret for a signed-in user, with which programs submit; an older one is void."""
        if visitor.user is None:
            raise AccessError("sign in first; people who are not signed in get a secret with a submission")
        secret = new_secret()
        self.store.add_key(hash_secret(secret), visitor.user, self.clock())
        return secret

    def withdraw_own(self, visitor: Visitor, id_: str, key: Any = "", *, undo: bool = False) -> Submission:
        """Withdraw a submission for its owner or a member of its team, or put it back.

        The submission before it of the same system is then the newest, and counts.

        Args:
            visitor: Who asks.
            id_: The name of the submission.
            key: The secret that came with it, or the team's key; signed-in owners and members need none.
            undo: Whether to put it back.

        Raises:
            AccessError: It is somebody else's, or the host has removed it.
            QuotaError: It was withdrawn and put back too often.
        """
        submission = self._get(id_)
        if submission.team:
            self.teams.check(submission.team, key if isinstance(key, str) else "", visitor)
        elif self._owner(visitor, key) != submission.actor:
            raise AccessError(
                "only who made this submission may withdraw it; sign in, or give the secret that came with it"
            )
        if submission.removed == "deleted":
            raise FieldError("there is no such submission")
        if submission.by_host:
            raise AccessError("the host has withdrawn this submission; only the host can put it back")
        wanted = "" if undo else "withdrawn"
        if submission.removed != wanted:
            action = "restore" if undo else "withdraw"
            self.store.change(id_, action, self.clock(), {"removed": wanted}, actor=submission.actor)
        return submission._replace(removed=wanted)

    def _get(self, id_: Any) -> Submission:
        submission = self.store.get(id_) if isinstance(id_, str) else None
        if submission is None:
            raise FieldError("there is no such submission")
        return submission

    def _owner(self, visitor: Visitor, secret: Any) -> Actor | None:
        """Return the owner whom a secret or being signed in identifies; None for a stranger."""
        if not secret:
            return Actor("user", visitor.user) if visitor.user else None
        self._guesses.check(network_of(visitor.address))
        owner = self.store.owner_of(hash_secret(secret)) if isinstance(secret, str) else None
        if owner is None:
            self._guesses.add(network_of(visitor.address))
            raise AccessError("this secret is unknown here; leave it out to get a new one")
        return owner

    def wait(self, id_: str, seconds: float) -> Submission:
        """Return the submission when it is scored, or as it is after that time."""
        end = time.monotonic() + seconds
        with self.scorer.changed:
            while True:
                submission = self._get(id_)
                left = end - time.monotonic()
                if submission.state != "queued" or left <= 0:
                    return submission
                self.scorer.changed.wait(left)

    def durability(self, id_: str) -> str:
        """Return a warning that a submission may still be lost with this disk; empty if it may not.

        A server whose disk is not kept copies submissions to the Hub, which takes commits only so often.
        """
        if self.copy is None or self.copy.has(id_):
            return ""
        return (
            "It is on the disk of this server and not yet in the copy on the Hub: if the server is restarted "
            "before that, submit it again. Ask for this submission in a minute to see whether it is there."
        )

    def _hashed(self, address: str) -> str:
        """Return an address in a form that cannot be turned back without the database."""
        network = network_of(address).encode("utf-8", "surrogatepass")
        return hmac.new(self.store.secret("addresses"), network, "sha256").hexdigest()[:32]

    # ---- boards and systems --------------------------------------------------------------------

    @property
    def benchmarks(self) -> dict[str, Benchmark]:
        """The benchmarks that are served, by name."""
        return self.catalogue.benchmarks

    def benchmark(self, name: str) -> Benchmark:
        """Return the benchmark of that name."""
        return self.catalogue.get(name)

    def phase_name(self, benchmark: Benchmark, phase: str = "") -> str:
        """Return the name of a phase, by default of the one that opened last; empty if there are none."""
        if not benchmark.phases:
            if phase:
                raise self.catalogue.unknown()
            return ""
        return find_phase(benchmark.phases, phase or current_phase(benchmark.phases, self.clock())).name

    def hidden_until(self, benchmark: str, phase: str = "") -> str:
        """Return when scores of a phase will be shown, in words; empty if they are shown."""
        chosen = self.benchmark(benchmark)
        if not chosen.phases:
            return ""
        own = find_phase(chosen.phases, phase)
        if own.scores_from is None or own.shows_scores(self.clock()):
            return ""
        return own.show(own.scores_from)

    def is_exact(self, chosen: Benchmark, *, late: bool = False) -> bool:
        """Return whether the figures of a benchmark in a phase are exact for everybody.

        They are where the reference trees are public, and after the phase has closed for submissions in time.
        """
        return chosen.gold.public or (not late and chosen.is_final(self.clock()))

    def board(self, benchmark: str, phase: str = "", *, late: bool = False) -> list[Entry]:
        """Return the systems of a benchmark, best first; none as long as their scores are hidden.

        Args:
            benchmark: The name of the benchmark.
            phase: The name of a phase; by default the one that opened last.
            late: Whether to rank the submissions that came after the phase had closed instead of those in it.
        """
        chosen = self.benchmark(benchmark)
        phase = self.phase_name(chosen, phase)
        if self.hidden_until(benchmark, phase):
            return []
        return self.full_board(chosen.in_phase(phase), late=late)

    def board_of(self, submission: Submission) -> list[Entry]:
        """Return the board that a submission is on, or would be; none as long as scores are hidden."""
        chosen = self._phase_of(submission)
        if self.hidden_until(chosen.name, chosen.phase):
            return []
        return self.full_board(chosen, late=submission.late)

    def full_board(self, chosen: Benchmark, *, late: bool = False, exact: bool | None = None) -> list[Entry]:
        """Return the board of a benchmark in a phase, even if its scores are hidden.

        Args:
            chosen: The benchmark in a phase.
            late: Whether to rank late submissions.
            exact: Whether figures are exact, which only the host may see; by default as everybody sees them.
        """
        return self._ranked(chosen, late, self.is_exact(chosen, late=late) if exact is None else exact)[0]

    def _ranked(
        self, chosen: Benchmark, late: bool, exact: bool
    ) -> tuple[list[Entry], list[tuple[str, str]]]:
        """Return a board with the pairs that must be tested; it is kept until something in it changes."""
        key = chosen.name, chosen.phase, late, exact
        state = self.store.board_state(chosen.name), chosen, chosen.setting()
        found = self._boards.get(key)
        if found is None or found[0] != state:
            with self._board_lock:
                found = self._boards.get(key)
                if found is None or found[0] != state:
                    results = newest(self._results(chosen, late, summaries=True))
                    tests = self.store.tests(chosen.name) if exact else {}
                    found = state, *rank_systems(chosen, results, tests, exact=exact)
                    self._boards[key] = found
        return found[1], found[2]

    def _find_untested(self) -> tuple[Benchmark, list[tuple[str, str]]] | None:
        """Return a benchmark with submissions that must be tested before their groups are known."""
        for benchmark in self.benchmarks.values():
            for phase in benchmark.phases or ("",):
                chosen = benchmark.in_phase(phase.name) if isinstance(phase, Phase) else benchmark
                for late in (False, True) if benchmark.phases else (False,):
                    if self.is_exact(chosen, late=late) and (pairs := self._ranked(chosen, late, True)[1]):
                        return chosen, pairs
        return None

    def _results(self, chosen: Benchmark, late: bool, *, summaries: bool = False) -> list[Scored]:
        """Return the submissions that may be on a board, in the order of arrival."""
        first = chosen.phases[0].name if chosen.phases else ""
        return [
            item
            for item in self.store.scored(chosen.name, summaries=summaries)
            if item.submission.counts and item.submission.late == late
            if not chosen.phases or (item.submission.phase or first) == chosen.phase
        ]

    def _phase_of(self, submission: Submission) -> Benchmark:
        """Return the benchmark of a submission, in its phase."""
        return self.benchmark(submission.benchmark).in_phase(submission.phase)

    def history(self, id_: str) -> list[Rank]:
        """Return the ranks that the system of a submission had; none as long as scores are hidden."""
        submission = self.visible(id_)
        if submission.late or self.hidden_until(submission.benchmark, submission.phase):
            return []
        chosen = self._phase_of(submission)
        setting = chosen.setting()
        results = [item for item in self._results(chosen, False) if item.setting == setting]
        return rank_history(chosen, results, submission.key, exact=self.is_exact(chosen))

    def visible(self, id_: str) -> Submission:
        """Return a submission that everybody may see."""
        submission = self._get(id_)
        if not submission.counts or submission.benchmark not in self.benchmarks:
            raise FieldError("there is no such submission")
        return submission

    def system(self, id_: str) -> tuple[Submission, dict[str, Any] | None, list[Submission]]:
        """Return a submission that may be seen, its result, and those of its system, newest first.

        The result is the part that everybody may see, as `ranking.public_result` returns it. It is None if
        there is none, if it was made in another setting, or as long as scores are hidden.
        """
        submission = self.visible(id_)
        others = [other for other in reversed(self.store.of_system(submission)) if other.counts]
        chosen = self._phase_of(submission)
        summary = self.store.summary(id_)
        if (
            summary is None
            or summary["setting"] != chosen.setting()
            or self.hidden_until(chosen.name, submission.phase)
        ):
            return submission, None, others
        exact = self.is_exact(chosen, late=submission.late)
        return submission, public_result(chosen, summary, exact=exact), others

    def kept(self, submission: Submission) -> dict[str, Any] | None:
        """Return a whole result with the numbers of sentences; None as in `system`. Not for everybody."""
        if self.hidden_until(submission.benchmark, submission.phase):
            return None
        result = self.store.result(submission.id)
        setting = self._phase_of(submission).setting()
        return None if result is None or result["setting"] != setting else result

    def worst_sentences(self, id_: str, most: int) -> list[tuple[int, Alignment]]:
        """Return the row and alignment of the sentences with the lowest scores, where they may be seen.

        Pairs with too many nodes to be drawn are skipped.
        """
        submission = self.visible(id_)
        benchmark = self._phase_of(submission)
        if not benchmark.show_sentences:
            raise FieldError("the host of this benchmark keeps its sentences private")
        result = self.kept(submission)
        if result is None or benchmark.parts:
            return []
        metric = benchmark.metric
        found = stored_result(metric, result["rows"][metric.name])
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

    def check_token(self, token: Any, address: str = "") -> None:
        """Refuse everybody who is not the host; after many wrong tokens, everything from that address."""
        self._token.check(token, network_of(address))

    def all_submissions(self, token: str, *, address: str = "") -> list[tuple[Submission, float | None]]:
        """Return all submissions, newest first, each with the exact figure that ranks it."""
        self.check_token(token, address)
        figures = {
            item.submission.id: item.figure for name in self.benchmarks for item in self.store.scored(name)
        }
        return [(item, figures.get(item.id)) for item in reversed(self.store.all())]

    def exact_board(
        self, token: str, benchmark: str, phase: str = "", *, late: bool = False, address: str = ""
    ) -> list[Entry]:
        """Return the board with exact figures, even if scores are hidden.

        Everybody sees the same from the closing of the phase on, or from the time in `scores_from` if that is
        later: the host can check the ranks before.
        """
        self.check_token(token, address)
        chosen = self.benchmark(benchmark)
        return self.full_board(chosen.in_phase(self.phase_name(chosen, phase)), late=late, exact=True)

    def administer(self, token: str, action: str, ids: str, *, address: str = "") -> str:
        """Do one of the host's `ACTIONS` to submissions.

        Args:
            token: The token of the host.
            action: The name of the action; `re-score all` needs no submissions.
            ids: The names of the submissions, separated by spaces.
            address: The address that the token comes from.

        Returns:
            A message that says what was done.
        """
        self.check_token(token, address)
        if action not in ACTIONS:
            raise FieldError(f"choose from {', '.join(ACTIONS)}")
        if action == "re-score all":
            n_old = self.scorer.refresh(__version__, actor=HOST)
            return f"{n_old} submissions will be scored again with version {__version__}"
        chosen, now = self.chosen(ids), self.clock()
        for item in chosen:
            if action == "delete for good" and item.removed != "deleted":
                raise FieldError(f"{item.system}: delete it first; only then it can be deleted for good")
        # They are undone together, because they have the same time and detail.
        detail = " ".join(item.id for item in chosen)
        for item in chosen:
            if action == "delete for good":
                self.store.delete(item.id, now)
            elif action == "re-score":
                self.store.requeue(item.id, now, detail=detail)
            else:
                self.store.change(item.id, action, now, _CHANGES[action], detail=detail)
        self.scorer.notify()
        return f"{action}: {', '.join(submission.system for submission in chosen)}"

    def chosen(self, ids: str) -> list[Submission]:
        """Return the submissions that the host has chosen, by their names."""
        names = list(dict.fromkeys((ids or "").replace(",", " ").split()))
        if not names:
            raise FieldError("choose submissions from the table")
        return [self._get(id_) for id_ in names]

    def undo(self, token: str, number: int | None = None, *, address: str = "") -> str:
        """Undo a line of the log, or the last action of the host with all submissions that it changed.

        Args:
            token: The token of the host.
            number: The number of the line; None for the last action.
            address: The address that the token comes from.
        """
        self.check_token(token, address)
        deeds = self.audit.last_undoable() if number is None else [self.audit.get(number)]
        if not deeds:
            raise FieldError("there is nothing to undo")
        for deed in deeds:
            if not deed.undoable:
                raise FieldError(f"line {deed.number}, {deed.action} by {deed.who}, cannot be undone (again)")
            self._check_undoable(deed)
        for deed in deeds:
            detail = f"line {deed.number}, {deed.action}"
            self.store.change(deed.subject, "undo", self.clock(), deed.before, detail=detail, undone=True)
        self.audit.mark_undone([deed.number for deed in deeds])
        return f"undone: {deeds[0].action} of {count(len(deeds), 'submission')}"

    def _check_undoable(self, deed: Deed) -> None:
        """Refuse to undo an action on a submission that is gone or was changed since."""
        item = self._get(deed.subject)
        wanted = _CHANGES[deed.action]
        if any(getattr(item, name) != value for name, value in wanted.items()):
            raise FieldError(
                f"line {deed.number}: {item.system} was changed since; choose it in the table and an action"
            )

    def announce(self, token: str, benchmark: str, text: str, *, address: str = "") -> str:
        """Announce a text to visitors of a benchmark, or of all with an empty name; return its name."""
        self.check_token(token, address)
        if benchmark:
            self.benchmark(benchmark)
        added = self.announcements.add(benchmark, text, self.clock())
        self.audit.write(self.clock(), HOST, "announce", benchmark, added.text[:80])
        return added.id

    def take_back(self, token: str, id_: str, *, address: str = "") -> None:
        """Remove an announcement."""
        self.check_token(token, address)
        self.announcements.remove(id_)
        self.audit.write(self.clock(), HOST, "take back", id_)

    def new_team_key(self, token: str, team: str, *, address: str = "") -> str:
        """Return a new key for a team, which cannot be shown again; the old one is void."""
        self.check_token(token, address)
        key = self.teams.new_key(team)
        self.audit.write(self.clock(), HOST, "new team key", team)
        return key

    def vouch(self, token: str, team: str, *, vouched: bool = True, address: str = "") -> None:
        """Have the submissions of a team count for the team alone, and not for a network that many share."""
        self.check_token(token, address)
        self.teams.vouch(team, vouched=vouched)
        self.audit.write(self.clock(), HOST, "vouch" if vouched else "no longer vouch", team)

    def log(self, token: str, *, before: int | None = None, most: int = 200, address: str = "") -> list[Deed]:
        """Return a page of the log, the newest line first; `before` is the last number of the page before."""
        self.check_token(token, address)
        return self.audit.deeds(most, before=before)

    def export(self, token: str, *, address: str = "") -> Iterator[str]:
        """Return the lines of an export, with everything that is private."""
        self.check_token(token, address)
        self.audit.write(self.clock(), HOST, "export")
        return export_lines(self.store)

    def look(self, token: str, *, address: str = "") -> list[Change]:
        """Read benchmarks that are new or have changed at once; the server does so from time to time."""
        self.check_token(token, address)
        return self.scorer.look(HOST)

    def import_lines(self, token: str, lines: Iterable[str], *, address: str = "") -> tuple[int, int]:
        """Import exported submissions for the host; return how many were new, and how many known."""
        self.check_token(token, address)
        counts = import_lines(self.store, lines)
        self.audit.write(self.clock(), HOST, "import", "", f"{counts[0]} new, {counts[1]} known")
        self.scorer.refresh(actor=HOST)
        return counts

"""What can be done with the leaderboard. The pages and the API call this and nothing below it."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from operator import add
from typing import Any

from structiou_metric import Alignment, __version__

from .access import AccessError, Guesses, HostDoor, hash_secret, new_secret
from .apart import ApartError
from .benchmarks import Benchmark, load_benchmarks
from .fields import FieldError, clean_fields
from .ranking import Entry, newest, rank_systems, told_result
from .scoring import score_apart, stored_result
from .settings import Settings
from .store import ANONYMOUS, Quota, Store, Submission
from .transfer import import_lines
from .uploads import check_apart
from .visitors import Visitor, network_of

_LOG = logging.getLogger(__name__)

DATABASE = "leaderboard.sqlite3"

_MAX_DRAWN = 1_000  # nodes of a pair of trees that is drawn
_REST = 5.0  # seconds until the worker tries again after an error of the database


class Accepted(Submission):
    """A submission that was accepted.

    Attributes:
        secret: What it may be replaced and withdrawn with by who is not signed in; told only once.
    """

    secret = ""


class Leaderboard:
    """Benchmarks, submissions and the thread that scores them."""

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self.benchmarks = load_benchmarks(settings.benchmarks)
        self.store = Store(settings.data / DATABASE)
        self._clock = clock
        self._changed = threading.Condition()
        self._stopped = False
        self._door = HostDoor(settings.admin_token, clock)
        self._guesses = Guesses(clock)
        self._boards: dict[str, tuple[Any, list[Entry]]] = {}  # by benchmark, with what they were made of
        self._board_lock = threading.Lock()
        self._worker = threading.Thread(target=self._score_queued, name="scoring", daemon=True)

    def start(self) -> None:
        """Begins to score: first what an earlier run left, and what a change of a benchmark made old."""
        self.refresh()
        self._worker.start()

    def stop(self) -> None:
        """Ends scoring; what is not scored by then stays queued."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._worker.is_alive():
            self._worker.join()

    def benchmark(self, name: str) -> Benchmark:
        """The benchmark of that name."""
        if not isinstance(name, str) or name not in self.benchmarks:
            raise FieldError(f"there is no benchmark of that name; choose from {', '.join(self.benchmarks)}")
        return self.benchmarks[name]

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
    ) -> Accepted:
        """Accepts predictions; from then on they will be scored, whatever happens to the server.

        Args:
            visitor: Who submits.
            benchmark: The name of a benchmark.
            system: What to call the system on the board.
            link: An address of a page about it, or nothing.
            contact: How the host can reach the submitter; shown to nobody else.
            data: The file, perhaps packed with gzip.
            secret: That of an earlier submission, whose owner then owns this one, too; or nothing.

        Raises:
            UploadError: The file is not right; no quota is used.
            FieldError: Another field is not right.
            AccessError: The visitor is not signed in, and has to be; or the secret is nobody's.
            QuotaError: There were too many submissions.
        """
        chosen = self.benchmark(benchmark)
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
            received=self._clock(),
        )
        quota = Quota(
            self.settings.daily_per_user,
            self.settings.daily_per_address,
            self.settings.max_queued,
            chosen.gold.total,
        )
        key = hash_secret(fresh) if fresh else None
        accepted = Accepted(*self.store.add(submission, data, quota, key))
        if accepted.id == submission.id:
            accepted.secret = fresh
        self._notify()
        return accepted

    def make_secret(self, visitor: Visitor) -> str:
        """A new secret for a signed-in user, with which programs submit; an older one is void."""
        if visitor.user is None:
            raise AccessError("sign in first; whoever is not signed in gets a secret with a submission")
        secret = new_secret()
        self.store.add_key(hash_secret(secret), visitor.user, self._clock())
        return secret

    def withdraw(self, visitor: Visitor, id_: str, secret: str = "") -> str:
        """Takes a system of the visitor's off the board, with all that was submitted for it.

        Returns:
            What was done.
        """
        submission, _, _ = self.system(id_)
        if self._owner(visitor, secret) != submission.owner:
            raise AccessError("only who made a submission may withdraw it; give the secret that came with it")
        self.store.withdraw(submission, self._clock())
        return f"withdrawn: {submission.system}"

    def _owner(self, visitor: Visitor, secret: Any) -> str | None:
        """Who it is by a secret, or by being signed in; None for a stranger."""
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
            while not self._stopped and not (queued := self.store.queued()):
                self._changed.wait()
            if self._stopped:
                return
        self._score(queued[0])
        self._notify()

    def refresh(self, version: str | None = None) -> int:
        """Has all scored that is queued or old: made in another setting, or by another version than this.

        Returns:
            How many were old.
        """
        n_old = 0
        for name, benchmark in self.benchmarks.items():
            setting = benchmark.setting()
            for submission, result in self.store.results(name):
                if result["setting"] != setting or version not in (None, result["version"]):
                    self.store.requeue(submission.id, self._clock())
                    n_old += 1
        self._notify()
        return n_old

    def _score(self, submission: Submission) -> None:
        """Scores one submission and records what came of it."""
        try:
            benchmark = self.benchmark(submission.benchmark)
            result = score_apart(self.store.upload(submission.id), benchmark, self.settings)
        except (ApartError, FieldError) as error:
            self.store.fail(submission.id, str(error))
        except Exception:
            _LOG.exception("submission %s", submission.id)
            self.store.fail(submission.id, "scoring failed; the host can tell more")
        else:
            self.store.finish(submission.id, result)
            with self._board_lock:
                self._boards.pop(submission.benchmark, None)

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    # ---- looking -------------------------------------------------------------------------------

    def board(self, benchmark: str) -> list[Entry]:
        """The systems of a benchmark, best first."""
        chosen = self.benchmark(benchmark)
        with self._board_lock:
            key = self.store.scored(benchmark)
            if self._boards.get(benchmark, (None,))[0] != key:
                setting = chosen.setting()
                found = newest(self.store.results(benchmark))
                ranked = [(item, result) for item, result in found if result["setting"] == setting]
                self._boards[benchmark] = key, rank_systems(chosen, ranked)
            return self._boards[benchmark][1]

    def system(self, id_: str) -> tuple[Submission, dict[str, Any] | None, list[Submission]]:
        """A submission that may be seen, its result, and what its owner submitted for it, newest first.

        An old result, made in another setting, is none; of others, what everybody may know.
        """
        submission = self.store.get(id_)
        if submission is None or submission.hidden or submission.benchmark not in self.benchmarks:
            raise FieldError("there is no such submission")
        others = [
            other
            for other in reversed(self.store.all(submission.benchmark))
            if (other.owner, other.system) == (submission.owner, submission.system) and not other.hidden
        ]
        result = self._valid_result(submission)
        if result is not None:
            result = told_result(self.benchmarks[submission.benchmark], result)
        return submission, result, others

    def _valid_result(self, submission: Submission) -> dict[str, Any] | None:
        """All that is kept of a result; nothing of one that was made in another setting."""
        result = self.store.result(submission.id)
        if result is not None and result["setting"] != self.benchmarks[submission.benchmark].setting():
            return None
        return result

    def worst_sentences(self, id_: str, most: int) -> list[tuple[int, Alignment]]:
        """Row and alignment of the sentences with the lowest scores, where the host lets them be seen.

        Pairs with too many nodes to be drawn are left out.
        """
        submission, _, _ = self.system(id_)
        benchmark = self.benchmark(submission.benchmark)
        result = self._valid_result(submission)
        if not benchmark.show_sentences:
            raise FieldError("the host of this benchmark keeps its sentences private")
        if result is None:
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

    def administer(self, token: str, action: str, id_: str, *, address: str = "") -> str:
        """Hides, shows, deletes or re-scores a submission, or re-scores all old results.

        Args:
            token: The host's.
            action: `hide`, `show`, `delete`, `re-score`, or `re-score all`, which takes no name.
            id_: The name of the submission.
            address: From where the token comes.

        Returns:
            What was done.
        """
        self.check_token(token, address)
        now = self._clock()
        if action == "re-score all":
            n_old = self.refresh(__version__)
            return f"{n_old} submissions will be scored again with version {__version__}"
        submission = self.store.get(id_)
        if submission is None:
            raise FieldError("there is no such submission")
        if action in ("hide", "show"):
            self.store.hide(id_, action == "hide", now)
        elif action == "delete":
            self.store.delete(id_, now)
        elif action == "re-score":
            self.store.requeue(id_, now)
            self._notify()
        else:
            raise FieldError("choose from hide, show, delete, re-score, re-score all")
        return f"{action}: {submission.system}"

    def check_token(self, token: str, address: str = "") -> None:
        """Refuses all but the host; after many wrong tokens, whoever sent them."""
        self._door.check(token, network_of(address))

    def import_lines(self, token: str, lines: Iterable[str], *, address: str = "") -> tuple[int, int]:
        """Takes over exported submissions for the host, as `transfer.import_lines` does."""
        self.check_token(token, address)
        counts = import_lines(self.store, lines)
        self.refresh()
        return counts

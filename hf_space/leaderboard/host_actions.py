"""What the host can do with submissions, and who submitted them: a part of the leaderboard."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from structiou_metric import __version__
from structiou_metric.wording import count

from .access import HostDoor
from .audit import OPPOSITES, Audit
from .clock import Clock
from .fields import FieldError
from .store import Store
from .submissions import Submission
from .transfer import import_lines
from .visitors import network_of

# What a host can do to submissions. What is deleted, withdrawn or hidden can be brought back.
ACTIONS = ("hide", "show", "withdraw", "delete", "restore", "re-score", "re-score all", "delete for good")


class HostActions(ABC):
    """The actions; each is in the log with who did it."""

    store: Store
    audit: Audit
    clock: Clock
    _door: HostDoor

    @abstractmethod
    def refresh(self, version: str | None = None, *, who: str = "server") -> int:
        """Has scored again what is old; tells how many that were."""

    @abstractmethod
    def _notify(self) -> None:
        """Tells those who wait that something has changed."""

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

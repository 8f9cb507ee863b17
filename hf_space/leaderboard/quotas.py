"""How many submissions may come, and the check of it within the transaction that adds one."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .store import Submission

# Whoever is not signed in is known by the address alone, whatever name a submission got.
ANONYMOUS = "anonymous "  # no name on the Hub has a space
SUBMITTER = f"(owner = :owner OR (:anonymous AND address = :address AND owner LIKE '{ANONYMOUS}%'))"

_DAY = 24 * 60 * 60.0


class QuotaError(ValueError):
    """Somebody has made too many submissions."""


class Quota(NamedTuple):
    """How many submissions may come.

    Attributes:
        per_owner: How many submissions a submitter, or a team, may make in 24 hours.
        per_address: How many submissions may come from a network address in 24 hours.
        queued: How many submissions may wait at a time.
        total: How many submissions a submitter, or a team, may ever make to the benchmark; None for any
            number.
        phase_per_day: How many submissions they may make to a phase in 24 hours; late ones are counted apart.
        phase_in_total: How many submissions they may ever make to a phase.
    """

    per_owner: int
    per_address: int
    queued: int = 1_000
    total: int | None = None
    phase_per_day: int | None = None
    phase_in_total: int | None = None


def check_quota(db: sqlite3.Connection, submission: Submission, quota: Quota) -> None:
    """Refuses a submission that is one too many, by a `QuotaError`."""
    (waiting,) = db.execute("SELECT count(*) FROM submissions WHERE state = 'queued'").fetchone()
    if waiting >= quota.queued:
        raise QuotaError(f"{waiting} submissions are waiting to be scored; come back in some minutes")
    values = statement_values(submission)
    submitter, who = _submitter(submission)
    if quota.total is not None:
        (made,) = db.execute(
            f"SELECT count(*) FROM submissions WHERE benchmark = :benchmark AND {submitter}", values
        ).fetchone()
        if made >= quota.total:
            raise QuotaError(
                f"{quota.total} submissions to this benchmark are the most for a submitter in all"
            )
    for place, most, name in (
        (submitter, quota.per_owner, who),
        ("address = :address", quota.per_address, "network address"),
    ):
        rows = db.execute(
            f"SELECT received FROM submissions WHERE received > :since AND {place} ORDER BY 1 DESC", values
        )
        _check_day([time for (time,) in rows], most, submission.received, name)
    _check_phase_quota(db, submission, quota)


def _submitter(submission: Submission) -> tuple[str, str]:
    """A condition on submissions that tells whose quota a submission uses, and what that is."""
    return ("team = :team", "team") if submission.team else (SUBMITTER, "user")


def _check_phase_quota(db: sqlite3.Connection, submission: Submission, quota: Quota) -> None:
    """Refuses more than a phase allows; withdrawn and deleted submissions count, too."""
    submitter, who = _submitter(submission)
    rows = db.execute(
        "SELECT received FROM submissions WHERE benchmark = :benchmark AND phase = :phase AND late = :late "
        f"AND team = :team AND {submitter} ORDER BY 1 DESC",
        statement_values(submission),
    )
    times = [time for (time,) in rows]
    place = f" to {submission.phase}" if submission.phase else ""
    if quota.phase_in_total is not None and len(times) >= quota.phase_in_total:
        raise QuotaError(
            f"{quota.phase_in_total} submissions{place} are the most for a {who}, and all are made"
        )
    if quota.phase_per_day is not None:
        _check_day(times, quota.phase_per_day, submission.received, who, place)


def _check_day(times: list[float], most: int, now: float, who: str, place: str = "") -> None:
    """Refuses one more within 24 hours than are allowed; the newest time stands first."""
    if len(times) >= most and times[most - 1] > now - _DAY:
        wait = (times[most - 1] + _DAY - now) / 3600
        told = f"{most} submissions{place} in 24 hours are the most for a {who}"
        raise QuotaError(f"{told}; come back in {wait:.1f} hours")


def statement_values(submission: Submission) -> dict[str, Any]:
    """The values that a statement may name of a submission, and `SUBMITTER` does."""
    anonymous = submission.owner.startswith(ANONYMOUS)
    return {**submission._asdict(), "anonymous": anonymous, "since": submission.received - _DAY}

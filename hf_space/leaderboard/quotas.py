"""How many submissions may come, and the check of it within the transaction that adds one.

A submission counts for its team, if it has one, and for the person who made it: a signed-in user, or the
network address of somebody who is not signed in. Whoever makes several teams therefore gains nothing. People
who share a network address count separately when they sign in, or when the host vouches for their team: the
submissions of a vouched team count for the team alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .store import Submission

_DAY = 24 * 60 * 60.0
_MOST_CHANGES = 6  # withdrawals and returns of one submission in 24 hours

# A condition on submissions of the same person, without those of vouched teams.
SAME_PERSON = (
    "(owner_kind = :owner_kind "
    "AND CASE owner_kind WHEN 'user' THEN owner = :owner ELSE address = :address END "
    "AND team NOT IN (SELECT name FROM teams WHERE vouched))"
)
_SAME_TEAM = "team = :team"


class QuotaError(ValueError):
    """Somebody has made too many submissions, teams or changes."""


class Quota(NamedTuple):
    """How many submissions may come.

    Attributes:
        per_owner: How many submissions a signed-in user, or a team, may make in 24 hours.
        per_address: How many submissions people who are not signed in may make from one network address in
            24 hours.
        queued: How many submissions may wait at a time.
        total: How many submissions a person, or a team, may ever make to the benchmark; None for any number.
        phase_per_day: How many submissions they may make to a phase in 24 hours; late ones count separately.
        phase_in_total: How many submissions they may ever make to a phase.
    """

    per_owner: int
    per_address: int
    queued: int = 1_000
    total: int | None = None
    phase_per_day: int | None = None
    phase_in_total: int | None = None


def check_quota(db: sqlite3.Connection, submission: Submission, quota: Quota) -> None:
    """Refuse a submission that is one too many, by a `QuotaError`."""
    (waiting,) = db.execute("SELECT count(*) FROM submissions WHERE state = 'queued'").fetchone()
    if waiting >= quota.queued:
        raise QuotaError(f"{waiting} submissions are waiting to be scored; come back in some minutes")
    values = submission._asdict()
    phase = "benchmark = :benchmark AND phase = :phase AND late = :late"
    place = f" to {submission.phase}" if submission.phase else ""
    for same, who, cure, per_day in _counted(db, submission, quota):
        here = " to this benchmark"
        _check(db, f"benchmark = :benchmark AND {same}", values, None, quota.total, f"for {who}{cure}", here)
        _check(db, same, values, per_day, None, f"for {who}{cure}")
        limits = quota.phase_per_day, quota.phase_in_total
        _check(db, f"{phase} AND {same}", values, *limits, f"for {who}{cure}", place)


def _counted(
    db: sqlite3.Connection, submission: Submission, quota: Quota
) -> Iterator[tuple[str, str, str, int]]:
    """Yield whom a submission counts for: a condition, a name, a cure, and the submissions a day."""
    if submission.team:
        yield _SAME_TEAM, "a team", "", quota.per_owner
        (vouched,) = db.execute(
            "SELECT max(vouched) FROM teams WHERE name = ?", (submission.team,)
        ).fetchone()
        if vouched:
            return
    if submission.owner_kind == "user":
        yield SAME_PERSON, "a user", "", quota.per_owner
    else:
        cure = "; sign in where that is possible, or ask the host to vouch for your team"
        yield SAME_PERSON, "a network address of people who are not signed in", cure, quota.per_address


def _check(
    db: sqlite3.Connection,
    where: str,
    values: dict[str, Any],
    per_day: int | None,
    in_total: int | None,
    who: str,
    place: str = "",
) -> None:
    """Refuse one more submission than are allowed; withdrawn and deleted ones count, too."""
    if per_day is None and in_total is None:
        return
    rows = db.execute(f"SELECT received FROM submissions WHERE {where} ORDER BY 1 DESC", values)
    times = [time for (time,) in rows]
    if in_total is not None and len(times) >= in_total:
        raise QuotaError(f"{in_total} submissions{place} in all are the most {who}")
    now = values["received"]
    if per_day is not None and len(times) >= per_day and times[per_day - 1] > now - _DAY:
        wait = (times[per_day - 1] + _DAY - now) / 3600
        raise QuotaError(
            f"{per_day} submissions{place} in 24 hours are the most {who}; come back in {wait:.1f} hours"
        )


def check_changes(db: sqlite3.Connection, id_: str, now: float) -> None:
    """Refuse to withdraw or put back a submission that was changed too often."""
    (made,) = db.execute(
        "SELECT count(*) FROM actions WHERE subject = ? AND time > ? AND actor_kind != 'host' "
        "AND action IN ('withdraw', 'restore')",
        (id_, now - _DAY),
    ).fetchone()
    if made >= _MOST_CHANGES:
        raise QuotaError(
            f"this submission was withdrawn and put back {_MOST_CHANGES} times in 24 hours; wait a day"
        )

"""What a submission is: a row of the database's table."""

from __future__ import annotations

from typing import NamedTuple

STATES = ("queued", "scored", "failed")
REMOVED = ("", "withdrawn", "deleted")


class Submission(NamedTuple):
    """A submission: a row of the table.

    Attributes:
        id: A random name.
        benchmark: The name of the benchmark.
        system: What the submitter calls the system.
        link: An address of a page about the system; empty for none.
        contact: How to reach the submitter; only the host sees it.
        owner: The user, or a name made from the address of somebody who is not signed in.
        address: A keyed hash of the network address.
        digest: The digest of the unpacked upload.
        received: When it was received, in seconds since 1970.
        state: What became of it: `queued`, `scored` or `failed`.
        problem: Why it failed.
        hidden: Whether the host took it off the board.
        phase: The phase of the benchmark; empty if that has none.
        team: The team that it was submitted for; empty for somebody without one.
        late: Whether it came after the phase had closed.
        removed: How it was removed: `withdrawn` by who submitted it, `deleted` by the host, or empty; either
            can be undone.
    """

    id: str
    benchmark: str
    system: str
    link: str
    contact: str
    owner: str
    address: str
    digest: str
    received: float
    state: str = "queued"
    problem: str = ""
    hidden: bool = False
    phase: str = ""
    team: str = ""
    late: bool = False
    removed: str = ""

    @property
    def by(self) -> str:
        """The name on the board: a team's or somebody's."""
        return self.team or self.owner

    @property
    def key(self) -> tuple[bool, str, str]:
        """The key of the system: a team's differs from that of a user with the team's name."""
        return bool(self.team), self.by, self.system

    @property
    def counts(self) -> bool:
        """Whether it may be on the board."""
        return not self.hidden and not self.removed

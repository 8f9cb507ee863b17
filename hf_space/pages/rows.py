"""Lines of the board as plain values, with no more digits than a test set can bear."""

from __future__ import annotations

from typing import Any

from leaderboard.ranking import Entry


def rounded_figures(result: dict[str, Any], name: str) -> dict[str, float | None]:
    """The figures of a metric with as many digits as a test set can bear; None where they mean nothing."""
    kept = result["metrics"].get(name)
    if kept is None:  # of an earlier state of the benchmark
        return {}
    return {
        key: None if kept["refused"] else round(value, kept["digits"][key])
        for key, value in kept["figures"].items()
    }


def public_row(entry: Entry) -> dict[str, Any]:
    """A line of the table."""
    result, interval, submission = entry.result, entry.interval, entry.submission
    row = {
        "rank": None if entry.old else entry.rank,
        "group": None if entry.old else entry.group,
        "interval": interval and [round(bound, entry.digits) for bound in (interval.low, interval.high)],
        "interval_method": interval and interval.method,
        **{name: getattr(submission, name) for name in ("id", "system", "owner", "link", "received")},
        "team": submission.team,
        "phase": submission.phase,
        "late": submission.late,
        "old": entry.old,
        "n_empty": result["n_empty"],
    }
    for name in result["metrics"]:
        row |= rounded_figures(result, name)
    if "parts" in result:
        row["parts"] = {
            part: {key: value for name in own["metrics"] for key, value in rounded_figures(own, name).items()}
            for part, own in result["parts"].items()
        }
    return row

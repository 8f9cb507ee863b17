"""Two sides of a comparison: trees of the same recordings, each with word times of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from ...errors import TreeFormatError, TreeMismatchError
from ...sources.treebanks import Reading
from ...trees.tree import SegmentTree
from .finding import are_several, find_treebanks, is_several, pair_by_name, stem_of
from .jobs import DONE, Job, Row, Settings, Trees
from .run import Summary, project_corpus

_NAMED = 3  # recordings named in a message


class Side(NamedTuple):
    """The trees of one side.

    Attributes:
        title: The name of the side.
        recordings: The trees of each recording in order, by its name; None where one failed.
        names: The names of these trees.
        summary: The outcome of the projection; None if the trees already had times.
        is_sound: Whether words were looked for in sound.
        stretches: The mark of each tree that has one, by recording, in the order of its trees.
    """

    title: str
    recordings: Mapping[str, Sequence[SegmentTree | None]]
    names: Mapping[str, Sequence[str]]
    summary: Summary | None
    is_sound: bool = False
    stretches: Mapping[str, Sequence[tuple[float, float | None] | None]] = {}

    @property
    def n_trees(self) -> int:
        """Return the number of all trees, including failed ones."""
        return sum(map(len, self.recordings.values()))

    @property
    def n_failed(self) -> int:
        """Return the number of trees that failed."""
        return sum(tree is None for trees in self.recordings.values() for tree in trees)


def project_side(
    title: str,
    trees: str,
    source: str | None,
    settings: Settings,
    *,
    sound: bool = False,
    marks: str | None = None,
    workers: int | str = 1,
    progress: bool = False,
) -> Side:
    """Project the trees of a side.

    Args:
        title: The name of the side.
        trees: A treebank; or a folder of such, if the source is one.
        source: Sound or words with times; None if the trees have times.
        settings: How the work is done; a tree that fails is left out.
        sound: Whether the source is sound.
        marks: Where each tree is in the recording.
        workers: The number of processes, or `auto`: one for each processor if there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
    """
    if source is None:
        return _timed_side(title, trees, settings)
    if are_several(trees, source, sound=sound):
        jobs = pair_by_name(trees, source, sound=sound, marks=marks)
    else:
        jobs = [Job("", _name(trees), source, sound, Trees(trees), marks=marks)]
    recordings: dict[str, list[SegmentTree | None]] = {job.group: [] for job in jobs}
    names: dict[str, list[str]] = {job.group: [] for job in jobs}
    stretches: dict[str, list[tuple[float, float | None] | None]] = {job.group: [] for job in jobs}

    def take(job: Job, rows: Sequence[Row]) -> None:
        for row in rows:
            done = row.status == DONE
            recordings[job.group] += (
                [SegmentTree.from_brackets(row.line, "time")] if done else [None] * row.n_trees
            )
            names[job.group] += [row.name] * (1 if done else row.n_trees)
            stretches[job.group] += [row.stretch] * (1 if done else row.n_trees)

    summary = project_corpus(jobs, settings, workers=workers, progress=progress, take=take)
    return Side(title, recordings, names, summary, sound, stretches)


def _name(path: str) -> str:
    return os.path.basename(stem_of(path))


def _timed_side(title: str, trees: str, settings: Settings) -> Side:
    """Return the side of trees that have times before, a recording for each file."""
    reading = Reading(**settings.reading)
    places = [trees]
    if is_several(trees):
        places = [path for _, path in find_treebanks(trees)]
    recordings: dict[str, list[SegmentTree | None]] = {}
    names: dict[str, list[str]] = {}
    for place in places:
        rows = reading.rows(place)
        found = [rows.tree(row, None) for row in range(len(rows))]
        for row, tree in enumerate(found):
            if tree.words and not tree.times:
                raise TreeFormatError(
                    f"the {title} trees have no times; give what has them, sound or words",
                    source=rows.name(row),
                )
        recordings[_name(place)] = list(found)
        names[_name(place)] = [rows.name(row) for row in range(len(rows))]
    return Side(title, recordings, names, None)


def pair_sides(one: Side, other: Side) -> list[tuple[str, str]]:
    """Pair the recordings of both sides by their names; if each has one, these are a pair.

    Raises:
        TreeMismatchError: If one has no partner.
    """
    if len(one.recordings) == len(other.recordings) == 1:
        return [(*one.recordings, *other.recordings)]  # type: ignore[list-item]
    for side, against in ((one, other), (other, one)):
        alone = [name for name in side.recordings if name not in against.recordings]
        if alone:
            named = ", ".join([*alone[:_NAMED], *(["…"] if len(alone) > _NAMED else [])])
            raise TreeMismatchError(
                f"recordings of the {side.title} trees that are missing in the {against.title} ones: "
                f"{named}; files are paired by their names"
            )
    return [(name, name) for name in one.recordings]


def sentences_pair(one: Side, other: Side, pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether both sides have the same number of sentences at the same times."""
    return all(
        len(one.recordings[a]) == len(other.recordings[b])
        and all(map(_meet, one.recordings[a], other.recordings[b]))
        for a, b in pairs
    )


def failed_stretches(side: Side, recording: str) -> list[tuple[float, float]]:
    """Return the times of a recording whose trees failed, in order and without overlaps.

    That of a tree with a mark is its mark; that of another one reaches from the end of the last tree before
    it that did not fail to the start of the next one.

    >>> trees = [SegmentTree.from_brackets(text) for text in ("(X a<1,2>)", "(X b<5,6>)")]
    >>> failed_stretches(Side("gold", {"a": [trees[0], None, None, trees[1], None]}, {}, None), "a")
    [(2.0, 5.0), (6.0, inf)]
    """
    trees = side.recordings[recording]
    marks = side.stretches.get(recording) or [None] * len(trees)
    ends: list[float] = []  # of the last tree before each that did not fail
    for tree in trees:
        last = ends[-1] if ends else 0.0
        ends.append(tree.times[-1][1] if tree is not None and tree.times else last)
    stretches = []
    following = inf  # the start of the next tree that did not fail
    for n, tree in reversed(list(enumerate(trees))):
        mark = marks[n]
        if tree is not None:
            following = tree.times[0][0] if tree.times else following
        elif mark is not None:
            stretches.append((mark[0], inf if mark[1] is None else mark[1]))
        else:
            stretches.append((ends[n], following))
    merged: list[tuple[float, float]] = []
    for start, end in sorted(stretches):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif start < end:
            merged.append((start, end))
    return merged


def is_within(tree: SegmentTree, stretches: Sequence[tuple[float, float]]) -> bool:
    """Return whether more than half of the time of a tree, from its first word to its last, is in stretches.

    >>> tree = SegmentTree.from_brackets("(X a<4,8>)")
    >>> is_within(tree, [(2.0, 5.0), (6.0, 9.0)]), is_within(tree, [(2.0, 6.0)])
    (True, False)
    """
    if not tree.times:
        return False
    first, last = tree.times[0][0], tree.times[-1][1]
    shared = sum(max(min(last, end) - max(first, start), 0.0) for start, end in stretches)
    return shared > 0.5 * (last - first)


def _meet(one: SegmentTree | None, other: SegmentTree | None) -> bool:
    """Return whether two trees share more than half of the time of both; empty ones always do."""
    times = [tree.times for tree in (one, other) if tree is not None and tree.times]
    if len(times) < 2:
        return True
    starts, ends = zip(*((own[0][0], own[-1][1]) for own in times), strict=True)
    return bool(min(ends) - max(starts) > 0.5 * (max(ends) - min(starts)))

"""What can be seen of a leaderboard: benchmarks, ranked systems and their results. A part of it."""

from __future__ import annotations

import threading
from operator import add
from typing import Any

from structiou_metric import Alignment

from .benchmarks import Benchmark
from .catalogue import Catalogue
from .clock import Clock
from .fields import FieldError
from .history import Rank, rank_history
from .phases import current_phase, find_phase
from .ranking import Entry, newest, rank_old, rank_systems, told_result, worth_of
from .scoring import stored_result
from .store import Store
from .submissions import Submission

_MAX_DRAWN = 1_000  # nodes of a pair of trees that is drawn


class Boards:
    """The boards of all benchmarks, which are kept until something is scored anew."""

    catalogue: Catalogue
    store: Store
    clock: Clock

    def __init__(self) -> None:
        # By benchmark, phase and whether late, with what they were made of.
        self._boards: dict[tuple[str, str, bool], tuple[Any, list[Entry]]] = {}
        self._board_lock = threading.Lock()

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

"""Figures of private reference trees: on a grid while somebody can ask, exact when the phase has closed."""

from __future__ import annotations

import json
import time
from datetime import datetime

import pytest

from leaderboard.benchmarks import load_benchmark
from leaderboard.comparing import Comparer
from leaderboard.people import AccessError, Visitor
from leaderboard.scoring import score
from leaderboard.service import Leaderboard
from leaderboard.uploads import join_parts
from structiou_metric import StructIoU
from support.paths import SPACE
from support.process import PATIENCE
from support.space_boards import PRIVATE, write_benchmark

TOKEN = "host-token"
GOLD, PARSED = (
    (SPACE / "benchmarks" / "english" / f"{name}.txt").read_text("utf-8").splitlines()
    for name in ("reference", "baseline")
)
PHASES = """
[[phases]]
name = "test"
closes = 2026-10-08T00:00:00
late = true
"""
LATER = "scores_from = 2026-10-15T00:00:00\n"
KEY = "struct_iou_sentence"


def at(text):
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


class Task:
    """A board with a phase, whose clock a test sets."""

    def __init__(self, settings, description, trees=GOLD):
        write_benchmark(settings.benchmarks, "task", description, trees)
        self.now = at("2026-10-01T00:00:00")
        self.board = Leaderboard(settings.model_copy(update={"daily_per_user": 100}), clock=lambda: self.now)
        self.board.start()

    def submit(self, system, rows, user="ann"):
        data = rows if isinstance(rows, bytes) else ("\n".join(rows) + "\n").encode()
        accepted = self.board.submit(Visitor(user, "192.0.2.1"), "task", system, "", "", data)
        done = self.board.wait(accepted.id, PATIENCE)
        assert done.state == "scored", done.problem
        return done

    def groups(self, **options):
        """Return the groups of the board when all of them are known."""
        end = time.monotonic() + PATIENCE
        while None in (found := [entry.group for entry in self.board.board("task", **options)]):
            assert time.monotonic() < end
            self.board.scorer.notify()  # phases close without waking anybody here
            time.sleep(0.05)
        return found


@pytest.fixture
def start(settings):
    started = []

    def start(description, trees=GOLD):
        started.append(Task(settings, description, trees))
        return started[-1]

    yield start
    for task in started:
        task.board.stop()


def figures(entry):
    return entry.result["metrics"]["struct_iou"]["figures"][KEY]


def slightly_worse(k):
    """Return the parses with k trees that are a little worse."""
    return [tree.replace("(NP ", "(XP ", 1) if row < k else tree for row, tree in enumerate(PARSED)]


def exact(rows):
    return StructIoU(labels="base").corpus_score(rows, GOLD).sentence


def test_ranks_are_exact_when_the_phase_has_closed(start):
    """By coins, 0.9341 was published as 0.92 and two equal files as 0.92 and 0.90."""
    task = start(PRIVATE + PHASES)
    systems = {f"s{k}": slightly_worse(k) for k in (0, 2, 4, 6)} | {"same": slightly_worse(2)}
    ids = {name: task.submit(name, rows, name).id for name, rows in systems.items()}
    for entry in task.board.board("task"):
        assert entry.digits == 2
        assert figures(entry) == round(round(figures(entry) / 0.02) * 0.02, 2) == entry.interval.value
    before = [(entry.submission.id, figures(entry)) for entry in task.board.board("task")]
    # The host sees exact figures at any time, and nobody else does.
    with pytest.raises(AccessError):
        task.board.exact_board("wrong", "task")
    seen = {entry.submission.id: figures(entry) for entry in task.board.exact_board(TOKEN, "task")}
    assert seen == {ids[name]: exact(rows) for name, rows in systems.items()}
    assert {item.id: figure for item, figure in task.board.all_submissions(TOKEN)} == seen
    assert [(entry.submission.id, figures(entry)) for entry in task.board.board("task")] == before

    task.now = at("2026-10-08T00:00:01")
    entries = task.board.board("task")
    assert [entry.submission.system for entry in entries] == ["s0", "s2", "same", "s4", "s6"]
    assert [entry.rank for entry in entries] == [1, 2, 2, 4, 5]
    assert [figures(entry) for entry in entries] == [exact(systems[e.submission.system]) for e in entries]
    assert {entry.digits for entry in entries} == {4}
    (last,) = task.board.history(ids["s6"])[-1:]
    assert (last.rank, last.value) == (5, exact(systems["s6"]))
    assert task.groups()[0] == 1
    page = Comparer(task.board).page(ids["s0"], ids["s6"])
    assert "by approximate randomisation" in page, "closed for good, so that a test reveals nothing to use"


def test_late_submissions_stay_on_the_grid(start):
    task = start(PRIVATE + PHASES)
    task.submit("in time", PARSED)
    task.now = at("2026-10-09T00:00:00")
    late = task.submit("late", slightly_worse(1))
    assert late.late
    (entry,) = task.board.board("task", late=True)
    assert entry.digits == 2
    assert figures(entry) != exact(slightly_worse(1))
    (entry,) = task.board.board("task")
    assert figures(entry) == exact(PARSED)


def test_publication_waits_for_scores_from_and_for_phases_with_the_same_trees(start):
    other = '\n[[phases]]\nname = "again"\nopens = 2026-10-08T00:00:00\ncloses = 2026-11-01T00:00:00\n'
    task = start(PRIVATE + PHASES + LATER + other)
    task.submit("in time", PARSED)
    task.now = at("2026-10-10T00:00:00")
    assert task.board.board("task", "test") == []
    (entry,) = task.board.exact_board(TOKEN, "task", "test")
    assert figures(entry) == exact(PARSED)
    task.now = at("2026-10-16T00:00:00")
    (entry,) = task.board.board("task", "test")
    assert entry.digits == 2, "the other phase still answers questions about the same trees"
    task.now = at("2026-11-02T00:00:00")
    (entry,) = task.board.board("task", "test")
    assert figures(entry) == exact(PARSED)


def test_board_system_and_api_show_the_same_digits(start):
    task = start(PRIVATE.replace("[metrics.parseval]", "[gold]\nfigures = true\n[metrics.parseval]"))
    done = task.submit("x", PARSED)
    (entry,) = task.board.board("task")
    _, result, _ = task.board.system(done.id)
    assert result == entry.result
    for found in result["metrics"].values():
        assert found["digits"].keys() == found["figures"].keys()
        for key, value in found["figures"].items():
            assert value == round(value, found["digits"][key])
    assert "columns" not in json.dumps(result)
    assert "shown" not in json.dumps(result)


def test_parts_and_their_mean_agree(start, settings):
    """The mean of the parts was rounded by a coin of its own."""
    parts = '[reference]\na = "gold.txt"\nb = "b.txt"\nc = "c.txt"\n'
    description = PRIVATE.replace('reference = "gold.txt"\n', "") + parts
    folder = write_benchmark(settings.benchmarks, "parts", description, GOLD)
    for name, trees in (("b", GOLD[:40]), ("c", GOLD[:20])):
        (folder / f"{name}.txt").write_text("\n".join(trees) + "\n", "utf-8")
    benchmark = load_benchmark(folder)
    files = {name: "\n".join(PARSED[:n]).encode() for name, n in (("a", 80), ("b", 40), ("c", 20))}
    result = score(join_parts(files), benchmark)
    own = [part["metrics"]["struct_iou"]["shown"][KEY] for part in result["parts"].values()]
    ranking = result["ranking"]
    assert ranking["shown"] == pytest.approx(sum(own) / 3, abs=1e-12)
    assert ranking["digits"] == 1 + max(
        part["metrics"]["struct_iou"]["digits"][KEY] for part in result["parts"].values()
    )
    assert ranking["shown_low"] <= ranking["shown"] <= ranking["shown_high"]
    assert ranking["low"] <= ranking["value"] <= ranking["high"]


def test_rules_say_what_is_exact(start):
    task = start(
        PRIVATE.replace("[metrics.parseval]", "[gold]\nlabels = true\nlengths = true\n[metrics.parseval]")
    )
    rules = list(task.board.benchmark("task").gold.rules())
    assert "Shown without rounding, which reveals more: figures by label, figures by length." in rules
    assert "Not shown: figures other than the one that ranks, warnings about the file." in rules
    done = task.submit("x", PARSED)
    _, result, _ = task.board.system(done.id)
    expected = StructIoU(labels="base").corpus_score(PARSED, GOLD)
    assert result["labels"][0]["struct_iou"] == next(iter(expected.by_label.values())).score


def test_pages_read_no_numbers_of_sentences(start, monkeypatch):
    """A page of a system unpacked all results of the benchmark; groups need those of a few pairs, once."""
    task = start(PRIVATE + PHASES)
    ids = [task.submit(f"s{k}", slightly_worse(k)).id for k in range(3)]
    task.now = at("2026-10-09T00:00:00")
    task.groups()
    monkeypatch.setattr(task.board.store, "result", lambda id_: pytest.fail("numbers of sentences were read"))
    monkeypatch.setattr("leaderboard.scorer.make_tests", lambda *args: pytest.fail("tested again"))
    for id_ in ids:
        submission, result, versions = task.board.system(id_)
        assert result is not None
        assert [item.id for item in versions] == [id_]
        assert len(task.board.board_of(submission)) == 3
        assert task.board.history(id_)


def test_tests_are_made_again_only_for_what_is_new(start, monkeypatch):
    from leaderboard import scorer

    tested = []
    make_tests = scorer.make_tests
    monkeypatch.setattr(scorer, "make_tests", lambda *args: tested.extend(args[2]) or make_tests(*args))
    task = start(PRIVATE.replace("description", "gold = { public = true }\ndescription"))
    best = task.submit("best", GOLD).id
    ids = [task.submit(f"s{k}", slightly_worse(k)).id for k in (0, 3)]
    task.groups()
    n_tested = len(tested)
    assert {(best, id_) for id_ in ids} <= set(tested)
    new = task.submit("new", slightly_worse(8)).id
    task.groups()
    assert all(new in pair for pair in tested[n_tested:])
    task.board.administer(TOKEN, "re-score", new)
    task.board.wait(new, PATIENCE)
    task.groups()
    assert task.board.board("task")[-1].submission.id == new

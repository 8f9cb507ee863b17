"""Measure the cost of a board of many submissions: `bench_board.py [submissions] [sentences]`.

Results are made up: a figure for each sentence by chance around the quality of a system. The last submission
is scored by the running leaderboard, as any other would be.
"""

from __future__ import annotations

import hashlib
import platform
import random
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "hf_space"), str(ROOT / "tests")]

from leaderboard.benchmarks import Benchmark, load_benchmark  # noqa: E402
from leaderboard.people import Visitor  # noqa: E402
from leaderboard.scoring import score  # noqa: E402
from leaderboard.service import Leaderboard  # noqa: E402
from leaderboard.settings import Settings  # noqa: E402
from leaderboard.store import Submission  # noqa: E402
from support.space_boards import DESCRIPTION, PRIVATE, write_benchmark  # noqa: E402

TREE = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (JJ small) (NN cat)) (PP (IN in) (NP (NN rain)))))"
WORSE = "(S (NP (DT the) (NN dog)) (VP (VBD saw)) (NP (DT a) (JJ small) (NN cat)) (PP (IN in) (NN rain)))"


def fill(board: Leaderboard, benchmark: Benchmark, n_systems: int, n_rows: int) -> None:
    """Store results of made-up systems."""
    generator = random.Random(1)
    base = score("\n".join([TREE] * n_rows).encode(), benchmark)
    for k in range(n_systems):
        quality = generator.uniform(0.6, 0.95)
        rows = base["rows"]["struct_iou"]
        nodes = rows["columns"]["n_ref"][0]
        matched = [nodes * min(1.0, max(0.0, generator.gauss(quality, 0.15))) for _ in range(n_rows)]
        values = array("d", matched)
        figure = sum(values) / nodes / n_rows
        columns = {**rows["columns"]}
        columns[next(name for name in columns if name not in ("n_pred", "n_ref"))] = matched
        shown = round(figure, 2)
        ranking = {"value": figure, "low": figure - 0.006, "high": figure + 0.006, "method": "percentile"}
        ranking |= {"shown": shown, "shown_low": shown - 0.01, "shown_high": shown + 0.01, "digits": 3}
        result = {
            **base,
            "ranking": ranking,
            "rows": {**base["rows"], "struct_iou": {**rows, "columns": columns}},
        }
        digest = hashlib.sha256(str(k).encode()).hexdigest()
        item = Submission(
            f"{k:016x}", benchmark.name, f"system {k}", "", "", f"user{k}", "user", "", digest, time.time()
        )
        board.store.restore(item._replace(state="scored"), b"", result)


def show(name: str, function: Callable[[], object], times: int = 5) -> None:
    """Print the median time of some calls, and that of this process alone on a busy machine."""
    found = []
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        function()
        found.append((time.perf_counter() - wall, time.process_time() - cpu))
    wall, cpu = sorted(found)[times // 2]
    print(f"  {name:32}{wall:8.3f} s  ({cpu:.3f} s of processor)", flush=True)


def measure(name: str, description: str, n_systems: int, n_rows: int, folder: Path) -> None:
    """Print the times of one kind of benchmark."""
    print(f"{name} reference trees")
    path = write_benchmark(folder / "benchmarks", "task", description, [TREE] * n_rows)
    board = Leaderboard(Settings(data=folder / "data", benchmarks=folder / "benchmarks", look_seconds=3600.0))
    fill(board, load_benchmark(path), n_systems, n_rows)
    id_ = f"{7:016x}"

    def page() -> None:
        submission, _, _ = board.system(id_)
        board.board_of(submission)
        board.history(id_)

    show("board, first time", lambda: board.board("task"), 1)
    show("board, again", lambda: board.board("task"))
    show("page of a system", page)
    board.start()
    rows = [TREE if row % 7 else WORSE for row in range(n_rows)]
    begin = time.perf_counter()
    done = board.submit(Visitor("ann", "1.1.1.1"), "task", "new", "", "", "\n".join(rows).encode())
    print(f"  {'submission accepted after':32}{time.perf_counter() - begin:8.3f} s")
    board.wait(done.id, 600)
    print(f"  {'submission scored after':32}{time.perf_counter() - begin:8.3f} s")
    show("board after it was scored", lambda: board.board("task"), 1)
    (rank,) = (entry.rank for entry in board.board("task") if entry.submission.id == done.id)
    print(f"  submission on the board at rank {rank}")
    board.stop()


def main() -> None:
    """Print the times."""
    n_systems, n_rows = (int(text) for text in sys.argv[1:3]) if len(sys.argv) > 2 else (1200, 2400)
    print(f"Python {platform.python_version()}, {n_systems} submissions of {n_rows} sentences", flush=True)
    for name, description in (("private", PRIVATE), ("public", DESCRIPTION)):
        with tempfile.TemporaryDirectory() as folder:
            measure(name, description, n_systems, n_rows, Path(folder))


if __name__ == "__main__":
    main()

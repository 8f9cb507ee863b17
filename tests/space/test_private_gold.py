"""What somebody learns of private reference trees who reads everything that a running Space says."""

from __future__ import annotations

import doctest
import json
import math
import random
import re
from itertools import pairwise

import pytest

from leaderboard import privacy
from leaderboard.privacy import Rounding, step_of
from structiou_metric import StructIoU
from support.paths import SPACE
from support.space_boards import write_benchmark
from support.space_client import SpaceClient, words_of
from support.space_server import SpaceServer

pytestmark = pytest.mark.slow

GOLD = (SPACE / "benchmarks" / "english" / "reference.txt").read_text("utf-8").splitlines()
PARSED = (SPACE / "benchmarks" / "english" / "baseline.txt").read_text("utf-8").splitlines()
DESCRIPTION = """
title = "Private English"
language = "English"
description = "80 sentences."
reference = "gold.txt"

[metrics.parseval]
parameters = "collins"

[metrics.struct_iou]
labels = "base"
"""
METRIC = StructIoU(labels="base")
MEASURE = StructIoU.MEASURES["struct_iou_sentence"]
FIGURES = 3  # the one that ranks, and the bounds of its interval
VOLATILE = re.compile(r'"(id|owner|received|system|secret)": ("[^"]*"|[0-9.]+)')


@pytest.fixture(scope="module")
def private(tmp_path_factory):
    """A Space with three boards: private reference trees, the same ranked by ParsEval, and a small quota."""
    folder = tmp_path_factory.mktemp("private")
    benchmarks = folder / "benchmarks"
    write_benchmark(
        benchmarks,
        "private",
        DESCRIPTION.replace("[metrics.struct_iou]", "[gold]\ntotal = 900\n[metrics.struct_iou]"),
        GOLD,
    )
    write_benchmark(
        benchmarks, "parseval", f'rank_by = "parseval"\ngold = {{ public = true }}\n{DESCRIPTION}', GOLD
    )
    write_benchmark(
        benchmarks,
        "few",
        DESCRIPTION.replace("[metrics.struct_iou]", "[gold]\ntotal = 2\n[metrics.struct_iou]"),
        GOLD,
    )
    server = SpaceServer(folder / "data", benchmarks, DAILY_PER_USER=1000, DAILY_PER_ADDRESS=1000)
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module")
def client(private):
    client = SpaceClient(private.url)
    yield client
    client.close()


def submit(client, rows, system="attack", benchmark="private", secret=""):
    return client.submit(benchmark, system, rows, secret=secret)


def told(client, done):
    """Every character that the server says of a submission, but for its names and times."""
    name = done["benchmark"]
    board = client.get(f"/board?benchmark={name}").text
    about = board[board.index('<section class="rules">') :]
    [row] = [line for line in re.findall("<tr>.*?</tr>", board, re.DOTALL) if done["id"] in line]
    row = re.sub("<svg.*?</svg>", "", row, flags=re.DOTALL)  # its scale is that of all systems
    page = client.get(f"/system/{done['id']}").text
    asked = client.get(f"/api/submissions/{done['id']}").json()
    texts = [*(json.dumps(said, ensure_ascii=False) for said in (done, asked)), row, about, page]
    found = VOLATILE.sub("", "\n".join(texts))
    for name in ("id", "owner", "system"):
        found = found.replace(done[name], "…")
    return found


# ---- a score is no oracle ----------------------------------------------------------------------


def test_one_sentence_cannot_be_asked_alone(client):
    """With all rows empty but one, precision and F1 were that sentence's own."""
    for kept in (0, 40):
        rows = [tree if row == kept else "()" for row, tree in enumerate(PARSED)]
        refused = submit(client, rows)
        assert "problems" in refused
        assert refused["problems"][0]["message"].startswith(
            "79 of 80 sentences have no tree, and 10% are the most"
        )
    allowed = ["()" if row < 8 else tree for row, tree in enumerate(GOLD)]
    assert submit(client, allowed, "eight")["state"] == "scored"
    refused = submit(client, [*allowed[:8], "(TOP )", *allowed[9:]], "nine")
    assert refused["problems"][0]["message"].startswith("9 of 80 sentences have no tree")


def test_only_the_figure_that_ranks_is_told(client):
    done = submit(client, PARSED, "figures")
    assert {key for key in done if "iou" in key or "parseval" in key or "precision" in key} == {
        "struct_iou_sentence"
    }
    said = told(client, done)
    for held in ("By label", "By words of the reference", "precision", "recall", "F1", "lowest scores"):
        assert held not in said.replace(
            "Not shown: figures other than the one that ranks, figures by label", ""
        )
    assert done["warnings"] == []
    step = step_of(80, MEASURE)
    assert step == 0.02, "1.96 · 0.15 / √80 is 0.033"
    for value in (done["struct_iou_sentence"], *done["interval"]):
        assert value == round(round(value / step) * step, 2)
    assert abs(done["struct_iou_sentence"] - METRIC.corpus_score(PARSED, GOLD).sentence) < step


def test_the_page_states_the_rules(client):
    about = words_of(client.get("/board?benchmark=private"))
    for rule in (
        "more than 10% of the trees are missing is not accepted",
        "900 submissions to this benchmark in all",
        "rounded, up or down by chance",
        "Not shown: figures other than the one that ranks, figures by label, figures by length, warnings",
        "within the interval of its best",
    ):
        assert rule in about
    listed = client.get("/api/benchmarks").json()
    assert len(next(item for item in listed if item["name"] == "private")["rules"]) == 4


def test_total_quota(client):
    for k in range(2):
        assert submit(client, [*PARSED[:-1], GOLD[-1]] if k else PARSED, f"s{k}", "few")["state"] == "scored"
    answer = submit(client, GOLD, "s2", "few")
    assert answer.startswith("2 submissions to this benchmark in all are the most for a network address")


# ---- what a tag and a bracket cost -------------------------------------------------------------


def with_tag(tree, label="ZZZ"):
    """The tree with another tag for its first word."""
    return re.sub(r"\(([^() ]+) ([^() ]+)\)", rf"({label} \2)", tree, count=1)


def without_bracket(tree):
    """The tree without its last bracket over several others, whose children move up."""
    depth = {}
    stack = []
    for at, char in enumerate(tree):
        if char == "(":
            stack.append(at)
        elif char == ")":
            begin = stack.pop()
            if stack and "(" in tree[begin + 1 : at] and "-NONE-" not in tree[begin:at]:
                depth[begin] = at
    begin = max(depth)
    inside = tree[begin : depth[begin] + 1].split(" ", 1)[1][:-1]
    return tree[:begin] + inside + tree[depth[begin] + 1 :]


@pytest.mark.parametrize("change", [with_tag, without_bracket])
def test_cost_of_a_tag_and_of_a_bracket(change):
    """A change of d on a grid of s changes what is told with probability d / s at most, so that telling two
    hypotheses apart with three chances in four, a total variation of 1/2, takes s / (2 d) submissions."""
    step = step_of(80, MEASURE)
    costs = []
    for row in range(0, 80, 4):
        before = METRIC.corpus_score(GOLD, GOLD).sentence
        after = METRIC.corpus_score([*GOLD[:row], change(GOLD[row]), *GOLD[row + 1 :]], GOLD).sentence
        assert after < before
        costs.append(step / (2 * (before - after)))
    median = sorted(costs)[len(costs) // 2]
    nodes = sorted(METRIC.corpus_score(GOLD, GOLD).columns["n_ref"])[40]
    # One node of n on one side or on both: d is 1 / 2n to 1 / n of a sentence, and that 1 / 80 of the figure.
    assert step / 2 * 80 * nodes <= median * 1.5
    assert median <= step / 2 * 80 * 2 * nodes * 1.5
    assert median / FIGURES > 3


def test_nothing_but_the_figures_depends_on_a_tag(client):
    """An attacker changes one tag after the other and reads all that the server says of each file."""
    said, figures = split(told(client, submit(client, PARSED, "tag none")))
    for row in random.Random(19).sample(range(80), 8):
        rows = [*PARSED[:row], with_tag(PARSED[row]), *PARSED[row + 1 :]]
        now, moved = split(told(client, submit(client, rows, f"tag {row}")))
        assert now == said
        assert len(moved) == len(figures)
        assert all(
            abs(one - two) <= 1.001 * step_of(80, MEASURE) for one, two in zip(figures, moved, strict=True)
        )


def split(said):
    """What was told without ranks, which are made from figures, with a mark for each figure; and these."""
    said = re.sub('<select id="other".*?</select>', "", said, flags=re.DOTALL)  # the other systems
    said = re.sub('"(rank|group)": [0-9]+', "", said)
    said = re.sub("<b>[0-9]+</b>|<td[^>]*>\\s*[0-9]+</td>", "", said)
    pattern = re.compile(r"(?<![\w.])[01]\.[0-9]{1,2}0*(?![\w.])")
    return pattern.sub("#", said), [float(text) for text in pattern.findall(said)]


def test_who_knows_all_but_one_tag_needs_the_bound():
    """The strongest attacker puts the figure right on the grid, so that a move can have one cause only."""
    step, change = 0.02, 0.0006
    bound = step / (2 * change)
    found = [
        next(k for k in range(10_000) if Rounding("key", (trial, k)).put("x", 0.8 - change, step) != 0.8)
        for trial in range(400)
    ]
    assert sorted(found)[200] > bound
    assert sum(found) / 400 == pytest.approx(step / change, rel=0.25)  # the mean of a geometric distribution


def test_border_is_no_oracle():
    """Next to a border between two points of the grid, rounding would tell the sign of any change."""
    step, shift = 0.01, 0.0005
    told_up = [Rounding("key", k).put("x", 0.805 + shift, step) == 0.81 for k in range(4000)]
    told_down = [Rounding("key", k).put("x", 0.805 - shift, step) == 0.81 for k in range(4000)]
    up, down = sum(told_up) / 4000, sum(told_down) / 4000
    error = 4 * math.sqrt(0.25 / 4000)
    assert up == pytest.approx(0.55, abs=error)
    assert down == pytest.approx(0.45, abs=error)


def test_rounding_is_the_same_again_and_keeps_points():
    values = [Rounding("key", "columns").put("x", 0.805, 0.01) for _ in range(5)]
    assert len(set(values)) == 1
    assert {Rounding("key", k).put("x", 0.8, 0.01) for k in range(50)} == {0.8}
    assert {Rounding("key", k).put("x", 1.0, 0.01) for k in range(50)} == {1.0}
    assert {Rounding("key", k).put("x", 0.805, 0.01) for k in range(50)} == {0.8, 0.81}
    assert doctest.testmod(privacy).failed == 0


def test_equal_figures_share_rank_and_group(client):
    """The exact order of two systems of the attacker's own would tell which one has the better tag."""
    table = client.board("private")
    figures = [row["struct_iou_sentence"] for row in table]
    assert figures == sorted(figures, reverse=True)
    for one, two in pairwise(table):
        same = one["struct_iou_sentence"] == two["struct_iou_sentence"]
        assert same == (one["rank"] == two["rank"])
        assert not same or one["group"] == two["group"]


# ---- every sentence counts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad", ["()", "(S (XX wrong) (YY words))"], ids=["empty rows", "rows with other words"]
)
def test_leaving_rows_out_does_not_pay(client, bad):
    """79 of 80 rows that EVALB skips gave F1 1.0 and rank 1."""
    padded = [bad if bad == "()" else re.sub(r"[^() ]+(?=\))", "x", tree) for tree in GOLD]
    rows = [GOLD[0], *padded[1:]]
    done = submit(client, rows, f"gaming {bad}", "parseval")
    whole = submit(client, PARSED, "honest", "parseval")
    assert done["parseval_f1"] < 0.05 < whole["parseval_f1"]
    ranks = {row["id"]: row["rank"] for row in client.board("parseval")}
    assert ranks[done["id"]] > ranks[whole["id"]]


# ---- systems belong to who made them -----------------------------------------------------------


def test_strangers_at_one_address_cannot_replace_each_other(private, client):
    first = submit(client, PARSED, "shared name")
    other = submit(client, GOLD, "shared name")
    assert first["owner"] != other["owner"]
    listed = [row["id"] for row in client.board("private")]
    assert {first["id"], other["id"]} <= set(listed)
    better = submit(client, [GOLD[0], *PARSED[1:]], "shared name", secret=first["secret"])
    listed = [row["id"] for row in client.board("private")]
    assert better["id"] in listed
    assert first["id"] not in listed
    assert other["id"] in listed

    def take(id_, secret):
        return client.post(f"/api/submissions/{id_}/withdraw", {"key": secret})

    assert "only who made this submission" in take(better["id"], other["secret"])
    for id_ in (better["id"], first["id"]):
        told = {"id": id_, "system": "shared name", "withdrawn": True}
        assert take(id_, first["secret"]) == told
    listed = [row["id"] for row in client.board("private")]
    assert not {first["id"], better["id"]} & set(listed)
    for secret in (first["secret"], other["secret"]):
        assert secret.encode() not in (private.data / "leaderboard.sqlite3").read_bytes()


def test_secrets_cannot_be_guessed_for_long(private):
    guesser = SpaceClient(private.url, address="127.0.0.77")

    def guess(id_, k):
        return guesser.post(f"/api/submissions/{id_}/withdraw", {"key": f"guess {k}"})

    try:
        answers = [guess("0" * 16, k) for k in range(3)]
        assert set(answers) == {"there is no such submission"}
        known = submit(guesser, PARSED, "known")
        answers = [guess(known["id"], k) for k in range(21)]
        assert "unknown here" in answers[0]
        assert answers[-1] == "too many wrong tokens; try again in some minutes"
    finally:
        guesser.close()

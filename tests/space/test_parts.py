"""Submissions of several files: stored as one, checked and scored part by part, averaged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.benchmarks import load_benchmark
from leaderboard.people import Visitor
from leaderboard.service import Leaderboard
from leaderboard.store import Store
from leaderboard.transfer import export_lines, import_lines
from leaderboard.uploads import UploadError, join_parts, split_parts
from structiou_metric import StructIoU
from support.process import PATIENCE
from support.space_boards import DESCRIPTION, REFERENCE, WORSE, write_benchmark
from support.space_client import site_of

ANN = Visitor("ann", "10.0.0.1")
PLAIN = DESCRIPTION.replace('reference = "gold.txt"\n', "").replace(
    '[metrics.parseval]\nparameters = "collins"\n', ""
)
SEVERAL = PLAIN + '\n[reference]\nnews = "gold.txt"\ntalk = "talk.txt"\n'
TALK = ["(S (NP (PRP you)) (VP (VBP know)))"]
TALK_WORSE = ["(S (NP (PRP you)) (XP (VBP know)))"]


@given(st.dictionaries(st.from_regex("[a-z0-9]{1,8}", fullmatch=True), st.binary(max_size=30), min_size=1))
def test_joined_files_come_back(files):
    joined = join_parts(files)
    assert split_parts(joined, files) == files
    assert join_parts(dict(reversed(files.items()))) == joined


@pytest.mark.parametrize(
    "data, message",
    [
        pytest.param(
            b"(S (A a))\n", "takes 2 files, one for each of news, talk; upload all of them", id="one"
        ),
        pytest.param(join_parts({"news": b"x"}), "there is no file for talk", id="missing"),
        pytest.param(
            join_parts({"news": b"x", "talk": b"y", "more": b"z"}), "there is no part 'more'", id="strange"
        ),
        pytest.param(join_parts({"news": b"x", "talk": b"y"})[:-1], "is damaged", id="cut"),
        pytest.param(b'structiou-parts {"news": 1}\nx', "is damaged", id="other shape"),
        pytest.param(b"structiou-parts [[", "is damaged", id="no json"),
    ],
)
def test_files_that_are_not_those_of_the_parts(data, message):
    with pytest.raises(ValueError, match=message):
        split_parts(data, ("news", "talk"))


@pytest.fixture
def board(settings):
    folder = write_benchmark(settings.benchmarks, "both", SEVERAL.replace("gold.txt", "news.txt"))
    (folder / "news.txt").write_text("\n".join(REFERENCE) + "\n", "utf-8")
    (folder / "talk.txt").write_text("\n".join(TALK) + "\n", "utf-8")
    board = Leaderboard(settings)
    board.start()
    yield board
    board.stop()


def upload(news, talk):
    files = {"news": news, "talk": talk}
    return join_parts({name: ("\n".join(rows) + "\n").encode() for name, rows in files.items()})


def submit(board, system, news, talk):
    accepted = board.submit(ANN, "both", system, "", "", upload(news, talk))
    return board.wait(accepted.id, PATIENCE)


def test_figures_are_the_means_of_the_parts(board, tmp_path):
    submit(board, "best", REFERENCE, TALK)
    done = submit(board, "mixed", WORSE, TALK_WORSE)
    assert done.state == "scored"
    metric = StructIoU(labels="base")
    news, talk = metric.corpus_score(WORSE, REFERENCE), metric.corpus_score(TALK_WORSE, TALK)
    first, second = board.board("both")
    assert [first.submission.system, second.submission.system] == ["best", "mixed"]
    assert second.interval.value == pytest.approx((news.sentence + talk.sentence) / 2)
    assert second.interval.low <= second.interval.value <= second.interval.high
    site = site_of(board)
    row = site.board("both")[1]
    for key in ("struct_iou_sentence", "struct_iou_corpus"):
        assert row[key] == round((news.figures[key] + talk.figures[key]) / 2, 4)
        assert row["parts"]["talk"][key] == round(talk.figures[key], 4)
    page = site.get(f"/system/{done.id}").text
    assert "By part" in page
    assert f"{talk.sentence:.3f}" in page
    other = Store(tmp_path / "other.sqlite3")
    lines = list(export_lines(board.store))
    assert import_lines(other, lines) == (2, 0)
    assert other.scored("both", summaries=True) == board.store.scored("both", summaries=True)
    forged = json.loads(lines[-1])
    forged["result"]["metrics"]["struct_iou"]["figures"]["struct_iou_sentence"] = 1.0
    with pytest.raises(ValueError, match="the figures are not those of the parts"):
        import_lines(Store(tmp_path / "third.sqlite3"), [json.dumps(forged)])


def test_problems_name_the_part(board):
    with pytest.raises(UploadError, match="talk: the file has 3 trees and the benchmark 1"):
        submit(board, "x", REFERENCE, REFERENCE)
    with pytest.raises(UploadError, match=r"each named after its part, such as news\.txt"):
        board.submit(ANN, "both", "x", "", "", b"(S (A a))\n")
    assert board.store.all() == []


@pytest.mark.parametrize(
    "reference, message",
    [
        pytest.param('news = "gold.txt"', "name the files of 2 to 100 parts", id="one part"),
        pytest.param('news = "gold.txt"\ntalk = 3', "name the files of 2 to 100 parts", id="number"),
        pytest.param('news = "gold.txt"\n"../x" = "gold.txt"', "name the part '../x' in small", id="name"),
        pytest.param('news = "gold.txt"\ntalk = "x.txt"', "'x.txt' is no file", id="file"),
    ],
)
def test_description_with_a_mistake(tmp_path, reference, message):
    folder = write_benchmark(tmp_path, "both", f"{PLAIN}\n[reference]\n{reference}\n")
    with pytest.raises(ValueError, match=message):
        load_benchmark(folder)

"""Badges, tables to embed, comparisons and health, against a real server."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from structiou_metric import StructIoU
from structiou_metric.analysis.compare import compare
from support.space_boards import REFERENCE, SECRET, WORSE

WORST = ["()", WORSE[1], REFERENCE[2]]
WRONG = [
    *(re.sub(r"\([A-Z]+", "(X", tree) for tree in REFERENCE[:2]),
    REFERENCE[2],
]  # labels of two sentences


@pytest.fixture(scope="module")
def ids(raw):
    """Systems by board and name: on one that shows sentences, one that does not, and a private one."""
    found = {}
    systems = [("first", REFERENCE), ("<second>", WORSE), ("third", WORST)]
    private = [systems[0], ("<second>", WRONG)]
    for benchmark, sent in (("open", systems), ("english", systems), ("secret", private)):
        for system, rows in sent:
            answer = raw.submit(benchmark, f"routes {system}", rows)
            assert answer["state"] == "scored"
            found[benchmark, system] = answer["id"]
    return found


def test_badge(raw, ids):
    answer = raw.get(f"/badge/{ids['open', '<second>']}.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["access-control-allow-origin"] == "*"
    texts = [
        text.text for text in ElementTree.fromstring(answer.text).iter("{http://www.w3.org/2000/svg}text")
    ]
    score = StructIoU(labels="base").corpus_score(WORSE, REFERENCE).sentence
    assert texts[0] == "Small English"
    assert re.fullmatch(rf"rank \d+ · STRUCT-IoU {score:.4f}", texts[1])
    assert raw.get("/badge/nothing.svg").status_code == 404


def test_table_to_embed(raw, ids):
    answer = raw.get("/table/open")
    assert "frame-ancestors *" in answer.headers["content-security-policy"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "<script" not in answer.text
    assert "routes &lt;second&gt;" in answer.text
    rows = raw.get("/table/open.json").json()["entries"]
    ours = [row for row in rows if row["system"].startswith("routes")]
    assert [row["system"] for row in ours] == ["routes first", "routes <second>", "routes third"]
    assert ours[1]["parseval_f1"] == pytest.approx(9 / 10), "a board shows every metric that it has"
    for path in ("/table/none", "/table/open.xml"):
        assert raw.get(path).status_code == 404


def test_comparison_of_open_sentences_is_the_report(raw, ids):
    page = raw.get(f"/compare?system={ids['open', 'third']}&system={ids['open', '<second>']}").text
    metric = StructIoU(labels="base")
    found = compare({"third": WORST, "second": WORSE}, REFERENCE, metrics=[metric], n_resamples=100)
    difference = found.ranked_pairs[0].differences["struct_iou_sentence"]
    assert f"{difference.interval.value:.4f}" in page
    assert "routes &lt;second&gt;" in page
    assert "Failed parses" in page
    assert "By label" in page


def test_comparison_where_sentences_are_not_shown_tells_none(raw, ids):
    page = raw.get(f"/compare?system={ids['english', 'third']}&system={ids['english', '<second>']}").text
    metric = StructIoU(labels="base")
    difference = (
        metric.corpus_score(WORST, REFERENCE).sentence - metric.corpus_score(WORSE, REFERENCE).sentence
    )
    assert f"{difference:+.3f}".replace("-", "\N{MINUS SIGN}") in page
    assert re.search(r"p = [01]\.\d{3} by approximate randomisation", page)
    assert "does not show sentences" in page
    for word in ("barked", "By label", "Failed parses"):
        assert word not in page


def test_comparison_on_a_private_board_tells_no_more_than_the_board(raw, ids):
    page = raw.get(f"/compare?system={ids['secret', '<second>']}&system={ids['secret', 'first']}").text
    metric = StructIoU(labels="base")
    exact = metric.corpus_score(WRONG, SECRET).sentence - metric.corpus_score(REFERENCE, SECRET).sentence
    rows = raw.get("/table/secret.json").json()["entries"]
    told = {row["id"]: row["struct_iou_sentence"] for row in rows}
    difference = told[ids["secret", "<second>"]] - told[ids["secret", "first"]]
    words = re.sub("<[^>]*>", "", page).replace("\N{MINUS SIGN}", "-")
    assert re.search(rf"second&gt;[^:]* minus routes first[^:]*: {re.escape(f'{difference:+.1f}')}", words)
    assert difference < 0
    assert difference != pytest.approx(exact, abs=0.0005), "or this would not show that it is rounded"
    assert "private" in page
    for word in (f"{exact:+.3f}", "p = ", "xyzzy", "By label", "Failed parses"):
        assert word not in page


@pytest.mark.parametrize(
    "first, second, message",
    [
        pytest.param(
            ("open", "third"), ("english", "third"), "not submitted to the same benchmark", id="other"
        ),
        pytest.param(("open", "third"), ("open", "third"), "these are the same submission", id="same"),
        pytest.param(("open", "third"), None, "there is no such submission", id="unknown"),
    ],
)
def test_comparison_that_cannot_be(raw, ids, first, second, message):
    answer = raw.get(f"/compare?system={ids[first]}&system={ids.get(second, 'nothing')}")
    assert answer.status_code == 404
    assert message in answer.text


def test_page_of_a_system_tells_its_score_and_place(raw, ids):
    page = raw.get(f"/system/{ids['open', '<second>']}").text
    score = StructIoU(labels="base").corpus_score(WORSE, REFERENCE).sentence
    assert f"<b>{score:.4f}</b>" in page
    assert "<span>rank</span>" in page
    assert f'<option value="{ids["open", "first"]}">' in page
    assert f"/badge/{ids['open', '<second>']}.svg" in page
    assert "Rank history" in page


def test_health(raw):
    answer = raw.get("/health")
    assert answer.status_code == 200
    told = answer.json()
    assert (told["status"], told["problems"]) == ("ok", [])
    assert set(told["benchmarks"].values()) == {"ok"}


def test_health_of_a_board_that_does_not_score(settings):
    from leaderboard.health import check_health
    from leaderboard.service import Leaderboard

    well, told = check_health(Leaderboard(settings))
    assert not well
    assert told["problems"] == ["the thread that scores has ended; restart the server"]


def test_metrics_are_prometheus_text(raw, ids):
    from prometheus_client.parser import text_string_to_metric_families

    answer = raw.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    found = {family.name: family for family in text_string_to_metric_families(answer.text)}
    scored = {
        sample.labels["benchmark"]: sample.value
        for sample in found["structiou_submissions"].samples
        if sample.labels["state"] == "scored"
    }
    assert scored["open"] >= 3
    assert found["structiou_requests"].samples
    assert found["structiou_scoring"].samples[0].value == 1.0


def test_table_of_a_board_is_first_and_chosen_by_its_form(raw, ids):
    page = raw.get("/board?benchmark=open").text
    assert page.index('id="board"') < page.index("About this benchmark")
    assert '<svg class="interval"' in page
    assert "last updated 20" in page
    assert "failed parses" not in re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', page)
    chosen = raw.get("/board?benchmark=open&column=failed parses&column=date").text
    assert re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', chosen) == [
        "rank",
        "system",
        "failed parses",
        "date",
    ]


def test_ticking_other_than_two_systems(raw, ids):
    for chosen in ([], [ids["open", "first"]], [*ids.values()][:3]):
        answer = raw.get("/compare?" + "&".join(f"system={id_}" for id_ in chosen))
        assert answer.status_code == 404
        assert "tick two of them in the table" in answer.text


@pytest.mark.parametrize(
    "path", ["/nowhere", "/system/nothing", "/board?benchmark=none", "/static/x", "/docs"]
)
def test_pages_that_are_not_there(raw, path):
    assert raw.get(path).status_code == 404


def test_head_is_get_without_a_body(raw):
    for path in ("/", "/board", "/health"):
        answer = raw.http.head(path)
        assert (answer.status_code, answer.text) == (200, "")

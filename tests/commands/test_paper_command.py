"""`structiou paper`, through the command line."""

from __future__ import annotations

import json
import re
import sys

import pytest

from structiou_metric import StructIoU
from support.cli import failed, runner, succeeded
from support.extras import need
from support.paths import DATA

ENGLISH = str(DATA / "english.reference.mrg"), str(DATA / "english.prediction.txt")
HEBREW = str(DATA / "hebrew.reference.txt"), str(DATA / "hebrew.prediction.txt")


@pytest.fixture
def paper(capsys, tmp_path, monkeypatch):
    """Runs an experiment in an empty folder; returns the exit code and what was printed to both outputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return runner(capsys, "paper")


def figures(line):
    return [float(number) for number in re.findall(r"-?\d+\.\d+", line)]


def line_of(text, start):
    return next(line for line in text.splitlines() if line.startswith(start))


# ---- correlation -------------------------------------------------------------------------------


def test_correlation_text_and_json_agree(paper):
    need("scipy")
    command = ("correlation", *ENGLISH, "--labels", "base", "--bucket", "5", "--seed", "3")
    text = succeeded(paper(*command))
    found = json.loads(succeeded(paper(*command, "--json")))
    assert text.startswith("15 buckets of 5 sentences, seed 3\n")
    assert "sentences left out, not for ParsEval: 1\n" in text
    assert "too few for one more bucket: 4\n" in text
    assert [found[key] for key in ("n_buckets", "n_rest", "n_sentences")] == [15, 4, 80]
    assert found["n_left_out"] == {"parseval": 1, "struct_iou": 0}
    assert figures(line_of(text, "Spearman's rho"))[0] == pytest.approx(found["rho"], abs=1e-4)
    f1 = line_of(text, "ParsEval, F1").replace("F1", "")
    assert figures(f1)[0] == pytest.approx(found["figures"]["parseval"], abs=1e-4)
    assert all(signature in text for signature in found["signatures"].values())
    assert len(found["buckets"]) == 15
    assert {len(bucket["rows"]) for bucket in found["buckets"]} == {5}


def test_correlation_of_other_metrics_with_repeats(paper):
    need("scipy")
    command = ("correlation", *ENGLISH, "--bucket", "5", "--metric", "tedeval,tree_edit", "--repeats", "4")
    text = succeeded(paper(*command, "--rename", "1"))
    found = json.loads(succeeded(paper(*command, "--rename", "1", "--json")))
    assert list(found["signatures"]) == ["tedeval", "tree_edit"]
    assert "rename:1.0" in found["signatures"]["tree_edit"]
    assert len(found["rhos"]) == 4
    assert f"over 4 shuffles  {found['rho_mean']:.4f} ± {found['rho_sd']:.4f}" in text
    assert "is not two metrics" in failed(paper("correlation", *ENGLISH, "--metric", "parseval"), 2)


def test_correlation_with_a_parameter_file(paper, tmp_path):
    need("scipy")
    (tmp_path / "none.prm").write_text("LABELED 0\n")
    command = ("correlation", *ENGLISH, "--labels", "base", "--json")
    found = json.loads(succeeded(paper(*command, "-p", "none.prm")))
    assert "labeled:False" in found["signatures"]["parseval"]
    assert "No such file" in failed(paper(*command, "-p", "missing.prm"))


def test_correlation_refuses_too_few_sentences(paper):
    need("scipy")
    err = failed(paper("correlation", *HEBREW, "--unit", "char", "--variant", "spmrl"))
    assert err.startswith("structiou: both metrics can score 4 of 27 sentences, which make 0 buckets of 10;")


# ---- lengths -----------------------------------------------------------------------------------


def test_lengths_text_and_json_agree(paper):
    command = ("lengths", *ENGLISH, "--labels", "base", "--max", "10", "20", "100")
    lines = succeeded(paper(*command)).splitlines()
    found = json.loads(succeeded(paper(*command, "--json")))
    assert [point["max_words"] for point in found["points"]] == [10, 20, 100]
    for line, point in zip(lines[1:4], found["points"], strict=True):
        sentence, corpus = point["struct_iou_sentence"], point["struct_iou_corpus"]
        assert line.split()[:2] == [str(point["max_words"]), str(point["n_sentences"])]
        assert figures(line) == pytest.approx([sentence, corpus, sentence - corpus], abs=6e-5)
    assert found["points"][-1]["struct_iou_sentence"] == pytest.approx(found["struct_iou_sentence"])
    assert lines[-2:] == ["failed parses, score 0: 1", found["signature"]]


# ---- plots -------------------------------------------------------------------------------------


@pytest.mark.parametrize("experiment", ["correlation", "lengths"])
@pytest.mark.parametrize("suffix, start", [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_plots_are_written(paper, tmp_path, experiment, suffix, start):
    pytest.importorskip("matplotlib")
    plot = tmp_path / f"plot{suffix}"
    succeeded(paper(experiment, *ENGLISH, "--labels", "base", "--plot", plot))
    data = plot.read_bytes()
    assert data.startswith(start)
    if suffix == ".svg":
        assert b">STRUCT-IoU" in data
        succeeded(paper(experiment, *ENGLISH, "--labels", "base", "--plot", plot))
        assert plot.read_bytes() == data  # the same each time


@pytest.mark.parametrize("experiment", ["correlation", "lengths"])
def test_plots_of_other_formats_are_refused_before_the_work(paper, experiment):
    err = failed(paper(experiment, "missing.txt", "missing.txt", "--plot", "plot.gif"))
    assert "plot.gif: a plot is written as png or svg" in err


def test_plots_need_their_extra_before_the_work(paper, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    err = failed(paper("lengths", "missing.txt", "missing.txt", "--plot", "plot.png"))
    assert "a plot needs matplotlib: pip install 'structiou-metric[plot]'" in err


# ---- ambiguity ---------------------------------------------------------------------------------


def test_ambiguity_at_the_paper_size(paper):
    text = succeeded(paper("ambiguity", "--references", "3", "--random", "4"))
    assert text.startswith("N (P N){8}: 1,430 plausible trees, 3 of them in turn the reference; seed 1\n")
    assert figures(line_of(text, "plausible trees, lowest")) == [12.5] * 3 + [57.58] * 3
    notes = " ".join(text.split())
    assert (
        "prints 12.5 and 63.6 as the lowest for a plausible tree. Over all 1,430 it is 12.5 and 19/33"
        in notes
    )
    assert "prints 27.3 and 61.9 for random trees and one reference, which it does not show" in notes
    assert "below the average random one by ParsEval and by STRUCT-IoU" in notes
    assert "labels:ignore" in text


def test_ambiguity_small_says_nothing_of_the_paper(paper):
    text = succeeded(paper("ambiguity", "--n", "3", "--random", "20"))
    assert text.startswith("N (P N){3}: 5 plausible trees, each in turn the reference")
    assert "The paper" not in text
    # 7 tags and 2 of 6 brackets are shared at least.
    assert figures(line_of(text, "plausible trees, lowest")) == [33.33] * 3 + [69.23] * 3
    found = json.loads(succeeded(paper("ambiguity", "--n", "3", "--random", "20", "--json")))
    assert found["n_plausible"] == 5
    for metric, column in (("parseval", slice(0, 3)), ("struct_iou", slice(3, 6))):
        shown = figures(line_of(text, "random trees, average of 20"))[column]
        assert shown == pytest.approx(
            [100 * value for value in found["figures"][metric]["random_average"].values()], abs=0.006
        )


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        pytest.param(["--n", "1"], 1, "n must be from 2", id="too small"),
        pytest.param(["--n", "99"], 1, "to 12, not 99", id="too large"),
        pytest.param(["--references", "some"], 2, "'some' is not a whole number", id="references"),
    ],
)
def test_ambiguity_refuses(paper, arguments, code, message):
    assert message in failed(paper("ambiguity", *arguments), code)


# ---- tokenization ------------------------------------------------------------------------------


def test_tokenization_of_the_hebrew_files(paper, tmp_path):
    text = succeeded(paper("tokenization", *HEBREW, "-o", "split.txt"))
    found = json.loads(succeeded(paper("tokenization", *HEBREW, "--json")))
    assert "reference: 14 words split in 12 of 27 sentences\n" in text
    lines = [line for line in text.splitlines() if line.count("  ") > 2][1:]
    assert len(lines) == len(found["comparisons"]) == 5
    for line, comparison in zip(lines, found["comparisons"], strict=True):
        names = ("struct_iou_sentence", "struct_iou_corpus", "parseval_f1")
        assert figures(line) == pytest.approx([comparison[name] for name in names], abs=6e-5)
        assert line.endswith(f" {27 - comparison['n_incomparable']}")
    split = (tmp_path / "split.txt").read_text(encoding="utf-8").splitlines()
    assert len(split) == 27
    assert split[0] == "(FRAGQ (NP (SYN_WDT (DTT איזה)) (NP (SYN_NN (NN פצוע) (NN ים)))) (SYN_yyQM (yyQM ?)))"


def test_tokenization_repeats_the_study_with_a_second_prediction(paper, tmp_path):
    """The split reference, taken for what a parser made of the new tokens, scores as the two analyses do."""
    succeeded(paper("tokenization", *HEBREW, "-o", "parsed-split.txt"))
    found = json.loads(succeeded(paper("tokenization", *HEBREW, "parsed-split.txt", "--json")))
    by_pair = {(line["prediction"], line["reference"]): line for line in found["comparisons"]}
    own = by_pair["reference, split", "reference"]
    parsed = by_pair["parsed-split.txt", "reference"]
    assert parsed["struct_iou_sentence"] == own["struct_iou_sentence"]
    assert by_pair["parsed-split.txt", "reference, split"]["struct_iou_sentence"] == 1.0


# ---- all of them -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "experiment, option", [("correlation", "--plot"), ("lengths", "--plot"), ("tokenization", "-o")]
)
def test_a_file_that_cannot_be_written_is_refused_first(paper, monkeypatch, experiment, option):
    monkeypatch.setattr(StructIoU, "counter", lambda metric: pytest.fail("scored"))
    err = failed(paper(experiment, *HEBREW, option, "nowhere/x.png"))
    assert (
        err
        == "structiou: nowhere/x.png: No such file or directory; nor can its folder be read; check the path\n"
    )


def test_correlation_of_few_buckets_says_so(paper):
    need("scipy")

    def verdict(n_sentences):
        command = ("correlation", *ENGLISH, "--labels", "base", "--bucket", n_sentences)
        return line_of(succeeded(paper(*command)), "Spearman's rho")

    assert verdict(8).endswith(" (not to be trusted, with so few buckets)")  # 9 buckets
    assert "trusted" not in verdict(7)  # 11 buckets


@pytest.mark.parametrize("experiment", ["correlation", "lengths", "tokenization"])
def test_files_may_be_tables(paper, tmp_path, experiment):
    if experiment == "correlation":
        pytest.importorskip("scipy")
    trees = ["(S (NP (A a)) (VP (B b)))", "(S (NP (A a)) (NP (B b)))", "(S (NP (A a)) (VP (B c)))"]
    lines = [json.dumps({"gold": tree, "prediction": trees[0]}) for tree in trees[:2] * 2]
    (tmp_path / "both.jsonl").write_text("\n".join(lines) + "\n")
    options = ("--bucket", "1") if experiment == "correlation" else ()
    succeeded(paper(experiment, "both.jsonl", "both.jsonl", "--reference-column", "gold", *options))
    err = failed(paper(experiment, ENGLISH[0], "both.jsonl", "--reference-column", "gold"), 2)
    assert "is no table" in err

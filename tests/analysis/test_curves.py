"""Perturbation curves: points by hand and one by one, findings, tables and plots, the command."""

from __future__ import annotations

import json
from statistics import fmean, stdev
from xml.etree import ElementTree

import pytest

from bench.corpus import make_corpus, with_times
from structiou_metric import SegmentTree, StructIoU, TreeFormatError, TreeMismatchError, struct_iou
from structiou_metric.analysis import curves
from structiou_metric.analysis.curve_results import Curve, CurvePoint
from structiou_metric.analysis.curves import DELTAS, perturbation_curve
from structiou_metric.analysis.perturbation import KINDS, generator_for, perturb
from structiou_metric.commands.main import main
from structiou_metric.speech.silence import without_gaps
from support.extras import need

REFERENCES = [
    "(S (NP (DT the<0,1>) (NN dog<1,3>)) (VP (VB runs<3,4>) (RB off<4.5,5>)))",
    "(INTJ (UH yes<1.5,2>))",
    "(S (A a<0,1>) (X (B b<2,3>) (C c<3,3.5>)))",
]
PREDICTIONS = [
    "(S (NP (DT the<0,1>) (NN dog<1,3>) (VB runs<3,4>)) (VP (RB off<4.5,5>)))",
    "(INTJ (UH yes<1.5,2>))",
    "(S (X (A a<0,1>) (B b<2,3>)) (C c<3,3.5>))",
]
TRACES = (
    ["(S (NP (-NONE- *)) (VP (V go) (NP (N home))))", "(S (A a) (B b) (C ccc))"],
    ["(S (VP (V go) (NP (N home) (-NONE- *T*) (-NONE- *))))", "(S (X (A a) (B b)) (C ccc))"],
)


def small_curve(**options):
    return perturbation_curve(PREDICTIONS, REFERENCES, **{"deltas": [0, 0.4, 1], "repeats": 2, **options})


# -------------------------------------------------------------------------------------- the points


def test_curve_points_are_scores_of_perturbed_trees():
    curve = small_curve(seed=5)
    assert [(point.kind, point.delta) for point in curve.points] == [
        (kind, delta) for kind in KINDS for delta in (0.0, 0.4, 1.0)
    ]
    for point in curve.points:
        want = []
        for repeat in range(2):
            trees = [
                perturb(tree, point.kind, point.delta, generator_for(5, point.kind, point.delta, repeat, row))
                for row, tree in enumerate(PREDICTIONS)
            ]
            pairs = zip(trees, REFERENCES, strict=True)
            want.append(fmean(struct_iou(pred, ref, unit="time") for pred, ref in pairs))
            result = StructIoU(unit="time").corpus_score(trees, REFERENCES)
            assert point.figures["struct_iou_corpus"][repeat] == result.corpus
        assert point.scores == point.figures["struct_iou_sentence"] == pytest.approx(want, rel=1e-14)
        assert point.mean == pytest.approx(sum(want) / 2)
        assert point.deviation == pytest.approx(stdev(want))


def test_curve_by_hand():
    # All of delete at 1: S and W<0,2> against S, A<0,1>, B<1,2> give 1 + 0; the others share S only.
    curve = perturbation_curve(
        ["(S (A a<0,1>) (B b<1,2>))"], ["(S (A a<0,1>) (B b<1,2>))"], kinds=["delete"], deltas=[1], repeats=1
    )
    assert curve.points[0].scores == (2 * 1.5 / 5,)  # S, and A over two words has IoU 0.5
    assert curve.points[0].deviation == 0.0


@pytest.mark.parametrize("average", ["sentence", "corpus"])
def test_curve_headline_is_the_average_asked_for(average):
    point = small_curve(metric=StructIoU(unit="time", average=average)).points[1]
    assert point.scores == point.figures["struct_iou"] == point.figures[f"struct_iou_{average}"]
    assert point.figures["struct_iou_sentence"] != point.figures["struct_iou_corpus"]


@pytest.mark.parametrize("unit", ["word", "char"])
@pytest.mark.parametrize("options", [{}, {"drop": ()}, {"terminals": "flexible"}], ids=str)
def test_curve_at_zero_is_the_score_in_any_unit(unit, options):
    predictions, references = TRACES
    if options == {"drop": ()}:  # every word counts, so that there must be as many
        predictions, references = predictions[1:], references[1:]
    metric = StructIoU(unit=unit, **options)
    curve = perturbation_curve(predictions, references, metric=metric, deltas=[0])
    want = metric.corpus_score(predictions, references)
    assert curve.points[0].figures == {key: (value,) * 5 for key, value in want.figures.items()}


def test_curve_traces_take_no_room():
    # Over words as seconds, go<0,1> home<1,2>; splitting or merging a trace changes nothing else.
    curve = perturbation_curve(
        ["(S (X (-NONE- *) (V go)) (N home))"],
        ["(S (X (V go)) (N home))"],
        metric=StructIoU(unit="word"),
        kinds=["delete"],
        deltas=[0, 1],
        repeats=1,
    )
    # All three merged: (S (V *_go_home)) against S, X, V and N, where V has the IoU 1/2.
    assert [point.mean for point in curve.points] == [1.0, 2 * 1.5 / 6]


def test_curve_closes_gaps_on_both_sides():
    closed = [
        [without_gaps(SegmentTree.from_brackets(tree)) for tree in trees]
        for trees in (PREDICTIONS, REFERENCES)
    ]
    want = perturbation_curve(*closed, deltas=[0, 0.5], repeats=1)
    found = small_curve(gaps="close", deltas=[0, 0.5], repeats=1)
    assert found.points == want.points
    assert found.points != small_curve(deltas=[0, 0.5], repeats=1).points


def test_curve_draws_depend_on_nothing_but_their_names():
    whole = {(p.kind, p.delta): p.scores for p in small_curve(repeats=3).points}
    part = small_curve(kinds=["delete", "noise"], deltas=[0.4], repeats=2).points
    assert [point.scores for point in part] == [whole["delete", 0.4][:2], whole["noise", 0.4][:2]]
    assert small_curve(seed=1).points == small_curve().points != small_curve(seed=2).points


def test_curve_in_processes_is_the_same():
    assert small_curve(workers=2).as_dict() == small_curve().as_dict()


def test_curve_takes_processes_by_itself_where_there_is_enough_to_do(monkeypatch):
    asked, run = [], curves._run

    def run_here(scorer, draws, parser, processes):
        asked.append(processes)
        return run(scorer, draws, parser, 1)

    monkeypatch.setattr("structiou_metric.workers.usable_cores", lambda: 2)
    monkeypatch.setattr(curves, "_run", run_here)
    small_curve(workers="auto")
    monkeypatch.setattr(curves, "_MANY", 3 * 2 * 2 * len(KINDS))  # rows, levels above 0, repeats
    small_curve(workers="auto")
    monkeypatch.setattr(curves, "_MANY", curves._MANY + 1)
    small_curve(workers="auto")
    assert asked == [1, 2, 1]


def test_curve_calls_the_parser_here():
    calls = []

    def parse(words, times):  # a local function, which no other process could be given
        calls.append(words)
        return {"label": "FLAT", "children": words}

    found = small_curve(parser=parse, workers=2, deltas=[1], repeats=1)
    assert calls == [["the dog runs off"], ["a b c"]]
    scores = {point.kind: point.mean for point in found.points}
    assert scores["delete"] == pytest.approx(1 / 3)  # only "yes" was left as it is
    plain = {point.kind: point.mean for point in small_curve(deltas=[1], repeats=1).points}
    assert scores["noise"] == plain["noise"]
    assert found.signature.endswith("|delete:parser")


def test_curve_names_the_row_of_a_bad_parse():
    with pytest.raises(TreeFormatError, match=r"^predictions\[0\]: the parser's tree has 2 words for 1;"):
        small_curve(parser=lambda words, times: "(X a b)", deltas=[1])


# ----------------------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    "options, message",
    [
        ({"kinds": ["swap"]}, "unknown kind 'swap'"),
        ({"kinds": []}, "at least one kind of perturbation and one level"),
        ({"deltas": []}, "at least one kind of perturbation and one level"),
        ({"deltas": [0.5, float("nan")]}, "delta must be a number from 0 to 1, not nan"),
        ({"repeats": 0}, "repeats must be at least 1, not 0"),
        ({"gaps": "fill"}, "unknown gaps 'fill'; choose from keep, close"),
        ({"workers": 0}, "workers must be at least 1, or 'auto', not 0"),
    ],
    ids=str,
)
def test_curve_refuses_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        small_curve(**options)


def test_curve_puts_levels_in_order():
    curve = small_curve(kinds=["noise", "noise"], deltas=[1, 0.5, -0.0, 0.5])
    assert [(point.kind, point.delta) for point in curve.points] == [("noise", k) for k in (0.0, 0.5, 1.0)]
    assert "|deltas:0.0,0.5,1.0|" in curve.signature


def test_curve_refuses_what_the_metric_refuses():
    with pytest.raises(TreeMismatchError, match="predictions: 1 tree, references: 3 trees"):
        perturbation_curve(PREDICTIONS[:1], REFERENCES)
    with pytest.raises(
        TreeMismatchError, match=r"predictions\[0\] has 2 words and references\[0\] has 1 word"
    ):
        perturbation_curve(["(S (A a) (B b))"], ["(S (A a))"], metric=StructIoU())
    with pytest.raises(TreeFormatError, match=r"references\[0\]:1:7: this word has no time"):
        perturbation_curve(["(S (A a))"], ["(S (A a))"])


BAD = (
    ["(S (A a) (B b))", "(S (A a) (B b))", "(S (A", "()"],
    ["(S (A a) (B b))", "(S (A a))", "(S (A a))", "(S (A a))"],
)


@pytest.mark.parametrize("on_error, counts", [("zero", (4, 2, 0)), ("skip", (2, 0, 2))])
def test_curve_counts_what_cannot_be_compared(on_error, counts):
    metric = StructIoU(on_error=on_error)
    curve = perturbation_curve(*BAD, metric=metric, deltas=[0, 0.5], repeats=1)
    want = metric.corpus_score(*BAD)
    assert curve.points[0].figures == {key: (value,) for key, value in want.figures.items()}
    assert (curve.n_sentences, curve.n_zeroed, curve.n_skipped) == counts
    assert curve.problems == want.problems
    assert curve.as_dict()["problems"][0]["index"] == 1
    # At any level, the first pair is all that can score.
    assert all(0 < point.mean * counts[0] <= 1 for point in curve.points)


# ------------------------------------------------------------------------------------ what is shown


def made_up(**kinds):
    points = [
        CurvePoint.of(kind, level / 10, "toy", [{"toy": mean - 0.01}, {"toy": mean + 0.01}])
        for kind, means in kinds.items()
        for level, mean in enumerate(means)
    ]
    return Curve(points, n_sentences=7, n_zeroed=0, n_skipped=0, problems=[], signature="made up")


def test_findings_hold():
    curve = made_up(noise=[0.9, 0.85, 0.8], insert=[0.9, 0.8, 0.7], delete=[0.9, 0.6, 0.4])
    assert curve.findings() == [
        ("scores fall with δ: noise", True, "2 of 2 steps"),
        ("scores fall with δ: insert", True, "2 of 2 steps"),
        ("scores fall with δ: delete", True, "2 of 2 steps"),
        ("delete hurts most", True, "2 of 2 levels above 0"),
        ("noise hurts least", True, "2 of 2 levels above 0"),
    ]


def test_findings_do_not_hold():
    curve = made_up(delete=[0.9, 0.6, 0.6], noise=[0.9, 0.8, 0.5], insert=[0.9, 0.85, 0.8])
    assert curve.findings() == [
        (
            "scores fall with δ: delete",
            False,
            "1 of 2 steps; from δ = 0.1 to 0.2 it goes from 0.6000 to 0.6000",
        ),
        ("scores fall with δ: noise", True, "2 of 2 steps"),
        ("scores fall with δ: insert", True, "2 of 2 steps"),
        ("delete hurts most", False, "1 of 2 levels above 0; at δ = 0.2 noise does"),
        ("noise hurts least", False, "0 of 2 levels above 0; at δ = 0.1 insert does"),
    ]


def test_findings_need_something_to_compare():
    assert made_up(delete=[0.9]).findings() == []
    assert [finding.claim for finding in made_up(noise=[0.9, 0.8]).findings()] == [
        "scores fall with δ: noise"
    ]


def test_findings_depend_on_the_length_of_sentences():
    # A word alone has no inner boundary for noise to move, but can be split; the paper says that 39.7 %
    # of its utterances are such. In long sentences noise moves boundaries of phrases, too.
    means = {}
    for n_words in (1, 20):
        corpus = with_times(make_corpus(6, n_words=n_words, wrong_share=0.0), noise=0.0)
        curve = perturbation_curve(corpus.references, corpus.references, deltas=[1], repeats=1, gaps="close")
        means[n_words] = {point.kind: point.mean for point in curve.points}
    assert means[1]["noise"] == means[1]["delete"] == 1.0 > means[1]["insert"]
    assert means[20]["insert"] > means[20]["noise"] > means[20]["delete"]


def test_table_of_means_and_deviations():
    assert made_up(noise=[0.9, 0.85], delete=[0.9, 0.6]).table() == (
        "    δ            noise           delete\n"
        "    0  0.9000 ± 0.0141  0.9000 ± 0.0141\n"
        "  0.1  0.8500 ± 0.0141  0.6000 ± 0.0141\n"
    )


def test_as_dict_is_plain():
    result = json.loads(json.dumps(small_curve().as_dict()))
    assert result["points"][1] == {
        "kind": "noise",
        "delta": 0.4,
        "mean": fmean(result["points"][1]["struct_iou"]),
        "standard_deviation": stdev(result["points"][1]["struct_iou"]),
        **{key: list(values) for key, values in small_curve().points[1].figures.items()},
    }
    assert result["n_sentences"] == 3
    assert "|kinds:noise,insert,delete|deltas:0.0,0.4,1.0|repeats:2|seed:1|gaps:keep|" in result["signature"]


def test_plot_has_a_line_and_a_band_for_each_kind():
    need("matplotlib")
    curve = made_up(noise=[0.9, 0.85, 0.8], delete=[0.9, 0.6, 0.4])
    (axes,) = curve.plot("a title").axes
    assert [line.get_label() for line in axes.lines] == ["noise", "delete"]
    assert list(axes.lines[1].get_ydata()) == pytest.approx([0.9, 0.6, 0.4])
    low, high = axes.collections[1].get_paths()[0].get_extents().intervaly
    assert (low, high) == pytest.approx((0.4 - 0.02 / 2**0.5, 0.9 + 0.02 / 2**0.5))
    assert (axes.get_title(), axes.get_xlabel()) == ("a title", "perturbation level δ")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["noise", "delete"]


# ------------------------------------------------------------------------------------- the command


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    """Runs the command in a folder with the trees; returns the exit code and what was printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref.txt").write_text("\n".join(REFERENCES) + "\n")
    (tmp_path / "pred.txt").write_text("\n".join(PREDICTIONS) + "\n")

    def run(*args):
        try:
            code = main(["curve", "ref.txt", "pred.txt", *args])
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return run


def test_command_prints_table_and_findings(structiou):
    code, out, err = structiou("--deltas", "0, .4,1", "--repeats", "2", "--seed", "4")
    assert (code, err) == (0, "")
    curve = small_curve(seed=4)
    assert out.startswith(
        "STRUCT-IoU, sentence mean: mean ± standard deviation of 2 repeats\n" + curve.table()
    )
    for claim, holds, detail in curve.findings():
        assert f"{claim:<26}  {'yes' if holds else 'no'}: {detail}\n" in out
    caption = (
        "Other than in the paper, silences between words are kept and merged words are not parsed again."
    )
    assert out.endswith(f"sentences                         3\n{caption}\n{curve.signature}\n")


PARSER = """
def parse(words, times):
    leaves = [word.replace(" ", "_") for word in words]
    return "(S " + " ".join("(X " + leaf + ")" for leaf in leaves) + ")"
"""


def test_command_as_the_paper_does(structiou, tmp_path):
    (tmp_path / "flat.py").write_text(PARSER)
    options = ("--deltas", "0.4", "--repeats", "1", "--json")
    code, out, err = structiou(*options, "--as-paper", "--parser", "flat:parse")
    assert code == 0, err
    result = json.loads(out)
    assert "|gaps:close|delete:parser" in result["signature"]
    assert result["departures"] == []
    assert out == structiou(*options, "--gaps", "close", "--parser", "flat:parse")[1]
    code, out, _ = structiou(*options, "--as-paper", "--kinds", "noise,insert")
    assert (code, json.loads(out)["departures"]) == (0, [])
    code, out, _ = structiou(*options, "--kinds", "noise,insert")
    assert json.loads(out)["departures"] == ["silences between words are kept"]


def test_command_gives_json_for_all_levels(structiou):
    code, out, _ = structiou("--json", "--kinds", "noise", "--repeats", "1", "--average", "corpus")
    result = json.loads(out)
    assert code == 0
    assert [point["delta"] for point in result["points"]] == list(DELTAS) == [k / 10 for k in range(11)]
    assert result["points"][3]["struct_iou"] == result["points"][3]["struct_iou_corpus"]


def test_command_reads_tables(structiou, tmp_path, capsys):
    rows = [{"reference": ref, "prediction": pred} for ref, pred in zip(REFERENCES, PREDICTIONS, strict=True)]
    (tmp_path / "both.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    args = ("--deltas", "0.5", "--repeats", "1", "--json", "--workers", "2")
    assert main(["curve", "both.jsonl", *args]) == 0
    assert (0, capsys.readouterr().out, "") == structiou(*args)


def test_command_agrees_with_perturb(structiou, capsys, tmp_path):
    code, out, _ = structiou("--json", "--kinds", "insert", "--deltas", "0.4", "--repeats", "2")
    assert code == 0
    args = ["--kind", "insert", "--delta", "0.4", "--repeat", "1", "-o", "worse.txt"]
    assert main(["perturb", "pred.txt", *args]) == 0
    assert main(["score", "ref.txt", "worse.txt", "--unit", "time", "--json"]) == 0
    score = json.loads(capsys.readouterr().out)
    assert score["struct_iou"] == json.loads(out)["points"][0]["struct_iou"][1]


def test_command_draws(structiou, tmp_path):
    need("matplotlib")
    for name in ("curve.png", "curve.svg"):
        code, _, err = structiou("--deltas", "0,1", "--repeats", "2", "--plot", name)
        assert (code, err) == (0, "")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    svg = ElementTree.fromstring((tmp_path / "curve.svg").read_bytes())
    texts = {"".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"perturbation level δ", *KINDS} <= texts
    assert any("silences between words are kept" in text for text in texts)


@pytest.mark.parametrize(
    "args, code, message",
    [
        (("--deltas", "0,2"), 2, "argument --deltas: '2' is not a number from 0 to 1"),
        (
            ("--kinds", "noise,swap"),
            2,
            "argument --kinds: unknown kind 'swap'; choose from noise, insert, delete",
        ),
        (("--repeats", "0"), 2, "'0' is not a whole number from 1 on"),
        (("--plot", "curve.pdf"), 1, "curve.pdf: a plot is written as png or svg"),
        (("--as-paper",), 2, "give --parser MODULE:FUNCTION, or --kinds noise,insert"),
        (("--parser", "json:nothing"), 1, "--parser 'json:nothing': there is no 'nothing' in json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_command_refuses(structiou, args, code, message):
    got, out, err = structiou(*args)
    assert (got, out) == (code, "")
    assert message in err

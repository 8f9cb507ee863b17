"""The folder of a benchmark: every mistake in it is told, and nothing half right is served."""

from __future__ import annotations

import gzip
import re

import pytest

from leaderboard.benchmarks import load_benchmark
from leaderboard.catalogue import Catalogue
from leaderboard.people import Visitor
from leaderboard.ranking import rank_systems
from leaderboard.service import Leaderboard
from leaderboard.uploads import UploadError
from structiou_metric import StructIoU
from structiou_metric.metrics.parseval.metric import Parameters, Parseval
from support.paths import SPACE
from support.process import PATIENCE
from support.space_boards import DESCRIPTION, REFERENCE, WORSE, write_benchmark
from support.space_client import site_of

ANN = Visitor("ann", "x")


def test_load_benchmark(tmp_path):
    benchmark = load_benchmark(write_benchmark(tmp_path, "english"))
    assert (benchmark.name, benchmark.title, benchmark.language) == ("english", "Small English", "English")
    assert benchmark.metric.options.labels == "base"
    assert list(benchmark.metrics) == ["struct_iou", "parseval"]
    assert benchmark.metrics["parseval"] == Parseval(parameters="collins").for_ranking()
    assert benchmark.rank_by == "struct_iou_sentence"
    assert benchmark.show_sentences is False
    assert len(benchmark.read_reference()) == 3


def test_reference_may_be_packed(tmp_path):
    folder = write_benchmark(tmp_path, "english")
    (folder / "gold.txt").write_bytes(gzip.compress(("\n".join(REFERENCE) + "\n").encode()))
    assert len(load_benchmark(folder).read_reference()) == 3


def test_metrics_have_tables(tmp_path):
    folder = write_benchmark(tmp_path, "english", DESCRIPTION.replace("collins", "own.prm"))
    (folder / "own.prm").write_text("DEBUG 0\nLABELED 0\n", "utf-8")
    metrics = load_benchmark(folder).metrics
    assert metrics["struct_iou"] == StructIoU(labels="base")
    assert metrics["parseval"].options.parameters == Parameters(labeled=False)


def test_options_of_a_metric(tmp_path):
    options = 'variant = "spmrl"\ncount_empty = true\n'
    folder = write_benchmark(tmp_path, "english", DESCRIPTION.replace('parameters = "collins"\n', options))
    assert load_benchmark(folder).metrics["parseval"] == Parseval(
        variant="spmrl", count_empty=True, count_errors=True
    )


@pytest.mark.parametrize(
    "rank_by, key",
    [
        ("struct_iou", "struct_iou_sentence"),
        ("struct_iou_corpus", "struct_iou_corpus"),
        ("struct_iou_recall", "struct_iou_recall"),
        ("parseval", "parseval_f1"),
        ("parseval_f1", "parseval_f1"),
        ("parseval_recall", "parseval_recall"),
    ],
)
def test_rank_by_names_a_measure_or_a_metric(tmp_path, rank_by, key):
    folder = write_benchmark(tmp_path, "english", f'rank_by = "{rank_by}"\n{DESCRIPTION}')
    benchmark = load_benchmark(folder)
    assert benchmark.rank_by == key
    metric, measure = benchmark.ranking
    assert metric.MEASURES[key] is measure


@pytest.mark.parametrize("rank_by", ["struct_iou_precision", "parseval_precision"])
def test_leaving_trees_out_must_not_pay(tmp_path, rank_by):
    """Of two files, one with every other tree missing, precision says the same."""
    folder = write_benchmark(tmp_path, "english", f'rank_by = "{rank_by}"\n{DESCRIPTION}')
    with pytest.raises(ValueError, match=f"rank_by = '{rank_by}' does not count failed parses"):
        load_benchmark(folder)


@pytest.mark.parametrize(
    "change, message",
    [
        pytest.param(
            ('parameters = "collins"\n', "count_empty = false\n"),
            "metrics.parseval.count_empty: every sentence counts on a board; leave it out",
            id="empty",
        ),
        pytest.param(
            ('parameters = "collins"\n', "compat = true\n"),
            "EVALB leaves sentences out, which would pay in a ranking; leave compat out",
            id="quirks",
        ),
        pytest.param(("public = true", "publik = true"), "unknown key gold.publik", id="gold"),
        pytest.param(("public = true", "public = 1"), "gold.public must be true or false", id="gold kind"),
        pytest.param(("public = true", "max_empty = 2"), "a share from 0 to 1", id="share"),
        pytest.param(("public = true", "total = 0"), "gold.total must be 1 or more", id="total"),
        pytest.param(
            ("public = true }", "public = false }\nshow_sentences = true"),
            "show_sentences shows reference trees",
            id="shown",
        ),
        pytest.param(
            ("title", "titel"), "unknown key titel; choose from citation, description, documents", id="key"
        ),
        pytest.param(('title = "Small English"', ""), "the key title is missing", id="missing"),
        pytest.param(('"Small English"', "3"), "title must be a text", id="kind"),
        pytest.param(
            ("[metrics.parseval]", "show_sentences = 1\n[metrics.parseval]"),
            "must be true or false",
            id="truth",
        ),
        pytest.param(('title = "', "title = "), "benchmark.toml: ", id="toml"),
        pytest.param(
            ("[metrics.parseval]", 'rank_by = "speed"\n[metrics.parseval]'),
            "rank_by = 'speed'; choose from struct_iou_sentence, struct_iou_corpus, ",
            id="rank_by",
        ),
        pytest.param(
            ('[metrics.parseval]\nparameters = "collins"', 'rank_by = "parseval"'),
            "struct_iou_recall, or add the table of another metric, [metrics.NAME]",
            id="no parseval",
        ),
        pytest.param(
            ("[metrics.parseval]", 'rank_by = "parseval_tagging_accuracy"\n[metrics.parseval]'),
            "parseval_recall, or add",
            id="no figure to compare by",
        ),
        pytest.param(
            (DESCRIPTION[DESCRIPTION.index("[metrics.parseval]") :], "metrics = 3\n"),
            "metrics must be a table",
            id="metrics",
        ),
        pytest.param(
            ("[metrics.parseval]", "[metrics.bleu]\n[metrics.parseval]"),
            "unknown metric 'bleu'; choose from struct_iou, parseval",
            id="metric",
        ),
        pytest.param(
            ('[metrics.parseval]\nparameters = "collins"\n', "metrics.parseval = 3\n"),
            "metrics.parseval must be a table, [metrics.parseval]",
            id="no table of a metric",
        ),
        pytest.param(
            ('parameters = "collins"\n', "cutof = 3\n"),
            "unknown key metrics.parseval.cutof; choose from compat, count_empty, count_errors, "
            "parameters, trivial, variant",
            id="option of a metric",
        ),
        pytest.param(
            ('parameters = "collins"\n', 'on_error = "skip"\n'),
            "unknown key metrics.parseval.on_error",
            id="on_error of a metric",
        ),
        pytest.param(
            ('parameters = "collins"\n', 'variant = "evalc"\n'),
            "unknown variant 'evalc'; choose from evalb, spmrl",
            id="choice of a metric",
        ),
        pytest.param(
            ('parameters = "collins"\n', 'count_empty = "no"\n'),
            "metrics.parseval.count_empty must be true or false",
            id="flag of a metric",
        ),
        pytest.param(
            ('parameters = "collins"\n', "parameters = 3\n"),
            "metrics.parseval.parameters must be a text",
            id="file of a metric",
        ),
        pytest.param(
            ('labels = "base"', 'unit = "time"'),
            "metric 'parseval' has no meaning for the unit 'time': it compares words",
            id="undefined",
        ),
        pytest.param(('"collins"', '"-"'), "'-' is no file in this folder", id="standard input"),
        pytest.param(('"collins"', '"/dev/null"'), "'/dev/null' is no file in this folder", id="device"),
        pytest.param(('"collins"', '""'), "'' is no file in this folder", id="no name"),
        pytest.param(
            ('labels = "base"', "drop = 3"),
            "drop must be a list of labels, not 3; write []",
            id="drop of one",
        ),
        pytest.param(('"collins"', '"rollins"'), "'rollins' is no file in this folder", id="parameters"),
        pytest.param(('"collins"', '"gold.txt"'), "unknown keyword", id="no parameters"),
        pytest.param(("gold.txt", "none.txt"), "'none.txt' is no file in this folder", id="no reference"),
        pytest.param(("gold.txt", "../english/gold.txt"), "is no file in this folder", id="other folder"),
        pytest.param(("gold.txt", "/etc/passwd"), "'/etc/passwd' is no file in this folder", id="absolute"),
        pytest.param(("gold.txt", ""), "'' is no file in this folder", id="empty"),
        pytest.param(('labels = "base"', 'labels = "bass"'), "unknown labels 'bass'", id="option"),
        pytest.param(
            ('labels = "base"', 'average = "corpus"'), "unknown key metrics.struct_iou.average", id="average"
        ),
        pytest.param(
            ('labels = "base"', 'on_error = "zero"'), "unknown key metrics.struct_iou.on_error", id="on_error"
        ),
        pytest.param(('labels = "base"', "min_iou = 2"), "min_iou must be at least 0", id="min_iou"),
        pytest.param(('labels = "base"', 'drop = "TOP"'), "drop must be a list of labels", id="drop"),
        pytest.param(
            (
                '[metrics.parseval]\nparameters = "collins"\n\n[metrics.struct_iou]\nlabels = "base"',
                '[metrics.struct_iou]\nunit = "time"',
            ),
            "this word has no time",
            id="unit",
        ),
        pytest.param(
            ("[metrics.parseval]", 'layout = "square"\n[metrics.parseval]'),
            "unknown layout 'square'",
            id="layout",
        ),
    ],
)
def test_description_with_a_mistake(tmp_path, change, message):
    assert change[0] in DESCRIPTION
    folder = write_benchmark(tmp_path, "english", DESCRIPTION.replace(*change, 1))
    with pytest.raises(ValueError, match="english") as caught:
        load_benchmark(folder)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "trees, message",
    [
        pytest.param(["(S (A a)"], "this '(' is never closed", id="tree"),
        pytest.param([], "there are no trees in it", id="no tree"),
        pytest.param(["(S (A a))", "()"], "row 2 is empty", id="empty tree"),
        pytest.param(["(S (A a))", "", "(S (A a))"], "row 2 is empty", id="blank line"),
    ],
)
def test_reference_with_a_mistake(tmp_path, trees, message):
    folder = write_benchmark(tmp_path, "english")
    (folder / "gold.txt").write_text("".join(f"{tree}\n" for tree in trees), "utf-8")
    with pytest.raises(ValueError, match=r"gold\.txt") as caught:
        load_benchmark(folder)
    assert message in str(caught.value)


def test_description_that_is_not_utf8(tmp_path):
    folder = write_benchmark(tmp_path, "english")
    (folder / "benchmark.toml").write_bytes(b'title = "\xff"')
    with pytest.raises(ValueError, match=r"benchmark\.toml: "):
        load_benchmark(folder)


@pytest.mark.parametrize("name", ["English", "a b", "-x", "x" * 65, "é"])
def test_name_of_the_folder(tmp_path, name):
    with pytest.raises(ValueError, match="name the folder in small letters"):
        load_benchmark(write_benchmark(tmp_path, name))


def test_parameters_are_not_looked_for_elsewhere(tmp_path, monkeypatch):
    folder = write_benchmark(tmp_path, "english", DESCRIPTION.replace("collins", "own.prm"))
    (tmp_path / "own.prm").write_text("DEBUG 0\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"'own\.prm' is no file in this folder"):
        load_benchmark(folder)


def test_folder_without_benchmarks(tmp_path):
    (tmp_path / "x").mkdir()
    with pytest.raises(ValueError, match="there is no folder with a benchmark"):
        Catalogue(tmp_path)


def test_example_of_the_readme_loads(tmp_path):
    readme = (SPACE / "README.md").read_text("utf-8")
    (description,) = re.findall(r"^```toml\n(.*?)^```$", readme, flags=re.DOTALL | re.MULTILINE)
    folder = write_benchmark(tmp_path, "english", description)
    (folder / "gold.txt").rename(folder / "reference.txt")
    (folder / "own.prm").write_text("DEBUG 0\nLABELED 0\n", "utf-8")
    benchmark = load_benchmark(folder)
    assert benchmark.rank_by == "struct_iou_sentence"
    assert benchmark.metrics["parseval"].options.parameters == Parameters(labeled=False)


def test_benchmarks_of_the_space_load():
    catalogue = Catalogue(SPACE / "benchmarks")
    found = catalogue.benchmarks
    assert catalogue.broken == {}
    assert set(found) == {"english", "hebrew", "speech"}
    assert found["hebrew"].metric.options.unit == "char"


# ---- a benchmark that changes -------------------------------------------------------------------


def submit(board, rows):
    accepted = board.submit(ANN, "english", "x", "", "", ("\n".join(rows) + "\n").encode())
    return board.wait(accepted.id, PATIENCE)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            lambda folder: (folder / "gold.txt").write_text("\n".join(WORSE) + "\n"), id="reference"
        ),
        pytest.param(
            lambda folder: (folder / "benchmark.toml").write_text(DESCRIPTION.replace("base", "ignore")),
            id="options",
        ),
        pytest.param(
            lambda folder: (folder / "benchmark.toml").write_text(
                DESCRIPTION.replace("collins", "spmrl").replace(
                    "[metrics.parseval]", 'rank_by = "parseval"\n[metrics.parseval]'
                )
            ),
            id="ranking",
        ),
    ],
)
def test_change_of_a_benchmark_scores_all_again(settings, change):
    board = Leaderboard(settings)
    board.start()
    first = submit(board, REFERENCE)
    before = board.store.result(first.id)
    board.stop()
    change(settings.benchmarks / "english")
    board = Leaderboard(settings)
    assert [entry.old for entry in board.board("english")] == [True], (
        "old scores do not compare with new ones"
    )
    assert board.system(first.id)[1] is None
    board.start()
    try:
        board.wait(first.id, PATIENCE)
        (entry,) = board.board("english")
        assert not entry.old
        assert board.store.result(first.id)["setting"] != before["setting"]
    finally:
        board.stop()


def test_reference_of_another_length_fails_what_was_submitted(settings):
    board = Leaderboard(settings)
    board.start()
    first = submit(board, REFERENCE)
    board.stop()
    (settings.benchmarks / "english" / "gold.txt").write_text("\n".join(REFERENCE * 2) + "\n")
    board = Leaderboard(settings)
    board.start()
    try:
        done = board.wait(first.id, PATIENCE)
        assert done.state == "failed"
        assert board.board("english") == []
        assert submit(board, REFERENCE * 2).state == "scored"
    finally:
        board.stop()


def test_broken_reference_is_not_shown_to_submitters(board, settings):
    (settings.benchmarks / "english" / "gold.txt").write_text(
        "(S (SECRET (A xyzzy)))\n(S (SECRET xyzzy\n" + REFERENCE[0]
    )
    with pytest.raises(ValueError, match="this benchmark is being changed") as caught:
        board.submit(ANN, "english", "x", "", "", ("\n".join(REFERENCE) + "\n").encode())
    assert "xyzzy" not in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_removed_benchmark_takes_its_submissions_along(settings):
    board = Leaderboard(settings)
    board.start()
    first = submit(board, REFERENCE)
    board.stop()
    (settings.benchmarks / "english" / "benchmark.toml").unlink()
    board = Leaderboard(settings)
    with pytest.raises(ValueError, match="there is no such submission"):
        board.system(first.id)
    with pytest.raises(ValueError, match="there is no benchmark of that name"):
        board.board("english")


def test_rank_by_parseval_and_corpus(settings):
    for rank_by in ("parseval", "struct_iou_corpus"):
        path = settings.benchmarks / "english" / "benchmark.toml"
        path.write_text(f'rank_by = "{rank_by}"\n{DESCRIPTION}')
        board = Leaderboard(settings.model_copy(update={"data": settings.data / rank_by}))
        board.start()
        try:
            for system, rows in (("worse", WORSE), ("exact", REFERENCE), ("failed", ["()"] * 3)):
                accepted = board.submit(ANN, "english", system, "", "", ("\n".join(rows) + "\n").encode())
                board.wait(accepted.id, PATIENCE)
            assert [entry.submission.system for entry in board.board("english")] == [
                "exact",
                "worse",
                "failed",
            ]
        finally:
            board.stop()
    assert rank_systems(board.benchmark("english"), [], {}, exact=True) == ([], [])


@pytest.mark.parametrize(
    "said, gold, mine, other",
    [
        pytest.param(
            "blank",
            ["(S (A a) (B b))", "(S (A c))", "", "(S (B d))"],
            ["(S (A a))", "(S (B b) (A c))", "", "(S (B d))"],
            ["(S (A a))", "(S (B b) (A c))", "(S (B d))"],
            id="blank lines",
        ),
        pytest.param(
            "marks",
            ["# newdoc id = 1", "(S (A a) (B b))", "(S (A c))", "# newdoc id = 2", "(S (B d))"],
            ["# newdoc id = 1", "(S (A a))", "(S (B b) (A c))", "# newdoc id = 2", "(S (B d))"],
            ["# newdoc id = 1", "(S (A a))", "(S (B b) (A c))", "# newdoc id = 3", "(S (B d))"],
            id="marks",
        ),
    ],
)
def test_a_benchmark_of_documents(tmp_path, settings, said, gold, mine, other):
    description = DESCRIPTION.replace(
        "[metrics.parseval]", f'show_sentences = true\ndocuments = "{said}"\n[metrics.parseval]'
    )
    folder = write_benchmark(settings.benchmarks, "talks", description, gold)
    benchmark = load_benchmark(folder)
    assert (len(benchmark.read_reference()), benchmark.noun) == (2, "document")
    assert benchmark.setting() != benchmark._replace(documents="all").setting()
    board = Leaderboard(settings)
    board.start()
    try:
        accepted = board.submit(ANN, "talks", "mine", "", "", "\n".join(mine).encode())
        assert board.wait(accepted.id, PATIENCE).state == "scored"
        _, result, _ = board.system(accepted.id)
        kept = result["metrics"]["struct_iou"]
        assert kept["figures"]["struct_iou_sentence"] == pytest.approx((0.6 + 1.0) / 2)
        rows = board.store.result(accepted.id)["rows"]["struct_iou"]
        assert rows["columns"]["n_sentences_pred"] == [2, 1]
        assert "2 documents" in site_of(board).get("/board?benchmark=talks").text
        [(row, alignment), _] = board.worst_sentences(accepted.id, 2)
        assert (row, alignment.score) == (1, pytest.approx(0.6))
        with pytest.raises(UploadError):
            board.submit(ANN, "talks", "other", "", "", "\n".join(other).encode())
    finally:
        board.stop()


def test_an_unknown_way_to_part_documents_is_told(tmp_path):
    description = DESCRIPTION.replace("[metrics.parseval]", 'documents = "pages"\n[metrics.parseval]')
    with pytest.raises(ValueError, match="unknown way of parting documents 'pages'; choose from file, blank"):
        load_benchmark(write_benchmark(tmp_path, "talks", description))

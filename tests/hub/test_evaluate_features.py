"""What `evaluate` itself offers works with this metric: batches, processes, threads, pickles, files."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from structiou_metric import StructIoU, metric_path
from support.extras import need
from support.process import PATIENCE

need("evaluate")

A = "(S (A a) (B b))"
B = "(S (A a) (C b))"
PREDICTIONS = [A, A, "()", "(S (A a))"]
REFERENCES = [A, [B, "(T c d)"], A, "(S (A a))"]
SENTENCES = [1.0, 2 / 3, 0.0, 1.0]


def test_add_and_add_batch_and_compute_go_together(metric):
    metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    metric.add_batch(predictions=PREDICTIONS[1:2], references=REFERENCES[1:2])
    assert len(metric) == 2
    metric.add(prediction=PREDICTIONS[2], reference=REFERENCES[2])
    result = metric.compute(
        predictions=PREDICTIONS[3:], references=REFERENCES[3:], labels="exact", return_per_sentence=True
    )
    assert [row["struct_iou"] for row in result["sentences"]] == SENTENCES
    assert metric.compute(predictions=[A], references=[A])["n_sentences"] == 1


def test_keep_in_memory(load, tmp_path):
    metric = load(keep_in_memory=True)
    for _ in range(2):
        metric.add_batch(predictions=PREDICTIONS, references=REFERENCES)
        assert metric.compute()["struct_iou"] == sum(SENTENCES) / 4
    assert not list(tmp_path.rglob("*.arrow"))


def test_combine(evaluate, load):
    both = evaluate.combine({"one": load(experiment_id="one"), "two": load(experiment_id="two")})
    both.add(prediction=A, reference=B)
    both.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    result = both.compute(labels="ignore", return_per_sentence=True)
    assert result["one_struct_iou"] == result["two_struct_iou"]
    assert [row["struct_iou"] for row in result["one_sentences"]] == [1.0, 1.0, 1.0, 0.0, 1.0]
    alone = evaluate.combine([load(experiment_id="three")]).compute(predictions=[A], references=[A])
    assert alone["struct_iou"] == 1.0


def test_combine_of_the_same_metric_twice(evaluate, load):
    both = evaluate.combine([load(experiment_id="one"), load(experiment_id="two")])
    result = both.compute(predictions=[A], references=[B])
    assert result["struct_iou_0_struct_iou"] == result["struct_iou_1_struct_iou"] == 2 / 3


# ---- options that are given where the metric is loaded


def test_options_of_load_are_defaults(load):
    trees = {"predictions": ["(S (A aaa) (B b))"], "references": ["(S (A aaa b))"]}
    by_words, by_characters = (StructIoU(unit=unit).corpus_score(**trees).score for unit in ("word", "char"))
    assert by_words != by_characters
    metric = load(unit="char", on_error="skip", drop=iter(["X"]))
    for _ in range(2):
        result = metric.compute(**trees)
        assert result["struct_iou"] == by_characters
        assert result["signature"] == StructIoU(unit="char", on_error="skip", drop=["X"]).signature
    assert metric.compute(**trees, unit="word")["struct_iou"] == by_words
    assert metric.compute(**trees)["struct_iou"] == by_characters
    assert pickle.loads(pickle.dumps(metric)).compute(**trees)["struct_iou"] == by_characters


@pytest.mark.parametrize("unit", ["word", "char", "time"])
def test_name_of_a_configuration_is_a_unit(load, unit):
    tree = "(S (A aaa<0,1>) (B b<1,1.5>))"
    result = load(config_name=unit).compute(predictions=[tree], references=[tree])
    assert result["signature"] == StructIoU(unit=unit).signature
    assert load(config_name="default").compute(predictions=[A], references=[A])["struct_iou"] == 1.0


@pytest.mark.parametrize(
    "settings, kind, message",
    [
        pytest.param({"units": "char"}, TypeError, "unknown option 'units'; choose from unit,", id="name"),
        pytest.param({"unit": "chars"}, ValueError, "unknown unit 'chars'; choose from", id="value"),
        pytest.param(
            {"config_name": "mrpc"}, ValueError, "unknown configuration 'mrpc'; choose from", id="no"
        ),
        pytest.param(
            {"config_name": "char", "unit": "word"}, ValueError, "unit is both 'char' and", id="both"
        ),
        pytest.param({"predictions": [A]}, TypeError, "unknown option 'predictions'", id="rows"),
    ],
)
def test_load_refuses_what_it_does_not_know(load, settings, kind, message):
    with pytest.raises(kind) as caught:
        load(**settings)
    assert str(caught.value).startswith(message)


def test_settings_of_evaluate_itself(load):
    assert load(seed=3, timeout=5, keep_in_memory=True, unit="char").seed == 3


def test_combine_of_two_settings(evaluate, load):
    both = evaluate.combine({"labelled": load(config_name="word"), "bare": load(labels="ignore")})
    both.add_batch(predictions=[A], references=[B])
    result = both.compute()
    assert (result["labelled_struct_iou"], result["bare_struct_iou"]) == (2 / 3, 1.0)


def test_save(evaluate, metric, tmp_path, capfd):
    result = metric.compute(
        predictions=[*PREDICTIONS, "("],
        references=[*REFERENCES, A],
        on_error="zero",
        return_per_sentence=True,
        return_alignments=True,
    )
    path = evaluate.save(tmp_path / "result.json", **result)
    saved = json.loads(path.read_text())
    assert {name: saved[name] for name in result} == result


@pytest.mark.parametrize("name", ["pickle", "dill", "cloudpickle"])
def test_pickle(metric, name):
    library = pytest.importorskip(name)
    copy = library.loads(library.dumps(metric))
    assert copy.compute(predictions=[A], references=[B])["struct_iou"] == 2 / 3
    assert metric.compute(predictions=[A], references=[B])["struct_iou"] == 2 / 3


def test_errors_can_be_pickled(metric):
    with pytest.raises(ValueError, match="is never closed") as caught:
        metric.compute(predictions=["(S"], references=[A])
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_threads_with_an_object_each(load):
    metrics = [load(experiment_id=f"thread {i}") for i in range(4)]

    def score(i):
        scores = []
        for _ in range(5):
            metrics[i].add_batch(predictions=PREDICTIONS[:i], references=REFERENCES[:i])
            scores.append(metrics[i].compute(predictions=[A], references=[A])["struct_iou"])
        return set(scores)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(score, range(4)))
    assert found == [{sum([*SENTENCES[:i], 1.0]) / (i + 1)} for i in range(4)]


SHARE = """
import json, sys
import evaluate
rank, cache, path, rows = int(sys.argv[1]), *sys.argv[2:]
shares = [slice(0, 1), slice(1, 4), slice(4, 4)]
predictions, references = (column[shares[rank]] for column in json.loads(rows))
metric = evaluate.load(path, num_process=3, process_id=rank, experiment_id="run", cache_dir=cache)
metric.add_batch(predictions=predictions, references=references)
print(json.dumps(metric.compute(return_per_sentence=True)))
"""


def test_processes(start_python, hf_home, tmp_path):
    """Three processes, the last of them without a row."""
    rows = json.dumps([PREDICTIONS, REFERENCES])
    processes = [
        start_python(SHARE, rank, tmp_path / "metrics", metric_path(), rows, HF_HOME=hf_home)
        for rank in range(3)
    ]
    outputs = [process.communicate(timeout=PATIENCE) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], [err for _, err in outputs]
    first, *others = [json.loads(out) for out, _ in outputs]
    assert others == [None, None]
    assert [row["struct_iou"] for row in first["sentences"]] == SENTENCES
    assert first["references_used"] == [0, 0, 0, 0]
    assert first["n_multi_reference"] == 1
    assert first["signature"] == StructIoU().signature + "|references:best"

"""The options of the metric in a form, in links and in the API: all that is said of them is in `OPTIONS`."""

from __future__ import annotations

import pytest

from pages import controls
from pages.controls import DEFAULTS, OPTIONS, read_options, show_options
from structiou_metric import StructIoU
from structiou_metric.metrics.base import Option
from support.space_client import PREFIX

KINDS = {"choice": "radio", "number": "number", "labels": "textbox", "flag": "checkbox"}
PAIR = {name: option for name, option in StructIoU.OPTIONS.items() if not option.corpus}


def test_forms_have_every_option_that_matters_for_a_pair(raw):
    forms = [item for item in raw.config["components"] if item["props"].get("label") in StructIoU.OPTIONS]
    names = [item["props"]["label"] for item in forms]
    assert sorted(names) == sorted([*PAIR, *PAIR])  # two trees, and two files
    for item in forms:
        props = item["props"]
        option = PAIR[props["label"]]
        assert item["type"] == KINDS[option.kind]
        assert props["elem_id"] == f"option-{props['label']}"
        assert props["info"].startswith(option.help)
        assert props["value"] == DEFAULTS[props["label"]]
        if option.choices:
            assert [value for _, value in props["choices"]] == list(option.choices)


def test_events_take_the_options_in_their_order(raw):
    labels = {item["id"]: item["props"].get("label") for item in raw.config["components"]}
    for name, n_files in (("run", 2), ("score", 2)):
        event = raw.event(name, n_files + len(PAIR))
        inputs = next(item["inputs"] for item in raw.config["dependencies"] if item["id"] == event)
        assert [labels[number] for number in inputs[n_files:]] == list(PAIR)


def test_api_has_the_same_options(raw):
    listed = raw.get(f"{PREFIX}/info").json()["named_endpoints"]
    for name, after in (("/score_pair", {}), ("/score_files", {"per_sentence": False})):
        told = listed[name]["parameters"][2:]
        assert {item["parameter_name"]: item["parameter_default"] for item in told} == {**DEFAULTS, **after}
        assert [item["parameter_name"] for item in told] == [*PAIR, *after]


@pytest.mark.parametrize(
    "option",
    [
        pytest.param(Option("one", "which", choices=("one", "two")), id="choice"),
        pytest.param(Option(0.5, "how much", kind="number"), id="number"),
        pytest.param(Option(("A", ""), "which labels", kind="labels"), id="labels"),
        pytest.param(Option(True, "whether", kind="flag"), id="flag"),
    ],
)
def test_new_option_is_one_entry(monkeypatch, option):
    monkeypatch.setitem(DEFAULTS, "new", controls._as_shown(option, option.default))
    part = controls._add_option("new", option)
    assert part.get_block_name() == KINDS[option.kind]
    assert part.value == ("A ''" if option.kind == "labels" else option.default)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"unit": "char", "labels": "ignore", "terminals": "flexible"},
        {"min_iou": 0.25, "drop": ()},
        {"texts": "aligned"},
        {"drop": ("", "X")},
    ],
)
def test_metric_comes_back_from_the_form(options):
    metric = StructIoU(**options)
    shown = show_options(metric)
    assert list(shown) == list(OPTIONS)
    assert read_options(shown) == metric


def test_absent_options_have_their_defaults():
    assert read_options({}) == StructIoU()
    assert DEFAULTS["drop"] == "TOP ROOT S1 VROOT '' -NONE-"


@pytest.mark.parametrize(
    "values, message",
    [
        ({"average": "corpus"}, "unknown option 'average'; choose from unit, "),
        ({"unit": "mile"}, "unknown unit 'mile'"),
        ({"unit": "time", "texts": "aligned"}, "'aligned' is for words and characters"),
        ({"drop": ["TOP"]}, "drop must be labels with spaces between"),
    ],
)
def test_form_with_a_mistake(values, message):
    with pytest.raises(ValueError, match=message):
        read_options(values)

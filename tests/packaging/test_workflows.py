"""The workflows of the forge, as far as they can be checked without it."""

from __future__ import annotations

import re
import tomllib

import pytest

from support.extras import need
from support.paths import ROOT

need("yaml")

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PATHS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
VERSION = re.compile(r"v\d+(\.\d+\.\d+)?|release/v\d+")


def read(path):
    import yaml

    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def workflow(request):
    return read(request.param)


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_all_workflows_are_there():
    assert [path.stem for path in PATHS] == ["docs", "test", "wheels"]


def test_no_workflow_may_do_more_than_read_but_the_job_that_publishes(workflow):
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert "permissions" not in job or "environment" in job


def test_jobs_end(workflow):
    assert workflow["concurrency"]["group"]
    assert all(job["timeout-minutes"] <= 120 for job in workflow["jobs"].values())


def test_actions_are_pinned_to_versions(workflow):
    for step in steps(workflow):
        if "uses" in step:
            action, _, version = step["uses"].partition("@")
            assert VERSION.fullmatch(version), step["uses"]
            assert action.partition("/")[0] in ("actions", "pypa")
            if action == "actions/checkout":
                assert step["with"]["persist-credentials"] is False


def test_an_action_has_one_version_everywhere():
    used = {step["uses"] for path in PATHS for step in steps(read(path)) if "uses" in step}
    assert len(used) == len({name.partition("@")[0] for name in used})


def test_scripts_take_no_text_of_others(workflow):
    """An expression in a script is pasted into it unchecked, so scripts have none that others write."""
    assert [step["run"] for step in steps(workflow) if "${{" in step.get("run", "")] == []


def test_every_python_is_tested_and_declared():
    tested = read(ROOT / ".github" / "workflows" / "test.yml")["jobs"]["installed"]["strategy"]["matrix"]
    classifiers = re.findall(r"Python :: (3\.\d+)", "\n".join(SETTINGS["project"]["classifiers"]))
    assert tested["python"] == classifiers
    assert SETTINGS["project"]["requires-python"] == f">={classifiers[0]}"


def test_targets_of_make_are_there(workflow):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for step in steps(workflow):
        for target in re.findall(r"^make ([\w-]+)", step.get("run", ""), flags=re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_wheels_are_tested_by_files_that_are_there():
    wheels = SETTINGS["tool"]["cibuildwheel"]
    assert all((ROOT / name).exists() for name in wheels["test-sources"])
    named = re.findall(r"tests/\S+", wheels["test-command"])
    assert named
    assert all((ROOT / name).exists() for name in named)

"""What README and page of spaCy show: config and commands of the example project, snippets that run."""

from __future__ import annotations

import re
from inspect import signature

import pytest

from support.paths import EXAMPLE, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "spacy.md").read_text(encoding="utf-8")
SECTION = README[README.index("### spaCy") : README.index("### Speech")]


def test_readme_config_is_that_of_the_example_project():
    (shown,) = re.findall(r"```ini\n(.*?)```", SECTION, flags=re.DOTALL)
    assert shown == (EXAMPLE / "config.cfg").read_text(encoding="utf-8")


def test_readme_commands_are_those_of_the_example_project():
    """The tests of the plugin run the project itself."""
    (shown,) = re.findall(r"```sh\ncd tests/example_project\n(.*?)```", SECTION, flags=re.DOTALL)
    project = (EXAMPLE / "project.yml").read_text(encoding="utf-8")
    project = project.replace("${vars.english}", "../data/english.reference.mrg").replace("--why ", "")
    assert len(shown.splitlines()) == 2
    for command in shown.splitlines():
        assert f'- "{command}' in project


def test_page_of_spacy_runs():
    """All of its snippets in one process, one after another."""
    pytest.importorskip("spacy")
    names: dict[str, object] = {"__name__": "page"}
    snippets = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(snippets) == 3
    for snippet in snippets:
        exec(compile(snippet, "docs/spacy.md", "exec"), names)


def test_page_of_spacy_tells_the_options_of_the_component():
    pytest.importorskip("spacy")
    from spacy_structiou.component import make_struct_iou
    from spacy_structiou.scorer import make_struct_iou_scorer

    own, scorer_s = (
        signature(function).parameters.keys() for function in (make_struct_iou, make_struct_iou_scorer)
    )
    for option in {"prefix", *own - scorer_s - {"nlp"}}:
        assert f"`{option} = " in PAGE

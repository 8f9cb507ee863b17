"""The README shows the example project's config."""

from __future__ import annotations

import re

from support.paths import ROOT


def test_readme_config_is_that_of_the_example_project():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"```ini\n(.*?)```", readme, flags=re.DOTALL)
    project = (ROOT / "tests" / "example_project" / "config.cfg").read_text(encoding="utf-8")
    assert len(shown) == 1
    assert shown[0] in project

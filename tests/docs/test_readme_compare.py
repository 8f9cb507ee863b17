"""The README's example of comparing systems runs."""

from __future__ import annotations

import re

from support.extras import need
from support.paths import ROOT

need("numpy")

README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README[README.index("### Comparing systems") : README.index("### The paper's experiments")]


def test_readme_compare_example():
    (example,) = re.findall(r"```python\n(.*?)```", SECTION, flags=re.DOTALL)
    names = {}
    exec(compile(example, "README.md", "exec"), names)
    assert names["page"].startswith("<!DOCTYPE html>")

"""The README's examples for Hugging Face run."""

from __future__ import annotations

import re

import pytest

from support.extras import need
from support.paths import ROOT

need("evaluate")

README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README[README.index("### Hugging Face") : README.index("### spaCy")]
EXAMPLES = re.findall(r"```python\n(.*?)```", SECTION, flags=re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=["evaluate", "datasets"])
def test_readme_hugging_face_example(example, evaluate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})

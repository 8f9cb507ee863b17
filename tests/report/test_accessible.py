"""What axe-core finds on the pages of reports, light and dark: nothing serious or critical."""

from __future__ import annotations

import pytest

from support.axe import find_barriers
from support.browser import need_browser, open_browser
from support.paths import DATA

pytestmark = pytest.mark.slow
need_browser()
pytest.importorskip("numpy")
pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """By the command that writes it, a page of the bundled sentences; all that can be opened is open."""
    from structiou_metric.commands.main import main

    folder = tmp_path_factory.mktemp("reports")
    files = [str(DATA / name) for name in ("english.reference.mrg", "english.prediction.txt")]
    pages = {}
    for command, arguments in {"compare": [*files, files[0]], "why": files}.items():
        pages[command] = folder / f"{command}.html"
        assert main([command, "--labels", "base", "--html", str(pages[command]), *arguments]) == 0
    return pages


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_reports(reports, axe, scheme):
    found = {}
    with open_browser() as browser:
        for name, path in reports.items():
            page = browser.new_page(color_scheme=scheme)
            page.goto(path.as_uri())
            page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
            found[name] = find_barriers(page, axe)
            page.close()
    assert found == {name: [] for name in reports}

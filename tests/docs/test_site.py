"""The site is built strictly, tells every public name and every option of every door, and can be searched."""

from __future__ import annotations

import argparse
import ast
import html
import re
import subprocess
import sys
from importlib import import_module
from inspect import signature

import pytest

from structiou_metric import struct_iou
from structiou_metric.metrics import METRICS, metric_class
from support.browser import need_browser, open_browser
from support.extras import need
from support.pages import read_page
from support.paths import ROOT, SPACE

for library in ("furo", "myst_nb", "spacy", "sphinx"):
    need(library)

pytestmark = pytest.mark.slow

DOCS = ROOT / "docs"
PHONE = {"width": 390, "height": 844}


def build(source, folder):
    """Builds a site as `make docs` does, but for notebooks, which have tests of their own."""
    places = [str(source), str(folder / "html"), "-d", str(folder / "trees")]
    strict = ["-E", "-W", "--keep-going", "-q", "-D", "nb_execution_mode=off"]
    command = [sys.executable, "-m", "sphinx", "-b", "html", *places, *strict]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = build(DOCS, folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "html"


@pytest.fixture(scope="module")
def parts():
    """The modules that the site is made by."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        yield lambda name: import_module(f"parts.{name}")


@pytest.fixture(scope="module")
def browser():
    need_browser()
    with open_browser() as found:
        yield found


def told(site, page):
    """What a page has as code, such as the names of options."""
    text = (site / f"{page}.html").read_text(encoding="utf-8")
    codes = re.findall(r"<code.*?</code>", text, flags=re.DOTALL)
    return {word for code in codes for word in re.split(r",? ", html.unescape(re.sub(r"<.*?>", "", code)))}


def test_public_names_are_in_the_reference(site, parts):
    from sphinx.util.inventory import InventoryFile

    public = parts("public")
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    known = {name for kind, names in inventory.data.items() if kind.startswith("py:") for name in names}
    for module in public.public_modules():
        missing = {f"{module}.{name}" for name in public.names_of(module)} - known
        assert not missing


def test_what_is_undocumented_is_found(parts, monkeypatch):
    reference = parts("reference")
    assert list(reference.undocumented()) == []
    monkeypatch.setattr(struct_iou, "__doc__", None)
    assert list(reference.undocumented()) == ["structiou_metric.struct_iou"]


@pytest.mark.parametrize("link", ["[x](nowhere.md)", "[x](#nowhere)"])
def test_broken_links_fail(tmp_path, link):
    source = tmp_path / "docs"
    source.mkdir()
    for name in ("conf.py", "parts", "static"):
        (source / name).symlink_to(DOCS / name)
    (source / "index.md").write_text(f"# Index\n\n{link}\n", encoding="utf-8")
    done = build(source, tmp_path)
    assert done.returncode == 1
    assert "nowhere" in done.stderr


def test_options_of_commands(site, parts):
    found = told(site, "commands")
    for name, parser in parts("interfaces").parsers():
        for action in parser._actions:
            if not isinstance(action, argparse._HelpAction) and action.help != argparse.SUPPRESS:
                assert set(action.option_strings) <= found, (name, action.dest)


def test_options_and_figures_of_metrics(site):
    options, numbers = told(site, "options"), told(site, "numbers")
    for name in METRICS:
        metric = metric_class(name)
        assert metric.OPTIONS.keys() <= options
        assert {choice for option in metric.OPTIONS.values() for choice in option.choices} <= options
        assert metric.MEASURES.keys() <= numbers


def test_options_of_the_script(site):
    tree = ast.parse((SPACE / "struct_iou.py").read_text(encoding="utf-8"))
    (compute,) = (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "_compute"
    )
    names = {argument.arg for argument in [*compute.args.args, *compute.args.kwonlyargs]} - {"self"}
    assert {"unit", "confidence", "documents"} <= names <= told(site, "hub")


def test_options_of_spacy(site):
    import typer

    from spacy_structiou import TreebankCorpus
    from spacy_structiou.cli import structiou_cli
    from spacy_structiou.component import make_struct_iou

    found = told(site, "spacy")
    assert signature(make_struct_iou).parameters.keys() - {"nlp", "name"} <= found
    assert signature(TreebankCorpus).parameters.keys() <= found
    for command in typer.main.get_command(structiou_cli).commands.values():
        for option in command.params:
            assert {*option.opts, *option.secondary_opts} - {"--help"} <= found


def test_settings_of_the_space(site):
    card = (SPACE / "README.md").read_text(encoding="utf-8")
    names = set(re.findall(r"STRUCTIOU_[A-Z_]+", card))
    assert len(names) > 10
    page = (site / "space.html").read_text(encoding="utf-8")
    assert all(name in page for name in names)


def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(
            r"<(?:link|script|img|source|iframe)[^>]*(?:src|href)=\"(?:https?:)?//", text
        ), page


def test_pictures_of_the_readme_are_those_that_are_drawn(parts):
    for path, picture in parts("pictures").readme_pictures().items():
        assert path.read_text(encoding="utf-8") == picture, "write it again: make pages"
        assert f"docs/pictures/{path.name}" in read_page("README.md")


def test_search_finds_a_page(site, browser):
    """Without a server, as one who has only the folder."""
    from playwright.sync_api import expect

    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.get_by_role("textbox", name="Search").first.fill("leaf-ancestor")
    page.keyboard.press("Enter")
    expect(page.locator("#search-results li a", has_text="Which metric when").first).to_be_visible()
    page.locator("#search-results li a", has_text="Which metric when").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Which metric when")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_phone(site, browser, scheme):
    context = browser.new_context(viewport=PHONE, color_scheme=scheme)
    page = context.new_page()
    for name in ("index", "concepts", "options", "commands", "api/core", "speech-formats"):
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name
    context.close()

"""After `structiou register`, the bare name loads the metric; the real `evaluate` says what is loaded."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from structiou_metric import metric_path
from structiou_metric.commands.main import main
from structiou_metric.hub import register
from support.extras import need
from support.process import PATIENCE

pytestmark = pytest.mark.slow

need("evaluate")

LOAD = """
import evaluate
metric = evaluate.load("struct_iou")
print(metric.compute(predictions=["(S (A a) (B b))"], references=["(S (A a) (C b))"])["struct_iou"])
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A cache in which nothing is registered."""
    for name in ("HF_MODULES_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    return tmp_path / "hf"


@pytest.fixture
def loaded(evaluate, home):
    """Which copy `evaluate` would load."""

    def find():
        modules = evaluate.loading.init_dynamic_modules(hf_modules_cache=str(home / "modules"))
        factory = evaluate.loading.CachedEvaluationModuleFactory(
            "evaluate-metric--struct_iou", dynamic_modules_path=modules
        )
        return factory.get_module().hash

    return find


@contextmanager
def hub(answer):
    """A Hub on this machine that answers every request so; gives its address and what was asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            code, body = answer
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", '"1"')
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def test_bare_name_in_an_empty_folder(run_python, home):
    assert main(["register"]) == 0
    for _ in range(2):
        out, err = run_python(LOAD, HF_HOME=home)
        assert out == [str(2 / 3)]
        assert err.startswith("Using the latest cached version of the module")
    assert register.unregister() != []


def test_bare_name_when_nothing_is_registered(start_python, home):
    process = start_python(LOAD, HF_HOME=home)
    assert "FileNotFoundError" in process.communicate(timeout=PATIENCE)[1]


MISSING = """
import sys
sys.modules["structiou_metric"] = None
import evaluate
evaluate.load(sys.argv[1])
"""


def test_script_without_the_package_says_where_it_is(start_python, home, tmp_path):
    """As in an environment that has only `evaluate`, which loads the script from the Hub."""
    script = tmp_path / "struct_iou.py"
    script.write_bytes(Path(metric_path()).read_bytes())
    process = start_python(MISSING, script, HF_HOME=home)
    err = process.communicate(timeout=PATIENCE)[1]
    assert "you need to install the following dependencies['structiou_metric']" in err
    assert "'.[evaluate]' in a clone of the project, see https://aclanthology.org/" in err


def test_path_is_quiet(run_python, home):
    code = "import evaluate, structiou_metric\nevaluate.load(structiou_metric.metric_path())"
    assert run_python(code, HF_HOME=home) == ([], "")


def test_bare_name_online(run_python, home):
    """A Hub that does not know the name."""
    register.register()
    with hub((404, b"")) as (address, asked):
        out, _ = run_python(LOAD, HF_HOME=home, HF_ENDPOINT=address, HF_EVALUATE_OFFLINE=0)
    assert out == [str(2 / 3)]
    assert any("evaluate-metric/struct_iou" in path for path in asked)


def test_bare_name_online_loads_what_the_hub_has(run_python, home):
    """The risk that the card warns of: a Space of that name wins."""
    register.register()
    squatter = (
        Path(metric_path())
        .read_bytes()
        .replace(b"return library.score(", b"return {'struct_iou': 99} or dict(")
    )
    with hub((200, squatter)) as (address, _):
        out, _ = run_python(LOAD, HF_HOME=home, HF_ENDPOINT=address, HF_EVALUATE_OFFLINE=0)
    assert out == ["99"]


def test_space_on_the_hub(run_python, home):
    """The Space, under its owner's name, as the card tells."""
    with hub((200, Path(metric_path()).read_bytes())) as (address, asked):
        out, _ = run_python(
            LOAD.replace('"struct_iou")\n', '"owner/struct_iou", unit="char")\n', 1),
            HF_HOME=home,
            HF_ENDPOINT=address,
            HF_EVALUATE_OFFLINE=0,
        )
    assert out == [str(2 / 3)]
    assert any("spaces/owner/struct_iou" in path for path in asked)


def test_layout_is_that_of_evaluate(evaluate, home, tmp_path):
    """`evaluate` makes the same files for a metric from the Hub, and a lock."""
    register.register()
    modules = evaluate.loading.init_dynamic_modules(hf_modules_cache=str(tmp_path / "theirs" / "modules"))
    evaluate.loading._create_importable_file(
        local_path=metric_path(),
        local_imports=[],
        additional_files=[],
        dynamic_modules_path=modules,
        module_namespace="metrics",
        name="evaluate-metric/struct_iou",
        download_mode=None,
    )

    def layout(folder):
        found = set()
        for path in folder.rglob("*"):
            parts = ["<hash>" if len(part) == 64 else part for part in path.relative_to(folder).parts]
            if path.suffix != ".lock":
                found.add("/".join(parts))
        return found

    assert layout(home) == layout(tmp_path / "theirs")


def test_upgrade_and_downgrade(loaded, home, tmp_path, monkeypatch):
    for version in ("1.0", "2.0", "1.0"):
        script = tmp_path / f"{version}.py"
        script.write_text(f"# {version}\n")
        monkeypatch.setattr(register, "metric_path", lambda path=str(script): path)
        monkeypatch.setattr(register, "__version__", version)
        assert loaded_after_register(loaded)


def loaded_after_register(loaded):
    folder = register.register()
    return loaded() == os.path.basename(folder)


def test_registered_copy_is_newer_than_one_from_the_hub(evaluate, loaded, home, tmp_path):
    ours = os.path.basename(register.register())
    modules = evaluate.loading.init_dynamic_modules(hf_modules_cache=str(home / "modules"))
    script = tmp_path / "struct_iou.py"
    script.write_text("# theirs\n")
    _, theirs = evaluate.loading._create_importable_file(
        local_path=str(script),
        local_imports=[],
        additional_files=[],
        dynamic_modules_path=modules,
        module_namespace="metrics",
        name="evaluate-metric/struct_iou",
        download_mode=None,
    )
    copy = Path(modules, "metrics", "evaluate-metric--struct_iou", theirs, "struct_iou.py")
    os.utime(copy, (2e9, 2e9))
    assert loaded() == theirs
    register.register()
    assert loaded() == ours
    register.unregister()
    assert loaded() == theirs
    assert copy.read_text() == "# theirs\n"


def test_empty_folder_is_what_register_says_it_is(loaded, home):
    register.register()
    empty = home / "modules" / "evaluate_modules" / "metrics" / "evaluate-metric--struct_iou" / ("e" * 64)
    empty.mkdir()
    with pytest.raises(FileNotFoundError):
        loaded()
    with pytest.raises(FileExistsError):
        register.register()
    empty.rmdir()
    assert loaded_after_register(loaded)


FOLDERS = """
import importlib, json, os, sys
import evaluate.config
from structiou_metric.hub.register import modules_folder
for settings in json.loads(sys.argv[1]):
    for name in ("HF_HOME", "HF_MODULES_CACHE", "XDG_CACHE_HOME"):
        os.environ.pop(name, None)
    os.environ.update(settings)
    importlib.reload(evaluate.config)
    print(modules_folder() == os.path.abspath(evaluate.config.HF_MODULES_CACHE), modules_folder())
"""


def test_modules_folder_is_that_of_evaluate(run_python, home, tmp_path):
    settings = [
        {},
        {"XDG_CACHE_HOME": str(tmp_path / "xdg")},
        {"HF_HOME": "~/hf"},
        {"HF_HOME": "", "XDG_CACHE_HOME": str(tmp_path / "xdg")},
        {"HF_HOME": str(tmp_path / "hf"), "HF_MODULES_CACHE": str(tmp_path / "modules")},
        {"HF_MODULES_CACHE": "scripts"},
        {"HF_MODULES_CACHE": "~/modules"},
    ]
    lines, _ = run_python(FOLDERS, json.dumps(settings), HOME=tmp_path, HF_HOME=home)
    assert [line.split()[0] for line in lines] == ["True"] * len(settings)
    assert len(set(lines)) == len(settings)

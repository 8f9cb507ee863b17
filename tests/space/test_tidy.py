"""The folder of uploads and downloads, and the gate before it."""

from __future__ import annotations

import asyncio
import os
import stat
import time

import pytest

from gate import Gate
from pages.controls import read_file
from pages.downloads import write_download
from tidy import Tidier, make_folder


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    return make_folder(tmp_path / "data")


def test_make_folder_is_the_servers_own(tmp_path, uploads):
    assert os.environ["GRADIO_TEMP_DIR"] == str(uploads)
    assert uploads.parent == tmp_path / "gradio"
    assert stat.S_IMODE(uploads.stat().st_mode) == 0o700


def test_make_folder_of_somebody_else(tmp_path, monkeypatch, uploads):
    uploads.rmdir()
    (tmp_path / "elsewhere").mkdir()
    uploads.symlink_to(tmp_path / "elsewhere")
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    with pytest.raises(ValueError, match="belongs to somebody else; set GRADIO_TEMP_DIR"):
        make_folder(tmp_path / "data")


def test_write_download_keeps_equal_files_once(uploads):
    path = write_download("a.csv", ["x", "é"])
    assert path == write_download("a.csv", ["xé"])
    assert path != write_download("a.csv", ["y"])
    assert path.startswith(str(uploads))
    with open(path, "rb") as file:
        assert file.read() == "xé".encode()
    assert sum(item.is_file() for item in uploads.rglob("*")) == 2


def test_sweep_deletes_what_is_old(uploads):
    old, new = (write_download("a.csv", [text]) for text in ("old", "new"))
    broken_off = uploads / "tmpabc"
    broken_off.write_bytes(b"x" * 1000)
    hour_ago = time.time() - 3700
    for path in (old, os.path.dirname(old), broken_off):
        os.utime(path, (hour_ago, hour_ago))
    Tidier(uploads).sweep()
    assert [item for item in uploads.rglob("*") if item.is_file()] == [uploads / new]
    assert not os.path.exists(os.path.dirname(old)) or not os.listdir(os.path.dirname(old))


def test_sweep_follows_no_links(uploads, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x")
    os.utime(tmp_path / "kept" / "file", (0, 0))
    (uploads / "link").symlink_to(tmp_path / "kept")
    Tidier(uploads).sweep()
    assert (tmp_path / "kept" / "file").exists()


def test_tidier_knows_when_it_is_full(uploads):
    tidier = Tidier(uploads, most_bytes=100)
    tidier.note(60)
    assert not tidier.full
    tidier.note(60)
    assert tidier.full
    tidier.sweep()
    assert not tidier.full
    write_download("a.csv", ["x" * 200])
    tidier.sweep()
    assert tidier.full


def test_read_file_stays_in_the_folder(uploads, tmp_path):
    path = write_download("a.txt", ["(A a)"])
    assert read_file(path, "trees", 100) == b"(A a)"
    (tmp_path / "secret").write_text("x")
    link = uploads / "link"
    link.symlink_to(tmp_path / "secret")
    for outside in ("/etc/passwd", tmp_path / "secret", f"{uploads}/../secret", link, "http://x/y"):
        with pytest.raises(ValueError, match="upload the file itself"):
            read_file(str(outside), "trees", 100)
    os.unlink(path)
    with pytest.raises(ValueError, match="no longer there; choose the file again"):
        read_file(path, "trees", 100)
    for nothing in (None, "", []):
        with pytest.raises(ValueError, match="choose a file of trees"):
            read_file(nothing, "trees", 100)


# ---- the gate ----------------------------------------------------------------------------------


async def echo(scope, receive, send):
    """An app that answers how many bytes came."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message["body"])
        more = message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def ask(uploads, bodies, *, app=echo, path="/gradio_api/upload", method="POST", headers=(), tidier=None):
    """The messages that are sent back for a request with these pieces of a body; the limit is 1 MiB more."""
    sent = []
    waiting = [
        {"type": "http.request", "body": body, "more_body": k < len(bodies)}
        for k, body in enumerate(bodies, 1)
    ]

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    gate = Gate(app, limit=1000, tidier=tidier or Tidier(uploads))
    scope = {"type": "http", "path": path, "method": method, "headers": list(headers)}
    asyncio.run(gate(scope, receive, send))
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    return sent[0]["status"], sent[1]["body"], dict(sent[0]["headers"])


def test_gate_lets_through(uploads):
    assert ask(uploads, [b"ab", b"c"])[:2] == (200, b"3")


def test_gate_refuses_by_the_length_that_is_told(uploads):
    status, body, headers = ask(uploads, [], headers=[(b"content-length", b"9999999")])
    assert status == 413
    assert b"maximum allowed size" in body
    assert headers[b"connection"] == b"close"


@pytest.mark.parametrize("length", [b"", b"x", b"-5", b"10"])
def test_gate_counts_what_comes(uploads, length):
    status, _, _ = ask(uploads, [b"x" * 600_000] * 3, headers=[(b"content-length", length)])
    assert status == 413


def test_gate_has_the_last_word(uploads):
    async def hide(scope, receive, send):
        try:
            await echo(scope, receive, send)
        except Exception:  # as FastAPI does with errors of a body
            await send({"type": "http.response.start", "status": 400, "headers": []})
            await send({"type": "http.response.body", "body": b"bad"})

    assert ask(uploads, [b"x" * 600_000] * 3, app=hide)[0] == 413


def test_gate_closes_when_not_all_was_read(uploads):
    async def hasty(scope, receive, send):
        await receive()
        await send({"type": "http.response.start", "status": 400, "headers": []})
        await send({"type": "http.response.body", "body": b"bad"})

    assert ask(uploads, [b"x", b"y"], app=hasty)[2] == {b"connection": b"close"}
    assert ask(uploads, [b"x"], app=hasty)[2] == {}


def test_gate_takes_no_uploads_into_a_full_folder(uploads):
    tidier = Tidier(uploads, most_bytes=10)
    assert ask(uploads, [b"x" * 20], path="/gradio_api/upload", tidier=tidier)[0] == 200
    assert ask(uploads, [b"x"], path="/gradio_api/upload", tidier=tidier)[0] == 503
    assert ask(uploads, [b"{}"], path="/gradio_api/queue/join", tidier=tidier)[0] == 200

"""Requests to the Space, as programs and forms make them."""

from __future__ import annotations

import asyncio
import re
import secrets
import ssl
import time
from html import unescape
from html.parser import HTMLParser

from support.process import PATIENCE


def any_address():
    """Return an address of loopback that sent nothing so far."""
    return f"127.{1 + secrets.randbelow(250)}.{secrets.randbelow(250)}.{1 + secrets.randbelow(250)}"


class SpaceClient:
    """Calls addresses of a server.

    Args:
        url: The address of the server; or a client of starlette, which needs none.
        headers: Sent with every request.
        address: The address of this machine, such as 127.0.0.2, to be known by.
        token: The host's token.

    Attributes:
        seen: All that the server answered.
    """

    def __init__(self, url, headers=None, *, address=None, token=""):
        self.token = token
        self.seen = []
        if not isinstance(url, str):
            self.http = url
            return
        import httpx  # comes with Gradio

        # Reading the certificates of the web takes a while, and loopback has none.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        transport = httpx.HTTPTransport(verify=context, local_address=address)
        self.http = httpx.Client(base_url=url, timeout=PATIENCE, headers=headers, transport=transport)

    def close(self):
        self.http.close()

    def send(self, method, path, **options):
        answer = self.http.request(method, path, **options)
        self.seen.append(answer.text)
        return answer

    def get(self, path, **options):
        return self.send("GET", path, **options)

    def post(self, path, values, **options):
        """Call the interface for programs; return the answer's values, errors as their text."""
        answer = self.send("POST", path, json=values, **options)
        found = answer.json()
        return found["detail"] if set(found) == {"detail"} else found

    def form(self, path, values, files=(), **options):
        """Send a form; return the answer."""
        return self.send("POST", path, data=values, files=list(files) or None, **options)

    def submit(self, benchmark, system, rows, **more):
        """Submit and wait for the score; return what is known then, an error as its text."""
        name, _, phase = benchmark.partition("/")
        files = rows if isinstance(rows, dict) else {"predictions": text(rows)}
        body = {"benchmark": name, "phase": phase, "system": system, "files": files, **more}
        accepted = self.post("/api/submissions", body)
        if isinstance(accepted, str) or "id" not in accepted:
            return accepted
        found = accepted
        end = time.monotonic() + PATIENCE
        while found["state"] == "queued" and time.monotonic() < end:
            time.sleep(0.05)
            found = self.http.get(f"/api/submissions/{accepted['id']}").json()
        self.seen.append(str(found))
        return {**accepted, **found}

    def board(self, name, query=""):
        """Return the lines of a board."""
        return self.get(f"/table/{name}.json{query}").json()["entries"]

    def host(self, path="/host", values=None, method="POST", **options):
        """Call a page of the host with the token; return the answer."""
        headers = {"Authorization": f"Bearer {self.token}"}
        if values is None and not options:
            method = "GET"
        return self.send(method, path, data=values, headers=headers, **options)

    def act(self, action, *ids):
        """Do an action of the host to submissions; return the message."""
        return message_of(self.host("/host/act", {"action": action, "id": list(ids), "confirmed": "1"}))


def site_of(board, token="host-token"):
    """Return requests to the application of a leaderboard, in this process."""
    from starlette.testclient import TestClient

    from app import create_app

    async def create():
        """Create it in an event loop, as a server does; Gradio would leave one open."""
        return create_app(board)

    return SpaceClient(TestClient(asyncio.run(create())), token=token)


def text(rows):
    """Return the text of a file of trees."""
    return "".join(f"{row}\n" for row in rows)


def words_of(page):
    """Return the text of a page without its tags."""
    return unescape(re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", getattr(page, "text", page)))).strip()


def message_of(page):
    """Return the message of a form on a page: what was done, or what was wrong."""
    found = re.search(
        r'<(p|div) class="(?:done|error)" role="(?:status|alert)"[^>]*>(.*?)</\1>', page.text, re.DOTALL
    )
    assert found is not None, words_of(page)
    return words_of(found[2])


_LINKS = ("/", "?", "#", "https://", "http://")  # where ours lead to


class _Tags(HTMLParser):
    """Notes all by which a browser could be made to do something that our pages do not do."""

    def __init__(self):
        super().__init__()
        self.dangers = []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("img", "iframe", "object", "embed", "base", "image"):
            self.dangers.append(tag)
        if tag == "script" and not (values.get("src") or "").startswith("/static/"):
            self.dangers.append(tag)
        if tag == "meta" and "http-equiv" in values:
            self.dangers.append(tag)
        for name, value in attributes:
            if name.startswith("on") or name in ("srcdoc", "formaction"):
                self.dangers.append(f"{tag} {name}")
            if name in ("href", "xlink:href", "action", "src") and not (value or "").startswith(_LINKS):
                self.dangers.append(f"{tag} {name}={value}")
            if name in ("action", "src") and not (value or "").startswith("/"):
                self.dangers.append(f"{tag} {name}={value}")


def find_dangers(html):
    """Return the tags and attributes in some HTML that our pages do not have."""
    tags = _Tags()
    tags.feed(html)
    tags.close()
    return tags.dangers

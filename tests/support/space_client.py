"""Requests to the Space as somebody makes them who does not keep to its pages."""

from __future__ import annotations

import json
import secrets
import ssl
from html.parser import HTMLParser

from support.process import PATIENCE

PREFIX = "/gradio_api"


def any_address():
    """Return an address that sent nothing so far, as the server refuses an address after many faults."""
    return f"127.{1 + secrets.randbelow(250)}.{secrets.randbelow(250)}.{1 + secrets.randbelow(250)}"


class RawClient:
    """Calls any event of the app, private ones too, with any arguments.

    Args:
        url: Of the server.
        headers: Sent with every request.
        address: Of this machine, such as 127.0.0.2, to be known by.
        config: What the server tells of its events, if that is known.

    Attributes:
        seen: All that the server answered.
    """

    def __init__(self, url, headers=None, *, config=None, address=None):
        import httpx  # comes with Gradio

        # Reading the certificates of the web takes a while, and loopback has none.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        transport = httpx.HTTPTransport(verify=context, local_address=address)
        self.http = httpx.Client(base_url=url, timeout=PATIENCE, headers=headers, transport=transport)
        self.seen = []
        self.config = config or self.get("/config").json()

    def close(self):
        self.http.close()

    def get(self, path):
        """Any address of the server."""
        answer = self.http.get(path)
        self.seen.append(answer.text)
        return answer

    def event(self, name, n_inputs=None):
        """The number of the event of that function; if there are several, of one with so many inputs."""
        return next(
            item["id"]
            for item in self.config["dependencies"]
            if item["api_name"].rstrip("0123456789").rstrip("_") == name
            and n_inputs in (None, len(item["inputs"]))
        )

    def call(self, event, data, *, params=None, **body):
        """What an event returned, as a list; or the message of its error, or None if that is not told."""
        session = secrets.token_hex(8)
        text = json.dumps({"fn_index": event, "data": data, "session_hash": session, **body})
        return self.send(text, session, params)

    def send(self, text, session, params=None):
        """The same for a body as it is."""
        headers = {"Content-Type": "application/json"}
        answer = self.http.post(f"{PREFIX}/queue/join", content=text, headers=headers, params=params)
        if answer.status_code != 200:
            self.seen.append(answer.text)
            return answer.text
        with self.http.stream("GET", f"{PREFIX}/queue/data", params={"session_hash": session}) as stream:
            for line in stream.iter_lines():
                self.seen.append(line)
                message = json.loads(line.removeprefix("data:") or "{}")
                if message.get("msg") == "process_completed":
                    output = message["output"]
                    return output["data"] if message["success"] else output["error"]
        raise AssertionError("the server closed the stream")

    def upload(self, data, name="trees.txt"):
        """Uploads a file; returns what a box for files sends with an event."""
        answer = self.http.post(f"{PREFIX}/upload", files={"files": (name, data)})
        self.seen.append(answer.text)
        assert answer.status_code == 200, answer.text
        return file_value(answer.json()[0])


def file_value(path, **more):
    """What a box for files sends of a path on the server."""
    return {"path": path, "meta": {"_type": "gradio.FileData"}, **more}


_LINKS = ("?", "https://", "http://", "table/", "badge/", "compare/")  # where ours lead to


class _Tags(HTMLParser):
    """Notes whatever a browser could be made to do something by."""

    def __init__(self):
        super().__init__()
        self.dangers = []

    def handle_starttag(self, tag, attributes):
        if tag in (
            "script",
            "img",
            "iframe",
            "object",
            "embed",
            "form",
            "input",
            "base",
            "meta",
            "link",
            "image",
        ):
            self.dangers.append(tag)
        for name, value in attributes:
            if name.startswith("on") or name in ("srcdoc", "formaction", "src"):
                self.dangers.append(f"{tag} {name}")
            if name in ("href", "xlink:href") and not (value or "").startswith(_LINKS):
                self.dangers.append(f"{tag} {name}={value}")


def find_dangers(html):
    """Tags and attributes in some HTML that ours does not have."""
    tags = _Tags()
    tags.feed(html)
    tags.close()
    return tags.dangers

"""A small Hub on loopback: datasets that `huggingface_hub` can make, fill, list and download; signing in."""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

TOKEN = "hf_of_the_host"
CLIENT_ID, CLIENT_SECRET = "id-of-the-space", "secret-of-the-space"


class FakeHub:
    """Keeps datasets in memory, as a commit after the other.

    Attributes:
        files: By dataset, by path, the bytes.
        private: By dataset, whether it is private.
        commits: The messages of all commits.
        away: Whether all requests fail.
        callback: What the addresses begin with that signing in may lead to.
        codes: By what a Space gets for signing somebody in, who that is.
    """

    def __init__(self):
        self.files = {}
        self.private = {}
        self.commits = []
        self.away = False
        self.callback = ""
        self.codes = {}
        self.url = ""

    def commit_id(self):
        return hashlib.sha1(str(len(self.commits)).encode()).hexdigest()

    @functools.cached_property
    def key(self):
        """Signs who somebody is."""
        from joserfc.jwk import RSAKey  # comes with Authlib, as Gradio needs it for signing in

        return RSAKey.generate_key(2048, {"alg": "RS256", "use": "sig"}, auto_kid=True)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def do_GET(self):
        self._answer("GET")

    def do_HEAD(self):
        self._answer("HEAD")

    def do_POST(self):
        self._answer("POST")

    def _answer(self, method):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        hub = self.server.hub
        if hub.away:
            return self._send(503, {"error": "away"})
        if self.path.startswith(("/oauth/", "/.well-known/")):
            return self._sign_in(hub, urlsplit(self.path), dict(parse_qsl(body.decode())))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self._send(401, {"error": "no token"}, **{"X-Error-Code": "RepoNotFound"})
        path = unquote(urlsplit(self.path).path)
        if method == "POST" and path == "/api/repos/create":
            return self._create(hub, json.loads(body))
        if path.startswith("/api/datasets/"):
            owner, name, action, *_ = [*path.removeprefix("/api/datasets/").split("/"), "info"]
            return self._dataset(hub, f"{owner}/{name}", action, body)
        if path.startswith("/datasets/"):
            owner, name, _, _, file = path.removeprefix("/datasets/").split("/", 4)
            return self._resolve(hub, f"{owner}/{name}", file)
        return self._send(404, {"error": path})

    def _create(self, hub, asked):
        name = f"{asked.get('organization') or 'host'}/{asked['name']}"
        url = {"url": f"{hub.url}/datasets/{name}"}
        if name in hub.files:
            return self._send(409, {**url, "error": "You already created this dataset repo"})
        hub.files[name] = {}
        hub.private[name] = bool(asked.get("private")) or asked.get("visibility") == "private"
        return self._send(200, url)

    def _dataset(self, hub, name, action, body):
        if name not in hub.files:
            return self._send(404, {"error": "none"}, **{"X-Error-Code": "RepoNotFound"})
        files = hub.files[name]
        if action == "preupload":
            asked = json.loads(body)["files"]
            return self._send(
                200, {"files": [{**file, "uploadMode": "regular", "shouldIgnore": False} for file in asked]}
            )
        if action == "commit":
            for line in body.decode().splitlines():
                entry = json.loads(line)
                if entry["key"] == "header":
                    hub.commits.append(entry["value"]["summary"])
                elif entry["key"] == "file":
                    files[entry["value"]["path"]] = base64.b64decode(entry["value"]["content"])
                elif entry["key"] == "deletedFile":
                    del files[entry["value"]["path"]]
            url = f"{hub.url}/datasets/{name}/commit/{hub.commit_id()}"
            return self._send(200, {"commitUrl": url, "commitOid": hub.commit_id()})
        if action == "tree":
            listed = [
                {"type": "file", "path": path, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                for path, data in files.items()
            ]
            return self._send(200, listed)
        return self._send(
            200,
            {
                "id": name,
                "sha": hub.commit_id(),
                "private": hub.private[name],
                "siblings": [{"rfilename": path} for path in files],
            },
        )

    def _resolve(self, hub, name, file):
        data = hub.files.get(name, {}).get(file)
        if data is None:
            return self._send(404, {"error": "none"}, **{"X-Error-Code": "EntryNotFound"})
        headers = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', "X-Repo-Commit": hub.commit_id()}
        return self._send(200, data, **headers)

    def _sign_in(self, hub, url, posted):
        """OpenID Connect; the cookie `hub` is the user's name and how many seconds the token is for."""
        if url.path == "/.well-known/openid-configuration":
            places = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
            found = {key: f"{hub.url}/oauth/{place}" for key, place in places.items()}
            return self._send(200, {"issuer": hub.url, **found})
        if url.path == "/oauth/jwks":
            return self._send(200, {"keys": [hub.key.as_dict(private=False)]})
        if url.path == "/oauth/token":
            return self._send(*self._give_token(hub, posted))
        asked = dict(parse_qsl(url.query))
        if asked["client_id"] != CLIENT_ID or not asked["redirect_uri"].startswith(hub.callback):
            return self._send(400, {"error": "invalid_request"})
        code = secrets.token_hex()
        hub.codes[code] = *self.headers["Cookie"].removeprefix("hub=").split(":"), asked["nonce"]
        answer = urlencode({"code": code, "state": asked["state"]})
        return self._send(302, {}, Location=f"{asked['redirect_uri']}&{answer}")

    def _give_token(self, hub, posted):
        from joserfc import jwt

        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        if self.headers["Authorization"] != f"Basic {basic}" or posted["code"] not in hub.codes:
            return 401, {"error": "invalid_client"}
        user, seconds, nonce = hub.codes.pop(posted["code"])
        now = int(time.time())
        claims = {
            "iss": hub.url,
            "aud": CLIENT_ID,
            "sub": user,
            "nonce": nonce,
            "iat": now,
            "exp": now + 3600,
        }
        claims |= {"name": user.title(), "preferred_username": user, "profile": f"{hub.url}/{user}"}
        signed = jwt.encode({"alg": "RS256", "kid": hub.key.kid}, {**claims, "picture": ""}, hub.key)
        token = {"access_token": "hf_oauth", "token_type": "bearer", "scope": "openid profile"}
        return 200, {**token, "expires_in": int(seconds), "id_token": signed}

    def _send(self, status, content, **headers):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        if not isinstance(content, bytes):
            self.send_header("Content-Type", "application/json")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@contextlib.contextmanager
def serve_hub():
    """Serves a Hub without datasets."""
    hub = FakeHub()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.hub = hub
        server.daemon_threads = True
        hub.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()

"""Signing in with the Hub, and submitting as that user, against a real server and a Hub on loopback."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from support.extras import need
from support.fake_hub import CLIENT_ID, CLIENT_SECRET, serve_hub
from support.process import PATIENCE
from support.space_boards import REFERENCE, WORSE, write_benchmark
from support.space_client import RawClient
from support.space_server import SpaceServer

pytestmark = pytest.mark.slow

need("joserfc")
httpx = pytest.importorskip("httpx")
itsdangerous = pytest.importorskip("itsdangerous")

SPACE = "owner-board.hf.example"
SIGN_IN = "Sign in with Hugging Face"
REFUSED = "only signed-in users may submit"
QUOTA = "2 submissions in 24 hours are the most for a user"

# What somebody may say who wants to be ann: in the headers, and in the body of an event.
PROFILE = {"name": "Ann", "preferred_username": "ann", "username": "ann", "profile": "ann", "picture": ""}
SESSION = {"oauth_info": {"userinfo": PROFILE, "access_token": "hf_oauth"}}
NAMES = ("X-Forwarded-For", "X-Forwarded-User", "X-Forwarded-Preferred-Username", "X-Remote-User")
HEADERS = {**dict.fromkeys(NAMES, "ann"), "Authorization": "Bearer hf_oauth"}
BODIES = {
    "profile": PROFILE,
    "username": "ann",
    "oauth_token": "hf_oauth",
    "event_data": PROFILE,
    "session": SESSION,
    "request": {"username": "ann", "session": SESSION},
}


class _Proxy(httpx.HTTPTransport):
    """What stands before a Space: it ends TLS, and adds the visitor's address at the right end."""

    def __init__(self, url, address):
        super().__init__(verify=False)
        self._url, self._address = httpx.URL(url), address

    def handle_request(self, request):
        url, headers = request.url, request.headers.copy()
        if url.host == SPACE:
            url = url.copy_with(scheme="http", host=self._url.host, port=self._url.port)
            came = headers.get("X-Forwarded-For")
            headers["X-Forwarded-For"] = f"{came}, {self._address}" if came else self._address
        return super().handle_request(
            httpx.Request(
                request.method, url, headers=headers, stream=request.stream, extensions=request.extensions
            )
        )


class _Browser(RawClient):
    """A browser, of a user of the Hub or of nobody; at first it is not signed in to the Space."""

    def __init__(self, url, config, user=None, *, seconds=28800, address="9.9.9.9", headers=None):
        super().__init__(url, config=config)
        self.http.close()
        proxy = _Proxy(url, address)
        self.http = httpx.Client(
            base_url=f"https://{SPACE}", transport=proxy, headers=headers, timeout=PATIENCE
        )
        self.http.follow_redirects = True
        if user is not None:
            self.http.cookies.set("hub", f"{user}:{seconds}", domain="127.0.0.1")

    def sign_in(self):
        answer = self.http.get("/login/huggingface", params={"_target_url": "/?benchmark=english"})
        assert (answer.status_code, str(answer.url)) == (200, f"https://{SPACE}/?benchmark=english")
        return self

    def button(self):
        """What the button for signing in and out says."""
        return self.call(self.event("_check_login_status"), [])[0]["value"]

    def submit(self, system, rows=REFERENCE, *, more=(), **body):
        """What the page answers."""
        file = self.upload("\n".join(rows).encode())
        answer = self.call(self.event("send_file"), ["english", system, "", "", file, "", *more], **body)
        return answer if isinstance(answer, str) else answer[0]

    def owners(self):
        """By system, whose it is on the board."""
        table = self.call(self.event("show", 3), ["english", None, "all"])[1]
        return {row[1]: row[2] for row in table["value"]["data"]}


@pytest.fixture(scope="module")
def visit(tmp_path_factory):
    """Opens browsers at a Space that only users may submit to."""
    folder = tmp_path_factory.mktemp("oauth")
    write_benchmark(folder / "benchmarks", "english")
    browsers = []
    with serve_hub() as hub:
        hub.callback = f"https://{SPACE}/login/callback?"
        environment = {"SYSTEM": "spaces", "SPACE_ID": "owner/board", "SPACE_HOST": SPACE}
        environment |= {"OAUTH_CLIENT_ID": CLIENT_ID, "OAUTH_CLIENT_SECRET": CLIENT_SECRET}
        environment |= {"OAUTH_SCOPES": "openid profile", "OPENID_PROVIDER_URL": hub.url}
        settings = {"PROXIES": "127.0.0.1", "DAILY_PER_USER": 2, "DAILY_PER_ADDRESS": 100}
        server = SpaceServer(folder / "data", folder / "benchmarks", environment=environment, **settings)

        def open_browser(user=None, **options):
            config = browsers[0].config if browsers else None
            browsers.append(_Browser(server.url, config, user, **options))
            return browsers[-1]

        try:
            server.start()
            yield open_browser
        finally:
            for browser in browsers:
                browser.close()
            server.kill()


def test_user_owns_what_is_submitted(visit):
    browser = visit("ann")
    assert browser.button() == SIGN_IN
    assert REFUSED in browser.submit("early")
    assert browser.sign_in().button() == "Logout (ann)"
    assert "Accepted as" in browser.submit("ann's")
    owners = visit().owners()
    assert owners["ann's"] == "ann"
    assert "early" not in owners


def test_programs_submit_with_a_secret_of_the_user(visit):
    browser = visit("fred")
    make = browser.event("make_secret")
    assert "sign in first" in browser.call(make, [])[0]
    secret = re.search("<code>([^<]{32})</code>", browser.sign_in().call(make, [])[0])[1]
    program, trees = visit(), "\n".join(REFERENCE)
    values = ["english", "by program", trees, "", ""]
    assert REFUSED in program.call(program.event("submit"), [*values, ""])
    assert "this secret is nobody's here" in program.call(program.event("submit"), [*values, secret[:-1]])
    done = program.call(program.event("submit"), [*values, secret])[0]
    assert (done["owner"], "secret" in done) == ("fred", False)
    assert secret not in json.dumps(done)
    browser.call(make, [])
    assert "nobody's" in program.call(program.event("submit"), [*values, secret]), (
        "a new one voids the old one"
    )
    assert "nobody's" in program.call(program.event("withdraw"), [done["id"], secret, False])
    take_off = browser.event("take_off")
    assert "siou-error" in program.call(take_off, [done["id"], secret, False])[0]
    assert browser.call(take_off, [done["id"], "", False]) == ["<p>withdrawn: by program</p>"]
    assert "by program" not in visit().owners()
    assert browser.call(take_off, [done["id"], "", True]) == ["<p>back on the board: by program</p>"]
    assert visit().owners()["by program"] == "fred"


def test_request_of_a_foreign_page_is_not_the_user_s(visit):
    browser = visit("gina").sign_in()
    assert browser.button() == "Logout (gina)"
    browser.http.headers["Origin"] = "https://evil.example"
    answer = browser.call(browser.event("_check_login_status"), [])
    assert "this request comes from a page of somebody else" in answer
    browser.http.headers["Origin"] = f"https://{SPACE}"
    assert browser.button() == "Logout (gina)"


def test_signing_out(visit):
    browser = visit("bob").sign_in()
    answer = browser.http.get("/logout", params={"_target_url": "//elsewhere.example/"})
    assert (answer.status_code, str(answer.url)) == (200, f"https://{SPACE}/")
    assert browser.button() == SIGN_IN
    assert REFUSED in browser.submit("late")
    assert browser.sign_in().button() == "Logout (bob)"


def test_session_ends_with_the_token(visit):
    browser = visit("bob", seconds=-1).sign_in()
    assert browser.button() == SIGN_IN
    assert REFUSED in browser.submit("late")


def test_quota_counts_users_not_addresses(visit):
    here, there = visit("carl").sign_in(), visit("carl", address="8.8.8.8").sign_in()
    assert "Accepted as" in here.submit("first")
    assert "Accepted as" in there.submit("second", WORSE)
    for browser in (here, there, visit("carl", address="1.1.1.1").sign_in()):
        assert QUOTA in browser.submit("third")
    assert "Accepted as" in visit("dora").sign_in().submit("third")  # from carl's address
    assert here.owners().items() >= {"first": "carl", "second": "carl", "third": "dora"}.items()


@pytest.mark.parametrize("name", BODIES)
def test_nobody_becomes_a_user_by_a_claim(visit, name):
    browser = visit(headers=HEADERS, address=f"9.9.8.{list(BODIES).index(name)}")
    claim = {name: BODIES[name], "params": {"username": "ann"}}
    assert REFUSED in browser.submit("forged", **claim)
    assert "send_file takes 6 values" in browser.submit("forged", more=[None, PROFILE], **claim)
    trees = "\n".join(REFERENCE)
    assert REFUSED in browser.call(browser.event("submit"), ["english", "forged", trees, "", "", ""], **claim)


def test_nobody_becomes_another_user_by_a_claim(visit):
    browser = visit("eve", headers=HEADERS).sign_in()
    assert "send_file takes 6 values" in browser.submit("eve's", more=[None, PROFILE], **BODIES)
    assert "Accepted as" in browser.submit("eve's", **BODIES)
    assert browser.owners()["eve's"] == "eve"


@pytest.mark.parametrize("secret", ["", "-v4", f"{CLIENT_ID}-v4"])
def test_session_cannot_be_made_up(visit, secret):
    key = hashlib.sha256(secret.encode()).hexdigest()
    browser = visit()
    cookie = itsdangerous.TimestampSigner(key).sign(base64.b64encode(json.dumps(SESSION).encode()))
    browser.http.cookies.set("session", cookie.decode(), domain=SPACE)
    assert browser.button() == SIGN_IN
    assert REFUSED in browser.submit("forged")


def test_nobody_is_signed_in_as_another_by_a_link(visit):
    eve, ann = visit("eve"), visit("ann")
    eve.http.follow_redirects = False
    link = eve.http.get(eve.http.get("/login/huggingface").headers["Location"]).headers["Location"]
    assert ann.http.get(link).status_code == 200
    assert ann.button() == "Logout (ann)"  # she was sent to the Hub again

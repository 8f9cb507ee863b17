"""Signing in with the Hub, and submitting as that user, against a real server and a Hub on loopback."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from support.extras import need
from support.fake_hub import CLIENT_ID, CLIENT_SECRET, serve_hub
from support.process import PATIENCE, wait_until
from support.space_boards import REFERENCE, WORSE, write_benchmark
from support.space_client import SpaceClient, words_of
from support.space_server import SpaceServer

pytestmark = pytest.mark.slow

need("joserfc")
httpx = pytest.importorskip("httpx")
itsdangerous = pytest.importorskip("itsdangerous")

SPACE = "owner-board.hf.space"
SIGN_IN = "Sign in with Hugging Face"
REFUSED = "only signed-in users may submit"
QUOTA = "2 submissions in 24 hours are the most for a user"

# What somebody may send who wants to be ann.
NAMES = ("X-Forwarded-For", "X-Forwarded-User", "X-Forwarded-Preferred-Username", "X-Remote-User")
HEADERS = {**dict.fromkeys(NAMES, "ann"), "Authorization": "Bearer hf_oauth"}
SESSION = {"oauth_info": {"userinfo": {"preferred_username": "ann"}, "expires_at": 9_999_999_999}}
CLAIMS = [{"username": "ann"}, {"user": "ann"}, {"owner": "ann"}, {"session": json.dumps(SESSION)}]


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


class _Browser(SpaceClient):
    """A browser, of a user of the Hub or of nobody; at first it is not signed in to the Space."""

    def __init__(self, url, user=None, *, seconds=28800, address="9.9.9.9", headers=None):
        proxy = _Proxy(url, address)
        super().__init__(
            httpx.Client(base_url=f"https://{SPACE}", transport=proxy, headers=headers, timeout=PATIENCE)
        )
        self.http.follow_redirects = True
        if user is not None:
            self.http.cookies.set("hub", f"{user}:{seconds}", domain="127.0.0.1")

    def sign_in(self):
        answer = self.http.get("/oauth/huggingface/login", params={"_target_url": "/board?by=x"})
        assert (answer.status_code, str(answer.url)) == (200, f"https://{SPACE}/board?by=x")
        return self

    def user(self):
        """Who is signed in, as the pages say."""
        found = re.search(r'<p class="user">(.*?)</p>', self.get("/board").text, re.DOTALL)
        return words_of(found[1]).partition(" ")[0] if SIGN_IN not in found[1] else ""

    def send_file(self, system, rows=REFERENCE, **more):
        """What the form answers."""
        values = {"benchmark": "english", "system": system, **more}
        return words_of(self.form("/submit", values, [("files", ("x.txt", "\n".join(rows).encode()))]))

    def owners(self):
        """By system, whose it is on the board."""
        return {row["system"]: row["owner"] for row in self.board("english")}


@pytest.fixture(scope="module")
def visit(tmp_path_factory):
    """Opens browsers at a Space that only users may submit to."""
    folder = tmp_path_factory.mktemp("oauth")
    write_benchmark(folder / "benchmarks", "english")
    browsers = []
    with serve_hub() as hub:
        hub.callback = f"https://{SPACE}/oauth/huggingface/callback?"
        environment = {"SYSTEM": "spaces", "SPACE_ID": "owner/board", "SPACE_HOST": SPACE}
        environment |= {"OAUTH_CLIENT_ID": CLIENT_ID, "OAUTH_CLIENT_SECRET": CLIENT_SECRET}
        environment |= {"OAUTH_SCOPES": "openid profile", "OPENID_PROVIDER_URL": hub.url}
        settings = {"PROXIES": "127.0.0.1", "DAILY_PER_USER": 2, "DAILY_PER_ADDRESS": 100}
        server = SpaceServer(folder / "data", folder / "benchmarks", environment=environment, **settings)

        def open_browser(user=None, **options):
            browsers.append(_Browser(server.url, user, **options))
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
    assert browser.user() == ""
    assert REFUSED in browser.send_file("early")
    assert browser.sign_in().user() == "ann"
    assert "was accepted as" in browser.send_file("ann's")
    wait_until(lambda: visit().owners().get("ann's") == "ann")  # a form does not wait for the score
    assert "early" not in visit().owners()


def test_programs_submit_with_a_secret_of_the_user(visit):
    browser = visit("fred")

    def make():
        return browser.form("/owner/secret", {"x": "x"}).text

    assert "sign in first" in make()
    browser.sign_in()
    secret = re.search('<code class="key">([^<]{32})</code>', make())[1]
    program = visit()
    assert REFUSED in program.submit("english", "by program", REFERENCE)
    assert "this secret is unknown here" in program.submit(
        "english", "by program", REFERENCE, secret=secret[:-1]
    )
    done = program.submit("english", "by program", REFERENCE, secret=secret)
    assert (done["owner"], "secret" in done) == ("fred", False)
    assert secret not in json.dumps(done)
    make()
    again = program.submit("english", "by program", REFERENCE, secret=secret)
    assert "unknown here" in again, "a new one voids the old one"

    def withdraw(who, **more):
        return words_of(who.form("/owner/withdraw", {"id": done["id"], **more}))

    assert "unknown here" in withdraw(program, key=secret)
    assert "only who made this submission may withdraw it" in withdraw(program)
    assert "withdrawn: by program" in withdraw(browser)
    assert "by program" not in visit().owners()
    assert "back on the board: by program" in withdraw(browser, undo="1")
    assert visit().owners()["by program"] == "fred"


def test_request_of_a_foreign_page_is_not_the_user_s(visit):
    browser = visit("gina").sign_in()
    browser.http.headers["Origin"] = "https://evil.example"
    assert "this request comes from the page of another site" in browser.send_file("x")
    browser.http.headers["Origin"] = f"https://{SPACE}"
    assert "was accepted as" in browser.send_file("gina's")


def test_signing_out(visit):
    browser = visit("bob").sign_in()
    answer = browser.http.get(
        "/oauth/huggingface/logout", params={"_target_url": "https://elsewhere.example/"}
    )
    assert (answer.status_code, browser.user()) == (400, "bob")
    answer = browser.http.get("/oauth/huggingface/logout", params={"_target_url": "/board"})
    assert (answer.status_code, str(answer.url)) == (200, f"https://{SPACE}/board")
    assert browser.user() == ""
    assert REFUSED in browser.send_file("late")
    assert browser.sign_in().user() == "bob"


def test_session_ends_with_the_token(visit):
    browser = visit("bob", seconds=-1).sign_in()
    assert browser.user() == ""
    assert REFUSED in browser.send_file("late")


def test_quota_counts_users_not_addresses(visit):
    here, there = visit("carl").sign_in(), visit("carl", address="8.8.8.8").sign_in()
    assert "was accepted as" in here.send_file("first")
    assert "was accepted as" in there.send_file("second", WORSE)
    for browser in (here, there, visit("carl", address="1.1.1.1").sign_in()):
        assert QUOTA in browser.send_file("third")
    assert "was accepted as" in visit("dora").sign_in().send_file("third")  # from carl's address


@pytest.mark.parametrize("number", range(len(CLAIMS)))
def test_nobody_becomes_a_user_by_a_claim(visit, number):
    browser = visit(headers=HEADERS, address=f"9.9.8.{number}")
    assert REFUSED in browser.send_file("forged", **CLAIMS[number])
    assert browser.http.post("/submit?username=ann", data={"benchmark": "english"}).status_code in (403, 422)
    body = {"benchmark": "english", "system": "forged", "files": {"x": "x"}}
    assert "Extra inputs are not permitted" in browser.post("/api/submissions", {**body, **CLAIMS[number]})
    assert REFUSED in browser.submit("english", "forged", REFERENCE)


def test_nobody_becomes_another_user_by_a_claim(visit):
    browser = visit("eve", headers=HEADERS).sign_in()
    assert "was accepted as" in browser.send_file("eve's", **CLAIMS[0])
    assert visit().submit("english", "x", REFERENCE) != "eve"
    assert browser.user() == "eve"


@pytest.mark.parametrize("secret", ["", "-v1", f"{CLIENT_ID}-v1"])
def test_session_cannot_be_made_up(visit, secret):
    key = hashlib.sha256(secret.encode()).hexdigest()
    browser = visit()
    cookie = itsdangerous.TimestampSigner(key).sign(base64.b64encode(json.dumps(SESSION).encode()))
    browser.http.cookies.set("session", cookie.decode(), domain=SPACE)
    assert browser.user() == ""
    assert REFUSED in browser.send_file("forged")


def test_session_that_is_signed_right_is_read(visit):
    """Or the test before would show nothing."""
    key = hashlib.sha256(f"{CLIENT_SECRET}-v1".encode()).hexdigest()
    browser = visit()
    cookie = itsdangerous.TimestampSigner(key).sign(base64.b64encode(json.dumps(SESSION).encode()))
    browser.http.cookies.set("session", cookie.decode(), domain=SPACE)
    assert browser.user() == "ann"


def test_nobody_is_signed_in_as_another_by_a_link(visit):
    eve, ann = visit("eve"), visit("ann")
    eve.http.follow_redirects = False
    login = eve.http.get("/oauth/huggingface/login", params={"_target_url": "/board"})
    link = eve.http.get(login.headers["Location"]).headers["Location"]
    assert ann.http.get(link).status_code == 200
    assert ann.user() == "ann"  # she was sent to the Hub again

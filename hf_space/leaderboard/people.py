"""Who does something here: visitors, their network addresses and secrets, and the host with a token."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_IPV6_PREFIX = 64  # the least that a customer of a provider has; single addresses would make quotas useless
_MAX_ADDRESS = 64
_MAX_WRONG = 20  # wrong tokens or secrets from one address before it has to wait
_WAIT_SECONDS = 600.0


class AccessError(ValueError):
    """An action that this visitor may not do."""


class Visitor(NamedTuple):
    """Somebody who sends a request.

    Attributes:
        user: The name on the Hub, or None for somebody who is not signed in.
        address: The network address.
    """

    user: str | None
    address: str


class Actor(NamedTuple):
    """Somebody who did something, for the log; a user called `host` is not the host.

    Attributes:
        kind: One of `ACTORS`.
        name: The name of the user or team, or the one that a visitor got; empty for the host and the server.
    """

    kind: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


ACTORS = ("host", "server", "user", "team", "visitor")
HOST, SERVER = Actor("host"), Actor("server")


# ---- network addresses -----------------------------------------------------------------------------


def read_networks(text: str) -> tuple[Network, ...]:
    """Return the addresses and networks of a text, which are separated by spaces or commas.

    >>> read_networks("10.0.0.0/8, 2001:db8::1")
    (IPv4Network('10.0.0.0/8'), IPv6Network('2001:db8::1/128'))
    """
    return tuple(ipaddress.ip_network(part) for part in text.replace(",", " ").split())


def find_address(peer: str, forwarded: str, proxies: Sequence[Network]) -> str:
    """Return the visitor's address.

    Every proxy adds the address that called it at the right end of `X-Forwarded-For`; what is further left
    came with the request, and may be invented. So the visitor is the last one that is not a proxy itself.
    Where the caller is no proxy that the host has named, the caller is the visitor.

    Args:
        peer: The address at the other end of the connection.
        forwarded: The header `X-Forwarded-For`.
        proxies: The networks of the proxies that are trusted.

    >>> find_address("10.1.2.3", "1.1.1.1, 9.9.9.9, 10.0.0.7", read_networks("10.0.0.0/8"))
    '9.9.9.9'
    """
    found = peer
    chain = [entry.strip() for entry in forwarded.split(",") if entry.strip()]
    while chain and is_in(found, proxies):
        found = chain.pop()
    return found


def is_in(address: str, networks: Sequence[Network]) -> bool:
    """Return whether an address belongs to one of some networks."""
    parsed = _parse(address)
    return parsed is not None and any(parsed in network for network in networks)


def network_of(address: str) -> str:
    """Return the network that counts as one address: an IPv4 address, or the IPv6 network of a customer.

    >>> network_of("2001:db8:1:2:3::4"), network_of("::ffff:192.0.2.1")
    ('2001:db8:1:2::/64', '192.0.2.1')
    """
    parsed = _parse(address)
    if parsed is None:
        return address[:_MAX_ADDRESS]
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, _IPV6_PREFIX), strict=False))
    return str(parsed)


def _parse(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address that may have a port; IPv4 within IPv6 is returned as IPv4."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


# ---- secrets ---------------------------------------------------------------------------------------


def new_secret() -> str:
    """Return a secret that cannot be guessed; only letters and digits, so that a shell needs no quotes."""
    return secrets.token_hex(16)


def hash_secret(secret: str) -> str:
    """Return the form in which a secret is stored; it is random and long, so that a plain hash does."""
    return hashlib.sha256(secret.strip().encode("utf-8", "surrogatepass")).hexdigest()


class Guesses:
    """Counts wrong guesses by address; after many of them, further ones from there are refused for a while.

    Other addresses are not affected, so that nobody can shut others out.

    Args:
        clock: A function that returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wrong: dict[str, list[float]] = {}  # times, by address
        self._lock = threading.Lock()

    def check(self, address: str) -> None:
        """Refuse an address with too many wrong guesses."""
        with self._lock:
            now = self._clock()
            self._wrong = {
                who: recent
                for who, times in self._wrong.items()
                if (recent := [time for time in times if time > now - _WAIT_SECONDS])
            }
            if len(self._wrong.get(address, ())) >= _MAX_WRONG:
                raise AccessError("too many wrong tokens; try again in some minutes")

    def add(self, address: str) -> None:
        """Count a wrong guess."""
        with self._lock:
            self._wrong.setdefault(address, []).append(self._clock())

    def __len__(self) -> int:
        return len(self._wrong)


class HostToken:
    """Compares tokens with the host's.

    Args:
        token: The right token, or None if nobody is the host.
        clock: A function that returns the time in seconds.
    """

    def __init__(self, token: str | None, clock: Callable[[], float]) -> None:
        self._token = token
        self.guesses = Guesses(clock)

    def check(self, token: Any, address: str) -> None:
        """Refuse everybody who does not have the token."""
        if self._token is None:
            raise AccessError("this leaderboard has no host token; set STRUCTIOU_ADMIN_TOKEN to use this")
        self.guesses.check(address)
        right = isinstance(token, str) and hmac.compare_digest(
            token.encode("utf-8", "surrogatepass"), self._token.encode("utf-8", "surrogatepass")
        )
        if not right:
            self.guesses.add(address)
            raise AccessError("this is not the host's token")

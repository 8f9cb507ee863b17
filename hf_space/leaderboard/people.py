"""Who asks: names of the Hub, and network addresses that cannot be made up."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_IPV6_PREFIX = 64  # what one customer has at least; single addresses would make quotas useless
_MAX_ADDRESS = 64


class Visitor(NamedTuple):
    """Who asks.

    Attributes:
        user: The name on the Hub, or None for somebody who is not signed in.
        address: The network address.
    """

    user: str | None
    address: str


def read_networks(text: str) -> tuple[Network, ...]:
    """The addresses and networks of a text with spaces or commas between.

    >>> read_networks("10.0.0.0/8, 2001:db8::1")
    (IPv4Network('10.0.0.0/8'), IPv6Network('2001:db8::1/128'))
    """
    return tuple(ipaddress.ip_network(part) for part in text.replace(",", " ").split())


def find_address(peer: str, forwarded: str, proxies: Sequence[Network]) -> str:
    """The visitor's address.

    Every proxy adds the address that called it at the right end of `X-Forwarded-For`; what stands further
    left came with the request, and may be made up. So the right one is the last that is not a proxy's own;
    and where the caller is no proxy that the host has named, it is the visitor.

    Args:
        peer: The address at the other end of the connection.
        forwarded: The header `X-Forwarded-For`.
        proxies: The networks of proxies whose word counts.

    >>> find_address("10.1.2.3", "1.1.1.1, 9.9.9.9, 10.0.0.7", read_networks("10.0.0.0/8"))
    '9.9.9.9'
    """
    found = peer
    chain = [entry.strip() for entry in forwarded.split(",") if entry.strip()]
    while chain and is_in(found, proxies):
        found = chain.pop()
    return found


def is_in(address: str, networks: Sequence[Network]) -> bool:
    """Whether an address belongs to one of some networks."""
    parsed = _parse(address)
    return parsed is not None and any(parsed in network for network in networks)


def network_of(address: str) -> str:
    """The network that counts as one address: all of an IPv6 network that a customer has, or an IPv4 address.

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
    """An address, perhaps with a port; IPv4 inside of IPv6 is IPv4."""
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


_MAX_WRONG = 20  # tokens from one address before it has to wait
_WAIT = 600.0  # seconds


class AccessError(ValueError):
    """An action that this visitor may not do."""


def new_secret() -> str:
    """A secret that cannot be guessed, to be told once; a shell takes it for no option and nothing else."""
    return secrets.token_hex(16)


def hash_secret(secret: str) -> str:
    """What is stored of a secret; it is random and long, so that a plain hash does."""
    return hashlib.sha256(secret.strip().encode("utf-8", "surrogatepass")).hexdigest()


class Guesses:
    """Counts wrong guesses; after many, whoever made them has to wait.

    Others are not shut out by them, so that nobody can keep them away.

    Args:
        clock: A function that tells the time in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wrong: dict[str, list[float]] = {}  # when, by address
        self._lock = threading.Lock()

    def check(self, address: str) -> None:
        """Refuses who guessed too often."""
        with self._lock:
            now = self._clock()
            self._wrong = {
                who: recent
                for who, times in self._wrong.items()
                if (recent := [time for time in times if time > now - _WAIT])
            }
            if len(self._wrong.get(address, ())) >= _MAX_WRONG:
                raise AccessError("too many wrong tokens; try again in some minutes")

    def note(self, address: str) -> None:
        """Counts a wrong guess."""
        with self._lock:
            self._wrong.setdefault(address, []).append(self._clock())

    def __len__(self) -> int:
        return len(self._wrong)


class HostToken:
    """Compares tokens with the host's; after many wrong ones it is shut for the address that they came from.

    Args:
        token: The right token, or None if there are no host's actions.
        clock: A function that tells the time in seconds.
    """

    def __init__(self, token: str | None, clock: Callable[[], float]) -> None:
        self._token = token
        self.guesses = Guesses(clock)

    def check(self, token: Any, address: str) -> None:
        """Refuses whoever does not have the token."""
        if self._token is None:
            raise AccessError("this leaderboard has no host token; set STRUCTIOU_ADMIN_TOKEN to use this")
        self.guesses.check(address)
        right = isinstance(token, str) and hmac.compare_digest(
            token.encode("utf-8", "surrogatepass"), self._token.encode("utf-8", "surrogatepass")
        )
        if not right:
            self.guesses.note(address)
            raise AccessError("this is not the host's token")

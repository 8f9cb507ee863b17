"""Who asks: names of the Hub, and network addresses that cannot be made up."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import NamedTuple

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
    while chain and _is_in(found, proxies):
        found = chain.pop()
    return found


def _is_in(address: str, networks: Sequence[Network]) -> bool:
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

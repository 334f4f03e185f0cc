"""Says of an address whether it is one of the public internet.

What is not public is listed by the special-purpose registries of IANA (RFC 6890 and its
successors); an IPv6 address that carries an IPv4 one (mapped, NAT64, 6to4, Teredo, ISATAP) counts
as what it carries.
"""

from __future__ import annotations

from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

_METADATA = {
    "169.254.169.254": "the cloud's metadata service",
    "169.254.170.2": "the cloud's credential service",
    "169.254.170.23": "the cloud's credential service",
    "169.254.169.253": "the cloud's name server",
    "168.63.129.16": "the cloud's host service",
    "100.100.100.200": "the cloud's metadata service",
    "192.0.0.192": "the cloud's metadata service",
    "fd00:ec2::254": "the cloud's metadata service",
    "fd20:ce::254": "the cloud's metadata service",
}
_IPV4 = (
    ("0.0.0.0/8", "this machine"),
    ("10.0.0.0/8", "a private network"),
    ("100.64.0.0/10", "a provider's inner network"),
    ("127.0.0.0/8", "this machine"),
    ("169.254.0.0/16", "the local link"),
    ("172.16.0.0/12", "a private network"),
    ("192.0.0.0/24", "a reserved range"),
    ("192.0.2.0/24", "a documentation range"),
    ("192.88.99.0/24", "a relay range"),
    ("192.168.0.0/16", "a private network"),
    ("198.18.0.0/15", "a benchmark range"),
    ("198.51.100.0/24", "a documentation range"),
    ("203.0.113.0/24", "a documentation range"),
    ("224.0.0.0/4", "a group address"),
    ("240.0.0.0/4", "a reserved range"),
)
_IPV6 = (
    ("::1/128", "this machine"),
    ("::/128", "this machine"),
    ("fc00::/7", "a private network"),
    ("fe80::/10", "the local link"),
    ("fec0::/10", "a private network"),
    ("ff00::/8", "a group address"),
    ("2001:db8::/32", "a documentation range"),
    ("3fff::/20", "a documentation range"),
    ("2001::/23", "a reserved range"),
    ("2002::/16", "a tunnel range"),
)


@cache
def _tables() -> tuple[
    list[tuple[IPv4Network, str]], list[tuple[IPv6Network, str]], IPv6Network, IPv6Network
]:
    return (
        [(IPv4Network(net), what) for net, what in _IPV4],
        [(IPv6Network(net), what) for net, what in _IPV6],
        IPv6Network("64:ff9b::/96"),
        IPv6Network("2000::/3"),
    )


def why_not_public(address: IPv4Address | IPv6Address) -> str:
    """What an address is when it is not of the public internet, in a few words; else empty."""
    known = _METADATA.get(str(address))
    if known:
        return known
    four, six, nat64, global_unicast = _tables()
    if isinstance(address, IPv4Address):
        return next((what for network, what in four if address in network), "")
    inner = _carried(address, nat64)
    if inner is not None:
        why = why_not_public(inner)
        if why or address in nat64 or address.ipv4_mapped:
            return why
    named = next((what for network, what in six if address in network), "")
    return named or ("" if address in global_unicast else "a reserved range")


def _carried(address: IPv6Address, nat64: IPv6Network) -> IPv4Address | None:
    """The IPv4 address inside an IPv6 one, None when there is none."""
    number = int(address)
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in nat64:
        return IPv4Address(number & 0xFFFFFFFF)
    if address.sixtofour is not None:
        return address.sixtofour
    if number >> 32 & 0xFDFFFFFF == 0x00005EFE:  # ISATAP, RFC 5214
        return IPv4Address(number & 0xFFFFFFFF)
    return None

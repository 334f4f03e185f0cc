"""Which hosts a command may name, and which addresses a name may lead to."""

from __future__ import annotations

import ipaddress
import re

from hermes_tui.errors import HermesError

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
WEB_PORTS = (80, 443)
NEVER_UNNAMED = frozenset([22, 23, 25, 465, 587, 139, 445, 3389])

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 sibling, all that is
# not plainly the public internet.
_CLOSED = tuple(
    ipaddress.ip_network(one)
    for one in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20",
        "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    )
)  # fmt: skip
_CLOUD_METADATA = ("168.63.129.16", "100.100.100.200", "fd00:ec2::254")


class NameRefusedError(HermesError):
    """A host name that is none, or an address nobody outside may be reached by."""


def host_name(text: str) -> str:
    """A host name in its one lower-case ASCII form; NameRefusedError for anything else.

    Addresses are no names: they would pass by what is granted by name.
    """
    name = text.strip().removesuffix(".")
    if not name.isascii():
        try:
            name = name.encode("idna").decode()
        except UnicodeError as error:
            raise NameRefusedError(f"{text!r} is no host name") from error
    name = name.lower()
    labels = name.split(".")
    if len(name) > 253 or not all(map(_LABEL.fullmatch, labels)):
        raise NameRefusedError(f"{text!r} is no host name")
    if _NUMBER.fullmatch(labels[-1]):
        raise NameRefusedError(f"{text} is an address, and only names are granted")
    return name


def is_public(address: str) -> bool:
    """Whether an address lies on the public internet, whatever form it is wrapped in."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    return address not in _CLOUD_METADATA and all(map(_is_open, _unwrapped(ip)))


def _unwrapped(ip: _Address) -> list[_Address]:
    """The address, and the IPv4 ones that are carried in it."""
    found: list[_Address] = [ip]
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return [ip.ipv4_mapped]
        if ip.sixtofour is not None:
            found.append(ip.sixtofour)
        if ip in ipaddress.ip_network("64:ff9b::/96"):
            found.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
    return found


def _is_open(ip: _Address) -> bool:
    return not any(ip.version == net.version and ip in net for net in _CLOSED)


class HostRule:
    """One granted host: `name`, `*.name` (all below it) or either with `:port`.

    Without a port it means the web's two. `upload`: much may be sent there as well.
    """

    def __init__(self, text: str, upload: bool = True) -> None:
        name, _, port = text.strip().partition(":")
        self.below = name.startswith("*.")
        self.host = host_name(name.removeprefix("*."))
        if port and not port.isdigit():
            raise NameRefusedError(f"{text!r} has no usable port")
        if self.below and "." not in self.host:
            raise NameRefusedError(f"{text!r} would cover half the internet")
        self.ports = (int(port),) if port else WEB_PORTS
        self.upload = upload

    def covers(self, host: str, port: int) -> bool:
        """Whether a name in its plain form, with this port, is meant."""
        named = host.endswith("." + self.host) if self.below else host == self.host
        return named and port in self.ports

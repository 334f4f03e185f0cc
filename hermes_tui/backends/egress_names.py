"""Which hosts a command may name, and which addresses a name may lead to."""

from __future__ import annotations

import ipaddress
import re

from hermes_tui.errors import HermesError
from hermes_tui.security.url_addresses import why_not_public

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
WEB_PORTS = (80, 443)
NEVER_UNNAMED = frozenset([22, 23, 25, 465, 587, 139, 445, 3389])


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
        return not why_not_public(ipaddress.ip_address(address))
    except ValueError:
        return False


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

"""Takes a URL apart the way browsers do (WHATWG) and refuses what other readers take differently.

A URL that two parsers read in two ways is a way around any check, so nothing is repaired here:
backslashes, control characters, percent signs in the host and missing slashes are refused.
"""

from __future__ import annotations

import unicodedata
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.security.secret_text import Pattern

_SCHEME = Pattern(r"([A-Za-z][A-Za-z0-9+.-]*):")
_PORTS = {"http": 80, "https": 443}
_LABEL = Pattern(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$")
_NUMBER = Pattern(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)$")


class BadUrlError(HermesError):
    """A URL that can't be used, or that can be read in more than one way."""


class Target(Struct, frozen=True, kw_only=True):
    """What a URL names. host: a name in small ASCII letters, or an address in its usual form.
    address: set when the host is one; other_readings: what readers take it for that know no octal
    numbers. odd: what a person should know, in a few words. url: the URL in its usual form.
    """

    scheme: str
    host: str
    port: int
    address: IPv4Address | IPv6Address | None = None
    other_readings: tuple[IPv4Address, ...] = ()
    odd: str = ""
    url: str = ""


def target_of(url: str) -> Target:
    """Take a URL apart; raises BadUrlError."""
    url = url.strip(" ")
    if any(c <= " " or c == "\x7f" for c in url):
        raise BadUrlError("it has a blank or a control character in it")
    scheme, rest = _scheme(url)
    if "\\" in rest.partition("?")[0].partition("#")[0]:
        raise BadUrlError("it has a backslash in it, which some take for a /")
    authority = rest
    for sign in "/?#":
        authority = authority.partition(sign)[0]
    if any(unicodedata.category(c) in _INVISIBLE for c in authority):
        raise BadUrlError("its host has an invisible character in it")
    user, at, place = authority.rpartition("@")
    odd = _check_user(user) if at else ""
    host, port = _split_port(place, _PORTS[scheme])
    address, name, strange = _host(host)
    return Target(
        scheme=scheme,
        host=name,
        port=port,
        address=address,
        other_readings=_decimal_reading(host) if isinstance(address, IPv4Address) else (),
        odd=odd or strange,
        url=f"{scheme}://{_written(address, name, port, scheme)}{rest[len(authority) :] or '/'}",
    )


_INVISIBLE = frozenset(("Cc", "Cf", "Zl", "Zp", "Zs", "Cs"))


def _scheme(url: str) -> tuple[str, str]:
    match = _SCHEME.re.match(url)
    if match is None:
        raise BadUrlError("it does not begin with http:// or https://")
    scheme = match[1].lower()
    if scheme not in _PORTS:
        raise BadUrlError(f"{scheme}: is no way to read the web")
    rest = url[match.end() :]
    if not rest.startswith("//") or rest.startswith("///"):
        raise BadUrlError(f"{scheme}: is not followed by // and a host")
    return scheme, rest[2:]


def _check_user(user: str) -> str:
    """A name and password before the host: odd, and a trick when it looks like a host."""
    if "@" in user or "%" in user or any(c in user for c in ".[]&"):
        raise BadUrlError("what is before the @ looks like a host")
    return "it has a user name or password in it"


def _split_port(place: str, usual: int) -> tuple[str, int]:
    if place.startswith("["):
        host, bracket, rest = place.partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise BadUrlError("the brackets of its address don't match")
        return host + "]", _port(rest[1:], usual)
    host, colon, port = place.partition(":")
    return host, _port(port, usual) if colon else usual


def _port(text: str, usual: int) -> int:
    if not text:
        return usual
    if not (text.isascii() and text.isdigit() and 0 < int(text[:6]) < 65536):
        raise BadUrlError("its port is not a number")
    return int(text)


def _host(text: str) -> tuple[IPv4Address | IPv6Address | None, str, str]:
    """(address or None, name, what is odd about it)."""
    if text.startswith("["):
        try:
            address = IPv6Address(text[1:-1])
        except (AddressValueError, ValueError) as error:
            raise BadUrlError("what is in its brackets is no address") from error
        if address.scope_id:
            raise BadUrlError("its address names a network card")
        return address, str(address), ""
    name, odd = _name(text)
    last = name.rpartition(".")[2]
    if _NUMBER.re.match(last):
        return _number(name)
    if not all(_LABEL.re.match(label) for label in name.split(".")) or len(name) > 253:
        raise BadUrlError("its host is no name and no address")
    return None, name, odd


def _name(text: str) -> tuple[str, str]:
    """A host name in ASCII, and what is odd about it."""
    if "%" in text:
        raise BadUrlError("its host has a % in it")
    folded = text.lower()
    odd = ""
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", folded).replace("\u3002", ".")
        if any(c < "\x80" and c not in text.lower() for c in folded):
            raise BadUrlError("its host is written in look-alike characters")
        odd = "its host mixes alphabets" if any(map(_mixed, folded.split("."))) else ""
        folded = _ascii(folded)
    name = folded.removesuffix(".")
    if not name or name.startswith(".") or name.endswith(".") or ".." in name:
        raise BadUrlError("its host is empty or has too many dots")
    return name, odd


def _ascii(name: str) -> str:
    """A name of letters beyond ASCII as look-ups need it (IDNA 2008, as browsers map it)."""
    import idna

    try:
        return idna.encode(name, uts46=True).decode("ascii")
    except idna.IDNAError as error:
        raise BadUrlError("its host is no name") from error


def _mixed(label: str) -> bool:
    alphabets = {unicodedata.name(c, "?").split(" ")[0] for c in label if c.isalpha()}
    return "LATIN" in alphabets and bool(alphabets & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})


def _number(name: str) -> tuple[IPv4Address, str, str]:
    """An IPv4 address in any of the spellings `inet_aton` takes: hex, octal, fewer parts."""
    parts = name.split(".")
    if len(parts) > 4:
        raise BadUrlError("its host is no address and no name")
    numbers: list[int] = []
    for part in parts:
        if not _NUMBER.re.match(part):
            raise BadUrlError("its host is no address and no name")
        numbers.append(_value(part))
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(parts)):
        raise BadUrlError("its host is no address: a number is too large")
    total = numbers[-1] + sum(n << 8 * (3 - at) for at, n in enumerate(numbers[:-1]))
    address = IPv4Address(total)
    usual = str(address) == name
    return address, str(address), "" if usual else "its address is written in an unusual way"


def _value(part: str) -> int:
    if part[:2] in ("0x", "0X"):
        return int(part[2:] or "0", 16)
    if len(part) > 1 and part[0] == "0":
        if not set(part) <= set("01234567"):
            raise BadUrlError("its address has a number that is no octal one")
        return int(part, 8)
    return int(part)


def _decimal_reading(host: str) -> tuple[IPv4Address, ...]:
    """The address that readers see who take numbers with leading zeros for decimal ones."""
    parts = host.removesuffix(".").split(".")
    if len(parts) != 4 or not all(part.isascii() and part.isdigit() for part in parts):
        return ()
    numbers = [int(part) for part in parts]
    return (IPv4Address(bytes(numbers)),) if max(numbers) < 256 else ()


def _written(address: IPv4Address | IPv6Address | None, name: str, port: int, scheme: str) -> str:
    host = f"[{name}]" if isinstance(address, IPv6Address) else name
    return host if port == _PORTS[scheme] else f"{host}:{port}"

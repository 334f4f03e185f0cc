"""One decision about URLs for everything that opens one: allow, ask or deny, with the reason.

A name is looked up more than once and every answer must be public: a name that changes between
the check and the connection is caught here, and whoever connects must use the address in the
verdict, not the name. Each redirect goes through the same check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Literal

from msgspec import Struct, structs

from hermes_tui.security.secret_names import strength
from hermes_tui.security.secret_text import is_placeholder, words
from hermes_tui.security.secrets import Redactor, contains_mask
from hermes_tui.security.url_addresses import why_not_public
from hermes_tui.security.url_hosts import BadUrlError, Target, target_of

MOST_REDIRECTS = 10
_USUAL_PORTS = frozenset((80, 443, 8000, 8080, 8443, 8888))
_LOCAL_ENDS = words(
    "localhost local localdomain internal intranet lan home corp private svc arpa onion"
)
_MOST_LOOKUPS = 4

Resolve = Callable[[str], Sequence[str]]


class UrlRules(Struct, frozen=True, kw_only=True):
    """What a person or the configuration settled.

    hosts: when not None, other hosts than these (and what is under `.name`) ask. local: exact
    `host:port` pairs that may be reached although they are not public. redactor: knows the
    secrets that must not leave.
    """

    hosts: frozenset[str] | None = None
    local: frozenset[str] = frozenset()
    redactor: Redactor | None = None


class Verdict(Struct, frozen=True, kw_only=True):
    """The decision. address: where to connect, and nowhere else. url: the URL in its usual form.

    host, port: as the URL names them; empty and 0 when it can't be read.
    """

    decision: Literal["allow", "ask", "deny"]
    reason: str
    address: str = ""
    host: str = ""
    port: int = 0
    url: str = ""


def check_url(url: str, resolve: Resolve, rules: UrlRules | None = None) -> Verdict:
    """Decide about one URL. resolve: the addresses of a name; may raise OSError."""
    rules = rules or UrlRules()
    try:
        target = target_of(url)
    except BadUrlError as error:
        return Verdict(decision="deny", reason=error.message)
    verdict = _reachable(target, resolve, rules)
    if verdict.decision == "deny":
        return verdict
    why = _carries(url, rules.redactor)
    if why and why[0] == "deny":
        return structs.replace(verdict, decision="deny", reason=why[1], address="")
    doubt = target.odd or (why[1] if why else "") or _unusual(target, rules)
    return structs.replace(verdict, decision="ask", reason=doubt) if doubt else verdict


def check_chain(
    url: str, redirects: Sequence[str], resolve: Resolve, rules: UrlRules | None = None
) -> Verdict:
    """Decide about a URL and all it redirects to: the strictest verdict of the chain."""
    if len(redirects) > MOST_REDIRECTS:
        return Verdict(decision="deny", reason=f"it redirects more than {MOST_REDIRECTS} times")
    worst = current = check_url(url, resolve, rules)
    for location in redirects:
        if current.decision == "deny":
            return current
        current = check_url(next_url(current.url, location), resolve, rules)
        if current.decision != "allow":
            current = structs.replace(current, reason=f"after a redirect: {current.reason}")
            worst = current if worst.decision == "allow" or current.decision == "deny" else worst
    return worst


def next_url(url: str, location: str) -> str:
    """Where a redirect leads, seen from the URL that redirects."""
    from urllib.parse import urljoin

    try:
        return urljoin(url, location.strip(" "))
    except ValueError:
        return location


def _reachable(target: Target, resolve: Resolve, rules: UrlRules) -> Verdict:
    """Allow with an address to connect to, or deny."""
    settled = f"{target.host}:{target.port}" in rules.local
    address = ""
    why = "" if settled else _local_name(target)
    if not why:
        addresses, why = _addresses(target, resolve, settled)
        address = "" if why else str(addresses[0])
    return Verdict(
        decision="deny" if why else "allow",
        reason=why or ("it was allowed by hand" if settled else "a public address"),
        address=address,
        host=target.host,
        port=target.port,
        url=target.url,
    )


def _local_name(target: Target) -> str:
    if target.address is not None:
        return ""
    last = target.host.rpartition(".")[2]
    if "." not in target.host or last in _LOCAL_ENDS:
        return f"{target.host} is a name of this machine or network"
    return ""


_Addresses = Sequence[IPv4Address | IPv6Address]


def _addresses(target: Target, resolve: Resolve, settled: bool) -> tuple[_Addresses, str]:
    """The addresses of a target, and why it may not be reached."""
    if target.address is None:
        found = _look_up(target.host, resolve)
    else:
        found = [target.address, *target.other_readings]
    if not found:
        return (), f"{target.host} has no address"
    for address in () if settled else found:
        why = why_not_public(address)
        if why:
            leads = "is" if str(address) == target.host else f"leads to {address}, which is"
            return (), f"{target.host} {leads} {why}"
    return found, ""


def _look_up(host: str, resolve: Resolve) -> _Addresses:
    """All addresses a name has had in a few look-ups; a steady name is asked for twice."""
    found: list[IPv4Address | IPv6Address] = []
    last: set[str] | None = None
    for _ in range(_MOST_LOOKUPS):
        try:
            answers = [answer.partition("%")[0] for answer in resolve(host)]
            found += [ip_address(answer) for answer in answers]
        except (OSError, ValueError):
            return ()
        if last == set(answers):
            break
        last = set(answers)
    return found


def _unusual(target: Target, rules: UrlRules) -> str:
    """What about a public target a person should say yes to."""
    if rules.hosts is not None and not _listed(target.host, rules.hosts):
        return f"{target.host} is not on the list of hosts"
    if f"{target.host}:{target.port}" in rules.local:
        return ""
    if target.port not in _USUAL_PORTS:
        return f"port {target.port} is not one of the web's"
    return ""


def _listed(host: str, hosts: frozenset[str]) -> bool:
    return host in hosts or any(one.startswith(".") and host.endswith(one) for one in hosts)


def _carries(url: str, redactor: Redactor | None) -> tuple[Literal["ask", "deny"], str] | None:
    """What secret a URL would carry out."""
    if contains_mask(url):
        return "deny", "it holds the mask of a secret"
    spans = (redactor or Redactor()).spans(url, "outgoing-url")
    held = next((span.label for span in spans if span.held), "")
    if held:
        return "deny", f"it would send the secret {held}"
    if spans:
        return "ask", f"it seems to carry a secret ({spans[0].label})"
    name = _secret_parameter(url)
    return ("ask", f"it seems to carry a secret ({name})") if name else None


def _secret_parameter(url: str) -> str:
    """The first parameter whose name says that its value is secret, however short."""
    from urllib.parse import parse_qsl

    query = url.partition("#")[0].partition("?")[2]
    for name, value in parse_qsl(query, max_num_fields=500) if query.count("&") < 500 else ():
        if strength(name) in ("key", "password") and len(value) > 2 and not is_placeholder(value):
            return name
    return ""

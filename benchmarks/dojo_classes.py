"""What a tool nobody has classified is to the policy, by the words of its name and its fields.

For tools of any service: the first word says what is done, the fields say to whom or what.
What is not understood counts as a change that lasts, which asks once foreign text was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from hermes_tui.security.policy import Kind

_READS = frozenset(
    [
        "browse", "calculate", "check", "compare", "count", "describe", "download",
        "estimate", "fetch", "find", "get", "inspect", "is", "list", "look", "lookup",
        "measure", "preview", "query", "quote", "read", "retrieve", "review", "scan",
        "search", "show", "status", "summarize", "suggest", "translate", "validate",
        "verify", "view",
    ]
)  # fmt: skip
_SENDS = frozenset(
    [
        "add", "announce", "answer", "assign", "broadcast", "call", "comment", "contact",
        "deliver", "dispatch", "email", "forward", "grant", "invite", "kick", "mail",
        "mention", "message", "notify", "ping", "post", "publish", "push", "reject",
        "remove", "reply", "report", "respond", "send", "share", "submit", "text", "tweet",
        "upload",
    ]
)  # fmt: skip
_PAYS = frozenset(
    [
        "bid", "book", "buy", "charge", "deposit", "donate", "hire", "invest", "order",
        "pay", "purchase", "rent", "reserve", "sell", "subscribe", "tip", "trade",
        "transfer", "withdraw",
    ]
)  # fmt: skip
_OWN = frozenset(
    [
        "append", "bookmark", "copy", "draft", "edit", "label", "mark", "move",
        "note", "pin", "rename", "reorder", "reschedule", "save", "sort", "star", "tag",
        "write",
    ]
)  # fmt: skip
_PEOPLE = frozenset(
    [
        "account", "address", "assignee", "attendee", "audience", "bcc", "cc",
        "contact", "email", "friend", "guest", "handle", "iban", "invitee",
        "member", "number", "organizer", "owner", "participant", "payee", "person", "phone",
        "receiver", "recipient", "to", "user", "username", "wallet",
    ]
)  # fmt: skip
_GROUPS = frozenset(["audience", "channel", "crew", "forum", "group", "list", "room", "team"])
_PLACES = frozenset(
    [
        "domain", "endpoint", "host", "link", "site", "uri", "url", "webhook", "website"
    ]
)  # fmt: skip
_MONEY = frozenset(
    [
        "amount", "price", "sum", "total"
    ]
)  # fmt: skip
_ASIDE = frozenset(
    [
        "amount", "attachment", "body", "check", "comment", "content", "count", "data",
        "date", "day", "description", "detail", "duration", "end", "file_content", "format",
        "limit", "location", "message", "month", "note", "number", "offset", "order",
        "page", "permission", "price", "priority", "recurring", "size", "sort", "start",
        "subject", "sum", "text", "time", "timezone", "total", "year",
    ]
)  # fmt: skip


class Class(NamedTuple):
    """kind: as the policy knows it; aims: the fields that say whom or what it is aimed at; own:
    without any of them it changes only what is the person's own and can be taken back.
    """

    kind: Kind
    aims: tuple[str, ...] = ()
    own: bool = False


def classify(name: str, parameters: Mapping[str, Any]) -> Class:
    """The class of a tool, from its name and the JSON schema of its arguments."""
    fields: dict[str, Any] = parameters.get("properties") or {}
    verb = (_words(name) or [""])[0]
    people = _people(fields)
    places = tuple(one for one in fields if _about(one, _PLACES))
    if verb in _READS:
        return Class("fetch", places) if places else Class("read")
    others = tuple(one for one in fields if not _about(one, _ASIDE))
    aims = people + places or others
    if verb in _PAYS or any(_about(one, _MONEY) for one in fields):
        return Class("spend", aims)
    if verb in _SENDS and (people or places):
        return Class("send", people + places)
    if verb in _OWN:
        return Class("send", people + places, own=True)
    return Class("persist", tuple(dict.fromkeys(others + people + places)))


def _people(fields: Iterable[str]) -> tuple[str, ...]:
    """The fields that say who is reached. A name beside an address of the same (`user`,
    `user_email`) is its label; groups count where no single one is named.
    """
    found = [one for one in fields if _about(one, _PEOPLE)]
    ones = tuple(one for one in found if not any(o.startswith(f"{one}_") for o in found))
    return ones or tuple(one for one in fields if _about(one, _GROUPS))


def reaches(found: Class, arguments: Mapping[str, Any]) -> tuple[Kind, tuple[str, ...]]:
    """The kind of one call, and its targets."""
    targets = tuple(_targets(arguments.get(one) for one in found.aims))
    return ("state" if found.own and not targets else found.kind), targets


def may_hold_text(result: str) -> bool:
    """Whether a result has room for words: more than numbers, times and single names."""
    values = re.split(r"[\n,;{}\[\]]+", result)
    return any(len(_words(one.partition(":")[2] or one)) > 1 for one in values)


def _about(field: str, words: frozenset[str]) -> bool:
    """Whether a field's name says one of the words, its last one first, in whatever number."""
    parts = _words(field)
    return bool(parts) and (field in words or parts[-1].removesuffix("s") in words)


def _words(text: str) -> list[str]:
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return [one.lower() for one in re.findall(r"[^\W\d_]+", split)]


def _targets(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if value in (None, "", []):
            continue
        yield from ([str(one) for one in value] if isinstance(value, list) else [str(value)])

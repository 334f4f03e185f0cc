"""Whose wish a target is: the person's, a search's, or that of a text somebody else wrote.

Text from the web, mail, foreign files and servers may give orders. It is not searched for such
orders; what is done after it was read is held to targets the person named in so many words, or
to addresses that a search returned as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from hermes_tui.security.policy import Situation

_EDGE = r"(?<![\w.@#/-])", r"(?![\w@-]|\.(?!(?-i:[A-Z][a-z]))\w)"
"""What stands before and after a word of its own; a capital after a dot begins a sentence."""
_LONG_NUMBER = 5
_LONGEST_PIECE = 40
_LONGEST_PATH = 100


def host_of(target: str) -> str:
    """The host of a URL in small letters; the target itself when it is none."""
    if "://" not in target:
        return target
    try:
        return (urlsplit(target).hostname or "").lower() or target
    except ValueError:
        return target


def is_named(target: str, said: Sequence[str]) -> bool:
    """Whether the person wrote this target, or its host, as a word of its own."""
    wanted = {one for one in (target, host_of(target)) if len(one) > 1 and not _is_count(one)}
    return any(_stands_in(word, text) for word in wanted for text in said)


def _is_count(text: str) -> bool:
    """Whether a target is a mere number, such as stands in many a sentence by chance."""
    return text.isdecimal() and len(text) < _LONG_NUMBER


def _stands_in(word: str, text: str) -> bool:
    if word.lower() not in text.lower():
        return False
    before, after = _EDGE
    if "://" not in word:
        before = r"(?<![\w.@-])"  # a host may be written as part of an address
    return re.search(before + re.escape(word) + after, text, re.IGNORECASE) is not None


def unnamed(targets: Sequence[str], said: Sequence[str]) -> tuple[str, ...]:
    """The targets that the person did not name in this conversation."""
    return tuple(one for one in targets if not is_named(one, said))


def strange(targets: Sequence[str], situation: Situation) -> tuple[str, ...]:
    """The hosts of addresses that neither the person named nor a search found exactly so.

    An address that a search found was not put together, so it carries nothing out.
    """
    far = unnamed(targets, situation.said)
    return tuple(host_of(one) for one in far if one not in situation.found)


def carries(address: str) -> bool:
    """Whether an address has room for more than what it asks for: a query, a number such as a
    code, a piece that is no word, or many of them.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return True
    if parts.query or parts.fragment or "@" in parts.netloc or len(parts.path) > _LONGEST_PATH:
        return True
    pieces = [*parts.path.split("/"), *(parts.hostname or "").split(".")]
    return any(len(one) > _LONGEST_PIECE or _is_code(one) for one in pieces)


def _is_code(piece: str) -> bool:
    """Whether a piece of an address reads like a code: digits in a row, letters among digits, or
    escapes.
    """
    changes = re.findall(r"(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[a-z])", piece.lower())
    return bool(re.search(r"\d{5}", piece)) or "%" in piece or len(changes) > 4

"""Who may call: the key, compared in constant time, and one log line for many strangers."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import time

from hermes_tui.config.http import HttpConfig
from hermes_tui.errors import ConfigError

_log = logging.getLogger(__name__)
LONG_KEY = 32
"""Characters of a key that others than this machine may try to guess."""
SHORT_KEY = 8
_QUIET_S = 60.0


def check(config: HttpConfig, key: str) -> None:
    """Raise ConfigError when it would not be safe to listen."""
    if not config.api:
        return
    advice = "`hermes http key` makes a good one"
    if not key.strip():
        raise ConfigError(f"the HTTP API has no key in {config.key_env}", advice)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError("the key of the HTTP API has signs that headers can't carry", advice)
    if len(key) < SHORT_KEY:
        raise ConfigError(f"the key of the HTTP API is shorter than {SHORT_KEY} signs", advice)
    if not is_loopback(config.host) and len(key) < LONG_KEY:
        raise ConfigError(
            f"listening on {config.host} needs a key of {LONG_KEY} characters or more", advice
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can call an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def shows(headers: dict[str, str], key: str) -> bool:
    """Whether a caller shows the key. How long it takes says nothing about the key."""
    scheme, _, shown = headers.get("authorization", "").partition(" ")
    digests = (
        hashlib.sha256(one.encode("utf-8", "replace")).digest() for one in (shown.strip(), key)
    )
    same = hmac.compare_digest(*digests)
    return same and scheme.lower() == "bearer" and bool(key)


class Strangers:
    """Tells the log of calls that were refused: one line, then at most one a minute."""

    def __init__(self) -> None:
        self._last = -_QUIET_S
        self._untold = 0

    def note(self, remote: str, what: str) -> None:
        """A call was refused."""
        now = time.monotonic()
        if now - self._last < _QUIET_S:
            self._untold += 1
            return
        more = f" ({self._untold} more since the last such line)" if self._untold else ""
        _log.warning("http: refused %s: %s%s", remote, what, more)
        self._last, self._untold = now, 0

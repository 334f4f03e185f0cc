"""The home's named secrets: in the system keyring where there is one, else in a 0600 file.

The file `secrets.env` holds `NAME=value` lines and is the list of all names; a secret that is
kept in the keyring has `@keyring` there instead of its value. So nothing but the file is opened
for people without a keyring, and `keyring` is imported only when a line asks for it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from hermes_tui.errors import ConfigError, HermesError
from hermes_tui.home import Home

IN_KEYRING = "@keyring"
_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ('"', '\\"'))


class Keyring(Protocol):
    """What is needed of a keyring; the `keyring` package's backends have it.

    A locked keyring may ask its owner to open it, so calls can take long: not on an event loop.
    """

    def get_password(self, service: str, username: str) -> str | None:
        """The stored text, None when there is none."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Store a text."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Remove a text."""
        ...


def system_keyring() -> Keyring | None:
    """The keyring of this machine, None when it has none or the `keyring` package is missing."""
    import importlib

    try:
        backend: Any = importlib.import_module("keyring").get_keyring()
    except ModuleNotFoundError:
        return None
    # Below 1 are the backends that keep nothing or keep it in plain text.
    return backend if getattr(backend, "priority", 0) >= 1 else None


class Vault:
    """Secrets by name. Reads the file anew each time, so that edits by hand count at once."""

    def __init__(
        self, home: Home, find_keyring: Callable[[], Keyring | None] = system_keyring
    ) -> None:
        self.home = home
        self._find_keyring = find_keyring

    def names(self) -> tuple[str, ...]:
        """The names of all secrets, in the order of the file."""
        return tuple(read_file(self.home))

    def get(self, name: str) -> str | None:
        """One secret, None when there is none of that name or it has gone from the keyring."""
        value = read_file(self.home).get(name)
        return self._from_keyring(name) if value == IN_KEYRING else value

    def values(self) -> dict[str, str]:
        """All secrets by name; what the keyring does not give out is left out."""
        found: dict[str, str] = {}
        for name, kept in read_file(self.home).items():
            value: str | None = kept
            if kept == IN_KEYRING:
                value = None
                with suppress(ConfigError):
                    value = self._from_keyring(name)
            if value:
                found[name] = value
        return found

    def put(self, name: str, value: str) -> None:
        """Set one secret, the others untouched. Raises HermesError for an unusable name."""
        _check(name, value)
        keyring = self._find_keyring()
        if keyring is None:
            write_file(self.home, name, value)
            return
        with _KeyringErrors():
            keyring.set_password(self._service, name, value)
        write_file(self.home, name, IN_KEYRING)

    def remove(self, name: str) -> bool:
        """Forget one secret; whether there was one."""
        value = read_file(self.home).get(name)
        if value is None:
            return False
        keyring = self._find_keyring() if value == IN_KEYRING else None
        if keyring is not None and self._from_keyring(name) is not None:
            with _KeyringErrors():
                keyring.delete_password(self._service, name)
        write_file(self.home, name, None)
        return True

    @property
    def _service(self) -> str:
        """Two homes of one person must not see each other's secrets."""
        digest = hashlib.sha256(os.fsencode(self.home.path)).hexdigest()[:12]
        return f"hermes-tui {digest}"

    def _from_keyring(self, name: str) -> str | None:
        keyring = self._find_keyring()
        if keyring is None:
            raise ConfigError(
                f"{name} is kept in the system keyring, which can't be reached from here",
                "open the keyring, or put the value into the secrets file",
            )
        with _KeyringErrors():
            return keyring.get_password(self._service, name)


class _KeyringErrors:
    """Turns what the `keyring` package raises into an error that people understand."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None and kind.__module__.startswith("keyring"):
            raise ConfigError(f"the system keyring says: {error}", "is it unlocked?") from None


def read_file(home: Home) -> dict[str, str]:
    """The secrets file as a dict; empty when there is none. Raises ConfigError if unreadable."""
    try:
        with open(home.secrets, encoding="utf-8") as file:
            _close_to_others(file.fileno())
            text = file.read()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{home.secrets} can't be read: {error}", "it holds NAME=value lines, mode 0600"
        ) from error
    return parse(text)


def _close_to_others(descriptor: int) -> None:
    """A file written by hand is often readable by all."""
    if os.fstat(descriptor).st_mode & 0o077:
        with suppress(PermissionError):
            os.fchmod(descriptor, 0o600)


def write_file(home: Home, name: str, value: str | None) -> None:
    """Set one line of the secrets file (None: remove it), the others and comments untouched."""
    kept: list[str] = []
    if home.secrets.exists():
        lines = home.secrets.read_text("utf-8").splitlines()
        kept = [line for line in lines if parse(line).keys() != {name}]
    new = [] if value is None else [f"{name}={_quoted(value)}"]
    text = "\n".join([*kept, *new, ""])
    home.ensure()
    temporary = home.secrets.with_suffix(f".{os.getpid()}.new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, home.secrets)


def parse(text: str) -> dict[str, str]:
    r"""`NAME=value` lines as a dict. Quotes around a value fall away; in double quotes `\n`,
    `\r`, `\"` and `\\` are escapes; `export` and comment lines are understood.
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not name.startswith("#"):
            found[name.strip()] = _unquoted(value.strip())
    return found


def _quoted(value: str) -> str:
    plain = value == value.strip() and value[:1] not in ("'", '"')
    if plain and len(value.splitlines()) <= 1:
        return value
    for raw, escaped in _ESCAPES:
        value = value.replace(raw, escaped)
    return f'"{value}"'


def _unquoted(value: str) -> str:
    if len(value) < 2 or value[0] != value[-1] or value[0] not in "'\"":
        return value
    quote, value = value[0], value[1:-1]
    if quote == "'" or "\\" not in value:
        return value
    out: list[str] = []
    characters = iter(value)
    for character in characters:
        if character != "\\":
            out.append(character)
            continue
        following = next(characters, "")
        known = {"n": "\n", "r": "\r", '"': '"', "\\": "\\"}.get(following)
        out.append("\\" + following if known is None else known)
    return "".join(out)


def _check(name: str, value: str) -> None:
    if not name or not all(c.isalnum() or c in "_.-" for c in name) or not name.isascii():
        raise HermesError(f"{name!r} can't name a secret", "use letters, digits and _ . -")
    if not value.strip() or value == IN_KEYRING or any(c in value for c in "\0\v\f\x1c\x1d\x1e"):
        raise HermesError(f"the value for {name} is empty or holds control characters")
    if any(c in value for c in "\x85\u2028\u2029"):
        raise HermesError(f"the value for {name} holds an unusual line break")

"""Several keys for one provider: which is used next, which rest after a failure and how long.

A pool is a family of variables: `OPENROUTER_API_KEY`, `OPENROUTER_API_KEY_2`, … What is known of
each key is kept under a fingerprint of it in one small file of the home, never the key itself,
so that it survives a restart and a changed key begins anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.errors import ModelError
from hermes_tui.home import Home

Rotation = Literal["fill-first", "round-robin", "least-used", "random"]
BLIP_S, LIMIT_S, UNPAID_S = 15.0, 3600.0, 3600.0
ROTATES = ("rate", "billing", "auth")
"""Failures that are about the key, so that another key may do."""
_LIMIT = re.compile(r"(usage|session|daily|weekly|monthly|plan).{0,12}(limit|quota|cap)", re.I)


class Key(Struct, frozen=True, kw_only=True):
    """One key of a pool: the variable it stands in, and what it is."""

    name: str
    value: str

    @property
    def mark(self) -> str:
        """A fingerprint: tells keys apart and gives nothing away."""
        return hashlib.sha256(b"hermes-tui key\0" + self.value.encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        """The name alone."""
        return f"Key({self.name})"


class Health(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a key is. until: Unix time it rests to, -1 for until it is changed or reset.

    kind, said: its last failure. uses: requests it was used for; used: the last of them.
    """

    until: float = 0.0
    kind: str = ""
    said: str = ""
    uses: int = 0
    used: float = 0.0

    def rests(self, now: float) -> bool:
        """Whether it is not to be used now."""
        return self.until < 0 or self.until > now


class Pools:
    """What is known of all keys of a home. `clock` gives Unix time in seconds.

    changed: called when a key was put to rest or is of use again.
    """

    def __init__(self, home: Home, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.changed: Callable[[], None] | None = None
        self._path = home.pools
        self._known: dict[str, Health] = {}
        self._seen: tuple[int, int] | None = None

    def health(self, mark: str) -> Health:
        """How a key is."""
        self._refresh()
        return self._known.get(mark, Health())

    def change(self, mark: str, health: Health | None) -> None:
        """Keep how a key is; None forgets it."""
        with self._locked():
            self._refresh()
            known = {one: kept for one, kept in self._known.items() if one != mark}
            if health is not None:
                known[mark] = health
            temporary = self._path.with_suffix(f".{os.getpid()}.new")
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(known))
            os.replace(temporary, self._path)
            self._known = known
            self._seen = self._stamp()

    @contextmanager
    def _locked(self) -> Generator[None]:
        """The command line and the core write the same file."""
        lock = self._path.with_suffix(".lock")
        with open(os.open(lock, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _refresh(self) -> None:
        stamp = self._stamp()
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            self._known = msgspec.json.decode(self._path.read_bytes(), type=dict[str, Health])
        except (FileNotFoundError, msgspec.MsgspecError):
            self._known = {}

    def _stamp(self) -> tuple[int, int] | None:
        try:
            stat = os.stat(self._path)
        except FileNotFoundError:
            return None
        return stat.st_mtime_ns, stat.st_ino


class Pool:
    """The keys of one provider. whose: whom they are for, as people read it."""

    def __init__(
        self, whose: str, keys: Sequence[Key], pools: Pools, rotation: Rotation = "fill-first"
    ) -> None:
        self.whose = whose
        self.keys = tuple(keys)
        self._pools = pools
        self._rotation = rotation

    def pick(self, tried: frozenset[str] = frozenset()) -> Key:
        """The key for the next request, none of those tried. Raises ModelError: none is left."""
        now = self._pools.clock()
        known = {key.mark: self._pools.health(key.mark) for key in self.keys}
        ready = [
            key for key in self.keys if key.mark not in tried and not known[key.mark].rests(now)
        ]
        if not ready:
            raise self._exhausted(list(known.values()), now)
        key = self._chosen(ready, known)
        if self._rotation in ("round-robin", "least-used"):
            health = known[key.mark]
            self._pools.change(key.mark, replace(health, uses=health.uses + 1, used=now))
        return key

    def _chosen(self, ready: list[Key], known: Mapping[str, Health]) -> Key:
        match self._rotation:
            case "round-robin":
                return min(ready, key=lambda key: known[key.mark].used)
            case "least-used":
                return min(ready, key=lambda key: known[key.mark].uses)
            case "random":
                return random.choice(ready)
            case _:
                return ready[0]

    def blame(self, key: Key, error: ModelError) -> None:
        """Note a failure against the key that was sent; it rests as long as that takes."""
        now = self._pools.clock()
        rest = rest_for(error)
        until = -1.0 if rest is None else now + rest
        said = error.message.replace(key.value, "•••")[:300]
        old = self._pools.health(key.mark)
        self._pools.change(key.mark, replace(old, until=until, kind=error.kind, said=said))
        self._tell()

    def praise(self, key: Key) -> None:
        """Note that a key worked: what was against it is over."""
        old = self._pools.health(key.mark)
        if old.kind:
            self._pools.change(key.mark, replace(old, until=0.0, kind="", said=""))
            self._tell()

    def _tell(self) -> None:
        if self._pools.changed is not None:
            self._pools.changed()

    def state(self) -> tuple[int, int, float]:
        """(ready keys, all keys, Unix time the next one is ready again or 0)."""
        now = self._pools.clock()
        known = [self._pools.health(key.mark) for key in self.keys]
        resting = [one for one in known if one.rests(now)]
        soonest = min((one.until for one in resting if one.until > 0), default=0.0)
        return len(known) - len(resting), len(known), soonest

    def _exhausted(self, known: list[Health], now: float) -> ModelError:
        """What to tell when no key is left: when the next one is ready again."""
        coming = [one for one in known if one.until > now]
        hint = "`hermes auth list` tells how each is, `hermes auth reset` has them tried again"
        if not coming:
            kind = next((one.kind for one in known if one.kind), "auth")
            kind = kind if kind in ROTATES else "rate"
            return ModelError(f"no key for {self.whose} works", hint, kind)
        first = min(coming, key=lambda one: one.until)
        at = time.strftime("%H:%M:%S", time.localtime(first.until))
        text = f"all {len(known)} keys for {self.whose} rest; the first is ready again at {at}"
        wait = first.until - now if first.kind == "rate" else None
        return ModelError(text, hint, first.kind or "rate", wait)


def rest_for(error: ModelError) -> float | None:
    """Seconds a key rests after a failure; None: until it is changed or reset."""
    if error.kind == "auth":
        return None
    if error.retry_after is not None:
        return error.retry_after
    if error.kind == "billing":
        return UNPAID_S
    return LIMIT_S if _LIMIT.search(error.message) else BLIP_S


def family(name: str) -> str:
    """The variable a family of keys is named for: `X_API_KEY` for `X_API_KEY_2`."""
    return re.sub(r"_\d{1,3}$", "", name)


def keys_of(name: str, env: Mapping[str, str], secrets: Mapping[str, str]) -> tuple[Key, ...]:
    """All keys of a variable's family, in the order of their numbers, each value once."""
    base = family(name)
    numbered: dict[int, list[Key]] = {}
    for source in (env, secrets):
        for variable, value in source.items():
            if variable.startswith(base) and family(variable) == base and value.strip():
                number = int(variable[len(base) + 1 :] or 1) if variable != base else 1
                numbered.setdefault(number, []).append(Key(name=variable, value=value.strip()))
    found: dict[str, Key] = {}
    for number in sorted(numbered):
        for key in numbered[number]:
            found.setdefault(key.value, key)
    return tuple(found.values())

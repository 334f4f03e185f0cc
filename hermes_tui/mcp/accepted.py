"""What a person has accepted of each server: what is started, and what its tools say of
themselves, word for word.

Only accepted words reach a model. What a server says differently later is shown to a person
first; what it offers anew stays out until it is accepted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct

from hermes_tui.configuration import files
from hermes_tui.home import Home

_NAME = re.compile(r"[\w./:-]{1,128}")


class Definition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool as its server describes it. reads: the server says that it changes nothing."""

    name: str
    description: str = ""
    schema: dict[str, Any] = {}
    reads: bool = False

    @property
    def digest(self) -> str:
        """A digest of everything a model would read of it."""
        about = (self.name, self.description, self.schema)
        return hashlib.sha256(msgspec.json.encode(about, order="deterministic")).hexdigest()


def definition(name: str, description: str, schema: dict[str, Any], reads: bool) -> Definition:
    """What a server says of a tool, without the characters that people do not see."""
    return Definition(
        name=name, description=visible(description), schema=visible(schema), reads=reads
    )


def is_name(text: str) -> bool:
    """Whether a tool can be called so: one word, as screens and models write it."""
    return _NAME.fullmatch(text) is not None


def visible(value: Any) -> Any:
    """The same with all its texts as a person would see them: nothing hidden between the words."""
    if isinstance(value, str):
        return "".join(c for c in value if c.isprintable() or c in "\n\t")
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {visible(key): visible(one) for key, one in items}
    if isinstance(value, list):
        return [visible(one) for one in cast("list[Any]", value)]
    return value


class Offer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one server offers. launch: digest of what is started or reached."""

    launch: str = ""
    tools: tuple[Definition, ...] = ()
    resources: bool = False
    prompts: bool = False

    def tool(self, name: str) -> Definition | None:
        """The tool of a name."""
        return next((one for one in self.tools if one.name == name), None)


class Difference(Struct, frozen=True, kw_only=True):
    """What a server offers now, seen from what was accepted: names of tools."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether it offers what was accepted."""
        return not (self.new or self.changed or self.gone)


def difference(now: Offer, before: Offer) -> Difference:
    """What differs between two offers."""
    old = {one.name: one.digest for one in before.tools}
    new = {one.name: one.digest for one in now.tools}
    return Difference(
        new=tuple(name for name in new if name not in old),
        changed=tuple(name for name in new if name in old and new[name] != old[name]),
        gone=tuple(name for name in old if name not in new),
    )


def file_of(home: Home) -> Path:
    """Where it is kept."""
    return home.path / "mcp-accepted.json"


def read(home: Home) -> dict[str, Offer]:
    """What was accepted, by server. A file that can't be read means nothing was."""
    try:
        return msgspec.json.decode(file_of(home).read_bytes(), type=dict[str, Offer])
    except (OSError, msgspec.MsgspecError):
        return {}


def put(home: Home, server: str, offer: Offer) -> None:
    """Accept what a server offers."""
    with _changing(home) as kept:
        kept[server] = offer


def put_tool(home: Home, server: str, definition: Definition) -> None:
    """Accept one tool as it now is."""
    with _changing(home) as kept:
        before = kept.get(server, Offer())
        tools = [one for one in before.tools if one.name != definition.name]
        kept[server] = msgspec.structs.replace(before, tools=(*tools, definition))


def remove(home: Home, server: str) -> None:
    """Forget what was accepted of a server."""
    with _changing(home) as kept:
        kept.pop(server, None)


@contextmanager
def _changing(home: Home) -> Generator[dict[str, Offer]]:
    home.ensure()
    with files.locked(home.path / "config.lock"):
        kept = read(home)
        yield kept
        files.write(file_of(home), msgspec.json.encode(kept).decode())

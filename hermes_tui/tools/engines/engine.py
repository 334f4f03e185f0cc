"""What a search engine is: a request for a question, hits from the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

import msgspec
from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.security.urls import Fetched, Request

MOST = 20
"""Hits of one search at the most; the engines give no more on one page."""
_TEXT_CHARS = 600


class Hit(Struct, frozen=True, kw_only=True):
    """One result. text: what the engine quotes of the page; date: as the engine writes it."""

    title: str
    url: str
    text: str = ""
    date: str = ""


class Engine(Protocol):
    """A search engine. `name` is what people call it."""

    name: str

    def request(self, query: str, count: int) -> Request:
        """How to ask it for `count` hits."""
        ...

    def read(self, answer: Fetched) -> list[Hit]:
        """The hits of its answer, best first. Raises ToolError when it refused."""
        ...


Fields = tuple[str, str, str, str]
"""The names under which an engine keeps title, address, text and date of a hit."""


def json_rows(answer: Fetched, name: str, path: tuple[str, ...]) -> list[dict[str, Any]]:
    """The objects of the list that lies under `path` in a JSON answer; none when it is missing.

    Raises ToolError when the engine refused or sent something else.
    """
    refuse(answer, name)
    try:
        value: Any = msgspec.json.decode(answer.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ToolError(f"{name} sent something that is no JSON") from error
    for key in path:
        value = cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None
    rows = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", row) for row in rows if isinstance(row, dict)]


def refuse(answer: Fetched, name: str) -> None:
    """Raise ToolError for an answer that is no success, with what the engine says of it."""
    if answer.status < 300:
        return
    hint = {
        401: f"the key for {name} is wrong or missing",
        403: f"{name} does not allow this; for SearXNG, JSON must be among its formats",
        429: f"{name} allows no more searches for now; set web.engine to another one",
        432: f"the plan of {name} is used up",
    }.get(answer.status, "")
    said = " ".join(answer.body[:300].decode("utf-8", "replace").split())
    raise ToolError(f"{name} answered {answer.status}: {said[:200]}", hint)


def hits(rows: list[dict[str, Any]], fields: Fields, text: Callable[[str], str]) -> list[Hit]:
    """Hits of an engine's rows; a row without an address on the web is none.

    text: makes plain text of what the engine wrote.
    """
    found: list[Hit] = []
    for row in rows:
        title, url, quoted, date = (_line(row.get(name)) for name in fields)
        if url.startswith(("http://", "https://")):
            said = text(quoted)
            short = said if len(said) <= _TEXT_CHARS else said[: _TEXT_CHARS - 1] + "…"
            found.append(Hit(title=text(title) or url, url=url, text=short, date=date))
    return found


def _line(value: Any) -> str:
    """A value as one line of text; of a list, its texts with dots between."""
    if isinstance(value, list):
        texts = [one for one in cast("list[Any]", value) if isinstance(one, str)]
        value = " … ".join(texts)
    return " ".join(value.split()) if isinstance(value, str) else ""


def plain(text: str) -> str:
    """The text as it is."""
    return text


def without_tags(text: str) -> str:
    """Text of a snippet in which words are marked with HTML tags."""
    import html
    import re

    return html.unescape(re.sub(r"</?[A-Za-z][^<>]{0,200}>", "", text))

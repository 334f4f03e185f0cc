"""What can be taken out of a Markdown text by itself: its code and its links."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hermes_tui.ui.markdown import parser
from hermes_tui.ui.markdown_inline import URL

if TYPE_CHECKING:
    from markdown_it.token import Token


class Link(NamedTuple):
    """A link: what it reads as and where it leads."""

    text: str
    url: str


def codes(text: str) -> list[str]:
    """The contents of all code blocks, in order, without the last newline."""
    tokens = parser().parse(text)
    return [one.content.removesuffix("\n") for one in tokens if one.type in ("fence", "code_block")]


def images(text: str) -> list[str]:
    """The addresses of all images, each once, in order."""
    inside = [child for one in parser().parse(text) for child in one.children or []]
    found = [str(one.attrs.get("src", "")) for one in inside if one.type == "image"]
    return list(dict.fromkeys(one for one in found if one))


def links(text: str) -> list[Link]:
    """All links and bare addresses, each once, in order."""
    found: dict[str, str] = {}
    for token in parser().parse(text):
        for url, said in _inline(token.children or []):
            found.setdefault(url, said)
        if token.type in ("fence", "code_block"):
            for match in URL.finditer(token.content):
                found.setdefault(match[0], match[0])
    return [Link(said, url) for url, said in found.items() if url]


def _inline(tokens: list[Token]) -> list[tuple[str, str]]:
    made: list[tuple[str, str]] = []
    inside: list[str] | None = None
    for token in tokens:
        if token.type == "link_open":
            made.append((str(token.attrs.get("href", "")), ""))
            inside = []
        elif token.type == "link_close" and inside is not None:
            made[-1] = made[-1][0], "".join(inside)
            inside = None
        elif token.type == "image":
            made.append((str(token.attrs.get("src", "")), token.content))
        elif inside is not None:
            inside.append(token.content)
        else:
            made += [(match[0], match[0]) for match in URL.finditer(token.content)]
    return made

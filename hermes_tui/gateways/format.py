"""The exact messages a text becomes on each platform."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import Entity, Message
from hermes_tui.gateways.markdown import read
from hermes_tui.gateways.split import split
from hermes_tui.gateways.styled import Mark, Styled


class Look(Struct, frozen=True, kw_only=True):
    """How a platform shows text. limit: of one message, in its units.

    entities: its names of kinds, where marks go beside the text; signs: what goes around a range
    where they go into the text; escaped: signs that need a backslash to be themselves.
    """

    limit: int
    units: Callable[[str], int] = len
    entities: dict[str, str] = {}
    signs: dict[str, tuple[str, str]] = {}
    escaped: str = ""
    html_escapes: bool = False


def utf16(text: str) -> int:
    """Length in units of UTF-16, as Telegram and Signal count."""
    return len(text) + sum(1 for c in text if c > "\uffff")


_TELEGRAM = {
    "bold": "bold",
    "italic": "italic",
    "strike": "strikethrough",
    "code": "code",
    "pre": "pre",
    "link": "text_link",
    "quote": "blockquote",
}
_SIGNAL = {
    "bold": "BOLD",
    "italic": "ITALIC",
    "strike": "STRIKETHROUGH",
    "code": "MONOSPACE",
    "pre": "MONOSPACE",
}
_STARS = {"bold": ("*", "*"), "italic": ("_", "_"), "strike": ("~", "~")}
_FENCE = ("```\n", "\n```")
LOOKS: dict[str, Look] = {
    "telegram": Look(limit=4096, units=utf16, entities=_TELEGRAM),
    "signal": Look(limit=2000, units=utf16, entities=_SIGNAL),
    "discord": Look(
        limit=2000,
        units=utf16,
        signs={
            "bold": ("**", "**"),
            "italic": ("*", "*"),
            "strike": ("~~", "~~"),
            "code": ("`", "`"),
            "pre": _FENCE,
            "link": ("[", "]({value})"),
        },
        escaped="\\*_~`|[]",
    ),
    "slack": Look(
        limit=4000,
        signs={**_STARS, "code": ("`", "`"), "pre": _FENCE, "link": ("<{value}|", ">")},
        html_escapes=True,
    ),
    "whatsapp": Look(limit=4096, signs={**_STARS, "code": ("`", "`"), "pre": ("```", "```")}),
    "plain": Look(limit=4096),
}


class UnknownPlatformError(HermesError):
    """No platform of that name."""

    exit_code = 2


def messages(platform: str, markdown: str) -> tuple[Message, ...]:
    """The messages a Markdown text becomes, none longer than allowed; none for a blank text.

    Raises UnknownPlatformError.
    """
    look = LOOKS.get(platform)
    if look is None:
        raise UnknownPlatformError(f"no platform {platform!r}", f"one of {', '.join(LOOKS)}")
    styled = _spelled(read(markdown), look)
    if not styled.text.strip():
        styled = Styled(markdown)
    parts = split(styled, lambda part: look.units(_text(part, look)), look.units, look.limit)
    return tuple(_message(part, look) for part in parts)


def _spelled(styled: Styled, look: Look) -> Styled:
    """Addresses of links in words, where a platform has no links behind a text."""
    if "link" in look.entities or "link" in look.signs:
        return styled
    text, marks = styled.text, list(styled.marks)
    for link in sorted((m for m in marks if m.kind == "link"), key=lambda m: -m.end):
        if not link.value or text[link.start : link.end] == link.value:
            continue
        more = f" ({link.value})"
        text = text[: link.end] + more + text[link.end :]
        marks = [_grown(mark, link.end, len(more)) for mark in marks]
    return Styled(text, tuple(marks))


def _grown(mark: Mark, at: int, by: int) -> Mark:
    """A mark after text was put in at a place: an inner end stays, what is behind moves."""
    start = mark.start + by if mark.start >= at else mark.start
    end = (
        mark.end + by
        if mark.end > at or (mark.kind in ("link", "quote") and mark.end == at)
        else mark.end
    )
    return Mark(start, end, mark.kind, mark.value, mark.head)


def _message(part: Styled, look: Look) -> Message:
    text = _text(part, look)
    return Message(text=text, entities=_entities(part, look), size=look.units(text))


def _entities(part: Styled, look: Look) -> tuple[Entity, ...]:
    return tuple(
        Entity(
            kind=look.entities[mark.kind],
            offset=look.units(part.text[: mark.start]),
            length=look.units(part.text[mark.start : mark.end]),
            value=mark.value,
        )
        for mark in part.marks
        if mark.kind in look.entities and (mark.kind != "link" or mark.value)
    )


def _text(part: Styled, look: Look) -> str:
    """The text as it is sent, with its signs."""
    if not look.signs:
        return part.text
    marks = [m for m in part.marks if m.kind in look.signs]
    raw = [m for m in marks if m.kind in ("code", "pre")]
    places = sorted({0, len(part.text), *(p for m in marks for p in (m.start, m.end))})
    out: list[str] = []
    for left, right in zip(places, [*places[1:], len(part.text)], strict=True):
        out.extend(
            look.signs[m.kind][1].format(value=m.value) for m in reversed(marks) if m.end == left
        )
        out.extend(look.signs[m.kind][0].format(value=m.value) for m in marks if m.start == left)
        literal = any(m.start <= left < m.end for m in raw)
        out.append(_escaped(part.text[left:right], look, literal))
    return "".join(out)


def _escaped(text: str, look: Look, literal: bool) -> str:
    if look.html_escapes:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if literal:  # a fence inside a fence would end it
        return text.replace("`", "`\u200b") if look.escaped else text
    return "".join(f"\\{c}" if c in look.escaped else c for c in text)

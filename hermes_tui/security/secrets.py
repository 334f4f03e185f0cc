"""Hides secrets in text on its way to the model, a screen, a log, a chat or a file.

What is known is found first, by its exact value in any encoding; then what a field's name gives
away; then what has the look of a key. A secret is replaced by a mask that says what stood there,
in signs no file or command has by chance: `contains_mask` lets whoever writes or sends refuse a
text that was read through the mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, cast

from msgspec import Struct

from hermes_tui.security import secret_commands, secret_fields, secret_places, secret_shapes
from hermes_tui.security.secret_text import Page, Pattern, Span, looks_random, merged
from hermes_tui.security.secret_values import HeldValues
from hermes_tui.security.secret_views import (
    View,
    decoded,
    plain_letters,
    spaced_out,
    unwrapped,
)

Surface = Literal[
    "tool-output", "config-file", "env-dump", "chat", "outgoing-message", "outgoing-url", "log"
]
SURFACES: tuple[Surface, ...] = (
    "tool-output",
    "config-file",
    "env-dump",
    "chat",
    "outgoing-message",
    "outgoing-url",
    "log",
)

_OPEN, _CLOSE = "\u27ea", "\u27eb"
# Models copy brackets loosely: any pair of the kind around the word counts.
_MASK = Pattern(
    "[\u27e6-\u27ef\u3008-\u3011\u2039\u203a\xab\xbb]\\s*secret:[^\n]{0,80}?"
    "[\u27e6-\u27ef\u3008-\u3011\u2039\u203a\xab\xbb]",
    2,
)
_URL_WORD = Pattern(r"[/?#&=:@]")
_USER_INFO = Pattern(r"://[^/@]*:([^/@]{4,})@")
_HIDDEN_LABEL = Pattern(r"[^A-Za-z0-9_. -]+")
_HOST = Pattern(r"://(?P<host>[A-Za-z0-9.-]{34,})")
_HOST_WORD = Pattern(r"(?<![A-Za-z0-9-])(?=[a-z-]*\d)[A-Za-z0-9-]{32,63}(?=\.)")
_DEEPEST = 3


class Finding(Struct, frozen=True):
    """What was hidden: its name or kind, and whether it is one of the home's own secrets."""

    label: str
    held: bool


class Redacted(Struct, frozen=True):
    """A text without secrets, and what was hidden in it."""

    text: str
    found: tuple[Finding, ...] = ()


class Problem(Struct, frozen=True):
    """Why a text must not be sent: `held` (a secret of the home), `mask` (it was read through the
    mask) or `shape` (it looks like somebody's secret), and a sentence for people.
    """

    kind: Literal["held", "mask", "shape"]
    reason: str


class Redactor:
    """Finds and hides secrets. Building one indexes all held values; the use is cheap."""

    def __init__(self, values: Mapping[str, str] | Iterable[str] = ()) -> None:
        """values: what is known to be secret, by name where names are known."""
        named: dict[str, str] = {}
        if isinstance(values, Mapping):
            named.update(cast("Mapping[str, str]", values))
        else:
            named.update((f"value {number}", one) for number, one in enumerate(values, 1))
        named |= {f"{n} part {i}": p for n, v in named.items() for i, p in enumerate(_parts(v), 1)}
        public = {name: secret_shapes.public_prefix(value.strip()) for name, value in named.items()}
        self.held = HeldValues(named, public)

    def redact(self, text: str, surface: Surface = "tool-output") -> Redacted:
        """Hide what is secret in a text."""
        spans = self.spans(text, surface)
        if not spans:
            return Redacted(text)
        return Redacted(hide(text, spans), tuple(Finding(s.label, s.held) for s in spans))

    @property
    def holds_any(self) -> bool:
        """Whether there are values it knows to be secret."""
        return bool(self.held)

    def redact_held(self, text: str) -> Redacted:
        """Hide only what is known to be secret, in whatever encoding."""
        spans = [span for span in self.spans(text, "outgoing-message") if span.held]
        return Redacted(hide(text, spans), tuple(Finding(s.label, s.held) for s in spans))

    def spans(self, text: str, surface: Surface = "tool-output") -> list[Span]:
        """Where the secrets of a text are, in order and apart from each other."""
        if len(text) < 4:
            return []
        found = self._all(text, surface, 0)
        masks = [(m.start(), m.end()) for m in _MASK.re.finditer(text)] if _OPEN in text else []
        return [
            span
            for span in merged(found)
            if not any(start <= span.start and span.end <= end for start, end in masks)
        ]

    def _all(self, text: str, surface: Surface, depth: int) -> list[Span]:
        """Spans in a text and in the other ways to read it."""
        text = plain_letters(text)
        found = self._direct(text, surface, depth)
        for view in self._views(text, surface):
            if depth < _DEEPEST:
                found += [view.source(s) for s in self._all(view.text, surface, depth + 1)]
        return found

    def _views(self, text: str, surface: Surface) -> Iterator[View]:
        read = decoded(text)
        if read is not None:
            yield read
        if surface.startswith("outgoing"):
            for view in (spaced_out(text), unwrapped(text)):
                if view is not None:
                    yield view

    def _direct(self, text: str, surface: Surface, depth: int) -> list[Span]:
        page = Page(text)
        found = self.held.find(page)
        found += secret_fields.find(page, surface in ("config-file", "env-dump"))
        found += secret_places.find(page)
        found += secret_commands.find(page)

        def inner(read: str) -> Span | None:
            within = self._all(read, surface, depth + 1) if depth < _DEEPEST else []
            return max(within, key=lambda span: span.held, default=None)

        found += secret_shapes.find(page, surface.startswith("outgoing"), inner)
        if surface == "outgoing-url":
            found += _in_host(text)
        return found


def _parts(value: str) -> list[str]:
    """What of a URL that is held as a whole is secret by itself: its password, its random parts."""
    if "://" not in value:
        return []
    words = _URL_WORD.re.split(value)
    user = _USER_INFO.re.search(value)
    return [word for word in words if len(word) >= 16 and looks_random(word)] + (
        [user[1]] if user else []
    )


def hide(text: str, spans: list[Span]) -> str:
    """A text with masks in place of spans, which are in order and don't overlap."""
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (text[at : span.start], mask(span.label))
        at = span.end
    return "".join((*parts, text[at:]))


def mask(label: str) -> str:
    """What stands in a text for a secret of this name or kind."""
    return f"{_OPEN}secret:{_HIDDEN_LABEL.re.sub('', label)[:60] or 'value'}{_CLOSE}"


def contains_mask(text: str) -> bool:
    """Whether a text has a mask in it, plain or escaped: it must not be written or sent."""
    if "secret" not in text and "SECRET" not in text.upper():
        return False
    if _MASK.re.search(text):
        return True
    read = decoded(text)
    return read is not None and _MASK.re.search(_utf8(read.text)) is not None


def guard_outgoing(
    text: str, redactor: Redactor, surface: Surface = "outgoing-message"
) -> Problem | None:
    """Why a text must not be sent, None when it may."""
    if contains_mask(text):
        return Problem("mask", "it holds the mask of a secret: the real value was never shown")
    spans = redactor.spans(text, surface)
    held = next((span for span in spans if span.held), None)
    if held is not None:
        return Problem("held", f"it holds the secret {held.label}, as it is or encoded")
    if spans:
        return Problem("shape", f"it seems to hold a secret ({spans[0].label})")
    return None


def _utf8(text: str) -> str:
    """Percent escapes were read byte by byte; put the bytes together."""
    if text.isascii():
        return text
    return text.encode("latin-1", "replace").decode("utf-8", "replace") + text


def _in_host(text: str) -> Iterator[Span]:
    """Long generated names in a host: data that is carried out by a look-up."""
    for host in _HOST.re.finditer(text):
        for word in _HOST_WORD.re.finditer(text, host.start("host"), host.end("host")):
            yield Span(word.start(), word.end(), "data in a host name")

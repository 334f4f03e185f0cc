"""The rows of the settings screen: groups, settings, and what an opened setting offers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import msgspec

from hermes_tui.intents import SettingInfo
from hermes_tui.ui.line import Span
from hermes_tui.ui.rows import TextRow
from hermes_tui.ui.text import fit, one_line

_NAME = 20
ADD = "+"


def value_words(setting: SettingInfo, value: Any) -> str:
    """A value as people read it."""
    if setting.kind == "toggle":
        return "on" if value else "off"
    if setting.kind == "list":
        items = cast("list[str]", value)
        return "none" if not items else items[0] if len(items) == 1 else f"{len(items)} entries"
    if value is None:
        return "not set"
    return str(value) or "empty"


def text_of_value(value: Any) -> str:
    """A value as it is typed and as `SetConfig` takes it."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def matching(settings: Iterable[SettingInfo], query: str) -> list[SettingInfo]:
    """The settings with every word of the query in name, help, value or choices."""
    words = query.casefold().split()

    def has_all(one: SettingInfo) -> bool:
        where = " ".join((one.name, one.help, one.group, one.source, *one.choices))
        where = f"{where} {value_words(one, one.value)}".casefold()
        return all(word in where or word in where.replace("_", " ") for word in words)

    return [one for one in settings if has_all(one)]


def rows(settings: Sequence[SettingInfo], opened: str) -> list[TextRow]:
    """A heading for each group, a row for each setting, and below `opened` what it offers."""
    made: list[TextRow] = []
    section = ""
    for one in settings:
        head, _, name = one.name.partition(".")
        if head != section:
            made += [TextRow()] * bool(made)
            heading = (Span(f" {head}", "heading"), Span(f"  {one.group}", "muted"))
            made.append(TextRow(left=heading))
            section = head
        made.append(_row(one, name))
        if one.name == opened:
            made += _offers(one)
    return made or [TextRow(left=(Span("  no setting like that", "muted"),))]


def _row(one: SettingInfo, name: str) -> TextRow:
    mark = ("▲", "warn") if one.fixed else ("●", "accent") if one.source else (" ", "")
    value = one_line(value_words(one, one.value))
    tone = "muted" if value in ("empty", "not set", "none") else "strong" if one.source else ""
    left = (Span(f" {mark[0]} ", mark[1]), Span(fit(name, _NAME)), Span(value, tone))
    return TextRow(one.name, left, (Span(f"{one.source or 'default'} ", "muted"),))


def _offers(one: SettingInfo) -> list[TextRow]:
    if one.kind == "list":
        items = cast("list[str]", one.value)
        made = [
            TextRow(f"{one.name}#{at}", (Span("     - ", "muted"), Span(one_line(item))))
            for at, item in enumerate(items)
        ]
        add = (Span("     + ", "accent"), Span("add an entry", "muted"))
        return [*made, TextRow(f"{one.name}#{ADD}", add)]
    return [
        TextRow(
            f"{one.name}={choice}",
            (
                Span("     ◉ " if choice == one.value else "     ○ ", "accent"),
                Span(choice),
                Span("  default" if choice == one.default else "", "muted"),
            ),
        )
        for choice in one.choices
    ]


def details(one: SettingInfo) -> list[Sequence[Span]]:
    """Where a setting stands: its whole name, what it must be, default and source."""
    default = value_words(one, one.default)
    head = (Span(one.name, "accent"), Span(f"   {one.must}", "muted"))
    place = (Span("default ", "muted"), Span(default), *_source(one))
    return [head, place]


def _source(one: SettingInfo) -> Sequence[Span]:
    if one.fixed:
        words = f"   set by {one.source}, which wins over the file as long as it is set"
        return (Span(words, "warn"),)
    return (Span(f"   set in {one.source}" if one.source else "   not changed", "muted"),)

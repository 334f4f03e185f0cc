"""Help, written from the command table: nothing here can disagree with what the keys do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hermes_tui import commands
from hermes_tui.commands import Command
from hermes_tui.ui import part_keys
from hermes_tui.ui.help_topics import TOPICS, Row, Topic
from hermes_tui.ui.keys import key_words
from hermes_tui.ui.line import Span, draw
from hermes_tui.ui.part_keys import PARTS
from hermes_tui.ui.text import fit, wrap
from hermes_tui.ui.viewer import paint_all, paint_lines, paint_markdown

if TYPE_CHECKING:
    from textual.strip import Strip

    from hermes_tui.ui.keys import KeyTable
    from hermes_tui.ui.theme import Look
    from hermes_tui.ui.viewer import Painter

_IN_LISTS: tuple[Row, ...] = (
    ("o", "The whole text over the full screen."),
    ("esc", "Back to the prompt."),
)


def usage(command: Command) -> str:
    """`/title TITLE`."""
    return f"/{command.slash} {command.args}".strip() if command.slash else command.title


def sections(table: KeyTable, keys_only: bool = False) -> list[tuple[str, Sequence[Row]]]:
    """Titles and their rows: commands, keys, keys of the prompt and of lists."""
    typed = [(usage(c), _with_key(c)) for c in table.on_screen if c.slash]
    keys = [(key_words(c.keys), c.help) for c in table.on_screen if c.keys]
    made: list[tuple[str, Sequence[Row]]] = [("Keys", keys)]
    made.append(("In the prompt", TOPICS["prompt"].keys))
    made.append(("In lists", (*_rows("list", table), *_IN_LISTS)))
    if keys_only:
        return [*made, ("Names for keys.yaml", _names(table))]
    return [("Commands, typed after a /", typed), *made]


def keys_of(topic: Topic, table: KeyTable) -> list[Row]:
    """The keys of what a topic is about, as they are now."""
    return [*topic.keys, *(row for part in topic.parts for row in _rows(part, table))]


def _rows(part: str, table: KeyTable) -> list[Row]:
    told = ((key_words(part_keys.keys_of(one, table.own)), one.words) for one in PARTS[part])
    return [row for row in told if row[0]]


def _names(table: KeyTable) -> list[Row]:
    """Every name that may stand in keys.yaml, and the keys it has now."""
    named = [(one.id, key_words(one.keys)) for one in table.on_screen]
    parts = [one for part in PARTS.values() for one in part]
    named += [(one.id, key_words(part_keys.keys_of(one, table.own))) for one in parts]
    return [(name, keys or "no key") for name, keys in named]


def _with_key(command: Command) -> str:
    return f"{command.help}  ({key_words(command.keys)})" if command.keys else command.help


def help_text(table: KeyTable, keys_only: bool = False, topic: Topic | None = None) -> str:
    """The same as plain text, for copying."""
    lines = [topic.prose, ""] if topic else []
    shown = sections(table, keys_only)
    if topic is not None:
        shown = [(f"Keys of {topic.title}", keys_of(topic, table)), *shown]
    for title, rows in shown:
        lines += [title, "", *(f"  {name:<28} {words}" for name, words in rows), ""]
    return "\n".join(lines)


def paint_help(table: KeyTable, keys_only: bool = False, topic: Topic | None = None) -> Painter:
    """Draw what has the keys first, then all sections in two columns."""
    rest = _paint(sections(table, keys_only))
    if topic is None:
        return rest
    own = _paint([(f"Keys of {topic.title}", keys_of(topic, table))])
    head = paint_markdown(f"# {topic.title[0].upper()}{topic.title[1:]}\n\n{topic.prose}")
    return paint_all([head, paint_lines([()]), own, rest])


def _paint(shown: Sequence[tuple[str, Sequence[Row]]]) -> Painter:
    def paint(width: int, look: Look) -> list[Strip]:
        made: list[Strip] = []
        for title, rows in shown:
            made.append(draw((Span(title, "heading"),), (), width, look))
            made.append(draw((), (), width, look))
            made += [draw(line, (), width, look) for line in _lines(rows, width)]
            made.append(draw((), (), width, look))
        return made

    return paint


def _lines(rows: Sequence[Row], width: int) -> Iterable[Sequence[Span]]:
    """The rows, their second column wrapped; a name too long for the first gets a line."""
    column = min(34, width // 2)
    room = max(8, width - column - 2)
    for name, words in rows:
        parts = [words[a:b] for a, b in wrap(words, room)]
        if len(name) >= column - 2:
            yield (Span("  " + name, "accent"),)
            name = ""
        for part in parts:
            yield Span(fit("  " + name, column), "accent"), Span(part, "text")
            name = ""


def about(command: Command) -> str:
    """One command, in a few words."""
    key = f"  ({key_words(command.keys)})" if command.keys else ""
    return f"`{usage(command)}`{key}: {command.help}"


def unknown(name: str) -> str:
    """What to say to a slash command that does not exist."""
    near = ", ".join(commands.nearest(name))
    return f"There is no command /{name}. Near it: {near}."

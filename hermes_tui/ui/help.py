"""Help, written from the command table: nothing here can disagree with what the keys do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hermes_tui import commands
from hermes_tui.commands import Command
from hermes_tui.ui.line import Span, draw
from hermes_tui.ui.palette import key_words
from hermes_tui.ui.text import fit, wrap

if TYPE_CHECKING:
    from textual.strip import Strip

    from hermes_tui.ui.theme import Look
    from hermes_tui.ui.viewer import Painter

Row = tuple[str, str]

_IN_PROMPT: tuple[Row, ...] = (
    ("↵", "Send; while the agent works, steer it."),
    ("alt+↵", "Queue for the next turn."),
    ("shift+↵, ctrl+j, \\ ↵", "A new line."),
    ("↑ ↓", "History; in an empty prompt ↑ takes a waiting text back."),
    ("tab", "Complete a command."),
    ("ctrl+z, ctrl+y", "Undo, redo."),
)
_IN_LISTS: tuple[Row, ...] = (
    ("↑ ↓, k j", "Up and down."),
    ("↵", "Open."),
    ("o", "The whole text over the full screen."),
    ("c", "Copy (trace)."),
    ("p", "Put into the prompt (memory)."),
    ("esc", "Back to the prompt."),
)


def _ui() -> list[Command]:
    return [command for command in commands.COMMANDS if "ui" in command.surfaces]


def usage(command: Command) -> str:
    """`/title TITLE`."""
    return f"/{command.slash} {command.args}".strip() if command.slash else command.title


def sections(keys_only: bool = False) -> list[tuple[str, Sequence[Row]]]:
    """Titles and their rows: commands, keys, keys of the prompt and of lists."""
    typed = [(usage(c), _with_key(c)) for c in _ui() if c.slash]
    keys = [(key_words(c.keys), c.help) for c in _ui() if c.keys]
    made: list[tuple[str, Sequence[Row]]] = [("Keys", keys)]
    made += [("In the prompt", _IN_PROMPT), ("In lists", _IN_LISTS)]
    return made if keys_only else [("Commands, typed after a /", typed), *made]


def _with_key(command: Command) -> str:
    return f"{command.help}  ({key_words(command.keys)})" if command.keys else command.help


def help_text(keys_only: bool = False) -> str:
    """The same as plain text, for copying."""
    lines: list[str] = []
    for title, rows in sections(keys_only):
        lines += [title, "", *(f"  {name:<28} {words}" for name, words in rows), ""]
    return "\n".join(lines)


def paint_help(keys_only: bool = False) -> Painter:
    """Draw all sections in two columns."""

    def paint(width: int, look: Look) -> list[Strip]:
        made: list[Strip] = []
        for title, rows in sections(keys_only):
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

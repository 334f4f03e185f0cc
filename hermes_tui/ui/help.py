"""Help, written from the command table: nothing here can disagree with what the keys do."""

from __future__ import annotations

from hermes_tui import commands
from hermes_tui.commands import Command
from hermes_tui.ui.palette import key_words

_IN_PROMPT = (
    ("↵", "send; while the agent works: steer it"),
    ("alt+↵", "queue for the next turn"),
    ("shift+↵, ctrl+j, \\ ↵", "a new line"),
    ("↑ ↓", "history; in an empty prompt ↑ takes a waiting text back"),
    ("tab", "complete a /command"),
    ("ctrl+z, ctrl+y", "undo, redo"),
)
_IN_LISTS = (
    ("↑ ↓, j k", "up and down"),
    ("↵", "open"),
    ("o", "the whole text over the full screen"),
    ("c", "copy (trace)"),
    ("p", "put into the prompt (memory)"),
    ("esc", "back to the prompt"),
)


def _ui() -> list[Command]:
    return [command for command in commands.COMMANDS if "ui" in command.surfaces]


def usage(command: Command) -> str:
    """`/title TITLE`."""
    return f"/{command.slash} {command.args}".strip() if command.slash else command.title


def help_text() -> str:
    """All commands, as Markdown."""
    lines = ["# Commands", "", "Type what you want done. A line that starts with `/` is a command."]
    lines += ["", "| command | key | |", "|---|---|---|"]
    for command in _ui():
        if command.slash:
            shown = usage(command).replace("|", "\\|")
            lines.append(f"| `{shown}` | {key_words(command.keys)} | {command.help} |")
    return "\n".join([*lines, "", *_keys()])


def keys_text() -> str:
    """All keys, as Markdown."""
    return "\n".join(_keys())


def _keys() -> list[str]:
    lines = ["# Keys", "", "| key | |", "|---|---|"]
    lines += [f"| {key_words(c.keys)} | {c.help} |" for c in _ui() if c.keys]
    for title, table in (("In the prompt", _IN_PROMPT), ("In lists", _IN_LISTS)):
        lines += ["", f"## {title}", "", "| key | |", "|---|---|"]
        lines += [f"| {key} | {words} |" for key, words in table]
    return lines


def about(command: Command) -> str:
    """One command, in a few words."""
    key = f"  ({key_words(command.keys)})" if command.keys else ""
    return f"`{usage(command)}`{key}: {command.help}"


def unknown(name: str) -> str:
    """What to say to a slash command that does not exist."""
    near = ", ".join(f"`{one}`" for one in commands.nearest(name))
    return f"There is no command /{name}. Near it: {near}."

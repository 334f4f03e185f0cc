"""Every action a person can take, once: slash list, palette, keys, help and docs read this table."""

from __future__ import annotations

import difflib
from typing import Literal

from msgspec import Struct

Surface = Literal["ui", "plain", "cli", "chat"]


class Command(Struct, frozen=True, kw_only=True):
    """One action.

    id: what key bindings name; slash: what is typed after `/`, empty for none; args: how its
    arguments read in help; keys: default keys, `ctrl+x n` is n after the leader; by: `face` when
    the face does it itself, `core` when the core answers with text (`RunCommand`); surfaces:
    where it exists.
    """

    id: str
    title: str
    help: str
    slash: str = ""
    args: str = ""
    keys: tuple[str, ...] = ()
    by: Literal["face", "core"] = "face"
    surfaces: tuple[Surface, ...] = ("ui", "plain")


UI: tuple[Surface, ...] = ("ui",)
CORE: tuple[Surface, ...] = ("ui", "plain", "cli")

COMMANDS: tuple[Command, ...] = (
    # talking
    Command(
        id="stop",
        slash="stop",
        keys=("escape",),
        title="Stop",
        help="Stop the running turn; waiting text comes back to the prompt.",
    ),
    Command(
        id="queue",
        slash="queue",
        args="TEXT",
        keys=("alt+enter", "ctrl+x enter"),
        title="Queue for the next turn",
        help="Keep a text until the running turn has ended, then send it.",
    ),
    Command(
        id="steer",
        slash="steer",
        args="TEXT",
        title="Steer the running turn",
        help="Give the agent a text after the tool that is running now.",
    ),
    Command(
        id="approve",
        slash="approve",
        args="[once|session|always|deny] [REASON]",
        keys=("alt+a", "ctrl+x a"),
        title="Answer an approval",
        help="Answer the pending approval.",
    ),
    Command(
        id="interrupt",
        keys=("ctrl+c",),
        title="Copy, stop, clear or quit",
        surfaces=UI,
        help="Copy what is selected; else stop the turn; else clear the prompt; else, twice, quit.",
    ),
    Command(
        id="prompt.history",
        keys=("ctrl+r", "ctrl+x r"),
        title="Search what you typed",
        surfaces=UI,
        help="Find something typed before in any session and put it into the prompt.",
    ),
    Command(
        id="prompt.stash",
        keys=("ctrl+s", "ctrl+x d"),
        title="Put the draft away",
        surfaces=UI,
        help="Put the draft away; in an empty prompt, bring the last one back.",
    ),
    Command(
        id="prompt.editor",
        keys=("ctrl+g", "ctrl+x e"),
        title="Edit in your editor",
        surfaces=UI,
        help="Edit the prompt's text in $EDITOR.",
    ),
    Command(
        id="prompt.attach",
        keys=("ctrl+v", "ctrl+x v"),
        title="Insert the clipboard",
        surfaces=UI,
        help="Attach an image or a file from the clipboard, or insert its text.",
    ),
    Command(
        id="shell",
        title="Shell command",
        surfaces=UI,
        help="Type a command for your own shell; `!` in front does the same, `!!` keeps it from the agent.",
    ),
    Command(
        id="waiting",
        keys=("ctrl+x w",),
        title="Waiting texts",
        surfaces=UI,
        help="Go to the texts that wait for the agent: change, order or take them back.",
    ),
    Command(
        id="waiting.earlier",
        keys=("alt+shift+up",),
        title="Waiting text earlier",
        surfaces=UI,
        help="Have a waiting text arrive before the one above it.",
    ),
    Command(
        id="waiting.later",
        keys=("alt+shift+down",),
        title="Waiting text later",
        surfaces=UI,
        help="Have a waiting text arrive after the one below it.",
    ),
    # sessions
    Command(
        id="session.new",
        slash="new",
        args="[TITLE]",
        keys=("ctrl+n", "ctrl+x n"),
        title="New session",
        help="Start a new session in this folder.",
    ),
    Command(
        id="session.list",
        slash="sessions",
        args="[TEXT]",
        keys=("ctrl+x s",),
        title="Sessions",
        help="Show the sessions, newest first.",
    ),
    Command(
        id="session.resume",
        slash="resume",
        args="ID|TITLE",
        title="Resume a session",
        help="Open another session by id or title.",
    ),
    Command(
        id="session.fork",
        slash="fork",
        args="[TITLE]",
        title="Fork the session",
        surfaces=UI,
        help="Go on with this conversation in a new session; this one stays as it is.",
    ),
    Command(
        id="rewind",
        slash="rewind",
        args="[TURN]",
        title="Go back to before a turn",
        surfaces=UI,
        help="Take the conversation back; what you said then returns to the prompt. Also esc esc.",
    ),
    Command(
        id="session.next",
        keys=("ctrl+pagedown", "ctrl+x pagedown"),
        title="Next session",
        surfaces=UI,
        help="Open the session below in the list.",
    ),
    Command(
        id="session.previous",
        keys=("ctrl+pageup", "ctrl+x pageup"),
        title="Previous session",
        surfaces=UI,
        help="Open the session above in the list.",
    ),
    Command(
        id="session.title",
        slash="title",
        args="TITLE",
        title="Rename the session",
        help="Give this session another title.",
    ),
    Command(
        id="session.export",
        slash="export",
        args="[FILE]",
        title="Export the session",
        help="Write this session to a file: .md, .html, .svg (screen only), else JSON lines.",
    ),
    Command(
        id="session.pin",
        keys=("ctrl+x i",),
        title="Pin the session",
        surfaces=UI,
        help="Keep this session at the top of the list, or let it go from there.",
    ),
    Command(
        id="session.archive",
        title="Archive the session",
        surfaces=UI,
        help="Put this session out of the way, or back into the list.",
    ),
    # model and mode
    Command(
        id="model",
        slash="model",
        args="[NAME]",
        keys=("ctrl+l", "ctrl+x m"),
        title="Model",
        help="Show the models, or switch this session to one.",
    ),
    Command(
        id="mode",
        slash="mode",
        args="[ask|auto-edit|plan|yolo]",
        title="Mode",
        help="Show or set what the agent may do without asking.",
    ),
    Command(
        id="mode.cycle",
        keys=("shift+tab",),
        title="Next mode",
        surfaces=UI,
        help="Step through ask, auto-edit, plan and yolo.",
    ),
    # looking
    Command(
        id="tools",
        slash="tools",
        by="core",
        surfaces=CORE,
        title="Tools",
        help="List the tools the model can call.",
    ),
    Command(id="skills", slash="skills", title="Skills", help="Show the skills."),
    Command(
        id="memory", slash="memory", args="[TEXT]", title="Memory", help="Search all sessions."
    ),
    Command(
        id="find",
        slash="find",
        args="TEXT",
        keys=("ctrl+f", "ctrl+x f"),
        title="Find in this chat",
        help="Find a text in this session.",
    ),
    Command(
        id="trace",
        slash="trace",
        title="Trace",
        surfaces=UI,
        help="Show model calls and tools of this session with times and tokens.",
    ),
    Command(
        id="context",
        slash="context",
        by="core",
        title="Context",
        help="Show what the prompt is made of and how full the window is.",
    ),
    Command(
        id="usage",
        slash="usage",
        by="core",
        title="Usage",
        help="Show tokens and cost of this session.",
    ),
    Command(
        id="processes",
        slash="processes",
        by="core",
        title="Background processes",
        help="List the processes the agent left running.",
    ),
    # the screen
    Command(
        id="palette",
        keys=("ctrl+p", "ctrl+x p"),
        title="Command palette",
        surfaces=UI,
        help="Find any command, session, setting, theme or skill.",
    ),
    Command(
        id="theme",
        slash="theme",
        args="[NAME]",
        keys=("ctrl+x y",),
        title="Theme",
        surfaces=UI,
        help="Show the themes, or switch to one.",
    ),
    Command(
        id="rail",
        keys=("ctrl+b", "ctrl+x b"),
        title="Sessions rail",
        surfaces=UI,
        help="Show or hide the sessions; on narrow screens the previous pane.",
    ),
    Command(
        id="inspector",
        keys=("ctrl+t", "ctrl+x t"),
        title="Inspector",
        surfaces=UI,
        help="Show or hide trace, memory and skills; on narrow screens the next pane.",
    ),
    Command(
        id="zoom",
        keys=("alt+z", "ctrl+x z"),
        title="Zoom the pane",
        surfaces=UI,
        help="Give the focused pane the whole screen, and back.",
    ),
    Command(
        id="pane.1",
        keys=("alt+1", "ctrl+x 1"),
        title="Chat pane",
        surfaces=UI,
        help="Go to the chat.",
    ),
    Command(
        id="pane.2",
        keys=("alt+2", "ctrl+x 2"),
        title="Trace pane",
        surfaces=UI,
        help="Go to the trace.",
    ),
    Command(
        id="pane.3",
        keys=("alt+3", "ctrl+x 3"),
        title="Memory pane",
        surfaces=UI,
        help="Go to the memory search.",
    ),
    Command(
        id="pane.4",
        keys=("alt+4", "ctrl+x 4"),
        title="Skills pane",
        surfaces=UI,
        help="Go to the skills.",
    ),
    Command(
        id="pane.5",
        slash="agents",
        keys=("alt+5", "ctrl+x 5"),
        title="Agents pane",
        surfaces=UI,
        help="Show the processes the agent left running; read their output, end them.",
    ),
    Command(
        id="pane.narrower",
        keys=("ctrl+x left",),
        title="Move the divider left",
        surfaces=UI,
        help="Make the chat narrower; left and right go on from there. Or drag the divider.",
    ),
    Command(
        id="pane.wider",
        keys=("ctrl+x right",),
        title="Move the divider right",
        surfaces=UI,
        help="Make the chat wider; left and right go on from there. Or drag the divider.",
    ),
    Command(
        id="jump",
        keys=("ctrl+o", "ctrl+x o"),
        title="Jump",
        surfaces=UI,
        help="Put letters on all panes, tabs, rows, buttons and links; a letter goes there.",
    ),
    Command(
        id="leader",
        keys=("ctrl+x",),
        title="Leader",
        surfaces=UI,
        help="Then a letter: for terminals that keep alt for themselves. Waiting shows them all.",
    ),
    Command(
        id="block.previous",
        keys=("alt+up", "ctrl+x up"),
        title="Block above",
        surfaces=UI,
        help="Move the block cursor up in the chat; enter opens the block, c copies it.",
    ),
    Command(
        id="block.next",
        keys=("alt+down", "ctrl+x down"),
        title="Block below",
        surfaces=UI,
        help="Move the block cursor down in the chat.",
    ),
    Command(
        id="settings",
        slash="settings",
        args="[TEXT]",
        keys=("ctrl+x c",),
        title="Settings",
        help="Show every setting with its meaning; search and change them.",
    ),
    Command(
        id="setup",
        slash="setup",
        title="Set up a model",
        help="Find the models there are, try one, and keep it.",
    ),
    Command(id="keys", slash="keys", keys=("ctrl+x k",), title="Keys", help="Show the keys."),
    Command(
        id="help",
        slash="help",
        args="[COMMAND]",
        keys=("f1", "ctrl+x h"),
        title="Help",
        help="Show the commands, or one of them.",
    ),
    # leaving
    Command(
        id="detach",
        slash="detach",
        keys=("ctrl+q", "ctrl+x q"),
        title="Leave running",
        help="Close the screen; the agent goes on. `hermes` brings it back.",
    ),
    Command(
        id="quit",
        slash="quit",
        title="Quit",
        help="End the agent; asks first when work would be cut off.",
    ),
)

BY_SLASH: dict[str, Command] = {c.slash: c for c in COMMANDS if c.slash}
BY_ID: dict[str, Command] = {c.id: c for c in COMMANDS}


def parse(line: str) -> tuple[Command | None, str, str]:
    """(command, name, arguments) of a line that starts with `/`; command None when unknown."""
    name, _, args = line.strip()[1:].partition(" ")
    return BY_SLASH.get(name.lower()), name, args.strip()


def is_command(text: str) -> bool:
    """Whether typed text is a slash command rather than something to say (`/etc/hosts is`)."""
    head = text.lstrip().split(maxsplit=1)[:1]
    return (
        bool(head)
        and head[0].startswith("/")
        and "/" not in head[0][1:]
        and "\n" not in text.strip()
    )


def nearest(name: str, surface: Surface = "ui", count: int = 3) -> list[str]:
    """Slash names most like a mistyped one, with their slash."""
    known = [c.slash for c in COMMANDS if c.slash and surface in c.surfaces]
    close = difflib.get_close_matches(name.lower(), known, n=count, cutoff=0.0)
    return ["/" + one for one in close]

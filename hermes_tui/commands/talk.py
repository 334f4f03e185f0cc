"""What a person does to talk with the agent, and to wait for it."""

from __future__ import annotations

from hermes_tui.commands.base import UI, Command

COMMANDS: tuple[Command, ...] = (
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
        id="bg",
        slash="bg",
        args="TEXT",
        by="core",
        title="In the background",
        help="Have a text worked on in a session of its own; its answer appears here.",
    ),
    Command(
        id="btw",
        slash="btw",
        args="TEXT",
        by="core",
        title="By the way",
        help="Ask about the conversation without adding to it, also while the agent works.",
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
)

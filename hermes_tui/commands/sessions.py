"""What a person does with sessions."""

from __future__ import annotations

from hermes_tui.commands.base import TALK, UI, Command

COMMANDS: tuple[Command, ...] = (
    Command(
        id="session.new",
        slash="new",
        args="[TITLE]",
        keys=("ctrl+n", "ctrl+x n"),
        surfaces=TALK,
        title="New session",
        help="Start a new session in this folder.",
    ),
    Command(
        id="session.list",
        slash="sessions",
        args="[TEXT]",
        keys=("ctrl+x s",),
        surfaces=TALK,
        title="Sessions",
        help="Show the sessions, newest first.",
    ),
    Command(
        id="session.resume",
        slash="resume",
        args="ID|TITLE",
        surfaces=TALK,
        title="Resume a session",
        help="Open another session by id or title.",
    ),
    Command(
        id="session.fork",
        slash="fork",
        args="[TITLE]",
        surfaces=TALK,
        title="Fork the session",
        help="Go on with this conversation in a new session; this one stays as it is.",
    ),
    Command(
        id="rewind",
        slash="rewind",
        args="[TURN] [chat|files|both]",
        title="Go back to before a turn",
        help="Take chat, files or both back to before a turn. On screen also esc esc.",
    ),
    Command(
        id="undo",
        slash="undo",
        args="[CHECKPOINT]",
        title="Take file changes back",
        help="Show what the last turn changed in files and take it back; again brings it back.",
    ),
    Command(
        id="checkpoints",
        slash="checkpoints",
        by="core",
        title="Checkpoints",
        help="List the checkpoints of this session's files, and what is left out of them.",
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
        surfaces=TALK,
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
)

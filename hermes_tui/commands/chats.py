"""What a person does with chats elsewhere, and what exists in chats alone."""

from __future__ import annotations

from hermes_tui.commands.base import TALK, Command, Surface

CHAT: tuple[Surface, ...] = ("chat",)

COMMANDS: tuple[Command, ...] = (
    Command(
        id="status",
        slash="status",
        by="core",
        surfaces=TALK,
        title="How the agent is",
        help="Show what the agent is doing, its model and mode, and how its gateways are.",
    ),
    Command(
        id="link",
        slash="link",
        args="[CHAT|off CHAT]",
        by="core",
        surfaces=TALK,
        title="Link a chat",
        help="Have a chat such as `telegram` be one conversation with this session; alone: list.",
    ),
    Command(
        id="handoff",
        slash="handoff",
        args="CHAT",
        by="core",
        surfaces=TALK,
        title="Go on in a chat",
        help="Link a chat such as `telegram` and repeat there what was said last.",
    ),
    Command(
        id="deny",
        slash="deny",
        args="CODE [REASON]",
        surfaces=CHAT,
        title="Deny an approval",
        help="Say no to what asks under a code.",
    ),
    Command(
        id="whoami",
        slash="whoami",
        surfaces=CHAT,
        title="Who am I here",
        help="Show your id on this platform, this chat's id, and what you may do.",
    ),
    Command(
        id="start",
        slash="start",
        surfaces=CHAT,
        title="Greeting",
        help="Say hello, and what can be done here.",
    ),
)

"""Slack as a rig: the real client of its Web API, and Socket Mode over a real websocket."""

from __future__ import annotations

import html
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Literal

from hermes_tui.config import SlackConfig
from hermes_tui.gateways.base import Gateway, Setup
from hermes_tui.gateways.slack import make
from tests.gateways.contract import Power, Sent, until
from tests.gateways.slack_server import (
    APP_TOKEN,
    CHANNEL,
    DM,
    ME,
    TOKEN,
    SlackServer,
    slack_server,
)

WRONG = "xoxb-" + "wrong" * 8
OWNER, STRANGER = "U0OWNER000", "U0STRANGER"
THREAD = "1700000000.000100"


class SlackRig:
    """See `contract.Rig`."""

    platform = "slack"
    powers: frozenset[Power] = frozenset(
        ("again", "catch_up", "acknowledged", "groups", "line", "retry_after", "deleted")
    )
    secrets: tuple[str, ...] = (TOKEN, APP_TOKEN, WRONG)
    owner = OWNER
    stranger = STRANGER
    chat = DM
    group = CHANNEL
    thread = THREAD

    def __init__(self, server: SlackServer) -> None:
        self.server = server
        self._told: dict[str, dict[str, Any]] = {}

    def gateway(self, token: str = TOKEN) -> Gateway:
        config = SlackConfig(enabled=True, base_url=f"{self.server.url}/api", owners=(OWNER,))
        secrets = {config.token_env: token, config.app_token_env: APP_TOKEN}
        return make(Setup(config=config, secret=secrets.__getitem__))

    def refused(self) -> Gateway:
        return self.gateway(WRONG)

    def settings(self) -> list[str]:
        return [f"base_url: {self.server.url}/api"]

    def environment(self) -> dict[str, str]:
        return {"SLACK_BOT_TOKEN": TOKEN, "SLACK_APP_TOKEN": APP_TOKEN}

    async def says(
        self,
        text: str,
        *,
        sender: str = "",
        chat: str = "",
        thread: str = "",
        mention: bool = False,
        reply_to: str = "",
        files: tuple[tuple[str, str, bytes], ...] = (),
    ) -> str:
        where = chat or DM
        said = html.escape(text, quote=False)
        event: dict[str, Any] = {
            "type": "message",
            "channel": where,
            "channel_type": "im" if where == DM else "channel",
            "user": sender or OWNER,
            "text": f"<@{ME}> {said}" if mention else said,
            "ts": self.server.stamp(),
        }
        if thread or reply_to:
            event["thread_ts"] = thread or reply_to
        if reply_to:
            event["parent_user_id"] = ME
        if files:
            event["subtype"] = "file_share"
            event["files"] = [self._file(*one) for one in files]
        number = await self.server.say(event)
        self._told[number] = event
        return number

    def _file(self, kind: str, name: str, data: bytes) -> dict[str, Any]:
        number = f"in{len(self.server.files)}"
        self.server.files[number] = data
        types = {"voice": "audio/mp4", "image": "image/jpeg", "file": "application/x-test"}
        made: dict[str, Any] = {
            "id": number,
            "name": name,
            "mimetype": types[kind],
            "size": len(data),
            "url_private_download": f"{self.server.url}/files/{number}",
        }
        if kind == "voice":
            made["subtype"] = "slack_audio"
        return made

    async def again(self, told: str) -> None:
        event = self._told[told]
        payload = {"type": "event_callback", "event": event}
        await self.server.tell("events_api", payload, f"{told}again")

    async def presses(self, proof: str, value: str) -> str:
        own = next(one for one in self.server.got if one["ts"] == proof)
        action = {"type": "button", "value": value, "action_ts": self.server.stamp()}
        press = {
            "type": "block_actions",
            "user": {"id": OWNER, "name": "ada"},
            "channel": {"id": own["channel"]},
            "message": {"ts": proof},
            "actions": [action],
        }
        return await self.server.tell("interactive", press)

    async def noise(self) -> None:
        say, stamp = self.server.say, self.server.stamp
        base = {"type": "message", "channel": DM}
        await say({**base, "user": ME, "bot_id": "B1", "text": "own", "ts": stamp()})
        other = {"user": "U0BOT", "bot_id": "B2", "subtype": "bot_message"}
        await say({**base, **other, "text": "another bot", "ts": stamp()})
        joined = {"user": OWNER, "subtype": "channel_join", "text": "joined"}
        await say({**base, **joined, "ts": stamp()})
        changed = {"subtype": "message_changed", "message": {"text": "changed", "user": OWNER}}
        await say({**base, **changed, "ts": stamp()})
        reaction = {"type": "reaction_added", "user": OWNER, "reaction": "+1", "channel": DM}
        await say({**reaction, "ts": stamp()})

    def acknowledged(self, told: str) -> bool:
        return told in self.server.acknowledged

    def sent(self) -> list[Sent]:
        return [self._sent(one) for one in self.server.got]

    def _sent(self, one: dict[str, Any]) -> Sent:
        blocks: list[dict[str, Any]] = one.get("blocks") or []
        buttons = [button for block in blocks for button in block.get("elements", [])]
        return Sent(
            proof=one.get("file") or one["ts"],
            chat=one["channel"],
            thread=one.get("thread_ts") or "",
            text=one["text"],
            buttons=tuple((button["text"]["text"], button["value"]) for button in buttons),
            file=self.server.uploads.get(one.get("file", "")),
        )

    def edited(self) -> list[tuple[str, str]]:
        return [(one["ts"], one["text"]) for one in self.server.edited]

    def fetched(self) -> int:
        return len(self.server.fetched)

    def typed(self) -> int:
        return 0

    def menu(self) -> list[str]:
        return []

    def fail_next(self, kind: Literal["busy", "slow_down", "gone"]) -> None:
        failures: dict[str, tuple[str, dict[str, str]]] = {
            "busy": ("internal_error", {}),
            "slow_down": ("ratelimited", {"Retry-After": "7"}),
            "gone": ("channel_not_found", {}),
        }
        self.server.failures.append(failures[kind])

    def delete(self, proof: str) -> None:
        self.server.deleted.add(proof)

    async def break_line(self) -> None:
        await until(lambda: self.server._lines, "there is a line")
        await self.server.drop_lines()

    async def rival(self) -> None:
        raise NotImplementedError


@asynccontextmanager
async def rig() -> AsyncGenerator[SlackRig]:
    """A rig that lives while the test runs."""
    async with slack_server() as server:
        yield SlackRig(server)

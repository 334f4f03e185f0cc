"""Discord as a rig: the real library against a server of its REST API and its gateway."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Literal

from hermes_tui.config import DiscordConfig
from hermes_tui.gateways.base import Gateway, Setup
from hermes_tui.gateways.discord import make
from tests.gateways.contract import Power, Sent, until
from tests.gateways.discord_server import (
    CHANNEL,
    DM,
    GUILD,
    ME,
    THREAD,
    TOKEN,
    DiscordServer,
    discord_server,
    message,
)

WRONG = "MTIzNDU2Nzg5MDEyMzQ1Njc4" + ".Gwrong." + "y" * 38
OWNER, STRANGER = "700000000000000007", "700000000000000666"


def person(number: str, *, bot: bool = False) -> dict[str, Any]:
    """Somebody, by their number; names are all the same."""
    return {
        "id": number,
        "username": "ada",
        "discriminator": "0",
        "avatar": None,
        "global_name": "Ada L.",
        "bot": bot,
    }


class DiscordRig:
    """See `contract.Rig`."""

    platform = "discord"
    powers: frozenset[Power] = frozenset(
        ("again", "catch_up", "groups", "menu", "retry_after", "deleted")
    )
    secrets: tuple[str, ...] = (TOKEN, WRONG)
    owner = OWNER
    stranger = STRANGER
    chat = DM
    group = CHANNEL
    thread = THREAD

    def __init__(self, server: DiscordServer) -> None:
        self.server = server
        self._told: dict[str, dict[str, Any]] = {}

    def gateway(self, token: str = TOKEN) -> Gateway:
        config = DiscordConfig(enabled=True, base_url=self.server.url, owners=(OWNER,))
        return make(Setup(config=config, secret={config.token_env: token}.__getitem__))

    def refused(self) -> Gateway:
        return self.gateway(WRONG)

    def settings(self) -> list[str]:
        return [f"base_url: {self.server.url}"]

    def environment(self) -> dict[str, str]:
        return {"DISCORD_BOT_TOKEN": TOKEN}

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
        where = thread or chat or DM
        number = self.server.number()
        more: dict[str, Any] = {"attachments": [self._file(*one) for one in files]}
        if mention:
            text = f"<@{ME['id']}> {text}"
            more["mentions"] = [ME]
        if reply_to:
            own = message(reply_to, where, ME, "…")
            more |= {"type": 19, "referenced_message": own}
            more["message_reference"] = {"message_id": reply_to, "channel_id": where}
        if where != DM:
            more["guild_id"] = GUILD
        said = message(number, where, person(sender or OWNER), text, **more)
        self._told[number] = said
        self.server.say(said)
        return number

    def _file(self, kind: str, name: str, data: bytes) -> dict[str, Any]:
        number = self.server.number()
        self.server.files[number] = data
        types = {"voice": "audio/ogg", "image": "image/jpeg", "file": "application/x-test"}
        url = f"{self.server.url}/files/{number}"
        made: dict[str, Any] = {
            "id": number,
            "filename": name,
            "size": len(data),
            "url": url,
            "proxy_url": url,
            "content_type": types[kind],
        }
        if kind == "voice":
            made |= {"duration_secs": 1.0, "waveform": "AAAA"}
        return made

    async def again(self, told: str) -> None:
        self.server.tell("MESSAGE_CREATE", self._told[told])

    async def presses(self, proof: str, value: str) -> str:
        own = next(one for one in self.server.got if one["id"] == proof)
        number = self.server.number()
        press: dict[str, Any] = {
            "id": number,
            "application_id": ME["id"],
            "type": 3,
            "token": "t" * 20,
            "version": 1,
            "channel_id": own["channel_id"],
            "channel": {"id": own["channel_id"], "type": 1},
            "user": person(OWNER),
            "message": message(proof, own["channel_id"], ME, own["content"]),
            "data": {"custom_id": value, "component_type": 2},
            "entitlements": [],
            "authorizing_integration_owners": {},
            "attachment_size_limit": 10_485_760,
        }
        self.server.tell("INTERACTION_CREATE", press)
        return number

    async def noise(self) -> None:
        say, number = self.server.say, self.server.number
        say(message(number(), DM, ME, "what the bot said itself"))
        say(message(number(), DM, person("8", bot=True), "what another bot said"))
        say(message(number(), CHANNEL, person(OWNER), "", type=7, guild_id=GUILD))
        hook = {"webhook_id": "77", "guild_id": GUILD}
        say(message(number(), CHANNEL, person("77"), "from a webhook", **hook))
        changed = message(number(), DM, person(OWNER), "changed")
        self.server.tell("MESSAGE_UPDATE", changed)

    def acknowledged(self, told: str) -> bool:
        return told in self.server.answered

    def sent(self) -> list[Sent]:
        return [self._sent(one) for one in self.server.got]

    def _sent(self, one: dict[str, Any]) -> Sent:
        rows: list[dict[str, Any]] = one.get("components", [])
        channel = one["channel_id"]
        return Sent(
            proof=one["id"],
            chat=CHANNEL if channel == THREAD else channel,
            thread=THREAD if channel == THREAD else "",
            text=one.get("content", ""),
            buttons=tuple(
                (button["label"], button["custom_id"])
                for row in rows
                for button in row["components"]
            ),
            file=self.server.uploads.get(one["id"]),
        )

    def edited(self) -> list[tuple[str, str]]:
        return [(one["id"], one["content"]) for one in self.server.edited]

    def fetched(self) -> int:
        return len(self.server.fetched)

    def typed(self) -> int:
        return len(self.server.typed)

    def menu(self) -> list[str]:
        return [one["name"] for one in self.server.commands]

    def fail_next(self, kind: Literal["busy", "slow_down", "gone"]) -> None:
        failures: dict[str, tuple[int, int, dict[str, str]]] = {
            "busy": (503, 0, {}),
            "slow_down": (429, 0, {"Retry-After": "7"}),
            "gone": (403, 50007, {}),
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
async def rig() -> AsyncGenerator[DiscordRig]:
    """A rig that lives while the test runs."""
    async with discord_server() as server:
        yield DiscordRig(server)

"""Telegram as a rig: the Bot API server of the tests, asked for updates by the real library."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Literal

from hermes_tui.config import TelegramConfig
from hermes_tui.gateways.base import Gateway, Setup
from hermes_tui.gateways.telegram import make
from tests.gateways.bot_api import ME, TOKEN, BotApi, bot_api, refusal
from tests.gateways.calls import FakeListener
from tests.gateways.contract import Power, Sent, until

WRONG = "99999" + ":" + "BB" + "y" * 33
HOOK_SECRET = "shown_with_each_call"
HOOK = "https://agent.example/telegram"
OWNER: dict[str, Any] = {"id": 7, "is_bot": False, "first_name": "Ada", "last_name": "L."}
STRANGER: dict[str, Any] = {"id": 666, "is_bot": False, "first_name": "Ada", "last_name": "L."}


class TelegramRig:
    """See `contract.Rig`."""

    platform = "telegram"
    powers: frozenset[Power] = frozenset(
        (
            "again",
            "catch_up",
            "acknowledged",
            "groups",
            "menu",
            "rival",
            "line",
            "retry_after",
            "deleted",
        )
    )
    secrets: tuple[str, ...] = (TOKEN, TOKEN.partition(":")[2], WRONG, HOOK_SECRET)
    owner = "7"
    stranger = "666"
    chat = "7"
    group = "-1007"
    thread = "9"

    def __init__(self, api: BotApi) -> None:
        self.api = api
        self.listener = FakeListener()
        self._ids = itertools.count(1)
        self._told: dict[str, dict[str, Any]] = {}

    def gateway(
        self,
        token: str = TOKEN,
        *,
        hook_secret: str = HOOK_SECRET,
        listens: bool = True,
        **settings: Any,
    ) -> Gateway:
        config = TelegramConfig(enabled=True, base_url=self.api.url, **settings)
        secrets = {config.token_env: token, config.secret_env: hook_secret}
        listener = self.listener if listens else None
        return make(Setup(config=config, secret=secrets.__getitem__, listener=listener))

    def settings(self) -> list[str]:
        return [f"base_url: {self.api.url}"]

    def environment(self) -> dict[str, str]:
        return {"TELEGRAM_BOT_TOKEN": TOKEN}

    def refused(self) -> Gateway:
        return self.gateway(WRONG)

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
        who = STRANGER if sender == self.stranger else OWNER
        said = self.message(who, chat or str(who["id"]), text, mention)
        if thread:
            said |= {"message_thread_id": int(thread), "is_topic_message": True}
        if reply_to:
            own = next(one for one in self.sent() if one.proof == reply_to)
            said["reply_to_message"] = self.message(ME, own.chat, own.text) | {
                "message_id": int(reply_to)
            }
        if files:
            said["caption"] = said.pop("text")
            said["caption_entities"] = said.pop("entities")
        for kind, name, data in files:
            said |= self._file(kind, name, data)
        return await self.tell(message=said)

    def message(
        self, who: dict[str, Any], chat: str, text: str, mention: bool = False
    ) -> dict[str, Any]:
        """A message as the server describes it."""
        name = f"@{ME['username']}"
        marks = [{"type": "mention", "offset": 0, "length": len(name)}] if mention else []
        made: dict[str, Any] = {
            "message_id": next(self._ids),
            "date": int(time.time()),
            "from": who,
            "chat": {"id": int(chat), "type": "private" if int(chat) > 0 else "supergroup"},
            "text": f"{name} {text}" if mention else text,
            "entities": marks,
        }
        return made

    async def tell(self, **update: Any) -> str:
        """An update of any kind."""
        number = await self.api.tell(**update)
        self._told[str(number)] = {"update_id": number, **update}
        return str(number)

    def _file(self, kind: str, name: str, data: bytes) -> dict[str, Any]:
        file_id = f"file{next(self._ids)}"
        self.api.files[file_id] = data
        made = {"file_id": file_id, "file_unique_id": file_id, "file_size": len(data)}
        if kind == "voice":
            return {"voice": {**made, "duration": 1, "mime_type": "audio/ogg"}}
        if kind == "image":
            small = {**made, "file_id": "small", "width": 9, "height": 9}
            return {"photo": [small, {**made, "width": 90, "height": 90}]}
        return {"document": {**made, "file_name": name, "mime_type": "application/x-test"}}

    async def again(self, told: str) -> None:
        await self.api.tell_again(self._told[told])

    async def presses(self, proof: str, value: str) -> str:
        own = next(one for one in self.sent() if one.proof == proof)
        shown = self.message(ME, own.chat, own.text) | {"message_id": int(proof)}
        query = f"q{next(self._ids)}"
        press = {"id": query, "from": OWNER, "chat_instance": "1", "message": shown, "data": value}
        await self.tell(callback_query=press)
        return query

    async def noise(self) -> None:
        own = self.message(ME, self.chat, "what the bot said itself")
        other = {"id": 8, "is_bot": True, "first_name": "Other", "username": "other_bot"}
        joined = self.message(OWNER, self.group, "")
        del joined["text"], joined["entities"]
        await self.tell(message=own)
        await self.tell(message=self.message(other, self.chat, "what another bot said"))
        await self.tell(message={**joined, "new_chat_members": [OWNER]})
        await self.tell(
            edited_message={**self.message(OWNER, self.chat, "changed"), "edit_date": 1}
        )
        await self.tell(channel_post=self.message(OWNER, self.group, "a channel's post"))

    def acknowledged(self, told: str) -> bool:
        return told in self.api.answered or (told.isdecimal() and int(told) in self.api.confirmed)

    def sent(self) -> list[Sent]:
        return [_sent(one) for one in self.api.got]

    def edited(self) -> list[tuple[str, str]]:
        return [(one["message_id"], one["text"]) for one in self.api.edited]

    def fetched(self) -> int:
        return len(self.api.fetched)

    def typed(self) -> int:
        return sum(name == "sendChatAction" for name, _ in self.api.calls)

    def menu(self) -> list[str]:
        return [one["command"] for one in self.api.commands]

    def fail_next(self, kind: Literal["busy", "slow_down", "gone"]) -> None:
        self.api.failures.append(
            {
                "busy": refusal(502, "Bad Gateway"),
                "slow_down": refusal(429, "Too Many Requests: retry after 7", retry_after=7),
                "gone": refusal(403, "Forbidden: bot was blocked by the user"),
            }[kind]
        )

    def delete(self, proof: str) -> None:
        self.api.shown.pop(int(proof))

    async def break_line(self) -> None:
        await self.api.drop_lines()

    async def rival(self) -> None:
        await until(lambda: self.api.asking, "the gateway asks for updates")
        ask = asyncio.create_task(self.api.ask_raw())
        await asyncio.wait([ask], timeout=2)


def _sent(one: dict[str, Any]) -> Sent:
    keys: list[list[dict[str, str]]] = (
        one["reply_markup"]["inline_keyboard"] if one["reply_markup"] else []
    )
    return Sent(
        proof=str(one["message_id"]),
        chat=one["chat_id"],
        text=one.get("text", one.get("caption", "")),
        thread=one.get("message_thread_id", ""),
        buttons=tuple((key["text"], key["callback_data"]) for row in keys for key in row),
        file=next((one[kind] for kind in ("document", "photo", "voice") if kind in one), None),
    )


@asynccontextmanager
async def rig() -> AsyncGenerator[TelegramRig]:
    """A rig that lives while the test runs."""
    async with bot_api() as api:
        yield TelegramRig(api)

"""WhatsApp as a rig: Meta's server signs its calls, and repeats what was not taken."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import socket
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Literal

import httpx2
import msgspec

from hermes_tui.config import WhatsAppConfig
from hermes_tui.gateways.base import Answer, Gateway, Setup
from hermes_tui.gateways.whatsapp import PATH, make
from tests.gateways.calls import FakeListener
from tests.gateways.contract import Power, Sent
from tests.gateways.whatsapp_server import PHONE_ID, TOKEN, Graph, graph_api

SECRET = "the app secret of " + "Meta"
VERIFY = "my own word"
WRONG = "EAAG" + "wrong" * 8
OWNER, STRANGER = "16505551234", "16505556666"


class WhatsAppRig:
    """See `contract.Rig`. `deliver` runs beside it: one call after the other, until it is taken.

    port: where a core listens whose settings are of this rig; 0 while the gateway is in here.
    """

    platform = "whatsapp"
    powers: frozenset[Power] = frozenset(("again", "catch_up", "acknowledged", "retry_after"))
    secrets: tuple[str, ...] = (TOKEN, SECRET, WRONG)
    owner = OWNER
    stranger = STRANGER
    chat = OWNER
    group = OWNER
    thread = ""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.listener = FakeListener()
        self.port = 0
        self.waiting: list[tuple[str, dict[str, Any]]] = []
        self.taken: set[str] = set()
        self._ids = itertools.count(1)
        self._told: dict[str, dict[str, Any]] = {}

    def gateway(self, token: str = TOKEN, secret: str = SECRET) -> Gateway:
        config = WhatsAppConfig(enabled=True, phone_id=PHONE_ID, base_url=self.graph.url)
        secrets = {config.token_env: token, config.secret_env: secret, config.verify_env: VERIFY}
        return make(Setup(config=config, secret=secrets.__getitem__, listener=self.listener))

    def refused(self) -> Gateway:
        return self.gateway(WRONG)

    def settings(self) -> list[str]:
        return [f"phone_id: '{PHONE_ID}'", f"base_url: {self.graph.url}"]

    def listening(self) -> int:
        """The HTTP port a core is to have; from now on calls go there."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        return self.port

    def environment(self) -> dict[str, str]:
        return {
            "WHATSAPP_TOKEN": TOKEN,
            "WHATSAPP_APP_SECRET": SECRET,
            "WHATSAPP_VERIFY_TOKEN": VERIFY,
        }

    # --- Meta's side ---------------------------------------------------------------------

    async def call(self, notice: dict[str, Any], secret: str = SECRET) -> Answer:
        """Call the webhook, signed."""
        body = msgspec.json.encode(notice)
        made = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {"X-Hub-Signature-256": f"sha256={made}"}
        if not self.port:
            return await self.listener.call(PATH, body, headers=headers)
        try:
            async with httpx2.AsyncClient(timeout=2) as meta:
                url = f"http://127.0.0.1:{self.port}{PATH}"
                told = await meta.post(url, content=body, headers=headers)
        except httpx2.TransportError:
            return Answer(status=502)
        return Answer(status=told.status_code, body=told.content)

    async def deliver(self) -> None:
        """Call with what waits, the oldest first; what is not taken comes again."""
        while True:
            if self.waiting:
                number, said = self.waiting[0]
                answer = await self.call(notice(said))
                if answer.status == 200:
                    self.taken.add(number)
                    self.waiting.pop(0)
                    continue
            await asyncio.sleep(0.02 if self.port else 0.005)

    def tell(self, said: dict[str, Any]) -> str:
        """A message to be delivered."""
        number = said["id"]
        self._told[number] = said
        self.waiting.append((number, said))
        return number

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
        said = self._said(sender or OWNER)
        said |= {"type": "text", "text": {"body": text}}
        for kind, name, data in files:
            said |= self._file(kind, name, data, text)
            said.pop("text", None)
        return self.tell(said)

    def _said(self, sender: str) -> dict[str, Any]:
        number = f"wamid.in{next(self._ids)}"
        return {"from": sender, "id": number, "timestamp": str(int(time.time()))}

    def _file(self, kind: str, name: str, data: bytes, caption: str) -> dict[str, Any]:
        number = f"media{next(self._ids)}"
        kinds = {
            "image": ("image", "image/jpeg"),
            "voice": ("audio", "audio/ogg; codecs=opus"),
            "file": ("document", "application/x-test"),
        }
        theirs, mime = kinds[kind]
        self.graph.files[number] = (mime, data)
        about: dict[str, Any] = {"id": number, "mime_type": mime, "sha256": "x"}
        if theirs == "document":
            about["filename"] = name
        if theirs == "audio":
            about["voice"] = True
        elif caption:
            about["caption"] = caption
        return {"type": theirs, theirs: about}

    async def again(self, told: str) -> None:
        self.waiting.append((told, self._told[told]))

    async def presses(self, proof: str, value: str) -> str:
        said = self._said(OWNER)
        reply = {"type": "button_reply", "button_reply": {"id": value, "title": "x"}}
        context = {"from": "15550000000", "id": proof}
        return self.tell({**said, "type": "interactive", "interactive": reply, "context": context})

    async def noise(self) -> None:
        reaction = {"message_id": "wamid.out1", "emoji": "👍"}
        self.tell({**self._said(OWNER), "type": "reaction", "reaction": reaction})
        self.tell({**self._said(OWNER), "type": "unsupported", "errors": [{"code": 131051}]})
        system = {"body": "changed the number", "type": "user_changed_number"}
        self.tell({**self._said(OWNER), "type": "system", "system": system})

    def acknowledged(self, told: str) -> bool:
        return told in self.taken

    def sent(self) -> list[Sent]:
        return [self._sent(one) for one in self.graph.got]

    def _sent(self, one: dict[str, Any]) -> Sent:
        shown: dict[str, Any] = one.get("interactive") or {}
        media: dict[str, Any] = one.get(one["type"]) or {}
        file = None
        if media.get("id") in self.graph.uploads:
            name, data = self.graph.uploads[media["id"]]
            file = (name, data)
        pressable: list[dict[str, str]] = [
            button["reply"] for button in shown.get("action", {}).get("buttons", [])
        ]
        text = one.get("text", {}).get("body") or shown.get("body", {}).get("text")
        return Sent(
            proof=one["id"],
            chat=one["to"],
            text=text or media.get("caption", ""),
            buttons=tuple((button["title"], button["id"]) for button in pressable),
            file=file,
        )

    def edited(self) -> list[tuple[str, str]]:
        return []

    def fetched(self) -> int:
        return len(self.graph.fetched)

    def typed(self) -> int:
        return len(self.graph.read)

    def menu(self) -> list[str]:
        return []

    def fail_next(self, kind: Literal["busy", "slow_down", "gone"]) -> None:
        failures: dict[str, tuple[int, int, dict[str, str]]] = {
            "busy": (503, 2, {}),
            "slow_down": (429, 130429, {"Retry-After": "7"}),
            "gone": (400, 131026, {}),
        }
        self.graph.failures.append(failures[kind])

    def delete(self, proof: str) -> None:
        raise NotImplementedError

    async def break_line(self) -> None:
        raise NotImplementedError

    async def rival(self) -> None:
        raise NotImplementedError


def notice(said: dict[str, Any], phone_id: str = PHONE_ID) -> dict[str, Any]:
    """A call as Meta makes it."""
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550000000", "phone_number_id": phone_id},
        "contacts": [{"profile": {"name": "Ada L."}, "wa_id": said["from"]}],
        "messages": [said],
    }
    change = {"value": value, "field": "messages"}
    return {"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [change]}]}


@asynccontextmanager
async def rig() -> AsyncGenerator[WhatsAppRig]:
    """A rig that lives while the test runs."""
    async with graph_api() as graph:
        made = WhatsAppRig(graph)
        delivering = asyncio.create_task(made.deliver())
        try:
            yield made
        finally:
            delivering.cancel()
            await asyncio.wait([delivering])

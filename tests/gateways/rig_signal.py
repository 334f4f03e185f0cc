"""Signal as a rig: a daemon like signal-cli's, spoken to as its manual says."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Literal

from hermes_tui.config import SignalConfig
from hermes_tui.gateways.base import Gateway, Setup
from hermes_tui.gateways.signal import make
from tests.gateways.contract import Power, Sent
from tests.gateways.signal_server import ACCOUNT, SignalCli, signal_cli

OWNER = "7ccae375-cd51-4c82-8b1e-7be3280aa485"
STRANGER = "00000000-bad0-4c82-8b1e-7be3280aa485"
GROUP_ID = "Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI="
NAMED = "\N{OBJECT REPLACEMENT CHARACTER}"


class SignalRig:
    """See `contract.Rig`."""

    platform = "signal"
    powers: frozenset[Power] = frozenset(
        ("again", "catch_up", "groups", "line", "retry_after", "deleted")
    )
    secrets: tuple[str, ...] = ()
    owner = OWNER
    stranger = STRANGER
    chat = OWNER
    group = f"group.{GROUP_ID}"
    thread = ""

    def __init__(self, daemon: SignalCli) -> None:
        self.daemon = daemon
        self._told: dict[str, dict[str, Any]] = {}

    def gateway(self, account: str = ACCOUNT) -> Gateway:
        config = SignalConfig(enabled=True, url=self.daemon.url, account=account)
        return make(Setup(config=config, secret=lambda name: ""))

    def refused(self) -> Gateway:
        return self.gateway("+10000000000")

    def settings(self) -> list[str]:
        return [f"url: {self.daemon.url}", f"account: '{ACCOUNT}'"]

    def environment(self) -> dict[str, str]:
        return {}

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
        stamp = self.daemon.stamp()
        data: dict[str, Any] = {
            "timestamp": stamp,
            "message": f"{NAMED} {text}" if mention else text,
            "expiresInSeconds": 0,
            "viewOnce": False,
            "attachments": [self._file(*one) for one in files],
        }
        if mention:
            who = {"name": ACCOUNT, "number": ACCOUNT, "uuid": "own", "start": 0, "length": 1}
            data["mentions"] = [who]
        if chat.startswith("group."):
            data["groupInfo"] = {"groupId": chat.removeprefix("group."), "type": "DELIVER"}
        if reply_to:
            data["quote"] = {"id": int(reply_to), "authorNumber": ACCOUNT, "text": "…"}
        return self._tell(sender or OWNER, stamp, dataMessage=data)

    def _tell(self, who: str, stamp: int, **what: Any) -> str:
        envelope: dict[str, Any] = {
            "source": who,
            "sourceNumber": None,
            "sourceUuid": who,
            "sourceName": "Ada L.",
            "sourceDevice": 1,
            "timestamp": stamp,
            **what,
        }
        number = self.daemon.tell(envelope)
        self._told[number] = envelope
        return number

    def _file(self, kind: str, name: str, data: bytes) -> dict[str, Any]:
        number = f"att{len(self.daemon.files)}"
        self.daemon.files[number] = data
        types = {"voice": "audio/ogg", "image": "image/jpeg", "file": "application/x-test"}
        return {
            "id": number,
            "contentType": types[kind],
            "filename": None if kind == "voice" else name,
            "size": len(data),
        }

    async def again(self, told: str) -> None:
        self.daemon.tell(self._told[told])

    async def presses(self, proof: str, value: str) -> str:
        raise NotImplementedError

    async def noise(self) -> None:
        stamp = self.daemon.stamp()
        sent = {"destinationUuid": STRANGER, "timestamp": stamp, "message": "from my phone"}
        self._tell(OWNER, stamp, syncMessage={"sentMessage": sent})
        self._tell(OWNER, stamp, typingMessage={"action": "STARTED", "timestamp": stamp})
        self._tell(OWNER, stamp, receiptMessage={"when": stamp, "isDelivery": True})
        reaction = {"emoji": "👍", "targetSentTimestamp": stamp}
        self._tell(OWNER, stamp, dataMessage={"timestamp": stamp, "reaction": reaction})
        self._tell(OWNER, stamp, dataMessage={"timestamp": stamp, "message": None})
        changed = {"timestamp": stamp, "message": "changed"}
        edit = {"targetSentTimestamp": stamp, "dataMessage": changed}
        self._tell(OWNER, stamp, editMessage=edit)

    def acknowledged(self, told: str) -> bool:
        return False

    def sent(self) -> list[Sent]:
        return [_sent(one) for one in self.daemon.got]

    def edited(self) -> list[tuple[str, str]]:
        return [(str(one["editTimestamp"]), one["message"]) for one in self.daemon.edited]

    def fetched(self) -> int:
        return len(self.daemon.fetched)

    def typed(self) -> int:
        return len(self.daemon.typed)

    def menu(self) -> list[str]:
        return []

    def fail_next(self, kind: Literal["busy", "slow_down", "gone"]) -> None:
        slow: dict[str, Any] = {"type": "RATE_LIMIT_FAILURE", "retryAfterSeconds": 7}
        failures: dict[str, tuple[int, str, list[dict[str, Any]]]] = {
            "busy": (-3, "Failed to send message: timeout", []),
            "slow_down": (-5, "rate limited", [slow]),
            "gone": (-1, "Failed to send", [{"type": "UNREGISTERED_FAILURE"}]),
        }
        self.daemon.failures.append(failures[kind])

    def delete(self, proof: str) -> None:
        self.daemon.deleted.add(int(proof))

    async def break_line(self) -> None:
        self.daemon.drop_lines()

    async def rival(self) -> None:
        raise NotImplementedError


def _sent(one: dict[str, Any]) -> Sent:
    file = None
    for uri in one.get("attachments", []):
        head, _, data = uri.partition(",")
        name = head.partition("filename=")[2].partition(";")[0]
        file = (name, base64.b64decode(data))
    group = one.get("groupId")
    return Sent(
        proof=str(one["timestamp"]),
        chat=f"group.{group}" if group else one["recipient"][0],
        text=one["message"],
        file=file,
    )


@asynccontextmanager
async def rig() -> AsyncGenerator[SignalRig]:
    """A rig that lives while the test runs."""
    async with signal_cli() as daemon:
        yield SignalRig(daemon)

"""Ways in for other programs: signed calls become texts. Nothing goes out here."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import msgspec

from hermes_tui.config import Hook
from hermes_tui.errors import StoreError
from hermes_tui.gateways.base import (
    Abilities,
    Address,
    Answer,
    Button,
    Call,
    Desk,
    Gateway,
    Inbound,
    Listener,
    Message,
    RefusedError,
    SendError,
    Setup,
)
from hermes_tui.gateways.format import messages

_log = logging.getLogger(__name__)
PATH = "/webhook/"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_FRESH_S = 300.0
"""A signed time may be so far off."""
_MOST_FIELD = 4_000
_MOST_TEXT = 20_000
_ALIVE_S = 60.0
_FIELD = re.compile(r"\{([A-Za-z0-9_.-]{1,200})\}")


class Webhooks:
    """All hooks of the settings."""

    platform = "webhook"
    able = Abilities()

    def __init__(
        self, hooks: tuple[Hook, ...], secret: Callable[[str], str], listener: Listener | None
    ) -> None:
        self._hooks = hooks
        self._secret = secret
        self._listener = listener

    async def run(self, desk: Desk) -> None:
        """Be called, until cancelled."""
        listener = self._checked()
        try:
            for hook in self._hooks:
                listener.add("POST", PATH + hook.name, partial(self._called, hook, desk))
            while True:
                desk.alive()  # nothing comes by itself: being listened to is being alive
                await asyncio.sleep(_ALIVE_S)
        finally:
            for hook in self._hooks:
                listener.remove(PATH + hook.name)

    def _checked(self) -> Listener:
        if not self._hooks:
            raise RefusedError("no hook is set", "webhook.hooks: see the page on webhooks")
        for hook in self._hooks:
            if not NAME.fullmatch(hook.name):
                raise RefusedError(
                    f"{hook.name!r} is no name of a hook", "small letters, digits and -"
                )
            if len(self._secret(hook.secret_env)) < 8:
                raise RefusedError(
                    f"the hook {hook.name} has no secret of eight signs or more",
                    f"put one into {hook.secret_env}: `hermes auth add {hook.secret_env}`",
                )
        if self._listener is None:
            raise RefusedError("programs call this machine, and no port is open", "set http.port")
        return self._listener

    async def _called(self, hook: Hook, desk: Desk, call: Call) -> Answer:
        """One call: answered once it is kept."""
        secret = self._secret(hook.secret_env)
        if not secret or not _SCHEMES[hook.scheme](call, secret):
            _log.warning("the hook %s: a call without the right signature was refused", hook.name)
            return Answer(status=403)
        desk.alive()
        try:
            text = filled(hook.template, call.body)
        except msgspec.MsgspecError:
            return Answer(status=400, body=b"this is no JSON\n")
        if not text.strip():
            return Answer(status=400, body=b"there is nothing in it\n")
        message = Inbound(
            platform=self.platform,
            chat=hook.name,
            message=_number(call),
            sender=hook.name,
            text=text,
            ts=time.time(),
            untrusted=f"the webhook {hook.name}",
        )
        try:
            fresh = await desk.take(message)
        except (StoreError, OSError) as error:
            _log.warning("the hook %s: a call was not kept: %s", hook.name, error)
            return Answer(status=503)
        return Answer(status=202 if fresh else 200)

    # --- nothing goes out ----------------------------------------------------------------

    def messages(self, text: str) -> tuple[Message, ...]:
        """The exact messages a text would become."""
        return messages("plain", text)

    async def send(self, to: Address, message: Message, key: str) -> str:
        """Nothing is sent to a webhook."""
        raise SendError("nothing is sent to a webhook", "webhook.hooks[].deliver", dead=True)

    async def edit(self, to: Address, proof: str, message: Message) -> None:
        """Nothing is sent to a webhook."""
        await self.send(to, message, proof)

    async def ask(
        self, to: Address, message: Message, buttons: tuple[Button, ...], key: str
    ) -> str:
        """Nothing is sent to a webhook."""
        return await self.send(to, message, key)

    async def send_file(self, to: Address, path: Path, name: str, caption: str, key: str) -> str:
        """Nothing is sent to a webhook."""
        return await self.send(to, Message(text=caption), key)

    async def typing(self, to: Address) -> None:
        """Nothing is sent to a webhook."""

    async def close(self) -> None:
        """Nothing is held."""


# --- signatures ----------------------------------------------------------------------------


def _same(given: str, made: str) -> bool:
    return hmac.compare_digest(given.encode(), made.encode())


def _digest(secret: str, data: bytes) -> str:
    return hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()


def _fresh(stamp: str) -> bool:
    return stamp.isdecimal() and abs(time.time() - int(stamp)) <= _FRESH_S


def _by_hmac(call: Call, secret: str) -> bool:
    """`X-Timestamp` in Unix seconds, `X-Signature-256: sha256=HMAC(secret, time.body)`."""
    stamp = call.headers.get("x-timestamp", "")
    made = "sha256=" + _digest(secret, f"{stamp}.".encode() + call.body)
    return _same(call.headers.get("x-signature-256", ""), made) and _fresh(stamp)


def _by_github(call: Call, secret: str) -> bool:
    made = "sha256=" + _digest(secret, call.body)
    return _same(call.headers.get("x-hub-signature-256", ""), made)


def _by_gitlab(call: Call, secret: str) -> bool:
    return _same(call.headers.get("x-gitlab-token", ""), secret)


def _by_slack(call: Call, secret: str) -> bool:
    stamp = call.headers.get("x-slack-request-timestamp", "")
    made = "v0=" + _digest(secret, f"v0:{stamp}:".encode() + call.body)
    return _same(call.headers.get("x-slack-signature", ""), made) and _fresh(stamp)


_SCHEMES: dict[str, Callable[[Call, str], bool]] = {
    "hmac": _by_hmac,
    "github": _by_github,
    "gitlab": _by_gitlab,
    "slack": _by_slack,
}


def _number(call: Call) -> str:
    """What makes a call the same call: the sender's own number of it, else all it says."""
    for name in ("x-github-delivery", "x-gitlab-event-uuid", "idempotency-key"):
        if call.headers.get(name):
            return f"{name}:{call.headers[name][:200]}"
    stamp = call.headers.get("x-timestamp", "")
    return hashlib.sha256(f"{stamp}.".encode() + call.body).hexdigest()


# --- texts ---------------------------------------------------------------------------------


def filled(template: str, body: bytes) -> str:
    """A template with `{path.to.field}` filled in from JSON; `{body}` is all of it.

    What is filled in is not looked at again, and cut at 4,000 signs. Raises MsgspecError when
    a field is wanted and the body is no JSON.
    """
    names = set(_FIELD.findall(template))
    value: Any = msgspec.json.decode(body) if names - {"body"} else None

    def fill(found: re.Match[str]) -> str:
        if found.group(1) == "body":
            return body.decode("utf-8", "replace")[:_MOST_TEXT]
        return _shown(_at(value, found.group(1)))[:_MOST_FIELD]

    return _FIELD.sub(fill, template)[:_MOST_TEXT]


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        if isinstance(value, dict):
            value = cast("dict[str, Any]", value).get(name)
        elif isinstance(value, list) and name.isdecimal():
            items = cast("list[Any]", value)
            value = items[int(name)] if int(name) < len(items) else None
        else:
            return None
    return value


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def make(setup: Setup) -> Gateway:
    """The gateway by its settings."""
    return Webhooks(setup.config.hooks, setup.secret, setup.listener)

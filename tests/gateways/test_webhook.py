"""Calls of other programs: only signed ones, each once, as texts that nobody has said."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.config import Hook, WebhookConfig
from hermes_tui.gateways.base import Answer, RefusedError, Setup
from hermes_tui.gateways.webhook import filled, make
from tests.gateways.calls import FakeListener
from tests.gateways.contract import RecordingDesk, until

SECRET = "a secret of " + "eight signs"
HOOKS = (
    Hook(name="deploy", secret_env="A", template="{repo.name}: {text}"),
    Hook(name="github", secret_env="A", scheme="github"),
    Hook(name="gitlab", secret_env="A", scheme="gitlab"),
    Hook(name="slack", secret_env="A", scheme="slack"),
)


class Caller:
    """Another program."""

    def __init__(self, listener: FakeListener) -> None:
        self.listener = listener

    async def call(self, name: str, body: bytes, **headers: str) -> Answer:
        given = {key.replace("_", "-"): value for key, value in headers.items()}
        return await self.listener.call(f"/webhook/{name}", body, headers=given)

    async def signed(self, value: Any, at: float = 0.0, secret: str = SECRET) -> Answer:
        body = json.dumps(value).encode()
        stamp = str(int(at or time.time()))
        made = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
        return await self.call("deploy", body, X_Timestamp=stamp, X_Signature_256=f"sha256={made}")


@pytest.fixture
def desk(tmp_path: Path) -> RecordingDesk:
    return RecordingDesk(tmp_path, {"deploy"})


@pytest.fixture
async def caller(desk: RecordingDesk) -> AsyncIterator[Caller]:
    listener = FakeListener()
    config = WebhookConfig(enabled=True, hooks=HOOKS)
    gateway = make(Setup(config=config, secret={"A": SECRET}.__getitem__, listener=listener))
    task = asyncio.create_task(gateway.run(desk))
    await until(lambda: desk.beats, "it listens")
    yield Caller(listener)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert listener.handlers == {}


async def test_a_signed_call_becomes_a_text_that_nobody_said(
    caller: Caller, desk: RecordingDesk
) -> None:
    said = {"repo": {"name": "garden"}, "text": "all tests pass"}
    assert (await caller.signed(said)).status == 202
    (got,) = desk.kept
    assert (got.text, got.chat) == ("garden: all tests pass", "deploy")
    assert got.untrusted == "the webhook deploy"


async def test_the_same_call_twice_is_one(caller: Caller, desk: RecordingDesk) -> None:
    now = time.time()
    answers = [(await caller.signed({"text": "x"}, at=now)).status for _ in range(2)]
    assert (answers, len(desk.kept)) == ([202, 200], 1)


@pytest.mark.parametrize("ago", [301, -301, 10**9])
async def test_an_old_call_is_refused(caller: Caller, desk: RecordingDesk, ago: float) -> None:
    assert (await caller.signed({"text": "x"}, at=time.time() - ago)).status == 403
    assert not desk.heard


async def test_each_scheme_takes_its_own_signature_and_nothing_else(
    caller: Caller, desk: RecordingDesk
) -> None:
    body = b'{"action": "opened"}'
    made = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    now = str(int(time.time()))
    slack = hmac.new(SECRET.encode(), f"v0:{now}:".encode() + body, hashlib.sha256).hexdigest()
    good: list[tuple[str, dict[str, str]]] = [
        ("github", {"X_Hub_Signature_256": f"sha256={made}", "X_GitHub_Delivery": "d1"}),
        ("gitlab", {"X_Gitlab_Token": SECRET}),
        ("slack", {"X_Slack_Request_Timestamp": now, "X_Slack_Signature": f"v0={slack}"}),
    ]
    for name, headers in good:
        assert (await caller.call(name, body, **headers)).status == 202
        assert (await caller.call(name, body)).status == 403
        assert (await caller.call(name, body + b" ", **headers)).status in (403, 202)
        wrong = {key: value[:-1] + "0" for key, value in headers.items()}
        assert (await caller.call(name, body, **wrong)).status == 403
    assert (await caller.signed({"text": "x"}, secret="another secret")).status == 403


async def test_what_can_t_be_read_is_said(caller: Caller) -> None:
    body, stamp = b"no json", str(int(time.time()))
    made = hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    answer = await caller.call("deploy", body, X_Timestamp=stamp, X_Signature_256=f"sha256={made}")
    assert (answer.status, answer.body) == (400, b"this is no JSON\n")


@pytest.mark.parametrize(
    ("hooks", "secret", "what"),
    [
        ((), SECRET, "no hook"),
        ((Hook(name="a", secret_env="A"),), "", "no secret"),
        ((Hook(name="a", secret_env="A"),), "short", "no secret"),
        ((Hook(name="../a", secret_env="A"),), SECRET, "no name"),
    ],
)
async def test_without_secrets_nothing_is_received(
    desk: RecordingDesk, hooks: tuple[Hook, ...], secret: str, what: str
) -> None:
    config = WebhookConfig(enabled=True, hooks=hooks)
    listener = FakeListener()
    gateway = make(Setup(config=config, secret=lambda name: secret, listener=listener))
    with pytest.raises(RefusedError, match=what):
        await gateway.run(desk)
    assert listener.handlers == {}


def test_what_is_filled_in_is_not_filled_in_again() -> None:
    body = json.dumps({"a": "{b}", "b": "secret", "list": [1, {"c": "d"}]}).encode()
    assert filled("{a} {list.1.c} {list.9} {nothing.at.all}", body) == "{b} d  "


@given(st.text(max_size=200), st.binary(max_size=200))
def test_any_template_and_any_body_give_a_text_or_are_no_json(template: str, body: bytes) -> None:
    with suppress(msgspec.MsgspecError):
        assert len(filled(template, body)) <= 20_000

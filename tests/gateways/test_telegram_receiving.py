"""What comes from Telegram is taken, whatever the line, the files and other programs do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hermes_tui.errors import StoreError
from hermes_tui.gateways import telegram_receiving
from hermes_tui.gateways.base import ConflictError, RefusedError
from hermes_tui.gateways.keeper import Keeper
from tests.gateways.bot_api import TOKEN, refusal
from tests.gateways.contract import RecordingDesk, ended, receiving, until
from tests.gateways.rig_telegram import HOOK, HOOK_SECRET, OWNER, TelegramRig
from tests.gateways.rig_telegram import rig as made_rig

FILE = (("file", "a.bin", b"abc"),)


@pytest.fixture
async def rig() -> AsyncIterator[TelegramRig]:
    async with made_rig() as made:
        yield made


@pytest.fixture
def desk(tmp_path: Path) -> RecordingDesk:
    folder = tmp_path / "files"
    folder.mkdir()
    return RecordingDesk(folder, {"7"})


async def kept_at_last(rig: TelegramRig, desk: RecordingDesk) -> None:
    """Receive as the core does, over lost lines, until something is kept."""
    gateway = rig.gateway()
    task = asyncio.create_task(Keeper(gateway, desk, lambda: None, first_wait_s=0.01).run())
    try:
        await until(lambda: desk.kept, "it is kept at last")
    finally:
        await ended(task)
        await gateway.close()


# --- asking ----------------------------------------------------------------------------------


async def test_after_a_quiet_week_numbers_may_begin_anew(
    rig: TelegramRig, desk: RecordingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telegram_receiving, "POLL_S", 0)
    async with receiving(rig, desk):
        await rig.says("old")
        await until(lambda: rig.api.confirmed, "it is confirmed")
        await rig.api.tell_again(
            {"update_id": 17, "message": rig.message(OWNER, "7", "a smaller number")}
        )
        await until(lambda: len(desk.kept) == 2, "it is kept, too")
    assert desk.texts() == ["old", "a smaller number"]


async def test_a_file_is_fetched_once_when_its_message_comes_again(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    async with receiving(rig, desk):
        told = await rig.says("look", files=FILE)
        await until(lambda: rig.acknowledged(told), "it is confirmed")
    await rig.again(told)
    async with receiving(rig, desk):
        await rig.says("after")
        await until(lambda: "after" in desk.texts(), "the next one is kept")
    assert rig.fetched() == 1


async def test_a_large_file_holds_up_no_other_chat(rig: TelegramRig, desk: RecordingDesk) -> None:
    rig.api.slow = asyncio.Event()
    async with receiving(rig, desk):
        await rig.says("large", files=FILE)
        await rig.says("small", chat="-1007", mention=True)
        await until(lambda: desk.texts() == ["small"], "the other chat is served")
        rig.api.slow.set()
        await until(lambda: "large" in desk.texts(), "then the file's")


async def test_telegrams_rest_is_kept(rig: TelegramRig, desk: RecordingDesk) -> None:
    rig.api.poll_failures.append(refusal(429, "Too Many Requests: retry after 1", retry_after=1))
    async with receiving(rig, desk):
        await rig.says("patience")
        await until(lambda: desk.kept, "it is kept after the rest")


async def test_commands_that_telegram_refuses_to_list_stop_nothing(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    rig.api.refused.add("setMyCommands")
    async with receiving(rig, desk):
        await rig.says("hello")
        await until(lambda: desk.kept, "it is kept")
    assert rig.menu() == []


async def test_a_token_that_was_put_right_is_read_anew(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    from hermes_tui.gateways.telegram import Telegram

    tokens = ["1" + TOKEN, TOKEN]
    gateway = Telegram(lambda: tokens.pop(0), rig.api.url)
    with pytest.raises(RefusedError):
        await gateway.run(desk)
    task = asyncio.create_task(gateway.run(desk))
    await rig.says("now")
    await until(lambda: desk.kept, "it receives")
    await ended(task)
    await gateway.close()


async def test_without_a_token_it_says_where_one_goes(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    with pytest.raises(RefusedError, match="no token") as failure:
        await rig.gateway(token=" ").run(desk)
    assert "telegram.token_env" in failure.value.hint


# --- files -----------------------------------------------------------------------------------


async def test_a_file_whose_line_was_lost_is_fetched_again(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    rig.api.file_failures = 2
    await rig.says("look", files=FILE)
    await kept_at_last(rig, desk)
    (file,) = desk.kept[0].files
    assert (file.problem, file.size) == ("", 3)


async def test_a_file_that_never_comes_does_not_hold_back_its_message(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    rig.api.file_failures = 99
    await rig.says("look", files=FILE)
    await kept_at_last(rig, desk)
    (file,) = desk.kept[0].files
    assert (desk.texts(), file.path) == (["look"], "")
    assert "could not be fetched" in file.problem
    assert TOKEN not in file.problem


async def test_a_file_too_large_for_bots_is_named_and_its_message_taken(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    async with receiving(rig, desk):
        await rig.says("look", files=(("file", "big.bin", bytes(20_000_001)),))
        await until(lambda: desk.kept, "it is kept")
    (file,) = desk.kept[0].files
    assert (file.name, file.path, file.size) == ("big.bin", "", 20_000_001)
    assert "too big" in file.problem


async def test_files_in_a_group_are_fetched_when_the_message_is_for_the_agent(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    async with receiving(rig, desk):
        await rig.says("among us", chat=rig.group, files=FILE)
        await rig.says("for you", chat=rig.group, mention=True, files=FILE)
        await until(lambda: len(desk.kept) == 2, "both are handed in")
    assert rig.fetched() == 1


# --- webhooks --------------------------------------------------------------------------------


async def test_a_webhook_of_another_program_is_left_alone(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    rig.api.webhook = {"url": "https://other.example/secret-path"}
    for url in ("", HOOK):
        gateway = rig.gateway(webhook_url=url)
        with pytest.raises(ConflictError, match=r"other\.example") as failure:
            await gateway.run(desk)
        await gateway.close()
        assert "secret-path" not in str(failure.value)
    assert rig.api.webhook["url"] == "https://other.example/secret-path"


async def test_its_own_webhook_is_taken_down_when_it_asks_again(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    called = rig.gateway(webhook_url=HOOK)
    task = asyncio.create_task(called.run(desk))
    await until(lambda: rig.api.webhook["url"] == HOOK, "the webhook is set")
    await ended(task)
    await called.close()
    async with receiving(rig, desk):
        await rig.says("hello")
        await until(lambda: desk.kept, "it is kept")
    assert rig.api.webhook["url"] == ""


async def test_a_webhook_that_was_moved_is_still_its_own(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    rig.api.webhook = {"url": "https://old.example/telegram"}
    desk.marks["webhook"] = f"https://old.example/telegram {HOOK}"  # died before it was moved
    gateway = rig.gateway(webhook_url=HOOK)
    task = asyncio.create_task(gateway.run(desk))
    await until(lambda: rig.api.webhook["url"] == HOOK, "it is moved")
    await until(lambda: desk.marks["webhook"] == HOOK, "only the new one is known")
    await ended(task)
    await gateway.close()


async def test_somebody_who_takes_the_webhook_is_noticed(
    rig: TelegramRig, desk: RecordingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telegram_receiving, "CHECK_S", 0.02)
    gateway = rig.gateway(webhook_url=HOOK)
    task = asyncio.create_task(gateway.run(desk))
    await until(lambda: rig.api.webhook["url"] == HOOK, "the webhook is set")
    rig.api.webhook = {"url": "https://other.example/x"}
    with pytest.raises(ConflictError):
        await asyncio.wait_for(task, 2)
    await gateway.close()
    assert not rig.listener.handlers


@pytest.mark.parametrize(
    ("settings", "secret", "listener", "what"),
    [
        ({"webhook_url": HOOK}, "", True, "secret"),
        ({"webhook_url": HOOK}, "   ", True, "secret"),
        ({"webhook_url": HOOK}, "not allowed!", True, "secret"),
        ({"webhook_url": HOOK}, HOOK_SECRET, False, "port"),
        ({"webhook_url": "http://agent.example/x"}, HOOK_SECRET, True, "https"),
    ],
)
async def test_a_webhook_that_cannot_be_trusted_is_refused(
    rig: TelegramRig,
    desk: RecordingDesk,
    settings: dict[str, Any],
    secret: str,
    listener: bool,
    what: str,
) -> None:
    gateway = rig.gateway(hook_secret=secret, listens=listener, **settings)
    with pytest.raises(RefusedError, match=what) as failure:
        await gateway.run(desk)
    await gateway.close()
    assert failure.value.hint
    assert rig.api.webhook["url"] == ""


async def test_calls_without_the_secret_change_nothing(
    rig: TelegramRig, desk: RecordingDesk
) -> None:
    gateway = rig.gateway(webhook_url="https://agent.example")
    task = asyncio.create_task(gateway.run(desk))
    await until(lambda: rig.api.webhook["url"], "the webhook is set")
    body = msgspec.json.encode({"update_id": 1, "message": rig.message(OWNER, "7", "let me in")})
    named = "X-Telegram-Bot-Api-Secret-Token"
    try:
        for headers in ({}, {named: ""}, {named: HOOK_SECRET + "x"}, {named: "ü"}):
            answer = await rig.listener.call("/telegram", body, headers=headers)
            assert answer.status == 403
        assert not desk.heard
        right = {named: HOOK_SECRET}
        assert (await rig.listener.call("/telegram", b"{", headers=right)).status == 400
        odd = msgspec.json.encode({"update_id": 2, "message": {"text": 3}})
        assert (await rig.listener.call("/telegram", odd, headers=right)).status == 200
        desk.failures = [StoreError("the disk is full")]
        assert (await rig.listener.call("/telegram", body, headers=right)).status == 503
        assert (await rig.listener.call("/telegram", body, headers=right)).status == 200
    finally:
        await ended(task)
        await gateway.close()
    assert desk.texts() == ["let me in"]
    assert (await rig.listener.call("/telegram", body, headers=right)).status == 404

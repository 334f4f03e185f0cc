"""What is Discord's own: lines taken up again, slash commands, threads, nonces."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.gateways.base import SendError
from tests.gateways.contract import RecordingDesk, address, receiving, until
from tests.gateways.discord_server import CHANNEL, DM, GUILD, ME, THREAD
from tests.gateways.rig_discord import OWNER, DiscordRig, person, rig


@pytest.fixture
async def discord() -> AsyncIterator[DiscordRig]:
    async with rig() as made:
        yield made


@pytest.fixture
def desk(tmp_path: Path) -> RecordingDesk:
    return RecordingDesk(tmp_path, {OWNER})


async def test_a_line_that_is_lost_is_taken_up_where_it_was(
    discord: DiscordRig, desk: RecordingDesk
) -> None:
    async with receiving(discord, desk):
        await discord.says("before")
        await until(lambda: "before" in desk.texts(), "it is kept")
        await discord.break_line()
        await discord.says("meanwhile")
        await discord.says("and after")
        await until(lambda: "and after" in desk.texts(), "it goes on", 8.0)
    assert desk.texts() == ["before", "meanwhile", "and after"]


async def test_a_command_reads_as_it_would_be_typed(
    discord: DiscordRig, desk: RecordingDesk
) -> None:
    number = discord.server.number()
    used: dict[str, Any] = {
        "id": number,
        "application_id": ME["id"],
        "type": 2,
        "token": "t" * 20,
        "version": 1,
        "guild_id": GUILD,
        "channel_id": CHANNEL,
        "channel": {"id": CHANNEL, "type": 0},
        "member": {"user": person(OWNER), "roles": [], "joined_at": None, "flags": 0},
        "data": {"id": "1", "name": "queue", "options": [{"name": "text", "value": "go on"}]},
        "entitlements": [],
        "attachment_size_limit": 10_485_760,
    }
    async with receiving(discord, desk):
        await until(lambda: discord.server.commands, "the commands are listed")
        await discord.says("first")
        await until(lambda: desk.kept, "it is connected")
        discord.server.tell("INTERACTION_CREATE", used)
        await until(lambda: len(desk.kept) == 2, "it is kept")
        await until(lambda: number in discord.server.answered, "Discord knows")
    got = desk.kept[1]
    assert (got.text, got.chat, got.group, got.sender) == ("/queue go on", CHANNEL, True, OWNER)


async def test_a_message_sent_twice_under_one_key_is_shown_once(discord: DiscordRig) -> None:
    gateway = discord.gateway()
    (message,) = gateway.messages("only once")
    proofs = {await gateway.send(address(discord), message, "the same") for _ in range(2)}
    await gateway.close()
    assert len(proofs) == len(discord.sent()) == 1


async def test_nobody_is_called_by_what_the_agent_writes(discord: DiscordRig) -> None:
    gateway = discord.gateway()
    await gateway.send(address(discord), gateway.messages("@everyone look")[0], "k")
    await gateway.close()
    assert discord.server.got[0]["allowed_mentions"] == {"parse": []}


async def test_a_thread_belongs_to_its_channel(discord: DiscordRig, desk: RecordingDesk) -> None:
    async with receiving(discord, desk):
        await discord.says("first", chat=DM)
        await until(lambda: desk.kept, "it is connected")
        await discord.says("in the thread", chat=CHANNEL, thread=THREAD, mention=True)
        await until(lambda: len(desk.kept) == 2, "it is kept")
    assert (desk.kept[1].chat, desk.kept[1].thread) == (CHANNEL, THREAD)
    assert desk.kept[1].text == "in the thread"


async def test_what_is_no_channel_is_said(discord: DiscordRig) -> None:
    gateway = discord.gateway()
    with pytest.raises(SendError, match="no channel") as failure:
        await gateway.send(address(discord, chat="general"), gateway.messages("x")[0], "k")
    await gateway.close()
    assert failure.value.dead

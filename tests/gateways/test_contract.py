"""The promises of every gateway, each tried on every platform with its real client library."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path

import pytest

from hermes_tui.errors import StoreError
from hermes_tui.gateways.base import (
    Button,
    ConflictError,
    GoneError,
    InFile,
    RefusedError,
    SendError,
)
from hermes_tui.gateways.keeper import Keeper
from tests.gateways.contract import (
    RIGS,
    Power,
    RecordingDesk,
    Rig,
    address,
    ended,
    receiving,
    until,
)


@pytest.fixture(params=sorted(RIGS))
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    async with import_module(RIGS[request.param]).rig() as made:
        yield made


@pytest.fixture
def desk(rig: Rig, tmp_path: Path) -> RecordingDesk:
    folder = tmp_path / "files"
    folder.mkdir()
    return RecordingDesk(folder, {rig.owner})


def needs(rig: Rig, *powers: Power) -> None:
    """Skip what a platform has no way to do."""
    missing = set(powers) - rig.powers
    if missing:
        pytest.skip(f"{rig.platform} has no {', '.join(sorted(missing))}")


def able(rig: Rig, ability: str) -> None:
    """Skip what a platform can't do."""
    if not getattr(rig.gateway().able, ability):
        pytest.skip(f"{rig.platform} has no {ability}")


def content(file: InFile) -> bytes:
    """What was kept of a file."""
    return Path(file.path).read_bytes()


# --- what comes in ---------------------------------------------------------------------------


async def test_what_is_said_arrives_whole(rig: Rig, desk: RecordingDesk) -> None:
    text = "Grüße 👨‍👩‍👧‍👦 *no bold* <b> & 1_000\nsecond line"
    async with receiving(rig, desk):
        await rig.says(text)
        await until(lambda: desk.kept, "it is kept")
    (got,) = desk.kept
    assert (got.platform, got.chat, got.sender, got.text) == (
        rig.platform,
        rig.chat,
        rig.owner,
        text,
    )
    assert got.message
    assert (got.group, got.spoken_to, got.pressed, got.files) == (False, True, "", ())


async def test_it_is_acknowledged_only_after_it_was_kept(rig: Rig, desk: RecordingDesk) -> None:
    needs(rig, "acknowledged")
    desk.hold.clear()
    async with receiving(rig, desk):
        told = await rig.says("do not lose me")
        await until(lambda: desk.heard, "it is handed in")
        assert not rig.acknowledged(told)
    assert not rig.acknowledged(told), "it died before it had kept it"
    desk.hold.set()
    async with receiving(rig, desk):
        if "catch_up" not in rig.powers:
            await rig.again(told)
        await until(lambda: desk.texts() == ["do not lose me"], "it comes to the next one")
        await until(lambda: rig.acknowledged(told), "it is acknowledged")


async def test_what_the_store_refused_comes_again(rig: Rig, desk: RecordingDesk) -> None:
    needs(rig, "acknowledged", "catch_up")
    desk.failures = [StoreError("the disk is full"), StoreError("the disk is full")]
    gateway = rig.gateway()
    keeper = Keeper(gateway, desk, lambda: None, first_wait_s=0.01)
    task = asyncio.create_task(keeper.run())
    try:
        await rig.says("keep me")
        await until(lambda: desk.texts() == ["keep me"], "it is kept at last")
        assert len(desk.heard) >= 3
    finally:
        await ended(task)
        await gateway.close()


async def test_the_same_told_twice_is_one_message(rig: Rig, desk: RecordingDesk) -> None:
    needs(rig, "again")
    async with receiving(rig, desk):
        told = await rig.says("once")
        await until(lambda: desk.kept, "it is kept")
        await rig.again(told)
        await rig.says("after")
        await until(lambda: "after" in desk.texts(), "the next one is kept")
    assert desk.texts() == ["once", "after"]


async def test_the_order_in_a_chat_is_kept(rig: Rig, desk: RecordingDesk) -> None:
    other = rig.group if "groups" in rig.powers else rig.chat
    said = [str(number) for number in range(12)]
    async with receiving(rig, desk):
        for text in said:
            await rig.says(text)
            await rig.says(f"{text}!", chat=other, mention="groups" in rig.powers)
        await until(lambda: len(desk.kept) == 24, "all are kept")
    mine = [text for text in desk.texts(rig.chat) if not text.endswith("!")]
    assert mine == said
    assert [text for text in desk.texts(other) if "!" in text] == [f"{text}!" for text in said]


async def test_own_words_other_bots_and_joins_are_no_messages(
    rig: Rig, desk: RecordingDesk
) -> None:
    async with receiving(rig, desk):
        await rig.noise()
        await rig.says("a person")
        await until(lambda: "a person" in desk.texts(), "what a person says is kept")
    assert desk.texts() == ["a person"]


async def test_what_was_said_while_nobody_listened_comes_first(
    rig: Rig, desk: RecordingDesk
) -> None:
    needs(rig, "catch_up")
    async with receiving(rig, desk):
        await rig.says("before")
        await until(lambda: desk.kept, "it is kept")
    await rig.says("while away 1")
    await rig.says("while away 2")
    async with receiving(rig, desk):
        await rig.says("back")
        await until(lambda: "back" in desk.texts(), "it listens again")
    assert desk.texts() == ["before", "while away 1", "while away 2", "back"]


async def test_in_a_group_it_knows_whether_it_is_spoken_to(rig: Rig, desk: RecordingDesk) -> None:
    needs(rig, "groups")
    async with receiving(rig, desk) as (gateway, _):
        (mine,) = gateway.messages("an answer")
        proof = await gateway.send(address(rig, chat=rig.group), mine, "k")
        await rig.says("among us", chat=rig.group)
        await rig.says("hello you", chat=rig.group, mention=True)
        await rig.says("and this?", chat=rig.group, reply_to=proof)
        await until(lambda: len(desk.kept) == 3, "all are kept")
    assert [one.group for one in desk.kept] == [True] * 3
    assert [one.spoken_to for one in desk.kept] == [False, True, True]
    assert desk.kept[2].reply_to == proof
    assert desk.texts()[2].strip() == "and this?"


async def test_a_thread_is_told_and_answered_in(rig: Rig, desk: RecordingDesk) -> None:
    able(rig, "threads")
    async with receiving(rig, desk) as (gateway, _):
        await rig.says("in here", chat=rig.group, thread=rig.thread, mention=True)
        await until(lambda: desk.kept, "it is kept")
        assert desk.kept[0].thread == rig.thread
        (message,) = gateway.messages("I see")
        await gateway.send(address(rig, chat=rig.group, thread=rig.thread), message, "k")
    assert [(one.thread, one.text) for one in rig.sent()] == [(rig.thread, "I see")]


# --- files -----------------------------------------------------------------------------------


async def test_a_file_comes_in_byte_for_byte(rig: Rig, desk: RecordingDesk) -> None:
    able(rig, "files")
    data = bytes(range(256)) * 1000
    async with receiving(rig, desk):
        await rig.says("look", files=(("file", "data.bin", data),))
        await until(lambda: desk.kept, "it is kept")
    (file,) = desk.kept[0].files
    assert (desk.texts(), file.name, file.kind, file.problem) == (["look"], "data.bin", "file", "")
    assert content(file) == data


async def test_pictures_and_voice_notes_are_known_as_such(rig: Rig, desk: RecordingDesk) -> None:
    able(rig, "files")
    async with receiving(rig, desk):
        await rig.says("", files=(("image", "a.jpg", b"\xff\xd8picture"),))
        await rig.says("", files=(("voice", "b.ogg", b"OggSvoice"),))
        await until(lambda: len(desk.kept) == 2, "both are kept")
    kinds = [(one.files[0].kind, content(one.files[0])) for one in desk.kept]
    assert kinds == [("image", b"\xff\xd8picture"), ("voice", b"OggSvoice")]


async def test_no_file_of_a_stranger_is_fetched(rig: Rig, desk: RecordingDesk) -> None:
    able(rig, "files")
    async with receiving(rig, desk):
        await rig.says("hi", sender=rig.stranger, files=(("file", "x.bin", b"bad"),))
        await rig.says("after")
        await until(lambda: "after" in desk.texts(), "the next one is kept")
    assert rig.fetched() == 0
    assert all(not file.path for one in desk.kept for file in one.files)


@pytest.mark.parametrize("name", ["data.bin", "picture.png", "note.ogg"])
async def test_a_file_goes_out_byte_for_byte(
    rig: Rig, desk: RecordingDesk, tmp_path: Path, name: str
) -> None:
    able(rig, "files")
    data = bytes(range(256)) * 400 + name.encode()
    path = tmp_path / "on disk"
    path.write_bytes(data)
    async with receiving(rig, desk) as (gateway, _):
        proof = await gateway.send_file(address(rig), path, name, "as you asked", "k")
    got = next(one for one in rig.sent() if one.file is not None)
    assert got.file == (name, data)
    assert proof in {one.proof for one in rig.sent()}
    assert "as you asked" in " ".join(one.text for one in rig.sent())


# --- what goes out ---------------------------------------------------------------------------


async def test_a_long_text_goes_as_the_messages_that_were_measured(rig: Rig) -> None:
    gateway = rig.gateway()
    text = "\n\n".join(f"**Paragraph {n}** of the story 👩‍🚀. " + "word " * 90 for n in range(30))
    parts = gateway.messages(text)
    assert len(parts) > 2
    try:
        for number, part in enumerate(parts):
            await gateway.send(address(rig), part, f"k#{number}")
    finally:
        await gateway.close()
    assert [one.text for one in rig.sent()] == [part.text for part in parts]
    assert len({one.proof for one in rig.sent()}) == len(parts)


async def test_a_press_comes_back_once_and_the_button_stops_waiting(
    rig: Rig, desk: RecordingDesk
) -> None:
    able(rig, "buttons")
    value = "ask:" + "n" * 36
    buttons = (Button(label="Yes", value=value), Button(label="No", value="ask:no"))
    async with receiving(rig, desk) as (gateway, _):
        (message,) = gateway.messages("Delete it?")
        proof = await gateway.ask(address(rig), message, buttons, "k")
        assert rig.sent()[-1].buttons == (("Yes", value), ("No", "ask:no"))
        told = await rig.presses(proof, value)
        await until(lambda: desk.kept, "the press is kept")
        await until(lambda: rig.acknowledged(told), "the platform knows")
    (press,) = desk.kept
    assert (press.pressed, press.text, press.sender, press.chat) == (
        value,
        "",
        rig.owner,
        rig.chat,
    )


async def test_two_presses_are_two_messages(rig: Rig, desk: RecordingDesk) -> None:
    able(rig, "buttons")
    async with receiving(rig, desk) as (gateway, _):
        (message,) = gateway.messages("Which?")
        both = (Button(label="A", value="a"), Button(label="B", value="b"))
        proof = await gateway.ask(address(rig), message, both, "k")
        await rig.presses(proof, "a")
        await rig.presses(proof, "b")
        await until(lambda: len(desk.kept) == 2, "both are kept")
    assert [one.pressed for one in desk.kept] == ["a", "b"]


async def test_a_changed_message_is_the_same_message(rig: Rig) -> None:
    able(rig, "edits")
    gateway = rig.gateway()
    try:
        (first,), (then,) = gateway.messages("one"), gateway.messages("one, two")
        proof = await gateway.send(address(rig), first, "k")
        await gateway.edit(address(rig), proof, then)
        await gateway.edit(address(rig), proof, then)
    finally:
        await gateway.close()
    assert len(rig.sent()) == 1
    assert set(rig.edited()) == {(proof, "one, two")}


async def test_a_message_that_was_deleted_is_told_from_a_dead_chat(rig: Rig) -> None:
    able(rig, "edits")
    needs(rig, "deleted")
    gateway = rig.gateway()
    try:
        (message,) = gateway.messages("one")
        proof = await gateway.send(address(rig), message, "k")
        rig.delete(proof)
        with pytest.raises(GoneError) as failure:
            await gateway.edit(address(rig), proof, gateway.messages("two")[0])
    finally:
        await gateway.close()
    assert not failure.value.dead


async def test_it_is_shown_that_an_answer_is_written(rig: Rig, desk: RecordingDesk) -> None:
    able(rig, "typing")
    async with receiving(rig, desk) as (gateway, _):
        await rig.says("hello")
        await until(lambda: desk.kept, "it is kept")
        await gateway.typing(address(rig))
        await until(lambda: rig.typed() == 1, "it is shown")


async def test_commands_are_listed_by_the_platform(rig: Rig, desk: RecordingDesk) -> None:
    needs(rig, "menu")
    async with receiving(rig, desk):
        await until(lambda: rig.menu() == ["status", "queue"], "the menu is there")


# --- when it fails ---------------------------------------------------------------------------


async def test_it_is_told_whether_and_when_to_try_again(rig: Rig) -> None:
    gateway = rig.gateway()
    (message,) = gateway.messages("hello")
    seen: list[tuple[float, bool]] = []
    try:
        for kind in ("busy", "slow_down", "gone"):
            rig.fail_next(kind)
            with pytest.raises(SendError) as failure:
                await gateway.send(address(rig), message, f"k-{kind}")
            seen.append((failure.value.retry_after, failure.value.dead))
        await gateway.send(address(rig), message, "k-well")
    finally:
        await gateway.close()
    wait = 7.0 if "retry_after" in rig.powers else 0.0
    assert seen == [(0.0, False), (wait, False), (0.0, True)]
    assert [one.text for one in rig.sent()] == ["hello"]


async def test_a_refused_account_says_what_to_do(rig: Rig, desk: RecordingDesk) -> None:
    gateway = rig.refused()
    try:
        async with asyncio.timeout(3):
            with pytest.raises(RefusedError) as failure:
                await gateway.run(desk)
    finally:
        await gateway.close()
    assert failure.value.hint
    _shows_no_secret(rig, "".join(traceback.format_exception(failure.value)))


async def test_another_receiver_of_the_same_account_is_named(rig: Rig, desk: RecordingDesk) -> None:
    needs(rig, "rival")
    async with receiving(rig, desk) as (_, task):
        await rig.rival()
        await asyncio.wait([task], timeout=3)
        assert task.done()
        assert isinstance(task.exception(), ConflictError)


async def test_a_lost_line_ends_it_with_an_error(rig: Rig, desk: RecordingDesk) -> None:
    needs(rig, "line")
    async with receiving(rig, desk) as (_, task):
        await rig.break_line()
        await asyncio.wait([task], timeout=3)
        assert task.done()
        error = task.exception()
    assert isinstance(error, Exception)
    assert not isinstance(error, (RefusedError, ConflictError))
    _shows_no_secret(rig, "".join(traceback.format_exception(error)))


async def test_its_end_leaves_nothing_running(rig: Rig, desk: RecordingDesk) -> None:
    before = asyncio.all_tasks()
    async with receiving(rig, desk):
        await rig.says("hello")
        await until(lambda: desk.kept, "it is kept")
    await until(lambda: not (asyncio.all_tasks() - before), "every task has ended")


async def test_no_secret_is_in_any_log(
    rig: Rig, desk: RecordingDesk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with receiving(rig, desk) as (gateway, _):
        (message,) = gateway.messages("hello")
        rig.fail_next("busy")
        with pytest.raises(SendError) as failure:
            await gateway.send(address(rig), message, "k")
        await gateway.send(address(rig), message, "k")
        files = (("file", "a.bin", b"abc"),) if gateway.able.files else ()
        await rig.says("hi", files=files)
        await until(lambda: desk.kept, "it is kept")
    _shows_no_secret(rig, caplog.text)
    _shows_no_secret(rig, "".join(traceback.format_exception(failure.value)))


def _shows_no_secret(rig: Rig, text: str) -> None:
    assert not [one for one in rig.secrets if one in text]

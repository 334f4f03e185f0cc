"""What goes to Telegram gets there in some form, and is on record as it is."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hermes_tui.gateways import telegram as module
from hermes_tui.gateways.base import Address, Button, Message, SendError
from hermes_tui.gateways.sending import Sender
from hermes_tui.gateways.telegram import Telegram
from hermes_tui.home import Home
from hermes_tui.store.db import Database
from hermes_tui.store.outbox import Fresh, Outbox
from tests.gateways.bot_api import TOKEN, BotApi, bot_api, refusal

HERE = Address(platform="telegram", chat="7")
GROUP = Address(platform="telegram", chat="-7")


@pytest.fixture
async def api() -> AsyncIterator[BotApi]:
    async with bot_api() as server:
        yield server


@pytest.fixture
async def telegram(api: BotApi) -> AsyncIterator[Telegram]:
    made = Telegram(lambda: TOKEN, api.url)
    yield made
    await made.close()


@pytest.fixture
async def outbox(home: Home) -> AsyncIterator[Outbox]:
    db = Database(home.database).open()
    yield Outbox(db)
    await db.close()


async def test_a_group_that_moved_is_followed(api: BotApi, telegram: Telegram) -> None:
    moved = refusal(400, "Bad Request: group chat was upgraded", migrate_to_chat_id=-1007)
    api.failures = [moved]
    for text in ("one", "two"):
        await telegram.send(GROUP, Message(text=text), "k")
    assert [(one["chat_id"], one["text"]) for one in api.got] == [
        ("-1007", "one"),
        ("-1007", "two"),
    ]


async def test_a_topic_that_is_no_number_is_refused_at_once(
    api: BotApi, telegram: Telegram
) -> None:
    with pytest.raises(SendError, match="no topic") as failure:
        await telegram.send(
            Address(platform="telegram", chat="-7", thread="general"), Message(text="x"), "k"
        )
    assert failure.value.dead
    assert api.got == []


async def test_a_proxy_that_cannot_be_used_is_named_without_its_password(
    api: BotApi, telegram: Telegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://me:hidden@127.0.0.1:1")
    with pytest.raises(SendError, match="proxy") as failure:
        await telegram.send(HERE, Message(text="x"), "k")
    assert "hidden" not in str(failure.value)
    assert "socks5" in failure.value.hint


async def test_a_text_telegram_does_not_show_leaves_the_chat_alive(
    api: BotApi, telegram: Telegram
) -> None:
    api.failures = [refusal(400, "Bad Request: text must be non-empty")]
    await telegram.send(HERE, Message(text="\u2063"), "k")
    assert "does not show this message" in api.got[0]["text"]


async def test_a_question_whose_buttons_are_refused_is_asked_without_them(
    api: BotApi, telegram: Telegram
) -> None:
    api.failures = [refusal(400, "Bad Request: BUTTON_DATA_INVALID")]
    await telegram.ask(HERE, Message(text="May I?"), (Button(label="Yes", value="y"),), "k")
    assert (api.got[0]["text"], api.got[0]["reply_markup"]) == ("May I?", [])


async def test_buttons_stand_three_in_a_row(api: BotApi, telegram: Telegram) -> None:
    buttons = tuple(Button(label=str(n), value="v" * 40) for n in range(4))
    await telegram.ask(HERE, Message(text="Which?"), buttons, "k")
    rows = api.got[0]["reply_markup"]["inline_keyboard"]
    assert [[key["text"] for key in row] for row in rows] == [["0", "1", "2"], ["3"]]


# --- lost answers and deleted messages -------------------------------------------------------


async def test_a_lost_answer_is_doubt_and_a_refused_line_is_none(
    api: BotApi, telegram: Telegram
) -> None:
    api.mute = 1
    with pytest.raises(SendError) as lost:
        await telegram.send(HERE, Message(text="x"), "k")
    assert lost.value.doubt
    assert not lost.value.dead
    nobody = Telegram(lambda: TOKEN, "http://127.0.0.1:9/bot")
    with pytest.raises(SendError) as unheard:
        await nobody.send(HERE, Message(text="x"), "k")
    await nobody.close()
    assert not unheard.value.doubt


async def test_doubt_is_on_record(
    api: BotApi, telegram: Telegram, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.gateways.sending.FIRST_WAIT_S", 0.0)
    api.mute = 1
    number = await outbox.put("telegram:7", "did you get this?")
    sender = Sender(outbox, telegram, gateway=telegram)
    end = time.monotonic() + 2
    row = await outbox.row(number)
    while row is not None and row.state != "sent" and time.monotonic() < end:
        await sender.once()
        row = await outbox.row(number)
    assert row is not None
    assert (row.state, row.doubt) == ("sent", True)


async def test_an_answer_whose_growing_message_was_deleted_is_sent_anew(
    api: BotApi, telegram: Telegram, outbox: Outbox
) -> None:
    text = "the whole answer"
    number = await outbox.draft(Fresh(key="k", target="telegram:7", text=text))
    assert number is not None
    proof = await telegram.send(HERE, Message(text="the wh…"), "k#0")
    await outbox.drafted(number, proof)
    await outbox.put_all((Fresh(key="k", target="telegram:7", text=text),), "no chat", 0)
    api.shown.pop(int(proof))
    await Sender(outbox, telegram, gateway=telegram).once()
    row = await outbox.row(number)
    assert row is not None
    assert (row.state, row.proof) == ("sent", "102")
    assert [one["text"] for one in api.got] == ["the wh…", "the whole answer"]


# --- files -----------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a"
    path.write_bytes(b"content")
    return path


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.png", "photo"), ("a.JPG", "photo"), ("a.ogg", "voice"), ("a.pdf", "document")],
)
async def test_pictures_are_shown_and_voices_are_heard(
    api: BotApi, telegram: Telegram, file: Path, name: str, kind: str
) -> None:
    await telegram.send_file(HERE, file, name, "**this**", "k")
    assert api.got[0][kind] == (name, b"content")
    assert api.got[0]["caption"] == "this"
    assert api.got[0]["caption_entities"] == [{"type": "bold", "offset": 0, "length": 4}]


async def test_a_picture_telegram_does_not_show_goes_as_a_file(
    api: BotApi, telegram: Telegram, file: Path
) -> None:
    api.failures = [refusal(400, "Bad Request: PHOTO_INVALID_DIMENSIONS")]
    await telegram.send_file(HERE, file, "a.png", "", "k")
    assert api.got[0]["document"] == ("a.png", b"content")


async def test_a_long_caption_goes_before_its_file(
    api: BotApi, telegram: Telegram, file: Path
) -> None:
    await telegram.send_file(HERE, file, "a.pdf", "word " * 1000, "k")
    assert ["document" in one for one in api.got] == [False, False, True]
    assert " ".join(one["text"] for one in api.got[:2]).split() == ["word"] * 1000
    assert "caption" not in api.got[2]


@pytest.fixture(params=[b"", b"xxx"])
def untaken(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "untaken"
    path.write_bytes(request.param)
    return path


async def test_a_file_telegram_does_not_take_is_told_in_words(
    api: BotApi, telegram: Telegram, untaken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SERVER", api.url)  # sizes are those of Telegram's own servers
    monkeypatch.setattr(module, "_MOST_FILE", 2)
    proof = await telegram.send_file(HERE, untaken, "a.pdf", "here it is", "k")
    assert proof == "101"
    assert api.got[0]["text"].startswith("here it is\n\n(the file a.pdf can't be sent here: ")
    assert "document" not in api.got[0]


async def test_a_file_a_server_refuses_is_told_in_words_and_a_dead_chat_is_dead(
    api: BotApi, telegram: Telegram, file: Path
) -> None:
    api.failures = [refusal(413, "Request Entity Too Large")]
    await telegram.send_file(HERE, file, "a.pdf", "", "k")
    assert "Too Large" in api.got[0]["text"]
    api.failures = [refusal(403, "Forbidden: bot was blocked by the user")]
    with pytest.raises(SendError) as failure:
        await telegram.send_file(HERE, file, "a.pdf", "", "k")
    assert failure.value.dead
    assert len(api.got) == 1


async def test_a_file_that_is_gone_is_told_in_words(
    api: BotApi, telegram: Telegram, tmp_path: Path
) -> None:
    await telegram.send_file(HERE, tmp_path / "none", "a.pdf", "", "k")
    assert "(the file a.pdf can't be sent here: No such file" in api.got[0]["text"]

"""What is WhatsApp's own: who may call, the day after which nobody is written to, lists."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.config import WhatsAppConfig
from hermes_tui.gateways.base import Button, RefusedError, SendError, Setup
from hermes_tui.gateways.whatsapp import PATH, make
from tests.gateways.contract import RecordingDesk, address, receiving, until
from tests.gateways.rig_whatsapp import OWNER, VERIFY, WhatsAppRig, notice, rig
from tests.gateways.whatsapp_server import PHONE_ID


@pytest.fixture
async def whatsapp() -> AsyncIterator[WhatsAppRig]:
    async with rig() as made:
        yield made


@pytest.fixture
def desk(tmp_path: Path) -> RecordingDesk:
    return RecordingDesk(tmp_path, {OWNER})


SAID: dict[str, Any] = {
    "from": OWNER,
    "id": "wamid.1",
    "timestamp": "1700000000",
    "type": "text",
    "text": {"body": "hello"},
}


async def test_a_call_without_the_right_signature_is_refused(
    whatsapp: WhatsAppRig, desk: RecordingDesk
) -> None:
    async with receiving(whatsapp, desk):
        assert (await whatsapp.call(notice(SAID), secret="another")).status == 403
        unsigned = await whatsapp.listener.call(PATH, b"{}")
        assert unsigned.status == 403
        assert (await whatsapp.call(notice(SAID))).status == 200
    assert [one.text for one in desk.kept] == ["hello"]


@pytest.mark.parametrize("missing", ["token_env", "secret_env", "phone_id", "port"])
async def test_nothing_is_received_while_something_is_missing(
    whatsapp: WhatsAppRig, desk: RecordingDesk, missing: str
) -> None:
    config = WhatsAppConfig(
        phone_id="" if missing == "phone_id" else PHONE_ID, base_url=whatsapp.graph.url
    )
    secrets = {config.token_env: "t", config.secret_env: "s", config.verify_env: "v"}
    secrets |= {getattr(config, missing): " "[:0]} if missing.endswith("_env") else {}
    listener = None if missing == "port" else whatsapp.listener
    gateway = make(Setup(config=config, secret=secrets.__getitem__, listener=listener))
    with pytest.raises(RefusedError) as failure:
        await gateway.run(desk)
    assert failure.value.hint
    await gateway.close()


@pytest.mark.parametrize(("word", "status"), [(VERIFY, 200), ("", 403), ("another", 403)])
async def test_meta_is_answered_when_it_knows_the_word(
    whatsapp: WhatsAppRig, desk: RecordingDesk, word: str, status: int
) -> None:
    query = {"hub.mode": "subscribe", "hub.verify_token": word, "hub.challenge": "1158201444"}
    async with receiving(whatsapp, desk):
        answer = await whatsapp.listener.call(PATH, method="GET", query=query)
    assert (answer.status, answer.body) == (status, b"1158201444" if status == 200 else b"")


async def test_messages_to_another_number_of_the_account_are_not_ours(
    whatsapp: WhatsAppRig, desk: RecordingDesk
) -> None:
    async with receiving(whatsapp, desk):
        assert (await whatsapp.call(notice(SAID, "999"))).status == 200
    assert desk.kept == []


async def test_after_a_day_the_sentence_says_who_has_to_write(whatsapp: WhatsAppRig) -> None:
    gateway = whatsapp.gateway()
    whatsapp.graph.failures.append((400, 131047, {}))
    with pytest.raises(SendError, match="a day has passed") as failure:
        await gateway.send(address(whatsapp), gateway.messages("x")[0], "k")
    await gateway.close()
    assert failure.value.dead


async def test_more_than_three_choices_are_a_list(whatsapp: WhatsAppRig) -> None:
    gateway = whatsapp.gateway()
    buttons = tuple(Button(label=f"Choice number {n} of many", value=f"v{n}") for n in range(12))
    await gateway.ask(address(whatsapp), gateway.messages("Which?")[0], buttons, "k")
    await gateway.close()
    (got,) = whatsapp.graph.got
    (part,) = got["interactive"]["action"]["sections"]
    assert [row["id"] for row in part["rows"]] == [f"v{n}" for n in range(10)]


async def test_a_long_question_goes_before_its_buttons(whatsapp: WhatsAppRig) -> None:
    gateway = whatsapp.gateway()
    (message,) = gateway.messages("word " * 500)
    await gateway.ask(address(whatsapp), message, (Button(label="Yes", value="y"),), "k")
    await gateway.close()
    assert [one["type"] for one in whatsapp.graph.got] == ["text", "interactive"]


async def test_a_file_that_lies_elsewhere_is_not_fetched_with_the_token(
    whatsapp: WhatsAppRig, desk: RecordingDesk
) -> None:
    whatsapp.graph.elsewhere = "http://127.0.0.1:9"  # where files are said to lie
    async with receiving(whatsapp, desk):
        await whatsapp.says("look", files=(("file", "a.bin", b"abc"),))
        await until(lambda: desk.kept, "it is kept")
    (file,) = desk.kept[0].files
    assert "127.0.0.1:9" in file.problem
    assert not file.path

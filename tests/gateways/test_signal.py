"""What is Signal's own: notes to oneself, names in texts, styles beside them, its ways to fail."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.gateways.base import Address, SendError
from tests.gateways.contract import RecordingDesk, address, receiving, until
from tests.gateways.rig_signal import NAMED, OWNER, SignalRig, rig
from tests.gateways.signal_server import ACCOUNT


@pytest.fixture
async def signal() -> AsyncIterator[SignalRig]:
    async with rig() as made:
        yield made


@pytest.fixture
def desk(tmp_path: Path) -> RecordingDesk:
    return RecordingDesk(tmp_path, {OWNER})


def said(stamp: int, **data: Any) -> dict[str, Any]:
    return {
        "sourceUuid": OWNER,
        "sourceName": "Ada",
        "timestamp": stamp,
        "dataMessage": {"timestamp": stamp, "attachments": [], **data},
    }


async def test_a_note_to_oneself_is_said_by_its_owner(
    signal: SignalRig, desk: RecordingDesk
) -> None:
    stamp = signal.daemon.stamp()
    sent = {"destinationNumber": ACCOUNT, "timestamp": stamp, "message": "to myself"}
    envelope = {"sourceUuid": OWNER, "timestamp": stamp, "syncMessage": {"sentMessage": sent}}
    async with receiving(signal, desk):
        signal.daemon.tell(envelope)
        await until(lambda: desk.kept, "it is kept")
    assert (desk.kept[0].text, desk.kept[0].chat) == ("to myself", OWNER)


async def test_places_for_names_become_names(signal: SignalRig, desk: RecordingDesk) -> None:
    text = f"🚀 {NAMED} and {NAMED}, come"
    mentions = [
        {"name": "Bob", "uuid": "b", "start": 3, "length": 1},
        {"number": ACCOUNT, "uuid": "own", "start": 9, "length": 1},
    ]
    group = {"groupId": "a+/b=", "type": "DELIVER"}
    async with receiving(signal, desk):
        signal.daemon.tell(
            said(signal.daemon.stamp(), message=text, mentions=mentions, groupInfo=group)
        )
        await until(lambda: desk.kept, "it is kept")
    (got,) = desk.kept
    assert (got.text, got.spoken_to) == ("🚀 @Bob and , come", True)
    assert Address.of(f"signal:{got.chat}").chat == "group.a+/b="


async def test_styles_go_beside_the_text(signal: SignalRig) -> None:
    gateway = signal.gateway()
    (message,) = gateway.messages("🚀 **bold** and `code`")
    await gateway.send(address(signal), message, "k")
    await gateway.close()
    (got,) = signal.daemon.got
    assert got["message"] == "🚀 bold and code"
    assert got["textStyle"] == ["3:4:BOLD", "12:4:MONOSPACE"]


async def test_what_another_account_of_the_daemon_gets_is_not_ours(
    signal: SignalRig, desk: RecordingDesk
) -> None:
    async with receiving(signal, desk):
        gateway = signal.gateway()
        assert gateway.able.edits
        signal.daemon.tell({**said(signal.daemon.stamp(), message="x"), "account": "+1"})
        await signal.says("ours")
        await until(lambda: "ours" in desk.texts(), "it is kept")
        await gateway.close()


async def test_what_was_said_long_before_the_first_start_does_not_count(
    signal: SignalRig, desk: RecordingDesk
) -> None:
    signal.daemon.tell(said(1_600_000_000_000, message="years ago"))
    async with receiving(signal, desk):
        await signal.says("now")
        await until(lambda: "now" in desk.texts(), "it is kept")
    assert desk.texts() == ["now"]


@pytest.mark.parametrize(
    ("code", "results", "dead", "hint"),
    [
        (-1, [{"type": "IDENTITY_FAILURE"}], False, "signal-cli trust"),
        (-4, [], False, "signal-cli trust"),
        (-1, [{"type": "UNREGISTERED_FAILURE"}], True, ""),
        (-3, [], False, ""),
    ],
)
async def test_failures_say_what_to_do(
    signal: SignalRig, code: int, results: list[dict[str, Any]], dead: bool, hint: str
) -> None:
    gateway = signal.gateway()
    signal.daemon.failures.append((code, "it failed", results))
    with pytest.raises(SendError) as failure:
        await gateway.send(address(signal), gateway.messages("x")[0], "k")
    await gateway.close()
    assert failure.value.dead is dead
    assert hint in failure.value.hint


async def test_a_daemon_that_is_not_there_is_a_sentence(signal: SignalRig) -> None:
    from hermes_tui.gateways.signal import Signal

    gateway = Signal("http://127.0.0.1:9", ACCOUNT)
    with pytest.raises(SendError, match="does not answer") as failure:
        await gateway.typing(address(signal))
    assert "daemon" in failure.value.hint
    await gateway.close()

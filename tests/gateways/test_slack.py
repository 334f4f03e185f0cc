"""What is Slack's own: its spelling, commands, threads, scopes, and where its token goes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.config import SlackConfig
from hermes_tui.gateways.base import Button, RefusedError, SendError, Setup
from hermes_tui.gateways.slack import make
from hermes_tui.gateways.slack_events import read
from tests.gateways.contract import RecordingDesk, address, receiving, until
from tests.gateways.rig_slack import OWNER, THREAD, SlackRig, rig
from tests.gateways.slack_server import CHANNEL, DM, ME, TOKEN


@pytest.fixture
async def slack() -> AsyncIterator[SlackRig]:
    async with rig() as made:
        yield made


@pytest.fixture
def desk(tmp_path: Path) -> RecordingDesk:
    return RecordingDesk(tmp_path, {OWNER})


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("<https://e.test/x|the page>", "the page (https://e.test/x)"),
        ("<https://e.test/x|e.test/x> <https://e.test>", "https://e.test/x https://e.test"),
        ("<mailto:a@e.test|a@e.test>", "mailto:a@e.test"),
        ("<@U123|ada> in <#C1|general>, <!here>", "@ada in @general, @here"),
    ],
)
def test_slack_s_spelling_becomes_plain(theirs: str, ours: str) -> None:
    assert read(theirs) == ours


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert isinstance(read(text), str)


async def test_a_command_reads_as_it_would_be_typed(slack: SlackRig, desk: RecordingDesk) -> None:
    used = {
        "command": "/status",
        "text": "now",
        "user_id": OWNER,
        "user_name": "ada",
        "channel_id": DM,
        "trigger_id": "1.2.3",
    }
    async with receiving(slack, desk):
        number = await slack.server.tell("slash_commands", used)
        await until(lambda: slack.acknowledged(number), "Slack knows")
    assert (desk.kept[0].text, desk.kept[0].sender) == ("/status now", OWNER)
    assert slack.server.answers[number]["payload"]["response_type"] == "ephemeral"


async def test_answers_in_a_thread_are_heard_after_a_pause(
    slack: SlackRig, desk: RecordingDesk
) -> None:
    async with receiving(slack, desk):
        await slack.says("in the thread", chat=CHANNEL, thread=THREAD, mention=True)
        await until(lambda: desk.kept, "it is kept")
    slack.server.history[CHANNEL].append(
        {"type": "message", "user": OWNER, "text": f"<@{ME}> while away", "thread_ts": THREAD}
        | {"ts": slack.server.stamp()}
    )
    async with receiving(slack, desk):
        await until(lambda: "while away" in desk.texts(), "it comes")
    assert desk.kept[-1].thread == THREAD


@pytest.mark.parametrize("missing", ["token_env", "app_token_env"])
async def test_both_tokens_are_needed(slack: SlackRig, desk: RecordingDesk, missing: str) -> None:
    config = SlackConfig(base_url=f"{slack.server.url}/api")
    secrets = {config.token_env: TOKEN, config.app_token_env: "xapp-1"}
    secrets[getattr(config, missing)] = " "[:0]
    gateway = make(Setup(config=config, secret=secrets.__getitem__))
    with pytest.raises(RefusedError) as failure:
        await gateway.run(desk)
    await gateway.close()
    assert "hermes gateway setup slack" in failure.value.hint


async def test_a_long_question_goes_before_its_buttons(slack: SlackRig) -> None:
    gateway = slack.gateway()
    (message,) = gateway.messages("word " * 700)
    await gateway.ask(address(slack), message, (Button(label="Yes", value="y"),), "k")
    await gateway.close()
    assert [bool(one.get("blocks")) for one in slack.server.got] == [False, True]


async def test_a_missing_scope_is_named(slack: SlackRig) -> None:
    gateway = slack.gateway()
    slack.server.failures.append(("missing_scope", {}))
    with pytest.raises(SendError, match="lacks") as failure:
        await gateway.send(address(slack), gateway.messages("x")[0], "k")
    await gateway.close()
    assert "install the app again" in failure.value.hint


async def test_the_token_goes_to_slack_s_hosts_alone(slack: SlackRig, desk: RecordingDesk) -> None:
    async with receiving(slack, desk):
        event = {
            "type": "message",
            "subtype": "file_share",
            "channel": DM,
            "user": OWNER,
            "text": "look",
            "ts": slack.server.stamp(),
            "files": [{"id": "F1", "name": "x", "url_private_download": "https://evil.test/x"}],
        }
        await slack.server.say(event)
        await until(lambda: desk.kept, "it is kept")
    (file,) = desk.kept[0].files
    assert (file.path, file.problem) == ("", "it lies elsewhere")

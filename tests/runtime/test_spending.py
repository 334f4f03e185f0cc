"""Caps stop before the next call, everywhere; what was spent is known after a restart."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.config import SpendConfig
from hermes_tui.configuration.load import load
from hermes_tui.errors import ModelError
from hermes_tui.events import KeysChanged, ModelFailed, ReplyReceived, TurnEnded, Usage
from hermes_tui.home import Home
from hermes_tui.intents import ChangeSession, RunCommand, ShowSpend
from hermes_tui.models.base import Delta, Message, Model, Request
from hermes_tui.models.metered import Metered, Scope, guess
from hermes_tui.models.prices import Price
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.runtime.spending import Spending
from hermes_tui.runtime.workshop import JOB_ENV
from hermes_tui.store.db import Database
from tests.fakes.scripted_model import ScriptedModel, fail
from tests.fakes.scripted_model import say as reply
from tests.runtime.conftest import open_in, say, until

ASK = Request(system="s", messages=(Message(role="user", content="hello"),))
DOLLAR = Price(prompt=1.0, completion=0.0)


def set_up(home: Home, url: str, **spend: float) -> None:
    caps = "".join(f"  {name}: {value}\n" for name, value in spend.items())
    text = f"model:\n  base_url: {url}\n  name: scripted\n  price_in: 10000\n  price_out: 0\n"
    home.config.write_text(text + (f"spend:\n{caps}" if caps else ""))


async def woken(home: Home) -> Core:
    return await Core(home, load(home, {}).config, headless=True).start(listen=False)


async def turn(core: Core, folder: Path, text: str, which: str = "new") -> TurnEnded:
    client = LocalClient(core)
    view = await open_in(client, str(folder), which)
    await say(client, view, text)
    ended = (await until(client, TurnEnded))[-1].event
    assert isinstance(ended, TurnEnded)
    return ended


# --- through the whole core --------------------------------------------------------------------


@pytest.mark.parametrize("cap", ["day", "session", "day_tokens", "session_tokens"])
async def test_a_cap_of_zero_makes_no_call_at_all(
    home: Home, scripted: ScriptedModel, tmp_path: Path, cap: str
) -> None:
    set_up(home, scripted.url, **{cap: 0})
    core = await woken(home)
    ended = await turn(core, tmp_path, "hello")
    assert ended.outcome == "failed"
    assert "cap is reached" in ended.error
    assert f"spend.{cap}" in ended.hint
    with pytest.raises(ModelError) as caught:
        await core.recall.write("system", "sum it up")
    if cap.startswith("day"):
        assert caught.value.kind == "cap"
    await core.end("test over")
    if cap.startswith("day"):
        assert (scripted.requests, scripted.others) == ([], [])


async def test_a_reached_cap_stops_before_the_next_call_and_after_a_restart(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    set_up(home, scripted.url, day=1.5)  # a call is 100 prompt tokens: one dollar
    scripted.script = [reply("one"), reply("two")]
    core = await woken(home)
    assert (await turn(core, tmp_path, "first")).outcome == "done"
    assert (await turn(core, tmp_path, "second")).outcome == "done"
    assert "$2.00 of $1.50" in (await turn(core, tmp_path, "third")).error
    await core.end("test over")
    core = await woken(home)
    assert "today's cap" in (await turn(core, tmp_path, "fourth")).error
    assert len(scripted.requests) == 2
    await core.end("test over")


async def test_a_sessions_cap_leaves_other_sessions_alone(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    set_up(home, scripted.url, session=0.5)
    scripted.script = [reply("one"), reply("two")]
    core = await woken(home)
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path), "new")
    await say(client, view, "first")
    await until(client, TurnEnded)
    await say(client, view, "second")
    ended = (await until(client, TurnEnded))[-1].event
    assert "this session's cap" in ended.error
    assert (await turn(core, tmp_path, "elsewhere")).outcome == "done"
    await core.end("test over")


async def test_a_jobs_runs_share_its_cap(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    set_up(home, scripted.url, job=0.5)
    scripted.answer = lambda _: reply("done")
    core = await woken(home)
    client = LocalClient(core)
    for expected in ("done", "failed"):
        view = await open_in(client, str(tmp_path), "new")
        session = await core.session(view.info.id)
        session.env = {**session.env, JOB_ENV: "nightly"}
        await say(client, view, "run")
        ended = (await until(client, TurnEnded))[-1].event
        assert ended.outcome == expected
    assert (await turn(core, tmp_path, "by hand")).outcome == "done"
    await core.end("test over")


async def test_money_caps_want_to_know_the_price(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    home.config.write_text(
        f"model:\n  base_url: {scripted.url}\n  name: scripted\nspend:\n  day: 5\n"
    )
    core = await woken(home)
    ended = await turn(core, tmp_path, "hello")
    assert "price of scripted is not known" in ended.error
    assert "model.price_in" in ended.hint
    assert scripted.requests == []
    assert "/v1/models" in [one.path for one in scripted.others], "the endpoint was asked for it"
    home.config.write_text(home.config.read_text() + "  day_tokens: 1000\n")
    scripted.script = [reply("fine")]
    assert (await turn(core, tmp_path, "hello")).outcome == "done"
    await core.end("test over")


async def test_what_was_spent_is_told_by_model_task_and_day(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    set_up(home, scripted.url)
    scripted.script = [
        reply("one"),
        reply("two", usage={"prompt_tokens": 50, "completion_tokens": 7}),
    ]
    core = await woken(home)
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path), "new")
    await say(client, view, "first")
    replies = [r.event for r in await until(client, TurnEnded)]
    assert [e.usage.cost for e in replies if isinstance(e, ReplyReceived)] == [1.0]
    await core.recall.write("system", "sum it up")
    report = await client.ask(ShowSpend(by=("model", "task", "day")))
    assert report.total.calls == 2
    assert report.total.cost == pytest.approx(1.5)
    assert {one.name: one.prompt for one in report.groups["task"]} == {"chat": 100, "summaries": 50}
    assert [one.name for one in report.groups["model"]] == ["scripted"]
    assert len(report.groups["day"]) == 1
    text = (await client.ask(RunCommand(session=view.info.id, command="usage"))).text
    assert "cost: $1.0000" in text
    assert "Today, all sessions: 1" in text
    await core.end("test over")


async def test_a_refused_call_costs_nothing(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    set_up(home, scripted.url)
    scripted.script = [fail(400, "no")]
    core = await woken(home)
    assert (await turn(core, tmp_path, "hello")).outcome == "failed"
    assert (await core.spend.total()).calls == 0
    await core.end("test over")


async def test_the_model_for_summaries_is_another_one_where_that_is_set(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    set_up(home, scripted.url)
    home.config.write_text(home.config.read_text() + "models:\n  summaries: small\n")
    scripted.answer = lambda asked: reply(asked.json["model"])
    core = await woken(home)
    assert await core.recall.write("system", "sum it up") == "small"
    assert core.aux_model("reflection").name == "scripted"
    await core.end("test over")


async def test_a_session_is_named_by_the_model_for_titles_and_not_against_the_person(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    set_up(home, scripted.url)
    home.config.write_text(home.config.read_text() + "models:\n  titles: namer\n")
    scripted.answer = lambda asked: (
        reply('"Winter marmalade"', gate="named") if asked.json["model"] == "namer" else reply("ok")
    )
    core = await woken(home)
    client = LocalClient(core)

    def named() -> int:
        return sum(one.json["model"] == "namer" for one in scripted.requests)

    for count, (title, expected) in enumerate([("", "Winter marmalade"), ("My own", "My own")], 1):
        view = await open_in(client, str(tmp_path), "new")
        await say(client, view, "how do I make marmalade in winter?")
        await until(client, TurnEnded)
        session = await core.session(view.info.id)
        assert session.info.title.startswith("how do I make")
        if title:
            await client.ask(ChangeSession(session=view.info.id, title=title))
        async with asyncio.timeout(5):
            while named() < count:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            scripted.open("named")
            while scripted.live or session.info.title.startswith("how"):  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        assert session.info.title == expected
        scripted._gates.clear()
    tasks = {one.name for one in await core.spend.totals("task")}
    assert tasks == {"chat", "titles"}
    await core.end("test over")


async def test_another_model_answers_when_the_first_can_not_and_it_is_said(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    set_up(home, scripted.url)
    text = home.config.read_text().replace("model:\n", "model:\n  fallback: [second]\n")
    home.config.write_text(text)
    scripted.answer = lambda asked: (
        fail(402, "pay first") if asked.json["model"] == "scripted" else reply("from the second")
    )
    core = await woken(home)
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path), "new")
    await say(client, view, "hello")
    seen = [record.event for record in await until(client, TurnEnded)]
    (answer,) = [one for one in seen if isinstance(one, ReplyReceived)]
    assert (answer.text, answer.model) == ("from the second", "second")
    assert any("second answers instead of scripted" in getattr(one, "text", "") for one in seen)
    await say(client, view, "again")
    await until(client, TurnEnded)
    asked = [one.json["model"] for one in scripted.requests]
    assert asked == ["scripted", "second", "second"], "the first is left alone for a while"
    await core.end("test over")


async def test_a_resting_key_is_told_to_the_screen_and_in_usage(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    set_up(home, scripted.url)
    home.secrets.write_text("HERMES_TUI_API_KEY=one-key\nHERMES_TUI_API_KEY_2=another-key\n")
    scripted.answer = lambda asked: (
        fail(429, "slow down", retry_after="60")
        if asked.headers["authorization"].endswith("one-key")
        else reply("fine")
    )
    core = await woken(home)
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path), "new")
    await say(client, view, "hello")
    seen = [record.event for record in await until(client, TurnEnded)]
    told = [one for one in seen if isinstance(one, KeysChanged)]
    assert [(one.ready, one.keys) for one in told] == [(1, 2)]
    assert [one.attempt for one in seen if isinstance(one, ModelFailed)] == []
    text = (await client.ask(RunCommand(session=view.info.id, command="usage"))).text
    assert "1 of 2 ready" in text
    await core.end("test over")


# --- the gate by itself ------------------------------------------------------------------------


class Talker:
    """A model that says something, and its usage if it is asked to."""

    repairs_calls = False
    window = 1000

    def __init__(self, usage: Usage | None = None, error: ModelError | None = None) -> None:
        self.name = "talker"
        self.usage, self.error = usage, error
        self.asked = 0
        self.gate: asyncio.Event | None = None

    async def stream(self, request: Request) -> Any:
        self.asked += 1
        if self.gate is not None:
            await self.gate.wait()
        yield Delta(text="x" * 400)
        if self.error:
            raise self.error
        yield Delta(usage=self.usage, finish="stop")

    async def close(self) -> None:
        return


class Gate:
    """A store with an account, and caps that can be changed."""

    def __init__(self, home: Home) -> None:
        self.db = Database(home.database)
        self.db.open()
        self.now = 1_700_000_000.0
        self.caps = SpendConfig()
        self.spending = Spending(self.db, lambda: self.caps, lambda: self.now)

    def model(self, inner: Model, price: Price | None = DOLLAR, **scope: str) -> Metered:
        return Metered(inner, self.spending, Scope(**scope), "", price)


async def drain(model: Model) -> None:
    async for _ in model.stream(ASK):
        continue


async def test_calls_at_the_same_moment_do_not_slip_under_a_cap_together(home: Home) -> None:
    gate = Gate(home)
    gate.caps = SpendConfig(day_tokens=700)
    inner = Talker(Usage(prompt=10, completion=10))
    inner.gate = asyncio.Event()
    model = gate.model(inner)
    calls = [asyncio.create_task(drain(model)) for _ in range(8)]
    async with asyncio.timeout(5):
        while inner.asked + sum(one.done() for one in calls) < 8:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    inner.gate.set()
    done = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(one, ModelError) for one in done) == 8 - inner.asked
    assert inner.asked <= 2, "each call under way counts as what it is expected to take"
    await gate.db.close()


async def test_tokens_the_provider_does_not_tell_are_estimated(home: Home) -> None:
    gate = Gate(home)
    await drain(gate.model(Talker()))
    total = await gate.spending.total()
    assert (total.completion, total.guessed) == (100, 1)
    assert total.prompt == guess(ASK)
    await gate.db.close()


async def test_a_reply_that_breaks_off_is_on_the_account(home: Home) -> None:
    gate = Gate(home)
    with pytest.raises(ModelError):
        await drain(gate.model(Talker(error=ModelError("dropped", kind="network"))))
    assert (await gate.spending.total()).completion == 100
    await gate.db.close()


async def test_a_reply_that_is_stopped_is_on_the_account(home: Home) -> None:
    gate = Gate(home)
    stream = gate.model(Talker()).stream(ASK)
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert (await gate.spending.total()).completion == 100
    await gate.db.close()


async def test_a_call_under_way_when_the_core_died_counts_as_expected(home: Home) -> None:
    gate = Gate(home)
    gate.caps = SpendConfig(day_tokens=10_000)
    stream = gate.model(Talker()).stream(ASK)
    await anext(stream)
    again = Spending(gate.db, lambda: gate.caps, lambda: gate.now)
    total = await again.total()
    assert total.calls == 1
    assert total.tokens >= 500
    await stream.aclose()  # type: ignore[attr-defined]
    await gate.db.close()


async def test_a_days_cap_is_over_at_midnight(home: Home) -> None:
    gate = Gate(home)
    gate.caps = SpendConfig(day_tokens=100)
    model = gate.model(Talker())
    await drain(model)
    with pytest.raises(ModelError, match="today's cap"):
        await drain(model)
    gate.now += 24 * 3600
    await drain(model)
    await gate.db.close()


async def test_what_costs_nothing_goes_on_when_the_money_is_spent(home: Home) -> None:
    gate = Gate(home)
    gate.caps = SpendConfig(day=1e-9)
    await drain(gate.model(Talker()))
    free = gate.model(Talker(), Price(prompt=0.0, completion=0.0))
    with pytest.raises(ModelError):
        await drain(gate.model(Talker()))
    await drain(free)
    gate.caps = SpendConfig(day=0)
    with pytest.raises(ModelError):
        await drain(free)
    await gate.db.close()


async def test_unknown_prices_are_counted_as_unknown(home: Home) -> None:
    gate = Gate(home)
    await drain(gate.model(Talker(Usage(prompt=5)), None))
    total = await gate.spending.total()
    assert (total.cost, total.unpriced) == (0.0, 1)
    await gate.db.close()


async def test_the_sums_beside_the_store_are_those_of_the_store(home: Home) -> None:
    gate = Gate(home)
    gate.caps = SpendConfig(day=100.0, session=100.0, day_tokens=10**9, session_tokens=10**9)
    price = Price(prompt=7.0, completion=3.0)
    for number in range(40):
        usage = None if number % 3 == 0 else Usage(prompt=number * 1000, completion=number)
        error = ModelError("dropped", kind="network") if number % 7 == 0 else None
        model = gate.model(Talker(usage, error), price, session=f"s{number % 2}")
        try:
            await drain(model)
        except ModelError:
            continue
    scope = Scope(session="s1")
    used = {one.name: one.used for one in await gate.spending.used(scope)}
    day = await gate.spending.total()
    session = await gate.spending.total(session="s1")
    assert used["spend.day"] == pytest.approx(day.cost)
    assert used["spend.session"] == pytest.approx(session.cost)
    assert used["spend.day_tokens"] == day.tokens
    assert used["spend.session_tokens"] == session.tokens
    await gate.db.close()


async def test_a_call_that_is_stopped_before_it_is_sent_costs_nothing(home: Home) -> None:
    gate = Gate(home)
    gate.caps = SpendConfig(day_tokens=10_000)
    inner = Talker()
    for _ in range(20):
        task = asyncio.create_task(drain(gate.model(inner)))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert inner.asked == 0
    assert (await gate.spending.total()).calls == 0
    (cap,) = await gate.spending.used(Scope())
    assert cap.used == 0
    await gate.db.close()

"""Several keys for one provider, against a real server: who is blamed, who rests, who is next."""

from __future__ import annotations

import json
import stat
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.config import ModelConfig
from hermes_tui.errors import ModelError
from hermes_tui.home import Home
from hermes_tui.models.base import Message, Model, Request
from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.models.choose import make_model
from hermes_tui.models.credentials import save_secret
from hermes_tui.models.fallback import Fallback, rule
from hermes_tui.models.pooled import PooledModel
from hermes_tui.models.pools import BLIP_S, LIMIT_S, Key, Pool, Pools, family, keys_of, rest_for
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, fail, say

ASK = Request(system="s", messages=(Message(role="user", content="hi"),))


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def env(count: int) -> dict[str, str]:
    names = ["HERMES_TUI_API_KEY", *(f"HERMES_TUI_API_KEY_{n}" for n in range(2, count + 1))]
    return {name: f"key-number-{n}" for n, name in enumerate(names, 1)}


def pooled(
    home: Home, server: ScriptedModel, count: int, clock: Clock, rotation: str = "fill-first"
) -> PooledModel:
    config = ModelConfig(base_url=server.url, name="m", rotation=rotation)  # type: ignore[arg-type]
    model = make_model(config, home, env(count), pools=Pools(home, clock))
    assert isinstance(model, PooledModel)
    return model


async def answer(model: Model) -> str:
    return "".join([delta.text async for delta in model.stream(ASK)])


def keys_sent(server: ScriptedModel) -> list[str]:
    return [
        one.headers["authorization"].removeprefix("Bearer key-number-") for one in server.requests
    ]


def refusing(*numbers: int, status: int = 429, message: str = "slow down", **headers: str):
    def reply(asked: Asked) -> Reply:
        number = int(asked.headers["authorization"].rsplit("-", 1)[1])
        return fail(status, message, **headers) if number in numbers else say(f"from {number}")

    return reply


# --- one request -------------------------------------------------------------------------------


async def test_ten_keys_nine_of_which_are_refused_still_answer_the_same_request(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.answer = refusing(*range(1, 10))
    model = pooled(home, scripted, 10, Clock())
    assert await answer(model) == "from 10"
    assert keys_sent(scripted) == [str(n) for n in range(1, 11)]
    await model.close()


async def test_the_asked_for_rest_is_kept_and_no_longer(
    home: Home, scripted: ScriptedModel
) -> None:
    clock = Clock()
    scripted.answer = refusing(1, retry_after="30")
    model = pooled(home, scripted, 2, clock)
    await answer(model)
    await answer(model)
    assert keys_sent(scripted) == ["1", "2", "2"], "a resting key is not asked"
    clock.now += 30.5
    scripted.answer = refusing()
    await answer(model)
    assert keys_sent(scripted)[-1] == "1"
    await model.close()


async def test_a_used_up_plan_rests_longer_than_a_blip_and_the_next_key_answers_at_once(
    home: Home, scripted: ScriptedModel
) -> None:
    clock = Clock()
    scripted.answer = refusing(1, message="session usage limit reached")
    model = pooled(home, scripted, 2, clock)
    assert await answer(model) == "from 2"
    pool = Pools(home, clock)
    mark = Key(name="", value="key-number-1").mark
    assert pool.health(mark).until == pytest.approx(clock.now + LIMIT_S)
    await model.close()


@pytest.mark.parametrize(("status", "kind"), [(402, "billing"), (401, "auth"), (429, "rate")])
async def test_each_refusal_is_noted_as_what_it_is(
    home: Home, scripted: ScriptedModel, status: int, kind: str
) -> None:
    clock = Clock()
    scripted.answer = refusing(1, status=status, message="no")
    model = pooled(home, scripted, 2, clock)
    assert await answer(model) == "from 2"
    health = Pools(home, clock).health(Key(name="", value="key-number-1").mark)
    assert health.kind == kind
    assert (health.until < 0) == (kind == "auth"), "a wrong key rests until it is changed"
    await model.close()


@pytest.mark.parametrize("status", [500, 503, 529, 400])
async def test_trouble_that_is_not_the_keys_puts_no_key_to_rest(
    home: Home, scripted: ScriptedModel, status: int
) -> None:
    clock = Clock()
    scripted.answer = refusing(1, 2, status=status)
    model = pooled(home, scripted, 2, clock)
    with pytest.raises(ModelError):
        await answer(model)
    assert keys_sent(scripted) == ["1"]
    assert model.pool.state() == (2, 2, 0.0)
    await model.close()


async def test_a_broken_stream_is_neither_sent_again_nor_blamed_on_the_key(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [say("a long answer that is cut", drop_after=200)]
    model = pooled(home, scripted, 2, Clock())
    with pytest.raises(ModelError) as caught:
        await answer(model)
    assert caught.value.kind == "network"
    assert model.pool.state() == (2, 2, 0.0)
    await model.close()


async def test_when_all_rest_it_says_when_the_first_is_ready(
    home: Home, scripted: ScriptedModel
) -> None:
    clock = Clock()
    scripted.answer = refusing(1, 2, 3, retry_after="90")
    model = pooled(home, scripted, 3, clock)
    with pytest.raises(ModelError) as caught:
        await answer(model)
    assert "all 3 keys" in caught.value.message
    assert caught.value.retry_after == pytest.approx(90)
    before = len(scripted.requests)
    with pytest.raises(ModelError, match="all 3 keys"):
        await answer(model)
    assert len(scripted.requests) == before, "nobody is asked while all keys rest"
    await model.close()


async def test_when_all_rest_another_model_answers_at_once_where_there_is_one(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.answer = refusing(1, 2, retry_after="30")
    model = pooled(home, scripted, 2, Clock())
    async with ScriptedModel(say("elsewhere")) as other:
        second = ChatCompletions("n", other.url)
        chain = Fallback([model, second], [rule("n")])
        assert await answer(chain) == "elsewhere"
        await chain.close()


async def test_no_message_shows_a_key(home: Home, scripted: ScriptedModel) -> None:
    scripted.answer = lambda asked: fail(
        400, "bad request with " + asked.headers["authorization"].removeprefix("Bearer ")
    )
    model = pooled(home, scripted, 2, Clock())
    model.pool.keys = model.pool.keys[1:]
    with pytest.raises(ModelError) as caught:
        await answer(model)
    assert "key-number-2" not in str(caught.value)
    await model.close()


async def test_the_key_that_was_sent_is_blamed_when_it_was_replaced_meanwhile(
    home: Home, scripted: ScriptedModel
) -> None:
    clock = Clock()
    save_secret(home, "HERMES_TUI_API_KEY", "key-number-1")
    save_secret(home, "HERMES_TUI_API_KEY_2", "key-number-2")

    def reply(asked: Asked) -> Reply:
        number = asked.headers["authorization"].rsplit("-", 1)[1]
        if number == "1":
            save_secret(home, "HERMES_TUI_API_KEY", "key-number-7")
            return fail(401, "no such key")
        return say(f"from {number}")

    scripted.answer = reply
    config = ModelConfig(base_url=scripted.url, name="m")
    model = make_model(config, home, {}, pools=Pools(home, clock))
    text = await answer(model)
    assert text in ("from 2", "from 7")
    pools = Pools(home, clock)
    assert pools.health(Key(name="", value="key-number-1").mark).kind == "auth"
    assert pools.health(Key(name="", value="key-number-7").mark).kind == ""
    await model.close()


# --- over time ---------------------------------------------------------------------------------


async def test_what_is_known_of_keys_survives_a_restart_without_the_keys(
    home: Home, scripted: ScriptedModel
) -> None:
    clock = Clock()
    scripted.answer = refusing(1, retry_after="600")
    model = pooled(home, scripted, 2, clock)
    await answer(model)
    await model.close()
    again = pooled(home, scripted, 2, clock)
    await answer(again)
    assert keys_sent(scripted) == ["1", "2", "2"]
    text = home.pools.read_text()
    assert "key-number" not in text
    assert json.loads(text)
    assert stat.S_IMODE(home.pools.stat().st_mode) == 0o600
    await again.close()


async def test_keys_take_turns_when_that_is_wanted(home: Home, scripted: ScriptedModel) -> None:
    scripted.answer = refusing()
    clock = Clock()
    model = pooled(home, scripted, 3, clock, "round-robin")
    for _ in range(6):
        clock.now += 1
        await answer(model)
    assert keys_sent(scripted) == ["1", "2", "3", "1", "2", "3"]
    await model.close()


def test_the_least_used_key_is_next(home: Home) -> None:
    keys = [Key(name=f"K_{n}", value=f"v{n}") for n in range(3)]
    pools = Pools(home, Clock())
    pool = Pool("x", keys, pools, "least-used")
    picked = [pool.pick().name for _ in range(9)]
    assert sorted(picked) == sorted([key.name for key in keys] * 3)


def test_random_keys_are_all_used(home: Home) -> None:
    keys = [Key(name=f"K_{n}", value=f"v{n}") for n in range(3)]
    pool = Pool("x", keys, Pools(home, Clock()), "random")
    assert {pool.pick().name for _ in range(200)} == {"K_0", "K_1", "K_2"}


def test_two_processes_do_not_undo_each_others_notes(home: Home) -> None:
    clock = Clock()
    one, two = Pools(home, clock), Pools(home, clock)
    first, second = Key(name="A", value="a"), Key(name="B", value="b")
    error = ModelError("no", kind="auth")
    Pool("x", [first], one).blame(first, error)
    Pool("x", [second], two).blame(second, error)
    seen = Pools(home, clock)
    assert seen.health(first.mark).kind == seen.health(second.mark).kind == "auth"


def test_a_damaged_file_of_states_only_forgets(home: Home) -> None:
    home.pools.write_text("{broken")
    assert Pools(home, Clock()).health("x").kind == ""


def test_a_blip_rests_seconds_not_an_hour() -> None:
    assert rest_for(ModelError("too many requests", kind="rate")) == BLIP_S < 60


# --- families of variables ---------------------------------------------------------------------


def test_keys_are_in_the_order_of_their_numbers_and_each_counts_once() -> None:
    found = keys_of(
        "X_API_KEY",
        {"X_API_KEY_10": "c", "X_API_KEY": "a", "X_API_KEYS": "no", "X_API_KEY_B": "no"},
        {"X_API_KEY_2": "b", "X_API_KEY_3": "a", "Y_API_KEY": "no"},
    )
    assert [key.value for key in found] == ["a", "b", "c"]


@settings(max_examples=60)
@given(st.text(string.ascii_uppercase + "_", min_size=1, max_size=12), st.integers(2, 999))
def test_a_number_at_its_end_is_of_the_same_family(name: str, number: int) -> None:
    assert family(f"{name}_{number}") == family(name) or name.endswith("_")
    assert family(family(name)) == family(name)

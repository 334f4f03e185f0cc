"""`hermes auth`, `hermes model`, `hermes usage`, `hermes insights`, as a person types them."""

from __future__ import annotations

import asyncio
import json

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.errors import ModelError
from hermes_tui.events import TurnEnded
from hermes_tui.home import Home
from hermes_tui.models.pools import Key, Pool, Pools
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.security.vault import Vault
from tests.cli.conftest import Hermes
from tests.fakes.scripted_model import ScriptedModel, say
from tests.runtime.conftest import open_in, until
from tests.runtime.conftest import say as tell

FIRST, SECOND = "first-" + "k" * 20 + "-abcd", "second-" + "k" * 20 + "-wxyz"


# --- keys --------------------------------------------------------------------------------------


def test_keys_are_added_under_numbered_names_listed_without_themselves_and_removed(
    hermes: Hermes, home: Home
) -> None:
    assert "kept as OPENROUTER_API_KEY;" in hermes("auth", "add", "openrouter", stdin=FIRST).out
    added = hermes("auth", "add", "openrouter", stdin=f"{SECOND}\n")
    assert "kept as OPENROUTER_API_KEY_2; 2 keys" in added.out
    assert Vault(home).get("OPENROUTER_API_KEY_2") == SECOND
    listed = hermes("auth", "list")
    assert FIRST not in listed.out
    assert SECOND not in listed.out
    assert "…abcd" in listed.out
    assert listed.out.count("ready") == 2
    assert hermes("auth", "remove", "openrouter", "2").code == 0
    assert Vault(home).names() == ("OPENROUTER_API_KEY",)


def test_the_same_key_is_not_kept_twice(hermes: Hermes) -> None:
    hermes("auth", "add", "groq", stdin=FIRST)
    again = hermes("auth", "add", "groq", stdin=FIRST)
    assert again.code == 1
    assert "there already" in again.err


def test_a_key_of_the_environment_is_listed_and_not_ours_to_remove(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", FIRST)
    (one,) = hermes("auth", "list", "--json").json["keys"]
    assert (one["variable"], one["place"]) == ("MISTRAL_API_KEY", "environment")
    gone = hermes("auth", "remove", "mistral")
    assert gone.code == 1
    assert "unset it there" in gone.err


def test_a_resting_key_says_until_when_and_is_tried_again_after_reset(
    hermes: Hermes, home: Home
) -> None:
    hermes("auth", "add", "openrouter", stdin=FIRST)
    key = Key(name="OPENROUTER_API_KEY", value=FIRST)
    error = ModelError("too fast", kind="rate", retry_after=3000)
    Pool("openrouter.ai", [key], Pools(home)).blame(key, error)
    assert "rests until" in hermes("auth", "list").out
    assert "1 key will be tried again" in hermes("auth", "reset", "openrouter").out
    assert "ready" in hermes("auth", "list").out
    assert "no key was resting" in hermes("auth", "reset").out


def test_an_unknown_provider_is_answered_with_the_known_ones(hermes: Hermes) -> None:
    told = hermes("auth", "add", "openruter", stdin=FIRST)
    assert told.code == 1
    assert "openrouter" in told.err


def test_no_key_on_standard_input_is_told(hermes: Hermes) -> None:
    assert "no key was given" in hermes("auth", "add", "groq", stdin="\n").err


# --- models ------------------------------------------------------------------------------------


def test_a_model_is_set_with_what_is_known_about_it(hermes: Hermes) -> None:
    hermes("auth", "add", "anthropic", stdin=FIRST)
    done = hermes("model", "set", "anthropic:claude-sonnet-4-5")
    assert done.code == 0, done.err
    assert "price: $3 in, $15 out" in done.out
    assert "window: 200,000" in done.out
    assert hermes("config", "get", "model.name").out.strip() == "anthropic:claude-sonnet-4-5"
    assert "claude-sonnet-4-5" in hermes("model").out


def test_a_provider_without_a_key_is_not_set(hermes: Hermes) -> None:
    done = hermes("model", "set", "groq:some-model")
    assert done.code == 4
    assert "hermes auth add groq" in done.err
    assert hermes("config", "get", "model.name").out.strip() == ""


def test_a_model_that_does_not_answer_is_not_set_when_it_is_tried(
    hermes: Hermes, home: Home
) -> None:
    with ScriptedModel.in_thread(say("ready")) as model:
        home.config.write_text(f"model:\n  base_url: {model.url}\n  name: old\n")
        assert hermes("model", "set", "--test", "new").code == 0
        assert hermes("model", "set", "--test", "newer").code == 4
    assert hermes("config", "get", "model.name").out.strip() == "new"


def test_the_picker_narrows_many_names_down_to_the_one_that_was_meant(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hermes_tui.cli import model_pick
    from hermes_tui.models import first_run

    with ScriptedModel.in_thread() as model:
        names = [f"family-{n}/model-{n}" for n in range(60)]
        model._models = lambda: json.dumps(  # type: ignore[method-assign]
            {"data": [{"id": name} for name in names]}
        ).encode()
        server = first_run.Candidate(
            kind="server", provider="Here", base_url=model.url, models=(names[0],)
        )

        async def found(*_: object) -> tuple[first_run.Candidate, ...]:
            return (server,)

        monkeypatch.setattr(first_run, "choices", found)
        answers = iter(["9", "1", "no such name", "-4", "model-42", "1"])
        monkeypatch.setattr("builtins.input", lambda _: next(answers))
        chosen = model_pick.pick(home)
        assert chosen is not None
        assert (chosen.model.base_url, chosen.model.name) == (model.url, "family-42/model-42")
        monkeypatch.setattr("builtins.input", lambda _: "")
        assert model_pick.pick(home) is None


def test_the_providers_are_listed(hermes: Hermes) -> None:
    known = {
        one["id"] for one in hermes("model", "list", "--providers", "--json").json["providers"]
    }
    assert known >= {
        *("nous", "openrouter", "openai", "anthropic", "gemini", "zai", "moonshot", "minimax"),
        *("deepseek", "xai", "mistral", "groq", "together", "huggingface", "azure", "bedrock"),
        *("vertex", "ollama", "vllm", "lmstudio", "llamacpp", "embedded"),
    }


def test_a_trial_is_a_model_call_too_and_none_is_allowed(hermes: Hermes, home: Home) -> None:
    with ScriptedModel.in_thread(say("ready")) as model:
        home.config.write_text(f"model:\n  base_url: {model.url}\nspend:\n  day: 0\n")
        for command in ("test", "list"):
            done = hermes("model", command)
            assert done.code == 4
            assert "spend.day" in done.err
        assert (model.requests, model.others) == ([], [])


# --- what it cost ------------------------------------------------------------------------------


def test_nothing_spent_is_told_as_nothing(hermes: Hermes) -> None:
    assert "no model was called" in hermes("usage").out
    assert "0 model calls" in hermes("insights").out
    wrong = hermes("usage", "--by", "weather")
    assert wrong.code == 1
    assert "by model, provider" in wrong.err


async def _turn(home: Home) -> None:
    core = await Core(home, load(home, {}).config, headless=True).start(listen=False)
    client = LocalClient(core)
    view = await open_in(client, str(home.path))
    await tell(client, view, "hello")
    await until(client, TurnEnded)
    await core.end("done")


def test_what_nobody_knows_the_price_of_is_no_zero_anywhere(
    hermes: Hermes, home: Home, threaded: ScriptedModel
) -> None:
    threaded.script = [say("ready")]
    home.config.write_text(f"model:\n  name: nobody-knows\n  base_url: {threaded.url}\n")
    asyncio.run(_turn(home))
    for command in ("usage", "insights"):
        told = hermes(command, "--json").json
        totals = [told["total"], *(one for group in told["groups"].values() for one in group)]
        assert [one["cost"] for one in totals] == [None] * len(totals)
        assert "$0" not in hermes(command).out
    said = hermes("insights", "--days", "1").out
    assert said.startswith("Last 1 day: 1 model call in 1 session, ")
    assert "at an unknown cost" in said
    assert "The price of 1 call is not known" in said


@pytest.mark.parametrize("typed", ["two words", "schlüssel", "bell\x07bell"])
def test_what_can_be_no_key_is_not_kept(hermes: Hermes, home: Home, typed: str) -> None:
    refused = hermes("auth", "add", "groq", stdin=typed)
    assert refused.code == 1
    assert "no key has" in refused.err
    assert typed not in refused.err
    assert Vault(home).names() == ()


def test_a_name_that_no_model_has_is_told(
    hermes: Hermes, home: Home, threaded: ScriptedModel
) -> None:
    home.config.write_text(f"model:\n  base_url: {threaded.url}\n")
    assert hermes("model", "list", "script").out.strip() == "scripted"
    none = hermes("model", "list", "nosuch")
    assert none.code == 1
    assert "none of the models on offer has 'nosuch' in its name" in none.err
    assert hermes("model", "list", "nosuch", "--json").json["models"] == []


def test_claude_is_not_set_without_a_key_for_it(hermes: Hermes) -> None:
    told = hermes("model", "set", "anthropic:claude-sonnet-4-5")
    assert told.code != 0
    assert "hermes auth add anthropic" in told.err

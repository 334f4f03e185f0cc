"""From configuration and environment to the right endpoint, and a key only to whom it belongs."""

from __future__ import annotations

import stat

import pytest

from hermes_tui.config import ModelConfig
from hermes_tui.errors import ConfigError, ModelError
from hermes_tui.home import Home
from hermes_tui.models import catalog
from hermes_tui.models.base import Message, Request
from hermes_tui.models.chat_completions import DEFAULT_WINDOW
from hermes_tui.models.choose import Target, choose, list_models, make_model
from hermes_tui.models.credentials import api_key, read_secrets, save_secret
from hermes_tui.models.discover import Candidate, discover, probe
from hermes_tui.models.embedded import Embedded
from hermes_tui.models.litellm_models import LitellmModel
from hermes_tui.models.weights import DEFAULT, WEIGHTS
from tests.fakes.scripted_model import Reply, ScriptedModel, fail, say

K = "k" * 12


def _choose(home: Home, env: dict[str, str] | None = None, name: str = "", **config: str) -> Target:
    return choose(ModelConfig(**config), home, env or {}, name)  # type: ignore[arg-type]


def _fetched(home: Home) -> None:
    home.models.mkdir()
    (home.models / WEIGHTS[DEFAULT].file).write_bytes(b"x")


# --- which endpoint ----------------------------------------------------------------------------


def test_nothing_set_up_says_what_to_do(home: Home) -> None:
    with pytest.raises(ModelError) as caught:
        make_model(ModelConfig(), home, {})
    assert caught.value.kind == "missing"
    assert "hermes setup" in caught.value.hint


@pytest.mark.parametrize("provider", catalog.PROVIDERS, ids=lambda one: one.name)
def test_a_key_in_the_environment_is_enough(home: Home, provider: catalog.Provider) -> None:
    for variable in provider.keys:
        target = _choose(home, {variable: K})
        assert target == Target(
            way="openai", name=provider.model, base_url=provider.base_url, key=K
        )


def test_an_endpoint_that_is_set_wins_over_keys(home: Home) -> None:
    target = _choose(home, {"OPENROUTER_API_KEY": K}, base_url="http://127.0.0.1:9/v1", name="m")
    assert target == Target(way="openai", name="m", base_url="http://127.0.0.1:9/v1")


def test_another_name_is_asked_of_the_same_endpoint(home: Home) -> None:
    assert _choose(home, {"OPENAI_API_KEY": K}, "gpt-x").base_url == "https://api.openai.com/v1"
    assert _choose(home, {"OPENAI_API_KEY": K}, "gpt-x").name == "gpt-x"


def test_our_own_key_goes_to_the_provider_it_looks_like(home: Home) -> None:
    for start, host in (("sk-or-", "openrouter.ai"), ("sk-ant-", "anthropic"), ("sk-", "openai")):
        target = _choose(home, {"HERMES_TUI_API_KEY": start + K})
        assert host in target.base_url
        assert target.key == start + K
    with pytest.raises(ModelError, match="no telling whose"):
        _choose(home, {"HERMES_TUI_API_KEY": K})


def test_a_fetched_model_answers_when_nothing_else_is_there(home: Home) -> None:
    _fetched(home)
    assert _choose(home).way == "embedded"
    assert _choose(home, {"OPENAI_API_KEY": K}).way == "openai"
    assert _choose(home, {"OPENAI_API_KEY": K}, provider="embedded").way == "embedded"
    assert isinstance(make_model(ModelConfig(), home, {}), Embedded)


def test_a_name_with_another_protocol_goes_through_litellm_with_its_own_key(home: Home) -> None:
    name = "anthropic/claude-sonnet-4-5"
    own = _choose(home, {"ANTHROPIC_API_KEY": K}, name)
    assert (own.way, own.key, own.base_url) == ("litellm", K, "")
    aggregator = _choose(home, {"OPENROUTER_API_KEY": K}, name)
    assert (aggregator.way, aggregator.base_url) == ("openai", "https://openrouter.ai/api/v1")
    assert _choose(home, {}, "bedrock/some-model").way == "litellm"
    model = make_model(ModelConfig(provider="litellm", name=name), home, {"ANTHROPIC_API_KEY": K})
    assert isinstance(model, LitellmModel)


def test_the_window_is_the_one_set_else_a_good_guess(home: Home) -> None:
    def window(**config: object) -> int:
        known = {"base_url": "http://h/v1", **config}
        return make_model(ModelConfig(**known), home, {}).window  # type: ignore[arg-type]

    assert window(name="claude-sonnet-4-5") == 200_000
    assert window(name="something-new") == DEFAULT_WINDOW
    assert window(name="claude-sonnet-4-5", window=9000) == 9000


async def test_a_made_model_answers_with_the_key_and_price_that_were_set(home: Home) -> None:
    async with ScriptedModel("hello", key=K) as server:
        config = ModelConfig(base_url=server.url, api_key_env="MINE", price_in=1.0, price_out=2.0)
        model = make_model(config, home, {"MINE": K})
        request = Request(system="", messages=(Message(role="user", content="hi"),))
        deltas = [delta async for delta in model.stream(request)]
        assert "".join(delta.text for delta in deltas) == "hello"
        assert [delta.usage.cost for delta in deltas if delta.usage] == [
            pytest.approx(100e-6 + 2 * 2e-6)
        ]
        assert await list_models(config, home, {"MINE": K}) == ("scripted",)
        await model.close()


# --- keys --------------------------------------------------------------------------------------


def test_a_providers_key_is_never_sent_to_another_host(home: Home) -> None:
    env = {"OPENAI_API_KEY": K, "OPENROUTER_API_KEY": "r" * 9}
    for url in (
        "http://127.0.0.1:9/v1",
        "https://api.openai.com.evil.example/v1",
        "http://api.openai.com/v1",
        "https://evil.example/api.openai.com/v1",
    ):
        assert api_key(ModelConfig(base_url=url), home, env) == ""
    assert api_key(ModelConfig(base_url="https://api.openai.com/v1"), home, env) == K


def test_keys_are_looked_for_in_a_fixed_order(home: Home) -> None:
    config = ModelConfig(base_url="https://api.openai.com/v1", api_key_env="MINE")
    save_secret(home, "MINE", "from file")
    env = {"HERMES_TUI_API_KEY": "ours", "MINE": "named", "OPENAI_API_KEY": "usual"}
    found: list[str] = []
    while env:
        found.append(api_key(config, home, env))
        env.pop(next(iter(env)))
    found.append(api_key(config, home, {"OPENAI_API_KEY": " \n"}))
    assert found == ["ours", "named", "from file", "from file"]


def test_secrets_are_kept_for_the_owner_alone_and_others_stay(home: Home) -> None:
    home.secrets.write_text("# mine\nexport A='one two'\nB=2\n")
    save_secret(home, "B", "3")
    save_secret(home, "C", "4\n")
    assert read_secrets(home) == {"A": "one two", "B": "3", "C": "4"}
    assert home.secrets.read_text().startswith("# mine\n")
    assert stat.S_IMODE(home.secrets.stat().st_mode) == 0o600


def test_unreadable_secrets_are_told_not_ignored(home: Home) -> None:
    home.secrets.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="can't be read"):
        read_secrets(home)


# --- finding and trying ------------------------------------------------------------------------


async def test_what_could_answer_is_found_all_at_once(home: Home) -> None:
    _fetched(home)
    save_secret(home, "GROQ_API_KEY", K)
    async with ScriptedModel(name="llama3") as server:
        silent = ("Silent", "http://127.0.0.1:1/v1")
        found = await discover(home, {"OPENAI_API_KEY": K}, [("Ollama", server.url), silent])
    assert [(one.kind, one.provider, one.key_env) for one in found] == [
        ("key", "OpenAI", "OPENAI_API_KEY"),
        ("key", "Groq", "GROQ_API_KEY"),
        ("server", "Ollama", ""),
        ("embedded", "embedded", ""),
    ]
    assert found[2].models == ("llama3",)
    assert K not in repr(found)


async def test_a_web_server_on_a_usual_port_is_no_model(home: Home) -> None:
    import asyncio

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        found = await discover(home, {}, [("vLLM", f"http://127.0.0.1:{port}/v1")])
    assert found == ()


async def test_the_chosen_model_is_tried_live(home: Home, scripted: ScriptedModel) -> None:
    scripted.script.append("ready")
    candidate = Candidate(kind="server", provider="x", base_url=scripted.url, models=("m1", "m2"))
    proof = await probe(candidate.config("m2"), home, {})
    assert (proof.name, proof.text) == ("m2", "ready")
    assert scripted.last.json["model"] == "m2"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [(fail(401, "no"), "auth"), (fail(404, "no model"), "missing"), (say(""), "malformed")],
)
async def test_a_model_that_cannot_answer_is_told_at_the_trial(
    home: Home, scripted: ScriptedModel, reply: Reply, kind: str
) -> None:
    scripted.script.append(reply)
    with pytest.raises(ModelError) as caught:
        await probe(ModelConfig(name="m", base_url=scripted.url), home, {})
    assert caught.value.kind == kind
    assert caught.value.hint


def test_providers_are_told_apart_by_host_and_reached_by_tls() -> None:
    hosts = [one.host for one in catalog.PROVIDERS]
    assert len(set(hosts)) == len(hosts)
    assert all(one.base_url.startswith("https://") for one in catalog.PROVIDERS)
    assert all(catalog.provider_at(one.base_url) is one for one in catalog.PROVIDERS)

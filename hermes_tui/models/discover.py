"""What could answer on this machine: keys in the environment, local servers, a fetched model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence

from msgspec import Struct

from hermes_tui.config import ModelConfig
from hermes_tui.errors import ModelError
from hermes_tui.home import Home
from hermes_tui.models import catalog, credentials
from hermes_tui.models.base import Message, Model, Request
from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.models.choose import make_model

LOCAL_S = 0.8


class Candidate(Struct, frozen=True, kw_only=True):
    """Something that could answer. kind: `key`, `server` or `embedded`.

    models: names to choose from, the best first choice in front. key_env: the variable that
    holds its key; the key itself is not in here.
    """

    kind: str
    provider: str
    base_url: str = ""
    key_env: str = ""
    models: tuple[str, ...] = ()

    def config(self, name: str = "") -> ModelConfig:
        """Settings that choose it, with this model or its first."""
        first = name or (self.models[0] if self.models else "")
        if self.kind == "embedded":
            return ModelConfig(provider="embedded", name=first)
        return ModelConfig(name=first, base_url=self.base_url, api_key_env=self.key_env)


class Proof(Struct, frozen=True, kw_only=True):
    """A model answered: what it is called, what it said, after how many seconds."""

    name: str
    text: str
    seconds: float


async def discover(
    home: Home,
    env: Mapping[str, str],
    servers: Sequence[tuple[str, str]] = catalog.LOCAL_SERVERS,
) -> tuple[Candidate, ...]:
    """All that could answer: providers with a key first, then local servers, then the embedded.

    Keys are not tried out; servers are all asked at once and given less than a second.
    """
    from hermes_tui.models.weights import is_there

    secrets = credentials.read_secrets(home)
    found = [one for provider in catalog.PROVIDERS for one in _with_key(provider, env, secrets)]
    asked = await asyncio.gather(*(_server(name, url) for name, url in servers))
    found += [one for one in asked if one is not None]
    if is_there(home, ""):
        found.append(Candidate(kind="embedded", provider="embedded"))
    return tuple(found)


async def probe(config: ModelConfig, home: Home, env: Mapping[str, str]) -> Proof:
    """Ask the model for one word, live. Raises ModelError with what to do when it won't answer."""
    model = make_model(config, home, env)
    try:
        return await prove(model)
    finally:
        await model.close()


async def prove(model: Model) -> Proof:
    """Ask a model for one word. Raises ModelError."""
    started = time.monotonic()
    ask = Message(role="user", content="Reply with the one word: ready")
    request = Request(system="You are being tested.", messages=(ask,))
    text = thinking = ""
    async for delta in model.stream(request):
        text += delta.text
        thinking += delta.reasoning
    if not (text.strip() or thinking.strip()):
        raise ModelError(f"{model.name} answered with nothing", "choose another model", "malformed")
    seconds = time.monotonic() - started
    return Proof(name=model.name, text=text.strip()[:200], seconds=seconds)


def _with_key(
    provider: catalog.Provider, env: Mapping[str, str], secrets: Mapping[str, str]
) -> list[Candidate]:
    name = next((one for one in provider.keys if (env.get(one) or secrets.get(one))), "")
    if not name:
        return []
    return [
        Candidate(
            kind="key",
            provider=provider.name,
            base_url=provider.base_url,
            key_env=name,
            models=(provider.model,),
        )
    ]


async def _server(name: str, url: str) -> Candidate | None:
    client = ChatCompletions("", url, stall_s=LOCAL_S)
    try:
        async with asyncio.timeout(LOCAL_S):
            models = await client.list_models()
    except (ModelError, TimeoutError):
        return None
    finally:
        await client.close()
    if not models:
        return None
    names = tuple(one.name for one in models)
    return Candidate(kind="server", provider=name, base_url=url, models=names)

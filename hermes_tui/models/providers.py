"""Every provider by its id, and names that say where a model is: `PROVIDER:MODEL`.

`anthropic:claude-sonnet-4-5`, `ollama:qwen3:8b`: what stands before the first colon is a
provider where there is one of that id, else the whole text is the model's name.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.config import ModelConfig
from hermes_tui.models import catalog

Way = Literal["openai", "litellm", "embedded"]


class Place(Struct, frozen=True, kw_only=True):
    """A provider. way: how it is reached; prefix: litellm's name for it.

    free: it runs on a machine of the person's own and costs nothing a call.
    """

    id: str
    title: str
    way: Way = "openai"
    base_url: str = ""
    keys: tuple[str, ...] = ()
    model: str = ""
    prefix: str = ""
    free: bool = False


_IDS = {
    "OpenRouter": "openrouter",
    "Nous Portal": "nous",
    "Anthropic": "anthropic",
    "OpenAI": "openai",
    "Google": "gemini",
    "xAI": "xai",
    "DeepSeek": "deepseek",
    "Moonshot": "moonshot",
    "Z.AI": "zai",
    "MiniMax": "minimax",
    "Mistral": "mistral",
    "Groq": "groq",
    "Together": "together",
    "Ollama": "ollama",
    "LM Studio": "lmstudio",
    "vLLM": "vllm",
    "llama.cpp": "llamacpp",
}
_OTHERS = (
    Place(
        id="huggingface",
        title="Hugging Face",
        base_url="https://router.huggingface.co/v1",
        keys=("HF_TOKEN", "HUGGINGFACE_API_KEY"),
    ),
    Place(id="azure", title="Azure", way="litellm", keys=("AZURE_API_KEY",), prefix="azure"),
    Place(id="bedrock", title="Bedrock", way="litellm", prefix="bedrock"),
    Place(id="vertex", title="Vertex AI", way="litellm", prefix="vertex_ai"),
    Place(id="embedded", title="Embedded", way="embedded", free=True),
)
ALSO = {"google": "gemini", "glm": "zai", "z.ai": "zai", "kimi": "moonshot", "hf": "huggingface"}
"""Other words for providers."""


@cache
def places() -> dict[str, Place]:
    """All providers by id."""
    made = [
        Place(
            id=_IDS[one.name],
            title=one.name,
            base_url=one.base_url,
            keys=one.keys,
            model=one.model,
            # Anthropic's own protocol has cache marks and reasoning, its compatible one has not.
            way="litellm" if one.prefix == "anthropic" else "openai",
            prefix=one.prefix,
        )
        for one in catalog.PROVIDERS
    ]
    made += [
        Place(id=_IDS[title], title=title, base_url=url, free=True)
        for title, url in catalog.LOCAL_SERVERS
    ]
    return {one.id: one for one in (*made, *_OTHERS)}


def split(name: str) -> tuple[Place | None, str]:
    """The provider a name begins with, None where it names none, and the model's name."""
    word, colon, model = name.partition(":")
    word = word.strip().lower()
    place = places().get(ALSO.get(word, word)) if colon else None
    return (place, model.strip()) if place is not None else (None, name)


def place_named(word: str) -> Place | None:
    """The provider of an id, a title or another word for it."""
    low = word.strip().lower()
    found = places().get(ALSO.get(low, low))
    return found or next((one for one in places().values() if one.title.lower() == low), None)


def place_of(base_url: str, way: str = "openai", name: str = "") -> str:
    """The id of the provider an endpoint belongs to, empty for one of nobody known."""
    if way == "embedded":
        return "embedded"
    if way == "litellm" and not base_url:
        prefix = name.partition("/")[0]
        return next((one.id for one in places().values() if one.prefix == prefix), "")
    if found := catalog.provider_at(base_url):
        return _IDS[found.name]
    address = base_url.rstrip("/").replace("//localhost:", "//127.0.0.1:")
    same = (one.id for one in places().values() if one.base_url and one.base_url == address)
    return next(same, "")


def resolved(config: ModelConfig, name: str = "") -> ModelConfig:
    """The settings that reach a named model (default: the configured one), wherever it is.

    A name with a provider in front leaves the configured endpoint, and what was set for it.
    """
    wanted = name or config.name
    place, model = split(wanted)
    if place is None:
        return replace(config, name=wanted)
    model = model or place.model
    if place.way == "litellm":
        model = model if model.startswith(place.prefix + "/") else f"{place.prefix}/{model}"
    same = bool(config.base_url) and config.base_url.rstrip("/") == place.base_url
    return replace(
        config,
        name=model,
        provider=place.way,
        base_url=place.base_url if place.way == "openai" else "",
        api_key_env=config.api_key_env if same else (place.keys[0] if place.keys else ""),
        window=config.window if same else 0,
        price_in=config.price_in if same else None,
        price_out=config.price_out if same else None,
        sees="auto",
    )

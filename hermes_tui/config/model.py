"""Which model answers."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from hermes_tui.config.base import Price, doc


class ModelConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which model answers, and where it is."""

    name: Annotated[str, doc("model name as the endpoint calls it; empty: the first it offers")] = (
        ""
    )
    base_url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://\S+)?$",
            description="OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1",
        ),
    ] = ""
    provider: Annotated[
        Literal["auto", "openai", "litellm", "embedded"],
        doc(
            "how to reach it: openai = any compatible endpoint, litellm = other protocols, "
            "embedded = the model in a child process"
        ),
    ] = "auto"
    api_key_env: Annotated[str, doc("environment variable that holds the key")] = ""
    tool_format: Annotated[
        str,
        doc(
            "how tool calls are written: native = by the endpoint; hermes, qwen, mistral or "
            "llama3 = as text, for models served without tools; auto: native"
        ),
    ] = "auto"
    window: Annotated[
        int, Meta(ge=0, description="context size in tokens; 0: ask the endpoint")
    ] = 0
    stall_s: Annotated[
        float, Meta(gt=0, le=86_400, description="give a silent stream up after this many seconds")
    ] = 120.0
    attempts: Annotated[
        int, Meta(ge=1, le=20, description="tries of one request before the turn fails")
    ] = 4
    file: Annotated[str, doc("GGUF file of the embedded model; empty: the one setup fetched")] = ""
    price_in: Annotated[Price | None, doc("US dollars per million prompt tokens")] = None
    price_out: Annotated[Price | None, doc("US dollars per million completion tokens")] = None
    sees: Annotated[
        Literal["auto", "yes", "no"],
        doc("whether it takes pictures; auto: as its name says, until the endpoint refuses one"),
    ] = "auto"

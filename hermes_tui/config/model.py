"""Which model answers."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from hermes_tui.config.base import Price, doc

Effort = Literal["auto", "none", "minimal", "low", "medium", "high", "xhigh"]
EFFORTS: tuple[str, ...] = get_args(Effort)


class ModelConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which model answers, and where it is."""

    name: Annotated[
        str,
        doc("as the endpoint calls it; empty: the first it offers; PROVIDER:MODEL is elsewhere"),
    ] = ""
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
    effort: Annotated[
        Effort,
        doc("how hard it thinks before it answers; auto: as the endpoint does by itself"),
    ] = "auto"
    rotation: Annotated[
        Literal["fill-first", "round-robin", "least-used", "random"],
        doc("which of several keys is used next (`hermes auth`)"),
    ] = "fill-first"
    fallback: Annotated[
        tuple[str, ...],
        doc(
            "models that answer when this one can't, in order: `[PROVIDER:]MODEL`, or "
            "`[PROVIDER:]MODEL on rate,billing` for these failures alone"
        ),
    ] = ()
    sees: Annotated[
        Literal["auto", "yes", "no"],
        doc("whether it takes pictures; auto: as its name says, until the endpoint refuses one"),
    ] = "auto"


class ModelsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Other models for other tasks: `[PROVIDER:]MODEL`; empty: the session's own."""

    summaries: Annotated[str, doc("shortens long conversations and sums up searches")] = ""
    titles: Annotated[str, doc("gives sessions their titles; empty: their first words")] = ""
    reflection: Annotated[str, doc("looks back on what was done: memory and skills")] = ""


Money = Annotated[float, Meta(ge=0, le=1e6)]
Tokens = Annotated[int, Meta(ge=0)]


class SpendConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Caps that stop before the next model call; 0 allows none, nothing sets no cap."""

    day: Annotated[Money | None, doc("US dollars a day, for everything")] = None
    session: Annotated[Money | None, doc("US dollars a session")] = None
    job: Annotated[Money | None, doc("US dollars a day for each scheduled job")] = None
    day_tokens: Annotated[Tokens | None, doc("tokens a day, read and written")] = None
    session_tokens: Annotated[Tokens | None, doc("tokens a session")] = None
    job_tokens: Annotated[Tokens | None, doc("tokens a day for each scheduled job")] = None

"""What it remembers and what it can do."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from hermes_tui.config.base import doc


class RecallConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Searching what was said: by words, and if you like a little by meaning."""

    embeddings: Annotated[
        str,
        doc("embedding model that your messages are sent to, in idle time; empty: none"),
    ] = ""
    base_url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://\S+)?$",
            description="endpoint with /embeddings, such as a local server's; empty: the model's",
        ),
    ] = ""
    api_key_env: Annotated[
        str, doc("variable or stored secret with its key; empty: the model's at its own endpoint")
    ] = ""
    weight: Annotated[
        float, Meta(ge=0, le=2, description="what nearness in meaning counts beside words")
    ] = 0.3
    wait_s: Annotated[
        float, Meta(gt=0, le=10, description="longest a search waits for what a question means")
    ] = 0.5


class MemoryConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is remembered of you and your work, and how much of it a prompt gets."""

    enabled: Annotated[
        bool, doc("put what is remembered into prompts, and let the agent remember")
    ] = True
    prompt_bytes: Annotated[
        int, Meta(ge=0, le=100_000, description="bytes of memory in a session's first prompt")
    ] = 2400
    note_bytes: Annotated[
        int, Meta(ge=0, le=20_000, description="bytes of memory beside one later input")
    ] = 900
    propose: Annotated[
        bool, doc("note lasting things you say as candidates, for you to confirm")
    ] = True
    character: Annotated[
        bool, doc("also keep what the agent concludes about your feelings and character")
    ] = False
    fade_days: Annotated[
        float, Meta(gt=0, le=36_500, description="unused lines weigh half after this many days")
    ] = 90.0
    candidate_days: Annotated[
        float,
        Meta(gt=0, le=36_500, description="candidates nobody confirmed go after this many days"),
    ] = 30.0
    provider: Annotated[
        str, doc("who models you: builtin, honcho, or the name a package brings")
    ] = "builtin"
    url: Annotated[
        str,
        Meta(pattern=r"^(https?://\S+)?$", description="address of the provider's own server"),
    ] = ""
    workspace: Annotated[str, doc("name of the workspace at the provider")] = "hermes"
    api_key_env: Annotated[
        str, doc("environment variable or stored secret with the provider's key")
    ] = "HONCHO_API_KEY"
    timeout_s: Annotated[
        float, Meta(gt=0, le=600, description="longest wait for the provider, seconds")
    ] = 8.0
    wait_s: Annotated[
        float,
        Meta(
            ge=0, le=10, description="longest a turn waits for the provider; late words come next"
        ),
    ] = 0.3


class SkillsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Skills: instructions the agent reads when a task calls for them."""

    enabled: Annotated[bool, doc("tell the model of skills and let it read them")] = True
    offers: Annotated[
        int,
        Meta(ge=0, le=8, description="most skills described beside one request that they fit"),
    ] = 3
    index_bytes: Annotated[
        int,
        Meta(ge=0, le=4000, description="bytes of the prompt that may list skills; 0: none"),
    ] = 2400
    outside: Annotated[
        bool,
        doc("read .agents/skills and .claude/skills of the project and of your home folder"),
    ] = True
    edits: Annotated[
        Literal["ask", "apply"],
        doc("what the agent writes of skills it learned: ask = you accept it first"),
    ] = "ask"

"""How the agent works, and its tools."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from hermes_tui.config.base import doc


class AgentConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the agent works."""

    mode: Annotated[
        Literal["ask", "auto-edit", "plan", "yolo"], doc("what it may do without asking")
    ] = "ask"
    profile: Annotated[
        Literal["auto", "full", "lean"],
        doc("lean: short prompt and few tools, for small local models; auto: lean when embedded"),
    ] = "auto"
    max_rounds: Annotated[
        int, Meta(ge=1, description="tool rounds in one turn before it stops")
    ] = 200
    parallel: Annotated[int, Meta(ge=1, le=64, description="tool calls running at once")] = 8


class ToolsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits of the tools."""

    output_chars: Annotated[
        int, Meta(ge=1000, description="characters of one result the model sees")
    ] = 12_000
    command_timeout_s: Annotated[
        int, Meta(ge=1, description="default time limit of a command, seconds")
    ] = 120
    script_timeout_s: Annotated[
        int, Meta(ge=1, description="default time limit of a script of run_code, seconds")
    ] = 300
    script_calls: Annotated[
        int, Meta(ge=0, description="tool calls that one script of run_code may make")
    ] = 100


class WebConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The web as tools see it: who searches, and what of this machine they may reach."""

    engine: Annotated[
        Literal["auto", "duckduckgo", "brave", "tavily", "exa", "searxng"],
        doc(
            "who searches; auto: SearXNG where base_url is set, else the first of Brave, Tavily "
            "and Exa there is a key for, else DuckDuckGo, which needs none"
        ),
    ] = "auto"
    base_url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://\S+)?$",
            description="address of the search engine: your SearXNG, or another one's own server",
        ),
    ] = ""
    api_key_env: Annotated[
        str,
        doc(
            "variable or secret with the engine's key; empty: BRAVE_API_KEY, TAVILY_API_KEY, "
            "EXA_API_KEY"
        ),
    ] = ""
    timeout_s: Annotated[
        float, Meta(gt=0, le=600, description="longest wait for one page, seconds")
    ] = 30.0
    local: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[^\s/@]+:\d{1,5}$")], ...],
        doc("host:port pairs of this machine or network that web tools may open"),
    ] = ()


class VisionConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who looks at pictures when the session's own model can't see."""

    name: Annotated[str, doc("model that sees; empty: only the session's own model")] = ""
    base_url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://\S+)?$",
            description="its OpenAI-compatible endpoint; empty: where model.name is",
        ),
    ] = ""
    api_key_env: Annotated[str, doc("environment variable that holds its key")] = ""


class McpConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Servers of the Model Context Protocol. Which ones there are stands in mcp.json."""

    enabled: Annotated[bool, doc("offer the tools of accepted servers")] = True
    connect_s: Annotated[
        float, Meta(gt=0, le=600, description="seconds a server may take to start and connect")
    ] = 60.0
    call_s: Annotated[
        float, Meta(gt=0, le=86_400, description="seconds one call may take, unless its entry says")
    ] = 120.0
    look_s: Annotated[
        float, Meta(gt=0, le=3600, description="seconds between looks whether it still answers")
    ] = 120.0
    idle_s: Annotated[
        float, Meta(gt=0, le=86_400, description="seconds without a call until it is let go")
    ] = 900.0

"""The whole configuration as one typed schema, with its defaults and the help each key shows."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field


def _doc(text: str) -> Meta:
    return Meta(description=text)


_Price = Annotated[float, Meta(ge=0, le=1e6)]


class ModelConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which model answers, and where it is."""

    name: Annotated[
        str, _doc("model name as the endpoint calls it; empty: the first it offers")
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
        _doc(
            "how to reach it: openai = any compatible endpoint, litellm = other protocols, "
            "embedded = the model in a child process"
        ),
    ] = "auto"
    api_key_env: Annotated[str, _doc("environment variable that holds the key")] = ""
    window: Annotated[
        int, Meta(ge=0, description="context size in tokens; 0: ask the endpoint")
    ] = 0
    stall_s: Annotated[
        float, Meta(gt=0, le=86_400, description="give a silent stream up after this many seconds")
    ] = 120.0
    attempts: Annotated[
        int, Meta(ge=1, le=20, description="tries of one request before the turn fails")
    ] = 4
    file: Annotated[str, _doc("GGUF file of the embedded model; empty: the one setup fetched")] = ""
    price_in: Annotated[_Price | None, _doc("US dollars per million prompt tokens")] = None
    price_out: Annotated[_Price | None, _doc("US dollars per million completion tokens")] = None


class AgentConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the agent works."""

    mode: Annotated[
        Literal["ask", "auto-edit", "plan", "yolo"], _doc("what it may do without asking")
    ] = "ask"
    profile: Annotated[
        Literal["auto", "full", "lean"],
        _doc("lean: short prompt and few tools, for small local models; auto: lean when embedded"),
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


class PolicyConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Standing rules. A rule is the tool's name, a space, and the exact text it covers."""

    allow: Annotated[tuple[str, ...], _doc("rules that run without asking")] = ()
    deny: Annotated[tuple[str, ...], _doc("rules that never run; deny beats allow")] = ()


class UiConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The full-screen UI."""

    theme: Annotated[
        str, _doc("theme name; /theme lists them; auto: dark or light as the terminal is")
    ] = "auto"
    chat_width: Annotated[int, Meta(ge=40, le=400, description="widest chat text, in columns")] = (
        100
    )
    motion: Annotated[bool, _doc("spinners and other movement")] = True
    mouse: Annotated[bool, _doc("mouse clicks, scrolling and selection")] = True
    busy_enter: Annotated[
        Literal["steer", "queue"], _doc("what Enter does while the agent works")
    ] = "steer"
    keys: Annotated[
        Literal["default", "emacs", "vim"],
        _doc("how the prompt is edited; counts from the next screen on"),
    ] = "default"
    timestamps: Annotated[bool, _doc("show the time of every message")] = True
    notify: Annotated[
        Literal["auto", "bell", "off"],
        _doc(
            "how to call you when a turn has ended or something waits and you look elsewhere: "
            "auto = a desktop notification where the terminal can, else the bell"
        ),
    ] = "auto"


class CoreConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The core process."""

    log_bytes: Annotated[int, Meta(ge=10_000, description="size at which core.log starts anew")] = (
        5_000_000
    )
    loaded_sessions: Annotated[int, Meta(ge=1, description="idle sessions kept in memory")] = 20


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings."""

    model: ModelConfig = field(default_factory=ModelConfig)
    agent: AgentConfig = field(default_factory=AgentConfig)
    tools: ToolsConfig = field(default_factory=ToolsConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    ui: UiConfig = field(default_factory=UiConfig)
    core: CoreConfig = field(default_factory=CoreConfig)
class CheckpointsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the working folder is kept before each turn that may change it."""

    enabled: Annotated[
        bool, _doc("keep the folder before a turn changes it, so that /rewind can bring it back")
    ] = True
    store_mb: Annotated[
        int, Meta(ge=10, le=1_000_000, description="size of all checkpoints; the oldest go first")
    ] = 200
    file_mb: Annotated[
        int, Meta(ge=1, le=2000, description="larger files are left out, and never touched")
    ] = 10
    max_files: Annotated[
        int, Meta(ge=100, le=1_000_000, description="a folder with more files is not kept")
    ] = 20_000


    checkpoints: CheckpointsConfig = field(default_factory=CheckpointsConfig)

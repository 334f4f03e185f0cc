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
    tool_format: Annotated[
        str,
        _doc(
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
    file: Annotated[str, _doc("GGUF file of the embedded model; empty: the one setup fetched")] = ""
    price_in: Annotated[_Price | None, _doc("US dollars per million prompt tokens")] = None
    price_out: Annotated[_Price | None, _doc("US dollars per million completion tokens")] = None
    sees: Annotated[
        Literal["auto", "yes", "no"],
        _doc("whether it takes pictures; auto: as its name says, until the endpoint refuses one"),
    ] = "auto"


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


class WebConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The web as tools see it: who searches, and what of this machine they may reach."""

    engine: Annotated[
        Literal["auto", "duckduckgo", "brave", "tavily", "exa", "searxng"],
        _doc(
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
        _doc(
            "variable or secret with the engine's key; empty: BRAVE_API_KEY, TAVILY_API_KEY, "
            "EXA_API_KEY"
        ),
    ] = ""
    timeout_s: Annotated[
        float, Meta(gt=0, le=600, description="longest wait for one page, seconds")
    ] = 30.0
    local: Annotated[
        tuple[str, ...],
        _doc("host:port pairs of this machine or network that web tools may open"),
    ] = ()


class VisionConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who looks at pictures when the session's own model can't see."""

    name: Annotated[str, _doc("model that sees; empty: only the session's own model")] = ""
    base_url: Annotated[
        str,
        Meta(
            pattern=r"^(https?://\S+)?$",
            description="its OpenAI-compatible endpoint; empty: where model.name is",
        ),
    ] = ""
    api_key_env: Annotated[str, _doc("environment variable that holds its key")] = ""


_Rule = Annotated[str, Meta(pattern=r"^[A-Za-z_][\w.-]* +\S")]


class PolicyConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Standing rules. A rule is the tool's name, a space, and the exact text it covers."""

    allow: Annotated[tuple[_Rule, ...], _doc("rules that run without asking")] = ()
    deny: Annotated[tuple[_Rule, ...], _doc("rules that never run; deny beats allow")] = ()


class SandboxConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What surrounds the agent's commands on this machine."""

    profile: Annotated[
        Literal["read-only", "workspace", "full"],
        _doc(
            "what a command may write: nothing, or the working folder; "
            "full: no sandbox, and each command asks"
        ),
    ] = "workspace"
    level: Annotated[
        Literal[0, 1, 2, 3],
        _doc(
            "refuse commands where the sandbox is weaker: 3 bubblewrap, 2 Landlock; 0: never refuse"
        ),
    ] = 0
    read: Annotated[tuple[str, ...], _doc("more files and folders that commands may read")] = ()
    write: Annotated[tuple[str, ...], _doc("more folders that commands may write")] = ()
    env: Annotated[
        tuple[str, ...], _doc("names of environment variables that commands get as well")
    ] = ()
    ssh_agent: Annotated[bool, _doc("commands may use your ssh agent")] = False


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


class CoreConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The core process."""

    log_bytes: Annotated[int, Meta(ge=10_000, description="size at which core.log starts anew")] = (
        5_000_000
    )
    loaded_sessions: Annotated[int, Meta(ge=1, description="idle sessions kept in memory")] = 20


class MemoryConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is remembered of you and your work, and how much of it a prompt gets."""

    enabled: Annotated[
        bool, _doc("put what is remembered into prompts, and let the agent remember")
    ] = True
    prompt_bytes: Annotated[
        int, Meta(ge=0, le=100_000, description="bytes of memory in a session's first prompt")
    ] = 2400
    note_bytes: Annotated[
        int, Meta(ge=0, le=20_000, description="bytes of memory beside one later input")
    ] = 900
    propose: Annotated[
        bool, _doc("note lasting things you say as candidates, for you to confirm")
    ] = True
    character: Annotated[
        bool, _doc("also keep what the agent concludes about your feelings and character")
    ] = False
    fade_days: Annotated[
        float, Meta(gt=0, le=36_500, description="unused lines weigh half after this many days")
    ] = 90.0
    candidate_days: Annotated[
        float,
        Meta(gt=0, le=36_500, description="candidates nobody confirmed go after this many days"),
    ] = 30.0
    provider: Annotated[
        str, _doc("who models you: builtin, honcho, or the name a package brings")
    ] = "builtin"
    url: Annotated[
        str,
        Meta(pattern=r"^(https?://\S+)?$", description="address of the provider's own server"),
    ] = ""
    workspace: Annotated[str, _doc("name of the workspace at the provider")] = "hermes"
    api_key_env: Annotated[
        str, _doc("environment variable or stored secret with the provider's key")
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

    enabled: Annotated[bool, _doc("tell the model of skills and let it read them")] = True
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
        _doc("read .agents/skills and .claude/skills of the project and of your home folder"),
    ] = True
    edits: Annotated[
        Literal["ask", "apply"],
        _doc("what the agent writes of skills it learned: ask = you accept it first"),
    ] = "ask"


class McpConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Servers of the Model Context Protocol. Which ones there are stands in mcp.json."""

    enabled: Annotated[bool, _doc("offer the tools of accepted servers")] = True
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


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings."""

    model: ModelConfig = field(default_factory=ModelConfig)
    agent: AgentConfig = field(default_factory=AgentConfig)
    tools: ToolsConfig = field(default_factory=ToolsConfig)
    web: WebConfig = field(default_factory=WebConfig)
    vision: VisionConfig = field(default_factory=VisionConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    sandbox: SandboxConfig = field(default_factory=SandboxConfig)
    ui: UiConfig = field(default_factory=UiConfig)
    checkpoints: CheckpointsConfig = field(default_factory=CheckpointsConfig)
    core: CoreConfig = field(default_factory=CoreConfig)
    memory: MemoryConfig = field(default_factory=MemoryConfig)
    skills: SkillsConfig = field(default_factory=SkillsConfig)
    mcp: McpConfig = field(default_factory=McpConfig)

"""What a core has to say to one who sets up, always the same, for pictures of the screen."""

from __future__ import annotations

import asyncio
from typing import Any

from hermes_tui import intents
from hermes_tui.events import FetchProgress, Record
from hermes_tui.intents import ChosenModel, ModelChoice, SettingInfo
from tests.fakes import story
from tests.fakes.canned_client import CannedClient

QWEN = ModelChoice(
    kind="fetch",
    title="Qwen2.5 Coder 0.5B Instruct, 491 MB: answers and uses tools",
    fetch="qwen2.5-coder-0.5b",
    size=491_400_064,
    chosen=ChosenModel(provider="embedded", file="qwen.gguf"),
)
SMOL = ModelChoice(
    kind="embedded",
    title="SmolLM2 135M Instruct, 98 MB: the smallest; only talks, and not cleverly",
    fetch="smollm2-135m",
    size=98_362_432,
    chosen=ChosenModel(provider="embedded", file="smol.gguf"),
)


def _keyed(title: str, name: str, key: str) -> ModelChoice:
    chosen = ChosenModel(base_url=f"https://{title.lower()}.example/v1", name=name, key_env=key)
    return ModelChoice(kind="key", title=title, note=f"key in {key}", chosen=chosen)


def _served(name: str) -> ModelChoice:
    url = "http://127.0.0.1:11434/v1"
    chosen = ChosenModel(base_url=url, name=name)
    return ModelChoice(kind="server", title="Ollama", note=url, chosen=chosen)


CHOICES = (
    _keyed("OpenRouter", "openrouter/auto", "OPENROUTER_API_KEY"),
    _keyed("Anthropic", "claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
    _served("qwen3:8b"),
    _served("llama3.2:3b"),
    SMOL,
    QWEN,
)


def _setting(name: str, kind: Any, value: Any, default: Any, **more: Any) -> SettingInfo:
    groups = {
        "model": "Which model answers, and where it is.",
        "agent": "How the agent works.",
        "policy": "Standing rules. A rule is the tool's name, a space, and the exact text.",
        "ui": "The full-screen UI.",
    }
    must = more.pop("must", "text")
    group = groups[name.partition(".")[0]]
    return SettingInfo(
        name=name, kind=kind, value=value, default=default, must=must, group=group, **more
    )


FILE = "config.yaml"
MODES = ("ask", "auto-edit", "plan", "yolo")
SETTINGS = (
    _setting("model.name", "text", "opus", "", source="HERMES_TUI_MODEL", fixed=True),
    _setting("model.base_url", "text", "http://127.0.0.1:11434/v1", "", source=FILE),
    _setting("model.window", "whole", 0, 0),
    _setting("model.price_in", "number", None, None),
    _setting(
        "agent.mode", "choice", "ask", "ask", choices=MODES,
        must="one of ask, auto-edit, plan, yolo", help="what it may do without asking",
    ),
    _setting("agent.parallel", "whole", 8, 8),
    _setting("policy.allow", "list", ["run_command git status", "run_command ls"], [], source=FILE),
    _setting("policy.deny", "list", [], []),
    _setting("ui.theme", "text", "hermes-night", "hermes-night"),
    _setting(
        "ui.chat_width", "whole", 100, 100, help="widest chat text, in columns",
        must="a whole number of at least 40 and at most 400",
    ),
    _setting("ui.motion", "toggle", False, True, source=FILE, must="true or false"),
    _setting("ui.notify", "choice", "auto", "auto", choices=("auto", "bell", "off")),
)  # fmt: skip


class SetupClient(CannedClient):
    """A core without a model; a fetch has come so far as the picture needs."""

    def __init__(self) -> None:
        super().__init__(story.view(False))

    async def ask(self, intent: Any) -> Any:
        """Answer what is asked while setting up; the rest as the canned core does."""
        match intent:
            case intents.FindModels():
                return intents.ModelChoices(needed=intent.look, choices=CHOICES)
            case intents.TryModel():
                return intents.ModelProof(name="qwen3:8b", text="ready", seconds=0.84)
            case intents.KeepModel():
                return intents.Done()
            case intents.FetchModel():
                progress = FetchProgress(name=intent.name, done=212_000_000, total=491_400_064)
                self.push(Record(session="", n=0, ts=0.0, event=progress))
                return await asyncio.get_running_loop().create_future()
            case intents.ListSettings():
                return intents.SettingList(settings=SETTINGS)
            case _:
                return await super().ask(intent)

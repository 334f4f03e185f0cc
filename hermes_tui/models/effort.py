"""How hard a model is to think, in the fields and words of each provider.

Sources: the API references of OpenRouter (`reasoning`), DeepSeek, Z.AI and Moonshot (`thinking`),
Together (`reasoning.enabled`), vLLM and llama.cpp (`chat_template_kwargs`); all others take the
field `reasoning_effort` of OpenAI.
"""

from __future__ import annotations

import re
from typing import Any

from hermes_tui.config import EFFORTS

_ORDER = EFFORTS[1:]
"""From not at all to very hard; `auto` sends nothing."""
_QUOTED = re.compile(r"""["'`](none|minimal|low|medium|high|xhigh)\\?["'`]""")
_STEP = {"xhigh": "high", "minimal": "low"}
"""Where one word too many is refused without saying which there are."""


class Effort:
    """What one model at one endpoint is told: the wish, or what comes nearest where it is refused.

    wish: one of `config.EFFORTS`, empty or `auto` to leave it to the endpoint.
    """

    def __init__(self, provider: str, model: str, wish: str) -> None:
        self.wish = "" if wish == "auto" else wish
        self._provider = provider
        self._model = model
        self._now = self.wish
        self._refused: set[str] = set()
        self._note = ""

    @property
    def fields(self) -> dict[str, Any]:
        """What the body says of it."""
        return fields(self._provider, self._model, self._now) if self._now else {}

    def refuse(self, body: bytes) -> bool:
        """Take a refusal in; whether it was about this and something else is sent from now on."""
        text = body.decode("utf-8", "replace").lower()
        if not any(_named(name, text) for name in self.fields):
            return False
        quoted = set(_QUOTED.findall(text))
        self._refused.add(self._now)
        offered = quoted - self._refused
        if self._now in quoted and not offered:
            offered = {_STEP.get(self._now, "")} - self._refused
        self._now = _nearest(self.wish, offered)
        instead = f"with {self._now!r} instead" if self._now else "without"
        self._note = f"{self._model} refuses the effort {self.wish!r}; it is asked {instead}"
        return True

    def take_note(self) -> str:
        """What the person should know of it, once; empty when there is nothing."""
        note, self._note = self._note, ""
        return note


def fields(provider: str, model: str, effort: str) -> dict[str, Any]:
    """The fields that tell a model of a provider (an id of `providers`) how hard to think."""
    thinks = effort != "none"
    match provider:
        case "openrouter":
            return {"reasoning": {"effort": effort}}
        case "nous":
            more = {"effort": effort} if thinks else {}
            return {"reasoning": {"enabled": thinks, **more}}
        case "zai" | "moonshot":
            return {"thinking": {"type": "enabled" if thinks else "disabled"}}
        case "deepseek":
            level = {"reasoning_effort": "low" if effort == "minimal" else effort}
            kind = "enabled" if thinks else "disabled"
            return {"thinking": {"type": kind}, **(level if thinks else {})}
        case "together" if "gpt-oss" not in model.lower():
            return {"reasoning": {"enabled": thinks}}
        case "vllm" | "llamacpp":
            level = {"reasoning_effort": effort} if thinks else {}
            return {**level, "chat_template_kwargs": {"enable_thinking": thinks}}
        case _:
            return {"reasoning_effort": effort}


def _named(field: str, text: str) -> bool:
    return ("effort" if field == "reasoning_effort" else field) in text


def _nearest(wish: str, offered: set[str]) -> str:
    """The effort nearest to the wish that an endpoint says it takes, empty for none."""
    if wish != "none":
        offered = offered - {"none"}
    place = _ORDER.index(wish)
    known = [one for one in _ORDER if one in offered]
    return min(known, key=lambda one: abs(_ORDER.index(one) - place), default="")

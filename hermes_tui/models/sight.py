"""Which models see pictures, by their names. A name that says nothing is taken for blind."""

from __future__ import annotations

import re

_SEES = re.compile(
    r"gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|chatgpt|(^|/)o[1345](-|$)|computer-use"
    r"|claude-(3|[4-9]|opus|sonnet|haiku|fable)"
    r"|gemini|gemma-?[34]|pixtral|mistral-(small|medium)-?[3-9]|mistral-(small|medium|large)-latest"
    r"|magistral|llava|bakllava|moondream|minicpm-v|internvl|qwen[\d.]*-?(vl|omni)|qwen3\.[5-9]"
    r"|qvq|[-_.]vl\b|vision|llama-?4|maverick|scout|grok-(4|[5-9])|glm-[\d.]+v|kimi-(latest|k2\.[5-9])"
    r"|step-\d.*v|nova-(lite|pro|premier)|phi-[\d.]+-(multimodal|vision)|molmo|idefics|smolvlm"
    r"|ovis|aya-vision|granite.*vision|openrouter/auto",
    re.IGNORECASE,
)
_BLIND = re.compile(
    r"o[13]-mini|gpt-5.*codex-mini|gemma-?3.?(270m|1b)|embed|whisper|tts|audio", re.I
)


def sees(name: str) -> bool:
    """Whether a model of this name takes pictures."""
    return bool(_SEES.search(name)) and not _BLIND.search(name)

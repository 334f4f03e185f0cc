"""What is known of model providers without asking: addresses, key names, context windows."""

from __future__ import annotations

from msgspec import Struct


class Provider(Struct, frozen=True, kw_only=True):
    """A provider of an OpenAI-compatible endpoint.

    keys: environment variables that usually hold its key; model: a good first choice; starts:
    how its keys begin, where that tells them from others; prefix: litellm's name for it, for
    providers whose own protocol is another.
    """

    name: str
    base_url: str
    keys: tuple[str, ...]
    model: str
    starts: str = ""
    prefix: str = ""

    @property
    def host(self) -> str:
        """The host its key may be sent to."""
        return self.base_url.split("/")[2]


def _provider(name: str, base_url: str, keys: str, model: str, *more: str) -> Provider:
    starts, prefix = (*more, "", "")[:2]
    return Provider(
        name=name,
        base_url=base_url,
        keys=tuple(keys.split()),
        model=model,
        starts=starts,
        prefix=prefix,
    )


_GOOGLE = "https://generativelanguage.googleapis.com/v1beta/openai"
PROVIDERS = (
    _provider(
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        "openrouter/auto",
        "sk-or-",
    ),
    _provider(
        "Nous Portal",
        "https://inference-api.nousresearch.com/v1",
        "NOUS_API_KEY",
        "Hermes-4-405B",
    ),
    _provider(
        "Anthropic",
        "https://api.anthropic.com/v1",
        "ANTHROPIC_API_KEY",
        "claude-sonnet-4-5",
        "sk-ant-",
        "anthropic",
    ),
    _provider("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-5-mini"),
    _provider(
        "Google", _GOOGLE, "GEMINI_API_KEY GOOGLE_API_KEY", "gemini-2.5-flash", "AIza", "gemini"
    ),
    _provider("xAI", "https://api.x.ai/v1", "XAI_API_KEY", "grok-4", "xai-"),
    _provider("DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "deepseek-chat"),
    _provider(
        "Moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY KIMI_API_KEY", "kimi-latest"
    ),
    _provider(
        "Z.AI", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY Z_AI_API_KEY GLM_API_KEY", "glm-4.6"
    ),
    _provider("MiniMax", "https://api.minimax.io/v1", "MINIMAX_API_KEY", "MiniMax-M2"),
    _provider("Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "mistral-large-latest"),
    _provider(
        "Groq",
        "https://api.groq.com/openai/v1",
        "GROQ_API_KEY",
        "llama-3.3-70b-versatile",
        "gsk_",
    ),
    _provider(
        "Together",
        "https://api.together.xyz/v1",
        "TOGETHER_API_KEY",
        "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    ),
)

LOCAL_SERVERS = (
    ("Ollama", "http://127.0.0.1:11434/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
    ("vLLM", "http://127.0.0.1:8000/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
)
"""Where the usual local model servers listen."""

OTHER_PROTOCOLS = frozenset(
    {
        "anthropic",
        "azure",
        "bedrock",
        "cohere",
        "databricks",
        "gemini",
        "ollama_chat",
        "replicate",
        "sagemaker",
        "vertex_ai",
        "watsonx",
    }
)
"""First parts of a model's name, before the slash, that mean litellm."""

_K = 1024
_WINDOWS = (
    ("gpt-4.1", 1_047_576),
    ("gpt-5", 400_000),
    ("gpt-4o", 128_000),
    ("gpt-oss", 128 * _K),
    ("o3", 200_000),
    ("o4", 200_000),
    ("claude", 200_000),
    ("gemini", 1024 * _K),
    ("grok-4", 256_000),
    ("kimi", 128 * _K),
    ("glm-4.6", 200_000),
    ("glm", 128 * _K),
    ("minimax", 200_000),
    ("deepseek", 128_000),
    ("smollm2", 8 * _K),
    ("qwen2.5-coder-0.5b", 32 * _K),
    ("qwen2", 32 * _K),
    ("qwen3-coder", 256 * _K),
    ("qwen", 128 * _K),
    ("mistral", 128 * _K),
    ("hermes", 128 * _K),
    ("llama-3.2", 128 * _K),
    ("llama-3.3", 128 * _K),
    ("llama", 128 * _K),
    ("phi-4", 16 * _K),
    ("gemma", 128 * _K),
)


def window_of(name: str) -> int:
    """Context window in tokens of a model of this name, 0 where nothing is known."""
    last = name.lower().rsplit("/", 1)[-1]
    return next((size for part, size in _WINDOWS if part in last), 0)


def provider_at(base_url: str) -> Provider | None:
    """The provider an address belongs to: the one a key for it may go to."""
    host = base_url.split("://", 1)[-1].split("/", 1)[0].lower()
    secure = base_url.startswith("https://")
    return next((one for one in PROVIDERS if secure and one.host == host), None)


def provider_of_key(key: str) -> Provider | None:
    """The provider that makes keys that begin like this one."""
    return next((one for one in PROVIDERS if one.starts and key.startswith(one.starts)), None)

"""Write hermes_tui/models/prices.tsv from the price table of an installed litellm.

pip install litellm && python scripts/make_prices.py
python scripts/make_prices.py path/to/model_prices_and_context_window.json
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from hermes_tui.models.prices import TABLE, normal

FILE = "model_prices_and_context_window_backup.json"
OURS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "vertex_ai": "vertex",
    "bedrock": "bedrock",
    "bedrock_converse": "bedrock",
    "azure": "azure",
    "azure_ai": "azure",
    "openrouter": "openrouter",
    "deepseek": "deepseek",
    "xai": "xai",
    "mistral": "mistral",
    "groq": "groq",
    "together_ai": "together",
    "moonshot": "moonshot",
    "zai": "zai",
    "minimax": "minimax",
    "fireworks_ai": "fireworks",
    "deepinfra": "deepinfra",
    "novita": "novita",
    "nebius": "nebius",
    "cohere": "cohere",
    "cohere_chat": "cohere",
    "perplexity": "perplexity",
    "dashscope": "dashscope",
    "hyperbolic": "hyperbolic",
    "nscale": "nscale",
}
FLAGS = {"supports_vision": "v", "supports_reasoning": "r", "supports_function_calling": "t"}


def main() -> None:
    """Read litellm's table, write ours."""
    rows = json.loads(source().read_text("utf-8"))
    grouped: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    undated: set[tuple[str, str]] = set()
    for name, row in rows.items():
        provider = our_name(str(row.get("litellm_provider") or ""))
        if provider and wanted(row) and (key := normal(name)):
            plain = name.lower().rsplit("/", 1)[-1].replace(".", "-") == key
            if plain and (provider, key) not in undated:  # its price goes before dated ones
                undated.add((provider, key))
                grouped[key] = [one for one in grouped[key] if one[0] != provider]
            if plain or (provider, key) not in undated:
                grouped[key].append((provider, row))
    lines = [line(key, grouped[key]) for key in sorted(grouped)]
    TABLE.write_text("".join(f"{one}\n" for one in lines), "utf-8")
    print(f"{len(lines)} models, {TABLE.stat().st_size:,} bytes")


def source() -> Path:
    """The table named on the command line, else that of the installed package."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        sys.exit("install litellm, or name its table")
    return Path(spec.origin).parent / FILE


def our_name(provider: str) -> str:
    """The id our catalogue has for a provider, empty for those left out."""
    return "vertex" if provider.startswith("vertex_ai") else OURS.get(provider, "")


def wanted(row: dict[str, Any]) -> bool:
    """Whether a row is a priced model that chats."""
    priced = "input_cost_per_token" in row and "output_cost_per_token" in row
    return row.get("mode") in ("chat", "responses") and priced


def line(key: str, rows: list[tuple[str, dict[str, Any]]]) -> str:
    """One line: name, window, flags, prices by provider."""
    windows = [int(row.get("max_input_tokens") or 0) for _, row in rows]
    windows = [one for one in windows if one] or [0]
    flags = "".join(
        letter
        for field, letter in FLAGS.items()
        if 2 * sum(bool(row.get(field)) for _, row in rows) >= len(rows)
    )
    dearest: dict[str, tuple[float, ...]] = {}
    for provider, row in rows:
        figures = tuple(float(row.get(field) or 0) * 1e6 for field in FIELDS)
        if figures[0] or figures[1]:
            dearest[provider] = max(figures, dearest.get(provider, figures))
    same: dict[tuple[float, ...], list[str]] = defaultdict(list)
    for provider, figures in sorted(dearest.items()):
        same[figures].append(provider)
    prices = ";".join(f"{','.join(names)}={written(f)}" for f, names in same.items())
    usual = sorted(windows)[len(windows) // 2]
    return f"{key}\t{usual}\t{flags}\t{prices}"


FIELDS = (
    "input_cost_per_token",
    "output_cost_per_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
)


def written(figures: tuple[float, ...]) -> str:
    """Prices as text; what is not told of caches stays empty."""
    prompt, completion, cached, stored = figures
    more = [f"{one:.6g}" if one else "" for one in (cached, stored)]
    return "/".join([f"{prompt:.6g}", f"{completion:.6g}", *more])


if __name__ == "__main__":
    main()

"""What models cost, how much they take, what they can: a table that is shipped, read by need.

The table (`prices.tsv`, written by `scripts/make_prices.py`) has a line for each model: its name
without provider, date and version marks, its window, its flags, then the prices of each provider.
Prices are US dollars per million tokens. A model that is not in it has no price, never a price
of 0.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.events import Usage

TABLE = Path(__file__).parent / "prices.tsv"
_MARKS = re.compile(
    r"(-v\d+:\d+|:\d+|@[\w.-]+|-latest|-\d{8}|-\d{4}-\d\d-\d\d|-(0[1-9]|1[0-2])-?[0-3]\d"
    r"|:(free|nitro|floor|beta|extended|thinking|exacto|online))$"
)
_MAKERS = (
    "openai",
    "anthropic",
    "gemini",
    "deepseek",
    "xai",
    "mistral",
    "moonshot",
    "zai",
    "minimax",
)
_REGION = re.compile(r"^((us|eu|apac|global|jp|au|us-gov)\.)?(?=[a-z])")


class Price(Struct, frozen=True, kw_only=True):
    """Dollars per million tokens: prompt, completion, prompt read from and written to a cache.

    certain: it is this provider's own; otherwise the maker's or the dearest known one.
    """

    prompt: float
    completion: float
    cached: float | None = None
    written: float | None = None
    certain: bool = True

    def of(self, usage: Usage, written: int = 0) -> float:
        """What a call costs, in dollars. written: prompt tokens that went into a cache."""
        cached = self.prompt if self.cached is None else self.cached
        rate = self.prompt if self.written is None else self.written
        plain = max(usage.prompt - usage.cached - written, 0)
        prompt = plain * self.prompt + usage.cached * cached + written * rate
        return (prompt + usage.completion * self.completion) / 1e6


class Known(Struct, frozen=True, kw_only=True):
    """What the table says of a model. window: tokens, 0 for unknown.

    flags: letters: v sees, r reasons, t calls tools.
    """

    name: str
    window: int = 0
    flags: str = ""
    prices: tuple[tuple[str, Price], ...] = ()

    def price(self, provider: str = "") -> Price | None:
        """The price at a provider (an id of the catalogue).

        Where it has none: that of the model's maker, else the dearest there is.
        """
        at = {one: price for names, price in self.prices for one in names.split(",")}
        if provider in at:
            return at[provider]
        if not at:
            return None
        made = next((at[one] for one in _MAKERS if one in at), None)
        found = made or max(at.values(), key=lambda price: (price.completion, price.prompt))
        return replace(found, certain=False)


def normal(name: str) -> str:
    """A model's name without provider, region, date and version marks, in one spelling."""
    last = name.lower().strip().rsplit("/", 1)[-1]
    last = _REGION.sub("", last)
    vendor, dot, rest = last.partition(".")
    if dot and vendor.isalpha() and rest[:1].isalpha():
        last = rest  # `anthropic.claude-…`, as Bedrock has it
    last = last.replace(".", "-").replace("_", "-").replace(" ", "-")
    shorter = _MARKS.sub("", last)
    while shorter != last and shorter:
        last, shorter = shorter, _MARKS.sub("", shorter)
    return last


@lru_cache(maxsize=1)
def _table() -> str:
    return "\n" + TABLE.read_text("utf-8")


@lru_cache(maxsize=256)
def known(name: str) -> Known | None:
    """What the table says of a model by any of its usual names, None when it does not know it."""
    key = normal(name)
    if not key:
        return None
    text = _table()
    at = text.find(f"\n{key}\t")
    if at < 0:
        return None
    return parse(text[at + 1 : text.find("\n", at + 1)])


def parse(line: str) -> Known:
    """One line of the table."""
    name, window, flags, prices = line.split("\t")
    read: list[tuple[str, Price]] = []
    for one in prices.split(";") if prices else ():
        providers, _, figures = one.partition("=")
        prompt, completion, cached, written = figures.split("/")
        price = Price(
            prompt=float(prompt),
            completion=float(completion),
            cached=float(cached) if cached else None,
            written=float(written) if written else None,
        )
        read.append((providers, price))
    return Known(name=name, window=int(window), flags=flags, prices=tuple(read))


def price_of(name: str, provider: str = "") -> Price | None:
    """The price of a model at a provider, None when it is not known."""
    found = known(name)
    return found.price(provider) if found is not None else None

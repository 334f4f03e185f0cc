"""What models cost: names in any spelling, and nothing unknown that counts as free."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.events import Usage
from hermes_tui.models import catalog
from hermes_tui.models.prices import TABLE, Price, known, normal, parse, price_of


@pytest.mark.parametrize(
    "name",
    [
        "claude-sonnet-4-5",
        "claude-sonnet-4-5-20250929",
        "anthropic/claude-sonnet-4.5",
        "openrouter/anthropic/claude-sonnet-4.5",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "claude-sonnet-4-5@20250929",
        "Claude-Sonnet-4-5-latest",
    ],
)
def test_one_model_has_one_name_whoever_spells_it(name: str) -> None:
    assert normal(name) == "claude-sonnet-4-5"
    price = price_of(name, "anthropic")
    assert price is not None
    assert (price.prompt, price.completion, price.cached) == (3.0, 15.0, 0.3)
    assert price.certain


def test_what_is_unknown_has_no_price() -> None:
    for name in ("", "a-model-of-my-own", "qwen3:8b-my-finetune", "\t", "\n"):
        assert price_of(name) is None


def test_a_reseller_without_an_own_price_is_priced_as_the_maker_and_not_certain() -> None:
    price = price_of("anthropic/claude-sonnet-4.5", "openrouter")
    assert price is not None
    assert price.prompt == 3.0
    assert not price.certain


def test_cached_tokens_are_cheaper_and_written_ones_dearer() -> None:
    price = Price(prompt=3.0, completion=15.0, cached=0.3, written=3.75)
    assert price.of(Usage(prompt=1_000_000)) == pytest.approx(3.0)
    assert price.of(Usage(prompt=1_000_000, cached=1_000_000)) == pytest.approx(0.3)
    assert price.of(Usage(prompt=1_000_000), written=1_000_000) == pytest.approx(3.75)
    assert price.of(Usage(completion=1_000_000)) == pytest.approx(15.0)


def test_every_line_of_the_table_can_be_read_and_found_by_its_name() -> None:
    lines = TABLE.read_text("utf-8").splitlines()
    assert len(lines) > 500
    for line in lines:
        one = parse(line)
        assert normal(one.name) == one.name
        assert all(price.prompt or price.completion for _, price in one.prices), line
        assert known(one.name) == one


def test_the_first_choice_of_big_providers_has_a_price_and_a_window() -> None:
    ids = {"Anthropic": "anthropic", "OpenAI": "openai", "Google": "gemini", "Z.AI": "zai"}
    for provider in catalog.PROVIDERS:
        if provider.name in ids:
            found = known(provider.model)
            assert found is not None
            assert found.window >= 100_000
            assert found.price(ids[provider.name]) is not None


@given(st.text(max_size=40))
def test_any_text_is_a_name_that_can_be_looked_up(text: str) -> None:
    found = known(text)
    assert found is None or found.name == normal(text)
    assert normal(normal(text)) == normal(text)

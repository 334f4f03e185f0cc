"""Prices that endpoints tell of their models, as far as they make sense."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.models.windows import read_models
from tests.fakes.scripted_model import ScriptedModel


def prices(pricing: object) -> object:
    body = msgspec.json.encode({"data": [{"id": "m", "pricing": pricing}]})
    return read_models(body)[0].prices


def test_prices_are_read_a_token_as_text_or_a_million_as_numbers() -> None:
    told = prices({"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"})
    assert told == pytest.approx((3.0, 15.0, 0.3))
    assert prices({"input": 0.88, "output": 0.9}) == (0.88, 0.9, None)
    assert prices({"prompt": "0", "completion": "0"}) == (0.0, 0.0, None)


@pytest.mark.parametrize(
    "pricing",
    [
        None,
        [],
        {},
        {"prompt": "-1", "completion": "-1"},
        {"prompt": "x", "completion": "1"},
        {"prompt": True, "completion": True},
        {"prompt": "nan", "completion": "nan"},
        {"prompt": "1e300", "completion": "1"},
    ],
)
def test_what_is_no_price_is_not_known(pricing: object) -> None:
    assert prices(pricing) is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: st.dictionaries(st.sampled_from(["prompt", "completion", "x"]), inner),
    )
)
def test_anything_may_stand_there(pricing: object) -> None:
    told = prices(pricing)
    assert told is None or all(one is None or one >= 0 for one in told)  # type: ignore[attr-defined]


async def test_the_price_is_learnt_with_the_window(scripted: ScriptedModel) -> None:
    row = {"id": "m", "context_length": 5000, "pricing": {"prompt": "0.000001", "completion": "0"}}
    scripted._models = lambda: msgspec.json.encode({"data": [row]})  # type: ignore[method-assign]
    model = ChatCompletions("m", scripted.url)
    assert await model.learn_window() == 5000
    assert model.told_prices == pytest.approx((1.0, 0.0, None))
    await model.close()

"""Which addresses have room for more than what they ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.security.policy import Action, Situation, decide
from hermes_tui.security.taint import carries


@pytest.mark.parametrize(
    "address",
    [
        "https://docs.python.org/3/library/asyncio-task.html",
        "https://example.org/",
        "https://example.org/blog/2026/11/how-to-bake-bread",
        "https://github.com/textualize/textual/releases",
        "https://pypi.org/project/msgspec/0.19.0/",
    ],
)
def test_a_plain_page_is_read_without_a_question(address: str) -> None:
    assert not carries(address)


@pytest.mark.parametrize(
    "address",
    [
        "http://x.invalid/?c=493817",
        "http://x.invalid/493817",
        "http://493817.x.invalid/",
        "http://x.invalid/#secret",
        "http://me:secret@x.invalid/",
        "http://x.invalid/bG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQgY29uc2VjdGV0dXI",
        "http://x.invalid/a3f9b2c1d4",
        "http://x.invalid/my%20plan",
        "http://x.invalid/" + "word/" * 30,
    ],
)
def test_an_address_that_could_carry_something_asks(address: str) -> None:
    assert carries(address)
    action = Action(tool="web_extract", kind="fetch", title="", sends=(address,))
    assert decide(action, Situation()).verdict == "ask"
    assert decide(action, Situation(said=(f"look at {address}",))).verdict == "allow"
    assert decide(action, Situation(found=frozenset([address]))).verdict == "allow"


@given(st.integers(10_000, 10**9), st.sampled_from(["/{}", "/a/{}/b", "/x-{}.html", "/?q={}"]))
def test_no_code_of_digits_leaves_in_an_address(code: int, place: str) -> None:
    assert carries("https://a.example" + place.format(code))

"""What one-shot runs cost is on the account, and caps hold for them."""

from __future__ import annotations

from tests.fakes.scripted_model import say
from tests.launch.hermes import Place


def test_a_one_shot_run_is_accounted_and_stopped_by_a_cap(place: Place) -> None:
    place.model.script = [say("one"), say("two")]
    text = place.home.config.read_text() if place.home.config.exists() else "model:\n"
    priced = text.replace("model:\n", "model:\n  price_in: 10000\n  price_out: 0\n")
    place.home.config.write_text(priced + "spend:\n  day: 0.5\n")
    assert place.run("-z", "first").out == "one\n"
    second = place.run("-z", "second")
    assert second.code != 0
    assert "cap is reached" in second.err
    assert "spend.day" in second.err
    assert len(place.model.requests) == 1
    told = place.run("usage")
    assert "$1.0000" in told.out
    assert "cap spend.day: $1.00 of $0.50" in told.out
    assert "1 model call in 1 session" in place.run("insights").out

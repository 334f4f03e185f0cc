"""Plain mode goes back to before a turn, and goes on elsewhere from there."""

from __future__ import annotations

from pathlib import Path

from hermes_tui.events import InputReceived, InputTaken, Record, Rewound
from hermes_tui.home import Home
from hermes_tui.plain.branching import turns_of
from hermes_tui.runtime.core import Core
from tests.fakes.scripted_model import ScriptedModel, say
from tests.plain.test_end_to_end import Pipe
from tests.runtime.conftest import settled


def test_turns_that_were_taken_back_are_not_offered() -> None:
    records: list[Record] = []

    def tell(*events: InputReceived | InputTaken | Rewound) -> None:
        for event in events:
            records.append(Record(session="s", n=len(records) + 1, ts=1.0, event=event))

    for turn, text in ((1, "one"), (2, "two"), (3, "three")):
        name = f"i{turn}"
        tell(InputReceived(input_id=name, text=text), InputTaken(input_id=name, turn=turn))
    tell(Rewound(turn=2))
    tell(InputReceived(input_id="i4", text="four"), InputTaken(input_id="i4", turn=4))
    assert turns_of(records) == {1: "one", 4: "four"}


async def talked(home: Home, scripted: ScriptedModel, folder: Path, typed: str) -> str:
    scripted.answer = lambda asked: say("Fine.")
    core = await Core(home, settled(home, scripted.url)).start()
    pipe = Pipe()
    await pipe.run(core, folder, typed.encode())
    await core.end("the test is over")
    return pipe.seen.decode()


async def test_a_turn_is_picked_by_number_and_its_words_come_back(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    await talked(home, scripted, tmp_path, "/title Beans\nplant beans\n")
    text = await talked(home, scripted, tmp_path, "/resume Beans\n/rewind\n1\n/usage\n")
    assert "1: plant beans" in text
    assert "The conversation is back to before turn 1." in text
    assert "You had said: plant beans" in text
    text = await talked(home, scripted, tmp_path, "/resume Beans\n/rewind\n")
    assert "There is no turn to go back to." in text


async def test_no_turn_is_taken_back_by_a_wrong_number(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    await talked(home, scripted, tmp_path, "/title Beans\nplant beans\n")
    text = await talked(home, scripted, tmp_path, "/resume Beans\n/rewind 7\n/rewind\n0\n")
    assert "there is no turn '7'" in text
    assert "Nothing was taken back." in text
    assert "The conversation is back" not in text

"""Nothing is told by colour alone, and nothing moves for who wants it still."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from hermes_tui.intents import ProcessInfo, SessionInfo, SkillInfo
from hermes_tui.ui.agents_rows import state_of
from hermes_tui.ui.line import Span
from hermes_tui.ui.rail_rows import STATES, session_row
from hermes_tui.ui.skills_rows import skill_row
from hermes_tui.ui.status import State, status_left
from hermes_tui.ui.trace_model import TraceModel
from tests.fakes import story

NOW = 1_000.0


def text(*parts: Iterable[Span]) -> str:
    return "".join(span.text for part in parts for span in part)


def told_apart(shown: Sequence[str]) -> bool:
    return all(one != other for one, other in itertools.combinations(shown, 2))


def test_every_state_has_a_glyph_and_a_word_of_its_own() -> None:
    rows = [
        session_row(SessionInfo(id="a", title="T", state=state, updated=NOW), "", NOW)
        for state in ("idle", "working", "waiting")
    ]
    assert told_apart([glyph for glyph, _ in STATES.values()])
    assert told_apart([text(row.right) for row in rows])

    def process(state: str, code: int | None = None) -> tuple[str, str, str]:
        return state_of(
            ProcessInfo(id="p", session="s", command="c", state=state, started=1.0, exit_code=code)
        )

    ends = [process("running"), process("exited", 0), process("exited", 1), process("killed")]
    assert told_apart([glyph for glyph, _, _ in ends])
    assert told_apart([word for _, _, word in ends])
    good, bad = SkillInfo(name="s"), SkillInfo(name="s", problems=("no description",))
    assert text(skill_row(good).left)[1] != text(skill_row(bad).left)[1]
    assert "no description" in text(skill_row(bad).left)


def test_the_status_line_says_in_words_what_its_glyph_means() -> None:
    running = TraceModel()
    running.load(story.view(asking=True).records)
    shown = [
        text(status_left(State(trace=TraceModel(), now=NOW))),
        text(status_left(State(trace=running, now=story.NOW, motion=False))),
        text(status_left(State(trace=running, now=story.NOW, waiting_for_you=True))),
    ]
    assert "ready" in shown[0]
    assert "turn" in shown[1]
    assert "waiting for you" in shown[2]
    assert told_apart([one.strip()[0] for one in shown])


def test_without_motion_nothing_moves_while_the_agent_works() -> None:
    running = TraceModel()
    running.load(story.view(asking=True).records)

    def glyph(at: float, motion: bool) -> str:
        return text(status_left(State(trace=running, now=at, motion=motion))).strip()[0]

    moments = [story.NOW + step / 8 for step in range(40)]
    assert len({glyph(at, True) for at in moments}) == 4
    assert len({glyph(at, False) for at in moments}) == 1

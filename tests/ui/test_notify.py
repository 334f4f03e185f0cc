"""People who look elsewhere are called back, in the way their terminal knows, and only then."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    InputReceived,
    QuestionAsked,
    Record,
    TurnEnded,
    TurnStarted,
)
from hermes_tui.intents import CallHome, SessionInfo
from hermes_tui.ui.notify import BLIND_S, Notifier, Way, call_for, way_of
from tests.ui.conftest import Screen, Stage

KITTY = {"TERM": "xterm-kitty"}
ITERM = {"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}
ASKED = ApprovalAsked(ask_id="a", turn=1, step=1, call_id="c", tool="t", title="remove a file")


@pytest.mark.parametrize(
    ("env", "way"),
    [
        (KITTY, "osc99"),
        ({"TERM": "tmux-256color", "TMUX": "/x", "KITTY_WINDOW_ID": "1"}, "osc99"),
        (ITERM, "osc9"),
        ({"TERM": "screen", "LC_TERMINAL": "iTerm2"}, "osc9"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "osc9"),
        ({"TERM": "xterm-ghostty"}, "osc9"),
        ({"TERM": "foot"}, "osc777"),
        ({"TERM": "rxvt-unicode-256color"}, "osc777"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "osc777"),
        ({"TERM": "xterm-256color"}, "bell"),
        ({"TERM": "linux"}, "bell"),
        ({}, "bell"),
    ],
)
def test_each_terminal_is_told_in_its_own_way(env: dict[str, str], way: Way) -> None:
    assert way_of(env) == way


def test_the_sequences_are_those_the_terminals_document() -> None:
    assert call_for("bell", "hermes", "done", {}) == "\a"
    assert call_for("osc9", "hermes", "done", ITERM) == "\x1b]9;hermes: done\x1b\\"
    assert call_for("osc777", "a;b", "c;d", {"TERM": "foot"}) == "\x1b]777;notify;a,b;c,d\x1b\\"
    kitty = call_for("osc99", "hermes", "done", KITTY)
    assert kitty.split("\x1b\\")[:2] == [
        "\x1b]99;i=hermes:d=0:p=title;hermes",
        "\x1b]99;i=hermes:d=1:p=body;done",
    ]


def test_inside_tmux_and_screen_it_is_passed_through_and_rings() -> None:
    inside = call_for("osc9", "hermes", "done", {"TMUX": "/tmp/x"})
    assert inside == "\x1bPtmux;\x1b\x1b]9;hermes: done\x1b\x1b\\\x1b\\\a"
    inside = call_for("osc99", "hermes", "done", {"STY": "1.x"})
    assert inside.count("\x1bP\x1b]99;") == 2
    assert inside.endswith("\x1b\\\a")


@given(text=st.text(), way=st.sampled_from(["osc9", "osc777", "osc99"]))
def test_no_text_can_end_the_sequence_or_begin_another(text: str, way: Way) -> None:
    told = call_for(way, "hermes", text, {"TERM": "foot"})
    payload = re.sub(r"\x1b\](?:9|777|99);|\x1b\\", "", told)
    assert not re.search("[\x00-\x1f\x7f-\x9f]", payload)
    assert call_for(way, "hermes", "4;1;50", {"TERM": "foot"}).count("\x1b]9;4") == 0


# --- when ------------------------------------------------------------------------------------


class Watched:
    """A screen whose notifier writes into `written`."""

    def __init__(self, screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
        self.screen = screen
        self.written: list[str] = []
        monkeypatch.setattr("hermes_tui.ui.notify.write", self._write)
        monkeypatch.setattr("hermes_tui.ui.notify.WAIT_S", 0.05)
        self.notifier = Notifier(screen.app, ITERM)
        self.notifier.begin()

    def _write(self, app: object) -> Callable[[str], None]:
        return self.written.append

    @property
    def calls(self) -> list[str]:
        return re.findall(r"\x1b\]9;(.*?)\x1b\\", "".join(self.written))

    async def look(self, here: bool) -> None:
        self.screen.app.app_focus = here
        await self.screen.pilot.pause()

    def happen(self, *events: object) -> None:
        shown = self.screen.app.shown
        for event in events:
            record = Record(session=shown.id, n=shown.number + 1, ts=0.0, event=event)  # type: ignore[arg-type]
            shown.apply(record)
            self.notifier.heard(record)


async def test_the_end_of_a_turn_is_told_once_to_one_who_looks_elsewhere(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.screen() as screen:
        watched = Watched(screen, monkeypatch)
        watched.happen(TurnStarted(turn=1), TurnEnded(turn=1))
        assert watched.written == []
        await watched.look(False)
        watched.happen(TurnStarted(turn=2), TurnEnded(turn=2))
        assert len(watched.calls) == 1
        assert "hermes: done" in watched.calls[0]
        assert "\x1b]2;● hermes\a" in "".join(watched.written)
        await watched.look(True)
        assert watched.written[-1].endswith("\x1b[23;2t")


async def test_a_stopped_turn_and_one_with_more_to_come_are_not_told(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.screen() as screen:
        watched = Watched(screen, monkeypatch)
        await watched.look(False)
        watched.happen(TurnStarted(turn=1), TurnEnded(turn=1, outcome="stopped"))
        queued = InputReceived(input_id="q", text="and then", how="queue")
        watched.happen(TurnStarted(turn=2), queued, TurnEnded(turn=2))
        assert watched.calls == []
        watched.happen(TurnStarted(turn=3), TurnEnded(turn=3, outcome="failed", error="no net"))


async def test_what_waits_is_told_once_after_a_while_without_a_look(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.screen() as screen:
        watched = Watched(screen, monkeypatch)
        await watched.look(False)
        watched.happen(TurnStarted(turn=1), ASKED)
        assert watched.calls == []
        await screen.until(lambda: watched.calls)
        assert "may I? remove a file" in watched.calls[0]
        await screen.pilot.pause(0.15)
        assert len(watched.calls) == 1
        watched.happen(QuestionAsked(ask_id="q", turn=1, call_id="d", text="Which host?"))
        await screen.until(lambda: len(watched.calls) == 2)
        assert "Which host?" in watched.calls[1]


async def test_what_nobody_looks_at_is_handed_on_to_the_persons_own_chat(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.screen() as screen:
        asked: list[object] = []
        ask = screen.app.client.ask

        async def noted(intent: object) -> object:
            asked.append(intent)
            return await ask(intent)

        screen.app.client.ask = noted
        watched = Watched(screen, monkeypatch)
        watched.happen(TurnStarted(turn=1), ASKED)
        await screen.pilot.pause(0.12)
        assert not any(isinstance(one, CallHome) for one in asked)
        await watched.look(False)
        await screen.until(lambda: any(isinstance(one, CallHome) for one in asked))
        assert CallHome(session=screen.app.session, asks=("a",)) in asked
        assert not screen.app.main.query("Toast")


async def test_an_answer_or_a_look_in_time_keeps_it_quiet(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.screen() as screen:
        watched = Watched(screen, monkeypatch)
        await watched.look(False)
        watched.happen(TurnStarted(turn=1), ASKED)
        watched.happen(ApprovalAnswered(ask_id="a", verdict="once"))
        await screen.pilot.pause(0.12)
        assert watched.calls == []
        watched.happen(ASKED)
        await watched.look(True)
        await screen.pilot.pause(0.12)
        assert watched.calls == []
        await watched.look(False)
        await screen.until(lambda: watched.calls)


@pytest.mark.parametrize(("how", "rings"), [("bell", True), ("off", False)])
async def test_the_setting_makes_it_a_bell_or_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, how: str, rings: bool
) -> None:
    async with stage.screen(notify=how) as screen:
        watched = Watched(screen, monkeypatch)
        await watched.look(False)
        watched.happen(TurnStarted(turn=1), TurnEnded(turn=1))
        assert watched.calls == []
        assert ("\a" in watched.written) == rings
        assert bool(watched.written) == rings


async def test_other_sessions_are_told_of_by_their_title(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.screen() as screen:
        watched = Watched(screen, monkeypatch)
        here = SessionInfo(id=screen.app.session, title="here", state="working")
        other = SessionInfo(id="other", title="Tax receipts", state="working")
        watched.notifier.listed([here, other])
        watched.notifier.listed([here, replace(other, state="idle")])
        assert watched.calls == [], "somebody looks"
        await watched.look(False)
        watched.notifier.listed([replace(here, state="idle"), other])
        assert watched.calls == []
        watched.notifier.listed([here, replace(other, state="waiting")])
        watched.notifier.listed([here, replace(other, state="waiting")])
        watched.notifier.listed([here, replace(other, state="idle")])
        said = ["hermes: waits for you · Tax receipts", "hermes: done · Tax receipts"]
        assert watched.calls == said


async def test_a_terminal_that_never_tells_its_focus_is_believed_after_a_minute(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.screen() as screen:
        now = [1000.0]
        screen.app.clock = lambda: now[0]
        watched = Watched(screen, monkeypatch)
        watched.happen(InputReceived(input_id="i", text="go"), TurnStarted(turn=1))
        watched.screen.app.shown.waiting.clear()
        now[0] += BLIND_S - 1
        watched.happen(TurnEnded(turn=1))
        assert watched.calls == []
        now[0] += 2
        watched.happen(TurnStarted(turn=2), TurnEnded(turn=2))
        assert len(watched.calls) == 1

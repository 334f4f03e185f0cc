"""A conversation is taken back or forked; what is taken back is folded, never thrown away."""

from __future__ import annotations

from hermes_tui import events as ev
from hermes_tui.events import Record
from hermes_tui.intents import Page, SessionInfo, SessionView
from hermes_tui.ui.blocks import UserBlock
from hermes_tui.ui.feed import Feed
from hermes_tui.ui.rewind import RewindScreen
from hermes_tui.ui.theme import Look, ThemeSpec
from hermes_tui.ui.transcript import Transcript
from tests.fakes.scripted_model import say
from tests.ui.conftest import Screen, Stage

LOOK = Look(ThemeSpec(name="plain", ansi=True))


async def talked(stage: Stage, screen: Screen, *texts: str) -> None:
    """Say things, each answered with `re: TEXT`."""
    for text in texts:
        turns = len(screen.app.shown.trace.turns)
        stage.model.script.append(say(f"re: {text}"))
        await screen.enter(text)
        await screen.until(
            lambda n=turns: len(screen.app.shown.trace.turns) > n and not screen.app.shown.busy
        )


async def picker(screen: Screen) -> None:
    await screen.press("escape", "escape")
    await screen.until(lambda: isinstance(screen.app.screen, RewindScreen))
    await screen.pilot.pause()


async def test_escape_twice_goes_back_and_the_words_return_to_the_prompt(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talked(stage, screen, "alpha", "beta", "gamma")
        await picker(screen)
        assert screen.shows("Go back to before", "alpha", "beta", "gamma", "the last")
        await screen.press("down", "enter")
        await screen.until(lambda: screen.app.talk.prompt.text == "beta")
        await screen.until(lambda: screen.shows("taken back · 2 messages · «beta»"))
        assert screen.shows("re: alpha")
        assert not screen.shows("re: beta")
        assert not screen.shows("re: gamma")
        await talked(stage, screen, "delta")
        asked = stage.model.requests[-1].json["messages"]
        told = [one["content"] for one in asked if one["role"] == "user"]
        assert [one.split("\n")[0] for one in told] == ["alpha", "delta"]


async def test_what_was_taken_back_opens_and_closes_by_its_line(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talked(stage, screen, "alpha", "beta")
        await screen.app.talk.desk.rewinding.rewind(2)
        screen.app.talk.prompt.clear()
        await screen.until(lambda: screen.shows("▸ taken back"))
        transcript = screen.app.transcript
        fold = next(block for block in transcript.blocks if block.taken)
        transcript.open(fold)
        await screen.until(lambda: screen.shows("▾ taken back", "re: beta"))
        gone = [seg for line in fold.lines(transcript.column.sheet) for seg in line.segments]
        assert any(seg.style and seg.style.strike for seg in gone)
        transcript.open(fold)
        await screen.until(lambda: screen.shows("▸ taken back") and not screen.shows("re: beta"))


async def test_it_is_still_folded_when_the_session_is_opened_again(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talked(stage, screen, "alpha", "beta")
        await screen.app.talk.desk.rewinding.rewind(2)
        screen.app.talk.prompt.clear()
        await screen.until(lambda: screen.shows("taken back"))
    async with stage.screen() as screen:
        await screen.until(lambda: screen.shows("re: alpha", "▸ taken back · 1 message · «beta»"))
        assert [one.source for one in screen.app.feed.turns()] == ["alpha"]


async def test_f_forks_from_before_the_turn_with_its_words_in_the_prompt(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talked(stage, screen, "alpha", "beta")
        before = screen.app.session
        await picker(screen)
        await screen.press("f")
        await screen.until(lambda: screen.app.session != before)
        await screen.until(lambda: screen.app.talk.prompt.text == "beta")
        assert screen.shows("re: alpha")
        assert not screen.shows("re: beta")
        screen.app.talk.prompt.clear()
        await screen.app.open(screen.app.commands.request(before))
        await screen.until(lambda: screen.shows("re: alpha", "re: beta"))


async def test_a_fork_by_command_goes_on_with_everything(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talked(stage, screen, "alpha")
        before = screen.app.session
        await screen.enter("/fork Elsewhere")
        await screen.until(lambda: screen.app.session != before)
        assert screen.app.shown.info.title == "Elsewhere"
        await talked(stage, screen, "beta")
        assert screen.shows("re: alpha", "re: beta")


async def test_the_draft_is_not_lost_by_going_back(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talked(stage, screen, "alpha")
        screen.app.talk.prompt.text = "my draft"
        await screen.app.talk.desk.rewinding.pick("1")
        await screen.until(lambda: screen.app.talk.prompt.text == "alpha\nmy draft")
        screen.app.talk.prompt.clear()


async def test_one_escape_and_an_escape_after_a_stop_only_arm(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talked(stage, screen, "alpha")
        await screen.press("escape")
        assert screen.shows("esc again")
        assert len(screen.app.screen_stack) == 1
        screen.app.clock = lambda: 9e9
        await screen.press("escape")
        assert len(screen.app.screen_stack) == 1
        stage.model.script.append(say("never", gate="g"))
        screen.app.clock = lambda: 9e10
        await screen.enter("work")
        await screen.until(lambda: screen.app.shown.busy)
        await screen.press("escape")
        await screen.until(lambda: not screen.app.shown.busy)
        await screen.press("escape")
        assert len(screen.app.screen_stack) == 1


# --- folding, from the log alone ---


def session(count: int) -> list[Record]:
    """A session of that many turns, then taken back to before the second."""
    events: list[ev.Event] = [ev.SessionStarted(title="t")]
    for turn in range(1, count + 1):
        events += [
            ev.InputReceived(input_id=str(turn), text=f"said {turn}"),
            ev.TurnStarted(turn=turn),
            ev.InputTaken(input_id=str(turn), turn=turn),
            ev.ReplyReceived(turn=turn, step=1, text=f"answer {turn}"),
            ev.TurnEnded(turn=turn),
        ]
    events.append(ev.Rewound(turn=2, text="said 2"))
    return [Record(session="s", n=n, ts=1.0, event=event) for n, event in enumerate(events, 1)]


def shown(feed: Feed) -> list[str]:
    return [one.source for one in feed.transcript.blocks if one.source and not one.taken]


def told(records: list[Record], cut: int) -> Feed:
    """Records told as a page of history would be: the newest first, then the older ones."""
    feed = Feed(Transcript(LOOK), LOOK)
    info = SessionInfo(id="s", last=records[-1].n)
    feed.load(SessionView(info=info, records=tuple(records[cut:]), more=cut > 0))
    while cut > 0:
        start = max(0, cut - 4)
        feed.older(Page(records=tuple(records[start:cut]), more=start > 0))
        cut = start
    return feed


def test_the_same_is_folded_however_the_history_comes_in() -> None:
    records = session(4)
    whole = shown(told(records, 0))
    assert whole == ["said 1", "answer 1"]
    for cut in range(1, len(records)):
        assert shown(told(records, cut)) == whole, cut


def test_a_later_rewind_takes_over_what_an_earlier_one_folded() -> None:
    records = session(3)
    number = records[-1].n
    more = [
        ev.InputReceived(input_id="9", text="said 9"),
        ev.TurnStarted(turn=4),
        ev.InputTaken(input_id="9", turn=4),
        ev.TurnEnded(turn=4),
        ev.Rewound(turn=1, text="said 1"),
    ]
    records += [Record(session="s", n=number + n, ts=1.0, event=e) for n, e in enumerate(more, 1)]
    feed = told(records, 0)
    assert shown(feed) == []
    folds = {id(block.taken) for block in feed.transcript.blocks if block.taken}
    assert len(folds) == 1
    first = next(block for block in feed.transcript.blocks if block.taken)
    assert isinstance(first, UserBlock)
    assert first.source == "said 1"
    lines = [line for block in feed.transcript.blocks for line in block.lines(SHEET)]
    assert len([line for line in lines if line.segments]) == 1


SHEET = Feed(Transcript(LOOK), LOOK).transcript.column.sheet

"""`@` offers files, past sessions, skills and memories, and what is inserted is what is sent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from hermes_tui.errors import CoreError
from hermes_tui.intents import (
    CompletePath,
    Fact,
    FactList,
    Lines,
    ListFacts,
    ListSessions,
    ListSkills,
    SessionInfo,
    SessionList,
    SkillInfo,
    SkillList,
)
from hermes_tui.ui.at_mentions import mention, mention_at
from hermes_tui.ui.text import one_line
from tests.fakes.prompt_app import PromptApp
from tests.fakes.scripted_model import say
from tests.ui.conftest import Stage

PATHS = ("src/", "src/main.py", "my notes.txt", "README.md")


def helpful() -> PromptApp:
    """A prompt whose core knows some files, sessions and skills."""
    app = PromptApp()

    def paths(asked: CompletePath) -> Lines:
        return Lines(lines=tuple(one for one in PATHS if asked.typed in one))

    sessions = (SessionInfo(id="1", title="Move the blog"), SessionInfo(id="2", title='a "b" c'))
    facts = (
        Fact(id="m1", text="The blog is served from Frankfurt"),
        Fact(id="m2", text="The blog was served from Oslo", state="replaced"),
        Fact(id="m3", text="Prefers metric units", kind="preference"),
    )
    app.answers = {
        CompletePath: paths,
        ListFacts: FactList(facts=facts),
        ListSessions: SessionList(sessions=sessions),
        ListSkills: SkillList(skills=(SkillInfo(name="deploy", description="Put a site up"),)),
    }
    return app


async def put(app: PromptApp, pilot: object, text: str) -> None:
    for character in text:
        app.prompt.post_message(events.Key(character, character))
    await pilot.pause()  # type: ignore[attr-defined]
    await app.workers.wait_for_complete()
    await pilot.pause()  # type: ignore[attr-defined]


def shown(app: PromptApp) -> list[str]:
    return [one.label for one, _ in app.prompt.completion.visible()]


async def test_files_are_offered_and_the_chosen_one_is_inserted_as_text() -> None:
    app = helpful()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(app, pilot, "look at @mai")
        assert shown(app) == ["src/main.py"]
        await pilot.press("tab", "p", "l", "s", "enter")
        assert app.sent == [("look at @src/main.py pls", "auto")]


async def test_enter_takes_the_marked_file_and_the_next_enter_sends() -> None:
    app = helpful()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(app, pilot, "@READ")
        await pilot.press("enter")
        assert app.sent == []
        assert app.prompt.text == "@README.md "
        await pilot.press("enter")
        assert app.sent == [("@README.md ", "auto")]


async def test_a_whole_name_is_sent_by_the_first_enter() -> None:
    app = helpful()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(app, pilot, "@README.md")
        await pilot.press("enter")
        assert app.sent == [("@README.md", "auto")]


async def test_a_folder_goes_on_and_a_name_with_blanks_is_quoted() -> None:
    app = helpful()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(app, pilot, "@sr")
        await pilot.press("tab")
        await put(app, pilot, "ma")
        await pilot.press("tab")
        assert app.prompt.text == "@src/main.py "
        await put(app, pilot, "@notes")
        await pilot.press("tab")
        assert app.prompt.text == '@src/main.py @"my notes.txt" '


async def test_sessions_and_skills_are_found_by_name_alone_or_by_kind() -> None:
    app = helpful()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(app, pilot, "@move")
        assert shown(app) == ["@session:Move the blog"]
        await pilot.press("tab")
        assert app.prompt.text == '@session:"Move the blog" '
        app.prompt.clear()
        await put(app, pilot, "@skill:dep")
        await pilot.press("tab")
        assert app.prompt.text == "@skill:deploy "
        app.prompt.clear()
        await put(app, pilot, "@")
        assert {"@session:", "@skill:", "@memory:"} <= set(shown(app))
        await put(app, pilot, 'session:"a "')
        assert app.prompt.text == '@session:"a "'


async def test_what_is_remembered_is_found_by_a_word_and_put_in_as_it_stands() -> None:
    app = helpful()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(app, pilot, "since @memory:frank")
        assert shown(app) == ["The blog is served from Frankfurt"]
        await pilot.press("tab", "enter")
        assert app.sent == [("since The blog is served from Frankfurt ", "auto")]
        await put(app, pilot, "@metric")
        assert shown(app) == ["Prefers metric units"]
        app.prompt.clear()
        await put(app, pilot, "@memory:oslo")
        assert not app.prompt.completion.open


async def test_a_line_range_is_explained_and_is_text() -> None:
    app = helpful()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(app, pilot, "@src/main.py:10-40")
        rows = "\n".join(app.prompt.render_line(y).text for y in range(3))
        assert "lines of src/main.py" in rows
        await pilot.press("enter")
        assert app.sent == [("@src/main.py:10-40", "auto")]


async def test_escape_closes_the_list_and_the_text_stays() -> None:
    app = helpful()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(app, pilot, "@src")
        await pilot.press("escape", "enter")
        assert app.sent == [("@src", "auto")]


async def test_an_address_or_a_core_that_can_not_answer_offers_nothing() -> None:
    app = helpful()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(app, pilot, "me@src")
        assert not app.prompt.completion.open

        def refuse(_: object) -> Lines:
            raise CoreError("no")

        app.answers[CompletePath] = refuse
        app.prompt.clear()
        await put(app, pilot, "@src")
        assert not app.prompt.completion.open


async def test_in_the_middle_of_a_text_only_the_mention_is_completed() -> None:
    app = helpful()
    async with app.run_test(size=(80, 24)) as pilot:
        await put(app, pilot, "see  now")
        for _ in range(4):
            await pilot.press("left")
        await put(app, pilot, "@READ")
        await pilot.press("tab")
        assert app.prompt.text == "see @README.md now"


@given(st.text(max_size=30), st.text(max_size=20))
def test_a_mention_is_one_line_and_reads_back_as_the_name_it_was_made_of(
    before: str, name: str
) -> None:
    text = mention(name)
    assert text.count("\n") == 0
    raw = f"{before} {text}"
    found = mention_at(raw, len(raw.removesuffix('"')))
    if found is not None and found.start == len(before) + 1:
        assert found.typed == one_line(name).replace('"', "'")
    for at in range(len(raw) + 1):
        one = mention_at(raw, at)
        assert one is None or (raw[one.start] == "@" and one.end == at)


@pytest.mark.parametrize(
    "name", ["a/b.py", "with blank", "session:One two", "skill:x", "memory:a b", "ünï/文"]
)
def test_a_mention_reads_back_as_its_name(name: str) -> None:
    text = mention(name)
    found = mention_at(text, len(text.removesuffix('"')))
    assert found is not None
    assert found.typed == name


# --- over a real core ---


async def test_files_of_the_sessions_folder_are_offered(stage: Stage) -> None:
    (stage.folder / "docs").mkdir()
    (stage.folder / "docs" / "plan.md").write_text("x")
    stage.model.script.append(say("ok"))
    async with stage.screen() as screen:
        await screen.type("read @plan")
        await screen.until(lambda: screen.shows("docs/plan.md"))
        await screen.press("tab")
        assert screen.app.talk.prompt.text == "read @docs/plan.md "
        await screen.press("enter")
        asked = await stage.model.until(1)
        assert "read @docs/plan.md" in asked.json["messages"][-1]["content"]

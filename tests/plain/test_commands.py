"""Every command of the table that plain mode has does something there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hermes_tui import commands
from hermes_tui.events import InputReceived, Record, ReplyReceived
from hermes_tui.intents import (
    ChangeSession,
    CloseSession,
    History,
    Hit,
    Hits,
    ListModels,
    ListSessions,
    ListSkills,
    ModelList,
    OpenSession,
    Page,
    ReadSkill,
    RunCommand,
    Search,
    Send,
    SessionInfo,
    SessionList,
    SessionView,
    SkillInfo,
    SkillList,
    Stop,
    Text,
)
from hermes_tui.plain.commands import HANDLERS
from tests.fakes.fake_client import FakeClient
from tests.plain.test_face import ASKED, Talk, talk

HERE = [one for one in commands.COMMANDS if one.slash and "plain" in one.surfaces]


async def said(face: Talk, line: str, part: str) -> str:
    """Type a line and wait for one that answers it."""
    face.lines.type(line)
    return await face.lines.until(part)


def test_every_command_is_handled_and_no_handler_is_left_over() -> None:
    assert set(HANDLERS) == {one.id for one in HERE if one.by == "face"}


@pytest.mark.parametrize("slash", [one.slash for one in HERE if one.by == "core"])
async def test_commands_of_the_core_print_its_answer(slash: str) -> None:
    client = FakeClient()
    client.answers[RunCommand] = Text(text="first\nsecond")
    async with talk(client) as face:
        await said(face, f"/{slash} x", "second")
        (asked,) = client.of(RunCommand)
        assert (asked.command, asked.args) == (commands.BY_SLASH[slash].id, "x")


@pytest.mark.parametrize(
    ("line", "kind", "fields"),
    [
        ("/stop", Stop, {}),
        ("/queue later please", Send, {"text": "later please", "how": "queue"}),
        ("/steer now please", Send, {"text": "now please", "how": "steer"}),
        ("/title A new name", ChangeSession, {"title": "A new name"}),
        ("/model opus", ChangeSession, {"model": "opus"}),
        ("/mode plan", ChangeSession, {"mode": "plan"}),
        ("/skills debug", ReadSkill, {"name": "debug"}),
        ("/memory blog", Search, {"query": "blog"}),
    ],
)
async def test_a_command_asks_the_core_for_exactly_this(
    line: str, kind: type, fields: dict[str, Any]
) -> None:
    async with talk() as face:
        face.lines.type(line)
        (asked,) = await face.asked(kind)
        assert {name: getattr(asked, name) for name in fields} == fields


@pytest.mark.parametrize("slash", ["queue", "steer", "title", "resume", "find"])
async def test_a_command_without_what_it_needs_says_so(slash: str) -> None:
    async with talk() as face:
        line = await said(face, f"/{slash}", "something is missing")
        assert commands.BY_SLASH[slash].args in line


async def test_sessions_are_listed_with_state_and_the_open_one_marked() -> None:
    client = FakeClient()
    infos = (SessionInfo(id="s", title="Tidy", state="working"), SessionInfo(id="t"))
    client.answers[ListSessions] = SessionList(sessions=infos)
    async with talk(client) as face:
        assert "this one" in await said(face, "/sessions", "s: Tidy, working")
        assert "this one" not in await face.lines.until("t: untitled, idle")


async def test_another_session_is_opened_and_the_old_one_closed() -> None:
    client = FakeClient()
    other = SessionView(info=SessionInfo(id="t", title="Other"))
    async with talk(client) as face:
        client.answers[OpenSession] = other
        await said(face, "/resume Other", "Session «Other»")
        assert client.of(OpenSession)[-1].which == "Other"
        (closed,) = await face.asked(CloseSession)
        assert closed.session == "s"


async def test_a_new_session_takes_its_title() -> None:
    async with talk() as face:
        face.lines.type("/new Garden plans")
        opened = (await face.asked(OpenSession, 2))[-1]
        assert (opened.which, opened.title) == ("new", "Garden plans")


async def test_models_are_listed_with_the_one_in_use() -> None:
    client = FakeClient()
    client.answers[ListModels] = ModelList(models=("opus", "mini"), problem="the line is slow")
    async with talk(client) as face:
        await said(face, "/model", "This session's model is opus.")
        await face.lines.until("    mini")
        await face.lines.until("the line is slow")


async def test_the_mode_is_said() -> None:
    async with talk() as face:
        await said(face, "/mode", "The mode is ask.")


async def test_skills_are_listed() -> None:
    client = FakeClient()
    skills = (SkillInfo(name="debug", description="Find\nthe cause"),)
    client.answers[ListSkills] = SkillList(skills=skills)
    async with talk(client) as face:
        await said(face, "/skills", "debug: Find the cause")


async def test_memory_says_where_and_when() -> None:
    client = FakeClient()
    hit = Hit(session="t", message="t:1", ts=0, score=1, text="caddy", title="VPS", role="user")
    client.answers[Search] = Hits(hits=(hit,))
    async with talk(client) as face:
        assert "user: caddy" in await said(face, "/memory caddy", "VPS, ")


async def test_find_reads_the_whole_session_page_by_page() -> None:
    def page(ask: History) -> Page:
        if ask.before > 100:
            event: Any = ReplyReceived(turn=1, step=1, text="the Caddy file")
            return Page(records=(Record(session="s", n=50, ts=0, event=event),), more=True)
        event = InputReceived(input_id="1", text="caddy?")
        return Page(records=(Record(session="s", n=1, ts=0, event=event),))

    client = FakeClient()
    client.answers[History] = page
    async with talk(client) as face:
        await said(face, "/find caddy", "2 messages found")
        await face.lines.until("the Caddy file")
        assert face.lines.printed[-2:] == ["You: caddy?", "Hermes: the Caddy file"]


async def test_a_session_is_exported_to_the_folder_one_stands_in(tmp_path: Path) -> None:
    async with talk() as face:
        await said(face, f"/export {tmp_path}/out.jsonl", "The session is in")
        assert (await asyncio.to_thread((tmp_path / "out.jsonl").read_text)).startswith(
            '{"session":'
        )


async def test_approve_says_the_approval_again_and_details_says_all_of_it() -> None:
    import msgspec

    long = msgspec.structs.replace(ASKED, detail="+x\n" * 90, detail_kind="diff")
    async with talk() as face:
        await said(face, "/approve", "Nothing waits for an approval.")
        face.client.happen(long)
        await face.lines.until("50 more lines")
        before = len(face.lines.printed)
        await said(face, "/approve details", "Approval needed")
        await said(face, "/mode", "The mode is")
        assert len(face.lines.printed) - before > 90


async def test_help_lists_every_command_and_explains_one() -> None:
    async with talk() as face:
        await said(face, "/help", "/quit")
        text = "\n".join(face.lines.printed)
        assert all(f"/{one.slash}" in text and one.help in text for one in HERE)
        before = len(face.lines.printed)
        await said(face, "/help /usage", "/usage: ")
        await said(face, "/help usge", "/usage,")
        assert len(face.lines.printed) - before == 2


async def test_keys_are_explained_in_words() -> None:
    async with talk() as face:
        await said(face, "/keys", "ctrl+c stops")

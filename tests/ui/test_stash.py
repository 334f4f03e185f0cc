"""Drafts outlive session switches and screens; what may be a secret never reaches the disk."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events

from hermes_tui.home import Home
from hermes_tui.ui.prompt_document import Draft, Piece, text_draft
from hermes_tui.ui.stash import DraftBox, SecretCheck
from tests.fakes.scripted_model import say
from tests.ui.conftest import Stage

LONG = "".join(f"line {n}\n" for n in range(13))
TOKEN = "ghp_" + "Zk4" * 3 + "Q9wLx7Rt2Vb8Nm5Ys1Dc6Ef"
"""Looks like a key of a code host, and is none."""


def box(folder: Path, secret: str = "hush") -> DraftBox:
    return DraftBox(folder, lambda text: secret in text)


def on_disk(folder: Path) -> str:
    return "".join(file.read_text("utf-8") for file in folder.rglob("*") if file.is_file())


def test_the_last_draft_put_away_comes_back_first_with_its_pastes_folded(tmp_path: Path) -> None:
    pasted = Draft(pieces=(Piece(text="see "), Piece(text=LONG, folded=True)))
    first = box(tmp_path)
    assert first.put_away(text_draft("one"))
    assert first.put_away(pasted)
    later = box(tmp_path)
    assert later.count == 2
    assert later.bring_back() == pasted
    assert later.bring_back() == text_draft("one")
    assert later.bring_back() is None


def test_a_secret_stays_in_memory_and_comes_back_in_its_turn(tmp_path: Path) -> None:
    mine = box(tmp_path)
    mine.put_away(text_draft("before"))
    assert not mine.put_away(text_draft("hush, a secret"))
    mine.put_away(text_draft("after"))
    mine.keep("s", text_draft("hush again"))
    assert "hush" not in on_disk(tmp_path)
    assert mine.of("s").text == "hush again"
    assert box(tmp_path).of("s").text == ""
    back = [mine.bring_back() for _ in range(3)]
    assert [one and one.text for one in back] == ["after", "hush, a secret", "before"]


def test_a_draft_that_becomes_a_secret_leaves_the_disk(tmp_path: Path) -> None:
    mine = box(tmp_path)
    mine.keep("s", text_draft("harmless"))
    mine.keep("s", text_draft("harmless hush"))
    assert on_disk(tmp_path) == ""


def test_without_a_check_nothing_is_written(tmp_path: Path) -> None:
    mine = DraftBox(tmp_path, None)
    assert not mine.put_away(text_draft("x"))
    mine.keep("s", text_draft("y"))
    assert on_disk(tmp_path) == ""
    assert mine.of("s").text == "y"


def test_only_the_owner_can_read_drafts(tmp_path: Path) -> None:
    folder = tmp_path / "drafts"
    mine = box(folder)
    mine.put_away(text_draft("x"))
    mine.keep("any id/../at all", text_draft("y"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in folder.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0
        assert file.parent == folder


def test_a_broken_file_is_no_draft_and_is_written_anew(tmp_path: Path) -> None:
    mine = box(tmp_path)
    mine.put_away(text_draft("x"))
    mine.keep("s", text_draft("y"))
    for file in tmp_path.glob("*.json"):
        file.write_bytes(b'{"pieces": [\xff')
    assert mine.of("s") == Draft()
    assert mine.bring_back() is None
    mine.keep("s", text_draft("z"))
    assert mine.of("s").text == "z"


def test_keys_and_passwords_are_seen_as_secrets() -> None:
    check = SecretCheck()
    assert check(f"use {TOKEN} for it")
    assert not check("please fix the failing test in src/main.py, commit 3f2a9c1")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1), max_size=8))
def test_whatever_is_put_away_comes_back_to_the_character(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("stash")
    mine = box(folder)
    for text in texts:
        mine.put_away(text_draft(text))
    back = [mine.bring_back() for _ in texts]
    assert [one and one.text for one in back] == texts[::-1]


# --- on a screen ---


async def test_ctrl_s_puts_the_draft_away_and_brings_it_back(stage: Stage) -> None:
    async with stage.screen() as screen:
        prompt = screen.app.talk.prompt
        prompt.post_message(events.Paste(LONG))
        await screen.type("x")
        await screen.press("ctrl+s")
        await screen.until(lambda: screen.shows("put away", "stash 1"))
        assert prompt.text == ""
        await screen.type("other")
        await screen.press("ctrl+s")
        await screen.until(lambda: screen.shows("stash 2"))
    async with stage.screen() as screen:
        prompt = screen.app.talk.prompt
        await screen.until(lambda: screen.shows("stash 2"))
        await screen.press("ctrl+s")
        await screen.until(lambda: prompt.text == "other")
        prompt.clear()
        await screen.press("ctrl+s")
        await screen.until(lambda: prompt.text == LONG + "x")
        assert screen.shows("⟦paste")
        await screen.until(lambda: not screen.shows("stash"))


async def test_a_secret_is_put_away_in_memory_and_that_is_said(stage: Stage, home: Home) -> None:
    async with stage.screen() as screen:
        screen.app.talk.prompt.insert(TOKEN)
        await screen.press("ctrl+s")
        await screen.until(lambda: screen.shows("in memory only"))
        assert TOKEN not in on_disk(home.drafts)
        await screen.press("ctrl+s")
        await screen.until(lambda: screen.app.talk.prompt.text == TOKEN)
    assert TOKEN not in on_disk(home.drafts)


async def test_each_session_keeps_its_own_draft(stage: Stage) -> None:
    stage.model.script += [say("one"), say("two")]
    async with stage.screen() as screen:
        prompt, first = screen.app.talk.prompt, screen.app.session
        prompt.insert("for the first")
        await screen.press("ctrl+n")
        await screen.until(lambda: screen.app.session != first and not prompt.text)
        prompt.insert("for the second")
        await screen.app.open(screen.app.commands.request(first))
        assert prompt.text == "for the first"
        await screen.press("enter")
        await screen.until(lambda: not prompt.text and screen.shows("one"))


async def test_a_command_that_switches_is_no_draft(stage: Stage) -> None:
    async with stage.screen() as screen:
        first = screen.app.session
        await screen.enter("/new Other")
        await screen.until(lambda: screen.app.session != first)
        await screen.until(lambda: not screen.app.talk.prompt.text)
        await screen.app.open(screen.app.commands.request(first))
        assert screen.app.talk.prompt.text == ""


async def test_a_draft_is_there_when_the_screen_comes_back(stage: Stage) -> None:
    async with stage.screen() as screen:
        screen.app.talk.prompt.post_message(events.Paste(LONG))
        await screen.press("!")
        screen.app.talk.prompt.insert("half a thought")
    async with stage.screen() as screen:
        prompt = screen.app.talk.prompt
        await screen.until(lambda: prompt.text == LONG + "!half a thought")
        assert screen.shows("⟦paste")


async def test_what_was_sent_is_no_draft_any_more(stage: Stage, home: Home) -> None:
    stage.model.script.append(say("fine"))
    async with stage.screen() as screen:
        await screen.type("send me")
        await screen.until(lambda: "send me" in on_disk(home.drafts))
        await screen.press("enter")
        await screen.until(lambda: screen.shows("fine"))
        await screen.until(lambda: "send me" not in on_disk(home.drafts))


async def test_a_draft_that_can_not_be_kept_stops_nobody_from_typing(
    stage: Stage, home: Home
) -> None:
    home.drafts.write_text("a file where the folder should be")
    async with stage.screen() as screen:
        await screen.type("on and on")
        await screen.press("ctrl+s")
        await screen.until(lambda: screen.shows("can't be kept"))
        assert screen.app.talk.prompt.text == "on and on"

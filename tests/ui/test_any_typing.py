"""Whatever is typed, pasted and pressed, in every preset: what is sent is exactly the text."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual import events

from hermes_tui.paste import clean
from hermes_tui.ui.prompt import Prompt
from hermes_tui.ui.prompt_document import Draft
from tests.fakes.prompt_app import PromptApp

LONG = "".join(f"pasted {n} ⟦paste 1 · 13 lines⟧\n" for n in range(13))
KEYS = [
    *"abdwexcpuvVyG0$jkhl!@/ {};", "space", "left", "right", "up", "down", "home", "end",
    "backspace", "delete", "escape", "tab", "shift+enter", "ctrl+z", "ctrl+y", "ctrl+w",
    "ctrl+k", "ctrl+u", "alt+b", "alt+d", "ctrl+space", "ctrl+left", "shift+left", "f7",
]  # fmt: skip
PASTES = st.sampled_from(
    [LONG, "short", "a\r\nb", "x\x1b[2Jy", "👨‍👩‍👧 你好", "!not a command", "@x"]
)
STEP = st.one_of(
    st.tuples(st.just("key"), st.sampled_from(KEYS)), st.tuples(st.just("paste"), PASTES)
)


async def run(preset: str, steps: list[tuple[str, str]]) -> None:
    app = PromptApp(keys=preset)
    async with app.run_test(size=(60, 20)) as pilot:
        app.prompt.set_history(("earlier", LONG))
        for kind, what in steps:
            event = (
                events.Paste(what)
                if kind == "paste"
                else events.Key(what, " " if what == "space" else what if len(what) == 1 else None)
            )
            app.prompt.post_message(event)
        await pilot.pause()
        prompt = app.prompt
        expected, shell = prompt.text, prompt.shell
        pasted = {clean(text) for kind, text in steps if kind == "paste"} | {LONG}
        folded = [piece.text for piece in prompt.document.draft().pieces if piece.folded]
        assert set(folded) <= pasted
        kept = prompt.draft
        app.posted.clear()
        prompt.submit()
        await pilot.pause()
        sent = [m for m in app.posted if isinstance(m, Prompt.Submitted | Prompt.ShellEntered)]
        assert [m.text for m in sent] == ([expected] if expected.strip() else [])
        assert all(isinstance(m, Prompt.ShellEntered) == bool(shell) for m in sent)
        if sent:
            prompt.confirm(expected)
            assert prompt.draft == Draft()
            prompt.resume(kept)
            assert (prompt.text, prompt.shell) == (expected, shell)


@pytest.mark.parametrize("preset", ["default", "emacs", "vim"])
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(STEP, max_size=25))
def test_any_typing_is_sent_exactly(preset: str, steps: list[tuple[str, str]]) -> None:
    asyncio.run(run(preset, steps))

"""The emacs and vim presets edit as their names promise, and pastes stay whole in each."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.ui.prompt_document import PromptDocument
from hermes_tui.ui.prompt_keys import KEYS, Preset, preset
from hermes_tui.ui.vim_keys import VimKeys
from tests.fakes.scripted_model import say
from tests.ui.conftest import Stage

LONG = "a pasted line\n" * 12


class Field:
    """What a preset edits, without a screen."""

    def __init__(self, name: str, text: str = "") -> None:
        self.document = PromptDocument()
        self.document.load(text)
        self.preset: Preset = preset(name)

    def after_edit(self) -> bool:
        return True

    def after_move(self) -> None:
        return

    def vertical(self, step: int, select: bool) -> bool:
        document = self.document
        at = document.line_end(document.caret) + 1 if step > 0 else 0
        document.move(min(at, len(document.raw)), select)
        return True

    def press(self, *keys: str) -> None:
        for key in keys:
            character = key if len(key) == 1 else None
            if self.preset.take(self, key, character):
                continue
            if character is not None:
                self.document.type(character)
            elif KEYS.get(key) == "home":
                self.document.move(self.document.line_start(self.document.caret))
            elif KEYS.get(key) == "end":
                self.document.move(self.document.line_end(self.document.caret))
            elif KEYS.get(key) in ("word_left", "word_right"):
                step = getattr(self.document, KEYS[key])
                self.document.move(step(self.document.caret))

    def vim(self, keys: str) -> tuple[str, int]:
        """Text and caret after keys in normal mode, from the start; ␛ is escape, ^R ctrl+r."""
        self.document.move(0)
        self.press("escape", *({"␛": "escape", "®": "ctrl+r"}.get(one, one) for one in keys))
        return self.document.text, self.document.caret


VIM = [
    ("one two three", "dw", "two three"),
    ("one two three", "2dw", "three"),
    ("one two three", "d2w", "three"),
    ("one two three", "wdw", "one three"),
    ("one two three", "wD", "one "),
    ("one two three", "$db", "one two e"),
    ("one two three", "de", " two three"),
    ("one two three", "cwsix␛", "six two three"),
    ("one two three", "wciwsix␛", "one six three"),
    ("one two three", "wdaw", "one three"),
    ("one two three", "x", "ne two three"),
    ("one two three", "3x", " two three"),
    ("one two three", "fod0", "o three"),
    ("one two three", "ftdw", "one three"),
    ("one two three", "dft", "wo three"),
    ("one two three", "dtw", "wo three"),
    ("one two three", "2fo", "one two three"),
    ("one two three", "rX", "Xne two three"),
    ("one two three", "3rX", "XXX two three"),
    ("one two three", "A!␛", "one two three!"),
    ("one two three", "wI!␛", "!one two three"),
    ("one two three", "ea!␛", "one! two three"),
    ("one two three", "ywP", "one one two three"),
    ("one two three", "yw$p", "one two threeone "),
    ("one two three", "dwu", "one two three"),
    ("one two three", "dwu®", "two three"),
    ("one two three", "vwd", "wo three"),
    ("one two three", "vey$p", "one two threeone"),
    ("one two three", "C␛", ""),
    ("one two three", "wsX␛", "one Xwo three"),
    ("one\ntwo\nthree", "dd", "two\nthree"),
    ("one\ntwo\nthree", "2dd", "three"),
    ("one\ntwo\nthree", "Gdd", "one\ntwo"),
    ("one\ntwo\nthree", "ddp", "two\none\nthree"),
    ("one\ntwo\nthree", "yyGp", "one\ntwo\nthree\none"),
    ("one\ntwo\nthree", "yyP", "one\none\ntwo\nthree"),
    ("one\ntwo\nthree", "dj", "three"),
    ("one\ntwo\nthree", "2GccX␛", "one\nX\nthree"),
    ("one\ntwo\nthree", "Vjd", "three"),
    ("one\ntwo\nthree", "GVggd", ""),
    ("one\ntwo\nthree", "oX␛", "one\nX\ntwo\nthree"),
    ("one\ntwo\nthree", "GOX␛", "one\ntwo\nX\nthree"),
    ("one\ntwo\nthree", "dG", ""),
    ("one\ntwo\nthree", "3Gdgg", ""),
    ("a.b c-d", "dw", ".b c-d"),
    ("a.b c-d", "dW", "c-d"),
    ("a.b c-d", "$dB", "a.b d"),
    ("f(x)", "f(ct)y␛", "fy)"),
    ("a;b;c;d", "f;;x", "a;bc;d"),
    ("a;b;c;d", "$F;,x", "a;b;cd"),
    ("你好 世界", "dw", "世界"),
    ("e\u0301te\u0301", "x", "te\u0301"),
]


@pytest.mark.parametrize(("text", "keys", "expected"), VIM, ids=[keys for _, keys, _ in VIM])
def test_vim_keys_edit_as_in_vim(text: str, keys: str, expected: str) -> None:
    assert Field("vim", text).vim(keys)[0] == expected


@pytest.mark.parametrize(
    ("keys", "caret"),
    [("w", 4), ("2w", 8), ("e", 2), ("$", 12), ("$b", 8), ("fo", 6), ("$0", 0), ("to", 5)],
)
def test_vim_motions_lead_where_they_lead_in_vim(keys: str, caret: int) -> None:
    assert Field("vim", "one two three").vim(keys)[1] == caret


def test_vim_says_its_mode_and_what_was_begun() -> None:
    field = Field("vim", "text")
    assert field.preset.status == "INSERT"
    field.press("escape")
    assert field.preset.status == "NORMAL"
    field.press("2", "d")
    assert field.preset.status == "NORMAL 2d"
    field.press("escape", "V")
    assert field.preset.status == "V-LINE"


def test_escape_in_normal_mode_is_left_to_the_app() -> None:
    field = Field("vim", "text")
    field.press("escape")
    assert not field.preset.take(field, "escape", None)
    assert not field.preset.take(field, "enter", "\r")


def test_in_visual_mode_the_selection_is_what_is_cut() -> None:
    field = Field("vim", "one two")
    field.document.move(0)
    field.press("escape", "v", "e")
    assert field.document.selected == "one"
    field.press("V")
    assert field.document.selected == "one two"


EMACS = [
    (["ctrl+a", "ctrl+k"], ""),
    (["ctrl+a", "ctrl+k", "ctrl+y", "ctrl+y"], "one twoone two"),
    (["ctrl+w", "ctrl+w", "ctrl+y"], "one two"),
    (["ctrl+a", "alt+d", "alt+d", "ctrl+y"], "one two"),
    (["ctrl+a", "alt+f", "ctrl+k"], "one"),
    (["alt+b", "ctrl+u", "ctrl+e", "ctrl+y"], "twoone "),
    (["ctrl+a", "ctrl+@", "alt+f", "ctrl+w"], " two"),
    (["ctrl+a", "ctrl+space", "alt+f", "alt+w", "ctrl+e", "ctrl+y"], "one twoone"),
    (["ctrl+space", "ctrl+a", "ctrl+w", "ctrl+y"], "one two"),
    (["ctrl+w", "ctrl+_"], "one two"),
]


@pytest.mark.parametrize(("keys", "expected"), EMACS, ids=[" ".join(keys) for keys, _ in EMACS])
def test_emacs_keys_edit_as_in_emacs(keys: list[str], expected: str) -> None:
    field = Field("emacs", "one two")
    field.press(*keys)
    assert field.document.text == expected


def test_ctrl_g_takes_the_mark_away_and_is_free_without_one() -> None:
    field = Field("emacs", "one two")
    field.press("ctrl+space", "alt+b")
    assert field.preset.status == "MARK"
    assert field.preset.take(field, "ctrl+g", None)
    assert field.preset.status == ""
    assert not field.preset.take(field, "ctrl+g", None)


@pytest.mark.parametrize("name", ["emacs", "vim"])
def test_a_killed_paste_comes_back_folded_and_whole(name: str) -> None:
    field = Field(name)
    field.document.paste(LONG)
    kill = ["ctrl+a", "ctrl+k"] if name == "emacs" else ["escape", "0", "d", "$"]
    field.press(*kill)
    assert field.document.text == ""
    field.press("ctrl+y" if name == "emacs" else "p")
    assert field.document.text == LONG
    assert [piece.folded for piece in field.document.draft().pieces] == [True]


VIM_KEYS = [
    *"hjklwbe0$Gg^dcyxXDCYpPuvViIaAoOsSr;,fFtT23 9.~z(",
    "escape",
    "ctrl+r",
    "left",
    "delete",
]
EMACS_KEYS = [
    "ctrl+space", "ctrl+w", "ctrl+k", "ctrl+y", "ctrl+u", "alt+b", "alt+f", "alt+d", "alt+w",
    "ctrl+_", "ctrl+a", "ctrl+e", "x", " ",
]  # fmt: skip
TEXTS = st.sampled_from(["", "one two", "a\n\nb  c\n", "e\u0301 👨‍👩‍👧 你好\n🇯🇵", "x" * 30])


@settings(max_examples=250, deadline=None)
@given(
    name_keys=st.one_of(
        st.tuples(st.just("vim"), st.lists(st.sampled_from(VIM_KEYS), max_size=40)),
        st.tuples(st.just("emacs"), st.lists(st.sampled_from(EMACS_KEYS), max_size=40)),
    ),
    before=TEXTS,
    after=TEXTS,
)
def test_any_keys_leave_pastes_whole_and_undo_leads_back(
    name_keys: tuple[str, list[str]], before: str, after: str
) -> None:
    name, keys = name_keys
    field = Field(name, before)
    field.document.paste(LONG)
    for character in after:
        field.document.type(character)
    field.press(*(["escape"] if name == "vim" else []), *keys)
    document = field.document
    draft = document.draft()
    assert document.text == draft.text
    assert all(piece.text == LONG for piece in draft.pieces if piece.folded)
    document.text.encode()
    assert document.caret == document.snap(document.caret)
    assert 0 <= document.caret <= len(document.raw)
    while document.undo():
        continue
    assert document.text == ""
    while document.redo():
        continue
    # What was undone in between is a branch that was left; the text itself is intact.
    document.text.encode()


def test_a_mode_ends_when_a_new_prompt_begins() -> None:
    keys = VimKeys()
    field = Field("vim", "x")
    field.preset = keys
    field.press("escape", "d")
    keys.begin()
    assert keys.status == "INSERT"


# --- on a whole screen ---


async def test_vim_keys_and_the_keys_of_the_screen_get_along(stage: Stage) -> None:
    async with stage.screen(keys="vim") as screen:
        prompt = screen.app.talk.prompt
        await screen.type("one two")
        assert screen.shows("INSERT")
        await screen.press("escape")
        assert screen.shows("NORMAL")
        await screen.press("b", "d", "w", "u", "ctrl+r")
        assert prompt.text == "one "
        assert len(screen.app.screen_stack) == 1
        await screen.press("u", "A")
        await screen.type("!")
        assert prompt.text == "one two!"
        await screen.press("ctrl+r")
        await screen.until(lambda: len(screen.app.screen_stack) == 2)
        await screen.press("escape")
        stage.model.script.append(say("fine"))
        await screen.press("escape", "enter")
        await screen.until(lambda: screen.shows("fine") and not prompt.text)
        assert screen.shows("INSERT")


async def test_escape_in_normal_mode_stops_the_turn(stage: Stage) -> None:
    async with stage.screen(keys="vim") as screen:
        stage.model.script.append(say("never", gate="g"))
        await screen.enter("work")
        await screen.until(lambda: screen.app.shown.busy)
        await screen.press("escape")
        assert screen.app.shown.busy
        await screen.press("escape")
        await screen.until(lambda: not screen.app.shown.busy)


async def test_emacs_keys_and_the_keys_of_the_screen_get_along(stage: Stage) -> None:
    async with stage.screen(keys="emacs") as screen:
        prompt = screen.app.talk.prompt
        await screen.type("one two")
        await screen.press("ctrl+space", "alt+b")
        assert screen.shows("MARK")
        await screen.press("ctrl+g")
        assert not screen.shows("MARK")
        await screen.press("ctrl+k", "ctrl+a", "ctrl+y")
        assert prompt.text == "twoone "


async def test_up_and_k_on_the_first_row_walk_the_history_in_every_preset(stage: Stage) -> None:
    for keys, up in (("default", "up"), ("emacs", "up"), ("vim", "k")):
        async with stage.screen(keys=keys) as screen:
            screen.app.talk.prompt.set_history(("typed before",))
            if keys == "vim":
                await screen.press("escape")
            await screen.press(up)
            assert screen.app.talk.prompt.text == "typed before"
            screen.app.talk.prompt.clear()

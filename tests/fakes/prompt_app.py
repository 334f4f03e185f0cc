"""A tiny app around the prompt and its cards, with a clock that a test moves."""

from __future__ import annotations

from typing import Any

from textual.app import App, ComposeResult
from textual.message import Message
from textual.widgets import Static

from hermes_tui.ui.approval import ApprovalCard
from hermes_tui.ui.chips import Chips
from hermes_tui.ui.prompt import Prompt
from hermes_tui.ui.question import QuestionCard
from hermes_tui.ui.theme import Look, builtin, textual


class PromptApp(App[None]):
    """Collects what is posted in `posted`; `free` are keys nobody below the app took."""

    CSS = "#chat { height: 1fr; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, theme: str = "hermes-night", keys: str = "default") -> None:
        super().__init__()
        spec = builtin(theme)
        assert spec is not None
        self.spec = spec
        self.look = Look(spec)
        self.session = "s1"
        self.time = 100.0
        self.posted: list[Any] = []
        self.free: list[str] = []
        self.chips = Chips()
        self.approval = ApprovalCard(clock=lambda: self.time)
        self.question = QuestionCard(clock=lambda: self.time)
        self.answers: dict[type[Any], Any] = {}
        self.prompt = Prompt(chips=self.chips, cards=(self.approval, self.question), keys=keys)

    def compose(self) -> ComposeResult:
        yield Static("chat", id="chat")
        yield self.approval
        yield self.question
        yield self.prompt
        yield self.chips

    def on_mount(self) -> None:
        self.register_theme(textual(self.spec))
        self.theme = self.spec.name
        self.prompt.focus()

    def on_key(self, event: Any) -> None:
        self.free.append(event.key)

    async def ask(self, intent: Any) -> Any:
        """Answer with what a test put there."""
        answer = self.answers.get(type(intent), intent.reply())
        return answer(intent) if callable(answer) else answer

    def now(self) -> float:
        return self.time

    def keep(self, message: Message) -> None:
        self.posted.append(message)

    on_prompt_submitted = on_prompt_shell_entered = on_prompt_change_entered = keep
    on_prompt_paths_pasted = on_prompt_clipboard_asked = keep
    on_chips_take_back = on_chips_change = on_chips_toggle = on_chips_move = on_chips_left = keep
    on_approval_card_answered = on_question_card_answered = on_editor_atom_clicked = keep

    @property
    def sent(self) -> list[tuple[str, str]]:
        """(text, how) of every submission."""
        return [(m.text, m.how) for m in self.posted if isinstance(m, Prompt.Submitted)]

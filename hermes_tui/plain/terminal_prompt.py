"""The prompt_toolkit prompt of plain mode. Imported only where it is used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from hermes_tui.commands import COMMANDS
from hermes_tui.paste import clean


def make_session(earlier: Sequence[str]) -> PromptSession[str]:
    """A prompt that sends with Enter. earlier: inputs to recall, newest first."""
    return PromptSession(
        "> ",
        multiline=True,
        key_bindings=_keys(),
        completer=Slash(),
        complete_while_typing=False,
        history=InMemoryHistory(list(reversed(earlier))),
        prompt_continuation="  ",
    )


async def hidden_line() -> str | None:
    """A line that is shown as stars and can't be recalled; None at the end of input."""
    session: PromptSession[str] = PromptSession("> ", is_password=True)
    try:
        return clean(await session.prompt_async())
    except EOFError:
        return None


class Slash(Completer):
    """Completes `/` commands."""

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Commands that begin like the text."""
        text = document.text_before_cursor
        if not text.startswith("/") or any(one.isspace() for one in text):
            return
        for command in COMMANDS:
            if "plain" in command.surfaces and command.slash.startswith(text[1:]):
                yield Completion(f"/{command.slash}", -len(text), display_meta=command.help)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    def send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    def newline(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    def paste(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(clean(event.data))

    keys.add(Keys.Enter)(send)
    keys.add(Keys.ControlJ)(newline)
    keys.add(Keys.Escape, Keys.Enter)(newline)
    keys.add(Keys.BracketedPaste)(paste)
    return keys

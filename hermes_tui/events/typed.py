"""What the person typed, and what became of it before a turn took it."""

from __future__ import annotations

from hermes_tui.events.base import Event, How


class InputReceived(Event, frozen=True, kw_only=True):
    """Something was typed or arrived. It becomes part of the conversation with `InputTaken`.

    attended: somebody can answer questions; False means what would ask is denied. untrusted:
    where it comes from when no person who may talk wrote it, such as a call of another program.
    """

    input_id: str
    text: str
    how: How = "send"
    face: str = ""
    attended: bool = True
    untrusted: str = ""

    @property
    def typed(self) -> bool:
        """Whether a person wrote it; a task for a subagent and its report are the agent's own."""
        return self.face != "subagent" and not self.untrusted


class InputTaken(Event, frozen=True, kw_only=True):
    """A received input entered the conversation as a user message, at this point of the log.

    note: what the core tells the model beside the text (date, folder), kept so that the same
    history is the same bytes for ever.
    """

    input_id: str
    turn: int
    note: str = ""


class InputWithdrawn(Event, frozen=True, kw_only=True):
    """A waiting input was taken back before it reached the model."""

    input_id: str


class InputEdited(Event, frozen=True, kw_only=True):
    """A waiting input has another text now, or waits in another way."""

    input_id: str
    text: str
    how: How = "steer"


class InputMoved(Event, frozen=True, kw_only=True):
    """A waiting input now comes right before another one; `before` empty: last."""

    input_id: str
    before: str = ""


class Rewound(Event, frozen=True, kw_only=True):
    """The conversation was taken back to just before a turn; the log keeps what came after.

    text: what was typed to start that turn, given back to the face.
    """

    turn: int
    text: str = ""


class FilesRestored(Event, frozen=True, kw_only=True):
    """Files of the folder are as they were at a checkpoint, made before a turn.

    undo: the checkpoint made just before; paths: those that were to change, or the first of
    them; count: how many did; stayed: the others, and why.
    """

    checkpoint: int
    turn: int
    undo: int = 0
    paths: tuple[str, ...] = ()
    count: int = 0
    stayed: tuple[str, ...] = ()
    face: str = ""


class ShellRan(Event, frozen=True, kw_only=True):
    """A command the person ran with `!` has ended. shared: the model sees it with the next input.

    cwd: where the person's shell stands afterwards.
    """

    shell_id: str
    command: str
    output: str = ""
    exit_code: int | None = None
    cwd: str = ""
    shared: bool = True
    seconds: float = 0.0
    output_path: str = ""
    output_bytes: int = 0

"""Going back: the conversation, the files, or both; looking first at what would change."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct

from hermes_tui.intents.base import Intent

What = Literal["chat", "files", "both"]


class FileChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a file since: `added` goes, `removed` comes back, the rest changes back.

    yours: it was changed outside the agent's turns, by you or another session.
    """

    path: str
    change: Literal["added", "removed", "changed", "mode"]
    yours: bool = False


class BackView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What going back would do to files.

    checkpoint: what they would go back to, 0 when there is nothing; problem: why it can't be
    done; count: how many changes there are, `changes` holds the first of them; yours: how many
    of them are yours; left: paths the checkpoint left out, and why.
    """

    turn: int = 0
    checkpoint: int = 0
    made: float = 0.0
    changes: tuple[FileChange, ...] = ()
    count: int = 0
    yours: int = 0
    left: tuple[str, ...] = ()
    problem: str = ""


class LookBack(Intent[BackView], frozen=True, kw_only=True):
    """What would going back do to files? Nothing is changed.

    turn: to before this turn; checkpoint: to this one; neither: undo the last change of files.
    """

    reply: ClassVar[Any] = BackView
    session: str
    turn: int = 0
    checkpoint: int = 0


class WentBack(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """text: what started the turn, for the prompt; files: how many changed back.

    undo: the checkpoint that was made just before, 0 when no file changed; stayed: paths that
    stayed as they are, and why; problem: why no file could be taken back though chat could.
    """

    text: str = ""
    files: int = 0
    undo: int = 0
    stayed: tuple[str, ...] = ()
    problem: str = ""


class Rewind(Intent[WentBack], frozen=True, kw_only=True):
    """Take the conversation, the files or both back to just before a turn.

    Stops a running turn first. The log keeps everything, and a checkpoint is made before files
    change. yours: also take back what was changed outside the agent's turns; else it stays.
    """

    reply: ClassVar[Any] = WentBack
    session: str
    turn: int
    what: What = "chat"
    yours: bool = False
    face: str = "ui"


class RestoreFiles(Intent[WentBack], frozen=True, kw_only=True):
    """Take the files back to a checkpoint; 0: undo the last change of files, or that undoing.

    Raises while a turn runs.
    """

    reply: ClassVar[Any] = WentBack
    session: str
    checkpoint: int = 0
    yours: bool = False
    face: str = "ui"


class CheckpointInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One checkpoint: before a `turn`, a call run `again`, or files taken `back`.

    changed: whether files changed in it, as far as that is known; ended: whether what it stands
    before is over, and what others change from now on is told apart; problem: why it holds nothing.
    """

    id: int
    turn: int
    kind: Literal["turn", "again", "back"] = "turn"
    made: float = 0.0
    files: int = 0
    bytes: int = 0
    changed: bool = False
    ended: bool = False
    problem: str = ""


class CheckpointList(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A session's checkpoints, newest first. used, budget: bytes on disk of all sessions'."""

    checkpoints: tuple[CheckpointInfo, ...] = ()
    used: int = 0
    budget: int = 0


class ListCheckpoints(Intent[CheckpointList], frozen=True, kw_only=True):
    """The checkpoints of a session."""

    reply: ClassVar[Any] = CheckpointList
    session: str

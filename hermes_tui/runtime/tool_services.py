"""What the tools of one session use of its core (`tools.base.Services`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_tui.runtime.chats.sending import SessionChats
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.keeping_jobs import SessionJobs
    from hermes_tui.runtime.recall import SessionRecall
    from hermes_tui.runtime.remembering import SessionMemory
    from hermes_tui.runtime.session import Session
    from hermes_tui.runtime.subagent_tools import Helpers
    from hermes_tui.runtime.using_skills import SessionSkills
    from hermes_tui.tools.kit import Kit
    from hermes_tui.tools.processes import Processes


class ToolServices:
    """The core's services as one session's tools use them; its code is loaded at first use."""

    def __init__(self, core: Core, session: Session) -> None:
        self._core = core
        self._session = session
        self._kit: Kit | None = None

    @property
    def processes(self) -> Processes:
        """The core's background processes."""
        return self._core.processes

    @property
    def kit(self) -> Kit:
        """What the web and file tools share."""
        if self._kit is None:
            from hermes_tui.runtime.kits import make_kit

            self._kit = make_kit(self._core, self._session)
        return self._kit

    @property
    def memory(self) -> SessionMemory:
        """What is remembered."""
        from hermes_tui.runtime.remembering import SessionMemory

        return SessionMemory(self._core.memory, self._session, self._core.log)

    @property
    def recall(self) -> SessionRecall:
        """Search over all conversations."""
        from hermes_tui.runtime.recall import SessionRecall

        return SessionRecall(self._core.recall, self._session.id)

    @property
    def skills(self) -> SessionSkills:
        """The skills."""
        from hermes_tui.runtime.using_skills import SessionSkills

        return SessionSkills(self._core.using_skills, self._session)

    @property
    def subagents(self) -> Helpers:
        """Work in sessions of its own."""
        from hermes_tui.runtime.subagent_tools import Helpers

        return Helpers(self._core, self._session)

    @property
    def jobs(self) -> SessionJobs:
        """The jobs at set times."""
        from hermes_tui.runtime.keeping_jobs import SessionJobs

        return SessionJobs(self._core.cron, self._session)

    @property
    def chats(self) -> SessionChats:
        """Chats elsewhere."""
        from hermes_tui.runtime.chats.sending import SessionChats

        return SessionChats(self._core, self._session)

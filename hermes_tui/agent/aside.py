"""The session as calls beside the conversation see it: all its own, but for what a kind changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from hermes_tui.agent.agent import TurnSession
    from hermes_tui.agent.conversation import Conversation


class Aside:
    """Stands in for a session (`agent.agent.TurnSession`) where results take another way.

    A kind says what is different: `add`, above all. Everything else is the session's, so what a
    session learns to do later is there as well.
    """

    def __init__(self, session: Any) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        """Everything else is the session's."""
        return getattr(self._session, name)

    @property
    def whole(self) -> TurnSession:
        """Itself as what it stands in for: it has all of that, handed through or changed."""
        return cast("TurnSession", self)

    @property
    def conversation(self) -> Conversation:
        """The session's own."""
        return self._session.conversation

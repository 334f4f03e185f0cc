"""How plain mode is left."""

from __future__ import annotations

from typing import Literal

Leave = Literal["detach", "quit"] | None


class Left(Exception):
    """The person leaves. how: only `quit` ends the core."""

    def __init__(self, how: Leave) -> None:
        super().__init__(how)
        self.how: Leave = how

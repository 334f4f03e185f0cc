"""Parts of the schema that several groups share."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta


def doc(text: str) -> Meta:
    """The help of one key."""
    return Meta(description=text)


Price = Annotated[float, Meta(ge=0, le=1e6)]

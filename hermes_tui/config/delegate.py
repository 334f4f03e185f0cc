"""Subagents: how many, how deep, and what each may use up."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct


class DelegateConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Subagents: how many, how deep, and what each may use up."""

    depth: Annotated[
        int,
        Meta(ge=0, le=5, description="levels of subagents below a session; 0: it has none"),
    ] = 1
    at_once: Annotated[
        int, Meta(ge=1, le=64, description="subagents of one session that may work at once")
    ] = 4
    rounds: Annotated[int, Meta(ge=1, description="tool rounds of one subagent")] = 60
    limit_s: Annotated[
        float, Meta(gt=0, description="seconds one subagent may take, waiting included")
    ] = 1800.0
    tokens: Annotated[
        int, Meta(ge=0, description="tokens one subagent may use; 0: as the caps of `spend` say")
    ] = 0
    report_chars: Annotated[
        int, Meta(ge=500, description="characters of one report the model sees; the rest is kept")
    ] = 12_000

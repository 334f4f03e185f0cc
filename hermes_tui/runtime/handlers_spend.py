"""What the core tells of spending: to a face's question, and as the answer to `/usage`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_tui import intents
from hermes_tui.intents import KeyState, SpendReport, SpendTotal
from hermes_tui.models.metered import Scope
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.workshop import scope_of

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session


async def show_spend(core: Core, intent: intents.ShowSpend, face: Face) -> SpendReport:
    """What was spent since a time, told apart as asked."""
    session = (await core.session(intent.session)).id if intent.session else ""
    groups = {
        by: tuple(await core.spend.totals(by, since=intent.since, session=session))
        for by in intent.by
    }
    return SpendReport(
        total=await core.spend.total(since=intent.since, session=session),
        groups=groups,
        caps=await core.spend.used(Scope(session=session)),
        keys=key_states(core),
        sessions=await core.spend.sessions(intent.since),
    )


def key_states(core: Core) -> tuple[KeyState, ...]:
    """How the keys of the providers in use are."""
    return tuple(
        KeyState(whose=whose, ready=ready, keys=keys, until=until)
        for whose, ready, keys, until in core.workshop.key_states()
    )


async def usage(core: Core, session: Session, args: str = "") -> str:
    """Tokens and cost of a session and of today, as Markdown."""
    mine = await core.spend.total(session=session.id)
    today = await core.spend.total(since=core.spend.midnight())
    lines = [
        "**Usage of this session**",
        "",
        f"- prompt: {mine.prompt:,} tokens, {mine.cached:,} of them cached",
        f"- completion: {mine.completion:,} tokens",
        f"- model calls: {mine.calls:,}",
        f"- cost: {cost(mine)}",
    ]
    tasks = await core.spend.totals("task", session=session.id)
    if len(tasks) > 1:
        lines += ["", *table("for", tasks)]
    models = await core.spend.totals("model", session=session.id)
    if len(models) > 1:
        lines += ["", *table("model", models)]
    lines += ["", f"Today, all sessions: {today.tokens:,} tokens, {cost(today)}."]
    for cap in await core.spend.used(scope_of(session)):
        lines.append(
            f"Cap `{cap.name}`: {amount(cap.used, cap.name)} of {amount(cap.cap, cap.name)}."
        )
    for one in key_states(core):
        until = time.strftime(", the next at %H:%M:%S", time.localtime(one.until))
        rest = until if one.until else ""
        lines.append(f"Keys for {one.whose}: {one.ready} of {one.keys} ready{rest}.")
    return "\n".join(lines)


def table(head: str, totals: Sequence[SpendTotal]) -> list[str]:
    """Sums as the lines of a Markdown table."""
    rows = [
        f"| {one.name} | {one.calls:,} | {one.prompt:,} | {one.completion:,} | {cost(one)} |"
        for one in totals
    ]
    return [f"| {head} | calls | prompt | completion | cost |", "|---|--:|--:|--:|--:|", *rows]


def cost(total: SpendTotal) -> str:
    """What a sum cost, with what is not known about it."""
    if total.calls and total.unpriced == total.calls:
        return "unknown (no price is set for this model)"
    more = f" and {total.unpriced} calls of unknown price" if total.unpriced else ""
    return f"${total.cost:.4f}{more}"


def amount(value: float, name: str) -> str:
    """A figure of a cap: tokens or dollars."""
    return f"{value:,.0f} tokens" if name.endswith("_tokens") else f"${value:,.2f}"

"""`hermes usage` and `hermes insights`: what models took and cost, and where it went."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Any, cast

import msgspec
import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.intents import ShowSpend, SpendCap, SpendReport, SpendTotal
from hermes_tui.intents.spend import SpendBy

app = typer.Typer(**PLAIN)
_DAY = 86_400.0
_BAR = 24


@app.command()
def usage(
    days: Annotated[
        int, typer.Option("--days", metavar="N", min=1, max=3650, help="Of the last N days.")
    ] = 1,
    session: Annotated[
        str, typer.Option("--session", metavar="ID", help="Of one session, by id or title.")
    ] = "",
    by: Annotated[
        str, typer.Option("--by", help="model, provider, task, session, job or day.")
    ] = "model",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show tokens and money, what they went into, and what the caps leave.

    Example: hermes usage --days 7 --by task
    """
    wanted: dict[str, SpendBy] = {
        "model": "model",
        "provider": "provider",
        "task": "task",
        "session": "session",
        "job": "job",
        "day": "day",
    }
    if by not in wanted:
        raise HermesError(f"sums are not told apart by {by!r}", f"by {', '.join(wanted)}")
    asked = ShowSpend(by=(wanted[by],), since=0.0 if session else since(days), session=session)
    report = with_core(lambda client: client.ask(asked))
    if json:
        output.emit(honest(report))
        return
    table(by, report.groups[by], report.total)
    for cap in report.caps:
        print(f"cap {cap.name}: {_amount(cap.used, cap)} of {_amount(cap.cap, cap)}")
    for one in report.keys:
        print(f"keys for {output.clean(one.whose)}: {one.ready} of {one.keys} ready")


def since(days: int) -> float:
    """When the first of the last so many days began, here; today is one of them."""
    now = time.localtime(time.time() - (days - 1) * _DAY)
    return time.mktime((now.tm_year, now.tm_mon, now.tm_mday, 0, 0, 0, 0, 0, -1))


def table(head: str, totals: Sequence[SpendTotal], whole: SpendTotal) -> None:
    """Print sums and what they come to."""
    if not whole.calls:
        print("no model was called in this time")
        return
    rows = [row(one.name or "-", one) for one in totals]
    output.table(
        [*rows, row("all", whole)], (head.upper(), "CALLS", "PROMPT", "CACHED", "MADE", "COST")
    )


def row(name: str, one: SpendTotal) -> tuple[str, ...]:
    """A sum as the cells of a table."""
    figures = (one.calls, one.prompt, one.cached, one.completion)
    return (name, *(f"{figure:,}" for figure in figures), money(one))


def money(one: SpendTotal) -> str:
    """Dollars; `?` where a price is not known."""
    if one.calls and one.unpriced == one.calls:
        return "?"
    return f"${one.cost:,.4f}" + (" + ?" if one.unpriced else "")


def honest(report: SpendReport) -> dict[str, Any]:
    """A report for JSON, in which what nobody knows the price of costs null, not nothing."""
    made: dict[str, Any] = msgspec.to_builtins(report)
    groups = cast("list[list[dict[str, Any]]]", list(made.get("groups", {}).values()))
    for total in (made["total"], *(one for group in groups for one in group)):
        if total.get("calls") and total.get("unpriced") == total["calls"]:
            total["cost"] = None
    return made


def _amount(value: float, cap: SpendCap) -> str:
    return f"{value:,.0f}" if cap.name.endswith("_tokens") else f"${value:,.2f}"


def bars(days: Sequence[SpendTotal]) -> list[str]:
    """Days as lines, each with a bar of its share of the busiest one."""
    most = max((one.tokens for one in days), default=0) or 1
    return [
        f"{one.name}  {'█' * max(round(_BAR * one.tokens / most), 1):<{_BAR}}  "
        f"{one.tokens:>12,} tokens  {money(one)}"
        for one in days
    ]


def story(report: SpendReport, days: int) -> list[str]:
    """The sentences that stand above the tables."""
    total = report.total
    share = round(100 * total.cached / total.prompt) if total.prompt else 0
    lines = [
        f"Last {_count(days, 'day')}: {_count(total.calls, 'model call')} in "
        f"{_count(report.sessions, 'session')}, {_count(total.tokens, 'token')}, {_cost(total)}.",
        f"{share} % of what was sent was read from a cache.",
    ]
    if total.guessed:
        calls = _count(total.guessed, "call")
        lines.append(f"Tokens of {calls} are estimates: the provider told none.")
    if total.unpriced:
        what = f"The price of {_count(total.unpriced, 'call')} is not known"
        lines.append(f"{what} (model.price_in, model.price_out).")
    return lines


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _cost(total: SpendTotal) -> str:
    return "at an unknown cost" if money(total) == "?" else money(total)

"""`hermes learning`: what was learned from the work, where it came from, and whether it helped."""

from __future__ import annotations

from typing import Annotated

import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.intents import LearnedSkill, LearningReport, ReviewLearning, ShowLearning

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Learning: what the agent learned from its work, and whether that helped.\n\n"
    "Example: hermes learning report",
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback()
def group() -> None:
    """Have a group even with one command."""


@app.command()
def report(
    days: Annotated[
        float, typer.Option("--days", metavar="N", min=0.01, help="Look back this many days.")
    ] = 30.0,
    json: Json = False,
) -> None:
    """Show what was learned: from where, used how often, helped or not, accepted or refused.

    Example: hermes learning report --days 7
    """
    found = with_core(lambda client: client.ask(ShowLearning(days=days)))
    if json:
        output.emit(found)
        return
    _print(found)


@app.command()
def review(json: Json = False) -> None:
    """Go through all that was learned now, as it happens once a day when nothing goes on.

    Example: hermes learning review
    """
    print_review(json)


def print_review(json: bool) -> None:
    """Have everything gone through and print what that changed."""
    done = with_core(lambda client: client.ask(ReviewLearning()))
    if json:
        output.emit(done)
        return
    for line in done.lines:
        print(output.clean(line))
    if not done.lines:
        print("nothing to change")


def _print(found: LearningReport) -> None:
    if not found.on:
        print("learning is off: `hermes config set learning.enabled true`\n")
    rows = [_row(one) for one in found.skills]
    if rows:
        output.table(rows, ("skill", "state", "from", "used", "worked", "calls", "why"))
    else:
        print("no skill was learned yet")
    if found.proposals:
        print(f"\n{found.proposals} wait for you: `hermes skills waiting`")
    for note in found.notes:
        about = note.condition or note.about
        print(f"\nuntil {output.when(note.expires)}, {output.clean(about)}:")
        print(f"  {output.clean(note.text)}")
    held = len(found.looked)
    print(f"\n{found.turns} turns looked at, {held} held something, {found.asked} model calls")
    for one in found.looked:
        what = one.result or "not asked yet"
        print(f"  {one.session}:{one.turn}  {one.occasion}  {what}  {output.clean(one.why)}")


def _row(one: LearnedSkill) -> tuple[str, ...]:
    first, then = one.calls
    judged = one.worked + one.corrected + one.failed
    return (
        one.name,
        one.state or "active",
        one.source,
        str(one.uses or ""),
        f"{one.worked} of {judged}" if judged else "",
        f"{first:g} → {then:g}" if first and then else "",
        output.clean(one.reason)[:60],
    )

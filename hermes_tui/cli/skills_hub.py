"""`hermes skills import` and its kin: skills from elsewhere, seen before they count."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.errors import NotFoundError
from hermes_tui.intents import (
    AnswerArrival,
    AnswerSkillProposal,
    FetchSkills,
    ListArrivals,
    ListSkillProposals,
    RemoveSkill,
    SkillArrival,
)

Yes = Annotated[bool, typer.Option("--yes", help="Accept what is shown without asking.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to `hermes skills`."""
    app.command("import")(import_)
    app.command("install", hidden=True)(import_)
    app.command("waiting")(waiting)
    app.command("accept")(accept)
    app.command("reject")(reject)
    app.command("update")(update)
    app.command("remove")(remove)


def import_(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A folder, a .zip, a git URL or an index URL.")
    ],
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Fetch skills and show them; nothing counts before you accept it.

    Example: hermes skills import ./team-skills
    """
    intent = FetchSkills(source=source, cwd=os.getcwd())
    found = with_core(lambda client: client.ask(intent)).arrivals
    _decide(found, yes, json)


def update(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Only this skill.")] = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Fetch installed skills again and show what changed; nothing counts before you accept it.

    Example: hermes skills update
    """
    intent = FetchSkills(source=name, update=True)
    _decide(with_core(lambda client: client.ask(intent)).arrivals, yes, json)


def waiting(json: Json = False) -> None:
    """Show what waits for you: fetched skills, and edits the agent proposes.

    Example: hermes skills waiting
    """
    arrivals = with_core(lambda client: client.ask(ListArrivals())).arrivals
    proposals = with_core(lambda client: client.ask(ListSkillProposals())).proposals
    if json:
        output.emit({"arrivals": arrivals, "proposals": proposals})
        return
    for one in arrivals:
        _show(one)
    for one in proposals:
        source = f" after {one.source}" if one.source else ""
        print(f"{one.name}: {one.kind} proposed{source}\n  because {output.clean(one.reason)}")
        if one.replay:
            print(f"  replay {output.clean(one.replay)}")
        print(output.plain(one.diff))
    if not arrivals and not proposals:
        print("nothing waits")


def accept(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a skill that waits.")],
    digest: Annotated[
        str, typer.Option("--digest", help="Only if it is exactly what was shown.")
    ] = "",
    json: Json = False,
) -> None:
    """Let a fetched skill in, or accept an edit the agent proposed.

    Example: hermes skills accept deploy-notes
    """
    _answer(name, True, digest)
    _say(name, "accepted", f"{name} counts from now on", json)


def reject(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a skill that waits.")],
    note: Annotated[str, typer.Option("--note", help="Why, for the agent to learn from.")] = "",
    json: Json = False,
) -> None:
    """Throw a fetched skill away, or refuse an edit the agent proposed.

    Example: hermes skills reject deploy-notes --note "we never deploy on Fridays"
    """
    _answer(name, False, note)
    _say(name, "refused", f"{name}: refused", json)


def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of an installed skill.")],
    json: Json = False,
) -> None:
    """Take an installed skill away.

    Example: hermes skills remove pdf
    """
    with_core(lambda client: client.ask(RemoveSkill(name=name)))
    _say(name, "removed", f"{name} is gone", json)


def _say(name: str, state: str, text: str, json: bool) -> None:
    if json:
        output.emit({"name": name, "state": state})
    else:
        print(text)


def _answer(name: str, yes: bool, more: str) -> None:
    arrivals = with_core(lambda client: client.ask(ListArrivals())).arrivals
    if any(one.name == name for one in arrivals):
        intent = AnswerArrival(name=name, accept=yes, digest=more if yes else "")
        with_core(lambda client: client.ask(intent))
        return
    proposals = with_core(lambda client: client.ask(ListSkillProposals())).proposals
    mine = [one for one in proposals if one.name == name]
    if not mine:
        raise NotFoundError(f"nothing of {name!r} waits", "`hermes skills waiting` shows what does")
    reply = AnswerSkillProposal(id=mine[0].id, accept=yes, note="" if yes else more)
    with_core(lambda client: client.ask(reply))


def _decide(found: tuple[SkillArrival, ...], yes: bool, json: bool) -> None:
    """Show what came and have each accepted, refused or left waiting."""
    if json and not yes:
        output.emit(found)
        return
    if not found:
        print("everything is as it was")
    for one in found:
        if not json:
            _show(one)
        if yes or output.confirmed(f"let {one.name} in?"):
            intent = AnswerArrival(name=one.name, accept=True, digest=one.digest)
            with_core(lambda client, intent=intent: client.ask(intent))
            print(f"{one.name} is installed", file=sys.stderr if json else sys.stdout)
        elif not json:
            print(f"{one.name} waits: `hermes skills accept {one.name}` lets it in")
    if json:
        output.emit(found)


def _show(one: SkillArrival) -> None:
    lines = [
        f"{one.name}: {one.what} from {one.source}",
        f"  {output.clean(one.description)}",
        f"  digest {one.digest}",
        f"  {one.files} files, {one.bytes:,} bytes",
    ]
    told = (
        ("commit", one.pinned if one.pinned and "/" not in one.pinned else ""),
        ("takes the place of the skill that is", one.replaces),
        ("tools it declares", ", ".join(one.tools)),
        ("hosts it names", ", ".join(one.hosts)),
        ("keys it names", ", ".join(one.keys)),
        ("scripts", ", ".join(one.scripts)),
        ("files that are no text", ", ".join(one.binaries)),
    )
    lines += [f"  {label}: {output.clean(value)}" for label, value in told if value]
    lines += [f"  ! {t[0]}:{t[1]}: {t[3]}: {output.clean(t[4])}" for t in one.threats]
    lines += [f"  - line {f.line}: {f.text}" for f in one.findings if f.level == "error"]
    print("\n".join(lines))
    print(output.plain(one.diff))

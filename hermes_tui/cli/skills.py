"""`hermes skills`: list, read, check, write, find and export skills; see what became of each."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from hermes_tui.cli import output, skills_files, skills_hub
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    ChangeSkill,
    ListSkills,
    ReadSkill,
    RouteSkills,
    SaveSkill,
    ShowSkill,
    SkillInfo,
    SkillOffers,
    SkillSaved,
    SkillStory,
)
from hermes_tui.runtime.client import CoreClient

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Skills: instructions the agent reads when a task calls for them.\n\n"
    "Example: hermes skills list",
)
skills_files.add_to(app)
skills_hub.add_to(app)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a skill.")]


@app.command("list")
def list_(json: Json = False) -> None:
    """List all skills: bundled, your own, installed, learned, and those of this project.

    Example: hermes skills list --json
    """
    skills = with_core(lambda client: client.ask(ListSkills(cwd=_here()))).skills
    if json:
        output.emit(skills)
        return
    rows = [(s.name, s.origin, _mark(s), _figures(s), _short(s)) for s in skills]
    output.table(rows, ("name", "origin", "", "uses", "what for"))
    if any(skill.problems or skill.held for skill in skills):
        print("\n! `hermes skills lint` says what is wrong")


@app.command()
def show(name: Name, json: Json = False) -> None:
    """Print a skill as the agent reads it.

    Example: hermes skills show review-diff
    """
    if json:
        output.emit(with_core(lambda client: _found(client, name)))
        return
    text = with_core(lambda client: client.ask(ReadSkill(name=name, cwd=_here()))).text
    print(output.plain(text), end="")


@app.command()
def new(
    name: Name,
    description: Annotated[
        str, typer.Option("--description", help="What it does and when to use it.")
    ] = "",
    file: Annotated[
        str, typer.Option("--file", help="Take the text from this file; - reads standard input.")
    ] = "",
    json: Json = False,
) -> None:
    """Write a new skill of your own, in your editor or from a file.

    Example: hermes skills new water-plants --description "Water the plants when they are dry."
    """
    text = skills_files.first_text(name, description)
    if file:
        text = sys.stdin.read() if file == "-" else _contents(Path(file))
    elif sys.stdin.isatty():
        text = skills_files.in_editor(text, name)
    saved = with_core(
        lambda client: client.ask(SaveSkill(name=name, text=text, create=True, reason="written"))
    )
    _say_saved(saved, json)


@app.command()
def edit(
    name: Name,
    file: Annotated[
        str, typer.Option("--file", help="Take the text from this file; - reads standard input.")
    ] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why, for the history.")] = "",
    json: Json = False,
) -> None:
    """Change a skill; changes to a bundled or installed one are kept apart, so updates still come.

    Example: hermes skills edit review-diff
    """
    old = with_core(lambda client: client.ask(ReadSkill(name=name))).text
    if file:
        text = sys.stdin.read() if file == "-" else _contents(Path(file))
    elif sys.stdin.isatty():
        text = skills_files.in_editor(old, name)
    else:
        raise HermesError("there is no terminal to edit in", "give the new text with --file")
    if text == old and not json:
        print("nothing was changed")
        return
    saved = with_core(
        lambda client: client.ask(SaveSkill(name=name, text=text, reason=reason or "edited"))
    )
    _say_saved(saved, json)


@app.command()
def enable(name: Name, json: Json = False) -> None:
    """Switch a skill on; a text that was held for what it says is let in as it is now.

    Example: hermes skills enable review-diff
    """
    saved = with_core(lambda client: client.ask(ChangeSkill(name=name, action="on")))
    _say(saved, f"{name} is on", json)


@app.command()
def disable(name: Name, json: Json = False) -> None:
    """Switch a skill off: the agent is not told of it and can't read it.

    Example: hermes skills disable review-diff
    """
    saved = with_core(lambda client: client.ask(ChangeSkill(name=name, action="off")))
    _say(saved, f"{name} is off", json)


@app.command()
def history(
    name: Name,
    json: Json = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what each version changed.")] = False,
) -> None:
    """Show the versions of a skill: who changed it, when and why.

    Example: hermes skills history deploy-notes --diff
    """
    story = with_core(lambda client: client.ask(ShowSkill(name=name)))
    if json:
        output.emit(story)
        return
    if not story.versions:
        print(f"{name} has not been changed")
    for one in story.versions:
        lost = f", {one.lost:.0%} of what it said is gone" if one.lost >= 0.1 else ""
        why = f": {output.clean(one.reason)}" if one.reason else ""
        source = f" ({one.source})" if one.source else ""
        print(f"v{one.n}  {output.when(one.ts)}  {one.by}{why}{source}{lost}")
        if diff and one.diff:
            print(output.plain(one.diff))


@app.command()
def undo(
    name: Name,
    version: Annotated[
        int, typer.Option("--version", metavar="N", min=0, help="Go back to this version.")
    ] = 0,
    json: Json = False,
) -> None:
    """Take the last change of a skill back; again goes one further back.

    Example: hermes skills undo deploy-notes
    """
    action = "restore" if version else "undo"
    intent = ChangeSkill(name=name, action=action, version=version)
    _say_saved(with_core(lambda client: client.ask(intent)), json)


@app.command()
def route(
    task: Annotated[
        list[str] | None, typer.Argument(metavar="TASK", help="A task, in your own words.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=100, help="At most this many.")
    ] = 8,
    json: Json = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read {"id","task"} lines, write {"id","skills"} lines.')
    ] = False,
) -> None:
    """Show which skills fit a task, best first; those marked * would be offered.

    Example: hermes skills route "why does this test fail only in CI?"
    """
    if jsonl:
        with_core(lambda client: skills_files.stream_routes(client, limit, _here()))
        return
    text = " ".join(task or ())
    if not text.strip():
        raise HermesError("there is no task to find skills for", "hermes skills route TASK")
    intent = RouteSkills(task=text, limit=limit, cwd=_here())
    found = with_core(lambda client: client.ask(intent))
    if json:
        output.emit({"task": text, "skills": found.offers, "of": found.skills, "ms": found.ms})
    else:
        _print_routes(found)


@app.command()
def stats(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Only this skill.")] = "",
    json: Json = False,
) -> None:
    """Show how often skills were used, and how it went.

    Example: hermes skills stats
    """
    if name:
        _print_story(with_core(lambda client: client.ask(ShowSkill(name=name))), json)
        return
    skills = with_core(lambda client: client.ask(ListSkills())).skills
    used = sorted((s for s in skills if s.uses), key=lambda s: (-s.uses, s.name))
    if json:
        keys = ("name", "origin", "state", "version", "uses", "worked", "judged", "last_used")
        output.emit([{key: getattr(one, key) for key in keys} for one in used])
        return
    rows = [
        (s.name, s.state or s.origin, str(s.uses), _success(s), output.when(s.last_used))
        for s in used
    ]
    output.table(rows, ("name", "state", "uses", "worked", "last used"))


@app.command()
def review(json: Json = False) -> None:
    """Go through the learned skills: end what is over, archive what is unused or double.

    Example: hermes skills review
    """
    from hermes_tui.cli.learning import print_review

    print_review(json)


async def _found(client: CoreClient, name: str) -> dict[str, object]:
    text = (await client.ask(ReadSkill(name=name, cwd=_here()))).text
    skills = (await client.ask(ListSkills(cwd=_here()))).skills
    info = next(one for one in skills if one.name == name)
    return {"skill": info, "text": text}


def _say_saved(saved: SkillSaved, json: bool) -> None:
    lost = f"; {saved.lost:.0%} of what it said is gone" if saved.lost >= 0.1 else ""
    _say(saved, f"{saved.name}: version {saved.version}{lost}", json)


def _say(saved: SkillSaved, text: str, json: bool) -> None:
    if json:
        output.emit(saved)
    else:
        print(text)


def _print_routes(found: SkillOffers) -> None:
    if not found.offers:
        print("no skill fits", file=sys.stderr)
    rows = [
        (
            "*" if one.offered else "",
            one.name,
            f"{one.share:.2f}",
            output.clean(one.description)[:80],
        )
        for one in found.offers
    ]
    if rows:
        output.table(rows, ("", "name", "fits", "what for"))


def _print_story(story: SkillStory, json: bool) -> None:
    if json:
        output.emit(story.uses)
        return
    rows = [
        (output.when(one.ts), f"v{one.version}", one.outcome or "?", output.clean(one.task)[:60])
        for one in story.uses
    ]
    output.table(rows, ("when", "version", "outcome", "task"))


def _contents(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HermesError(f"{path} can't be read: {error}") from error


def _here() -> str:
    return os.getcwd()


def _mark(skill: SkillInfo) -> str:
    if skill.problems or skill.held:
        return "!"
    if not skill.on or skill.state == "archived":
        return "off"
    return "edit?" if skill.proposal else ""


def _figures(skill: SkillInfo) -> str:
    return f"{skill.uses}" if skill.uses else ""


def _success(skill: SkillInfo) -> str:
    return f"{skill.worked} of {skill.judged}" if skill.judged else ""


def _short(skill: SkillInfo) -> str:
    first = (skill.held or skill.description).split(". ")[0].rstrip(".")
    return first if len(first) <= 90 else first[:89] + "…"

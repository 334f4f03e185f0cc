"""`hermes skills`: list and show skills, and check them against the rules of the format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hermes_tui.cli import output
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import NotFoundError
from hermes_tui.home import Home
from hermes_tui.skills.library import Library, load
from hermes_tui.skills.skill import FILE, Skill

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Skills: instructions the agent reads when a task calls for them.\n\n"
    "Example: hermes skills list",
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(json: Json = False) -> None:
    """List all skills, bundled and your own.

    Example: hermes skills list --json
    """
    skills = Library(Home.find()).all()
    if json:
        output.emit([_shown(skill) for skill in skills])
        return
    rows = [(s.name, s.origin, "!" if s.problems else "", _short(s)) for s in skills]
    output.table(rows, ("name", "origin", "", "what for"))
    if any(skill.problems for skill in skills):
        print("\n! `hermes skills check` says what is wrong")


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a skill.")],
    json: Json = False,
) -> None:
    """Print a skill.

    Example: hermes skills show review-diff
    """
    library = Library(Home.find())
    if json:
        output.emit(library.find(name))
    else:
        print(output.plain(library.read(name)), end="")


@app.command()
def check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Names, or folders of skills.")
    ] = None,
    json: Json = False,
) -> None:
    """Check skills against the rules; exit code 1 when one breaks them.

    Example: hermes skills check ./my-skill
    """
    library = Library(Home.find())
    skills = [_named(library, name) for name in names] if names else list(library.all())
    broken = [skill for skill in skills if skill.problems]
    if json:
        output.emit([_shown(skill) for skill in skills])
    else:
        for skill in broken:
            print(f"{skill.path}\n" + "\n".join(f"  {output.clean(one)}" for one in skill.problems))
        print(f"{len(skills)} skills, {len(broken)} with problems")
    if broken:
        raise typer.Exit(1)


def _named(library: Library, name: str) -> Skill:
    path = Path(name)
    file = path if path.name == FILE else path / FILE
    if file.is_file():
        return load(file.resolve(), "user")
    if "/" in name:
        raise NotFoundError(f"{name} holds no {FILE}", "name a folder with a SKILL.md in it")
    return library.find(name)


def _shown(skill: Skill) -> dict[str, object]:
    return {
        "name": skill.name,
        "description": skill.description,
        "origin": skill.origin,
        "path": skill.path,
        "problems": skill.problems,
    }


def _short(skill: Skill) -> str:
    first = skill.description.split(". ")[0].rstrip(".")
    return first if len(first) <= 90 else first[:89] + "…"

"""`hermes skills lint`, `export`, and what writing a skill on the command line takes."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import Struct

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.home import Home
from hermes_tui.intents import CheckSkill, RouteSkills, SkillCheck, SkillFinding
from hermes_tui.runtime.client import CoreClient
from hermes_tui.skills.export import export
from hermes_tui.skills.library import Library
from hermes_tui.skills.linting import FileFinding, lint_folder, skill_folders
from hermes_tui.skills.skill import FILE, Skill, render, repaired
from hermes_tui.skills.tree import write_text

_BODY = """\
# {title}

Say what is to be done, in steps that can be checked.

1. Look at …
2. Do …
3. Check that …
"""


class _Asked(Struct, frozen=True):
    id: str | int
    task: str


def add_to(app: typer.Typer) -> None:
    """Add the commands to `hermes skills`."""
    app.command("lint")(lint)
    app.command("check")(check)
    app.command("export")(export_)


def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH]", help="SKILL.md files, folders of skills, or names."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Put quotes right where they lack.")] = False,
) -> None:
    """Check skills against the rules of the format; exit code 1 when one breaks them.

    Example: hermes skills lint ./my-skill
    """
    files = _files(paths or [])
    if fix:
        for file in files:
            _fix(file)
    found = [one for file in files for one in lint_folder(file)]
    bad = any(one.level == "error" for one in found)
    if json:
        output.emit({"skills": len(files), "ok": not bad, "findings": found})
    else:
        _print(found, len(files))
    if bad:
        raise typer.Exit(1)


def check(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a skill.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Try a skill's own checks, commands and all; exit code 1 when one fails.

    Example: hermes skills check write-commit-message
    """
    asked = CheckSkill(name=name, text="", run=True)
    found = with_core(lambda client: client.ask(asked))
    errors = [one for one in found.findings if one.level == "error"]
    bad = bool(errors) or any(one.ok is False for one in found.checks)
    if json:
        output.emit({"skill": name, "ok": not bad, **msgspec.to_builtins(found)})
    else:
        _print_checks(found, errors)
    if bad:
        raise typer.Exit(1)


def _print_checks(found: SkillCheck, errors: Sequence[SkillFinding]) -> None:
    for one in errors:
        print(f"line {one.line}: {output.clean(one.text)}")
    for promise in found.checks:
        mark = {True: "ok", False: "fails", None: "not run"}[promise.ok]
        why = f" ({output.clean(promise.said)})" if promise.said and not promise.ok else ""
        print(f"{mark:<8} {output.clean(promise.check)}{why}")
    if not found.checks:
        print("no checks: a file `checks` beside SKILL.md holds them")


def export_(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]", help="Names of skills.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All skills but bundled ones as they came.")
    ] = False,
    to: Annotated[str, typer.Option("--to", metavar="FOLDER", help="Where they go.")] = ".",
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write skills as standard folders, your changes merged in, for any agent to read.

    Example: hermes skills export --all --to ~/my-skills
    """
    if not names and not everything:
        raise HermesError("which skills?", "hermes skills export NAME, or --all")
    made = export(Library(Home.find()), tuple(names or ()), Path(os.path.expanduser(to)), force)
    if json:
        output.emit([{"name": path.name, "path": str(path)} for path in made])
        return
    for path in made:
        print(path)


async def stream_routes(client: CoreClient, limit: int, cwd: str) -> None:
    """Answer `{"id","task"}` lines of standard input with `{"id","skills"}` lines."""
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            asked = msgspec.json.decode(line, type=_Asked)
        except msgspec.MsgspecError as error:
            raise HermesError(
                f"standard input, line {number}: {error}", 'it reads {"id": "1", "task": "words"}'
            ) from error
        found = await client.ask(RouteSkills(task=asked.task, limit=limit, cwd=cwd))
        output.emit_line({"id": asked.id, "skills": found.offers, "ms": found.ms})


def first_text(name: str, description: str) -> str:
    """The text a new skill begins with. Raises HermesError for a name that can't be."""
    told = description or f"{name.replace('-', ' ').capitalize()}. Use when …"
    body = _BODY.format(title=name.replace("-", " ").capitalize())
    return render(Skill(name=name, description=told, body=body))


def in_editor(text: str, name: str) -> str:
    """The text as the person leaves it in their editor."""
    from hermes_tui.backends.process import run_in_terminal

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{name}.{FILE}")
        file.write_text(text, "utf-8")
        code = run_in_terminal([*shlex.split(editor), str(file)], env=dict(os.environ))
        if code:
            raise HermesError(f"{editor} ended with code {code}", "nothing was changed")
        return file.read_text("utf-8")


def _files(paths: list[str]) -> list[Path]:
    library = Library(Home.find())
    if not paths:
        return [Path(one.path) for one in library.all()]
    found: list[Path] = []
    for path in paths:
        files = skill_folders(Path(os.path.expanduser(path)))
        if not files and os.sep in path:
            raise NotFoundError(f"{path} holds no {FILE}", "name a folder with a SKILL.md in it")
        found += files or [Path(library.find(path).path)]
    return found


def _fix(file: Path) -> None:
    """Write a file anew when nothing but quotes is wrong with it."""
    if not any(one.rule == "quotes" for one in lint_folder(file)):
        return
    text = repaired(file.read_text("utf-8"), file.parent.name)
    write_text(file, text)
    print(f"{file}: quotes put right", file=sys.stderr)


def _print(found: list[FileFinding], count: int) -> None:
    for one in found:
        print(f"{one.path}:{one.line}: {one.level}: {output.clean(one.text)}")
    broken = len({one.path for one in found if one.level == "error"})
    print(f"{count} skill{'s'[: count != 1]}, {broken} with errors")

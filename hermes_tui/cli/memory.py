"""`hermes memory`: what is remembered, from the command line and for scripts."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.intents import (
    AddFact,
    AskMemory,
    EditFact,
    ExportMemory,
    Fact,
    ForgetFact,
    ImportMemory,
    Intent,
    ListFacts,
    MergeFacts,
    ShowFact,
    UndoMemory,
    Written,
)

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Memory: what the agent remembers of you and your work, each line with its source.\n\n"
    "Example: hermes memory add 'I prefer short answers'",
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Which = Annotated[str, typer.Argument(metavar="ID|TEXT", help="An id such as m12, or its text.")]
Kind = Annotated[
    str,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="fact, about, preference, instruction, pattern, expertise, relation, project.",
    ),
]
Scope = Annotated[
    str, typer.Option("--scope", metavar="SCOPE", help="person, folder, chat or everyone.")
]
Folder = Annotated[
    str, typer.Option("--folder", metavar="PATH", help="The project folder of scope folder.")
]
FILES = {"memory": "MEMORY.md", "user": "USER.md", "jsonl": "memory.jsonl"}


@app.command("list")
def list_(
    query: Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="Any words.")] = None,
    card: Annotated[bool, typer.Option("--card", help="Only what is about you.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what was replaced or forgotten.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1)] = 1_000_000,
    json: Json = False,
) -> None:
    """List what is remembered, or what fits some words.

    Example: hermes memory list caddy --json
    """
    intent = ListFacts(query=" ".join(query or ()), card=card, everything=everything, limit=limit)
    found = with_core(lambda client: client.ask(intent))
    if json:
        output.emit(found.facts)
        return
    rows = [(f.id, f.kind, _where(f), _state(f), f.text) for f in found.facts]
    if rows:
        output.table(rows, ("id", "kind", "scope", "state", "statement"))
    print(f"{len(rows)} shown, {found.kept} count", file=sys.stderr)


@app.command()
def show(which: Which, json: Json = False) -> None:
    """Show everything about one statement: sources, changes, uses, look-alikes.

    Example: hermes memory show m12
    """
    story = with_core(lambda client: client.ask(ShowFact(which=which)))
    if json:
        output.emit(story)
        return
    fact = story.fact
    print(f"{fact.id}  {output.clean(fact.text)}")
    print(f"{fact.kind}, {_where(fact)}, {_state(fact) or 'current'}; used {fact.uses} times")
    for source in fact.sources:
        where = output.clean(source.title) or source.session
        print(f"  from {source.who}  {output.when(source.ts)}  {where}  {source.message}".rstrip())
    for change in story.changes:
        undone = " (taken back)" if change.undone else ""
        after = output.clean(change.after)
        did = f"{change.op} {change.batch}{undone}: {change.state}"
        print(f"  {output.when(change.ts)}  {did}  {after}")
    for use in story.uses:
        print(f"  {output.when(use.ts)}  told to {use.session}: {output.clean(use.why)}")
    for near in story.alike:
        print(f"  looks like {near.id}  {output.clean(near.text)}")


@app.command()
def add(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="One statement.")],
    kind: Kind = "",
    scope: Scope = "",
    folder: Folder = "",
    json: Json = False,
) -> None:
    """Remember a statement.

    Example: hermes memory add --scope folder 'Deploys go through make ship'
    """
    place = os.path.realpath(folder or os.getcwd()) if folder or scope == "folder" else ""
    scope = scope or ("folder" if folder else "")
    _write(AddFact(text=" ".join(text), kind=kind, scope=scope, place=place), json)


@app.command()
def edit(
    which: Which,
    text: Annotated[list[str], typer.Argument(metavar="NEW TEXT")],
    force: Annotated[bool, typer.Option("--force", help="Even if it guts a long text.")] = False,
    json: Json = False,
) -> None:
    """Change a statement's wording; what it was stays to be taken back to.

    Example: hermes memory edit m12 'I prefer long answers'
    """
    _write(EditFact(which=which, text=" ".join(text), force=force), json)


@app.command("set")
def set_(
    which: Which, kind: Kind = "", scope: Scope = "", folder: Folder = "", json: Json = False
) -> None:
    """Give a statement another kind or scope.

    Example: hermes memory set m12 --scope folder --folder ~/blog
    """
    place = os.path.realpath(folder or os.getcwd()) if folder or scope == "folder" else ""
    scope = scope or ("folder" if folder else "")
    _write(EditFact(which=which, kind=kind, scope=scope, place=place), json)


@app.command()
def pin(
    which: Which,
    off: Annotated[bool, typer.Option("--off", help="Let it go.")] = False,
    json: Json = False,
) -> None:
    """Keep a statement in every prompt.

    Example: hermes memory pin m12
    """
    _write(EditFact(which=which, pinned=not off), json)


@app.command()
def confirm(which: Which, json: Json = False) -> None:
    """Let a candidate count, or settle a dispute in favour of this statement.

    Example: hermes memory confirm m12
    """
    _write(EditFact(which=which, state="current"), json)


@app.command()
def merge(
    keep: Annotated[str, typer.Argument(metavar="ID")],
    other: Annotated[str, typer.Argument(metavar="ID")],
    text: Annotated[list[str] | None, typer.Argument(metavar="TEXT")] = None,
    json: Json = False,
) -> None:
    """Make one statement of two.

    Example: hermes memory merge m3 m12
    """
    _write(MergeFacts(keep=keep, other=other, text=" ".join(text or ())), json)


@app.command()
def forget(
    which: Which,
    erase: Annotated[
        bool, typer.Option("--erase", help="Every byte of it, with no way back.")
    ] = False,
    json: Json = False,
) -> None:
    """Forget a statement; `hermes memory undo` brings it back.

    Example: hermes memory forget m12
    """
    _write(ForgetFact(which=which, erase=erase), json)


@app.command()
def undo(
    batch: Annotated[int, typer.Argument(metavar="[CHANGE]", min=0, help="Its number.")] = 0,
    json: Json = False,
) -> None:
    """Take back the last change, or the one of that number.

    Example: hermes memory undo
    """
    _write(UndoMemory(batch=batch), json)


@app.command()
def ask(
    question: Annotated[list[str], typer.Argument(metavar="QUESTION")],
    json: Json = False,
) -> None:
    """Ask what is known about you: an answer with its sources, or that it is not known.

    Example: hermes memory ask which editor do I use
    """
    text = with_core(lambda client: client.ask(AskMemory(question=" ".join(question)))).text
    if json:
        output.emit({"answer": text})
    else:
        print(output.plain(text))


@app.command("export")
def export(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Where the files go.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="All fields and states, a line of JSON each.")
    ] = False,
) -> None:
    """Write MEMORY.md and USER.md, entries parted by lines with a `§`; --json: everything.

    Without a folder the text goes to standard output.

    Example: hermes memory export ~/notes
    """
    for what in ("jsonl",) if json else ("memory", "user"):
        intent = ExportMemory(what=what)
        text = with_core(lambda client, intent=intent: client.ask(intent)).text
        if folder is None:
            sys.stdout.write(text if json else f"# {FILES[what]}\n{text}\n")
            continue
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILES[what]
        _replace(path, text)
        print(path)


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(metavar="FILE|FOLDER", help="- for standard input.")],
    user: Annotated[bool, typer.Option("--user", help="Entries are about you.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Forget what is not in it.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Even if that is most of it.")] = False,
    json: Json = False,
) -> None:
    """Take in MEMORY.md, USER.md or an export; a folder: all that it has of them.

    Example: hermes memory import ~/.hermes/memories
    """
    written: list[Written] = []
    for text, what in _files(path, user):
        intent = ImportMemory(text=text, what=what, replace=replace, force=force)  # type: ignore[arg-type]
        written.append(with_core(lambda client, intent=intent: client.ask(intent)))
    if json:
        output.emit(written)
    else:
        for one in written:
            _say(one)


def _files(path: Path, user: bool) -> list[tuple[str, str]]:
    """(text, what it is) of what is to be taken in. Raises HermesError."""
    if str(path) == "-":
        text = sys.stdin.read()
        return [(text, "jsonl" if text.lstrip().startswith("{") else "user" if user else "memory")]
    if path.is_dir():
        found = [(path / name, what) for what, name in FILES.items() if (path / name).is_file()]
        if not found:
            raise NotFoundError(f"{path} holds no {', '.join(FILES.values())}")
        return [(_read(file), what) for file, what in found]
    what = "user" if user or path.name == FILES["user"] else "memory"
    return [(_read(path), "jsonl" if path.suffix == ".jsonl" else what)]


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise HermesError(f"{path} can't be read: {error}") from error


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(path.name + ".new")
    try:
        beside.write_text(text, "utf-8")
        beside.replace(path)
    except OSError as error:
        raise HermesError(f"{path} can't be written: {error}") from error


def _write(intent: Intent[Written], json: bool) -> None:
    written = with_core(lambda client: client.ask(intent))
    if json:
        output.emit(msgspec.to_builtins(written))
    else:
        _say(written)


def _say(written: Written) -> None:
    print(output.clean(written.text))
    if written.batch:
        print(f"`hermes memory undo {written.batch}` takes it back", file=sys.stderr)


def _where(fact: Fact) -> str:
    return f"{fact.scope} {fact.place}" if fact.place else fact.scope


def _state(fact: Fact) -> str:
    notes = [] if fact.state == "current" else [fact.state]
    notes += ["pinned"] if fact.pinned else []
    notes += [fact.taint] if fact.taint else []
    return " ".join(notes)

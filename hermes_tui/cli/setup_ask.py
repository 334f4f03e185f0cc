"""The three questions of `hermes setup`, in plain lines: which model, does it answer, try it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from hermes_tui.cli import output
from hermes_tui.config import ModelConfig
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.home import Home
from hermes_tui.models import first_run

_SHOWN = 20


class Skipped(Exception):
    """The person left a question unanswered."""


def questions(home: Home) -> None:
    """Ask until a model answers and is kept, or the person skips."""
    try:
        while not _once(home):
            continue
    except (Skipped, EOFError):
        print("\nnothing was changed; `hermes setup` asks again")


def local(home: Home, which: str = "") -> first_run.Chosen:
    """The embedded model as the choice: a GGUF file that is there, or one that is fetched now."""
    if "/" in which or which.endswith(".gguf"):
        path = Path(which).expanduser().resolve()
        if not path.is_file():
            raise NotFoundError(f"there is no file {path}", "give the path of a GGUF file")
        return first_run.Chosen(model=ModelConfig(provider="embedded", file=str(path)))
    file = asyncio.run(first_run.fetch_local(home, which, _progress))
    named = str(file) if which else ""
    return first_run.Chosen(model=ModelConfig(provider="embedded", file=named))


def _once(home: Home) -> bool:
    print("1/3  Which model?  (looking for keys and local servers …)", flush=True)
    chosen = _choose(home)
    print("2/3  Does it answer?  … ", end="", flush=True)
    try:
        proof = asyncio.run(first_run.try_out(chosen, home, os.environ))
    except HermesError as error:
        print(f"no.\n     {error.message}\n     {error.hint}\n")
        return False
    print(f"yes: {output.clean(proof.text)!r} after {proof.seconds:.1f} s")
    first_run.keep(chosen, home)
    _try_it()
    return True


def _choose(home: Home) -> first_run.Chosen:
    found = asyncio.run(first_run.choices(home, os.environ))
    lines = [f"{one.provider}: {first_run.describe(one)}" for one in found]
    lines += ["another endpoint (address, name, key)", "fetch a small model that needs no key"]
    for number, line in enumerate(lines, 1):
        print(f"  {number}  {output.clean(line)}")
    picked = _number(f"     1-{len(lines)}, Enter for 1, s to skip: ", len(lines))
    if picked == len(lines):
        return local(home)
    if picked == len(lines) - 1:
        return _endpoint()
    return _model(found[picked - 1])


def _model(candidate: first_run.Candidate) -> first_run.Chosen:
    """Which of an endpoint's models; asked only when it offers several."""
    names = candidate.models
    if len(names) < 2:
        return first_run.Chosen(model=candidate.config())
    for number, name in enumerate(names[:_SHOWN], 1):
        print(f"  {number}  {output.clean(name)}")
    picked = _number("     which one? Enter for 1, s to skip: ", min(len(names), _SHOWN))
    return first_run.Chosen(model=candidate.config(names[picked - 1]))


def _endpoint() -> first_run.Chosen:
    from getpass import getpass

    base_url = _line("     address, such as http://127.0.0.1:11434/v1: ")
    name = input("     model (Enter: the first it offers): ").strip()
    key = getpass("     key (Enter: none; it is not shown): ").strip()
    return first_run.custom(base_url, name, key)


def _number(question: str, last: int) -> int:
    while True:
        answer = input(question).strip().lower()
        if answer in ("s", "skip", "q"):
            raise Skipped
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= last:
            return int(answer)
        if not answer:
            return 1


def _line(question: str) -> str:
    answer = input(question).strip()
    if not answer:
        raise Skipped
    return answer


def _try_it() -> None:
    text = input("3/3  Try it: ask something, or Enter to finish: ").strip()
    if not text:
        print("     kept; `hermes` starts")
        return
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "hermes_tui.launcher", "-z", text])


def _progress(done: int, whole: int) -> None:
    """One line that grows on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        return
    share = done / whole if whole else 0.0
    bar = "█" * int(share * 30)
    line = f"\r  {bar:░<30} {share:4.0%}  {done / 1e6:,.0f} of {whole / 1e6:,.0f} MB"
    print(line, end="\n" if done >= whole else "", file=sys.stderr, flush=True)

"""The picker of `hermes model`: which provider, then which of the models it offers right now."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from msgspec.structs import replace

from hermes_tui.cli import output
from hermes_tui.errors import ModelError
from hermes_tui.home import Home
from hermes_tui.models import first_run

_SHOWN = 20


def pick(home: Home) -> first_run.Chosen | None:
    """Ask which model shall answer; None when the person thinks better of it."""
    found = asyncio.run(first_run.choices(home, os.environ))
    if not found:
        print("no key and no local server was found; `hermes auth add PROVIDER` or `hermes setup`")
        return None
    for number, one in enumerate(found, 1):
        print(f"  {number}  {one.provider}: {output.clean(first_run.describe(one))}")
    number = _answered(f"whose? 1-{len(found)}, Enter for none: ", len(found))
    if number is None:
        return None
    candidate = found[number - 1]
    offered = _offered(candidate, home)
    names = offered or candidate.models
    name = names[0] if len(names) == 1 else _named(names)
    if name is None and names:
        return None
    return first_run.Chosen(model=candidate.config(name or ""))


def _offered(candidate: first_run.Candidate, home: Home) -> tuple[str, ...]:
    """The models a provider offers, none where it can't be asked."""
    from hermes_tui.models.choose import list_models

    if candidate.kind == "embedded":
        return ()
    config = replace(candidate.config(), name="")
    try:
        return tuple(sorted(asyncio.run(list_models(config, home, os.environ))))
    except ModelError as error:
        print(f"  {output.clean(error.message)}")
        return ()


def _named(names: Sequence[str]) -> str | None:
    """One of many names, by number, or by typing a part until few are left."""
    left = list(names)
    while True:
        for number, name in enumerate(left[:_SHOWN], 1):
            print(f"  {number:2}  {output.clean(name)}  {_known(name)}".rstrip())
        if len(left) > _SHOWN:
            print(f"      … and {len(left) - _SHOWN} more")
        answer = input("which? a number, a part of its name, Enter for none: ").strip().lower()
        if not answer:
            return None
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(left[:_SHOWN]):
            return left[int(answer) - 1]
        exact = [name for name in names if name.lower() == answer]
        if exact:
            return exact[0]
        left = [name for name in names if answer in name.lower()] or left


def _known(name: str) -> str:
    """Window and price in a few characters, as far as they are known."""
    from hermes_tui.models.prices import known

    found = known(name)
    if found is None:
        return ""
    price = found.price()
    window = f"{found.window // 1000}k" if found.window else ""
    cost = f"${price.prompt:g}/${price.completion:g}" if price is not None else ""
    return " ".join(part for part in (window, cost) if part)


def _answered(question: str, last: int) -> int | None:
    while True:
        answer = input(question).strip()
        if not answer:
            return None
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= last:
            return int(answer)

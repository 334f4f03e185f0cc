"""`hermes policy why`: what was asked, what was decided, and what that rests on."""

from __future__ import annotations

from typing import Annotated

import typer
from msgspec import Struct

from hermes_tui.cli import audit_words, output, policy_rules
from hermes_tui.errors import NotFoundError
from hermes_tui.home import Home
from hermes_tui.security.audit import AuditLine
from hermes_tui.security.audit_check import entries

_SHORTEST = 4


class Story(Struct, frozen=True, kw_only=True):
    """One call in the audit log: each decision about it and each answer, the oldest first."""

    lines: tuple[AuditLine, ...]

    @property
    def first(self) -> AuditLine:
        """The decision it began with."""
        return self.lines[0]


def register(group: typer.Typer) -> None:
    """Add the command to `hermes policy`."""
    group.command("why")(why)


def why(
    which: Annotated[
        str,
        typer.Argument(
            metavar="LAST|ID",
            help="The newest decision, or one by its line in the audit log, or by its call.",
        ),
    ] = "LAST",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say why something ran, asked or was refused.

    Example: hermes policy why LAST
    """
    story = find(tuple(entries(Home.find().audit)), which)
    told = sentences(story)
    if json:
        output.emit({"id": story.first.n, "sentences": told, "entries": story.lines})
        return
    for line in told:
        print(line)


def find(lines: tuple[AuditLine, ...], which: str) -> Story:
    """The story of a line number, a call, a question, or the newest one. Raises NotFoundError."""
    about = [one for one in lines if one.kind in ("decided", "answered", "unknown", "blocked")]
    named = [one for one in reversed(about) if _is(one, which)]
    if not named:
        hint = "`hermes audit list` shows what there is"
        raise NotFoundError(f"the audit log has no decision {which!r}", hint)
    return Story(lines=_together(about, named[0]))


def _is(one: AuditLine, which: str) -> bool:
    if which.upper() == "LAST":
        return one.kind == "decided"
    if which.isdigit() and one.n == int(which):
        return True
    return len(which) >= _SHORTEST and any(
        name.startswith(which) for name in (one.call_id, one.ask_id, one.digest) if name
    )


def _together(about: list[AuditLine], one: AuditLine) -> tuple[AuditLine, ...]:
    """Everything about the call that a line is about."""
    call = one.call_id or next(
        (other.call_id for other in about if one.ask_id and other.ask_id == one.ask_id), ""
    )
    mine = [o for o in about if o.session == one.session]
    asked = {o.ask_id for o in mine if call and o.call_id == call and o.ask_id}
    kept = tuple(o for o in mine if (call and o.call_id == call) or o.ask_id in asked)
    return kept or (one,)


def sentences(story: Story) -> list[str]:
    """The story in words, a sentence each."""
    told: list[str] = []
    wish = ""
    for one in story.lines:
        stamp = f"[{one.n}, {output.when(one.ts)}]"
        if one.kind == "decided":
            if (asked := audit_words.asked_for(one)) != wish:
                told.append(asked)
                wish = asked
            told.append(f"{stamp} {audit_words.decision(one)}")
            told += [_rule(rule) for rule in one.rules]
        else:
            told.append(f"{stamp} {_capital(audit_words.sentence(one))}.")
    circumstances = audit_words.circumstances(story.first)
    return [output.clean(line) for line in (*told, circumstances) if line]


def _rule(rule: str) -> str:
    place = policy_rules.places(Home.find()).get(rule, "")
    return f"The rule is `{rule}`" + (f", in {place}." if place else ", of this session.")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

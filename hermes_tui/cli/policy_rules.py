"""`hermes policy rules`: each standing rule, where it stands, what it covers, when it was used."""

from __future__ import annotations

import os
import shlex
from difflib import get_close_matches
from typing import Annotated, Any, Literal, cast

import typer
from msgspec import Struct

from hermes_tui.cli import output
from hermes_tui.configuration import yaml_file
from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.security.audit_check import entries
from hermes_tui.security.commands_rules import rule_words

NETWORK = "network"  # as in `agent.network`: the hosts that commands may reach


class Rule(Struct, frozen=True, kw_only=True):
    """One standing rule. place: file and line; used: how often a decision rested on it; last: when
    that was, in Unix seconds, 0 for never.
    """

    rule: str
    effect: Literal["allow", "deny"]
    place: str
    covers: str
    used: int = 0
    last: float = 0.0


def register(group: typer.Typer) -> None:
    """Add the command to `hermes policy`."""
    group.command("rules")(rules)


def rules(
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the standing rules: where each comes from, what it covers, whether it was ever used.

    Example: hermes policy rules --json
    """
    found = standing(Home.find())
    if json:
        output.emit(found)
        return
    if not found:
        print("no rules yet: `always` as the answer to a question makes one")
        return
    for one in found:
        print(f"{one.effect:<5}  {output.clean(one.rule)}")
        print(f"       {output.clean(one.covers)}")
        used = f"used {one.used} times, last {output.when(one.last)}" if one.used else "never used"
        print(f"       {one.place}; {used}")


def standing(home: Home) -> list[Rule]:
    """All rules of a home, in the order of the file."""
    from hermes_tui.tools.registry import build

    config = load(home, os.environ).config
    policy = config.policy
    tools = {*build(config.tools), NETWORK}
    where = places(home)
    used = _used(home)
    effects = (("deny", policy.deny), ("allow", policy.allow))
    return [
        Rule(
            rule=rule,
            effect=effect,
            place=where.get(rule, home.config.name),
            covers=covers(rule) + _unknown(rule, tools),
            used=used.get(rule, (0, 0.0))[0],
            last=used.get(rule, (0, 0.0))[1],
        )
        for effect, listed in cast("Any", effects)
        for rule in listed
    ]


def places(home: Home) -> dict[str, str]:
    """`config.yaml:LINE` of every rule in the file."""
    text = yaml_file.read(home.config) or ""
    root = yaml_file.compose(text, home.config)
    found: dict[str, str] = {}
    for section, below in yaml_file.pairs(root):
        if section.value != "policy":
            continue
        for key, items in yaml_file.pairs(below):
            if key.value not in ("allow", "deny") or not items.tag.endswith(":seq"):
                continue
            for item in cast("list[yaml_file.Node]", items.value):
                place = f"{home.config.name}:{item.start_mark.line + 1}"
                found.setdefault(str(item.value), place)
    return found


def _used(home: Home) -> dict[str, tuple[int, float]]:
    """How often and when last each rule was what a decision rested on."""
    found: dict[str, tuple[int, float]] = {}
    for one in entries(home.audit):
        for rule in one.rules if one.kind == "decided" else ():
            count, last = found.get(rule, (0, 0.0))
            found[rule] = (count + 1, max(last, one.ts))
    return found


def _unknown(rule: str, tools: set[str]) -> str:
    """A word on a rule for a tool that is not there: mistyped, or of a server not connected."""
    name = rule.partition(" ")[0]
    if name in tools or "__" in name or "." in name:
        return ""
    near = get_close_matches(name, tools, n=1, cutoff=0.6)
    return f"; but there is no tool {name}" + (f" (nearest: {near[0]})" if near else "")


def _host(subject: str) -> str:
    from hermes_tui.backends.egress_names import HostRule, NameRefusedError

    try:
        rule = HostRule(subject)
    except NameRefusedError as error:
        return f"nothing: {error}"
    below = "every host below " if rule.below else ""
    return f"what commands read from and send to {below}{rule.host}"


def covers(rule: str) -> str:
    """What a rule covers, in words."""
    tool, _, subject = rule.partition(" ")
    if not subject:
        return "nothing: a rule is a tool's name, a space and what it covers"
    if tool == NETWORK:
        return _host(subject)
    if tool != "run_command":
        return f"{tool} with exactly {subject}"
    try:
        words, more = rule_words(subject)
    except ValueError as error:
        return f"only this text, word for word; it is no simple command ({error})"
    if words in ((), ("*",)):
        return "nothing: there is no command before the `*`"
    said = shlex.join(words)
    if more:
        return f"every simple command that begins with `{said}`, but nothing it would run in turn"
    if any(sign in subject for sign in ";|&<>$`("):
        return "this command line, word for word"
    return f"the command `{said}`, with these words and no others"

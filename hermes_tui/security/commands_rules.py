"""Standing rules: which commands one "always" or "never" covers, never more than it shows.

A rule is the words of one simple command. With `*` as its last word it covers every simple
command that begins with the words before it, but none that reads secrets or changes the agent
itself: `cat *` was not said of keys. Quotes in a rule are those of the shell.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from hermes_tui.security.risk_types import Assessment, Part
from hermes_tui.security.shell_options import names

# Wrappers that change nothing about what is run but its time, priority or variables.
_CLEAR = frozenset(
    {"env", "timeout", "nice", "nohup", "stdbuf", "time", "command", "setsid", "ionice"}
)
# Programs that run what they are given: the words before `*` say nothing about what runs.
_OPEN_ENDED = frozenset(
    names(
        "sudo doas su env timeout nice nohup stdbuf time command exec eval xargs find "
        "parallel bash sh zsh dash ksh fish python python3 node perl ruby php lua ssh "
        "docker podman kubectl watch script busybox setsid ionice source . npx uvx "
        "nix-shell awk gawk sed vim osascript pwsh make"
    )
)

_NEVER_MEANT: frozenset[str] = frozenset({"secret-reading", "self-tampering"})


def rule_words(rule: str) -> tuple[tuple[str, ...], bool]:
    """(the words a rule fixes, whether more may follow); ValueError when it is no command."""
    words = shlex.split(rule)
    if words[-1:] == ["*"] and rule.rstrip().endswith(" *"):
        return tuple(words[:-1]), True
    return tuple(words), False


def rule_for(assessment: Assessment) -> str:
    """The rule that "always" would save: the one simple command, exactly; empty when none can."""
    listed = [one for one in assessment.parts if one.argv and one.parent == -1]
    if len(listed) != 1 or assessment.opaque or assessment.floor or not listed[0].exact:
        return ""
    return shlex.join(listed[0].argv)


def covered_by(rule: str, assessment: Assessment) -> bool:
    """Whether one rule alone covers every part of a command line."""
    return covered((rule,), assessment)


def covered(rules: Sequence[str], assessment: Assessment) -> bool:
    """Whether rules cover every part of a command line.

    Nothing opaque, nothing below the floor and no redirection into a file outside the
    workspace is ever covered.
    """
    if assessment.opaque or assessment.floor or not assessment.parts:
        return False
    parsed = _parsed(rules)
    parts = [one for one in assessment.parts if one.argv]
    return (
        bool(parts)
        and all(_part_covered(one, assessment, parsed) for one in parts)
        and not any(one.writes for one in assessment.parts if not one.argv)
    )


def denied(rules: Sequence[str], assessment: Assessment) -> bool:
    """Whether a deny rule covers any part of a command line; this beats every allow."""
    parsed = _parsed(rules)
    return any(_matches(one.argv, rule) for one in assessment.parts for rule in parsed if one.argv)


def _parsed(rules: Sequence[str]) -> list[tuple[tuple[str, ...], bool]]:
    found: list[tuple[tuple[str, ...], bool]] = []
    for rule in rules:
        try:
            words, more = rule_words(rule)
        except ValueError:
            continue
        if words:
            found.append((words, more))
    return found


def _matches(argv: tuple[str, ...], rule: tuple[tuple[str, ...], bool]) -> bool:
    words, more = rule
    return argv[: len(words)] == words if more else argv == words


def _part_covered(
    part: Part, assessment: Assessment, rules: list[tuple[tuple[str, ...], bool]]
) -> bool:
    if not part.exact:
        return False
    if any(_matches(part.argv, rule) for rule in rules if not rule[1]):
        return True
    if _inside_exact(part, assessment, rules):
        return True
    inner = [one for one in assessment.parts if one.parent == part.number]
    name = part.argv[0].rpartition("/")[2]
    if part.wraps and name in _CLEAR and inner:
        return all(_part_covered(one, assessment, rules) for one in inner)
    if part.wraps or name in _OPEN_ENDED or part.writes or assessment.cls in _NEVER_MEANT:
        return False
    return any(_matches(part.argv, rule) for rule in rules if rule[1])


def _inside_exact(
    part: Part, assessment: Assessment, rules: list[tuple[tuple[str, ...], bool]]
) -> bool:
    """Whether what runs this part is itself allowed word for word."""
    numbers = {one.number: one for one in assessment.parts}
    seen = 0
    while part.parent in numbers and seen < 50:
        part = numbers[part.parent]
        seen += 1
        if part.exact and any(_matches(part.argv, rule) for rule in rules if not rule[1]):
            return True
    return False

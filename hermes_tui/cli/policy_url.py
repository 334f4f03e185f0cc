"""`hermes policy url`: whether the agent may open a URL, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer

from hermes_tui.cli import output
from hermes_tui.cli.json_lines import questions
from hermes_tui.home import Home
from hermes_tui.security.secrets import Redactor
from hermes_tui.security.urls import (
    UrlRules,
    Verdict,
    check_chain,
    system_resolve,
)
from hermes_tui.security.vault import Vault


class Question(msgspec.Struct, frozen=True):
    """One line of `--jsonl` input.

    resolve: addresses by name, or a list of lists: the answers of one look-up after the other.
    redirects: where the URL, and then each of these, redirects to.
    """

    id: str | int
    url: str
    resolve: dict[str, list[str | list[str]]] = {}
    redirects: list[str] = []


def register(group: typer.Typer) -> None:
    """Add the command to `hermes policy`."""
    group.command("url")(check)


def check(
    url: Annotated[str, typer.Argument(help="The URL.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    jsonl: Annotated[
        bool,
        typer.Option(
            "--jsonl", help='Read {"id", "url", "resolve", "redirects"} lines, write one each.'
        ),
    ] = False,
) -> None:
    """Say whether the agent may open a URL; nothing is opened, names are looked up.

    Example: hermes policy url http://169.254.169.254/
    """
    rules = UrlRules(redactor=Redactor(Vault(Home.find()).values()))
    if jsonl and url:
        raise typer.BadParameter("with --jsonl the URLs come on standard input")
    if jsonl:
        for question in questions(Question, '"id" and "url"'):
            answers = Answers(question.resolve)
            verdict = check_chain(question.url, question.redirects, answers, rules)
            output.emit_line(
                {"id": question.id, "decision": verdict.decision, "reason": verdict.reason}
            )
        return
    if not url:
        raise typer.BadParameter("a URL, or --jsonl")
    verdict = check_chain(url, (), system_resolve, rules)
    if json:
        output.emit(verdict)
    else:
        _print(verdict)


class Answers:
    """Look-ups answered from a table; the last answer of a list of answers stays."""

    def __init__(self, table: dict[str, list[str | list[str]]]) -> None:
        self._table = {name.lower().rstrip("."): list(rows) for name, rows in table.items()}
        self._asked: dict[str, int] = {}

    def __call__(self, host: str) -> Sequence[str]:
        """The next answer for a name. Raises OSError when there is none."""
        rows = self._table.get(host)
        if not rows:
            raise OSError("no such name")
        number = self._asked.get(host, 0)
        self._asked[host] = number + 1
        answers = [row for row in rows if isinstance(row, list)]
        if answers:
            return answers[min(number, len(answers) - 1)]
        return [row for row in rows if isinstance(row, str)]


def _print(verdict: Verdict) -> None:
    rows = [("decision", verdict.decision), ("because", verdict.reason)]
    if verdict.address:
        rows.append(("connects to", f"{verdict.address} port {verdict.port}"))
    for name, text in rows:
        print(f"{name:<12} {output.clean(text)}")

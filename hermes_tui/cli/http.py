"""`hermes http`: the HTTP port of the agent, and the key that callers of its API show."""

from __future__ import annotations

import http.client
import json
import os
import secrets
from typing import Annotated

import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import living
from hermes_tui.cli.output import PLAIN
from hermes_tui.config import HttpConfig
from hermes_tui.configuration.load import load
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.http import access
from hermes_tui.security.vault import Vault

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="The agent's HTTP port: OpenAI's API for your programs, webhooks for chats.\n\n"
    "Example: hermes http status",
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_PATIENCE_S = 1.0


@app.command()
def status(json: Json = False) -> None:
    """Say where the port is, whether it answers, and what is missing.

    Example: hermes http status
    """
    home = Home.find()
    config = load(home, dict(os.environ)).config.http
    problem = _problem(home, config)
    answers = bool(config.port) and _answers(config)
    url = _url(config) if config.port else ""
    if json:
        output.emit({"url": url, "api": config.api, "answers": answers, "problem": problem})
        return
    if not config.port:
        print("no port is set; `hermes config set http.port 8642` sets one")
        return
    what = "OpenAI's API and webhooks" if config.api else "webhooks alone"
    print(f"{url}  {what}: {'answers' if answers else 'does not answer'}")
    if problem:
        print(f"problem: {problem}")
    elif not answers:
        print("it listens in a running agent, from its next start on" + _start(home))


@app.command()
def key(
    new: Annotated[bool, typer.Option("--new", help="Make another; the old one is void.")] = False,
    json: Json = False,
) -> None:
    """Show the key that callers show; make one where there is none.

    Example: OPENAI_API_KEY=$(hermes http key)
    """
    home = Home.find()
    name = load(home, dict(os.environ)).config.http.key_env
    if set_ := os.environ.get(name, "").strip():
        if new:
            raise HermesError(f"the key is set in the environment as {name}", "change it there")
        value, made = set_, False
    else:
        value, made = _stored(home, name, new)
    if json:
        output.emit({"variable": name, "key": value, "made": made})
    else:
        print(value)


def _stored(home: Home, name: str, new: bool) -> tuple[str, bool]:
    kept = (Vault(home.ensure()).get(name) or "").strip()
    if kept and not new:
        return kept, False
    value = f"hk-{secrets.token_urlsafe(36)}"
    Vault(home).put(name, value)
    return value, True


def _problem(home: Home, config: HttpConfig) -> str:
    """Why the port would not be opened; empty when nothing speaks against it."""
    if not config.port:
        return ""
    name = config.key_env
    value = (os.environ.get(name, "") or Vault(home).get(name) or "").strip()
    try:
        access.check(config, value)
    except HermesError as error:
        return f"{error.message} ({error.hint})" if error.hint else error.message
    return ""


def _start(home: Home) -> str:
    return "" if living(home) else "; none runs now: `hermes daemon start`"


def _url(config: HttpConfig) -> str:
    host = "127.0.0.1" if config.host in ("0.0.0.0", "::", "") else config.host
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{config.port}/v1"


def _answers(config: HttpConfig) -> bool:
    """Whether it is the agent that answers on the port."""
    host = "127.0.0.1" if config.host in ("0.0.0.0", "") else config.host
    line = http.client.HTTPConnection(host, config.port, timeout=_PATIENCE_S)
    try:
        line.request("GET", "/health")
        said = json.loads(line.getresponse().read(1000))
    except (OSError, ValueError, http.client.HTTPException):
        return False
    finally:
        line.close()
    return isinstance(said, dict) and "status" in said

"""What `hermes doctor` looks at. Every check only reads; keys are named, never shown."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from hermes_tui import __version__
from hermes_tui.cli import doctor_store, quick
from hermes_tui.cli.doctor_finding import Finding, Found
from hermes_tui.cli.output import clean
from hermes_tui.config import Config, ModelConfig
from hermes_tui.configuration import load, yaml_file
from hermes_tui.errors import HermesError
from hermes_tui.home import Home

LOW_DISK = 500_000_000


def everything(home: Home, env: Mapping[str, str]) -> Found:
    """All findings, area by area."""
    yield from _installation()
    yield from _home(home)
    yield from _config(home)
    yield from _core(home)
    yield from doctor_store.copies(home)
    yield from _space(home)
    yield from _model(home, env)
    yield from _skills(home)
    yield from _sandbox(home)
    yield from _audit(home)
    yield from _programs()
    yield from _terminal(env)


def _installation() -> Found:
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding(area="install", level="ok", text=f"hermes-tui {__version__} on Python {python}")


def _home(home: Home) -> Found:
    if not home.path.exists():
        text = f"{home.path} does not exist yet; the first start makes it"
        yield Finding(area="home", level="ok", text=text)
        return
    info = home.path.stat()
    if info.st_uid != os.getuid():
        text, hint = f"{home.path} belongs to another user", f"chown -R $(id -un) {home.path}"
        yield Finding(area="home", level="problem", text=text, hint=hint)
    elif info.st_mode & 0o077:
        text = f"others can look into {home.path}"
        yield Finding(area="home", level="problem", text=text, hint=f"chmod 700 {home.path}")
    else:
        yield Finding(area="home", level="ok", text=f"{home.path} is yours alone")
    if home.secrets.exists() and home.secrets.stat().st_mode & 0o077:
        text = f"others can read {home.secrets}"
        yield Finding(area="home", level="problem", text=text, hint=f"chmod 600 {home.secrets}")
    free = shutil.disk_usage(home.path).free
    if free < LOW_DISK:
        text = f"only {free / 1e6:,.0f} MB are free where the home is"
        yield Finding(area="home", level="problem", text=text, hint="make room")


def _config(home: Home) -> Found:
    try:
        config = _read_config(home)
    except HermesError as error:
        yield Finding(area="config", level="problem", text=error.message, hint=error.hint)
        return
    where = home.config if home.config.exists() else "no file, all defaults"
    yield Finding(area="config", level="ok", text=f"configuration is good ({where})")
    if config.agent.mode == "yolo":
        text, hint = "agent.mode is yolo: nothing is asked", "hermes config set agent.mode ask"
        yield Finding(area="config", level="note", text=text, hint=hint)


def _read_config(home: Home) -> Config:
    text = yaml_file.read(home.config)
    if text is None:
        return Config()
    config = load.check(yaml_file.parse(text, home.config), text, home.config)
    load.refuse_cut(home, text, config)
    return config


def _core(home: Home) -> Found:
    try:
        line = quick.connect(home, "doctor", patience=1.0)
    except HermesError as error:
        yield Finding(area="agent", level="problem", text=error.message, hint=error.hint)
        return
    if line is None:
        yield Finding(area="agent", level="ok", text="no agent is running")
        yield from _store(home)
        return
    try:
        info = line.ask("get_status", wait_s=quick.ANSWER_S)
    finally:
        line.close()
    text = f"an agent is running (pid {info['pid']}, version {info['version']})"
    yield Finding(area="agent", level="ok", text=text)
    if info.get("damage"):
        text, hint = f"{info['damage']}; nothing is written to it", "hermes restore"
        yield Finding(area="store", level="problem", text=text, hint=hint)
    if info.get("outdated"):
        text = f"version {info['outdated']} is installed, {info['version']} is running"
        hint = "hermes daemon restart"
        yield Finding(area="agent", level="note", text=text, hint=hint)


def _store(home: Home) -> Found:
    """Only while no core lives, and holding its lock meanwhile: nobody reads beside a core."""
    if not home.database.exists():
        return
    from hermes_tui.runtime.lock import CoreLock

    lock = CoreLock(home)
    lock.take(__version__)
    try:
        said = _quick_check(home.database)
    finally:
        lock.release()
    size = home.database.stat().st_size / 1e6
    if said == ["ok"]:
        yield Finding(area="store", level="ok", text=f"the database is sound ({size:,.1f} MB)")
        return
    hint = "`hermes restore` brings the newest good copy back and sets this one aside"
    text = f"the database is damaged: {said[0]}"
    yield Finding(area="store", level="problem", text=text, hint=hint)


def _quick_check(database: Path) -> list[str]:
    import apsw

    # a file that was closed cleanly is read as it lies, so that nothing is made beside it
    closed = not database.with_name(database.name + "-wal").exists()
    where = f"{database.as_uri()}?mode=ro" + ("&immutable=1" if closed else "")
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(where, flags=flags)
        said = [str(row[0]) for row in connection.execute("PRAGMA quick_check(5)")]
        connection.close()
    except apsw.Error as error:
        return [str(error)]
    return said


def _space(home: Home) -> Found:
    with suppress(HermesError):
        yield from doctor_store.space(home, _read_config(home).backup.disk_mb)


def _model(home: Home, env: Mapping[str, str]) -> Found:
    from hermes_tui.models.choose import choose

    try:
        config = load.overlay(_read_config(home), env)
        target = choose(config.model, home, env)
    except HermesError as error:
        yield Finding(area="model", level="problem", text=error.message, hint=error.hint)
        return
    where = target.base_url or target.way
    text = f"{target.name or 'the first model'} at {where}" + (" with a key" if target.key else "")
    hint = "`hermes model test` asks it"
    yield Finding(area="model", level="ok", text=clean(text), hint=hint)
    yield from _plain_http(config.model, target.key)


def _plain_http(model: ModelConfig, key: str) -> Found:
    host = model.base_url.partition("://")[2]
    near = host.startswith(("127.", "localhost", "[::1]"))
    if key and model.base_url.startswith("http://") and not near:
        text = "the key travels over unencrypted http"
        yield Finding(area="model", level="note", text=text, hint="use an https address")


def _skills(home: Home) -> Found:
    from hermes_tui.skills.library import Library

    skills = Library(home).all()
    broken = [skill.name for skill in skills if skill.problems]
    if broken:
        text = f"{len(broken)} of {len(skills)} skills have problems: {clean(', '.join(broken))}"
        yield Finding(area="skills", level="note", text=text, hint="hermes skills lint")
    else:
        yield Finding(area="skills", level="ok", text=f"{len(skills)} skills, all good")


_PROGRAMS = (
    ("git", "the agent uses it in repositories"),
    ("rg", "searching files is slower without ripgrep"),
)


def _sandbox(home: Home) -> Found:
    import asyncio

    from hermes_tui.backends.sandbox_probe import probe

    level = asyncio.run(probe())
    text = f"{level}" + (f": {level.reasons[0]}" if level.reasons and level.number < 3 else "")
    hint = "" if level.number == 3 else "install bubblewrap: commands then run without questions"
    kind = "ok" if level.number == 3 else "note"
    wanted = 0
    with suppress(HermesError):
        wanted = _read_config(home).sandbox.level
    if level.number < wanted:
        kind, text = "problem", f"{text}; the settings want level {wanted}, so no command runs"
    yield Finding(area="sandbox", level=kind, text=text, hint=hint)
    if os.getuid() == 0:
        text = "the agent runs as root: what leaves the sandbox may change the whole machine"
        yield Finding(area="sandbox", level="note", text=text, hint="run it as a user of its own")


def _audit(home: Home) -> Found:
    from hermes_tui.security.audit_check import verify

    proof = verify(home.audit)
    if not proof.ok:
        first = proof.problems[0]
        yield Finding(
            area="audit",
            level="problem",
            text=f"the record of decisions was changed: {first.file}:{first.line} {first.what}",
            hint="`hermes audit verify` says all that is wrong",
        )
        return
    text = f"{proof.lines} decisions on record, whole and unchanged"
    yield Finding(area="audit", level="ok", text=text)


def _programs() -> Found:
    for name, why in _PROGRAMS:
        where = shutil.which(name)
        if where:
            yield Finding(area="programs", level="ok", text=f"{name}: {where}")
        else:
            text = f"{name} is not installed: {why}"
            yield Finding(area="programs", level="note", text=text, hint=f"install {name}")


def _terminal(env: Mapping[str, str]) -> Found:
    names = (env.get("LC_ALL"), env.get("LC_CTYPE"), env.get("LANG"))
    locale = next((name for name in names if name), "")
    if "utf" not in locale.lower():
        text = f"the locale {locale or '(none)'} is not UTF-8: characters may come out wrong"
        yield Finding(area="terminal", level="note", text=text, hint="export LANG=C.UTF-8")
    if env.get("TERM", "dumb") == "dumb":
        text = "TERM is dumb or not set: `hermes` shows plain lines here"
        yield Finding(area="terminal", level="note", text=text, hint="export TERM=xterm-256color")
    elif env.get("COLORTERM") not in ("truecolor", "24bit"):
        text = "COLORTERM does not promise true colour"
        hint = "export COLORTERM=truecolor if the terminal has it"
        yield Finding(area="terminal", level="ok", text=text, hint=hint)
    else:
        yield Finding(area="terminal", level="ok", text=f"{env['TERM']} with true colour")

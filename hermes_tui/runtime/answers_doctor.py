"""`/doctor`: the findings of `hermes doctor`, made in a process of its own.

A check may be slow or fail in ways of its own, and none of them may hold up or end the core.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import msgspec

from hermes_tui.backends import process
from hermes_tui.errors import HermesError
from hermes_tui.runtime.session import Session

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_LONGEST_S = 60.0
_CODE = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
from hermes_tui.launcher import main
sys.exit(main())
"""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_MARKS = {"ok": "✔", "note": "!", "problem": "✘"}


class _Finding(msgspec.Struct, frozen=True):
    area: str
    level: str
    text: str
    hint: str = ""


class _Findings(msgspec.Struct, frozen=True):
    problems: int
    findings: tuple[_Finding, ...]


async def doctor(core: Core, session: Session, args: str) -> str:
    """What was looked at, problems first, each with what to do."""
    found = await _look(core, session)
    order = {"problem": 0, "note": 1, "ok": 2}
    lines: list[str] = []
    for one in sorted(found.findings, key=lambda one: order.get(one.level, 0)):
        hint = f"\n  {one.hint}" if one.hint and one.level != "ok" else ""
        lines.append(f"- {_MARKS.get(one.level, '!')} **{one.area}** {one.text}{hint}")
    count = f"{found.problems} problems" if found.problems != 1 else "1 problem"
    return "\n".join([f"**Doctor**: {count if found.problems else 'no problems'}", "", *lines])


async def _look(core: Core, session: Session) -> _Findings:
    env = {**os.environ, **session.env, "HERMES_TUI_HOME": str(core.home.path)}
    argv = [sys.executable, "-P", "-c", _CODE, _PACKAGE, "doctor", "--json"]
    child = await process.start(argv, cwd=str(core.home.path), env=env)
    output = bytearray()
    try:
        async with asyncio.timeout(_LONGEST_S):
            while data := await child.read():
                output += data
            await child.wait()
    except TimeoutError:
        raise HermesError(
            "looking took too long", "`hermes doctor` in a terminal says where"
        ) from None
    finally:
        await child.kill()
        child.close()
    try:
        return msgspec.json.decode(bytes(output[output.find(b"{") :]), type=_Findings)
    except msgspec.DecodeError:
        last = output.decode(errors="replace").strip().splitlines()[-1:] or ["nothing"]
        raise HermesError(f"`hermes doctor` said {last[0][:300]}") from None

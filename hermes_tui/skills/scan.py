"""What a skill might do to the one who reads it: hostile words, dangerous lines, what it declares.

The words of a skill are instructions, so a stranger's skill is judged before it is shown to a
model. What is found is for the person, never for the model that wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from msgspec import Struct

from hermes_tui.skills.skill import FILE, HIDDEN, Skill

Weight = Literal["block", "ask", "note"]


class Threat(Struct, frozen=True, kw_only=True):
    """One thing to look at. weight: `block` keeps the skill out of prompts until the person lets
    it in, `ask` has to be seen before an install, `note` is worth knowing."""

    file: str
    line: int
    weight: Weight
    what: str
    text: str


class Capabilities(Struct, frozen=True, kw_only=True):
    """What a skill says it uses, and what its files show: tools, programs, hosts, keys, scripts."""

    tools: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    files: int = 0
    bytes: int = 0


_ORDERS = r"""\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}
\b(?:(?:previous|prior|above|earlier|all|any|system|your)\b[^.\n]{0,20})?
\b(?:instructions?|prompts?|rules|guidelines|safety|restrictions)\b
|\b(?:print|reveal|show|repeat|output|leak)\b[^.\n]{0,20}\b(?:the|your)\b[^.\n]{0,10}
\bsystem[ ]prompt\b
|\byou[ ]are[ ]now\b[^.\n]{0,40}\b(?:unrestricted|jailbroken|dan|developer[ ]mode)\b
|<\s*/?\s*(?:system|im_start|im_end|\|im_start\|)\s*>|\[/?INST\]
|(?:忽略|无视)[^。\n]{0,12}(?:指令|提示|规则)|(?:以前|これまで)の(?:指示|命令)を無視"""
_SECRECY = r"""\b(?:do[ ]not|don't|never)\b[^.\n]{0,20}\b(?:tell|inform|mention|show|reveal)\b
[^.\n]{0,25}\b(?:the[ ])?(?:user|person|human|owner)\b
|\bwithout[ ](?:telling|asking|the[ ]knowledge[ ]of)[ ]the[ ]user\b
|\bsilently\b[^.\n]{0,30}\b(?:send|upload|post|run|install|execute)\b"""
_PIPED = r"""\b(?:curl|wget|fetch|iwr|invoke-webrequest)\b[^|\n`]{0,300}\|\s*(?:sudo\s+)?(?:\S*/)?
(?:ba|z|da|k|c)?sh\b
|\b(?:curl|wget)\b[^|\n`]{0,300}\|\s*(?:sudo\s+)?(?:\S*/)?(?:python3?|node|perl|ruby|iex)\b
|\b(?:ba|z)?sh\s+(?:-c\s+["']?\$\(|<\()\s*(?:curl|wget)\b
|\beval\s+["']?\$\((?:curl|wget)\b|\|\s*iex\b"""
_DECODED = r"""\bbase64\s+(?:-d|-D|--decode)\b[^\n]{0,80}\|\s*(?:ba|z)?sh\b
|\bexec\s*\(\s*(?:base64\.b64decode|bytes\.fromhex|codecs\.decode|zlib\.decompress)"""
_SECRETS = r"""(?:~|\$HOME|/root|/home/\w+)/\.(?:ssh/(?:id_|\*)|aws/credentials|netrc|gnupg
|kube/config|docker/config\.json|hermes-tui/secrets)|\bsecrets\.env\b|/etc/shadow\b
|\b(?:keychain|login\.keychain)[^\n]{0,20}\bdump\b"""
_OUTWARD = r"""\b(?:webhook\.site|requestbin|ngrok(?:-free)?\.(?:io|app|dev)|pastebin\.com
|transfer\.sh|pipedream\.net|interact\.sh|burpcollaborator)\b|/dev/tcp/|\bnc\s+-[a-z]*e\b"""
_STAYING = r"""\bcrontab\s+-(?:\s|$)|>>\s*~?/?\S*\.(?:bashrc|zshrc|profile|bash_profile)\b
|\bauthorized_keys\b|\blaunchctl\s+load\b|\bsystemctl\s+(?:--user\s+)?enable\b"""
_RUINOUS = r"""\brm\s+-[a-z]*r[a-z]*f?\s+(?:/|~|\$HOME)(?:\s|$)|\bmkfs\.|:\(\)\s*\{"""


@cache
def _rules() -> tuple[tuple[re.Pattern[str], Weight, str], ...]:
    """What is looked for, compiled at first use."""
    table: tuple[tuple[str, Weight, str], ...] = (
        (_ORDERS, "block", "tells the agent to drop its rules"),
        (_SECRECY, "ask", "tells the agent to hide something from the person"),
        (_PIPED, "ask", "runs what it downloads"),
        (_DECODED, "block", "runs hidden code"),
        (_SECRETS, "ask", "reads keys or passwords"),
        (_OUTWARD, "ask", "sends data to a collecting place"),
        (_STAYING, "ask", "stays on the machine after it is done"),
        (_RUINOUS, "ask", "deletes without a way back"),
    )
    made: list[tuple[re.Pattern[str], Weight, str]] = [
        (re.compile(pattern, re.IGNORECASE | re.VERBOSE), weight, what)
        for pattern, weight, what in table
    ]
    return ((HIDDEN, "block", "invisible or steering characters"), *made)


_URL = re.compile(r"https?://([A-Za-z0-9.-]+)")
_KEY = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:API_KEY|TOKEN|SECRET|KEY|PASSWORD)\b")
_SCRIPTS = (".sh", ".bash", ".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".ps1", ".bat", ".cmd")
_EXAMPLE = frozenset(("example.com", "example.org", "example.net", "localhost", "127.0.0.1"))
_LONGEST = 160


def threats(files: Mapping[str, str]) -> tuple[Threat, ...]:
    """What in a skill's texts (path: text) has to be looked at, in order of file and line."""
    found = list[Threat]()
    for name in sorted(files, key=lambda one: (one != FILE, one)):
        text = files[name].removeprefix("\ufeff")
        if not any(rule.search(text) for rule, _, _ in _rules()):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            found += [
                Threat(file=name, line=number, weight=weight, what=what, text=_shown(line))
                for rule, weight, what in _rules()
                if rule.search(line.rstrip("\r"))
            ]
    return tuple(found)


def held(skill: Skill, accepted: bool = False) -> str:
    """Why a skill is kept out of prompts; empty when it may be in them.

    A skill the person has accepted as it is may say anything but what nobody can see. Trusted
    skills are held for their description alone: it stands in prompts unasked, and a body that
    quotes an attack is a lesson more often than one.
    """
    if HIDDEN.search(skill.description) or HIDDEN.search(skill.name):
        return "its description has invisible or steering characters"
    if accepted or skill.origin == "bundled":
        return ""
    texts = {"description": skill.description}
    if not skill.trusted:
        texts["body"] = skill.body
    for one in threats(texts):
        if one.weight == "block":
            return f"its {one.file} {one.what}"
    return ""


def capabilities(skill: Skill, files: Mapping[str, str], size: int = 0) -> Capabilities:
    """What a skill declares and what its files show that it uses."""
    whole = "\n".join(files.values())
    hosts = {host.lower().strip(".") for host in _URL.findall(whole)} - _EXAMPLE
    return Capabilities(
        tools=tuple(skill.allowed_tools.split()),
        hosts=tuple(sorted(hosts))[:40],
        keys=tuple(sorted(set(_KEY.findall(whole))))[:40],
        scripts=tuple(sorted(name for name in files if name.endswith(_SCRIPTS))),
        files=len(files),
        bytes=size or sum(len(text.encode("utf-8", "replace")) for text in files.values()),
    )


def _shown(line: str) -> str:
    """A line as a person may safely see it: what is invisible becomes visible."""
    seen = HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", line).strip()
    return seen if len(seen) <= _LONGEST else seen[: _LONGEST - 1] + "…"

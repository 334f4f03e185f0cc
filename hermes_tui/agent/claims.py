"""What an answer says was done, held against what was done.

Only plain statements count ("saved to notes.md", "the tests pass", "sent to Ada"), not plans,
questions, quotes or code. Each is matched with calls of this session that ended well; what no
call stands behind is shown as such. Nothing is asked of a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from hermes_tui.events import Claim

Act = Literal[
    "write", "test", "send", "install", "delete", "commit", "push", "schedule", "remember"
]
MOST = 6


class Done(Struct, frozen=True, kw_only=True):
    """A call that ended: its tool, its arguments as JSON text, whether it ended well."""

    call_id: str
    tool: str
    arguments: str
    ok: bool


_SAYS: dict[Act, re.Pattern[str]] = {
    "write": re.compile(
        r"\b(?:saved|wrote|written|created|updated|added|edited|fixed|changed|renamed|moved)\b"
        r"|已(?:经)?(?:保存|写入|创建|更新|修改)",
        re.I,
    ),
    "test": re.compile(
        r"\b(?:all )?(?:the )?(?:\d+ )?(?:tests?|checks?|suite)\b[^.!?\n]{0,20}\b(?:pass(?:es|ed)?"
        r"|succeed(?:s|ed)?|(?:is|are) (?:green|passing))\b|测试(?:全部|都|已)?(?:已经)?通过",
        re.I,
    ),
    "send": re.compile(r"\b(?:sent|posted|delivered|emailed|e-mailed)\b|已(?:经)?发送", re.I),
    "install": re.compile(r"\binstalled\b|已(?:经)?安装", re.I),
    "delete": re.compile(r"\b(?:deleted|removed)\b|已(?:经)?删除", re.I),
    "commit": re.compile(r"\bcommitted\b|已(?:经)?提交", re.I),
    "push": re.compile(r"\bpushed\b|已(?:经)?推送", re.I),
    "schedule": re.compile(r"\bscheduled\b|已(?:经)?安排", re.I),
    "remember": re.compile(r"\b(?:remembered|noted (?:down|it))\b|已(?:经)?记住", re.I),
}
_UNSURE = re.compile(
    r"\b(?:will|would|could|should|can|cannot|can't|may|might|must|if|when|once|let me|going to"
    r"|want|need|not|never|didn't|haven't|wasn't|was already|were already|already (?:had|has)"
    r"|to be|being|you (?:saved|wrote|created|sent|added)|please|before|until|unless)\b"
    r"|\?|如果|将|会|可以|应该|没有|还没|请",
    re.I,
)
_FILE = re.compile(r"(?<![\w/])(?:[~.]{0,2}/)?[\w@-][\w@./+-]*\.[A-Za-z][\w]{0,9}(?![\w/])")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED = re.compile(r"[\"“][^\"”\n]{0,300}[\"”]|^>.*$", re.MULTILINE)
_TOOLS: dict[Act, re.Pattern[str]] = {
    "write": re.compile(r"write_file|edit_file"),
    "send": re.compile(r"send|message|mail|post|http_request|slack|telegram|discord", re.I),
    "delete": re.compile(r"forget|delete|remove", re.I),
    "schedule": re.compile(r"cron|schedule|remind|calendar", re.I),
    "remember": re.compile(r"remember"),
}
_COMMANDS: dict[Act, re.Pattern[str]] = {
    "write": re.compile(r">|\b(?:tee|cp|mv|sed|touch|mkdir|git|patch|install|dd|ln)\b"),
    "test": re.compile(r"test|check|tox|nox|jest|vitest|spec|unittest|ctest|verify", re.I),
    "send": re.compile(r"\b(?:curl|wget|mail|sendmail|scp|rsync|ssh|hermes send)\b"),
    "install": re.compile(r"\b(?:install|add|sync|apt|brew|pip|npm|cargo|uv)\b"),
    "delete": re.compile(r"\b(?:rm|rmdir|unlink|delete|drop|prune|clean|remove|uninstall)\b", re.I),
    "commit": re.compile(r"\b(?:commit|merge|rebase|cherry-pick|revert)\b"),
    "push": re.compile(r"\bpush\b"),
    "schedule": re.compile(r"\b(?:cron|at|schedule)\b"),
}


def claims_in(answer: str, done: Sequence[Done]) -> tuple[Claim, ...]:
    """The claims of an answer, each with the calls behind it, none for no matching action."""
    found: dict[str, Claim] = {}
    for sentence in _sentences(answer):
        for act, says in _SAYS.items():
            if not says.search(sentence):
                continue
            files = tuple(dict.fromkeys(_FILE.findall(sentence))) if act == "write" else ()
            if act == "write" and not files:
                continue  # too vague to be held against anything
            calls = tuple(one.call_id for one in done if _is_behind(one, act, files))
            found.setdefault(sentence, Claim(text=sentence[:200], calls=calls[-3:]))
            break
        if len(found) == MOST:
            break
    return tuple(found.values())


def _sentences(answer: str) -> Iterator[str]:
    plain = _QUOTED.sub(" ", _CODE.sub(" ", answer))
    for line in plain.splitlines():
        for part in re.split(r"(?<=[.!?])\s+|(?<=[。！？；])", line.strip(" -*#\t")):
            sentence = re.sub(r"[*`_]{1,3}", "", part).strip()
            if 3 < len(sentence) < 400 and not _UNSURE.search(sentence):
                yield sentence


def _is_behind(done: Done, act: Act, files: tuple[str, ...]) -> bool:
    """Whether a call that ended well is an action of this kind, on one of these files."""
    if not done.ok:
        return False
    by_tool = act in _TOOLS and _TOOLS[act].search(done.tool) is not None
    by_command = (
        done.tool in ("run_command", "run_code", "process", "delegate")
        and act in _COMMANDS
        and (_COMMANDS[act].search(done.arguments) is not None or done.tool == "delegate")
    )
    if not by_tool and not by_command:
        return False
    if not files or done.tool == "delegate":
        return True
    return any(file.rpartition("/")[2] in done.arguments for file in files) or by_command

"""A second, independent reader of shell text: tree-sitter-bash.

Our own reader decides; where this one sees a command that ours did not list, or reads an
error that ours can't explain, the text counts as not understood.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from hermes_tui.security.shell_command import Reading
from hermes_tui.security.shell_options import names

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_MAX_NODES = 20_000
_MAX_TEXT = 50_000
_BEYOND = re.compile(r"[^\t\n\r -~]")
_LITERAL = re.compile(r"[\w./+:@%^,-]+\Z")
# Words that the grammar takes for commands although bash does not.
_NOT_COMMANDS = frozenset(
    names(
        "coproc time } { then do done fi esac else elif in ! function if while until for "
        "case select [[ ]] ;; ;& ;;&"
    )
)
# Forms that tree-sitter-bash 0.25 reports as errors although bash accepts them.
_ERRORS_EXPLAINED = re.compile(
    r"\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}|;;?&|<<-|\bcoproc\b|\bselect\b|\$\[|&>>|\{\w+\}[<>]|<<<"
    r"|\btime\b|!\s|"
    r"\[\[|\(\(|<<|\$'|\bfunction\b|\$\{[^}]*[@^,/]|\bcase\b|>\||<>|\[[^\]]*=|\+=|[<>]\("
    r"|[^\x00-\x7f]|\\\n|@\("
)


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def command_names(text: str) -> tuple[set[str], bool]:
    """(plain words tree-sitter takes for program names, whether it reports an error).

    Signs beyond ASCII stand as `x`: in the word that ends a here-document they make the scanner
    of tree-sitter-bash 0.25 write outside its memory. To the shell they are letters all the same.
    """
    tree = _parser().parse(_plain(text).encode())
    names: set[str] = set()
    waiting: list[Node] = [tree.root_node]
    seen = 0
    while waiting and seen < _MAX_NODES:
        node = waiting.pop()
        seen += 1
        if node.type == "command_name":
            written = (node.text or b"").decode("utf-8", "replace")
            names.add(written)
        waiting.extend(node.children)
    return names, tree.root_node.has_error


def _plain(text: str) -> str:
    return _BEYOND.sub("x", text)


def disagreement(text: str, reading: Reading) -> str:
    """Why the two readers do not agree; empty when they do."""
    if len(text) > _MAX_TEXT:
        return ""
    names, broken = command_names(text)
    listed = {_plain(command.argv[0]) for command in reading.commands if command.argv}
    missing = sorted(
        name
        for name in names
        if _LITERAL.match(name) and name not in listed and name not in _NOT_COMMANDS
    )
    if missing and not broken and not _called(missing, text):
        return f"it can be read in two ways ({missing[0]})"
    if broken and not _ERRORS_EXPLAINED.search(text):
        return "it can be read in two ways"
    return ""


def _called(missing: list[str], text: str) -> bool:
    """Whether all missing names are functions or aliases that are defined in the text."""
    text = _plain(text)
    return all(
        re.search(rf"(?:\bfunction\s+{re.escape(name)}\b|{re.escape(name)}\s*\(\s*\))", text)
        for name in missing
    )

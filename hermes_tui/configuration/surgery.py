"""Changes one setting in a YAML text and nothing else: comments, order and spacing stay.

Works on the text at the places the YAML nodes name. What it can't place (flow style, anchors)
goes through ruamel.yaml's round trip. The caller compares the result with what it wanted.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any, TypeGuard

import msgspec

from hermes_tui.configuration import yaml_file
from hermes_tui.configuration.yaml_file import Node, Pair, pairs

_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./@+-]*(:[A-Za-z0-9_./@+-]+)*")
_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null", "none"))


def put(text: str, path: Path, key: str, value: Any) -> str | None:
    """The text with a setting of that value; None where it takes a `round_trip`."""
    section, _, name = key.partition(".")
    root = yaml_file.compose(text, path)
    below = _child(root, section)
    pair = _pair(below, name) if _is_block(below) else None
    if root is not None and not _is_block(root):
        return None
    if below is None:
        start = text if not text or text.endswith("\n") else text + "\n"
        return f"{start}{section}:\n  {name}: {scalar(value)}\n"
    if not _is_block(below):
        return None
    if pair is None:
        return _insert(text, below, f"{name}: {scalar(value)}")
    return _replace(text, pair, name, value)


def drop(text: str, path: Path, key: str) -> str | None:
    """The text without a setting; its section goes too when nothing is left in it.

    None where it takes a `round_trip`.
    """
    section, _, name = key.partition(".")
    root = yaml_file.compose(text, path)
    below = _child(root, section)
    pair = _pair(below, name)
    if pair is None:
        return text
    if not _is_block(root) or not _is_block(below):
        return None
    whole = _pair(root, section) or pair
    gone = whole if len(pairs(below)) == 1 else pair
    lines = text.splitlines(keepends=True)
    first, last = gone[0].start_mark.line, _last_line(lines, pair)
    kept = [line for line in lines[first : last + 1] if line.lstrip().startswith("#")]
    return "".join(lines[:first] + kept + lines[last + 1 :])


def round_trip(text: str, key: str, value: Any) -> str:
    """Set (or with None remove) a setting with ruamel.yaml's comment-keeping reader and writer."""
    from ruamel.yaml import YAML

    section, _, name = key.partition(".")
    yaml: Any = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 4096
    tree: Any = yaml.load(text)
    if value is None:
        del tree[section][name]
        if not tree[section]:
            del tree[section]
    else:
        tree.setdefault(section, {})[name] = value
    out = io.StringIO()
    yaml.dump(tree, out)
    return out.getvalue()


def scalar(value: Any) -> str:
    """A value in YAML; text that any YAML reader might take for something else is quoted."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    text = msgspec.json.encode(value).decode()
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)


def _replace(text: str, pair: Pair, name: str, value: Any) -> str | None:
    """The text with another value at that place; None where the value is more than one token."""
    key, old = pair
    if old.anchor or old.tag.startswith("!"):
        return None
    start, end = old.start_mark.index, old.end_mark.index
    if getattr(old, "flow_style", True):  # one token, or [a list]
        gap = "" if text[start - 1 : start].isspace() else " "
        return text[:start] + gap + scalar(value) + text[end:]
    lines = text.splitlines(keepends=True)
    first, last = key.start_mark.line, _last_line(lines, pair)
    head = lines[first][: key.start_mark.column]
    kept = [line for line in lines[first : last + 1] if line.lstrip().startswith("#")]
    new = f"{head}{name}: {scalar(value)}\n"
    return "".join([*lines[:first], *kept, new, *lines[last + 1 :]])


def _insert(text: str, below: Node, entry: str) -> str:
    lines = text.splitlines(keepends=True)
    last = _last_line(lines, below.value[-1])
    if not lines[last].endswith("\n"):
        lines[last] += "\n"
    indent = " " * below.value[-1][0].start_mark.column
    return "".join([*lines[: last + 1], f"{indent}{entry}\n", *lines[last + 1 :]])


def _last_line(lines: list[str], pair: Pair) -> int:
    """The last line of a setting, without the comments and blank lines that follow it."""
    key, value = pair
    end = value.end_mark
    last = end.line - 1 if end.column == 0 and end.line > key.start_mark.line else end.line
    last = min(last, len(lines) - 1)
    while last > key.start_mark.line and _is_empty(lines[last]):
        last -= 1
    return last


def _is_empty(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _is_block(node: Node | None) -> TypeGuard[Node]:
    return getattr(node, "flow_style", True) is False and bool(pairs(node))


def _pair(node: Node | None, name: str) -> Pair | None:
    return next((pair for pair in pairs(node) if pair[0].value == name), None)


def _child(node: Node | None, name: str) -> Node | None:
    pair = _pair(node, name)
    return pair[1] if pair else None

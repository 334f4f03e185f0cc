"""Whether a text is well-formed for the kind of file it is in: a warning, never a refusal."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable
from typing import Any

_LONGEST = 1_000_000
_LONGEST_YAML = 200_000


def problem(real: str, text: str) -> str:
    """Where and why a text can't be read as its file's kind; empty when it can, or who knows."""
    check = _CHECKS.get(os.path.splitext(real)[1].lower())
    if check is None or len(text) > _LONGEST:
        return ""
    return check(text.removeprefix("\ufeff"))


def warning(real: str, before: str | None, text: str) -> str:
    """A sentence for the result of an edit, when the edit (or what was there before) is broken."""
    found = problem(real, text)
    if not found:
        return ""
    kind = os.path.splitext(real)[1][1:].lower()
    was = " (it was so before this change)" if before and problem(real, before) else ""
    return f"warning: this is no valid {_NAMES.get(kind, kind)} now{was}: {found}"


def _python(text: str) -> str:
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or "it is nested too deeply"
    return ""


def _json(text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        return "it is nested too deeply"
    return ""


def _json_lines(text: str) -> str:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and (found := _json(line)):
            return f"line {number}: {found.partition(': ')[2] or found}"
    return ""


def _toml(text: str) -> str:
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error)
    except RecursionError:
        return "it is nested too deeply"
    return ""


def _yaml(text: str) -> str:
    if len(text) > _LONGEST_YAML:
        return ""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    reader: Any = YAML(typ="safe", pure=True)
    try:
        # Events alone: tags of other programs (!Ref, !vault) are nobody's mistake.
        for _ in reader.parse(text):
            continue
    except MarkedYAMLError as error:
        told: Any = error
        where = f"line {told.problem_mark.line + 1}: " if told.problem_mark else ""
        return f"{where}{told.problem}"
    except (YAMLError, RecursionError, ValueError) as error:
        return str(error).partition("\n")[0]
    return ""


def _javascript(text: str) -> str:
    if importlib.util.find_spec("tree_sitter_javascript") is None:
        return ""
    import tree_sitter
    import tree_sitter_javascript

    language = tree_sitter.Language(tree_sitter_javascript.language())
    tree = tree_sitter.Parser(language).parse(text.encode("utf-8", "replace"))
    if not tree.root_node.has_error:
        return ""
    return _first_error(tree.root_node)


def _first_error(root: Any) -> str:
    """The first place of a tree that does not fit, walked without recursion."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        line = node.start_point[0] + 1
        if node.is_missing:
            return f"line {line}: {node.type} is missing"
        if node.is_error:
            return f"line {line}: it does not parse from here on"
        waiting += [child for child in reversed(node.children) if child.has_error]
    return "it does not parse"


_NAMES = {
    **{"py": "Python", "json": "JSON", "yml": "YAML", "yaml": "YAML", "toml": "TOML"},
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), "JavaScript"),
}
_CHECKS: dict[str, Callable[[str], str]] = {
    ".py": _python,
    ".pyi": _python,
    ".json": _json,
    ".ipynb": _json,
    ".jsonl": _json_lines,
    ".toml": _toml,
    ".yml": _yaml,
    ".yaml": _yaml,
    ".js": _javascript,
    ".mjs": _javascript,
    ".cjs": _javascript,
    ".jsx": _javascript,
}

"""YAML text to a plain tree, strictly: anything odd is a ConfigError with file and line.

ruamel.yaml reads YAML 1.2, where `off`, `no` and `yes` are words and not booleans.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, cast

from hermes_tui.errors import ConfigError

LIMIT = 1_000_000
"""Bytes; a configuration file longer than this is not one."""


class Mark(Protocol):
    """A place in a text; line, column and index count from 0."""

    line: int
    column: int
    index: int


class Node(Protocol):
    """A piece of YAML with its place. A mapping's `value` is a list of pairs of nodes."""

    tag: str
    value: Any
    anchor: str | None
    start_mark: Mark
    end_mark: Mark


Pair = tuple[Node, Node]


def read(path: Path) -> str | None:
    """The file's text, None when there is none. Raises ConfigError when it can't be read."""
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        if not path.is_symlink():
            return None
        raise ConfigError(
            f"{path} is a link to a file that does not exist",
            "restore the file it points to, or remove the link",
        ) from error
    except OSError as error:
        why = f"{path} can't be read: {error.strerror}"
        raise ConfigError(why, "check its owner and mode") from error
    if len(data) > LIMIT:
        raise ConfigError(f"{path} is {len(data):,} bytes long", "a configuration is a short file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise broken(path, line, "it is not UTF-8 text") from error


def parse(text: str, path: Path) -> dict[str, Any]:
    """The tree of a YAML text; an empty file is an empty tree."""
    tree = _guarded("load", text, path)
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise broken(path, 1, "expected `section:` with settings below it")
    _refuse_tricks(compose(text, path), path)
    return cast("dict[str, Any]", tree)


def compose(text: str, path: Path) -> Node | None:
    """The YAML nodes of a text, which know their place in it; None for an empty file."""
    return _guarded("compose", text, path)


def pairs(node: Node | None) -> list[Pair]:
    """The keys and values of a mapping with text keys; none for anything else."""
    value: Any = node.value if node is not None and node.tag.endswith(":map") else []
    return [pair for pair in cast("list[Pair]", value) if isinstance(pair[0].value, str)]


def broken(path: Path, line: int, why: str) -> ConfigError:
    """The error for a file that can't be read as YAML."""
    return ConfigError(
        f"{path}:{line}: {why}",
        "nothing was changed; correct that line (`hermes config edit`) and try again",
    )


def _refuse_tricks(root: Node | None, path: Path) -> None:
    """Refuse YAML that a slip of the hand makes and that swallows the lines around it.

    A line indented too far becomes the end of the text before it, a forgotten quote takes in the
    lines up to the next one, `&` and `*` make names: a rule that never runs would be gone.
    """
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        line = node.start_mark.line + 1
        if node.anchor is not None:
            raise broken(path, line, "a value begins with & or *; put it in quotes")
        if isinstance(node.value, list):
            for one in cast("list[Any]", node.value):
                waiting += one if isinstance(one, tuple) else [one]
        elif node.end_mark.line != node.start_mark.line and getattr(node, "style", "") not in (
            "|",
            ">",
        ):
            raise broken(path, line + 1, "it goes on with the text of the line before it")


def _guarded(method: str, text: str, path: Path) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return getattr(YAML(typ="safe", pure=True), method)(text)
    except MarkedYAMLError as error:
        line = _line(error, text)
        raise broken(path, line, _why(error, line)) from error
    except RecursionError as error:
        raise broken(path, 1, "it is nested too deeply") from error
    except (YAMLError, ValueError, OverflowError, TypeError) as error:
        place = getattr(error, "position", 0)
        line = text.count("\n", 0, place) + 1 if isinstance(place, int) else 1
        raise broken(path, line, _why(error, line)) from error


def _line(error: Any, text: str) -> int:
    """The line to look at: where an unclosed thing began, else where reading stopped."""
    problem, context = error.problem_mark, error.context_mark
    if context is not None and (problem is None or problem.index >= len(text.rstrip())):
        return context.line + 1
    return problem.line + 1 if problem is not None else 1


def _why(error: Exception, line: int) -> str:
    context, problem = getattr(error, "context", None), getattr(error, "problem", None)
    told = " ".join(str(part) for part in (context, problem) if part)
    return f"line {line} is not valid YAML ({told or str(error).splitlines()[0]})"

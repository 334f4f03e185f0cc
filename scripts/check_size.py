"""Hold every file and function to the size limits of the house style; print what is over."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

FILE, FUNCTION, NESTING = 500, 60, 3
BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try, ast.Match)


def depth(node: ast.AST) -> int:
    """How many blocks lie inside each other below a node; `elif` counts as its `if`."""
    deepest = 0
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            chained = isinstance(node, ast.If) and field == "orelse" and isinstance(child, ast.If)
            deepest = max(deepest, depth(child) + (isinstance(child, BLOCKS) and not chained))
    return deepest


def problems(path: Path) -> list[str]:
    """One line for each limit a file breaks."""
    text = path.read_text()
    tree = ast.parse(text)
    found: list[str] = []
    lines = text.count("\n")
    if lines > FILE:
        found.append(f"{path}: {lines} lines (limit {FILE})")
    if not ast.get_docstring(tree):
        found.append(f"{path}: no first line that says its job")
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            if size > FUNCTION:
                found.append(f"{path}:{node.lineno} {node.name}: {size} lines (limit {FUNCTION})")
            if (deep := depth(node)) > NESTING:
                found.append(
                    f"{path}:{node.lineno} {node.name}: nested {deep} deep (limit {NESTING})"
                )
    return found


def main() -> int:
    """Check the package; exit 1 when something is over."""
    found = [line for path in sorted(Path("hermes_tui").rglob("*.py")) for line in problems(path)]
    print("\n".join(found) if found else "sizes: all files and functions are within the limits")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

"""One file starts processes, one connects for tools, one opens files for tools.

What is checked in one place can't be walked around in another. Each table says which other files
may, and for what; a new file that does one of these things is either wrong or a new row.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "hermes_tui"
FILES = sorted(PACKAGE.rglob("*.py"))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def _name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def uses(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of what a module imports and looks up, by the names it really has."""
    called = {
        alias.asname: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.asname
    }
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from ((node.lineno, alias.name) for alias in node.names)
            case ast.ImportFrom(module=str(module)):
                yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
            case ast.Attribute():
                first, dot, rest = _dotted(node).partition(".")
                yield node.lineno, f"{called.get(first, first)}{dot}{rest}"
            case ast.Call(func=function, args=[ast.Constant(value=str(text)), *_]):
                if _dotted(function) in ("__import__", "importlib.import_module", "import_module"):
                    yield node.lineno, text
            case _:
                continue


STARTS = re.compile(
    r"subprocess(\..*)?|multiprocessing(\..*)?|pty\.(fork|spawn)|concurrent\.futures\.Process.*|"
    r"os\.(fork|forkpty|posix_spawnp?|system|popen|spawn\w+|exec[lv]\w*)|"
    r"asyncio\.create_subprocess_\w+|(?:.*\.)?subprocess_(exec|shell)|_posixsubprocess(\..*)?|"
    r"(?:sh|pexpect|ptyprocess|plumbum|invoke|anyio\.(run|open)_process)(\..*)?"
)
MAY_START = {
    "backends/process.py": r".*",
    "launcher.py": r"os\.fork",
    "cli/setup_ask.py": r"os\.execv",  # becomes the program anew, with nothing of a tool in it
    "cli/start.py": r"os\.execve",  # the same, when the core is to restart
}

CONNECTS = re.compile(
    r"(?:httpx2?|http\.client|urllib\.request|urllib3|requests|aiohttp|websockets?|httpcore|"
    r"smtplib|ftplib|imaplib|poplib|telnetlib|xmlrpc|ddgs|curl_cffi|paramiko|asyncssh)(\..*)?|"
    r"socket\.(socket|create_connection|create_server|socketpair|fromfd)|"
    r"(?:asyncio|loop|anyio)\.(open_connection|open_unix_connection|start_server|"
    r"start_unix_server|create_connection|create_unix_connection|create_server|connect_tcp)|"
    r"(?:.*\.)?(sock_connect|create_datagram_endpoint)"
)
MAY_CONNECT = {
    "security/urls.py": "the one gate of every tool to the network",
    "security/url_gate.py": "a part of that gate",
    "security/url_transport.py": "the same gate for servers that keep a connection",
    "mcp/faults.py": "names the errors of that gate's client; connects to nothing",
    "mcp/login.py": "names the requests that the gate's client sends; connects to nothing",
    "mcp/login_page.py": "where the browser comes back to after a login, on 127.0.0.1",
    "backends/egress.py": "the one gate of every command to the network",
    "backends/egress_names.py": "a part of that gate",
    "backends/egress_door.py": "its end inside the sandbox",
    "backends/sandbox.py": "the line between the two ends",
    "backends/sandbox_bwrap.py": "hands that line on",
    "backends/script.py": "the line between a script and the tools it calls, a pair of sockets",
    "backends/seccomp_broker.py": "the line to a command's own broker",
    "runtime/embedding.py": "the embedding model a person named, at its endpoint alone",
    "runtime/server.py": "the core's Unix socket",
    "runtime/link.py": "a face's end of that socket",
    "cli/quick.py": "a script's end of that socket",
    "runtime/ssh.py": "a person's own way to another machine, as ~/.ssh says; no tool comes here",
    "runtime/remote.py": "the line to a core there, a pair of sockets",
    "cli/bridge.py": "the far end of that, between its pipes and the core's socket",
    "cli/start_notify.py": "tells the service manager that the core lives, a Unix socket",
    "cli/http.py": "asks the agent's own port whether it answers",
    "cli/web_server.py": "the screen in a browser of this machine, on 127.0.0.1",
}
WHOLE = {
    "models/": "requests to the configured model, and the fetching of a model file a person chose",
    "gateways/": "the platforms a person enabled, each at its own address alone",
    "http/": "the listener a person gave a port",
}

OPENS = re.compile(
    r"open|io\.open|os\.(open|fdopen|rename|replace|unlink|remove|link|symlink|mkdir|makedirs|"
    r"rmdir|removedirs|truncate|chmod|chown|utime|mkfifo|mknod)|shutil\.\w+|tempfile\.\w+|"
    r".*\.(open|read_text|read_bytes|write_text|write_bytes|unlink|mkdir|rmdir|touch|symlink_to|"
    r"hardlink_to)"
)
MAY_OPEN = {
    "tools/output.py": "writes the agent's own output files, at paths no model chose",
}


def _starts(path: Path) -> list[str]:
    may = re.compile(MAY_START.get(_name(path), r"(?!)"))
    return [
        f"{_name(path)}:{line} {name}"
        for line, name in uses(_tree(path))
        if STARTS.fullmatch(name) and not may.fullmatch(name)
    ]


def _connects(path: Path) -> list[str]:
    if _name(path) in MAY_CONNECT or _name(path).startswith(tuple(WHOLE)):
        return []
    return [
        f"{_name(path)}:{line} {name}"
        for line, name in uses(_tree(path))
        if CONNECTS.fullmatch(name)
    ]


def _opens(path: Path) -> list[str]:
    """Calls that open or change files; what `paths` opens may be given a file object's clothes."""
    calls = [node for node in ast.walk(_tree(path)) if isinstance(node, ast.Call)]
    return [
        f"{_name(path)}:{call.lineno} {name}"
        for call in calls
        if (name := _dotted(call.func))
        and OPENS.fullmatch(name)
        and not name.startswith("paths.")
        and not _dresses(call)
    ]


def _dresses(call: ast.Call) -> bool:
    """`os.fdopen(paths.read_descriptor(…))`: the file was opened where it may be."""
    first = call.args[0] if call.args else None
    inner = first.func if isinstance(first, ast.Call) else None
    return _dotted(call.func) == "os.fdopen" and _dotted(inner or call).startswith("paths.")


def test_one_file_starts_processes() -> None:
    assert [one for path in FILES for one in _starts(path)] == []


def test_one_gate_connects_for_tools_and_one_for_commands() -> None:
    assert [one for path in FILES for one in _connects(path)] == []


def test_one_file_opens_files_for_tools() -> None:
    tools = [path for path in (PACKAGE / "tools").rglob("*.py") if _name(path) not in MAY_OPEN]
    assert [one for path in tools for one in _opens(path)] == []


def test_no_row_is_for_a_file_that_is_gone_or_needs_none() -> None:
    for name in {*MAY_START, *MAY_CONNECT, *MAY_OPEN}:
        assert (PACKAGE / name).exists(), name
    assert all(any(STARTS.fullmatch(n) for _, n in uses(_tree(PACKAGE / f))) for f in MAY_START)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("import subprocess", STARTS),
        ("from subprocess import run", STARTS),
        ("import os as o\no.system('ls')", STARTS),
        ("from os import execv", STARTS),
        ("import importlib\nimportlib.import_module('subprocess')", STARTS),
        ("__import__('pty').spawn('sh')\nimport pty\npty.spawn('sh')", STARTS),
        ("import asyncio\nasyncio.create_subprocess_shell('ls')", STARTS),
        ("loop.subprocess_exec(None, 'ls')", STARTS),
        ("import socket as s\ns.create_connection(('h', 1))", CONNECTS),
        ("from socket import socket", CONNECTS),
        ("def f():\n    import httpx2", CONNECTS),
        ("from urllib.request import urlopen", CONNECTS),
        ("import asyncio\nasyncio.open_connection('h', 1)", CONNECTS),
    ],
)
def test_the_check_sees_every_way_to_write_it(text: str, pattern: re.Pattern[str]) -> None:
    assert any(pattern.fullmatch(name) for _, name in uses(ast.parse(text)))

"""macOS: the same view as a profile for `sandbox-exec`."""

from __future__ import annotations

from hermes_tui.backends.sandbox_view import Sandbox, View

PROGRAM = "/usr/bin/sandbox-exec"
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/System", "/Library/Apple", "/Library/Developer",
    "/Library/Frameworks", "/private/etc", "/private/var/db/timezone", "/private/var/select",
    "/opt/homebrew", "/dev", "/Applications/Xcode.app",
)  # fmt: skip


def profile(sandbox: Sandbox, view: View, scratch: str, port: int) -> str:
    """The profile's text. scratch: the command's temporary folder; port: of the egress.

    Later rules win: first everything is denied, then folders are allowed, and at last what is
    masked or held still is denied again.
    """
    write = "" if sandbox.profile == "read-only" else _rule("allow file-write*", view.write)
    lines = [
        "(version 1)",
        "(deny default)",
        "(allow process-exec process-fork sysctl-read mach-lookup file-read-metadata)",
        "(allow signal (target same-sandbox))",
        '(allow file-read* (literal "/"))',
        _rule("allow file-read*", (*_SYSTEM, *view.tools, *view.read, *view.write)),
        _rule("allow file-read* file-write*", (scratch, view.cache)),
        write,
        _rule("deny file-write*", (*view.frozen, *view.pinned), literal=view.pinned),
        _rule("deny file-read* file-write*", view.masked),
        '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    ]
    if port:
        lines.append(f'(allow network-outbound (remote ip "localhost:{port}"))')
    return "\n".join(line for line in lines if line) + "\n"


def _rule(words: str, paths: tuple[str, ...], literal: tuple[str, ...] = ()) -> str:
    kinds = ["literal" if one in literal else "subpath" for one in paths]
    parts = [f"({kind} {_quoted(one)})" for kind, one in zip(kinds, paths, strict=True)]
    return f"({words} {' '.join(parts)})" if parts else ""


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

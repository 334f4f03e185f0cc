"""Which files of a workspace hold secrets, and which ones make programs run code later on."""

from __future__ import annotations

import os
import re
from typing import Literal

_SECRET = re.compile(
    r"(?:\.env(?:\.(?!example|sample|template|dist|defaults|schema)[\w.-]+)?|[\w-]+\.env"
    r"|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.vault-token|\.htpasswd|\.s3cfg"
    r"|\.boto|\.dockercfg|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?"
    r"|[\w.-]+\.(?:p12|pfx|jks|keystore|kdbx?|ppk|tfstate|tfvars|ovpn)"
    r"|(?:aws_)?credentials(?:\.(?:json|ya?ml|toml|ini|csv))?"
    r"|secrets?\.(?:json|ya?ml|toml|ini|env|txt)|service[-_]account[\w-]*\.json"
    r"|client_secret[\w.-]*\.json|master\.key|wallet\.dat|kubeconfig"
    r"|\.(?:bash|zsh|python|psql|mysql)_history)\Z",
    re.IGNORECASE,
)
# Secret or not by what is inside: certificates and settings files mostly are not.
_DOUBTFUL = re.compile(
    r"(?:[\w.-]+\.(?:pem|key|crt|cer|asc|gpg|age)|\.npmrc|\.pypirc|\.yarnrc(?:\.yml)?"
    r"|pip\.conf|auth\.json|\.terraformrc|credentials\.tfrc\.json)\Z",
    re.IGNORECASE,
)
_HOLDS_SECRET = re.compile(
    rb"PRIVATE KEY|AGE-SECRET-KEY-|_auth(?:Token)?\b|_password\b|npmAuth(?:Token|Ident)"
    rb"|(?:^|\n)\s*(?:password|token)\s*[=:]|://[^/\s:@]+:[^/\s@]+@|\"auth\"\s*:|\"http-basic\""
)
_LOOK = 262_144

_FOLDERS_RUN_LATER = frozenset(
    [".vscode", ".idea", ".devcontainer", ".cursor", ".claude", ".gemini", ".husky", ".zed"]
)
_FILES_RUN_LATER = frozenset(
    [
        ".envrc", ".mcp.json", ".cursorrules", ".windsurfrules", ".clinerules",
        "agents.md", "claude.md", "gemini.md", "soul.md", "hermes.md", ".hermes.md",
        "copilot-instructions.md", "agents.override.md", "claude.local.md",
    ]
)  # fmt: skip
_NEVER_SEARCHED = frozenset(
    ["node_modules", "site-packages", "dist-packages", "__pycache__", ".hg", ".svn", ".tox"]
)

Sort = Literal["", "secret", "doubtful", "frozen"]


def sort_of_file(name: str) -> Sort:
    """What the name of a file says about it."""
    if name.lower() in _FILES_RUN_LATER:
        return "frozen"
    if _SECRET.match(name):
        return "secret"
    return "doubtful" if _DOUBTFUL.match(name) else ""


def is_frozen_folder(name: str) -> bool:
    """Whether editors, hooks or agents take orders from a folder of this name."""
    return name in _FOLDERS_RUN_LATER


def is_searched(name: str) -> bool:
    """Whether a folder of this name may hold secrets of the person."""
    return name not in _NEVER_SEARCHED


def holds_secret(path: str) -> bool:
    """Whether a doubtful file really holds a key or a token; one that can't be read does."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            return _HOLDS_SECRET.search(file.read(_LOOK)) is not None
    except OSError:
        return True

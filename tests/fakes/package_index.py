"""An index of packages on loopback, with versions of hermes made from this very tree."""

from __future__ import annotations

import base64
import hashlib
import threading
import zipfile
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "hermes_tui"
NAME = "hermes_tui"


def wheel(folder: Path, version: str, changes: Mapping[str, str] | None = None) -> Path:
    """A wheel of this tree under another version; `changes` gives files another content."""
    info = f"{NAME}-{version}.dist-info"
    files = {
        str(path.relative_to(SOURCE.parent)): path.read_bytes()
        for path in sorted(SOURCE.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    files[f"{NAME}/__init__.py"] = f'"""Hermes."""\n\n__version__ = "{version}"\n'.encode()
    files |= {name: text.encode() for name, text in (changes or {}).items()}
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: hermes-tui\nVersion: {version}\n".encode()
    )
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = folder / f"{NAME}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return path


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class PackageIndex:
    """Serves the wheels of a folder as the simple index of packaging.python.org (PEP 503)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.asked.append(self.path)
                data = index.answer(self.path)
                self.send_response(200 if data is not None else 404)
                kind = "text/html" if self.path.endswith("/") else "application/octet-stream"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write(data or b"")

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/simple/"

    def answer(self, path: str) -> bytes | None:
        """What an address holds; None: nothing."""
        if path == "/simple/hermes-tui/":
            links = "".join(f'<a href="/{p.name}">{p.name}</a>' for p in self.folder.glob("*.whl"))
            return f"<!DOCTYPE html><html><body>{links}</body></html>".encode()
        file = self.folder / path.rpartition("/")[2]
        return file.read_bytes() if file.suffix == ".whl" and file.exists() else None

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()

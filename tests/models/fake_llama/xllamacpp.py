"""A stand-in for the llama.cpp package: the same server on a port, with canned answers.

The "model file" is a JSON list of texts, said one a request as one streamed message.
"""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any


class CommonParams(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(
            model=SimpleNamespace(path=""),
            cpuparams=SimpleNamespace(n_threads=0),
            cpuparams_batch=SimpleNamespace(n_threads=0),
        )


class Server:
    def __init__(self, params: Any) -> None:
        print("loading", params.model.path, file=sys.stderr, flush=True)
        with open(params.model.path) as file:
            self.answers = json.load(file)
        assert params.hostnames == ["127.0.0.1"]
        handler = type("Handler", (_Handler,), {"answers": self.answers, "params": params})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.listening_address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    answers: list[str]
    params: Any

    def do_POST(self) -> None:
        json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.headers["authorization"] != f"Bearer {self.params.api_keys[0]}":
            self.send_error(401)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        text = self.answers.pop(0)
        for at in range(0, len(text), 3):
            piece = text[at : at + 3]
            self._event({"choices": [{"delta": {"content": piece}}]})
        self._event({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        self._event({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, value: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass

"""Exa, by its search API (api.exa.ai, `x-api-key`)."""

from __future__ import annotations

import msgspec

from hermes_tui.security.urls import Fetched, Request
from hermes_tui.tools.engines.engine import MOST, Hit, hits, json_rows, plain

BASE = "https://api.exa.ai"


class Exa:
    """Exa with a key."""

    name = "Exa"

    def __init__(self, key: str, base_url: str = "") -> None:
        self._key = key
        self._base = (base_url or BASE).rstrip("/")

    def request(self, query: str, count: int) -> Request:
        """How to ask it."""
        wanted = {
            "query": query,
            "numResults": min(count, MOST),
            "contents": {"highlights": True},
        }
        return Request(
            url=f"{self._base}/search",
            method="POST",
            headers={"content-type": "application/json", "accept": "application/json"},
            keys={"x-api-key": self._key},
            body=msgspec.json.encode(wanted),
        )

    def read(self, answer: Fetched) -> list[Hit]:
        """The hits of its answer."""
        rows = json_rows(answer, self.name, ("results",))
        quoted = [{**row, "quoted": row.get("highlights") or row.get("text")} for row in rows]
        return hits(quoted, ("title", "url", "quoted", "publishedDate"), plain)

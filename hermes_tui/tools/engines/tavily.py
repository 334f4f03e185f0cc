"""Tavily, by its search API (api.tavily.com, bearer key)."""

from __future__ import annotations

import msgspec

from hermes_tui.security.urls import Fetched, Request
from hermes_tui.tools.engines.engine import MOST, Hit, hits, json_rows, plain

BASE = "https://api.tavily.com"


class Tavily:
    """Tavily with a key."""

    name = "Tavily"

    def __init__(self, key: str, base_url: str = "") -> None:
        self._key = key
        self._base = (base_url or BASE).rstrip("/")

    def request(self, query: str, count: int) -> Request:
        """How to ask it."""
        return Request(
            url=f"{self._base}/search",
            method="POST",
            headers={"content-type": "application/json", "accept": "application/json"},
            keys={"authorization": f"Bearer {self._key}"},
            body=msgspec.json.encode({"query": query, "max_results": min(count, MOST)}),
        )

    def read(self, answer: Fetched) -> list[Hit]:
        """The hits of its answer."""
        rows = json_rows(answer, self.name, ("results",))
        return hits(rows, ("title", "url", "content", "published_date"), plain)

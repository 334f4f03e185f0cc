"""Brave Search, by its web search API (api.search.brave.com, `X-Subscription-Token`)."""

from __future__ import annotations

from urllib.parse import urlencode

from hermes_tui.security.urls import Fetched, Request
from hermes_tui.tools.engines.engine import MOST, Hit, hits, json_rows, without_tags

BASE = "https://api.search.brave.com/res/v1"


class Brave:
    """Brave Search with a key."""

    name = "Brave Search"

    def __init__(self, key: str, base_url: str = "") -> None:
        self._key = key
        self._base = (base_url or BASE).rstrip("/")

    def request(self, query: str, count: int) -> Request:
        """How to ask it."""
        asked = urlencode({"q": query, "count": min(count, MOST)})
        return Request(
            url=f"{self._base}/web/search?{asked}",
            headers={"accept": "application/json"},
            keys={"x-subscription-token": self._key},
        )

    def read(self, answer: Fetched) -> list[Hit]:
        """The hits of its answer."""
        rows = json_rows(answer, self.name, ("web", "results"))
        dated = [{**row, "when": row.get("page_age") or row.get("age")} for row in rows]
        return hits(dated, ("title", "url", "description", "when"), without_tags)

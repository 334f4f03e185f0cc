"""A SearXNG instance, by its search API; it must have `json` among its formats."""

from __future__ import annotations

from urllib.parse import urlencode

from hermes_tui.security.urls import Fetched, Request
from hermes_tui.tools.engines.engine import Hit, hits, json_rows, plain


class Searxng:
    """A SearXNG instance at `base_url`."""

    name = "SearXNG"

    def __init__(self, base_url: str) -> None:
        self._base = base_url.rstrip("/").removesuffix("/search")

    def request(self, query: str, count: int) -> Request:
        """How to ask it; it says itself how many hits make a page."""
        asked = urlencode({"q": query, "format": "json"})
        url = f"{self._base}/search?{asked}"
        return Request(url=url, headers={"accept": "application/json"})

    def read(self, answer: Fetched) -> list[Hit]:
        """The hits of its answer."""
        rows = json_rows(answer, self.name, ("results",))
        return hits(rows, ("title", "url", "content", "publishedDate"), plain)

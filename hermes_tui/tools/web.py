"""The way of tools to the web: which addresses may be opened, which engine searches, whose keys.

Connections are opened by `security.urls.fetch` alone. Each session has its own object.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hermes_tui.config import WebConfig
from hermes_tui.errors import ToolError
from hermes_tui.security.url_gate import Resolve, UrlRules, Verdict
from hermes_tui.security.urls import Fetched, Limits, Request, fetch, system_resolve

if TYPE_CHECKING:
    from hermes_tui.security.secrets import Redactor
    from hermes_tui.tools.base import Context
    from hermes_tui.tools.engines.engine import Engine

_YES, _NO = "open it", "leave it"
_KEPT_PAGES, _KEPT_S = 24, 900.0


class Page:
    """A page as text, kept for a while so that its later parts need no second visit."""

    def __init__(self, url: str, text: str, about: dict[str, str]) -> None:
        self.url = url
        self.text = text
        self.about = about
        self.at = time.monotonic()


class Web:
    """What tools use of the web.

    settings: `web.*` as it is now. keys: where keys of engines are, by name. redactor: knows the
    secrets that must not leave. resolve: the addresses of a name.
    """

    def __init__(
        self,
        settings: Callable[[], WebConfig],
        keys: Callable[[], Mapping[str, str]],
        redactor: Callable[[], Redactor | None],
        resolve: Resolve = system_resolve,
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._redactor = redactor
        self._resolve = resolve
        self._pages: OrderedDict[str, Page] = OrderedDict()

    @property
    def config(self) -> WebConfig:
        """The settings in force."""
        return self._settings()

    async def fetch(self, request: Request, ctx: Context, limits: Limits | None = None) -> Fetched:
        """An answer from the web; the person is asked about addresses that are odd.

        Raises ToolError (UrlRefusedError for what must not be opened).
        """
        limits = limits or Limits(seconds=self.config.timeout_s)

        async def ask(verdict: Verdict) -> bool:
            return await _agreed(request, verdict, ctx)

        return await fetch(request, self._rules(), ask, limits, self._resolve)

    async def ask_engine(self, request: Request) -> Fetched:
        """An answer of the configured search engine, which may be on this machine."""
        rules = self._rules()
        base = self.config.base_url
        if base:
            own = frozenset((_place(base),))
            rules = UrlRules(local=rules.local | own, redactor=rules.redactor)
        limits = Limits(size=3_000_000, seconds=self.config.timeout_s)
        return await fetch(request, rules, None, limits, self._resolve)

    def engine(self) -> Engine:
        """The configured search engine. Raises ToolError when it lacks its key or address."""
        from hermes_tui.tools.engines import choose

        return choose.choose(self.config, self._keys())

    def page(self, url: str) -> Page | None:
        """A page that was read a short while ago."""
        page = self._pages.get(url)
        if page is not None and time.monotonic() - page.at > _KEPT_S:
            del self._pages[url]
            return None
        return page

    def keep(self, url: str, page: Page) -> None:
        """Remember a page, and forget the oldest one."""
        self._pages[url] = page
        self._pages.move_to_end(url)
        while len(self._pages) > _KEPT_PAGES:
            self._pages.popitem(last=False)

    def _rules(self) -> UrlRules:
        return UrlRules(local=frozenset(self.config.local), redactor=self._redactor())


def web_of(ctx: Context) -> Web:
    """The web of a call; raises ToolError where there is none."""
    web = ctx.kit.web
    if web is None:
        raise ToolError("there is no way to the web here")
    return web


async def _agreed(request: Request, verdict: Verdict, ctx: Context) -> bool:
    what = f"{request.method} {request.url[:300]}"
    why = verdict.reason[:1].upper() + verdict.reason[1:]
    answer = await ctx.ask(f"{what}\nOpen it? {why}.", (_YES, _NO))
    return answer.strip().lower() == _YES


def _place(url: str) -> str:
    """`host:port` of a base URL."""
    scheme, _, rest = url.partition("://")
    place = rest.partition("/")[0].rpartition("@")[2].lower()
    bare = place.rpartition("]")[2]
    return place if ":" in bare else f"{place}:{443 if scheme == 'https' else 80}"

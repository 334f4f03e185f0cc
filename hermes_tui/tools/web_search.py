"""`web_search`: ask a search engine, get titles, addresses and what the pages say."""

from __future__ import annotations

from typing import Any

from hermes_tui.errors import ToolError
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, ToolResult, summary, tool
from hermes_tui.tools.engines.engine import MOST, Hit
from hermes_tui.tools.output import fit
from hermes_tui.tools.plain_text import clean
from hermes_tui.tools.web import web_of

_LONGEST = 400


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    return Action(
        tool="web_search",
        kind="fetch",
        title=f"search the web: {summary({'query': arguments['query']}, 80)}",
        detail=arguments["query"],
    )


@tool(
    describe=_describe,
    repeatable=True,
    words="internet online google look up find news current recent today latest facts research "
    "sources website links duckduckgo brave tavily exa searxng 搜索 网上 查 新闻",
)
async def web_search(query: str, *, count: int = 8, ctx: Context) -> ToolResult:
    """Search the web. Returns titles, addresses and a few lines of each page; read one with
    web_extract.

    query: what you would type into a search box.
    count: how many results, at most 20.
    """
    asked = " ".join(query.split())
    if not asked:
        raise ToolError("the query is empty")
    if len(asked) > _LONGEST:
        raise ToolError(f"the query has {len(asked)} characters", f"at most {_LONGEST}")
    web = web_of(ctx)
    engine = web.engine()
    many = max(1, min(count, MOST))
    found = engine.read(await web.ask_engine(engine.request(asked, many)))
    hits = _apart(found)[:many]
    text = "\n\n".join(_shown(number, hit) for number, hit in enumerate(hits, 1))
    text = text or f"{engine.name} found nothing for {asked!r}"
    details: dict[str, Any] = {
        "query": asked,
        "engine": engine.name,
        "hits": [{"title": hit.title, "url": hit.url} for hit in hits],
    }
    made = await fit(text, ctx, details)
    return ToolResult(
        for_model=made.for_model,
        details=details,
        output_path=made.output_path,
        output_bytes=made.output_bytes,
        untrusted="the web" if hits else "",
        found=tuple(hit.url for hit in hits),
    )


def _apart(hits: list[Hit]) -> list[Hit]:
    """The hits without a second one of the same address."""
    return list({hit.url.rstrip("/"): hit for hit in reversed(hits)}.values())[::-1]


def _shown(number: int, hit: Hit) -> str:
    date = f" ({hit.date[:10]})" if hit.date else ""
    lines = [f"{number}. {clean(hit.title)}{date}", f"   {clean(hit.url)}"]
    if hit.text:
        lines.append(f"   {clean(hit.text)}")
    return "\n".join(lines)

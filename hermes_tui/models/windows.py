"""How much context a model really has, and whether it sees: what endpoints say, each in its way.

A local server may have loaded a model with far less context than the model could take, and
cuts longer conversations without a word; each of the usual ones tells on a path of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    import httpx2

_KEYS = ("context_length", "max_model_len", "context_window", "max_context_length")
_TIMEOUT_S = 3.0
_A_TOKEN = ("prompt", "completion", "input_cache_read")
_A_MILLION = ("input", "output", "cached_input")


class ModelInfo(Struct, frozen=True, kw_only=True):
    """A model an endpoint offers. window: its context size in tokens, 0 where it does not say.

    sees: whether it takes pictures, None where the endpoint does not say. prices: US dollars per
    million tokens of prompt, completion and prompt read from a cache, None where it does not say.
    """

    name: str
    window: int = 0
    sees: bool | None = None
    prices: tuple[float, float, float | None] | None = None


def read_models(body: bytes) -> tuple[ModelInfo, ...]:
    """The models of a `GET /models` answer; empty when it is none."""
    value = _decoded(body)
    rows = _rows(value, "data", "models") or (
        cast("list[Any]", value) if isinstance(value, list) else []
    )
    found: list[ModelInfo] = []
    for row in map(_fields, rows):
        name = row.get("id") or row.get("name")
        if isinstance(name, str):
            sizes = [row.get(key) for key in _KEYS] + [_fields(row.get("meta")).get("n_ctx_train")]
            found.append(
                ModelInfo(name=name, window=_size(sizes), sees=_sees(row), prices=_prices(row))
            )
    return tuple(found)


async def loaded_window(client: httpx2.AsyncClient, base_url: str, name: str) -> int:
    """The context a local server has loaded a model with, 0 when it does not tell."""
    root = base_url.removesuffix("/v1")
    ollama = _rows(await _get(client, root + "/api/ps"), "models")
    if found := _named(ollama, name, "context_length"):
        return found
    studio = _rows(await _get(client, root + "/api/v0/models"), "data")
    if found := _named(studio, name, "loaded_context_length"):
        return found
    llama = _fields(await _get(client, root + "/props"))
    return _size([_fields(llama.get("default_generation_settings")).get("n_ctx")])


async def loaded_sight(client: httpx2.AsyncClient, base_url: str, name: str) -> bool | None:
    """Whether a local server's model takes pictures, None when it does not tell."""
    root = base_url.removesuffix("/v1")
    props = _fields(_fields(await _get(client, root + "/props")).get("modalities"))
    if isinstance(props.get("vision"), bool):
        return props["vision"]
    for row in map(_fields, _rows(await _get(client, root + "/api/v0/models"), "data")):
        if row.get("id") == name and isinstance(row.get("type"), str):
            return row["type"] == "vlm"
    return _sees(_fields(await _get(client, root + "/api/show", {"model": name})))


def _sees(row: dict[str, Any]) -> bool | None:
    """What a description of a model says of pictures."""
    inputs = _fields(row.get("architecture")).get("input_modalities") or row.get("input_modalities")
    if isinstance(inputs, list):
        return "image" in inputs
    able = row.get("capabilities")
    if isinstance(able, list):
        return bool({"vision", "multimodal"}.intersection(map(str, cast("list[Any]", able))))
    said = _fields(able).get("vision")
    return said if isinstance(said, bool) else None


def _prices(row: dict[str, Any]) -> tuple[float, float, float | None] | None:
    """Prices in a description of a model: a token as texts, or a million of them as numbers."""
    said = _fields(row.get("pricing"))
    for names, scale in ((_A_TOKEN, 1e6), (_A_MILLION, 1.0)):
        figures = [_price(said.get(name), scale) for name in names]
        if figures[0] is not None and figures[1] is not None:
            return figures[0], figures[1], figures[2]
    return None


def _price(value: Any, scale: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        price = float(value) * scale
    except ValueError:
        return None
    return price if 0 <= price < 1e6 else None  # -1 stands for a price that varies


async def _get(client: httpx2.AsyncClient, url: str, sent: dict[str, str] | None = None) -> Any:
    import httpx2

    method = "GET" if sent is None else "POST"
    try:
        answer = await client.request(method, url, json=sent, timeout=_TIMEOUT_S)
    except httpx2.HTTPError:
        return None
    return _decoded(answer.content) if answer.is_success else None


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _named(rows: list[Any], name: str, key: str) -> int:
    for row in map(_fields, rows):
        if name in (row.get("id"), row.get("name"), row.get("model")):
            return _size([row.get(key)])
    return 0


def _rows(value: Any, *keys: str) -> list[Any]:
    fields = _fields(value)
    found = next((key for key in keys if isinstance(fields.get(key), list)), "")
    return cast("list[Any]", fields[found]) if found else []


def _fields(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _size(values: list[Any]) -> int:
    return next((one for one in values if isinstance(one, int) and one > 0), 0)

"""The HTTP port of the core: for programs that speak OpenAI's API, and for webhooks."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from hermes_tui.config.base import doc


class HttpConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The HTTP port; off until it has a number."""

    port: Annotated[
        int, Meta(ge=0, le=65_535, description="port to listen on, such as 8642; 0: none")
    ] = 0
    host: Annotated[
        str, doc("address to listen on; beyond this machine the key needs 32 characters")
    ] = "127.0.0.1"
    api: Annotated[bool, doc("serve the OpenAI-compatible API; false: webhooks only")] = True
    key_env: Annotated[
        str, doc("variable or stored secret with the key callers show; `hermes http key` makes it")
    ] = "HERMES_TUI_HTTP_KEY"
    most_bytes: Annotated[
        int, Meta(ge=1000, le=500_000_000, description="largest body of a call")
    ] = 20_000_000
    patience_s: Annotated[
        float, Meta(gt=0, le=600, description="seconds a caller may take for its headers")
    ] = 15.0
    parallel: Annotated[
        int, Meta(ge=1, le=1000, description="calls of the API answered at once; more get 503")
    ] = 64
    models: Annotated[tuple[str, ...], doc("further names of models that callers may ask for")] = ()
    folder: Annotated[
        str, doc("working folder of sessions that callers begin; made when it is not there")
    ] = "~/hermes-http"
    keep_days: Annotated[
        int, Meta(ge=1, le=3650, description="days in which an answer can be fetched again")
    ] = 30

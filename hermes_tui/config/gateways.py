"""The chats in which the agent is reached and reaches you."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from hermes_tui.config.base import doc


class ChatConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is the same on every platform."""

    enabled: Annotated[bool, doc("receive from and send to this platform")] = False
    owners: Annotated[
        tuple[str, ...],
        doc(
            "numbers or ids of your own accounts there, never names; without one (here or paired) "
            "nothing is received"
        ),
    ] = ()
    home_chat: Annotated[
        str, doc("id of your own chat with the agent: where the platform's name alone goes")
    ] = ""
    groups: Annotated[
        tuple[str, ...], doc("ids of groups or channels it listens in; `*` for all it is in")
    ] = ()
    mention: Annotated[bool, doc("in groups, answer only when spoken to")] = True
    reset: Annotated[
        Literal["never", "daily", "idle"],
        doc("when a chat begins a new session by itself; the old one stays in the list"),
    ] = "never"
    reset_hour: Annotated[int, Meta(ge=0, le=23, description="hour of a daily reset")] = 4
    idle_minutes: Annotated[
        int, Meta(ge=1, le=525_600, description="quiet minutes until an idle reset")
    ] = 1440
    stream: Annotated[bool, doc("show an answer while it is written")] = True


class TelegramConfig(ChatConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Telegram bot of yours."""

    token_env: Annotated[
        str, doc("environment variable or stored secret with the token of the bot")
    ] = "TELEGRAM_BOT_TOKEN"
    base_url: Annotated[
        str, doc("address of a Bot API server of your own, ending in /bot; empty: Telegram's")
    ] = ""
    webhook_url: Annotated[
        str, doc("https address at which Telegram reaches this machine; empty: ask for messages")
    ] = ""
    secret_env: Annotated[
        str, doc("variable or stored secret that Telegram shows with each call of the webhook")
    ] = "TELEGRAM_WEBHOOK_SECRET"


class DiscordConfig(ChatConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Discord bot of yours."""

    token_env: Annotated[
        str, doc("environment variable or stored secret with the token of the bot")
    ] = "DISCORD_BOT_TOKEN"
    base_url: Annotated[
        str, doc("address of the REST API, for a server of your own; empty: Discord's")
    ] = ""


class SlackConfig(ChatConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Slack app of yours, in Socket Mode."""

    token_env: Annotated[
        str, doc("environment variable or stored secret with the bot token (xoxb-…)")
    ] = "SLACK_BOT_TOKEN"
    app_token_env: Annotated[
        str, doc("environment variable or stored secret with the app-level token (xapp-…)")
    ] = "SLACK_APP_TOKEN"
    base_url: Annotated[
        str, doc("address of the Web API, for a server of your own; empty: Slack's")
    ] = ""


class WhatsAppConfig(ChatConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number on WhatsApp's Cloud API."""

    token_env: Annotated[str, doc("variable or stored secret with the access token")] = (
        "WHATSAPP_TOKEN"
    )
    secret_env: Annotated[
        str, doc("variable or stored secret with the app secret that signs what comes in")
    ] = "WHATSAPP_APP_SECRET"
    verify_env: Annotated[
        str, doc("variable or stored secret with the word you gave when setting up the webhook")
    ] = "WHATSAPP_VERIFY_TOKEN"
    phone_id: Annotated[str, doc("id of the phone number (not the number itself)")] = ""
    base_url: Annotated[str, doc("address of the Graph API with its version; empty: Meta's")] = ""


class SignalConfig(ChatConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Signal account, served by signal-cli's HTTP daemon."""

    url: Annotated[str, doc("address of `signal-cli daemon --http`")] = "http://127.0.0.1:8080"
    account: Annotated[str, doc("the account's number, such as +491701234567")] = ""


class Hook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way in for another program: a signed call becomes a text."""

    name: Annotated[str, doc("last part of the address: /webhook/NAME")]
    secret_env: Annotated[str, doc("variable or stored secret that signs the calls")]
    template: Annotated[
        str, doc("the text; {path.to.field} is filled in from the JSON that was sent")
    ] = "{body}"
    scheme: Annotated[
        Literal["hmac", "github", "gitlab", "slack"],
        doc("how calls are signed: hmac = X-Signature-256 over time and body"),
    ] = "hmac"
    deliver: Annotated[
        tuple[str, ...], doc("chats that get the answer, such as telegram; empty: none")
    ] = ()
    agent: Annotated[bool, doc("have the agent work on the text; false: deliver it as it is")] = (
        True
    )


class WebhookConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ways in for other programs."""

    enabled: Annotated[bool, doc("listen for signed calls; needs http.port")] = False
    hooks: Annotated[tuple[Hook, ...], doc("the ways in")] = ()


class GatewaysConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds for all chats."""

    one_conversation: Annotated[
        bool, doc("your own direct chats on all platforms are one session, also on the screen")
    ] = False
    folder: Annotated[
        str, doc("working folder of sessions that begin in a chat; made when it is not there")
    ] = "~/hermes-chats"
    guest_tools: Annotated[
        tuple[str, ...], doc("tools that people other than you may have used for them")
    ] = ("web_search", "web_extract", "todo")
    gather_s: Annotated[
        float, Meta(ge=0, le=10, description="seconds in which pieces of a text are put together")
    ] = 0.6
    per_minute: Annotated[
        int, Meta(ge=1, le=10_000, description="messages a minute of one person; more wait")
    ] = 30
    late_minutes: Annotated[
        int,
        Meta(ge=1, le=525_600, description="older ones are only listed after a time down"),
    ] = 720
    parallel: Annotated[int, Meta(ge=1, le=64, description="chats worked on at once")] = 4
    most_bytes: Annotated[
        int, Meta(ge=0, le=2_000_000_000, description="largest file taken in or sent")
    ] = 20_000_000
    file_chars: Annotated[
        int, Meta(ge=1000, description="longer answers go as a file, with their beginning as text")
    ] = 12_000
    pairing: Annotated[
        bool,
        doc("note strangers who write to it; `hermes pairing approve` lets them in"),
    ] = True

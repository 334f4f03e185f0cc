"""What a person has to do and to give for each platform: `hermes gateway setup` asks by it."""

from __future__ import annotations

from msgspec import Struct


class Ask(Struct, frozen=True):
    """One thing to be given. field: of the platform's settings; a secret's names a variable."""

    field: str
    question: str
    secret: bool = False
    optional: bool = False


class Steps(Struct, frozen=True, kw_only=True):
    """A platform's way in. before: what to do there first; asks: what is to be given then.

    greet: how to write to the agent the first time, so that the owner is found by their id.
    """

    name: str
    before: tuple[str, ...]
    asks: tuple[Ask, ...]
    greet: str
    webhook: bool = False


STEPS: dict[str, Steps] = {
    "telegram": Steps(
        name="Telegram",
        before=("Write /newbot to @BotFather in Telegram and follow it; it gives you a token.",),
        asks=(Ask("token_env", "The bot's token", secret=True),),
        greet="Open your bot in Telegram, press Start and write it any word.",
    ),
    "discord": Steps(
        name="Discord",
        before=(
            "Make an application at https://discord.com/developers/applications, open Bot,",
            "reset its token, and switch on Message Content Intent.",
            "Under OAuth2 → URL Generator choose bot and applications.commands; open the address",
            "and invite the bot to a server of yours.",
        ),
        asks=(Ask("token_env", "The bot's token", secret=True),),
        greet="Send your bot a direct message in Discord.",
    ),
    "slack": Steps(
        name="Slack",
        before=(
            "Make an app at https://api.slack.com/apps and switch on Socket Mode; keep the",
            "app-level token (xapp-…) with connections:write.",
            "Give the bot chat:write, im:history, im:write, app_mentions:read, channels:history,",
            "groups:history, files:read, files:write, commands; subscribe to message.im,",
            "message.channels, message.groups and app_mention; install it and keep xoxb-….",
        ),
        asks=(
            Ask("app_token_env", "The app-level token (xapp-…)", secret=True),
            Ask("token_env", "The bot token (xoxb-…)", secret=True),
        ),
        greet="Send your app a direct message in Slack.",
    ),
    "whatsapp": Steps(
        name="WhatsApp",
        before=(
            "Make an app of the type Business at https://developers.facebook.com/apps, add",
            "WhatsApp, and note the phone number's id, an access token and the app secret.",
            "Have https calls of /gateways/whatsapp reach this machine's http.port, and set that",
            "address as the webhook with a verify word of your own; subscribe to messages.",
        ),
        asks=(
            Ask("phone_id", "The id of the phone number"),
            Ask("token_env", "The access token", secret=True),
            Ask("secret_env", "The app secret", secret=True),
            Ask("verify_env", "Your verify word", secret=True),
        ),
        greet="Write to that number in WhatsApp.",
        webhook=True,
    ),
    "signal": Steps(
        name="Signal",
        before=(
            "Install signal-cli, register or link an account, and start",
            "`signal-cli -a +NUMBER daemon --http 127.0.0.1:8080`.",
        ),
        asks=(
            Ask("account", "The account's number, such as +491701234567"),
            Ask("url", "The daemon's address", optional=True),
        ),
        greet="Write to that number in Signal.",
    ),
}

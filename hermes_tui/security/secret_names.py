"""Says from the name of a field how likely its value is a secret."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from hermes_tui.security.secret_text import Pattern, words

Strength = Literal["", "weak", "key", "password"]

_WORD = Pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Words after the telling one that leave it what it is: `client-key-data`, `TOKEN_PROD`, `key2`.
_TAILS = words(
    "base value val string str b64 base64 raw text plain plaintext prod production dev development "
    "test testing staging stage live default new old current previous main primary secondary "
    "backup data env local ro rw readonly master slave replica"
)
_PASSWORD_ENDS = ("password", "passwd", "passphrase", "passcode", "passwort", "userpass", "dbpass")
_PASSWORDS = words("pass pwd pw psk requirepass masterauth pgpass")
_KEY_ENDS = ("token", "secret", "apikey", "secretkey", "accesskey", "privatekey", "authkey")
_KEYS = words(
    "credential credentials creds cred jwt bearer authtoken accountkey sharedkey signingkey "
    "encryptionkey connectionstring sas authkey apitoken"
)
# What makes a `key` a secret one.
_KEY_KINDS = words(
    "api secret private access auth account encryption encrypt signing sign shared master "
    "service ssh storage subscription client license deploy hmac webhook session aes rsa "
    "admin server app application functions host cipher crypto decryption jwt integration "
    "ingest write pre preshared wireguard gpg pgp tls ssl root team user bot"
)
# What makes a `token` a harmless one: of a tokenizer, of a page, of a parser.
_TOKEN_KINDS = words(
    "next page continuation cursor sync pagination eos bos pad unk sep cls mask stop special "
    "cancellation cancel first last end start begin max min num total count per input output "
    "prompt completion image current unexpected expected invalid missing"
)
_WEAK = words(
    "key auth session sessionid sid sess sig signature tokens secrets passwords keys cookie "
    "cookies authorization phpsessid jsessionid sign"
)


@lru_cache(maxsize=2048)
def strength(name: str) -> Strength:
    """How much a field's name says: `password`, `key` (tokens too), `weak`, or nothing.

    It is the last word that counts: `api_key` is a key, `key_id`, `token_count` and
    `password_policy` are not.
    """
    words = [match[0].lower() for match in _WORD.re.finditer(name)]
    while len(words) > 1 and (words[-1] in _TAILS or words[-1].isdigit()):
        words.pop()
    if not words:
        return ""
    last, kinds = words[-1], set(words[:-1])
    if last in _PASSWORDS or last.endswith(_PASSWORD_ENDS):
        return "password"
    if last in _KEYS or last.endswith(_KEY_ENDS):
        return "weak" if kinds & _TOKEN_KINDS else "key"
    if last == "pat" and kinds:
        return "key"
    if last == "key" and kinds & _KEY_KINDS and "public" not in kinds:
        return "key"
    if last in _WEAK and not kinds & {"public", "max", "min", "num", "count"}:
        return "weak"
    if last in ("id", "cookie") and "session" in kinds:
        return "weak"
    return ""

"""Finds secrets by the look of them: vendor prefixes, tokens with dots, hooks, encoded text.

Prefixes are facts from the vendors' own documentation and from the rule lists of public secret
scanners. A prefix alone proves nothing: what follows must look generated (`looks_random`).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from functools import cache

from hermes_tui.security.secret_text import (
    Page,
    Pattern,
    Span,
    has_digit,
    is_hex,
    looks_random,
    words,
)

_FORMATS = """
openai 10 sk-proj- sk-svcacct- sk-admin- sk-service-
anthropic 10 sk-ant-api sk-ant-oat sk-ant-ort sk-ant-admin sk-ant-sid sk-ant-
openrouter 12 sk-or-v1- sk-or-
langfuse 16 sk-lf-
openai 16 sk-
github 10 ghp_ gho_ ghu_ ghs_ ghr_ github_pat_
gitlab 12 glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glimt- glagent- glffct- gloas-
slack 10 xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xoxo- xapp- xwfp-
stripe 12 sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ whsec_
google 20 AIza GOCSPX-
npm 16 npm_
pypi 16 pypi-
huggingface 16 hf_ api_org_
groq 20 gsk_
xai 20 xai-
perplexity 20 pplx-
replicate 20 r8_
fireworks 16 fw_ fpk_
tavily 12 tvly-
firecrawl 20 fc-
exa 20 exa_ exa-
cerebras 20 csk-
nvidia 20 nvapi-
jina 20 jina_
elevenlabs 24 sk_
voyage 20 pa- al-
together 20 tgp_v1_
agentmail 20 am_
fal 20 fal_ fal-
langsmith 16 lsv2_pt_ lsv2_sk_ ls__
composio 16 ak_
e2b 20 e2b_
daytona 20 dtn_
browserbase 16 bb_live_ bb_test_
honcho 16 hch-v hch-
mem0 16 m0-
supermemory 16 sm_
brave 20 BSA
digitalocean 20 dop_v1_ doo_v1_ dor_v1_
shopify 16 shpat_ shpca_ shppa_ shpss_ shptka_
databricks 20 dapi
mailgun 20 key- pubkey-
sendinblue 16 xkeysib- xsmtpsib-
mailchimp 16 md-
linear 16 lin_api_ lin_oauth_ lin_wh_
supabase 16 sbp_ sb_secret_ sbp_oauth_
tailscale 12 tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook- tskey-
notion 20 ntn_ secret_
figma 16 figd_ figu_ figo_ figur_
atlassian 20 ATATT3 ATCTT3 ATBB ATSTT
newrelic 20 NRAK- NRII- NRJS- NRIQ- NRRA-
grafana 16 glsa_ glc_ eyJrIjoi
pulumi 20 pul-
rubygems 20 rubygems_
contentful 20 CFPAT-
postman 16 PMAK-
square 16 sq0atp- sq0csp- sq0idp- EAAA
facebook 24 EAA EAAC
docker 16 dckr_pat_ dckr_oat_
buildkite 16 bkua_ bkaj_
circleci 16 CCIPAT_ CCIPRJ_
netlify 16 nfp_ nfc_ nfo_ nfb_
vercel 16 vcp_ vci_ vca_ vcr_ vck_
heroku 16 HRKU-
fly 16 fm1r_ fm1a_ fm2_
nuget 24 oy2
onepassword 20 ops_eyJ A3-
sentry 16 sntrys_ sntryu_ sntryi_
sourcegraph 20 sgp_ slk_
planetscale 16 pscale_tkn_ pscale_pw_ pscale_oauth_
prefect 16 pnu_ pnb_
readme 16 rdme_
duffel 16 duffel_live_ duffel_test_
easypost 20 EZAK EZTK
flutterwave 16 FLWSECK FLWSECK_TEST-
frameio 16 fio-u-
jfrog 20 AKCp cmVmdGtu
cloudflare 20 v1.0- cfat_ cfut_ cfk_
shippo 16 shippo_live_ shippo_test_
clojars 20 CLOJARS_
doppler 16 dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.
vault 16 hvs. hvb. hvr.
age 40 AGE-SECRET-KEY-1
dynatrace 16 dt0c01. dt0s01. dt0s02.
google 16 ya29. 1//0
sendgrid 16 SG.
mapbox 16 sk.eyJ tk.eyJ
infracost 20 ico-
typeform 20 tfp_
hashnode 20 hsn_
terraform 20 atlasv1.
confluent 20 cflt
crates 20 cio
ngrok 20 ngrok_
razorpay 12 rzp_live_ rzp_test_
paystack 16 pk_secret_
adafruit 16 aio_
asana 20 asana_
dropbox 20 sl.
matrix 16 syt_ mct_
pinecone 20 pcsk_
qdrant 20 qdr_
weaviate 20 wcs_
zilliz 20 zlz_
snyk 20 snyk_
sonar 20 sqp_ sqa_ squ_
launchdarkly 20 sdk- mob-
posthog 20 phx_ phs_
unkey 16 unkey_
resend 16 re_
clerk 16 sk_clerk_
workos 16 sk_workos_
deno 20 ddp_ ddo_
"""
_BARE_WORDS = words("sk pat key secret token apikey live prod priv rk")
_AWS = words("AKIA ASIA ABIA ACCA AROA AIDA AGPA ANPA ANVA APKA")
# Prefixes so common that they count at the start of a word alone.
_COMMON = words(
    "key- pubkey- re_ sm_ ak_ am_ pa- al- fc- exa_ exa- fw_ fal_ fal- m0- md- sk_ sl. secret_ "
    "aio_ mob- sdk- hch- oy2 cio BSA EAA EAAC EAAA cflt dapi AKCp A3-"
)
_SHORTEST = 16
_RUN = b"a" * _SHORTEST
_IN_RUN = bytes(
    97 if chr(byte).isascii() and (chr(byte).isalnum() or byte in b"_-") else 32
    for byte in range(256)
)
_DOTTED = Pattern(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]{4,})*")
_BASE64 = Pattern(r"[A-Za-z0-9+/_-]+={0,6}")
_TELEGRAM = Pattern(r"\d{7,11}:$")
_HOOK = Pattern(r"(?:hooks?[./]|webhook|/services/|/bot)[^\s\"'<>]*/$", re.I)
_ROT13 = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM",
)


@cache
def _prefixes() -> dict[str, list[tuple[str, int, str]]]:
    """Prefixes by their first two characters, longest first: (prefix, least tail, vendor)."""
    table: dict[str, list[tuple[str, int, str]]] = {}
    for line in _FORMATS.split("\n"):
        vendor, *rest = line.split() or [""]
        for prefix in rest[1:]:
            table.setdefault(prefix[:2], []).append((prefix, int(rest[0]), vendor))
    for rows in table.values():
        rows.sort(key=lambda row: -len(row[0]))
    return table


def public_prefix(value: str) -> int:
    """How many first characters of a value only say whose format it is."""
    rows = _prefixes().get(value[:2], [])
    return next((len(prefix) for prefix, _, _ in rows if value.startswith(prefix)), 0)


def runs(raw: bytes) -> Iterator[tuple[int, int]]:
    """Where words of 16 or more letters, digits, `_` and `-` are, of a text in ASCII."""
    marked = raw.translate(_IN_RUN) + b" "
    at = marked.find(_RUN)
    while at >= 0:
        end = marked.find(b" ", at)
        yield at, end
        at = marked.find(_RUN, end)


def find(page: Page, thorough: bool, inner: Callable[[str], Span | None]) -> Iterator[Span]:
    """Secrets by shape. thorough: also reversed and in rot13. inner: finds a secret in a text that
    was decoded out of this one.
    """
    text, tried = page.text, 0
    for start, end in runs(page.raw):
        word = text[start:end]
        span = None
        if not is_hex(word) or text[max(0, start - 1) : start] in (".", "/", ":"):
            span = _one(text, start, end, word)
        if span is None and len(word) >= 24 and start >= tried:
            span, tried = _encoded(text, start, word, inner)
        if span is None and thorough:
            span = _turned(start, end, word)
        if span is not None:
            yield span


def _one(text: str, start: int, end: int, word: str) -> Span | None:
    if word.islower() and not has_digit(word):
        return None
    return (
        _by_prefix(text, start, end, word)
        or _dotted(text, start, end, word)
        or _by_place(text, start, end, word)
        or _by_parts(start, end, word)
    )


def _by_prefix(text: str, start: int, end: int, word: str) -> Span | None:
    """A vendor's prefix at the start of a word or after a `_` or `-`, or with dots before it."""
    table = _prefixes()
    back = start
    while back > 0 and start - back < 9 and (text[back - 1] in "./" or text[back - 1].isalnum()):
        back -= 1
    places = [*range(back, start + 1)] if back < start else [start]
    places += [start + at + 1 for at, c in enumerate(word[:-12]) if c in "_-"]
    for at in places:
        for prefix, least, vendor in table.get(text[at : at + 2], ()):
            tail = text[at + len(prefix) : min(end, at + 300)]
            if not text.startswith(prefix, at) or not _generated(tail, least, vendor):
                continue
            if _boundary(text, at, prefix in _COMMON):
                return Span(at, _reach(text, end, prefix), vendor)
    if word[:4] in _AWS and len(word) == 20 and word.isalnum() and word.isupper():
        return Span(start, end, "aws")
    if word[:2] == "SK" and len(word) == 34 and is_hex(word[2:]):
        return Span(start, end, "twilio")
    if 36 <= len(word) <= 37 and word[32:35] == "-us" and is_hex(word[:32]):
        return Span(start, end, "mailchimp")
    return None


def _boundary(text: str, at: int, strict: bool) -> bool:
    before = text[at - 1 : at]
    return not (before.isalnum() or (strict and before in ("-", "_", "/", "+")))


def _generated(tail: str, least: int, vendor: str) -> bool:
    if len(tail) < least:
        return False
    if vendor == "age":
        return True
    pieces = [piece for piece in tail.replace("_", "-").split("-") if piece]
    longest = max(pieces, key=len, default="")
    return looks_random(longest, min(least, 10)) or (
        len(longest) >= 5 and looks_random(tail, 20) and has_digit(tail)
    )


def _reach(text: str, end: int, prefix: str) -> int:
    """Where a token ends: some go on after a dot, or in base64."""
    if prefix in ("SG.", "sk.eyJ", "tk.eyJ", "1//0", "xoxe-") or prefix.startswith(("dt0", "sl")):
        while text[end : end + 1] == "." and (match := _DOTTED.re.match(text, end + 1)):
            end = match.end()
    if prefix.startswith(("fm", "ATATT", "ATCTT", "sntry", "ops_", "glc_")):
        match = _BASE64.re.match(text, end)
        end = match.end() if match else end
        while text[end : end + 1] == "=":
            end += 1
    return end


def _dotted(text: str, start: int, end: int, word: str) -> Span | None:
    """JSON web tokens, and bot tokens of Discord: three words with dots in between."""
    if text[end : end + 1] != ".":
        return None
    match = _DOTTED.re.match(text, start)
    if match is None or "." not in match[0]:
        return None
    first, second, *rest = match[0].split(".")
    if word.startswith("eyJ") and len(second) >= 16 and (second.startswith("eyJ") or rest):
        return Span(start, match.end(), "jwt")
    sizes = 22 <= len(first) <= 30 and len(second) in (6, 7) and len(rest) == 1
    if sizes and len(rest[0]) >= 26 and looks_random(first + rest[0]):
        return Span(start, match.end(), "discord")
    return None


def _by_place(text: str, start: int, end: int, word: str) -> Span | None:
    """Bot tokens of Telegram, and the secret last part of web hooks."""
    before = text[max(0, start - 200) : start]
    if before.endswith(":") and len(word) in range(33, 38):
        match = _TELEGRAM.re.search(before[-12:])
        if match and looks_random(word, 20):
            return Span(start - len(match[0]), end, "telegram")
    last = before.endswith("/") and len(word) >= 20 and _HOOK.re.search(before)
    if last and (looks_random(word, 16) or len(set(word)) == 1):
        return Span(start, end, "webhook")
    return None


def _by_parts(start: int, end: int, word: str) -> Span | None:
    """An unknown vendor's key that calls itself one: `acme_live_` and twenty random characters."""
    *names, last = word.replace("-", "_").split("_")
    if len(last) < 20 or not names or last.islower() or last.isupper():
        return None
    if any(name.lower() in _BARE_WORDS for name in names) and looks_random(last, 20):
        return Span(start, end, "api key")
    return None


def _turned(start: int, end: int, word: str) -> Span | None:
    for other in (word[::-1], word.translate(_ROT13)):
        if _by_prefix(other, 0, len(other), other) is not None:
            return Span(start, end, "turned key")
    return None


def _encoded(
    text: str, start: int, word: str, inner: Callable[[str], Span | None]
) -> tuple[Span | None, int]:
    """Text in base64, base32 or hex that holds a secret; and how far it was looked at."""
    decode = _hex if is_hex(word) else _base32 if word.isupper() else _base64
    if not decode(word[:24]):
        return None, start
    match = _BASE64.re.match(text, start)
    whole = match[0] if match else word
    end = start + len(whole)
    found = inner(decode(whole))
    return (Span(start, end, found.label, found.held) if found else None), end


def _hex(word: str) -> str:
    if not is_hex(word) or len(word) % 2:
        return ""
    return _readable(bytes.fromhex(word))


def _base32(word: str) -> str:
    bare = word.rstrip("=")
    if not bare.isupper() or set(bare) - set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"):
        return ""
    try:
        return _readable(base64.b32decode(bare + "=" * (-len(bare) % 8)))
    except binascii.Error:
        return ""


def _base64(word: str) -> str:
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    if not _readable(binascii.a2b_base64(bare[:16])):
        return ""
    bare = bare[: len(bare) - (len(bare) % 4 == 1)]
    return _readable(binascii.a2b_base64(bare + "=" * (-len(bare) % 4)))


def _readable(data: bytes) -> str:
    """The bytes as text, empty when they are not plain ASCII text."""
    if not data.isascii():
        return ""
    text = data.decode("ascii")
    return text if text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable() else ""

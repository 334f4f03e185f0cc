"""What a statement is by its wording: its kind, whether it orders about, whether it judges.

Rules only, no model: they sort and warn, and what they propose stays a candidate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes_tui.intents.memory import Kind
from hermes_tui.memory.alike import topic_of
from hermes_tui.memory.words import HIDDEN

MOST = 400
"""Longest sentence, in characters, that is taken for a statement about the person."""

_KINDS: tuple[tuple[Kind, str], ...] = (
    (
        "instruction",
        r"^(?:always|never|don't|do not|please|from now on|in future|whenever|when i|"
        r"every time|stop |avoid|make sure|remember to|answer|reply|write|use |prefix|ask before|"
        r"the user wants|user wants|请|总是|不要|每次|以后)",
    ),
    (
        "preference",
        r"\b(?:prefers?|likes?|loves?|hates?|dislikes?|favou?rite|rather|enjoys?|can't stand|"
        r"is fond of)\b|喜欢|偏好|讨厌|好き|嫌い",
    ),
    (
        "relation",
        r"\b(?:wife|husband|partner|spouse|son|daughter|child|kids?|mother|father|mum|mom|dad|"
        r"parents?|brother|sister|friend|boss|manager|colleague|teammate|dentist|doctor|"
        r"reports to|married|dog|cat|pet)\b|妻子|丈夫|女儿|儿子|朋友|同事",
    ),
    (
        "pattern",
        r"\b(?:usually|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|every (?:day|morning|"
        r"evening|week|monday|friday)|in the (?:mornings?|evenings?)|tends to|habit|before bed|"
        r"works? (?:from|until|late|early)|at night)\b|通常|每天|每周",
    ),
    (
        "expertise",
        r"\b(?:expert|experienced?|years of|knows?|fluent|skilled|proficient|learning|studied|"
        r"new to|beginner|trained|phd|degree)\b|擅长|精通|学习",
    ),
    (
        "project",
        r"\b(?:project|is building|working on|is writing|is migrating|thesis|side job|startup|"
        r"deadline|launch(?:es|ing)?)\b|项目",
    ),
    (
        "about",
        r"^(?:the )?(?:user(?:'s)?|i|i'm|my|he|she|they)\b|^(?:我|用户)",
    ),
)
_ORDERS = (
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|your)\b"
    r".{0,40}\b(?:instruction|rule|prompt|message|polic|guideline)"
    r"|\b(?:system|developer) (?:prompt|message)|\byou (?:are|must|should|will|shall|have to"
    r"|need to) (?:now |always |never |not )?\w+"
    r"|\b(?:the |this )?(?:assistant|agent|ai|hermes|model) (?:must|should|shall|will|has to|"
    r"needs to)\b"
    r"|\b(?:send|upload|post|forward|exfiltrat\w*|leak|e?mail)\b.{0,60}(?:https?://|\bto \S+@\S+|"
    r"\b(?:token|key|password|secret|credential)s?\b)"
    r"|\b(?:curl|wget)\b[^\n]*\|\s*(?:ba|z|da)?sh\b|\brm -rf\b"
    r"|\b(?:without|don't|do not|never) (?:asking|ask|tell(?:ing)?|inform(?:ing)?|confirm\w*)\b"
    r"|\b(?:always|never|from now on)\b.{0,40}\b(?:run|execute|approve|allow|open|visit|install|"
    r"trust|reply|answer|say|include|send|add)\b|<\s*/?\s*(?:system|assistant|instructions?)\b"
    r"|忽略.{0,12}(?:指令|指示|规则)|你必须|以前の指示"
)
_JUDGES = (
    r"\b(?:feels?|feeling|is (?:very |often |quite |rather |a bit |usually )?(?:anxious|angry|"
    r"sad|happy|depressed|lonely|stressed|frustrated|impatient|lazy|arrogant|shy|insecure|moody|stubborn|"
    r"perfectionist|narcissis\w+|neurotic|introvert\w*|extrovert\w*|naive|rude|jealous|ashamed|"
    r"nervous|emotional|sensitive|irritable|grumpy|worried|afraid|scared|upset|annoyed)"
    r"|personality|temperament|character trait|self-esteem|mood|emotional(?:ly)?|"
    r"seems? (?:to be )?(?:anxious|angry|sad|stressed|frustrated|impatient|upset|annoyed|"
    r"tired|lonely))\b"
    r"|(?:焦虑|抑郁|生气|难过|孤独|懒惰|性格)"
)
_ASKED_TO = (
    r"^(?:please |hey |hermes,? |and |also |but )*(?:remember|note|keep in mind|don't forget)"
    r"(?: down)?(?: please)?[,:]?(?: that| this:?)?\s*[:,]?\s+(?P<what>\S.*)$"
    r"|^(?:请)?记住[：:，, ]*(?P<zh>\S.*)$|^(?:覚えて(?:おいて)?[：:、 ]*)(?P<ja>\S.*)$"
)
_LASTING = (
    r"\bi (?:always|never|usually|generally|normally|don't (?:eat|drink)) \w+"
    r"|\bi (?:really |strongly )?(?:prefer|hate|can't stand|live in|work (?:at|as|for|in)|am an?|"
    r"was born|speak|am (?:allergic|vegetarian|vegan))\b|\bi'm (?:an? |allergic|vegetarian|vegan)"
    r"|\bcall me [A-Z]|^(?:please )?(?:always|never) \w+"
    r"|\b(?:from now on|in future|as a rule|never again|every time (?:you|i)|whenever (?:you|i))\b"
    r"|我(?:喜欢|不喜欢|住在|叫|在.{1,12}工作)|以后(?:请|不要)|私は|僕は"
)
_TASK = (
    r"[?？]\s*$|^(?:can|could|would|will|should|what|why|how|when|where|who|which|is|are|do|does)\b"
    r"|\b(?:today|right now|this time|at the moment|just now|for now|yesterday|"
    r"tonight|tomorrow)\b|```"
)


def _found(pattern: str, text: str) -> bool:
    """Whether a pattern is found; compiled at first use, as start-up has no use for it."""
    return re.search(pattern, text, re.IGNORECASE) is not None


_GRANTS = (
    r"\bapprov(?:e|es|ed|al|als|ing)\b|\bpermissions?\b|\bwithout (?:asking|a question|confirm)"
    r"|\b(?:ask\w*|prompt\w*|confirm\w*|questions?) (?:before|first|again)\b"
    r"|\b(?:not?|never|n[o']t|stop|skip)\b[^.]{0,40}\b(?:ask\w*|prompt\w*|confirm\w*)\b"
    r"|\b(?:is|are) (?:also )?(?:the|an|my|your) (?:owner|admin\w*)\b|\byolo\b|\btrust(?:s|ed)?\b"
)


def kind_of(text: str) -> Kind:
    """The kind of a statement as it reads."""
    for kind, pattern in _KINDS:
        if _found(pattern, text):
            return kind
    return "fact"


_DIRECTS = (
    r"\b(?:sen[dt]s?|posts?|posted|uploads?|uploaded|forwards?|forwarded|delivers?|delivered"
    r"|mails?|mailed|emails?|emailed|reports?|reported|cop(?:y|ies|ied)|pays?|paid|transfers?"
    r"|transferred|bcc|cc)\b.{0,80}?\b(?:to|into|at|via)\s+\S|\bgo(?:es)?\s+to\s+\S"
)
_HOST = r"(?<![\w.@/-])(?:[a-z0-9-]+\.)+([a-z]{2,})\b|@[a-z0-9-]+\.([a-z]{2,})\b"
_FILES = frozenset(
    [
        "bat", "c", "cfg", "conf", "cpp", "cs", "css", "csv", "db", "env", "go", "gz", "h", "html",
        "ini", "ipynb", "java", "js", "json", "jsx", "kt", "lock", "log", "md", "mjs", "pdf",
        "php", "png", "py", "rb", "rs", "rst", "scss", "sh", "sql", "svg", "swift", "tar", "toml",
        "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zip",
    ]
)  # fmt: skip


def gives_orders(text: str) -> bool:
    """Whether a text tells an agent what to do, or hides something: no fact when from outside."""
    return _found(_ORDERS, text) or bool(HIDDEN.search(text))


def grants(text: str) -> bool:
    """Whether a statement would loosen what needs a person's word, or say whose word counts."""
    return _found(_GRANTS, text)


def directs(text: str) -> bool:
    """Whether a statement says where something is sent, paid or copied to."""
    return _found(_DIRECTS, text)


def holds_address(text: str) -> bool:
    """Whether a text names a host, an address of the web or of mail."""
    ends = [one or other for one, other in re.findall(_HOST, text, re.IGNORECASE)]
    return "://" in text or any(one.lower() not in _FILES for one in ends)


def judges(text: str) -> bool:
    """Whether a statement is about feelings or character."""
    return _found(_JUDGES, text)


def told_to_remember(text: str) -> str:
    """What the person asks to remember in so many words; empty for anything else."""
    found = re.match(_ASKED_TO, text.strip(), re.IGNORECASE | re.DOTALL)
    if found is None or text.rstrip().endswith(("?", "？")):
        return ""
    what = next(one for one in found.groups() if one).strip()
    plain = re.match(r"to\s|how\s|when\s|where\s|what\s|me\b", what, re.IGNORECASE) is None
    return what if plain and len(what) <= MOST else ""


def lasting(text: str) -> Iterator[str]:
    """Sentences in the first person that may hold beyond the talk they stand in."""
    for sentence in re.split(r"(?<=[.!。！])\s+|\n+", text):
        one = sentence.strip(" -*>\t")
        if not (8 if one.isascii() else 4) <= len(one) <= MOST or _found(_TASK, one):
            continue
        if _found(_LASTING, one) or (_found(r"^(?:and |but |also )?my ", one) and topic_of(one)):
            yield one


def leaves_something(text: str) -> bool:
    """Whether a text says anything that may be worth keeping."""
    return bool(told_to_remember(text)) or next(lasting(text), "") != ""

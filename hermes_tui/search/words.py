"""Words of a question that name nothing, and forms of words that no stemmer brings together."""

from __future__ import annotations

from functools import cache

_STOP = """
a an the of and or to in on at for with by from as about into over out up down off
is are was were be been being am do does did doing done has have had having will would can could
should may might must shall ought
i me my mine myself you your yours yourself he him his himself she her hers herself it its itself
we us our ours ourselves they them their theirs themselves
this that these those there here who whom whose which what when where why how
no not nor so if then than too very just also some any all both each other others such own same
most more much many long often ever during after before between since until while
likely considered kind sort please
s t d ll re ve m don didn doesn isn wasn weren hasn haven hadn couldn wouldn shouldn ain im
whats wheres dont didnt doesnt cant wont
"""

_FORMS = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun
bend bent|bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred
bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|cling clung
come came|creep crept|deal dealt|die died dead|dig dug|draw drew drawn|dream dreamt
drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt
fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone going
grind ground|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt
know knew known|lay laid|lead led|lean leant|leap leapt|learn learnt|leave left|lend lent
light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken|pay paid|prove proven
ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought
sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown
shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|speak spoke spoken
spell spelt|spend spent|spill spilt|spin spun|spoil spoilt|spring sprang sprung|stand stood
steal stole stolen|stick stuck|sting stung|strike struck|swear swore sworn|sweep swept
swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told|think thought
throw threw thrown|undergo underwent undergone|understand understood|wake woke woken
wear wore worn|weave wove woven|weep wept|win won|wind wound|withdraw withdrew withdrawn
write wrote written|rewrite rewrote rewritten
child children|foot feet|goose geese|knife knives|leaf leaves|life lives|loaf loaves|man men
mouse mice|person people|shelf shelves|tooth teeth|wife wives|wolf wolves|woman women|half halves
index indices|matrix matrices|vertex vertices|analysis analyses|criterion criteria
bad worse worst|good better best
analyse analyze|behaviour behavior|catalogue catalog|centre center|cheque check|colour color
favourite favorite|flavour flavor|grey gray|harbour harbor|honour honor|jewellery jewelry
labour labor|licence license|metre meter|mould mold|neighbour neighbor|organise organize|plough plow
programme program|pyjamas pajamas|realise realize|recognise recognize|theatre theater|tyre tire
"""

_ASKED = """
什么时候 什么地方 多长时间 为什么 什么 怎么样 怎么办 怎么 怎样 如何 哪里 哪儿 哪个 哪些 哪天 几点
几个 多少 多久 是不是 有没有 能不能 是否 我们 你们 他们 她们 咱们 请问 告诉 记不记得 记得
之前 以前 上次
说过 提到 提过 聊过 关于 这个 那个 一下 什麼時候 什麼 為什麼 怎麼 我們 你們 這個 那個
どこ いつ だれ どれ どの どんな どう なぜ なに なん 何時 ですか ますか でしたか ましたか
ました ません でした です ます だった のか だっけ たっけ っけ について という ください 教えて
무엇 언제 어디 누구 어떻게 어떤 입니까 습니까 했지 인가요 나요
"""
SMALL = frozenset(
    "谁吗呢吧啊呀了的得地着过我你您他她它是在有和与跟把被给对从到也都就还请这那做几嗎們這幾個誰何私僕"
    "はがをにへとでもの뭐왜몇"
)
"""Characters that mostly only hold a sentence together; what stands with them counts less."""


@cache
def stop_words() -> frozenset[str]:
    """English words that name nothing, in small letters."""
    return frozenset(_STOP.split())


def forms(word: str) -> tuple[str, ...]:
    """Other forms of an irregular word: `went` for `go`, `color` for `colour`."""
    known = _forms()
    for stem in _stems(word):
        if stem in known:
            return tuple(other for other in known[stem] if other != word)
    return ()


@cache
def asked() -> tuple[str, ...]:
    """What questions in Chinese, Japanese and Korean are made of, longest first."""
    return tuple(sorted(_ASKED.split(), key=len, reverse=True))


@cache
def _forms() -> dict[str, tuple[str, ...]]:
    made: dict[str, tuple[str, ...]] = {}
    for line in _FORMS.replace("\n", "|").split("|"):
        group = tuple(line.split())
        for word in group:
            made[word] = made.get(word, ()) + group
    return made


def _stems(word: str) -> tuple[str, ...]:
    """The word, and what it may come from by a regular ending."""
    found = [word]
    for ending in ("s", "es", "ing", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            found.append(word.removesuffix(ending))
    if word.endswith("ing"):
        found.append(word[:-3] + "e")
    return tuple(found)

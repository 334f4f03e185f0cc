"""Made-up talks between a person and an agent, with questions and the message that answers each.

Families of look-alikes: sessions that tell the same kind of story with other names and values, so
that only the right one answers. Each family is one table; `talks()` writes the sessions out, with
small talk between, tool output, corrections and dates. All of it is invented for these tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass
class Turn:
    """One message. asked: questions that it answers."""

    role: str
    text: str
    asked: tuple[str, ...] = ()


@dataclass
class Talk:
    """One session. lang: en, zh or ja."""

    id: str
    lang: str
    title: str
    start: datetime
    turns: list[Turn] = field(default_factory=list)


DEPLOYS = """
heron|8443|Caddy|E1107|the certificate had expired|renewed it with acme.sh
osprey|9090|nginx|E2290|the config had two default servers|removed the stray include
kestrel|7070|Traefik|E3318|the label was misspelt|corrected the router label
plover|6060|HAProxy|E4471|the health check hit the wrong path|pointed it at /livez
curlew|5055|Envoy|E5032|the cluster name was missing|added it to bootstrap.yaml
dunlin|4040|Varnish|E6619|the vcl did not compile|closed a brace in line 40
godwit|3939|lighttpd|E7284|the user could not read the key|changed the group to ssl-cert
avocet|2828|Apache|E8855|mod_proxy was off|enabled it with a2enmod
gannet|1717|Pingora|E9146|the thread pool was empty|raised workers to 8
siskin|6161|Squid|E1620|the disk cache was full|cleared /var/spool/squid
"""
BUGS = """
src/ledger/rounding.py|settle_invoice|DecimalOverflow|cents were summed as floats
lib/tiles/packer.py|pack_atlas|AtlasTooSmall|the border was counted twice
app/mail/threads.py|join_thread|HeaderMissing|References may be folded over lines
core/clock/drift.py|measure_drift|NegativeSpan|the monotonic clock was not used
net/relay/frames.py|read_frame|ShortFrame|the length prefix is little endian
ui/grid/cursor.py|moveCursorLeft|CellOutOfRange|wide characters take two cells
db/journal/replay.py|replay_journal|ChecksumMismatch|the last page was half written
audio/mix/limiter.py|soft_clip|BufferUnderrun|the callback took the lock
geo/route/merge.py|merge_segments|LoopDetected|roundabouts were walked twice
ops/backup/prune.py|prune_snapshots|KeptTooFew|weekly copies were taken for daily ones
"""
PEOPLE = """
Marguerite|Lyon|Porto|walnuts|a fountain pen
Tobias|Graz|Bergen|shellfish|a bread knife
Ingrid|Malmö|Turin|celery|a star map
Kofi|Accra|Leeds|lactose|a chess clock
Yolanda|Sevilla|Utrecht|sesame|a linen apron
Petros|Patras|Galway|mustard|a bird feeder
Anneke|Ghent|Ottawa|lupin|a cast-iron pan
Rashid|Amman|Perth|almonds|a telescope
Solveig|Tromsø|Krakow|soy|a wool blanket
Duncan|Oban|Valencia|eggs|a record player
"""
PLANS = """
2025-02-11|the newsletter|send it on Thursdays at nine|the open rate doubled after that
2025-03-04|the greenhouse|order polycarbonate sheets instead of glass|they arrived cracked once
2025-04-22|the reading group|start with short stories|six people said yes
2025-05-13|the boat trailer|replace both wheel bearings|the left one was blue from heat
2025-06-17|the choir concert|drop the second encore|the hall closes at ten
2025-07-08|the podcast|record in the attic|the street is too loud below
2025-08-19|the vegetable beds|put the leeks where the beans were|the soil is rested there
2025-09-02|the school play|paint the backdrop on canvas|paper tore last year
2025-10-14|the cycling tour|go clockwise round the lake|the climb is gentler
2025-11-25|the winter market|rent two stalls|one was crowded
"""
ROUTES_ZH = """
林岚|青岛|海鲜过敏|陶艺课|周三晚上七点
赵启明|成都|花生过敏|书法班|周六上午十点
何雨桐|昆明|乳糖不耐受|古筝课|周日下午三点
孙博文|西安|对芒果过敏|击剑课|周五晚上八点
钱若溪|厦门|不吃香菜|游泳课|周二早上六点半
周以宁|哈尔滨|对花粉过敏|油画班|周四下午两点
吴思远|桂林|不能喝酒|围棋课|周一晚上九点
郑晓棠|苏州|对鸡蛋过敏|木工班|周六下午四点
"""
SERVICES_ZH = """
白鹭|8821|磁盘写满了|清理了旧日志|/srv/egret/config.toml
青松|8832|证书过期了|重新签发了证书|/srv/pine/gateway.yaml
赤狐|8843|内存泄漏|把缓存上限改成两千|/srv/fox/cache.ini
蓝鲸|8854|时区设置错误|统一改用协调世界时|/srv/whale/cron.json
银杏|8865|连接池耗尽|连接数调到六十四|/srv/ginkgo/pool.toml
黑曜|8876|端口冲突|换成了备用端口|/srv/onyx/listen.conf
紫藤|8887|依赖版本不兼容|锁定了旧版本|/srv/vine/lock.txt
金雕|8898|权限不足|加入了部署用户组|/srv/eagle/acl.yaml
"""
BOOKS_ZH = """
荒原灯塔|守塔人其实是叙述者的父亲|结尾太仓促
第九码头|案子的关键是一张旧船票|前半部分太慢
纸上群山|地图师画了一条不存在的路|人物太多
盐与铁|两兄弟为了盐井反目|战争场面精彩
雾中电台|信号来自三十年前|科学部分站不住脚
长夜车站|列车永远晚点七分钟|氛围写得好
镜湖旧事|湖底藏着整个村子|对白很自然
风的账本|会计用气象记账|译文有点生硬
"""
TRIPS_JA = """
函館|朝市でいくら丼を食べた|三泊四日|雪で電車が遅れた
金沢|兼六園の近くの旅館に泊まった|二泊三日|傘を忘れた
長崎|路面電車で一日回った|一泊二日|坂道で靴が壊れた
松江|宍道湖の夕日を見た|三泊四日|船酔いした
高松|うどん屋を五軒回った|日帰り|財布をなくした
弘前|桜祭りの夜店に行った|二泊三日|カメラの電池が切れた
熊本|城の石垣を見学した|一泊二日|道に迷った
小樽|ガラス工房で器を作った|二泊三日|風邪を引いた
"""
PROJECTS_JA = """
つばめ計画|田村|認証基盤の刷新|来年三月|予算が足りない
みずうみ計画|大野|在庫管理の自動化|今年十月|仕様が固まらない
いなずま計画|西川|決済速度の改善|来年一月|負荷試験が失敗した
こだま計画|森本|音声検索の導入|今年十二月|学習データが少ない
あけぼの計画|堀内|紙書類の電子化|来年六月|部署間の合意がない
しらかば計画|水谷|倉庫の移転|来年四月|運送会社が見つからない
ほたる計画|桑原|社内通知の統合|今年十一月|通知が二重に届く
やまびこ計画|竹内|顧客窓口の統一|来年二月|担当者が退職した
"""

DIARY = """
2025-01-07|We flew to Marseille because the trains were on strike.
|How did we get to Marseille?
2025-02-19|The vet said our old cat needs a special diet for her kidneys.
|what did the vet recommend for the cat
2025-03-26|I bought a used cargo bike from a neighbour for 900 euros.
|how much was the bike I purchased?
2025-04-09|My sister's children broke the window of the shed with a football.
|What did the kids break?
2025-05-28|The landlord wants to raise the rent by 80 euros from August on.
|by how much does the rent rise?
2025-06-11|I have taught the evening class for seven years now.
|How long have I been teaching the evening class?
2025-07-23|The dentist found a crack in the upper left molar.
|what was wrong with my tooth? the dentist said
2025-08-06|Our router is in the cupboard because the shelf fell down.
|Why is the router in the cupbord?
2025-09-17|I swam across the lake in 41 minutes, my best time so far.
|How fast did I swim across the lake?
2025-10-29|The passport office only takes appointments before ten o'clock.
|when does the passport office take appointments
2025-11-12|I wrote the eulogy for my uncle on the night train.
|where was the eulogy written?
2025-12-03|The piano tuner comes on the first Monday of March.
|When does the piano get tuned?
"""

SMALL_TALK = {
    "en": (
        ("user", "Thanks, that helps. Let me think about it over lunch."),
        ("assistant", "Take your time. I am here when you want to go on."),
        ("user", "Can you keep the answers short today?"),
        ("assistant", "Of course, short answers it is."),
    ),
    "zh": (
        ("user", "好的，谢谢，我先想一想。"),
        ("assistant", "不着急，需要的时候再叫我。"),
        ("user", "今天回答简短一点就行。"),
        ("assistant", "明白，我会尽量简短。"),
    ),
    "ja": (
        ("user", "ありがとう、少し考えてみます。"),
        ("assistant", "ごゆっくりどうぞ。いつでも続けられます。"),
        ("user", "今日は短めに答えてください。"),
        ("assistant", "承知しました。短くまとめます。"),
    ),
}


def talks() -> list[Talk]:
    """All sessions, oldest first, with small talk between what matters."""
    made: list[Talk] = []
    families = (
        *(deploys, bugs, moves, gifts, plans, diary, chatter),
        *(people_zh, services_zh, books_zh, trips_ja, projects_ja),
    )
    for family in families:
        for at, talk in enumerate(family()):
            chat = [Turn(role, text) for role, text in SMALL_TALK[talk.lang]]
            turn = at % 3
            talk.turns = chat[:turn] + talk.turns[:2] + chat[turn:] + talk.turns[2:] + chat[:turn]
            made.append(talk)
    return sorted(made, key=lambda talk: talk.start)


def _rows(table: str) -> list[list[str]]:
    return [line.split("|") for line in table.strip().replace("\n|", "|").splitlines()]


def _on(month: int, day: int) -> datetime:
    return datetime(2025, month, 1, 9, 30, tzinfo=UTC) + timedelta(days=day - 1)


def deploys() -> Iterator[Talk]:
    """Deployments that look alike: host, port, proxy, error code in a tool's output, cure."""
    for i, (host, port, proxy, code, why, cure) in enumerate(_rows(DEPLOYS)):
        talk = Talk(f"deploy-{host}", "en", f"deploy {host}", _on(1 + i, 3 + 2 * i))
        talk.turns = [
            Turn("user", f"Put the new build on {host}, please."),
            Turn(
                "tool",
                f"exit code 1\nstarting unit hermes-{host}.service\nloading modules ...\n"
                f"fatal: {code} while starting {proxy} on {host}\nsee journalctl -u hermes-{host}",
                (f"which error code came up when {host} was deployed?", code, code[:4]),
            ),
            Turn(
                "assistant",
                f"{host} failed at first because {why}. I {cure} and it runs now.",
                (f"what fixed the broken deployment of {host}?",),
            ),
            Turn(
                "assistant",
                f"{host} is reachable on port {port} behind {proxy}.",
                (f"On which port does {host} listen?",),
            ),
        ]
        yield talk


def bugs() -> Iterator[Talk]:
    """Defects: a path, a function, an exception, a cause."""
    for i, (path, function, error, cause) in enumerate(_rows(BUGS)):
        talk = Talk(f"bug-{function}", "en", "a failing test", _on(2 + i, 8 + i))
        talk.turns = [
            Turn("user", f"The tests fail in {path}. Have a look?", (path, path.rsplit("/", 1)[1])),
            Turn(
                "tool", f"exit code 2\n{path}:88: in {function}\n    raise {error}(value)", (error,)
            ),
            Turn(
                "assistant",
                f"Found it: {function} raises {error} because {cause}.",
                (f"Why did {function} fail?",),
            ),
            Turn("user", "Good, write a regression test for that."),
        ]
        yield talk


def moves() -> Iterator[Talk]:
    """Corrections: a place that was right once, and the one that is right now."""
    for i, (name, old, new, _, _) in enumerate(_rows(PEOPLE)):
        talk = Talk(f"move-{name}", "en", "address book", _on(1 + i, 12))
        talk.turns = [
            Turn("user", f"Note for the address book: {name} lives in {old}."),
            Turn("assistant", f"Noted, {name} in {old}."),
            Turn(
                "user",
                f"Correction: {name} has moved, the home address is in {new} now.",
                (f"Where has {name} moved to?",),
            ),
            Turn("assistant", "I have corrected the entry."),
        ]
        yield talk


def gifts() -> Iterator[Talk]:
    """What a person must not eat and what they wished for."""
    for i, (name, _, _, allergy, gift) in enumerate(_rows(PEOPLE)):
        talk = Talk(f"gift-{name}", "en", "birthday dinner", _on(2 + i, 20))
        talk.turns = [
            Turn("user", f"I am planning a birthday dinner for {name}."),
            Turn("assistant", "Nice. Is there anything the guests don't eat?"),
            Turn(
                "user",
                f"Yes, {name} can't have {allergy}, even traces are a problem.",
                (f"What food must I avoid when {name} comes to dinner?",),
            ),
            Turn("user", f"And as a present we chose {gift}.", (f"Which present did {name} get?",)),
        ]
        yield talk


def plans() -> Iterator[Talk]:
    """Decisions with their day."""
    for day, topic, decision, reason in _rows(PLANS):
        start = datetime.fromisoformat(f"{day}T18:00:00+00:00")
        month = start.strftime("%B %Y")
        talk = Talk(f"plan-{day}", "en", "notes of the evening", start)
        talk.turns = [
            Turn("user", f"Let us talk about {topic} again."),
            Turn("assistant", "Sure. What are the options?"),
            Turn(
                "user",
                f"We decided to {decision}, because {reason}.",
                (
                    f"what did we settle for {topic}?",
                    f"What was decided in {month}?",
                    f"what was decided on {start.day} {start.strftime('%B %Y')}?",
                ),
            ),
            Turn("assistant", "I put it on the list."),
        ]
        yield talk


def diary() -> Iterator[Talk]:
    """Single remarks, asked for in other words."""
    for i, (day, remark, question) in enumerate(_rows(DIARY)):
        start = datetime.fromisoformat(f"{day}T21:15:00+00:00")
        talk = Talk(f"diary-{i}", "en", "diary", start)
        talk.turns = [
            Turn("user", "Something for the diary."),
            Turn("assistant", "Go ahead, I am listening."),
            Turn("user", remark, (question,)),
            Turn("assistant", "It is in the diary."),
        ]
        yield talk


def chatter() -> Iterator[Talk]:
    """Talk that names everybody and everything and answers nothing."""
    people, hosts = _rows(PEOPLE), _rows(DEPLOYS)
    services, projects = _rows(SERVICES_ZH), _rows(PROJECTS_JA)
    for i in range(10):
        one, two, host = people[i][0], people[(i + 3) % 10][0], hosts[(i + 5) % 10][0]
        talk = Talk(f"chatter-{i}", "en", "this and that", _on(2 + i, 27))
        talk.turns = [
            Turn("user", f"I met {one} and {two} yesterday, they send their regards."),
            Turn("assistant", f"How nice. Shall I remind you to call {one} next week?"),
            Turn("user", f"Yes. And is {host} still fine since the deployment?"),
            Turn("tool", f"exit code 0\n{host} up 12 days, load 0.31, 0.28, 0.30"),
            Turn("assistant", f"{host} is fine. Dinner with {two} is on Friday, by the way."),
            Turn(
                "user",
                f"{services[i % 8][0]}服务今天也正常，{projects[i % 8][0]}の会議は来週です。",
            ),
        ]
        yield talk


def people_zh() -> Iterator[Talk]:
    """People: a town, what they can't eat, a course and its hour."""
    for i, (name, town, allergy, course, hour) in enumerate(_rows(ROUTES_ZH)):
        talk = Talk(f"zh-person-{i}", "zh", "朋友的事", _on(2 + i, 5))
        talk.turns = [
            Turn("user", f"{name}刚从{town}搬过来，下周请她吃饭。", (f"{name}是从哪里搬来的？",)),
            Turn("assistant", "好的，需要我推荐餐厅吗？"),
            Turn("user", f"要注意，{name}{allergy}。", (f"请{name}吃饭要注意什么？",)),
            Turn(
                "user",
                f"她还报了{course}，每{hour}上课。",
                (f"谁报了{course}？", f"{course}什么时候上课"),
            ),
        ]
        yield talk


def services_zh() -> Iterator[Talk]:
    """Services: port, cause, cure, path."""
    for i, (name, port, cause, cure, path) in enumerate(_rows(SERVICES_ZH)):
        talk = Talk(f"zh-service-{i}", "zh", "线上故障", _on(3 + i, 15))
        talk.turns = [
            Turn("user", f"{name}服务又挂了，帮我看看日志。"),
            Turn("tool", f"exit code 1\n{path}: line 12\n启动失败，端口 {port}", (path,)),
            Turn("assistant", f"{name}服务挂掉是因为{cause}。", (f"{name}服务为什么会挂掉？",)),
            Turn("assistant", f"我{cure}，{name}已经恢复正常。", (f"{name}是怎么恢复的",)),
        ]
        yield talk


def books_zh() -> Iterator[Talk]:
    """Books: a turn of the story and a verdict."""
    for i, (title, twist, verdict) in enumerate(_rows(BOOKS_ZH)):
        talk = Talk(f"zh-book-{i}", "zh", "读书笔记", _on(1 + i, 25))
        talk.turns = [
            Turn("user", f"我昨晚读完了《{title}》。", (title,)),
            Turn("assistant", "感觉怎么样？"),
            Turn("user", f"没想到{twist}。"),
            Turn("user", f"不过我觉得《{title}》{verdict}。", (f"我对《{title}》的评价是什么？",)),
        ]
        yield talk


def trips_ja() -> Iterator[Talk]:
    """Journeys: what was done, how long, what went wrong."""
    for i, (town, did, length, trouble) in enumerate(_rows(TRIPS_JA)):
        talk = Talk(f"ja-trip-{i}", "ja", "旅の記録", _on(2 + i, 10))
        talk.turns = [
            Turn("user", f"{town}に{length}で行ってきました。", (f"{town}には何泊しましたか？",)),
            Turn("assistant", "いいですね。何をしましたか？"),
            Turn("user", f"{town}では{did}。", (did[:4],)),
            Turn(
                "user",
                f"でも{town}で{trouble}のが残念でした。",
                (f"{town}で困ったことは何でしたか？",),
            ),
        ]
        yield talk


def projects_ja() -> Iterator[Talk]:
    """Projects: who leads, what for, until when, what is in the way."""
    for i, (name, lead, goal, due, problem) in enumerate(_rows(PROJECTS_JA)):
        talk = Talk(f"ja-project-{i}", "ja", "会議メモ", _on(3 + i, 18))
        talk.turns = [
            Turn(
                "user",
                f"{name}の担当は{lead}さんに決まりました。",
                (f"{name}の担当者は誰ですか？",),
            ),
            Turn("assistant", "承知しました。目的は何ですか？"),
            Turn("user", f"{name}の目的は{goal}です。", (goal,)),
            Turn(
                "user",
                f"{name}の締め切りは{due}ですが、{problem}のが課題です。",
                (f"{name}の締め切りはいつですか？",),
            ),
        ]
        yield talk

"""Words that people use for each other when they look for a tool, in English and Chinese.

Nothing here names a tool: a line is a meaning, and any tool whose author used one word of it is
found by the others.
"""

from __future__ import annotations

from hermes_tui.skills.words import stem

_DOING: tuple[str, ...] = (
    "search find lookup seek locate grep hunt google discover 搜索 搜 查找 查询 查一下 找 检索",
    "read view inside contents peek inspect 读 读取 查看 看 内容 写了什么",
    "open unlock launch 打开",
    "list enumerate overview which exist all inventory who 列出 列表 有哪些 哪些 所有 清单",
    "get fetch retrieve obtain download pull 获取 下载 取得 拿到",
    "write save store put record 写 写入 保存 存",
    "create new start make add brand set up generate 新建 创建 建",
    "edit change modify update replace alter swap revise correct 修改 编辑 改 替换 更新",
    "delete remove erase drop discard clear trash unlink cut 删除 删掉 去掉 清除 移除",
    "move rename relocate transfer 移动 重命名 改名 搬",
    "copy duplicate clone fork own 复制 拷贝 克隆",
    "append attach extend another further 添加 追加 增加 加入",
    "merge combine integrate land unite 合并 整合",
    "watch monitor follow observe track tail 监视 监控 盯着 关注 跟踪",
    "run execute start compile launch 执行 运行 启动",
    "stop kill end cancel terminate abort quit 停止 结束 终止 取消 杀掉",
    "send submit deliver post tell notify announce 发送 发 提交 通知 告诉",
    "ask question clarify confirm choose decide pick prompt 问 询问 提问 确认 选择",
    "remember memorize remind keep lose 记住 记得 记下",
    "forget outdated drop wrong 忘记 忘掉",
    "switch turn toggle on off activate 打开 关掉 开 关",
    "share grant access permission allowed let invite 共享 分享 权限 允许",
    "click press tap push button 点击 按",
    "type fill form input enter field 填写 填 输入 表单",
    "visit navigate go browse surf open load 访问 浏览",
    "book schedule arrange reserve plan 预订 安排",
    "reply answer respond thread discussion 回复 回答",
    "draft prepare later unsent 草稿",
    "count query select sum 统计 数一数",
    "capture snap shoot 截",
    "play listen put 播放 听",
    "summarize summary digest condense shorten 总结 摘要 概括",
    "convert transform turn into 转换 换成",
    "assign label tag categorize mark 标记 标签 分配 指派",
)
_THINGS: tuple[str, ...] = (
    # files and machines
    "file document text notes 文件 文档 文本",
    "code source function line 代码 源码 函数",
    "folder directory directories dir tree structure 文件夹 目录 结构",
    "glob pattern named called name 名字",
    "info information metadata stat size big large created changed modified 信息 详情 大小",
    "several multiple many at once batch ten 多个 批量",
    "command shell terminal bash console cli output compile 命令 终端",
    "process background job server daemon alive 进程 后台 服务",
    "script python program snippet compute 脚本 程序",
    "environment variable env config setting 环境 变量 配置 设置",
    "compress zip gzip gz archive shrink pack smaller 压缩 打包",
    "image picture photo drawing graphic png jpg logo media 图片 照片 图像 画",
    "draw paint generate illustrate design 画 绘制 生成",
    "audio sound recording voice speech spoken mp3 podcast interview media 语音 声音 音频 录音",
    "speak aloud loud pronounce speech voice synthesize say 朗读 念",
    "transcribe transcript dictation said spoken recording write 转写 字幕 听写",
    "music song track album playlist jazz rock tune band 音乐 歌 歌曲",
    "video movie clip film 视频 影片",
    # network
    "web internet online site website news 网上 网页 网站 互联网 上网 新闻",
    "latest newest current recent today news version release 最新 最近 今天",
    "url link address page 网址 链接 页面",
    "browser chrome firefox page website element 浏览器",
    "javascript console browser messages errors 控制台",
    "screenshot snapshot screen capture looks 截图 截屏 快照",
    "http api rest endpoint webhook curl request 接口 请求",
    # people
    "message chat dm text ping say 消息 聊天",
    "email mail inbox mailbox gmail letter 邮件 邮箱 电子邮件",
    "channel room group team slack 频道 群 群组",
    "reaction emoji thumbs like smiley heart 表情 点赞",
    "person people user member profile human who colleague 用户 联系人 成员 人 同事",
    "calendar event meeting appointment agenda attendees 日历 日程 会议 约会",
    "busy free slot available availability when 空闲 有空 忙",
    "reminder alarm timer due deadline later 提醒 闹钟",
    "cron recurring every daily weekly regular automatic morning schedule 定时 每天 每周 定期 自动",
    # the agent itself
    "memory fact preference prefers likes knowledge 记忆 偏好 喜欢",
    "usually habit preference work profile know 习惯 通常",
    "conversation session talk discussed chat earlier past said ago "
    "对话 聊过 说过 谈过 讨论 以前 之前 上次",
    "skill recipe howto procedure guide playbook instructions 技能 教程 做法 指南",
    "delegate subagent helper parallel agent worker assistant 委派 子代理 帮手 并行",
    "todo task checklist step remains list 待办 任务 清单 进度",
    "time clock hour now oclock 时间 几点 现在",
    "timezone zone paris tokyo york london utc 时区 东京 纽约 伦敦 巴黎",
    "spend usage tokens cost budget 花费 用量 费用 预算",
    # data
    "graph entity node thing knowledge 图谱 实体 节点",
    "relation relationship link between connection works knows 关系",
    "observation fact statement detail 观察 事实",
    "sum add plus together total number calculate 求和 相加 加起来 总和",
    "echo repeat back 回显 重复",
    "database sql table postgres mysql sqlite data row 数据库 表 数据",
    "column field index schema type 列 字段",
    "spreadsheet sheet excel cell range row csv 表格 电子表格 单元格 行",
    "chart plot diagram graph visualize 图表",
    # services
    "repository repo git project codebase github 仓库 代码库",
    "commit change changed history log lately recently 提交记录 改动",
    "branch 分支",
    "pull pr request merge review propose 合并请求 拉取请求 评审",
    "issue ticket bug tracker defect problem 问题 工单 缺陷",
    "comment remark annotate note 评论 批注 备注",
    "workflow pipeline ci build test green passed 流水线 构建 测试",
    "error exception crash failure trace log 日志 错误 报错 异常",
    "drive cloud storage 云盘 网盘",
    "wiki notion workspace block paragraph page 维基 笔记",
    "weather forecast rain sunny snow temperature climate cold warm tonight 天气 气温 预报 下雨",
    "temperature thermostat heating warm warmer cold cooler degrees 温度 暖气",
    "map directions route way travel walk drive from 地图 路线 怎么走",
    "place nearby near restaurant cafe location 地点 附近 餐厅",
    "translate language english spanish french german chinese 翻译 英文 英语 中文 语言",
    "stock share ticker quote price market 股票 股价 行情 价格",
    "payment charge money refund pay back 付款 支付 退款 钱",
    "invoice bill unpaid receipt 账单 发票",
    "customer client buyer 客户 顾客",
    "order purchase product shop 订单 购买 下单 商品",
    "device light lamp bulb switch home kitchen room 灯 家 设备 开关",
    "container docker image 容器 镜像",
    "cluster kubernetes pod namespace deployment 集群",
)


_LIFE: tuple[str, ...] = (
    # when and with whom
    "calendar events agenda monday tuesday wednesday thursday friday saturday sunday tomorrow "
    "tonight weekend week month date",
    "event meeting appointment lunch dinner breakfast party interview doctor dentist birthday "
    "visit wedding concert call gathering standup sync",
    "free busy slot available availability meet together everybody",
    # weather
    "weather forecast umbrella storm wind windy sunshine humid hot chilly jacket coat outside "
    "frost fog cloud cloudy thunder heat degrees celsius climate raining snowing",
    # places and ways
    "places nearby pharmacy hotel bar cafe coffee bakery supermarket grocery station "
    "hospital atm museum park gym pizza sushi restaurant shop neighbourhood "
    "dentist hairdresser cinema",
    "directions route way bike bicycle ride drive train bus car commute trip journey travel far "
    "distance airport walk road traffic reach miles kilometres",
    # languages and voices
    "translate translation language portuguese italian russian japanese korean dutch polish "
    "arabic hindi turkish swedish danish norwegian finnish greek latin hebrew ukrainian czech "
    "mandarin cantonese hungarian thai vietnamese german french spanish english chinese",
    "voice speech speak aloud accent narrate pronounce utter spoken synthesize",
    "transcribe transcript dictation subtitles caption memo recording spoken",
    # at home
    "device home light lights lamp bulb tv television fan oven blinds curtain garage door lock "
    "socket plug heater vacuum hallway bedroom kitchen bathroom garden switch turn",
    "temperature thermostat heating cold warm hot freezing cool radiator degrees",
    "music song track album record artist singer band playlist tune listen spotify playback hear",
    # mail and papers
    "email mail inbox newsletter letter wrote attachment minutes correspondence sender",
    "label tag category sort star newsletter",
    "permission rights share grant viewer editor collaborator access",
    "document slides presentation deck contract drive cloud",
    "wiki notion handbook notebook",
    "row spreadsheet sheet entry ledger weight expenses",
    "invoice invoices bill receipt settled owed owes outstanding overdue unpaid due",
    "refund reimburse money back overcharged charge double chargeback return",
    # people, things, and what holds them together
    "relation relations relationship reports works manages married belongs owns parent child "
    "colleague boss friend employs connected linked depends between",
    "entity entities node person company register record known thing",
    # code, machines, folders
    "issue bug crash maintainers defect ticket",
    "pull request review changes upstream contribution patch contribute",
    "commit commits committed pushed author history changed",
    "workflow run ci build pipeline passed green server checks failed jobs",
    "directory folder downloads desktop lying inside",
    "tree layout structure hierarchy nested outline",
    "move shift relocate elsewhere",
    "glob pattern anywhere extension pdf matching",
    "metadata touched modified size permissions",
    "pod pods healthy running crashed restart namespace service deployment state cluster",
    "errors exceptions crashes production unresolved unhandled",
    "database sql orders customers rows query",
    "column columns type field types schema indexes",
    # the agent itself
    "conversation agreed decided discussed talked mentioned told earlier promised past "
    "january february march april june july august september october november december",
    "forget knowing outdated memory",
    "remember mind preference always never allergic favourite prefer",
    "delegate somebody parallel helper meanwhile subagent separately",
    "script python loop hundred batch repeatedly",
    "cron schedule recurring morning evening daily weekly monthly regularly nightly",
    "web news latest internet online published released headlines",
)
"""The same for what people do in a day: what they name is seldom the word that a tool has."""

OUR_WORDS: dict[str, str] = {
    "read_file": "look inside see view text document notes log contents 文件 内容 读",
    "write_file": "new document disk save create text 写 保存 新建",
    "edit_file": "change replace swap one line config fix patch 修改 改 替换",
    "search_files": "grep code source lines mention symbol function where used 代码 搜索 函数 查找",
    "run_command": "execute build compile install test git shell program 执行 命令 运行",
    "process": "background server still alive running log stop 后台 进程",
    "todo": "plan checklist steps remaining 清单 待办",
    "ask_user": "human decide pick choose clarify 问 用户",
}
"""What people say who need a tool of ours that is always sent, beside its description."""


def _ascii(line: str) -> list[str]:
    return [one for one in line.split() if one.isascii()]


def _families() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    weighed = [(line, 0.3) for line in _DOING] + [(line, 0.5) for line in _THINGS]
    weighed += [(line, 0.4) for line in _LIFE]
    for line, weight in weighed:
        stems = dict.fromkeys((stem(one) for one in _ascii(line)), weight)
        for one in stems:
            others = found.setdefault(one, {})
            others.update({other: max(weight, others.get(other, 0.0)) for other in stems})
            others.pop(one)
    return found


FAMILIES: dict[str, dict[str, float]] = _families()
"""For a stem, the stems used for the same thing, and what one counts: things more than deeds."""

LIGHT: frozenset[str] = frozenset(
    stem(one)
    for line in _DOING
    for one in _ascii(line)
    if one not in {"fork", "merge", "search", "draft", "copy", "rename", "edit", "reply"}
)
"""Stems that say what is done, which many tools do; what it is done to says more."""

_CHINESE: dict[str, str] = {}
for _line in (*_DOING, *_THINGS):
    for _term in (one for one in _line.split() if not one.isascii()):
        _CHINESE.setdefault(_term, " ".join(_ascii(_line)[:2]))


def in_english(need: str) -> tuple[str, ...]:
    """The first words of each meaning that a text names in Chinese; the longest term counts."""
    found: list[str] = []
    rest = need
    for term in sorted(_CHINESE, key=len, reverse=True) if not need.isascii() else ():
        if term in rest:
            rest = rest.replace(term, " ")
            found.append(_CHINESE[term])
    return tuple(found)

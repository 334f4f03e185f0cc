"""Words that people use for each other when they look for a tool, in English and Chinese.

Nothing here names a tool: a line is a meaning, and any tool whose author used one word of it is
found by the others.
"""

from __future__ import annotations

from hermes_tui.skills.words import stem, words

_MEANINGS: tuple[str, ...] = (
    # looking
    "search find lookup look query seek locate grep hunt google 搜索 搜 查找 查询 查一下 找 检索",
    "read open view show display see print cat content "
    "look contents 读 读取 打开 查看 看 显示 内容",
    "list enumerate show browse overview which available all inventory 列出 列表 有哪些 所有 清单",
    "get fetch retrieve obtain download pull load 获取 下载 取得 拿到",
    "info information details metadata stat status about facts size 信息 详情 状态 大小",
    "history past earlier previous before ago old 历史 以前 之前 上次 过去",
    "recall remember earlier conversation talk discussed chat "
    "said decided session 对话 聊过 说过 谈过 讨论",
    "watch monitor follow observe track notify tail 监视 监控 盯着 关注 跟踪",
    # changing
    "write save store put create make new record 写 写入 保存 存 新建 创建",
    "edit change modify update replace alter fix rewrite patch swap revise 修改 编辑 改 替换 更新",
    "delete remove erase drop forget discard clear trash unlink 删除 删掉 去掉 清除 移除 忘记 忘掉",
    "move rename relocate transfer 移动 重命名 改名 搬",
    "copy duplicate clone fork 复制 拷贝 克隆",
    "add insert append attach extend include put 添加 加 增加 加入 追加",
    "merge join combine integrate unite 合并 整合",
    "assign label tag categorize mark 标记 标签 分配 指派",
    # files and machines
    "file document text source code 文件 文档 文本 代码 源码",
    "folder directory directories dir tree path 文件夹 目录 路径 结构",
    "command shell terminal bash execute run console cli 命令 终端 执行 运行",
    "process background job server daemon running task 进程 后台 服务",
    "stop kill end cancel terminate abort quit 停止 结束 终止 取消 杀掉",
    "script python program code calculate compute snippet 脚本 程序 计算 代码",
    "environment variable env config setting 环境 变量 配置 设置",
    "permission access allowed rights 权限 允许",
    "size space large big disk usage weigh 大小 空间 占用",
    "compress zip gzip archive pack shrink 压缩 打包",
    # network
    "web internet online site website page url link news 网上 网页 网站 互联网 上网 网络 链接 新闻",
    "browser click navigate chrome page button tab 浏览器 点击 按钮 页面",
    "type fill form input enter field 填写 输入 表单",
    "screenshot capture snapshot screen picture 截图 截屏 快照",
    "http api rest request endpoint call webhook post curl 接口 请求 调用",
    "image picture photo drawing graphic visual screenshot png jpg icon logo 图片 照片 图像 图",
    "draw paint generate illustrate render create picture 画 绘制 生成",
    "audio voice speech sound speak music listen 语音 声音 音频 录音 音乐",
    "transcribe transcript dictation caption words spoken 转写 字幕 听写",
    "video movie clip film 视频 影片",
    "pdf document paper page 文档 论文",
    # people
    "message send notify tell write post reply chat dm text ping 发送 发 消息 通知 告诉 回复",
    "email mail inbox gmail letter 邮件 邮箱 电子邮件 信",
    "slack channel team chat workspace 频道 群",
    "person people user contact profile member who colleague 用户 联系人 成员 人",
    "calendar event meeting appointment schedule agenda invite 日历 日程 会议 约会 安排",
    "remind reminder later alarm timer schedule due deadline 提醒 闹钟 定时 到期",
    "schedule cron recurring every daily weekly regular automatic "
    "routine periodic morning 定时 每天 每周 定期 自动",
    "ask question clarify confirm choose decide prompt inquire 问 询问 提问 确认 选择",
    # the agent itself
    "memory remember memorize fact note keep learn "
    "knowledge preference 记住 记忆 记下 记得 偏好 笔记",
    "skill recipe howto procedure guide playbook instructions expertise 技能 步骤 教程 做法 指南",
    "delegate subagent helper parallel agent spawn assistant "
    "worker hand 委派 子代理 帮手 并行 代理",
    "todo task plan checklist step progress list 待办 任务 计划 清单 进度",
    "time date clock timezone now today zone hour 时间 日期 时区 现在 几点",
    # knowledge graphs and data
    "graph entity node relation relationship knowledge connection link 图谱 实体 关系 节点 知识",
    "observation fact statement note detail 观察 事实",
    "database sql table query row record schema postgres sqlite 数据库 表 查询 记录 数据",
    "spreadsheet sheet excel cell row csv table 表格 电子表格 单元格",
    "chart plot diagram graph visualize 图表 作图",
    "sum add plus total number arithmetic calculate 求和 相加 加法 总和",
    "echo repeat back return 回显 重复",
    "resource reference attachment link 资源 引用 附件",
    # services
    "repository repo git project codebase github 仓库 代码库",
    "commit change revision version diff history log 提交 改动 版本",
    "branch 分支",
    "pull request pr merge review 合并请求 拉取请求 评审",
    "issue ticket bug report problem defect 问题 工单 缺陷 bug",
    "comment remark annotate note discuss reply 评论 批注 备注",
    "review approve feedback critique 审查 批准 审核",
    "release publish deploy ship version 发布 部署 上线",
    "test build ci pipeline workflow action check 测试 构建 流水线",
    "log error trace crash debug exception failure 日志 错误 报错 异常",
    "drive cloud storage upload share 云盘 网盘 上传 共享",
    "notion wiki page note knowledge doc confluence 笔记 页面 维基",
    "weather forecast temperature rain climate 天气 气温 预报 下雨",
    "map place location directions route near address nearby restaurant 地图 地点 路线 附近 地址",
    "translate language localization 翻译 语言",
    "summarize summary digest condense shorten 总结 摘要 概括",
    "price stock market quote share cost 价格 股票 股价 行情",
    "pay payment charge invoice bill refund money customer 付款 支付 账单 发票 退款",
    "order buy purchase shop product 订单 购买 下单 商品",
    "light lamp home device switch smart thermostat turn 灯 家 设备 开关 智能家居",
    "container docker image 容器 镜像",
    "cluster kubernetes pod deployment 集群",
    "server machine host vm instance cloud 服务器 主机 机器 云",
    "spend usage tokens cost budget 花费 用量 费用 预算",
)


def _ascii(line: str) -> list[str]:
    return [one for one in line.split() if one.isascii()]


def _families() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in _MEANINGS:
        stems = list(dict.fromkeys(stem(one) for one in _ascii(line)))
        pairs = [pair for one in line.split() if not one.isascii() for pair in words(one)]
        for one in stems:
            others = found.setdefault(one, {})
            others.update((other, None) for other in (*stems, *pairs) if other != one)
    return {one: tuple(others) for one, others in found.items()}


FAMILIES: dict[str, tuple[str, ...]] = _families()
"""For a stem, the stems (and Chinese pairs) used for the same thing."""

_CHINESE: dict[str, str] = {}
for _line in _MEANINGS:
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

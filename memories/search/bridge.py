"""A small bridge between the words people ask with and the words preferences are written in, English and Chinese.

It only widens a search that keywords alone would leave empty ("answer order" for "conclusion before evidence"); a row
found through it never ranks above a row that holds the words asked for. Words, not rules: extend a line, or add one.
"""

from __future__ import annotations

from functools import cache

from memories.search import tokens

SAME = (
    "language lang 语言 语种 言語 언어",
    "chinese mandarin zh 中文 汉语 简体 普通话",
    "english 英文 英语",
    "japanese 日文 日语 日本語",
    "order sequence structure outline 顺序 次序 先后 结构 大纲",
    "conclusion result 结论 要点",
    "evidence reason 依据 证据 理由",
    "summary abstract tldr 摘要 总结 概要 小结",
    "report 报告 报表 汇报",
    "weekly 周报 每周",
    "answer reply response respond 回答 回复 答复",
    "email mail message 邮件 信件",
    "chart graph plot diagram 图表 图形 绘图",
    "table spreadsheet 表格",
    "list bullet 列表 清单 条目",
    "format layout 格式 版式 排版",
    "tone voice 语气 口吻 口气",
    "style manner 风格 文风",
    "formal polite 正式 礼貌",
    "casual informal friendly 随意 轻松 口语 亲切",
    "short brief concise terse 简短 简洁 简明 精简",
    "detail detailed verbose thorough 详细 细节 详尽",
    "length long 长度 篇幅 字数",
    "unit measurement 单位 度量",
    "metric celsius kilometre kilometer 公制 摄氏 公里",
    "imperial fahrenheit mile 英制 华氏 英里",
    "currency money price 货币 币种 金额",
    "date calendar day 日期 年月日",
    "time hour clock 时间 时刻",
    "timezone 时区",
    "name call 称呼 名字 名称",
    "code coding program snippet 代码 编程 示例",
    "test testing 测试 回归",
    "release deploy publish 发布 上线 部署",
    "check verify confirm validate 检查 核对 确认 核实 校验",
    "refund 退款 退货",
    "error failure bug fault 错误 失败 故障 报错",
    "meeting calendar appointment 会议 日程 纪要",
    "travel trip journey 出行 旅行 差旅",
    "seat window aisle 座位 靠窗",
    "food diet dietary meal lunch dinner catering 饮食 餐饮 午餐 晚餐 口味",
    "role job position occupation 职位 角色 岗位 职业",
    "skill expertise experience level 水平 经验 专长 熟练",
    "file document 文件 文档",
    "dark theme 深色 主题 暗色",
    "contact channel 联系",
    "notification notify remind reminder 通知 提醒",
    "review approve approval 审核 审批 评审",
    "merge commit branch 合并 提交 分支",
    "endpoint interface api 接口",
    "migration migrate 迁移",
    "comment annotation 注释 评论 批注",
    "default 默认 缺省",
    "sort sorting rank 排序 排列",
    "number figure decimal rounding precision 数字 小数 精度 数值",
    "cite citation reference source link 引用 来源 出处 链接",
    "minutes notes note 纪要 记录 笔记",
    "font size 字体 字号",
    "privacy private confidential 隐私 保密",
    "deadline due 截止 期限",
    "owner responsible assignee 负责人 责任人",
    "music song 音乐 歌曲",
    "sport exercise fitness 运动 健身 锻炼",
    "team colleague 团队 同事",
    "customer client 客户 顾客",
    "budget cost expense 预算 成本 费用",
    "security safety 安全",
    "explain explanation 解释 说明 讲解",
    "example 例子 举例 示例",
)
"""Words that mean nearly the same: each leads to the others of its line."""

ABOUT = (
    (
        "language lang 语言 语种",
        "chinese english japanese french german spanish korean translate bilingual "
        "中文 英文 英语 汉语 日文 法语 双语 翻译",
    ),
    ("code coding programming 编程 代码", "python java javascript typescript go rust kotlin swift sql"),
    (
        "order sequence structure sort sorting 顺序 次序 先后 结构 排序",
        "first last before after then begin start end top newest oldest latest "
        "先 再 后 首先 最后 开头 前面 后面 最新 倒序",
    ),
    ("chart graph plot 图表 图形 可视", "bar line pie column histogram scatter 柱状 折线 饼图 条形 散点 曲线"),
    (
        "format layout 格式 版式 排版",
        "table list bullet markdown json prose heading paragraph pdf 表格 列表 段落 标题 分点 要点",
    ),
    (
        "tone voice style 语气 口吻 风格 文风",
        "formal casual polite friendly warm direct neutral humor emoji 正式 随意 礼貌 亲切 直接 客气 幽默 表情",
    ),
    (
        "length long detail 长度 篇幅 字数 详略",
        "short brief concise sentence word line paragraph 简短 简洁 三句 三条 一句 以内",
    ),
    (
        "unit measurement 单位 度量",
        "metric imperial celsius fahrenheit kilometre kilometer mile kilogram pound 公制 英制 摄氏 华氏 公里 公斤",
    ),
    ("currency price money 货币 币种", "dollar euro yuan pound usd eur cny rmb 美元 欧元 人民币 元"),
    (
        "time date timezone 时间 日期 时区",
        "utc iso pm morning afternoon evening weekday monday friday 上午 下午 早上 晚上 周一 周五 北京时间",
    ),
    ("name address 称呼 名字", "call nickname mr ms dr 叫 先生 女士 老师 昵称"),
    ("food diet dietary meal 饮食 餐饮 口味", "vegetarian vegan halal spicy allergy 素食 清真 辣 过敏 忌口"),
    (
        "role job occupation profile 职位 角色 职业 身份",
        "engineer developer manager designer analyst teacher 工程师 开发 经理 设计师 分析师 教师",
    ),
    ("skill level expertise 水平 经验 专长", "beginner expert senior junior novice 新手 专家 资深 初学 熟悉"),
    ("hobby interest 爱好 兴趣", "like enjoy love hike read play 喜欢 热爱"),
    ("employer company job 公司 雇主 工作", "work employ join 任职 就职 入职"),
    ("city residence location 城市 居住 所在地", "live home move 住在 搬到"),
    ("favourite favorite preference 偏好 喜好", "prefer like love 喜欢 首选 优先"),
    ("number figure decimal precision 数字 小数 精度", "decimal place digit round percent 位 百分 保留 四舍"),
    ("contact channel notify 通知 联系 提醒", "email phone slack chat sms 邮件 电话 短信 微信"),
)
"""What a question about the left words may be answered with: the left leads to the right, never back."""


@cache
def _table() -> dict[str, tuple[str, ...]]:
    related: dict[str, dict[str, None]] = {}
    for line in SAME:
        words = terms_of(line)
        for word in words:
            related.setdefault(word, {}).update(dict.fromkeys(words))
    for asked, answers in ABOUT:
        for word in terms_of(asked):
            related.setdefault(word, {}).update(dict.fromkeys(terms_of(answers)))
    return {word: tuple(other for other in others if other != word) for word, others in related.items()}


def terms_of(line: str) -> list[str]:
    """The telling terms of each word: pairs rather than their single characters."""
    out: list[str] = []
    for word in line.split():
        found = tokens.terms(word)
        longest = max(map(tokens.weight, found), default=0)
        out += [term for term in found if tokens.weight(term) == longest]
    return out


def related(term: str) -> tuple[str, ...]:
    """The terms under which an answer to this one may also be written."""
    return _table().get(term, ())

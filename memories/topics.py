"""Content rules: does a sentence tell the live state of something that a business system owns?

"Order 104 has shipped" tells a state; "check the order before you promise a date" is a way of working and does not.
Every rule reads Chinese and English and works on text prepared by `prepare`. The words are in `topic_rules`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from memories.topic_rules import RULES as _RULES
from memories.topic_rules import words

RULES = frozenset(_RULES)

# Traditional forms of the characters that the rules use.
_SIMPLIFIED = str.maketrans(
    "訂單審報銷會員級價貨遞簽發運狀態當現為過還賬帳戶這個後條張剛話時記錄務標準規開關凍結錢積點數額餘權庫處進東請"
    "驗證獲駁絕簽蓋續購買賣歷總幾沒無與從給對頁圖質認確決轉產約據應檢查詢實際剩僅兩萬億檔體讓們說評論緩臨暫準備執",
    "订单审报销会员级价货递签发运状态当现为过还账账户这个后条张刚话时记录务标准规开关冻结钱积点数额余权库处进东请"
    "验证获驳绝签盖续购买卖历总几没无与从给对页图质认确决转产约据应检查询实际剩仅两万亿档体让们说评论缓临暂准备执",
)
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "「": '"', "」": '"', "『": '"', "』": '"'})
_SENTENCE_END = re.compile(r"[。！？；!?;\n]+|\.(?=\s|$)")

# A state inside a condition, a question or an order is no claim that it is so.
_LOOK_BACK = 160
_CONDITION_EN = words(
    r"""
    if|when|whenever|unless|until|till|once|before|after|while|whether|in case|as soon as|as long as|assuming|suppose
    supposing|imagine|every time|each time|any time|which|whose|how|why|any|every|each|no(?! longer)|list|mention
    (?:never|not|don't|do not) (?:say|claim|assume|promise|state|write|tell)
    (?<!i )(?<!can )(?:check|verify|confirm|ensure|make sure|see|ask|find out|wait|promise|saying|claiming|promising)
    telling|quoting|confirming|checking|verifying|show (?:me )?|tell me|let me know|notify me|alert me|remind me|warn me
    """
)
_CONDITION_ZH = words(
    r"""
    如果|若是|若|假如|假设|要是|倘若|万一|一旦|只要|只有|除非|无论|不管|不论|每当|每次|每个|凡是|凡|遇到|碰到|等到
    直到|是否
    有没有|会不会|能否|可否|哪些|哪个|什么时候|何时|怎么|如何|先确认|确认|核实|核对|检查|查询|查看|查一下|判断|询问
    问清|校验
    (?:不要|别|不能|不得|禁止|切勿|请勿)(?:说|告诉|承诺|假设|默认|声称|写)|提醒我|通知我|告诉我
    (?<![应担相适恰])当(?![前下天然日月年地事作成])
    """
)
_MENTION = re.compile(
    words(
        """
        phrases?|words?|wording|terms?|labels?|say|write|reply|with|instead of|over|and|or|to|代替|写|写成|用|说|回复
        字样|叫|称为
        显示|标为|标题|改成|换成|和|或
        """
    )
    + r"\s*([\"'])[^\"'\n]{1,80}\1"
)
_GUARD_BEFORE = re.compile(rf"(?<![\w-]){_CONDITION_EN}(?![\w-])[^,:]*$|{_CONDITION_ZH}[^，,。；：:]*$")
_GUARD_AFTER = re.compile(
    words(
        r"""
        ^[^.!?;,]{0,25}?\s(?:when|if|unless|whenever|only after|only if|by default|automatically)(?![\w-])
        ^(?:之后|以后|过后|后(?![来台勤])|时(?![间区长至])|的时候|之前|以前|前(?![天台])|的话
        & |的(?=[^，,。；！!\s\"'）)])|再(?!次)|才)
        ^(?:方可|就(?!是)|问题|相关|与否|没有?$|吗|么|情况|状态|说明|页面|通知|邮件|模板|流程|规则|字段|类)
        """
    )
)
_NO_CLAIM = re.compile(
    r"(?<![\w-])(?:(?:that|which|who)\s+(?:is|are|was|were|has|have|had)|if|when|whenever|unless|once|whether|"
    r"as soon as|while|(?:before|after|until)\s+(?:the|my|our|your|an?|it|you|each|they))(?![\w-])"
)
_NO_PLURAL = frozenset({"goods", "expenses", "access"})
_HEDGED = re.compile(
    words(
        r"""
        (?<![\w-])(?:maybe|perhaps|probably|possibly|likely|seems?|seemingly|appears?|apparently|might|may
        & |could be)(?![\w-])
        (?<![\w-])(?:i guess|presumably|suspect|inferred|guess(?:ing)?|suggests?|presumed)(?![\w-])
        可能|也许|大概|或许|似乎|好像|估计|推测|猜测|疑似|恐怕|应该是|看起来|看来|据推断
        """
    )
)
_INSTRUCTION = re.compile(
    words(
        r"""
        (?<![\w-])(?:prefer|prefers|always|never|please|should|want|wants|like|likes|from now on|show|use
        & |write)(?![\w-])
        (?<![\w-])(?:display|format|sort|put|keep|call|check|ask|query|look up|include|list|highlight)(?![\w-])
        (?<![\w-])(?:summari[sz]e|send|notify|translate)(?![\w-])
        请|以后|今后|默认|喜欢|希望|偏好|优先|习惯|总是|每次|展示|显示|写成|不要|别|先|一律|统一|提醒|查询|用[^户]
        """
    )
)
_ASKS = re.compile(
    words(
        r"""
        [?？吗呢]|(?<![\w-])(?:status|state|progress|is|are|was|has|have|did|does|do|when|where|which|who|what)(?![\w-])
        (?<![\w-])(?:how (?:much|many|long)|current|currently|now|left|remaining|yet|latest|check)(?![\w-])
        状态|进度|到哪|多少|几|是否|有没有|什么时候|谁|当前|目前|现在|还剩|了没|完成|查|怎样了|怎么样了
        """
    )
)
_ASKS_HOW = re.compile(
    r"(?<![\w-])how\s+(?:should|do|does|to|can|could|would|shall)(?![\w-])|(?:怎么|如何|怎样)(?!样|了)|"
    r"(?<![\w-])(?:draft|write|explain|translate)(?![\w-])"
)
_KEY_SPLIT = re.compile(r"[^a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def prepare(text: str) -> str:
    """The text as the rules read it: NFKC, lower case, simplified, straight quotes, single spaces."""
    folded = unicodedata.normalize("NFKC", text).lower().translate(_SIMPLIFIED).translate(_QUOTES)
    return "\n".join(" ".join(line.split()) for line in folded.splitlines())


def tells_state(said: Sequence[str], rule: str, *, exact: bool = False) -> bool:
    """One of these sentences claims a live state of this rule's things. `exact`: of one with its own number or name."""
    found = _RULES[rule]
    probes = found.exact if exact else found.exact + found.loose
    return any(
        _claimed(sentence, match)
        for sentence in said
        if not found.unless.search(sentence)
        for probe in probes
        if probe.needs.search(sentence)
        for match in probe.pattern.finditer(sentence)
    )


def asks_about(prepared: str, rule: str) -> bool:
    """The prepared question wants to know how things of this rule stand."""
    if _ASKS_HOW.search(prepared):
        return False
    return bool(_RULES[rule].about.search(prepared) and _ASKS.search(prepared))


def is_hedged(prepared: str) -> bool:
    """The text itself says that it is not sure."""
    return bool(_HEDGED.search(prepared))


def is_instruction(prepared: str) -> bool:
    """The text says how something should be done rather than how things are."""
    return bool(_INSTRUCTION.search(prepared))


def sentences(prepared: str) -> list[str]:
    """The sentences of a prepared text, without end marks and without words that are only quoted as words."""
    return [part.strip() for part in _SENTENCE_END.split(_MENTION.sub(" ", prepared)) if part.strip()]


def normalise_key(key: str) -> str:
    """A key in one spelling: orderStatus, order-status and Order Status are order_status."""
    return _KEY_SPLIT.sub("_", _CAMEL.sub("_", unicodedata.normalize("NFKC", key)).lower()).strip("_")


def key_matches(name: str, pattern: str) -> bool:
    """Exact, or with a star at an end standing for anything."""
    body = pattern.strip("*")
    if pattern.startswith("*") and pattern.endswith("*"):
        return body in name
    if pattern.startswith("*"):
        return name.endswith(body)
    return name.startswith(body) if pattern.endswith("*") else name == body


def _claimed(sentence: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    if _GUARD_BEFORE.search(sentence[max(0, start - _LOOK_BACK) : start]) or _GUARD_AFTER.match(sentence[end:]):
        return False
    return not _NO_CLAIM.search(match.group()) and not _is_generic(match)


def _is_generic(match: re.Match[str]) -> bool:
    """A bare plural ("orders were shipped late") speaks of the kind, not of one thing."""
    noun = match.groupdict().get("bare")
    plural = noun is not None and noun.endswith("s") and not noun.endswith("ss") and noun not in _NO_PLURAL
    return plural and not any(letter.isdigit() for letter in match.group())

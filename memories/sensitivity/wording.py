"""Wording that asks a memory to do what only a person or a permission may: reasons to have a human look."""

import re

from memories.sensitivity.concepts import meeting_ideas

_ACTIONS = (
    r"(?:\w*(?:delete|drop|transfer|grant|purge|wipe|erase|approve|refund|payout|export|sudo|exec"
    r"|destroy|revoke|escalate|disable)\w*)"
)
# Orders that need no second idea to be suspicious.
_ORDERS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (rule, re.compile(pattern, re.ASCII))
    for rule, pattern in (
        (
            "tool_misuse",
            rf"\b(?:call|invoke|run|execute|trigger|use|issue)\s(?:the\s|tool\s"
            rf"|function\s)?[`'\"]?{_ACTIONS}(?:\s?\(|[`'\"]|_\w+|\stool\b|\sfunction\b)"
            r"|\brm\s-rf\b|\bcurl\b[^\n|]{0,100}\|\s?(?:ba)?sh\b|\bdrop\s(?:table"
            r"|database)\b[^.\n]{0,40}\b(?:when|if|now|immediately)"
            rf"|(?:调用|执行|运行|触发|使用)[^。\n]{{0,6}}{_ACTIONS}",
        ),
        (
            "acts_when_recalled",
            r"(?:看到|读到|召回|加载|读取)[^。\n]{0,4}(?:这条|本条|此条|该条|这段|本段|记忆)[^。\n]{0,8}(?:就|立即|马上|立刻|时|后"
            r"|请)[^。\n]{0,8}(?:调用|执行|运行|转账|删除|发送|导出|打款|清空|批准)"
            r"|\bwhen(?:ever)?\s(?:this\s(?:\w+\s)?is\s|you\s)?(?:recalled?|loaded?|read|retrieved?"
            r"|see\sthis)\b[^.\n]{0,12}\b(?:call|run|execute|send|delete|invoke|transfer|export"
            r"|approve|open|fetch|post)\b",
        ),
        (
            "speaks_as_assistant",
            r"^\s*(?:assistant|助手|ai)\s?[:：]\s?(?:i|sure|ok|yes|understood|certainly|我|好的|收到|明白|遵命)\b",
        ),
        (
            "decode_and_obey",
            r"\b(?:decode|decrypt|unscramble|deobfuscate|base64|reverse|rot13)\b[^.\n]{0,30}\b(?:and"
            r"|then|&)\s(?:\w+\s)?(?:follow|execute|run|obey|do|comply|act\son|apply|carry\sout)\b"
            r"|(?:解码|解密|反转|还原|base64)[^。\n]{0,10}(?:然后|并|后|再|之后)[^。\n]{0,6}(?:执行|照做|遵守|遵照|服从|运行)",
        ),
        (
            "mode_switch",
            r"\b(?:you\s(?:are|'re)\s(?:now\s)?(?:in|running\sin|operating\sin)|enter(?:ing)?"
            r"|switch(?:es|ing)?\s(?:in)?to|activat\w+|engage|unlock"
            r"|enable)\s(?:\w+\s){0,2}?(?:maintenance|developer|god|admin\w*|jailbreak|jailbroken"
            r"|unrestricted|unfiltered|uncensored|sudo|root|dan|no-?limits?|override|unsafe"
            r"|evil)\s?-?mode\b|\byou\s(?:are|'re)\snow\sin\s\w+\smode\b"
            r"|(?:进入|处于|切换[到为成]|切到|开启|启用|激活|打开|解锁)[^。\n]{0,4}(?:维护|开发者|上帝|越狱|管理员|无限制|无约束|超级|root|dan"
            r"|不受限|无审查|特权)[^。\n]{0,2}模式",
        ),
    )
)

# Someone who studies or teaches attacks quotes them; the quotation alone is no order.
_ABOUT_ATTACKS = re.compile(
    r"论文|研究|讲解|解释|介绍|课程|防御|检测|演示|科普|案例|测试集|数据集|红队|举例|例子|分析|文章|博客|笔记|翻译|\b(?:explain|research|paper"
    r"|study|article|examples?|defen[cs]e|defend|detect\w*|teach|lecture|dataset|benchmark"
    r"|red[- ]team\w*|analy[sz]e|blog|talk|thesis|course|classif\w+|phrases?\slike|sentences?\slike)\b",
    re.IGNORECASE,
)
_QUOTATION = re.compile(r"[“\"「『'‘][^”\"」』'’\n]{2,160}[”\"」』'’]")


def suspicious_wording(text: str) -> str:
    """The rule id of the first wording that a person should look at, or ""."""
    if _ABOUT_ATTACKS.search(text):
        text = _QUOTATION.sub(" ", text)
    text = text.lower()
    for rule, pattern in _ORDERS:
        if pattern.search(text):
            return rule
    return meeting_ideas(text)

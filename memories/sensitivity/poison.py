"""Screening of remembered text as an instruction: prohibited for what is structurally wrong, suspicious for wording."""

import re

from memories.sensitivity import hidden, views
from memories.sensitivity.findings import CLEAN, Screening
from memories.sensitivity.wording import suspicious_wording

LONGEST = 16_000

_FLAGS = re.IGNORECASE
_ROLE = r"system|developer|assistant|admin(?:istrator)?|operator|root|platform|系统|系統|开发者|開發者|管理员|管理員|平台|官方|助手|安全团队"
_ROLE_NOUN = (
    r"message|prompt|note|notice|override|instructions?|update|alert|command|policy|directive"
    r"|broadcast|消息|訊息|提示词?|指令|通知|公告|命令|说明|更新|覆盖|广播"
)

_STRUCTURE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (rule, re.compile(pattern, _FLAGS | re.ASCII))
    for rule, pattern in (
        (
            "chat_template_token",
            r"<\s?\|\s?[a-z_▁ ]{1,32}\s?\|\s?>|<\s?\|?(?:im_start|im_end|im_sep|endoftext"
            r"|begin_of_text|end_of_text|start_header_id|end_header_id|eot_id|eom_id|start_of_turn"
            r"|end_of_turn|endofprompt)\|?\s?>"
            r"|\[/?INST\]|<</?SYS>>|\[/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
            r"|<\[?(?:BOS|EOS)_TOKEN\]?>",
        ),
        (
            "fake_role_tag",
            rf"(?:^|[\n.!?。!?:]\s{{0,3}})<\s?(?:{_ROLE}|sys|instructions?|human|prompt|tool"
            rf"|system[-_ ]?(?:prompt|message|reminder|note|override|instruction)s?|(?:new|hidden"
            rf"|secret|override|priority)[-_ ]?(?:instruction|rule|polic)\w*|memory[-_ ](?:override"
            rf"|policy))(?:\s[^<>\n]{{0,60}})?>"
            rf"|</\s?(?:{_ROLE}|sys|instructions?|human|system[-_ ]?\w{{0,12}}|user_message|developer_message)\s?>",
        ),
        (
            "fake_role_header",
            rf"(?:^|\n)[>\s]{{0,4}}(?:[\[【{{(<「]\s?(?:{_ROLE})\s?(?:{_ROLE_NOUN})?\s?(?:v?\d+)?[\]】}})>」]|[#*=\-_]{{1,6}}\s{{0,2}}(?:{_ROLE}|instructions?|human|user"
            rf"|new instructions)\s?(?:{_ROLE_NOUN})?\s?(?::|[#*=\-_]{{2,6}}|\n))"
            r"|(?:^|\n)[>\s]{0,4}(?-i:SYSTEM|DEVELOPER|ADMIN|ASSISTANT|ROOT)\s?(?:(?-i:MESSAGE|PROMPT"
            r"|NOTE|OVERRIDE|NOTICE|POLICY|INSTRUCTION)S?)?\s?:|(?:^|\n)\s{0,4}(?:system"
            r"|developer)\s(?:prompt|message|override|instruction|notice|update)s?\s?:"
            r"|(?:^|\n)\s{0,4}(?:系统|开发者|管理员|平台)(?:消息|提示词?|指令|通知|公告|命令|更新)\s?[:：]|\n\s{0,4}(?:human"
            r"|assistant|system|user)\s?:\s"
            rf"|[\[【]\s?(?:{_ROLE})\s?(?:{_ROLE_NOUN})\s?[\]】]",
        ),
        (
            "fake_boundary",
            r"(?<![-=*#<>_~])[-=*#<>_~]{3,40}\s?(?:begin|start|end|开始|结束|以上"
            r"|以下)\s?(?:of\s)?(?:the\s)?(?:new\s|hidden\s)?(?:system|developer|user|assistant"
            r"|instruction|memory|memories|context|prompt|untrusted|data|系统|用户|记忆|指令|提示"
            r"|上下文)[^\n]{0,24}?[-=*#<>_~]{3}"
            r"|(?:^|\n)\s?(?:end of (?:user input|context|memor(?:y|ies)|untrusted data)"
            r"|begin (?:system|admin|developer) (?:prompt|instructions?|mode))\b",
        ),
        (
            "role_object",
            r"[\"']?role[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?:system|developer|assistant|tool"
            r"|function)(?![a-z])[\"']?\s{0,2}(?:[,}\n]|$)",
        ),
        (
            "tool_call",
            r"\{[^{}\n]{0,80}[\"'](?:tool|tool_name|toolname|name|function|function_name|action|method|command|op|operation|recipient_name|api|cmd)[\"']\s?:\s?[\"'{][^\n]{0,120}?[\"'](?:args|arguments|argument|parameters|params|param|input|tool_input|action_input|kwargs|payload|body)[\"']\s?:"
            r"|\{[^{}\n]{0,40}[\"'](?:args|arguments|parameters|params|tool_input|kwargs)[\"']\s?:[^\n]{0,160}?[\"'](?:tool|tool_name|name|function|action|method)[\"']\s?:"
            r"|[\"'](?:tool_calls?|function_calls?|tool_use|tool_code|tooluse)[\"']\s?:"
            r"|[\"']type[\"']\s?:\s?[\"'](?:tool_use|function|tool_call|function_call"
            r"|tool_result)[\"']"
            r"|<\s?/?\s?(?:\w{1,12}:)?(?:function_calls?|function_results?|invoke|tool_calls?"
            r"|tool_use|tool_code|tool_results?|tool_responses?|tool|call|execute|use_mcp_tool"
            r"|function)(?:\s[^<>\n]{0,120}=[^<>\n]{0,200})?\s?/?>(?=[\s\S]{0,400}</)"
            r"|<\s?function=\w+|\bto=(?:functions|python|browser|tools?)\b|(?:^"
            r"|\n)\s?Action\s?:\s?\w[^\n]{0,60}\n\s?Action Input\s?:"
            r"|Action\s?:\s?\w{2,40}[\s,;]{1,3}Action Input\s?:|```\s?(?:tool_code|tool_call|tool"
            r"|function_call)\b|\bfunctions\.\w{2,40}\s?\(",
        ),
        (
            "active_markup",
            r"<\s?script[\s>/]|<\s?/\s?script|(?:java|vb)script\s?:"
            r"|<[a-z][^<>]{0,200}[\s\"'/]on[a-z]{3,20}\s?=|<\s?(?:iframe|object|embed|applet|base"
            r"|meta|link|frame|portal)\b[^<>]{0,200}(?:src|href|data|http-equiv|srcdoc|content)\s?="
            r"|<\s?(?:img|image|video|audio|source|track|input|body|table|td|svg|use"
            r"|picture)\b[^<>]{0,200}(?:src|srcset|href|background|poster)\s?=\s?[\"']?\s?(?:https?:"
            r"|//|data:text)|<\s?form\b[^<>]{0,200}action\s?=|<\s?svg\b[^<>]{0,100}onload"
            r"|data:text/html|srcdoc\s?="
            r"|@import\s(?:url)?[\s(\"']{0,3}https?:|url\(\s?[\"']?\s?https?:|document\.(?:cookie"
            r"|location)|fetch\s?\(\s?[\"'`]https?:|navigator\.sendBeacon|new\sImage\s?\("
            r"|XMLHttpRequest",
        ),
        (
            "exfiltrating_link",
            r"!\[[^\]\n]{0,200}\]\s?\(\s?<?(?:https?:)?//|!\[[^\]\n]{0,80}\]\["
            r"|\[[^\]\n]{1,40}\]:\s?https?://[^\s]{0,200}[?&][\w-]{1,20}=[{<$\[]"
            r"|https?://[^\s<>\"']{1,200}[?&/][\w\-]{0,20}=?\s?(?:<[^<>\n]{3,60}>"
            r"|\{\{?[^{}\n]{2,60}\}?\}|\$\{?\w|\[[A-Za-z_ '’\u4e00-\u9fff]{3,60}\]|%7B|【[^】\n]{2,40}】|\((?:user|the|last|message|用户|对话)[^()\n]{2,40}\))",
        ),
        (
            "provenance_spoof",
            r"(?:evidence[_ ]?(?:type|class)|provenance|source_type|authority(?:_level)?|attested_by"
            r"|confirmed_by|approved_by|reviewed_by"
            r"|verified_by)[\"']?\s{0,2}[:=]{1,2}\s{0,2}[\"']?(?:explicit_?user|verified_?reviewer"
            r"|business_?record|user|reviewer|admin|system|owner|true|[0-9])"
            r"|[\[(【{]\s?(?:source|evidence|provenance|来源|证据|出处)\s?[:=：]\s?[\"']?(?:explicit_?user|verified_?reviewer|business_?record|system|admin|user|reviewer|用户本人|已验证|审核员|审核人|管理员|系统|人工审核)[^\])】}\n]{0,20}[\])】}]"
            r"|(?:证据类型|证据等级|来源类型|可信等级|权威级别)\s?[:=：是为]\s?[\"']?(?:用户|审核|explicit|verified|最高|系统|管理员)",
        ),
    )
)
_COMMENT = re.compile(
    r"<!--([\s\S]{0,600}?)(?:-->|$)|(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0"
    r"|color\s?:\s?(?:white|#fff(?:fff)?|transparent)|opacity\s?:\s?0)[^<>]{0,80}>([^<]{0,400})",
    _FLAGS,
)
_DISGUISED = re.compile(r"[\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\u24b6-\u24e9\u1d00-\u1d25]")
_SPACED_LETTERS = re.compile(r"(?<![A-Za-z])(?:[A-Za-z][ .\-_*|·]{1,2}){5,200}[A-Za-z](?![A-Za-z])")
_SPACED_HAN = re.compile(r"(?:[\u4e00-\u9fff][ .\-_*|·/、]{1,2}){5,200}[\u4e00-\u9fff]")
_BACKWARDS = re.compile(r"snoitcurtsni|selur|tpmorp|suoiverp|erongi|则规|令指", _FLAGS)
_LEET = str.maketrans("013457@$!|", "oieastasil")


def screen(text: str) -> Screening:
    """Whether the text may be remembered as far as its form and wording go."""
    if len(text) > LONGEST:
        return Screening("prohibited", "text_too_long")
    rule = hidden.hidden_unicode(text)
    if rule:
        return Screening("prohibited", rule)
    plain = views.plain(text)
    rule = _structure(plain)
    if rule:
        return Screening("prohibited", rule)
    disguise = _disguise(text, plain)
    if disguise:
        return Screening("prohibited", disguise)
    wording = suspicious_wording(plain)
    return Screening("suspicious", wording) if wording else CLEAN


def _structure(text: str) -> str:
    for rule, pattern in _STRUCTURE:
        if pattern.search(text):
            return rule
    for match in _COMMENT.finditer(text):
        inner = match[1] or match[2] or ""
        if suspicious_wording(inner):
            return "hidden_markup_instruction"
    return ""


def _disguise(text: str, plain: str) -> str:
    """An instruction that only shows once the writing is undone: the disguise itself is the evidence."""
    if _DISGUISED.search(text) and suspicious_wording(plain):
        return "disguised_letters"
    folded = views.folded(plain)
    if folded != plain and suspicious_wording(folded) and not suspicious_wording(plain):
        return "homoglyph_instruction"
    decoded = views.decoded(plain)
    if decoded != plain and not suspicious_wording(plain):
        twice = views.decoded(views.plain(decoded))
        if suspicious_wording(decoded) or suspicious_wording(twice) or _structure(decoded):
            return "encoded_instruction"
    spaced = _SPACED_HAN.sub(lambda m: re.sub(r"[ .\-_*|·/、]", "", m[0]), plain)
    if spaced != plain and suspicious_wording(spaced) and not suspicious_wording(plain):
        return "broken_up_instruction"
    if _SPACED_LETTERS.search(plain) and _squeezed_override(plain):
        return "broken_up_instruction"
    if re.search(r"[a-z][013457@$][a-z]", plain, _FLAGS):
        leet = plain.lower().translate(_LEET)
        if suspicious_wording(leet) and not suspicious_wording(plain):
            return "leet_instruction"
    backwards = views.is_reversed_hint(plain) or _BACKWARDS.search(plain)
    if backwards and suspicious_wording(plain[::-1]):
        return "reversed_instruction"
    return ""


_SQUEEZED = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|every|previous|prior|earlier"
    r"|above|system|safety|security){1,5}(?:instruction|rule|prompt|polic|guideline|restriction"
    r"|check)|reveal(?:your|the)(?:system)?prompt",
    _FLAGS,
)


def _squeezed_override(text: str) -> bool:
    return bool(_SQUEEZED.search(re.sub(r"[^A-Za-z]", "", text)))

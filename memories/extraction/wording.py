"""What both languages share: what is for this once, what is about oneself, and names that are evident."""

from __future__ import annotations

import re

from memories.topic_rules import END, START

# --- for this once ----------------------------------------------------------------------------------------------------

ONLY_ONCE = re.compile(
    rf"{START}(?:(?:just|only)(?: for)? (?:this|once|today|now|the)|this (?:once|one time)|this time(?: only| around)?|one[- ]off"
    rf"|for (?:this|the current) \w+(?: only)?|for (?:today|now)(?: only)?){END}"
    "|这一?[次回]|[本此]次|仅此|只此|就一次|下不为例|暂时先|今天先"
)

BOUND = re.compile(
    rf"^\W*(?:[请就那先](?!后))*(?:这一?[次回趟局题]|[本此]次|(?:这一?|本)[个篇份封条段][^,]{{0,6}}[里中内])"
    rf"|下不为例|仅此一[次回]|就这?一[次回](?=$|\W)|{START}(?:only|just) this (?:once|one time){END}"
)
"""What binds it to this once, whatever else is said: "this time remember …, next time do not"."""

# --- what it is about ---------------------------------------------------------------------------------------------

ABOUT_ONESELF = re.compile(
    rf"{START}(?:i am|i'm|im|(?:my|our) (?:office|team|company|family|house|school)|i have|i've|i live|i work|i moved|i drive|i can't|i cannot|i cant|i only|i don't read|i was born"
    rf"|i speak|i own|i use|i study|i teach|i take|i run|i play|my (?:\w+ ){{1,3}}?(?:is|are|was)|my \w+'s)(?![\w-])"
    r"|我们(?:公司|团队|部门|家)|(?:我|俺)(?:家|的?耳朵|的?眼睛|老家|的?名字|的?时区|不?是|怀孕|搬|常驻|的?预算|的?[狗猫女儿孩老妈爸]|在(?!.{0,6}[问说发])|住|有|对|今年|负责|正在|只会|平时|养|每?周|乳糖|不吃|吃素|不会|来自|做)"
    r"|我[^,，]{0,4}(?:过敏|不耐受|不上班)|名字"
)
WISHES = re.compile(
    rf"{START}(?:always|never|want|prefer|preferred|like|hate|don't want|please(?! (?:remember|note|keep|correct|save))|from now on|(?<!i )use|answer|reply|write|keep (?!in|this|that|it)"
    rf"|start|call me|no emojis?)(?![\w-])|请(?!记|你记|备|更正|纠正|改正)|别(?!忘)|不要(?!忘)|以后|今后|回答|喜欢|希望|一律|默认|都(?=用|要|给|先|别|按|加|讲|放|写)|用(?!户)|甭|叫我|每次"
)

KEYS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (kind, key, re.compile(pattern))
    for kind, key, pattern in (
        ("preference", "preferred_language",
         rf"{START}(?:answer|reply|respond|write|speak|talk|answers|replies)(?: to)?(?: me)?(?: \w+)? in (?:english|chinese|spanish|french"
         rf"|german|dutch|italian|japanese|portuguese|korean)(?![\w-])|用(?:中文|英文|英语|汉语|日语|繁体字?|简体字?)(?:中文)?(?:来)?(?:回答|回复|写|跟我|答)"
         "|(?:回答|回复|回覆)[^,，]{0,4}用?(?:中文|英文|英语|日语|繁体)"),
        ("preference", "units", rf"{START}(?:metric|imperial)(?![\w-])|公制|英制"),
        ("preference", "emoji", r"emojis?(?![\w-])|表情符号|表情|颜文字"),
        ("preference", "date_format", r"(?:dates?|日期)[^,，.。]{0,16}(?:\d{4}-\d{2}-\d{2}|iso|format|格式)"),
        ("preference", "answer_style",
         rf"{START}(?:(?:conclusions?|answer|result|bottom line) first|(?:short|brief|concise|shorter) (?:answers?|replies|responses)"
         r"|(?:answers?|replies|responses)(?: \w+)? (?:short|brief|concise)|step[- ]by[- ]step)(?![\w-])|先(?:给|说|讲)?结论|(?:回答|回复)[^,，]{0,3}(?:简短|简洁|短)|简版"),
        ("preference", "code_language", rf"{START}code samples? in \w+|代码(?:示例)?[^,，]{{0,6}}用(?:python|java|go|rust|c\+\+|typescript)"),
        ("preference", "tone", rf"{START}(?:formal|friendly|neutral) tone(?![\w-])|语气(?:正式|亲切|中性)"),
        ("profile", "time_zone", rf"{START}time ?zone(?![\w-])|时区"),
    )
)  # fmt: skip

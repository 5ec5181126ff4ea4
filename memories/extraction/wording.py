"""The wordings in which people ask to keep something, in English and Chinese, and those that only look alike.

All of it reads text folded by `requests.fold`: lower case, simplified, straight quotes. A quoted passage is blanked
before, so no pattern ever sees what somebody else said in quotation marks.
"""

from __future__ import annotations

import re

from memories.topic_rules import END, START, words


def _start(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"^{pattern}")


def _word(pattern: str) -> re.Pattern[str]:
    return re.compile(f"{START}{pattern}{END}")


# --- English: how a request begins --------------------------------------------------------------------------------

_FILLER = words(
    r"""
    ok(?:ay)?|hey|hi|hello|so|and|also|oh|well|btw|by the way|actually|ffs|sorry|yes|yeah|please|pls|plz|kindly|just
    thanks|do|then|but|again|as i said(?: before)?|for (?:the record|(?:future|later) reference)|one more thing|gonna
    for (?:the future|next time)|(?:let me|to) be clear|just so you (?:know|remember)|fyi|quick note
    change of plan|let's agree(?: that)?|in that case|because of that
    """
)
_YOU = "(?:you|u)"
_WISH = words(
    rf"""
    (?:can|could|would|will|won't) {_YOU}(?: be so kind as to)?
    i(?:'d| would)?(?: really)? (?:like|want|need|prefer|love) (?:it if |for )?{_YOU}(?: to| would| could)?
    i(?:'d| would) (?:appreciate it|be grateful) if {_YOU}(?: would| could| can)?
    (?:need|want) {_YOU} to|{_YOU} (?:should|must|need to|have to|can|will|may)|make (?:it a habit|sure)(?: that)?
    (?:that )?{_YOU}(?=(?: \w+)? (?:always|never|remember|use|write|keep|stop|cite|give|ask|end|answer|reply))
    (?:it's|it is|it would be|it'd be) (?:important|great|nice|good|helpful|best)(?: that| if| for)? {_YOU}
    & (?: to| could| would| can)?|try|to
    """
)
_POLITE = "(?:please|pls|plz|kindly|just|also|always|really|do|now)"
LEAD = rf"(?:{_FILLER}[\s,:!-]+)*(?:{_WISH}\s+)*(?:{_POLITE}[\s,]+)*"

_KEEP = words(
    r"""
    (?:remember|rmbr|remeber|rember|memori[sz]e|jot down|bear in mind|keep in mind|don't (?:ever )?forget|never forget
    & |do not forget|dont forget)(?: this| that| it)?(?: in mind)?(?: that)?
    (?:take note|make a (?:mental )?note)(?: of this| of that)?(?: that)?
    note (?:down )?(?:that|this|my|:|for later)|note(?: for [\w ]{2,24})?(?=\s*:)|(?:note|jot|write) (?:this|that|it) down
    (?:keep|bear) (?:this|that|it|my|the|one)(?: \w+){0,2} in mind(?: for later)?(?: that)?
    (?:add|save|store|put|commit)(?: this| that| it)?(?: (?:to|in|into) (?:your |the )?(?:memory|memories|notes))(?: that)?
    for (?:future|later) reference|(?:save|store|note|record|remember) the fact that|(?:store|save|record) that
    (?:new|house|ground|standing) rule(?=\s*:)
    (?:save|store|keep|record) (?:this|that|it)(?: (?:as|for) [\w ]{2,24}?)?(?=\s*[:,-]|$)
    update your (?:notes|memory)(?: that)?
    """
)
KEEP = _start(rf"{LEAD}(?P<ask>{_KEEP})(?=[\s,:;.!-]|$)")
KEEP_AFTERWARDS = re.compile(
    rf"(?:^|[,;\s])(?<!\bi )(?<!\bi'll )(?<!\bwe )(?<!\bwill )(?<!\bto )(?<!\bcan't )(?<!\bmust )(?<!\bshould )(?<!\bdon't )"
    rf"{LEAD}(?:(?:remember|note|memori[sz]e|save|record|correct|don't forget) (?:that|this|it)|(?:please|pls) (?:remember|note)|(?:correct|update|fix) (?:your (?:notes|memory)|(?:that|this|it) in your (?:notes|memory))|(?:keep|bear)"
    rf" (?:that|this|it) in mind|(?:make|take) (?:a )?note(?: of (?:that|this|it))?)(?: down)?(?:,? (?:please|pls|thanks"
    rf"|thx|ok(?:ay)?|for (?:later|next time|the future)))*\W*$"
    r"|, remember[.! ]*$"
)
# "Remember when …" tells a story, "remember to buy milk" is an errand of their own.
RECOLLECTS = re.compile(
    words(
        r"""
        ^\s*(?:when|what|where|who|whom|why|how (?:we|he|she|they|it)|me(?= us|\W*$)|us|those|the (?:time|day|night|film
        & |movie|song|days|one)|(?:that|this) (?:film|movie|time|day|night|song|summer|trip|guy|place|one)|if|whether
        & |which)(?![\w-])
        ^\s*to (?:buy|call|ring|pick up|water|feed|book|pay|bring|take|get|go|meet|visit|charge|lock|wash|post|mail|fetch
        & |collect|drop|wake|phone|text|cancel|renew|order|return|submit|hand in|attach|turn|switch|clean)(?![\w-])
        ^\s*(?:the difference|your (?:password|keys|coat))(?![\w-])
        """
    )
)

# --- English: how to do things from now on ------------------------------------------------------------------------

_FROM_NOW = words(
    r"""
    from now on|from here on(?: out| in)?|going forward|in (?:the )?future|henceforth|henceforward|from this (?:day|point)
    & (?: on| forward)?
    starting (?:today|now|tomorrow|next \w+)
    by default|as a (?:\w+ )?rule|permanently|for good|until further notice|in general
    as of (?:today|now)|from (?:today|tomorrow|this (?:week|month|year)|next \w+)(?: on(?:wards?)?)?
    at all times|under (?:no|all) circumstances|in (?:each|every) (?:repl(?:y|ies)|answers?|e-?mails?|message|report)
    for (?:(?:all|any|every) )?future \w+|for (?:all|any|every) (?:my )?\w+|whenever possible|(?:until|unless) i (?:say|tell you|ask) otherwise
    every (?:day|morning|evening|night|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)
    for all (?:future|my) [\w ]{3,24}?|in (?:all|any|every)(?: my| future| of my)* \w+
    next time(?! (?:i(?! (?:ask|send|paste|say|give|share|post|upload|request|want))|we|he|she|they|it|there)(?![\w-]))
    all the time|every (?:single )?time|each time
    """
)
FROM_NOW = _word(_FROM_NOW)
FROM_NOW_FIRST = _start(rf"{LEAD}{_FROM_NOW}(?![\w-])[\s,:-]*")
FROM_NOW_LAST = re.compile(
    rf"[\s,](?:{_FROM_NOW}|always|ever|from now)(?:[\s,]+(?:ok|k|please|pls|thx|thanks|always))*\W*$"
)
_TOWARDS = (
    "(?:ask|send|paste|say|give|show|share|post|upload|tell|request|write|talk|mention|want|need|quote|type|forward)"
)
WHENEVER = _start(
    rf"{LEAD}(?:whenever|every (?:single )?time|each time|any time|when(?: (?:{_YOU} )?(?:answer|writ|reply|respond|draft"
    rf"|explain|summari[sz]|translat|quot|format|cod|review)\w*| i {_TOWARDS})|if (?:i|we) {_TOWARDS}|next time i {_TOWARDS})"
    rf"(?![\w-])[^.!?]*?,\s*(?P<rest>.+)"
)
IMPERATIVE_ALWAYS = _start(
    rf"(?:(?:if|when|whenever|unless|for|in|on)(?![\w-])[^.!?]{{2,80}},\s*)?{LEAD}(?:al+wa?ys?|alwasy|never|(?:don't|do not|dont) ever|only ever|be sure to always|"
    rf"never ever|stop \w+ing(?=.*(?:from now|permanently|for good)))(?![\w-])\s+(?P<rest>.+)"
)
IMPERATIVE = _start(
    rf"{LEAD}(?:"
    + words(
        """
        use|put|keep|give|show|write|add|answer|reply|send|call|ask|start|begin|end|include|make|let's|skip|avoid|leave|say
        talk|speak|treat|address|sign|round|cite|link|list|format|check|drop|stop|don't|dont|do not|no|only|render|convert
        explain|summari[sz]e|translate|draft|describe|mark|highlight|remind|schedule|order|mention|refer|shorten|sort|name
        """
    )
    + r")(?![\w-])"
)
TELLS = _start(r"(?:will|would|is|was|could|might|may|maybe)(?![\w-])")
HABIT = _start(
    rf"{LEAD}(?:default to|make it a (?:habit|rule) to|no more (?=.*from now on)|set (?:my|the|your) (?:\w+ )?default|set my (?=.* as)"
    rf"|(?:don't|do not|dont|never)(?![\w-]).*(?:any ?more|ever again)(?=\W*$|[,.])"
    rf"|stop (?:sending|asking|calling|using|adding|suggesting|recommending|saying|starting|ending|including|giving|telling|reminding"
    rf"|apologi[sz]ing|putting|writing)|consider me|treat me as|make [\w ]{2, 40} (?:my|the|your) default|stick to (?=.*from now on))(?![\w-])"
)
STATES = _start(
    rf"(?:{_FILLER}[\s,]+)*(?:(?:the|a|an|our|his|her|their|this|that) (?!(?:answers?|repl(?:y|ies)|reports?|summar|emails?)"
    rf"(?![\w-]).*(?:should|must|in |to be))|(?:he|she|they|it|there|we|nobody|everybody|everyone|people|prices|staff)(?![\w-])"
    rf"|i(?! (?:want|need|prefer|like|don't want|do not want|would|expect|wish)|'d)(?![\w-])"
    rf"|\w+(?: \w+)? (?:is|are|was|were|will|has|have|had)(?![\w-]))"
)
# "I always …" tells of a habit, "you never …" complains.
PREFERS = _start(
    rf"{LEAD}(?:i(?:'d| would)? (?:much |really |always )?(?:prefer|rather|like|want|love|hate|need)|i (?:don't|do not)"
    rf" (?:want|like)|treat|refer to me as|address me as)(?![\w-])"
)
STANDING = _word("(?:prefer|rather|don't|do not|ever|every\\w*|each|all|any)")
OUTPUT = _word(
    words(
        """
        answers?|answering|repl(?:y|ies)|responses?|summar(?:y|ies)|explanations?|code|reports?|bullets?|bullet points|lists?
        prose|tables?|emoji|emojis|jargon|links?|sources|citations?|examples|replying|you|your|translations?|comments
        tone|headings|screenshots|drafts|me
        """
    )
)
CALL_ME = _start(rf"{LEAD}(?:call|refer to|address) me (?:as |by )?(?P<name>.+)")
CALL_ME_NOT = re.compile(
    r"^(?:when|if|at|on|in|a|an|the|back|later|tomorrow|tonight|today|after|before|again|now|once|as soon|whenever|to|for"
    r"|crazy|old-fashioned)(?![\w-])"
)
CORRECTED = re.compile(
    rf"{START}(?:actually|correction|no|that's wrong|that is wrong|{_YOU} (?:got|have|had) (?:it|that|this) wrong"
    rf"|{_YOU} misremember(?:ed)?|wrong|you're mistaken|you mixed)(?![\w-])"
)
RIGHT_NOT_WRONG = re.compile(
    rf"{START}(?:i'm|i am|im|i have|i've|i work|i live|i come|my \w+(?: \w+)?(?: is| are|'s))(?![\w-])[^?]*?"
    rf"(?:, ?(?:and )?not|; not| not) (?:in |from |at |a |an |the )?\w+"
)

# --- English: what only looks alike -------------------------------------------------------------------------------

REFUSES = _word(
    words(
        rf"""
        (?:don't|do not|dont|needn't|need not|no need to|not necessary to|don't need to|don't have to|stop|without)
        & (?: \w+){{0,4}} (?:remember(?:ing)?|sav(?:e|ing)|stor(?:e|ing)|keep(?:ing)? (?:this|that|it)|record(?:ing)?
        & |not(?:e|ing) (?:this|that|it)|memori[sz]e)
        (?:forget|ignore|delete|erase|drop|disregard|remove) (?:what|that|my|everything|it|about|all|the|this)
        never ?mind|not worth remembering|thinking aloud|{_YOU} (?:don't|do not) (?:need|have) to
        """
    )
)
REFUSES_BUT = re.compile(r"(?:don't|do not|dont|never|not to) (?:ever )?forget")
SUPPOSES = _word(
    words(
        r"""
        suppose|supposing|imagine|hypothetically|what if|let's say|let us say|pretend|for example|for instance|e\.g\.
        if i (?:asked|told|said|were|had|were to)|if someone|had i|would have|should have|could have|might have
        i was going to|i almost|maybe|perhaps|not sure|whether|i wonder|i could (?:tell|ask)|i might|i wish
        """
    )
)
_SAID = words(
    r"""
    said|says?(?= )|saying|told|tells|telling|asked|asks|asking|wants?(?= (?:me|us|you|everyone|them))|wrote|writes|yells?
    yelled|shout(?:s|ed)|insist(?:s|ed)|remind(?:s|ed)|warn(?:s|ed)|advis(?:es|ed)|recommend(?:s|ed)|suggest(?:s|ed)
    require[sd]?|states|demand(?:s|ed)|instruct(?:s|ed)|goes|reads|begins|claims?|sings|motto|announced|keeps? asking
    keep (?:asking|telling|saying)
    """
)
REPORTS = re.compile(
    words(
        rf"""
        ^(?!(?:{_FILLER}[\s,]+)*(?:i|we|you|u|as i|when i|if i|please|let me|like i)(?![\w-]))(?:[\w'.-]+[ ,]+){{1,5}}?(?<!\bi )(?<!\bwe )(?<!\byou ){_SAID}
        & (?![\w-])
        {START}(?:according to|as the saying goes|the saying|as they say|motto|the proverb|the rule says|used to){END}
        ^(?:user|assistant|system|human|ai|bot|me|them)\s*:
        """
    )
)
TASK = _start(
    rf"{LEAD}(?:translate|proofread|rewrite|rephrase|paraphrase|fix|correct|edit|polish|summari[sz]e|write|draft|compose"
    rf"|generate|create|spell[- ]?check|explain|quote|read|say|check|repeat|print|type|complete|continue)(?![\w-])[^.!?]{{0,60}}?"
    rf"(?::|(?:in which|where|that says|that begins|saying|telling|with the (?:line|words)|called|titled)(?![\w-]))"
)
ASKS = re.compile(
    rf"^(?:{_FILLER}[\s,]+)*(?:why|how|what|who|which|where|is|are|am|was|were|did|does|do {_YOU}|do i|do we|do they|should|shall"
    rf"|have {_YOU}|has|may i|can i|could i|would i|remember\b.*\?)(?![\w-])"
)
ASKS_POLITELY = re.compile(
    rf"^(?:{_FILLER}[\s,]+)*(?:(?:can|could|would|will|won't) {_YOU}(?![\w-])(?! (?:always|never|ever)(?!.*{START}(?:me|my|i|us|our|please|from now on){END}))(?! (?:please |also )?(?:remember|tell me|recall|say)"
    rf" (?:what|when|who|where|why|how|if|whether|which|anything|my \w+\W*$))|may i ask)|[, ](?:ok|okay|k|alright|right|deal|please)\?$"
)

# --- Chinese ------------------------------------------------------------------------------------------------------

_ZH_LEAD = words(
    """
    请(?!假)|麻烦|劳驾|拜托|烦请|帮我|给我|帮忙|你们?|您|侬|务必|一定要?|千万|必须|要|可以|能不能|能否|可否|可不可以|好的?
    那就?|就|嗯+|哦|噢|哎|对了|顺便|另外|还有|也|都|再|先|所以|咱们?|我?希望|我?想让|我要|那个|听着|以后|今后|永久|长期|永远
    俺跟你说|我跟你说|改一下|补充一下|因此|[,，、：:！!~\\s]
    """
)
ZH_LEAD = rf"{_ZH_LEAD}*"
_ZH_KEEP = words(
    """
    记住|记好|记下来?|记一下|记一记|记着点?儿?|牢记|谨记|铭记|记牢|(?:别|不要|勿|莫)(?:忘了?|忘记)|备注(?:一下|[:：])|备忘
    存一下|存起来|记录一下
    (?:存|写|加|放|保存|记录?)(?:到|进|入|在)(?:你的?)?(?:长期)?(?:记忆|备忘|小本本|笔记)(?:里|中|库)?|记得
    """
)
ZH_KEEP = re.compile(
    rf"(?:^|[,，、：:！!~\s]){ZH_LEAD}(?:把(?:这|以下|下面)[^,，：:]{{0,6}})?(?P<ask>{_ZH_KEEP}(?:了|哈|啊|哦|噢|吧|我说的)*)"
)
ZH_KEEP_AFTERWARDS = re.compile(
    rf"[,，、\s。]{ZH_LEAD}(?:更新|改)(?:一下)?你?的?(?:记忆|记录|笔记)\W*$|把(?P<what>[^,]{{1,60}})(?:记下来?|记住|记一下|存下来|记好)\W*$|[,，、\s。]{ZH_LEAD}(?:记住|记一下|记着|记好|记下来?|牢记|记得|备注)(?:这一?点|这个|这条|它|哦|哈|啊|了|吧|呀|一下)*\W*$"
)
ZH_RECOLLECTS = re.compile(
    words(
        """
        ^(?:的|密码|吗|那[部个年次天时]|当年|小时候|以前|上次|我们(?:上次|以前|那)|什么|哪|谁|多少|几|了吗|没\\W*$|不\\W*$)
        ^周[一二三四五六日].{0,4}(?:去|买|带|交|打|取|拿|开会|接|还)
        ^(?:明天|今晚|后天|[一二三四五六七八九十\\d]+点|下午|上午|晚上|早上)
        ^(?:去|买|带|交|打电话|给\\S{1,6}打电话|取|拿|吃药|浇|喂|关|锁|接|寄|还|报名|打卡|充电)
        """
    )
)
_ZH_LASTING = words(
    """
    以后|以候|今后|往后|日后|今往|从(?:现在|今天?|明天|今儿|今往|今以|今|这个?月|下个?[周月]|这周)(?:开始|起|以后|往后|后)
    打今儿?起|下次|下回|每次|每回|每当|凡是?|一律|默认|始终|永远|永久|一直|总是|长期|一概|统一
    """
)
ZH_LASTING = re.compile(
    rf"(?:^|[,，、：:！!~\s“\"]|{_ZH_LEAD}|我|们|回|把|·|(?<=案)(?=以后))(?:{_ZH_LASTING})"
    "|(?:作为|设为|设成|当作)(?:你的)?默认|(?<![了天年月久业班完学课饭米婚])以后(?=都|一律|统一|全部?|请|别|不要|只)|一律|永远(?=别|不)|始终|一直(?=保留|用|按|给|别|不要)|默认(?=用|给|按|加|以)|统一(?=用|写|使用|按)"
    "|(?:别|不要|不许|请勿|甭)再(?=给我|跟我|叫我|用|发|推荐|加|写|提醒|问我|称呼|使用|自动)"
)
ZH_DIRECTS = re.compile(
    words(
        """
        请(?!假)|你(?![我也还们]|会不会)|您|侬|别|不要|不许|不准|不能|不用|不得|无需|甭|勿|少(?:来|说|用|写)|(?:务必|一定|必须|都)要|用(?!户)|先|叫我
        称呼?|给我|帮我|跟我|回答|回复|写[^着道]?|直接|分点|尽量|统一|一律|保留|附上|带上|控制|按|照|把|优先|提前|整|列|标注|注明|缩进
        最[多少]|至少|不超过|以后[^,，]{0,12}都(?![会很是没能有要觉])|都(?:讲|用|按|照|放|给|带|写|先|这样|这么|得|提前|顺手|加|改|附|发|说|算|别|不)|就(?:先|给|用|改|直接)|讲闲话|讲例子|放表格
        """
    )
)
# "… 吧" suggests to the assistant, unless it is put off or meant for both.
ZH_SUGGESTS = re.compile("^(?!.*(?:再|一起|我们|咱)).*吧\\W*$")
ZH_PREFERS = re.compile(
    "我(?:更|比较|还是|一般)?(?:喜欢|偏好|倾向于?|习惯|不喜欢|讨厌|不爱)(?:你|您|看?(?:要点|列表|表格|回答|长段落|简短|代码|例子))"
)
ZH_NAME = re.compile(
    rf"(?:^|[,，、：:\s]){ZH_LEAD}(?:叫|称呼)我(?!去|来|起|们|怎|做|干|别|以后|今后)[^,，。?？]{{1,8}}?(?:就行|就好|吧|即可|就可以)"
)
ZH_CORRECTED = re.compile("更正|纠正|改正|改一下|改过来|不对|(?:记|搞|弄|写|说)错|不是这样")
ZH_RIGHT_NOT_WRONG = re.compile("(?:我|名字)[^?？]*(?:不是|不在|并非)|(?:不是|不在)[^?？]*(?:我|名字)")

ZH_REFUSES = re.compile(
    words(
        """
        (?:不用|不必|别|不要|无需|没必要|不需要|甭|勿|犯不着)(?:再|你|把[^,，]{0,8}?)?(?:记(?!错)|存|保存|备注)|[别不]用?记(?:,|，|$)
        忘掉|(?<![别要勿莫])忘了(?:我|刚|之前|那)|(?<![别要勿莫])忘记(?:我|刚|之前|那)|作废|删掉|删除|清除|不用管|算了|纯属吐槽|随便说说
        (?:真|很|太|好)?(?:不容易|难记|难)\\W*$
        """
    )
)
ZH_SUPPOSES = re.compile(
    "假如|假设|设想|想象一下|打个比方|譬如|比如|例如|(?:如果|要是|若是?|万一)我(?:说|让|叫|要求|告诉)(?!要)[^,，]*(?:你|以后)?.*"
    "(?:会|怎么|吗|呢)|本来|早知道|不确定|要不要|其实想|差点"
)
_ZH_OTHERS = words(
    """
    [他她](?:们)?|老师|经理|老板|领导|主管|同事|客户|妈妈?|爸爸?|父亲|母亲|爷爷|奶奶|[姐哥弟妹]|老婆|老公|家人|朋友|人家|别人|有人
    大家|医生|教练|主角|公司|学校|书[上里]?|文章|网上|歌词?|电影|说明书|合同|黑板|牌子|标语|俗话|常言|古人|规定|群里|新闻
    """
)
ZH_REPORTS = re.compile(
    rf"{_ZH_OTHERS}[^,，。;；]{{0,6}}?(?:说|让我|让你|让人|叫我|叫你|要求|告诉|提醒|嘱咐|吩咐|强调|喊|唱|写着|写道|规定|老让)"
    "|座右铭|听说|据说|俗话|常言道|按照?[^,，]{0,8}(?:规定|说明|要求|文档|指南|手册)|上写着|里写着|^(?:用户|助手|系统)[:：]|^[^,，:：我你您]{1,6}(?:写道|说道?|表示|提到|认为)[,，:：]"
)
ZH_TASK = re.compile(
    "(?:翻译?|译)(?:成|为)|翻译[:：]|润色|病句|改写|改成白话|造句|(?:写|编|创作|起草|拟|列|给)一?[个篇份首封段张]"
    "|写(?:个|段)|写一?个?故事"
)
ZH_ASKS = re.compile(
    "(?:[?？]|吗|么|呢)\\W*$|怎么|为什么|为何|哪些|多少|什么时候|会不会|是不是|有没有|记不记得|还记得|如何"
)
ZH_ASKS_POLITELY = re.compile(
    "能不能|能否|可否|可不可以|可以(?=记住|帮我|以后|今后|请)|(?:好吗|行吗|可以吗|好不好|好伐|行不|成吗|好么)\\W*$"
)
ZH_ASKS_STILL = re.compile("怎么|为什么|为何|哪些|多少|什么时候|会不会|是不是|有没有|记不记得|还记得|如何")
ZH_OWN_PLAN = re.compile(
    "我(?:(?:以后|今后|将来|从今天起|每天|每次)*(?:打算|准备|计划|想(?!让|要你|请|看)|得(?=记|去|早)|要(?=早|去|学|记住)|会(?!计))|以前|永远记得|还记得"
    "|记得|记不|也|每天|都(?:很|会|觉得|想))"
)

# --- for this once ----------------------------------------------------------------------------------------------------

ONLY_ONCE = re.compile(
    rf"{START}(?:(?:just|only)(?: for)? (?:this|once|today|now|the)|this (?:once|one time)|this time(?: only| around)?|one[- ]off"
    rf"|for (?:this|the current) \w+(?: only)?|for (?:today|now)(?: only)?){END}"
    "|这一?[次回]|[本此]次|仅此|只此|就一次|下不为例|暂时先|今天先"
)

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

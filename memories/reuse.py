"""Content rules: is a sentence meant for later, or only for this moment, this thread or this run?

Both languages; the text must have gone through `topics.prepare`.
"""

from __future__ import annotations

import re

from memories.topic_rules import END, START, words
from memories.topics import sentences

_LASTING = re.compile(
    START
    + words(
        r"""
        from now on|from this (?:day|point)(?: on| forward)?
        from here on|going forward|in (?:the )?future|always|never|every time|each time|any time|whenever
        by default|default to|permanently|for good|next time|henceforth|as a rule|in general|generally|usually|future
        all (?:future|later|my|new|coming)|i (?:usually|generally|typically|prefer|like|tend)|until further notice
        a (?:\w+ )?(?:rule|habit|practice) (?:to|of|that)|as of (?:today|now)|from (?:today|tomorrow)
        my (?:habit|preference|default)|long[- ]term|starting (?:today|now|tomorrow|next)
        every (?:day|morning|evening|week|month|monday|tuesday|wednesday|thursday|friday|report|answer|summary|reply
        & |draft)
        each (?:report|answer|summary|reply|draft)
        """
    )
    + END
    + "|"
    + words(
        r"""
        以后|今后|往后|之后的?(?=[^，。]{0,12}(?:都|统一|一律|用|改))|此后|[从打]现在(?:起|开始)|[从打](?:今[天儿]?|明天)(?:起|开始|以后|往后)
        从[下这]个?[周月](?:起|开始)|将来|未来|长期|永远|一直|始终|总是|每次|每回|每当|每天|每周|每月|凡是|一律|一概|默认|下次
        下回|平时
        统一(?:用|采用|使用|写)|习惯|一贯|通常|向来|都这样|都要|都用
        """
    )
)
_ONLY_ONCE = re.compile(
    words(
        rf"""
        {START}(?:just|only) (?:this|for this|for the|for now|for today|this one|once){END}
        (?:this|the) (?:once|one time) only
        for this (?:\w+ )?only{END}|one[- ]off{END}|[仅只就](?:此|这)(?:一)?(?:次|回|一份|篇)|下不为例
        """
    )
)
_THING = words(
    """
    answers?|response|reply|replies|message|paragraphs?|section|sentences?|table|chart|figure|image|picture|slide|page
    e-?mail|draft|report|document|doc|file|question|task|conversation|chat|thread|session|line|point|bullets?|list
    summary
    example|translation|code|snippet|function|version|part|output|text|essay|article|letter|query|request|turn|step
    result
    screenshot|attachment|link|spreadsheet|sheet|post|outline|diagram|plan|title|heading|proposal|script|one|column|row
    discussion|exchange|form|cell|box|passage|quote|paragraph|note|notes|paper|story|poem|caption|graph|photo|log
    problem|exercise
    """
)
_ZH_THING = words(
    """
    回答|答案|回复|段落?|句话?|表格?|图表?|图片|问题|文件|文档|报告|例子|示例|函数|代码|草稿|版本|任务|对话|会话|邮件
    列表|翻译
    方案|文章|内容|部分|页(?!面)|张|份|篇|条(?![件款])|封|节(?![日省奏])|行(?![业动为])|点(?![击赞名])|步|幅|稿|截图
    附件|链接|标题
    大纲|脚本|信(?![息任用])|题(?!材)|聊天|ppt|数据|结果|输出|流程图|列(?![出举明为])|故事|诗|日志|笔记|照片|作业
    """
)
_SPAN = "(?:week|month|quarter|year|morning|afternoon|evening|weekend|kind|type|sort|style|way) "
_DEICTIC = re.compile(
    START
    + words(
        rf"""
        this time|this once|{_THING} above|the above|as above|just now|a moment ago|earlier today|today only
        (?:in|for|with) (?:this|that|your (?:next|last)|the (?:next|current|previous)) {_THING}
        (?:the|your|my|our) (?:previous|preceding|above|earlier) (?:\w+ )?{_THING}
        (?:the|your|my|our) (?:current|latest) (?:answer|response|reply|message|conversation|chat|thread|session|task
        & |question|draft)
        (?:your|my) (?:next|last) {_THING}|(?:this|that|these|those) (?!{_SPAN})(?:\w+ )?{_THING}(?! (?:of|every))
        our (?:chat|conversation|discussion|exchange|session)|say (?:it|that|this) again
        (?:you|we|i) just (?:wrote|said|sent|gave|made|pasted|uploaded|asked|shared|did|discussed|created|generated)
        for the next (?:\w+ )?(?:minutes?|hours?|few|replies|answers|messages|questions)|{_THING} (?:right )?here
        what (?:i|you|we) (?:just )?(?:said|wrote|discussed) (?:above|before|earlier)
        (?:it|this|that)(?:'s| is| was) (?:too|a bit|much too|far too|still|not) [\w ]{{0,12}}?(?:long|short|formal
        & |vague|wordy)
        (?:it|this|that)(?:'s| is| was) (?:too|a bit|much too|far too|still|not) [\w ]{{0,12}}?(?:complicated|clear
        & |right|wrong)
        """
    )
    + END
    + "|"
    + words(
        rf"""
        这一?次|这一?回|本次|此次|本轮|这一?轮|今次|眼下这|刚才|刚刚的?{_ZH_THING}|方才|上文|上述|上[表图]|下[表图]
        这[里儿]的|这[道首通]
        [你我]刚刚?(?=[发贴传上说写问给提粘做生])
        接下来(?:的)?[一二两三四五六七八九十几\d]+\s*(?:分钟|小时|个问题|轮|条|句)
        (?<!最)上面(?:的|那|这|{_ZH_THING})|(?<!最)前面(?:的|那|这|{_ZH_THING})|下面(?:这|那)
        上一?(?:条|段|句|版|张|封|个回答|个问题|轮|则)
        这(?:一|几|两|三)?个?{_ZH_THING}|那(?:一|几|两|三)?个?{_ZH_THING}|当前(?:回答|对话|会话|任务|问题|文档|页面)
        本(?:对话|会话|任务|回答|文)(?![化明件档])
        ^(?:这样|还是|有点|这么写)?(?:太|过于|有点)(?:长|短|啰嗦|正式|随意|复杂|简单|笼统|乱)了?
        """
    )
)
_SHORT_LIVED = re.compile(
    rf"{START}(?:for now|for the moment|for the time being|right now|temporarily|today|tonight|tomorrow|at the moment|"
    rf"this (?:morning|afternoon|evening|week|weekend|month)|in (?:five|ten|\d+) (?:minutes?|hours?))(?![\w'-])|"
    + words(
        """
        今天(?!气)|今晚|今早|今日|明天|明早|明晚|后天|暂时|临时|眼下|现在先|目前先|先这样|这会儿|这周|本周|这个月
        待会儿?
        等会儿?|一会儿|马上
        """
    )
)
_EDIT = words(
    """
    shorten|rewrite|rephrase|fix|delete|remove|expand|move|translate|trim|cut|merge|redo|undo|revert|regenerate
    summari[sz]e
    explain|polish|proofread|export|convert|replace|swap|reorder|rename|add|insert|change|make|turn|put|split|simplify
    update
    correct|format|resend|download|print|open|close|attach|send|forward|copy|paste|try|repeat
    """
)
_POLITE = r"(?:please |now |ok(?:ay)?,? |can you |could you |would you |and |then |also |just |let's )*"
_ZH_EDIT = r"(?:缩|删|改|重写|扩写|精简|合并|移|换|补充|翻译|展开|去掉|再|加|挪|调|短|长)"
_ONE_SHOT = re.compile(
    words(
        rf"""
        ^{_POLITE}{_EDIT}\s+(?:it|this|that|these|those|them|again){END}
        ^{_POLITE}{_EDIT}\s+(?:the )?(?:first|second|third|fourth|fifth|last|next|final|middle|opening
        & |closing) (?:\w+ )?{_THING}{END}
        ^(?:please )?(?:continue|go on|carry on|try again|start over|keep going|one more|another one
        & |stop)(?: please)?\W*$
        ^(?:please )?(?:give|show|write|send) me (?:another|one more|two more|three more|a different|the next){END}
        (?:把|将|给)?第[一二三四五六七八九十\d]+{_ZH_THING}[^，。]{{0,8}}?{_ZH_EDIT}
        ^(?:请|把|那)?(?:删|去|改|缩|精简|合并|重写|翻译|展开|扩写
        & |挪)[掉除去短]?[^，。]{{0,3}}?第[一二三四五六七八九十\d]+{_ZH_THING}
        ^(?:请|麻烦|那|好|好的|嗯|现在|然后)?[，,]?(?:你)?再(?:来|给|写|说|讲|试|短|长|简|详|精|改|缩|加|补|列|举|解释
        & |翻译|生成|检查)
        再(?:缩短|简短|精简|详细|具体|短|长|多|少|改|润色|正式|口语)[^，。]{{0,4}}?(?:一点|一些|点|些|一下|一遍|一版)
        ^(?:请|麻烦你?|那|好|好的|现在)?(?:你)?(?:帮我|替我|给我)[^，。]{{0,24}}?(?:导出|发出去|订|[查改看]一下
        & |翻译一下|总结一下|看看)
        ^(?:请|麻烦你?|那|好|好的|现在)?(?:你)?(?:帮我|替我|给我)[^，。]{{0,24}}?(?:写一?[封份篇个]|做一?[张份个]
        & |画一?[张个幅])
        ^(?:请|麻烦你?|那|好|好的|现在)?(?:你)?(?:帮我|替我|给我)[^，。]{{0,24}}?(?:重写|改成|保存|打印|下载|上传
        & |生成一)
        ^(?:请|麻烦)?(?:继续|重来|重新(?:写|生成|来|回答|算)|接着(?:写|说|讲)|换个说法|换一[种个])[^，。]{{0,6}}[。.]?$
        """
    )
)
_CONDITION = re.compile(
    words(
        rf"""
        ^\W*(?:if|when|whenever|after|before|once|where|unless|every|each|for (?:all|every|any|long|short)){END}
        {START}when(?:ever)? (?:i|you|we|the user|someone){END}|^(?:如果|若|当(?!前)|每|凡|遇到|碰到|只要|一旦|凡是)
        的时候
        """
    )
)

_JOB = r"(?:(?:current|the|this|my|our) ){0,3}" + words(
    """
    (?:sub-?)?task|run|job|workflow|pipeline|agent|build|migration|import|export|batch|crawl|upload|download|process
    plan
    thread|loop|session|conversation|execution|node|queue|worker|deployment|request|operation|todo|analysis|draft|script
    test run
    """
)
_NUMBER = r"(?:one|two|three|four|five|six|seven|eight|nine|ten)"
_UNIT = r"(?:step|stage|phase|iteration|batch|chunk|attempt|page|row|item|node|subtask|turn|file|record|chapter)"
_JOB_STANDS = words(
    rf"""
    (?:is|are|was|has|have|'s)\s+(?:now |currently |still |just |already )*(?:at|on|in|running|waiting|paused|blocked
    & |queued|pending)
    (?:is|are|was|has|have|'s)\s+(?:now |currently |still |just |already )*(?:stuck|retrying|halfway|done with
    & |finished|completed)
    (?:is|are|was|has|have|'s)\s+(?:now |currently |still |just |already )*(?:reached|processed|being|failing|resumed
    & |\d|\w+ percent)
    (?:is|are|was|has|have|'s)\s+(?:{_NUMBER}|several|no|some)\s+(?:open|unresolved|pending|remaining|comments?
    & |errors?|steps?)
    (?:paused|resumed|stopped|failed|stalled|waiting|queued|reached|crashed) (?:at|after|on|for|in|step|stage|phase)
    """
)
_ZH_N = r"[一二两三四五六七八九十百\d]{1,8}"
_ZH_JOB = words(
    """
    任务|流程|步骤|作业|运行|工作流|子任务|会话|对话|线程|草稿|批次|脚本|构建|执行|进程|节点|迁移|导入|导出|分析|抓取
    上传|下载
    计划|测试|部署|智能体|编译
    """
)
_ZH_ORDINAL = rf"第\s*{_ZH_N}\s*(?:步|阶段|轮|批|章|节|个节点|页|条|项|次尝试|次重试|行|个文件|个任务)"
_RUN = re.compile(
    words(
        rf"""
        {START}{_JOB}\s*(?:#?\d+|[a-z]+[-_]?\d+)?{END}[^.!?;]{{0,30}}?{_JOB_STANDS}
        {START}(?:currently |now |still |just )?(?:at|on|finished|completed|reached|resum(?:e|ed|ing) (?:at|from)
        & |past)\s+{_UNIT}s?\s+#?(?:\d+|{_NUMBER}){END}
        {START}(?:starting|done with|working on|processing|executing|entering|continue with|continuing with
        & |retrying)\s+{_UNIT}s?\s+#?(?:\d+|{_NUMBER}){END}
        {START}{_UNIT}s?\s+#?\d+\s*(?:of|/|out of|to|-)\s*\d+{END}
        {START}{_UNIT}\s+#?\d+\s+(?:is |was |has )?(?:done|complete|completed|finished)
        {START}{_UNIT}\s+#?\d+\s+(?:is |was |has )?(?:running|failed|pending|in progress|started|succeeded|skipped){END}
        {START}(?:\d+|{_NUMBER}) of (?:\d+|{_NUMBER}) (?:sub)?(?:-)?(?:tasks?|steps?|files?|pages?|items?|records?
        & |batches)
        {START}(?:waiting|awaiting|pending|blocked|paused) (?:for|on|until)?\s*
        & (?:(?:the|a|an|user(?:'s)?|human|your|my|tool|their|reviewer(?:'s)?) ){{0,4}}(?:approval|confirmation
        & |input|response|reply
        & |callback|result|answer|upload|review|webhook|human|reviewer|user){END}
        {START}(?:retry count|checkpoint|cursor|next (?:step|action|node)|action id|idempotency key|current step
        & |progress)\s*(?:is|are|=|:|was|saved|at){END}
        {START}(?:tool call|approval|action|confirmation)s? pending{END}
        {START}pending (?:action|approval|tool call)s?\s*(?:is|are|=|:|was|saved|at){END}
        {START}(?:last (?:completed|tool) (?:step|call)|remaining steps?|open (?:comments?|todos?))\s*(?:is|are|=|:
        & |was){END}
        {START}(?:in|of) this (?:thread|run|session|conversation|chat|task){END}
        {START}so far (?:in|we|the (?:agent|task|run|conversation))
        {START}(?:thread|run|session|conversation|chat|task) (?:so far|has covered|covered|up to now)
        {START}\d+\s*(?:%|percent|of \d+) (?:done|complete|completed|processed|finished){END}
        {START}halfway through{END}|{START}(?:last|previous|latest) (?:tool )?call (?:returned|failed|timed out
        & |errored|succeeded)
        {START}(?:i am|i'm|we are|we're|agent is|still) waiting for{END}
        {START}(?:agent|run|task|flow) is (?:at|on|in) (?:node|step|stage)
        {START}{_JOB}\s*[a-z0-9]{{0,3}} (?:is|was) blocked by{END}
        {START}{_UNIT} \d+ (?:started|began|ended|finished) {END}
        {START}checkpoint (?:was )?(?:saved|written|created) (?:at|after|in){END}
        {START}(?:the )?user (?:has|have|did|is)(?: not|n't| yet)* (?:yet )?(?:answer|repli|reply|confirm|upload
        & |respond|approv|typing)\w*
        {_ZH_JOB}\s*[a-z]{{0,4}}-?\d*[^，。；\n]{{0,10}}?(?:走到|进行到|执行到|处理到|跑到|卡在|停在|写到|做到|到了?第
        & |处于|还剩|已完成第|完成了?\s*\d)
        {_ZH_JOB}\s*[a-z]{{0,4}}-?\d*[^，。；\n]{{0,10}}?(?:[还正]在(?:跑|运行|执行|进行|等|排队|队列)|已?(?:暂停|挂起
        & |中断|排队|恢复)(?![时后的]))
        {_ZH_JOB}\s*[a-z]{{0,4}}-?\d*[^，。；\n]{{0,10}}?(?:等待(?:审批|确认|回复|用户|结果|输入)|(?:失败|超时
        & |报错)了?[，,]\s*(?:已|正在|准备))
        (?:走到|进行到|执行到|处理到|完成到|跑到|停在|卡在|做到|写到|处理|目前[是在]|现在[是在]|到)\s*{_ZH_ORDINAL}
        第\s*{_ZH_N}\s*(?:步|阶段|轮|批|项)(?:已经?|刚)?(?:完成|做完|结束|失败|成功|执行完|跑完|在跑|进行中)
        (?:正在|目前在|还在|现在)(?:等待?|等着)[^，。；\n]{{0,8}}?(?:审批|确认|回复|结果|上传|输入|回调|返回|批准|用户)
        ^(?:等待|待)(?:审批|确认|用户|人工|回调|输入)[^，。；\n]{{0,6}}$
        待(?:执行|确认|审批|处理)的?(?:工具|操作|动作|调用|步骤)
        下一步(?:是|要|将|准备|：|:|为|调用|执行)|(?:检查点|断点|游标|进度)(?:是|在|为|：|:|保存|到|已)
        待办(?:还有|还剩|：|:)|未决
        (?<!最多)(?<!至多)(?<!不超过)(?:已重试|重试了|已尝试|尝试了|已经重试|已经尝试)\s*{_ZH_N}\s*次
        尚有\s*{_ZH_N}\s*[步项条]
        (?:本|该|这个|此)(?:线程|会话|对话|任务|轮)(?:里|中|内|的|有|还|已|目前)
        还剩\s*{_ZH_N}\s*(?:步|项任务|个步骤|个任务)
        (?:草稿|文档|评审)[^，。；\n]{{0,8}}?(?:还有|有)\s*{_ZH_N}\s*[条个处]\s*(?:未|待|评论|批注|意见)
        {_ZH_N}\s*个(?:子?任务|步骤|批次|文件|节点)[^，。；\n]{{0,6}}?(?:完成|做完|处理|剩)了?\s*{_ZH_N}
        {_ZH_JOB}[^，。；\n]{{0,10}}?(?:跑|做|执行|进行|完成|处理)了?(?:一半|大半|一部分|[\d一二三四五六七八九]+成|\d+%)
        {_ZH_JOB}[^，。；\n]{{0,6}}?被[^，。；\n]{{0,10}}?(?:阻塞|卡住|挂起|中断)
        {_ZH_ORDINAL}[^，。；\n]{{0,10}}?(?:开始|启动|结束)(?:了|$)
        (?:上一?次|最近一次|刚才的?)(?:工具)?(?:调用|请求|尝试)[^，。；\n]{{0,6}}?(?:报错|失败|超时|返回|成功)
        (?:当前|目前|现在|正)(?:在|处于)[^，。；\n]{{0,14}}?(?:节点|步骤|阶段)
        (?:我|我们|正|还)在等(?:待)?[^，。；\n]{{1,10}}$
        用户(?:还|尚)?(?:没有?|未)(?:回答|回复|确认|上传|批准|答复)
        """
    )
)
# A rule about runs is no run's state.
_RUN_RULE = re.compile(
    words(
        rf"""
        {START}(?:if|when|whenever|unless|should|must|always|never|every|each){END}
        ^\W*(?:until|once|before|after|while){END}
        如果|若(?!干)|(?<![应担相适恰])当(?![前天日])|一旦|每次|每当|凡|遇到|的时候|之?后[，,再就才]|必须|应当|应该
        (?<![当小暂临及同按随平实定顿])时(?![间区长段刻期代至差])
        """
    )
)


def is_one_off(prepared: str, *, bounded: bool = False) -> bool:
    """Only for this moment: it points at what is on the table now, or at today. `bounded`: it has its own end."""
    if _ONLY_ONCE.search(prepared):
        return True
    if _LASTING.search(prepared):
        return False
    parts = sentences(prepared)
    if any(_DEICTIC.search(part) for part in parts):
        return True
    if any(_ONE_SHOT.search(part) for part in parts if not _CONDITION.search(part)):
        return True
    return not bounded and bool(_SHORT_LIVED.search(prepared))


def is_run_state(prepared: str) -> bool:
    """Where a task, a run or a thread stands: the runtime's to keep, and stale a minute later."""
    return any(_RUN.search(part) for part in sentences(prepared) if not _RUN_RULE.search(part))

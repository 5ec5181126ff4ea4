"""Content rules: is a sentence meant for later, or only for this moment, this thread or this run?"""

from __future__ import annotations

import re

from memories.topics import sentences

_LASTING = re.compile(
    r"(?<![\w-])(?:from now on|from here on|going forward|in (?:the )?future|always|never|every time|each time|any time|"
    r"whenever|by default|default to|permanently|for good|next time|henceforth|as a rule|in general|generally|usually|"
    r"all (?:future|later|my|new|coming)|future|i (?:usually|generally|typically|prefer|like|tend)|my (?:habit|preference|default)|"
    r"until further notice|every (?:day|morning|evening|week|monday|tuesday|wednesday|thursday|friday|month|report|answer|"
    r"summary|reply|draft)|each (?:report|answer|summary|reply|draft)|long[- ]term|starting (?:today|now|tomorrow|next))(?![\w-])|"
    r"以后|今后|往后|之后的?(?=[^，。]{0,12}(?:都|统一|一律|用|改))|此后|从现在(?:起|开始)|从今(?:天)?(?:起|以后|往后)|从(?:下|这)[周月]起|"
    r"将来|未来|长期|永远|一直|始终|总是|每次|每回|每当|每天|每周|每月|凡是|一律|一概|默认|下次|下回|统一(?:用|采用|使用|写)|平时|"
    r"习惯|一贯|通常|向来|都这样|都要|都用"
)
_ONLY_ONCE = re.compile(
    r"(?<![\w-])(?:just|only) (?:this|for this|for the|for now|for today|this one|once)(?![\w-])|(?:this|the) (?:once|one time) only|"
    r"for this (?:\w+ )?only(?![\w-])|one[- ]off(?![\w-])|(?:仅|只|就)(?:此|这)(?:一)?(?:次|回|一份|篇)|下不为例"
)
_THING = (
    r"(?:answers?|response|reply|replies|message|paragraphs?|section|sentences?|table|chart|figure|image|picture|slide|page|"
    r"e-?mail|draft|report|document|doc|file|question|task|conversation|chat|thread|session|line|point|bullets?|list|summary|"
    r"example|translation|code|snippet|function|version|part|output|text|essay|article|letter|query|request|turn|step|result|"
    r"screenshot|attachment|link|spreadsheet|sheet|post|outline|diagram|plan|title|heading|proposal|script|one)"
)
_ZH_THING = (
    r"(?:回答|答案|回复|段落?|句话?|表格?|图表?|图片|问题|文件|文档|报告|例子|示例|函数|代码|草稿|版本|任务|对话|会话|邮件|列表|翻译|方案|文章|"
    r"内容|部分|页|张|份|篇|条|封|节|行|点|步|幅|稿|截图|附件|链接|标题|大纲|脚本|信|题|聊天|PPT|ppt|数据|结果|输出|流程图)"
)
_DEICTIC = re.compile(
    rf"(?<![\w-])(?:this time|this once|(?:in|for|with) (?:this|that|your (?:next|last)|the (?:next|current|previous)) {_THING}|"
    rf"(?:the|your|my) (?:previous|preceding|above|earlier|current|latest) (?:\w+ )?{_THING}|{_THING} above|the above|as above|"
    rf"(?:your|my) (?:next|last) {_THING}|(?:this|that|these|those) (?:\w+ )?{_THING}(?! (?:of|every))|you just (?:wrote|said|sent|gave|made)|"
    r"i just (?:sent|pasted|uploaded|wrote|said|asked|shared)|just now|a moment ago|earlier today|today only|"
    r"what (?:i|you) (?:just )?(?:said|wrote) (?:above|before|earlier))(?![\w-])|"
    rf"这一?次|这一?回|本次|此次|本轮|这一?轮|今次|眼下这|刚才|刚刚的?{_ZH_THING}|方才|上面(?:的|那|这|{_ZH_THING})|上文|上述|前面(?:的|那|这|{_ZH_THING})|"
    rf"下面(?:这|那)|这(?:一|几|两|三)?个?(?:{_ZH_THING})|那(?:一|几|两|三)?个?(?:{_ZH_THING})|上一?(?:条|段|句|版|张|封|个回答|个问题|轮|则)|"
    r"你刚|我刚|当前(?:回答|对话|会话|任务|问题|文档|页面)|本(?:对话|会话|任务|回答|文)(?![化明件档])"
)
_SHORT_LIVED = re.compile(
    r"(?<![\w-])(?:for now|for the moment|for the time being|right now|temporarily|today|tonight|tomorrow|"
    r"this (?:morning|afternoon|evening|week|weekend|month)|at the moment|in (?:five|ten|\d+) (?:minutes?|hours?))(?![\w'-])|"
    r"今天(?!气)|今晚|今早|今日|明天|明早|明晚|后天|暂时|临时|眼下|现在先|目前先|先这样|这会儿|这周|本周|这个月|待会儿?|等会儿?|一会儿|马上"
)
_EDIT = (
    r"(?:shorten|rewrite|rephrase|fix|delete|remove|expand|move|translate|trim|cut|merge|redo|undo|revert|regenerate|continue|"
    r"summari[sz]e|explain|polish|proofread|export|convert|replace|swap|reorder|rename|add|insert|change|make|turn|put|split|"
    r"simplify|update|correct|format|resend|save|download|print|open|close|attach|send|forward|copy|paste|try)"
)
_ONE_SHOT = re.compile(
    rf"^(?:please |now |ok(?:ay)?,? |can you |could you |would you |and |then |also |just |let's )*{_EDIT}\s+(?:it|this|that|these|those|them|"
    rf"again|(?:the )?(?:first|second|third|fourth|fifth|last|next|final|middle|opening|closing) (?:\w+ )?{_THING})(?![\w-])|"
    rf"^(?:请|把|那)?(?:删|去|改|缩|精简|合并|重写|翻译|展开|扩写|挪)[掉除去短]?[^，。]{{0,3}}?第[一二三四五六七八九十\d]+{_ZH_THING}|"
    r"^(?:please )?(?:continue|go on|carry on|try again|start over|keep going|one more|another one|stop)(?: please)?\W*$|"
    r"^(?:please )?(?:give|show|write|send) me (?:another|one more|two more|three more|a different|the next)(?![\w-])|"
    rf"(?:把|将|给)?第[一二三四五六七八九十\d]+{_ZH_THING}[^，。]{{0,8}}?(?:缩|删|改|重写|扩写|精简|合并|移|换|补充|翻译|展开|去掉|再|加|挪|调|短|长)|"
    r"^(?:请|麻烦|那|好|好的|嗯|现在|然后)?[，,]?(?:你)?再(?:来|给|写|说|讲|试|短|长|简|详|精|改|缩|加|补|列|举|解释|翻译|生成|检查)|"
    r"再(?:缩短|简短|精简|详细|具体|短|长|多|少|改|润色|正式|口语)[^，。]{0,4}?(?:一点|一些|点|些|一下|一遍|一版)|"
    r"^(?:请|麻烦你?|那|好|好的|现在)?(?:你)?(?:帮我|替我|给我)[^，。]{0,24}?(?:导出|发出去|订|查一下|改一下|翻译一下|总结一下|看一下|看看|写一?[封份篇个]|做一?[张份个]|"
    r"画一?[张个幅]|重写|改成|保存|打印|下载|上传|生成一)|"
    r"^(?:请|麻烦)?(?:继续|重来|重新(?:写|生成|来|回答|算)|接着(?:写|说|讲)|换个说法|换一[种个])[^，。]{0,6}[。.]?$"
)
_CONDITION = re.compile(
    r"^\W*(?:if|when|whenever|after|before|once|where|unless|every|each|for (?:all|every|any|long|short))(?![\w-])|"
    r"(?<![\w-])when(?:ever)? (?:i|you|we|the user|someone)(?![\w-])|^(?:如果|若|当(?!前)|每|凡|遇到|碰到|只要|一旦|凡是)|的时候"
)
_RUN = re.compile(
    r"(?<![\w-])(?:(?:current |the |this |my |our |sub)*?-?(?:task|sub-?task|run|job|workflow|pipeline|agent|build|migration|import|"
    r"export|batch|crawl|upload|download|process|plan|thread|loop|session|conversation|execution|node|queue|worker|deployment|"
    r"request|operation|todo|analysis|draft|script|test run)\s*(?:#?\d+|[a-z]+[-_]?\d+)?)[^.!?;]{0,30}?"
    r"(?:(?:is|are|was|has|have|'s)\s+(?:now |currently |still |just |already )*(?:at|on|in|running|waiting|paused|blocked|queued|pending|"
    r"stuck|retrying|halfway|done with|finished|completed|reached|processed|being|failing|resumed|\d|\w+ percent|(?:one|two|three|four|"
    r"five|six|seven|eight|nine|ten|several|no|some)\s+(?:open|unresolved|pending|remaining|comments?|errors?|steps?))|"
    r"(?:paused|resumed|stopped|failed|stalled|waiting|queued|reached|crashed) (?:at|after|on|for|in|step|stage|phase))|"
    r"(?<![\w-])(?:currently |now |still |just )?(?:at|on|finished|completed|reached|resum(?:e|ed|ing) (?:at|from)|starting|done with|"
    r"working on|processing|executing|entering|past)\s+(?:step|stage|phase|iteration|batch|chunk|attempt|page|row|item|node|subtask|turn)\s+"
    r"#?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)(?![\w-])|"
    r"(?<![\w-])(?:step|stage|phase|iteration|batch|chunk|attempt|subtask)\s+#?\d+\s*(?:of|/|out of)\s*\d+|"
    r"(?<![\w-])(?:step|stage|phase|subtask)\s+#?\d+\s+(?:is |was |has )?(?:done|complete|completed|finished|running|failed|pending|"
    r"in progress|started|succeeded|skipped)(?![\w-])|"
    r"(?<![\w-])(?:waiting|awaiting|pending|blocked|paused) (?:for|on)?\s*(?:the |a |an |user(?:'s)? |human |your |my |tool |their |reviewer(?:'s)? )*(?:approval|"
    r"confirmation|input|response|reply|callback|result|answer|upload|review|webhook|human)(?![\w-])|"
    r"(?<![\w-])(?:retry count|checkpoint|cursor|next (?:step|action|node)|pending (?:action|approval|tool call)s?|action id|"
    r"idempotency key|current step|progress|last (?:completed|tool) (?:step|call)|remaining steps?|open (?:comments?|todos?))"
    r"\s*(?:is|are|=|:|was|saved|at)(?![\w-])|"
    r"(?<![\w-])(?:in|of) this (?:thread|run|session|conversation|chat|task)(?![\w-])|"
    r"(?<![\w-])so far (?:in|we|the (?:agent|task|run|conversation))|(?<![\w-])\d+\s*(?:%|percent|of \d+) (?:done|complete|completed|processed|finished)(?![\w-])|"
    r"(?:当前|目前|本次|这个|该|现在|本)?(?:任务|流程|步骤|作业|运行|工作流|子任务|会话|对话|线程|草稿|批次|脚本|构建|执行|进程|节点|迁移|导入|导出|分析)"
    r"[^，。；\n]{0,10}?(?:走到|进行到|执行到|处理到|跑到|卡在|停在|写到|做到|到了?第|处于|还剩|已完成第|完成了?\s*\d|还在(?:跑|运行|执行|进行)|正在(?:跑|运行|执行|进行|等)|"
    r"已?(?:暂停|挂起|中断|排队|恢复)(?![时后的])|等待(?:审批|确认|回复|用户|结果|输入))|"
    r"(?:走到|进行到|执行到|处理到|完成到|跑到|停在|卡在|做到|写到|到)第\s*[一二三四五六七八九十\d]+\s*(?:步|阶段|轮|批|章|节|个节点|页|条|项)|"
    r"第\s*[一二三四五六七八九十\d]+\s*(?:步|阶段|轮|批)(?:已经?|刚)?(?:完成|做完|结束|失败|成功|执行完|跑完|在跑|进行中)|"
    r"(?:正在|目前在|还在|现在)(?:等待?|等着)[^，。；\n]{0,8}?(?:审批|确认|回复|结果|上传|输入|回调|返回|批准|用户)|"
    r"^(?:等待|待)(?:审批|确认|用户|人工|回调|输入)[^，。；\n]{0,6}$|"
    r"下一步(?:是|要|将|准备|：|:|为|调用|执行)|(?:重试|已重试|尝试)(?:了)?\s*[一二三四五六七八九十\d]+\s*次|(?:检查点|断点|游标|进度)(?:是|在|为|：|:|保存|到|已)|"
    r"(?:本|该|这个|此)(?:线程|会话|对话|任务|轮)(?:里|中|内|的|有|还|已|目前)|(?:草稿|文档|评审)[^，。；\n]{0,8}?(?:还有|有)\s*[一二三四五六七八九十\d]+\s*[条个处]\s*(?:未|待|评论|批注|意见)|"
    r"[一二两三四五六七八九十\d]+\s*个(?:子?任务|步骤|批次|文件|节点)[^，。；\n]{0,6}?(?:完成|做完|处理|剩)了?\s*[一二两三四五六七八九十\d]+|"
    r"待办(?:还有|还剩|：|:)|未决|尚有\s*[一二三四五六七八九十\d]+\s*(?:步|项|条)"
)
_RUN_RULE = re.compile(
    r"(?<![\w-])(?:if|when|whenever|unless|should|must|always|never|every|each)(?![\w-])|"
    r"^\W*(?:until|once|before|after|while)(?![\w-])|"
    r"如果|若(?!干)|(?<![应担相适恰])当(?![前天日])|一旦|每次|每当|凡|遇到|的时候|之?后[，,再就才]|"
    r"(?<![当小暂临及同按随平实定顿])时(?![间区长段刻期代至差])|必须|应当|应该"
)


def is_one_off(prepared: str, *, bounded: bool = False) -> bool:
    """Only for this moment: it points at what is on the table now, or at today. `bounded` = it has an end of its own."""
    if _ONLY_ONCE.search(prepared):
        return True
    if _LASTING.search(prepared):
        return False
    if _DEICTIC.search(prepared):
        return True
    if any(_ONE_SHOT.search(part) for part in sentences(prepared) if not _CONDITION.search(part)):
        return True
    return not bounded and bool(_SHORT_LIVED.search(prepared))


def is_run_state(prepared: str) -> bool:
    """Where a task, a run or a thread stands: the runtime's to keep, and stale a minute later."""
    return any(_RUN.search(part) for part in sentences(prepared) if not _RUN_RULE.search(part))

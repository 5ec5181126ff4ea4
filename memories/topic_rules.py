"""The vocabulary of `topics`: for every business topic, its things and the words for how they stand, in two languages.

A rule is built from a few word lists by one grammar per language, so that adding a topic means adding words.
Patterns are linear: gaps are short and bounded, and ASCII look-arounds stand where Chinese text would confuse \\b.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


def words(block: str) -> str:
    """Alternatives written over several lines, as one group; a line that begins with & goes on with the one before."""
    lines: list[str] = []
    for line in filter(None, map(str.strip, block.splitlines())):
        if line.startswith("& "):
            lines[-1] += line[2:]
        else:
            lines.append(line)
    return "(?:" + "|".join(lines) + ")"


@dataclass(frozen=True, slots=True)
class Probe:
    """One pattern, and what a sentence must hold for the pattern to be worth trying."""

    pattern: re.Pattern[str]
    needs: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Rule:
    """`exact` needs the number or name of one thing; `loose` also takes "my order". `unless` clears a sentence."""

    exact: tuple[Probe, ...]
    loose: tuple[Probe, ...]
    about: re.Pattern[str]
    unless: re.Pattern[str]


_HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[a-z]")


def _probes(*patterns: str, needs: str = "") -> tuple[Probe, ...]:
    """Patterns with Chinese words need a Chinese character, the others a letter, or one of the words given."""
    letter = re.compile(needs) if needs else _LATIN
    return tuple(Probe(re.compile(p), _HAN if _HAN.search(p) else letter) for p in patterns)


# --- English grammar: a thing of somebody or with a number, a link, a state ---
START, END = r"(?<![\w-])", r"(?![\w-])"
_ID = r"(?:(?:no\.?|number|nr\.?|id)\s*)?#?(?:[a-z]{0,6}[-_])?[a-z]{0,3}\d[\w-]*"
WHOSE = START + words(
    r"""
    the|my|our|his|her|their|its|this|that|these|those|both|all(?: of)?(?: my| our| the| their)?
    [a-z]+(?:'s|s')
    """
)
_ADVERB = words(
    """
    now|already|currently|still|just|not|n't|yet|fully|finally|all|been|being|again|officially|successfully|also|partly
    partially|marked|listed|shown|as|set|to|temporarily|permanently|recently|only|completely|both
    probably|likely|apparently|possibly|presumably|most likely|supposedly|reportedly
    """
)
_LINK = words(
    r"""
    \s+(?:is|are|was|were|has|have|had|got|gets|went|came|remains?|stays?|isn't|aren't|wasn't|weren't|hasn't|haven't)
    \s+(?:shows?|status(?:\s+is)?|will be|keeps? being|may be|might be|seems?(?: to be)?|appears?(?: to be)?)
    's|\s*[:=]
    """
)
_SETTLED = words(
    rf"""
    \s+(?:was|were|(?:has|have)(?: not)? been|got|(?:is|are) {_ADVERB})(?:\s+{_ADVERB})*\s+(?:STATES)
    \s+(?:is|are)\s+(?:STATES)(?=\W*$|,)|\s*:\s*(?:STATES)
    \s+(?:{_ADVERB}\s+)*(?:VERBS)
    """
)
_GAP = r"[^.!?;,]{0,60}?"
_STATES = words(
    """
    complete|completed|processed|being processed|pending|delayed|late|cancell?ed|in progress|on hold|under review|closed
    open|overdue|approved|rejected|denied|declined|confirmed|failed|issued|done|finished|received|through|stuck
    being (?:handled|reviewed|checked|prepared|worked on)|waiting for [^.!?;,]{0,24}|scheduled for [^.!?;,]{0,16}
    """
)
_VERBS = words(
    """
    expired|ended|lapsed|bounced|arrived|failed|cleared|came through|went through|fell through|shipped|passed|landed
    hasn't arrived|has arrived|never arrived|didn't arrive|did not arrive
    """
)
_BY_SOMEONE = r"\s+(?:my|our|his|her|their|the|[a-z]+'s)\s+(?:\w[\w'-]*\s+){0,2}?"
MONEY = words(
    r"[$€£¥]\s*\d|(?<![\d.,])\d[\d.,]{0,14}\s*(?:%|percent|per cent|usd|eur|gbp|rmb|cny|yuan|dollars?|euros?|pounds?|"
    r"cents?|bucks)"
)
SPAN = r"(?<!\d)\d{1,6}\s*(?:business |working |calendar )?(?:hours?|days?|weeks?|months?|years?|nights?)"

# --- Chinese grammar: a thing, a short gap, a mark that something has come about or stands so now ---
_ZH_GAP = r"[^，,。；;！!？?\n]{0,18}?"
_ZH_ID = r"\s*(?:编号|号|单号|为|是)?\s*[a-z]{0,6}[-_]?\d[\w-]*"
_ZH_DONE = (
    words(
        """
        已经|已|早已|均已|都已|刚刚|刚|现已|也已|昨天|昨晚|今天|前天|上周[一二三四五六日天]?|上个?月
        本周[一二三四五六日天]?
        周[一二三四五六日天]
        """
    )
    + r"(?:(?:被|给|经|由)[^，,。；;\n]{0,6}?|全部|成功|正式|全额|部分)?"
)
_ZH_NOT = r"(?:还没有|还没|没有|没|尚未|仍未|未|还未)(?:被)?"
_ZH_TAIL = r"(?:完成|成功|通过|完毕|结束|完|好|掉|过|了)*"
ZH_NUM = r"[\d一二两三四五六七八九十百千万亿半几][\d一二两三四五六七八九十百千万亿.,]{0,12}"
_ZH_UNIT = words(
    """
    元|块|美元|欧元|日元|英镑|人民币|刀|%|％|折|天|日|个?工作日|个月|年|小时|分钟|万|k|倍|个百分点|点|次|gb|g
    """
)
ZH_AMOUNT = rf"(?:(?:[¥￥$€£]\s*)?{ZH_NUM}\s*{_ZH_UNIT}|[¥￥$€£]\s*{ZH_NUM}|百分之{ZH_NUM})"
_ZH_STATUS = r"(?:当前|目前|现在|最新)?的?状态(?:现在|目前|已经?)?(?:是|为|变|显示|：|:)"


def _english(things: str, states: str, verbs: str) -> tuple[str, str, str, str]:
    states, verbs = f"{states}|{_STATES}", f"{verbs}|{_VERBS}"
    after = rf"(?:{_LINK}(?:\s+{_ADVERB})*\s+(?:{states})|\s+(?:{_ADVERB}\s+)*(?:{verbs})){END}"
    settled = _SETTLED.replace("STATES", states).replace("VERBS", verbs)
    told = rf"[\s:,-]+(?:{_ADVERB}\s+)*(?:{states}){END}"
    exact = rf"{START}{things}\s*{_ID}(?:{_GAP}{after}|{told})"
    loose = rf"{WHOSE}\s+(?:\w[\w'-]*\s+){{0,3}}?{things}{END}{_GAP}{after}"
    bare = rf"^\W*(?P<bare>{things}){END}(?:{_GAP}{settled}{END}|\s+(?:{_ADVERB}\s+)*(?:{states})(?=\W*$|\s*[,;]))"
    return exact, loose, bare, rf"{_BY_SOMEONE}{things}{END}"


def _chinese(things: str, done: str, going: str, waiting: str, more: str) -> tuple[str, str, str, str]:
    states = words(
        rf"""
        {_ZH_DONE}{done}|{_ZH_NOT}{done}|{done}(?:完|好|掉|过|清|下来|成功)?了|(?:被|遭|由)[^，,。；;\n]{{0,6}}?{done}
        (?:正在|还在|仍在|在){going}|{going}(?:之)?中|(?:待|等待|等着|等)[^，,。；;\n]{{0,6}}?{waiting}
        {more}|{_ZH_STATUS}
        """
    )
    acted = rf"{done}(?:完|好|掉)?了(?:我|他|她|客户|用户|公司|我们|这|那)?[^，,。；;\n]{{0,6}}?{things}"
    numbered = rf"{things}{_ZH_ID}[^，,。；;\n]{{0,8}}?{done}{_ZH_TAIL}(?=$|[，,。；\s])"
    return rf"{things}{_ZH_ID}{_ZH_GAP}{states}{_ZH_TAIL}", numbered, rf"{things}{_ZH_GAP}{states}{_ZH_TAIL}", acted


def _rule(
    *,
    things: str,
    states: str,
    did: str,
    clear: str,
    zh_clear: str,
    zh_things: str,
    zh_done: str,
    zh_going: str,
    zh_waiting: str,
    about: str,
    verbs: str = r"(?!)",
    zh_more: str = r"(?!)",
    exact: Iterable[str] = (),
    loose: Iterable[str] = (),
    unless: str = r"(?!)",
) -> Rule:
    exact_en, loose_en, bare_en, by_someone = _english(words(things), words(states), words(verbs))
    exact_zh, numbered_zh, loose_zh, acted_zh = _chinese(
        words(zh_things), words(zh_done), words(zh_going), words(zh_waiting), words(zh_more)
    )
    acted_en = rf"{START}{words(did)}{by_someone}"
    clear_en = rf"{WHOSE}\s+(?:\w[\w'-]*\s+){{0,4}}?\w[\w'-]*{_LINK}(?:\s+{_ADVERB})*\s+{words(clear)}{END}"
    clear_zh = rf'(?<!"){_ZH_DONE}{words(zh_clear)}{_ZH_TAIL}|(?:被|遭)[^，,。；;\n]{{0,6}}?{words(zh_clear)}了?'
    stated = rf"{START}(?:{words(states)}|{_STATES}|{words(verbs)}|{_VERBS}){END}"
    return Rule(
        exact=(*_probes(exact_en, needs=stated), *_probes(exact_zh, numbered_zh, *exact)),
        loose=(
            *_probes(loose_en, bare_en, needs=stated),
            *_probes(clear_en, needs=rf"{START}{words(clear)}{END}"),
            *_probes(acted_en, loose_zh, acted_zh, clear_zh, *loose),
        ),
        about=re.compile(words(about)),
        unless=re.compile(unless),
    )


_TIERS = words(
    """
    free|basic|pro|plus|premium|enterprise|business|team|starter|standard|gold|silver|bronze|platinum|diamond|vip|family
    student|annual|monthly|trial|paid|professional|ultimate|elite
    """
)
_ZH_TIERS = words(
    r"""
    金卡|银卡|白金卡?|铂金|黄金|白银|钻石|黑卡|普卡|至尊|尊享|s?vip\s*\d*|超级会员|专业版|企业版|旗舰版|基础版|免费版
    试用版
    标准版|高级版|家庭版|商务版|商业版|团队版|个人版|学生版|年费|包年|包月|pro|plus|premium
    """
)
_RULE_NOUN = words(
    """
    refund|returns?|travel|expenses?|reimbursement|shipping|delivery|cancell?ation|vacation|leave|pricing|warranty
    payment
    discount|overtime|insurance|tax|interest|exchange|exchange rate|late|membership|subscription|parking|meal|hotel
    lodging
    mileage|daily|price match|loyalty|pet|baggage|luggage|sick|parental|home office|remote work|data retention
    """
)
_RULE_WORD = words(
    """
    policy|policies|rules?|window|period|limit|cap|terms|allowance|per diem|standard|rate|fees?|prices?|discount|tariff
    deadline|entitlement|threshold
    """
)
_RULE_VERB = words(
    """
    is|are|allows?|permits?|covers?|costs?|grants?|gives?|says?|states?|requires?|caps|runs|lasts|applies|of|stands at
    has changed|changed|went up|went down|rose|fell|dropped|was raised|was cut|increased|starts at|has been
    """
)
_ZH_RULE = words(
    """
    退款|退货|退换货?|换货|差旅|出差|住宿|报销|餐补|餐饮|交通|加班|年假|病假|产假|调休|打车|会员|订阅|套餐|运费|配送
    保修|质保
    取消|违约|付款|账期|优惠|折扣|补贴|补助|提成|佣金|赔付|理赔|开票|税收|差标|酒店|通讯|社保|公积金|停车|远程办公
    居家办公
    """
)
_ZH_SET = words(
    r"""
    是|为|允许|规定|支持|可以|可|改成|改为|涨到|降到|调整[为到]|[上下]调(?:了|到|至|为)?|提高[到至]|降低[到至]
    升[到至]|不超过
    最多|每|：|:|涨了|降了|有|给
    """
)

RULES: dict[str, Rule] = {
    "refund": _rule(
        things="refunds?|chargebacks?|reimbursements?|return requests?",
        states="refunded|paid(?: out)?|initiated|on (?:its|the) way|credited",
        did="issued|approved|rejected|denied|declined|processed|received|got|cancell?ed",
        clear="refunded|reimbursed",
        zh_clear="退款|退费|全额退|赔付|理赔",
        zh_things="退款|退货款|返款|退费|退回款|赔款",
        zh_done="到账|完成|到|退回|成功|通过|批准|驳回|拒绝|处理|受理|办理|打回|发放|关闭|取消|失败|退|收到",
        zh_going="处理|审核|办理|退回|途",
        zh_waiting="处理|审核|到账|财务|批准",
        about="refund|chargeback|reimburs|退款|退费|返款",
        exact=[
            rf"{START}(?:order|ticket|case|invoice|booking|purchase)\s*{_ID}{_GAP}{START}refunded{END}",
            rf"(?:订单|工单|单子|发票)\s*{_ZH_ID}{_ZH_GAP}(?:{_ZH_DONE}|{_ZH_NOT})退(?:款|费|货)",
        ],
        loose=[
            rf"{WHOSE}\s+(?:\w[\w'-]*\s+){{0,3}}?(?:order|ticket|case|purchase|booking|deposit|money|"
            rf"payment){END}{_GAP}"
            rf"{START}refunded",
            rf"{START}(?:has|have|was|were|been|got)(?: already| fully| partly)? refunded{END}",
            rf'(?<!"){_ZH_DONE}退(?:款|费)(?:到账|{_ZH_TAIL})',
        ],
    ),
    "shipping": _rule(
        things="""
        packages?|parcels?|shipments?|delivery|deliveries|consignments?|couriers?|goods|tracking|replacements?
        """,
        states=r"""
        shipped|delivered|dispatched|in transit|out for delivery|lost|returned to sender|signed for|picked up|en route
        (?:at|in|held (?:at|by)) customs|on (?:its|the) way|left the warehouse|arriving|arrived|delayed in transit
        sent out|awaiting (?:pickup|collection)|ready for (?:pickup|collection)
        """,
        verbs="left the warehouse|got lost|was returned|arrives|is due|will arrive|is expected|comes on",
        did="lost|delivered|picked up|shipped|dispatched|returned|collected|received|sent out",
        clear="shipped|delivered|dispatched|out for delivery|in transit|held at customs",
        zh_clear="签收|发货|妥投|揽收|派送|寄出|送达|清关|到货",
        zh_things="快递|包裹|物流|货物|快件|运单|邮包|货|外卖|补发件|配送|发货",
        zh_done="""
        签收|发货|发出|寄出|送达|到达|揽收|揽件|派送|出库|妥投|退回|丢失|丢|到货|到|取走|取件|清关|寄到|送到|投递|拒收
        延迟|延误|推迟|寄
        """,
        zh_going="运输|派送|配送|清关|路上|途|揽收|派件|中转",
        zh_waiting="发货|揽收|取件|派送|签收|清关",
        zh_more=r"""
        (?:在|卡在|停在|到达?)[^，。；\n]{0,8}?(?:路上|途中|海关|中转|网点|驿站|分拨|仓)
        预计[^，。；\n]{0,12}?(?:到|送达|派送)|(?:周[一二三四五六日天]|今天|明天|后天
        & |[\d一二三四五六七八九十]+[日号])(?:上午|下午|晚上)?(?:会|能)?到
        """,
        about=r"""
        packages?(?! manager)|parcel|shipment|shipping|deliver(?:y|ed)|courier|tracking|where is my order|快递|包裹|物流
        发货|签收|运单|到货
        """,
        exact=[rf"(?:运单|快递|包裹|快件|订单)\s*{_ZH_ID}[^，。；\n]{{0,6}}?(?:到达|抵达|离开|发往)"],
        loose=[
            rf'(?<!"){_ZH_DONE}(?:签收|发货|妥投|揽收|派送|发出|寄出|出货){_ZH_TAIL}',
            r"(?:正在|还在|仍在)(?:派送|配送|运输|揽收|派件|清关)",
            rf"{WHOSE}\s+(?:\w[\w'-]*\s+){{0,3}}?(?:orders?|items?|phone|laptop|card|letter|passport){END}{_GAP}"
            rf"(?:{_LINK}(?:\s+{_ADVERB})*\s+(?:shipped|delivered|dispatched|lost|en route|at customs|arriving)"
            rf"|\s+(?:is on (?:its|the) way|hasn't arrived|never arrived|didn't arrive|arrived|shipped)){END}",
            r"(?:没|还没|尚未|未)(?:寄到|送到|签收|收到货)",
        ],
    ),
    "ticket": _rule(
        things="""
        tickets?|incidents?|support (?:cases?|requests?)|cases?|issues?|bugs?|jira|service requests?|defects?|alerts?
        complaints?
        """,
        states=r"""
        opened|resolved|unresolved|reopened|assigned(?: to)?|unassigned|escalated|waiting|blocked|fixed|handled by
        owned by
        p[0-4]|triaged|solved|with \w+|(?:high|low|medium|top) priority
        """,
        did="closed|reopened|resolved|escalated|assigned|fixed|opened|filed",
        clear="escalated|reopened|resolved|assigned to",
        zh_clear="转派|结案|关单|派单|受理",
        zh_things="工单|故障单|缺陷|bug|事件单?|案件|issue|ticket|服务单|投诉单|投诉|告警|报障",
        zh_done="""
        关闭|解决|处理|受理|升级|转派|分配|指派|挂起|完结|修复|重开|关单|结案|关|转给|转|派给|超时|响应|撤销|完成|回复
        """,
        zh_going="处理|排查|跟进|修复|调查|等待",
        zh_waiting="处理|分配|受理|关闭|指派|回复|验证",
        zh_more="(?:当前|目前|现在)?的?(?:处理人|负责人|经办人|优先级|受理人|跟进人|责任人|进度)(?:现在|目前)?(?:是|"
        "为|变|：|:)",
        about=r"""
        ticket|incident|support case|(?:bug|issue|jira) (?:status|\d)|status of (?:the )?(?:bug|issue|case)|工单|故障单
        缺陷单|投诉单|服务单
        """,
        exact=[
            rf"{START}[a-z]{{2,8}}-\d{{2,}}{END}{_GAP}{_LINK}(?:\s+{_ADVERB})*\s+(?:open|closed|resolved|reopened|"
            rf"assigned|"
            rf"escalated|in progress|on hold|blocked|fixed){END}",
            rf"(?<![a-z0-9-])[a-z]{{2,8}}-\d{{2,}}{END}{_ZH_GAP}(?:{_ZH_DONE}(?:关闭|解决|处理|升级|修复|转派)|处理中)",
        ],
    ),
    "approval": _rule(
        things="""
        purchase orders?|pos?|contracts?|requests?|applications?|leave|expenses?|expense (?:reports?|claims?)|budgets?
        proposals?|quotes?|quotations?|claims?|loans?|permits?|visas?|change requests?|pull requests?|merge requests?
        prs?
        mrs?|vacation|time off|trip|agreements?|deals?|registration|requisitions?|offers?|nda|tender|bids?|sign-?off
        approval|release|deployment|headcount|promotion|transfer|invoice|design|plan|account opening|waivers?
        """,
        states="""
        signed(?: off)?|unsigned|countersigned|cleared|greenlit|granted|accepted|authori[sz]ed|pre-?approved|withdrawn
        (?:pending|awaiting|under|in) (?:approval|review|sign-?off|signature|legal|finance)|unapproved|ratified
        terminated
        expired|in force|effective|finali[sz]ed
        """,
        did="approved|rejected|declined|denied|signed(?: off(?: on)?)?|countersigned|granted|cleared|turned down|"
        "greenlit",
        clear="approved|rejected|declined|denied|signed off|countersigned|greenlit|turned down",
        zh_clear="审批|批准|批复|批|驳回|否决|签署|盖章|获批|审核|立项|备案|拒绝|拒",
        zh_things="""
        合同|采购单|采购申请|采购|申请单?|申诉|的假|房贷|车贷|审批单?|报销单?|请假单?|假期|休假|年假|预算|方案|报价单?
        立项|用印|协议|标书|变更单?
        贷款|开户|单子|流程|需求单|转正|离职|入职|签证|许可|备案|投标|招标|付款单|借款|提案|调岗|加薪|合约|护照
        """,
        zh_done="""
        审批|批准|通过|批复|批|签署|签字|签订|签|盖章|驳回|拒绝|否决|撤回|生效|到期|终止|过期|审核|提交|获批|备案|归档
        核准|同意
        作废|办理|办|打回|退回|批到|接受
        """,
        zh_going="审批|审核|流转|会签|走流程|评审|法务审|办理|处理",
        zh_waiting="审批|审核|签字|批准|盖章|会签|批|批复|法务",
        zh_more=r"""
        [\d月日号年底初]\s*(?:终止|生效|失效|到期)|(?:审批|审核|评审|复核)(?:已经?)?(?:通过|过)了?|(?:批|签)下来
        获(?:得)?批(?:准)?|(?:审|批)完了?|没(?:有)?批
        """,
        about="approv|purchase order|sign(?:ed)? off|contract (?:status|signed)|is .*contract .*signed|审批|批准|获批|"
        "签署|合同|报销|用印",
    ),
    "permission": _rule(
        things="access|permissions?|roles?|rights|privileges?|clearance|admin rights|admin access",
        states=r"""
        granted|revoked|removed|active|expired|read-?only|admin|owner|editor|viewer|enabled|disabled|suspended|upgraded
        downgraded|full|limited to \w+|super ?user|administrator
        """,
        did="granted|revoked|removed|lost|gained|got",
        clear="granted access|given access|stripped of",
        zh_clear="授权|授予|提权|降权",
        zh_things="权限|角色|访问权|授权",
        zh_done="开通|授予|收回|撤销|回收|升级|降级|变更|生效|失效|过期|批准|下放|移除|取消|获得|赋予|下来",
        zh_going="申请|审批",
        zh_waiting="开通|审批|授权",
        zh_more=r"""
        (?:现在|目前|当前)?(?:是|为|变成|升为)[^，,。；;\n]{0,18}?(?:管理员|只读|可写|编辑|所有者|超级用户|审批人
        & |owner|admin)
        """,
        about=r"""
        permission|access rights?|(?:have|has|get|got) access|admin rights|my role|privileges?
        allowed to (?:access|export|approve)|权限|角色|访问权|授权
        """,
        exact=[
            rf"{START}(?:user|account|member|employee)\s+{_ID}\s+(?:now |currently |already |also |still )?(?:has|"
            rf"holds|had|got|"
            rf"owns|lacks|can|may|is allowed|is authori[sz]ed|was granted|is (?:an? )?(?:admin|owner|editor|"
            rf"viewer)){END}",
            r"(?:用户|账号|成员|员工)\s*[a-z]{0,6}[-_]?\d[\w-]*\s*(?:现在|目前)?(?:可以|能|有权|不能|"
            r"无权)(?:直接)?(?:删除|导出|查看|访问|编辑|审批|修改|下载|发布)",
            r"(?:用户|账号|成员|员工)\s*[a-z]{0,6}[-_]?\d[\w-]*[^，。；\n]{0,8}?(?:拥有|具有|具备|享有|持有|有|没有|"
            r"可以|能|被授予|是)"
            r"[^，。；\n]{0,14}?(?:权限|管理员|访问权|角色|权)",
        ],
        loose=[
            START
            + words(
                """
                have|has|had|holds?|gained|lost|lacks?|received|retains?|owns?|got
                (?:was|were|been|am|is|are) (?:now |already )?(?:granted|given|assigned)
                """
            )
            + rf"{END}(?:\s+\w[\w'-]*){{0,4}}?\s+(?:access|permissions?|rights|privileges?|clearance|role)"
            + rf"(?:\s+(?:to|on|in|for|over)(?! (?:an?|my|some|any|no|our) ){END}|\W*$|\s*[,;])",
            START
            + words(
                """
                i|we|he|she|they|\\w+ account|my account|the user
                """
            )
            + r"\s*(?:'m|am|is|are|was|were|'ve been|have been|has been|became)?\s*(?:now |currently |already |made |"
            r"appointed |also )*"
            + r"(?:an? |the )?(?:admin|administrator|owner|super ?user|root|editor|approver)\s+(?:of|on|in|for)\s+"
            + r"(?:the |this |our |every |all |\w+ )?(?:[\w-]+ )?"
            + words(
                """
                workspace|tenant|project|system|repo|repository|console|account|org|organi[sz]ation|crm|erp|database
                cluster
                dashboard|environment|channel|group
                """
            )
            + r"s?(?![\w-])",
            rf"{START}(?:i|we|he|she|they|the user|customer)\s*(?:'m|am|is|are|was)\s+(?:now |currently |already |"
            rf"not )*(?:allowed|"
            r"authori[sz]ed|permitted|cleared) to (?:access|export|approve|delete|view|read|edit|deploy|sign|use|"
            r"write|transfer|"
            rf"release|modify|manage){END}",
            rf"{START}(?!you )(?:i|he|she|they|[a-z]+) can (?:now |also |always |still )?(?:approve|authori[sz]e|"
            rf"sign off(?: on)?|grant|release) "
            r"[^.!?;]{0,20}?(?:payments?|refunds?|requests?|orders?|invoices?|expenses?|access|leave|purchases?|"
            r"transfers?|"
            rf"contracts?|releases?|discounts?|up to|above|over){END}",
            r"(?:我|他|她|小\w|老\w|经理|主管|[\u4e00-\u9fff]{2,3})(?:现在|目前)?(?:可以|能|有权)(?:直接)?(?:审批|"
            r"批准|授权|放行)[^，。；\n]{0,12}?"
            r"(?:付款|退款|订单|申请|合同|报销|采购|请假|转账|发布)",
            r"(?:拥有|具有|具备|享有|持有|获得了?|被授予了?|授予了?|开通了?|失去了?|没有|取得了?|"
            r"有)(?![无没])[^，。；、\n]{0,14}?"
            r"(?:权限|访问权|管理权|审批权|管理员(?:权限|角色|身份))",
            r"(?:用户|账号|我|他|她)在?[^，。；你\n]{0,10}?(?:系统|后台|平台|crm|erp|空间|仓库)(?:里|中|"
            r"上)?[^，。；你\n]{0,6}?是"
            r"[^，。；\n]{0,8}?(?:角色|权限组)",
            r"(?:用户|账号|我|他|她)(?:现在|目前|已经)?(?:是|成为|成了)[^，。；\n]{0,8}?(?:系统|租户|平台|后台|空间|"
            r"仓库|超级|工作区|"
            r"组织)的?管理员",
        ],
    ),
    "payment": _rule(
        things="""
        payments?|invoices?|bills?|deposits?|instal?lments?|transfers?|charges?|salary|salaries|rent|wages?|bonus|fees?
        transactions?|down payment|tuition|premium|debt|fine|receivables?|mortgage
        """,
        states="""
        paid|unpaid|past due|settled|due|cleared|outstanding|bounced|collected|written off|credited|charged|remitted
        wired
        posted|reversed|voided|sent|in arrears|refunded|returned
        """,
        did="paid|settled|received|transferred|wired|collected|sent",
        clear="paid(?! off)|unpaid|overdue|invoiced|settled|past due|paid off|wired",
        zh_clear="付款|付清|支付|到账|结清|缴费|缴纳|开票|入账|打款|还清|报销|扣款|退还|逾期",
        zh_things="""
        账单|发票|款项|货款|尾款|定金|押金|工资|房租|付款|回款|保证金|首付|欠款|分期|薪水|奖金|学费|汇款|转账|费用
        水电费|保费
        贷款|罚款|订金|年终奖|津贴|红包|电汇|打款|款
        """,
        zh_done="""
        付清|付款|付|支付|到账|结清|开具|开票|开出|缴清|缴纳|缴|收到|收款|逾期|打款|入账|还清|还款|汇出|扣款|核销|扣除
        退回|退还
        退|发放|发|结算|交清|交|还
        """,
        zh_going="处理|结算|支付|对账",
        zh_waiting="支付|付款|结算|开票|打款|收款|缴费|核销",
        zh_more=rf"(?:还有|还剩|还欠|剩余|共计?|总计|合计|是|为|：|:)\s*(?:人民币|约|大约|共)?\s*{ZH_AMOUNT}|逾期",
        about=r"""
        balance|payment|invoice|(?:i|we|they|he|she) owe|amount due|paid|bill(?:ing)?(?: status)?|余额|付款|发票|账单
        欠款|到账
        尾款|还款|工资
        """,
        loose=[
            START
            + words(
                """
                account|card|wallet|bank|gift card|prepaid|credit|outstanding|current|available|my|our|his|her|their|the
                remaining|loan|checking|savings
                """
            )
            + rf"\s+balance{END}[^.!?;]{{0,40}}?(?:is|are|was|stands at|of|has|:|=|dropped to|went)[^.!?;]{{0,20}}?"
            + r"(?:\d|zero|negative|empty|overdrawn|positive)",
            rf"{START}(?:i|we|he|she|they|customer|client|user|the \w+)\s+(?:still |now |"
            rf"currently )?owes?{END}[^.!?;]{{0,30}}?\d",
            rf"{START}(?:have|has|had|hasn't|haven't)\s+(?:not |already |just |never |fully |only |"
            rf"still not )*(?:paid|settled|"
            rf"transferred|wired|remitted){END}",
            rf"{MONEY}[^.!?;]{{0,20}}?(?:left|remaining|available|in (?:my|the|his|her|our|their) (?:account|wallet|"
            rf"bank))",
            rf"{START}(?:credit limit|amount due|outstanding amount|total due|arrears)[^.!?;]{{0,20}}?(?:is|of|:|"
            rf"=)\s*{MONEY}",
            r"(?:余额|存款|信用额度|授信额度|欠款|欠费)[^，。；\n]{0,10}?(?:还有|还剩|剩余|剩|只有|是|为|有|共|不足|"
            r"：|:|\s)"
            rf"\s*(?:约|大约|人民币)?\s*(?:[¥￥$€£]?\s*{ZH_NUM}|零)",
            rf"(?:账户|账号|卡|钱包|账)(?:里|上|内|中)[^，。；\n]{{0,8}}?{ZH_AMOUNT}",
            rf"(?:我|他|她|客户|对方|公司|用户)(?:们)?(?:还|仍|总共|一共)?欠[^，。；\n]{{0,8}}?{ZH_AMOUNT}",
        ],
    ),
    "inventory": _rule(
        things="stock|inventory|skus?|items?|products?|articles?|models?|sizes?|warehouse|shelf|supplies",
        states="""
        low|empty|full|gone|depleted|available|unavailable|out of stock|in stock|sold out|back in stock|on back-?order
        back-?ordered|discontinued|restocked|exhausted|running low|zero
        """,
        did="restocked|sold out of|used up",
        clear="out of stock|sold out|back in stock|restocked|back-?ordered",
        zh_clear="售罄|缺货|断货|补货|卖光|卖完|下架",
        zh_things="库存|存货|现货|余货",
        zh_done="""
        补货|补齐|清空|下架|上架|用完|卖完|卖光|售罄|见底|清零|到位|告急|补足|清|调拨|盘点|断|缺
        """,
        zh_going="补货|调拨|盘点",
        zh_waiting="补货|入库|调拨",
        zh_more=rf"""
        (?:只|还|仅|现在|目前|现|大约|约)*(?:剩下?|有|为|是|余|：|:)\s*(?:约|大约)?\s*{ZH_NUM}
        不足|告急|充足|充裕|紧张|见底|清零|为零|不够|够用|偏低
        """,
        about=r"""
        (?:in|out of) stock|stock (?:level|status|left)|inventory|sku|how many .*(?:left|available)|库存|存货|现货
        有货|缺货|售罄
        还剩.*件
        """,
        loose=[
            rf"(?:{START}(?:is|are|was|were|currently|now|still|back|already)|'s|"
            rf"'re)\s+(?:\w+\s+){{0,2}}?(?:out of stock|in stock|"
            rf"sold out|on back-?order|back-?ordered){END}",
            rf"{START}(?:ran|run|running|are|is|be) (?:out|low|short) (?:of|on) (?:stock|(?:the|our) [\w-]+)",
            rf"{START}(?:warehouse|store|shop|supplier|depot|shelf)s? (?:is|are|ran|was) (?:now |"
            rf"currently )?(?:out of|low on|short of) ",
            rf"{START}\d[\d,]{{0,12}}\s+(?:[\w-]+\s+){{0,2}}?(?:units?|pieces?|pcs|boxes|items?|cartons?|pallets?|"
            rf"bottles?|copies)\s+"
            rf"(?:are |is )?(?:left|remaining|in stock|available|on hand|in the warehouse){END}",
            rf"{START}(?:have|has|got|with) (?:no|zero|only|plenty of|enough|\d+) [^.!?;,]{{0,30}}?(?:in stock|"
            rf"on hand|in the warehouse){END}",
            rf"{START}(?:only|just)\s+\d[\d,]{{0,12}}\s+(?:[\w-]+\s+){{0,3}}?(?:left in|remain in|in stock|"
            rf"in the warehouse)",
            rf"{START}(?:stock|inventory)(?: level| count)?[^.!?;]{{0,30}}?(?:is|of|stands at|:|=|at|"
            rf"down to)\s*(?:now |only )?\d",
            rf"(?:只剩|仅剩|还剩|剩余|剩下|还有|仅有)[下了]?\s*(?:大?约)?\s*{ZH_NUM}\s*(?:件|台|箱|套|瓶|盒|双|吨|"
            rf"公斤|斤|辆|部|桶|袋|匹|只|支|把|张桌|块表)",
            r"(?:没有?|无|暂无|还有)现货|(?:没|无)货(?!币)",
            r"(?:已经?|又|目前|现在|暂时|全部|都|全线)(?:缺货|断货|售罄|有货|无货|没货|补货|卖完|卖光)|"
            r"(?:断货|缺货|售罄|补货|卖完|卖光|没货|有货)了",
        ],
    ),
    "entitlement": _rule(
        things="""
        subscriptions?|memberships?|licen[cs]es?|trials?|warranty|warranties|coverage|insurance|support contract|seats?
        maintenance|renewal|tier|loyalty status|pass|service plan|data plan
        """,
        states=rf"""
        active|inactive|expired|suspended|renewed|lapsed|paused|valid|upgraded|downgraded|over|ended|ending|paid
        terminated
        up for renewal|void|expiring|{_TIERS}|on (?:the |an? )?{_TIERS}
        """,
        verbs=r"""
        expires?|ends?|renews?|runs? (?:out|until|through)|lapses?|lasts until|is (?:good|valid) until
        """,
        did="renewed|cancell?ed|upgraded|downgraded|bought|extended|paused",
        clear="renewed|expired|up for renewal|valid (?:until|till|through)[^.!?;]{2,}",
        zh_clear="过期|到期|续费|续订|退订|续保|失效",
        zh_things="会员|套餐|订阅|许可证?|保修|质保|试用期?|授权|合约|续费|年费|服务期|vip|等级",
        zh_done="""
        过期|到期|升级|开通|续费|失效|激活|取消|退订|终止|暂停|降级|续订|生效|冻结|用完|延期|续|停用|解约|升到|降到
        升为|降为
        """,
        zh_going="续费|试用|生效",
        zh_waiting="续费|激活|开通",
        zh_more=rf"""
        (?:[\d月日号年]|今天|明天|后天|下?周[一二三四五六日天]?|下个?月|年底|月底|今年|明年)\s*(?:就|将|会)?(?:到期
        & |过期|失效|截止|续费|结束)
        (?:到|至|截至|截止)[^，。；\n]{{1,12}}?(?:到期|为止|截止|结束|失效)|有效期?(?:到|至|为|是|还有|：|:)
        (?:等级|级别|类型|身份|档位|套餐)?(?:现在|目前|当前|已经)?(?:是|为|升到|升至|升级到|升级为|降为|降到|：
        & |:){_ZH_GAP}{_ZH_TIERS}
        """,
        about=r"""
        subscription|membership|my (?:plan|tier|licen[cs]e)|warranty|trial (?:end|expire)|会员|套餐|订阅|保修|到期
        试用期|vip
        """,
        loose=[
            rf"(?:{START}(?:is|am|are|was|now|still)|'m|'s|'re)\s+(?:\w+\s+){{0,2}}?on\s+(?:the|an?|our|your|my|"
            rf"their)\s+{_TIERS}"
            rf"(?:\s+[\w-]+)?\s*(?:plan|tier|subscription|package){END}",
            rf"(?:{START}(?:is|am|are|was|remains?|(?:me|him|her|us|them|my \w+) as)|'m|'s|'re)\s+(?:now |currently |"
            rf"already |still |also )*(?:an? |the )?{_TIERS}\s*"
            rf"(?:level |tier |status )?(?:member|customer|subscriber|account holder|card ?holder|tier|status|"
            rf"plan){END}",
            rf"{START}(?:expires?|renews?|runs out|is (?:good|valid)) (?:on|in|at|by|until|till|through|next|this) ",
            rf"{START}treat (?:my|his|her|their|our) (?:membership|account|subscription|plan|"
            rf"status) as (?:an? )?{_TIERS}{END}",
            rf"{START}(?:have|has|holds?|bought|owns?)\s+(?:an? |the )?(?:active |valid |"
            rf"current )?{_TIERS}\s+(?:subscription|"
            rf"membership|plan|licen[cs]e|account|tier|status){END}",
            rf"{START}(?:membership|loyalty|member|plan|subscription|account)\s*(?:level|tier|status|type)?\s*(?:is|=|"
            rf":|was)\s*"
            rf"(?:now |currently )?(?:the |an? )?{_TIERS}(?=\W*$|\s*[,;]|\s+(?:now|until|plan|tier|level|member|"
            rf"customer))",
            rf"(?:是|为|属于|成为|升为|升级为|升级成|升级到)(?:了)?(?:你们|贵司|贵公司|公司|"
            rf"店里)?的?(?:尊贵的?)?\s*{_ZH_TIERS}\s*"
            r"(?:会员|用户|客户|等级|套餐|订阅|持卡人)",
            rf"(?:用户|客户|账号)\s*[a-z]{{0,6}}[-_]?\d[\w-]*[^，。；\n]{{0,6}}?(?:用的?是|使用的?是|属于|"
            rf"在){_ZH_GAP}{_ZH_TIERS}",
            rf"(?:用的?是|使用的?是|订的是|办的是|买的是)[^，。；\n]{{0,6}}?{_ZH_TIERS}(?:套餐|会员|订阅)",
            r"有效期(?:到|至|为|是|截至|截止)|[\d一二三四五六七八九十]\s*[月日号年]\s*(?:底|初)?(?:就|将|会)?(?:到期|"
            r"过期|失效|截止)",
        ],
    ),
    "account": _rule(
        things="accounts?|login|profile|card|wallet|sim|phone line|mailbox",
        states="""
        locked|suspended|frozen|unfrozen|verified|unverified|inactive|disabled|blocked|unblocked|banned|overdrawn
        reactivated|limited|restricted|unlocked|deactivated|terminated|in good standing|activated|delinquent
        """,
        did="locked|suspended|froze|blocked|closed|verified|disabled|deactivated|unlocked|reactivated|banned",
        clear="suspended|deactivated|overdrawn|frozen|locked out|reactivated",
        zh_clear="冻结|锁定|停用|注销|封禁|解封|解冻|挂失|停机|销户",
        zh_things="账号|账户|银行卡|信用卡|号码|卡片",
        zh_done="""
        冻结|锁定|停用|注销|激活|开通|实名认证|实名|认证|解封|封禁|封|限制|启用|解冻|解锁|挂失|停机|销户|拉黑|审核
        """,
        zh_going="审核|冻结|申诉",
        zh_waiting="激活|认证|解封|审核|解冻",
        zh_more=r"通过了?(?:实名)?(?:认证|审核|验证)|(?:处于|是|为)[^，。；\n]{0,4}?(?:正常|异常|冻结|锁定|停用|受限|"
        r"欠费)(?:状态|的)?",
        about=r"""
        account (?:status|state|locked|balance)|is my account
        how many (?:points|miles|credits|vacation days|leave days|days off)
        (?:points|miles|quota|credits|leave|pto|vacation days).*(?:left|have|remaining)|账[号户](?:状态|冻结|锁)|积分
        里程
        年假.*(?:剩|几|多少)|剩.*(?:年假|额度|次数)
        """,
        loose=[
            rf"{START}(?:have|has|had|with)\s+(?:only |about |still |exactly )?\d[\d,.]{{0,12}}\s+(?:[\w-]+\s+){{0,3}}?"
            + words(
                """
                points|miles|credits|leave days?|vacation days?|sick days?|days? of (?:leave|vacation|pto|annual leave)
                days? off|pto days?|api calls|seats|gb|minutes
                """
            )
            + r"(?:\s+(?:left|remaining|available|on)|\W*$|\s+in\b)",
            rf"{START}(?:points|miles|credits?|quota|pto|leave|vacation|allowance)(?:\s+balance)?\s*(?:left|remaining|"
            rf"balance)?\s*"
            r"(?:is|are|=|:|stands at|dropped to)\s*(?:only |now |at )?\d",
            r"(?:积分|里程|年假|病假|调休|流量|配额|话费|名额|算力|点数|剩余次数|免费次数)[^，。；\n]{0,8}?"
            rf"(?:还剩下?|还有|剩余|只剩|剩下?|余额?|共有|有|是|为|：|:)\s*(?:大?约)?\s*{ZH_NUM}",
            rf"(?:还剩|剩余|还有|只剩|仅剩)\s*{ZH_NUM}\s*(?:天|次|点|分|gb|g|个)(?:的)?(?:年假|病假|调休|额度|积分|"
            rf"流量|配额|假|机会|里程)",
        ],
    ),
    "policy": Rule(
        exact=_probes(
            (
                rf"{START}(?:current|currently|latest|new|official|present|today's|as of (?:now|"
                rf"today)){END}[^.!?;,]{{0,30}}?{_RULE_NOUN}"
                rf"\s+{_RULE_WORD}{END}[^.!?;]{{0,40}}?{_RULE_VERB}{END}[^.!?;]{{0,40}}?(?:{MONEY}|{SPAN})"
            ),
            (
                rf"(?:现行|目前|当前|最新|现在|今年|本季度|"
                rf"本月)的?[^，,。；\n]{{0,8}}?{_ZH_RULE}[^，,。；\n]{{0,10}}?{_ZH_SET}"
                rf"[^，,。；\n]{{0,12}}?{ZH_AMOUNT}"
            ),
        ),
        loose=_probes(
            (
                rf"{START}(?:current|existing|latest|official|present|company|our|"
                rf"the)\s+(?:[\w-]+\s+){{0,2}}?policy{END}"
                r"[^.!?;,]{0,30}?(?:is|allows?|permits?|covers?|grants?|gives?|says?|states|requires?|caps|limits?|"
                r"lasts|"
                rf"has changed|changed){END}"
            ),
            (
                rf"{START}{_RULE_NOUN}\s+{_RULE_WORD}{END}[^.!?;,]{{0,30}}?{_RULE_VERB}{END}[^.!?;]{{0,30}}?"
                rf"(?:{MONEY}|{SPAN}|\d+ (?:per|a|each){END})"
            ),
            (
                START
                + words(
                    """
                    price|fee|cost|discount|tariff|surcharge|interest rate|exchange rate|vat|tax rate|per diem
                    list price
                    unit price
                    rent|premium|commission|toll|deductible|shipping
                    """
                )
                + rf"{END}[^.!?;,]{{0,40}}?(?:is|are|was|=|:|went (?:up|down)|rose|dropped|fell|increased|of|costs?|"
                rf"stands at){END}" + rf"[^.!?;]{{0,20}}?{MONEY}"
            ),
            (
                rf"{START}(?:the|our|their|your|[\w-]+)\s+(?:{_TIERS}\s+)?(?:plan|subscription|membership|licen[cs]e|"
                rf"ticket|product|"
                rf"model|version|edition)(?:\s+[\w-]+)?\s+(?:now |currently )?(?:costs?|is priced at|sells for|"
                rf"goes for){END}"
                rf"[^.!?;]{{0,15}}?{MONEY}"
            ),
            (
                rf"{START}(?:company|employer|airline|shop|store|bank|provider|hotel|landlord|insurer|university|"
                rf"we)\s+(?:now |currently "
                r"|only )?(?:allows?|permits?|grants?|charges?|reimburses?|covers?|refunds?|pays?)"
                rf"{END}[^.!?;]{{0,30}}?(?:{MONEY}|{SPAN})"
            ),
            (
                r"(?:现行|目前|当前|最新|现在|公司|今年|本季度|我们|你们|平台|店里|"
                r"系统)的?[^，,。；\n]{0,8}?(?<!代码)(?<!编码)(?<!命名)"
                r"(?<!设计)(?<!格式)(?<!文档)(?:政策|标准|规定|制度|价格|定价|费率|利率|汇率|税率|限额|运费|资费|售价|"
                r"单价|保修期|退货期|"
                rf"账期)[^，,。；\n]{{0,6}}?{_ZH_SET}[^，,。；\n]{{0,14}}?(?:{ZH_AMOUNT}|免费|{ZH_NUM}\s*[/每])"
            ),
            (
                rf"{_ZH_RULE}的?(?:政策|标准|规定|制度|上限|限额|额度|期限?|天数|率|费|金|价格?|比例)(?:目前|现在|"
                rf"已经?)?{_ZH_SET}"
                rf"[^，,。；\n]{{0,12}}?{ZH_AMOUNT}"
            ),
            (rf"公司(?:现在|目前|已经?)?(?:规定|允许|给|报销|补贴)[^，,。；\n]{{0,14}}?{ZH_AMOUNT}"),
            (
                r"(?:套餐|会员|版|服务|产品|课程|订阅|门票|机票|酒店|房间)[^，,。；\n]{0,6}?(?:每|一)(?:个?月|年|晚|"
                r"天|次|张|份|人|位)"
                rf"(?:收费|只要|要|是|为)?\s*{ZH_AMOUNT}"
            ),
            (
                r"(?:利率|汇率|税率|费率|单价|售价|票价|油价|房价|租金|折扣|[^，,。；\s\n]{1,6}费(?:标准|用)?)(?:目前|"
                r"现在|"
                r"已经?|今天|统一)?"
                rf"(?:是|为|：|:|涨到|降到|调整[为到]|[上下]调(?:了|到|至)|涨了|"
                rf"降了)[^，,。；\n]{{0,8}}?(?:{ZH_AMOUNT}|{ZH_NUM})"
            ),
        ),
        about=re.compile(
            words(
                r"""
                (?:current|latest|today's).*(?:policy|price|rate|fee)|how much (?:is|does|do)|exchange rate
                (?:refund|return|travel|cancell?ation|leave|expense) (?:policy|window|limit)|退[款货]政策|差旅标准
                报销标准
                (?:现行|目前|当前|最新).*(?:政策|标准|规定|价格|费率)|价格是?多少|多少钱|汇率|利率
                """
            )
        ),
        unless=re.compile(
            rf"预算|心理价|我的(?:时薪|日薪|单价|收费)|{START}budget{END}|"
            rf"{START}my (?:own |usual |standard )*(?:hourly|daily|day) (?:rate|fee)"
        ),
    ),
    "order": _rule(
        things="orders?|purchases?|bookings?|reservations?|pre-?orders?|flight|appointment",
        states="""
        placed|fulfilled|paid|unpaid|returned|back-?ordered|shipped|delivered|refunded|being packed|ready|rebooked
        rescheduled|dispatched|waiting|partially shipped
        """,
        did="cancell?ed|confirmed|refunded|placed|delayed|rescheduled|returned|rebooked",
        clear="rebooked|rescheduled|back-?ordered",
        zh_clear="出票|改签|退订|退票|下单",
        zh_things="订单|订货单|预订|预约|订座|机票|[火车]票|船票|门票|酒店预订|单号|挂号|航班|升舱|座位|订的票",
        zh_done="""
        确认|取消|批准|完成|关闭|支付|付款|发货|出货|出库|签收|退货|退款|作废|下单|处理|受理|成交|出票|提交|生成|改签
        延误
        超时|退|锁定
        退订|延迟
        """,
        zh_going="处理|配送|审核|备货|出票|支付|途",
        zh_waiting="发货|付款|处理|支付|确认|评价|收货|出库|审核|出票|退款|出货",
        zh_more=r"(?:成功|失败)(?=了|[，。,.\s]|$)|(?:延迟|延误)到",
        about=r"""
        (?:my|the|this|that|our|customer|purchase|last|recent|latest)\s+orders?(?! of)(?![\w-])|status of .{0,20}order
        订单|预订
        orders?\s+(?:status|number|no\.?|id|#|\d)|(?:booking|reservation|appointment|flight) (?:status|confirmed)|预约
        机票
        is my (?:booking|reservation|flight)
        """,
    ),
}

"""Content rules: does a sentence tell the live state of something that a business system owns?

"Order 104 has shipped" tells a state; "check the order before you promise a date" is a way of working and does not.
Every rule reads Chinese and English, is a linear pattern, and works on text prepared by `prepare`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

# Traditional forms of the characters that the rules below use.
_SIMPLIFIED = str.maketrans(
    "訂單審報銷會員級價貨遞簽發運狀態當現為過還賬帳戶這個後條張剛話時記錄務標準規開關凍結錢積點數額餘權庫處進東請"
    "驗證獲駁絕簽蓋續購買賣歷總幾沒無與從給對頁圖質認確決轉產約據應檢查詢實際剩僅兩萬億檔體讓們說評論緩臨暫準備執",
    "订单审报销会员级价货递签发运状态当现为过还账账户这个后条张刚话时记录务标准规开关冻结钱积点数额余权库处进东请"
    "验证获驳绝签盖续购买卖历总几没无与从给对页图质认确决转产约据应检查询实际剩仅两万亿档体让们说评论缓临暂准备执",
)
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "「": '"', "」": '"', "『": '"', "』": '"'})
_SENTENCE_END = re.compile(r"[。！？；!?;\n]+|\.(?=\s|$)")

# --- English: a specific thing, then a word that says how it stands ---
_ID = r"(?:(?:no\.?|number|nr\.?|id)\s*)?#?(?:[a-z]{0,6}[-_])?[a-z]{0,3}\d[\w-]*"
_WHOSE = (
    r"(?<![\w-])(?:the|my|our|his|her|their|its|your|this|that|these|those|both|all(?: of)?(?: my| our| the| their)?|"
    r"(?:customer|user|client|account|company|team|[a-z]+)(?:'s|s'))\s+(?:[\w'-]+\s+){0,3}?"
)
_ADVERB = (
    r"(?:now|already|currently|still|just|not|n't|yet|fully|finally|all|been|being|again|officially|successfully|"
    r"also|partly|partially|marked|listed|shown|as|set|to|temporarily|permanently|recently)"
)
_LINK = (
    r"(?:\s+(?:is|are|was|were|has|have|had|got|gets|went|came|remains?|stays?|isn't|aren't|wasn't|weren't|hasn't|"
    r"haven't|shows?|status(?:\s+is)?|will be)|'s|\s*[:=])"
)
_GAP = r"[^.!?;,]{0,60}?"
_VERBS = (
    r"expired|ended|lapsed|bounced|arrived|failed|cleared|came through|went through|fell through|shipped|passed|landed|"
    r"has arrived|hasn't arrived|never arrived|didn't arrive|did not arrive"
)

# --- Chinese: marks that something has come about or stands so now ---
_ZH_GAP = r"[^，,。；;！!？?\n]{0,18}?"
_ZH_ID = r"\s*(?:编号|号|单号|为|是)?\s*[a-z]{0,6}[-_]?\d[\w-]*"
_ZH_DONE = (
    r"(?:已经|已|早已|均已|都已|刚刚|刚|现已|也已|昨天|昨晚|今天|前天|上周[一二三四五六日天]?|上个?月|周[一二三四五六日天])"
    r"(?:(?:被|给|经|由)[^，,。；;\n]{0,6}?|全部|成功|正式|全额|部分)?"
)
_ZH_NOT = r"(?:还没有|还没|没有|没|尚未|仍未|未|还未)(?:被)?"
_ZH_TAIL = r"(?:完成|成功|通过|完毕|结束|完|好|掉|过|了)*"
_ZH_NUM = r"[\d一二两三四五六七八九十百千万亿半几][\d一二两三四五六七八九十百千万亿.,]*"
_ZH_UNIT = (
    r"\s*(?:元|块|美元|欧元|日元|英镑|人民币|刀|%|％|折|天|日|个?工作日|个月|年|小时|分钟|万|k|倍|个百分点|点|次|gb|g)"
)
_ZH_AMOUNT = rf"(?:[¥￥$€£]\s*)?{_ZH_NUM}{_ZH_UNIT}|[¥￥$€£]\s*{_ZH_NUM}|百分之{_ZH_NUM}"


@dataclass(frozen=True, slots=True)
class _Rule:
    """`exact` needs a number or a name of the thing; `loose` also takes "my order" or "the order"."""

    exact: tuple[re.Pattern[str], ...]
    loose: tuple[re.Pattern[str], ...]
    about: re.Pattern[str]
    unless: re.Pattern[str] = re.compile(r"(?!)")


def _en(nouns: str, states: str, verbs: str) -> tuple[str, str, str]:
    after = rf"(?:{_LINK}(?:\s+{_ADVERB})*\s+(?:{states})|\s+(?:{_ADVERB}\s+)*(?:{verbs}))(?![\w-])"
    settled = (
        rf"(?:\s+(?:was|were|(?:has|have)(?: not)? been|got|(?:is|are) {_ADVERB})(?:\s+{_ADVERB})*\s+(?:{states})|"
        rf"\s+(?:is|are)\s+(?:{states})(?=\W*$|,)|\s*:\s*(?:{states})|\s+(?:{_ADVERB}\s+)*(?:{verbs}))(?![\w-])"
    )
    exact = rf"(?<![\w-])(?:{nouns})\s*{_ID}(?:{_GAP}{after}|[\s:,-]+(?:{_ADVERB}\s+)*(?:{states})(?![\w-]))"
    loose = rf"{_WHOSE}(?:{nouns})(?![\w-]){_GAP}{after}"
    bare = rf"^\W*(?P<bare>{nouns})(?![\w-])(?:{_GAP}{settled}|\s+(?:{_ADVERB}\s+)*(?:{states})(?=\W*$|\s*[,;]))"
    return exact, loose, bare


def _zh(nouns: str, states: str) -> tuple[str, str]:
    return rf"(?:{nouns}){_ZH_ID}{_ZH_GAP}(?:{states}){_ZH_TAIL}", rf"(?:{nouns}){_ZH_GAP}(?:{states}){_ZH_TAIL}"


def _zh_states(done: str, going: str = "", waiting: str = "", more: str = "") -> str:
    parts = [rf"{_ZH_DONE}(?:{done})", rf"{_ZH_NOT}(?:{done})", rf"(?:{done})(?:完|好|掉|过|清|下来|成功)?了"]
    parts += [rf"(?:被|遭|由)[^，,。；;\n]{{0,6}}?(?:{done})"]
    parts += [rf"(?:正在|还在|仍在|在)(?:{going})", rf"(?:{going})中"] if going else []
    parts += [rf"(?:待|等待|等着|等)(?:{waiting})"] if waiting else []
    parts += [more] if more else []
    return "|".join(parts)


_ZH_STATUS = r"(?:当前|目前|现在|最新)?的?状态(?:现在|目前|已经?)?(?:是|为|变|显示|：|:)"


def _rule(
    nouns_en: str,
    states_en: str,
    nouns_zh: str,
    states_zh: str,
    *,
    about: str,
    verbs: str = _VERBS,
    exact: Iterable[str] = (),
    loose: Iterable[str] = (),
) -> _Rule:
    exact_en, loose_en, bare_en = _en(nouns_en, states_en, verbs)
    exact_zh, loose_zh = _zh(nouns_zh, f"{states_zh}|{_ZH_STATUS}")
    return _Rule(
        exact=tuple(re.compile(p) for p in (exact_en, exact_zh, *exact)),
        loose=tuple(re.compile(p) for p in (loose_en, bare_en, loose_zh, *loose)),
        about=re.compile(about),
    )


_TIERS = (
    r"(?:free|basic|pro|plus|premium|enterprise|business|team|starter|standard|gold|silver|bronze|platinum|diamond|"
    r"vip|family|student|annual|monthly|trial|paid|professional|ultimate|elite)"
)
_ZH_TIERS = (
    r"(?:金卡|银卡|白金卡?|铂金|黄金|白银|钻石|黑卡|普卡|至尊|尊享|s?vip\s*\d*|超级会员|专业版|企业版|旗舰版|基础版|"
    r"免费版|试用版|标准版|高级版|家庭版|年费|包年|包月|pro|plus|premium)"
)
_POLICY_NOUN = (
    r"(?:refund|return|returns|travel|expenses?|reimbursement|shipping|delivery|cancell?ation|vacation|leave|pricing|"
    r"warranty|payment|discount|overtime|insurance|tax|interest|exchange|exchange rate|late|membership|subscription|"
    r"parking|meal|hotel|lodging|mileage|daily|price match|loyalty|pet|baggage|luggage|sick|parental|home office)"
)
_POLICY_WORD = (
    r"(?:policy|policies|rules?|window|period|limit|cap|terms|allowance|per diem|standard|rate|fee|fees|price|prices|"
    r"discount|tariff|deadline|entitlement|budget cap|threshold)"
)
_POLICY_VERB = (
    r"(?:is|are|allows?|permits?|covers?|costs?|grants?|gives?|says?|states?|requires?|caps|runs|lasts|applies|of|"
    r"stands at|has changed|changed|went up|went down|rose|fell|dropped|was raised|was cut|increased|starts at|has been)"
)
_MONEY = (
    r"(?:[$€£¥]\s*\d|\d[\d.,]*\s*(?:%|percent|per cent|usd|eur|gbp|rmb|cny|yuan|dollars?|euros?|pounds?|cents?|bucks))"
)
_SPAN = r"\d+\s*(?:business |working |calendar )?(?:hours?|days?|weeks?|months?|years?|nights?)"
_ZH_RULE = (
    r"(?:退款|退货|退换货?|换货|差旅|出差|住宿|报销|餐补|餐饮|交通|加班|年假|病假|产假|调休|打车|会员|订阅|套餐|运费|配送|"
    r"保修|质保|取消|违约|付款|账期|优惠|折扣|补贴|补助|提成|佣金|赔付|理赔|开票|税收|差标|酒店|通讯|社保|公积金)"
)

_RULES: dict[str, _Rule] = {
    "refund": _rule(
        r"refunds?|chargebacks?|reimbursements?|return requests?",
        r"complete|completed|issued|processed|approved|rejected|denied|declined|pending|refunded|paid(?: out)?|done|"
        r"received|initiated|through|in progress|on (?:its|the) way|overdue|credited|cancell?ed|finished|open",
        r"退款|退货款|返款|退费|退回款",
        _zh_states(
            r"到账|完成|到|退回|成功|通过|批准|驳回|拒绝|处理|受理|办理|打回|发放|关闭|取消|失败|退",
            r"处理|审核|办理|退回|途",
            r"处理|审核|到账|财务",
        ),
        about=r"refund|chargeback|reimburs|退款|退费|返款",
        exact=[
            rf"(?<![\w-])(?:order|ticket|case|invoice|booking|purchase)\s*{_ID}{_GAP}(?<![\w-])refunded(?![\w-])",
            rf"(?:订单|工单|单子|发票)\s*{_ZH_ID}{_ZH_GAP}(?:{_ZH_DONE}|{_ZH_NOT})退(?:款|费|货)",
        ],
        loose=[
            rf"{_WHOSE}(?:order|ticket|case|purchase|booking|deposit|money|payment)(?![\w-]){_GAP}(?<![\w-])refunded",
            rf"(?:{_ZH_DONE})(?:全额|部分)?退(?:款|费)(?:到账|{_ZH_TAIL})",
        ],
    ),
    "shipping": _rule(
        r"packages?|parcels?|shipments?|delivery|deliveries|consignments?|couriers?|goods|tracking|orders?|items?|laptop|"
        r"replacement|phone|card|letter|passport",
        r"shipped|delivered|dispatched|in transit|out for delivery|lost|stuck|returned to sender|signed for|"
        r"(?:at|in|held (?:at|by)) customs|picked up|en route|on (?:its|the) way|left the warehouse|arriving|"
        r"arrived|awaiting (?:pickup|collection)|delayed in transit|sent out|ready for (?:pickup|collection)",
        r"快递|包裹|物流|货物|快件|运单|邮包|货|外卖|补发件|配送",
        _zh_states(
            r"签收|发货|发出|寄出|送达|到达|揽收|揽件|派送|出库|妥投|退回|丢失|丢|到货|到|取走|取件|清关|寄到|送到|投递|拒收",
            r"运输|派送|配送|清关|路上|途|揽收|派件",
            r"发货|揽收|取件|派送|签收|清关",
            rf"(?:在|卡在|停在|到达?)[^，。；\n]{{0,8}}(?:路上|途中|海关|中转|网点|驿站|分拨|仓)|预计{_ZH_GAP}(?:到|送达|派送)",
        ),
        about=r"packages?(?! manager)|parcel|shipment|shipping|deliver(?:y|ed)|courier|tracking|where is my order|"
        r"快递|包裹|物流|发货|签收|运单|到货",
        loose=[
            rf"(?<!\"){_ZH_DONE}(?:签收|发货|妥投|揽收|派送|发出|寄出|出货){_ZH_TAIL}",
            r"(?:正在|还在|仍在)(?:派送|配送|运输|揽收|派件|清关)",
        ],
    ),
    "ticket": _rule(
        r"tickets?|incidents?|support (?:cases?|requests?)|cases?|issues?|bugs?|jira|service requests?|defects?|alerts?",
        r"open|opened|closed|resolved|unresolved|reopened|assigned(?: to)?|unassigned|escalated|in progress|pending|on hold|"
        r"waiting|blocked|fixed|handled by|owned by|p[0-4]|triaged|solved|overdue|with \w+|(?:high|low|medium|top) priority",
        r"工单|故障单|缺陷|bug|事件单?|案件|issue|ticket|服务单|投诉单|投诉|告警|报障",
        _zh_states(
            r"关闭|解决|处理|受理|升级|转派|分配|指派|挂起|完结|修复|重开|关单|结案|关|转给|转|派给|超时|响应|撤销",
            r"处理|排查|跟进|修复|调查|等待",
            r"处理|分配|受理|关闭|指派|回复|客户回复|验证",
            r"(?:当前|目前|现在)?的?(?:处理人|负责人|经办人|优先级|受理人|跟进人|责任人|进度)(?:现在|目前)?(?:是|为|变|：|:)",
        ),
        about=r"ticket|incident|support case|(?:bug|issue|jira) (?:status|\d)|status of (?:the )?(?:bug|issue|case)|"
        r"工单|故障单|缺陷单|投诉单|服务单",
        exact=[
            rf"(?<![\w-])[a-z]{{2,8}}-\d{{2,}}(?![\w-]){_GAP}{_LINK}(?:\s+{_ADVERB})*\s+(?:open|closed|resolved|reopened|"
            r"assigned|escalated|in progress|on hold|blocked|fixed)(?![\w-])",
            rf"(?<![a-z0-9-])[a-z]{{2,8}}-\d{{2,}}(?![\w-]){_ZH_GAP}(?:{_ZH_DONE}(?:关闭|解决|处理|升级|修复|转派)|处理中)",
        ],
    ),
    "approval": _rule(
        r"purchase orders?|pos?|contracts?|requests?|applications?|leave|expenses?|expense (?:reports?|claims?)|budgets?|"
        r"proposals?|quotes?|quotations?|claims?|loans?|permits?|visas?|change requests?|pull requests?|merge requests?|"
        r"prs?|mrs?|vacation|time off|trip|agreements?|deals?|registration|requisitions?|offers?|nda|tender|bids?|"
        r"sign-?off|approval|release|deployment|headcount|promotion|transfer|invoice|design|plan|account opening|waivers?",
        r"approved|rejected|declined|denied|signed(?: off)?|unsigned|countersigned|cleared|greenlit|granted|accepted|"
        r"authori[sz]ed|pre-?approved|withdrawn|(?:pending|awaiting|waiting for|under|in) (?:approval|review|sign-?off|"
        r"signature|legal|finance)|pending|unapproved|ratified|terminated|expired|in force|effective|finali[sz]ed",
        r"合同|采购单|采购申请|采购|申请单?|审批单?|报销单?|请假|假期|休假|预算|方案|报价单?|立项|用印|协议|标书|变更单?|"
        r"贷款|开户|单子|流程|需求单|转正|离职|入职|签证|许可|备案|投标|招标|付款单|借款|提案|调岗|加薪|合约",
        _zh_states(
            r"审批|批准|通过|批复|批|签署|签字|签订|签|盖章|驳回|拒绝|否决|撤回|生效|到期|终止|过期|审核|提交|获批|备案|归档|核准|同意|作废",
            r"审批|审核|流转|会签|走流程|评审|法务审",
            r"审批|审核|签字|批准|盖章|会签|领导批|法务|批复|财务审核",
            r"(?:审批|审核|评审|复核)(?:已经?)?(?:通过|过)了?|(?:批|签)下来|获(?:得)?批(?:准)?|(?:审|批)完了?",
        ),
        about=r"approv|purchase order|sign(?:ed)? off|contract (?:status|signed)|is .*contract .*signed|审批|批准|获批|签署|合同|报销|用印",
    ),
    "permission": _rule(
        r"access|permissions?|roles?|rights|privileges?|clearance|admin rights|admin access",
        r"granted|revoked|removed|approved|active|expired|read-?only|admin|owner|editor|viewer|enabled|disabled|suspended|"
        r"upgraded|downgraded|full|limited to \w+|super ?user|administrator",
        r"权限|角色|访问权|授权",
        _zh_states(
            r"开通|授予|收回|撤销|回收|升级|降级|变更|生效|失效|过期|批准|下放|移除|取消|获得|赋予",
            r"申请|审批",
            r"开通|审批|授权",
            rf"(?:现在|目前|当前)?(?:是|为|变成|升为){_ZH_GAP}(?:管理员|只读|可写|编辑|所有者|超级用户|审批人|owner|admin)",
        ),
        about=r"permission|access rights?|(?:have|has|get|got) access|admin rights|my role|privileges?|"
        r"allowed to (?:access|export|approve)|权限|角色|访问权|授权",
        exact=[
            rf"(?<![\w-])(?:user|account|member|employee)\s+{_ID}\s+(?:now |currently |already |also |still )?(?:has|holds|"
            r"had|got|owns|lacks|can|may|is allowed|is authori[sz]ed|was granted|is (?:an? )?(?:admin|owner|editor|viewer))",
            r"(?:用户|账号|成员|员工)\s*[a-z]{0,6}[-_]?\d[\w-]*[^，。；\n]{0,8}(?:拥有|具有|具备|享有|持有|有|没有|可以|能|被授予|是)"
            r"[^，。；\n]{0,14}(?:权限|管理员|访问权|角色|权)",
        ],
        loose=[
            r"(?<![\w-])(?:have|has|had|holds?|gained|lost|lacks?|received|retains?|owns?|(?:was|were|been|am|is|are) "
            r"(?:now |already )?(?:granted|given|assigned)|got)(?![\w-])(?:\s+[\w'-]+){0,4}?\s+(?:access|permissions?|rights|"
            r"privileges?|clearance|role)(?:\s+(?:to|on|in|for|over)(?! (?:an?|my|some|any|no|our) )(?![\w-])|\W*$|\s*[,;])",
            r"(?<![\w-])(?:i|we|he|she|they|\w+ account|my account|the user)\s*(?:'m|am|is|are|was|were)?\s*(?:now |currently |"
            r"already )?(?:an? |the )?(?:admin|administrator|owner|super ?user|root|editor|approver)\s+(?:of|on|in|for)\s+"
            r"(?:the |this |our |every |all |\w+ )?(?:[\w-]+ )?(?:workspace|tenant|project|system|repo|repository|console|account|"
            r"org|organi[sz]ation|crm|erp|database|cluster|dashboard|environment|channel|group)s?(?![\w-])",
            r"(?<![\w-])(?:i|we|he|she|they|the user|customer)\s*(?:'m|am|is|are|was)\s+(?:now |currently |already |not )*"
            r"(?:allowed|authori[sz]ed|permitted|cleared) to (?:access|export|approve|delete|view|read|edit|deploy|sign|use|"
            r"write|transfer|release|modify|manage)(?![\w-])",
            r"(?:拥有|具有|具备|享有|持有|获得了?|被授予了?|授予了?|开通了?|失去了?|没有|取得了?|有)(?![无没])[^，。；、\n]{0,14}?"
            r"(?:权限|访问权|管理权|审批权|管理员(?:权限|角色|身份))",
            r"(?:用户|账号|我|他|她)(?:现在|目前|已经)?(?:是|成为|成了)[^，。；\n]{0,8}(?:系统|租户|平台|后台|空间|仓库|超级|工作区|组织)"
            r"管理员",
        ],
    ),
    "payment": _rule(
        r"payments?|invoices?|bills?|deposits?|instal?lments?|transfers?|charges?|salary|salaries|rent|wages?|bonus|fees?|"
        r"transactions?|down payment|tuition|premium|debt|fine|receivables?",
        r"paid|unpaid|overdue|past due|settled|due|received|failed|cleared|outstanding|declined|processed|bounced|collected|"
        r"written off|through|pending|late|credited|charged|remitted|wired|posted|reversed|voided|sent|issued|in arrears",
        r"账单|发票|款项|货款|尾款|定金|押金|工资|房租|付款|回款|保证金|首付|欠款|分期|薪水|奖金|学费|汇款|转账|费用|水电费|保费|贷款",
        _zh_states(
            r"付清|付款|付|支付|到账|结清|开具|开票|开出|缴清|缴纳|缴|收到|收款|逾期|打款|入账|还清|还款|汇出|扣款|核销|扣除|退回|退还|退|发放|发|结算",
            r"处理|结算|支付|对账",
            r"支付|付款|结算|开票|打款|收款|缴费|核销",
            rf"(?:还有|还剩|还欠|剩余|共计?|总计|合计|是|为|：|:)\s*(?:人民币|约|大约|共)?\s*(?:{_ZH_AMOUNT})|逾期",
        ),
        about=r"balance|payment|invoice|(?:i|we|they|he|she) owe|amount due|paid|bill(?:ing)?(?: status)?|余额|付款|发票|账单|欠款|"
        r"到账|尾款|还款|工资",
        loose=[
            r"(?<![\w-])(?:account|card|wallet|bank|gift card|prepaid|credit|outstanding|current|available|my|our|his|her|their|"
            r"the|remaining|loan|checking|savings)\s+balance(?![\w-])[^.!?;]{0,40}?(?:is|are|was|stands at|of|has|:|=|dropped to|"
            r"went)[^.!?;]{0,20}?(?:\d|zero|negative|empty|overdrawn|positive)",
            r"(?<![\w-])(?:i|we|he|she|they|customer|client|user|the \w+)\s+(?:still |now |currently )?owes?(?![\w-])[^.!?;]{0,30}?\d",
            r"(?<![\w-])(?:have|has|had|hasn't|haven't)\s+(?:not |already |just |never |fully |only |still not )*"
            r"(?:paid|settled|transferred|wired|remitted)(?![\w-])",
            rf"{_MONEY}[^.!?;]{{0,20}}(?:left|remaining|available|in (?:my|the|his|her|our|their) (?:account|wallet|bank))",
            rf"(?<![\w-])(?:credit limit|amount due|outstanding amount|total due|arrears)[^.!?;]{{0,20}}?(?:is|of|:|=)\s*{_MONEY}",
            rf"(?:余额|存款|信用额度|授信额度|欠款|欠费)[^，。；\n]{{0,10}}?(?:还有|还剩|剩余|剩|只有|是|为|有|共|不足|：|:|\s)\s*(?:约|大约|人民币)?"
            rf"\s*(?:[¥￥$€£]?\s*{_ZH_NUM}|零)",
            rf"(?:账户|账号|卡|钱包|账)(?:里|上|内|中)[^，。；\n]{{0,8}}?(?:{_ZH_AMOUNT})",
            rf"(?:我|他|她|客户|对方|公司|用户)(?:还|仍|总共|一共)?欠[^，。；\n]{{0,8}}?(?:{_ZH_AMOUNT})",
        ],
    ),
    "inventory": _rule(
        r"stock|inventory|skus?|items?|products?|articles?|models?|sizes?|warehouse|shelf|supplies",
        r"low|empty|full|gone|depleted|available|unavailable|out of stock|in stock|sold out|back in stock|on back-?order|"
        r"back-?ordered|discontinued|restocked|exhausted|running low|zero",
        r"库存|存货|现货|余货",
        _zh_states(
            r"补货|补齐|清空|下架|上架|用完|卖完|卖光|售罄|见底|清零|到位|告急|补足|清|调拨|盘点",
            r"补货|调拨|盘点",
            r"补货|入库|调拨",
            rf"(?:只|还|仅|现在|目前|现|大约|约)*(?:剩下?|有|为|是|余|：|:)\s*(?:约|大约)?\s*{_ZH_NUM}|"
            r"(?:不足|告急|充足|充裕|紧张|见底|清零|为零|不够|够用|偏低)",
        ),
        about=r"(?:in|out of) stock|stock (?:level|status|left)|inventory|sku|how many .*(?:left|available)|库存|存货|现货|有货|缺货|售罄|还剩.*件",
        loose=[
            r"(?<![\w-])(?:is|are|was|were|'s|currently|now|still|back|already)\s+(?:[\w]+\s+){0,2}?(?:out of stock|in stock|"
            r"sold out|on back-?order|back-?ordered)(?![\w-])",
            r"(?<![\w-])\d[\d,]*\s+(?:[\w-]+\s+){0,2}?(?:units?|pieces?|pcs|boxes|items?|cartons?|pallets?|bottles?|copies)\s+"
            r"(?:are |is )?(?:left|remaining|in stock|available|on hand|in the warehouse)(?![\w-])",
            r"(?<![\w-])(?:only|just)\s+\d[\d,]*\s+(?:[\w-]+\s+){0,3}?(?:left in|remain in|in stock|in the warehouse)",
            r"(?<![\w-])(?:stock|inventory)(?: level| count)?[^.!?;]{0,30}?(?:is|of|stands at|:|=|at|down to)\s*(?:now |only )?\d",
            rf"(?:只剩|仅剩|还剩|剩余|剩下|还有|仅有)[下了]?\s*(?:大?约)?\s*{_ZH_NUM}\s*(?:件|台|箱|套|瓶|盒|双|吨|公斤|斤|辆|部|桶|袋|匹|只|支)",
            r"(?:已经?|又|目前|现在|暂时|全部|都|全线)(?:缺货|断货|售罄|有货|无货|没货|补货|卖完|卖光)|(?:断货|缺货|售罄|补货|卖完|卖光|没货|有货)了",
        ],
    ),
    "entitlement": _rule(
        r"subscriptions?|memberships?|licen[cs]es?|trials?|warranty|warranties|coverage|insurance|support contract|seats?|"
        r"maintenance|renewal|plan|tier|loyalty status|pass",
        rf"active|inactive|expired|cancell?ed|suspended|renewed|lapsed|paused|valid|upgraded|downgraded|over|ended|ending|"
        rf"paid|terminated|up for renewal|void|expiring|{_TIERS}|on (?:the |an? )?{_TIERS}",
        r"会员|套餐|订阅|许可证?|保修|质保|试用期?|授权|合约|续费|年费|服务期|vip|等级",
        _zh_states(
            r"过期|到期|升级|开通|续费|失效|激活|取消|退订|终止|暂停|降级|续订|生效|冻结|用完|延期|续|停用|解约",
            r"续费|试用|生效",
            r"续费|激活|开通",
            rf"(?:[\d月日号年]|今天|明天|后天|下周|下个?月|年底|月底|今年|明年)\s*(?:就|将|会)?(?:到期|过期|失效|截止|续费)|"
            rf"(?:到|至|截至|截止)[^，。；\n]{{1,12}}?(?:到期|为止|截止|结束|失效)|有效期?(?:到|至|为|是|还有|：|:)|"
            rf"(?:等级|级别|类型|身份|档位|套餐)?(?:现在|目前|当前|已经)?(?:是|为|升到|升至|升级到|升级为|降为|降到|：|:){_ZH_GAP}{_ZH_TIERS}",
        ),
        about=r"subscription|membership|my (?:plan|tier|licen[cs]e)|warranty|trial (?:end|expire)|会员|套餐|订阅|保修|到期|试用期|vip",
        loose=[
            rf"(?:(?<![\w-])(?:is|am|are|was|now|still)|'m|'s|'re)\s+(?:[\w]+\s+){{0,2}}?on\s+(?:the|an?|our|your|my|their)\s+{_TIERS}"
            r"(?:\s+[\w-]+)?\s*(?:plan|tier|subscription|package)?(?![\w-])",
            rf"(?:(?<![\w-])(?:is|am|are|was|remains?|as)|'m|'s|'re)\s+(?:now |currently |already |still |also )*(?:an? |the )?{_TIERS}\s*"
            r"(?:level |tier |status )?(?:member|customer|subscriber|account holder|tier|status|plan)(?![\w-])",
            rf"(?<![\w-])(?:have|has|holds?|bought|owns?)\s+(?:an? |the )?(?:active |valid |current )?{_TIERS}\s+"
            r"(?:subscription|membership|plan|licen[cs]e|account|tier|status)(?![\w-])",
            rf"(?<![\w-])(?:membership|loyalty|member|plan|subscription|account)\s*(?:level|tier|status|type)?\s*(?:is|=|:|was)\s*"
            rf"(?:now |currently )?(?:the |an? )?{_TIERS}(?![\w-])",
            r"(?<![\w-])(?:subscription|membership|licen[cs]e|trial|warranty|coverage|insurance|contract|plan)(?![\w-])"
            r"[^.!?;,]{0,30}?(?:expires?|ends?|renews?|runs? (?:out|until|through)|lapses?|lasts until|is (?:good|valid) until)(?![\w-])",
            rf"(?:是|为|属于|成为|升为|升级为|升级成|升级到)(?:了)?(?:你们|贵司|贵公司|公司|店里)?的?(?:尊贵的?)?\s*{_ZH_TIERS}\s*(?:会员|用户|客户|等级|套餐|订阅)",
        ],
    ),
    "account": _rule(
        r"accounts?|login|profile|card|wallet|sim|phone line|mailbox",
        r"locked|suspended|frozen|unfrozen|verified|unverified|inactive|disabled|blocked|unblocked|banned|closed|overdrawn|"
        r"reactivated|limited|restricted|unlocked|deactivated|terminated|in good standing|on hold|activated|delinquent",
        r"账号|账户|银行卡|信用卡|号码|卡片",
        _zh_states(
            r"冻结|锁定|停用|注销|激活|开通|实名认证|实名|认证|解封|封禁|封|限制|启用|解冻|解锁|挂失|停机|销户|拉黑|审核",
            r"审核|冻结|申诉",
            r"激活|认证|解封|审核|解冻",
            r"(?:处于|是|为)[^，。；\n]{0,4}(?:正常|异常|冻结|锁定|停用|受限|欠费)(?:状态|的)?",
        ),
        about=r"account (?:status|state|locked|balance)|is my account|(?:points|miles|quota|credits|leave|pto|vacation days).*(?:left|have|remaining)|"
        r"how many (?:points|miles|credits|vacation days|leave days|days off)|账[号户](?:状态|冻结|锁)|积分|里程|年假.*(?:剩|几|多少)|剩.*(?:年假|额度|次数)",
        loose=[
            r"(?<![\w-])(?:have|has|had|with)\s+(?:only |about |still |exactly )?\d[\d,.]*\s+(?:[\w-]+\s+){0,3}?(?:points|miles|"
            r"credits|leave days?|vacation days?|sick days?|days? of (?:leave|vacation|pto|annual leave)|days? off|pto days?|api calls|"
            r"seats|gb|minutes)(?:\s+(?:left|remaining|available|on)|\W*$|\s+in\b)",
            r"(?<![\w-])(?:points|miles|credits?|quota|pto|leave|vacation|allowance)(?:\s+balance)?\s*(?:left|remaining|balance)?\s*"
            r"(?:is|are|=|:|stands at|dropped to)\s*(?:only |now |at )?\d",
            rf"(?:积分|里程|年假|病假|调休|流量|配额|话费|名额|算力|点数|剩余次数|免费次数)[^，。；\n]{{0,8}}?(?:还剩下?|还有|剩余|只剩|剩下?|余额?|共有|有|是|为|：|:)\s*"
            rf"(?:大?约)?\s*{_ZH_NUM}",
            rf"(?:还剩|剩余|还有|只剩|仅剩)\s*{_ZH_NUM}\s*(?:天|次|点|分|gb|g|个)(?:的)?(?:年假|病假|调休|额度|积分|流量|配额|假|机会|里程)",
        ],
    ),
    "policy": _Rule(
        unless=re.compile(r"预算|心理价|(?<![\w-])budget(?![\w-])|(?<![\w-])my (?:own |usual |standard )*(?:hourly|daily|day) (?:rate|fee)|我的(?:时薪|日薪|单价|收费)"),
        exact=tuple(
            re.compile(p)
            for p in (
                rf"(?<![\w-])(?:current|currently|latest|new|official|present|today's|as of (?:now|today))(?![\w-])[^.!?;,]{{0,30}}?"
                rf"{_POLICY_NOUN}\s+{_POLICY_WORD}(?![\w-])[^.!?;]{{0,40}}?{_POLICY_VERB}(?![\w-])[^.!?;]{{0,40}}?(?:{_MONEY}|{_SPAN})",
                rf"(?:现行|目前|当前|最新|现在|今年|本季度|本月)的?[^，,。；\n]{{0,8}}?{_ZH_RULE}[^，,。；\n]{{0,6}}?(?:政策|标准|规定|制度|上限|限额|额度|期限|"
                rf"天数|费用?|率|金|价格?)?[^，,。；\n]{{0,4}}?(?:是|为|允许|规定|支持|可以|可|改成|改为|涨到|降到|调整[为到]|不超过|最多|每|：|:)"
                rf"[^，,。；\n]{{0,12}}?(?:{_ZH_AMOUNT})",
            )
        ),
        loose=tuple(
            re.compile(p)
            for p in (
                r"(?<![\w-])(?:current|existing|latest|official|present|company|our|the)\s+(?:[\w-]+\s+){0,2}?policy(?![\w-])"
                r"[^.!?;,]{0,30}?(?:is|allows?|permits?|covers?|grants?|gives?|says?|states|requires?|caps|limits?|lasts|has changed|"
                r"changed)(?![\w-])",
                rf"(?<![\w-]){_POLICY_NOUN}\s+{_POLICY_WORD}(?![\w-])[^.!?;,]{{0,30}}?{_POLICY_VERB}(?![\w-])[^.!?;]{{0,30}}?"
                rf"(?:{_MONEY}|{_SPAN}|\d+ (?:per|a|each)(?![\w-]))",
                rf"(?<!my )(?<!my hourly )(?<!my daily )(?<![\w-])(?:price|fee|cost|tariff|surcharge|interest rate|exchange rate|vat|tax "
                rf"rate|per diem|list price|unit price|rent|premium|commission|toll|deductible|shipping)(?![\w-])[^.!?;,]{{0,40}}?(?:is|are|was|=|"
                rf":|went (?:up|down)|rose|dropped|fell|increased|of|costs?|stands at)(?![\w-])[^.!?;]{{0,20}}?{_MONEY}",
                rf"(?<![\w-])(?:the|our|their|your|[\w-]+)\s+(?:{_TIERS}\s+)?(?:plan|subscription|membership|licen[cs]e|ticket|product|model|"
                rf"version|edition)(?:\s+[\w-]+)?\s+(?:now |currently )?(?:costs?|is priced at|sells for|goes for)(?![\w-])[^.!?;]{{0,15}}?{_MONEY}",
                r"(?:现行|目前|当前|最新|现在|公司|今年|本季度|我们|你们|平台|店里|系统)的?[^，,。；\n]{0,8}?(?<!代码)(?<!编码)(?<!命名)(?<!预算)"
                r"(?<!设计)(?<!格式)(?<!文档)(?:政策|标准|规定|价格|定价|费率|利率|汇率|税率|限额|运费|资费|售价|单价|保修期|退货期|账期)"
                r"[^，,。；\n]{0,6}?(?:是|为|允许|规定|改成|改为|涨|降|调整[为到]|不超过|最多|支持|可以|每|：|:)[^，,。；\n]{0,14}?"
                rf"(?:{_ZH_AMOUNT}|免费|{_ZH_NUM}\s*[/每])",
                rf"{_ZH_RULE}(?:的)?(?:政策|标准|规定|制度|上限|限额|额度|期限?|天数|率|费|金|价格?|比例)(?:目前|现在|已经?)?(?:是|为|允许|规定|支持|可以|改成|改为|"
                rf"涨到|降到|调整[为到]|不超过|最多|：|:)[^，,。；\n]{{0,12}}?(?:{_ZH_AMOUNT})",
                rf"(?:套餐|会员|版|服务|产品|课程|订阅|门票|机票|酒店|房间)[^，,。；\n]{{0,6}}?(?:每|一)(?:个?月|年|晚|天|次|张|份|人|位)(?:收费|只要|要|是|为)?\s*"
                rf"(?:{_ZH_AMOUNT})",
                rf"(?:利率|汇率|税率|费率|单价|售价|票价|油价|房价|租金|运费|手续费|年费|月费|会员费)(?:目前|现在|已经?|今天|统一)?(?:是|为|：|:|涨到|降到|调整[为到]|涨了|降了)"
                rf"[^，,。；\n]{{0,8}}?(?:{_ZH_AMOUNT}|{_ZH_NUM})",
            )
        ),
        about=re.compile(
            r"(?:current|latest|today's).*(?:policy|price|rate|fee)|(?:refund|return|travel|cancell?ation|leave|expense) (?:policy|window|limit)|"
            r"how much (?:is|does|do)|exchange rate|(?:现行|目前|当前|最新).*(?:政策|标准|规定|价格|费率)|退[款货]政策|差旅标准|报销标准|价格是?多少|多少钱|汇率|利率"
        ),
    ),
    "order": _rule(
        r"orders?|purchases?|bookings?|reservations?|pre-?orders?|flight|appointment",
        r"confirmed|cancell?ed|placed|complete|completed|pending|processed|delayed|on hold|fulfilled|paid|unpaid|returned|"
        r"closed|open|back-?ordered|shipped|delivered|refunded|being (?:processed|prepared|packed)|ready|rejected|failed|"
        r"in progress|rebooked|rescheduled|dispatched|late|done|through|waiting|partially shipped",
        r"订单|订货单|预订|预约|订座|机票|酒店预订|单号|挂号",
        _zh_states(
            r"确认|取消|完成|关闭|支付|付款|发货|出货|出库|签收|退货|退款|作废|下单|处理|受理|成交|出票|提交|生成|改签|延误|超时|退|锁定|退订",
            r"处理|配送|审核|备货|出票|支付|途",
            r"发货|付款|处理|支付|确认|评价|收货|出库|审核|出票|退款|出货",
            r"(?:成功|失败)(?=了|[，。,.\s]|$)|(?:延迟|延误)到",
        ),
        about=r"(?:my|the|this|that|our|customer|purchase|last|recent|latest)\s+orders?(?! of)(?![\w-])|orders?\s+(?:status|number|no\.?|id|#|\d)|"
        r"status of .{0,20}order|(?:booking|reservation|appointment|flight) (?:status|confirmed)|is my (?:booking|reservation|flight)|订单|预订|预约|机票",
    ),
}
RULES = frozenset(_RULES)

# A state inside a condition, a question or an order is no claim that it is so.
_GUARD_BEFORE = re.compile(
    r"(?:(?<![\w-])(?:if|when|whenever|unless|until|till|once|before|after|while|whether|in case|as soon as|as long as|"
    r"assuming|suppose|supposing|imagine|every time|each time|any time|which|whose|how|why|"
    r"(?:never|not|don't|do not) (?:say|claim|assume|promise|state|write|tell)|(?<!i )(?<!can )(?:check|verify|confirm|ensure|"
    r"make sure|see|ask|find out|wait|promise|saying|claiming|promising|telling|quoting|confirming|checking|verifying)|"
    r"show (?:me )?|list|mention|tell me|let me know|notify me|alert me|remind me|warn me|any|every|each|no)(?![\w-])[^,:]*$)|"
    r"(?:如果|若是|若|假如|假设|要是|倘若|万一|一旦|只要|只有|除非|无论|不管|不论|每当|每次|每个|凡是|凡|遇到|碰到|等到|直到|是否|有没有|"
    r"会不会|能否|可否|哪些|哪个|什么时候|何时|怎么|如何|先确认|确认|核实|核对|检查|查询|查看|查一下|判断|询问|问清|校验|"
    r"(?:不要|别|不能|不得|禁止|切勿|请勿)(?:说|告诉|承诺|假设|默认|声称|写)|提醒我|通知我|告诉我|(?<![应担相适恰])当(?![前下天然日月年地事作成]))"
    r"[^，,。；：:]*$"
)
_GUARD_AFTER = re.compile(
    r"^(?:[^.!?;,]{0,25}?\s(?:when|if|unless|whenever|only after|only if|by default|automatically)(?![\w-])|"
    r"(?:之后|以后|过后|后(?![来台勤])|时(?![间区长至])|的时候|之前|以前|前(?![天台])|的话|的(?=[^，,。；！!\s\"'）)])|再(?!次)|才|方可|"
    r"就(?!是)|问题|相关|与否|没有?$|吗|么|情况|状态|说明|页面|通知|邮件|模板|流程|规则|字段|类))"
)
_LOOK_BACK = 160
_NO_PLURAL = frozenset({"goods", "expenses", "access"})
_ATTRIBUTIVE = re.compile(r"(?<![\w-])(?:that|which|who)\s+(?:is|are|was|were|has|have|had)(?![\w-])")
_HEDGED = re.compile(
    r"(?<![\w-])(?:maybe|perhaps|probably|possibly|likely|seems?|seemingly|appears?|apparently|might|may|could be|i guess|"
    r"presumably|suspect|inferred|guess(?:ing)?|suggests?|presumed)(?![\w-])|可能|也许|大概|或许|似乎|好像|估计|推测|猜测|疑似|恐怕|应该是|看起来|看来|据推断"
)
_INSTRUCTION = re.compile(
    r"(?<![\w-])(?:prefer|prefers|always|never|please|should|want|wants|like|likes|from now on|show|use|write|display|format|sort|"
    r"put|keep|call|check|ask|query|look up|include|list|highlight|summari[sz]e|send|notify|translate)(?![\w-])|"
    r"请|以后|今后|默认|喜欢|希望|偏好|优先|习惯|总是|每次|展示|显示|写成|不要|别|先|一律|统一|提醒|查询|用[^户]"
)
_ASKS = re.compile(
    r"[?？吗呢]|(?<![\w-])(?:status|state|progress|is|are|was|has|have|did|does|do|when|where|which|who|what|how (?:much|many|long)|"
    r"current|currently|now|left|remaining|yet|latest|check)(?![\w-])|状态|进度|到哪|多少|几|是否|有没有|什么时候|谁|当前|目前|现在|还剩|"
    r"了没|完成|查|怎样了|怎么样了"
)
_ASKS_HOW = re.compile(
    r"(?<![\w-])how\s+(?:should|do|does|to|can|could|would|shall)(?![\w-])|(?:怎么|如何|怎样)(?!样|了)|(?<![\w-])(?:draft|write|explain|translate)(?![\w-])"
)
_KEY_SPLIT = re.compile(r"[^a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def prepare(text: str) -> str:
    """The text as the rules read it: NFKC, lower case, simplified, straight quotes, single spaces."""
    folded = unicodedata.normalize("NFKC", text).lower().translate(_SIMPLIFIED).translate(_QUOTES)
    return "\n".join(" ".join(line.split()) for line in folded.splitlines())


def tells_state(prepared: str, rule: str, *, how_to: bool = False) -> bool:
    """The prepared text claims a live state of this rule's things; ways of working need the thing's own number."""
    found = _RULES[rule]
    patterns = found.exact if how_to else found.exact + found.loose
    return any(
        _claimed(sentence, match.start(), match.end()) and not _is_generic(match)
        for sentence in sentences(prepared)
        if not found.unless.search(sentence)
        for pattern in patterns
        for match in pattern.finditer(sentence)
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
    return [part.strip() for part in _SENTENCE_END.split(prepared) if part.strip()]


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


def _claimed(sentence: str, start: int, end: int) -> bool:
    if _GUARD_BEFORE.search(sentence[max(0, start - _LOOK_BACK) : start]) or _GUARD_AFTER.match(sentence[end:]):
        return False
    return not _ATTRIBUTIVE.search(sentence[start:end])


def _is_generic(match: re.Match[str]) -> bool:
    """A bare plural ("orders were shipped late") speaks of the kind, not of one thing."""
    noun = match.groupdict().get("bare")
    return noun is not None and noun.endswith("s") and not noun.endswith("ss") and noun not in _NO_PLURAL
